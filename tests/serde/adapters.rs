//! Adapters of other crates between the types and the serializers and deserializers: no information
//! is lost, even if an adapter adds calls.

use crate::common::{recorded_values, unhex, without_path_padding};
use crate::serde::kinds::{PackedAll, packed_all};
use crate::serde::{GODOT_3, GODOT_4};
use gdwire::math::{Color, Transform3D, Vector2, Vector3};
use gdwire::typed::Deserializer;
use gdwire::{
    Dialect, NodePath, Packed, Variant, VariantRef, encode, from_slice, parse, to_vec, variant,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_path_to_error::Track;
use std::fmt::Debug;

/// A type whose parts are written through the adapters of two crates, one inside the other.
struct Through<'a, T>(&'a T);

impl<T: Serialize> Serialize for Through<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut track = Track::new();
        let serializer = serde_path_to_error::Serializer::new(serializer, &mut track);
        erased_serde::serialize(self.0, serializer)
    }
}

/// Reads a type through the same adapters.
fn read<T: DeserializeOwned>(dialect: Dialect, bytes: &[u8]) -> T {
    let mut track = Track::new();
    let mut deserializer = Deserializer::from_slice(dialect, bytes);
    let tracked = serde_path_to_error::Deserializer::new(&mut deserializer, &mut track);
    let mut erased = <dyn erased_serde::Deserializer>::erase(tracked);
    let value = erased_serde::deserialize(&mut erased).unwrap();
    deserializer.end().unwrap();
    value
}

#[track_caller]
fn assert_passes<T: Serialize + DeserializeOwned + PartialEq + Debug>(dialect: Dialect, value: T) {
    let bytes = to_vec(dialect, &value).unwrap();
    assert_eq!(to_vec(dialect, &Through(&value)).unwrap(), bytes, "{value:?}");
    assert_eq!(read::<T>(dialect, &bytes), value);
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct All {
    at: Vector3<f32>,
    wide: Vector3<f64>,
    cell: Option<Vector2<i32>>,
    frames: Vec<Transform3D<f32>>,
    packed: PackedAll,
    any: Variant,
    path: NodePath,
    #[serde(with = "gdwire::typed::string_name")]
    name: String,
    #[serde(with = "gdwire::typed::node_path")]
    target: String,
    #[serde(with = "gdwire::typed::rid")]
    id: u64,
}

fn all() -> All {
    All {
        at: Vector3::new(0.1, 2.0, 3.0),
        wide: Vector3::new(0.5, 2.0, 3.0),
        cell: Some(Vector2::new(1, -2)),
        frames: vec![Transform3D::default()],
        packed: packed_all(),
        any: variant!({"color": Color::new(1.0, 0.5, 0.25, 1.0), 1: [null, ["deep"]]}),
        path: NodePath::from("/root/a:b"),
        name: "jump".into(),
        target: "../Door".into(),
        id: 7,
    }
}

#[test]
fn types_pass_through_adapters() {
    for dialect in [GODOT_4, GODOT_4.with_double_reals()] {
        assert_passes(dialect, all());
        let value = parse(dialect, &to_vec(dialect, &Through(&all())).unwrap()).map(Variant::from);
        let value = value.unwrap();
        assert_eq!(value.get("at").unwrap().kind(), gdwire::Kind::Vector3);
        assert_eq!(value.get("name").unwrap().kind(), gdwire::Kind::StringName);
    }
    assert_passes(Dialect::PANDEMONIUM_5, vec![(Vector3::new(1.0, 2.0, 3.0), packed_all())]);
}

#[test]
fn recorded_values_pass_through_adapters() {
    for (dialect, recorded) in recorded_values() {
        let bytes = unhex(&recorded.hex);
        let view = parse(dialect, &bytes).unwrap();
        let canonical = without_path_padding(view);
        assert_eq!(to_vec(dialect, &Through(&view)).unwrap(), canonical, "{}", recorded.name);
        let owned: Variant = read(dialect, &bytes);
        assert_eq!(to_vec(dialect, &Through(&owned)).unwrap(), canonical, "{}", recorded.name);
        let nested = [Through(&owned)];
        let expected = encode(dialect, &[&owned]).unwrap();
        assert_eq!(to_vec(dialect, &nested).unwrap(), expected, "{}", recorded.name);
    }
}

/// A variant of an internally tagged enum, and flattened fields: serde's own adapters.
#[test]
fn types_pass_through_the_adapters_of_serde() {
    #[derive(Serialize)]
    #[serde(tag = "kind")]
    enum Order<'a> {
        Move { to: Vector3<f32>, any: VariantRef<'a> },
    }
    #[derive(Serialize)]
    struct Flat<'a> {
        #[serde(flatten)]
        order: Order<'a>,
    }
    let any = encode(GODOT_3, &Variant::from(Packed([Vector2::new(1.0, 2.0)]))).unwrap();
    let order = Order::Move { to: Vector3::new(1.0, 2.0, 3.0), any: parse(GODOT_3, &any).unwrap() };
    let bytes = to_vec(GODOT_3, &Flat { order }).unwrap();
    let expected = variant!({
        "kind": "Move",
        "to": Vector3::new(1.0, 2.0, 3.0),
        "any": Packed([Vector2::new(1.0, 2.0)]),
    });
    assert_eq!(from_slice::<Variant>(GODOT_3, &bytes).unwrap(), expected);
}

/// Binary formats get the same values through adapters.
#[test]
fn other_formats_pass_through_adapters() {
    for value in [all().any, all().at.into(), all().path.into()] {
        let plain = rmp_serde::to_vec(&value).unwrap();
        assert_eq!(rmp_serde::to_vec(&Through(&value)).unwrap(), plain);
        let json = serde_json::to_string(&value);
        assert_eq!(serde_json::to_string(&Through(&value)).ok(), json.ok());
    }
}
