//! The trait of values that can be encoded, and the types that implement it.

use super::{Builder, EncodeError, EncodeProblem, Sink};
use crate::value::math::*;
use crate::value::{
    Component, Event, Kind, NodePathRef, ObjectRef, Real, VariantRef, View, WalkStack,
    numeric_kinds,
};
#[cfg(feature = "alloc")]
use alloc::{
    borrow::{Cow, ToOwned},
    boxed::Box,
    collections::BTreeMap,
    rc::Rc,
    string::String,
    vec::Vec,
};

/// A value that can be written as a Variant.
///
/// | Rust | value |
/// |---|---|
/// | [`Variant`](crate::Variant) and its parts, [`VariantRef`], [`NodePathRef`] | the value |
/// | `bool`, integers, `f32`, `f64` | bool, int, float |
/// | `str`, `String` | String |
/// | the types of [`crate::math`] | the math value |
/// | `()`, `Option` | null, or the value |
/// | slices, arrays, `Vec`, tuples | Array |
/// | [`Packed`](super::Packed) | packed arrays |
/// | `BTreeMap`, `HashMap` | Dictionary |
///
/// For your own types, serde can do the same, with the feature `serde`. Or you implement the trait:
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
    /// Those of the builder's methods.
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError>;
}

/// Writes what the type dereferences to.
macro_rules! dereferenced {
    ($($(#[$attribute:meta])* [$($generics:tt)*] $type:ty;)*) => {$(
        $(#[$attribute])*
        impl<$($generics)*> Encode for $type {
            #[inline]
            fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
                (**self).encode(builder)
            }
        }
    )*};
}

dereferenced! {
    [T: Encode + ?Sized] &T;
    [T: Encode + ?Sized] &mut T;
}

/// `None` becomes null.
impl<T: Encode> Encode for Option<T> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        match self {
            Some(value) => value.encode(builder),
            None => builder.nil(),
        }
    }
}

/// A slice becomes an array, even a slice of `u8`. In [`Packed`](super::Packed), it becomes a packed
/// array.
impl<T: Encode> Encode for [T] {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        builder.begin_array(self.len())?;
        self.iter().try_for_each(|element| element.encode(builder))?;
        builder.end()
    }
}

/// Becomes an array, like a slice.
impl<T: Encode, const N: usize> Encode for [T; N] {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        self.as_slice().encode(builder)
    }
}

macro_rules! tuples {
    ($($count:literal $($type:ident $place:tt)*;)*) => {$(
        /// Becomes an array of its fields.
        impl<$($type: Encode),*> Encode for ($($type,)*) {
            fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
                builder.begin_array($count)?;
                $(self.$place.encode(builder)?;)*
                builder.end()
            }
        }
    )*};
}

tuples! {
    1 A 0;
    2 A 0 B 1;
    3 A 0 B 1 C 2;
    4 A 0 B 1 C 2 D 3;
    5 A 0 B 1 C 2 D 3 E 4;
    6 A 0 B 1 C 2 D 3 E 4 F 5;
    7 A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    8 A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    9 A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    10 A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    11 A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    12 A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
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

macro_rules! encode_large {
    ($($type:ty)*) => {$(
        /// Becomes an int. A number above the largest int is an error.
        impl Encode for $type {
            #[inline]
            fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
                match i64::try_from(*self) {
                    Ok(value) => builder.int(value),
                    Err(_) => Err(EncodeProblem::IntTooLarge { value: *self as u64 }.into()),
                }
            }
        }
    )*};
}

encode_large! { u64 usize isize }

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

macro_rules! encode_numbers {
    (
        reals { $($real:ident ($real_method:ident $as_real:ident) $reals:tt)* }
        integers { $($kind:ident $integer:ident ($method:ident $as_integer:ident) $integers:tt)* }
        $($arrays:tt)*
    ) => {
        $(
            impl<T: Component<Native: Real>> Encode for $real<T> {
                #[inline]
                fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
                    builder.$real_method(*self)
                }
            }
        )*

        encode! { $($integer<i32> => $method;)* }
    };
}

numeric_kinds! { encode_numbers }

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

/// Writes a value that contains no other values. Through a `Leaf`, a tenth more instructions would
/// be needed.
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
        // The engines write an object that is null as null.
        _ => builder.nil(),
    }
}

#[cfg(feature = "alloc")]
dereferenced! {
    [] String;
    /// Becomes an array, like a slice.
    [T: Encode] Vec<T>;
    [T: Encode + ?Sized] Box<T>;
    [T: Encode + ?Sized] Rc<T>;
    #[cfg(target_has_atomic = "ptr")]
    [T: Encode + ?Sized] alloc::sync::Arc<T>;
    [T: Encode + ToOwned + ?Sized] Cow<'_, T>;
}

/// Writes the entries of a map.
#[cfg(feature = "alloc")]
fn map<K: Encode, V: Encode, S: Sink>(
    entries: impl ExactSizeIterator<Item = (K, V)>,
    builder: &mut Builder<S>,
) -> Result<(), EncodeError> {
    builder.begin_dictionary(entries.len())?;
    for (key, value) in entries {
        key.encode(builder)?;
        value.encode(builder)?;
    }
    builder.end()
}

/// Becomes a dictionary in the order of the keys.
#[cfg(feature = "alloc")]
impl<K: Encode, V: Encode> Encode for BTreeMap<K, V> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        map(self.iter(), builder)
    }
}

/// Becomes a dictionary in the order of the map, which differs from one run of a program to the
/// next.
#[cfg(feature = "std")]
impl<K: Encode, V: Encode, H> Encode for std::collections::HashMap<K, V, H> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        map(self.iter(), builder)
    }
}
