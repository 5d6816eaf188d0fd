//! The spelling of the types of a container's elements.
//!
//! The engine writes the name of a type or class, or the path of a script. Where that is ambiguous,
//! there is a prefix: `class:int` is a class that has the name of a type, and `script:a.gd` is a
//! script that is not a resource of the project.

use crate::value::Kind;
use crate::value::view::ElementTypeRef;
use crate::write::owned::ElementType;
use std::borrow::Cow;

const CLASS: &str = "class:";
const SCRIPT: &str = "script:";
/// The beginning of the path of every script that the engine writes.
const PROJECT: &str = "res://";

/// Spells an element type. `None` if it may be any type.
pub(super) fn spell(element: ElementTypeRef<'_>) -> Option<Cow<'_, str>> {
    let (prefix, name) = match element {
        ElementTypeRef::Any => return None,
        ElementTypeRef::Kind(kind) => return Some(kind.name().into()),
        ElementTypeRef::Class(name) => (CLASS, name),
        ElementTypeRef::Script(path) => (SCRIPT, path),
    };
    if read(name).as_ref() == element {
        return Some(name.into());
    }
    Some(format!("{prefix}{name}").into())
}

/// Reads the spelling of an element type.
pub(super) fn read(name: &str) -> ElementType {
    if let Some(name) = name.strip_prefix(CLASS) {
        return ElementType::Class(name.to_string());
    }
    if let Some(path) = name.strip_prefix(SCRIPT) {
        return ElementType::Script(path.to_string());
    }
    match Kind::from_name(name) {
        Some(Kind::Nil) => ElementType::Any,
        Some(kind) => ElementType::Kind(kind),
        None if name.starts_with(PROJECT) => ElementType::Script(name.to_string()),
        None => ElementType::Class(name.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        use ElementTypeRef::{Class, Kind as Of, Script};
        for (element, text) in [
            (Of(Kind::Int), "int"),
            (Of(Kind::Object), "Object"),
            (Class("Node"), "Node"),
            (Class("int"), "class:int"),
            (Class("Nil"), "class:Nil"),
            (Class("PoolIntArray"), "class:PoolIntArray"),
            (Class("class:int"), "class:class:int"),
            (Class("a://b"), "a://b"),
            (Class("res://b"), "class:res://b"),
            (Class(""), ""),
            (Script("res://a.gd"), "res://a.gd"),
            (Script("a.gd"), "script:a.gd"),
            (Script("int"), "script:int"),
            (Script("class:res://a"), "script:class:res://a"),
            (Script(""), "script:"),
        ] {
            assert_eq!(spell(element).as_deref(), Some(text));
            assert_eq!(read(text).as_ref(), element);
        }
        assert_eq!(spell(ElementTypeRef::Any), None);
    }
}
