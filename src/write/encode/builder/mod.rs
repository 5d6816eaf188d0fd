//! Writes values piece by piece, without a tree of them in memory.
//!
//! Numbers, texts, and the beginnings and ends of containers come in. A [`Builder`] checks that they
//! form a value, and passes its bytes to a sink. It keeps only a stack of counts for the open containers.

mod containers;
mod numbers;
#[cfg(feature = "serde")]
mod open;

#[cfg(feature = "alloc")]
pub(crate) use numbers::{Width, changed_by_rounding};
#[cfg(feature = "serde")]
pub(crate) use open::{OpenCount, Patch};

use super::{EncodeError, EncodeProblem, Sink};
use crate::value::wire::content::padded;
use crate::value::wire::nesting::{Level, LevelShape, Stack};
use crate::value::{Cells, Dialect, FLAG_64, FLAG_BY_ID, Kind, MAX_DEPTH, NodePathRef, TOP_BIT};
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
    dialect: Dialect,
    /// The largest number of containers around a value.
    max_depth: u16,
    sink: S,
    level: Level,
    stack: Stack,
    /// How many elements, entries or properties were announced for each open container, from the
    /// outermost on.
    announced: [u32; ANNOUNCED],
}

/// The announced numbers are kept for this many open containers, from the outermost on.
const ANNOUNCED: usize = 16;

type Result = core::result::Result<(), EncodeError>;

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
        self.complete()?;
        self.sink.check()?;
        Ok(self.sink)
    }

    /// Returns the sink once the value is complete, even if the sink had no room for it.
    #[inline]
    pub(crate) fn finish_part(self) -> core::result::Result<S, EncodeError> {
        self.complete()?;
        Ok(self.sink)
    }

    /// Checks that the value is complete.
    #[inline]
    fn complete(&self) -> Result {
        if self.level.is_empty() && self.stack.is_empty() { Ok(()) } else { Err(self.unfinished()) }
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
    const fn depth(&self) -> u16 {
        // The stack has room for little more than 1,024 levels, so the number fits.
        self.stack.len() as u16
    }

    /// The error for a container that got more or fewer values than announced. `missing` is 0 if
    /// there is one too many.
    #[cold]
    fn wrong_count(&self, missing: u32) -> EncodeError {
        if self.stack.is_empty() {
            return EncodeProblem::SecondValue.into();
        }
        let depth = usize::from(self.depth());
        let announced = self.announced.get(depth.wrapping_sub(1)).copied();
        EncodeProblem::WrongCount { kind: self.level.kind(), announced, missing }.into()
    }

    /// Counts one item of the open container.
    #[inline]
    fn count(&mut self) -> Result {
        if self.level.is_empty() {
            return Err(self.wrong_count(0));
        }
        self.level.take_one();
        Ok(())
    }

    #[inline]
    fn word(&mut self, word: u32) {
        self.sink.put(&word.to_le_bytes());
    }

    fn type_number(&self, kind: Kind) -> core::result::Result<u32, EncodeError> {
        let number = self.dialect.type_number(kind);
        number.map(u32::from).ok_or_else(|| unsupported(kind, self.dialect))
    }

    /// Writes the header of the next value.
    #[inline]
    fn header(&mut self, kind: Kind, flags: u32) -> Result {
        let header = self.begin_value(kind, flags)?;
        self.word(header);
        Ok(())
    }

    /// Counts the next value, and returns its header.
    #[inline]
    fn begin_value(&mut self, kind: Kind, flags: u32) -> core::result::Result<u32, EncodeError> {
        let number = self.type_number(kind)?;
        if self.level.shape() == LevelShape::Object && self.level.is_at_first() {
            return Err(self.no_name());
        }
        self.count()?;
        Ok(number | flags)
    }

    /// Writes the header of the next value and the word that follows it, in one piece.
    #[inline]
    fn header_and(&mut self, kind: Kind, flags: u32, word: u32) -> Result {
        let header = self.begin_value(kind, flags)?;
        self.sink.put(&(u64::from(header) | u64::from(word) << 32).to_le_bytes());
        Ok(())
    }

    /// The error for a value that comes where the name of a property is due.
    #[cold]
    fn no_name(&self) -> EncodeError {
        if self.level.is_empty() {
            return self.wrong_count(0);
        }
        EncodeProblem::PropertyName { is_due: true }.into()
    }

    /// Writes the header of the next value and the eight bytes that follow it, in one piece.
    #[inline]
    fn header_and_long(&mut self, kind: Kind, flags: u32, long: u64) -> Result {
        let header = self.begin_value(kind, flags)?;
        let bytes = (u128::from(header) | u128::from(long) << 32).to_le_bytes();
        self.sink.put(bytes.first_chunk::<12>().map_or(&[], |bytes| bytes));
        Ok(())
    }

    #[inline]
    fn length(&self, kind: Kind, length: usize) -> core::result::Result<u32, EncodeError> {
        match u32::try_from(length) {
            Ok(word) if word & TOP_BIT == 0 => Ok(word),
            _ => Err(EncodeProblem::TooLong { kind, len: length }.into()),
        }
    }

    /// Writes the bytes of a string or byte array and their padding.
    #[inline]
    fn padded(&mut self, bytes: &[u8]) {
        self.sink.put(bytes);
        let padding = padded(bytes.len()).saturating_sub(bytes.len());
        self.sink.put([0; 4].get(..padding).unwrap_or(&[]));
    }

    /// Checks that a text can be written, and returns its length.
    #[inline]
    fn text_length(&self, kind: Kind, text: &str) -> core::result::Result<u32, EncodeError> {
        if let Some(at) = nul_in(text.as_bytes()) {
            return Err(EncodeProblem::Nul { kind, at }.into());
        }
        self.length(kind, text.len())
    }

    /// Writes a header, a length and a padded string.
    #[inline]
    fn text_value(&mut self, kind: Kind, text: &str) -> Result {
        let header = self.begin_value(kind, 0)?;
        let length = self.text_length(kind, text)?;
        self.sink.put(&(u64::from(header) | u64::from(length) << 32).to_le_bytes());
        self.padded(text.as_bytes());
        Ok(())
    }

    /// Writes a length and a padded string.
    fn text(&mut self, kind: Kind, text: &str) -> Result {
        let length = self.text_length(kind, text)?;
        self.word(length);
        self.padded(text.as_bytes());
        Ok(())
    }
}

/// The offset of the first NUL.
#[inline]
fn nul_in(text: &[u8]) -> Option<usize> {
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

impl<S: Sink> Builder<S> {
    /// Writes null.
    ///
    /// # Errors
    ///
    /// Every method that writes a value returns these errors: [`EncodeProblem::Unsupported`] if the
    /// dialect does not have the kind, [`EncodeProblem::WrongCount`] if the open container is full,
    /// [`EncodeProblem::SecondValue`] after a whole value, and [`EncodeProblem::PropertyName`]
    /// where the name of a property is due.
    pub fn nil(&mut self) -> Result {
        self.header(Kind::Nil, 0)
    }

    /// Writes a bool.
    ///
    /// # Errors
    ///
    /// Those of [`Builder::nil`].
    pub fn bool(&mut self, value: bool) -> Result {
        self.header_and(Kind::Bool, 0, u32::from(value))
    }

    /// Writes an int, with 64 bits only if 32 are not enough.
    ///
    /// # Errors
    ///
    /// Those of [`Builder::nil`].
    #[inline]
    pub fn int(&mut self, value: i64) -> Result {
        match i32::try_from(value) {
            Ok(narrow) => self.header_and(Kind::Int, 0, narrow.cast_unsigned()),
            Err(_) => self.header_and_long(Kind::Int, FLAG_64, value.cast_unsigned()),
        }
    }

    /// Writes a float, with 32 bits if they express the same number.
    ///
    /// # Errors
    ///
    /// Those of [`Builder::nil`].
    #[inline]
    pub fn float(&mut self, value: f64) -> Result {
        let narrow = value as f32;
        if f64::from(narrow) == value {
            return self.header_and(Kind::Float, 0, narrow.to_bits());
        }
        self.header_and_long(Kind::Float, FLAG_64, value.to_bits())
    }

    /// Writes a string. A byte order mark at its start is written, too, as by the engines, which
    /// drop it when they read the string.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::Nul`] if it contains a NUL, [`EncodeProblem::TooLong`], or an error of
    /// [`Builder::nil`].
    #[inline]
    pub fn string(&mut self, value: &str) -> Result {
        self.text_value(Kind::String, value)
    }

    /// Writes a string name.
    ///
    /// # Errors
    ///
    /// Those of [`Builder::string`].
    pub fn string_name(&mut self, value: &str) -> Result {
        self.text_value(Kind::StringName, value)
    }

    /// Writes a path in the scene tree. A string is taken as the text of a path, such as
    /// `/root/Game:position`.
    ///
    /// # Errors
    ///
    /// Those of [`Builder::string`].
    pub fn node_path<'p>(&mut self, path: impl Into<NodePathRef<'p>>) -> Result {
        let path = path.into();
        self.path(path.is_absolute(), || path.names(), || path.subnames())
    }

    pub(crate) fn path<'p, N: Iterator<Item = &'p str>, M: Iterator<Item = &'p str>>(
        &mut self,
        is_absolute: bool,
        names: impl Fn() -> N,
        subnames: impl Fn() -> M,
    ) -> Result {
        let kind = Kind::NodePath;
        let name_count = self.length(kind, names().count())?;
        let subname_count = self.length(kind, subnames().count())?;
        self.header(kind, 0)?;
        self.word(name_count | TOP_BIT);
        self.word(subname_count);
        self.word(u32::from(is_absolute));
        names().try_for_each(|name| self.text(kind, name))?;
        subnames().try_for_each(|name| self.text(kind, name))
    }

    /// Writes an RID. Most dialects do not write its id, which must then be 0.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::RidId`], or an error of [`Builder::nil`].
    pub fn rid(&mut self, id: u64) -> Result {
        if self.dialect.layout().has_rid_ids() {
            return self.header_and_long(Kind::Rid, 0, id);
        }
        if id != 0 {
            return Err(EncodeProblem::RidId { id, dialect: self.dialect }.into());
        }
        self.header(Kind::Rid, 0)
    }

    /// Writes a callable. Only its type is written.
    ///
    /// # Errors
    ///
    /// Those of [`Builder::nil`].
    pub fn callable(&mut self) -> Result {
        self.header(Kind::Callable, 0)
    }

    /// Writes a signal of the object with this id.
    ///
    /// # Errors
    ///
    /// Those of [`Builder::string`].
    pub fn signal(&mut self, name: &str, object_id: u64) -> Result {
        self.header(Kind::Signal, 0)?;
        self.text(Kind::Signal, name)?;
        self.sink.put(&object_id.to_le_bytes());
        Ok(())
    }

    /// Writes an object as its instance id. For null, use [`Builder::nil`], as an engine does.
    ///
    /// # Errors
    ///
    /// Those of [`Builder::nil`].
    pub fn object_id(&mut self, id: u64) -> Result {
        self.header_and_long(Kind::Object, FLAG_BY_ID, id)
    }

    /// Writes a byte array.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::TooLong`], or an error of [`Builder::nil`]. The same holds for every packed
    /// array.
    pub fn byte_array(&mut self, bytes: &[u8]) -> Result {
        self.cells(Kind::PackedByteArray, Cells::Bytes(bytes))
    }

    /// Writes an array of strings.
    ///
    /// # Errors
    ///
    /// Those of [`Builder::byte_array`] and [`Builder::string`], and [`EncodeProblem::WrongCount`]
    /// if `strings` yields fewer strings than its length. After the latter, drop the builder.
    pub fn string_array<T: AsRef<str>>(
        &mut self,
        strings: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
    ) -> Result {
        let kind = Kind::PackedStringArray;
        let mut strings = strings.into_iter();
        let announced = self.length(kind, strings.len())?;
        self.header(kind, 0)?;
        self.word(announced);
        for missing in (0..announced).rev() {
            let Some(text) = strings.next() else {
                let missing = missing.saturating_add(1);
                let announced = Some(announced);
                return Err(EncodeProblem::WrongCount { kind, announced, missing }.into());
            };
            let text = text.as_ref().as_bytes();
            if let Some(at) = nul_in(text) {
                return Err(EncodeProblem::Nul { kind, at }.into());
            }
            // The length includes the NUL, which is written.
            let length = self.length(kind, text.len().saturating_add(1))?;
            self.word(length);
            self.sink.put(text);
            let padding = padded(text.len().saturating_add(1)).saturating_sub(text.len());
            self.sink.put([0; 4].get(..padding).unwrap_or(&[]));
        }
        Ok(())
    }
}
