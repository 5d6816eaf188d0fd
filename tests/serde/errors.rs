//! Errors say what is wrong, in which field and at which byte.

use crate::serde::shapes::Order;
use crate::serde::{GODOT_3, GODOT_4};
use gdwire::math::Vector2;
use gdwire::typed::Error;
use gdwire::typed::ErrorKind;
use gdwire::{
    NodePath, Object, Packed, Problem, Variant, encode, from_slice, from_slice_prefix, parse,
    to_slice, to_vec, variant,
};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;

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
fn errors_name_the_path_and_the_place() {
    let (error, kind) = error_of(variant!({"name": "b", "position": {"x": "far"}}));
    assert_eq!(error.path(), "/players/1/position/x");
    assert!(error.to_string().contains("expected f32, found String \"far\""), "{error}");
    assert_eq!(kind, "String");

    let (error, kind) = error_of(variant!({"name": Vector2::new(1.0, 2.0)}));
    assert_eq!(error.path(), "/players/1/name");
    assert!(error.to_string().contains("expected a string, found Vector2"), "{error}");
    assert_eq!(kind, "Vector2");

    let (error, kind) = error_of(variant!({"name": "b"}));
    assert_eq!(error.path(), "/players/1");
    assert!(error.to_string().contains("missing field `position`"), "{error}");
    assert_eq!(kind, "Dictionary");

    let order = variant!({"Hit": {"target": 300}});
    let (error, _) = error_of(variant!({"name": "b", "position": {"x": 1}, "order": order}));
    assert_eq!(error.path(), "/players/1/order/Hit/target");
    assert!(error.to_string().contains("expected u8, found int 300"), "{error}");

    let (error, _) = error_of(variant!({"name": "b", "position": {"x": [1]}}));
    assert!(error.to_string().contains("expected f32, found Array"), "{error}");

    let (error, _) = error_of(variant!({"name": "b", "position": 3}));
    assert!(error.to_string().contains("expected struct Position, found int 3"), "{error}");

    let map = encode(GODOT_3, &variant!({1: {"a b": true}})).unwrap();
    let error = from_slice::<BTreeMap<i32, BTreeMap<String, i32>>>(GODOT_3, &map).unwrap_err();
    assert_eq!(error.path(), "/1/a b");
    let three = encode(GODOT_3, &variant!([1, 2, 3])).unwrap();
    let error = from_slice::<(i32, i32)>(GODOT_3, &three).unwrap_err();
    assert_eq!(error.to_string(), "the Array is too long: 1 left over, at byte 0");
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
fn errors_of_writing_name_the_path() {
    #[derive(Serialize)]
    struct Outer {
        list: Vec<BTreeMap<&'static str, u64>>,
    }
    let outer = Outer { list: vec![BTreeMap::from([("a", 1), ("b", u64::MAX)])] };
    let error = to_vec(GODOT_3, &outer).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/list/0/b: the integer 18446744073709551615 does not fit in 64 bits with a sign"
    );
    let error = to_vec(GODOT_3, &[Vector2::new(1, 2)]).unwrap_err();
    assert_eq!(error.to_string(), "/0: godot3 has no Vector2i");
    let error = to_vec(GODOT_3, &("a\0", 1)).unwrap_err();
    assert!(error.as_encode().is_some());
    assert_eq!(error.path(), "/0");
}

#[test]
fn integers_that_do_not_fit_are_errors() {
    let beyond = i64::MAX as u64 + 1;
    assert_eq!(
        from_slice::<u64>(GODOT_3, &to_vec(GODOT_3, &(beyond - 1)).unwrap()).unwrap(),
        beyond - 1
    );
    for (error, number) in [
        (to_vec(GODOT_3, &beyond).unwrap_err(), beyond.to_string()),
        (to_vec(GODOT_3, &u128::MAX).unwrap_err(), u128::MAX.to_string()),
        (to_vec(GODOT_3, &(i128::from(i64::MIN) - 1)).unwrap_err(), "-9223372036854775809".into()),
    ] {
        let expected = format!("the integer {number} does not fit in 64 bits with a sign");
        assert_eq!(error.to_string(), expected);
    }
    #[track_caller]
    fn refused<T: DeserializeOwned + Debug>(number: i64, expected: &str) {
        let bytes = encode(GODOT_3, &number).unwrap();
        let error = from_slice::<T>(GODOT_3, &bytes).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("expected {expected}, found int {number}, at byte 0")
        );
    }
    refused::<u8>(256, "u8");
    refused::<i8>(-129, "i8");
    refused::<i32>(1 << 31, "i32");
    refused::<u32>(-1, "u32");
    refused::<u64>(-1, "u64");
    refused::<u128>(i64::MIN, "u128");
}

#[test]
fn a_slice_that_is_too_short_says_how_long_it_must_be() {
    let value = (1, "two", [3.0f64, 0.1], BTreeMap::from([("k", Vector2::new(1.0, 2.0))]));
    let bytes = to_vec(GODOT_3, &value).unwrap();
    for available in 0..bytes.len() {
        let mut slice = vec![0; available];
        let error = to_slice(GODOT_3, &value, &mut slice).unwrap_err();
        let needed = bytes.len();
        let expected = gdwire::encode::EncodeProblem::BufferTooSmall { needed, available };
        assert_eq!(error.as_encode().map(|error| error.problem()), Some(expected));
    }
    let mut slice = vec![0; bytes.len()];
    assert_eq!(to_slice(GODOT_3, &value, &mut slice).unwrap(), bytes.len());
    assert_eq!(slice, bytes);
}

/// A key that is a number is not the index of a field, and bytes are not its name.
#[test]
fn a_key_that_is_not_a_string_is_an_unknown_field() {
    #[derive(Deserialize, PartialEq, Debug)]
    #[serde(default)]
    #[derive(Default)]
    struct Lenient {
        hp: i32,
    }
    #[derive(Deserialize, Debug)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        hp: i32,
    }
    #[derive(Deserialize, Debug)]
    struct Rest {
        hp: i32,
        #[serde(flatten)]
        rest: BTreeMap<u64, i32>,
    }
    #[derive(Deserialize, Debug)]
    enum Order {
        Go(#[expect(dead_code, reason = "only read")] i32),
    }
    let keys = [
        (Variant::Nil, "Nil"),
        (variant!(false), "bool false"),
        (variant!(0), "int 0"),
        (variant!(0.5), "float 0.5"),
        (variant!(Vector2::new(1.0, 2.0)), "Vector2"),
        (Variant::Rid(0), "RID"),
        (Variant::Object(Object::Id(0)), "Object"),
        (variant!(Packed(b"hp".to_vec())), "PackedByteArray"),
        (variant!(["hp"]), "Array"),
        (variant!({"hp": 1}), "Dictionary"),
    ];
    for (key, name) in keys {
        let bytes = encode(GODOT_4, &variant!({(key.clone()): 7})).unwrap();
        assert_eq!(from_slice::<Lenient>(GODOT_4, &bytes).unwrap(), Lenient { hp: 0 }, "{name}");
        let error = from_slice::<Strict>(GODOT_4, &bytes).unwrap_err();
        let expected = format!("unknown field: its key is {name}, which is not text, at byte 8");
        assert_eq!(error.to_string(), expected);
        assert!(from_slice::<Order>(GODOT_4, &bytes).is_err(), "{name}");
        let both = encode(GODOT_4, &variant!({(key): 7, "hp": 5})).unwrap();
        assert_eq!(from_slice::<Lenient>(GODOT_4, &both).unwrap(), Lenient { hp: 5 }, "{name}");
    }
    for (key, number) in [(variant!(1), 1), (Variant::Rid(0), 0)] {
        let bytes = encode(GODOT_4, &variant!({(key): 7, "hp": 5})).unwrap();
        let read = from_slice::<Rest>(GODOT_4, &bytes).unwrap();
        assert_eq!((read.hp, read.rest), (5, BTreeMap::from([(number, 7)])));
    }
    let names = [Variant::StringName("hp".into()), NodePath::from("hp").into()];
    for name in names {
        let bytes = encode(GODOT_4, &variant!({(name): 7})).unwrap();
        assert_eq!(from_slice::<Strict>(GODOT_4, &bytes).unwrap().hp, 7);
    }
    // The keys of a struct in a map, of a map in a struct, and of an enum in a struct.
    #[derive(Deserialize, PartialEq, Debug)]
    struct Outer {
        maps: BTreeMap<i32, Lenient>,
    }
    let value = variant!({0: 1, "maps": {0: {0: 7, "hp": 5}, 1: {}}});
    let bytes = encode(GODOT_4, &value).unwrap();
    let maps = BTreeMap::from([(0, Lenient { hp: 5 }), (1, Lenient { hp: 0 })]);
    assert_eq!(from_slice::<Outer>(GODOT_4, &bytes).unwrap(), Outer { maps });
}

#[test]
fn errors_say_what_sort_of_problem_they_are() {
    #[derive(Deserialize, Debug)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only errors are read")]
    struct Only {
        hp: u8,
    }
    #[derive(Deserialize, Debug)]
    enum Choice {
        One,
        Two,
    }
    let of = |value: Variant| {
        let bytes = encode(GODOT_4, &value).unwrap();
        let error = from_slice::<Only>(GODOT_4, &bytes).unwrap_err();
        (error.kind(), error.to_string())
    };
    use ErrorKind::*;
    assert_eq!(of(variant!({})), (MissingField, "missing field `hp`, at byte 0".into()));
    let text = "/hp: expected u8, found String \"7\", at byte 20";
    assert_eq!(of(variant!({"hp": "7"})), (WrongKind, text.into()));
    let text = "/hp: expected u8, found int 300, at byte 20";
    assert_eq!(of(variant!({"hp": 300})), (OutOfRange, text.into()));
    let (kind, text) = of(variant!({"hp": 3, "mp": 4}));
    assert_eq!(kind, UnknownField);
    assert!(text.contains("unknown field `mp`, expected `hp`"), "{text}");
    let twice = [
        &[27, 0, 0, 0, 2, 0, 0, 0][..],
        &[4, 0, 0, 0, 2, 0, 0, 0, b'h', b'p', 0, 0, 2, 0, 0, 0, 1, 0, 0, 0].repeat(2),
    ];
    let error = from_slice::<Only>(GODOT_4, &twice.concat()).unwrap_err();
    assert_eq!(error.kind(), DuplicateField);
    let kind = |bytes: &[u8]| from_slice::<(u8, u8)>(GODOT_4, bytes).unwrap_err().kind();
    assert_eq!(kind(&encode(GODOT_4, &[1]).unwrap()), WrongLength);
    assert_eq!(kind(&encode(GODOT_4, &[1, 2, 3]).unwrap()), WrongLength);
    assert_eq!(kind(&[99, 0, 0, 0]), Wire);
    let three = encode(GODOT_4, "Three").unwrap();
    let error = from_slice::<Choice>(GODOT_4, &three).unwrap_err();
    assert_eq!(error.kind(), UnknownVariant);
    assert!(error.to_string().contains("`Three`, expected `One` or `Two`"), "{error}");
    assert_eq!(to_vec(GODOT_3, &[Vector2::new(1, 2)]).unwrap_err().kind(), Encode);
    assert_eq!(to_vec(GODOT_3, &u64::MAX).unwrap_err().kind(), OutOfRange);
    let custom = <gdwire::typed::Error as serde::de::Error>::custom("mine");
    assert_eq!(custom.kind(), Other);
    let io = gdwire::typed::Error::from(std::io::Error::other("full"));
    assert_eq!(io.kind(), Io);
}
