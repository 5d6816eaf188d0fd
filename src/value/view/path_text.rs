//! A path in an error, of bounded length.

use core::fmt::{self, Write};

/// The maximum number of bytes of a path that an error holds.
const CAPACITY: usize = 76;

const ELLIPSIS: &str = "…";

/// A short text, or an ellipsis and the end of a longer text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PathText {
    bytes: [u8; CAPACITY],
    len: u8,
}

impl PathText {
    pub(super) const EMPTY: PathText = PathText { bytes: [0; CAPACITY], len: 0 };

    pub(super) fn of(text: &dyn fmt::Display) -> PathText {
        let mut length = Length(0);
        // Writing to these two sinks never fails.
        let _ = write!(length, "{text}");
        let mut end = End { text: PathText::EMPTY, skip: 0 };
        if length.0 > CAPACITY {
            end.push(ELLIPSIS);
            end.skip = length.0.saturating_sub(CAPACITY.saturating_sub(ELLIPSIS.len()));
        }
        let _ = write!(end, "{text}");
        end.text
    }

    pub(super) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.len.into()).unwrap_or(&[]);
        core::str::from_utf8(bytes).unwrap_or("")
    }
}

impl fmt::Debug for PathText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Counts the bytes of a text.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.saturating_add(text.len());
        Ok(())
    }
}

/// Keeps a text without its first `skip` bytes. If these end inside a character, the rest of that
/// character is skipped, too.
struct End {
    text: PathText,
    skip: usize,
}

impl End {
    fn push(&mut self, text: &str) {
        let start = usize::from(self.text.len);
        let room = self.text.bytes.get_mut(start..).unwrap_or(&mut []);
        if let Some(room) = room.get_mut(..text.len()) {
            room.copy_from_slice(text.as_bytes());
            self.text.len = u8::try_from(start.saturating_add(text.len())).unwrap_or(u8::MAX);
        }
    }
}

impl Write for End {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut skip = self.skip.min(text.len());
        self.skip = self.skip.saturating_sub(skip);
        while !text.is_char_boundary(skip) {
            skip = skip.saturating_add(1);
        }
        self.push(text.get(skip..).unwrap_or(""));
        Ok(())
    }
}
