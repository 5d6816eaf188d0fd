//! The width of text on a terminal.

use alloc::string::String;
use core::fmt;
use unicode_width::UnicodeWidthChar;

/// How many cells of a terminal a text takes at most.
///
/// Wide characters take two cells, combining ones none. Sequences that some terminals draw as one
/// character, such as a family of emoji, count as their parts, so a terminal may need fewer cells.
#[must_use]
pub fn cells(text: &str) -> usize {
    text.chars().map(of).sum()
}

fn of(character: char) -> usize {
    match character {
        '\0'..='\u{7f}' => 1,
        // This variation selector can make the character before it wide.
        '\u{fe0f}' => 1,
        _ => character.width().unwrap_or(0),
    }
}

/// The longest beginning of a text that takes at most this many cells.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    let mut left = most;
    let mut end = text.char_indices().skip_while(|(_, character)| take(&mut left, *character));
    end.next().and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// The longest end of a text that takes at most this many cells.
pub(super) fn ending(text: &str, most: usize) -> &str {
    let mut left = most;
    let start = text.char_indices().rev().take_while(|(_, character)| take(&mut left, *character));
    start.last().and_then(|(start, _)| text.get(start..)).unwrap_or("")
}

/// Takes the cells of a character from those that are left, if there are enough.
fn take(left: &mut usize, character: char) -> bool {
    let rest = left.checked_sub(of(character));
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

/// A text of limited width, in cells. Text that does not fit is left out, and writing it is an
/// error.
#[derive(Debug, Default)]
pub(super) struct CellRoom {
    pub(super) text: String,
    cells: usize,
    /// How many bytes there is room for: characters without a width take some, too.
    bytes: usize,
}

impl CellRoom {
    /// Makes room for this many more cells.
    pub(super) const fn make(&mut self, cells: usize) {
        self.cells = cells;
        self.bytes = cells.saturating_mul(16).saturating_add(64);
    }
}

impl fmt::Write for CellRoom {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut end = text.len().min(self.bytes);
        while !text.is_char_boundary(end) {
            end = end.saturating_sub(1);
        }
        let fitting = beginning(text.get(..end).unwrap_or(""), self.cells);
        self.text.push_str(fitting);
        self.cells = self.cells.saturating_sub(cells(fitting));
        self.bytes = self.bytes.saturating_sub(fitting.len());
        if fitting.len() == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use super::{CellRoom, beginning, cells, ending};
    use core::fmt::Write;

    #[test]
    fn wide_and_combining_characters_take_their_cells() {
        for (text, width) in
            [("", 0), ("abc", 3), ("盾牌", 4), ("e\u{301}", 1), ("🚀", 2), ("ไฟ", 2), ("…", 1)]
        {
            assert_eq!(cells(text), width, "{text}");
        }
        assert_eq!(beginning("a盾牌", 2), "a");
        assert_eq!(beginning("a盾牌", 3), "a盾");
        assert_eq!(ending("盾牌a", 3), "牌a");
        assert_eq!([beginning("ab", 9), ending("ab", 9), ending("ab", 0)], ["ab", "ab", ""]);
    }

    #[test]
    fn what_takes_no_cells_is_bounded_as_well() {
        let mut room = CellRoom::default();
        room.make(10);
        let marks = "\u{301}".repeat(1_000);
        assert!(room.write_str(&marks).is_err());
        assert!(room.text.len() <= 10 * 16 + 64);
    }
}
