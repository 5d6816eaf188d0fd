//! Bytes and literals without the parts in which engines may differ.

use gdwire::walk::{Event, WalkStack};
use gdwire::{Dialect, Kind, VariantRef};
use std::ops::Range;

/// The bytes of a value with zeros for the padding of the names in its node paths, in which the
/// engines leave whatever their buffer held.
pub fn without_path_padding(value: VariantRef<'_>) -> Vec<u8> {
    let mut bytes = value.as_bytes().to_vec();
    let mut stack = WalkStack::new();
    for event in value.walk(&mut stack) {
        if let Event::Value(_, path) = event
            && path.kind() == Kind::NodePath
        {
            let offset = path.as_bytes().as_ptr().addr() - value.as_bytes().as_ptr().addr();
            for padding in paddings(path.as_bytes()) {
                bytes[offset + padding.start..offset + padding.end].fill(0);
            }
        }
    }
    bytes
}

/// The ranges of padding in a node path of the new form.
fn paddings(path: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 16;
    while at + 4 <= path.len() {
        let length = u32::from_le_bytes(path[at..at + 4].try_into().unwrap()) as usize;
        let end = at + 4 + length;
        at = end.next_multiple_of(4);
        found.push(end..at.min(path.len()));
    }
    found
}

/// Asserts that a literal is that of the engine, except for what the engine loses.
#[track_caller]
pub fn assert_same_text(dialect: Dialect, ours: &str, engines: &str) {
    if dialect.name() == "godot4" {
        assert_eq!(sorted_lines(ours), sorted_lines(engines), "{ours}");
    } else {
        let [ours, engines] = comparable_texts(dialect, ours, engines);
        assert_eq!(ours, engines);
    }
}

/// A literal of this crate and one of an engine without what the engines spell differently: they
/// drop the sign of zero, and have escapes that they do not read, and all except Godot 4 print six digits of a float and nothing of an RID.
/// They sort the keys of dictionaries, so the order does not matter.
pub fn comparable_texts(dialect: Dialect, ours: &str, engines: &str) -> [Vec<String>; 2] {
    // Escapes that the engines write, but do not read.
    let ours = &ours.replace("\\u0007", "\\a").replace("\\u000b", "\\v");
    if dialect.name() == "godot4" {
        [rounded(ours, true), rounded(engines, true)]
    } else {
        [rounded(&ours.replace("RID(  )", ""), false), rounded(engines, false)]
    }
}

/// Whether two values are the same, except that reals may differ by as much as the engines' own
/// readers of numbers are wrong. A NaN equals any real: Godot's JSON does not keep it.
pub fn is_close(one: VariantRef<'_>, other: VariantRef<'_>) -> bool {
    let (mut stack, mut other_stack) = (WalkStack::new(), WalkStack::new());
    let (mut events, mut others) = (one.walk(&mut stack), other.walk(&mut other_stack));
    loop {
        match (events.next(), others.next()) {
            (None, None) => return true,
            (Some(Event::Value(place, leaf)), Some(Event::Value(other_place, other))) => {
                if place != other_place || !is_close_leaf(leaf, other) {
                    return false;
                }
            }
            (Some(Event::Begin(place, container)), Some(Event::Begin(other_place, other))) => {
                let is_same = place == other_place
                    && (container.kind(), container.len()) == (other.kind(), other.len())
                    && container.element_types() == other.element_types();
                if !is_same {
                    return false;
                }
            }
            (Some(event), Some(other)) if event == other => {}
            _ => return false,
        }
    }
}

fn is_close_leaf(one: VariantRef<'_>, other: VariantRef<'_>) -> bool {
    if one.kind() != other.kind() {
        return false;
    }
    let texts = [one, other].map(|leaf| leaf.to_text());
    let numbers = |text: &str| -> Option<Vec<f64>> {
        let start = text.find('(').map_or(0, |at| at + 1);
        let numbers = text[start..].trim_end_matches(')').split(',').map(str::trim);
        numbers
            .filter(|it| !it.is_empty())
            .map(|it| it.replace("inf_neg", "-inf").parse().ok())
            .collect()
    };
    let tolerance = match one.kind() {
        Kind::Float | Kind::PackedFloat64Array => 1e-12,
        _ => 1e-6,
    };
    // JSON of the engine has no exponents in floats, so it loses what is very small.
    let is_float = one.kind() == Kind::Float;
    let is_close_number = |(one, other): (&f64, &f64)| {
        one == other
            || one.is_nan()
            || other.is_nan()
            || (one - other).abs() <= tolerance * one.abs().max(1e-290)
            || (one - other).abs() < if is_float { 1e-14 } else { 1e-44 }
    };
    let has_reals = |kind: Kind| {
        !matches!(
            kind,
            Kind::String | Kind::StringName | Kind::NodePath | Kind::PackedStringArray | Kind::Int
        )
    };
    texts[0] == texts[1]
        || has_reals(one.kind())
            && match (numbers(&texts[0]), numbers(&texts[1])) {
                (Some(one), Some(other)) => {
                    one.len() == other.len() && one.iter().zip(&other).all(is_close_number)
                }
                _ => false,
            }
}

/// The lines of a literal in some order.
fn sorted_lines(literal: &str) -> Vec<String> {
    let mut lines: Vec<String> =
        literal.lines().map(|line| line.trim_end_matches(',').to_string()).collect();
    lines.sort();
    lines
}

/// The lines of a literal in some order, its reals with all digits that they have, or rounded as most
/// engines round them: to a single-precision number, and then to six digits.
fn rounded(literal: &str, has_all_digits: bool) -> Vec<String> {
    let mut out = String::new();
    let mut rest = literal;
    let (mut has_reals, mut is_single) = (false, true);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let mut is_escaped = false;
                let ends = |character| {
                    let is_end = character == '"' && !is_escaped;
                    is_escaped = character == '\\' && !is_escaped;
                    is_end
                };
                rest[1..].find(ends).expect(literal) + 2
            }
            'a'..='z' | 'A'..='Z' | '-' | '0'..='9' => {
                let belongs = |character: char| {
                    character.is_ascii_alphanumeric() || matches!(character, '.' | '+' | '-' | '_')
                };
                rest.find(|character| !belongs(character)).unwrap_or(rest.len())
            }
            other => other.len_utf8(),
        };
        let token;
        (token, rest) = rest.split_at(length);
        match first {
            '(' => {
                let integers = [
                    "i",
                    "iArray",
                    "ByteArray",
                    "IntArray",
                    "TypedArray",
                    "Int32Array",
                    "Int64Array",
                ];
                has_reals = !integers.iter().any(|name| out.ends_with(name));
                is_single = !out.ends_with("Float64Array");
            }
            ')' => has_reals = false,
            _ => {}
        }
        let token = if token == "inf_neg" { "-inf" } else { token };
        match token.trim_end_matches(".0").parse::<f64>() {
            Ok(real) if has_reals || token.contains(['.', 'e', 'n']) => {
                // Godot 4 shortens a double that single precision can hold.
                let digits = token.split('e').next().unwrap_or_default();
                let is_short = digits.bytes().filter(u8::is_ascii_digit).count() <= 9;
                let is_single =
                    is_single && has_reals || is_short || f64::from(real as f32) == real;
                let single = if real as f32 == 0.0 { 0.0 } else { real as f32 };
                out.push_str(&match has_all_digits {
                    false => format!("{single:.5e}"),
                    true if is_single => format!("{single:e}"),
                    true => format!("{real:e}"),
                });
            }
            _ => out.push_str(token),
        }
    }
    // Godot 3.2 has one more line in an empty dictionary.
    sorted_lines(&out.replace("{\n\n}", "{\n}"))
}
