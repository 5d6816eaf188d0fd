//! Writes containers whose length is not known when they begin, as serde needs it, and values that
//! are encoded already.

use super::{Builder, Result};
use crate::value::wire::content::padded;
use crate::value::wire::nesting::{Level, LevelShape};
use crate::value::{Kind, MAX_DEPTH, TOP_BIT};
use crate::write::encode::{EncodeError, EncodeProblem, Sink, SliceSink};
use core::fmt::{self, Display, Write};

/// The largest number of elements or entries in a container.
const MOST: u32 = !TOP_BIT;

/// A container whose count is written when it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenCount {
    /// The offset of the count.
    offset: usize,
    announced: u32,
}

impl<S: Sink> Builder<S> {
    /// How many more containers can be opened inside each other.
    pub(crate) const fn depth_left(&self) -> u16 {
        self.max_depth.saturating_sub(self.depth())
    }

    /// Counts a value as written. [`Builder::put_encoded`] then writes its bytes.
    pub(crate) fn begin_encoded(&mut self) -> Result {
        self.count()
    }

    /// Writes a piece of a value that is encoded already.
    #[inline]
    pub(crate) fn put_encoded(&mut self, bytes: &[u8]) {
        self.sink.put(bytes);
    }
}

#[expect(private_bounds, reason = "all methods of this block are private to the crate")]
impl<S: Patch> Builder<S> {
    /// Opens an array or a dictionary whose number of elements or entries is only estimated.
    /// [`Builder::end_open`] writes the right number.
    #[inline]
    pub(crate) fn begin_open(
        &mut self,
        kind: Kind,
        announced: Option<usize>,
    ) -> core::result::Result<OpenCount, EncodeError> {
        let announced = self.length(kind, announced.unwrap_or(0))?;
        self.header(kind, 0)?;
        let offset = self.sink.position();
        self.word(announced);
        let inner = match kind {
            Kind::Dictionary => Level::pairs(kind, LevelShape::Dictionary, MOST),
            _ => Level::new(kind, LevelShape::Array, MOST),
        };
        // `end_open` checks the depth, because an empty container is never too deep.
        if !self.stack.enter(self.level, inner, u16::MAX) {
            return Err(EncodeProblem::TooDeep { limit: MAX_DEPTH }.into());
        }
        self.level = inner;
        Ok(OpenCount { offset, announced })
    }

    /// Closes the container.
    #[inline]
    pub(crate) fn end_open(&mut self, open: OpenCount) -> Result {
        let items = match self.level.shape() {
            LevelShape::Dictionary if !self.level.is_at_first() => {
                let (kind, announced) = (self.level.kind(), Some(open.announced));
                return Err(EncodeProblem::WrongCount { kind, announced, missing: 1 }.into());
            }
            LevelShape::Dictionary => MOST.wrapping_mul(2).wrapping_sub(self.level.remaining()) / 2,
            _ => MOST.wrapping_sub(self.level.remaining()),
        };
        let Some(outer) = self.stack.pop() else {
            return Err(EncodeProblem::NothingOpen.into());
        };
        self.level = outer;
        if items > 0 && self.depth() >= self.max_depth {
            return Err(EncodeProblem::TooDeep { limit: MAX_DEPTH }.into());
        }
        if items != open.announced {
            self.sink.patch(open.offset, items);
        }
        Ok(())
    }

    /// Writes a string that is not in memory as a whole.
    pub(crate) fn string_of(&mut self, text: &(impl Display + ?Sized)) -> Result {
        let kind = Kind::String;
        self.header(kind, 0)?;
        let offset = self.sink.position();
        self.word(0);
        let mut pieces = TextLength { sink: &mut self.sink, length: 0, nul: None };
        // A sink accepts everything. If the text's own `Display` fails, the string ends there.
        let _ = write!(pieces, "{text}");
        let TextLength { length, nul, .. } = pieces;
        if let Some(at) = nul {
            return Err(EncodeProblem::Nul { kind, at }.into());
        }
        let word = self.length(kind, length)?;
        self.sink.patch(offset, word);
        let padding = padded(length).saturating_sub(length);
        self.sink.put([0; 4].get(..padding).unwrap_or(&[]));
        Ok(())
    }

    /// The bytes that were written so far.
    pub(crate) fn written(&self) -> &[u8] {
        self.sink.written()
    }
}

/// Passes text on to a sink.
struct TextLength<'s, S> {
    sink: &'s mut S,
    length: usize,
    /// The offset of the first NUL.
    nul: Option<usize>,
}

impl<S: Sink> Write for TextLength<'_, S> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if let (None, Some(at)) = (self.nul, text.bytes().position(|byte| byte == 0)) {
            self.nul = Some(self.length.saturating_add(at));
        }
        self.sink.put(text.as_bytes());
        self.length = self.length.saturating_add(text.len());
        Ok(())
    }
}

/// A sink whose bytes can be read and changed after they were written.
pub(crate) trait Patch: Sink {
    /// The number of bytes that were written.
    fn position(&self) -> usize;

    /// The bytes that were written, as far as there was room for them.
    fn written(&self) -> &[u8];

    /// Replaces the word at an offset.
    fn patch(&mut self, offset: usize, word: u32);
}

impl<S: Patch + ?Sized> Patch for &mut S {
    fn position(&self) -> usize {
        (**self).position()
    }

    fn written(&self) -> &[u8] {
        (**self).written()
    }

    fn patch(&mut self, offset: usize, word: u32) {
        (**self).patch(offset, word);
    }
}

/// Replaces the word at an offset, if it exists.
fn patch(bytes: &mut [u8], offset: usize, word: u32) {
    if let Some(place) = bytes.get_mut(offset..).and_then(<[u8]>::first_chunk_mut) {
        *place = word.to_le_bytes();
    }
}

macro_rules! growing {
    ($($(#[$attribute:meta])* $type:ty;)*) => {$(
        $(#[$attribute])*
        impl Patch for $type {
            fn position(&self) -> usize {
                self.len()
            }

            fn written(&self) -> &[u8] {
                self
            }

            fn patch(&mut self, offset: usize, word: u32) {
                patch(self, offset, word);
            }
        }
    )*};
}

growing! {
    #[cfg(feature = "alloc")]
    alloc::vec::Vec<u8>;
    #[cfg(feature = "bytes")]
    bytes::BytesMut;
}

impl Patch for SliceSink<'_> {
    fn position(&self) -> usize {
        self.needed
    }

    fn written(&self) -> &[u8] {
        self.slice.get(..self.needed).unwrap_or(self.slice)
    }

    fn patch(&mut self, offset: usize, word: u32) {
        patch(self.slice, offset, word);
    }
}
