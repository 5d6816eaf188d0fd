//! Values of any kind, in the wire format and in other formats.

use crate::common::{recorded_values, unhex, without_path_padding};
use crate::serde::GODOT_4;
use crate::serde::kinds::{PackedAll, packed_all};
use gdwire::math::{Vector2, Vector3};
use gdwire::{
    Array, Dialect, Dictionary, ElementType, Kind, NodePath, Packed, Variant, VariantRef, encode,
    from_slice, parse, to_vec, variant,
};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

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

/// Every kind can be read through `deserialize_any`. Views and owned values give the same JSON.
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
            // An id of 64 bits, which does not fit in an int.
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
            // In JSON, keys are strings.
            (Err(error), Err(other)) => assert_eq!(error.to_string(), other.to_string()),
            (view, owned) => panic!("{}: {view:?} {owned:?}", recorded.name),
        }
    }
}

/// The same JSON with the digits of single precision, because an owned value has its reals in
/// double precision.
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
        "points": Packed([Vector2::new(1.0, 2.0)]),
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
fn views_and_values_are_written_alike_as_messagepack() {
    for (dialect, recorded) in recorded_values() {
        let bytes = unhex(&recorded.hex);
        let view = parse(dialect, &bytes).unwrap();
        let owned = Variant::from(view);
        let of_view = rmp_serde::to_vec(&view).unwrap();
        let of_owned = rmp_serde::to_vec(&owned).unwrap();
        rmp_serde::from_slice::<IgnoredAny>(&of_view).unwrap();
        let read = match rmp_serde::from_slice::<Variant>(&of_owned) {
            Ok(read) => read,
            Err(error) => {
                // An id of 64 bits, which does not fit in an int.
                assert!(error.to_string().contains("fit in 64 bits"), "{}", recorded.name);
                continue;
            }
        };
        // Values with their own kind in MessagePack are read back unchanged.
        if matches!(owned, Variant::Nil | Variant::Bool(_) | Variant::Int(_) | Variant::String(_)) {
            assert_eq!(read, owned, "{}", recorded.name);
            assert_eq!(of_view, of_owned, "{}", recorded.name);
        }
    }
}

/// RON writes the names of newtypes.
#[test]
fn ron_is_read_as_it_is_written() {
    for (ron, value) in [
        ("5", variant!(5)),
        ("true", variant!(true)),
        ("\"x\"", variant!("x")),
        ("[1,[2.5]]", variant!([1, [2.5]])),
        ("{\"a\":1,2:()}", variant!({"a": 1, 2: null})),
    ] {
        assert_eq!(ron::from_str::<Variant>(ron).unwrap(), value, "{ron}");
        assert_eq!(ron::to_string(&value).unwrap(), ron);
        let bytes = encode(GODOT_4, &value).unwrap();
        assert_eq!(ron::to_string(&parse(GODOT_4, &bytes).unwrap()).unwrap(), ron);
    }
    let path: NodePath = ron::from_str("\"a:b\"").unwrap();
    assert_eq!(ron::to_string(&path).unwrap(), "\"a:b\"");
    let vector: Vector3<f32> = ron::from_str("(1.0,2.0,3.0)").unwrap();
    assert_eq!(ron::to_string(&vector).unwrap(), "(1.0,2.0,3.0)");
    assert!(ron::from_str::<VariantRef>("1").is_err());

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Holder {
        any: Variant,
        none: Option<Variant>,
        list: Vec<Variant>,
        #[serde(with = "gdwire::typed::packed")]
        points: Vec<Vector2<f32>>,
        #[serde(with = "gdwire::typed::packed")]
        bytes: Vec<u8>,
        #[serde(with = "gdwire::typed::string_name")]
        name: String,
        #[serde(with = "gdwire::typed::node_path")]
        path: String,
        #[serde(with = "gdwire::typed::rid")]
        id: u64,
    }
    let holder = Holder {
        any: variant!({"a": [1, null]}),
        none: None,
        list: vec![variant!(1), variant!("x")],
        points: vec![Vector2::new(1.0, 2.0)],
        bytes: vec![1, 2],
        name: "n".into(),
        path: "a/b".into(),
        id: 7,
    };
    let ron = ron::to_string(&holder).unwrap();
    assert_eq!(ron::from_str::<Holder>(&ron).unwrap(), holder, "{ron}");
}

#[test]
fn containers_are_fields() {
    #[derive(Serialize, Deserialize, PartialEq, Debug, Default)]
    struct Player {
        inventory: Dictionary,
        log: Array,
    }
    let keys = ElementType::Kind(Kind::String);
    let inventory = Dictionary::from_iter([("sword", variant!([1, null]))]);
    let log: Array = [1, 2].into_iter().collect();
    let mut player = Player { inventory, log };
    let json = r#"{"inventory":{"sword":[1,null]},"log":[1,2]}"#;
    assert_eq!(serde_json::to_string(&player).unwrap(), json);
    assert_eq!(serde_json::from_str::<Player>(json).unwrap(), player);
    let error = serde_json::from_str::<Dictionary>("[1]").unwrap_err();
    assert!(error.to_string().contains("expected a Dictionary"), "{error}");
    let messagepack = rmp_serde::to_vec_named(&player).unwrap();
    assert_eq!(rmp_serde::from_slice::<Player>(&messagepack).unwrap(), player);

    player.inventory = player.inventory.typed(keys, ElementType::Any);
    player.log = player.log.typed(ElementType::Kind(Kind::Int));
    let bytes = to_vec(GODOT_4, &player).unwrap();
    let (inventory, log) = (player.inventory.clone(), player.log.clone());
    let value = variant!({"inventory": inventory, "log": log});
    assert_eq!(bytes, encode(GODOT_4, &value).unwrap());
    assert_eq!(from_slice::<Player>(GODOT_4, &bytes).unwrap(), player);
    let error = from_slice::<Array>(GODOT_4, &bytes).unwrap_err();
    assert_eq!(error.to_string(), "expected an Array, found Dictionary, at byte 0");
    let typed = encode(Dialect::PANDEMONIUM_5, &Variant::TypedArray(player.log.clone())).unwrap();
    assert_eq!(from_slice::<Array>(Dialect::PANDEMONIUM_5, &typed).unwrap(), player.log);
}

/// The elements of packed arrays are not values on the wire, but can be read as values.
#[test]
fn packed_arrays_are_read_as_values() {
    for (array, values) in [
        (Variant::PackedInt32Array(vec![1, 2]), variant!([1, 2])),
        (Variant::PackedFloat64Array(vec![0.5]), variant!([0.5])),
        (Variant::PackedStringArray(vec!["a".into()]), variant!(["a"])),
    ] {
        let bytes = encode(GODOT_4, &array).unwrap();
        let read: Vec<Variant> = from_slice(GODOT_4, &bytes).unwrap();
        assert_eq!(Variant::from(read), values);
    }
}

/// serde buffers the content of such a variant until it is complete.
#[test]
fn values_in_an_enum_in_a_tagged_enum_can_be_written() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(tag = "kind")]
    enum Outer {
        Inner(Inner),
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum Inner {
        Move { to: Vector3<f32>, any: Variant },
    }
    let order = Outer::Inner(Inner::Move { to: Vector3::new(1.0, 2.0, 3.0), any: variant!([1]) });
    let bytes = to_vec(GODOT_4, &order).unwrap();
    let value = variant!({"kind": "Inner", "Move": {"to": [1.0, 2.0, 3.0], "any": [1]}});
    assert_eq!(bytes, encode(GODOT_4, &value).unwrap());
    assert_eq!(from_slice::<Outer>(GODOT_4, &bytes).unwrap(), order);
}

#[test]
fn json_is_read_as_the_nearest_kinds() {
    let json = r#"{"a": [1, -9223372036854775808, 0.5, "x", true, null], "b": {"c": []}}"#;
    let value: Variant = serde_json::from_str(json).unwrap();
    let list = variant!([1, i64::MIN, 0.5, "x", true, null]);
    assert_eq!(value, variant!({"a": list, "b": {"c": []}}));
    let error = serde_json::from_str::<Variant>("18446744073709551615").unwrap_err();
    assert!(error.to_string().contains("18446744073709551615"), "{error}");
}
