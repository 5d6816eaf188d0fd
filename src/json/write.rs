//! Writes a value as JSON.

use super::{BY_ID, element_type, transposed};
use crate::kind::Kind;
use crate::text::Decimal;
use crate::view::{Cells, ObjectRef, StringsRef, VariantRef, View};
use crate::walk::{Container, Event, WalkStack};
use json_event_parser::{JsonEvent, WriterJsonSerializer};
use std::fmt::{Display, Write as _};
use std::io;

/// The JSON of a value.
#[must_use]
pub fn to_string(value: VariantRef<'_>) -> String {
    let mut text = Vec::new();
    // Neither memory nor a serializer that gets exactly one value can fail, and JSON is UTF-8.
    let _ = write(value, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Writes the JSON of a value. There are many small writes, so `out` should be buffered.
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
    let mut serializer = WriterJsonSerializer::new(out);
    write_events(value, &mut serializer)?;
    serializer.finish().map(|_| ())
}

/// Writes the JSON of a value to a serializer that expects a value.
pub(crate) fn write_events<W: io::Write>(
    value: VariantRef<'_>,
    serializer: &mut WriterJsonSerializer<W>,
) -> io::Result<()> {
    let mut writer = Writer { serializer, buffer: String::new() };
    let mut stack = WalkStack::new();
    value.walk(&mut stack).try_for_each(|event| writer.event(event))
}

struct Writer<'s, W: io::Write> {
    serializer: &'s mut WriterJsonSerializer<W>,
    /// Holds the text of one number or string at a time.
    buffer: String,
}

impl<W: io::Write> Writer<'_, W> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Value(_, value) => self.leaf(value),
            Event::Begin(_, container) => match container.kind() {
                Kind::Array if !container.is_typed() => self.put(JsonEvent::StartArray),
                Kind::Object => self.begin(container.class(), "props"),
                kind => {
                    self.named(kind.name())?;
                    self.element_types(container)?;
                    self.list("args")
                }
            },
            Event::Property(name) => self.put(JsonEvent::String(name.into())),
            Event::End(ended) if ended.kind() == Kind::Array && !ended.is_typed() => {
                self.put(JsonEvent::EndArray)
            }
            Event::End(_) => self.end(),
        }
    }

    fn element_types(&mut self, container: Container<'_>) -> io::Result<()> {
        let fields = match container.kind() {
            Kind::Dictionary => ["key_type", "value_type"],
            _ => ["elem_type", ""],
        };
        for (field, element) in fields.into_iter().zip(container.element_types()) {
            if let Some(name) = element_type::spell(element) {
                self.put(JsonEvent::ObjectKey(field.into()))?;
                self.put(JsonEvent::String(name))?;
            }
        }
        Ok(())
    }

    fn put(&mut self, event: JsonEvent<'_>) -> io::Result<()> {
        self.serializer.serialize_event(event)
    }

    fn begin(&mut self, name: &str, field: &str) -> io::Result<()> {
        self.named(name)?;
        self.list(field)
    }

    fn list(&mut self, field: &str) -> io::Result<()> {
        self.put(JsonEvent::ObjectKey(field.into()))?;
        self.put(JsonEvent::StartArray)
    }

    fn end(&mut self) -> io::Result<()> {
        self.put(JsonEvent::EndArray)?;
        self.put(JsonEvent::EndObject)
    }

    /// Begins an object with its type.
    fn named(&mut self, name: &str) -> io::Result<()> {
        self.put(JsonEvent::StartObject)?;
        self.put(JsonEvent::ObjectKey("type".into()))?;
        self.put(JsonEvent::String(name.into()))
    }

    fn leaf(&mut self, value: VariantRef<'_>) -> io::Result<()> {
        let kind = value.kind();
        if let Some(cells) = value.cells() {
            self.begin(kind.name(), "args")?;
            self.cells(kind, cells)?;
            return self.end();
        }
        match value.view() {
            View::Nil | View::Object(ObjectRef::Null) => self.put(JsonEvent::Null),
            View::Bool(is_true) => self.put(JsonEvent::Boolean(is_true)),
            View::Int(number) => self.prefixed("i:", number),
            View::Float(number) => match word(number) {
                Some(word) => self.prefixed("f:", word),
                None => self.prefixed("f:", Decimal { number, is_pointed: true }),
            },
            View::String(text) => self.prefixed("s:", text),
            View::StringName(name) => self.prefixed("sn:", name),
            View::NodePath(path) => self.prefixed("np:", path),
            View::Object(ObjectRef::Id(id)) => self.handle(BY_ID, None, id),
            View::Rid(id @ 1..) => self.handle(kind.name(), None, id),
            View::Signal(signal) if signal.object_id() != 0 || !signal.name().is_empty() => {
                self.handle(kind.name(), Some(signal.name()), signal.object_id())
            }
            View::PackedStringArray(strings) => self.strings(kind, strings),
            // The remaining kinds have only their type.
            _ => {
                self.named(kind.name())?;
                self.put(JsonEvent::EndObject)
            }
        }
    }

    /// Writes a reference to something in the engine's process: a name, if there is one, and an id.
    fn handle(&mut self, type_name: &str, name: Option<&str>, id: u64) -> io::Result<()> {
        self.named(type_name)?;
        if let Some(name) = name {
            self.put(JsonEvent::ObjectKey("name".into()))?;
            self.put(JsonEvent::String(name.into()))?;
        }
        self.put(JsonEvent::ObjectKey("id".into()))?;
        self.prefixed("i:", id)?;
        self.put(JsonEvent::EndObject)
    }

    /// Writes a string that begins with its type.
    fn prefixed(&mut self, prefix: &str, content: impl Display) -> io::Result<()> {
        self.buffer.clear();
        let _ = write!(self.buffer, "{prefix}{content}");
        self.serializer.serialize_event(JsonEvent::String(self.buffer.as_str().into()))
    }

    fn strings(&mut self, kind: Kind, strings: StringsRef<'_>) -> io::Result<()> {
        self.begin(kind.name(), "args")?;
        for text in strings {
            self.put(JsonEvent::String(text.into()))?;
        }
        self.end()
    }

    fn cells(&mut self, kind: Kind, cells: Cells<'_>) -> io::Result<()> {
        /// The numbers in the order of JSON.
        fn ordered<T: Copy>(kind: Kind, numbers: &[T]) -> impl Iterator<Item = T> {
            (0..numbers.len())
                .filter_map(move |place| numbers.get(transposed(kind, place)).copied())
        }
        match cells {
            Cells::Bytes(bytes) => bytes.iter().try_for_each(|byte| self.number(byte)),
            Cells::I32(numbers) => numbers.iter().try_for_each(|number| self.number(number.get())),
            Cells::I64(numbers) => numbers.iter().try_for_each(|number| self.number(number.get())),
            Cells::F32(numbers) => ordered(kind, numbers).try_for_each(|number| {
                let number = number.get();
                self.real(number.into(), Decimal { number, is_pointed: true })
            }),
            Cells::F64(numbers) => ordered(kind, numbers).try_for_each(|number| {
                let number = number.get();
                self.real(number, Decimal { number, is_pointed: true })
            }),
        }
    }

    fn real(&mut self, number: f64, digits: impl Display) -> io::Result<()> {
        match word(number) {
            Some(word) => self.put(JsonEvent::String(word.into())),
            None => self.number(digits),
        }
    }

    fn number(&mut self, digits: impl Display) -> io::Result<()> {
        self.buffer.clear();
        let _ = write!(self.buffer, "{digits}");
        self.serializer.serialize_event(JsonEvent::Number(self.buffer.as_str().into()))
    }
}

/// The name of a number without digits.
fn word(number: f64) -> Option<&'static str> {
    if number.is_finite() {
        None
    } else if number.is_nan() {
        Some("nan")
    } else if number < 0.0 {
        Some("-inf")
    } else {
        Some("inf")
    }
}
