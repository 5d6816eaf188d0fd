//! Writing and reading the literals of the engines.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests are tests"
)]
#![allow(clippy::indexing_slicing, reason = "helpers of tests are tests")]

use crate::common::{assert_same_text, recorded_values, unhex, without_path_padding};
use gdwire::NodePath;
use gdwire::owned::Instance;
use gdwire::text::{Layout, ParseProblem, parse as parse_text, parse_prefix};
use gdwire::{
    Array, Dialect, Dictionary, ElementType, Kind, Object, Signal, Variant, VariantRef, encode,
    parse,
};

const DIALECT: Dialect = Dialect::GODOT_3;

#[test]
fn the_engine_prints_the_same() {
    let mut compared = 0;
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        let value = parse(dialect, &bytes).unwrap();
        let Some(text) = line.text else { continue };
        // On the wire, objects by id have another class than the array requires.
        let text = text.replace("Node]", "EncodedObjectAsID]");
        // Pandemonium writes the third component of these vectors also as the fourth.
        let is_damaged = value.kind() == Kind::PackedVector4iArray;
        if !is_damaged {
            assert_same_text(dialect, &value.to_text(), &text);
        }
        if !text.is_empty() {
            let read = encode(dialect, &parse_text(&text).unwrap()).unwrap();
            assert_same_text(dialect, &parse(dialect, &read).unwrap().to_text(), &text);
        }
        compared += 1;
    }
    assert!(compared > 400, "only {compared}");
}

/// Reads the literal of a value in both layouts, and returns the value.
fn round_trips(value: VariantRef<'_>) -> [Vec<u8>; 2] {
    [Layout::Multiline, Layout::Line].map(|layout| {
        let text = value.display(layout).to_string();
        assert!(layout == Layout::Multiline || text.lines().count() == 1, "{text}");
        let read = parse_text(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        encode(value.dialect(), &read).unwrap()
    })
}

#[test]
fn recorded_values_survive_as_text() {
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        let value = parse(dialect, &bytes).unwrap();
        for read in round_trips(value) {
            assert_eq!(read, without_path_padding(value), "{dialect}: {}", line.name);
        }
    }
}

fn instance(class: &str, properties: &[(&str, Variant)]) -> Variant {
    let properties = properties.iter().map(|(name, value)| (name.to_string(), value.clone()));
    Variant::from(Instance { class: class.to_string(), properties: properties.collect() })
}

#[test]
fn built_values_survive_as_text() {
    let all: String = (1..0x250)
        .filter_map(char::from_u32)
        .chain("\u{2028}😀\u{200b}\u{feff}\u{e0041}".chars())
        .collect();
    let containers = (0..1024).fold(Variant::Nil, |inner, depth| match depth % 2 {
        0 => Variant::Array(vec![inner].into()),
        _ => Variant::Dictionary(Dictionary::from_iter([(inner, 1)])),
    });
    let objects = (0..300).fold(Variant::Nil, |inner, _| instance("Node", &[("child", inner)]));
    for value in [
        Variant::String(all.clone()),
        Variant::from(NodePath::from(format!("/a/{}", all.replace([':', '/'], "")).as_str())),
        Variant::PackedStringArray(vec![String::new(), all]),
        Variant::Float(-0.0),
        Variant::Float(f64::MIN_POSITIVE / 3.0),
        Variant::PackedFloat32Array(vec![-0.0, f32::from_bits(0x15ae_43fd), f32::MAX, 1e-45]),
        Variant::PackedFloat32Array(vec![f32::INFINITY, f32::NEG_INFINITY, f32::NAN]),
        Variant::Array(vec![Variant::Rid(0); 3].into()),
        Variant::Object(Object::Id(u64::MAX)),
        instance("Gradient", &[]),
        instance("a,\"b", &[("x\ny", Variant::Rid(0)), ("", Variant::Bool(true))]),
        instance("EncodedObjectAsID", &[("object_id", Variant::Int(7))]),
        Variant::Array(vec![instance("A", &[("o", instance("B", &[]))]), Variant::Nil].into()),
        containers,
        objects,
    ] {
        let bytes = encode(DIALECT, &value).unwrap();
        for read in round_trips(parse(DIALECT, &bytes).unwrap()) {
            assert_eq!(read, bytes);
        }
    }
}

#[test]
fn objects_are_spelled_as_the_engine_does() {
    let value = instance(
        "Gradient",
        &[
            ("resource_name", Variant::String(String::new())),
            ("offsets", Variant::PackedFloat32Array(vec![0.0, 1.0])),
            ("script", Variant::Nil),
        ],
    );
    let bytes = encode(DIALECT, &value).unwrap();
    assert_eq!(
        parse(DIALECT, &bytes).unwrap().to_text(),
        r#"Object(Gradient,"resource_name":"","offsets":PoolRealArray( 0, 1 ),"script":null)"#
    );
    let bytes = encode(DIALECT, &Variant::Object(Object::Id(1290))).unwrap();
    assert_eq!(parse(DIALECT, &bytes).unwrap().to_text(), "EncodedObjectAsID( 1290 )");
}

/// An array of one element of that type.
fn array(element_type: ElementType, element: Variant) -> Array {
    Array::from(vec![element]).typed(element_type)
}

fn signal() -> Variant {
    Variant::from(Signal { name: "a\n\"b".into(), object_id: u64::MAX })
}

#[test]
fn every_engine_has_its_spelling() {
    const GODOT: Dialect = Dialect::GODOT_4;
    const PANDEMONIUM: Dialect = Dialect::PANDEMONIUM_5;
    let typed = |keys, values| Variant::Dictionary(Dictionary::new().typed(keys, values));
    let class = |name: &str| ElementType::Class(name.into());
    let script = |path: &str| ElementType::Script(path.into());
    let int = ElementType::Kind(Kind::Int);
    for (dialect, value, text) in [
        (GODOT, Variant::StringName("a\n?'\"".into()), r#"&"a\n?\'\"""#),
        (PANDEMONIUM, Variant::StringName("a\n?'\"".into()), r#"@"a\n\?\'\"""#),
        (GODOT, Variant::Rid(0), "RID()"),
        (GODOT, Variant::Rid(u64::MAX), "RID(18446744073709551615)"),
        (PANDEMONIUM, Variant::Rid(0), "RID(  )"),
        (GODOT, Variant::Callable, "Callable()"),
        (GODOT, Variant::from(Signal::default()), "Signal()"),
        (GODOT, signal(), r#"Signal(18446744073709551615, "a\n\"b")"#),
        (GODOT, Variant::Object(Object::Id(7)), "EncodedObjectAsID(7)"),
        (PANDEMONIUM, Variant::Object(Object::Id(7)), "EncodedObjectAsID( 7 )"),
        (GODOT, Variant::Float(f64::NEG_INFINITY), "inf_neg"),
        (GODOT, Variant::PackedInt64Array(vec![i64::MIN, i64::MAX]), {
            "PackedInt64Array(-9223372036854775808, 9223372036854775807)"
        }),
        (GODOT, Variant::PackedByteArray(vec![]), "PackedByteArray()"),
        (PANDEMONIUM, Variant::PackedByteArray(vec![]), "PoolByteArray(  )"),
        (PANDEMONIUM, Variant::PackedByteArray(vec![255, 254]), r#"PoolByteArray( "//4=" )"#),
        (GODOT, Variant::Array(array(int.clone(), 1.into())), "Array[int]([1])"),
        (GODOT, Variant::Array(array(class("Node"), Variant::Nil)), "Array[Node]([null])"),
        (GODOT, Variant::Array(array(class("int"), Variant::Nil)), {
            r#"Array[Object("int")]([null])"#
        }),
        (GODOT, Variant::Array(array(class("Variant"), Variant::Nil)), {
            r#"Array[Object("Variant")]([null])"#
        }),
        (GODOT, Variant::Array(array(class("Resource"), Variant::Nil)), "Array[Resource]([null])"),
        (GODOT, Variant::Array(array(script("res://a.gd"), Variant::Nil)), {
            r#"Array[Resource("res://a.gd")]([null])"#
        }),
        (GODOT, typed(int.clone(), ElementType::Any), "Dictionary[int, Variant]({})"),
        (GODOT, typed(script("a"), class("")), r#"Dictionary[Resource("a"), Object("")]({})"#),
        (PANDEMONIUM, Variant::TypedArray(array(int, 1.into())), "TypedArray( int , 1 )"),
        (PANDEMONIUM, Variant::TypedArray(Array::default()), "TypedArray( Nil ,  )"),
        (
            PANDEMONIUM,
            Variant::TypedArray(array(ElementType::Kind(Kind::Transform3D), Variant::Nil)),
            "TypedArray( Transform , null )",
        ),
        (
            PANDEMONIUM,
            Variant::PackedTypedArray(array(class("A"), Variant::Array(Array::default()))),
            { "PackedTypedArray( A , [  ] )" },
        ),
        (PANDEMONIUM, Variant::TypedArray(array(class("Transform"), Variant::Nil)), {
            r#"TypedArray( Object("Transform") , null )"#
        }),
    ] {
        let bytes = encode(dialect, &value).unwrap();
        let written = parse(dialect, &bytes).unwrap();
        assert_eq!(written.to_text(), text);
        assert_eq!(parse_text(text).unwrap(), value, "{text}");
        assert_eq!(round_trips(written), [bytes.clone(), bytes]);
    }
}

#[test]
fn an_array_of_an_unknown_type_is_spelled_with_variant() {
    // Arrays whose header names a type that does not exist. No engine writes that.
    let array = [28, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0];
    let nested = [&[28, 0, 0, 0, 2, 0, 0, 0][..], &array, &array].concat();
    let text = parse(Dialect::GODOT_4, &nested).unwrap().to_text();
    assert_eq!(text, "[Array[Variant]([5]), Array[Variant]([5])]");
    assert_eq!(parse_text(&text).unwrap(), parse_text("[[5], [5]]").unwrap());
}

#[test]
fn all_engines_spellings_are_read() {
    for (one, other) in [
        ("Quat( 1, 2, 3, 4 )", "Quaternion(1,2,3,4)"),
        ("PoolIntArray( 1, -2 )", " PackedInt32Array ( 1.0,-2 )\n"),
        ("PoolVector2Array( 1, 2 )", "PackedVector2Array(1, 2)"),
        (
            "Transform( 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 )",
            "Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)",
        ),
        ("Color( 1, 2, 3 )", "Color(1, 2, 3, 1)"),
        ("[ -inf.0, inf ]", "[inf_neg, inf]"),
        ("[ -inf, ]", "[-inf]"),
        ("Vector2( inf, -inf )", "Vector2(inf, inf_neg)"),
        ("{\n\n}", "{}"),
        ("{\n\"a\": [  ]\n}", "{ \"a\": [], }"),
        ("NodePath(\"a:b\")", "^\"a:b\""),
        ("RID(  )", "RID()"),
        ("1e+10", "10000000000.0"),
        ("1e5", "100000."),
        ("nil", "null"),
        ("@\"a\"", "StringName(\"a\")"),
        ("&\"a\"", " @ \"a\""),
        ("PoolByteArray( \"AQID\" )", "PackedByteArray(1, 2, 3)"),
        ("PoolByteArray( \"AQI\" )", "PackedByteArray(\"AQI=\")"),
        ("PoolVector2iArray( 1, 2 )", "PackedVector2iArray(1, 2)"),
        ("TypedArray( int ,  )", "TypedArray(int,)"),
        ("TypedArray( Transform , 1 )", "TypedArray( Transform3D , 1, )"),
        ("Array[Variant]([1])", "[1]"),
        ("Array[ int ] ( [ 1, ] )", "Array[int]([1])"),
        ("Dictionary[Variant, Nil]({1: 2})", "{1: 2}"),
        (r#""\ud83d\ude00\U01F600\'\?\x""#, r#""😀😀'?x""#),
    ] {
        let both =
            [one, other].map(|text| parse_text(text).unwrap_or_else(|error| panic!("{error}")));
        assert_eq!(both[0], both[1], "{one}");
    }
    assert_eq!(parse_text("1e5").unwrap().kind(), Kind::Float);
    assert_eq!(parse_text("{1: 1, 1: 2}").unwrap(), parse_text("{1: 2}").unwrap());
}

#[test]
fn several_values_follow_each_other() {
    let (rest, value) = parse_prefix(" [1]\n\t{}2").unwrap();
    assert_eq!((rest, value), ("{}2", Variant::Array(vec![Variant::Int(1)].into())));
    let (rest, value) = parse_prefix(rest).unwrap();
    assert_eq!((rest, value.kind()), ("2", Kind::Dictionary));
    assert_eq!(parse_prefix(rest).unwrap(), ("", Variant::Int(2)));
}

#[test]
fn errors_say_what_and_where() {
    for (text, sentence) in [
        ("", "line 1, column 1: expected a value"),
        ("[1,\n é", "line 2, column 2: expected a value"),
        ("[1 2]", "line 1, column 4: expected `,` or `]`"),
        ("[,]", "line 1, column 2: expected a value"),
        ("{1}", "line 1, column 3: expected `:` and the value of the key"),
        ("{\"é\": 1", "line 1, column 8: expected `,` or `}`"),
        ("1 2", "line 1, column 3: expected the end of the text"),
        ("\"a\\", "line 1, column 4: expected a character after the backslash"),
        ("\"a", "line 1, column 3: expected the `\"` that ends the string"),
        (r#""\u12""#, "line 1, column 4: expected 4 hexadecimal digits"),
        (r#""\ud800""#, "line 1, column 2: half of a surrogate pair is not a character"),
        (r#""\udc00\ud800""#, "line 1, column 2: half of a surrogate pair is not a character"),
        (r#""\UFFFFFF""#, "line 1, column 2: expected a character of Unicode, up to 10ffff"),
        ("9223372036854775808", "line 1, column 1: the number is out of the range of int"),
        (
            "PackedInt64Array(9223372036854775808)",
            "line 1, column 18: the number is out of the range of PackedInt64Array",
        ),
        (
            "PackedInt64Array(0, -9223372036854775809)",
            "line 1, column 21: the number is out of the range of PackedInt64Array",
        ),
        (
            "PackedInt64Array(9223372036854775808.0)",
            "line 1, column 18: the number is out of the range of PackedInt64Array",
        ),
        ("[ 1e999 ]", "line 1, column 3: the number is out of the range of float"),
        ("1e", "line 1, column 3: expected the digits of an exponent"),
        ("--1", "line 1, column 1: expected a number"),
        ("-", "line 1, column 1: expected a number"),
        ("-Vector2", "line 1, column 1: expected a number"),
        ("Vector2", "line 1, column 8: expected `(`"),
        ("Vector2( 1 )", "line 1, column 1: Vector2 needs 2 components, but has 1"),
        (
            "PoolColorArray( 1, 2, 3 )",
            "line 1, column 1: PackedColorArray needs 4 components for each element, but has 3",
        ),
        (
            "PoolByteArray( 1, 256 )",
            "line 1, column 19: the number is out of the range of PackedByteArray",
        ),
        ("PoolIntArray( 1.5 )", "line 1, column 15: expected a whole number"),
        ("Vector2i( 1, -2.5 )", "line 1, column 14: expected a whole number"),
        ("Vector2i( nan, 1 )", "line 1, column 11: expected a whole number"),
        ("Vector2i( 1, 3e9 )", "line 1, column 14: the number is out of the range of Vector2i"),
        ("Vector2i( inf, 1 )", "line 1, column 11: the number is out of the range of Vector2i"),
        (
            "PackedInt64Array( 1e19 )",
            "line 1, column 19: the number is out of the range of PackedInt64Array",
        ),
        ("RID( 1.5 )", "line 1, column 6: expected a whole number"),
        ("PoolRealArray( 1, )", "line 1, column 19: expected a number"),
        ("PoolStringArray( 1 )", "line 1, column 18: expected a string in quotes"),
        ("Foo( 1 )", "line 1, column 1: there is no type with this name"),
        ("int( 1 )", "line 1, column 1: there is no type with this name"),
        ("Object()", "line 1, column 8: expected the name of a class"),
        ("Object(A,1)", "line 1, column 10: expected the name of a property in quotes"),
        ("PoolByteArray( \"A\" )", "line 1, column 16: expected bytes in base64"),
        ("PoolByteArray( \"AA\", 1 )", "line 1, column 20: expected `)`"),
        ("& 1", "line 1, column 3: expected a name in quotes"),
        ("RID( a )", "line 1, column 6: expected a number"),
        ("RID( -1 )", "line 1, column 6: the number is out of the range of RID"),
        ("Callable( 1 )", "line 1, column 11: expected `)`"),
        ("Signal( 1 )", "line 1, column 11: expected `,` and the name of the signal"),
        ("Array( [] )", "line 1, column 6: expected `[` and the type of the elements"),
        ("Array[]( [] )", "line 1, column 7: expected the name of a type"),
        ("Array[Object(1)]([])", "line 1, column 14: expected the name of a class in quotes"),
        ("Array[int]( {} )", "line 1, column 13: expected `[`"),
        ("Array[int]([1]", "line 1, column 15: expected `)`"),
        ("Array[int]([]]", "line 1, column 14: expected `)`"),
        ("Dictionary[int]({})", "line 1, column 15: expected `,` and the type of the values"),
        ("Dictionary[int, int]({}", "line 1, column 24: expected `)`"),
        ("TypedArray( int )", "line 1, column 17: expected `,`"),
        ("TypedArray( int , 1 ]", "line 1, column 21: expected `,` or `)`"),
        ("EncodedObjectAsID( -1 )", "line 1, column 20: the number is out of the range of Object"),
    ] {
        assert_eq!(parse_text(text).unwrap_err().to_string(), sentence, "{text}");
    }
}

#[test]
fn hostile_depth_is_an_error() {
    let too_deep = ParseProblem::TooDeep { limit: gdwire::MAX_DEPTH };
    for opening in [
        "[",
        "{",
        "{1:",
        "[{1:",
        "Object(A,\"b\":",
        "Array[int]([",
        "Dictionary[int, int]({1:",
        "TypedArray( int , ",
    ] {
        let error = parse_text(&opening.repeat(1_000_000)).unwrap_err();
        assert_eq!(error.problem, too_deep, "{opening}");
    }
    // The reader accepts the same depth as the grammar: an empty container has nothing deeper
    // inside.
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse_text(&nested(1025)).is_ok());
    assert_eq!(parse_text(&nested(1026)).unwrap_err().problem, too_deep);
}

#[test]
fn every_cut_text_is_an_error_or_a_value() {
    let text =
        "{ \"a\\u00e9\": [ 1, -2.5e+10, Vector2( 1, 2 ) ], 1: Object(A,\"b\":NodePath(\"c\")) }";
    for end in 0..text.len() {
        assert!(parse_text(&text[..end]).is_err(), "{}", &text[..end]);
    }
    assert!(parse_text(text).is_ok());
}

#[test]
fn debug_shows_only_the_beginning() {
    let value = encode(DIALECT, &Variant::Array(vec![Variant::Float(1.0)].into())).unwrap();
    assert_eq!(format!("{:?}", parse(DIALECT, &value).unwrap()), "[ 1.0 ]");
    let value = encode(DIALECT, &Variant::PackedByteArray(vec![7; 1_000_000])).unwrap();
    let shown = format!("{:?}", parse(DIALECT, &value).unwrap());
    assert!(shown.starts_with("PoolByteArray( 7, 7") && shown.ends_with('…'), "{shown}");
    assert_eq!(shown.chars().count(), 301);
}

#[test]
fn double_reals_keep_their_digits() {
    let dialect = DIALECT.with_double_reals();
    let text = "[ Vector2( 0.1, 0.3333333333333333 ), Color( 1e-300, -0.0, 1, 1 ) ]";
    let bytes = encode(dialect, &parse_text(text).unwrap()).unwrap();
    assert_eq!(parse(dialect, &bytes).unwrap().to_text(), text);
}

#[test]
fn damaged_texts_do_no_harm() {
    for (dialect, text) in [
        (
            DIALECT,
            "{ \"a\\u00e9\\ud83d\\ude00\": [ 1, -2.5e+10, PoolByteArray( 1, 2 ), null ], \
             inf: Object(A,\"b\":NodePath(\"c\")), EncodedObjectAsID( 7 ): -inf.0 }",
        ),
        (
            Dialect::GODOT_4,
            "Dictionary[Object(\"int\"), Variant]({ &\"a\": Array[int]([1, 2]), RID(7): Callable(), \
             Signal(1, \"b\"): inf_neg, 1: Array[Resource(\"c\")]([]), 2: Vector2i(1, -2) })",
        ),
        (
            Dialect::PANDEMONIUM_5,
            "[ TypedArray( int , 1, 2 ), PoolByteArray( \"AAcOFQ==\" ), @\"a\", { RID(  ): inf }, \
             PackedTypedArray( Object(\"Nil\") ,  ), Vector4i( 1, 2, 3, 4 ) ]",
        ),
    ] {
        damaged_text_does_no_harm(dialect, text);
    }
}

fn damaged_text_does_no_harm(dialect: Dialect, text: &str) {
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut read_all = 0;
    for _ in 0..20_000 {
        let mut damaged: Vec<char> = text.chars().collect();
        for _ in 0..=random(3) {
            let from = random(damaged.len());
            match random(3) {
                0 => damaged[from] = text.chars().nth(random(text.len())).unwrap_or('é'),
                1 => drop(damaged.remove(from)),
                _ => damaged.insert(from, ['"', '\\', '(', ']', '}', ',', '😀'][random(7)]),
            }
        }
        let damaged: String = damaged.into_iter().collect();
        match parse_text(&damaged) {
            // A value that was read can be written and read again.
            Ok(value) => {
                // The dialect may lack one of its kinds.
                let Ok(bytes) = encode(dialect, &value) else { continue };
                assert_eq!(round_trips(parse(dialect, &bytes).unwrap()), [bytes.clone(), bytes]);
                read_all += 1;
            }
            Err(error) => assert!(damaged.is_char_boundary(error.offset), "{damaged}: {error}"),
        }
    }
    assert!(read_all > 500, "only {read_all}");
}
