//! Writes the parts of JSON documents: strings, numbers and the commas between values.

use crate::text::Decimal;
use std::fmt::{self, Display, Write};
use std::io;

/// Writes JSON piece by piece. The caller decides what comes after what.
pub(crate) struct Emitter<W> {
    pub(super) out: W,
    /// Whether nothing has been written yet in the innermost array or object.
    is_first: bool,
}

impl<W: Write> Emitter<W> {
    pub(crate) const fn new(out: W) -> Emitter<W> {
        Emitter { out, is_first: true }
    }

    /// Writes the comma before an element or a key, if it is not the first.
    pub(crate) fn separate(&mut self) -> fmt::Result {
        if std::mem::take(&mut self.is_first) { Ok(()) } else { self.out.write_str(",") }
    }

    /// Writes text that begins with an opening bracket. The next element or key is the first.
    pub(crate) fn open(&mut self, text: &str) -> fmt::Result {
        self.is_first = true;
        self.out.write_str(text)
    }

    /// Writes text that ends with a closing bracket.
    pub(crate) fn close(&mut self, text: &str) -> fmt::Result {
        self.is_first = false;
        self.out.write_str(text)
    }

    /// Writes a key and what separates it from others.
    pub(crate) fn key(&mut self, key: &str) -> fmt::Result {
        self.separate()?;
        self.string(key)?;
        self.out.write_str(":")
    }

    pub(crate) fn null(&mut self) -> fmt::Result {
        self.out.write_str("null")
    }

    pub(crate) fn bool(&mut self, is_true: bool) -> fmt::Result {
        self.out.write_str(if is_true { "true" } else { "false" })
    }

    /// Writes a number that is displayed as JSON spells it.
    pub(crate) fn number(&mut self, number: impl Display) -> fmt::Result {
        write!(self.out, "{number}")
    }

    /// Writes a real: a number with a decimal point or an exponent, or the string `"nan"`, `"inf"` or
    /// `"-inf"`.
    pub(crate) fn real<T: Copy + Into<f64>>(&mut self, number: T) -> fmt::Result
    where
        Decimal<T>: Display,
    {
        match word(number.into()) {
            Some(word) => write!(self.out, "\"{word}\""),
            None => write!(self.out, "{}", Decimal { number, is_pointed: true }),
        }
    }

    pub(crate) fn string(&mut self, text: &str) -> fmt::Result {
        self.shown("", text)
    }

    /// Writes a string of a prefix, which needs no escapes, and a text.
    pub(crate) fn shown(&mut self, prefix: &str, text: impl Display) -> fmt::Result {
        self.out.write_str("\"")?;
        self.out.write_str(prefix)?;
        write!(Escaping(&mut self.out), "{text}")?;
        self.out.write_str("\"")
    }

    /// Writes bytes as a string of lowercase hexadecimal digits.
    pub(crate) fn digits(&mut self, bytes: &[u8]) -> fmt::Result {
        self.out.write_str("\"")?;
        self.out.write_str(&hex(bytes))?;
        self.out.write_str("\"")
    }
}

/// Bytes as lowercase hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

/// The name of a number without digits.
pub(super) fn word(number: f64) -> Option<&'static str> {
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

/// Writes the inside of a string.
struct Escaping<W>(W);

impl<W: Write> Write for Escaping<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut written = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte >= b' ' && byte != b'"' && byte != b'\\' {
                continue;
            }
            self.0.write_str(text.get(written..at).unwrap_or(""))?;
            written = at.saturating_add(1);
            match byte {
                b'"' => self.0.write_str("\\\"")?,
                b'\\' => self.0.write_str("\\\\")?,
                b'\n' => self.0.write_str("\\n")?,
                b'\r' => self.0.write_str("\\r")?,
                b'\t' => self.0.write_str("\\t")?,
                b'\x08' => self.0.write_str("\\b")?,
                b'\x0c' => self.0.write_str("\\f")?,
                _ => write!(self.0, "\\u{byte:04x}")?,
            }
        }
        self.0.write_str(text.get(written..).unwrap_or(""))
    }
}

/// Writes text to an [`io::Write`].
pub(crate) fn to_io<W: io::Write>(
    out: W,
    write: impl FnOnce(&mut Io<W>) -> fmt::Result,
) -> io::Result<()> {
    let mut io = Io { out, error: None };
    match write(&mut io) {
        Ok(()) => Ok(()),
        Err(fmt::Error) => Err(io.error.unwrap_or_else(|| io::Error::other(fmt::Error))),
    }
}

/// Writes to an [`io::Write`], and keeps its error.
pub(crate) struct Io<W> {
    out: W,
    error: Option<io::Error>,
}

impl<W: io::Write> Write for Io<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}
