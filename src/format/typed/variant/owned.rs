//! Reads and writes owned values and node paths.

use super::any;
use super::parts::{object, signal};
use super::read::{OfValue, read};
use crate::format::typed::direct::{self, Direct};
use crate::format::typed::flat::numbers;
use crate::value::{Kind, VariantRef, View};
use crate::write::owned::{Array, Dictionary, Flat, NodePath, Object, Variant, WrongKind};
use alloc::string::String;
use serde::de::Unexpected;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Defines how a type is written in any format, and how it is read from a value of this format or
/// from another one.
macro_rules! values {
    ($(
        $(#[$written:meta])*
        $type:ident, $expected:literal:
            plain |$this:ident, $serializer:ident| $plain:expr,
        $(#[$read:meta])*
            of_value |$value:ident| $of_value:expr,
            of_other |$deserializer:ident| $of_other:expr;
    )*) => {$(
        $(#[$written])*
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                direct::serialize(self, serializer)
            }
        }

        impl Direct for $type {
            fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                direct::encoded(self, serializer)
            }

            fn plain<S: Serializer>(&self, $serializer: S) -> Result<S::Ok, S::Error> {
                let $this = self;
                $plain
            }
        }

        impl<'de> OfValue<'de> for $type {
            const EXPECTED: &'static str = $expected;

            fn of_value<E: serde::de::Error>($value: VariantRef<'de>) -> Result<$type, E> {
                $of_value
            }

            fn of_other<D: Deserializer<'de>>($deserializer: D) -> Result<$type, D::Error> {
                $of_other
            }
        }

        $(#[$read])*
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                read(deserializer)
            }
        }
    )*};
}

values! {
    /// Writes the same value. In other formats, writes its nearest equivalent.
    Variant, "a value":
        plain |value, serializer| Plain(value).serialize(serializer),
    /// Reads any value. From other formats, reads null, bools, numbers, texts, bytes, sequences and
    /// maps.
        of_value |value| Ok(value.into()),
        of_other |deserializer| any::read(deserializer);

    /// Writes a Dictionary with its element types. In other formats, writes a map.
    Dictionary, "a Dictionary":
        plain |entries, serializer| {
            serializer.collect_map(entries.iter().map(|(key, value)| (Plain(key), Plain(value))))
        },
    /// Reads a value of this kind. From other formats, reads it as a [`Variant`] does.
        of_value |value| converted(value.into()),
        of_other |deserializer| converted(any::read(deserializer)?);

    /// Writes an Array with its element type. In other formats, writes a sequence.
    Array, "an Array":
        plain |array, serializer| serializer.collect_seq(array.iter().map(Plain)),
    /// Reads a value of this kind. From other formats, reads it as a [`Variant`] does.
        of_value |value| converted(value.into()),
        of_other |deserializer| converted(any::read(deserializer)?);

    /// Writes a NodePath. In other formats, writes its text.
    NodePath, "a NodePath":
        plain |path, serializer| serializer.collect_str(path),
    /// Reads a NodePath, or the text of a path.
        of_value |value| match value.view() {
            View::NodePath(path) => Ok(path.into()),
            View::String(text) | View::StringName(text) => Ok(text.into()),
            _ => Err(wrong(value.kind(), Self::EXPECTED)),
        },
        of_other |deserializer| Ok(String::deserialize(deserializer)?.as_str().into());
}

/// The content of a value of the kind that the type stands for.
fn converted<'de, T, E>(value: Variant) -> Result<T, E>
where
    T: OfValue<'de> + TryFrom<Variant, Error = WrongKind>,
    E: serde::de::Error,
{
    T::try_from(value).map_err(|error| wrong(error.found, T::EXPECTED))
}

fn wrong<E: serde::de::Error>(found: Kind, expected: &str) -> E {
    E::invalid_type(Unexpected::Other(found.name()), &expected)
}

/// Writes a value, and all values in it, in another format.
struct Plain<'a>(&'a Variant);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kind = self.0.kind();
        match self.0.flat() {
            Some(Flat::Bytes(bytes)) => return serializer.serialize_bytes(bytes),
            Some(Flat::I32(cells)) => return numbers(kind, cells, serializer),
            Some(Flat::I64(cells)) => return numbers(kind, cells, serializer),
            Some(Flat::F32(cells)) => return numbers(kind, cells, serializer),
            Some(Flat::F64(cells)) => return numbers(kind, cells, serializer),
            None => {}
        }
        match self.0 {
            Variant::Bool(content) => serializer.serialize_bool(*content),
            Variant::Int(content) => serializer.serialize_i64(*content),
            Variant::Float(content) => serializer.serialize_f64(*content),
            Variant::String(content) | Variant::StringName(content) => {
                serializer.serialize_str(content)
            }
            Variant::NodePath(path) => serializer.collect_str(path),
            Variant::Rid(id) | Variant::Object(Object::Id(id)) => serializer.serialize_u64(*id),
            Variant::Signal(content) => signal(&content.name, content.object_id, serializer),
            Variant::PackedStringArray(strings) => serializer.collect_seq(strings),
            Variant::Object(Object::Instance(instance)) => {
                object(&instance.class, &Properties(&instance.properties), serializer)
            }
            Variant::Dictionary(entries) => entries.plain(serializer),
            Variant::Array(array)
            | Variant::TypedArray(array)
            | Variant::PackedTypedArray(array) => array.plain(serializer),
            _ => serializer.serialize_unit(),
        }
    }
}

struct Properties<'a>(&'a [(String, Variant)]);

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, Plain(value))))
    }
}
