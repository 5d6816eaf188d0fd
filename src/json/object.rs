//! Writes JSON objects with fields of known names: counts, times and texts.

use json_event_parser::{JsonEvent, WriterJsonSerializer};
use std::fmt::Display;
use std::io::{self, Write};

/// Writes one JSON document. There are many small writes, so the output should be buffered.
pub(crate) struct Json<W: Write>(WriterJsonSerializer<W>);

impl<W: Write> Json<W> {
    pub(crate) fn new(out: W) -> Json<W> {
        Json(WriterJsonSerializer::new(out))
    }

    fn put(&mut self, event: JsonEvent<'_>) -> io::Result<()> {
        self.0.serialize_event(event)
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        self.put(JsonEvent::ObjectKey(key.into()))
    }

    /// Writes an object that is no field of another.
    pub(crate) fn object(
        &mut self,
        fields: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.put(JsonEvent::StartObject)?;
        fields(self)?;
        self.put(JsonEvent::EndObject)
    }

    /// Writes a field with an object.
    pub(crate) fn nested(
        &mut self,
        key: &str,
        fields: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.key(key)?;
        self.object(fields)
    }

    /// Writes a field with a list of objects.
    pub(crate) fn list<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut fields: impl FnMut(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.key(key)?;
        self.put(JsonEvent::StartArray)?;
        for item in items {
            self.object(|json| fields(json, item))?;
        }
        self.put(JsonEvent::EndArray)
    }

    /// Writes a field with a text, or null.
    pub(crate) fn text(&mut self, key: &str, text: Option<&str>) -> io::Result<()> {
        self.key(key)?;
        self.put(text.map_or(JsonEvent::Null, |text| JsonEvent::String(text.into())))
    }

    /// Writes a field with a text.
    pub(crate) fn shown(&mut self, key: &str, text: impl Display) -> io::Result<()> {
        self.text(key, Some(&text.to_string()))
    }

    pub(crate) fn flag(&mut self, key: &str, flag: bool) -> io::Result<()> {
        self.key(key)?;
        self.put(JsonEvent::Boolean(flag))
    }

    /// Writes a field with a number, which must be spelled as JSON spells it.
    pub(crate) fn number(&mut self, key: &str, number: impl Display) -> io::Result<()> {
        self.key(key)?;
        self.put(JsonEvent::Number(number.to_string().into()))
    }

    /// Writes a field with a number of this many decimals, or null.
    pub(crate) fn real(
        &mut self,
        key: &str,
        number: Option<f64>,
        decimals: usize,
    ) -> io::Result<()> {
        match number.filter(|number| number.is_finite()) {
            Some(number) => self.number(key, format_args!("{number:.decimals$}")),
            None => self.text(key, None),
        }
    }
}
