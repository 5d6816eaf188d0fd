//! The nearest kind in a dialect for a kind that the dialect lacks.

use crate::value::{Dialect, ElementTypeRef, Kind};
use Fidelity::{Loss, Same};

/// How well one kind replaces another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fidelity {
    /// Nothing is lost.
    Same,
    /// Something is lost.
    Loss,
}

/// For each kind that some dialect lacks, the nearest other kind.
const NEAREST: &[(Kind, Kind, Fidelity)] = &[
    (Kind::StringName, Kind::String, Same),
    (Kind::Vector2i, Kind::Vector2, Loss),
    (Kind::Rect2i, Kind::Rect2, Loss),
    (Kind::Vector3i, Kind::Vector3, Loss),
    (Kind::Vector4, Kind::Quaternion, Loss),
    (Kind::Vector4i, Kind::Vector4, Loss),
    (Kind::Projection, Kind::PackedFloat32Array, Loss),
    (Kind::Callable, Kind::Nil, Loss),
    (Kind::Signal, Kind::Nil, Loss),
    (Kind::PackedTypedArray, Kind::TypedArray, Loss),
    // This is no loss if the other array can have the element type: see `array`.
    (Kind::TypedArray, Kind::Array, Same),
    (Kind::PackedInt64Array, Kind::PackedInt32Array, Loss),
    (Kind::PackedFloat64Array, Kind::PackedFloat32Array, Loss),
    (Kind::PackedVector2iArray, Kind::PackedVector2Array, Loss),
    (Kind::PackedVector3iArray, Kind::PackedVector3Array, Loss),
    (Kind::PackedVector4Array, Kind::PackedColorArray, Loss),
    (Kind::PackedVector4iArray, Kind::PackedVector4Array, Loss),
];

/// The kind itself, or the nearest kind that the dialect has.
pub(super) fn kind(kind: Kind, to: Dialect) -> (Kind, Fidelity) {
    let mut found = (kind, Same);
    // Each step leads to a later row, so there are no more steps than rows.
    for _ in NEAREST {
        if to.type_number(found.0).is_some() {
            break;
        }
        let Some((_, next, fidelity)) = NEAREST.iter().find(|(from, ..)| *from == found.0) else {
            break;
        };
        found = (*next, found.1.max(*fidelity));
    }
    found
}

/// The type itself, or the nearest type that containers of the dialect can have. `has_types` is
/// whether they can have types, and `has_scripts` whether a type can be a script.
fn element_type(
    element: ElementTypeRef<'_>,
    to: Dialect,
    has_types: bool,
    has_scripts: bool,
) -> (ElementTypeRef<'_>, Fidelity) {
    match element {
        ElementTypeRef::Any => (element, Same),
        _ if !has_types => (ElementTypeRef::Any, Loss),
        ElementTypeRef::Kind(of) => match kind(of, to) {
            (Kind::Nil, fidelity) => (ElementTypeRef::Any, fidelity),
            // Two different kinds of arrays become the same kind, so the difference is lost.
            (Kind::Array, _) if of != Kind::Array => (ElementTypeRef::Kind(Kind::Array), Loss),
            (near, fidelity) => (ElementTypeRef::Kind(near), fidelity),
        },
        ElementTypeRef::Script(_) if !has_scripts => (ElementTypeRef::Kind(Kind::Object), Loss),
        ElementTypeRef::Class(_) | ElementTypeRef::Script(_) => (element, Same),
    }
}

/// The kind and element type of an array.
pub(super) fn array(
    of: Kind,
    elements: ElementTypeRef<'_>,
    to: Dialect,
) -> (Kind, ElementTypeRef<'_>, Fidelity) {
    let has_types = to.layout().has_typed_containers();
    let (near, fidelity) = match (of, elements) {
        (Kind::Array, ElementTypeRef::Any) => (Kind::Array, Same),
        // Typed elements need a kind of array that can have a type.
        (Kind::Array, _) if !has_types && to.type_number(Kind::TypedArray).is_some() => {
            (Kind::TypedArray, Same)
        }
        _ => kind(of, to),
    };
    let is_typed_kind = near != Kind::Array;
    let (types, loss) =
        element_type(elements, to, has_types || is_typed_kind, has_types && !is_typed_kind);
    // A typed array whose type allows anything is not the same as an untyped array.
    let is_untyped = of != Kind::Array && !is_typed_kind && types == ElementTypeRef::Any;
    (near, types, fidelity.max(loss).max(if is_untyped { Loss } else { Same }))
}

/// The types of a dictionary's keys and values.
pub(super) fn dictionary(
    types: [ElementTypeRef<'_>; 2],
    to: Dialect,
) -> ([ElementTypeRef<'_>; 2], Fidelity) {
    let has_types = to.layout().has_typed_containers();
    let [(keys, one), (values, other)] =
        types.map(|element| element_type(element, to, has_types, has_types));
    ([keys, values], one.max(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_has_something_near_every_kind() {
        for to in Dialect::ALL {
            for of in Kind::ALL {
                let (near, fidelity) = kind(*of, *to);
                assert!(to.type_number(near).is_some(), "{to}: {of}");
                assert!(
                    near == *of
                        || fidelity == Loss
                        || of.name().contains("String")
                        || *of == Kind::TypedArray,
                    "{to}: {of}"
                );
            }
        }
    }
}
