//! The kinds, their names, and what their content consists of.

use super::body::{Body, Cell};
use crate::value::engine::Engine;
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
            pub(crate) const fn body(self) -> Body {
                use Body::{
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
