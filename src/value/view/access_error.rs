//! The error of looking values up and reading them as Rust types.

use super::at::{PathStop, PathStopped};
use super::path::{PathSegment, PathText};
use crate::value::{Article, Kind, VariantRef};
use core::fmt;

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
    /// A float cannot hold an int exactly.
    Inexact {
        /// The name of the type.
        target: &'static str,
    },
    /// A real would become infinite in the type.
    TooLarge {
        /// The name of the type.
        target: &'static str,
    },
    /// An array has another number of elements.
    WrongLength {
        /// How many elements the type has.
        expected: usize,
        /// How many elements the array has.
        len: usize,
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
    /// For implementations of [`FromVariant`](super::FromVariant).
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
    pub(super) fn nowhere(
        root: VariantRef<'_>,
        stopped: PathStopped<'_>,
        path: &dyn fmt::Display,
    ) -> AccessError {
        let problem = match stopped.stop {
            PathStop::Spelling => AccessProblem::NoPath,
            PathStop::Missing => AccessProblem::Missing,
            PathStop::Leaf => AccessProblem::NoContainer,
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
    /// For implementations of [`FromVariant`](super::FromVariant) that do not use [`VariantRef::at`] or
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
        let segment = PathSegment(self.missing_segment().unwrap_or(""));
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
            AccessProblem::TooLarge { target } => {
                write!(f, "the {found} at byte {offset} is too large for {target}")
            }
            AccessProblem::WrongLength { expected, len } => {
                write!(
                    f,
                    "expected {expected} elements, found {len} in the {found} at byte {offset}"
                )
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
