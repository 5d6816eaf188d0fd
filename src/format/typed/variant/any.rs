//! Reads owned values from other formats.

use crate::write::owned::{Dictionary, Variant};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::Deserializer;
use serde::de::{MapAccess, SeqAccess, Unexpected, Visitor};

/// Reads the next value of a self-describing format.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Variant, D::Error> {
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
        read(deserializer)
    }

    fn visit_unit<E>(self) -> Result<Variant, E> {
        Ok(Variant::Nil)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Variant, D::Error> {
        read(deserializer)
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
