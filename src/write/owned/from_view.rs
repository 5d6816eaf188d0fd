//! Copies a view into a [`Variant`].

use super::element_type::ElementType;
use super::key::Rule;
use super::reals::{RealArray, RealValue};
use super::signal::Signal;
use super::variant::{Array, Dictionary, Instance, Object, Variant};
use crate::value::math::{RealRef, RealSlice, Shape, change};
use crate::value::view::{AccessError, FromVariant, ObjectRef};
use crate::value::walk::{Container, Event, WalkStack};
use crate::value::{I32Le, Kind, VariantRef, View, numeric_kinds};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The value with everything in it. Keys that occur twice are merged as in the engines. Reals keep
/// the width that they have on the wire.
impl From<VariantRef<'_>> for Variant {
    fn from(value: VariantRef<'_>) -> Variant {
        let mut stack = WalkStack::new();
        let mut open: Vec<Open> = Vec::new();
        let mut whole = Variant::Nil;
        let by_identity = value.layout().keys_by_identity();
        let rule = if by_identity { Rule::Identity } else { Rule::Content };
        for event in value.walk(&mut stack) {
            let value = match event {
                Event::Begin(_, container) => {
                    open.push(Open::new(container));
                    continue;
                }
                Event::Property(name) => {
                    if let Some(Open::Object(_, of_next)) = open.last_mut() {
                        *of_next = name.to_string();
                    }
                    continue;
                }
                Event::Value(_, leaf) => owned_leaf(&leaf),
                Event::End(_) => open.pop().map_or(Variant::Nil, |open| open.close(rule)),
            };
            match open.last_mut() {
                Some(container) => container.add(value),
                None => whole = value,
            }
        }
        whole
    }
}

/// A container that is being filled.
enum Open {
    /// An array of this kind.
    Array(Kind, Array),
    /// `key` is the last key, if its value is still missing.
    Dictionary { types: [ElementType; 2], entries: Vec<(Variant, Variant)>, key: Option<Variant> },
    /// The string is the name of the property whose value comes next.
    Object(Instance, String),
}

impl Open {
    fn new(container: Container<'_>) -> Open {
        // A parsed container has as many items as its count says, and each takes at least four
        // bytes. So this never reserves too much.
        let count = container.len().min(container.bytes_left() / 4);
        let types = container.element_types();
        match container.kind() {
            Kind::Dictionary => Open::Dictionary {
                types: types.map(ElementType::from),
                entries: Vec::with_capacity(count),
                key: None,
            },
            Kind::Object => Open::Object(
                Instance {
                    class: container.class().to_string(),
                    properties: Vec::with_capacity(count),
                },
                String::new(),
            ),
            kind => {
                let [elements, _] = types;
                let array = Array::from(Vec::with_capacity(count)).typed(elements.into());
                Open::Array(kind, array)
            }
        }
    }

    fn add(&mut self, value: Variant) {
        match self {
            Open::Array(_, elements) => elements.push(value),
            Open::Dictionary { entries, key, .. } => match key.take() {
                Some(key) => entries.push((key, value)),
                None => *key = Some(value),
            },
            Open::Object(instance, name) => {
                instance.properties.push((core::mem::take(name), value));
            }
        }
    }

    fn close(self, rule: Rule) -> Variant {
        match self {
            Open::Array(Kind::TypedArray, array) => Variant::TypedArray(array),
            Open::Array(Kind::PackedTypedArray, array) => Variant::PackedTypedArray(array),
            Open::Array(_, array) => Variant::Array(array),
            Open::Dictionary { types: [keys, values], entries, .. } => {
                Variant::Dictionary(Dictionary::by_rule(entries, rule).typed(keys, values))
            }
            Open::Object(instance, _) => instance.into(),
        }
    }
}

/// A math value with the width that it has on the wire.
fn real<S: Shape>(value: RealRef<'_, S>) -> RealValue<S> {
    match value.as_double() {
        Some(double) => RealValue::wide(change(double)),
        None => RealValue::single(value.to()),
    }
}

/// A packed array with the width that it has on the wire.
fn reals<S: Shape>(values: RealSlice<'_, S>) -> RealArray<S> {
    match values {
        RealSlice::Single(values) => RealArray::single(values.iter().map(change).collect()),
        RealSlice::Double(values) => RealArray::wide(values.iter().map(change).collect()),
    }
}

macro_rules! owned_leaf {
    (
        reals { $($real:ident $one:tt ($($reals:ident $many:ident $as_many:ident)?))* }
        integers { $($integer:ident $type:ident $int:tt
            ($($integers:ident $ints:ident $as_ints:ident)?))* }
        arrays { $($array:ident $native:ident $wire:ident $as_array:ident)* }
    ) => {
        fn owned_leaf(value: &VariantRef<'_>) -> Variant {
            match value.view() {
                View::Bool(content) => Variant::Bool(content),
                View::Int(number) => Variant::Int(number),
                View::Float(number) => Variant::Float(number),
                View::Rid(id) => Variant::Rid(id),
                View::String(text) => Variant::String(text.to_string()),
                View::StringName(text) => Variant::StringName(text.to_string()),
                View::NodePath(path) => Variant::NodePath(Box::new(path.into())),
                View::Object(ObjectRef::Id(id)) => Variant::Object(Object::Id(id)),
                View::Object(_) => Variant::Object(Object::Null),
                View::Callable => Variant::Callable,
                View::Signal(signal) => {
                    let (name, object_id) = (signal.name().to_string(), signal.object_id());
                    Variant::Signal(Box::new(Signal { name, object_id }))
                }
                $(View::$real(content) => Variant::$real(real(content).into()),)*
                $($(View::$reals(values) => Variant::$reals(reals(values)),)?)*
                $(View::$integer(content) => Variant::$integer(content),)*
                $($(View::$integers(values) => {
                    Variant::$integers(values.iter().map(|value| value.map(I32Le::get)).collect())
                })?)*
                $(View::$array(numbers) => {
                    Variant::$array(numbers.iter().map(|number| number.get()).collect())
                })*
                View::PackedByteArray(bytes) => Variant::PackedByteArray(bytes.to_vec()),
                View::PackedStringArray(strings) => {
                    // `collect` would reserve room for at least four strings.
                    let mut owned = Vec::with_capacity(strings.len());
                    owned.extend(strings.iter().map(ToString::to_string));
                    Variant::PackedStringArray(owned)
                }
                // A walk enters containers, so they are not leaves.
                View::Nil
                | View::Dictionary(_)
                | View::Array(_)
                | View::TypedArray(_)
                | View::PackedTypedArray(_) => Variant::Nil,
            }
        }
    };
}

numeric_kinds! { owned_leaf }

impl<'a> FromVariant<'a> for Variant {
    fn from_variant(value: VariantRef<'a>) -> Result<Variant, AccessError> {
        Ok(value.into())
    }
}
