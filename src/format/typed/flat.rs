//! Writes the numbers of math values and packed arrays in other formats.

use crate::value::{Body, Component, Kind};
use serde::ser::{SerializeSeq, SerializeTuple};
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

/// Writes the numbers of a math value as a flat tuple. Writes a packed array as a sequence, in
/// which each vector is a flat tuple.
pub(super) fn numbers<T, S>(kind: Kind, cells: &[T], serializer: S) -> Result<S::Ok, S::Error>
where
    T: Component<Native: Serialize>,
    S: Serializer,
{
    match kind.body() {
        Body::Packed(_, each @ 2..) => {
            let groups = cells.chunks_exact(usize::from(each));
            let mut sequence = serializer.serialize_seq(Some(groups.len()))?;
            for group in groups {
                sequence.serialize_element(&Group(group))?;
            }
            sequence.end()
        }
        Body::Packed(..) => serializer.collect_seq(cells.iter().map(|cell| cell.get())),
        _ => flat(cells.iter().map(|cell| cell.get()), serializer),
    }
}

struct Group<'a, T>(&'a [T]);

impl<T: Component<Native: Serialize>> Serialize for Group<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        flat(self.0.iter().map(|cell| cell.get()), serializer)
    }
}
