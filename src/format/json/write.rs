//! Writes a value as JSON.

use super::emit::Emitter;
use super::{BY_ID, Spelling, ordered, plain, spell_element_type};
use crate::value::{Cells, Container, Event, Kind, ObjectRef, Slot, VariantRef, View, WalkStack};
use std::fmt::{self, Display};
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
    let mut text = Vec::new();
    // Writing to memory cannot fail, and JSON is UTF-8.
    let _ = Emitter::to(&mut text, |json| write_value(value, spelling, json));
    String::from_utf8(text).unwrap_or_default()
}

/// Writes the lossless JSON of a value. The text is written to `out` in blocks of up to 512 bytes;
/// a longer string is a block of its own.
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
    Emitter::to_io(out, |json| write_value(value, Spelling::Native, json))
}

/// Writes the plain JSON of a value. The text is written to `out` in blocks of up to 512 bytes; a
/// longer string is a block of its own.
///
/// # Errors
///
/// The errors of `out`.
pub fn write_plain(value: VariantRef<'_>, out: impl io::Write) -> io::Result<()> {
    Emitter::to_io(out, |json| write_value(value, Spelling::Plain, json))
}

/// Writes a text as a JSON string. Characters that [disturb a line](crate::text::disturbs_line) are
/// escaped.
///
/// ```
/// let mut out = Vec::new();
/// gdwire::json::write_string("a \"b\"\u{1b}", &mut out)?;
/// assert_eq!(out, br#""a \"b\"\u001b""#);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// The errors of `out`.
pub fn write_string(text: impl Display, out: impl io::Write) -> io::Result<()> {
    Emitter::to_io(out, |json| json.shown(text))
}

/// Writes a value where a value is expected.
pub(crate) fn write_value(
    value: VariantRef<'_>,
    spelling: Spelling,
    json: &mut Emitter<'_>,
) -> fmt::Result {
    if spelling == Spelling::Plain {
        return plain::write(value, json);
    }
    let mut writer = NativeWriter { json };
    let result = value.visit(&mut WalkStack::new(), |event| match writer.event(event) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    });
    result.break_value().map_or(Ok(()), Err)
}

struct NativeWriter<'e, 'o> {
    json: &'e mut Emitter<'o>,
}

impl NativeWriter<'_, '_> {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> fmt::Result {
        if let Event::Value(Slot::Root, _) | Event::Begin(Slot::Root, _) = event {
            self.json.begin();
        }
        match event {
            Event::Value(_, value) => self.leaf(value),
            Event::Begin(_, container) => self.container(container),
            Event::Property(name) => {
                self.json.lead(",\"")?;
                self.json.rest(name)
            }
            Event::End(ended) if ended.kind() == Kind::Array && !ended.is_typed() => {
                self.json.close("]")
            }
            Event::End(_) => self.json.close("]}"),
        }
    }

    fn container(&mut self, container: Container<'_>) -> fmt::Result {
        match container.kind() {
            Kind::Array if !container.is_typed() => self.json.lead(",[")?,
            Kind::Object => {
                self.named(container.class())?;
                self.json.raw(",\"props\":[")?;
            }
            kind if !container.is_typed() => self.json.lead(kind.native_list())?,
            kind => {
                self.named(kind.name())?;
                self.element_types(container)?;
                self.json.raw(",\"args\":[")?;
            }
        }
        self.json.begin();
        Ok(())
    }

    fn element_types(&mut self, container: Container<'_>) -> fmt::Result {
        let fields = match container.kind() {
            Kind::Dictionary => ["key_type", "value_type"],
            _ => ["elem_type", ""],
        };
        for (field, element) in fields.into_iter().zip(container.element_types()) {
            if let Some(name) = spell_element_type(element) {
                self.json.key(field)?;
                self.json.string(&name)?;
            }
        }
        Ok(())
    }

    /// Begins an object with its type.
    fn named(&mut self, name: &str) -> fmt::Result {
        self.json.lead(",{\"type\":\"")?;
        self.json.rest(name)
    }

    #[inline]
    fn leaf(&mut self, value: VariantRef<'_>) -> fmt::Result {
        // The most frequent kinds come first.
        if let Some(text) = value.as_str() {
            self.json.lead(if value.kind() == Kind::String { ",\"s:" } else { ",\"sn:" })?;
            return self.json.rest(text);
        }
        if let Some(number) = value.as_i64() {
            self.json.lead(",\"i:")?;
            self.json.int(number)?;
            return self.json.raw("\"");
        }
        match value.cells() {
            Some(cells) => {
                self.json.lead(value.kind().native_list())?;
                self.json.begin();
                self.cells(value.kind(), cells)?;
                self.json.close("]}")
            }
            None => self.other(value),
        }
    }

    fn other(&mut self, value: VariantRef<'_>) -> fmt::Result {
        let kind = value.kind();
        match value.view() {
            View::Nil | View::Object(ObjectRef::Null) => self.json.lead(",null"),
            View::Bool(true) => self.json.lead(",true"),
            View::Bool(false) => self.json.lead(",false"),
            View::Float(number) => {
                self.json.lead(",\"f:")?;
                self.json.real_rest(number)
            }
            View::NodePath(path) => {
                self.json.lead(",\"np:")?;
                self.json.shown_rest(path)
            }
            View::Object(ObjectRef::Id(id)) => self.handle(BY_ID, None, id),
            View::Rid(id @ 1..) => self.handle(kind.name(), None, id),
            View::Signal(signal) if signal.object_id() != 0 || !signal.name().is_empty() => {
                self.handle(kind.name(), Some(signal.name()), signal.object_id())
            }
            View::PackedStringArray(strings) => {
                self.json.lead(kind.native_list())?;
                self.json.begin();
                for text in strings {
                    self.json.lead(",\"")?;
                    self.json.rest(text)?;
                }
                self.json.close("]}")
            }
            // The remaining kinds have only their type.
            _ => {
                self.named(kind.name())?;
                self.json.raw("}")
            }
        }
    }

    /// Writes a reference to something in the engine's process: a name, if there is one, and an id.
    fn handle(&mut self, type_name: &str, name: Option<&str>, id: u64) -> fmt::Result {
        self.named(type_name)?;
        if let Some(name) = name {
            self.json.key("name")?;
            self.json.string(name)?;
        }
        self.json.raw(",\"id\":\"i:")?;
        self.json.int(id)?;
        self.json.raw("\"}")
    }

    fn cells(&mut self, kind: Kind, cells: Cells<'_>) -> fmt::Result {
        let json = &mut *self.json;
        match cells {
            Cells::Bytes(bytes) => bytes.iter().try_for_each(|byte| {
                json.separate()?;
                json.int(*byte)
            }),
            Cells::I32(numbers) => numbers.iter().try_for_each(|number| {
                json.separate()?;
                json.int(number.get())
            }),
            Cells::I64(numbers) => numbers.iter().try_for_each(|number| {
                json.separate()?;
                json.int(number.get())
            }),
            Cells::F32(numbers) => ordered(kind, numbers).try_for_each(|number| {
                json.separate()?;
                json.component(number.get())
            }),
            Cells::F64(numbers) => ordered(kind, numbers).try_for_each(|number| {
                json.separate()?;
                json.component(number.get())
            }),
        }
    }
}
