//! Shows untrusted text on one line: names of files, errors of the system, content.

use gdwire::text::disturbs_line;
use std::borrow::Cow;
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

/// The most characters of a line that [`bounded`] leaves whole.
const LONGEST: usize = 2_000;

/// A line, without its middle if it is very long: the user may pass arguments of any length, and an
/// error says at its end what is wrong with them.
pub(crate) fn bounded(line: &str) -> Cow<'_, str> {
    let count = line.chars().count();
    let Some(left_out) = count.checked_sub(LONGEST).filter(|left_out| *left_out > 0) else {
        return line.into();
    };
    let place = |character: usize| line.char_indices().nth(character).map_or(0, |(place, _)| place);
    let start = line.get(..place(LONGEST / 2)).unwrap_or_default();
    let end = line.get(place(count.saturating_sub(LONGEST / 2))..).unwrap_or_default();
    format!("{start}… {left_out} more characters …{end}").into()
}

/// Why a file cannot be read or written, without the number that the standard library adds.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match (error.raw_os_error(), text.rsplit_once(" (os error ")) {
        (Some(_), Some((reason, _))) => reason.to_owned(),
        _ => text,
    }
}
