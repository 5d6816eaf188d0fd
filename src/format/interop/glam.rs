//! Conversions from and to the types of glam.

use crate::value::Component;
use crate::value::math::{
    Basis, Color, Math, Projection, Quaternion, Transform2D, Transform3D, Vector2, Vector3, Vector4,
};
use crate::value::number::native;
use crate::write::encode::{Builder, Encode, EncodeError, PackedContent, PackedElement, Sink};
use glam::{
    Affine2, Affine3, Affine3A, DAffine2, DAffine3, DMat3, DMat4, DQuat, DVec2, DVec3, DVec4,
    IVec2, IVec3, IVec4, Mat3, Mat3A, Mat4, Quat, Vec2, Vec3, Vec3A, Vec4,
};

/// Defines the conversions between a type and its counterpart.
macro_rules! conversions {
    ($($math:ident<$component:ident> = $glam:ident: $to:expr, $from:expr;)*) => {$(
        impl From<$math<$component>> for $glam {
            #[inline]
            fn from(value: $math<$component>) -> $glam {
                let convert: fn($math<$component>) -> $glam = $to;
                convert(value)
            }
        }

        impl From<$glam> for $math<$component> {
            #[inline]
            fn from(value: $glam) -> $math<$component> {
                let convert: fn($glam) -> $math<$component> = $from;
                convert(value)
            }
        }
    )*};
}

/// Defines how glam's types are encoded and converted into a `Variant`.
macro_rules! values {
    ($($glam:ident as $math:ident<$component:ident> => $method:ident;)*) => {$(
        impl Encode for $glam {
            #[inline]
            fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
                builder.$method($math::<$component>::from(*self))
            }
        }

        #[cfg(feature = "serde")]
        impl crate::format::typed::math::Counterpart for $glam {
            type Math = $math<$component>;
        }

        #[cfg(feature = "alloc")]
        impl From<$glam> for crate::Variant {
            fn from(value: $glam) -> crate::Variant {
                $math::<$component>::from(value).into()
            }
        }
    )*};
}

/// Vectors that have the same layout in memory as the engine's.
macro_rules! vectors {
    ($($component:ident { $($glam:ident = $math:ident { $($field:ident)* };)* })*) => {$($(
        conversions! {
            $math<$component> = $glam:
                |v| $glam::from_array([$(v.$field),*]), |v| $math::new($(v.$field),*);
        }

        impl<C: Component<Native = $component>> InPlace<$glam> for $math<C> {}
        impl sealed::Sealed for $glam {
            type Math = $math<$component>;
        }
    )*)*};
}

vectors! {
    f32 {
        Vec2 = Vector2 { x y };
        Vec3 = Vector3 { x y z };
        Vec4 = Vector4 { x y z w };
        Quat = Quaternion { x y z w };
    }
    f64 {
        DVec2 = Vector2 { x y };
        DVec3 = Vector3 { x y z };
        DVec4 = Vector4 { x y z w };
        DQuat = Quaternion { x y z w };
    }
    i32 {
        IVec2 = Vector2 { x y };
        IVec3 = Vector3 { x y z };
        IVec4 = Vector4 { x y z w };
    }
}

impl<C: Component<Native = f32>> InPlace<Vec4> for Color<C> {}
impl<C: Component<Native = f64>> InPlace<DVec4> for Color<C> {}

/// Types that exist in both precisions.
macro_rules! precisions {
    ($($component:ident: $vec3:ident $vec4:ident $mat3:ident $affine2:ident $affine3:ident $mat4:ident;)*) => {$(
        conversions! {
            Color<$component> = $vec4:
                |c| $vec4::new(c.r, c.g, c.b, c.a), |v| Color::new(v.x, v.y, v.z, v.w);
            Basis<$component> = $mat3:
                |basis| {
                    let [x, y, z] = basis.axes().map($vec3::from);
                    $mat3::from_cols(x, y, z)
                },
                |m| Basis::from_axes(m.x_axis.into(), m.y_axis.into(), m.z_axis.into());
            Transform2D<$component> = $affine2:
                |t| $affine2::from_cols(t.x.into(), t.y.into(), t.origin.into()),
                |a| Transform2D::new(
                    a.matrix2.x_axis.into(),
                    a.matrix2.y_axis.into(),
                    a.translation.into(),
                );
            Transform3D<$component> = $affine3:
                |t| {
                    let [x, y, z] = t.basis.axes().map(Into::into);
                    $affine3::from_cols(x, y, z, t.origin.into())
                },
                |a| Transform3D::new(
                    Basis::from_axes(
                        a.matrix3.x_axis.into(),
                        a.matrix3.y_axis.into(),
                        a.matrix3.z_axis.into(),
                    ),
                    a.translation.into(),
                );
            Projection<$component> = $mat4:
                |p| $mat4::from_cols(p.x.into(), p.y.into(), p.z.into(), p.w.into()),
                |m| Projection::new(
                    m.x_axis.into(),
                    m.y_axis.into(),
                    m.z_axis.into(),
                    m.w_axis.into(),
                );
        }

        impl From<Transform2D<$component>> for $mat3 {
            fn from(transform: Transform2D<$component>) -> $mat3 {
                $affine2::from(transform).into()
            }
        }

        impl From<Transform3D<$component>> for $mat4 {
            fn from(transform: Transform3D<$component>) -> $mat4 {
                $affine3::from(transform).into()
            }
        }
    )*};
}

precisions! {
    f32: Vec3 Vec4 Mat3 Affine2 Affine3 Mat4;
    f64: DVec3 DVec4 DMat3 DAffine2 DAffine3 DMat4;
}

conversions! {
    Vector3<f32> = Vec3A: |v| Vec3A::new(v.x, v.y, v.z), |v| Vector3::new(v.x, v.y, v.z);
    Basis<f32> = Mat3A: |basis| Mat3::from(basis).into(), |m| Mat3::from(m).into();
    Transform3D<f32> = Affine3A: |t| Affine3::from(t).into(), |a| Affine3::from(a).into();
}

values! {
    Vec2 as Vector2<f32> => vector2;
    DVec2 as Vector2<f64> => vector2;
    IVec2 as Vector2<i32> => vector2i;
    Vec3 as Vector3<f32> => vector3;
    Vec3A as Vector3<f32> => vector3;
    DVec3 as Vector3<f64> => vector3;
    IVec3 as Vector3<i32> => vector3i;
    Vec4 as Vector4<f32> => vector4;
    DVec4 as Vector4<f64> => vector4;
    IVec4 as Vector4<i32> => vector4i;
    Quat as Quaternion<f32> => quaternion;
    DQuat as Quaternion<f64> => quaternion;
    Mat3 as Basis<f32> => basis;
    Mat3A as Basis<f32> => basis;
    DMat3 as Basis<f64> => basis;
    Affine2 as Transform2D<f32> => transform2d;
    DAffine2 as Transform2D<f64> => transform2d;
    Affine3 as Transform3D<f32> => transform3d;
    Affine3A as Transform3D<f32> => transform3d;
    DAffine3 as Transform3D<f64> => transform3d;
    Mat4 as Projection<f32> => projection;
    DMat4 as Projection<f64> => projection;
}

/// Vectors as elements of packed arrays.
macro_rules! elements {
    ($($glam:ident)*) => {$(
        impl PackedElement for $glam {
            #[inline]
            fn content(values: &[$glam]) -> PackedContent<'_> {
                PackedElement::content(math_slice(values))
            }

            #[cfg(feature = "alloc")]
            fn own<O: crate::write::encode::Owned>(values: alloc::vec::Vec<$glam>) -> O {
                PackedElement::own(math_slice(&values).to_vec())
            }
        }
    )*};
}

elements! { Vec2 DVec2 IVec2 Vec3 DVec3 IVec3 Vec4 DVec4 IVec4 }

mod sealed {
    pub trait Sealed: bytemuck::Pod {
        /// The engine's type with the same components in the same order.
        type Math: crate::value::math::Math;
    }
}

/// A math type with the same components in the same order as glam's `G`, in memory or on the wire.
///
/// `Vector3<f32>` and `Vector3<F32Le>` correspond to `Vec3`. `Vec3A` has four components in memory,
/// so it cannot be borrowed from an array.
pub trait InPlace<G: sealed::Sealed>: Math {}

/// Borrows an array as glam's vectors: an array on the wire ([`RealSlice::as_single`] and others),
/// or math values in memory.
///
/// Returns `None` if the array is not aligned for `G`, or if the processor is big-endian. The
/// alignment is that of the component, four or eight bytes. For `Vec4` and `Quat` it is 16 if glam
/// uses SIMD.
///
/// [`RealSlice::as_single`]: crate::math::RealSlice::as_single
#[must_use]
pub fn glam_slice<G: sealed::Sealed, M: InPlace<G>>(values: &[M]) -> Option<&[G]> {
    native(values)
}

/// Borrows vectors of glam as vectors of this crate, to write them as a packed array.
///
/// ```
/// use gdwire::{Dialect, encode::Builder, interop::math_slice};
/// use glam::Vec3;
///
/// let path = [Vec3::ZERO, Vec3::X];
/// let mut builder = Builder::new(Dialect::GODOT_3, Vec::new());
/// builder.vector3_array(math_slice(&path))?;
/// assert_eq!(builder.finish()?.len(), 4 + 4 + 2 * 12);
/// # Ok::<(), gdwire::EncodeError>(())
/// ```
#[must_use]
pub fn math_slice<G: sealed::Sealed>(values: &[G]) -> &[G::Math] {
    bytemuck::cast_slice(values)
}
