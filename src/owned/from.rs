//! What a [`Variant`] can be made from.

use super::{Dictionary, NodePath, Object, Variant};
use crate::kind::Kind;
use crate::math::{
    Aabb, Basis, Color, Plane, Quaternion, Rect2, Transform2D, Transform3D, Vector2, Vector3,
};
use crate::number::{Component, Real};
use crate::view::{ObjectRef, VariantRef, View};
use crate::walk::{Event, WalkStack};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

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
    Dictionary => Dictionary;
    Vec<Variant> => Array;
    Vec<u8> => PackedByteArray;
    &[u8] => PackedByteArray;
    Vec<i32> => PackedInt32Array;
    Vec<f32> => PackedFloat32Array;
    Vec<String> => PackedStringArray;
}

/// `None` is null.
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
        Variant::Array(values.into_iter().map(Into::into).collect())
    }
}

macro_rules! from_math {
    ($($type:ident $($array:ident)?;)*) => {$(
        impl<T: Component<Native: Real>> From<$type<T>> for Variant {
            fn from(value: $type<T>) -> Variant {
                Variant::$type(value.to::<f64>().into())
            }
        }

        $(
            impl<T: Component<Native: Real>> From<Vec<$type<T>>> for Variant {
                fn from(values: Vec<$type<T>>) -> Variant {
                    Variant::$array(values.into_iter().map($type::to).collect())
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
    Plane;
    Quaternion;
    Aabb;
    Basis;
    Transform3D;
    Color PackedColorArray;
}

/// The value with everything in it. Keys that come twice are merged as in the engines.
impl From<VariantRef<'_>> for Variant {
    fn from(value: VariantRef<'_>) -> Variant {
        let mut stack = WalkStack::new();
        let mut open: Vec<Open> = Vec::new();
        let mut whole = Variant::Nil;
        for event in value.walk(&mut stack) {
            let value = match event {
                Event::Begin(_, container) => {
                    open.push(Open::new(container.kind(), container.class()));
                    continue;
                }
                Event::Property(name) => {
                    if let Some(Open::Object { name: of_next, .. }) = open.last_mut() {
                        *of_next = name.to_string();
                    }
                    continue;
                }
                Event::Value(_, leaf) => owned_leaf(&leaf),
                Event::End(_) => open.pop().map_or(Variant::Nil, Open::close),
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
    Array(Vec<Variant>),
    /// The key waits for its value.
    Dictionary {
        entries: Vec<(Variant, Variant)>,
        key: Option<Variant>,
    },
    /// The name waits for its value.
    Object {
        class: String,
        properties: Vec<(String, Variant)>,
        name: String,
    },
}

impl Open {
    // Nothing is reserved: the count is the input's word, and may be of more than there is.
    fn new(kind: Kind, class: &str) -> Open {
        match kind {
            Kind::Dictionary => Open::Dictionary { entries: Vec::new(), key: None },
            Kind::Object => Open::Object {
                class: class.to_string(),
                properties: Vec::new(),
                name: String::new(),
            },
            _ => Open::Array(Vec::new()),
        }
    }

    fn add(&mut self, value: Variant) {
        match self {
            Open::Array(elements) => elements.push(value),
            Open::Dictionary { entries, key } => match key.take() {
                Some(key) => entries.push((key, value)),
                None => *key = Some(value),
            },
            Open::Object { properties, name, .. } => {
                properties.push((core::mem::take(name), value));
            }
        }
    }

    fn close(self) -> Variant {
        match self {
            Open::Array(elements) => Variant::Array(elements),
            Open::Dictionary { entries, .. } => Variant::Dictionary(entries.into_iter().collect()),
            Open::Object { class, properties, .. } => {
                Variant::Object(Object::Instance { class, properties })
            }
        }
    }
}

fn owned_leaf(value: &VariantRef<'_>) -> Variant {
    match value.view() {
        View::Bool(content) => Variant::Bool(content),
        View::Int(content) => Variant::Int(content),
        View::Float(content) => Variant::Float(content),
        View::String(content) => Variant::String(content.to_string()),
        View::Vector2(content) => Variant::Vector2(content.to()),
        View::Rect2(content) => Variant::Rect2(content.to()),
        View::Vector3(content) => Variant::Vector3(content.to()),
        View::Transform2D(content) => Variant::Transform2D(Box::new(content.to())),
        View::Plane(content) => Variant::Plane(content.to()),
        View::Quaternion(content) => Variant::Quaternion(content.to()),
        View::Aabb(content) => Variant::Aabb(Box::new(content.to())),
        View::Basis(content) => Variant::Basis(Box::new(content.to())),
        View::Transform3D(content) => Variant::Transform3D(Box::new(content.to())),
        View::Color(content) => Variant::Color(content.to()),
        View::NodePath(content) => Variant::NodePath(content.into()),
        View::Rid => Variant::Rid,
        View::Object(ObjectRef::Id(id)) => Variant::Object(Object::Id(id)),
        View::Object(_) => Variant::Object(Object::Null),
        View::PackedByteArray(bytes) => Variant::PackedByteArray(bytes.to_vec()),
        View::PackedInt32Array(numbers) => {
            Variant::PackedInt32Array(numbers.iter().map(|number| number.get()).collect())
        }
        View::PackedFloat32Array(numbers) => {
            Variant::PackedFloat32Array(numbers.iter().map(|number| number.get()).collect())
        }
        View::PackedStringArray(strings) => {
            Variant::PackedStringArray(strings.iter().map(ToString::to_string).collect())
        }
        View::PackedVector2Array(values) => Variant::PackedVector2Array(values.iter().collect()),
        View::PackedVector3Array(values) => Variant::PackedVector3Array(values.iter().collect()),
        View::PackedColorArray(values) => Variant::PackedColorArray(values.iter().collect()),
        View::Nil | View::Dictionary(_) | View::Array(_) => Variant::Nil,
    }
}
