//! Writes messages as text for programs: each whole on one line, after columns about its packet.

use super::style::Style;
use super::written::Written;
use crate::terminal::Styles;
use data_encoding::HEXLOWER;
use gdwire::VariantRef;
use gdwire::capture::{Content, Message, Origin, Other, Place};
use gdwire::text::Show;
use std::io::{self, Write};

pub(super) fn value(style: &Style, value: VariantRef<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{}", value.show(show(style)))?;
    end(style, value.as_bytes(), out)
}

pub(super) fn message(
    style: &Style,
    message: &Message<'_>,
    written: &mut Written,
    out: &mut impl Write,
) -> io::Result<()> {
    if !style.plain {
        begin(style, message.place, written, out)?;
        out.write_all(written.ends(message.origin, |out| ends(style, message.origin, out))?)?;
    }
    match &message.content {
        Content::Value(value) => write!(out, "{}", value.show(show(style)))?,
        Content::Packet(packet) => {
            write!(out, "{}", packet.show(message.context(), show(style)))?;
        }
        Content::Debugger(command) => write!(out, "{}", command.show(show(style)))?,
        _ => {}
    }
    end(style, message.bytes, out)
}

const fn show(style: &Style) -> Show<'static> {
    Show::new().with_palette(style.styles.palette)
}

pub(super) fn other(
    style: &Style,
    other: &Other<'_>,
    origin: Origin,
    out: &mut impl Write,
) -> io::Result<()> {
    if !style.plain {
        begin(style, other.place, &mut Written::default(), out)?;
        ends(style, origin, out)?;
    }
    let Styles { dim, .. } = style.styles;
    let (len, reason) = (other.bytes.len(), &other.reason);
    write!(out, "{dim}not a value, {len} bytes: {reason}{dim:#}")?;
    end(style, other.bytes, out)
}

/// Writes the bytes of a message if they are requested, and ends the line.
fn end(style: &Style, bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    if style.hex {
        let encoding = HEXLOWER;
        write!(out, "  {}", encoding.encode_display(bytes))?;
    }
    writeln!(out)
}

/// Writes the frame and the time, the first columns of a line.
fn begin(
    style: &Style,
    place: Place,
    written: &mut Written,
    out: &mut impl Write,
) -> io::Result<()> {
    let Styles { dim, .. } = style.styles;
    write!(out, "{dim}{:>6}  ", place.frame)?;
    out.write_all(place.time.map_or(b"-", |time| written.time(time)))
}

/// Writes both ends, the columns after the time.
fn ends(style: &Style, origin: Origin, out: &mut impl Write) -> io::Result<()> {
    let Styles { dim, address, .. } = style.styles;
    let (src, dst) = (origin.src(), origin.dst());
    write!(out, "{dim:#}  {address}{src}{address:#} → {address}{dst}{address:#}  ")
}
