//! Encodes owned values, in one pass without recursion.

use super::dictionary::Iter;
use super::{Array, Dictionary, Instance, NodePath, Object, Signal, Variant};
use crate::value::{Cells, Kind, Slot};
use crate::write::encode::{Builder, Encode, EncodeError, Sink};
use alloc::string::String;
use alloc::vec::Vec;
use core::slice;

impl Encode for Variant {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        match OwnedNode::of(self) {
            OwnedNode::Leaf(leaf) => encode_leaf(leaf, builder),
            container => encode(container, builder),
        }
    }
}

impl Encode for Dictionary {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        encode(OwnedNode::Dictionary(self), builder)
    }
}

impl Encode for Array {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        encode(OwnedNode::Array(Kind::Array, self), builder)
    }
}

impl Encode for Instance {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        encode(OwnedNode::Instance(self), builder)
    }
}

impl Encode for Object {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        match self {
            // The engines write an object that is null as null.
            Object::Null => builder.nil(),
            Object::Id(id) => builder.object_id(*id),
            Object::Instance(instance) => instance.encode(builder),
        }
    }
}

impl Encode for NodePath {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        let names = || self.names.iter().map(String::as_str);
        let subnames = || self.subnames.iter().map(String::as_str);
        builder.path(self.is_absolute, names, subnames)
    }
}

impl Encode for Signal {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        builder.signal(&self.name, self.object_id)
    }
}

fn encode<S: Sink>(root: OwnedNode<'_>, builder: &mut Builder<S>) -> Result<(), EncodeError> {
    visit(root, |step| match step {
        OwnedStep::Node(_, OwnedNode::Leaf(leaf)) => encode_leaf(leaf, builder),
        OwnedStep::Node(_, container) => begin(container, builder),
        OwnedStep::Property(name) => builder.property(name),
        OwnedStep::End(_) => builder.end(),
    })
}

/// Opens a container.
fn begin<S: Sink>(container: OwnedNode<'_>, builder: &mut Builder<S>) -> Result<(), EncodeError> {
    match container {
        OwnedNode::Array(kind, array) => {
            builder.begin_array_of(kind, array.element_type().as_ref(), array.len())
        }
        OwnedNode::Dictionary(entries) => {
            let (keys, values) = (entries.key_type(), entries.value_type());
            builder.begin_dictionary_of(keys.as_ref(), values.as_ref(), entries.len())
        }
        OwnedNode::Instance(instance) => {
            builder.begin_object(&instance.class, instance.properties.len())
        }
        OwnedNode::Leaf(_) => Ok(()),
    }
}

/// Writes a value that contains no other values. Through a `Leaf`, a quarter more instructions
/// would be needed.
fn encode_leaf<S: Sink>(value: &Variant, builder: &mut Builder<S>) -> Result<(), EncodeError> {
    match value {
        Variant::Bool(content) => builder.bool(*content),
        Variant::Int(content) => builder.int(*content),
        Variant::Float(content) => builder.float(*content),
        Variant::String(content) => builder.string(content),
        Variant::NodePath(content) => content.encode(builder),
        Variant::StringName(content) => builder.string_name(content),
        Variant::Rid(id) => builder.rid(*id),
        Variant::Callable => builder.callable(),
        Variant::Signal(signal) => signal.encode(builder),
        Variant::PackedStringArray(strings) => builder.string_array(strings),
        Variant::Object(object) => object.encode(builder),
        _ => encode_numbers(value, builder),
    }
}

/// Writes a math value or packed array. A value that has no numbers is written as null.
fn encode_numbers<S: Sink>(value: &Variant, builder: &mut Builder<S>) -> Result<(), EncodeError> {
    let kind = value.kind();
    match value.cells() {
        Some(Cells::Bytes(bytes)) => builder.byte_array(bytes),
        Some(Cells::I32(numbers)) => builder.integers(kind, numbers),
        Some(Cells::I64(numbers)) => builder.int64_array(numbers),
        Some(Cells::F32(numbers)) => builder.reals(kind, numbers),
        Some(Cells::F64(numbers)) => builder.doubles(kind, numbers, value.width()),
        None => builder.nil(),
    }
}

/// A value: a leaf, which contains no other values, or a container.
#[derive(Clone, Copy)]
pub(crate) enum OwnedNode<'a> {
    Leaf(&'a Variant),
    /// An array of this kind.
    Array(Kind, &'a Array),
    Dictionary(&'a Dictionary),
    Instance(&'a Instance),
}

impl<'a> OwnedNode<'a> {
    #[inline(always)]
    pub(crate) fn of(value: &'a Variant) -> OwnedNode<'a> {
        match value {
            Variant::Dictionary(entries) => OwnedNode::Dictionary(entries),
            Variant::Object(Object::Instance(instance)) => OwnedNode::Instance(instance),
            Variant::Array(array)
            | Variant::TypedArray(array)
            | Variant::PackedTypedArray(array) => OwnedNode::Array(value.kind(), array),
            _ => OwnedNode::Leaf(value),
        }
    }
}

/// One step of a pass over an owned value.
#[derive(Clone, Copy)]
pub(crate) enum OwnedStep<'a> {
    /// A value. If it is a container, everything in it follows, and then its end.
    Node(Slot, OwnedNode<'a>),
    /// The name of an object's property. Its value follows.
    Property(&'a str),
    /// The end of a container.
    End(OwnedNode<'a>),
}

/// The items of an open container that have not been visited.
enum Unvisited<'a> {
    Elements(slice::Iter<'a, Variant>),
    /// If a key is a container, its value is stored here until the key has been visited.
    Entries(Option<&'a Variant>, Iter<'a>),
    Properties(slice::Iter<'a, (String, Variant)>),
}

impl<'a> Unvisited<'a> {
    /// The content of a container. `None` for other values.
    fn of(node: OwnedNode<'a>) -> Option<Unvisited<'a>> {
        Some(match node {
            OwnedNode::Leaf(_) => return None,
            OwnedNode::Array(_, array) => Unvisited::Elements(array.iter()),
            OwnedNode::Dictionary(entries) => Unvisited::Entries(None, entries.iter()),
            OwnedNode::Instance(instance) => Unvisited::Properties(instance.properties.iter()),
        })
    }

    /// Visits values up to and including the next container, and returns that container.
    #[inline]
    fn visit<E>(
        &mut self,
        visit: &mut impl FnMut(OwnedStep<'a>) -> Result<(), E>,
    ) -> Result<Option<OwnedNode<'a>>, E> {
        let mut visit_one = |place, value| -> Result<Option<OwnedNode<'a>>, E> {
            let node = OwnedNode::of(value);
            visit(OwnedStep::Node(place, node))?;
            Ok(if let OwnedNode::Leaf(_) = node { None } else { Some(node) })
        };
        match self {
            Unvisited::Elements(elements) => {
                for element in elements {
                    if let Some(container) = visit_one(Slot::Element, element)? {
                        return Ok(Some(container));
                    }
                }
            }
            Unvisited::Entries(due, entries) => {
                let mut due_value = due.take();
                loop {
                    if let Some(value) = due_value
                        && let Some(container) = visit_one(Slot::Value, value)?
                    {
                        return Ok(Some(container));
                    }
                    let Some((key, value)) = entries.next() else { break };
                    if let Some(container) = visit_one(Slot::Key, key)? {
                        *due = Some(value);
                        return Ok(Some(container));
                    }
                    due_value = Some(value);
                }
            }
            Unvisited::Properties(properties) => {
                for (name, value) in properties {
                    visit(OwnedStep::Property(name))?;
                    let node = OwnedNode::of(value);
                    visit(OwnedStep::Node(Slot::Property, node))?;
                    if !matches!(node, OwnedNode::Leaf(_)) {
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
    root: OwnedNode<'a>,
    mut visit: impl FnMut(OwnedStep<'a>) -> Result<(), E>,
) -> Result<(), E> {
    visit(OwnedStep::Node(Slot::Root, root))?;
    let Some(rest) = Unvisited::of(root) else { return Ok(()) };
    let mut open = Vec::from([(root, rest)]);
    while let Some((node, rest)) = open.last_mut() {
        match rest.visit(&mut visit)? {
            Some(container) => {
                open.extend(Unvisited::of(container).map(|rest| (container, rest)));
            }
            None => {
                visit(OwnedStep::End(*node))?;
                open.pop();
            }
        }
    }
    Ok(())
}
