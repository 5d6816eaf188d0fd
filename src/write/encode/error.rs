//! The error of encoding a value: what is wrong, and where in the value.

use crate::value::{Dialect, Kind};
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::fmt;

/// A value could not be encoded. The error gives the reason and its place in the value.
///
/// ```
/// use gdwire::{Dialect, encode, math::Vector2, variant};
///
/// let state = variant!({ "cells": [1, (Vector2::new(2, 3))] });
/// let error = encode(Dialect::GODOT_3, &state).unwrap_err();
/// assert_eq!(error.path(), "/cells/1");
/// assert_eq!(error.to_string(), "/cells/1: godot3 has no Vector2i");
/// ```
#[derive(Clone, PartialEq)]
pub struct EncodeError(
    // As small as a pointer, so that functions return a success in one register.
    #[cfg(feature = "alloc")] Box<EncodeDetail>,
    #[cfg(not(feature = "alloc"))] EncodeDetail,
);

#[derive(Clone, PartialEq)]
struct EncodeDetail {
    problem: EncodeProblem,
    #[cfg(feature = "alloc")]
    path: Box<str>,
}

impl EncodeError {
    /// Why the value cannot be encoded.
    #[must_use]
    pub fn problem(&self) -> EncodeProblem {
        self.0.problem
    }

    /// The path from the root to the value that cannot be encoded, such as `/inventory/3`, in the
    /// form that [`VariantRef::at`](crate::VariantRef::at) accepts. A key that a path cannot
    /// express is shown as its literal, or as `<key 2>` if it is a container. A key longer than 40
    /// characters is cut.
    ///
    /// It is empty for the root, for errors that are not about a single value, for errors that a
    /// [`Builder`](super::Builder) returns itself, and without the feature `alloc`.
    #[must_use]
    pub fn path(&self) -> &str {
        #[cfg(feature = "alloc")]
        return &self.0.path;
        #[cfg(not(feature = "alloc"))]
        ""
    }

    /// The same error with the path to its value.
    #[cfg(feature = "alloc")]
    pub(crate) fn at(mut self, path: &str) -> EncodeError {
        self.0.path = path.into();
        self
    }
}

impl From<EncodeProblem> for EncodeError {
    #[cold]
    #[inline(never)]
    fn from(problem: EncodeProblem) -> EncodeError {
        #[cfg(feature = "alloc")]
        return EncodeError(Box::new(EncodeDetail { problem, path: Box::default() }));
        #[cfg(not(feature = "alloc"))]
        EncodeError(EncodeDetail { problem })
    }
}

impl fmt::Debug for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, problem) = (&self.path(), &self.problem());
        f.debug_struct("EncodeError").field("path", path).field("problem", problem).finish()
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path() {
            "" => self.problem().fmt(f),
            path => write!(f, "{path}: {}", self.problem()),
        }
    }
}

impl core::error::Error for EncodeError {}

/// Why a value cannot be encoded.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeProblem {
    /// The dialect has no such kind.
    #[error("{dialect} has no {kind}")]
    Unsupported {
        /// The kind of the value.
        kind: Kind,
        /// The dialect that lacks it.
        dialect: Dialect,
    },
    /// Containers of this kind cannot have elements of this type in the dialect.
    #[error("{dialect} has no typed {kind}, or none of that type")]
    ElementType {
        /// The kind of the container.
        kind: Kind,
        /// The dialect that lacks it.
        dialect: Dialect,
    },
    /// The dialect does not write the id of an RID.
    #[error("{dialect} does not write the id of an RID, which is {id}")]
    RidId {
        /// The id.
        id: u64,
        /// The dialect that does not write it.
        dialect: Dialect,
    },
    /// A real has eight bytes, and the dialect can only write four, which would change the number.
    ///
    /// A dialect [`with_double_reals`](Dialect::with_double_reals) can write it, unless it is in a
    /// colour of Godot 4, which always has reals of four bytes. To round it, convert the value to
    /// `f32` first, or use [`convert`](mod@crate::convert) with a loss.
    #[error(
        "{} of a {kind} is {value:?}, which {dialect} cannot write with four bytes: \
         round it to f32{}",
        ComponentText(*.kind, *.component),
        if is_wide_as_double(*.kind, *.dialect) { ", or write double reals" } else { "" }
    )]
    Real {
        /// The kind of the math value or packed array.
        kind: Kind,
        /// The dialect whose reals have four bytes.
        dialect: Dialect,
        /// The index of the number in the value, in the order of the wire, from 0.
        component: usize,
        /// The number.
        value: f64,
    },
    /// An integer is greater than the largest int of an engine.
    #[error("the integer {value} is greater than the largest int, {}", i64::MAX)]
    IntTooLarge {
        /// The integer.
        value: u64,
    },
    /// A length or count does not fit in 31 bits.
    #[error("a {kind} of length {len} is too long: an engine reads at most {}", i32::MAX)]
    TooLong {
        /// The kind of the value.
        kind: Kind,
        /// The number of bytes or elements.
        len: usize,
    },
    /// A string contains a NUL. Engines end a string at its first NUL, so they cannot read it.
    #[error("a {kind} has a NUL at byte {at}, where an engine would end it")]
    Nul {
        /// The kind of the value.
        kind: Kind,
        /// The offset in the string.
        at: usize,
    },
    /// The value is nested too deep.
    #[error("more than {limit} nested containers")]
    TooDeep {
        /// The largest number of containers around a value.
        limit: u16,
    },
    /// A container got more or fewer values than were announced when it was opened.
    #[error("{}", CountText { kind: *.kind, announced: *.announced, missing: *.missing })]
    WrongCount {
        /// The kind of the container.
        kind: Kind,
        /// The number of elements, entries or properties that were announced. It is not kept for
        /// containers that are nested deeper than 16.
        announced: Option<u32>,
        /// How many values are missing at its end, including keys and names. It is 0 if there was
        /// one too many.
        missing: u32,
    },
    /// A value follows the whole value that was to be written.
    #[error("a second value follows the first, and only one can be written")]
    SecondValue,
    /// No value was written.
    #[error("no value was written")]
    NoValue,
    /// A container was not closed.
    #[error("{open} {} not closed", if *.open == 1 { "container was" } else { "containers were" })]
    NotClosed {
        /// The number of open containers.
        open: u16,
    },
    /// A container was to be closed, but no container is open.
    #[error("no container is open that could be closed")]
    NothingOpen,
    /// A property's name was written where a value is due, or the other way round.
    #[error("{}", if *.is_due { "a value came where the name of a property is due" } else { "the name of a property came where none is due" })]
    PropertyName {
        /// Whether a name was due.
        is_due: bool,
    },
    /// Bytes of one dialect cannot be copied into a value of another dialect.
    #[error("bytes of {found} cannot be a part of a value of {dialect}")]
    OtherDialect {
        /// The dialect of the bytes.
        found: Dialect,
        /// The dialect that is written.
        dialect: Dialect,
    },
    /// A frame is longer than allowed, or than its length field can express.
    #[error("a frame of {len} bytes is longer than the limit of {limit}")]
    FrameTooLong {
        /// The number of bytes that the value takes.
        len: usize,
        /// The longest frame that is allowed.
        limit: u32,
    },
    /// The slice is too small.
    #[error("the buffer has {available} bytes, but {needed} are needed")]
    BufferTooSmall {
        /// The number of bytes that the value takes.
        needed: usize,
        /// The length of the slice.
        available: usize,
    },
}

/// Whether the dialect would write the numbers of this kind with eight bytes if it had double
/// reals.
fn is_wide_as_double(kind: Kind, dialect: Dialect) -> bool {
    dialect.with_double_reals().layout().writes_wide(kind)
}

/// The name of one number of a math value or packed array: "component y", "number 4".
struct ComponentText(Kind, usize);

impl fmt::Display for ComponentText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = match self.0 {
            Kind::Vector2 | Kind::Vector3 | Kind::Vector4 | Kind::Quaternion => "xyzw",
            Kind::Color => "rgba",
            _ => "",
        };
        match names.chars().nth(self.1) {
            Some(name) => write!(f, "component {name}"),
            None => write!(f, "number {}", self.1),
        }
    }
}

/// "an Array was opened for 3 values, but 1 is missing".
struct CountText {
    kind: Kind,
    announced: Option<u32>,
    missing: u32,
}

impl fmt::Display for CountText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (article, items) = match self.kind {
            Kind::Dictionary => ("a", ["entry", "entries"]),
            Kind::Object => ("an", ["property", "properties"]),
            Kind::Array => ("an", ["value", "values"]),
            _ => ("a", ["value", "values"]),
        };
        let [one, several] = items;
        write!(f, "{article} {} was opened for ", self.kind)?;
        match self.announced {
            Some(1) => write!(f, "1 {one}")?,
            Some(announced) => write!(f, "{announced} {several}")?,
            None => write!(f, "a number of {several}")?,
        }
        match (self.missing, self.kind) {
            (0, _) => f.write_str(", but got more"),
            (1, Kind::Dictionary) => f.write_str(", but 1 key or value is missing"),
            (missing, Kind::Dictionary) => write!(f, ", but {missing} keys and values are missing"),
            (1, Kind::Object) => f.write_str(", but 1 name or value is missing"),
            (missing, Kind::Object) => write!(f, ", but {missing} names and values are missing"),
            (1, _) => f.write_str(", but 1 is missing"),
            (missing, _) => write!(f, ", but {missing} are missing"),
        }
    }
}
