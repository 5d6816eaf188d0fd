//! The kinds of values, independent of the type numbers of the dialects.
//!
//! Other modules look up here all that is the same for every kind: its names, what its content
//! consists of ([`ValueBody`]), and, for kinds of numbers, the names of their types and functions in Rust
//! ([`numeric_kinds`]).

use super::Engine;
use core::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])*
        $kind:ident $name:literal $body:expr $(, $($engine:ident)|+ $other:literal)*;)*) => {
        /// The kind of a value, such as int or Vector3.
        ///
        /// The names are those of Godot 4. If Godot 3 or Pandemonium use another name, the
        /// documentation of the kind says so. The type number of a kind depends on the dialect:
        /// see [`Dialect::type_number`](crate::Dialect::type_number).
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Kind { $($(#[$doc])* $kind),* }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind),*];

            /// The name that Godot 4's `type_string` returns, such as `Vector2` or `int`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name),* }
            }

            /// The names that Godot 3 and Pandemonium use instead, such as `PoolVector2Array`.
            ///
            /// ```
            /// use gdwire::Kind;
            ///
            /// assert_eq!(Kind::Transform3D.other_names().collect::<Vec<_>>(), ["Transform"]);
            /// assert_eq!(Kind::Vector2.other_names().count(), 0);
            /// ```
            pub fn other_names(self) -> impl Iterator<Item = &'static str> {
                let names: &[&'static str] = match self { $(Kind::$kind => &[$($other),*]),* };
                names.iter().copied()
            }

            /// The engine's name for the kind.
            pub(crate) const fn name_in(self, engine: Engine) -> &'static str {
                match (self, engine) {
                    $($((Kind::$kind, $(Engine::$engine)|+) => $other,)*)*
                    _ => self.name(),
                }
            }

            /// The beginning of a list of this kind in native JSON, after a comma.
            #[cfg(feature = "json")]
            pub(crate) const fn native_list(self) -> &'static str {
                match self {
                    $(Kind::$kind => concat!(",{\"type\":\"", $name, "\",\"args\":[")),*
                }
            }

            /// The kind with this name in any of the engines, such as `Vector2` or Godot 3's
            /// `PoolIntArray`.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Kind> {
                match name { $($name $(| $other)* => Some(Kind::$kind),)* _ => None }
            }

            #[inline(always)]
            pub(crate) const fn body(self) -> ValueBody {
                use ValueBody::{
                    Array, Bool, Cells, Dictionary, Empty, NodePath, Number, Object, Packed, Rid, Signal,
                    String, Strings, TypedArray,
                };
                use Cell::{Byte, Channel, F32, F64, I32, I64, Real};
                match self { $(Kind::$kind => $body),* }
            }
        }
    };
}

kinds! {
    /// `null`.
    Nil "Nil" Empty;
    /// A boolean.
    Bool "bool" Bool;
    /// A 64-bit signed integer.
    Int "int" Number;
    /// A double-precision float; `real` in Godot 3.
    Float "float" Number;
    /// A string.
    String "String" String;
    /// Two reals.
    Vector2 "Vector2" Cells(Real, 2);
    /// Two integers.
    Vector2i "Vector2i" Cells(I32, 2);
    /// A rectangle: position and size.
    Rect2 "Rect2" Cells(Real, 4);
    /// A rectangle of integers: position and size.
    Rect2i "Rect2i" Cells(I32, 4);
    /// Three reals.
    Vector3 "Vector3" Cells(Real, 3);
    /// Three integers.
    Vector3i "Vector3i" Cells(I32, 3);
    /// A 2D transform: x axis, y axis, origin.
    Transform2D "Transform2D" Cells(Real, 6);
    /// Four reals.
    Vector4 "Vector4" Cells(Real, 4);
    /// Four integers.
    Vector4i "Vector4i" Cells(I32, 4);
    /// A plane: normal and distance.
    Plane "Plane" Cells(Real, 4);
    /// A quaternion; `Quat` in Godot 3.
    Quaternion "Quaternion" Cells(Real, 4), Godot3 "Quat";
    /// An axis-aligned box: position and size.
    Aabb "AABB" Cells(Real, 6);
    /// A 3 × 3 matrix, written row by row.
    Basis "Basis" Cells(Real, 9);
    /// A 3D transform: basis and origin; `Transform` in Godot 3.
    Transform3D "Transform3D" Cells(Real, 12), Godot3 | Pandemonium "Transform";
    /// A 4 × 4 matrix: four columns.
    Projection "Projection" Cells(Real, 16);
    /// A colour: red, green, blue, alpha.
    Color "Color" Cells(Channel, 4);
    /// A string that the engine keeps in memory only once.
    StringName "StringName" String;
    /// A path in the scene tree.
    NodePath "NodePath" NodePath;
    /// A handle of one of the engine's servers.
    Rid "RID" Rid;
    /// An object: null, its instance id, or its class and properties.
    Object "Object" Object;
    /// A function to call. The engines write only its type.
    Callable "Callable" Empty;
    /// A signal of an object: its name and the object's id.
    Signal "Signal" Signal;
    /// Keys and values.
    Dictionary "Dictionary" Dictionary;
    /// Values.
    Array "Array" Array;
    /// Values of one type, in Pandemonium 5. In Godot 4 a typed array is an [`Array`](Kind::Array).
    TypedArray "TypedArray" TypedArray;
    /// Values of one type, in Pandemonium 5, which keeps them packed in memory.
    PackedTypedArray "PackedTypedArray" TypedArray;
    /// Bytes; `PoolByteArray` in Godot 3.
    PackedByteArray "PackedByteArray" Packed(Byte, 1), Godot3 | Pandemonium "PoolByteArray";
    /// 32-bit integers; `PoolIntArray` in Godot 3.
    PackedInt32Array "PackedInt32Array" Packed(I32, 1), Godot3 | Pandemonium "PoolIntArray";
    /// 64-bit integers.
    PackedInt64Array "PackedInt64Array" Packed(I64, 1);
    /// Single-precision floats; `PoolRealArray` in Godot 3.
    PackedFloat32Array "PackedFloat32Array" Packed(F32, 1), Godot3 | Pandemonium "PoolRealArray";
    /// Double-precision floats.
    PackedFloat64Array "PackedFloat64Array" Packed(F64, 1);
    /// Strings; `PoolStringArray` in Godot 3.
    PackedStringArray "PackedStringArray" Strings, Godot3 | Pandemonium "PoolStringArray";
    /// Pairs of reals; `PoolVector2Array` in Godot 3.
    PackedVector2Array "PackedVector2Array" Packed(Real, 2), Godot3 | Pandemonium "PoolVector2Array";
    /// Pairs of integers; `PoolVector2iArray` in Pandemonium.
    PackedVector2iArray "PackedVector2iArray" Packed(I32, 2), Pandemonium "PoolVector2iArray";
    /// Triples of reals; `PoolVector3Array` in Godot 3.
    PackedVector3Array "PackedVector3Array" Packed(Real, 3), Godot3 | Pandemonium "PoolVector3Array";
    /// Triples of integers; `PoolVector3iArray` in Pandemonium.
    PackedVector3iArray "PackedVector3iArray" Packed(I32, 3), Pandemonium "PoolVector3iArray";
    /// Quadruples of reals; `PoolVector4Array` in Pandemonium.
    PackedVector4Array "PackedVector4Array" Packed(Real, 4), Pandemonium "PoolVector4Array";
    /// Quadruples of integers; `PoolVector4iArray` in Pandemonium.
    PackedVector4iArray "PackedVector4iArray" Packed(I32, 4), Pandemonium "PoolVector4iArray";
    /// Colours; `PoolColorArray` in Godot 3.
    PackedColorArray "PackedColorArray" Packed(Channel, 4), Godot3 | Pandemonium "PoolColorArray";
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The type of the numbers in a [`ValueBody`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    /// A byte.
    Byte,
    /// A 32-bit integer.
    I32,
    /// A 64-bit integer.
    I64,
    /// A single-precision float, in every dialect.
    F32,
    /// A double-precision float, in every dialect.
    F64,
    /// The engine's `real_t`. The dialect or the header determines its width.
    Real,
    /// A colour's channel: a real in some dialects, an `f32` in others.
    Channel,
}

/// The content after a value's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueBody {
    /// Nothing.
    Empty,
    /// A `u32` that is zero or not.
    Bool,
    /// Four bytes, or eight with flag 64.
    Number,
    /// This many cells.
    Cells(Cell, u8),
    /// Length, bytes, padding.
    String,
    /// A string, then the id of an object.
    Signal,
    /// Nothing in some dialects, eight bytes in others.
    Rid,
    NodePath,
    Object,
    Dictionary,
    Array,
    /// An element type, then the content of an array.
    TypedArray,
    /// A count, then that many elements of a fixed number of cells.
    Packed(Cell, u8),
    /// A count, then strings with a trailing NUL.
    Strings,
}

impl Cell {
    /// Its size in bytes. `is_wide` is whether reals have eight bytes.
    #[inline(always)]
    pub(crate) const fn size(self, is_wide: bool) -> u8 {
        match self {
            Cell::Byte => 1,
            Cell::I32 | Cell::F32 => 4,
            Cell::I64 | Cell::F64 => 8,
            Cell::Real | Cell::Channel => {
                if is_wide {
                    8
                } else {
                    4
                }
            }
        }
    }
}

impl ValueBody {
    /// Its size in bytes, if all bodies with numbers of this width have the same size.
    pub(crate) const fn size(self, is_wide: bool) -> Option<u8> {
        match self {
            ValueBody::Empty => Some(0),
            ValueBody::Bool => Some(4),
            ValueBody::Number => Some(if is_wide { 8 } else { 4 }),
            ValueBody::Cells(cell, cells) => Some(cell.size(is_wide) * cells),
            _ => None,
        }
    }
}

/// Passes a table of the kinds that consist of numbers to a macro. Accessors, builder methods and
/// conversions of these kinds are made from the table.
///
/// A row starts with the kind and its Rust type. The first parentheses have the functions that
/// write and read a value. The second have the packed array of such values, and its functions.
macro_rules! numeric_kinds {
    ($rows:ident) => {
        $rows! {
            // The kind and the type have the same name.
            reals {
                Vector2 (vector2 as_vector2) (PackedVector2Array vector2_array as_vector2_array)
                Rect2 (rect2 as_rect2) ()
                Vector3 (vector3 as_vector3) (PackedVector3Array vector3_array as_vector3_array)
                Transform2D (transform2d as_transform2d) ()
                Vector4 (vector4 as_vector4) (PackedVector4Array vector4_array as_vector4_array)
                Plane (plane as_plane) ()
                Quaternion (quaternion as_quaternion) ()
                Aabb (aabb as_aabb) ()
                Basis (basis as_basis) ()
                Transform3D (transform3d as_transform3d) ()
                Projection (projection as_projection) ()
                Color (color as_color) (PackedColorArray color_array as_color_array)
            }
            integers {
                Vector2i Vector2 (vector2i as_vector2i)
                    (PackedVector2iArray vector2i_array as_vector2i_array)
                Rect2i Rect2 (rect2i as_rect2i) ()
                Vector3i Vector3 (vector3i as_vector3i)
                    (PackedVector3iArray vector3i_array as_vector3i_array)
                Vector4i Vector4 (vector4i as_vector4i)
                    (PackedVector4iArray vector4i_array as_vector4i_array)
            }
            // The packed array, its numbers in memory and on the wire, the function that reads it.
            arrays {
                PackedInt32Array i32 I32Le as_int32_array
                PackedInt64Array i64 I64Le as_int64_array
                PackedFloat32Array f32 F32Le as_float32_array
                PackedFloat64Array f64 F64Le as_float64_array
            }
        }
    };
}

pub(crate) use numeric_kinds;

#[cfg(any(feature = "capture", feature = "serde"))]
macro_rules! elements {
    (
        reals { $($real:ident $one:tt ($($reals:ident $many:ident $as_many:ident)?))* }
        integers { $($integer:ident $type:ident $int:tt
            ($($integers:ident $ints:ident $as_ints:ident)?))* }
        $($arrays:tt)*
    ) => {
        impl Kind {
            /// The kind of the elements of a packed array of math values.
            pub(crate) const fn element(self) -> Option<Kind> {
                match self {
                    $($(Kind::$reals => Some(Kind::$real),)?)*
                    $($(Kind::$integers => Some(Kind::$integer),)?)*
                    _ => None,
                }
            }
        }
    };
}

#[cfg(any(feature = "capture", feature = "serde"))]
numeric_kinds! { elements }
