//! Writes parts of values in other formats.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

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
