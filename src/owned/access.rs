//! Reads and changes the content of owned values: by type, by key or index, and by path.

use super::{Array, Dictionary, NodePath, Object, RealArray, Signal, Variant};
use crate::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use crate::number::Real;
use crate::view::Path;
use alloc::string::String;
use core::ops;

impl Variant {
    /// Whether the value is null, or an object that is null.
    #[must_use]
    pub const fn is_nil(&self) -> bool {
        matches!(self, Variant::Nil | Variant::Object(Object::Null))
    }

    /// Takes the value out and leaves null in its place.
    #[must_use]
    pub fn take(&mut self) -> Variant {
        core::mem::take(self)
    }

    /// The content of a bool.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Variant::Bool(content) => Some(*content),
            _ => None,
        }
    }

    /// The content of an int.
    #[must_use]
    pub const fn as_i64(&self) -> Option<i64> {
        match self {
            Variant::Int(content) => Some(*content),
            _ => None,
        }
    }

    /// The content of a float, or of an int as the nearest float.
    #[must_use]
    pub const fn as_f64(&self) -> Option<f64> {
        match self {
            Variant::Float(content) => Some(*content),
            Variant::Int(content) => Some(*content as f64),
            _ => None,
        }
    }

    /// The content of a string or string name.
    #[must_use]
    pub const fn as_str(&self) -> Option<&str> {
        match self {
            Variant::String(content) | Variant::StringName(content) => Some(content.as_str()),
            _ => None,
        }
    }

    /// The elements of an array, typed or not.
    #[must_use]
    pub const fn as_array(&self) -> Option<&Array> {
        match self {
            Variant::Array(array)
            | Variant::TypedArray(array)
            | Variant::PackedTypedArray(array) => Some(array),
            _ => None,
        }
    }

    /// The entries of a dictionary.
    #[must_use]
    pub const fn as_dictionary(&self) -> Option<&Dictionary> {
        match self {
            Variant::Dictionary(entries) => Some(entries),
            _ => None,
        }
    }

    /// A mutable reference to the elements of an array, typed or not.
    pub const fn as_array_mut(&mut self) -> Option<&mut Array> {
        match self {
            Variant::Array(array)
            | Variant::TypedArray(array)
            | Variant::PackedTypedArray(array) => Some(array),
            _ => None,
        }
    }

    /// A mutable reference to the entries of a dictionary.
    pub const fn as_dictionary_mut(&mut self) -> Option<&mut Dictionary> {
        match self {
            Variant::Dictionary(entries) => Some(entries),
            _ => None,
        }
    }

    /// The element of an array, the value of a text key of a dictionary, or the property of an
    /// object.
    ///
    /// Strings and string names of the same text are the same key, as in Godot 4.
    ///
    /// ```
    /// use gdwire::{Variant, variant};
    ///
    /// let state = variant!({ "at": [1, 2] });
    /// let y = state.get("at").and_then(|at| at.get(1));
    /// assert_eq!(y, Some(&variant!(2)));
    /// ```
    #[must_use]
    pub fn get(&self, index: impl Index) -> Option<&Variant> {
        index.of(self)
    }

    /// A mutable reference to the value that [`Variant::get`] finds.
    pub fn get_mut(&mut self, index: impl Index) -> Option<&mut Variant> {
        index.of_mut(self)
    }

    /// The value at the end of a path of keys, names and indexes, such as `/inventory/3/name`: see
    /// [`VariantRef::at`](crate::VariantRef::at), which reads paths in the same way.
    ///
    /// ```
    /// use gdwire::variant;
    ///
    /// let state = variant!({ "players": { 7: { "tags": ["boss"] } } });
    /// assert_eq!(state.pointer("/players/7/tags/0"), Some(&variant!("boss")));
    /// assert_eq!(state.pointer("/players/8"), None);
    /// ```
    #[must_use]
    pub fn pointer(&self, path: &str) -> Option<&Variant> {
        Path::new(path)?.segments().try_fold(self, |value, segment| match value {
            Variant::Dictionary(entries) => entries.at(entries.place_of_segment(segment)?),
            Variant::Object(Object::Instance(instance)) => {
                instance.properties.get(instance.place(|name| segment.is(name))?).map(|it| &it.1)
            }
            _ => value.get(segment.index()?),
        })
    }

    /// A mutable reference to the value that [`Variant::pointer`] finds.
    ///
    /// ```
    /// use gdwire::variant;
    ///
    /// let mut state = variant!({ "players": [{ "hp": 87 }] });
    /// if let Some(hp) = state.pointer_mut("/players/0/hp") {
    ///     *hp = variant!(100);
    /// }
    /// assert_eq!(state, variant!({ "players": [{ "hp": 100 }] }));
    /// ```
    pub fn pointer_mut(&mut self, path: &str) -> Option<&mut Variant> {
        Path::new(path)?.segments().try_fold(self, |value, segment| match value {
            Variant::Dictionary(entries) => entries.at_mut(entries.place_of_segment(segment)?),
            Variant::Object(Object::Instance(instance)) => {
                let place = instance.place(|name| segment.is(name))?;
                instance.properties.get_mut(place).map(|it| &mut it.1)
            }
            _ => value.get_mut(segment.index()?),
        })
    }
}

macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident $kind:ident => $type:ty;)*) => {
        impl Variant {$(
            $(#[$doc])*
            #[must_use]
            pub fn $name(&self) -> Option<$type> {
                match self {
                    Variant::$kind(content) => Some(content),
                    _ => None,
                }
            }
        )*}
    };
}

accessors! {
    /// A path in the scene tree.
    as_node_path NodePath => &NodePath;
    /// An object.
    as_object Object => &Object;
    /// A signal.
    as_signal Signal => &Signal;
    /// The content of a byte array.
    as_byte_array PackedByteArray => &[u8];
    /// The elements of an array of 32-bit integers.
    as_int32_array PackedInt32Array => &[i32];
    /// The elements of an array of 64-bit integers.
    as_int64_array PackedInt64Array => &[i64];
    /// The elements of an array of single-precision floats.
    as_float32_array PackedFloat32Array => &[f32];
    /// The elements of an array of double-precision floats.
    as_float64_array PackedFloat64Array => &[f64];
    /// The strings of a packed array.
    as_string_array PackedStringArray => &[String];
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_vector2_array PackedVector2Array => &RealArray<Vector2<f32>>;
    /// The elements of a packed array.
    as_vector2i_array PackedVector2iArray => &[Vector2<i32>];
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_vector3_array PackedVector3Array => &RealArray<Vector3<f32>>;
    /// The elements of a packed array.
    as_vector3i_array PackedVector3iArray => &[Vector3<i32>];
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_vector4_array PackedVector4Array => &RealArray<Vector4<f32>>;
    /// The elements of a packed array.
    as_vector4i_array PackedVector4iArray => &[Vector4<i32>];
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_color_array PackedColorArray => &RealArray<Color<f32>>;
}

macro_rules! copied {
    ($($(#[$doc:meta])* $name:ident $kind:ident => $type:ty;)*) => {
        impl Variant {$(
            $(#[$doc])*
            #[must_use]
            pub const fn $name(&self) -> Option<$type> {
                match self {
                    Variant::$kind(content) => Some(*content),
                    _ => None,
                }
            }
        )*}
    };
}

copied! {
    /// The id of a RID.
    as_rid Rid => u64;
    /// The content of a Vector2i.
    as_vector2i Vector2i => Vector2<i32>;
    /// The content of a Rect2i.
    as_rect2i Rect2i => Rect2<i32>;
    /// The content of a Vector3i.
    as_vector3i Vector3i => Vector3<i32>;
    /// The content of a Vector4i.
    as_vector4i Vector4i => Vector4<i32>;
}

macro_rules! real_accessors {
    ($($name:ident $kind:ident;)*) => {
        impl Variant {$(
            #[doc = concat!("The content of a ", stringify!($kind), ", of `f32` (rounded to the nearest) or `f64` (exact).")]
            #[must_use]
            pub fn $name<R: Real>(&self) -> Option<$kind<R>> {
                match self {
                    Variant::$kind(content) => Some(content.to()),
                    _ => None,
                }
            }
        )*}
    };
}

real_accessors! {
    as_vector2 Vector2;
    as_rect2 Rect2;
    as_vector3 Vector3;
    as_transform2d Transform2D;
    as_vector4 Vector4;
    as_plane Plane;
    as_quaternion Quaternion;
    as_aabb Aabb;
    as_basis Basis;
    as_transform3d Transform3D;
    as_projection Projection;
    as_color Color;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for &str {}
    impl Sealed for &alloc::string::String {}
    impl Sealed for usize {}
}

/// The argument of [`Variant::get`]: a text for a dictionary or an object, a number for an array.
pub trait Index: sealed::Sealed + Copy {
    /// The value at this index.
    fn of(self, value: &Variant) -> Option<&Variant>;

    /// A mutable reference to the value at this index.
    fn of_mut(self, value: &mut Variant) -> Option<&mut Variant>;

    /// A mutable reference to the value at this index. If a dictionary lacks it, null is inserted;
    /// null itself first becomes an empty dictionary.
    fn of_or_insert(self, value: &mut Variant) -> Option<&mut Variant>;
}

impl Index for &str {
    fn of(self, value: &Variant) -> Option<&Variant> {
        match value {
            Variant::Dictionary(entries) => entries.get(self),
            Variant::Object(Object::Instance(instance)) => instance.get(self),
            _ => None,
        }
    }

    fn of_mut(self, value: &mut Variant) -> Option<&mut Variant> {
        match value {
            Variant::Dictionary(entries) => entries.get_mut(self),
            Variant::Object(Object::Instance(instance)) => instance.get_mut(self),
            _ => None,
        }
    }

    fn of_or_insert(self, value: &mut Variant) -> Option<&mut Variant> {
        if value.is_nil() {
            *value = Variant::Dictionary(Dictionary::new());
        }
        match value {
            Variant::Dictionary(entries) => Some(entries.entry(self).or_insert(Variant::Nil)),
            other => self.of_mut(other),
        }
    }
}

impl Index for &String {
    fn of(self, value: &Variant) -> Option<&Variant> {
        self.as_str().of(value)
    }

    fn of_mut(self, value: &mut Variant) -> Option<&mut Variant> {
        self.as_str().of_mut(value)
    }

    fn of_or_insert(self, value: &mut Variant) -> Option<&mut Variant> {
        self.as_str().of_or_insert(value)
    }
}

impl Index for usize {
    fn of(self, value: &Variant) -> Option<&Variant> {
        value.as_array()?.get(self)
    }

    fn of_mut(self, value: &mut Variant) -> Option<&mut Variant> {
        value.as_array_mut()?.get_mut(self)
    }

    fn of_or_insert(self, value: &mut Variant) -> Option<&mut Variant> {
        self.of_mut(value)
    }
}

/// The value that [`Variant::get`] finds, or null if there is none.
///
/// ```
/// use gdwire::{Variant, variant};
///
/// let state = variant!({ "inventory": [{ "count": 3 }] });
/// assert_eq!(state["inventory"][0]["count"], variant!(3));
/// assert_eq!(state["inventory"][7]["count"], Variant::Nil);
/// ```
impl<I: Index> ops::Index<I> for Variant {
    type Output = Variant;

    fn index(&self, index: I) -> &Variant {
        static NIL: Variant = Variant::Nil;
        index.of(self).unwrap_or(&NIL)
    }
}

/// The value that [`Variant::get_mut`] finds. If a dictionary lacks the key, null is inserted for
/// it. Null first becomes an empty dictionary.
///
/// ```
/// use gdwire::variant;
///
/// let mut state = variant!({ "list": [1, 2] });
/// state["list"][1] = variant!(3);
/// state["player"]["hp"] = variant!(87);
/// assert_eq!(state, variant!({ "list": [1, 3], "player": { "hp": 87 } }));
/// ```
///
/// # Panics
///
/// If the index is beyond the end of an array, the object has no such property, or the value is
/// of another kind.
impl<I: Index> ops::IndexMut<I> for Variant {
    #[expect(clippy::panic, reason = "as documented, like the index of a slice")]
    fn index_mut(&mut self, index: I) -> &mut Variant {
        let kind = self.kind();
        match index.of_or_insert(self) {
            Some(value) => value,
            None => panic!("the {kind} has nothing at this index"),
        }
    }
}
