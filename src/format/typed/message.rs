//! The text of an error, with and without an allocator.

#[cfg(feature = "alloc")]
use alloc::string::String as Buffer;
use core::fmt::{self, Display, Write};
#[cfg(not(feature = "alloc"))]
use short::Buffer;

/// The text of an error. Without an allocator, text that does not fit is cut.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(Buffer);

impl Message {
    pub(super) fn of(text: impl Display) -> Message {
        let mut message = Message::default();
        // If the `Display` fails, the text ends there.
        let _ = write!(message.0, "{text}");
        message
    }

    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// What stands after the text if it is cut.
    pub(super) fn end(&self) -> &str {
        #[cfg(not(feature = "alloc"))]
        if self.0.is_cut() {
            return "…";
        }
        ""
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Splits a text after at most `len` bytes, between two characters.
pub(super) fn cut(text: &str, len: usize) -> (&str, &str) {
    let ends = (0..=len.min(text.len())).rev();
    ends.filter_map(|end| text.split_at_checked(end)).next().unwrap_or((text, ""))
}

/// Texts without an allocator.
#[cfg(not(feature = "alloc"))]
mod short {
    use super::cut;
    use core::fmt::{self, Display, Write};

    /// How many bytes of a text are kept.
    const KEPT: usize = 96;

    /// The first bytes of a text.
    #[derive(Clone, Debug)]
    pub(super) struct Buffer {
        bytes: [u8; KEPT],
        len: usize,
        is_cut: bool,
    }

    impl Buffer {
        pub(super) fn as_str(&self) -> &str {
            let bytes = self.bytes.get(..self.len).unwrap_or(&[]);
            core::str::from_utf8(bytes).unwrap_or_default()
        }
    }

    impl Buffer {
        pub(super) fn is_cut(&self) -> bool {
            self.is_cut
        }
    }

    impl Default for Buffer {
        fn default() -> Buffer {
            Buffer { bytes: [0; KEPT], len: 0, is_cut: false }
        }
    }

    impl Write for Buffer {
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

    impl Display for Buffer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.as_str())?;
            if self.is_cut { f.write_char('…') } else { Ok(()) }
        }
    }
}
