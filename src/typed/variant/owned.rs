//! Reads and writes owned values and node paths.

use super::parts::{numbers, object, signal};
use super::{OfValue, any, read};
use crate::kind::Kind;
use crate::owned::{Array, Dictionary, Flat, NodePath, Object, Variant};
use crate::typed::direct::{self, Direct};
use crate::view::{VariantRef, View};
use alloc::string::String;
use serde::de::{Expected, Unexpected};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes the same value. In other formats, writes its nearest equivalent.
impl Serialize for Variant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        direct::serialize(self, serializer)
    }
}

impl Direct for Variant {
    fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        direct::encoded(self, serializer)
    }

    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Plain(self).serialize(serializer)
    }
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
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, &Plain(value))?;
        }
        map.end()
    }
}

impl Direct for Dictionary {
    fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        direct::encoded(self, serializer)
    }

    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            map.serialize_entry(&Plain(key), &Plain(value))?;
        }
        map.end()
    }
}

impl Direct for Array {
    fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        direct::encoded(self, serializer)
    }

    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Plain))
    }
}

macro_rules! container {
    ($($(#[$doc:meta])* $type:ident $expected:literal $kinds:pat,)*) => {$(
        $(#[$doc])*
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                direct::serialize(self, serializer)
            }
        }

        impl<'de> OfValue<'de> for $type {
            const EXPECTED: &'static str = $expected;

            fn of_value<E: serde::de::Error>(value: VariantRef<'de>) -> Result<$type, E> {
                match value.kind() {
                    $kinds => $type::try_from(Variant::from(value)).map_err(E::custom),
                    kind => Err(wrong(kind, &Self::EXPECTED)),
                }
            }

            fn of_other<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                $type::try_from(any::read(deserializer)?)
                    .map_err(|error| wrong(error.found, &Self::EXPECTED))
            }
        }

        /// Reads a value of this kind. From other formats, reads it as a [`Variant`] does.
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                read(deserializer)
            }
        }
    )*};
}

container! {
    /// Writes a Dictionary with its element types. In other formats, writes a map.
    Dictionary "a Dictionary" Kind::Dictionary,
    /// Writes an Array with its element type. In other formats, writes a sequence.
    Array "an Array" Kind::Array | Kind::TypedArray | Kind::PackedTypedArray,
}

fn wrong<E: serde::de::Error>(found: Kind, expected: &dyn Expected) -> E {
    E::invalid_type(Unexpected::Other(found.name()), expected)
}

impl<'de> OfValue<'de> for Variant {
    const EXPECTED: &'static str = "a value";

    fn of_value<E: serde::de::Error>(value: VariantRef<'de>) -> Result<Variant, E> {
        Ok(value.into())
    }

    fn of_other<D: Deserializer<'de>>(deserializer: D) -> Result<Variant, D::Error> {
        any::read(deserializer)
    }
}

/// Reads any value. From other formats, reads null, bools, numbers, texts, bytes, sequences and
/// maps.
impl<'de> Deserialize<'de> for Variant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Variant, D::Error> {
        read(deserializer)
    }
}

/// Writes a NodePath. In other formats, writes its text.
impl Serialize for NodePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        direct::serialize(self, serializer)
    }
}

impl Direct for NodePath {
    fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        direct::encoded(self, serializer)
    }

    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> OfValue<'de> for NodePath {
    const EXPECTED: &'static str = "a NodePath";

    fn of_value<E: serde::de::Error>(value: VariantRef<'de>) -> Result<NodePath, E> {
        match value.view() {
            View::NodePath(path) => Ok(path.into()),
            View::String(text) | View::StringName(text) => Ok(text.into()),
            _ => Err(wrong(value.kind(), &Self::EXPECTED)),
        }
    }

    fn of_other<D: Deserializer<'de>>(deserializer: D) -> Result<NodePath, D::Error> {
        Ok(String::deserialize(deserializer)?.as_str().into())
    }
}

/// Reads a NodePath, or the text of a path.
impl<'de> Deserialize<'de> for NodePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NodePath, D::Error> {
        read(deserializer)
    }
}
