//! Messages as JSON: an object each, on a line of its own.

use super::Style;
use crate::sink::Position;
use data_encoding::HEXLOWER;
use gdwire::VariantRef;
use gdwire::capture::{Cause, Content, Error, Loss, Message, Origin, Other, Peers, Place};
use gdwire::json::{self, Spelling};
use gdwire::multiplayer::{ArgumentBytes, Packet, write_json};
use gdwire::net::enet::{Lost, LostMessage};
use json_event_parser::{JsonEvent, WriterJsonSerializer};
use std::fmt::{self, Display};
use std::io::{self, Write};

pub(super) fn value(
    style: &Style,
    position: Position,
    value: VariantRef<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    begin(style, out)?;
    position_fields(position, out)?;
    write!(out, "\"len\":{}", value.as_bytes().len())?;
    value_fields(style, value, out)?;
    end(style, value.as_bytes(), out)
}

pub(super) fn message(
    style: &Style,
    message: &Message<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    fields(style, message, out)?;
    match &message.content {
        Content::Value(value) => value_fields(style, *value, out)?,
        Content::Packet(packet) => {
            write!(out, ",\"rpc\":")?;
            let bytes = if style.hex { ArgumentBytes::Hex } else { ArgumentBytes::Omitted };
            write_json(packet, message.context(), style.values, bytes, &mut *out)?;
            if let Packet::Raw(raw) = packet
                && let Some(value) = raw.as_value()
            {
                value_fields(style, value, out)?;
            }
        }
        _ => {}
    }
    end(style, message.bytes, out)
}

pub(super) fn other(
    style: &Style,
    other: &Other<'_>,
    origin: Origin,
    out: &mut impl Write,
) -> io::Result<()> {
    begin(style, out)?;
    packet_fields(other.place, Some(origin), out)?;
    write!(out, "\"offset\":0,\"len\":{},\"error\":", other.bytes.len())?;
    string(&other.reason, out)?;
    end(style, other.bytes, out)
}

/// Writes the line of something that was sent, but is not in the capture or cannot be read.
pub(super) fn lost(style: &Style, loss: &Loss, out: &mut impl Write) -> io::Result<()> {
    begin(style, out)?;
    packet_fields(loss.place, loss.origin, out)?;
    match &loss.cause {
        Cause::Enet(LostMessage { channel, lost: Lost::Missing { mode, count }, .. }) => {
            if let Some(channel) = channel {
                write!(out, "\"channel\":{channel},")?;
            }
            write!(out, "\"mode\":\"{}\",\"messages\":{count},", mode.godot_name())?;
        }
        Cause::Stream { offset, bytes, .. } => {
            write!(out, "\"offset\":{offset},\"bytes\":{bytes},")?;
        }
        _ => {}
    }
    write!(out, "\"lost\":")?;
    string(&loss.cause, out)?;
    writeln!(out, "}}")
}

/// Writes the line of damage to a capture file.
pub(super) fn damaged(style: &Style, damage: &Error, out: &mut impl Write) -> io::Result<()> {
    begin(style, out)?;
    if let Some(frame) = damage.frame {
        write!(out, "\"frame\":{frame},")?;
    }
    write!(out, "\"offset\":{},\"damaged\":", damage.offset)?;
    string(damage, out)?;
    writeln!(out, "}}")
}

/// Writes the line of something that is not a value, in a file that is not a capture.
pub(super) fn error(
    style: &Style,
    position: Position,
    reason: &dyn Display,
    out: &mut impl Write,
) -> io::Result<()> {
    begin(style, out)?;
    position_fields(position, out)?;
    write!(out, "\"error\":")?;
    string(reason, out)?;
    writeln!(out, "}}")
}

/// Begins an object, with its file if there are several.
fn begin(style: &Style, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{{")?;
    let Some(file) = &style.file else { return Ok(()) };
    write!(out, "\"file\":")?;
    string(file, out)?;
    write!(out, ",")
}

/// Writes the place of a value in a file that is not a capture.
fn position_fields(position: Position, out: &mut impl Write) -> io::Result<()> {
    if let Position::Line(line) = position {
        write!(out, "\"line\":{line},")?;
    }
    write!(out, "\"offset\":{},", position.offset())
}

fn string(text: &dyn Display, out: &mut impl Write) -> io::Result<()> {
    let text = JsonEvent::String(text.to_string().into());
    WriterJsonSerializer::new(out).serialize_event(text)
}

/// Writes the bytes of a message, if they were asked for, and ends the object.
fn end(style: &Style, bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    if style.hex {
        let encoding = HEXLOWER;
        write!(out, ",\"hex\":\"{}\"", encoding.encode_display(bytes))?;
    }
    writeln!(out, "}}")
}

fn value_fields(style: &Style, value: VariantRef<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, ",\"kind\":\"{}\",\"value\":", value.kind())?;
    match style.values {
        Spelling::Plain => json::write_plain(value, out),
        _ => json::write(value, out),
    }
}

/// Writes the beginning of a message's object, up to its length.
fn fields(style: &Style, message: &Message<'_>, out: &mut impl Write) -> io::Result<()> {
    begin(style, out)?;
    packet_fields(message.place, Some(message.origin), out)?;
    if let Some(channel) = message.channel {
        write!(out, "\"channel\":{channel},")?;
    }
    if let Some(mode) = message.mode {
        write!(out, "\"mode\":\"{}\",", mode.godot_name())?;
    }
    let Peers { source, target, .. } = message.peers;
    if source.is_some() || target.is_some() {
        let (source, target) = (Json(source), Json(target));
        write!(out, "\"peer\":{{\"source\":{source},\"target\":{target}}},")?;
    }
    write!(out, "\"offset\":{},\"len\":{}", message.offset, message.bytes.len())
}

/// Writes the fields about the packet that brought a message.
fn packet_fields(place: Place, origin: Option<Origin>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "\"frame\":{},\"time\":", place.frame)?;
    match place.time {
        Some(time) => write!(out, "\"{time}\",")?,
        None => write!(out, "null,")?,
    }
    let Some(origin) = origin else { return Ok(()) };
    let (src, dst, transport) = (origin.src(), origin.dst(), origin.transport);
    write!(out, "\"transport\":\"{transport}\",\"src\":\"{src}\",\"dst\":\"{dst}\",")
}

/// A number, or null.
struct Json(Option<i32>);

impl Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) => number.fmt(f),
            None => f.write_str("null"),
        }
    }
}
