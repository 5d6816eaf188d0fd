//! Owned values to bytes.

use super::numbers::Flat;
use super::{Array, Dictionary, NodePath, Object, Signal, Variant};
use crate::encode::{Builder, Encode, EncodeError, Sink};
use crate::kind::Kind;
use alloc::string::String;
use alloc::vec::Vec;
use core::slice;

impl Encode for NodePath {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        let names = || self.names.iter().map(String::as_str);
        let subnames = || self.subnames.iter().map(String::as_str);
        builder.path(self.is_absolute, names, subnames)
    }
}

/// What is left of a container that is being written.
enum Rest<'a> {
    Elements(slice::Iter<'a, Variant>),
    /// The value of the key that was written last comes before the next key.
    Entries(Option<&'a Variant>, super::Iter<'a>),
    Properties(slice::Iter<'a, (String, Variant)>),
}

impl Encode for Variant {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        match begin(builder, self)? {
            Some(rest) => finish(builder, rest),
            None => Ok(()),
        }
    }
}

impl Encode for Dictionary {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        let rest = begin_dictionary(builder, self)?;
        finish(builder, rest)
    }
}

impl Encode for Array {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        let rest = begin_array(builder, Kind::Array, self)?;
        finish(builder, rest)
    }
}

impl Encode for Object {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        match begin_object(builder, self)? {
            Some(rest) => finish(builder, rest),
            None => Ok(()),
        }
    }
}

impl Encode for Signal {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        builder.signal(&self.name, self.object_id)
    }
}

/// Writes what is left of a container and all that is in it.
fn finish<'a, S: Sink>(builder: &mut Builder<S>, rest: Rest<'a>) -> Result<(), EncodeError> {
    let mut open = Vec::from([rest]);
    while let Some(rest) = open.last_mut() {
        let next = match rest {
            Rest::Elements(elements) => elements.next(),
            Rest::Entries(value, entries) => match value.take() {
                Some(value) => Some(value),
                None => entries.next().map(|(key, of_key)| {
                    *value = Some(of_key);
                    key
                }),
            },
            Rest::Properties(properties) => match properties.next() {
                Some((name, value)) => {
                    builder.property(name)?;
                    Some(value)
                }
                None => None,
            },
        };
        match next {
            Some(value) => open.extend(begin(builder, value)?),
            None => {
                builder.end()?;
                open.pop();
            }
        }
    }
    Ok(())
}

fn begin_dictionary<'a, S: Sink>(
    builder: &mut Builder<S>,
    entries: &'a Dictionary,
) -> Result<Rest<'a>, EncodeError> {
    let (keys, values) = (entries.key_type(), entries.value_type());
    builder.begin_dictionary_of(keys.as_ref(), values.as_ref(), entries.len())?;
    Ok(Rest::Entries(None, entries.iter()))
}

fn begin_array<'a, S: Sink>(
    builder: &mut Builder<S>,
    kind: Kind,
    array: &'a Array,
) -> Result<Rest<'a>, EncodeError> {
    builder.begin_array_of(kind, array.element_type.as_ref(), array.len())?;
    Ok(Rest::Elements(array.iter()))
}

/// Writes an object; of one with properties its head, and gives them.
fn begin_object<'a, S: Sink>(
    builder: &mut Builder<S>,
    object: &'a Object,
) -> Result<Option<Rest<'a>>, EncodeError> {
    match object {
        // The engines write an object that is none as null.
        Object::Null => builder.nil()?,
        Object::Id(id) => builder.object_id(*id)?,
        Object::Instance { class, properties } => {
            builder.begin_object(class, properties.len())?;
            return Ok(Some(Rest::Properties(properties.iter())));
        }
    }
    Ok(None)
}

/// Writes a value; of a container, its head, and gives what is to follow.
fn begin<'a, S: Sink>(
    builder: &mut Builder<S>,
    value: &'a Variant,
) -> Result<Option<Rest<'a>>, EncodeError> {
    if let Some(numbers) = value.flat() {
        let kind = value.kind();
        return match numbers {
            Flat::Bytes(bytes) => builder.byte_array(bytes),
            Flat::I32(numbers) => builder.integers(kind, numbers),
            Flat::I64(numbers) => builder.int64_array(numbers),
            Flat::F32(numbers) => builder.reals(kind, numbers),
            Flat::F64(numbers) => builder.reals(kind, numbers),
        }
        .map(|()| None);
    }
    match value {
        Variant::Bool(content) => builder.bool(*content)?,
        Variant::Int(content) => builder.int(*content)?,
        Variant::Float(content) => builder.float(*content)?,
        Variant::String(content) => builder.string(content)?,
        Variant::NodePath(content) => content.encode(builder)?,
        Variant::StringName(content) => builder.string_name(content)?,
        Variant::Rid(id) => builder.rid(*id)?,
        Variant::Callable => builder.callable()?,
        Variant::Signal(signal) => builder.signal(&signal.name, signal.object_id)?,
        Variant::PackedStringArray(strings) => builder.string_array(strings)?,
        Variant::Object(object) => return begin_object(builder, object),
        Variant::Dictionary(entries) => return begin_dictionary(builder, entries).map(Some),
        Variant::Array(array) | Variant::TypedArray(array) | Variant::PackedTypedArray(array) => {
            return begin_array(builder, value.kind(), array).map(Some);
        }
        _ => builder.nil()?,
    }
    Ok(None)
}
