//! Reads and writes owned values and node paths, also in other formats.

use super::{OfValue, leaf, object, read};
use crate::format::typed::direct::{self, Direct};
use crate::value::{Kind, VariantRef, View};
use crate::write::owned::{Array, Dictionary, NodePath, Object, Variant, WrongKind};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::de::{MapAccess, SeqAccess, Unexpected, Visitor};
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
        plain |value, serializer| PlainVariant(value).serialize(serializer),
    /// Reads any value. From other formats, reads null, bools, numbers, texts, bytes, sequences and
    /// maps.
        of_value |value| Ok(value.into()),
        of_other |deserializer| read_any(deserializer);

    /// Writes a Dictionary with its element types. In other formats, writes a map.
    Dictionary, "a Dictionary":
        plain |entries, serializer| {
            serializer.collect_map(entries.iter().map(|(key, value)| (PlainVariant(key), PlainVariant(value))))
        },
    /// Reads a value of this kind. From other formats, reads it as a [`Variant`] does.
        of_value |value| converted(value.into()),
        of_other |deserializer| converted(read_any(deserializer)?);

    /// Writes an Array with its element type. In other formats, writes a sequence.
    Array, "an Array":
        plain |array, serializer| serializer.collect_seq(array.iter().map(PlainVariant)),
    /// Reads a value of this kind. From other formats, reads it as a [`Variant`] does.
        of_value |value| converted(value.into()),
        of_other |deserializer| converted(read_any(deserializer)?);

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
struct PlainVariant<'a>(&'a Variant);

impl Serialize for PlainVariant<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Variant::Object(Object::Instance(instance)) => {
                object(&instance.class, &Properties(&instance.properties), serializer)
            }
            Variant::Dictionary(entries) => entries.plain(serializer),
            Variant::Array(array)
            | Variant::TypedArray(array)
            | Variant::PackedTypedArray(array) => array.plain(serializer),
            value => leaf(value.kind(), value.leaf(), serializer),
        }
    }
}

struct Properties<'a>(&'a [(String, Variant)]);

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, PlainVariant(value))))
    }
}

/// Reads the next value of a self-describing format.
fn read_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Variant, D::Error> {
    deserializer.deserialize_any(Any)
}

struct Any;

macro_rules! visit {
    ($($method:ident($type:ty))*) => {$(
        fn $method<E>(self, value: $type) -> Result<Variant, E> {
            Ok(value.into())
        }
    )*};
}

impl<'de> Visitor<'de> for Any {
    type Value = Variant;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, in which integers fit in 64 bits with a sign")
    }

    visit! {
        visit_bool(bool) visit_i64(i64) visit_f64(f64) visit_str(&str) visit_string(String)
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Variant, E> {
        Ok(Variant::PackedByteArray(bytes.to_vec()))
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Variant, E> {
        Ok(Variant::PackedByteArray(bytes))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Variant, E> {
        match i64::try_from(value) {
            Ok(value) => Ok(value.into()),
            Err(_) => Err(E::invalid_value(Unexpected::Unsigned(value), &self)),
        }
    }

    fn visit_none<E>(self) -> Result<Variant, E> {
        Ok(Variant::Nil)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Variant, D::Error> {
        read_any(deserializer)
    }

    fn visit_unit<E>(self) -> Result<Variant, E> {
        Ok(Variant::Nil)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Variant, D::Error> {
        read_any(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Variant, A::Error> {
        let mut elements: Vec<Variant> = Vec::new();
        while let Some(element) = sequence.next_element()? {
            elements.push(element);
        }
        Ok(Variant::Array(elements.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Variant, A::Error> {
        let mut entries: Vec<(Variant, Variant)> = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries.into_iter().collect::<Dictionary>().into())
    }
}
