//! What can be encoded.

use super::{Builder, EncodeError, Sink};
use crate::kind::Kind;
use crate::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use crate::number::{Component, Real};
use crate::view::{NodePathRef, ObjectRef, VariantRef, View};
use crate::walk::{Event, WalkStack};

/// A value that can be written as a Variant.
pub trait Encode {
    /// Writes exactly one value.
    ///
    /// # Errors
    ///
    /// Whatever the builder refuses.
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError>;
}

impl<T: Encode + ?Sized> Encode for &T {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        (**self).encode(builder)
    }
}

/// `None` is null.
impl<T: Encode> Encode for Option<T> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        match self {
            Some(value) => value.encode(builder),
            None => builder.nil(),
        }
    }
}

/// A slice is an array.
impl<T: Encode> Encode for [T] {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        builder.begin_array(self.len())?;
        self.iter().try_for_each(|element| element.encode(builder))?;
        builder.end()
    }
}

impl Encode for () {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        builder.nil()
    }
}

macro_rules! encode {
    ($($type:ty => $method:ident;)*) => {$(
        impl Encode for $type {
            #[inline]
            fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
                builder.$method((*self).into())
            }
        }
    )*};
}

encode! {
    bool => bool;
    i8 => int;
    u8 => int;
    i16 => int;
    u16 => int;
    i32 => int;
    u32 => int;
    i64 => int;
    f32 => float;
    f64 => float;
}

impl Encode for NodePathRef<'_> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        builder.node_path(*self)
    }
}

impl Encode for str {
    #[inline]
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        builder.string(self)
    }
}

#[cfg(feature = "alloc")]
impl Encode for alloc::string::String {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        builder.string(self)
    }
}

macro_rules! encode_math {
    ($($type:ident => $method:ident;)*) => {$(
        impl<T: Component<Native: Real>> Encode for $type<T> {
            #[inline]
            fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
                builder.$method(*self)
            }
        }
    )*};
}

encode_math! {
    Vector2 => vector2;
    Rect2 => rect2;
    Vector3 => vector3;
    Transform2D => transform2d;
    Vector4 => vector4;
    Plane => plane;
    Quaternion => quaternion;
    Aabb => aabb;
    Basis => basis;
    Transform3D => transform3d;
    Projection => projection;
    Color => color;
}

/// The same value in the builder's dialect, in canonical bytes: padding is zero, numbers are as
/// short as the engine makes them. Keys that come twice do so again.
impl Encode for VariantRef<'_> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        let mut stack = WalkStack::new();
        for event in self.walk(&mut stack) {
            match event {
                Event::Value(_, value) => leaf(builder, &value)?,
                Event::Property(name) => builder.property(name)?,
                Event::End(_) => builder.end()?,
                Event::Begin(_, container) => match container.kind() {
                    Kind::Dictionary => {
                        let [keys, values] = container.element_types();
                        builder.begin_dictionary_of(keys, values, container.len())?;
                    }
                    Kind::Object => builder.begin_object(container.class(), container.len())?,
                    kind => {
                        let [elements, _] = container.element_types();
                        builder.begin_array_of(kind, elements, container.len())?;
                    }
                },
            }
        }
        Ok(())
    }
}

/// Writes a value without values in it.
fn leaf<S: Sink>(builder: &mut Builder<S>, value: &VariantRef<'_>) -> Result<(), EncodeError> {
    if let Some(cells) = value.cells() {
        return builder.cells(value.kind(), cells);
    }
    match value.view() {
        View::Bool(content) => builder.bool(content),
        View::Int(content) => builder.int(content),
        View::Float(content) => builder.float(content),
        View::String(content) => builder.string(content),
        View::NodePath(content) => builder.node_path(content),
        View::StringName(content) => builder.string_name(content),
        View::Rid(id) => builder.rid(id),
        View::Callable => builder.callable(),
        View::Signal(signal) => builder.signal(signal.name(), signal.object_id()),
        View::Object(ObjectRef::Id(id)) => builder.object_id(id),
        View::PackedStringArray(strings) => builder.string_array(strings),
        // The engines write an object that is none as null.
        _ => builder.nil(),
    }
}
