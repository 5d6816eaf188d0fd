//! Visits an owned value and everything in it in one pass, without recursion.

use super::iter::Iter;
use super::variant::{Array, Dictionary, Instance, Object, Variant};
use crate::value::Kind;
use crate::value::walk::Place;
use alloc::string::String;
use alloc::vec::Vec;
use core::slice;

/// A value: a leaf, which contains no other values, or a container.
#[derive(Clone, Copy)]
pub(crate) enum Node<'a> {
    Leaf(&'a Variant),
    /// An array of this kind.
    Array(Kind, &'a Array),
    Dictionary(&'a Dictionary),
    Instance(&'a Instance),
}

impl<'a> Node<'a> {
    #[inline(always)]
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

/// One step of a pass over an owned value.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    /// A value. If it is a container, everything in it follows, and then its end.
    Node(Place, Node<'a>),
    /// The name of an object's property. Its value follows.
    Property(&'a str),
    /// The end of a container.
    End(Node<'a>),
}

/// The items of an open container that have not been visited.
enum Rest<'a> {
    Elements(slice::Iter<'a, Variant>),
    /// If a key is a container, its value is stored here until the key has been visited.
    Entries(Option<&'a Variant>, Iter<'a>),
    Properties(slice::Iter<'a, (String, Variant)>),
}

impl<'a> Rest<'a> {
    /// The content of a container. `None` for other values.
    fn of(node: Node<'a>) -> Option<Rest<'a>> {
        Some(match node {
            Node::Leaf(_) => return None,
            Node::Array(_, array) => Rest::Elements(array.iter()),
            Node::Dictionary(entries) => Rest::Entries(None, entries.iter()),
            Node::Instance(instance) => Rest::Properties(instance.properties.iter()),
        })
    }

    /// Visits values up to and including the next container, and returns that container.
    #[inline]
    fn visit<E>(
        &mut self,
        visit: &mut impl FnMut(Step<'a>) -> Result<(), E>,
    ) -> Result<Option<Node<'a>>, E> {
        let mut visit_one = |place, value| -> Result<Option<Node<'a>>, E> {
            let node = Node::of(value);
            visit(Step::Node(place, node))?;
            Ok(if let Node::Leaf(_) = node { None } else { Some(node) })
        };
        match self {
            Rest::Elements(elements) => {
                for element in elements {
                    if let Some(container) = visit_one(Place::Element, element)? {
                        return Ok(Some(container));
                    }
                }
            }
            Rest::Entries(due, entries) => {
                let mut due_value = due.take();
                loop {
                    if let Some(value) = due_value
                        && let Some(container) = visit_one(Place::Value, value)?
                    {
                        return Ok(Some(container));
                    }
                    let Some((key, value)) = entries.next() else { break };
                    if let Some(container) = visit_one(Place::Key, key)? {
                        *due = Some(value);
                        return Ok(Some(container));
                    }
                    due_value = Some(value);
                }
            }
            Rest::Properties(properties) => {
                for (name, value) in properties {
                    visit(Step::Property(name))?;
                    let node = Node::of(value);
                    visit(Step::Node(Place::Property, node))?;
                    if !matches!(node, Node::Leaf(_)) {
                        return Ok(Some(node));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// Visits a value and everything in it in order. It stops at the first error.
#[inline]
pub(crate) fn visit<'a, E>(
    root: Node<'a>,
    mut visit: impl FnMut(Step<'a>) -> Result<(), E>,
) -> Result<(), E> {
    visit(Step::Node(Place::Root, root))?;
    let Some(rest) = Rest::of(root) else { return Ok(()) };
    let mut open = Vec::from([(root, rest)]);
    while let Some((node, rest)) = open.last_mut() {
        match rest.visit(&mut visit)? {
            Some(container) => {
                open.extend(Rest::of(container).map(|rest| (container, rest)));
            }
            None => {
                visit(Step::End(*node))?;
                open.pop();
            }
        }
    }
    Ok(())
}
