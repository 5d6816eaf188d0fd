//! Shows what comes from outside on one line: names of files, errors of the system, text.

use std::io;
use std::path::Path;

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of a file. It may contain commands for the terminal: text shows it as [`plain`].
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) { "stdin".to_owned() } else { path.display().to_string() }
}

/// A line with escapes for control characters, which a terminal would obey.
pub(crate) fn plain(line: &str) -> String {
    let mut plain = String::new();
    for character in line.chars() {
        match character {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                plain.extend(character.escape_default());
            }
            _ if character.is_control() => plain.extend(character.escape_default()),
            _ => plain.push(character),
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
