//! The plain form of values: what a program expects in JSON, without the types of the engine. See the
//! table in [`crate::json`].
//!
//! Views come in. `write` writes them as JSON, and `access` gives expressions the same values part by
//! part.

#[cfg(feature = "capture")]
mod access;

#[cfg(feature = "capture")]
pub(crate) use access::{Map, Plain, PlainList};

use super::emit::Emitter;
use super::keys::{Collisions, InsideKey};
use super::ordered;
use crate::format::text::Layout;
use crate::value::{Cells, Container, Event, Kind, Leaf, Slot, ValueBody, VariantRef, WalkStack};
use std::fmt;
use std::ops::ControlFlow;

/// How many numbers an element of a value has: more than one in arrays of math values.
const fn width(kind: Kind) -> u8 {
    match kind.body() {
        ValueBody::Packed(_, width) => width,
        _ => 1,
    }
}

/// Writes a value.
pub(crate) fn write(value: VariantRef<'_>, json: &mut Emitter<'_>) -> fmt::Result {
    let mut writer =
        PlainWriter { json, whole: value, collisions: None, inside: InsideKey::default() };
    let result = value.visit(&mut WalkStack::new(), |event| match writer.event(event) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    });
    result.break_value().map_or(Ok(()), Err)
}

struct PlainWriter<'a, 'e, 'o> {
    json: &'e mut Emitter<'o>,
    whole: VariantRef<'a>,
    /// Searched for at the first key that is not a string.
    collisions: Option<Collisions>,
    inside: InsideKey,
}

impl<'a> PlainWriter<'a, '_, '_> {
    fn event(&mut self, event: Event<'a>) -> fmt::Result {
        if self.inside.takes(&event) {
            return Ok(());
        }
        match event {
            Event::Value(Slot::Key, key) => self.key(key),
            Event::Begin(Slot::Key, container) => self.key(container.as_value()),
            Event::Value(place, value) => {
                self.separate(place)?;
                leaf(value, self.json)
            }
            Event::Begin(place, container) => {
                self.separate(place)?;
                self.begin(container)
            }
            Event::Property(name) => self.json.key(name),
            Event::End(ended) => self.json.close(match ended.kind() {
                Kind::Dictionary => "}",
                Kind::Object => "}}",
                _ => "]",
            }),
        }
    }

    fn separate(&mut self, place: Slot) -> fmt::Result {
        match place {
            Slot::Element => self.json.separate(),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, container: Container<'_>) -> fmt::Result {
        match container.kind() {
            Kind::Dictionary => self.json.open("{"),
            Kind::Object => {
                self.json.open("{")?;
                self.json.key("class")?;
                self.json.string(container.class())?;
                self.json.key("properties")?;
                self.json.open("{")
            }
            _ => self.json.open("["),
        }
    }

    /// Writes a key of a dictionary.
    fn key(&mut self, key: VariantRef<'_>) -> fmt::Result {
        if let Some(text) = key.as_str() {
            return self.json.key(text);
        }
        let collisions = self.collisions.get_or_insert_with(|| Collisions::within(self.whole));
        if let Some(name) = collisions.name(key) {
            return self.json.key(name);
        }
        self.json.separate()?;
        self.json.shown(key.display(Layout::Line))?;
        self.json.raw(":")
    }
}

/// Writes a value that is not a container.
fn leaf(value: VariantRef<'_>, json: &mut Emitter<'_>) -> fmt::Result {
    match Leaf::of(value) {
        Leaf::Null | Leaf::Callable => json.null(),
        Leaf::Bool(content) => json.bool(content),
        Leaf::Int(number) => json.int(number),
        Leaf::Rid(id) => json.int(id),
        Leaf::Float(number) => json.real(number),
        Leaf::String(text) | Leaf::StringName(text) => json.string(text),
        Leaf::NodePath(path) => json.shown(path),
        Leaf::Cells(Cells::Bytes(bytes)) => json.digits(bytes),
        Leaf::Cells(cells) => numbers(value.kind(), cells, json),
        Leaf::Strings(strings) => {
            json.open("[")?;
            for text in strings {
                json.separate()?;
                json.string(text)?;
            }
            json.close("]")
        }
        Leaf::ObjectId(id) => handle(None, id, json),
        Leaf::Signal { name, object_id } => handle(Some(name), object_id, json),
    }
}

/// Writes a reference to something in the engine's process.
fn handle(name: Option<&str>, id: u64, json: &mut Emitter<'_>) -> fmt::Result {
    json.open("{")?;
    if let Some(name) = name {
        json.key("name")?;
        json.string(name)?;
    }
    json.key("id")?;
    json.int(id)?;
    json.close("}")
}

fn numbers(kind: Kind, cells: Cells<'_>, json: &mut Emitter<'_>) -> fmt::Result {
    match cells {
        Cells::Bytes(bytes) => list(kind, bytes, json, |it, json| json.int(it)),
        Cells::I32(numbers) => list(kind, numbers, json, |it, json| json.int(it.get())),
        Cells::I64(numbers) => list(kind, numbers, json, |it, json| json.int(it.get())),
        Cells::F32(numbers) => list(kind, numbers, json, |it, json| json.real(it.get())),
        Cells::F64(numbers) => list(kind, numbers, json, |it, json| json.real(it.get())),
    }
}

/// Writes an array of numbers, or of arrays of numbers.
fn list<T: Copy>(
    kind: Kind,
    numbers: &[T],
    json: &mut Emitter<'_>,
    number: impl Fn(T, &mut Emitter<'_>) -> fmt::Result,
) -> fmt::Result {
    json.open("[")?;
    match width(kind) {
        1 => ordered(kind, numbers).try_for_each(|it| {
            json.separate()?;
            number(it, json)
        })?,
        width => numbers.chunks(width.into()).try_for_each(|group| {
            json.separate()?;
            json.open("[")?;
            group.iter().try_for_each(|it| {
                json.separate()?;
                number(*it, json)
            })?;
            json.close("]")
        })?,
    }
    json.close("]")
}
