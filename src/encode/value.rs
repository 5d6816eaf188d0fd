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
///
/// [`Variant`](crate::Variant), its parts and [`VariantRef`] are, the types of [`crate::math`], and what Rust
/// has for null, bool, int, float, String and Array. For types of your own, serde derives the same
/// with the feature of that name; or by hand:
///
/// ```
/// use gdwire::encode::{Builder, Encode, EncodeError, Sink};
/// use gdwire::{Dialect, encode_to_slice, math::Vector3, parse};
///
/// struct Player {
///     name: &'static str,
///     position: Vector3<f32>,
/// }
///
/// impl Encode for Player {
///     fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
///         builder.begin_dictionary(2)?;
///         builder.string("name")?;
///         builder.string(self.name)?;
///         builder.string("position")?;
///         builder.vector3(self.position)?;
///         builder.end()
///     }
/// }
///
/// let players = [Player { name: "player_one", position: Vector3::new(1.0, 2.0, 3.0) }];
/// let mut packet = [0; 512];
/// let length = encode_to_slice(Dialect::GODOT_4, &players, &mut packet)?;
/// let value = parse(Dialect::GODOT_4, &packet[..length])?;
/// let position = value.get(0).and_then(|player| player.get("position"));
/// assert_eq!(position.and_then(|position| position.as_vector3()), Some(players[0].position));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

/// A slice is an array, one of `u8` too: packed arrays are written by [`Variant`](crate::Variant),
/// the [`Builder`], or serde.
impl<T: Encode> Encode for [T] {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        builder.begin_array(self.len())?;
        self.iter().try_for_each(|element| element.encode(builder))?;
        builder.end()
    }
}

/// As the slice of it: an array.
impl<T: Encode, const N: usize> Encode for [T; N] {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        self.as_slice().encode(builder)
    }
}

/// As the slice of it: an array.
#[cfg(feature = "alloc")]
impl<T: Encode> Encode for alloc::vec::Vec<T> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        self.as_slice().encode(builder)
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
