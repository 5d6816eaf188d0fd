//! Collects small pieces of text and passes them on in blocks.
//!
//! A value is written as many small pieces. Passing each piece to a formatter or a stream costs
//! more than making it.

use core::fmt::{self, Write};
use core::str;

/// The size of a block in bytes.
const BLOCK: usize = 512;

/// Takes blocks of text.
pub(crate) trait TextSink {
    /// Takes whole characters in UTF-8.
    fn put(&mut self, text: &[u8]) -> fmt::Result;
}

#[cfg(feature = "alloc")]
impl TextSink for alloc::vec::Vec<u8> {
    fn put(&mut self, text: &[u8]) -> fmt::Result {
        self.extend_from_slice(text);
        Ok(())
    }
}

/// A text of at most eight bytes. It is copied as a whole, which takes fewer instructions than to
/// copy as many bytes as it has.
#[derive(Clone, Copy)]
pub(crate) struct Short {
    bytes: [u8; Short::ROOM],
    len: usize,
}

impl Short {
    const ROOM: usize = 8;

    /// A longer text does not compile.
    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
    pub(crate) const fn new(text: &str) -> Short {
        let text = text.as_bytes();
        let mut short = Short { bytes: [0; Short::ROOM], len: text.len() };
        let mut at = 0;
        while at < text.len() {
            short.bytes[at] = text[at];
            at += 1;
        }
        short
    }
}

/// Text that was collected for a sink.
pub(crate) struct Gather<'o> {
    block: [u8; BLOCK],
    len: usize,
    sink: &'o mut dyn TextSink,
}

impl<'o> Gather<'o> {
    /// Starts without text. Call [`Gather::flush`] at the end.
    #[inline]
    pub(crate) fn new(sink: &'o mut dyn TextSink) -> Gather<'o> {
        Gather { block: [0; BLOCK], len: 0, sink }
    }

    /// Writes pieces of text to a sink.
    pub(crate) fn to(
        sink: &mut dyn TextSink,
        write: impl FnOnce(&mut Gather<'_>) -> fmt::Result,
    ) -> fmt::Result {
        let mut gather = Gather::new(sink);
        write(&mut gather)?;
        gather.flush()
    }

    /// Writes pieces of text to a formatter.
    pub(crate) fn to_fmt(
        out: &mut impl Write,
        write: impl FnOnce(&mut Gather<'_>) -> fmt::Result,
    ) -> fmt::Result {
        Gather::to(&mut Formatted(out), write)
    }

    #[inline(always)]
    pub(crate) fn text(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes())
    }

    #[inline(always)]
    fn bytes(&mut self, text: &[u8]) -> fmt::Result {
        let end = self.len.wrapping_add(text.len());
        match self.block.get_mut(self.len..end) {
            Some(room) => {
                room.copy_from_slice(text);
                self.len = end;
                Ok(())
            }
            None => self.without_room(text),
        }
    }

    /// Writes a short text.
    #[inline(always)]
    pub(crate) fn short(&mut self, text: Short) -> fmt::Result {
        match self.block.get_mut(self.len..).and_then(|room| room.first_chunk_mut()) {
            Some(room) => {
                *room = text.bytes;
                self.len = self.len.wrapping_add(text.len);
                Ok(())
            }
            None => self.without_room(text.bytes.get(..text.len).unwrap_or(&[])),
        }
    }

    /// Writes a text between quotes.
    #[inline]
    pub(crate) fn quoted(&mut self, text: &str) -> fmt::Result {
        let end = self.len.wrapping_add(text.len()).wrapping_add(2);
        match self.block.get_mut(self.len..end) {
            Some([first, inside @ .., last]) => {
                *first = b'"';
                inside.copy_from_slice(text.as_bytes());
                *last = b'"';
                self.len = end;
                Ok(())
            }
            _ => {
                self.text("\"")?;
                self.text(text)?;
                self.text("\"")
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn without_room(&mut self, text: &[u8]) -> fmt::Result {
        self.flush()?;
        match self.block.get_mut(..text.len()) {
            Some(room) => {
                room.copy_from_slice(text);
                self.len = text.len();
                Ok(())
            }
            None => self.sink.put(text),
        }
    }

    /// Writes the collected text to the sink.
    pub(crate) fn flush(&mut self) -> fmt::Result {
        let text = self.block.get(..self.len).unwrap_or(&[]);
        self.len = 0;
        self.sink.put(text)
    }

    /// Writes this many ASCII characters.
    #[inline(always)]
    pub(crate) fn ascii<const N: usize>(&mut self, text: [u8; N]) -> fmt::Result {
        self.bytes(&text)
    }

    /// Writes an integer.
    #[inline]
    pub(crate) fn int(&mut self, number: impl itoa::Integer) -> fmt::Result {
        self.text(itoa::Buffer::new().format(number))
    }
}

impl Write for Gather<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text(text)
    }
}

/// Passes blocks to a formatter.
struct Formatted<'o, W>(&'o mut W);

impl<W: Write> TextSink for Formatted<'_, W> {
    fn put(&mut self, text: &[u8]) -> fmt::Result {
        // Only whole texts are gathered.
        self.0.write_str(str::from_utf8(text).map_err(|_| fmt::Error)?)
    }
}
