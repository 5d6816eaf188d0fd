//! Containers that the reader of literals has not read to the end.

use crate::value::Kind;
use crate::write::owned::{Array, Dictionary, ElementType, Instance, Variant};
use alloc::string::String;
use alloc::vec::Vec;

/// A container that has not been read to the end.
pub(super) enum Open {
    Array {
        kind: Kind,
        elements: Vec<Variant>,
        element_type: ElementType,
        /// Whether it is inside a typed constructor, `Array[int](…)`.
        is_wrapped: bool,
    },
    Dictionary {
        entries: Vec<(Variant, Variant)>,
        key: Option<Variant>,
        /// The types of keys and values, if it is inside a typed constructor.
        types: Option<[ElementType; 2]>,
    },
    Object {
        class: String,
        properties: Vec<(String, Variant)>,
        name: String,
    },
}

/// A whole value, or a container that has begun.
pub(super) enum Begun {
    Whole(Variant),
    Open(Open),
}

/// What follows in a container.
pub(super) enum Next {
    Value,
    End,
}

impl Open {
    pub(super) const fn array(kind: Kind, element_type: ElementType, is_wrapped: bool) -> Open {
        Open::Array { kind, elements: Vec::new(), element_type, is_wrapped }
    }

    pub(super) const fn dictionary(types: Option<[ElementType; 2]>) -> Open {
        Open::Dictionary { entries: Vec::new(), key: None, types }
    }

    /// The byte that ends the container, and what may follow a value in it, for an error.
    pub(super) const fn end(&self) -> (u8, &'static str) {
        match self {
            Open::Array { kind: Kind::Array, .. } => (b']', "`,` or `]`"),
            Open::Dictionary { .. } => (b'}', "`,` or `}`"),
            Open::Array { .. } | Open::Object { .. } => (b')', "`,` or `)`"),
        }
    }

    /// Whether the closing parenthesis of a typed constructor follows its end.
    pub(super) const fn is_wrapped(&self) -> bool {
        match self {
            Open::Array { is_wrapped, .. } => *is_wrapped,
            Open::Dictionary { types, .. } => types.is_some(),
            Open::Object { .. } => false,
        }
    }

    pub(super) fn finish(self) -> Variant {
        match self {
            Open::Array { kind, mut elements, element_type, .. } => {
                // Most arrays are short, but a vector reserves room for four elements at once.
                elements.shrink_to_fit();
                let array = Array::from(elements).typed(element_type);
                match kind {
                    Kind::TypedArray => Variant::TypedArray(array),
                    Kind::PackedTypedArray => Variant::PackedTypedArray(array),
                    _ => Variant::Array(array),
                }
            }
            Open::Dictionary { mut entries, types, .. } => {
                entries.shrink_to_fit();
                let entries: Dictionary = entries.into_iter().collect();
                let [keys, values] = types.unwrap_or_default();
                Variant::Dictionary(entries.typed(keys, values))
            }
            Open::Object { class, mut properties, .. } => {
                properties.shrink_to_fit();
                Instance { class, properties }.into()
            }
        }
    }
}
