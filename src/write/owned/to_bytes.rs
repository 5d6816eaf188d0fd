//! Encodes owned values.

use super::node_path::NodePath;
use super::numbers::Flat;
use super::signal::Signal;
use super::steps::{Node, Step, visit};
use super::variant::{Array, Dictionary, Instance, Object, Variant};
use crate::value::Kind;
use crate::write::encode::{Builder, Encode, EncodeError, Sink};
use alloc::string::String;

impl Encode for Variant {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        match Node::of(self) {
            Node::Leaf(leaf) => encode_leaf(leaf, builder),
            container => encode(container, builder),
        }
    }
}

impl Encode for Dictionary {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        encode(Node::Dictionary(self), builder)
    }
}

impl Encode for Array {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        encode(Node::Array(Kind::Array, self), builder)
    }
}

impl Encode for Instance {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        encode(Node::Instance(self), builder)
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

fn encode<S: Sink>(root: Node<'_>, builder: &mut Builder<S>) -> Result<(), EncodeError> {
    visit(root, |step| match step {
        Step::Node(_, Node::Leaf(leaf)) => encode_leaf(leaf, builder),
        Step::Node(_, container) => begin(container, builder),
        Step::Property(name) => builder.property(name),
        Step::End(_) => builder.end(),
    })
}

/// Opens a container.
fn begin<S: Sink>(container: Node<'_>, builder: &mut Builder<S>) -> Result<(), EncodeError> {
    match container {
        Node::Array(kind, array) => {
            builder.begin_array_of(kind, array.element_type().as_ref(), array.len())
        }
        Node::Dictionary(entries) => {
            let (keys, values) = (entries.key_type(), entries.value_type());
            builder.begin_dictionary_of(keys.as_ref(), values.as_ref(), entries.len())
        }
        Node::Instance(instance) => {
            builder.begin_object(&instance.class, instance.properties.len())
        }
        Node::Leaf(_) => Ok(()),
    }
}

/// Writes a value that contains no other values.
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
    match value.flat() {
        Some(Flat::Bytes(bytes)) => builder.byte_array(bytes),
        Some(Flat::I32(numbers)) => builder.integers(kind, numbers),
        Some(Flat::I64(numbers)) => builder.int64_array(numbers),
        Some(Flat::F32(numbers)) => builder.reals(kind, numbers),
        Some(Flat::F64(numbers)) => builder.doubles(kind, numbers, value.width()),
        None => builder.nil(),
    }
}
