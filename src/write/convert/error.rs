//! The error of converting a value: what is wrong, and where in the value.

use crate::value::{Dialect, Kind};
use crate::write::encode::{EncodeError, EncodeProblem};
use alloc::string::String;
use core::fmt;

/// A value that the other dialect cannot express, and its path.
///
/// ```
/// use gdwire::convert::{OnLoss, convert};
/// use gdwire::{Dialect, encode, parse, math::Vector2, variant};
///
/// let bytes = encode(Dialect::GODOT_4, &variant!({"cells": [1, (Vector2::new(2, 3))]}))?;
/// let error = convert(parse(Dialect::GODOT_4, &bytes)?, Dialect::GODOT_3, OnLoss::Refuse);
/// assert_eq!(error.unwrap_err().to_string(), "/cells/1: godot3 has no Vector2i");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{}{problem}", At(path))]
#[non_exhaustive]
pub struct Error {
    /// The path from the root to the value, such as `/inventory/3`, in the form that
    /// [`VariantRef::at`](crate::VariantRef::at) accepts. It is empty for the root. A key that a
    /// path cannot express is shown as its literal, or as `<key 2>` if it is a container. A key
    /// longer than 40 characters is cut.
    pub path: String,
    /// The kind of the value.
    pub kind: Kind,
    /// Why the value cannot be expressed.
    pub problem: Problem,
}

/// Why a value cannot be expressed in a dialect.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The dialect lacks a kind, an element type, the id of an RID or reals of eight bytes, or the
    /// value is too long or too deep.
    #[error(transparent)]
    Encode(#[from] EncodeProblem),
    /// Different keys of a dictionary are the same key in the other dialect, so only one of them
    /// would remain.
    #[error("keys that differ are the same in {dialect}")]
    MergedKeys {
        /// The dialect in which they are the same.
        dialect: Dialect,
    },
}

/// Shows the path before the message.
struct At<'p>(&'p str);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "{}: ", self.0) }
    }
}

impl From<EncodeError> for Problem {
    fn from(error: EncodeError) -> Problem {
        error.problem().into()
    }
}
