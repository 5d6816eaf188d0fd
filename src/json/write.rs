//! Writes a value as JSON.

use super::emit::{Emitter, to_io, word};
use super::{BY_ID, Spelling, element_type, ordered, plain};
use crate::kind::Kind;
use crate::text::Decimal;
use crate::view::{Cells, ObjectRef, StringsRef, VariantRef, View};
use crate::walk::{Container, Event, Place, WalkStack};
use std::fmt;
use std::io;
use std::ops::ControlFlow;

/// The lossless JSON of a value.
#[must_use]
pub fn to_string(value: VariantRef<'_>) -> String {
    in_memory(value, Spelling::Native)
}

/// The plain JSON of a value.
///
/// ```
/// use gdwire::{Dialect, encode, json, parse, variant};
///
/// let bytes = encode(Dialect::GODOT_4, &variant!({ "hp": 87, "speed": 2.0, 3: ["a"] }))?;
/// let value = parse(Dialect::GODOT_4, &bytes)?;
/// assert_eq!(json::to_plain_string(value), r#"{"hp":87,"speed":2.0,"3":["a"]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn to_plain_string(value: VariantRef<'_>) -> String {
    in_memory(value, Spelling::Plain)
}

fn in_memory(value: VariantRef<'_>, spelling: Spelling) -> String {
    let mut text = String::new();
    // Writing to memory cannot fail.
    let _ = write_value(value, spelling, &mut Emitter::new(&mut text));
    text
}

/// Writes the lossless JSON of a value. There are many small writes, so `out` should be buffered.
///
/// ```
/// use gdwire::{Dialect, json, parse};
/// use std::io::Write;
///
/// let value = parse(Dialect::GODOT_3, &[2, 0, 0, 0, 42, 0, 0, 0])?;
/// let mut line = Vec::new();
/// line.write_all(br#"{"value":"#)?;
/// json::write(value, &mut line)?;
/// line.write_all(b"}")?;
/// assert_eq!(line, br#"{"value":"i:42"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The errors of `out`.
pub fn write(value: VariantRef<'_>, out: impl io::Write) -> io::Result<()> {
    to_io(out, |out| write_value(value, Spelling::Native, &mut Emitter::new(out)))
}

/// Writes the plain JSON of a value. There are many small writes, so `out` should be buffered.
///
/// # Errors
///
/// The errors of `out`.
pub fn write_plain(value: VariantRef<'_>, out: impl io::Write) -> io::Result<()> {
    to_io(out, |out| write_value(value, Spelling::Plain, &mut Emitter::new(out)))
}

/// Writes a value where a value is expected.
pub(crate) fn write_value<W: fmt::Write>(
    value: VariantRef<'_>,
    spelling: Spelling,
    json: &mut Emitter<W>,
) -> fmt::Result {
    if spelling == Spelling::Plain {
        return plain::write(value, json);
    }
    let mut writer = Writer { json };
    let result = value.visit(&mut WalkStack::new(), |event| match writer.event(event) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    });
    result.break_value().map_or(Ok(()), Err)
}

struct Writer<'e, W> {
    json: &'e mut Emitter<W>,
}

impl<W: fmt::Write> Writer<'_, W> {
    fn event(&mut self, event: Event<'_>) -> fmt::Result {
        match event {
            Event::Value(place, value) => {
                self.separate(place)?;
                self.leaf(value)
            }
            Event::Begin(place, container) => {
                self.separate(place)?;
                match container.kind() {
                    Kind::Array if !container.is_typed() => self.json.open("["),
                    Kind::Object => self.begin(container.class(), "props"),
                    kind => {
                        self.named(kind.name())?;
                        self.element_types(container)?;
                        self.list("args")
                    }
                }
            }
            Event::Property(name) => {
                self.json.separate()?;
                self.json.string(name)
            }
            Event::End(ended) if ended.kind() == Kind::Array && !ended.is_typed() => {
                self.json.close("]")
            }
            Event::End(_) => self.json.close("]}"),
        }
    }

    /// Writes the comma before a value, which is an element of a list unless it is the whole value.
    fn separate(&mut self, place: Place) -> fmt::Result {
        if place == Place::Root { Ok(()) } else { self.json.separate() }
    }

    fn element_types(&mut self, container: Container<'_>) -> fmt::Result {
        let fields = match container.kind() {
            Kind::Dictionary => ["key_type", "value_type"],
            _ => ["elem_type", ""],
        };
        for (field, element) in fields.into_iter().zip(container.element_types()) {
            if let Some(name) = element_type::spell(element) {
                self.json.key(field)?;
                self.json.string(&name)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, name: &str, field: &str) -> fmt::Result {
        self.named(name)?;
        self.list(field)
    }

    fn list(&mut self, field: &str) -> fmt::Result {
        self.json.key(field)?;
        self.json.open("[")
    }

    /// Begins an object with its type.
    fn named(&mut self, name: &str) -> fmt::Result {
        self.json.open("{")?;
        self.json.key("type")?;
        self.json.string(name)
    }

    fn leaf(&mut self, value: VariantRef<'_>) -> fmt::Result {
        let kind = value.kind();
        if let Some(cells) = value.cells() {
            self.begin(kind.name(), "args")?;
            self.cells(kind, cells)?;
            return self.json.close("]}");
        }
        match value.view() {
            View::Nil | View::Object(ObjectRef::Null) => self.json.null(),
            View::Bool(is_true) => self.json.bool(is_true),
            View::Int(number) => self.json.shown("i:", number),
            View::Float(number) => self.float(number),
            View::String(text) => self.json.shown("s:", text),
            View::StringName(name) => self.json.shown("sn:", name),
            View::NodePath(path) => self.json.shown("np:", path),
            View::Object(ObjectRef::Id(id)) => self.handle(BY_ID, None, id),
            View::Rid(id @ 1..) => self.handle(kind.name(), None, id),
            View::Signal(signal) if signal.object_id() != 0 || !signal.name().is_empty() => {
                self.handle(kind.name(), Some(signal.name()), signal.object_id())
            }
            View::PackedStringArray(strings) => self.strings(kind, strings),
            // The remaining kinds have only their type.
            _ => {
                self.named(kind.name())?;
                self.json.close("}")
            }
        }
    }

    fn float(&mut self, number: f64) -> fmt::Result {
        match word(number) {
            Some(word) => self.json.shown("f:", word),
            None => self.json.shown("f:", Decimal { number, is_pointed: true }),
        }
    }

    /// Writes a reference to something in the engine's process: a name, if there is one, and an id.
    fn handle(&mut self, type_name: &str, name: Option<&str>, id: u64) -> fmt::Result {
        self.named(type_name)?;
        if let Some(name) = name {
            self.json.key("name")?;
            self.json.string(name)?;
        }
        self.json.key("id")?;
        self.json.shown("i:", id)?;
        self.json.close("}")
    }

    fn strings(&mut self, kind: Kind, strings: StringsRef<'_>) -> fmt::Result {
        self.begin(kind.name(), "args")?;
        for text in strings {
            self.json.separate()?;
            self.json.string(text)?;
        }
        self.json.close("]}")
    }

    fn cells(&mut self, kind: Kind, cells: Cells<'_>) -> fmt::Result {
        let json = &mut *self.json;
        match cells {
            Cells::Bytes(bytes) => bytes.iter().try_for_each(|byte| {
                json.separate()?;
                json.number(byte)
            }),
            Cells::I32(numbers) => numbers.iter().try_for_each(|number| {
                json.separate()?;
                json.number(number.get())
            }),
            Cells::I64(numbers) => numbers.iter().try_for_each(|number| {
                json.separate()?;
                json.number(number.get())
            }),
            Cells::F32(numbers) => ordered(kind, numbers).try_for_each(|number| {
                json.separate()?;
                json.real(number.get())
            }),
            Cells::F64(numbers) => ordered(kind, numbers).try_for_each(|number| {
                json.separate()?;
                json.real(number.get())
            }),
        }
    }
}
