//! Properties of expressions and patterns that hold for every text and every value.

use crate::common::{Value as Recorded, lines, unhex};
use data_encoding::HEXLOWER;
use gdwire::expression::{Expression, JsonValue};
use gdwire::multiplayer::Pattern;
use gdwire::{Dialect, json, parse};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Whether a pattern matches a path, written like the definition, with unbounded time.
fn matches(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", pattern)), _) => {
            (0..=path.len()).any(|taken| matches(pattern, &path[taken..]))
        }
        (Some((part, pattern)), Some((name, path))) => {
            let [part, name] = [part, name].map(|it| it.chars().collect::<Vec<_>>());
            matches_name(&part, &name) && matches(pattern, path)
        }
        _ => false,
    }
}

fn matches_name(pattern: &[char], name: &[char]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some(('*', pattern)), _) => {
            (0..=name.len()).any(|taken| matches_name(pattern, &name[taken..]))
        }
        (Some((part, pattern)), Some((character, name))) => {
            (*part == '?' || part == character) && matches_name(pattern, name)
        }
        _ => false,
    }
}

fn joined(parts: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    vec(select(parts), 0..most).prop_map(|parts| parts.concat())
}

/// Strings that consist of the parts of expressions, so that many of them are valid.
fn expression() -> impl Strategy<Value = String> {
    joined(
        &[
            ".",
            "..",
            ".a",
            ".b",
            "[0]",
            "[]",
            "[-1]",
            "?",
            "(",
            ")",
            "[",
            "]",
            "|",
            ",",
            "//",
            " and ",
            " or ",
            " == ",
            " < ",
            " + ",
            " - ",
            " * ",
            " / ",
            " % ",
            "1",
            "0.5",
            "\"a\"",
            "null",
            "true",
            "if ",
            " then ",
            " elif ",
            " else ",
            " end",
            "not",
            "length",
            "map(",
            "any(",
            "select(",
            "first(",
            ";",
            "test(\"a\")",
            "contains(",
            "keys",
            "add",
            "min",
            "tostring",
            "floor",
            "\"",
            "\\",
            "\u{e4}",
            "{",
            "$x",
            "as",
            "#",
            "\n",
        ],
        14,
    )
}

proptest! {
    #[test]
    fn a_pattern_matches_as_it_is_defined(
        pattern in joined(&["a", "b", "\u{e4}", "*", "?", "/", "/**/", "**"], 9),
        path in joined(&["a", "b", "\u{e4}", "/"], 9),
    ) {
        prop_assume!(!pattern.starts_with('/') && !path.starts_with('/'));
        let parts: Vec<_> = pattern.split('/').collect();
        let names: Vec<_> = path.split('/').collect();
        prop_assert_eq!(Pattern::new(&pattern).matches(&path), matches(&parts, &names));
        prop_assert_eq!(
            Pattern::new(&format!("/root/{pattern}")).matches(&format!("/{path}")),
            matches(&parts, &names)
        );
    }

    #[test]
    fn no_text_and_no_value_makes_an_expression_panic(
        text in prop_oneof![expression(), ".{0,40}"],
        number in any::<i64>(),
    ) {
        match Expression::parse(&text) {
            Ok(expression) => {
                let inner = [("b", JsonValue::from(number)), ("a", JsonValue::from("text"))];
                let fields = [("a", JsonValue::record(&inner)), ("b", JsonValue::NULL)];
                let value = JsonValue::record(&fields);
                prop_assert_eq!(expression.selects(&value), expression.clone().selects(&value));
            }
            Err(error) => prop_assert!(error.offset() <= text.len()),
        }
    }

    #[test]
    fn numbers_compare_exactly(one in any::<i64>(), other in any::<i64>(), real in any::<f64>()) {
        let holds = |text: &str| Expression::parse(text).unwrap().selects(&JsonValue::NULL).unwrap();
        prop_assert_eq!(holds(&format!("{one} < {other}")), one < other);
        prop_assert_eq!(holds(&format!("{one} == {}", one.wrapping_add(1))), false);
        prop_assert_eq!(holds(&format!("{one} + {other} == {}", i128::from(one) + i128::from(other))), true);
        if real.is_finite() && real.abs() < 1e18 {
            let text = format!("{real:?}");
            prop_assert_eq!(holds(&format!("{one} < {text}")), i128::from(one) < real.ceil() as i128);
            prop_assert_eq!(holds(&format!("{one} > {text}")), i128::from(one) > real.floor() as i128);
        }
    }
}

/// Each recorded scalar equals its lossless JSON, and each math value has the numbers of its JSON.
#[test]
fn recorded_values_have_the_content_of_their_json() {
    let (mut count, mut infinite) = (0, 0);
    for (folder, dialect) in [
        ("godot3", Dialect::GODOT_3),
        ("godot4", Dialect::GODOT_4),
        ("pandemonium5", Dialect::PANDEMONIUM_5),
    ] {
        let values: Vec<Recorded> = lines(&format!("{folder}/values.ndjson"));
        for value in values {
            let bytes = unhex(&value.hex);
            let value = parse(dialect, &bytes).unwrap();
            // serde_json does not read infinite numbers.
            let text = json::to_string(value);
            let text = text.replace("-1e99999", "\"-inf\"").replace("1e99999", "\"inf\"");
            let native: serde_json::Value = serde_json::from_str(&text).unwrap();
            // serde_json rounds some reals when it reads them. The order of keys may differ.
            let sorted = |text: String| {
                let mut bytes = text.into_bytes();
                bytes.sort_unstable();
                bytes
            };
            let is_exact = sorted(serde_json::to_string(&native).unwrap()) == sorted(text);
            let Some(condition) = condition(&native) else { continue };
            if !is_exact {
                continue;
            }
            let expression = Expression::parse(&condition).expect(&condition);
            assert_eq!(expression.selects(&value.into()), Ok(true), "{condition} {value}");
            count += 1;
            infinite += usize::from(condition.contains("e99999"));
        }
    }
    assert_eq!(infinite, 3);
    assert!(count > 280, "{count}");
}

/// A condition that holds for the value of this JSON, if the value has only numbers and strings.
fn condition(native: &serde_json::Value) -> Option<String> {
    if let Some(text) = native.as_str() {
        return match text.split_once(':')? {
            ("i", number) => Some(format!(". == {number}")),
            ("f", "nan") => Some("isnan".to_owned()),
            ("f", "inf") => Some(". > 0 and isinfinite".to_owned()),
            ("f", "-inf") => Some(". < 0 and isinfinite".to_owned()),
            ("f", number) => Some(format!(". == {number}")),
            (_, text) => Some(format!(". == {}", serde_json::to_string(text).unwrap())),
        };
    }
    let numbers = native.get("args")?.as_array()?;
    let kind = native["type"].as_str()?;
    if kind == "PackedByteArray" {
        let bytes: Vec<_> =
            numbers.iter().map(|it| u8::try_from(it.as_u64().unwrap()).unwrap()).collect();
        return Some(format!(". == \"{}\"", HEXLOWER.encode(&bytes)));
    }
    let is_flat = !kind.starts_with("PackedV")
        && !["PackedColorArray", "PackedByteArray", "Dictionary"].contains(&kind);
    if !is_flat {
        return None;
    }
    let number = |it: &serde_json::Value| match it.as_str() {
        Some("inf") => Some("1e99999".to_owned()),
        Some("-inf") => Some("-1e99999".to_owned()),
        _ => it.is_number().then(|| it.to_string()),
    };
    let numbers = numbers.iter().map(number).collect::<Option<Vec<_>>>()?;
    Some(format!(". == [{}]", numbers.join(", ")))
}
