//! How much room the names of [`Paths`](super::Paths) take, and a shorter spelling of long ones.

use alloc::borrow::Cow;
use alloc::format;

#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Size {
    pub(super) entries: usize,
    pub(super) bytes: usize,
}

impl Size {
    pub(super) fn of_text(text: &str) -> Size {
        Size { entries: 1, bytes: text.len() }
    }

    pub(super) fn of_node(name: &str, path: Option<&str>, synchronizers: usize) -> Size {
        let text = name.len().saturating_add(path.map_or(0, str::len));
        Size {
            entries: synchronizers.saturating_add(1 + usize::from(path.is_some())),
            bytes: synchronizers.saturating_mul(4).saturating_add(text),
        }
    }

    pub(super) fn add(&mut self, other: Size) {
        self.entries = self.entries.saturating_add(other.entries);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    pub(super) fn subtract(&mut self, other: Size) {
        self.entries = self.entries.saturating_sub(other.entries);
        self.bytes = self.bytes.saturating_sub(other.bytes);
    }
}

/// The longest name that is kept whole, in bytes.
pub(super) const LONGEST: usize = 1_024;

/// The name if it has up to [`LONGEST`] bytes; the beginning, the size and the end of a longer one.
pub(super) fn shortened(name: &str) -> Cow<'_, str> {
    /// How much of a longer name is kept at each end.
    const PART: usize = 490;
    if name.len() <= LONGEST {
        return Cow::Borrowed(name);
    }
    let is_boundary = |at: &usize| name.is_char_boundary(*at);
    let front = (0..=PART).rev().find(is_boundary).unwrap_or(0);
    let back = (name.len().saturating_sub(PART)..=name.len()).find(is_boundary);
    let front = name.get(..front).unwrap_or("");
    let back = back.and_then(|back| name.get(back..)).unwrap_or("");
    Cow::Owned(format!("{front}…({} bytes)…{back}", name.len()))
}
