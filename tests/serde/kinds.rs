//! Kinds that serde does not know: math types, packed arrays, names, paths and RIDs.

use crate::serde::{GODOT_3, GODOT_4, assert_is};
use gdwire::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use gdwire::{
    Dialect, NodePath, Packed, Variant, VariantRef, encode, from_slice, parse, to_vec, variant,
};
use serde::{Deserialize, Serialize};

#[test]
fn math_types_are_their_kinds() {
    let v2 = Vector2::new(1.0, -2.0);
    let v3 = Vector3::new(1.0, -2.0, 3.5);
    let v4 = Vector4::new(1.0, 2.0, 3.0, 4.0);
    let basis = Basis::from_axes(v3, v3, Vector3::new(0.0, 1.0, 2.0));
    for dialect in [GODOT_4, GODOT_4.with_double_reals(), Dialect::PANDEMONIUM_5] {
        assert_is(dialect, v2, v2.into());
        assert_is(dialect, v3, v3.into());
        assert_is(dialect, v4, v4.into());
        assert_is(dialect, v3.to::<f32>(), v3.into());
        assert_is(dialect, Rect2::new(v2, v2), Rect2::new(v2, v2).into());
        assert_is(dialect, Transform2D::new(v2, v2, v2), Transform2D::new(v2, v2, v2).into());
        assert_is(dialect, Plane::new(v3, 2.0), Plane::new(v3, 2.0).into());
        let quaternion = Quaternion::new(1.0, 2.0, 3.0, 4.0);
        assert_is(dialect, quaternion, quaternion.into());
        assert_is(dialect, Aabb::new(v3, v3), Aabb::new(v3, v3).into());
        assert_is(dialect, basis, basis.into());
        assert_is(dialect, Transform3D::new(basis, v3), Transform3D::new(basis, v3).into());
        assert_is(dialect, Projection::new(v4, v4, v4, v4), Projection::new(v4, v4, v4, v4).into());
        let color = Color::new(0.5, 0.25, 1.0, 0.0);
        assert_is(dialect, color, color.into());
        assert_is(dialect, Vector2::new(1, -2), Vector2::new(1, -2).into());
        assert_is(dialect, Vector3::new(1, -2, 3), Vector3::new(1, -2, 3).into());
        assert_is(dialect, Vector4::new(1, -2, 3, 4), Vector4::new(1, -2, 3, 4).into());
        let rect = Rect2::new(Vector2::new(1, 2), Vector2::new(3, 4));
        assert_is(dialect, rect, rect.into());
    }
    let bytes = to_vec(GODOT_3, &v3).unwrap();
    assert_eq!(from_slice::<(f32, f64, f32)>(GODOT_3, &bytes).unwrap(), (1.0, -2.0, 3.5));
    assert_eq!(from_slice::<[f32; 3]>(GODOT_3, &bytes).unwrap(), [1.0, -2.0, 3.5]);
    let array = to_vec(GODOT_3, &[1.0, -2.0, 3.5]).unwrap();
    assert_eq!(from_slice::<Vector3<f64>>(GODOT_3, &array).unwrap(), v3);
    // The bits of a NaN survive.
    let nan = f32::from_bits(0x7fa0_0001);
    let bytes = to_vec(GODOT_3, &Vector2::new(nan, 0.0)).unwrap();
    assert_eq!(bytes, encode(GODOT_3, &Vector2::new(nan, 0.0)).unwrap());
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
pub struct PackedAll {
    #[serde(with = "gdwire::typed::packed")]
    pub bytes: Vec<u8>,
    #[serde(with = "gdwire::typed::packed")]
    ints: Vec<i32>,
    #[serde(with = "gdwire::typed::packed")]
    pub reals: [f32; 2],
    #[serde(with = "gdwire::typed::packed")]
    texts: Vec<String>,
    #[serde(with = "gdwire::typed::packed")]
    pub points: Vec<Vector2<f32>>,
    #[serde(with = "gdwire::typed::packed")]
    places: Vec<Vector3<f64>>,
    #[serde(with = "gdwire::typed::packed")]
    colors: Vec<Color<f32>>,
}

pub fn packed_all() -> PackedAll {
    PackedAll {
        bytes: vec![1, 2, 255],
        ints: vec![i32::MIN, 0, 7],
        reals: [0.5, f32::INFINITY],
        texts: vec!["a".into(), "".into(), "ß".into()],
        points: vec![Vector2::new(1.0, 2.0), Vector2::new(3.0, 4.0)],
        places: vec![Vector3::new(1.0, 2.0, 3.0)],
        colors: vec![],
    }
}

#[test]
fn packed_arrays_are_written_and_read() {
    let all = packed_all();
    let variant = variant!({
        "bytes": Packed(&all.bytes),
        "ints": Packed(&all.ints),
        "reals": Packed(all.reals),
        "texts": Packed(&all.texts),
        "points": Packed(&all.points),
        "places": Packed(&all.places),
        "colors": Packed(&all.colors),
    });
    for dialect in [GODOT_3, GODOT_4.with_double_reals(), Dialect::PANDEMONIUM_4] {
        assert_is(dialect, all.clone(), variant.clone());
    }
    let bytes = to_vec(GODOT_3, &Packed(&all.points)).unwrap();
    assert_eq!(from_slice::<Vec<[f32; 2]>>(GODOT_3, &bytes).unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(from_slice::<Vec<(f64, f32)>>(GODOT_3, &bytes).unwrap()[1], (3.0, 4.0));
    assert_eq!(from_slice::<Vec<Vector2<f32>>>(GODOT_3, &bytes).unwrap(), all.points);
    let error = from_slice::<Vec<Vector3<f32>>>(GODOT_3, &bytes).unwrap_err();
    assert_eq!(error.to_string(), "/0: expected Vector3, found Vector2, at byte 0");
    let error = from_slice::<[Vector2<f32>; 1]>(GODOT_3, &bytes).unwrap_err();
    assert_eq!(error.to_string(), "too many elements: 1 left over, at byte 0");
}

#[test]
fn packed_arrays_may_be_boxed_or_missing() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Track {
        #[serde(with = "gdwire::typed::packed")]
        keys: Box<[f32]>,
        #[serde(with = "gdwire::typed::packed::option", default)]
        marks: Option<Vec<i32>>,
    }
    let keys: Box<[f32]> = [0.5, 1.0].into();
    for (marks, variant) in [(None, variant!(null)), (Some(vec![1]), variant!(Packed([1])))] {
        let track = Track { keys: keys.clone(), marks };
        let ron = ron::to_string(&track).unwrap();
        assert_eq!(ron::from_str::<Track>(&ron).unwrap(), track, "{ron}");
        let messagepack = rmp_serde::to_vec_named(&track).unwrap();
        assert_eq!(rmp_serde::from_slice::<Track>(&messagepack).unwrap(), track);
        assert_is(GODOT_3, track, variant!({"keys": Packed(&keys), "marks": variant}));
    }
    let bytes = encode(GODOT_3, &variant!({"keys": [0.5, 1.0]})).unwrap();
    assert_eq!(from_slice::<Track>(GODOT_3, &bytes).unwrap(), Track { keys, marks: None });
}

/// A user's type that converts from and to a math type.
#[test]
fn types_that_stand_for_math_types_are_written_as_them() {
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Point(f32, f32);

    impl From<Point> for Vector2<f32> {
        fn from(Point(x, y): Point) -> Vector2<f32> {
            Vector2 { x, y }
        }
    }

    impl From<Vector2<f32>> for Point {
        fn from(at: Vector2<f32>) -> Point {
            Point(at.x, at.y)
        }
    }

    impl gdwire::typed::math::Counterpart for Point {
        type Math = Vector2<f32>;
    }

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Body {
        #[serde(with = "gdwire::typed::math")]
        at: Point,
        #[serde(with = "gdwire::typed::math::packed")]
        path: Vec<Point>,
    }
    let body = Body { at: Point(1.0, 2.0), path: vec![Point(3.0, 4.0)] };
    let path = Packed([Vector2::new(3.0, 4.0)]);
    assert_is(GODOT_3, body, variant!({"at": Vector2::new(1.0, 2.0), "path": path}));
}

/// Plain arrays stand for vectors, and each helper has one for an `Option`.
#[test]
fn arrays_and_options_go_through_the_helpers() {
    #[derive(Serialize, Deserialize, PartialEq, Debug, Default)]
    struct Body {
        #[serde(with = "gdwire::typed::math")]
        at: [f32; 3],
        #[serde(with = "gdwire::typed::math::option")]
        target: Option<[f64; 2]>,
        #[serde(with = "gdwire::typed::packed")]
        path: Vec<[f32; 3]>,
        #[serde(with = "gdwire::typed::math::packed")]
        cells: Vec<[i32; 2]>,
        #[serde(with = "gdwire::typed::math::packed::option")]
        colors: Option<Vec<[f32; 4]>>,
        #[serde(with = "gdwire::typed::string_name::option")]
        name: Option<String>,
        #[serde(with = "gdwire::typed::node_path::option")]
        node: Option<String>,
        #[serde(with = "gdwire::typed::rid::option")]
        texture: Option<u64>,
    }
    let none = variant!({
        "at": Vector3::new(0.0, 0.0, 0.0), "target": null, "path": Packed(Vec::<Vector3<f64>>::new()),
        "cells": Packed(Vec::<Vector2<i32>>::new()), "colors": null, "name": null, "node": null,
        "texture": null,
    });
    assert_is(Dialect::PANDEMONIUM_4, Body::default(), none);
    let body = |texture| Body {
        at: [1.0, 2.0, 3.0],
        target: Some([4.0, 5.0]),
        path: vec![[1.0, 2.0, 3.0]],
        cells: vec![[1, 2], [3, 4]],
        colors: Some(vec![[1.0; 4]]),
        name: Some("jump".into()),
        node: Some("a/b".into()),
        texture: Some(texture),
    };
    let some = variant!({
        "at": Vector3::new(1.0, 2.0, 3.0), "target": Vector2::new(4.0, 5.0),
        "path": Packed([Vector3::new(1.0, 2.0, 3.0)]),
        "cells": Packed([Vector2::new(1, 2), Vector2::new(3, 4)]),
        "colors": Packed([Vector4::new(1.0, 1.0, 1.0, 1.0)]),
        "name": Variant::StringName("jump".into()), "node": NodePath::from("a/b"),
        "texture": Variant::Rid(0),
    });
    assert_is(Dialect::PANDEMONIUM_4, body(0), some);
    let messagepack = rmp_serde::to_vec_named(&body(7)).unwrap();
    assert_eq!(rmp_serde::from_slice::<Body>(&messagepack).unwrap(), body(7));
    let json = serde_json::to_string(&body(7)).unwrap();
    assert!(json.starts_with(r#"{"at":[1.0,2.0,3.0],"target":[4.0,5.0],"path":[[1.0,2.0,3.0]]"#));
    assert_eq!(serde_json::from_str::<Body>(&json).unwrap(), body(7));
}

/// Newtypes in packed arrays, as in arrays.
#[test]
fn elements_of_packed_arrays_may_be_newtypes() {
    #[derive(Deserialize, PartialEq, Debug)]
    struct Meters(f32);
    let bytes = to_vec(GODOT_3, &Variant::from(Packed([1.5f32]))).unwrap();
    assert_eq!(from_slice::<Vec<Meters>>(GODOT_3, &bytes).unwrap(), [Meters(1.5)]);
    assert_eq!(from_slice::<Vec<Option<f32>>>(GODOT_3, &bytes).unwrap(), [Some(1.5)]);
}

#[cfg(feature = "glam")]
#[test]
fn types_of_glam_go_through_the_helpers() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Body {
        #[serde(with = "gdwire::typed::math")]
        at: glam::Vec3,
        #[serde(with = "gdwire::typed::math::option")]
        target: Option<glam::Vec3>,
        #[serde(with = "gdwire::typed::math::packed")]
        path: Vec<glam::Vec2>,
    }
    let body = |target| Body { at: glam::Vec3::X, target, path: vec![glam::Vec2::Y] };
    let path = Packed([Vector2::new(0.0, 1.0)]);
    let x = Vector3::new(1.0, 0.0, 0.0);
    let value = variant!({"at": x, "target": null, "path": path});
    assert_is(GODOT_3, body(None), value);
    let value = variant!({"at": x, "target": x, "path": path});
    assert_is(GODOT_3, body(Some(glam::Vec3::X)), value);
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Handles {
    #[serde(with = "gdwire::typed::string_name")]
    name: String,
    #[serde(with = "gdwire::typed::node_path")]
    path: String,
    #[serde(with = "gdwire::typed::rid")]
    rid: u64,
    owned: NodePath,
}

#[test]
fn names_paths_and_handles_are_their_kinds() {
    let odd = NodePath { is_absolute: true, names: vec!["a/b".into()], subnames: vec!["".into()] };
    let handles = Handles {
        name: "jump".into(),
        path: "/root/Game:position".into(),
        rid: u64::MAX,
        owned: odd.clone(),
    };
    let variant = variant!({
        "name": Variant::StringName("jump".into()),
        "path": NodePath::from("/root/Game:position"),
        "rid": Variant::Rid(u64::MAX),
        "owned": odd,
    });
    assert_is(GODOT_4, handles, variant);
    let path = to_vec(GODOT_3, &NodePath::from("Player")).unwrap();
    assert_eq!(from_slice::<&str>(GODOT_3, &path).unwrap(), "Player");
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Borrowing<'a> {
    name: &'a str,
    #[serde(with = "gdwire::typed::packed")]
    data: &'a [u8],
    #[serde(borrow)]
    any: VariantRef<'a>,
}

#[test]
fn texts_bytes_and_views_are_borrowed() {
    let any = encode(GODOT_3, &variant!([1, {"a": null}])).unwrap();
    let value = Borrowing { name: "ünï", data: &[1, 2, 3], any: parse(GODOT_3, &any).unwrap() };
    let bytes = to_vec(GODOT_3, &value).unwrap();
    let read: Borrowing = from_slice(GODOT_3, &bytes).unwrap();
    assert_eq!(read, value);
    let range = bytes.as_ptr_range();
    assert!(range.contains(&read.name.as_ptr()));
    assert!(range.contains(&read.data.as_ptr()));
    assert!(range.contains(&read.any.as_bytes().as_ptr()));
    assert_eq!(read.any.as_bytes(), any);
}
