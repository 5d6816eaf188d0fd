//! Converting views and owned values to types, and types to owned values.

use crate::common::{recorded_values, unhex};
use crate::serde::kinds::packed_all;
use crate::serde::{GODOT_3, GODOT_4};
use gdwire::math::{Color, Vector3};
use gdwire::{
    Array, ElementType, Kind, Object, Variant, VariantRef, encode, from_variant, from_view, parse,
    to_variant, variant,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Item {
    name: String,
    at: Option<Vector3<f64>>,
    any: Variant,
}

fn item() -> Item {
    Item { name: "arrow".into(), at: Some(Vector3::new(0.1, 1e300, 0.0)), any: variant!([1, {}]) }
}

#[test]
fn types_become_owned_values_and_are_read_back() {
    let value = to_variant(&item()).unwrap();
    assert_eq!(value.get("at"), Some(&Vector3::new(0.1, 1e300, 0.0).into()));
    assert_eq!(value.get("any"), Some(&variant!([1, {}])));
    assert_eq!(from_variant::<Item>(&value).unwrap(), item());
    let packed = to_variant(&packed_all()).unwrap();
    assert_eq!(packed.get("ints").unwrap().kind(), Kind::PackedInt32Array);
    assert_eq!(from_variant::<crate::serde::kinds::PackedAll>(&packed).unwrap(), packed_all());
}

/// Kinds that only one engine has, and reals of any width.
#[test]
fn every_owned_value_stays_unchanged() {
    for (dialect, recorded) in recorded_values() {
        let value = Variant::from(parse(dialect, &unhex(&recorded.hex)).unwrap());
        let bytes = encode(dialect, &value).unwrap();
        let to = to_variant(&value).unwrap();
        assert_eq!(encode(dialect, &to).unwrap(), bytes, "{}", recorded.name);
        let from: Variant = from_variant(&value).unwrap();
        assert_eq!(encode(dialect, &from).unwrap(), bytes, "{}", recorded.name);
    }
    let array = [1, 2].into_iter().collect::<Array>().typed(ElementType::Kind(Kind::Int));
    for value in [
        Color::new(0.1f64, 1e300, 0.0, 1.0).into(),
        Variant::TypedArray(array.clone()),
        Variant::Array(array),
        Variant::Rid(u64::MAX),
        Variant::Object(Object::Id(u64::MAX)),
        Variant::Callable,
        variant!({ ({}): 1, ({}): 2 }),
    ] {
        assert_eq!(to_variant(&value).unwrap(), value);
        assert_eq!(from_variant::<Variant>(&value).unwrap(), value);
    }
}

#[test]
fn a_part_of_a_view_is_read() {
    #[derive(Deserialize, PartialEq, Debug)]
    struct Named<'a> {
        name: &'a str,
        #[serde(borrow)]
        list: VariantRef<'a>,
    }
    let bytes = encode(GODOT_3, &variant!([null, {"name": "x", "list": [1]}])).unwrap();
    let value = parse(GODOT_3, &bytes).unwrap();
    let named: Named = from_view(value.get(1).unwrap()).unwrap();
    assert_eq!((named.name, from_view::<Vec<i32>>(named.list).unwrap()), ("x", vec![1]));
    assert!(bytes.as_ptr_range().contains(&named.name.as_ptr()));
    let error = from_view::<Vec<i32>>(value.get(1).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "expected a sequence, found Dictionary, at byte 0");
}

#[test]
fn errors_of_owned_values_have_a_path_and_no_offset() {
    let error = from_variant::<Vec<(i32, bool)>>(&variant!([[1, true], [2, "x"]])).unwrap_err();
    assert_eq!(error.to_string(), "/1/1: expected a boolean, found String \"x\"");
    assert_eq!((error.path(), error.offset()), ("/1/1", None));
    assert!(from_variant::<String>(&"a\0".into()).is_err());
    let error = to_variant(&[("a", u64::MAX)]).unwrap_err();
    assert_eq!(error.path(), "/0/1");
}

/// An error in a value inside a type has the paths of both.
#[test]
fn errors_in_values_have_their_path() {
    let item = Item { any: variant!({"cells": [(gdwire::math::Vector2::new(1, 2))]}), ..item() };
    let error = gdwire::to_vec(GODOT_4, &(1, &item)).map(drop);
    error.unwrap();
    let item = Item { at: None, ..item };
    let error = gdwire::to_vec(GODOT_3, &(1, &item)).unwrap_err();
    assert_eq!(error.to_string(), "/1/any: /cells/0: godot3 has no Vector2i");
}
