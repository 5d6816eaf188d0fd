//! The builder, and the parts that every value is written from: headers, words and strings.

use crate::value::wire::content::padded;
use crate::value::wire::nesting::{Level, Shape, Stack};
use crate::value::{Dialect, Kind, MAX_DEPTH, TOP_BIT};
use crate::write::encode::{EncodeError, EncodeProblem, Sink};
use core::ffi::CStr;

/// Writes one value, and the values in it, in order.
///
/// A container is opened with the number of its values and closed with [`Builder::end`]. It is an
/// error to write more or fewer values than announced. The bytes are those that an engine of the
/// dialect writes for the same value: ints and floats take 64 bits only if they need them, and
/// padding is zero.
///
/// An error about the number or the order of values changes nothing: [`EncodeProblem::WrongCount`],
/// [`EncodeProblem::PropertyName`] and [`EncodeProblem::SecondValue`]. The extra value is not
/// written, and you can go on with the builder. After any other error, drop the builder and what it
/// wrote. The builder does not remember errors, so [`Builder::end`] and [`Builder::finish`] may
/// succeed after one.
///
/// ```
/// use gdwire::{Dialect, encode::Builder, math::Vector3};
///
/// let mut packet = Vec::new();
/// let mut builder = Builder::new(Dialect::GODOT_3, &mut packet);
/// builder.begin_dictionary(2)?;
/// builder.string("id")?;
/// builder.int(7)?;
/// builder.string("position")?;
/// builder.vector3(Vector3::new(1.0f32, 2.0, 3.0))?;
/// builder.end()?;
/// builder.finish()?;
///
/// let value = gdwire::parse(Dialect::GODOT_3, &packet)?;
/// assert_eq!(value.get("id").and_then(|id| id.as_i64()), Some(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Builder<S> {
    pub(super) dialect: Dialect,
    /// The largest number of containers around a value.
    pub(super) max_depth: u16,
    pub(super) sink: S,
    pub(super) level: Level,
    pub(super) stack: Stack,
    /// How many elements, entries or properties were announced for each open container, from the
    /// outermost on.
    pub(super) announced: [u32; ANNOUNCED],
}

/// The announced numbers are kept for this many open containers, from the outermost on.
const ANNOUNCED: usize = 16;

pub(super) type Result = core::result::Result<(), EncodeError>;

impl<S: Sink> Builder<S> {
    /// Creates a builder that writes one value to `sink`, in `dialect`.
    #[inline]
    pub const fn new(dialect: Dialect, sink: S) -> Builder<S> {
        Builder {
            dialect,
            max_depth: MAX_DEPTH,
            sink,
            level: Level::ROOT,
            stack: Stack::new(),
            announced: [0; ANNOUNCED],
        }
    }

    /// The dialect that is written.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Creates a builder for a value that is a part of another one. At most `max_depth` containers
    /// may be around the values in it.
    pub(crate) fn with_depth(dialect: Dialect, sink: S, max_depth: u16) -> Builder<S> {
        Builder { max_depth, ..Builder::new(dialect, sink) }
    }

    /// Returns the sink once the value is complete.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::NoValue`], or [`EncodeProblem::NotClosed`] if a container is still open.
    /// Also the error of [`Sink::check`], for example for a [`SliceSink`](crate::encode::SliceSink)
    /// that is too small.
    pub fn finish(self) -> core::result::Result<S, EncodeError> {
        let sink = self.finish_part()?;
        sink.check()?;
        Ok(sink)
    }

    /// Returns the sink once the value is complete, even if the sink had no room for it.
    pub(crate) fn finish_part(self) -> core::result::Result<S, EncodeError> {
        if self.level.is_empty() && self.stack.is_empty() {
            return Ok(self.sink);
        }
        Err(self.unfinished())
    }

    #[cold]
    fn unfinished(&self) -> EncodeError {
        match self.depth() {
            0 => EncodeProblem::NoValue,
            open => EncodeProblem::NotClosed { open },
        }
        .into()
    }

    /// How many containers are open.
    pub(crate) const fn depth(&self) -> u16 {
        // The stack has room for little more than 1,024 levels, so the number fits.
        self.stack.depth() as u16
    }

    /// The error for a container that got more or fewer values than announced. `missing` is 0 if
    /// there is one too many.
    #[cold]
    pub(super) fn wrong_count(&self, missing: u32) -> EncodeError {
        if self.stack.is_empty() {
            return EncodeProblem::SecondValue.into();
        }
        let depth = usize::from(self.depth());
        let announced = self.announced.get(depth.wrapping_sub(1)).copied();
        EncodeProblem::WrongCount { kind: self.level.kind(), announced, missing }.into()
    }

    /// Counts one item of the open container.
    #[inline]
    pub(super) fn count(&mut self) -> Result {
        if self.level.is_empty() {
            return Err(self.wrong_count(0));
        }
        self.level.take_one();
        Ok(())
    }

    #[inline]
    pub(super) fn word(&mut self, word: u32) {
        self.sink.put(&word.to_le_bytes());
    }

    pub(super) fn type_number(&self, kind: Kind) -> core::result::Result<u32, EncodeError> {
        let number = self.dialect.type_number(kind);
        number.map(u32::from).ok_or_else(|| unsupported(kind, self.dialect))
    }

    /// Writes the header of the next value.
    #[inline]
    pub(super) fn header(&mut self, kind: Kind, flags: u32) -> Result {
        let header = self.begin_value(kind, flags)?;
        self.word(header);
        Ok(())
    }

    /// Counts the next value, and returns its header.
    #[inline]
    pub(super) fn begin_value(
        &mut self,
        kind: Kind,
        flags: u32,
    ) -> core::result::Result<u32, EncodeError> {
        let number = self.type_number(kind)?;
        if self.level.shape() == Shape::Object && self.level.is_at_first() {
            return Err(self.no_name());
        }
        self.count()?;
        Ok(number | flags)
    }

    /// Writes the header of the next value and the word that follows it, in one piece.
    #[inline]
    pub(super) fn header_and(&mut self, kind: Kind, flags: u32, word: u32) -> Result {
        let header = self.begin_value(kind, flags)?;
        self.sink.put(&(u64::from(header) | u64::from(word) << 32).to_le_bytes());
        Ok(())
    }

    /// The error for a value that comes where the name of a property is due.
    #[cold]
    pub(super) fn no_name(&self) -> EncodeError {
        if self.level.is_empty() {
            return self.wrong_count(0);
        }
        EncodeProblem::PropertyName { is_due: true }.into()
    }

    /// Writes the header of the next value and the eight bytes that follow it, in one piece.
    #[inline]
    pub(super) fn header_and_long(&mut self, kind: Kind, flags: u32, long: u64) -> Result {
        let header = self.begin_value(kind, flags)?;
        let bytes = (u128::from(header) | u128::from(long) << 32).to_le_bytes();
        self.sink.put(bytes.first_chunk::<12>().map_or(&[], |bytes| bytes));
        Ok(())
    }

    #[inline]
    pub(super) fn length(
        &self,
        kind: Kind,
        length: usize,
    ) -> core::result::Result<u32, EncodeError> {
        match u32::try_from(length) {
            Ok(word) if word & TOP_BIT == 0 => Ok(word),
            _ => Err(EncodeProblem::TooLong { kind, len: length }.into()),
        }
    }

    /// Writes the bytes of a string or byte array and their padding.
    #[inline]
    pub(super) fn padded(&mut self, bytes: &[u8]) {
        self.sink.put(bytes);
        let padding = padded(bytes.len()).saturating_sub(bytes.len());
        self.sink.put([0; 4].get(..padding).unwrap_or(&[]));
    }

    /// Checks that a text can be written, and returns its length.
    #[inline]
    pub(super) fn text_length(
        &self,
        kind: Kind,
        text: &str,
    ) -> core::result::Result<u32, EncodeError> {
        if let Some(at) = nul_in(text.as_bytes()) {
            return Err(EncodeProblem::Nul { kind, at }.into());
        }
        self.length(kind, text.len())
    }

    /// Writes a header, a length and a padded string.
    #[inline]
    pub(super) fn text_value(&mut self, kind: Kind, text: &str) -> Result {
        let header = self.begin_value(kind, 0)?;
        let length = self.text_length(kind, text)?;
        self.sink.put(&(u64::from(header) | u64::from(length) << 32).to_le_bytes());
        self.padded(text.as_bytes());
        Ok(())
    }

    /// Writes a length and a padded string.
    pub(super) fn text(&mut self, kind: Kind, text: &str) -> Result {
        let length = self.text_length(kind, text)?;
        self.word(length);
        self.padded(text.as_bytes());
        Ok(())
    }
}

/// The offset of the first NUL.
#[inline]
pub(super) fn nul_in(text: &[u8]) -> Option<usize> {
    // This function of the standard library searches a machine word at a time.
    CStr::from_bytes_until_nul(text).ok().map(|text| text.count_bytes())
}

#[cold]
fn unsupported(kind: Kind, dialect: Dialect) -> EncodeError {
    EncodeProblem::Unsupported { kind, dialect }.into()
}

#[cfg(feature = "alloc")]
impl Builder<alloc::vec::Vec<u8>> {
    /// The bytes that were written so far.
    pub(crate) fn written_so_far(&self) -> &[u8] {
        &self.sink
    }
}
