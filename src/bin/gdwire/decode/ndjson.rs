//! Writes messages as JSON, one object per line. `gdwire::capture` has the fields.

use super::LineStyle;
use super::text::TextCache;
use crate::sink::{InputDamage, Position, ValuePlace};
use data_encoding::HEXLOWER;
use gdwire::VariantRef;
use gdwire::capture::{JsonLine, MessageField};
use gdwire::follow::{Loss, Message, Other};
use gdwire::multiplayer::ArgumentBytes;
use std::fmt::Display;
use std::io::{self, Write};
use std::mem;

pub fn value(
    style: &LineStyle,
    place: ValuePlace,
    value: VariantRef<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut line = at(style, place.position)?;
    if style.index {
        line.number("index", place.index);
    }
    let bytes = value.as_bytes();
    for field in [
        MessageField::Len(bytes.len() as u64),
        MessageField::Kind(value.kind()),
        MessageField::Value(value),
    ] {
        line.field(field)?;
    }
    end_with(style, line, bytes, out).map(drop)
}

pub fn message(
    style: &LineStyle,
    message: &Message<'_>,
    cache: &mut TextCache,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut line = begin_in(style, mem::take(&mut cache.line))?;
    for field in MessageField::of_place(message.place) {
        match field {
            MessageField::Time(Some(time)) => {
                line.field_key(&field);
                line.plain(cache.time(time));
            }
            field => line.field(field)?,
        }
    }
    let ends = cache.ends(message.origin, |json| {
        let mut part = JsonLine::new(style.values);
        part.origin(message.origin)?;
        // Without the braces.
        *json = part.finish();
        json.remove(0);
        json.pop();
        Ok(())
    })?;
    line.fields(ends);
    message.each_own_field(|field| line.field(field))?;
    let json = end_with(style, line, message.bytes, out)?;
    if json.capacity() <= LONGEST_KEPT {
        cache.line = json;
    }
    Ok(())
}

pub fn other(style: &LineStyle, other: &Other<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut line = begin(style)?;
    line.other(other)?;
    end_with(style, line, other.bytes, out).map(drop)
}

/// Writes the line of a loss.
pub fn lost(style: &LineStyle, loss: &Loss, out: &mut impl Write) -> io::Result<()> {
    let mut line = begin(style)?;
    line.lost(loss)?;
    line.end(out).map(drop)
}

/// Writes the line of a damaged part of a file.
pub fn damaged(
    style: &LineStyle,
    damage: &InputDamage<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut line = begin(style)?;
    line.damaged(damage.frame, damage.offset, damage.problem)?;
    line.end(out).map(drop)
}

/// Writes the line of something that is not a value, in a file that is not a capture.
pub fn error(
    style: &LineStyle,
    position: Position,
    reason: &dyn Display,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut line = at(style, position)?;
    line.text("error", reason)?;
    line.end(out).map(drop)
}

/// The memory of a longer line is not kept for the next line.
const LONGEST_KEPT: usize = 1 << 20;

/// An empty line. It begins with its file if there are several.
fn begin(style: &LineStyle) -> io::Result<JsonLine> {
    begin_in(style, Vec::with_capacity(256))
}

/// The same in the memory of another line.
fn begin_in(style: &LineStyle, memory: Vec<u8>) -> io::Result<JsonLine> {
    let bytes = if style.hex { ArgumentBytes::Hex } else { ArgumentBytes::Omitted };
    let mut line = JsonLine::reusing(style.values, memory).with_argument_bytes(bytes);
    if let Some(file) = &style.file {
        line.text("file", file)?;
    }
    Ok(line)
}

/// The line of a value in a file that is not a capture.
fn at(style: &LineStyle, position: Position) -> io::Result<JsonLine> {
    let mut line = begin(style)?;
    if let Position::Line(number) = position {
        line.number("line", number);
    }
    line.number("offset", position.offset());
    Ok(line)
}

/// Ends a line with the bytes of the message, if they are requested. Returns the memory of the line.
fn end_with(
    style: &LineStyle,
    mut line: JsonLine,
    bytes: &[u8],
    out: &mut impl Write,
) -> io::Result<Vec<u8>> {
    if style.hex {
        line.text("hex", HEXLOWER.encode_display(bytes))?;
    }
    line.end(out)
}
