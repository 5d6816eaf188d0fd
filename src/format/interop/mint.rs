//! Conversions from and to the types of `mint`.

use crate::value::Real;
use crate::value::math::{
    Basis, Color, Projection, Quaternion, Transform2D, Transform3D, Vector2, Vector3, Vector4,
};
use mint::{
    ColumnMatrix2x3, ColumnMatrix3, ColumnMatrix3x4, ColumnMatrix4, IntoMint, Point2, Point3,
    RowMatrix2x3, RowMatrix3, RowMatrix3x4, RowMatrix4,
};

/// Defines the conversions between a type and its counterpart.
macro_rules! conversions {
    ($($math:ident = $mint:ty: $to:expr, $from:expr;)*) => {$(
        impl<T: Copy> From<$math<T>> for $mint {
            fn from(value: $math<T>) -> $mint {
                let convert: fn($math<T>) -> $mint = $to;
                convert(value)
            }
        }

        impl<T: Copy> From<$mint> for $math<T> {
            fn from(value: $mint) -> $math<T> {
                let convert: fn($mint) -> $math<T> = $from;
                convert(value)
            }
        }
    )*};
}

conversions! {
    Vector2 = mint::Vector2<T>: |v| [v.x, v.y].into(), |v| Vector2::new(v.x, v.y);
    Vector2 = Point2<T>: |v| [v.x, v.y].into(), |v| Vector2::new(v.x, v.y);
    Vector3 = mint::Vector3<T>: |v| [v.x, v.y, v.z].into(), |v| Vector3::new(v.x, v.y, v.z);
    Vector3 = Point3<T>: |v| [v.x, v.y, v.z].into(), |v| Vector3::new(v.x, v.y, v.z);
    Vector4 = mint::Vector4<T>:
        |v| [v.x, v.y, v.z, v.w].into(), |v| Vector4::new(v.x, v.y, v.z, v.w);
    Color = mint::Vector4<T>:
        |c| [c.r, c.g, c.b, c.a].into(), |v| Color::new(v.x, v.y, v.z, v.w);
    Quaternion = mint::Quaternion<T>:
        |q| [q.x, q.y, q.z, q.w].into(), |q| Quaternion::new(q.v.x, q.v.y, q.v.z, q.s);
    Basis = RowMatrix3<T>:
        |basis| {
            let [x, y, z] = basis.rows.map(Into::into);
            RowMatrix3 { x, y, z }
        },
        |m| Basis::new([m.x, m.y, m.z].map(Into::into));
    Basis = ColumnMatrix3<T>:
        |basis| {
            let [x, y, z] = basis.axes().map(Into::into);
            ColumnMatrix3 { x, y, z }
        },
        |m| Basis::from_axes(m.x.into(), m.y.into(), m.z.into());
    Transform2D = ColumnMatrix2x3<T>:
        |t| ColumnMatrix2x3 { x: t.x.into(), y: t.y.into(), z: t.origin.into() },
        |m| Transform2D::new(m.x.into(), m.y.into(), m.z.into());
    Transform2D = RowMatrix2x3<T>:
        |t| ColumnMatrix2x3::from(t).into(), |m| ColumnMatrix2x3::from(m).into();
    Transform3D = ColumnMatrix3x4<T>:
        |t| {
            let [x, y, z] = t.basis.axes().map(Into::into);
            ColumnMatrix3x4 { x, y, z, w: t.origin.into() }
        },
        |m| Transform3D::new(
            Basis::from_axes(m.x.into(), m.y.into(), m.z.into()),
            m.w.into(),
        );
    Transform3D = RowMatrix3x4<T>:
        |t| ColumnMatrix3x4::from(t).into(), |m| ColumnMatrix3x4::from(m).into();
    Projection = ColumnMatrix4<T>:
        |p| ColumnMatrix4 { x: p.x.into(), y: p.y.into(), z: p.z.into(), w: p.w.into() },
        |m| Projection::new(m.x.into(), m.y.into(), m.z.into(), m.w.into());
    Projection = RowMatrix4<T>:
        |p| ColumnMatrix4::from(p).into(), |m| ColumnMatrix4::from(m).into();
}

impl<T: Real> From<Transform2D<T>> for ColumnMatrix3<T> {
    fn from(transform: Transform2D<T>) -> ColumnMatrix3<T> {
        let column = |v: Vector2<T>, last: f32| [v.x, v.y, T::from(last)].into();
        ColumnMatrix3 {
            x: column(transform.x, 0.0),
            y: column(transform.y, 0.0),
            z: column(transform.origin, 1.0),
        }
    }
}

impl<T: Real> From<Transform3D<T>> for ColumnMatrix4<T> {
    fn from(transform: Transform3D<T>) -> ColumnMatrix4<T> {
        let column = |v: Vector3<T>, last: f32| [v.x, v.y, v.z, T::from(last)].into();
        let [x, y, z] = transform.basis.axes().map(|axis| column(axis, 0.0));
        ColumnMatrix4 { x, y, z, w: column(transform.origin, 1.0) }
    }
}

macro_rules! into_mint {
    ($($math:ident => $mint:ident;)*) => {$(
        impl<T: Copy> IntoMint for $math<T> {
            type MintType = mint::$mint<T>;
        }
    )*};
}

into_mint! {
    Vector2 => Vector2;
    Vector3 => Vector3;
    Vector4 => Vector4;
    Color => Vector4;
    Quaternion => Quaternion;
    Basis => ColumnMatrix3;
    Transform2D => ColumnMatrix2x3;
    Transform3D => ColumnMatrix3x4;
    Projection => ColumnMatrix4;
}
