//! Writes values that contain no other values. Math values and packed arrays of numbers are in
//! `numbers`.

use super::state::{Builder, Result, nul_in};
use crate::value::view::{Cells, NodePathRef};
use crate::value::wire::content::padded;
use crate::value::{FLAG_64, FLAG_BY_ID, Kind, TOP_BIT};
use crate::write::encode::{EncodeProblem, Sink};

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
