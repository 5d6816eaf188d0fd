//! The table of conversions, by every way to read a value as a Rust type.

use crate::serde::{GODOT_3, GODOT_4};
use gdwire::math::Vector3;
use gdwire::view::FromVariant;
use gdwire::{Dialect, Variant, encode, from_slice, from_variant, from_view, parse, variant};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

const TABLE: &str = include_str!("../../src/value/view/conversions.md");

/// For each row of the table, values that every type in it reads, and values that need a large type.
fn samples(row: &str) -> (Vec<Variant>, Vec<Variant>) {
    let large_int = (1 << 53) + 1;
    let vector = |x: f64| Variant::from(Vector3::new(x, 0.25, 3.0));
    match row {
        "null" => (vec![Variant::Nil], vec![]),
        "bool" => (vec![variant!(true)], vec![variant!(false)]),
        "int" => (vec![variant!(7)], vec![variant!(large_int), variant!(i64::MAX)]),
        "float" => {
            (vec![variant!(0.1), variant!(2.0), variant!(f64::INFINITY)], vec![variant!(1e300)])
        }
        "String" => (vec![variant!("a")], vec![variant!("7")]),
        "StringName" => (vec![Variant::StringName("a".into())], vec![]),
        "NodePath" => (vec![gdwire::NodePath::from("a/b:c").into()], vec![]),
        "RID" => (vec![Variant::Rid(7)], vec![Variant::Rid(u64::MAX)]),
        "Vector3, 4 bytes each" => (vec![vector(0.5)], vec![]),
        "Vector3, 8 bytes each" => (vec![vector(0.1)], vec![vector(1e300)]),
        "Vector3i" => (vec![Vector3::new(1, 2, 3).into()], vec![Vector3::new(-1, 300, 3).into()]),
        "Array of three ints" => (vec![variant!([1, 2, 3])], vec![variant!([1, large_int, 3])]),
        "Array of three floats" => {
            (vec![variant!([0.1, 2.0, 3.0])], vec![variant!([1e300, 2.0, 3.0])])
        }
        "PackedByteArray" => (vec![Variant::PackedByteArray(vec![1, 2, 255])], vec![]),
        "PackedInt32Array" => {
            (vec![Variant::PackedInt32Array(vec![1, 2])], vec![Variant::PackedInt32Array(vec![-1])])
        }
        "PackedInt64Array" => {
            let large = Variant::PackedInt64Array(vec![large_int]);
            (vec![Variant::PackedInt64Array(vec![1, 2])], vec![large])
        }
        "PackedFloat32Array" => (vec![Variant::PackedFloat32Array(vec![0.1, 2.0])], vec![]),
        "PackedFloat64Array" => {
            let large = Variant::PackedFloat64Array(vec![1e300]);
            (vec![Variant::PackedFloat64Array(vec![0.1, 2.0])], vec![large])
        }
        row => panic!("no samples of {row}"),
    }
}

/// Reads a value by all ways. They agree on whether it can be read, and as what.
fn reads<T>(value: &Variant) -> bool
where
    T: for<'a> FromVariant<'a> + DeserializeOwned + Debug,
{
    let bytes = encode(GODOT_4, value).unwrap();
    let view = parse(GODOT_4, &bytes).unwrap();
    let outer = encode(GODOT_4, &variant!({"at": [(value.clone())]})).unwrap();
    let outer = parse(GODOT_4, &outer).unwrap();
    let ways = [
        view.to::<T>().ok(),
        outer.at("/at/0").unwrap().to::<T>().ok(),
        outer.get("at").unwrap().get_as::<T>(0).ok(),
        T::from_variant(view).ok(),
        from_slice::<T>(GODOT_4, &bytes).ok(),
        from_view::<T>(view).ok(),
        from_variant::<T>(value).ok(),
    ]
    .map(|read| read.map(|read| format!("{read:?}")));
    let name = std::any::type_name::<T>();
    assert!(ways.iter().all(|way| *way == ways[0]), "{value:?} as {name}: {ways:?}");
    ways[0].is_some()
}

fn reads_as(name: &str, value: &Variant) -> bool {
    match name {
        "bool" => reads::<bool>(value),
        "i64" => reads::<i64>(value),
        "u8" => reads::<u8>(value),
        "f64" => reads::<f64>(value),
        "f32" => reads::<f32>(value),
        "String" => reads::<String>(value),
        "Vector3<f64>" => reads::<Vector3<f64>>(value),
        "Vector3<f32>" => reads::<Vector3<f32>>(value),
        "Vector3<i32>" => reads::<Vector3<i32>>(value),
        "Vec<u8>" => reads::<Vec<u8>>(value),
        "Vec<i64>" => reads::<Vec<i64>>(value),
        "Vec<f64>" => reads::<Vec<f64>>(value),
        "Vec<f32>" => reads::<Vec<f32>>(value),
        name => panic!("no type {name}"),
    }
}

#[test]
fn every_way_to_read_follows_the_table() {
    let mut rows = TABLE.lines().map(|line| -> Vec<&str> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect()
    });
    let types = rows.next().unwrap();
    assert_eq!(types.len(), rows.next().unwrap().len());
    let (mut cells, mut wrong) = (0, Vec::new());
    for row in rows {
        assert_eq!(row.len(), types.len(), "{row:?}");
        let (small, large) = samples(row[0]);
        for (name, cell) in types.iter().zip(&row).skip(1) {
            let small: Vec<bool> = small.iter().map(|value| reads_as(name, value)).collect();
            let large: Vec<bool> = large.iter().map(|value| reads_as(name, value)).collect();
            let found =
                match (small.contains(&true), small.contains(&false), large.contains(&false)) {
                    (true, false, false) => "yes",
                    (true, false, true) => "fits",
                    (false, ..) if !large.contains(&true) => "–",
                    _ => "?",
                };
            if found != *cell {
                wrong.push(format!("{} as {name}: {found}, not {cell}", row[0]));
            }
            cells += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cells > 200);
}

#[test]
fn reals_are_rounded_and_ints_keep_their_value() {
    let bytes = encode(GODOT_3, &0.1).unwrap();
    let value = parse(GODOT_3, &bytes).unwrap();
    assert_eq!((value.to::<f32>(), value.to::<f64>()), (Ok(0.1), Ok(0.1)));
    let bytes = encode(GODOT_3, &1e300).unwrap();
    let error = parse(GODOT_3, &bytes).unwrap().to::<f32>().unwrap_err();
    assert_eq!(error.to_string(), "the float at byte 0 is too large for f32");
    let bytes = encode(GODOT_3, &i64::MAX).unwrap();
    let error = parse(GODOT_3, &bytes).unwrap().to::<f64>().unwrap_err();
    assert_eq!(error.to_string(), "f64 cannot hold the int at byte 0 exactly");
}

/// Writes a value with `Encode` and reads it as the same type.
fn comes_back<T>(dialect: Dialect, value: T)
where
    T: gdwire::Encode + PartialEq + Debug + DeserializeOwned + for<'a> FromVariant<'a>,
{
    let bytes = encode(dialect, &value).unwrap();
    assert_eq!(parse(dialect, &bytes).unwrap().to::<T>().as_ref(), Ok(&value));
    assert_eq!(from_slice::<T>(dialect, &bytes).unwrap(), value);
}

#[test]
fn what_is_encoded_can_be_read_as_the_same_type() {
    for dialect in [GODOT_3, GODOT_4] {
        comes_back(dialect, ());
        comes_back(dialect, (1, "two".to_owned(), 3.5));
        comes_back(dialect, [1_u8, 2, 3]);
        comes_back(dialect, vec![(1_i64, Some(2.5)), (3, None)]);
        comes_back(dialect, BTreeMap::from([(1, vec![true]), (2, vec![])]));
        comes_back(dialect, HashMap::from([("a".to_owned(), [[1.5_f32, 2.0], [3.0, 4.0]])]));
        comes_back(dialect, (Vector3::new(0.5, 1.5, 2.5), Vector3::new(0.1_f32, 0.2, 0.3)));
    }
    let bytes = encode(GODOT_4, &variant!({"a": [1, 2, 3], "b/c": [1, "x"]})).unwrap();
    let value = parse(GODOT_4, &bytes).unwrap();
    let error = value.get_as::<(i32, i32)>("a").unwrap_err();
    assert_eq!(error.to_string(), "/a: expected 2 elements, found 3 in the Array at byte 20");
    let error = value.to::<BTreeMap<String, Vec<i32>>>().unwrap_err();
    assert_eq!(error.path(), "/b~1c/1");
    let error = value.get_as::<[i32; 4]>("a").unwrap_err();
    assert_eq!(error.to_string(), "/a: expected 4 elements, found 3 in the Array at byte 20");
}
