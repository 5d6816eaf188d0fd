//! Passes a whole value to `Variant` or `VariantRef` as its bytes.

use super::super::dialects;
use super::super::error::{Error, Result};
use crate::value::VariantRef;
use serde::de::value::{BorrowedBytesDeserializer, U32Deserializer};
use serde::de::{DeserializeSeed, SeqAccess};

/// The number of a value's dialect, and the value's bytes.
pub(super) struct Parts<'de> {
    dialect: Option<u32>,
    bytes: Option<&'de [u8]>,
}

impl<'de> Parts<'de> {
    pub(super) fn of(value: VariantRef<'de>) -> Parts<'de> {
        Parts { dialect: Some(dialects::number(value.dialect())), bytes: Some(value.as_bytes()) }
    }
}

impl<'de> SeqAccess<'de> for Parts<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if let Some(number) = self.dialect.take() {
            return seed.deserialize(U32Deserializer::new(number)).map(Some);
        }
        match self.bytes.take() {
            Some(bytes) => seed.deserialize(BorrowedBytesDeserializer::new(bytes)).map(Some),
            None => Ok(None),
        }
    }
}
