//! The text of an error, with and without an allocator.

use core::fmt::{self, Display, Write};

/// Text that is written once and shown later.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, Default)]
pub(super) struct Message(alloc::string::String);

/// How many bytes of a text are kept if there is no allocator.
#[cfg(not(feature = "alloc"))]
const KEPT: usize = 96;

/// Text that is written once and shown later. Text that does not fit is cut.
#[cfg(not(feature = "alloc"))]
#[derive(Clone, Debug)]
pub(super) struct Message {
    bytes: [u8; KEPT],
    len: usize,
    is_cut: bool,
}

#[cfg(not(feature = "alloc"))]
impl Default for Message {
    fn default() -> Message {
        Message { bytes: [0; KEPT], len: 0, is_cut: false }
    }
}

impl Message {
    pub(super) fn of(text: impl Display) -> Message {
        let mut message = Message::default();
        // If the `Display` fails, the text ends there.
        let _ = write!(message, "{text}");
        message
    }

    #[cfg(feature = "alloc")]
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    #[cfg(not(feature = "alloc"))]
    pub(super) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.len).unwrap_or(&[]);
        core::str::from_utf8(bytes).unwrap_or_default()
    }
}

#[cfg(feature = "alloc")]
impl Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(not(feature = "alloc"))]
impl Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.len..).unwrap_or(&mut []);
        if self.is_cut {
            return Ok(());
        }
        let (text, more) = cut(text, room.len());
        for (to, from) in room.iter_mut().zip(text.bytes()) {
            *to = from;
        }
        self.len = self.len.saturating_add(text.len());
        self.is_cut = !more.is_empty();
        Ok(())
    }
}

/// Splits a text after at most `len` bytes, between two characters.
pub(super) fn cut(text: &str, len: usize) -> (&str, &str) {
    let ends = (0..=len.min(text.len())).rev();
    ends.filter_map(|end| text.split_at_checked(end)).next().unwrap_or((text, ""))
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        #[cfg(not(feature = "alloc"))]
        if self.is_cut {
            f.write_char('…')?;
        }
        Ok(())
    }
}
