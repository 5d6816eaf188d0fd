//! Hostile input: deep nesting, counts without elements, damaged bytes.

use crate::common::{recorded_values, unhex};
use crate::serde::GODOT_3;
use crate::serde::shapes::Order;
use gdwire::math::Vector3;
use gdwire::{
    Dialect, MAX_DEPTH, Problem, ReadOptions, Variant, VariantRef, from_slice, parse, to_vec,
    variant,
};
use proptest::prelude::*;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// This many nested arrays.
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
        // A user's type recurses.
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
        let low = ReadOptions::new(GODOT_3).with_max_depth(100);
        let expected = parse(low, &deeper).unwrap_err();
        let error = from_slice::<Tree>(low, &deeper).unwrap_err();
        assert_eq!(error.as_wire(), Some(&expected));
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn values_beyond_the_depth_limit_are_not_written() {
    /// This many nested sequences around another value.
    struct Nested<T>(u16, T);

    impl<T: Serialize + Copy> Serialize for Nested<T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self.0 {
                0 => self.1.serialize(serializer),
                depth => [Nested(depth - 1, self.1)].serialize(serializer),
            }
        }
    }

    let work = || {
        let most = MAX_DEPTH;
        assert!(to_vec(GODOT_3, &Nested(most, [0; 0])).is_ok());
        assert!(to_vec(GODOT_3, &Nested(most, 1)).is_ok());
        assert!(to_vec(GODOT_3, &Nested(most - 1, &variant!([1]))).is_ok());
        for error in [
            to_vec(GODOT_3, &Nested(most + 1, 1)).unwrap_err(),
            to_vec(GODOT_3, &Nested(most, &variant!([1]))).unwrap_err(),
            to_vec(GODOT_3, &Nested(most - 1, &variant!([[1]]))).unwrap_err(),
            to_vec(GODOT_3, &[parse(GODOT_3, &tower(usize::from(most) + 1)).unwrap(); 2])
                .unwrap_err(),
        ] {
            assert!(error.to_string().contains("more than"), "{error}");
        }
    };
    std::thread::Builder::new().stack_size(16 << 20).spawn(work).unwrap().join().unwrap();
}

/// Types that contain themselves in other ways than a sequence.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only read")]
struct Node {
    next: Option<Box<Node>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only read")]
enum Not {
    Not(Box<Not>),
}

#[derive(Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "only read")]
enum Json {
    List(Vec<Json>),
    Map(BTreeMap<String, Json>),
}

/// This many nested dictionaries, without an end, each of which is the value of that key.
fn chain(key: &str, depth: usize) -> Vec<u8> {
    let mut link = vec![18, 0, 0, 0, 1, 0, 0, 0];
    link.extend(to_vec(GODOT_3, key).unwrap());
    link.repeat(depth)
}

#[test]
fn recursive_types_end_at_the_depth_of_the_reader() {
    let work = || {
        for depth in [1024, 64, 1] {
            let options = ReadOptions::new(GODOT_3).with_max_depth(depth);
            let towers = tower(100_000);
            let too_deep = Some(Problem::TooDeep { limit: depth });
            let problem = |error: gdwire::typed::Error| error.as_wire().map(|wire| wire.problem);
            let of = |result: Result<(), gdwire::typed::Error>| problem(result.unwrap_err());
            assert_eq!(of(from_slice::<Tree>(options, &towers).map(drop)), too_deep);
            assert_eq!(of(from_slice::<Json>(options, &towers).map(drop)), too_deep);
            let nodes = chain("next", 100_000);
            assert_eq!(of(from_slice::<Node>(options, &nodes).map(drop)), too_deep);
            assert_eq!(of(from_slice::<Json>(options, &nodes).map(drop)), too_deep);
            let nots = chain("Not", 100_000);
            assert_eq!(of(from_slice::<Not>(options, &nots).map(drop)), too_deep);
        }
    };
    // For a debug build; 2 MiB are enough for an optimized one.
    std::thread::Builder::new().stack_size(16 << 20).spawn(work).unwrap().join().unwrap();
}

/// Fails with the number of elements that it is asked to reserve memory for.
#[derive(Debug)]
pub(crate) struct Room;

impl<'de> Deserialize<'de> for Room {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Room, D::Error> {
        deserializer.deserialize_seq(Room)
    }
}

impl<'de> Visitor<'de> for Room {
    type Value = Room;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Room, A::Error> {
        Err(serde::de::Error::custom(elements.size_hint().unwrap()))
    }
}

#[test]
fn size_hints_do_not_exceed_the_remaining_bytes() {
    let honest = to_vec(GODOT_3, &[(); 5]).unwrap();
    let error = from_slice::<Room>(GODOT_3, &honest).unwrap_err();
    assert_eq!(error.to_string(), "5, at byte 0");
    let huge = [19, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0];
    let error = from_slice::<Room>(GODOT_3, &huge).unwrap_err();
    assert_eq!(error.to_string(), "2, at byte 0");
    for kind in [19, 18, 20, 21, 22, 23, 24, 25, 26] {
        let bytes = [&[kind][..], &huge[1..]].concat();
        let expected = parse(GODOT_3, &bytes).unwrap_err();
        for error in [
            from_slice::<Variant>(GODOT_3, &bytes).map(drop).unwrap_err(),
            from_slice::<IgnoredAny>(GODOT_3, &bytes).map(drop).unwrap_err(),
            from_slice::<Json>(GODOT_3, &bytes).map(drop).unwrap_err(),
        ] {
            assert_eq!(error.as_wire(), Some(&expected), "{kind}: {error}");
        }
    }
}

/// Asserts that serde reads the same from these bytes as `parse`.
fn assert_agrees(dialect: Dialect, bytes: &[u8]) -> Result<(), TestCaseError> {
    let expected = parse(dialect, bytes);
    let any = from_slice::<Variant>(dialect, bytes);
    let view = from_slice::<VariantRef>(dialect, bytes);
    let ignored = from_slice::<IgnoredAny>(dialect, bytes);
    match expected {
        Ok(value) => {
            prop_assert_eq!(view.unwrap().as_bytes(), value.as_bytes());
            prop_assert!(any.is_ok() && ignored.is_ok());
            let longer = [bytes, &[0]].concat();
            if parse(dialect, &longer).is_err() {
                prop_assert!(from_slice::<Variant>(dialect, &longer).is_err());
            }
        }
        Err(expected) => {
            for error in [any.err(), view.err(), ignored.err()] {
                let error = error.expect("parse refuses it");
                prop_assert_eq!(error.as_wire(), Some(&expected));
            }
            // No type can be read from bytes that are not a value.
            prop_assert!(from_slice::<Message>(dialect, bytes).is_err());
            prop_assert!(from_slice::<Vec<Json>>(dialect, bytes).is_err());
            prop_assert!(from_slice::<BTreeMap<String, f64>>(dialect, bytes).is_err());
            prop_assert!(from_slice::<(i64, String)>(dialect, bytes).is_err());
            prop_assert!(from_slice::<&str>(dialect, bytes).is_err());
            prop_assert!(from_slice::<i64>(dialect, bytes).is_err());
            prop_assert!(from_slice::<Vec<f32>>(dialect, bytes).is_err());
        }
    }
    Ok(())
}

#[derive(Serialize, Deserialize)]
struct Message {
    id: i64,
    name: String,
    at: Vector3<f32>,
    order: Option<Order>,
    #[serde(with = "gdwire::typed::packed")]
    path: Vec<f32>,
    any: Variant,
}

fn message(dialect: Dialect) -> Vec<u8> {
    let message = Message {
        id: i64::MIN,
        name: "a name that is long".into(),
        at: Vector3::new(1.0, 2.0, 3.0),
        order: Some(Order::Go(1, 2)),
        path: vec![0.5; 3],
        any: variant!([{"k": "ß"}, null]),
    };
    to_vec(dialect, &message).unwrap()
}

proptest! {
    #[test]
    fn damaged_values_are_read_as_parse_reads_them(
        which in any::<prop::sample::Index>(),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        end in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let recorded = recorded_values();
        let (dialect, value) = which.get(&recorded);
        for whole in [unhex(&value.hex), message(*dialect)] {
            let mut bytes = whole;
            for (place, byte) in &places {
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
            if let Some(end) = end {
                bytes.truncate(end.index(bytes.len()));
            }
            assert_agrees(*dialect, &bytes)?;
        }
    }

    #[test]
    fn arbitrary_bytes_are_read_as_parse_reads_them(bytes in prop::collection::vec(0u8..40, 0..64)) {
        for dialect in Dialect::ALL {
            assert_agrees(*dialect, &bytes)?;
        }
    }
}
