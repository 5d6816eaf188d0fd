//! For `#[serde(with = "gdwire::typed::packed")]`: reads and writes sequences as packed arrays.
//!
//! ```
//! use gdwire::{Dialect, Kind, math::Vector3};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Mesh {
//!     #[serde(with = "gdwire::typed::packed")]
//!     vertices: Vec<Vector3<f32>>,
//!     #[serde(with = "gdwire::typed::packed")]
//!     indices: Vec<i32>,
//! }
//!
//! let mesh = Mesh { vertices: vec![Vector3::new(1.0, 2.0, 3.0)], indices: vec![0] };
//! let bytes = gdwire::to_vec(Dialect::GODOT_4, &mesh)?;
//! let value = gdwire::parse(Dialect::GODOT_4, &bytes)?;
//! let kind_of = |name| value.get(name).map(|array| array.kind());
//! assert_eq!(kind_of("vertices"), Some(Kind::PackedVector3Array));
//! assert_eq!(kind_of("indices"), Some(Kind::PackedInt32Array));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Packed`] does the same for any value that is not a field. An Array of such elements is read,
//! too. In other formats the field is a sequence, or bytes.

use super::direct;
use super::direct::Direct;
use crate::value::{Component, Kind, ValueBody};
use crate::write::encode::{Element, Elements, Packed, PackedContent};
use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a packed array. The type of the elements determines its kind: see [`Packed`].
///
/// # Errors
///
/// The format fails, or the dialect has no such packed array.
#[inline]
pub fn serialize<T: Elements + ?Sized, S: Serializer>(
    values: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    direct::serialize(&PackedValues(values.elements()), serializer)
}

/// Reads a packed array, or an array of such elements.
///
/// # Errors
///
/// The format fails.
#[inline]
pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    super::handles::inner(deserializer)
}

super::handles::option! { "packed", T, [Elements], [Deserialize<'de>] }

/// Writes a packed array. In other formats, writes a sequence, or bytes.
impl<T: Elements> Serialize for Packed<T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.0, serializer)
    }
}

/// Reads what the type in the wrapper reads: a packed array, or an Array of such elements.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Packed<T> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Packed<T>, D::Error> {
        deserialize(deserializer).map(Packed)
    }
}

struct PackedValues<'a, T>(&'a [T]);

impl<T: Element> Direct for PackedValues<'_, T> {
    #[inline]
    fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match T::content(self.0) {
            PackedContent::Bytes(bytes) => {
                direct::numbers(Kind::PackedByteArray, bytes, serializer)
            }
            PackedContent::I32(kind, numbers) => direct::numbers(kind, numbers, serializer),
            PackedContent::I64(numbers) => {
                direct::numbers(Kind::PackedInt64Array, numbers, serializer)
            }
            PackedContent::F32(kind, numbers) => direct::numbers(kind, numbers, serializer),
            PackedContent::F64(kind, numbers) => direct::numbers(kind, numbers, serializer),
            texts @ PackedContent::Texts(_) => direct::encoded(&texts, serializer),
        }
    }

    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match T::content(self.0) {
            // Most human-readable formats cannot express bytes.
            PackedContent::Bytes(bytes) if serializer.is_human_readable() => {
                serializer.collect_seq(bytes)
            }
            PackedContent::Bytes(bytes) => serializer.serialize_bytes(bytes),
            PackedContent::I32(kind, numbers) => flat_numbers(kind, numbers, serializer),
            PackedContent::I64(numbers) => {
                flat_numbers(Kind::PackedInt64Array, numbers, serializer)
            }
            PackedContent::F32(kind, numbers) => flat_numbers(kind, numbers, serializer),
            PackedContent::F64(kind, numbers) => flat_numbers(kind, numbers, serializer),
            PackedContent::Texts(texts) => serializer.collect_seq(texts.iter()),
        }
    }
}

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
pub(super) fn flat_numbers<T, S>(kind: Kind, cells: &[T], serializer: S) -> Result<S::Ok, S::Error>
where
    T: Component<Native: Serialize>,
    S: Serializer,
{
    match kind.body() {
        ValueBody::Packed(_, each @ 2..) => {
            let groups = cells.chunks_exact(usize::from(each));
            let mut sequence = serializer.serialize_seq(Some(groups.len()))?;
            for group in groups {
                sequence.serialize_element(&NumberGroup(group))?;
            }
            sequence.end()
        }
        ValueBody::Packed(..) => serializer.collect_seq(cells.iter().map(|cell| cell.get())),
        _ => flat(cells.iter().map(|cell| cell.get()), serializer),
    }
}

struct NumberGroup<'a, T>(&'a [T]);

impl<T: Component<Native: Serialize>> Serialize for NumberGroup<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        flat(self.0.iter().map(|cell| cell.get()), serializer)
    }
}
