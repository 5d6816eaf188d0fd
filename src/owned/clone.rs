//! Clones owned values with little stack.

use super::Variant;

macro_rules! cloned {
    ($value:expr, $($variant:ident)*; $($other:pat => $result:expr),*) => {
        match $value {
            $(Variant::$variant(content) => Variant::$variant(Clone::clone(content)),)*
            $($other => $result,)*
        }
    };
}

/// Recurses once for each level of nesting.
///
/// This is not derived, because without optimization a derived function's stack frame has room for
/// the content of every kind. The frame of this function, which is on the stack many times, has
/// room for containers only.
impl Clone for Variant {
    fn clone(&self) -> Variant {
        cloned! {
            self, Object Dictionary Array TypedArray PackedTypedArray;
            other => cloned(other)
        }
    }
}

#[inline(never)]
fn cloned(value: &Variant) -> Variant {
    cloned! {
        value,
        Bool Int Float String Vector2 Vector2i Rect2 Rect2i Vector3 Vector3i Transform2D Vector4 Vector4i Plane Quaternion Aabb Basis Transform3D Projection Color StringName NodePath Rid Object Signal Dictionary Array TypedArray PackedTypedArray PackedByteArray PackedInt32Array PackedInt64Array PackedFloat32Array PackedFloat64Array PackedStringArray PackedVector2Array PackedVector2iArray PackedVector3Array PackedVector3iArray PackedVector4Array PackedVector4iArray PackedColorArray;
        Variant::Nil => Variant::Nil,
        Variant::Callable => Variant::Callable
    }
}
