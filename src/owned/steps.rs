//! One pass over an owned value and everything in it, without recursion.

use super::{Array, Dictionary, Instance, Iter, Object, Variant};
use crate::kind::Kind;
use crate::walk::Place;
use alloc::string::String;
use alloc::vec::Vec;
use core::slice;

/// A value: one with no values in it, or a container.
#[derive(Clone, Copy)]
pub(crate) enum Node<'a> {
    Leaf(&'a Variant),
    /// An array of that kind.
    Array(Kind, &'a Array),
    Dictionary(&'a Dictionary),
    Instance(&'a Instance),
}

impl<'a> Node<'a> {
    pub(crate) fn of(value: &'a Variant) -> Node<'a> {
        match value {
            Variant::Dictionary(entries) => Node::Dictionary(entries),
            Variant::Object(Object::Instance(instance)) => Node::Instance(instance),
            Variant::Array(array)
            | Variant::TypedArray(array)
            | Variant::PackedTypedArray(array) => Node::Array(value.kind(), array),
            _ => Node::Leaf(value),
        }
    }
}

/// What a pass over an owned value comes across.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    /// A value. Everything in a container follows, and then its end.
    Node(Place, Node<'a>),
    /// The name of an object's property, whose value follows.
    Property(&'a str),
    /// The end of a container.
    End(Node<'a>),
}

/// What is left of an open container.
enum Rest<'a> {
    Elements(slice::Iter<'a, Variant>),
    /// The value of the key that came last stands before the next key.
    Entries(Option<&'a Variant>, Iter<'a>),
    /// The value of the property that was named last stands before the next name.
    Properties(Option<&'a Variant>, slice::Iter<'a, (String, Variant)>),
}

/// The pass.
pub(crate) struct Steps<'a> {
    first: Option<Node<'a>>,
    open: Vec<(Node<'a>, Rest<'a>)>,
}

impl<'a> Steps<'a> {
    pub(crate) const fn new(root: Node<'a>) -> Steps<'a> {
        Steps { first: Some(root), open: Vec::new() }
    }

    #[inline]
    fn enter(&mut self, node: Node<'a>) {
        let rest = match node {
            Node::Leaf(_) => return,
            Node::Array(_, array) => Rest::Elements(array.iter()),
            Node::Dictionary(entries) => Rest::Entries(None, entries.iter()),
            Node::Instance(instance) => Rest::Properties(None, instance.properties.iter()),
        };
        self.open.push((node, rest));
    }
}

impl<'a> Iterator for Steps<'a> {
    type Item = Step<'a>;

    #[inline]
    fn next(&mut self) -> Option<Step<'a>> {
        let Some((node, rest)) = self.open.last_mut() else {
            let root = self.first.take()?;
            self.enter(root);
            return Some(Step::Node(Place::Root, root));
        };
        let next = match rest {
            Rest::Elements(elements) => elements.next().map(|value| (Place::Element, value)),
            Rest::Entries(due, entries) => match due.take() {
                Some(value) => Some((Place::Value, value)),
                None => entries.next().map(|(key, value)| {
                    *due = Some(value);
                    (Place::Key, key)
                }),
            },
            Rest::Properties(due, properties) => match due.take() {
                Some(value) => Some((Place::Property, value)),
                None => match properties.next() {
                    Some((name, value)) => {
                        *due = Some(value);
                        return Some(Step::Property(name));
                    }
                    None => None,
                },
            },
        };
        let Some((place, value)) = next else {
            let ended = *node;
            self.open.pop();
            return Some(Step::End(ended));
        };
        let node = Node::of(value);
        self.enter(node);
        Some(Step::Node(place, node))
    }
}
