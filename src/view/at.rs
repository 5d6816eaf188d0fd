//! Looks values up by paths and reads them as Rust types, with errors that name the place.

use super::follow::{Stop, Stopped};
use super::path::{Escaped, Segment};
use super::{FromVariant, Index, ObjectRef, VariantRef, View};
use crate::error::Article;
use crate::kind::Kind;
use core::fmt::{self, Write};

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
    /// key of a dictionary, or the property of an object. An [`Option`] is `None` if there is no
    /// such value.
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

/// A value is missing, or is not of the requested type.
///
/// The error names the place and the kind that was found there. `Display` writes a sentence:
///
/// ```
/// # use gdwire::{Dialect, encode, parse, variant};
/// use gdwire::{Kind, view::AccessProblem};
///
/// # let packet = encode(Dialect::GODOT_3, &variant!({ "hp": "full" }))?;
/// let value = parse(Dialect::GODOT_3, &packet)?; // { "hp": "full" }
/// let error = value.get_as::<i32>("hp").unwrap_err();
/// assert_eq!(error.to_string(), "/hp: expected an int, found a String at byte 20");
/// assert_eq!((error.path(), error.offset, error.found), ("/hp", 20, Kind::String));
/// assert_eq!(error.problem, AccessProblem::WrongKind { expected: Kind::Int });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The error holds the path without allocating. It holds only the end of a path longer than 76
/// bytes, after an `…`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct AccessError {
    path: PathText,
    /// How many segments of the path follow the one that was not found.
    after: u16,
    /// The offset of the last value that the path reached, in bytes from the start of the value in
    /// which the path was looked up.
    pub offset: usize,
    /// The kind of the last value that the path reached.
    pub found: Kind,
    /// The problem with that value.
    pub problem: AccessProblem,
}

/// The problem in an [`AccessError`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum AccessProblem {
    /// The value has another kind.
    WrongKind {
        /// The requested kind.
        expected: Kind,
    },
    /// An int is too small or too large for the type.
    OutOfRange {
        /// The int.
        number: i64,
        /// The name of the type.
        target: &'static str,
    },
    /// The type cannot hold a number, or a component of a math value, exactly.
    Inexact {
        /// The name of the type.
        target: &'static str,
    },
    /// The value's reals do not have the requested width.
    WrongWidth {
        /// How many bytes each real should have.
        expected: u8,
    },
    /// A dictionary has no such key, an object has no such property, or an array has no such
    /// element.
    Missing,
    /// The path leads into a value that is not a container.
    NoContainer,
    /// The path is not valid: it does not start with a slash, or a tilde is not followed by 0 or 1.
    NoPath,
}

impl AccessError {
    /// The error of a value that does not have the requested kind.
    ///
    /// For implementations of [`FromVariant`].
    #[cold]
    #[must_use]
    pub fn wrong_kind(value: VariantRef<'_>, expected: Kind) -> AccessError {
        AccessError::new(value, AccessProblem::WrongKind { expected })
    }

    #[cold]
    pub(super) fn new(value: VariantRef<'_>, problem: AccessProblem) -> AccessError {
        AccessError { path: PathText::EMPTY, after: 0, offset: 0, found: value.kind(), problem }
    }

    /// The error of a path that leads nowhere in `root`.
    #[cold]
    fn nowhere(root: VariantRef<'_>, stopped: Stopped<'_>, path: &dyn fmt::Display) -> AccessError {
        let problem = match stopped.stop {
            Stop::Spelling => AccessProblem::NoPath,
            Stop::Missing => AccessProblem::Missing,
            Stop::Leaf => AccessProblem::NoContainer,
        };
        AccessError {
            path: PathText::of(path),
            after: u16::try_from(stopped.after).unwrap_or(u16::MAX),
            offset: root.offset_of(stopped.reached),
            found: stopped.reached.kind(),
            problem,
        }
    }

    /// The same error for an outer value, which contains the value at `offset` and under `path`.
    ///
    /// For implementations of [`FromVariant`] that do not use [`VariantRef::at`] or
    /// [`VariantRef::get_as`] to read the parts of a value. These two already do this.
    #[cold]
    #[must_use]
    pub fn within(mut self, offset: usize, path: impl fmt::Display) -> AccessError {
        self.offset = self.offset.saturating_add(offset);
        self.path = PathText::of(&format_args!("{path}{}", self.path()));
        self
    }

    /// The path that was looked up.
    #[must_use]
    pub fn path(&self) -> &str {
        self.path.as_str()
    }

    /// The segment of the path that leads nowhere, as the path spells it. `None` if the path is not
    /// the problem.
    #[must_use]
    pub fn missing_segment(&self) -> Option<&str> {
        match self.problem {
            AccessProblem::Missing | AccessProblem::NoContainer => {
                self.path().rsplit('/').nth(self.after.into())
            }
            _ => None,
        }
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AccessError { offset, found, problem, .. } = *self;
        let path = self.path();
        if problem == AccessProblem::NoPath {
            return write!(
                f,
                "{path:?} is not a path: write a slash before each segment, and ~0 for a tilde"
            );
        }
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        let segment = Segment(self.missing_segment().unwrap_or(""));
        match problem {
            AccessProblem::WrongKind { expected } => {
                let (expected, found) = (Article(expected), Article(found));
                write!(f, "expected {expected}, found {found} at byte {offset}")
            }
            AccessProblem::OutOfRange { number, target } => {
                write!(f, "the int {number} at byte {offset} does not fit in {target}")
            }
            AccessProblem::Inexact { target } => {
                write!(f, "{target} cannot hold the {found} at byte {offset} exactly")
            }
            AccessProblem::WrongWidth { expected } => {
                let found = Article(found);
                write!(
                    f,
                    "expected reals of {expected} bytes, found {found} with another width at byte {offset}"
                )
            }
            AccessProblem::Missing => {
                write!(f, "the {found} at byte {offset} has no ")?;
                match found {
                    Kind::Dictionary => write!(f, "key \"{segment}\""),
                    Kind::Object => write!(f, "property \"{segment}\""),
                    _ => write!(f, "element {segment}"),
                }
            }
            AccessProblem::NoContainer => {
                write!(f, "there is no \"{segment}\" in the {found} at byte {offset}")
            }
            AccessProblem::NoPath => Ok(()),
        }
    }
}

impl core::error::Error for AccessError {}

/// The maximum number of bytes of a path that an error holds.
const CAPACITY: usize = 76;

const ELLIPSIS: &str = "…";

/// A short text, or an ellipsis and the end of a longer text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PathText {
    bytes: [u8; CAPACITY],
    len: u8,
}

impl PathText {
    const EMPTY: PathText = PathText { bytes: [0; CAPACITY], len: 0 };

    fn of(text: &dyn fmt::Display) -> PathText {
        let mut length = Length(0);
        // Writing to these two sinks never fails.
        let _ = write!(length, "{text}");
        let mut end = End { text: PathText::EMPTY, skip: 0 };
        if length.0 > CAPACITY {
            end.push(ELLIPSIS);
            end.skip = length.0.saturating_sub(CAPACITY.saturating_sub(ELLIPSIS.len()));
        }
        let _ = write!(end, "{text}");
        end.text
    }

    fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.len.into()).unwrap_or(&[]);
        core::str::from_utf8(bytes).unwrap_or("")
    }
}

impl fmt::Debug for PathText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Counts the bytes of a text.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.saturating_add(text.len());
        Ok(())
    }
}

/// Keeps a text without its first `skip` bytes. If these end inside a character, the rest of that
/// character is skipped, too.
struct End {
    text: PathText,
    skip: usize,
}

impl End {
    fn push(&mut self, text: &str) {
        let start = usize::from(self.text.len);
        let room = self.text.bytes.get_mut(start..).unwrap_or(&mut []);
        if let Some(room) = room.get_mut(..text.len()) {
            room.copy_from_slice(text.as_bytes());
            self.text.len = u8::try_from(start.saturating_add(text.len())).unwrap_or(u8::MAX);
        }
    }
}

impl Write for End {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut skip = self.skip.min(text.len());
        self.skip = self.skip.saturating_sub(skip);
        while !text.is_char_boundary(skip) {
            skip = skip.saturating_add(1);
        }
        self.push(text.get(skip..).unwrap_or(""));
        Ok(())
    }
}
