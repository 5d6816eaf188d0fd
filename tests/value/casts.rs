//! Numbers and texts that are read in place, without a copy or a second check. Miri runs these tests
//! to find undefined behaviour, so they are short.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by a panic")]

use gdwire::math::Vector3;
use gdwire::view::ObjectRef;
use gdwire::walk::{WalkStack, events};
use gdwire::{Dialect, Variant, VariantRef, encode, parse};

/// A value of every kind that has numbers or texts.
const VALUES: &str = r#"[
    true, 7, 1099511627776, 0.5, 0.1, "", "Zoë, the first", &"name", ^"a/b:c", Color(1, 0.5, 0.25, 0),
    Vector2(1, 2), Vector2i(3, 4), Rect2(1, 2, 3, 4), Rect2i(1, 2, 3, 4), Vector3(1, 2, 3),
    Vector3i(1, 2, 3), Vector4(1, 2, 3, 4), Vector4i(1, 2, 3, 4), Plane(0, 1, 0, 2),
    Quaternion(0, 0, 0, 1), AABB(1, 2, 3, 4, 5, 6), Transform2D(1, 0, 0, 1, 5, 6),
    Basis(1, 0, 0, 0, 1, 0, 0, 0, 1), Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 7, 8, 9),
    Projection(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1),
    PackedByteArray(1, 2, 3), PackedInt32Array(1, -2, 3), PackedInt64Array(1, 1099511627776),
    PackedFloat32Array(0.5, 0.25), PackedFloat64Array(0.5, 0.1), PackedVector2Array(1, 2, 3, 4),
    PackedVector3Array(1, 2, 3, 4, 5, 6), PackedVector4Array(1, 2, 3, 4),
    PackedColorArray(1, 0, 0, 1), PackedStringArray("a", "", "Zoë"), [1, "b"], { "key": 1, 2: "é" }
]"#;

/// Calls `check` with these bytes, aligned for all numbers, for some, and for none.
fn at_some_places(bytes: &[u8], check: impl Fn(&[u8])) {
    for shift in [0, 1, 4] {
        let shifted = [&[0; 8][..shift], bytes].concat();
        check(&shifted[shift..]);
    }
}

#[test]
fn every_kind_is_read_and_written_at_some_places() {
    let values: Variant = VALUES.parse().unwrap();
    let values = values.as_array().unwrap();
    let double = Dialect::GODOT_4.with_double_reals();
    for dialect in [Dialect::GODOT_4, double] {
        for value in values {
            let bytes = encode(dialect, value).unwrap();
            at_some_places(&bytes, |bytes| {
                let read = parse(dialect, bytes).unwrap();
                assert_eq!(Variant::from(read), *value);
                assert_eq!(encode(dialect, &read).unwrap(), bytes);
                assert!(!read.to_string().is_empty());
                let (mut stack, mut other) = (WalkStack::new(), WalkStack::new());
                let walked = events(dialect, bytes, &mut other).map(Result::unwrap);
                assert!(read.walk(&mut stack).eq(walked));
            });
        }
    }
}

#[test]
fn packed_arrays_are_borrowed_where_they_are_aligned() {
    let written =
        |value: &str| encode(Dialect::GODOT_4, &value.parse::<Variant>().unwrap()).unwrap();
    let (floats, vectors) =
        (written("PackedFloat32Array(0.5, 0.25)"), written("PackedVector3Array(0.5, 0.25, 1)"));
    let is_aligned =
        |bytes: &[u8]| bytes.as_ptr().addr().is_multiple_of(4) && cfg!(target_endian = "little");
    at_some_places(&floats, |bytes| {
        let floats = parse(Dialect::GODOT_4, bytes).unwrap().as_native_float32_array();
        assert_eq!(floats, is_aligned(bytes).then_some(&[0.5, 0.25][..]));
    });
    at_some_places(&written("PackedInt32Array(7, -8)"), |bytes| {
        let ints = parse(Dialect::GODOT_4, bytes).unwrap().as_native_int32_array();
        assert_eq!(ints, is_aligned(bytes).then_some(&[7, -8][..]));
    });
    at_some_places(&vectors, |bytes| {
        let vectors = parse(Dialect::GODOT_4, bytes).unwrap().as_vector3_array().unwrap();
        let floats = vectors.as_flat_single();
        assert_eq!(floats, is_aligned(bytes).then_some(&[0.5, 0.25, 1.0][..]));
        let vector = Vector3::new(0.5, 0.25, 1.0);
        assert_eq!(vectors.as_native_single(), is_aligned(bytes).then_some(&[vector][..]));
        assert_eq!(vectors.as_native_double(), None);
    });
}

#[test]
fn views_of_objects_are_equal_if_their_classes_and_properties_are() {
    let objects = [
        "Object(Node,\"x\":1,\"y\":2)",
        "Object(Other,\"x\":1,\"y\":2)",
        "Object(Node,\"x\":1,\"y\":3)",
        "Object(Node,\"x\":1)",
    ];
    let bytes = objects
        .map(|object| encode(Dialect::GODOT_4, &object.parse::<Variant>().unwrap()).unwrap());
    let views =
        bytes.each_ref().map(|bytes| match parse(Dialect::GODOT_4, bytes).unwrap().as_object() {
            Some(ObjectRef::Instance(instance)) => instance,
            other => panic!("{other:?}"),
        });
    for (place, one) in views.iter().enumerate() {
        let equal = views.map(|other| *one == other);
        assert_eq!(equal, [0, 1, 2, 3].map(|other| place == other));
    }
}

/// A string, as it is on the wire.
fn string(text: &[u8]) -> Vec<u8> {
    let padding = &[0; 3][..text.len().wrapping_neg() % 4];
    let length = u32::try_from(text.len()).unwrap().to_le_bytes();
    [&4_u32.to_le_bytes()[..], &length, text, padding].concat()
}

/// The text that the engines read, if the bytes are UTF-8 up to their first NUL.
fn expected(text: &[u8]) -> Option<&str> {
    let text = text.split(|byte| *byte == 0).next().unwrap();
    std::str::from_utf8(text).ok().map(|text| text.strip_prefix('\u{feff}').unwrap_or(text))
}

#[test]
fn no_text_is_read_unchecked() {
    let long = "a".repeat(100);
    let texts = [
        &b""[..],
        b"a",
        b"abcdefgh",
        "Zoë".as_bytes(),
        "\u{feff}a".as_bytes(),
        long.as_bytes(),
        b"\xff",
        b"abc\xc3",
        b"abcdefg\xff",
        b"a\0\xff",
        b"\xff\0a",
        b"abcdefgh\xed\xa0\x80",
        &[long.as_bytes(), b"\xff"].concat(),
        &[long.as_bytes(), b"\0\xff"].concat(),
    ];
    for text in texts {
        let (string, expected) = (string(text), expected(text));
        let dictionary = [&[18, 0, 0, 0, 1, 0, 0, 0], &string[..], &string].concat();
        let strings = [&[23, 0, 0, 0, 2, 0, 0, 0], &string[4..], &string[4..]].concat();
        let read = parse(Dialect::GODOT_3, &string).ok();
        assert_eq!(read.and_then(VariantRef::as_str), expected, "{text:x?}");
        for bytes in [&dictionary, &strings] {
            assert_eq!(parse(Dialect::GODOT_3, bytes).is_ok(), expected.is_some(), "{text:x?}");
        }
        let Some(expected) = expected else { continue };
        let entries = parse(Dialect::GODOT_3, &dictionary).unwrap().as_dictionary().unwrap();
        let texts = entries.iter().flat_map(|(key, value)| [key.as_str(), value.as_str()]);
        assert!(texts.eq([Some(expected); 2]), "{text:x?}");
        let strings = parse(Dialect::GODOT_3, &strings).unwrap().as_string_array().unwrap();
        assert!(strings.iter().eq([expected; 2]), "{text:x?}");
    }
}
