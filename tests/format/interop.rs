//! Values of real engines, converted to the types of glam, mint and cgmath.

use crate::common::{Value, lines, unhex};
use gdwire::math::{Color, Transform2D, Vector2, Vector3};
use gdwire::{Dialect, Packed, Variant, encode, parse};

fn recorded(name: &str) -> Vec<u8> {
    let lines = lines::<Value>("godot3/values.ndjson");
    unhex(&lines.iter().find(|line| line.name == name).expect(name).hex)
}

mod with_glam {
    use super::*;
    use gdwire::interop::{glam_slice, math_slice};
    use glam::{
        Affine2, Affine3, Affine3A, DAffine3, DMat3, IVec2, Mat3, Mat4, Quat, Vec2, Vec3, Vec3A,
        Vec4,
    };

    #[test]
    fn the_axes_of_the_engine_are_the_columns_of_a_matrix() {
        let bytes = recorded("basis_columns_123_456_789");
        let basis = parse(Dialect::GODOT_3, &bytes).unwrap().as_basis::<f32>().unwrap();
        let columns = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
        assert_eq!(Mat3::from(basis), Mat3::from_cols_array_2d(&columns));
        assert_eq!(DMat3::from(basis.to::<f64>()).x_axis.to_array(), [1.0, 2.0, 3.0]);
        assert_eq!(encode(Dialect::GODOT_3, &Mat3::from(basis)).unwrap(), bytes);

        let bytes = recorded("transform");
        let transform = parse(Dialect::GODOT_3, &bytes).unwrap().as_transform3d::<f32>().unwrap();
        let affine = Affine3A::from(transform);
        assert_eq!(affine.transform_point3(Vec3::X), Vec3::new(11.0, 13.0, 15.0));
        assert_eq!(Mat4::from(transform).transform_point3(Vec3::X), Vec3::new(11.0, 13.0, 15.0));
        assert_eq!(encode(Dialect::GODOT_3, &affine).unwrap(), bytes);
        assert_eq!(Affine3::from(transform), Affine3::from(affine));
        assert_eq!(encode(Dialect::GODOT_3, &Affine3::from(transform)).unwrap(), bytes);
        let wide = DAffine3::from(transform.to::<f64>());
        assert_eq!(encode(Dialect::GODOT_3, &wide).unwrap(), bytes);

        let bytes = recorded("transform2d");
        let transform = parse(Dialect::GODOT_3, &bytes).unwrap().as_transform2d::<f32>().unwrap();
        let affine = Affine2::from(transform);
        assert_eq!(affine.transform_point2(Vec2::Y), Vec2::new(3.0 + 5.0, 4.0 + 6.0));
        assert_eq!(encode(Dialect::GODOT_3, &affine).unwrap(), bytes);
        assert_eq!(Mat3::from(transform).transform_point2(Vec2::Y), Vec2::new(8.0, 10.0));
    }

    #[test]
    fn vectors_and_quaternions_keep_their_components() {
        let numbers = [1.5, -2.25, 3.0, 4.0];
        let vector = Vec4::from_array(numbers);
        assert_eq!(Color::from(vector), Color::new(1.5, -2.25, 3.0, 4.0));
        assert_eq!(Vec3::from(Vector3::from(vector.truncate())), vector.truncate());
        assert_eq!(Vec3A::from(Vector3::new(1.5, -2.25, 3.0)), Vec3A::from_vec4(vector));
        let packet = encode(Dialect::GODOT_3, &Quat::from_array(numbers)).unwrap();
        let quaternion = parse(Dialect::GODOT_3, &packet).unwrap().as_quaternion().unwrap();
        assert_eq!(Quat::from(quaternion).to_array(), numbers);

        let state = gdwire::variant!({ "cell": IVec2::new(1, -2), "at": Vec2::new(0.5, 1.0) });
        assert_eq!(state.get("cell"), Some(&Variant::Vector2i(Vector2::new(1, -2))));
        assert_eq!(state.get("at"), Some(&Variant::from(Vector2::new(0.5, 1.0))));
        assert_eq!(
            encode(Dialect::GODOT_4, &IVec2::new(1, -2)).unwrap(),
            encode(Dialect::GODOT_4, &Variant::from(IVec2::new(1, -2))).unwrap()
        );

        let cells = vec![IVec2::new(1, -2), IVec2::new(3, 4)];
        let same = [Vector2::new(1, -2), Vector2::new(3, 4)];
        let dialect = Dialect::PANDEMONIUM_5;
        let array = encode(dialect, &same).unwrap();
        assert_eq!(encode(dialect, &cells).unwrap(), array);
        assert_eq!(encode(dialect, &Variant::from(cells.clone())).unwrap(), array);
        let packed = encode(dialect, &Packed(same)).unwrap();
        assert_eq!(encode(dialect, &Packed(&cells)).unwrap(), packed);
        assert_eq!(encode(dialect, &Variant::from(Packed(cells))).unwrap(), packed);
    }

    #[test]
    fn aligned_arrays_are_borrowed() {
        let path: Vec<Vec3> = (0..100).map(|step| Vec3::splat(step as f32) + Vec3::X).collect();
        let packet = encode(Dialect::GODOT_3, &Packed(&path)).unwrap();
        // At four different offsets, so the array is aligned at one of them.
        let mut borrowed = 0;
        for shift in 0..4 {
            let shifted = [&[0; 4][..shift], &packet].concat();
            let value = parse(Dialect::GODOT_3, &shifted[shift..]).unwrap();
            let wire = value.as_vector3_array().unwrap().as_single().unwrap();
            if let Some(vectors) = glam_slice::<Vec3, _>(wire) {
                assert_eq!(vectors, path);
                assert_eq!(vectors.as_ptr().cast(), wire.as_ptr(), "in place");
                let flat = value.as_vector3_array().unwrap().as_flat_single().unwrap();
                assert_eq!((flat.len(), flat[3], flat.as_ptr().cast()), (300, 2.0, wire.as_ptr()));
                assert!(value.as_vector3_array().unwrap().as_flat_double().is_none());
                borrowed += 1;
            }
        }
        assert_eq!(borrowed, if cfg!(target_endian = "little") { 1 } else { 0 });

        let vectors: &[Vector3<f32>] = math_slice(&path);
        assert_eq!(vectors[7], path[7].into());
        assert_eq!(glam_slice::<Vec3, _>(vectors), Some(&path[..]));
        let colors = [Vec4::W, Vec4::X];
        assert_eq!(glam_slice::<Vec4, _>(math_slice(&colors)), Some(&colors[..]));
    }
}

mod with_mint {
    use super::*;
    use cgmath::{Matrix3, Matrix4, Point3, Transform, vec2, vec3};
    use mint::{ColumnMatrix2x3, ColumnMatrix3, ColumnMatrix3x4, ColumnMatrix4, RowMatrix3};

    #[test]
    fn rows_and_columns_give_the_same_matrix() {
        let bytes = recorded("basis_columns_123_456_789");
        let basis = parse(Dialect::GODOT_3, &bytes).unwrap().as_basis::<f64>().unwrap();
        let by_columns = ColumnMatrix3::from(basis);
        assert_eq!(by_columns.y, [4.0, 5.0, 6.0].into());
        assert_eq!(RowMatrix3::from(basis), by_columns.into());
        assert_eq!(RowMatrix3::from(basis).x, [1.0, 4.0, 7.0].into());
        let matrix = Matrix3::from(by_columns);
        assert_eq!(matrix * vec3(1.0, 0.0, 0.0), vec3(1.0, 2.0, 3.0));
        let back: ColumnMatrix3<f64> = matrix.into();
        assert_eq!(gdwire::math::Basis::from(back), basis);
        assert_eq!(gdwire::math::Basis::from(RowMatrix3::from(basis)), basis);
    }

    #[test]
    fn transforms_move_points_alike() {
        let bytes = recorded("transform");
        let transform = parse(Dialect::GODOT_3, &bytes).unwrap().as_transform3d::<f32>().unwrap();
        let square = Matrix4::from(ColumnMatrix4::from(transform));
        let moved = square.transform_point(Point3::new(1.0, 0.0, 0.0));
        assert_eq!(moved, Point3::new(11.0, 13.0, 15.0));
        let columns = ColumnMatrix3x4::from(transform);
        assert_eq!(columns.w, [10.0, 11.0, 12.0].into());
        let back = gdwire::math::Transform3D::from(columns);
        assert_eq!(encode(Dialect::GODOT_3, &back).unwrap(), bytes);

        let flat = Transform2D::new(
            Vector2::new(1.0, 2.0),
            Vector2::new(3.0, 4.0),
            Vector2::new(5.0, 6.0),
        );
        assert_eq!(ColumnMatrix2x3::from(flat).z, [5.0, 6.0].into());
        assert_eq!(Transform2D::from(mint::RowMatrix2x3::from(flat)), flat);
        let square = Matrix3::from(ColumnMatrix3::from(flat));
        assert_eq!(square * vec3(0.0, 1.0, 1.0), vec3(8.0, 10.0, 1.0));
    }

    #[test]
    fn vectors_and_quaternions_keep_their_components() {
        let quaternion = gdwire::math::Quaternion::new(1.0, 2.0, 3.0, 4.0);
        let there = cgmath::Quaternion::from(mint::Quaternion::from(quaternion));
        assert_eq!((there.s, there.v), (4.0, vec3(1.0, 2.0, 3.0)));
        let back: mint::Quaternion<f64> = there.into();
        assert_eq!(gdwire::math::Quaternion::<f64>::from(back), quaternion);
        let cell = cgmath::Vector2::from(mint::Vector2::from(Vector2::new(1, -2)));
        assert_eq!(cell, vec2(1, -2));
        let color = Color::new(0.25, 0.5, 0.75, 1.0);
        assert_eq!(mint::Vector4::from(color), [0.25, 0.5, 0.75, 1.0].into());
    }
}
