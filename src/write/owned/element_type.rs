//! The declared types of elements, keys and values.

use crate::value::Kind;
use crate::value::view::ElementTypeRef;
use alloc::string::{String, ToString};

/// The declared type of an array's elements, or of a dictionary's keys or values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ElementType {
    /// Values of any type.
    #[default]
    Any,
    /// Values of this kind.
    Kind(Kind),
    /// Objects of this class.
    Class(String),
    /// Objects with the script at this path.
    Script(String),
}

impl ElementType {
    /// The same type, borrowed.
    #[must_use]
    pub const fn as_ref(&self) -> ElementTypeRef<'_> {
        match self {
            ElementType::Any => ElementTypeRef::Any,
            ElementType::Kind(kind) => ElementTypeRef::Kind(*kind),
            ElementType::Class(name) => ElementTypeRef::Class(name.as_str()),
            ElementType::Script(path) => ElementTypeRef::Script(path.as_str()),
        }
    }
}

impl From<ElementTypeRef<'_>> for ElementType {
    fn from(element: ElementTypeRef<'_>) -> ElementType {
        match element {
            ElementTypeRef::Any => ElementType::Any,
            ElementTypeRef::Kind(kind) => ElementType::Kind(kind),
            ElementTypeRef::Class(name) => ElementType::Class(name.to_string()),
            ElementTypeRef::Script(path) => ElementType::Script(path.to_string()),
        }
    }
}
