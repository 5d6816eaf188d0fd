//! Writes the numbers of a math value in other formats.

use serde::ser::SerializeTuple;
use serde::{Serialize, Serializer};

/// Writes the numbers of a math value as a flat tuple.
pub(super) fn flat<T: Serialize, S: Serializer>(
    numbers: impl ExactSizeIterator<Item = T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut tuple = serializer.serialize_tuple(numbers.len())?;
    for number in numbers {
        tuple.serialize_element(&number)?;
    }
    tuple.end()
}

/// The numbers of one math value.
pub(super) struct Flat<'a, T>(pub(super) &'a [T]);

impl<T: Serialize> Serialize for Flat<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        flat(self.0.iter(), serializer)
    }
}
