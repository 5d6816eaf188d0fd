//! Writes JSON objects with fields of known names: counts, times and strings.

use super::emit::{Emitter, to_stream};
use std::fmt::{self, Display};
use std::io;

/// Writes the fields of objects.
pub(crate) struct Json<'o>(Emitter<'o>);

/// Writes one JSON object.
pub(crate) fn write_object(
    out: impl io::Write,
    fields: impl FnOnce(&mut Json<'_>) -> fmt::Result,
) -> io::Result<()> {
    to_stream(out, |sink| {
        let mut json = Json(Emitter::new(sink));
        json.object(fields)?;
        json.0.finish()
    })
}

impl Json<'_> {
    /// Writes an object that is not a field of another.
    fn object(&mut self, fields: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        self.0.open("{")?;
        fields(self)?;
        self.0.close("}")
    }

    /// Writes a field with an object.
    pub(crate) fn nested(
        &mut self,
        key: &str,
        fields: impl FnOnce(&mut Self) -> fmt::Result,
    ) -> fmt::Result {
        self.0.key(key)?;
        self.object(fields)
    }

    /// Writes a field with a list of objects.
    pub(crate) fn list<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut fields: impl FnMut(&mut Self, T) -> fmt::Result,
    ) -> fmt::Result {
        self.0.key(key)?;
        self.0.open("[")?;
        for item in items {
            self.0.separate()?;
            self.object(|json| fields(json, item))?;
        }
        self.0.close("]")
    }

    /// Writes a field with a list of numbers, or of null.
    #[cfg(feature = "report")]
    pub(crate) fn numbers<N: Display>(
        &mut self,
        key: &str,
        numbers: impl IntoIterator<Item = Option<N>>,
    ) -> fmt::Result {
        self.0.key(key)?;
        self.0.open("[")?;
        for number in numbers {
            self.0.separate()?;
            match number {
                Some(number) => self.0.number(number)?,
                None => self.0.null()?,
            }
        }
        self.0.close("]")
    }

    /// Writes a field with a list of strings.
    pub(crate) fn texts<'t>(
        &mut self,
        key: &str,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> fmt::Result {
        self.0.key(key)?;
        self.0.open("[")?;
        for text in texts {
            self.0.separate()?;
            self.0.string(text)?;
        }
        self.0.close("]")
    }

    /// Writes a field with a string, or null.
    pub(crate) fn text(&mut self, key: &str, text: Option<&str>) -> fmt::Result {
        self.0.key(key)?;
        match text {
            Some(text) => self.0.string(text),
            None => self.0.null(),
        }
    }

    /// Writes a field with a string.
    pub(crate) fn shown(&mut self, key: &str, text: impl Display) -> fmt::Result {
        self.0.key(key)?;
        self.0.shown(text)
    }

    /// Writes fields that are JSON already: names and values, with commas between them.
    pub(crate) fn members(&mut self, members: &str) -> fmt::Result {
        if members.is_empty() {
            return Ok(());
        }
        self.0.separate()?;
        self.0.raw(members)
    }

    pub(crate) fn flag(&mut self, key: &str, flag: bool) -> fmt::Result {
        self.0.key(key)?;
        self.0.bool(flag)
    }

    /// Writes a field with a number, which must be spelled as JSON spells it.
    pub(crate) fn number(&mut self, key: &str, number: impl Display) -> fmt::Result {
        self.0.key(key)?;
        self.0.number(number)
    }

    /// Writes a field with a number of this many decimals, or null.
    pub(crate) fn real(&mut self, key: &str, number: Option<f64>, decimals: usize) -> fmt::Result {
        match number.filter(|number| number.is_finite()) {
            Some(number) => self.number(key, format_args!("{number:.decimals$}")),
            None => self.text(key, None),
        }
    }
}
