//! Conversions into a [`Variant`], from Rust types and from views.

use super::key::Rule;
use super::{
    Array, Dictionary, ElementType, Instance, NodePath, Object, RealArray, RealValue, Signal,
    Variant,
};
use crate::kind::Kind;
use crate::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, RealRef, RealSlice, Rect2, Shape,
    Transform2D, Transform3D, Vector2, Vector3, Vector4, change,
};
use crate::number::{Component, I32Le, Real};
use crate::view::{ObjectRef, VariantRef, View};
use crate::walk::{Container, Event, WalkStack};
use alloc::borrow::Cow;
use alloc::boxed::Box;
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
    Vec<Variant> => Array;
    Array => Array;
    Signal => Signal;
    Vec<u8> => PackedByteArray;
    &[u8] => PackedByteArray;
    Vec<i32> => PackedInt32Array;
    Vec<i64> => PackedInt64Array;
    Vec<f32> => PackedFloat32Array;
    Vec<f64> => PackedFloat64Array;
    Vec<String> => PackedStringArray;
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

/// An array of the values.
impl<T: Into<Variant>, const N: usize> From<[T; N]> for Variant {
    fn from(values: [T; N]) -> Variant {
        values.into_iter().collect()
    }
}

/// An array of the values.
impl<T: Into<Variant>> FromIterator<T> for Variant {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Variant {
        Variant::Array(values.into_iter().collect())
    }
}

macro_rules! from_math {
    ($($type:ident $($array:ident)?;)*) => {$(
        impl<T: Component<Native: Real>> From<$type<T>> for Variant {
            fn from(value: $type<T>) -> Variant {
                Variant::$type(RealValue::from(value).into())
            }
        }

        $(
            impl<T: Component<Native: Real>> From<Vec<$type<T>>> for Variant {
                fn from(values: Vec<$type<T>>) -> Variant {
                    Variant::$array(RealArray::from(values))
                }
            }
        )?
    )*};
}

from_math! {
    Vector2 PackedVector2Array;
    Rect2;
    Vector3 PackedVector3Array;
    Transform2D;
    Vector4 PackedVector4Array;
    Plane;
    Quaternion;
    Aabb;
    Basis;
    Transform3D;
    Projection;
    Color PackedColorArray;
}

macro_rules! from_integers {
    ($($type:ident $variant:ident $($array:ident)?;)*) => {$(
        impl From<$type<i32>> for Variant {
            fn from(value: $type<i32>) -> Variant {
                Variant::$variant(value)
            }
        }

        $(
            impl From<Vec<$type<i32>>> for Variant {
                fn from(values: Vec<$type<i32>>) -> Variant {
                    Variant::$array(values)
                }
            }
        )?
    )*};
}

from_integers! {
    Vector2 Vector2i PackedVector2iArray;
    Rect2 Rect2i;
    Vector3 Vector3i PackedVector3iArray;
    Vector4 Vector4i PackedVector4iArray;
}

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
        // A parsed container really has as many values as its count. Each takes at least four
        // bytes.
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

fn owned_leaf(value: &VariantRef<'_>) -> Variant {
    match value.view() {
        View::Bool(content) => Variant::Bool(content),
        View::Int(content) => Variant::Int(content),
        View::Float(content) => Variant::Float(content),
        View::String(content) => Variant::String(content.to_string()),
        View::Vector2(content) => Variant::Vector2(real(content)),
        View::Vector2i(content) => Variant::Vector2i(content),
        View::Rect2(content) => Variant::Rect2(real(content)),
        View::Rect2i(content) => Variant::Rect2i(content),
        View::Vector3(content) => Variant::Vector3(real(content)),
        View::Vector3i(content) => Variant::Vector3i(content),
        View::Vector4(content) => Variant::Vector4(real(content)),
        View::Vector4i(content) => Variant::Vector4i(content),
        View::Transform2D(content) => Variant::Transform2D(Box::new(real(content))),
        View::Plane(content) => Variant::Plane(real(content)),
        View::Quaternion(content) => Variant::Quaternion(real(content)),
        View::Aabb(content) => Variant::Aabb(Box::new(real(content))),
        View::Basis(content) => Variant::Basis(Box::new(real(content))),
        View::Transform3D(content) => Variant::Transform3D(Box::new(real(content))),
        View::Projection(content) => Variant::Projection(Box::new(real(content))),
        View::Color(content) => Variant::Color(real(content)),
        View::NodePath(content) => Variant::NodePath(Box::new(content.into())),
        View::StringName(content) => Variant::StringName(content.to_string()),
        View::Rid(id) => Variant::Rid(id),
        View::Callable => Variant::Callable,
        View::Signal(signal) => {
            let (name, object_id) = (signal.name().to_string(), signal.object_id());
            Signal { name, object_id }.into()
        }
        View::Object(ObjectRef::Id(id)) => Variant::Object(Object::Id(id)),
        View::Object(_) => Variant::Object(Object::Null),
        View::PackedByteArray(bytes) => Variant::PackedByteArray(bytes.to_vec()),
        View::PackedInt32Array(numbers) => {
            Variant::PackedInt32Array(numbers.iter().map(|number| number.get()).collect())
        }
        View::PackedInt64Array(numbers) => {
            Variant::PackedInt64Array(numbers.iter().map(|number| number.get()).collect())
        }
        View::PackedFloat64Array(numbers) => {
            Variant::PackedFloat64Array(numbers.iter().map(|number| number.get()).collect())
        }
        View::PackedVector2iArray(values) => {
            Variant::PackedVector2iArray(values.iter().map(|value| value.map(I32Le::get)).collect())
        }
        View::PackedVector3iArray(values) => {
            Variant::PackedVector3iArray(values.iter().map(|value| value.map(I32Le::get)).collect())
        }
        View::PackedVector4iArray(values) => {
            Variant::PackedVector4iArray(values.iter().map(|value| value.map(I32Le::get)).collect())
        }
        View::PackedVector4Array(values) => Variant::PackedVector4Array(reals(values)),
        View::PackedFloat32Array(numbers) => {
            Variant::PackedFloat32Array(numbers.iter().map(|number| number.get()).collect())
        }
        View::PackedStringArray(strings) => {
            // `collect` would reserve room for at least four strings.
            let mut owned = Vec::with_capacity(strings.len());
            owned.extend(strings.iter().map(ToString::to_string));
            Variant::PackedStringArray(owned)
        }
        View::PackedVector2Array(values) => Variant::PackedVector2Array(reals(values)),
        View::PackedVector3Array(values) => Variant::PackedVector3Array(reals(values)),
        View::PackedColorArray(values) => Variant::PackedColorArray(reals(values)),
        // A walk enters containers, so they are not leaves.
        View::Nil
        | View::Dictionary(_)
        | View::Array(_)
        | View::TypedArray(_)
        | View::PackedTypedArray(_) => Variant::Nil,
    }
}
