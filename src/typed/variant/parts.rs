//! Writes parts of values in other formats.

use crate::kind::{Body, Kind};
use crate::number::Component;
use crate::typed::flat::flat;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

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

/// Writes a signal as a map of its name and the id of its object.
pub(super) fn signal<S: Serializer>(
    name: &str,
    object_id: u64,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("name", name)?;
    map.serialize_entry("object_id", &object_id)?;
    map.end()
}

/// Writes an object as a map of its class and its properties.
pub(super) fn object<S: Serializer>(
    class: &str,
    properties: &impl Serialize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("class", class)?;
    map.serialize_entry("properties", properties)?;
    map.end()
}
