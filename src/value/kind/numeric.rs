//! The kinds that consist of numbers: what they are called in Rust.

#[cfg(any(feature = "capture", feature = "serde"))]
use super::kinds::Kind;

/// Passes a table of the kinds that consist of numbers to a macro. What is written once for each of
/// these kinds follows from the table: accessors, builder methods and conversions.
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
