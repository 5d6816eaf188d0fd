//! Compares two views: they are equal if they show the same value.

use super::event::Event;
use super::stack::WalkStack;
use crate::value::view::{ObjectRef, VariantRef, View};

impl PartialEq for VariantRef<'_> {
    fn eq(&self, other: &VariantRef<'_>) -> bool {
        let (mut mine, mut others) = (WalkStack::new(), WalkStack::new());
        let mut others = other.walk(&mut others);
        for event in self.walk(&mut mine) {
            let same = match (event, others.next()) {
                (Event::Value(at, value), Some(Event::Value(place, other))) => {
                    at == place && same_leaf(value, other)
                }
                (Event::Begin(at, container), Some(Event::Begin(place, other))) => {
                    at == place && container == other
                }
                (Event::Property(name), Some(Event::Property(other))) => name == other,
                (Event::End(_), Some(Event::End(_))) => true,
                _ => false,
            };
            if !same {
                return false;
            }
        }
        true
    }
}

/// Whether two values that contain no other values are the same.
fn same_leaf(one: VariantRef<'_>, other: VariantRef<'_>) -> bool {
    if let (Some(cells), Some(others)) = (one.cells(), other.cells()) {
        return one.kind() == other.kind() && cells == others;
    }
    match (one.view(), other.view()) {
        (View::Nil, View::Nil) | (View::Callable, View::Callable) => true,
        (View::Rid(one), View::Rid(other)) => one == other,
        (View::Signal(one), View::Signal(other)) => one == other,
        (View::Bool(one), View::Bool(other)) => one == other,
        (View::Int(one), View::Int(other)) => one == other,
        (View::Float(one), View::Float(other)) => one == other,
        (View::String(one), View::String(other)) => one == other,
        (View::StringName(one), View::StringName(other)) => one == other,
        (View::NodePath(one), View::NodePath(other)) => one == other,
        (View::PackedStringArray(one), View::PackedStringArray(other)) => one.iter().eq(other),
        (View::Object(ObjectRef::Null), View::Object(ObjectRef::Null)) => true,
        (View::Object(ObjectRef::Id(one)), View::Object(ObjectRef::Id(other))) => one == other,
        _ => false,
    }
}
