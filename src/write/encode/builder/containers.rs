//! Opens and closes arrays, dictionaries and objects.

use super::{Builder, Result};
use crate::value::wire::nesting::{Level, LevelShape};
use crate::value::{
    ELEMENT_TYPES, ElementTypeRef, Event, FLAG_BY_ID, Kind, MAX_DEPTH, ValueBody, VariantRef,
    WalkStack,
};
use crate::write::encode::{EncodeError, EncodeProblem, Sink};

impl<S: Sink> Builder<S> {
    /// Opens an object with this number of properties. Each is a [`Builder::property`] and its
    /// value. An empty class name writes the object null, which has no properties.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::TooDeep`], or an error of [`Builder::string`].
    pub fn begin_object(&mut self, class: &str, properties: usize) -> Result {
        let count = self.length(Kind::Object, properties)?;
        self.header(Kind::Object, 0)?;
        // Engines drop a byte order mark at the start. If nothing were left, they would read null.
        self.text(Kind::Object, if class == "\u{feff}" { "\u{feff}\u{feff}" } else { class })?;
        if class.is_empty() {
            return self.enter(Level::new(Kind::Object, LevelShape::Object, 0), 0);
        }
        self.word(count);
        self.enter(Level::pairs(Kind::Object, LevelShape::Object, count), count)
    }

    /// Writes the name of the property whose value comes next.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::PropertyName`] if no name is due, or an error of [`Builder::string`].
    pub fn property(&mut self, name: &str) -> Result {
        if self.level.shape() != LevelShape::Object || !self.level.is_at_first() {
            return Err(EncodeProblem::PropertyName { is_due: false }.into());
        }
        self.count()?;
        self.text(Kind::Object, name)
    }

    /// Opens an array with this number of elements.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::TooDeep`], [`EncodeProblem::TooLong`], or an error of [`Builder::nil`].
    #[inline]
    pub fn begin_array(&mut self, elements: usize) -> Result {
        self.begin_array_of(Kind::Array, ElementTypeRef::Any, elements)
    }

    /// Opens an array of the kind [`Kind::Array`], [`Kind::TypedArray`] or
    /// [`Kind::PackedTypedArray`], with `count` elements of the type `elements`.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::ElementType`] if the dialect's arrays cannot have this type, or an error of
    /// [`Builder::begin_array`].
    pub fn begin_array_of(
        &mut self,
        kind: Kind,
        elements: ElementTypeRef<'_>,
        count: usize,
    ) -> Result {
        let count = self.length(kind, count)?;
        self.begin_container(kind, &[elements], count)?;
        self.enter(Level::new(kind, LevelShape::Array, count), count)
    }

    /// Opens a dictionary with this number of entries. Each is a key and its value.
    ///
    /// The entries are written as they come. If a key occurs twice, an engine keeps the place of
    /// the first and the value of the last.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::TooDeep`], [`EncodeProblem::TooLong`], or an error of [`Builder::nil`].
    #[inline]
    pub fn begin_dictionary(&mut self, entries: usize) -> Result {
        self.begin_dictionary_of(ElementTypeRef::Any, ElementTypeRef::Any, entries)
    }

    /// Opens a dictionary with this number of entries, whose keys have the type `keys` and whose
    /// values have the type `values`.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::ElementType`] if the dialect has no typed dictionaries, or an error of
    /// [`Builder::begin_dictionary`].
    pub fn begin_dictionary_of(
        &mut self,
        keys: ElementTypeRef<'_>,
        values: ElementTypeRef<'_>,
        entries: usize,
    ) -> Result {
        let count = self.length(Kind::Dictionary, entries)?;
        self.begin_container(Kind::Dictionary, &[keys, values], count)?;
        self.enter(Level::pairs(Kind::Dictionary, LevelShape::Dictionary, count), count)
    }

    /// Writes the header of a container, the declared types of its items, and its count.
    #[inline]
    fn begin_container(&mut self, kind: Kind, types: &[ElementTypeRef<'_>], count: u32) -> Result {
        let is_untyped = types.iter().all(|element| matches!(element, ElementTypeRef::Any));
        if is_untyped && kind.body() != ValueBody::TypedArray {
            return self.header_and(kind, 0, count);
        }
        self.element_types(kind, types)?;
        self.word(count);
        Ok(())
    }

    /// Writes the header of a container and the declared types of its items.
    #[inline(never)]
    fn element_types(&mut self, kind: Kind, types: &[ElementTypeRef<'_>]) -> Result {
        if kind.body() == ValueBody::TypedArray {
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

    /// Writes the header and element type of an array of the kind `TypedArray` or
    /// `PackedTypedArray`.
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
        // Without the flag, the name of a class follows the type Object.
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

    #[inline]
    fn enter(&mut self, inner: Level, announced: u32) -> Result {
        // Nothing is nested in an empty container.
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

    /// The error for closing a container that is not full.
    #[cold]
    fn unended(&self) -> EncodeError {
        if self.stack.is_empty() {
            return EncodeProblem::NothingOpen.into();
        }
        self.wrong_count(self.level.remaining())
    }

    /// Copies the bytes of a value, with everything in it. Nothing is decoded.
    ///
    /// Details that the engines ignore are kept: padding, flags, and numbers that are longer than
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
    /// [`EncodeProblem::TooDeep`], or an error of [`Builder::nil`].
    pub fn verbatim(&mut self, value: VariantRef<'_>) -> Result {
        let (found, dialect) = (value.dialect(), self.dialect);
        if found != dialect {
            return Err(EncodeProblem::OtherDialect { found, dialect }.into());
        }
        if self.level.shape() == LevelShape::Object && self.level.is_at_first() {
            return Err(self.no_name());
        }
        let bytes = value.as_bytes();
        // A container takes at least eight bytes, so a short value cannot be nested too deep.
        let left = usize::from(self.max_depth.saturating_sub(self.depth()));
        if bytes.len() / 8 > left && depth_of(value) > left {
            return Err(EncodeProblem::TooDeep { limit: MAX_DEPTH }.into());
        }
        self.count()?;
        // The padding of a byte array may be missing at the end of a packet.
        self.padded(bytes);
        Ok(())
    }

    /// Closes the innermost open container. It must have as many values as announced. A value that
    /// was refused because the container was full does not count.
    ///
    /// # Errors
    ///
    /// [`EncodeProblem::WrongCount`] if values are missing in it, or [`EncodeProblem::NothingOpen`]
    /// if no container is open.
    pub fn end(&mut self) -> Result {
        if !self.level.is_empty() {
            return Err(self.unended());
        }
        match self.stack.pop() {
            Some(level) => self.level = level,
            None => return Err(EncodeProblem::NothingOpen.into()),
        }
        Ok(())
    }
}

/// How many containers of a value are around its most deeply nested values.
fn depth_of(value: VariantRef<'_>) -> usize {
    let mut stack = WalkStack::new();
    let (mut depth, mut deepest) = (0_usize, 0);
    for event in value.walk(&mut stack) {
        match event {
            Event::Value(..) => deepest = deepest.max(depth),
            Event::Begin(..) => {
                deepest = deepest.max(depth);
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Property(_) => {}
        }
    }
    deepest
}
