//! When two keys of a dictionary are the same.
//!
//! Recursion here follows a value in memory, which is nested at most as deep as a dialect allows
//! if it came from the wire.

use super::{Object, Variant};
use core::cmp::Ordering;

/// An order of all values in which those that are the same key are equal.
pub(super) fn compare(one: &Variant, other: &Variant) -> Ordering {
    if let (Some(one_flat), Some(other_flat)) = (one.flat(), other.flat()) {
        return one.kind().cmp(&other.kind()).then_with(|| one_flat.compare(other_flat));
    }
    match (one, other) {
        (Variant::Bool(one), Variant::Bool(other)) => one.cmp(other),
        (Variant::Int(one), Variant::Int(other)) => one.cmp(other),
        (Variant::Float(one), Variant::Float(other)) => compare_floats(*one, *other),
        (Variant::String(one), Variant::String(other)) => one.cmp(other),
        (Variant::NodePath(one), Variant::NodePath(other)) => one.cmp(other),
        (Variant::PackedStringArray(one), Variant::PackedStringArray(other)) => one.cmp(other),
        (Variant::Object(Object::Null), Variant::Object(Object::Null)) => Ordering::Equal,
        (Variant::Object(Object::Null), Variant::Object(_)) => Ordering::Less,
        (Variant::Object(_), Variant::Object(Object::Null)) => Ordering::Greater,
        (Variant::Array(one), Variant::Array(other)) => {
            let different = one.iter().zip(other).map(|(one, other)| compare(one, other));
            let different = different.into_iter().find(|order| order.is_ne());
            different.unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        _ => one.kind().cmp(&other.kind()),
    }
}

/// Equal numbers are equal, and so are all NaNs.
pub(super) fn compare_floats(one: f64, other: f64) -> Ordering {
    one.partial_cmp(&other).unwrap_or_else(|| one.is_nan().cmp(&other.is_nan()))
}

/// Whether the engine takes a key for no other, even if it reads the same again: what it
/// compares by identity, and NaN in a packed array.
pub(super) fn is_never_equal(key: &Variant) -> bool {
    match key {
        Variant::Dictionary(_) => true,
        Variant::Object(object) => *object != Object::Null,
        Variant::Array(elements) => elements.iter().any(is_never_equal),
        Variant::PackedFloat32Array(numbers) => numbers.iter().any(|number| number.is_nan()),
        Variant::PackedVector2Array(_)
        | Variant::PackedVector3Array(_)
        | Variant::PackedColorArray(_) => key.flat().is_some_and(|numbers| numbers.has_nan()),
        _ => false,
    }
}
