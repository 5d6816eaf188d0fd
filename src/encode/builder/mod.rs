//! Values written piece by piece, without a tree of them in memory.

mod numbers;
#[cfg(feature = "serde")]
mod open;

#[cfg(feature = "alloc")]
pub(crate) use numbers::{Width, changed_by_rounding};
#[cfg(feature = "serde")]
pub(crate) use open::Open;

use super::{EncodeError, EncodeProblem, Sink};
use crate::dialect::{Dialect, FLAG_64, MAX_DEPTH};
use crate::grammar::content::padded;
use crate::grammar::nesting::{Level, Shape, Stack};
use crate::grammar::step::{ELEMENT_TYPES, FLAG_BY_ID, TOP_BIT};
use crate::kind::{Body, Kind};
use crate::view::{Cells, ElementTypeRef, NodePathRef, VariantRef};
use crate::walk::{Event, WalkStack};
use core::ffi::CStr;

/// Writes one value, and the values in it, in order.
///
/// A container is opened with the number of its values and closed with [`Builder::end`]. It is an
/// error to write more or fewer values than that. The bytes are those that an engine of the
/// dialect writes for the same value: ints and floats take 64 bits only if they need them, and
/// padding is zero.
///
/// An error about the number or the order of values, [`EncodeProblem::WrongCount`],
/// [`EncodeProblem::PropertyName`] or [`EncodeProblem::SecondValue`], changes nothing: the value
/// that was too many is not written, and the builder can go on. After any other error drop the
/// builder and what it wrote. The builder does not remember errors, and so [`Builder::end`] and
/// [`Builder::finish`] may succeed after one.
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
    /// How many containers may be around a value.
    max_depth: u16,
    sink: S,
    level: Level,
    stack: Stack,
    /// For how many elements or entries the open containers were opened.
    announced: [u32; ANNOUNCED],
}

/// How many containers around a value are known by the count that they were opened for.
const ANNOUNCED: usize = 16;

type Result = core::result::Result<(), EncodeError>;

impl<S: Sink> Builder<S> {
    /// Writes one value of `dialect` to `sink`.
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

    /// Writes a value that stands in another one. At most `max_depth` containers may be around
    /// the values in it.
    pub(crate) fn with_depth(dialect: Dialect, sink: S, max_depth: u16) -> Builder<S> {
        Builder { max_depth, ..Builder::new(dialect, sink) }
    }

    /// Returns the sink when the value is whole.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::NoValue`], [`EncodeProblem::NotClosed`] if a container is still open, and
    /// what [`Sink::check`] reports: a [`SliceSink`](super::SliceSink) that is too small.
    pub fn finish(self) -> core::result::Result<S, EncodeError> {
        let sink = self.finish_part()?;
        sink.check()?;
        Ok(sink)
    }

    /// Returns the sink when the value is whole, whether the sink took it or not.
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
        // The stack holds little more than 1024 levels.
        self.stack.depth() as u16
    }

    /// The error for a container that got more or fewer values than it was opened for. `missing` is
    /// 0 if there is one too many.
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
        if self.level.shape() == Shape::Object && self.level.is_at_first() {
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

    /// The error that a value came where the name of a property is due.
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
            _ => Err(EncodeProblem::TooLong { kind, length }.into()),
        }
    }

    /// The bytes of a string or byte array and their padding.
    #[inline]
    fn padded(&mut self, bytes: &[u8]) {
        self.sink.put(bytes);
        let padding = padded(bytes.len()).saturating_sub(bytes.len());
        self.sink.put([0; 4].get(..padding).unwrap_or(&[]));
    }

    /// The length of a text that may be written.
    #[inline]
    fn text_length(&self, kind: Kind, text: &str) -> core::result::Result<u32, EncodeError> {
        if let Some(at) = nul_in(text.as_bytes()) {
            return Err(EncodeProblem::Nul { kind, at }.into());
        }
        self.length(kind, text.len())
    }

    /// A header, a length and a padded string.
    #[inline]
    fn text_value(&mut self, kind: Kind, text: &str) -> Result {
        let header = self.begin_value(kind, 0)?;
        let length = self.text_length(kind, text)?;
        self.sink.put(&(u64::from(header) | u64::from(length) << 32).to_le_bytes());
        self.padded(text.as_bytes());
        Ok(())
    }

    /// A length and a padded string.
    fn text(&mut self, kind: Kind, text: &str) -> Result {
        let length = self.text_length(kind, text)?;
        self.word(length);
        self.padded(text.as_bytes());
        Ok(())
    }

    /// Writes null.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::WrongCount`] if the open container is full. This holds for every value.
    pub fn nil(&mut self) -> Result {
        self.header(Kind::Nil, 0)
    }

    /// Writes a bool.
    ///
    /// # Errors
    ///
    /// As [`Builder::nil`].
    pub fn bool(&mut self, value: bool) -> Result {
        self.header_and(Kind::Bool, 0, u32::from(value))
    }

    /// Writes an int, with 64 bits only if 32 are not enough.
    ///
    /// # Errors
    ///
    /// As [`Builder::nil`].
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
    /// As [`Builder::nil`].
    #[inline]
    pub fn float(&mut self, value: f64) -> Result {
        let narrow = value as f32;
        if f64::from(narrow) == value {
            return self.header_and(Kind::Float, 0, narrow.to_bits());
        }
        self.header_and_long(Kind::Float, FLAG_64, value.to_bits())
    }

    /// Writes a string. A byte order mark at its start is written, as engines do; they drop it
    /// when they read the string.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::Nul`] if it contains a NUL, [`EncodeProblem::TooLong`], or as [`Builder::nil`].
    #[inline]
    pub fn string(&mut self, value: &str) -> Result {
        self.text_value(Kind::String, value)
    }

    /// Writes a string name.
    ///
    /// # Errors
    ///
    /// As [`Builder::string`].
    pub fn string_name(&mut self, value: &str) -> Result {
        self.text_value(Kind::StringName, value)
    }

    /// Writes a path in the scene tree; a string spells one.
    ///
    /// # Errors
    ///
    /// As [`Builder::string`].
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
        let counts = [names().count(), subnames().count()];
        let [name_count, subname_count] = counts;
        // The engines forget of an empty path whether it was absolute.
        let is_absolute = is_absolute && counts != [0, 0];
        let name_count = self.length(kind, name_count)?;
        let subname_count = self.length(kind, subname_count)?;
        self.header(kind, 0)?;
        self.word(name_count | TOP_BIT);
        self.word(subname_count);
        self.word(u32::from(is_absolute));
        names().try_for_each(|name| self.text(kind, name))?;
        subnames().try_for_each(|name| self.text(kind, name))
    }

    /// Writes a RID. Most dialects do not write its id, which must then be 0.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::RidId`], or as [`Builder::nil`].
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
    /// As [`Builder::nil`].
    pub fn callable(&mut self) -> Result {
        self.header(Kind::Callable, 0)
    }

    /// Writes a signal of the object of that id.
    ///
    /// # Errors
    ///
    /// As [`Builder::string`].
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
    /// As [`Builder::nil`].
    pub fn object_id(&mut self, id: u64) -> Result {
        self.header_and_long(Kind::Object, FLAG_BY_ID, id)
    }

    /// Opens an object with this number of properties. Each is a [`Builder::property`] and its
    /// value.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::TooDeep`], or as [`Builder::string`]. An empty class name is null and takes
    /// no properties.
    pub fn begin_object(&mut self, class: &str, properties: usize) -> Result {
        let count = self.length(Kind::Object, properties)?;
        self.header(Kind::Object, 0)?;
        self.text(Kind::Object, class)?;
        if class.is_empty() {
            return self.enter(Level::new(Kind::Object, Shape::Object, 0), 0);
        }
        self.word(count);
        self.enter(Level::pairs(Kind::Object, Shape::Object, count), count)
    }

    /// Names the property whose value comes next.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::WrongCount`] if no name is due, or as [`Builder::string`].
    pub fn property(&mut self, name: &str) -> Result {
        if self.level.shape() != Shape::Object || !self.level.is_at_first() {
            return Err(EncodeProblem::PropertyName { is_due: false }.into());
        }
        self.count()?;
        self.text(Kind::Object, name)
    }

    /// Opens an array with this number of elements.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::TooDeep`], [`EncodeProblem::TooLong`], or as [`Builder::nil`].
    #[inline]
    pub fn begin_array(&mut self, elements: usize) -> Result {
        self.begin_array_of(Kind::Array, ElementTypeRef::Any, elements)
    }

    /// Opens an array of the kind [`Kind::Array`], [`Kind::TypedArray`] or
    /// [`Kind::PackedTypedArray`], with this number of elements of a type.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::ElementType`] if the dialect's arrays cannot be of the type, or as
    /// [`Builder::begin_array`].
    pub fn begin_array_of(
        &mut self,
        kind: Kind,
        elements: ElementTypeRef<'_>,
        count: usize,
    ) -> Result {
        let count = self.length(kind, count)?;
        self.begin_container(kind, &[elements], count)?;
        self.enter(Level::new(kind, Shape::Array, count), count)
    }

    /// Opens a dictionary with this number of entries. Each is a key and its value.
    ///
    /// The entries are written as they come. Where a key comes twice, an engine keeps the place of
    /// the first and the value of the last.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::TooDeep`], [`EncodeProblem::TooLong`], or as [`Builder::nil`].
    #[inline]
    pub fn begin_dictionary(&mut self, entries: usize) -> Result {
        self.begin_dictionary_of(ElementTypeRef::Any, ElementTypeRef::Any, entries)
    }

    /// Opens a dictionary with this number of entries, whose keys and values are of a type.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::ElementType`] if the dialect has no typed dictionaries, or as
    /// [`Builder::begin_dictionary`].
    pub fn begin_dictionary_of(
        &mut self,
        keys: ElementTypeRef<'_>,
        values: ElementTypeRef<'_>,
        entries: usize,
    ) -> Result {
        let count = self.length(Kind::Dictionary, entries)?;
        self.begin_container(Kind::Dictionary, &[keys, values], count)?;
        self.enter(Level::pairs(Kind::Dictionary, Shape::Dictionary, count), count)
    }

    /// Writes the header of a container, the types of what is in it, and its count.
    #[inline]
    fn begin_container(&mut self, kind: Kind, types: &[ElementTypeRef<'_>], count: u32) -> Result {
        let is_untyped = types.iter().all(|element| matches!(element, ElementTypeRef::Any));
        if is_untyped && kind.body() != Body::TypedArray {
            return self.header_and(kind, 0, count);
        }
        self.element_types(kind, types)?;
        self.word(count);
        Ok(())
    }

    /// Writes the header of a container and what may be in it.
    #[inline(never)]
    fn element_types(&mut self, kind: Kind, types: &[ElementTypeRef<'_>]) -> Result {
        if kind.body() == Body::TypedArray {
            return self.type_of_elements(kind, types.first().copied().unwrap_or_default());
        }
        if !self.dialect.layout().has_typed_containers() {
            return Err(EncodeProblem::ElementType { kind, dialect: self.dialect }.into());
        }
        let codes = types.iter().rev().fold(0, |codes, element| codes << 2 | element.code());
        self.header(kind, codes << ELEMENT_TYPES)?;
        for element in types {
            match element {
                ElementTypeRef::Any => {}
                ElementTypeRef::Kind(of) => {
                    let number = self.type_number(*of)?;
                    self.word(number);
                }
                ElementTypeRef::Class(name) | ElementTypeRef::Script(name) => {
                    self.text(kind, name)?
                }
            }
        }
        Ok(())
    }

    /// Writes the header and element type of an array that is typed by its kind.
    fn type_of_elements(&mut self, kind: Kind, element: ElementTypeRef<'_>) -> Result {
        let class = match element {
            ElementTypeRef::Class(name) => Some(name),
            ElementTypeRef::Script(_) => {
                return Err(EncodeProblem::ElementType { kind, dialect: self.dialect }.into());
            }
            _ => None,
        };
        let number = match element {
            ElementTypeRef::Any => 0,
            ElementTypeRef::Kind(of) => self.type_number(of)?,
            _ => self.type_number(Kind::Object)?,
        };
        // Without the flag the name of a class follows the type Object.
        let has_no_class = element == ElementTypeRef::Kind(Kind::Object);
        self.header(kind, if has_no_class { FLAG_BY_ID } else { 0 })?;
        self.word(number);
        if let Some(class) = class {
            let string_name = self.type_number(Kind::StringName)?;
            self.word(string_name);
            self.text(kind, class)?;
        }
        Ok(())
    }

    fn type_number(&self, kind: Kind) -> core::result::Result<u32, EncodeError> {
        let number = self.dialect.type_number(kind);
        number.map(u32::from).ok_or_else(|| unsupported(kind, self.dialect))
    }

    #[inline]
    fn enter(&mut self, inner: Level, announced: u32) -> Result {
        // In an empty container nothing is deeper.
        let limit = if inner.is_empty() { u16::MAX } else { self.max_depth };
        if !self.stack.enter(self.level, inner, limit) {
            return Err(EncodeProblem::TooDeep { limit: MAX_DEPTH }.into());
        }
        let depth = usize::from(self.depth());
        if let Some(place) = self.announced.get_mut(depth.wrapping_sub(1)) {
            *place = announced;
        }
        self.level = inner;
        Ok(())
    }

    /// The error that a container is closed that is not full.
    #[cold]
    fn unended(&self) -> EncodeError {
        if self.stack.is_empty() {
            return EncodeProblem::NothingOpen.into();
        }
        self.wrong_count(self.level.remaining())
    }

    /// Writes the bytes of a value as they are, with everything in it: nothing is decoded.
    ///
    /// What the engines ignore stays as it is: padding, flags, numbers that are longer than
    /// needed. To write a value in canonical bytes, or in another dialect, encode the view.
    ///
    /// ```
    /// use gdwire::{Dialect, encode, encode::Builder, parse, variant};
    ///
    /// let state = encode(Dialect::GODOT_4, &variant!({ "hp": 87 }))?;
    /// let mut builder = Builder::new(Dialect::GODOT_4, Vec::new());
    /// builder.begin_array(2)?;
    /// builder.string("state")?;
    /// builder.verbatim(parse(Dialect::GODOT_4, &state)?)?;
    /// builder.end()?;
    /// assert_eq!(builder.finish()?, encode(Dialect::GODOT_4, &variant!(["state", { "hp": 87 }]))?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::OtherDialect`] if the value was read in another dialect,
    /// [`EncodeProblem::TooDeep`], or as [`Builder::nil`].
    pub fn verbatim(&mut self, value: VariantRef<'_>) -> Result {
        let (found, dialect) = (value.dialect(), self.dialect);
        if found != dialect {
            return Err(EncodeProblem::OtherDialect { found, dialect }.into());
        }
        if self.level.shape() == Shape::Object && self.level.is_at_first() {
            return Err(self.no_name());
        }
        let bytes = value.as_bytes();
        // A container takes eight bytes at least, so that few bytes cannot be nested too deep.
        let left = usize::from(self.max_depth.saturating_sub(self.depth()));
        if bytes.len() / 8 > left && depth_of(value) > left {
            return Err(EncodeProblem::TooDeep { limit: MAX_DEPTH }.into());
        }
        self.count()?;
        // At the end of a packet the padding of a byte array may be missing.
        self.padded(bytes);
        Ok(())
    }

    /// Closes the innermost open container. It must have as many values as it was opened for; a
    /// value that was refused because the container was full does not count.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::WrongCount`] if values are missing in it, or none is open.
    pub fn end(&mut self) -> Result {
        if !self.level.is_empty() {
            return Err(self.unended());
        }
        match self.stack.leave() {
            Some(level) => self.level = level,
            None => return Err(EncodeProblem::NothingOpen.into()),
        }
        Ok(())
    }

    /// Writes a byte array.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::TooLong`], or as [`Builder::nil`]. This holds for every packed array.
    pub fn byte_array(&mut self, bytes: &[u8]) -> Result {
        self.cells(Kind::PackedByteArray, Cells::Bytes(bytes))
    }

    /// Writes an array of strings.
    ///
    /// # Errors
    ///
    /// As [`Builder::byte_array`] and [`Builder::string`].
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
            // The length counts a NUL, which is written.
            let length = self.length(kind, text.len().saturating_add(1))?;
            self.word(length);
            self.sink.put(text);
            let padding = padded(text.len().saturating_add(1)).saturating_sub(text.len());
            self.sink.put([0; 4].get(..padding).unwrap_or(&[]));
        }
        Ok(())
    }
}

/// Where the first NUL is.
#[inline]
fn nul_in(text: &[u8]) -> Option<usize> {
    // The search for the end of a C string looks at words at a time.
    CStr::from_bytes_until_nul(text).ok().map(|text| text.count_bytes())
}

/// How many containers are around the values of a value that are nested deepest.
fn depth_of(value: VariantRef<'_>) -> usize {
    let mut stack = WalkStack::new();
    let (mut depth, mut deepest) = (0_usize, 0);
    for event in value.walk(&mut stack) {
        match event {
            Event::Value(..) => deepest = deepest.max(depth),
            Event::Begin(..) => {
                deepest = deepest.max(depth);
                depth = depth.saturating_add(1);
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Property(_) => {}
        }
    }
    deepest
}

#[cold]
fn unsupported(kind: Kind, dialect: Dialect) -> EncodeError {
    EncodeProblem::Unsupported { kind, dialect }.into()
}

#[cfg(feature = "alloc")]
impl Builder<alloc::vec::Vec<u8>> {
    /// The bytes that were written so far.
    pub(super) fn written_so_far(&self) -> &[u8] {
        &self.sink
    }
}
