//! Conversions from Rust types and views into a [`Variant`], and back into Rust types.

use super::key::KeyRule;
use super::reals::{RealArray, RealValue};
use super::{Array, Dictionary, ElementType, Instance, NodePath, Object, Signal, Variant};
use crate::value::math::*;
use crate::value::{
    AccessError, Component, Container, Event, FromVariant, I32Le, Kind, ObjectRef, Real,
    VariantRef, View, WalkStack, numeric_kinds,
};
use crate::write::encode::{Elements, Owned, Packed, PackedElement};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::num::TryFromIntError;

macro_rules! from {
    ($($type:ty => $variant:ident;)*) => {$(
        impl From<$type> for Variant {
            fn from(value: $type) -> Variant {
                Variant::$variant(value.into())
            }
        }
    )*};
}

from! {
    bool => Bool;
    i8 => Int;
    u8 => Int;
    i16 => Int;
    u16 => Int;
    i32 => Int;
    u32 => Int;
    i64 => Int;
    f32 => Float;
    f64 => Float;
    &str => String;
    String => String;
    Cow<'_, str> => String;
    NodePath => NodePath;
    Object => Object;
    Instance => Object;
    Dictionary => Dictionary;
    Array => Array;
    Signal => Signal;
}

macro_rules! try_from {
    ($($type:ty)*) => {$(
        /// An int. A number that does not fit in 64 bits with the sign is an error.
        impl TryFrom<$type> for Variant {
            type Error = TryFromIntError;

            fn try_from(value: $type) -> Result<Variant, TryFromIntError> {
                i64::try_from(value).map(Variant::Int)
            }
        }
    )*};
}

try_from! { u64 usize isize }

/// `None` becomes null.
impl<T: Into<Variant>> From<Option<T>> for Variant {
    fn from(value: Option<T>) -> Variant {
        value.map_or(Variant::Nil, Into::into)
    }
}

impl From<()> for Variant {
    fn from((): ()) -> Variant {
        Variant::Nil
    }
}

/// An array of the values, even of bytes. [`Packed`] makes a packed array.
impl<T: Into<Variant>> From<Vec<T>> for Variant {
    fn from(values: Vec<T>) -> Variant {
        values.into_iter().collect()
    }
}

/// An array of the values.
impl<T: Into<Variant>, const N: usize> From<[T; N]> for Variant {
    fn from(values: [T; N]) -> Variant {
        values.into_iter().collect()
    }
}

macro_rules! borrowed {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        /// An array of copies of the values.
        impl<T: Into<Variant> + Clone $($generics)*> From<$type> for Variant {
            fn from(values: $type) -> Variant {
                values.iter().cloned().collect()
            }
        }
    )*};
}

borrowed! {
    [] &[T];
    [, const N: usize] &[T; N];
    [] &Vec<T>;
}

/// An array of the values.
impl<T: Into<Variant>> FromIterator<T> for Variant {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Variant {
        Variant::Array(values.into_iter().collect())
    }
}

macro_rules! tuples {
    ($($($type:ident $field:ident)*;)*) => {$(
        /// An array of the fields.
        impl<$($type: Into<Variant>),*> From<($($type,)*)> for Variant {
            fn from(($($field,)*): ($($type,)*)) -> Variant {
                Variant::Array(Vec::from([$($field.into()),*]).into())
            }
        }
    )*};
}

tuples! {
    A a;
    A a B b;
    A a B b C c;
    A a B b C c D d;
    A a B b C c D d E e;
    A a B b C c D d E e F f;
    A a B b C c D d E e F f G g;
    A a B b C c D d E e F f G g H h;
    A a B b C c D d E e F f G g H h I i;
    A a B b C c D d E e F f G g H h I i J j;
    A a B b C c D d E e F f G g H h I i J j K k;
    A a B b C c D d E e F f G g H h I i J j K k L l;
}

/// A dictionary in the order of the keys.
impl<K: Into<Variant>, V: Into<Variant>> From<BTreeMap<K, V>> for Variant {
    fn from(map: BTreeMap<K, V>) -> Variant {
        Variant::Dictionary(map.into_iter().collect())
    }
}

/// A dictionary in the order of the map, which differs from one run of a program to the next.
#[cfg(feature = "std")]
impl<K: Into<Variant>, V: Into<Variant>, H> From<std::collections::HashMap<K, V, H>> for Variant {
    fn from(map: std::collections::HashMap<K, V, H>) -> Variant {
        Variant::Dictionary(map.into_iter().collect())
    }
}

/// A packed array.
impl<T: Elements> From<Packed<T>> for Variant {
    fn from(packed: Packed<T>) -> Variant {
        PackedElement::own(packed.0.into_vec())
    }
}

macro_rules! from_numbers {
    (
        reals { $($real:ident $one:tt ($($reals:ident $many:ident $as_many:ident)?))* }
        integers { $($integer:ident $type:ident $int:tt
            ($($integers:ident $ints:ident $as_ints:ident)?))* }
        $($arrays:tt)*
    ) => {
        $(
            impl<T: Component<Native: Real>> From<$real<T>> for Variant {
                fn from(value: $real<T>) -> Variant {
                    Variant::$real(RealValue::from(value).into())
                }
            }
        )*

        from! {
            $($type<i32> => $integer;)*
        }

        impl Owned for Variant {
            fn byte_array(bytes: Vec<u8>) -> Variant {
                Variant::PackedByteArray(bytes)
            }

            fn int32_array(numbers: Vec<i32>) -> Variant {
                Variant::PackedInt32Array(numbers)
            }

            fn int64_array(numbers: Vec<i64>) -> Variant {
                Variant::PackedInt64Array(numbers)
            }

            fn float32_array(numbers: Vec<f32>) -> Variant {
                Variant::PackedFloat32Array(numbers)
            }

            fn float64_array(numbers: Vec<f64>) -> Variant {
                Variant::PackedFloat64Array(numbers)
            }

            fn string_array(texts: Vec<String>) -> Variant {
                Variant::PackedStringArray(texts)
            }

            $($(
                fn $many<T: Component<Native: Real>>(values: Vec<$real<T>>) -> Variant {
                    Variant::$reals(RealArray::from(values))
                }
            )?)*

            $($(
                fn $ints(values: Vec<$type<i32>>) -> Variant {
                    Variant::$integers(values)
                }
            )?)*
        }
    };
}

numeric_kinds! { from_numbers }

/// The value with everything in it. Keys that occur twice are merged as in the engines. Reals keep
/// the width that they have on the wire.
impl From<VariantRef<'_>> for Variant {
    fn from(value: VariantRef<'_>) -> Variant {
        let mut stack = WalkStack::new();
        let mut open: Vec<CopiedContainer> = Vec::new();
        let mut whole = Variant::Nil;
        let rule = KeyRule::of(value.layout());
        for event in value.walk(&mut stack) {
            let value = match event {
                Event::Begin(_, container) => {
                    open.push(CopiedContainer::new(container));
                    continue;
                }
                Event::Property(name) => {
                    if let Some(CopiedContainer::Object(_, of_next)) = open.last_mut() {
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
enum CopiedContainer {
    /// An array of this kind.
    Array(Kind, Array),
    /// `key` is the last key, if its value is still missing.
    Dictionary { types: [ElementType; 2], entries: Vec<(Variant, Variant)>, key: Option<Variant> },
    /// The string is the name of the property whose value comes next.
    Object(Instance, String),
}

impl CopiedContainer {
    fn new(container: Container<'_>) -> CopiedContainer {
        // A parsed container has as many items as its count says, and each takes at least four
        // bytes. So this never reserves too much.
        let count = container.len().min(container.bytes_left() / 4);
        let types = container.element_types();
        match container.kind() {
            Kind::Dictionary => CopiedContainer::Dictionary {
                types: types.map(ElementType::from),
                entries: Vec::with_capacity(count),
                key: None,
            },
            Kind::Object => CopiedContainer::Object(
                Instance {
                    class: container.class().to_string(),
                    properties: Vec::with_capacity(count),
                },
                String::new(),
            ),
            kind => {
                let [elements, _] = types;
                let array = Array::from(Vec::with_capacity(count)).typed(elements.into());
                CopiedContainer::Array(kind, array)
            }
        }
    }

    fn add(&mut self, value: Variant) {
        match self {
            CopiedContainer::Array(_, elements) => elements.push(value),
            CopiedContainer::Dictionary { entries, key, .. } => match key.take() {
                Some(key) => entries.push((key, value)),
                None => *key = Some(value),
            },
            CopiedContainer::Object(instance, name) => {
                instance.properties.push((core::mem::take(name), value));
            }
        }
    }

    fn close(self, rule: KeyRule) -> Variant {
        match self {
            CopiedContainer::Array(Kind::TypedArray, array) => Variant::TypedArray(array),
            CopiedContainer::Array(Kind::PackedTypedArray, array) => {
                Variant::PackedTypedArray(array)
            }
            CopiedContainer::Array(_, array) => Variant::Array(array),
            CopiedContainer::Dictionary { types: [keys, values], entries, .. } => {
                Variant::Dictionary(Dictionary::by_rule(entries, rule).typed(keys, values))
            }
            CopiedContainer::Object(instance, _) => instance.into(),
        }
    }
}

/// A math value with the width that it has on the wire.
fn real<S: Shape>(value: RealRef<'_, S>) -> RealValue<S> {
    match value.as_double() {
        Some(double) => RealValue::double(change(double)),
        None => RealValue::single(value.to()),
    }
}

/// A packed array with the width that it has on the wire.
fn reals<S: Shape>(values: RealSlice<'_, S>) -> RealArray<S> {
    match values {
        RealSlice::Single(values) => RealArray::single(values.iter().map(change).collect()),
        RealSlice::Double(values) => RealArray::double(values.iter().map(change).collect()),
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
