//! The values of properties and attributes.

use crate::format::text;
use crate::game::project::limits;
use crate::write::owned::Variant;
use alloc::string::String;
use alloc::vec::Vec;

/// A reference to another resource. It is not a `Variant`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reference {
    /// `null`.
    Null,
    /// `ExtResource("id")`: a resource of another file.
    External(String),
    /// `SubResource("id")`: a resource of the same file.
    Internal(String),
}

/// Reads a reference.
pub(super) fn reference(value: &str) -> Option<Reference> {
    if value == "null" {
        return Some(Reference::Null);
    }
    let inside = |name| inside(value, name).map(|id| string(id).unwrap_or_else(|| id.into()));
    inside("ExtResource")
        .map(Reference::External)
        .or_else(|| inside("SubResource").map(Reference::Internal))
}

/// The text between the parentheses of `name(…)`.
fn inside<'a>(value: &'a str, name: &str) -> Option<&'a str> {
    let inside = value.strip_prefix(name)?.trim_start();
    Some(inside.strip_prefix('(')?.strip_suffix(')')?.trim())
}

/// Reads a literal, unless it is longer than the limit.
fn literal(value: &str) -> Option<Variant> {
    if value.len() > limits::VALUE_BYTES {
        return None;
    }
    text::parse(value).ok()
}

/// Reads a string.
pub(super) fn string(value: &str) -> Option<String> {
    match literal(value)? {
        Variant::String(text) | Variant::StringName(text) => Some(text),
        _ => None,
    }
}

/// Reads a number. In attributes of older files, it may be in quotes.
pub(super) fn integer(value: &str) -> Option<i64> {
    match literal(value)? {
        Variant::Int(number) => Some(number),
        Variant::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Reads a boolean.
pub(super) fn boolean(value: &str) -> Option<bool> {
    match literal(value)? {
        Variant::Bool(value) => Some(value),
        _ => None,
    }
}

/// Reads a path in the scene tree. It is not normalized.
pub(super) fn node_path(value: &str) -> Option<String> {
    string(inside(value, "NodePath").or_else(|| value.strip_prefix('^')).unwrap_or(value))
}

/// Reads an array of strings.
pub(super) fn strings(value: &str) -> Option<Vec<String>> {
    let elements = match literal(value)? {
        Variant::PackedStringArray(strings) => return Some(strings),
        Variant::Array(elements) | Variant::TypedArray(elements) => elements,
        _ => return None,
    };
    let text = |element: &Variant| match element {
        Variant::String(text) | Variant::StringName(text) => Some(text.clone()),
        _ => None,
    };
    elements.iter().map(text).collect()
}
