//! Owned values to bytes.

use super::numbers::Flat;
use super::{NodePath, Object, Variant};
use crate::encode::{Builder, Encode, EncodeError, Sink};
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
        let mut open: Vec<Rest<'_>> = Vec::new();
        let mut next = Some(self);
        loop {
            if let Some(value) = next {
                open.extend(begin(builder, value)?);
            }
            let Some(rest) = open.last_mut() else { return Ok(()) };
            next = match rest {
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
            if next.is_none() {
                builder.end()?;
                open.pop();
            }
        }
    }
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
        Variant::Object(Object::Id(id)) => builder.object_id(*id)?,
        Variant::PackedStringArray(strings) => builder.string_array(strings)?,
        Variant::Object(Object::Instance { class, properties }) => {
            builder.begin_object(class, properties.len())?;
            return Ok(Some(Rest::Properties(properties.iter())));
        }
        Variant::Dictionary(entries) => {
            let (keys, values) = (entries.key_type(), entries.value_type());
            builder.begin_dictionary_of(keys.as_ref(), values.as_ref(), entries.len())?;
            return Ok(Some(Rest::Entries(None, entries.iter())));
        }
        Variant::Array(array) | Variant::TypedArray(array) | Variant::PackedTypedArray(array) => {
            builder.begin_array_of(value.kind(), array.element_type.as_ref(), array.len())?;
            return Ok(Some(Rest::Elements(array.iter())));
        }
        // The engines write an object that is none as null.
        _ => builder.nil()?,
    }
    Ok(None)
}
