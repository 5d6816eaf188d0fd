//! Writing and reading both kinds of JSON.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use crate::common::{recorded_values, unhex, without_path_padding};
use gdwire::NodePath;
use gdwire::json::{ParseProblem, parse as parse_json, to_plain_string, to_string, write_plain};
use gdwire::math::{Basis, Vector2, Vector3};
use gdwire::owned::Instance;
use gdwire::{
    Array, Dialect, Dictionary, ElementType, Kind, Object, Signal, Variant, View, encode, parse,
};

const DIALECT: Dialect = Dialect::GODOT_3;

fn json(value: &Variant) -> String {
    to_string(parse(DIALECT, &encode(DIALECT, value).unwrap()).unwrap())
}

fn instance(class: &str, properties: &[(&str, Variant)]) -> Variant {
    let properties = properties.iter().map(|(name, value)| (name.to_string(), value.clone()));
    Variant::from(Instance { class: class.to_string(), properties: properties.collect() })
}

#[test]
fn recorded_values_survive_as_json() {
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        let value = parse(dialect, &bytes).unwrap();
        let text = to_string(value);
        // Other readers accept it, too.
        serde_json::from_str::<serde_json::Value>(&finite(&text)).unwrap();
        let read = parse_json(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(encode(dialect, &read).unwrap(), without_path_padding(value), "{}", line.name);
    }
}

/// JSON with strings in place of infinite numbers, which serde_json does not read.
fn finite(json: &str) -> String {
    json.replace("-1e99999", "\"-inf\"").replace("1e99999", "\"inf\"")
}

/// `JSON.stringify` of different versions of Godot 4.
#[test]
fn infinities_and_nan_are_read_in_every_spelling() {
    for spellings in [
        [
            r#"{"type":"Vector2","args":[1e99999,-1e99999]}"#,
            r#"{"type":"Vector2","args":["inf","-inf"]}"#,
        ],
        [
            r#"{"type":"PackedFloat32Array","args":[1e99999]}"#,
            r#"{"type":"PackedFloat32Array","args":["inf"]}"#,
        ],
        [r#"["f:1e99999","f:-1e99999"]"#, r#"["f:inf","f:-inf"]"#],
        [
            r#"{"type":"Vector3","args":[1,null,"nan"]}"#,
            r#"{"type":"Vector3","args":[1,"nan",null]}"#,
        ],
    ] {
        let [one, other] = spellings.map(|text| json(&parse_json(text).unwrap()));
        assert_eq!(one, other);
    }
}

/// The engine writes some control characters as they are, and one with a letter.
#[test]
fn control_characters_of_the_engine_are_read() {
    let text = "[\"s:\u{1}\\v\\\\v\u{1f}\",\n \"s:\u{1b}[0m\",true,}";
    let error = parse_json(text).unwrap_err().to_string();
    assert!(error.starts_with("line 2, column 16: "), "{error}");
    let text = text.replace(",}", "]");
    let expected = r#"["s:\u0001\u000b\\v\u001f","s:\u001b[0m",true]"#;
    assert_eq!(parse_json(&text).unwrap(), parse_json(expected).unwrap());
    for invalid in ["\u{1}", "[\u{1}]", "\\v"] {
        assert!(parse_json(invalid).is_err());
    }
}

#[test]
fn the_engine_writes_the_same() {
    let mut compared = 0;
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        let value = parse(dialect, &bytes).unwrap();
        let Some(native) = line.native else { continue };
        // The engine writes a bare `inf`, which is not JSON, and null for types that are classes.
        let Ok(engines) = serde_json::from_str(&finite(&native)) else { continue };
        if native == "null" && !value.is_nil() {
            continue;
        }
        let engines = rounded(dialect, &engines, "");
        let ours = |value| {
            let json = serde_json::from_str(&finite(&to_string(value))).unwrap();
            rounded(dialect, &json, "")
        };
        assert_eq!(ours(value), engines, "{}", line.name);
        let read = encode(dialect, &parse_json(&native).unwrap()).unwrap();
        assert_eq!(ours(parse(dialect, &read).unwrap()), engines, "{}", line.name);
        compared += 1;
    }
    assert!(compared > 250, "only {compared}");
}

/// JSON with numbers rounded to the 15 digits that the engine writes.
fn rounded(dialect: Dialect, json: &serde_json::Value, type_name: &str) -> serde_json::Value {
    use serde_json::Value::{Array, Number, Object, String};
    match json {
        Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap();
            let is_single = match type_name {
                "Color" | "PackedColorArray" | "PackedFloat32Array" => true,
                "PackedFloat64Array" => false,
                _ => !dialect.has_double_reals(),
            };
            // The engine widens singles before it counts digits.
            let number = if is_single { f64::from(number as f32) } else { number };
            format!("{number:.14e}").into()
        }
        String(text) if text.starts_with("f:") => {
            let number: f64 = text[2..].parse().unwrap();
            // The engine writes no exponents, and so loses what is very small.
            format!("f:{:.14e}", if number.abs() < 1e-15 { 0.0 } else { number }).into()
        }
        Array(items) => items.iter().map(|item| rounded(dialect, item, type_name)).collect(),
        Object(fields) => {
            let type_name = fields["type"].as_str().unwrap();
            let fields = fields.iter();
            fields.map(|(name, field)| (name.clone(), rounded(dialect, field, type_name))).collect()
        }
        other => other.clone(),
    }
}

#[test]
fn values_are_spelled_as_godot_4_spells_them() {
    let vector = |x, y, z| Vector3::new(x, y, z);
    for (value, text) in [
        (Variant::Nil, "null"),
        (Variant::Bool(true), "true"),
        (Variant::Int(-42), r#""i:-42""#),
        (Variant::Float(1.0), r#""f:1.0""#),
        (Variant::Float(f64::INFINITY), r#""f:inf""#),
        (Variant::Float(f64::NEG_INFINITY), r#""f:-inf""#),
        (Variant::Float(f64::NAN), r#""f:nan""#),
        (Variant::String("a\"b\\\n\u{1}é😀".into()), r#""s:a\"b\\\n\u0001é😀""#),
        (Variant::from(NodePath::from("/root/A:b:c")), r#""np:/root/A:b:c""#),
        (Variant::Rid(0), r#"{"type":"RID"}"#),
        (Variant::Object(Object::Null), "null"),
        (Variant::Object(Object::Id(1290)), r#"{"type":"Object","id":"i:1290"}"#),
        (
            instance("Gradient", &[("offsets", Variant::Int(1)), ("script", Variant::Nil)]),
            r#"{"type":"Gradient","props":["offsets","i:1","script",null]}"#,
        ),
        (Variant::from(Vector2::new(1.5, -0.0)), r#"{"type":"Vector2","args":[1.5,-0.0]}"#),
        (
            Variant::from(Vector2::new(f64::NAN, f64::NEG_INFINITY)),
            r#"{"type":"Vector2","args":["nan",-1e99999]}"#,
        ),
        (
            Basis::from_axes(vector(1.0, 2.0, 3.0), vector(4.0, 5.0, 6.0), vector(7.0, 8.0, 9.0))
                .into(),
            r#"{"type":"Basis","args":[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0]}"#,
        ),
        (Variant::Array(vec![].into()), "[]"),
        (Variant::Array(vec![Variant::Array(vec![1.into()].into())].into()), r#"[["i:1"]]"#),
        (Variant::Dictionary(Dictionary::new()), r#"{"type":"Dictionary","args":[]}"#),
        (Variant::PackedByteArray(vec![0, 255]), r#"{"type":"PackedByteArray","args":[0,255]}"#),
        (
            Variant::PackedInt32Array(vec![i32::MIN, 7]),
            r#"{"type":"PackedInt32Array","args":[-2147483648,7]}"#,
        ),
        (
            Variant::PackedFloat32Array(vec![1e10, 0.1, 1e-45]),
            r#"{"type":"PackedFloat32Array","args":[10000000000.0,0.1,1e-45]}"#,
        ),
        (
            Variant::PackedStringArray(vec!["s:a".into(), String::new()]),
            r#"{"type":"PackedStringArray","args":["s:a",""]}"#,
        ),
    ] {
        assert_eq!(json(&value), text);
        let bytes = encode(DIALECT, &parse_json(text).unwrap()).unwrap();
        assert_eq!(bytes, encode(DIALECT, &value).unwrap(), "{text}");
    }
}

#[test]
fn the_other_kinds_are_spelled_as_godot_4_spells_them() {
    const GODOT: Dialect = Dialect::GODOT_4;
    const PANDEMONIUM: Dialect = Dialect::PANDEMONIUM_5;
    let array = |element_type| Array::from(vec![Variant::Nil]).typed(element_type);
    let class = |name: &str| ElementType::Class(name.into());
    let typed = |keys, values| Variant::Dictionary(Dictionary::new().typed(keys, values));
    let signal = Signal { name: "i:\"".into(), object_id: u64::MAX };
    for (dialect, value, text) in [
        (GODOT, Variant::StringName("s:a".into()), r#""sn:s:a""#),
        (GODOT, Variant::Callable, r#"{"type":"Callable"}"#),
        (GODOT, Variant::Rid(7), r#"{"type":"RID","id":"i:7"}"#),
        (GODOT, Variant::from(Signal::default()), r#"{"type":"Signal"}"#),
        (
            GODOT,
            Variant::from(signal),
            r#"{"type":"Signal","name":"i:\"","id":"i:18446744073709551615"}"#,
        ),
        (
            GODOT,
            Variant::PackedInt64Array(vec![i64::MIN, i64::MAX]),
            r#"{"type":"PackedInt64Array","args":[-9223372036854775808,9223372036854775807]}"#,
        ),
        (
            GODOT,
            Variant::Array(array(class("Node"))),
            r#"{"type":"Array","elem_type":"Node","args":[null]}"#,
        ),
        (
            GODOT,
            Variant::Array(array(class("int"))),
            r#"{"type":"Array","elem_type":"class:int","args":[null]}"#,
        ),
        (
            GODOT,
            typed(ElementType::Script("res://a.gd".into()), ElementType::Kind(Kind::Object)),
            r#"{"type":"Dictionary","key_type":"res://a.gd","value_type":"Object","args":[]}"#,
        ),
        (
            GODOT,
            typed(ElementType::Any, ElementType::Script("a".into())),
            r#"{"type":"Dictionary","value_type":"script:a","args":[]}"#,
        ),
        (
            PANDEMONIUM,
            Variant::TypedArray(array(ElementType::Kind(Kind::PackedVector2iArray))),
            r#"{"type":"TypedArray","elem_type":"PackedVector2iArray","args":[null]}"#,
        ),
        (
            PANDEMONIUM,
            Variant::PackedTypedArray(Array::default()),
            r#"{"type":"PackedTypedArray","args":[]}"#,
        ),
    ] {
        let bytes = encode(dialect, &value).unwrap();
        assert_eq!(to_string(parse(dialect, &bytes).unwrap()), text);
        assert_eq!(parse_json(text).unwrap(), value, "{text}");
    }
    // An array whose header names a type that does not exist. No engine writes that.
    let bytes = [28, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0];
    let text = to_string(parse(GODOT, &bytes).unwrap());
    assert_eq!(text, r#"{"type":"Array","args":["i:5"]}"#);
    assert_eq!(parse_json(text).unwrap(), parse_json(r#"["i:5"]"#).unwrap());
}

/// The rows of the table in the documentation: a kind, its native JSON and its plain JSON.
fn documented() -> Vec<[&'static str; 3]> {
    let docs = include_str!("../../src/format/json/mod.rs").lines();
    let cells = |line: &'static str| {
        let mut cells = line.strip_prefix("//! | ")?.strip_suffix(" |")?.split(" | ");
        let kind = cells.next()?;
        let mut code = || cells.next()?.strip_prefix('`')?.strip_suffix('`');
        Some([kind, code()?, code()?])
    };
    docs.filter_map(cells).collect()
}

#[test]
fn each_kind_is_spelled_as_documented() {
    let rows = documented();
    for [kind, native, plain] in &rows {
        let value = parse_json(native).unwrap();
        let dialects = [Dialect::GODOT_4, Dialect::PANDEMONIUM_5];
        let encoded = dialects.map(|dialect| Some((dialect, encode(dialect, &value).ok()?)));
        let (dialect, bytes) = encoded.into_iter().flatten().next().unwrap();
        let value = parse(dialect, &bytes).unwrap();
        assert_eq!(value.kind().name(), kind.split(' ').next().unwrap());
        assert_eq!(to_string(value), *native);
        assert_eq!(to_plain_string(value), *plain, "{kind}");
        assert!(serde_json::from_str::<serde_json::Value>(plain).is_ok(), "{plain}");
    }
    for kind in Kind::ALL {
        let has_row = rows.iter().any(|[name, ..]| *name == kind.name());
        assert!(has_row, "src/format/json/mod.rs has no row for {kind}");
    }
}

fn plain(dialect: Dialect, value: &Variant) -> String {
    to_plain_string(parse(dialect, &encode(dialect, value).unwrap()).unwrap())
}

#[test]
fn keys_that_are_not_strings_are_literals_distinct_from_strings() {
    fn key(key: impl Into<Variant>) -> Variant {
        key.into()
    }
    let vector = || Variant::from(Vector2::new(1.0, 2.5));
    let list = || Variant::Array(vec![Variant::from("a"), Variant::Rid(7)].into());
    let path = || Variant::from(NodePath::from("/root/A"));
    for (keys, expected) in [
        (vec![key("a\"b"), Variant::StringName("c".into())], r#"{"a\"b":0,"c":1}"#),
        (
            vec![key(1), key(-1.0), key(true), Variant::Nil, vector(), path()],
            r#"{"1":0,"-1.0":1,"true":2,"null":3,"Vector2(1, 2.5)":4,"NodePath(\"/root/A\")":5}"#,
        ),
        // A key may be a container. Nothing inside it is a key of the object.
        (
            vec![list(), key(Dictionary::from_iter([("x", 1)]))],
            r#"{"[\"a\", RID(7)]":0,"{ \"x\": 1 }":1}"#,
        ),
        // A string keeps its text, whether it comes first or last.
        (vec![key("1"), key(1)], r#"{"1":0,"int(1)":1}"#),
        (vec![key(1), key(2), key("1")], r#"{"int(1)":0,"2":1,"1":2}"#),
        (
            vec![key("int(1)"), key(1), key("1"), key("int(1)#2"), key("null"), Variant::Nil],
            r#"{"int(1)":0,"int(1)#3":1,"1":2,"int(1)#2":3,"null":4,"Nil(null)":5}"#,
        ),
    ] {
        let entries: Dictionary = keys.into_iter().zip(0_i64..).collect();
        let inner = plain(Dialect::GODOT_4, &Variant::Dictionary(entries.clone()));
        assert_eq!(inner, expected);
        // Each dictionary is spelled independently.
        let outer = Dictionary::from_iter([
            (key("1"), Variant::Dictionary(entries)),
            (key("2"), Variant::Dictionary(Dictionary::from_iter([(2, "1")]))),
        ]);
        let outer =
            plain(Dialect::GODOT_4, &Variant::Array(vec![Variant::Dictionary(outer)].into()));
        assert_eq!(outer, format!(r#"[{{"1":{expected},"2":{{"2":"1"}}}}]"#));
    }
}

#[test]
fn plain_json_is_json_of_the_same_shape() {
    let mut out = Vec::new();
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        let value = parse(dialect, &bytes).unwrap();
        out.clear();
        write_plain(value, &mut out).unwrap();
        assert_eq!(to_plain_string(value).as_bytes(), out);
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        match value.view() {
            View::Dictionary(entries) => {
                assert_eq!(json.as_object().unwrap().len(), entries.len(), "{json}");
            }
            View::Array(array) => assert_eq!(json.as_array().unwrap().len(), array.len()),
            View::String(text) => assert_eq!(json.as_str(), Some(text)),
            View::Int(number) => assert_eq!(json.as_i64(), Some(number)),
            View::Float(number) if number.is_finite() => {
                assert_eq!(to_plain_string(value).parse(), Ok(number));
            }
            _ => {}
        }
    }
}

#[test]
fn hostile_keys_do_no_harm() {
    // Many string keys that equal the spellings of many other keys, and dictionaries as keys of
    // dictionaries.
    let count = 20_000_i64;
    let texts = (0..count).map(|number| Variant::from(format!("int(1)#{number}")));
    let others = (0..count).map(|_| Variant::from(1));
    let keys = [Variant::from("1"), Variant::from("int(1)")].into_iter().chain(texts).chain(others);
    let wide = Variant::Dictionary(keys.zip(0_i64..).collect());
    let deep = (0..1000).fold(Variant::from(1), |inner, _| {
        Variant::Dictionary(Dictionary::from_iter([(inner, Variant::Nil), ("1".into(), 1.into())]))
    });
    for value in [wide, deep] {
        let text = plain(Dialect::GODOT_4, &value);
        assert!(text.len() < 4_000_000, "{}", text.len());
        assert!(text.starts_with('{') && text.ends_with('}'));
    }
}

#[test]
fn transforms_are_spelled_by_their_axes() {
    let text = r#"{"type":"Transform3D","args":[1,2,3,4,5,6,7,8,9,10,11,12]}"#;
    let literal = "Transform( 1, 4, 7, 2, 5, 8, 3, 6, 9, 10, 11, 12 )";
    assert_eq!(parse_json(text).unwrap(), gdwire::text::parse(literal).unwrap());
}

#[test]
fn built_values_survive_as_json() {
    let containers =
        (0..1024).fold(Variant::PackedByteArray(vec![1]), |inner, depth| match depth % 2 {
            0 => Variant::Array(vec![inner].into()),
            _ => Variant::Dictionary(Dictionary::from_iter([(1, inner)])),
        });
    let dictionaries = (0..1024).fold(Variant::from(Vector2::new(1.0, 2.0)), |inner, _| {
        Variant::Dictionary(Dictionary::from_iter([(inner, 1)]))
    });
    for value in [
        Variant::PackedFloat32Array(vec![-0.0, f32::from_bits(0x15ae_43fd), f32::MAX]),
        Variant::PackedFloat32Array(vec![f32::INFINITY, f32::NEG_INFINITY, f32::NAN]),
        Variant::Float(f64::MIN_POSITIVE / 3.0),
        Variant::Object(Object::Id(u64::MAX)),
        instance("Dictionary", &[("", Variant::Rid(0)), ("x\ny", instance("Object", &[]))]),
        containers,
        dictionaries,
    ] {
        let bytes = encode(DIALECT, &value).unwrap();
        assert_eq!(encode(DIALECT, &parse_json(json(&value)).unwrap()).unwrap(), bytes);
    }
}

#[test]
fn json_reformatted_by_other_tools_is_read() {
    for (one, other) in [
        (
            r#"{"type":"Vector2","args":[1.0,2.5]}"#,
            " {\n\t\"args\": [1, 25e-1],\n\t\"type\": \"Vector2\"\n}\n",
        ),
        (
            r#"{"type":"PackedInt32Array","args":[1,2]}"#,
            r#"{"type":"PoolIntArray","args":[1.0,2e0]}"#,
        ),
        (
            r#"{"type":"Dictionary","args":["s:é","i:1"]}"#,
            r#"{"args":["\u0073:\u00e9","i:1"],"type":"Dictionary"}"#,
        ),
        (r#"{"type":"Quat","args":[1,2,3,4]}"#, r#"{"type":"Quaternion","args":[1,2,3,4]}"#),
        (r#"{"props":["a",null],"type":"A"}"#, r#"{"type":"A","props":["a",null]}"#),
        (r#"["i:1"]"#, r#"{"type":"Array","args":["i:1"]}"#),
        (r#"{"id":"i:0","type":"Object"}"#, r#"{"type":"Object","id":"i:0"}"#),
    ] {
        let both =
            [one, other].map(|text| parse_json(text).unwrap_or_else(|error| panic!("{error}")));
        assert_eq!(both[0], both[1], "{one}");
    }
}

#[test]
fn errors_say_what_and_where() {
    for (text, sentence) in [
        ("1", "line 1, column 1: expected a value: numbers are spelled \"i:1\" or \"f:1.5\""),
        (
            "[\n true, \"é\"]",
            "line 2, column 8: expected a string that begins with its type: `s:`, `sn:`, `np:`, `i:` or `f:`",
        ),
        (r#""i:9223372036854775808""#, "line 1, column 1: the number is out of the range of int"),
        (r#""i:1.5""#, "line 1, column 1: expected a whole number after `i:`"),
        (r#"["i:"]"#, "line 1, column 2: expected a whole number after `i:`"),
        (r#""f:x""#, "line 1, column 1: expected a number, `inf`, `-inf` or `nan` after `f:`"),
        (r#"["f:1e999"]"#, "line 1, column 2: the number is out of the range of float"),
        (r#"{"args":[]}"#, "line 1, column 1: expected an object with the field `type`"),
        (r#"{"type":"Foo","args":[]}"#, "line 1, column 9: there is no type with this name"),
        (r#"{"type":"int","args":[1]}"#, "line 1, column 9: there is no type with this name"),
        (r#"{"type":"Foo"}"#, "line 1, column 9: there is no type with this name"),
        (r#"{"type":"Plane"}"#, "line 1, column 1: expected an object with the field `args`"),
        (
            r#"{"type":"Vector2","elem":1}"#,
            "line 1, column 19: expected the field `type`, `args`, `props`, `id`, `name`, `elem_type`, `key_type` or `value_type`",
        ),
        (r#"{"type":1}"#, "line 1, column 9: expected a string"),
        (r#"{"type":["a"]}"#, "line 1, column 9: expected a string"),
        (r#"{"args":1}"#, "line 1, column 9: expected an array"),
        (r#"{"args":{"type":"RID"}}"#, "line 1, column 9: expected an array"),
        (
            r#"{"type":"Object","id":"i:-1"}"#,
            "line 1, column 23: the number is out of the range of Object",
        ),
        (
            r#"{"type":"Vector2","args":[1]}"#,
            "line 1, column 1: Vector2 needs 2 components, but has 1",
        ),
        (
            r#"{"type":"Basis","args":[1,2,3,4]}"#,
            "line 1, column 1: Basis needs 9 components, but has 4",
        ),
        (
            r#"{"type":"PackedByteArray","args":[0, 256]}"#,
            "line 1, column 38: the number is out of the range of PackedByteArray",
        ),
        (
            r#"{"type":"PackedInt32Array","args":[0.5]}"#,
            "line 1, column 36: expected a whole number",
        ),
        (r#"{"type":"Vector2i","args":[1,null]}"#, "line 1, column 30: expected a number"),
        (
            r#"{"type":"Vector2","args":[1,"2"]}"#,
            "line 1, column 29: expected a number, \"inf\", \"-inf\" or \"nan\"",
        ),
        (r#"{"type":"PackedStringArray","args":[1]}"#, "line 1, column 37: expected a string"),
        (
            r#"{"type":"Dictionary","args":[null]}"#,
            "line 1, column 1: expected a value for every key of the dictionary",
        ),
        (r#"{"type":"A","props":["a"]}"#, "line 1, column 22: expected a value for every property"),
        (r#"{"type":"","props":[]}"#, "line 1, column 9: expected the name of a class"),
    ] {
        let error = parse_json(text).unwrap_err();
        assert_eq!(error.to_string(), sentence, "{text}");
        assert!(error.offset < text.len());
    }
}

#[test]
fn invalid_json_is_an_error() {
    for text in
        ["", " ", "[", "{", "[1", "tru", "\"s:", "[null,]", "{\"type\":}", "null null", "inf"]
    {
        let error = parse_json(text).unwrap_err();
        assert!(matches!(error.problem, ParseProblem::Json(_)), "{text}: {error}");
        assert_eq!(error.line, 1);
    }
    for (text, column) in [
        (r#""s:\ud800""#, 4),
        (r#"{"type": "Array", "args": ["s:a\ud83d\ude00\ude00 and more", "i:1"]}"#, 44),
        ("\"s:\u{1}\\v\\ud83d\\n\"", 7),
    ] {
        let error = parse_json(text).unwrap_err();
        let found = (error.line, error.column, error.problem);
        assert_eq!(found, (1, column, ParseProblem::LoneSurrogate), "{text}");
    }
    assert!(parse_json(b"\"s:\xff\"").is_err());
    let text = json(&Variant::Array(vec![Variant::Rid(0), 1.into(), "é".into()].into()));
    for end in 0..text.len() {
        assert!(parse_json(&text.as_bytes()[..end]).is_err(), "{end}");
    }
}

#[test]
fn hostile_depth_is_an_error() {
    let too_deep = ParseProblem::TooDeep { limit: gdwire::MAX_DEPTH };
    for opening in [
        "[",
        r#"{"args":["#,
        r#"{"args":[["#,
        r#"{"props":["a","#,
        r#"{"type":"Array","elem_type":"int","args":["#,
    ] {
        assert_eq!(
            parse_json(opening.repeat(1_000_000)).unwrap_err().problem,
            too_deep,
            "{opening}"
        );
    }
    // The reader accepts the same depth as the grammar: an empty container has nothing deeper
    // inside.
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse_json(nested(1025)).is_ok());
    assert_eq!(parse_json(nested(1026)).unwrap_err().problem, too_deep);
}

#[test]
fn double_reals_keep_their_digits() {
    let dialect = DIALECT.with_double_reals();
    let text = r#"{"type":"Vector2","args":[0.1,0.3333333333333333]}"#;
    let bytes = encode(dialect, &parse_json(text).unwrap()).unwrap();
    assert_eq!(to_string(parse(dialect, &bytes).unwrap()), text);
}

#[test]
fn damaged_texts_do_no_harm() {
    let godot_3 = r#"[{"type":"Dictionary","args":["s:\u00e9",{"type":"Vector2","args":[1.5,"inf"]}]},
        {"type":"A","props":["b","np:c"]},{"type":"Object","id":"i:7"},"f:1e+10",null,true]"#;
    let godot_4 = r#"[{"type":"Dictionary","key_type":"int","value_type":"class:int","args":["i:1",null]},
        {"type":"Array","elem_type":"res://a","args":["sn:b"]},{"type":"RID","id":"i:7"},
        {"type":"Signal","name":"c","id":"i:1"},{"type":"Vector2i","args":[1,-2]}]"#;
    let pandemonium_5 = r#"[{"type":"TypedArray","elem_type":"int","args":["i:1"]},"sn:a",
        {"type":"PackedTypedArray","elem_type":"Node","args":[]}]"#;
    for (dialect, text) in
        [(DIALECT, godot_3), (Dialect::GODOT_4, godot_4), (Dialect::PANDEMONIUM_5, pandemonium_5)]
    {
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
        let mut damaged = text.as_bytes().to_vec();
        for _ in 0..=random(3) {
            let from = random(damaged.len());
            match random(3) {
                0 => damaged[from] = text.as_bytes()[random(text.len())],
                1 => drop(damaged.remove(from)),
                _ => damaged.insert(from, b"\"\\[]{},:\xff0"[random(10)]),
            }
        }
        match parse_json(&damaged) {
            // A value that was read can be written and read again.
            Ok(value) => {
                // The dialect may lack one of its kinds.
                let Ok(bytes) = encode(dialect, &value) else { continue };
                let written = to_string(parse(dialect, &bytes).unwrap());
                assert_eq!(
                    encode(dialect, &parse_json(&written).unwrap()).unwrap(),
                    bytes,
                    "{written}"
                );
                read_all += 1;
            }
            Err(error) => assert!(error.offset <= damaged.len()),
        }
    }
    assert!(read_all > 300, "only {read_all}");
}
