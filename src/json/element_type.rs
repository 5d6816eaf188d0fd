//! How the types of a container's elements are spelled.
//!
//! The engine writes the name of a type or class, or the path of a script. A prefix tells them
//! apart where that does not: a class that is called like a type is `class:int`, a script that is
//! no resource of the project `script:a.gd`.

use crate::kind::Kind;
use crate::owned::ElementType;
use crate::text::spelling::kind_of_name;
use crate::view::ElementTypeRef;
use std::borrow::Cow;

const CLASS: &str = "class:";
const SCRIPT: &str = "script:";
/// How the path of every script begins that the engine writes.
const PROJECT: &str = "res://";

/// What the element type is called; nothing if it is any.
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

/// The element type that is called so.
pub(super) fn read(name: &str) -> ElementType {
    if let Some(name) = name.strip_prefix(CLASS) {
        return ElementType::Class(name.to_string());
    }
    if let Some(path) = name.strip_prefix(SCRIPT) {
        return ElementType::Script(path.to_string());
    }
    match kind_of_name(name) {
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
