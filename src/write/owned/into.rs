//! Conversions from a [`Variant`] into Rust types.

use super::node_path::NodePath;
use super::variant::{Array, Dictionary, Variant};
use crate::value::Kind;
use alloc::string::String;

/// A value has another kind than the one that was requested.
///
/// ```
/// use gdwire::{Kind, owned::WrongKind, variant};
///
/// let hp: i64 = variant!(87).try_into()?;
/// assert_eq!(hp, 87);
/// let error = String::try_from(variant!(87)).unwrap_err();
/// assert_eq!((error.expected, error.found), (Kind::String, Kind::Int));
/// # Ok::<(), WrongKind>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[error("expected {expected}, found {found}")]
#[non_exhaustive]
pub struct WrongKind {
    /// The kind that was requested.
    pub expected: Kind,
    /// The kind of the value.
    pub found: Kind,
}

macro_rules! copied {
    ($($(#[$doc:meta])* $type:ty = $get:ident $kind:ident;)*) => {$(
        $(#[$doc])*
        impl TryFrom<&Variant> for $type {
            type Error = WrongKind;

            fn try_from(value: &Variant) -> Result<$type, WrongKind> {
                let wrong = WrongKind { expected: Kind::$kind, found: value.kind() };
                value.$get().ok_or(wrong)
            }
        }

        $(#[$doc])*
        impl TryFrom<Variant> for $type {
            type Error = WrongKind;

            fn try_from(value: Variant) -> Result<$type, WrongKind> {
                (&value).try_into()
            }
        }
    )*};
}

copied! {
    /// The content of a bool.
    bool = as_bool Bool;
    /// The content of an int.
    i64 = as_i64 Int;
    /// The content of a float, or of an int as the nearest float.
    f64 = as_f64 Float;
}

/// The content of a string or string name.
impl<'a> TryFrom<&'a Variant> for &'a str {
    type Error = WrongKind;

    fn try_from(value: &'a Variant) -> Result<&'a str, WrongKind> {
        let wrong = WrongKind { expected: Kind::String, found: value.kind() };
        value.as_str().ok_or(wrong)
    }
}

macro_rules! moved {
    ($($(#[$doc:meta])* $type:ident = $($variant:ident)|*;)*) => {$(
        $(#[$doc])*
        impl TryFrom<Variant> for $type {
            type Error = WrongKind;

            fn try_from(value: Variant) -> Result<$type, WrongKind> {
                match value {
                    $(Variant::$variant(content))|* => Ok(content),
                    other => Err(WrongKind { expected: Kind::$type, found: other.kind() }),
                }
            }
        }
    )*};
}

moved! {
    /// The content of a string or string name.
    String = String | StringName;
    /// The entries of a dictionary.
    Dictionary = Dictionary;
    /// The elements of an array, typed or not.
    Array = Array | TypedArray | PackedTypedArray;
}

/// The content of a node path.
impl TryFrom<Variant> for NodePath {
    type Error = WrongKind;

    fn try_from(value: Variant) -> Result<NodePath, WrongKind> {
        match value {
            Variant::NodePath(path) => Ok(*path),
            other => Err(WrongKind { expected: Kind::NodePath, found: other.kind() }),
        }
    }
}
