//! Paths of files in a project.

use alloc::string::String;
use alloc::vec::Vec;

/// The path, relative to the project's folder, to which `reference` in `file` refers. None if that
/// is outside the folder.
///
/// `res://` begins at the project's folder, any other path at the folder of the file.
pub(super) fn resolve(file: &str, reference: &str) -> Option<String> {
    let (mut names, rest) = match reference.strip_prefix("res://") {
        Some(rest) => (Vec::new(), rest),
        None if reference.contains("://") || reference.starts_with('/') => return None,
        None => {
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            (folder.split('/').filter(|name| !name.is_empty()).collect(), reference)
        }
    };
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            // Such a name could mean a drive or a parent folder on Windows.
            name if name.contains(['\\', ':']) => return None,
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// The extension of a path, in lower case.
pub(super) fn extension(path: &str) -> String {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase()
}

/// The file name of a path without its extension.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn paths_stay_in_the_folder() {
        for (file, reference, path) in [
            ("main.gd", "res://a/b.gd", Some("a/b.gd")),
            ("a/main.gd", "b.gd", Some("a/b.gd")),
            ("a/main.gd", "./../b//c.gd", Some("b/c.gd")),
            ("a/main.gd", "res://x/../b.gd", Some("b.gd")),
            ("a/main.gd", "../../b.gd", None),
            ("main.gd", "res://../../etc/passwd", None),
            ("main.gd", "res://a/../../b.gd", None),
            ("main.gd", "/etc/passwd", None),
            ("main.gd", "file:///etc/passwd", None),
            ("main.gd", "C:\\x.gd", None),
            ("main.gd", "..\\x.gd", None),
        ] {
            assert_eq!(resolve(file, reference).as_deref(), path, "{reference}");
        }
    }
}
