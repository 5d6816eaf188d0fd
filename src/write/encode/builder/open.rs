//! Writes containers whose length is not known when they begin, and values that are encoded
//! already.

use super::state::{Builder, Result};
use crate::value::wire::content::padded;
use crate::value::wire::nesting::{Level, Shape};
use crate::value::{Kind, MAX_DEPTH, TOP_BIT};
use crate::write::encode::{EncodeError, EncodeProblem, Patch, Sink};
use core::fmt::{self, Display, Write};

/// The largest number of elements or entries in a container.
const MOST: u32 = !TOP_BIT;

/// A container whose count is written when it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
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
    ) -> core::result::Result<Open, EncodeError> {
        let announced = self.length(kind, announced.unwrap_or(0))?;
        self.header(kind, 0)?;
        let offset = self.sink.position();
        self.word(announced);
        let inner = match kind {
            Kind::Dictionary => Level::pairs(kind, Shape::Dictionary, MOST),
            _ => Level::new(kind, Shape::Array, MOST),
        };
        // `end_open` checks the depth, because an empty container is never too deep.
        if !self.stack.enter(self.level, inner, u16::MAX) {
            return Err(EncodeProblem::TooDeep { limit: MAX_DEPTH }.into());
        }
        self.level = inner;
        Ok(Open { offset, announced })
    }

    /// Closes the container.
    #[inline]
    pub(crate) fn end_open(&mut self, open: Open) -> Result {
        let items = match self.level.shape() {
            Shape::Dictionary if !self.level.is_at_first() => {
                let (kind, announced) = (self.level.kind(), Some(open.announced));
                return Err(EncodeProblem::WrongCount { kind, announced, missing: 1 }.into());
            }
            Shape::Dictionary => MOST.wrapping_mul(2).wrapping_sub(self.level.remaining()) / 2,
            _ => MOST.wrapping_sub(self.level.remaining()),
        };
        let Some(outer) = self.stack.leave() else {
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
        let mut pieces = Pieces { sink: &mut self.sink, length: 0, nul: None };
        // A sink accepts everything. If the text's own `Display` fails, the string ends there.
        let _ = write!(pieces, "{text}");
        let Pieces { length, nul, .. } = pieces;
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
struct Pieces<'s, S> {
    sink: &'s mut S,
    length: usize,
    /// The offset of the first NUL.
    nul: Option<usize>,
}

impl<S: Sink> Write for Pieces<'_, S> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if let (None, Some(at)) = (self.nul, text.bytes().position(|byte| byte == 0)) {
            self.nul = Some(self.length.saturating_add(at));
        }
        self.sink.put(text.as_bytes());
        self.length = self.length.saturating_add(text.len());
        Ok(())
    }
}
