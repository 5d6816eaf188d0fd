//! Types of every shape are written as the engines write such a value.

use crate::serde::{GODOT_3, assert_is};
use gdwire::typed::Deserializer;
use gdwire::{Variant, encode, to_slice, to_vec, variant};
use serde::de::Visitor;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
pub enum Order {
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

/// Bytes as `serde_bytes` has them.
#[derive(PartialEq, Debug)]
struct Blob(Vec<u8>);

impl Serialize for Blob {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Blob, D::Error> {
        struct Bytes;

        impl<'de> Visitor<'de> for Bytes {
            type Value = Blob;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Blob, E> {
                Ok(Blob(bytes.to_vec()))
            }
        }
        deserializer.deserialize_byte_buf(Bytes)
    }
}

#[test]
fn bytes_are_byte_arrays() {
    for length in 0..6 {
        let bytes: Vec<u8> = (250..).take(length).collect();
        assert_is(GODOT_3, Blob(bytes.clone()), Variant::PackedByteArray(bytes));
    }
    let bytes = to_vec(GODOT_3, &Blob(vec![1, 2, 3])).unwrap();
    let borrowed: &[u8] = gdwire::from_slice(GODOT_3, &bytes).unwrap();
    assert_eq!(borrowed, [1, 2, 3]);
    assert_eq!(borrowed.as_ptr(), bytes[8..].as_ptr());
    let text = to_vec(GODOT_3, "abc").unwrap();
    let error = gdwire::from_slice::<Blob>(GODOT_3, &text).unwrap_err();
    assert_eq!(error.to_string(), "expected bytes, found String \"abc\", at byte 0");
}
