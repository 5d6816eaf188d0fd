//! Looks values up by paths and reads them as Rust types, with errors that name the place.

use super::follow::{Stop, Stopped};
use super::path::Escaped;
use super::{AccessError, FromVariant, Index, ObjectRef, VariantRef, View};
use core::fmt;

/// A value and the path that led to it: see [`VariantRef::at`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct At<'a, 'p> {
    value: VariantRef<'a>,
    offset: usize,
    path: &'p str,
}

impl<'a, 'p> At<'a, 'p> {
    /// The value that was found.
    #[must_use]
    pub const fn value(self) -> VariantRef<'a> {
        self.value
    }

    /// The offset of the value, in bytes from the start of the value in which the path was looked
    /// up.
    #[must_use]
    pub const fn offset(self) -> usize {
        self.offset
    }

    /// The path that leads to the value.
    #[must_use]
    pub const fn path(self) -> &'p str {
        self.path
    }

    /// Reads the value as a Rust type: see [`VariantRef::to`].
    ///
    /// # Errors
    ///
    /// Those of [`FromVariant::from_variant`], with the path and the offset of this place.
    #[inline]
    pub fn to<T: FromVariant<'a>>(self) -> Result<T, AccessError> {
        T::from_variant(self.value).map_err(|error| error.within(self.offset, self.path))
    }
}

impl<'a> VariantRef<'a> {
    /// Finds a value by a path of keys, names and indexes, such as `/inventory/2/count`.
    ///
    /// A path is a JSON pointer: a slash precedes each segment. Inside a segment, `~1` stands for a
    /// slash and `~0` for a tilde; [`segment`](super::segment) escapes them. The empty path is the
    /// value itself. A segment means:
    ///
    /// - in an array, the element with this index;
    /// - in an object, the property with this name;
    /// - in a dictionary, the value of the String or StringName key with this text. If there is
    ///   none and the segment is a whole number, it means the value of that int key. If a
    ///   dictionary has the keys `"2"` and `2`, `/2` means the text;
    ///   [`DictionaryRef::get(2)`](super::DictionaryRef::get) finds the int.
    ///
    /// ```
    /// # use gdwire::{Dialect, encode, parse, variant};
    /// # let packet = encode(Dialect::GODOT_3, &variant!({ "inventory": [{ "count": "two" }] }))?;
    /// let value = parse(Dialect::GODOT_3, &packet)?; // { "inventory": [{ "count": "two" }] }
    /// let count = value.at("/inventory/0/count")?;
    /// assert_eq!(count.value().as_str(), Some("two"));
    ///
    /// let error = count.to::<i32>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "/inventory/0/count: expected an int, found a String at byte 60"
    /// );
    /// let error = value.at("/inventory/0/name").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "/inventory/0/name: the Dictionary at byte 36 has no key \"name\""
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such value, or `path` is not a valid path.
    pub fn at<'p>(self, path: &'p str) -> Result<At<'a, 'p>, AccessError> {
        match self.follow(path) {
            Ok(value) => Ok(At { value, offset: self.offset_of(value), path }),
            Err(stopped) => Err(AccessError::nowhere(self, stopped, &path)),
        }
    }

    /// Finds a value by a path, as [`VariantRef::at`] does. Returns `None` if there is no such
    /// value.
    ///
    /// ```
    /// # use gdwire::{Dialect, encode, parse, variant};
    /// # let packet = encode(Dialect::GODOT_3, &variant!({ "at": [1, 2] }))?;
    /// let value = parse(Dialect::GODOT_3, &packet)?; // { "at": [1, 2] }
    /// assert_eq!(value.pointer("/at/1").and_then(|y| y.as_i64()), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn pointer(self, path: &str) -> Option<VariantRef<'a>> {
        self.follow(path).ok()
    }

    /// Reads the value as a Rust type. An error names the kind that was found.
    ///
    /// ```
    /// # use gdwire::{Dialect, encode, parse, variant};
    /// # let packet = encode(Dialect::GODOT_3, &variant!([1, 2, 300]))?;
    /// let value = parse(Dialect::GODOT_3, &packet)?; // [1, 2, 300]
    /// assert_eq!(value.to::<Vec<i16>>()?, [1, 2, 300]);
    ///
    /// let error = value.to::<Vec<u8>>().unwrap_err();
    /// assert_eq!(error.to_string(), "/2: the int 300 at byte 24 does not fit in u8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`FromVariant::from_variant`].
    #[inline]
    pub fn to<T: FromVariant<'a>>(self) -> Result<T, AccessError> {
        T::from_variant(self)
    }

    /// Reads a value inside this one as a Rust type: the element of an array, the value of a string
    /// key of a dictionary, or the property of an object. An [`Option`] is `None` if the container
    /// has no such value; if this value is not a container, the result is an error.
    ///
    /// ```
    /// # use gdwire::{Dialect, encode, parse, variant};
    /// # let packet = encode(Dialect::GODOT_3, &variant!({ "hp": 87, "name": "Zoë" }))?;
    /// let value = parse(Dialect::GODOT_3, &packet)?; // { "hp": 87, "name": "Zoë" }
    /// assert_eq!(value.get_as::<i32>("hp")?, 87);
    /// assert_eq!(value.get_as::<&str>("name")?, "Zoë");
    /// assert_eq!(value.get_as::<Option<f64>>("speed")?, None);
    ///
    /// let error = value.get_as::<f64>("speed").unwrap_err();
    /// assert_eq!(error.to_string(), "/speed: the Dictionary at byte 0 has no key \"speed\"");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such value, or [`FromVariant::from_variant`] returns an error.
    pub fn get_as<T: FromVariant<'a>>(self, index: impl Index) -> Result<T, AccessError> {
        if let Some(value) = self.get(index) {
            return T::from_variant(value)
                .map_err(|error| error.within(self.offset_of(value), Beneath(Escaped(index))));
        }
        let stop = if self.is_container() { Stop::Missing } else { Stop::Leaf };
        if let (Stop::Missing, Some(absent)) = (stop, T::absent()) {
            return Ok(absent);
        }
        let stopped = Stopped { stop, reached: self, after: 0 };
        Err(AccessError::nowhere(self, stopped, &Beneath(Escaped(index))))
    }

    /// Whether the value can contain other values.
    fn is_container(self) -> bool {
        matches!(
            self.view(),
            View::Array(_)
                | View::TypedArray(_)
                | View::PackedTypedArray(_)
                | View::Dictionary(_)
                | View::Object(ObjectRef::Instance(_))
        )
    }

    /// The offset of a value that was found in this one.
    pub(super) fn offset_of(self, inner: VariantRef<'_>) -> usize {
        let start = self.as_bytes().as_ptr().addr();
        inner.as_bytes().as_ptr().addr().saturating_sub(start)
    }
}

/// Writes a slash and then the value.
struct Beneath<T>(T);

impl<T: fmt::Display> fmt::Display for Beneath<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}", self.0)
    }
}
