//! Writes the parts of JSON documents: strings, numbers and the commas between values.

use crate::format::text::decimal::Decimal;
use crate::format::text::disturbs_line;
use crate::format::text::escape::suspect;
use crate::format::text::gather::{Gather, TextSink};
use std::fmt::{self, Display, Write};
use std::io;

/// Writes JSON piece by piece. The caller decides the order of the pieces.
pub(crate) struct Emitter<'o> {
    out: Gather<'o>,
    /// Whether nothing has been written yet in the innermost array or object.
    is_first: bool,
}

impl<'o> Emitter<'o> {
    /// Creates an emitter that has written nothing. Call [`Emitter::finish`] at the end.
    pub(super) fn new(sink: &'o mut dyn TextSink) -> Emitter<'o> {
        Emitter { out: Gather::new(sink), is_first: true }
    }

    /// Writes the text that has been collected to the sink.
    pub(super) fn finish(mut self) -> fmt::Result {
        self.out.flush()
    }

    /// Writes JSON to a sink.
    pub(crate) fn to(
        sink: &mut dyn TextSink,
        write: impl FnOnce(&mut Emitter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        let mut json = Emitter::new(sink);
        write(&mut json)?;
        json.finish()
    }

    /// Writes JSON to a stream.
    pub(crate) fn to_io(
        out: impl io::Write,
        write: impl FnOnce(&mut Emitter<'_>) -> fmt::Result,
    ) -> io::Result<()> {
        to_stream(out, |sink| Emitter::to(sink, write))
    }

    /// Writes text that is JSON already.
    #[inline]
    pub(crate) fn raw(&mut self, text: &str) -> fmt::Result {
        self.out.text(text)
    }

    /// Writes the comma before an element or a key, if it is not the first.
    #[inline]
    pub(crate) fn separate(&mut self) -> fmt::Result {
        self.lead(",")
    }

    /// Writes text that begins with a comma, without the comma if nothing comes before it.
    #[inline(always)]
    pub(crate) fn lead(&mut self, text: &str) -> fmt::Result {
        if std::mem::take(&mut self.is_first) {
            self.out.text(text.get(1..).unwrap_or(""))
        } else {
            self.out.text(text)
        }
    }

    /// Begins a value that follows no other.
    pub(crate) const fn begin(&mut self) {
        self.is_first = true;
    }

    /// Writes text that ends with an opening bracket. The next element or key is the first.
    #[inline]
    pub(crate) fn open(&mut self, text: &str) -> fmt::Result {
        self.is_first = true;
        self.out.text(text)
    }

    /// Writes text that ends with a closing bracket.
    #[inline]
    pub(crate) fn close(&mut self, text: &str) -> fmt::Result {
        self.is_first = false;
        self.out.text(text)
    }

    /// Writes a key, with the comma before it and the colon after it.
    #[inline]
    pub(crate) fn key(&mut self, key: &str) -> fmt::Result {
        self.lead(",\"")?;
        escape(key, &mut self.out)?;
        self.out.text("\":")
    }

    pub(crate) fn null(&mut self) -> fmt::Result {
        self.out.text("null")
    }

    pub(crate) fn bool(&mut self, is_true: bool) -> fmt::Result {
        self.out.text(if is_true { "true" } else { "false" })
    }

    #[inline]
    pub(crate) fn int(&mut self, number: impl itoa::Integer) -> fmt::Result {
        self.out.int(number)
    }

    /// Writes a number that is displayed as JSON spells it.
    #[cfg(feature = "capture")]
    pub(crate) fn number(&mut self, number: impl Display) -> fmt::Result {
        write!(self.out, "{number}")
    }

    /// Writes a real: a number with a decimal point or an exponent, or the string `"nan"`, `"inf"` or
    /// `"-inf"`.
    #[inline]
    pub(crate) fn real(&mut self, number: impl Decimal) -> fmt::Result {
        match word(number.into()) {
            Some(word) => self.string(word),
            None => number.write(&mut self.out),
        }
    }

    /// Writes a real as Godot 4.6 does: an infinity is a number that is too large for a double. The
    /// engine has no spelling of NaN; the string `"nan"` is read back by this crate.
    #[inline]
    pub(crate) fn component(&mut self, number: impl Decimal) -> fmt::Result {
        let double = number.into();
        if double.is_finite() {
            number.write(&mut self.out)
        } else if double.is_nan() {
            self.string("nan")
        } else {
            self.out.text(if double < 0.0 { "-1e99999" } else { "1e99999" })
        }
    }

    #[inline]
    pub(crate) fn string(&mut self, text: &str) -> fmt::Result {
        self.out.text("\"")?;
        self.rest(text)
    }

    /// Writes the rest of a string after its beginning.
    #[inline]
    pub(crate) fn rest(&mut self, text: &str) -> fmt::Result {
        escape(text, &mut self.out)?;
        self.out.text("\"")
    }

    /// Writes the rest of a string after its beginning.
    pub(crate) fn shown_rest(&mut self, text: impl Display) -> fmt::Result {
        write!(JsonEscaping(&mut self.out), "{text}")?;
        self.out.text("\"")
    }

    pub(crate) fn shown(&mut self, text: impl Display) -> fmt::Result {
        self.out.text("\"")?;
        self.shown_rest(text)
    }

    /// Writes the rest of a string of a real.
    #[inline]
    pub(crate) fn real_rest(&mut self, number: f64) -> fmt::Result {
        match word(number) {
            Some(word) => self.out.text(word)?,
            None => number.write(&mut self.out)?,
        }
        self.out.text("\"")
    }

    /// Writes bytes as a string of lowercase hexadecimal digits.
    pub(crate) fn digits(&mut self, bytes: &[u8]) -> fmt::Result {
        self.out.text("\"")?;
        hex(bytes, &mut self.out)?;
        self.out.text("\"")
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

/// Writes bytes as lowercase hexadecimal digits.
pub(crate) fn hex(bytes: &[u8], out: &mut impl Write) -> fmt::Result {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| DIGITS.get(usize::from(half & 15)).copied().unwrap_or(b'0');
    for bytes in bytes.chunks(32) {
        let mut digits = [0; 64];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(*byte)]);
        }
        let digits = digits.get(..bytes.len().saturating_mul(2)).unwrap_or(&[]);
        out.write_str(str::from_utf8(digits).map_err(|_| fmt::Error)?)?;
    }
    Ok(())
}

/// Escapes the text that is written to it, for the inside of a string.
struct JsonEscaping<'g, 'o>(&'g mut Gather<'o>);

impl Write for JsonEscaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        escape(text, self.0)
    }
}

/// Writes the inside of a string. Characters that JSON allows, but that a terminal would interpret,
/// are escaped, too.
#[inline]
fn escape(text: &str, out: &mut Gather<'_>) -> fmt::Result {
    match suspect(text.as_bytes()) {
        None => out.text(text),
        Some(first) => escape_from(text, first, out),
    }
}

#[inline(never)]
fn escape_from(text: &str, first: usize, out: &mut Gather<'_>) -> fmt::Result {
    let mut rest = text;
    let mut next = Some(first);
    while let Some((plain, found)) = next.and_then(|at| rest.split_at_checked(at)) {
        out.text(plain)?;
        let mut characters = found.chars();
        let Some(character) = characters.next() else { break };
        match character {
            '"' => out.text("\\\""),
            '\\' => out.text("\\\\"),
            '\n' => out.text("\\n"),
            '\r' => out.text("\\r"),
            '\t' => out.text("\\t"),
            '\u{8}' => out.text("\\b"),
            '\u{c}' => out.text("\\f"),
            _ if disturbs_line(character) => {
                let mut units = [0; 2];
                character
                    .encode_utf16(&mut units)
                    .iter()
                    .try_for_each(|it| write!(out, "\\u{it:04x}"))
            }
            _ => out.text(found.get(..character.len_utf8()).unwrap_or("")),
        }?;
        rest = characters.as_str();
        next = suspect(rest.as_bytes());
    }
    out.text(rest)
}

/// Writes text to a stream.
pub(super) fn to_stream(
    out: impl io::Write,
    write: impl FnOnce(&mut dyn TextSink) -> fmt::Result,
) -> io::Result<()> {
    let mut stream = TextStream { out, error: None };
    match write(&mut stream) {
        Ok(()) => Ok(()),
        Err(fmt::Error) => Err(stream.error.unwrap_or_else(|| io::Error::other(fmt::Error))),
    }
}

/// Writes text to a stream, and keeps the error of the stream.
struct TextStream<W> {
    out: W,
    error: Option<io::Error>,
}

impl<W: io::Write> TextSink for TextStream<W> {
    fn put(&mut self, text: &[u8]) -> fmt::Result {
        self.out.write_all(text).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}
