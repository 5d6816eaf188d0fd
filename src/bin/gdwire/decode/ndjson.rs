//! Messages as JSON: an object each, on a line of its own.

use super::Style;
use crate::sink::Position;
use data_encoding::HEXLOWER;
use gdwire::capture::{Content, Message, Origin, Other, Peers, Place};
use gdwire::multiplayer::{ArgumentBytes, Packet, write_json};
use gdwire::{VariantRef, json};
use json_event_parser::{JsonEvent, WriterJsonSerializer};
use std::fmt::{self, Display};
use std::io::{self, Write};

pub(super) fn value(
    style: &Style,
    position: Position,
    value: VariantRef<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (offset, len) = (position.offset(), value.as_bytes().len());
    write!(out, "{{\"offset\":{offset},\"len\":{len}")?;
    value_fields(value, out)?;
    end(style, value.as_bytes(), out)
}

pub(super) fn message(
    style: &Style,
    message: &Message<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    fields(message, out)?;
    match &message.content {
        Content::Value(value) => value_fields(*value, out)?,
        Content::Packet(packet) => {
            write!(out, ",\"rpc\":")?;
            let bytes = if style.hex { ArgumentBytes::Hex } else { ArgumentBytes::Omitted };
            write_json(packet, message.context(), bytes, &mut *out)?;
            if let Packet::Raw(raw) = packet
                && let Some(value) = raw.as_value()
            {
                value_fields(value, out)?;
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
    packet_fields(other.place, origin, out)?;
    write!(out, "\"offset\":0,\"len\":{},\"error\":", other.bytes.len())?;
    let reason = JsonEvent::String(other.reason.to_string().into());
    WriterJsonSerializer::new(&mut *out).serialize_event(reason)?;
    end(style, other.bytes, out)
}

/// Writes the bytes of a message, if they were asked for, and ends the object.
fn end(style: &Style, bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    if style.hex {
        let encoding = HEXLOWER;
        write!(out, ",\"hex\":\"{}\"", encoding.encode_display(bytes))?;
    }
    writeln!(out, "}}")
}

fn value_fields(value: VariantRef<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, ",\"kind\":\"{}\",\"value\":", value.kind())?;
    json::write(value, out)
}

/// Writes the beginning of a message's object, up to its length.
fn fields(message: &Message<'_>, out: &mut impl Write) -> io::Result<()> {
    packet_fields(message.place, message.origin, out)?;
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
fn packet_fields(place: Place, origin: Origin, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{{\"frame\":{},\"time\":", place.frame)?;
    match place.time {
        Some(time) => write!(out, "\"{time}\"")?,
        None => write!(out, "null")?,
    }
    let (src, dst, transport) = (origin.src(), origin.dst(), origin.transport);
    write!(out, ",\"transport\":\"{transport}\",\"src\":\"{src}\",\"dst\":\"{dst}\",")
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
