//! Reads and writes values of any kind as fields of other types.
//!
//! Input: a `Variant`, a view, or what another format holds. Output: the same value, without
//! any loss in this format, and the nearest equivalent in others.

#[cfg(feature = "alloc")]
mod owned;

use super::direct::Direct;
use super::packed::flat_numbers;
use super::{direct, token};
use crate::value::walk::Walk;
use crate::value::{Cells, Container, Event, Kind, Leaf, Storage, VariantRef, WalkStack};
use core::cell::RefCell;
use core::fmt;
use core::marker::PhantomData;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a signal as a map of its name and the id of its object.
fn signal<S: Serializer>(name: &str, object_id: u64, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("name", name)?;
    map.serialize_entry("object_id", &object_id)?;
    map.end()
}

/// Writes an object as a map of its class and its properties.
fn object<S: Serializer>(
    class: &str,
    properties: &impl Serialize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("class", class)?;
    map.serialize_entry("properties", properties)?;
    map.end()
}

/// Reads a value of this format, or its equivalent in another format.
fn read<'de, D: Deserializer<'de>, T: OfValue<'de>>(deserializer: D) -> Result<T, D::Error> {
    // Human-readable formats get no newtype: see [`crate::format::typed::direct::serialize`].
    if deserializer.is_human_readable() {
        return T::of_other(deserializer);
    }
    deserializer.deserialize_newtype_struct(token::VALUE, Whole(PhantomData))
}

/// A type that can be created from any value.
trait OfValue<'de>: Sized {
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
        let dialect = number.and_then(token::dialect_of_number);
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

/// Writes the same value. In other formats, writes its nearest equivalent.
impl Serialize for VariantRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        direct::serialize(self, serializer)
    }
}

impl Direct for VariantRef<'_> {
    fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        direct::encoded(self, serializer)
    }

    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stack = WalkStack::new();
        let walk = EventQueue(RefCell::new(self.walk(&mut stack)));
        match walk.next() {
            Some(event) => EventNode { walk: &walk, event }.serialize(serializer),
            None => serializer.serialize_unit(),
        }
    }
}

/// One walk over the whole value. Each value in it takes its events from the same walk.
struct EventQueue<'a, 's>(RefCell<Walk<'a, 's>>);

impl<'a> EventQueue<'a, '_> {
    fn next(&self) -> Option<Event<'a>> {
        self.0.try_borrow_mut().ok()?.next()
    }
}

/// A value whose first event has been taken.
struct EventNode<'w, 'a, 's> {
    walk: &'w EventQueue<'a, 's>,
    event: Event<'a>,
}

impl Serialize for EventNode<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let walk = self.walk;
        match self.event {
            Event::Value(_, value) => leaf(value.kind(), Leaf::of(value), serializer),
            Event::Begin(_, container) => match container.kind() {
                Kind::Dictionary => Entries { walk, container }.serialize(serializer),
                Kind::Object => object(container.class(), &Entries { walk, container }, serializer),
                _ => {
                    let mut sequence = serializer.serialize_seq(Some(container.len()))?;
                    while let Some(event) = walk.next() {
                        if let Event::End(_) = event {
                            break;
                        }
                        sequence.serialize_element(&EventNode { walk, event })?;
                    }
                    sequence.end()
                }
            },
            Event::Property(name) => serializer.serialize_str(name),
            Event::End(_) => Err(S::Error::custom("a container ends where a value is due")),
        }
    }
}

/// The entries of a dictionary or the properties of an object.
struct Entries<'w, 'a, 's> {
    walk: &'w EventQueue<'a, 's>,
    container: Container<'a>,
}

impl Serialize for Entries<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let walk = self.walk;
        let mut map = serializer.serialize_map(Some(self.container.len()))?;
        while let Some(event) = walk.next() {
            if let Event::End(_) = event {
                break;
            }
            map.serialize_key(&EventNode { walk, event })?;
            if let Some(event) = walk.next() {
                map.serialize_value(&EventNode { walk, event })?;
            }
        }
        map.end()
    }
}

/// Writes a value that contains no other values in another format.
fn leaf<T: Storage, S: Serializer>(
    kind: Kind,
    leaf: Leaf<'_, T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match leaf {
        Leaf::Cells(Cells::Bytes(bytes)) => serializer.serialize_bytes(bytes),
        Leaf::Cells(Cells::I32(numbers)) => flat_numbers(kind, numbers, serializer),
        Leaf::Cells(Cells::I64(numbers)) => flat_numbers(kind, numbers, serializer),
        Leaf::Cells(Cells::F32(numbers)) => flat_numbers(kind, numbers, serializer),
        Leaf::Cells(Cells::F64(numbers)) => flat_numbers(kind, numbers, serializer),
        Leaf::Bool(content) => serializer.serialize_bool(content),
        Leaf::Int(number) => serializer.serialize_i64(number),
        Leaf::Float(number) => serializer.serialize_f64(number),
        Leaf::String(text) | Leaf::StringName(text) => serializer.serialize_str(text),
        Leaf::NodePath(path) => serializer.collect_str(&path),
        Leaf::Rid(id) | Leaf::ObjectId(id) => serializer.serialize_u64(id),
        Leaf::Signal { name, object_id } => signal(name, object_id, serializer),
        Leaf::Strings(strings) => serializer.collect_seq(T::texts(strings)),
        Leaf::Null | Leaf::Callable => serializer.serialize_unit(),
    }
}

impl<'de: 'a, 'a> OfValue<'de> for VariantRef<'a> {
    const EXPECTED: &'static str = "a value of this format";

    fn of_value<E: serde::de::Error>(value: VariantRef<'de>) -> Result<VariantRef<'a>, E> {
        Ok(value)
    }

    fn of_other<D: Deserializer<'de>>(_: D) -> Result<VariantRef<'a>, D::Error> {
        Err(D::Error::custom(
            "a VariantRef can only be read from bytes of this format, not from another format or a buffer",
        ))
    }
}

/// Borrows the value from the input. Reading from a format other than this crate's is an error.
impl<'de: 'a, 'a> Deserialize<'de> for VariantRef<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<VariantRef<'a>, D::Error> {
        read(deserializer)
    }
}
