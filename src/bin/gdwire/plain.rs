//! Shows untrusted text on one line: names of files, errors of the system, content.

use gdwire::text::disturbs_line;
use std::io;
use std::path::Path;

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of a file. It may contain control characters; text outputs show it as [`plain`].
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) { "stdin".to_owned() } else { path.display().to_string() }
}

/// A line with escapes for control characters and for characters that a terminal would not show.
pub(crate) fn plain(line: &str) -> String {
    let mut plain = String::new();
    for character in line.chars() {
        if disturbs_line(character) {
            plain.extend(character.escape_default());
        } else {
            plain.push(character);
        }
    }
    plain
}

/// Why a file cannot be read or written, without the number that the standard library adds.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match (error.raw_os_error(), text.rsplit_once(" (os error ")) {
        (Some(_), Some((reason, _))) => reason.to_owned(),
        _ => text,
    }
}
