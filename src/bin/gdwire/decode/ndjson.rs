//! Writes messages as JSON, one object per line.

use super::Style;
use super::text::Written;
use crate::sink::{Damage, Position};
use data_encoding::HEXLOWER;
use gdwire::VariantRef;
use gdwire::capture::{Content, Loss, Message, Origin, Other, Peers, Place};
use gdwire::debugger;
use gdwire::json::{self, Spelling};
use gdwire::multiplayer::{ArgumentBytes, Packet, PeerId, write_json};
use std::fmt::Display;
use std::io::{self, Write};

pub fn value(
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

pub fn message(
    style: &Style,
    message: &Message<'_>,
    written: &mut Written,
    out: &mut impl Write,
) -> io::Result<()> {
    // The line is composed in memory, because each write to the stream costs a call.
    let line = &mut Vec::with_capacity(message.bytes.len().saturating_mul(2).saturating_add(256));
    fields(style, message, written, line)?;
    let bytes = if style.hex { ArgumentBytes::Hex } else { ArgumentBytes::Omitted };
    match &message.content {
        Content::Value(value) => value_fields(style, *value, line)?,
        Content::Debugger(command) => {
            line.write_all(b",\"debugger\":")?;
            debugger::write_json(command, style.values, bytes, &mut *line)?;
        }
        Content::Packet(packet) => {
            line.write_all(b",\"rpc\":")?;
            write_json(packet, message.context(), style.values, bytes, &mut *line)?;
            if let Packet::Raw(raw) = packet
                && let Some(value) = raw.as_value()
            {
                value_fields(style, value, line)?;
            }
        }
        _ => {}
    }
    end(style, message.bytes, line)?;
    out.write_all(line)
}

pub fn other(
    style: &Style,
    other: &Other<'_>,
    origin: Origin,
    out: &mut impl Write,
) -> io::Result<()> {
    begin(style, out)?;
    place_fields(other.place, &mut Written::default(), out)?;
    ends_fields(origin, out)?;
    write!(out, "\"offset\":0,\"len\":{},\"error\":", other.bytes.len())?;
    json::write_string(other.reason, &mut *out)?;
    end(style, other.bytes, out)
}

/// Writes the line of a loss.
pub fn lost(style: &Style, loss: &Loss, out: &mut impl Write) -> io::Result<()> {
    begin(style, out)?;
    place_fields(loss.place, &mut Written::default(), out)?;
    if let Some(Place { frame, time, .. }) = loss.after {
        write!(out, "\"after_frame\":{frame},")?;
        if let Some(time) = time {
            write!(out, "\"after_time\":\"{time}\",")?;
        }
    }
    loss.origin.map_or(Ok(()), |origin| ends_fields(origin, out))?;
    let cause = loss.cause;
    if let Some(mode) = cause.mode() {
        if let Some(channel) = cause.channel() {
            write!(out, "\"channel\":{channel},")?;
        }
        write!(out, "\"mode\":\"{}\",\"messages\":{},", mode.godot_name(), cause.count())?;
    } else if let Some(lost) = cause.position() {
        let bytes = lost.end.saturating_sub(lost.start);
        write!(out, "\"offset\":{},\"bytes\":{bytes},", lost.start)?;
    }
    write!(out, "\"lost\":")?;
    json::write_string(cause, &mut *out)?;
    writeln!(out, "}}")
}

/// Writes the line of a damaged part of a file.
pub fn damaged(style: &Style, damage: &Damage<'_>, out: &mut impl Write) -> io::Result<()> {
    let Damage { frame, offset, problem } = *damage;
    begin(style, out)?;
    if let Some(frame) = frame {
        write!(out, "\"frame\":{frame},")?;
    }
    write!(out, "\"offset\":{offset},\"damaged\":")?;
    json::write_string(problem, &mut *out)?;
    writeln!(out, "}}")
}

/// Writes the line of something that is not a value, in a file that is not a capture.
pub fn error(
    style: &Style,
    position: Position,
    reason: &dyn Display,
    out: &mut impl Write,
) -> io::Result<()> {
    begin(style, out)?;
    position_fields(position, out)?;
    write!(out, "\"error\":")?;
    json::write_string(reason, &mut *out)?;
    writeln!(out, "}}")
}

/// Begins an object, with its file if there are several.
fn begin(style: &Style, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{")?;
    let Some(file) = &style.file else { return Ok(()) };
    out.write_all(b"\"file\":")?;
    json::write_string(file, &mut *out)?;
    out.write_all(b",")
}

/// Writes the place of a value in a file that is not a capture.
fn position_fields(position: Position, out: &mut impl Write) -> io::Result<()> {
    if let Position::Line(line) = position {
        write!(out, "\"line\":{line},")?;
    }
    write!(out, "\"offset\":{},", position.offset())
}

/// Writes a text, and an integer after it.
fn int(before: &str, number: impl itoa::Integer, out: &mut impl Write) -> io::Result<()> {
    out.write_all(before.as_bytes())?;
    out.write_all(itoa::Buffer::new().format(number).as_bytes())
}

/// Writes a text, and an integer or null after it.
fn int_or_null(before: &str, number: Option<i32>, out: &mut impl Write) -> io::Result<()> {
    match number {
        Some(number) => int(before, number, out),
        None => [before, "null"].iter().try_for_each(|text| out.write_all(text.as_bytes())),
    }
}

/// Writes the bytes of a message if they are requested, and ends the object.
fn end(style: &Style, bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    if style.hex {
        let encoding = HEXLOWER;
        write!(out, ",\"hex\":\"{}\"", encoding.encode_display(bytes))?;
    }
    out.write_all(b"}\n")
}

fn value_fields(style: &Style, value: VariantRef<'_>, out: &mut impl Write) -> io::Result<()> {
    for text in [",\"kind\":\"", value.kind().name(), "\",\"value\":"] {
        out.write_all(text.as_bytes())?;
    }
    match style.values {
        Spelling::Plain => json::write_plain(value, out),
        _ => json::write(value, out),
    }
}

/// Writes the beginning of a message's object, up to its length.
fn fields(
    style: &Style,
    message: &Message<'_>,
    written: &mut Written,
    out: &mut impl Write,
) -> io::Result<()> {
    begin(style, out)?;
    place_fields(message.place, written, out)?;
    out.write_all(written.ends(message.origin, |out| ends_fields(message.origin, out))?)?;
    if let Some(channel) = message.delivery.channel {
        int("\"channel\":", channel, out)?;
        out.write_all(b",")?;
    }
    if let Some(mode) = message.delivery.mode {
        for text in ["\"mode\":\"", mode.godot_name(), "\","] {
            out.write_all(text.as_bytes())?;
        }
    }
    let Peers { source, target, .. } = message.peers;
    if source.is_some() || target.is_some() {
        int_or_null("\"peer\":{\"source\":", source.map(PeerId::get), out)?;
        int_or_null(",\"target\":", target.map(PeerId::get), out)?;
        out.write_all(b"},")?;
    }
    int("\"offset\":", message.delivery.offset, out)?;
    int(",\"len\":", message.bytes.len(), out)
}

/// Writes the number and the time of a message's packet.
fn place_fields(place: Place, written: &mut Written, out: &mut impl Write) -> io::Result<()> {
    int("\"frame\":", place.frame, out)?;
    match place.time {
        Some(time) => {
            out.write_all(b",\"time\":\"")?;
            out.write_all(written.time(time))?;
            out.write_all(b"\",")
        }
        None => out.write_all(b",\"time\":null,"),
    }
}

/// Writes the transport and both ends.
fn ends_fields(origin: Origin, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"\"transport\":\"")?;
    out.write_all(origin.transport.name().as_bytes())?;
    let (src, dst) = (origin.src(), origin.dst());
    write!(out, "\",\"src\":\"{src}\",\"dst\":\"{dst}\",")
}
