//! The content of a value, to match on.

#![expect(unsafe_code, reason = "it reads text of checked bytes, which is not checked again")]

use super::container::{ArrayRef, DictionaryRef, ObjectRef};
use super::node_path::NodePathRef;
use super::signal::SignalRef;
use super::strings::{StringsRef, str_at};
use super::variant::VariantRef;
use crate::value::dialect::FLAG_64;
use crate::value::kind::Kind;
use crate::value::math::{
    Aabb, Basis, Color, Math, Plane, Projection, Quaternion, RealRef, RealSlice, Rect2, Shape,
    Transform2D, Transform3D, Vector2, Vector3, Vector4, from_components,
};
use crate::value::number::{F32Le, F64Le, I32Le, I64Le, cast, widened};

/// The content of a value, to match on.
///
/// ```
/// use gdwire::{VariantRef, View};
///
/// fn describe(value: VariantRef<'_>) -> String {
///     match value.view() {
///         View::String(text) | View::StringName(text) => text.to_owned(),
///         View::Vector2(vector) => format!("{:?}", vector.to::<f32>()),
///         View::PackedByteArray(bytes) => format!("{} bytes", bytes.len()),
///         View::Array(array) => array.iter().map(describe).collect::<Vec<_>>().join(", "),
///         _ => value.kind().to_string(),
///     }
/// }
/// # let packet = gdwire::encode(gdwire::Dialect::GODOT_3, &gdwire::variant!(["hi", null]))?;
/// # assert_eq!(describe(gdwire::parse(gdwire::Dialect::GODOT_3, &packet)?), "hi, Nil");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// For a single kind, use a method of [`VariantRef`], such as [`as_str`](VariantRef::as_str).
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
// This layout stores the tag before the content of every variant. So the compiler can keep an int
// or a slice in registers, and a walk takes an eighth less time.
#[repr(u8)]
pub enum View<'a> {
    /// `null`.
    Nil,
    /// A boolean.
    Bool(bool),
    /// A 64-bit signed integer.
    Int(i64),
    /// A double-precision float; `real` in Godot 3.
    Float(f64),
    /// A string.
    String(&'a str),
    /// Two reals.
    Vector2(RealRef<'a, Vector2<f32>>),
    /// Two integers.
    Vector2i(Vector2<i32>),
    /// A rectangle: position and size.
    Rect2(RealRef<'a, Rect2<f32>>),
    /// A rectangle of integers: position and size.
    Rect2i(Rect2<i32>),
    /// Three reals.
    Vector3(RealRef<'a, Vector3<f32>>),
    /// Three integers.
    Vector3i(Vector3<i32>),
    /// A 2D transform: x axis, y axis, origin.
    Transform2D(RealRef<'a, Transform2D<f32>>),
    /// Four reals.
    Vector4(RealRef<'a, Vector4<f32>>),
    /// Four integers.
    Vector4i(Vector4<i32>),
    /// A plane: normal and distance.
    Plane(RealRef<'a, Plane<f32>>),
    /// A quaternion; `Quat` in Godot 3.
    Quaternion(RealRef<'a, Quaternion<f32>>),
    /// An axis-aligned box: position and size.
    Aabb(RealRef<'a, Aabb<f32>>),
    /// A 3 × 3 matrix, written row by row.
    Basis(RealRef<'a, Basis<f32>>),
    /// A 3D transform: basis and origin; `Transform` in Godot 3.
    Transform3D(RealRef<'a, Transform3D<f32>>),
    /// A 4 × 4 matrix: four columns.
    Projection(RealRef<'a, Projection<f32>>),
    /// A colour: red, green, blue, alpha.
    Color(RealRef<'a, Color<f32>>),
    /// A string that the engine keeps in memory only once.
    StringName(&'a str),
    /// A path in the scene tree.
    NodePath(NodePathRef<'a>),
    /// The id of an RID. It is 0 in dialects that do not write it.
    Rid(u64),
    /// An object: null, its instance id, or its class and properties.
    Object(ObjectRef<'a>),
    /// A function to call. The engines write only its type.
    Callable,
    /// A signal of an object: its name and the object's id.
    Signal(SignalRef<'a>),
    /// Keys and values.
    Dictionary(DictionaryRef<'a>),
    /// Values.
    Array(ArrayRef<'a>),
    /// Values of one type, in Pandemonium 5.
    TypedArray(ArrayRef<'a>),
    /// Values of one type, in Pandemonium 5, which keeps them packed in memory.
    PackedTypedArray(ArrayRef<'a>),
    /// Bytes; `PoolByteArray` in Godot 3.
    PackedByteArray(&'a [u8]),
    /// 32-bit integers; `PoolIntArray` in Godot 3.
    PackedInt32Array(&'a [I32Le]),
    /// 64-bit integers.
    PackedInt64Array(&'a [I64Le]),
    /// Single-precision floats; `PoolRealArray` in Godot 3.
    PackedFloat32Array(&'a [F32Le]),
    /// Double-precision floats.
    PackedFloat64Array(&'a [F64Le]),
    /// Strings; `PoolStringArray` in Godot 3.
    PackedStringArray(StringsRef<'a>),
    /// Pairs of reals; `PoolVector2Array` in Godot 3.
    PackedVector2Array(RealSlice<'a, Vector2<f32>>),
    /// Pairs of integers; `PoolVector2iArray` in Pandemonium.
    PackedVector2iArray(&'a [Vector2<I32Le>]),
    /// Triples of reals; `PoolVector3Array` in Godot 3.
    PackedVector3Array(RealSlice<'a, Vector3<f32>>),
    /// Triples of integers; `PoolVector3iArray` in Pandemonium.
    PackedVector3iArray(&'a [Vector3<I32Le>]),
    /// Quadruples of reals; `PoolVector4Array` in Pandemonium.
    PackedVector4Array(RealSlice<'a, Vector4<f32>>),
    /// Quadruples of integers; `PoolVector4iArray` in Pandemonium.
    PackedVector4iArray(&'a [Vector4<I32Le>]),
    /// Colours; `PoolColorArray` in Godot 3.
    PackedColorArray(RealSlice<'a, Color<f32>>),
}

impl<'a> VariantRef<'a> {
    /// The content of the value, to match on.
    #[inline(always)]
    #[must_use]
    pub fn view(self) -> View<'a> {
        match self.kind() {
            Kind::Nil => View::Nil,
            Kind::Bool => View::Bool(self.word(4) != [0; 4]),
            Kind::Int => View::Int(self.int()),
            Kind::Float => View::Float(self.float()),
            Kind::String => View::String(self.text_after_header()),
            Kind::Vector2 => View::Vector2(self.reals()),
            Kind::Vector2i => View::Vector2i(self.integers()),
            Kind::Rect2 => View::Rect2(self.reals()),
            Kind::Rect2i => View::Rect2i(self.integers()),
            Kind::Vector3 => View::Vector3(self.reals()),
            Kind::Vector3i => View::Vector3i(self.integers()),
            Kind::Transform2D => View::Transform2D(self.reals()),
            Kind::Vector4 => View::Vector4(self.reals()),
            Kind::Vector4i => View::Vector4i(self.integers()),
            Kind::Plane => View::Plane(self.reals()),
            Kind::Quaternion => View::Quaternion(self.reals()),
            Kind::Aabb => View::Aabb(self.reals()),
            Kind::Basis => View::Basis(self.reals()),
            Kind::Transform3D => View::Transform3D(self.reals()),
            Kind::Projection => View::Projection(self.reals()),
            Kind::Color => View::Color(self.reals()),
            Kind::StringName => View::StringName(self.text_after_header()),
            Kind::NodePath => {
                // SAFETY: the bytes of a view are checked, and this is a node path's content.
                View::NodePath(unsafe { NodePathRef::new(self.from(4), self.text()) })
            }
            Kind::Rid => View::Rid(self.id()),
            // SAFETY: it is an object.
            Kind::Object => View::Object(unsafe { ObjectRef::new(&{ self }) }),
            Kind::Callable => View::Callable,
            // SAFETY: it is a signal.
            Kind::Signal => View::Signal(unsafe { SignalRef::new(&{ self }) }),
            Kind::Dictionary => View::Dictionary(DictionaryRef::new(self)),
            Kind::Array => View::Array(ArrayRef::new(self)),
            Kind::TypedArray => View::TypedArray(ArrayRef::new(self)),
            Kind::PackedTypedArray => View::PackedTypedArray(ArrayRef::new(self)),
            Kind::PackedByteArray => {
                let bytes = self.from(8);
                View::PackedByteArray(bytes.get(..self.count()).unwrap_or(bytes))
            }
            Kind::PackedInt32Array => View::PackedInt32Array(cast(self.from(8))),
            Kind::PackedInt64Array => View::PackedInt64Array(cast(self.from(8))),
            Kind::PackedFloat32Array => View::PackedFloat32Array(cast(self.from(8))),
            Kind::PackedFloat64Array => View::PackedFloat64Array(cast(self.from(8))),
            Kind::PackedStringArray => {
                // SAFETY: the bytes of a view are checked, and this array's strings are there.
                View::PackedStringArray(unsafe { StringsRef::new(self.from(4), self.text()) })
            }
            Kind::PackedVector2Array => View::PackedVector2Array(self.real_slice()),
            Kind::PackedVector2iArray => View::PackedVector2iArray(cast(self.from(8))),
            Kind::PackedVector3Array => View::PackedVector3Array(self.real_slice()),
            Kind::PackedVector3iArray => View::PackedVector3iArray(cast(self.from(8))),
            Kind::PackedVector4Array => View::PackedVector4Array(self.real_slice()),
            Kind::PackedVector4iArray => View::PackedVector4iArray(cast(self.from(8))),
            Kind::PackedColorArray => View::PackedColorArray(self.real_slice()),
        }
    }

    /// The text of a String or StringName. Empty for other kinds.
    #[inline(always)]
    pub(super) fn text_after_header(self) -> &'a str {
        if !matches!(self.kind(), Kind::String | Kind::StringName) {
            return "";
        }
        // SAFETY: the bytes of a view are checked, and both kinds have a string after the header.
        unsafe { str_at(self.as_bytes(), 4, self.text()).0 }
    }

    // For an int or float, the header always determines the width.
    #[inline]
    fn int(&self) -> i64 {
        if self.header() & FLAG_64 == 0 {
            i32::from_le_bytes(self.word(4)).into()
        } else {
            i64::from_le_bytes(self.word(4))
        }
    }

    #[inline]
    fn float(&self) -> f64 {
        if self.header() & FLAG_64 == 0 {
            widened(f32::from_le_bytes(self.word(4)))
        } else {
            f64::from_le_bytes(self.word(4))
        }
    }

    #[inline]
    fn reals<S: Shape>(&self) -> RealRef<'a, S> {
        RealRef::new(self.from(4), self.is_wide())
    }

    #[inline]
    fn integers<M: Math<Component = i32>>(&self) -> M {
        let mut integers = cast::<I32Le>(self.from(4)).iter();
        from_components(|| integers.next().map_or(0, |integer| integer.get()))
    }

    #[inline]
    fn real_slice<S: Shape>(&self) -> RealSlice<'a, S> {
        if self.is_wide() {
            RealSlice::Double(cast(self.from(8)))
        } else {
            RealSlice::Single(cast(self.from(8)))
        }
    }
}
