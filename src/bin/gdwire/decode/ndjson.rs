//! Writes messages as JSON, one object per line. `gdwire::capture` has the fields.

use super::Style;
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
    style: &Style,
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
    style: &Style,
    message: &Message<'_>,
    written: &mut TextCache,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut line = begin_in(style, mem::take(&mut written.line))?;
    for field in MessageField::of_place(message.place) {
        match field {
            MessageField::Time(Some(time)) => {
                line.field_key(&field);
                line.plain(written.time(time));
            }
            field => line.field(field)?,
        }
    }
    let ends = written.ends(message.origin, |json| {
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
        written.line = json;
    }
    Ok(())
}

pub fn other(style: &Style, other: &Other<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut line = begin(style)?;
    line.other(other)?;
    end_with(style, line, other.bytes, out).map(drop)
}

/// Writes the line of a loss.
pub fn lost(style: &Style, loss: &Loss, out: &mut impl Write) -> io::Result<()> {
    let mut line = begin(style)?;
    line.lost(loss)?;
    line.end(out).map(drop)
}

/// Writes the line of a damaged part of a file.
pub fn damaged(style: &Style, damage: &InputDamage<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut line = begin(style)?;
    line.damaged(damage.frame, damage.offset, damage.problem)?;
    line.end(out).map(drop)
}

/// Writes the line of something that is not a value, in a file that is not a capture.
pub fn error(
    style: &Style,
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
fn begin(style: &Style) -> io::Result<JsonLine> {
    begin_in(style, Vec::with_capacity(256))
}

<<<<<<< HEAD
/// The same in the memory of another line.
fn begin_in(style: &Style, memory: Vec<u8>) -> io::Result<JsonLine> {
    let bytes = if style.hex { ArgumentBytes::Hex } else { ArgumentBytes::Omitted };
    let mut line = JsonLine::reusing(style.values, memory).with_argument_bytes(bytes);
    if let Some(file) = &style.file {
        line.text("file", file)?;
=======
impl<'s> JsonLine<'s> {
    /// An empty line. It begins with its file if there are several.
    fn new(style: &'s Style) -> io::Result<JsonLine<'s>> {
        JsonLine::reusing(style, Vec::with_capacity(256))
    }

    /// The same in the memory of another line.
    fn reusing(style: &'s Style, mut json: Vec<u8>) -> io::Result<JsonLine<'s>> {
        json.clear();
        json.push(b'{');
        let mut line = JsonLine { style, json };
        if let Some(file) = &style.file {
            line.text("file", file)?;
        }
        Ok(line)
    }

    /// The line of a value in a file that is not a capture.
    fn at(style: &'s Style, position: Position) -> io::Result<JsonLine<'s>> {
        let mut line = JsonLine::new(style)?;
        if let Position::Line(number) = position {
            line.number("line", number);
        }
        line.number("offset", position.offset());
        Ok(line)
    }

    fn key(&mut self, name: &str) {
        if !matches!(self.json.last(), None | Some(b'{')) {
            self.json.push(b',');
        }
        for part in ["\"", name, "\":"] {
            self.json.extend_from_slice(part.as_bytes());
        }
    }

    fn number(&mut self, name: &str, number: impl itoa::Integer) {
        self.key(name);
        self.integer(number);
    }

    fn integer(&mut self, number: impl itoa::Integer) {
        self.json.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }

    fn text(&mut self, name: &str, text: impl Display) -> io::Result<()> {
        self.key(name);
        json::write_string(text, &mut self.json)
    }

    /// Writes a text without characters that need escapes.
    fn plain(&mut self, text: &[u8]) {
        self.json.push(b'"');
        self.json.extend_from_slice(text);
        self.json.push(b'"');
    }

    fn place(&mut self, place: Place) -> io::Result<()> {
        MessageField::of_place(place).into_iter().try_for_each(|field| self.field(field))
    }

    fn origin(&mut self, origin: Origin) -> io::Result<()> {
        MessageField::of_origin(origin).into_iter().try_for_each(|field| self.field(field))
    }

    fn field_key(&mut self, field: &MessageField<'_>) {
        let key = field.key().as_bytes();
        let is_first = matches!(self.json.last(), None | Some(b'{'));
        self.json.extend_from_slice(key.get(usize::from(is_first)..).unwrap_or(key));
    }

    fn field(&mut self, field: MessageField<'_>) -> io::Result<()> {
        self.field_key(&field);
        let bytes = if self.style.hex { ArgumentBytes::Hex } else { ArgumentBytes::Omitted };
        let (values, out) = (self.style.values, &mut self.json);
        match field {
            MessageField::Frame(number)
            | MessageField::Offset(number)
            | MessageField::Len(number) => self.integer(number),
            MessageField::Channel(channel) => self.integer(channel),
            MessageField::Time(Some(time)) => json::write_string(time, out)?,
            MessageField::Transport(transport) => self.plain(transport.name().as_bytes()),
            MessageField::Src(end) | MessageField::Dst(end) => json::write_string(end, out)?,
            MessageField::CommunityId(flow) => json::write_string(flow.community_id(), out)?,
            MessageField::Mode(mode) => self.plain(mode.godot_name().as_bytes()),
            MessageField::Kind(kind) => self.plain(kind.name().as_bytes()),
            MessageField::Peer(peers) => {
                out.push(b'{');
                for (name, id) in [("source", peers.source), ("target", peers.target)] {
                    self.key(name);
                    match id {
                        Some(id) => self.integer(id.get()),
                        None => self.json.extend_from_slice(b"null"),
                    }
                }
                self.json.push(b'}');
            }
            MessageField::Value(value) => match values {
                Spelling::Plain => json::write_plain(value, out)?,
                _ => json::write(value, out)?,
            },
            MessageField::Rpc(packet, context) => {
                multiplayer::write_json(packet, context, values, bytes, out)?;
            }
            MessageField::Debugger(command) => {
                debugger::write_json(command, values, bytes, out)?;
            }
            _ => out.extend_from_slice(b"null"),
        }
        Ok(())
    }

    /// Ends the line with the bytes of the message, if they are requested.
    /// Returns the memory of the line.
    fn end_with(mut self, bytes: &[u8], out: &mut impl Write) -> io::Result<Vec<u8>> {
        if self.style.hex {
            self.text("hex", HEXLOWER.encode_display(bytes))?;
        }
        self.end(out)
    }

    /// Ends the line. Returns its memory.
    fn end(mut self, out: &mut impl Write) -> io::Result<Vec<u8>> {
        self.json.extend_from_slice(b"}\n");
        out.write_all(&self.json)?;
        Ok(self.json)
>>>>>>> da72053 (Give each flow its Community ID, and measure the benchmarks in four build profiles again)
    }
    Ok(line)
}

/// The line of a value in a file that is not a capture.
fn at(style: &Style, position: Position) -> io::Result<JsonLine> {
    let mut line = begin(style)?;
    if let Position::Line(number) = position {
        line.number("line", number);
    }
    line.number("offset", position.offset());
    Ok(line)
}

/// Ends a line with the bytes of the message, if they are requested. Returns the memory of the line.
fn end_with(
    style: &Style,
    mut line: JsonLine,
    bytes: &[u8],
    out: &mut impl Write,
) -> io::Result<Vec<u8>> {
    if style.hex {
        line.text("hex", HEXLOWER.encode_display(bytes))?;
    }
    line.end(out)
}
