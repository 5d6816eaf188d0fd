//! Finding values by paths, reading them as Rust types, and the errors if something else is there.

use crate::common::{RECORDED, Value, lines, unhex};
use gdwire::encode::{Builder, patch_into};
use gdwire::math::{Color, Rect2, Vector2, Vector3, Vector4};
use gdwire::owned::Instance;
use gdwire::view::{
    AccessError, AccessProblem, ArrayRef, DictionaryRef, NodePathRef, ObjectRef, SignalRef,
    StringsRef, segment,
};
use gdwire::{
    Dialect, Dictionary, F32Le, F64Le, I32Le, I64Le, Kind, MAX_DEPTH, NodePath, Object, Packed,
    ReadOptions, Real, Signal, Variant, VariantRef, View, encode, parse, variant,
};
use proptest::prelude::*;

const GODOT_4: Dialect = Dialect::GODOT_4;
const DOUBLE: Dialect = GODOT_4.with_double_reals();

fn bytes(value: impl Into<Variant>) -> Vec<u8> {
    encode(GODOT_4, &value.into()).unwrap()
}

/// The error as a sentence.
fn sentence<T>(result: Result<T, AccessError>) -> String {
    result.map(drop).unwrap_err().to_string()
}

/// A value with everything that a path can lead through.
fn state() -> Vec<u8> {
    let properties = vec![("hp".to_owned(), variant!(1)), ("hp".to_owned(), variant!(87))];
    bytes(variant!({
        "inventory": [{ "name": "sword" }, null, { "count": "two", "a/b": 1, "~": 2, "~1": 3 }],
        "2": "text",
        2: "int",
        7: { (-1): "minus", 0: "zero" },
        (Variant::StringName("name".into())): "Zoë",
        "boss": (Variant::from(Instance { class: "Boss".into(), properties })),
        "": { "": "empty" },
    }))
}

#[test]
fn keys_may_be_the_longest_numbers() {
    const LONG: i64 = -1_000_000_000_000_000_000;
    let bytes = bytes(variant!({ (i64::MIN): "least", (LONG): "long" }));
    let value = parse(GODOT_4, &bytes).unwrap();
    let found = |path: String| value.pointer(&path).and_then(VariantRef::as_str);
    assert_eq!(found(format!("/{}", i64::MIN)), Some("least"));
    assert_eq!(found(format!("/{LONG}")), Some("long"));
    assert_eq!(found(format!("/{LONG}0")), None);
}

/// Finds the value at the end of a path level by level.
fn found_by_levels<'a>(value: VariantRef<'a>, path: &str) -> Option<VariantRef<'a>> {
    path.split('/').skip(1).try_fold(value, |value, segment| {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        let number = segment.parse::<i64>().ok().filter(|number| number.to_string() == segment);
        match value.view() {
            View::Array(elements) | View::TypedArray(elements) => {
                elements.iter().nth(number?.try_into().ok()?)
            }
            View::Dictionary(entries) => {
                let last = |is: &dyn Fn(VariantRef<'_>) -> bool| {
                    entries.iter().filter(|(key, _)| is(*key)).last().map(|(_, value)| value)
                };
                last(&|key| key.as_str() == Some(&segment))
                    .or_else(|| last(&|key| number.is_some() && key.as_i64() == number))
            }
            View::Object(ObjectRef::Instance(instance)) => instance.get(&segment),
            _ => None,
        }
    })
}

/// Writes nested containers with few different keys, so that keys often occur twice.
fn write_nested(depth: u32, shapes: &mut impl Iterator<Item = u8>, out: &mut Builder<Vec<u8>>) {
    let shape = shapes.next().unwrap_or(0);
    let length = usize::from(shape / 8 % 4);
    match shape % 8 {
        0 | 1 => out.int(shape.into()).unwrap(),
        _ if depth == 0 => out.nil().unwrap(),
        2 | 3 => {
            out.begin_array(length).unwrap();
            (0..length).for_each(|_| write_nested(depth - 1, shapes, out));
            out.end().unwrap();
        }
        4 => {
            out.begin_object("Node", length).unwrap();
            for _ in 0..length {
                out.property(["0", "a", "a/~"][usize::from(shapes.next().unwrap_or(0)) % 3])
                    .unwrap();
                write_nested(depth - 1, shapes, out);
            }
            out.end().unwrap();
        }
        _ => {
            out.begin_dictionary(length).unwrap();
            for _ in 0..length {
                match shapes.next().unwrap_or(0) % 8 {
                    0 | 1 => out.string("0").unwrap(),
                    2 | 3 => out.int(0).unwrap(),
                    4 => out.string("a").unwrap(),
                    5 => out.string("a/~").unwrap(),
                    6 => out.int(1).unwrap(),
                    _ => write_nested(depth - 1, shapes, out),
                }
                write_nested(depth - 1, shapes, out);
            }
            out.end().unwrap();
        }
    }
}

proptest! {
    #[test]
    fn a_path_in_one_pass_finds_the_same_as_level_by_level(
        shapes in proptest::collection::vec(any::<u8>(), 1..200),
        segments in proptest::collection::vec(
            proptest::sample::select(vec!["0", "0", "1", "a", "a~1~0", "2", "-0", "a~0"]), 0..5,
        ),
    ) {
        let mut out = Builder::new(GODOT_4, Vec::new());
        write_nested(5, &mut [6 + 3 * 8].into_iter().chain(shapes), &mut out);
        let packet = out.finish().unwrap();
        let value = parse(GODOT_4, &packet).unwrap();
        for end in 0..=segments.len() {
            let path: String = segments[..end].iter().flat_map(|segment| ["/", segment]).collect();
            let (found, expected) = (value.pointer(&path), found_by_levels(value, &path));
            prop_assert_eq!(found, expected);
            // The same place, and the same end.
            let range = |value: VariantRef<'_>| value.range_in(&packet);
            prop_assert_eq!(found.and_then(range), expected.and_then(range));
            if let Err(error) = value.at(&path) {
                // The error names the first segment that leads nowhere.
                let reached = (0..end)
                    .map(|end| segments[..end].iter().flat_map(|segment| ["/", segment]).collect())
                    .map_while(|path: String| Some((end, found_by_levels(value, &path)?)))
                    .last();
                let (_, reached) = reached.unwrap();
                prop_assert_eq!(error.found, reached.kind());
                prop_assert_eq!(Some(error.offset), range(reached).map(|range| range.start));
            }
        }
    }
}

#[test]
fn a_long_path_is_found_in_one_pass() {
    let depth = 1000;
    // The path enters each level at its start, and most of the bytes are at the innermost level.
    let dictionary = |count: usize, out: &mut Builder<Vec<u8>>| {
        out.begin_dictionary(count).unwrap();
        out.string("0").unwrap();
    };
    for shape in 0..3 {
        let mut out = Builder::new(GODOT_4, Vec::new());
        for _ in 0..depth {
            match shape {
                0 => out.begin_array(2).unwrap(),
                1 => dictionary(2, &mut out),
                _ => {
                    out.begin_object("N", 2).unwrap();
                    out.property("0").unwrap();
                }
            }
        }
        out.begin_array(25_000).unwrap();
        (0..25_000).for_each(|number| out.int(number).unwrap());
        out.end().unwrap();
        for _ in 0..depth {
            match shape {
                0 => {}
                1 => out.string("1").unwrap(),
                _ => out.property("1").unwrap(),
            }
            out.nil().unwrap();
            out.end().unwrap();
        }
        let packet = out.finish().unwrap();
        let value = parse(GODOT_4, &packet).unwrap();
        let path = "/0".repeat(depth) + "/24999";
        let missing = format!("{path}/0");
        // A search that measured the value at each level would take many minutes.
        for _ in 0..50 {
            assert_eq!(value.pointer(&path).and_then(VariantRef::as_i64), Some(24_999));
            assert!(value.at(&missing).is_err());
        }
        let patched = patch_into(value, &path, &7, Vec::new()).unwrap();
        let patched = parse(GODOT_4, &patched).unwrap();
        assert_eq!(patched.pointer(&path).and_then(VariantRef::as_i64), Some(7));
    }
}

#[test]
fn a_text_finds_an_entry_of_a_dictionary_or_a_property_of_an_object() {
    let properties = vec![("hp".into(), variant!(9)), ("name".into(), variant!("Ann"))];
    let packet = bytes(Object::from(Instance { class: "Node".into(), properties }));
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(value.get("hp").and_then(|hp| hp.as_i64()), Some(9));
    assert_eq!(value.get("mp"), None);
    for other in [variant!({"hp": 9}), variant!(9), Object::Id(9).into(), Object::Null.into()] {
        let is_found = matches!(other, Variant::Dictionary(_));
        let packet = bytes(other);
        assert_eq!(parse(GODOT_4, &packet).unwrap().get("hp").is_some(), is_found);
    }
}

/// Each key of the dictionary has its place as its value. Padding may have any content.
#[test]
fn a_text_key_is_found_by_all_of_its_text() {
    let texts = ["", "a", "b", "ab", "abc", "abd", "abcd", "abce", "abcdefgh", "abcdefgi", "äbc"];
    let mut packet = unhex("1b000000");
    packet.extend((2 * texts.len() as u32).to_le_bytes());
    for (place, text) in texts.iter().chain(&texts).enumerate() {
        packet.extend([4u32.to_le_bytes(), (text.len() as u32).to_le_bytes()].concat());
        packet.extend(text.as_bytes());
        packet.resize(packet.len().next_multiple_of(4), 0xff);
        packet.extend([2u32.to_le_bytes(), (place as u32).to_le_bytes()].concat());
    }
    let value = parse(GODOT_4, &packet).unwrap();
    for (place, text) in texts.iter().enumerate() {
        let last = Some((texts.len() + place) as i64);
        assert_eq!(value.get(*text).and_then(|place| place.as_i64()), last, "{text}");
        for other in [format!("{text}\0"), format!("{text}x")] {
            assert_eq!(value.get(&*other), None, "{other}");
        }
    }
}

#[test]
fn a_key_may_be_a_value_of_another_packet() {
    let packet = bytes(variant!({ "name": 1, 7: 2, 8: 3, [7]: 4 }));
    let dictionary = parse(GODOT_4, &packet).unwrap().as_dictionary().unwrap();
    let name = Variant::StringName("name".into());
    for (key, found) in [
        (variant!("name"), Some(1)),
        (name, Some(1)),
        (variant!(7), Some(2)),
        (variant!([7]), Some(4)),
        (variant!([8]), None),
        (variant!(9), None),
    ] {
        let key = bytes(key);
        let key = parse(GODOT_4, &key).unwrap();
        let value = dictionary.get(key);
        assert_eq!(value.and_then(VariantRef::as_i64), found, "{key}");
    }
}

#[test]
fn a_path_that_a_text_spells_has_the_parts_that_engines_read() {
    for (text, shown, is_empty) in [
        ("/root/Main:position:x", "/root/Main:position:x", false),
        ("a//b/", "a/b", false),
        (":x", ":x", false),
        ("a", "a", false),
        ("/", "/", true),
        ("", "", true),
        ("a:b:", "a:b", false),
        ("a::b", "", true),
        ("a:b::c", "", true),
    ] {
        let path = NodePathRef::from(text);
        assert_eq!((path.to_string().as_str(), path.is_empty()), (shown, is_empty), "{text}");
    }
}

#[test]
fn paths_lead_to_elements_keys_and_properties() {
    let packet = state();
    let value = parse(GODOT_4, &packet).unwrap();
    for (path, expected) in [
        ("/inventory/0/name", variant!("sword")),
        ("/inventory/1", variant!(null)),
        ("/inventory/2/a~1b", variant!(1)),
        ("/inventory/2/~0", variant!(2)),
        ("/inventory/2/~01", variant!(3)),
        // If a text and an int fit, the text is found.
        ("/2", variant!("text")),
        ("/7/-1", variant!("minus")),
        ("/7/0", variant!("zero")),
        ("/name", variant!("Zoë")),
        // The last entry with a name is found.
        ("/boss/hp", variant!(87)),
        ("//", variant!("empty")),
    ] {
        let at = value.at(path).unwrap();
        assert_eq!(Variant::from(at.value()), expected, "{path}");
        assert_eq!(value.pointer(path), Some(at.value()), "{path}");
        assert_eq!(at.path(), path);
        let end = at.offset() + at.value().as_bytes().len();
        assert_eq!(&packet[at.offset()..end], at.value().as_bytes(), "{path}");
    }
    assert_eq!(value.at("").unwrap().value(), value);
    assert_eq!(value.as_dictionary().unwrap().get(2).unwrap().as_str(), Some("int"));
}

#[test]
fn a_path_that_leads_nowhere_says_how_far_it_leads() {
    let packet = state();
    let value = parse(GODOT_4, &packet).unwrap();
    let offset = |path: &str| value.at(path).unwrap().offset();
    let item = offset("/inventory/2");
    for (path, missing, problem, at, message) in [
        (
            "/shop",
            "shop",
            AccessProblem::Missing,
            0,
            "the Dictionary at byte 0 has no key \"shop\"",
        ),
        (
            "/shop/2/x",
            "shop",
            AccessProblem::Missing,
            0,
            "the Dictionary at byte 0 has no key \"shop\"",
        ),
        (
            "/2/x",
            "x",
            AccessProblem::NoContainer,
            offset("/2"),
            "there is no \"x\" in the String at byte {}",
        ),
        (
            "/inventory/2/a~1c",
            "a~1c",
            AccessProblem::Missing,
            item,
            "the Dictionary at byte {} has no key \"a/c\"",
        ),
        (
            "/inventory/3",
            "3",
            AccessProblem::Missing,
            offset("/inventory"),
            "the Array at byte {} has no element 3",
        ),
        (
            "/inventory/00",
            "00",
            AccessProblem::Missing,
            offset("/inventory"),
            "the Array at byte {} has no element 00",
        ),
        (
            "/inventory/+0",
            "+0",
            AccessProblem::Missing,
            offset("/inventory"),
            "the Array at byte {} has no element +0",
        ),
        (
            "/inventory/-1",
            "-1",
            AccessProblem::Missing,
            offset("/inventory"),
            "the Array at byte {} has no element -1",
        ),
        (
            "/7/-0",
            "-0",
            AccessProblem::Missing,
            offset("/7"),
            "the Dictionary at byte {} has no key \"-0\"",
        ),
        (
            "/7/00",
            "00",
            AccessProblem::Missing,
            offset("/7"),
            "the Dictionary at byte {} has no key \"00\"",
        ),
        (
            "/boss/mp/x",
            "mp",
            AccessProblem::Missing,
            offset("/boss"),
            "the Object at byte {} has no property \"mp\"",
        ),
    ] {
        let error = value.at(path).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{path}: {}", message.replace("{}", &at.to_string()))
        );
        assert_eq!((error.offset, error.problem, error.path()), (at, problem, path));
        assert_eq!(error.missing_segment(), Some(missing), "{path}");
        assert_eq!(value.pointer(path), None);
    }
    for path in ["inventory", "x/inventory", "/inventory/~", "/inventory/~2", "/~a/~1"] {
        let error = value.at(path).unwrap_err();
        assert_eq!(error.problem, AccessProblem::NoPath, "{path}");
        assert!(error.to_string().starts_with(&format!("{path:?} is not a path")), "{error}");
        assert_eq!((error.missing_segment(), value.pointer(path)), (None, None));
    }
}

#[test]
fn a_segment_is_found_by_its_spelling() {
    for key in ["", "plain", "a/b", "~", "~0", "~1", "/~/~", "2", "Zoë/ü~"] {
        let packet = bytes([(key, 1)].into_iter().collect::<Dictionary>());
        let value = parse(GODOT_4, &packet).unwrap();
        let path = format!("/{}", segment(key));
        assert_eq!(value.at(&path).unwrap().to::<i32>(), Ok(1), "{path}");
    }
}

#[test]
fn the_error_of_a_long_path_keeps_its_end() {
    let packet = bytes(variant!({}));
    let value = parse(GODOT_4, &packet).unwrap();
    let exact = format!("/{}", "ü".repeat(37));
    assert_eq!(exact.len(), 75);
    assert_eq!(value.at(&exact).unwrap_err().path(), exact);
    let longer = format!("/{}/{}/x", "a".repeat(100), "ü".repeat(60));
    let error = value.at(&longer).unwrap_err();
    assert!(error.path().len() <= 76 && error.path().len() > 70, "{error}");
    let end = error.path().strip_prefix('…').unwrap();
    assert!(longer.ends_with(end));
    assert!(size_of::<AccessError>() < 128);
}

macro_rules! assert_types {
    ($($value:expr => $($type:ty: $expected:expr),+;)*) => {$(
        let packet = encode(DOUBLE, &Variant::from($value)).unwrap();
        let value = parse(GODOT_4, &packet).unwrap();
        $(
            assert_eq!(value.to::<$type>(), Ok($expected));
            assert_eq!(value.to::<Option<$type>>(), Ok(Some($expected)));
            // No value can be read as a Vec of AABBs.
            assert!(value.to::<Vec<gdwire::math::Aabb<f64>>>().is_err());
        )+
    )*};
}

#[test]
fn values_are_read_as_rust_types() {
    assert_types! {
        true => bool: true;
        -128 => i8: -128, i16: -128, i32: -128, i64: -128, isize: -128, f32: -128.0, f64: -128.0;
        255 => u8: 255, u16: 255, u32: 255, u64: 255, usize: 255;
        i64::MAX => i64: i64::MAX, u64: i64::MAX as u64;
        0.5 => f32: 0.5, f64: 0.5;
        0.1 => f64: 0.1;
        f64::INFINITY => f32: f32::INFINITY;
        "hi" => &str: "hi", String: "hi".to_owned(), Variant: variant!("hi");
        Variant::StringName("hi".into()) => &str: "hi", String: "hi".to_owned();
        Vector2::new(0.5, 2.0) => Vector2<f32>: Vector2::new(0.5, 2.0), Vector2<f64>: Vector2::new(0.5, 2.0);
        Vector3::new(0.1, 2.0, 3.0) => Vector3<f64>: Vector3::new(0.1, 2.0, 3.0);
        Vector3::new(1, 2, 3) => Vector3<i32>: Vector3::new(1, 2, 3);
        Rect2::new(Vector2::new(1, 2), Vector2::new(3, 4)) => Rect2<i32>: Rect2::new(Vector2::new(1, 2), Vector2::new(3, 4));
        Variant::from(Color::new(0.5_f32, 0.25, 1.0, 0.1)) => Color<f32>: Color::new(0.5, 0.25, 1.0, 0.1);
    }
    let packet = bytes(NodePath::from("/root:x"));
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(value.to::<NodePathRef<'_>>().unwrap().to_string(), "/root:x");
    let packet = bytes(Signal { name: "hit".into(), object_id: 7 });
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(value.to::<SignalRef<'_>>().unwrap().name(), "hit");
    let packet = bytes(Object::Id(7));
    let value = parse(GODOT_4, &packet).unwrap();
    assert!(matches!(value.to::<ObjectRef<'_>>(), Ok(ObjectRef::Id(7))));
    let packet = bytes(variant!([{ "a": 1 }]));
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(value.to::<VariantRef<'_>>(), Ok(value));
    let element = value.to::<ArrayRef<'_>>().unwrap().get(0).unwrap();
    assert_eq!(element.to::<DictionaryRef<'_>>().unwrap().len(), 1);
    for nothing in [variant!(null), Variant::Object(Object::Null)] {
        let packet = bytes(nothing);
        let value = parse(GODOT_4, &packet).unwrap();
        assert_eq!(value.to::<Option<i32>>(), Ok(None));
    }
}

#[test]
fn no_number_changes_silently() {
    for (value, messages) in [
        (
            variant!(300),
            [
                "the int 300 at byte 0 does not fit in u8",
                "expected a String, found an int at byte 0",
            ],
        ),
        (
            variant!(0.1),
            [
                "expected an int, found a float at byte 0",
                "expected a String, found a float at byte 0",
            ],
        ),
    ] {
        let packet = bytes(value);
        let value = parse(GODOT_4, &packet).unwrap();
        assert_eq!(sentence(value.to::<u8>()), messages[0]);
        assert_eq!(sentence(value.to::<&str>()), messages[1]);
    }
    let rounded = |value: Variant| {
        let packet = encode(DOUBLE, &value).unwrap();
        let value = parse(GODOT_4, &packet).unwrap();
        (
            value.to::<f32>().ok(),
            value.to::<Vector2<f32>>().ok(),
            value.to::<Vec<Vector2<f32>>>().ok(),
        )
    };
    assert_eq!(rounded(variant!(0.1)).0, Some(0.1));
    assert_eq!(rounded(variant!((1_i64 << 24) + 1)).0, Some(16_777_216.0));
    assert_eq!(rounded(Vector2::new(0.1, 0.5).into()).1, Some(Vector2::new(0.1, 0.5)));
    let points = vec![Vector2::new(0.1, 0.5)];
    assert_eq!(rounded(Variant::from(Packed(points))).2, Some(vec![Vector2::new(0.1, 0.5)]));
    // Finite numbers stay finite, and ints keep their value.
    let points = vec![Vector2::new(1e300, 0.5)];
    for value in [variant!(1e300), Vector2::new(-1e300, 0.5).into(), Packed(points).into()] {
        assert_eq!(rounded(value), (None, None, None));
    }
    let error = |value: Variant| {
        let packet = encode(DOUBLE, &value).unwrap();
        sentence(parse(GODOT_4, &packet).unwrap().to::<f32>())
    };
    assert_eq!(error(variant!(1e300)), "the float at byte 0 is too large for f32");
    assert_eq!(error(variant!((1_i64 << 53) + 1)), "f32 cannot hold the int at byte 0 exactly");
    let packet = bytes(variant!((1_i64 << 53) + 1));
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(value.to::<f64>().unwrap_err().problem, AccessProblem::Inexact { target: "f64" });
    let packet = bytes(variant!(i64::MAX));
    assert!(parse(GODOT_4, &packet).unwrap().to::<f64>().is_err());
    let packet = bytes(variant!(f64::NAN));
    assert!(parse(GODOT_4, &packet).unwrap().to::<f32>().unwrap().is_nan());
}

#[test]
fn a_nan_keeps_its_sign_and_what_fits_of_its_bits() {
    for (double, single) in [
        (0x7ff8_0000_0000_0000, 0x7fc0_0000),
        (0xfff8_0000_0000_0000, 0xffc0_0000),
        (0xfff8_0000_2000_0000, 0xffc0_0001),
        (0x7ff0_0000_2000_0000, 0x7f80_0001),
    ] {
        assert_eq!(f32::from_f64(f64::from_bits(double)).to_bits(), single, "{double:x}");
        assert_eq!(f32::from_bits(single).to_f64().to_bits(), double, "{single:x}");
    }
    // Without the bits that do not fit, this would be an infinity.
    let small = f64::from_bits(0xfff0_0000_0000_0001);
    assert_eq!(f32::from_f64(small).to_bits(), 0xffc0_0000);
}

#[test]
fn packed_arrays_are_read_in_place_and_as_vectors() {
    let packet = bytes(Variant::PackedByteArray(vec![1, 200]));
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(value.to::<&[u8]>(), Ok(&[1, 200][..]));
    assert_eq!(value.to::<Vec<u8>>(), Ok(vec![1, 200]));
    assert_eq!(value.to::<Vec<i64>>(), Ok(vec![1, 200]));
    assert_eq!(sentence(value.to::<Vec<i8>>()), "/1: the int 200 at byte 9 does not fit in i8");

    let packet = bytes(Variant::PackedInt32Array(vec![1, -1]));
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(value.to::<&[I32Le]>(), Ok(&[I32Le::new(1), I32Le::new(-1)][..]));
    assert_eq!(sentence(value.to::<Vec<u32>>()), "/1: the int -1 at byte 12 does not fit in u32");
    assert_eq!(
        sentence(value.to::<&[I64Le]>()),
        "expected a PackedInt64Array, found a PackedInt32Array at byte 0"
    );

    let packet = bytes(Variant::PackedFloat64Array(vec![0.1, 1e300]));
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(value.to::<Vec<f64>>(), Ok(vec![0.1, 1e300]));
    assert_eq!(
        sentence(value.to::<Vec<f32>>()),
        "/1: the PackedFloat64Array at byte 16 is too large for f32"
    );

    let packet = bytes(Variant::PackedInt64Array(vec![1, (1 << 53) + 1]));
    assert_eq!(
        sentence(parse(GODOT_4, &packet).unwrap().to::<Vec<f64>>()),
        "/1: f64 cannot hold the PackedInt64Array at byte 16 exactly"
    );

    let strings = vec!["a".to_owned(), "b".to_owned()];
    let packet = bytes(Variant::PackedStringArray(strings.clone()));
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(value.to::<Vec<&str>>(), Ok(vec!["a", "b"]));
    assert_eq!(value.to::<Vec<String>>(), Ok(strings));
    let read = value.to::<StringsRef<'_>>().unwrap();
    assert_eq!((read.len(), read.is_empty()), (2, false));
    let packet = bytes(Variant::PackedStringArray(Vec::new()));
    let read = parse(GODOT_4, &packet).unwrap().to::<StringsRef<'_>>().unwrap();
    assert_eq!((read.len(), read.is_empty()), (0, true));

    let points = vec![Vector3::new(0.5, 1.0, 2.0)];
    for (dialect, is_wide) in [(GODOT_4, false), (DOUBLE, true)] {
        for len in 0..=points.len() {
            let packet = encode(dialect, &Packed(&points[..len])).unwrap();
            let read = parse(GODOT_4, &packet).unwrap().as_vector3_array().unwrap();
            assert_eq!((read.len(), read.is_empty()), (len, len == 0));
        }
        let packet = encode(dialect, &Packed(&points)).unwrap();
        let value = parse(GODOT_4, &packet).unwrap();
        assert_eq!(value.to::<Vec<Vector3<f64>>>().unwrap().len(), 1);
        assert_eq!(value.to::<Vec<Vector3<f32>>>(), Ok(vec![Vector3::new(0.5, 1.0, 2.0)]));
        let (single, double) = (value.to::<&[Vector3<F32Le>]>(), value.to::<&[Vector3<F64Le>]>());
        assert_eq!((single.is_ok(), double.is_ok()), (!is_wide, is_wide));
        let wrong = if is_wide { sentence(single) } else { sentence(double) };
        let width = if is_wide { 4 } else { 8 };
        let expected = format!(
            "expected reals of {width} bytes, found a PackedVector3Array with another width at byte 0"
        );
        assert_eq!(wrong, expected);
        let packet = encode(dialect, &Variant::from(Vector4::new(0.5, 1.0, 2.0, 3.0))).unwrap();
        let value = parse(GODOT_4, &packet).unwrap();
        assert_eq!(value.to::<&Vector4<F32Le>>().is_ok(), !is_wide);
        assert_eq!(value.to::<&Vector4<F64Le>>().is_ok(), is_wide);
    }
}

#[test]
fn errors_in_arrays_have_the_path_of_the_element() {
    let packet = bytes(variant!({ "rows": [[1, 2], [3, "four"]] }));
    let value = parse(GODOT_4, &packet).unwrap();
    let error = value.get_as::<Vec<Vec<u8>>>("rows").unwrap_err();
    let element = value.at("/rows/1/1").unwrap();
    assert_eq!((error.path(), error.offset), (element.path(), element.offset()));
    assert_eq!(
        (error.found, error.problem),
        (Kind::String, AccessProblem::WrongKind { expected: Kind::Int })
    );
    assert_eq!(value.at("/rows").unwrap().to::<Vec<Vec<u8>>>(), Err(error));
    assert_eq!(value.at("/rows/0").unwrap().to(), Ok(vec![1_u8, 2]));
    assert_eq!(sentence(value.to::<Vec<u8>>()), "expected an Array, found a Dictionary at byte 0");
}

#[test]
fn fields_are_read_by_key_and_by_index() {
    let packet = bytes(variant!({ "hp": 87, "a/b": 1.5, "at": [1, 2] }));
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(value.get_as("hp"), Ok(87_u8));
    assert_eq!(value.get_as("a/b"), Ok(1.5_f32));
    let at: VariantRef<'_> = value.get_as("at").unwrap();
    assert_eq!(at.get_as(1), Ok(2_i64));
    assert_eq!(at.get_as::<Option<i64>>(2), Ok(None));
    assert_eq!(value.get_as::<Option<i64>>("mp"), Ok(None));
    assert_eq!(sentence(at.get_as::<i64>(2)), "/2: the Array at byte 0 has no element 2");
    assert_eq!(
        sentence(value.get_as::<i32>("a/b")),
        "/a~1b: expected an int, found a float at byte 40"
    );
    // An optional field of a value without fields is an error, not a missing field.
    let hp = value.get("hp").unwrap();
    assert_eq!(
        sentence(hp.get_as::<Option<i64>>("x")),
        "/x: there is no \"x\" in the int at byte 0"
    );
}

#[test]
fn try_into_reads_values_as_rust_types() {
    let packet = bytes(variant!([1, 2]));
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(Vec::<u8>::try_from(value), Ok(vec![1, 2]));
    let first: Result<i32, AccessError> = value.get(0).unwrap().try_into();
    assert_eq!(first, Ok(1));
    assert_eq!(sentence(bool::try_from(value)), "expected a bool, found an Array at byte 0");
}

/// Every value inside another one that a path can name, with its path.
fn named<'a>(value: VariantRef<'a>, path: &str, visit: &mut dyn FnMut(&str, VariantRef<'a>)) {
    visit(path, value);
    if let Some(elements) = value.as_array() {
        for (index, element) in elements.iter().enumerate() {
            named(element, &format!("{path}/{index}"), visit);
        }
    }
    for (key, value) in value.as_dictionary().into_iter().flatten() {
        if let Some(key) = key.as_str().filter(|key| key.len() < 40) {
            named(value, &format!("{path}/{}", segment(key)), visit);
        } else if let Some(key) = key.as_i64() {
            named(value, &format!("{path}/{key}"), visit);
        }
    }
    if let Some(ObjectRef::Instance(instance)) = value.as_object() {
        for (name, value) in instance.properties() {
            named(value, &format!("{path}/{}", segment(name)), visit);
        }
    }
}

#[test]
fn an_error_has_the_path_of_the_value_that_is_cut() {
    let mut checked = 0;
    for (folder, dialect) in RECORDED {
        for line in lines::<Value>(&format!("{folder}/values.ndjson")) {
            let bytes = unhex(&line.hex);
            if bytes.len() > 2000 {
                continue;
            }
            let value = parse(dialect, &bytes).unwrap();
            named(value, "", &mut |path, part| {
                let start = part.as_bytes().as_ptr().addr() - bytes.as_ptr().addr();
                // Cut within its header, and before its last byte.
                for end in [start + 1, start + part.as_bytes().len() - 1] {
                    // The engines read a byte array that lacks its padding.
                    if parse(dialect, &bytes[start..end]).is_ok() {
                        continue;
                    }
                    let cut = &bytes[..end];
                    let error = parse(dialect, cut).unwrap_err();
                    let shown = error.path(dialect, cut).to_string();
                    if end == start + 1 || shown.len() <= path.len() {
                        assert_eq!(shown, path, "{}: {error}", line.name);
                    } else {
                        // The value that is cut lies on this path.
                        assert!(shown.starts_with(&format!("{path}/")), "{shown} is not in {path}");
                    }
                    checked += 1;
                }
            });
        }
    }
    assert!(checked > 1000, "{checked}");
}

#[test]
fn an_error_names_the_part_of_a_value_that_is_cut() {
    for (value, end, expected) in [
        (variant!(1), 3, "byte 0: the input ends inside the header of a value"),
        (variant!(1), 7, "byte 4: the input ends inside the number of an int"),
        (variant!(true), 7, "byte 4: the input ends inside the content of a bool"),
        (variant!("ab"), 7, "byte 4: the input ends inside the length of a string of a String"),
        (variant!("ab"), 9, "byte 8: the input ends inside the text of a String"),
        (variant!([1]), 7, "byte 4: the input ends inside the count of an Array"),
        (NodePath::from("a/b").into(), 15, "byte 8: the input ends inside the count of a NodePath"),
        (
            Variant::PackedInt32Array(vec![1, 2]),
            15,
            "byte 8: the input ends inside the elements of a PackedInt32Array",
        ),
    ] {
        let error = parse(GODOT_4, &bytes(value)[..end]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{expected}: ")), "{error}");
    }
}

#[test]
fn the_path_of_an_error_leads_through_every_container() {
    let shown = |value: Variant, from_end: usize| {
        let mut packet = bytes(value);
        packet.truncate(packet.len() - from_end);
        let error = parse(GODOT_4, &packet).unwrap_err();
        error.path(GODOT_4, &packet).to_string()
    };
    let object = |name: &str, value: Variant| {
        let properties = vec![("first".to_owned(), variant!(1)), (name.to_owned(), value)];
        Variant::from(Instance { class: "Node".into(), properties })
    };
    assert_eq!(shown(variant!(1), 1), "");
    assert_eq!(shown(variant!([[], {}, [1]]), 1), "/2/0");
    assert_eq!(shown(variant!([[], {}, 1]), 1), "/2");
    assert_eq!(shown(variant!({ "a": 1, 2: { "b/c": 3 } }), 1), "/2/b~1c");
    assert_eq!(shown(variant!({ "a": 1, 2: 3 }), 9), "/(key 1)");
    assert_eq!(shown(variant!({ (Vector2::new(1, 2)): 3 }), 1), "/Vector2i(1, 2)");
    assert_eq!(shown(variant!({ 0: 0, [1]: 3 }), 1), "/(entry 1)");
    assert_eq!(shown(variant!({ true: 3 }), 1), "/true");
    assert_eq!(shown(object("hp", variant!([0])), 1), "/hp/0");
    assert_eq!(shown(object("hp", variant!(0)), 9), "/(name 1)");
    // Text from an attacker neither fills nor controls a terminal.
    assert_eq!(shown(variant!({ "\u{1b}[31m\n": 3 }), 1), "/\\u{1b}[31m\\n");
    let long = "ü".repeat(1000);
    assert_eq!(shown(variant!({ (long): 3 }), 1), format!("/{}…", "ü".repeat(40)));
    assert_eq!(shown(variant!({ ("x".repeat(40)): 3 }), 1), format!("/{}", "x".repeat(40)));

    // Bytes after a value have no path.
    let mut packet = bytes(variant!([1]));
    packet.push(0);
    let error = parse(GODOT_4, &packet).unwrap_err();
    assert_eq!(error.path(GODOT_4, &packet).to_string(), "");
    // The value inside the deepest allowed container is too deep.
    let packet = bytes(variant!([0, [0, [0]]]));
    let flat = ReadOptions::new(GODOT_4).with_max_depth(2);
    let error = parse(flat, &packet).unwrap_err();
    assert_eq!(error.path(flat, &packet).to_string(), "/1/1");
    // As deep as it goes.
    let deep = (0..MAX_DEPTH).fold(variant!(1), |inner, _| variant!([inner]));
    assert_eq!(shown(deep, 1), "/0".repeat(MAX_DEPTH.into()));
}
