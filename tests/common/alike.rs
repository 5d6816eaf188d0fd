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

/// Where the padding is in a node path of the new form.
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

/// Asserts that a literal is that of the engine, except for what the engine loses: all engines
/// except Godot 4 print six digits of a float and nothing of an RID. They sort the keys of
/// dictionaries, so the order does not matter.
#[track_caller]
pub fn assert_same_text(dialect: Dialect, ours: &str, engines: &str) {
    if dialect.name() == "godot4" {
        assert_eq!(sorted_lines(ours), sorted_lines(engines), "{ours}");
    } else {
        assert_eq!(rounded(&ours.replace("RID(  )", "")), rounded(engines), "{ours}");
    }
}

/// The lines of a literal in some order.
fn sorted_lines(literal: &str) -> Vec<String> {
    let mut lines: Vec<String> =
        literal.lines().map(|line| line.trim_end_matches(',').to_string()).collect();
    lines.sort();
    lines
}

/// The lines of a literal in some order, its reals rounded as the engine rounds them.
fn rounded(literal: &str) -> Vec<String> {
    let mut out = String::new();
    let mut rest = literal;
    let mut has_reals = false;
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
                let integers = ["i", "iArray", "ByteArray", "IntArray", "TypedArray"];
                has_reals = !integers.iter().any(|name| out.ends_with(name));
            }
            ')' => has_reals = false,
            _ => {}
        }
        let token = if token == "inf_neg" { "-inf" } else { token };
        match token.trim_end_matches(".0").parse::<f64>() {
            Ok(real) if has_reals || token.contains(['.', 'e', 'n']) => {
                out.push_str(&format!("{:.5e}", real as f32));
            }
            _ => out.push_str(token),
        }
    }
    sorted_lines(&out)
}
