//! Types are read back unchanged in every dialect.

use crate::serde::shapes::Order;
use gdwire::math::{Vector2, Vector3};
use gdwire::{Dialect, Kind, encode, from_slice, parse, to_vec};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    #[serde(with = "gdwire::typed::packed")]
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
    fn types_are_read_back_unchanged(zoo in zoo()) {
        for dialect in Dialect::ALL {
            let bytes = to_vec(*dialect, &zoo).unwrap();
            prop_assert_eq!(&from_slice::<Zoo>(*dialect, &bytes).unwrap(), &zoo);
            let value = parse(*dialect, &bytes).unwrap();
            prop_assert_eq!(&encode(*dialect, &value).unwrap(), &bytes);
            prop_assert_eq!(value.get("at").unwrap().kind(), Kind::Vector3);
        }
    }

    #[test]
    fn every_representation_of_an_enum_is_read_back(
        internal in vec(internal(), 0..4),
        adjacent in vec(adjacent(), 0..4),
        untagged in vec(untagged(), 0..4),
        flat in flat(),
    ) {
        for dialect in Dialect::ALL {
            let all = (internal.clone(), adjacent.clone(), untagged.clone(), flat.clone());
            let bytes = to_vec(*dialect, &all).unwrap();
            prop_assert!(parse(*dialect, &bytes).is_ok());
            prop_assert_eq!(from_slice::<All>(*dialect, &bytes).unwrap(), all);
        }
    }

    #[test]
    fn numbers_and_texts_are_read_back(
        integers in any::<(i8, u8, i16, u16, i32, u32, i64)>(),
        wide in (0..=i64::MAX as u64, any::<i64>()),
        reals in any::<(f32, f64)>(),
        text in text(),
    ) {
        let (unsigned, signed) = wide;
        for dialect in Dialect::ALL {
            macro_rules! back {
                ($($type:ty: $value:expr,)*) => {$(
                    let value: $type = $value;
                    let bytes = to_vec(*dialect, &value).unwrap();
                    prop_assert_eq!(from_slice::<$type>(*dialect, &bytes).unwrap(), value);
                )*};
            }
            back! {
                (i8, u8, i16, u16, i32, u32, i64): integers,
                u64: unsigned,
                u128: unsigned.into(),
                i128: signed.into(),
                BTreeMap<i64, u64>: BTreeMap::from([(signed, unsigned)]),
                BTreeMap<char, bool>: text.chars().map(|character| (character, true)).collect(),
                Option<Option<i64>>: Some(Some(signed)),
                [u64; 3]: [unsigned; 3],
            }
            let bytes = to_vec(*dialect, &reals).unwrap();
            let (narrow, wide) = from_slice::<(f32, f64)>(*dialect, &bytes).unwrap();
            prop_assert!(narrow.to_bits() == reals.0.to_bits() || narrow.is_nan() && reals.0.is_nan());
            prop_assert_eq!(wide.to_bits(), reals.1.to_bits());
            let bytes = to_vec(*dialect, &text).unwrap();
            let borrowed: &str = from_slice(*dialect, &bytes).unwrap();
            prop_assert_eq!(borrowed, &text);
            prop_assert_eq!(borrowed.as_ptr(), bytes[8..].as_ptr());
        }
    }
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
#[serde(tag = "type")]
enum Internal {
    Stop,
    Go { by: (i32, f64) },
    Number(Named),
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Named {
    name: String,
    number: Option<i64>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
#[serde(tag = "type", content = "content")]
enum Adjacent {
    Stop,
    Say(String),
    Go(i32, i32),
    To { at: Vector3<f32> },
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
    // This variant must precede the list, because a buffered vector is also a list.
    At(Vector3<f32>),
    List(Vec<bool>),
    Named(Named),
    Nothing,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Flat {
    id: u32,
    #[serde(flatten)]
    named: Named,
    #[serde(flatten)]
    order: Adjacent,
    #[serde(flatten)]
    more: BTreeMap<String, Vec<i16>>,
}

type All = (Vec<Internal>, Vec<Adjacent>, Vec<Untagged>, Flat);

fn named() -> impl Strategy<Value = Named> {
    (text(), any::<Option<i64>>()).prop_map(|(name, number)| Named { name, number })
}

fn place() -> impl Strategy<Value = Vector3<f32>> {
    (-1e6f32..1e6, -1e6f32..1e6, -1e6f32..1e6).prop_map(|(x, y, z)| Vector3::new(x, y, z))
}

fn internal() -> impl Strategy<Value = Internal> {
    prop_oneof![
        Just(Internal::Stop),
        (any::<i32>(), -1e300f64..1e300).prop_map(|by| Internal::Go { by }),
        named().prop_map(Internal::Number),
    ]
}

fn adjacent() -> impl Strategy<Value = Adjacent> {
    prop_oneof![
        Just(Adjacent::Stop),
        text().prop_map(Adjacent::Say),
        any::<(i32, i32)>().prop_map(|(x, y)| Adjacent::Go(x, y)),
        place().prop_map(|at| Adjacent::To { at }),
    ]
}

fn untagged() -> impl Strategy<Value = Untagged> {
    prop_oneof![
        any::<i64>().prop_map(Untagged::Number),
        text().prop_map(Untagged::Text),
        place().prop_map(Untagged::At),
        vec(any::<bool>(), 0..4).prop_map(Untagged::List),
        named().prop_map(Untagged::Named),
        Just(Untagged::Nothing),
    ]
}

fn flat() -> impl Strategy<Value = Flat> {
    let more = btree_map("x[a-z]{0,8}", vec(any::<i16>(), 0..3), 0..3);
    (any::<u32>(), named(), adjacent(), more).prop_map(|(id, named, order, more)| Flat {
        id,
        named,
        order,
        more,
    })
}
