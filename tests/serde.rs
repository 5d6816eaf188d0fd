//! Types through serde: what is written is what the engines write, what is read is what was
//! written, and errors say where.

mod common;

use common::{recorded_values, unhex, without_path_padding};
use gdwire::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use gdwire::serde::{Deserializer, Error};
use gdwire::{
    Dialect, Kind, NodePath, Problem, Variant, VariantRef, encode, from_slice, from_slice_prefix,
    parse, to_slice, to_vec, to_writer, variant,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;

const GODOT_3: Dialect = Dialect::GODOT_3;
const GODOT_4: Dialect = Dialect::GODOT_4;

/// Asserts that a value is written as these bytes by every writer, and read back.
#[track_caller]
fn assert_is<T: Serialize + DeserializeOwned + PartialEq + Debug>(
    dialect: Dialect,
    value: T,
    variant: Variant,
) {
    let bytes = encode(dialect, &variant).unwrap();
    assert_eq!(to_vec(dialect, &value).unwrap(), bytes, "{value:?}");
    let mut slice = [0xff; 1 << 10];
    let length = to_slice(dialect, &value, &mut slice).unwrap();
    assert_eq!(slice[..length], bytes);
    let mut written = Vec::new();
    to_writer(dialect, &mut written, &value).unwrap();
    assert_eq!(written, bytes);
    assert_eq!(from_slice::<T>(dialect, &bytes).unwrap(), value);
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
enum Order {
    Stop,
    Say(String),
    Go(i32, i32),
    Hit { target: u8, hard: bool },
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Id(u32);

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Marker;

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Pair(i8, f64);

#[test]
fn each_shape_is_the_engines_value() {
    assert_is(GODOT_3, (), Variant::Nil);
    assert_is(GODOT_3, Marker, Variant::Nil);
    assert_is(GODOT_3, None::<i32>, Variant::Nil);
    assert_is(GODOT_3, Some(5), 5.into());
    assert_is(GODOT_3, true, true.into());
    assert_is(GODOT_3, u64::from(u32::MAX), i64::from(u32::MAX).into());
    assert_is(GODOT_3, i128::from(i64::MIN), i64::MIN.into());
    assert_is(GODOT_3, 0.1f64, 0.1f64.into());
    assert_is(GODOT_3, 0.1f32, 0.1f32.into());
    assert_is(GODOT_3, 'ß', "ß".into());
    assert_is(GODOT_3, "\u{5d0}".to_string(), "\u{5d0}".into());
    assert_is(GODOT_3, Id(7), 7.into());
    assert_is(GODOT_3, Pair(-1, 0.5), variant!([-1, 0.5]));
    assert_is(GODOT_3, (1, "a".to_string()), variant!([1, "a"]));
    assert_is(GODOT_3, vec![Some(1), None], variant!([1, null]));
    assert_is(GODOT_3, Vec::<i32>::new(), variant!([]));
    assert_is(GODOT_3, BTreeMap::from([(1, true), (-9, false)]), variant!({(-9): false, 1: true}));
    assert_is(GODOT_3, Order::Stop, "Stop".into());
    assert_is(GODOT_3, Order::Say("hi".into()), variant!({"Say": "hi"}));
    assert_is(GODOT_3, Order::Go(1, 2), variant!({"Go": [1, 2]}));
    let hit = Order::Hit { target: 3, hard: true };
    assert_is(GODOT_3, hit, variant!({"Hit": {"target": 3, "hard": true}}));
}

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
struct PackedAll {
    #[serde(with = "gdwire::serde::packed")]
    bytes: Vec<u8>,
    #[serde(with = "gdwire::serde::packed")]
    ints: Vec<i32>,
    #[serde(with = "gdwire::serde::packed")]
    reals: [f32; 2],
    #[serde(with = "gdwire::serde::packed")]
    texts: Vec<String>,
    #[serde(with = "gdwire::serde::packed")]
    points: Vec<Vector2<f32>>,
    #[serde(with = "gdwire::serde::packed")]
    places: Vec<Vector3<f64>>,
    #[serde(with = "gdwire::serde::packed")]
    colors: Vec<Color<f32>>,
}

fn packed_all() -> PackedAll {
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
        "bytes": all.bytes.clone(),
        "ints": all.ints.clone(),
        "reals": all.reals.to_vec(),
        "texts": Variant::PackedStringArray(all.texts.clone()),
        "points": all.points.clone(),
        "places": all.places.clone(),
        "colors": all.colors.clone(),
    });
    for dialect in [GODOT_3, GODOT_4.with_double_reals(), Dialect::PANDEMONIUM_4] {
        assert_is(dialect, all.clone(), variant.clone());
    }
    let bytes = to_vec(GODOT_3, &Variant::from(all.points.clone())).unwrap();
    assert_eq!(from_slice::<Vec<[f32; 2]>>(GODOT_3, &bytes).unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(from_slice::<Vec<(f64, f32)>>(GODOT_3, &bytes).unwrap()[1], (3.0, 4.0));
    assert_eq!(from_slice::<Vec<Vector2<f32>>>(GODOT_3, &bytes).unwrap(), all.points);
    let error = from_slice::<Vec<Vector3<f32>>>(GODOT_3, &bytes).unwrap_err();
    assert_eq!(error.to_string(), "[0]: expected Vector3, found Vector2, at byte 0");
    let error = from_slice::<[Vector2<f32>; 1]>(GODOT_3, &bytes).unwrap_err();
    assert_eq!(error.to_string(), "there are 1 more elements than expected, at byte 0");
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Handles {
    #[serde(with = "gdwire::serde::string_name")]
    name: String,
    #[serde(with = "gdwire::serde::node_path")]
    path: String,
    #[serde(with = "gdwire::serde::rid")]
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
    #[serde(with = "gdwire::serde::packed")]
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

#[test]
fn a_field_of_any_value_loses_nothing() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Holder {
        state: Variant,
    }
    for (dialect, recorded) in recorded_values() {
        let bytes = unhex(&recorded.hex);
        let view = parse(dialect, &bytes).unwrap();
        let canonical = without_path_padding(view);
        assert_eq!(to_vec(dialect, &view).unwrap(), canonical, "{}", recorded.name);
        let owned: Variant = from_slice(dialect, &bytes).unwrap();
        assert_eq!(to_vec(dialect, &owned).unwrap(), canonical, "{}", recorded.name);
        let same: VariantRef = from_slice(dialect, &bytes).unwrap();
        assert_eq!(same.as_bytes(), bytes);
        if !recorded.name.ends_with("nan") {
            assert_eq!(owned, Variant::from(view), "{}", recorded.name);
        }
        let holder = to_vec(dialect, &Holder { state: owned.clone() }).unwrap();
        assert_eq!(holder, encode(dialect, &variant!({"state": owned})).unwrap());
        let held: Holder = from_slice(dialect, &holder).unwrap();
        assert_eq!(to_vec(dialect, &held).unwrap(), holder);
    }
}

/// What serde has no word for comes by the general way, too, and as JSON from views as from
/// owned values.
#[test]
fn every_recorded_value_can_be_written_as_json_or_buffered() {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Buffered {
        Any(#[expect(dead_code, reason = "only read")] Variant),
    }
    for (dialect, recorded) in recorded_values() {
        let bytes = unhex(&recorded.hex);
        let view = parse(dialect, &bytes).unwrap();
        if let Err(error) = from_slice::<Buffered>(dialect, &bytes) {
            // An id of 64 bits, which is no int.
            let json = serde_json::to_string(&view).unwrap();
            let mut numbers = json.split(|c: char| !c.is_ascii_digit());
            let is_id = |text: &str| text.parse::<u64>().is_ok_and(|id| i64::try_from(id).is_err());
            assert!(numbers.any(is_id), "{}: {error}", recorded.name);
        }
        from_slice::<IgnoredAny>(dialect, &bytes).unwrap();
        let of_view = serde_json::to_string(&view);
        let of_owned = serde_json::to_string(&Variant::from(view));
        match (of_view, of_owned) {
            (Ok(view), Ok(owned)) => {
                assert_eq!(rounded(&view), rounded(&owned), "{}", recorded.name);
            }
            // JSON has only texts for keys.
            (Err(error), Err(other)) => assert_eq!(error.to_string(), other.to_string()),
            (view, owned) => panic!("{}: {view:?} {owned:?}", recorded.name),
        }
    }
}

/// The same JSON with the digits of single precision: an owned value has its reals in double.
fn rounded(json: &str) -> serde_json::Value {
    fn round(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Number(number) if number.is_f64() => {
                *value = (number.as_f64().unwrap() as f32).to_string().into();
            }
            serde_json::Value::Array(values) => values.iter_mut().for_each(round),
            serde_json::Value::Object(values) => values.values_mut().for_each(round),
            _ => {}
        }
    }
    let mut value = serde_json::from_str(json).unwrap();
    round(&mut value);
    value
}

#[test]
fn other_formats_have_plain_forms() {
    let value = variant!({
        "position": Vector3::new(1.0, 2.0, 3.0),
        "points": vec![Vector2::new(1.0, 2.0)],
        "path": NodePath::from("a:b"),
        "list": [1, null, true, 2.5],
    });
    let json =
        r#"{"position":[1.0,2.0,3.0],"points":[[1.0,2.0]],"path":"a:b","list":[1,null,true,2.5]}"#;
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
    let read: Variant = serde_json::from_str(json).unwrap();
    let list = variant!([1, null, true, 2.5]);
    assert_eq!(read.get("list"), Some(&list));
    assert_eq!(read.get("position"), Some(&variant!([1.0, 2.0, 3.0])));
    let vector: Vector3<f32> = serde_json::from_str("[1,2,3]").unwrap();
    assert_eq!(vector, Vector3::new(1.0, 2.0, 3.0));
    assert!(serde_json::from_str::<Vector3<f32>>("[1,2]").is_err());
    assert!(serde_json::from_str::<VariantRef>("1").is_err());
    let json = serde_json::to_string(&packed_all().points).unwrap();
    assert_eq!(json, "[[1.0,2.0],[3.0,4.0]]");
    let mut all = packed_all();
    all.reals = [0.5, 1.5];
    let json = serde_json::to_string(&all).unwrap();
    assert_eq!(serde_json::from_str::<PackedAll>(&json).unwrap(), all);
    let messagepack = rmp_serde::to_vec_named(&all).unwrap();
    assert_eq!(rmp_serde::from_slice::<PackedAll>(&messagepack).unwrap(), all);
    let bytes = rmp_serde::from_slice::<Variant>(&[0xc4, 2, 1, 2]).unwrap();
    assert_eq!(bytes, Variant::PackedByteArray(vec![1, 2]));
}

#[test]
fn lengths_that_are_not_known_are_counted() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Flat {
        id: i32,
        #[serde(flatten)]
        more: BTreeMap<String, i32>,
    }
    let flat = Flat { id: 1, more: [("a".into(), 2), ("b".into(), 3)].into() };
    assert_is(GODOT_3, flat, variant!({"id": 1, "a": 2, "b": 3}));

    struct Odd;
    impl Serialize for Odd {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq((0..10).filter(|number| number % 2 == 1))
        }
    }
    let odd = encode(GODOT_3, &variant!([1, 3, 5, 7, 9])).unwrap();
    assert_eq!(to_vec(GODOT_3, &Odd).unwrap(), odd);
    let mut small = [0; 9];
    let error = to_slice(GODOT_3, &Odd, &mut small).unwrap_err();
    assert_eq!(error.to_string(), "the buffer has 9 bytes, but 48 are needed");
}

#[derive(Deserialize, Debug)]
#[expect(dead_code, reason = "only its errors count")]
struct Game {
    players: Vec<Player>,
}

#[derive(Deserialize, Debug)]
#[expect(dead_code, reason = "only its errors count")]
struct Player {
    name: String,
    position: Position,
    order: Option<Order>,
}

#[derive(Deserialize, Debug)]
#[expect(dead_code, reason = "only its errors count")]
struct Position {
    x: f32,
}

#[track_caller]
fn error_of(player: Variant) -> (Error, String) {
    let game = variant!({"players": [
        {"name": "a", "position": {"x": 1}, "order": null},
        player,
    ]});
    let bytes = encode(GODOT_3, &game).unwrap();
    let error = from_slice::<Game>(GODOT_3, &bytes).unwrap_err();
    let at = error.offset().unwrap();
    let shown = error.to_string();
    assert!(shown.ends_with(&format!("at byte {at}")), "{shown}");
    let kind = parse_prefix_kind(&bytes[at..]);
    (error, kind)
}

fn parse_prefix_kind(bytes: &[u8]) -> String {
    gdwire::parse_prefix(GODOT_3, bytes).unwrap().1.kind().to_string()
}

#[test]
fn errors_tell_the_path_and_the_place() {
    let (error, kind) = error_of(variant!({"name": "b", "position": {"x": "far"}}));
    assert_eq!(error.path(), "players[1].position.x");
    assert!(error.to_string().contains("expected f32, found String \"far\""), "{error}");
    assert_eq!(kind, "String");

    let (error, kind) = error_of(variant!({"name": Vector2::new(1.0, 2.0)}));
    assert_eq!(error.path(), "players[1].name");
    assert!(error.to_string().contains("expected a string, found Vector2"), "{error}");
    assert_eq!(kind, "Vector2");

    let (error, kind) = error_of(variant!({"name": "b"}));
    assert_eq!(error.path(), "players[1]");
    assert!(error.to_string().contains("missing field `position`"), "{error}");
    assert_eq!(kind, "Dictionary");

    let order = variant!({"Hit": {"target": 300}});
    let (error, _) = error_of(variant!({"name": "b", "position": {"x": 1}, "order": order}));
    assert_eq!(error.path(), "players[1].order.Hit.target");
    assert!(error.to_string().contains("expected u8, found int 300"), "{error}");

    let (error, _) = error_of(variant!({"name": "b", "position": {"x": [1]}}));
    assert!(error.to_string().contains("expected f32, found Array"), "{error}");

    let (error, _) = error_of(variant!({"name": "b", "position": 3}));
    assert!(error.to_string().contains("expected struct Position, found int 3"), "{error}");

    let map = encode(GODOT_3, &variant!({1: {"a b": true}})).unwrap();
    let error = from_slice::<BTreeMap<i32, BTreeMap<String, i32>>>(GODOT_3, &map).unwrap_err();
    assert_eq!(error.path(), r#"[1]["a b"]"#);
    let three = encode(GODOT_3, &variant!([1, 2, 3])).unwrap();
    let error = from_slice::<(i32, i32)>(GODOT_3, &three).unwrap_err();
    assert_eq!(error.to_string(), "the Array has 1 more than expected, at byte 0");
}

#[test]
fn errors_of_the_wire_are_those_of_parse() {
    let value = variant!({"players": [{"name": "a", "position": {"x": 1.0}}]});
    let bytes = encode(GODOT_3, &value).unwrap();
    for end in 0..bytes.len() {
        let cut = &bytes[..end];
        let error = from_slice::<Game>(GODOT_3, cut).unwrap_err();
        let expected = parse(GODOT_3, cut).unwrap_err();
        assert_eq!(error.as_wire(), Some(&expected), "{end}");
        assert_eq!(error.offset(), Some(expected.offset));
        let error = from_slice::<IgnoredAny>(GODOT_3, cut).unwrap_err();
        assert_eq!(error.as_wire(), Some(&expected), "{end}");
    }
    let mut more = bytes.clone();
    more.push(0);
    let error = from_slice::<Game>(GODOT_3, &more).unwrap_err();
    assert_eq!(error.as_wire().unwrap().problem, Problem::TrailingBytes { count: 1 });
    let (rest, _) = from_slice_prefix::<Game>(GODOT_3, &more).unwrap();
    assert_eq!(rest, [0]);
}

#[test]
fn errors_of_writing_tell_the_path() {
    #[derive(Serialize)]
    struct Outer {
        list: Vec<BTreeMap<&'static str, u64>>,
    }
    let outer = Outer { list: vec![BTreeMap::from([("a", 1), ("b", u64::MAX)])] };
    let error = to_vec(GODOT_3, &outer).unwrap_err();
    assert_eq!(
        error.to_string(),
        "list[0].b: the integer 18446744073709551615 needs more than 64 bits with a sign"
    );
    let error = to_vec(GODOT_3, &[Vector2::new(1, 2)]).unwrap_err();
    assert_eq!(error.to_string(), "[0]: godot3 has no Vector2i");
    let error = to_vec(GODOT_3, &("a\0", 1)).unwrap_err();
    assert!(error.as_encode().is_some());
    assert_eq!(error.path(), "[0]");
}

/// So many arrays in one another.
fn tower(depth: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 1..depth {
        bytes.extend([19, 0, 0, 0, 1, 0, 0, 0]);
    }
    bytes.extend([19, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

#[derive(Deserialize, Serialize, PartialEq, Debug)]
struct Tree(Vec<Tree>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Untagged {
    Any(IgnoredAny),
}

#[test]
fn deep_values_do_not_overflow_the_stack() {
    let work = || {
        let bytes = tower(1024);
        let value: Variant = from_slice(GODOT_3, &bytes).unwrap();
        assert_eq!(to_vec(GODOT_3, &value).unwrap(), bytes);
        from_slice::<IgnoredAny>(GODOT_3, &bytes).unwrap();
        let view: VariantRef = from_slice(GODOT_3, &bytes).unwrap();
        assert_eq!(to_vec(GODOT_3, &view).unwrap(), bytes);
        // A type of the user's recurses.
        let bytes_of_tree = tower(400);
        let tree: Tree = from_slice(GODOT_3, &bytes_of_tree).unwrap();
        assert_eq!(to_vec(GODOT_3, &tree).unwrap(), bytes_of_tree);
        from_slice::<Untagged>(GODOT_3, &bytes).map(drop).unwrap();
        serde_json::to_string(&view).map(drop).unwrap();
        serde_json::to_string(&value).map(drop).unwrap();
        let deeper = tower(1026);
        let expected = parse(GODOT_3, &deeper).unwrap_err();
        for error in [
            from_slice::<Variant>(GODOT_3, &deeper).unwrap_err(),
            from_slice::<Vec<IgnoredAny>>(GODOT_3, &deeper).map(drop).unwrap_err(),
        ] {
            assert_eq!(error.as_wire(), Some(&expected));
        }
        let low = GODOT_3.with_max_depth(100);
        let expected = parse(low, &deeper).unwrap_err();
        let error = from_slice::<Tree>(low, &deeper).unwrap_err();
        assert_eq!(error.as_wire(), Some(&expected));
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn too_deep_is_not_written() {
    let low = GODOT_3.with_max_depth(2);
    assert!(to_vec(low, &[[0; 0]]).is_ok());
    assert!(to_vec(low, &[[1]]).is_ok());
    assert!(to_vec(low, &[[[0; 0]]]).is_ok());
    for error in [
        to_vec(low, &[[[1]]]).unwrap_err(),
        to_vec(low, &[[variant!([1])]]).unwrap_err(),
        to_vec(low, &[variant!([[1]])]).unwrap_err(),
    ] {
        assert!(error.to_string().contains("more than"), "{error}");
    }
}

#[test]
fn values_one_after_the_other() {
    let mut bytes = to_vec(GODOT_3, &1).unwrap();
    bytes.extend(to_vec(GODOT_3, "two").unwrap());
    let mut deserializer = Deserializer::from_slice(GODOT_3, &bytes);
    assert_eq!(i32::deserialize(&mut deserializer).unwrap(), 1);
    assert!(deserializer.end().is_err());
    assert_eq!(deserializer.offset(), 8);
    assert_eq!(String::deserialize(&mut deserializer).unwrap(), "two");
    deserializer.end().unwrap();
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Zoo {
    bool: bool,
    small: i8,
    large: i64,
    unsigned: u32,
    real: f64,
    narrow: f32,
    character: char,
    text: String,
    nothing: Option<()>,
    maybe: Option<Box<Zoo>>,
    list: Vec<Order>,
    map: BTreeMap<(i32, String), Vec<u16>>,
    at: Vector3<f32>,
    #[serde(with = "gdwire::serde::packed")]
    path: Vec<Vector2<f32>>,
}

fn text() -> impl Strategy<Value = String> {
    // Neither a NUL nor a byte order mark at the start survives in an engine.
    "[^\0\u{feff}]{0,12}"
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![
        Just(Order::Stop),
        text().prop_map(Order::Say),
        any::<(i32, i32)>().prop_map(|(x, y)| Order::Go(x, y)),
        any::<(u8, bool)>().prop_map(|(target, hard)| Order::Hit { target, hard }),
    ]
}

fn zoo() -> impl Strategy<Value = Zoo> {
    let reals = || -1e6f32..1e6;
    let scalars = (any::<(bool, i8, i64, u32)>(), -1e300f64..1e300, reals());
    let character = any::<char>().prop_filter("ends a text", |c| *c != '\0' && *c != '\u{feff}');
    let texts = (character, text());
    let map = btree_map((any::<i32>(), text()), vec(any::<u16>(), 0..3), 0..3);
    let math = ((reals(), reals(), reals()), vec((reals(), reals()), 0..4));
    let flat = (scalars, texts, vec(order(), 0..4), map, math).prop_map(
        |((one, real, narrow), (character, text), list, map, (at, path))| Zoo {
            bool: one.0,
            small: one.1,
            large: one.2,
            unsigned: one.3,
            real,
            narrow,
            character,
            text,
            nothing: None,
            maybe: None,
            list,
            map,
            at: Vector3::new(at.0, at.1, at.2),
            path: path.into_iter().map(|(x, y)| Vector2::new(x, y)).collect(),
        },
    );
    flat.prop_recursive(3, 8, 1, |inner| {
        (inner.clone(), inner).prop_map(|(zoo, maybe)| Zoo { maybe: Some(Box::new(maybe)), ..zoo })
    })
}

proptest! {
    #[test]
    fn types_come_back(zoo in zoo()) {
        for dialect in Dialect::ALL {
            let bytes = to_vec(*dialect, &zoo).unwrap();
            prop_assert_eq!(&from_slice::<Zoo>(*dialect, &bytes).unwrap(), &zoo);
            let value = parse(*dialect, &bytes).unwrap();
            prop_assert_eq!(&encode(*dialect, &value).unwrap(), &bytes);
            prop_assert_eq!(value.get("at").unwrap().kind(), Kind::Vector3);
        }
    }

    #[test]
    fn nothing_panics(bytes in vec(0u8..40, 0..64), cut in 0usize..64) {
        for dialect in Dialect::ALL {
            let _ = from_slice::<Zoo>(*dialect, &bytes);
            let of_any = from_slice::<Variant>(*dialect, &bytes).is_ok();
            prop_assert_eq!(of_any, parse(*dialect, &bytes).is_ok());
        }
        let whole = encode(GODOT_3, &variant!({"name": "a", "position": {"x": 1.5}})).unwrap();
        let mut damaged = whole.clone();
        let place = cut.min(whole.len() - 1);
        damaged[place] = bytes.first().copied().unwrap_or(0xff);
        if from_slice::<Player>(GODOT_3, &damaged).is_ok() {
            prop_assert!(parse(GODOT_3, &damaged).is_ok());
        }
    }
}
