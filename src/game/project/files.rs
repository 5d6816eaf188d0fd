//! The files of a project and their paths: reads each file, and finds the ones that others refer to.

use super::ids::{Interner, NameId, number};
use super::limits;
use super::problems::{ProblemKind, Problems, short};
use super::resource::{Settings, read_settings};
use super::scene::{FileContent, FileReference, Resources, SceneFile, read_scene_file};
use super::script::{ClassId, csharp, gdscript};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// The content that the reader found in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileTarget {
    Script(ClassId),
    /// An index into the scenes.
    Scene(u32),
    /// An index into the configurations.
    Config(u32),
    /// An imported 3D scene, which contains no scripts.
    Model,
    /// Something that could not be read.
    Unknown,
}

/// All that was read of a project.
#[derive(Debug, Default)]
pub(super) struct ProjectFiles {
    pub(super) names: Interner,
    pub(super) problems: Problems,
    pub(super) resources: Resources,
    pub(super) scenes: Vec<SceneFile>,
    pub(super) settings: Settings,
    /// Whether there is a script, a native library or a binary resource that is not read.
    pub(super) has_unread: bool,
    /// Whether one of these may contain or make nodes: not a mesh or an animation, nor the library of
    /// an add-on.
    pub(super) has_unread_nodes: bool,
    by_path: BTreeMap<Box<str>, FileTarget>,
    by_uid: BTreeMap<Box<str>, Box<str>>,
}

impl ProjectFiles {
    /// Reads a file. Its content is not kept.
    pub(super) fn add(&mut self, path: &str, bytes: &[u8]) {
        let Some(path) = resolve_path("", path.trim_start_matches('/')) else {
            return self.problems.add(path, None, ProblemKind::Outside(short(path)));
        };
        if self.by_path.contains_key(path.as_str()) {
            return self.problems.add(&path, None, ProblemKind::Twice);
        }
        if self.by_path.len() >= limits::NAMES {
            return self.problems.add(&path, None, ProblemKind::Limit("4,194,304 files"));
        }
        let target = self.read(&path, bytes);
        self.by_path.insert(path.into(), target);
    }

    fn read(&mut self, path: &str, bytes: &[u8]) -> FileTarget {
        let extension = extension(path);
        if !is_read(&extension) {
            self.has_unread |= matches!(extension.as_str(), "res" | "scn" | "gdextension" | "gdc");
            self.has_unread_nodes |= match extension.as_str() {
                "scn" | "gdc" => true,
                "gdextension" => !path.starts_with("addons/"),
                _ => false,
            };
            return target_of(&extension);
        }
        let is_script = matches!(extension.as_str(), "gd" | "cs");
        let text = match core::str::from_utf8(bytes) {
            Ok(_) if is_script && bytes.len() > limits::SCRIPT_BYTES => {
                self.has_unread = true;
                self.problems.add(path, None, ProblemKind::Limit("16 MiB of a script"));
                return FileTarget::Unknown;
            }
            Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
            Err(_) => {
                self.has_unread = true;
                self.problems.add(path, None, ProblemKind::NotUtf8);
                return FileTarget::Unknown;
            }
        };
        let (names, problems) = (&mut self.names, &mut self.problems);
        let scripts = &mut self.resources.scripts;
        match extension.as_str() {
            "gd" => FileTarget::Script(gdscript::read(text, path, scripts, names, problems)),
            "cs" => csharp::read(text, path, scripts, names, problems)
                .map_or(FileTarget::Unknown, FileTarget::Script),
            "uid" => {
                let (uid, owner) = (text.trim(), path.get(..path.len() - ".uid".len()));
                if let (true, Some(owner)) = (uid.starts_with("uid://"), owner) {
                    self.by_uid.insert(uid.into(), owner.into());
                }
                FileTarget::Unknown
            }
            "godot" => {
                if path == "project.godot" {
                    self.settings = read_settings(text, path, names, problems);
                }
                FileTarget::Unknown
            }
            _ => self.resource(text, path),
        }
    }

    fn resource(&mut self, text: &str, path: &str) -> FileTarget {
        let (content, uid) =
            read_scene_file(text, path, &mut self.resources, &mut self.names, &mut self.problems);
        if let Some(uid) = uid {
            self.by_uid.insert(uid.into(), path.into());
        }
        match content {
            FileContent::Scene(scene) => {
                let id = number(self.scenes.len());
                self.scenes.push(scene);
                FileTarget::Scene(id)
            }
            FileContent::Config(config) => FileTarget::Config(config),
            FileContent::Other => FileTarget::Unknown,
        }
    }

    /// Finds the file at a path or uid to which another file refers. Reports missing files.
    pub(super) fn locate(&mut self, file: &str, line: u32, reference: &str) -> FileTarget {
        self.find(file, reference).unwrap_or_else(|problem| {
            self.problems.add(file, line, problem);
            FileTarget::Unknown
        })
    }

    /// Finds the file at a path or uid to which another file refers.
    pub(super) fn find(&self, file: &str, reference: &str) -> Result<FileTarget, ProblemKind> {
        if reference.starts_with("uid://") {
            match self.by_uid.get(reference) {
                Some(path) => self.at(path),
                None => Err(ProblemKind::Missing(short(reference))),
            }
        } else {
            match resolve_path(file, reference) {
                Some(path) => self.at(&path),
                None => Err(ProblemKind::Outside(short(reference))),
            }
        }
    }

    /// Finds the target of a reference in a scene. If its uid is known, the uid decides.
    pub(super) fn follow(&mut self, file: NameId, reference: FileReference) -> FileTarget {
        let known = |uid: &NameId| self.by_uid.contains_key(self.names.text(*uid));
        let target = reference.uid.filter(known).or(reference.path).or(reference.uid);
        let Some(target) = target else { return FileTarget::Unknown };
        let (file, target) =
            (String::from(self.names.text(file)), String::from(self.names.text(target)));
        self.locate(&file, reference.line, &target)
    }

    /// The scenes, scripts and models by path and by uid.
    pub(super) fn targets(&self) -> BTreeMap<Box<str>, FileTarget> {
        let is_known = |target: &FileTarget| !matches!(target, FileTarget::Config(_));
        let by_path = self.by_path.iter().filter(|(_, target)| is_known(target));
        let by_path =
            by_path.map(|(path, target)| (alloc::format!("res://{path}").into(), *target));
        let by_uid = self.by_uid.iter();
        let by_uid = by_uid.filter_map(|(uid, path)| Some((uid.clone(), self.at(path).ok()?)));
        by_path.chain(by_uid).collect()
    }

    /// The paths of the files whose contents were read.
    pub(super) fn take_paths(&mut self) -> Vec<Box<str>> {
        let paths = core::mem::take(&mut self.by_path).into_keys();
        paths.filter(|path| is_read(&extension(path))).collect()
    }

    fn at(&self, path: &str) -> Result<FileTarget, ProblemKind> {
        if let Some(target) = self.by_path.get(path) {
            return Ok(*target);
        }
        let extension = extension(path);
        match target_of(&extension) {
            FileTarget::Model => Ok(FileTarget::Model),
            _ if matches!(extension.as_str(), "scn" | "res") => {
                Err(ProblemKind::Binary(short(path)))
            }
            _ => Err(ProblemKind::Missing(short(path))),
        }
    }
}

/// Whether files with this extension are read. Only the paths of other files are needed.
pub(super) fn is_read(extension: &str) -> bool {
    matches!(extension, "gd" | "cs" | "tscn" | "tres" | "uid" | "godot")
}

/// The kind of a file that is not read.
fn target_of(extension: &str) -> FileTarget {
    match extension {
        "glb" | "gltf" | "blend" | "fbx" | "dae" | "obj" | "escn" => FileTarget::Model,
        _ => FileTarget::Unknown,
    }
}

/// The path, relative to the project's folder, to which `reference` in `file` refers. None if that
/// is outside the folder.
///
/// `res://` begins at the project's folder, any other path at the folder of the file.
pub(super) fn resolve_path(file: &str, reference: &str) -> Option<String> {
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
    use super::resolve_path;

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
            assert_eq!(resolve_path(file, reference).as_deref(), path, "{reference}");
        }
    }
}
