//! Reads a value of this format, whole, or its equivalent in another format.

use super::super::{dialects, token};
use crate::value::VariantRef;
use core::fmt;
use core::marker::PhantomData;
use serde::Deserializer;
use serde::de::{Error as _, SeqAccess, Visitor};

/// Reads a value of this format, or its equivalent in another format.
pub(super) fn read<'de, D: Deserializer<'de>, T: OfValue<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    // Human-readable formats get no newtype: see [`crate::format::typed::direct::serialize`].
    if deserializer.is_human_readable() {
        return T::of_other(deserializer);
    }
    deserializer.deserialize_newtype_struct(token::VALUE, Whole(PhantomData))
}

/// A type that can be created from any value.
pub(super) trait OfValue<'de>: Sized {
    /// The name of the type in errors.
    const EXPECTED: &'static str;

    /// Creates it from a value of this format.
    fn of_value<E: serde::de::Error>(value: VariantRef<'de>) -> Result<Self, E>;

    /// Creates it from another format.
    fn of_other<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

struct Whole<T>(PhantomData<fn() -> T>);

impl<'de, T: OfValue<'de>> Visitor<'de> for Whole<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    /// This crate's deserializer passes the number of the dialect and the bytes of the value.
    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<T, A::Error> {
        let number = parts.next_element()?;
        let bytes = parts.next_element::<&'de [u8]>()?;
        let dialect = number.and_then(dialects::of_number);
        let (Some(dialect), Some(bytes)) = (dialect, bytes) else {
            return Err(A::Error::invalid_length(0, &self));
        };
        // The bytes may come from an adapter, so they are checked again.
        T::of_value(crate::parse(dialect, bytes).map_err(A::Error::custom)?)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::of_other(deserializer)
    }
}
