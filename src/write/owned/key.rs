//! Decides when two keys of a dictionary are the same, and hashes values.
//!
//! The functions recurse once for each level of nesting. Values from the wire are nested at most
//! 1024 deep.

use super::reals::{compare_floats, hash_float};
use super::{Array, Dictionary, Object, Variant};
use crate::value::{DialectLayout, Kind, ValueBody};
use core::cmp::Ordering;
use core::hash::{Hash, Hasher};
use core::mem::discriminant;

/// The rule by which an engine compares keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KeyRule {
    /// The rule of Godot 4: dictionaries are compared by their content, and a string equals a
    /// string name with the same text.
    Content,
    /// The rule of Godot 3 and Pandemonium: dictionaries are compared by identity, and NaN in a
    /// packed array is not equal to itself.
    Identity,
}

impl KeyRule {
    pub(crate) fn of(layout: &DialectLayout) -> KeyRule {
        if layout.keys_by_identity() { KeyRule::Identity } else { KeyRule::Content }
    }
}

/// Whether two keys are the same.
pub(super) fn is_same(one: &Variant, other: &Variant, rule: KeyRule) -> bool {
    compare(one, other, rule) == Ordering::Equal && !is_never_equal(one, rule)
}

/// An order of all values. Values that are the same key are equal in it. Equal values are the same
/// key unless [`is_never_equal`] says otherwise.
pub(super) fn compare(one: &Variant, other: &Variant, rule: KeyRule) -> Ordering {
    if rule == KeyRule::Content
        && let (Some(one), Some(other)) = (one.as_str(), other.as_str())
    {
        return one.cmp(other);
    }
    if let (Some(one_cells), Some(other_cells)) = (one.cells(), other.cells()) {
        return one.kind().cmp(&other.kind()).then_with(|| one_cells.compare(other_cells));
    }
    match (one, other) {
        (Variant::Bool(one), Variant::Bool(other)) => one.cmp(other),
        (Variant::Int(one), Variant::Int(other)) => one.cmp(other),
        (Variant::Float(one), Variant::Float(other)) => compare_floats(*one, *other),
        (Variant::String(one), Variant::String(other))
        | (Variant::StringName(one), Variant::StringName(other)) => one.cmp(other),
        (Variant::Rid(one), Variant::Rid(other)) => one.cmp(other),
        (Variant::Signal(one), Variant::Signal(other)) => one.cmp(other),
        (Variant::NodePath(one), Variant::NodePath(other)) => one.cmp(other),
        (Variant::PackedStringArray(one), Variant::PackedStringArray(other)) => one.cmp(other),
        (Variant::Object(Object::Null), Variant::Object(Object::Null)) => Ordering::Equal,
        (Variant::Object(Object::Null), Variant::Object(_)) => Ordering::Less,
        (Variant::Object(_), Variant::Object(Object::Null)) => Ordering::Greater,
        (Variant::Array(one), Variant::Array(other))
        | (Variant::TypedArray(one), Variant::TypedArray(other))
        | (Variant::PackedTypedArray(one), Variant::PackedTypedArray(other)) => {
            let orders = one.iter().zip(other.iter()).map(|(one, other)| compare(one, other, rule));
            first_difference(orders).unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        (Variant::Dictionary(one), Variant::Dictionary(other)) => {
            let orders = one.iter().zip(other).map(|((one_key, one), (other_key, other))| {
                compare(one_key, other_key, rule).then_with(|| compare(one, other, rule))
            });
            first_difference(orders).unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        _ => rank(one, rule).cmp(&rank(other, rule)),
    }
}

/// The kind of the value. Kinds that can be the same key count as one kind.
fn rank(value: &Variant, rule: KeyRule) -> Kind {
    match value.kind() {
        Kind::StringName if rule == KeyRule::Content => Kind::String,
        kind => kind,
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Option<Ordering> {
    orders.find(|order| order.is_ne())
}

/// Whether the engine never finds this key again: it differs even from a key with the same content.
fn is_never_equal(key: &Variant, rule: KeyRule) -> bool {
    match key {
        Variant::Object(object) => *object != Object::Null,
        Variant::Dictionary(entries) => {
            rule == KeyRule::Identity
                || entries
                    .iter()
                    .any(|(key, value)| is_never_equal(key, rule) || is_never_equal(value, rule))
        }
        Variant::Array(array) | Variant::TypedArray(array) | Variant::PackedTypedArray(array) => {
            array.iter().any(|element| is_never_equal(element, rule))
        }
        _ => {
            rule == KeyRule::Identity
                && matches!(key.kind().body(), ValueBody::Packed(..))
                && key.cells().is_some_and(|numbers| numbers.has_nan())
        }
    }
}

/// Equal values have the same hash. So do values that are the same key of a dictionary: a string
/// and a string name with the same text, or two NaNs.
impl Hash for Variant {
    fn hash<H: Hasher>(&self, state: &mut H) {
        rank(self, KeyRule::Content).hash(state);
        if let Some(numbers) = self.cells() {
            return numbers.hash(state);
        }
        match self {
            Variant::Bool(content) => content.hash(state),
            Variant::Int(content) => content.hash(state),
            Variant::Float(content) => hash_float(*content, state),
            Variant::String(content) | Variant::StringName(content) => content.hash(state),
            Variant::Rid(id) => id.hash(state),
            Variant::Signal(signal) => signal.hash(state),
            Variant::NodePath(path) => path.hash(state),
            Variant::PackedStringArray(strings) => strings.hash(state),
            Variant::Object(object) => object.hash(state),
            Variant::Array(array)
            | Variant::TypedArray(array)
            | Variant::PackedTypedArray(array) => array.hash(state),
            Variant::Dictionary(entries) => entries.hash(state),
            _ => {}
        }
    }
}

/// Hashes the elements, but not their declared type.
impl Hash for Array {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

/// Hashes the entries in order, but not their declared types.
impl Hash for Dictionary {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|entry| entry.hash(state));
    }
}

impl Hash for Object {
    fn hash<H: Hasher>(&self, state: &mut H) {
        discriminant(self).hash(state);
        match self {
            Object::Null => {}
            Object::Id(id) => id.hash(state),
            Object::Instance(instance) => instance.hash(state),
        }
    }
}
