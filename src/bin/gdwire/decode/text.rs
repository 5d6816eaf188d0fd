//! Writes messages as text for programs: each whole on one line, after columns about its packet.

use super::LineStyle;
use crate::sink::ValuePlace;
use crate::terminal::Styles;
use data_encoding::HEXLOWER;
use gdwire::follow::{Content, Message, Origin, Other, Place};
use gdwire::json::{self, Spelling};
use gdwire::multiplayer::{ArgumentBytes, write_json};
use gdwire::packet::Time;
use gdwire::text::Show;
use gdwire::{VariantRef, debugger};
use std::io::{self, Write};

pub fn value(
    style: &LineStyle,
    place: ValuePlace,
    value: VariantRef<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    index(style, place, out)?;
    write!(out, "{}", value.show(show(style)))?;
    end(style, value.as_bytes(), out)
}

/// Writes the number of a value in its file, if it is requested. Returns its width.
pub fn index(style: &LineStyle, place: ValuePlace, out: &mut impl Write) -> io::Result<usize> {
    if !style.index {
        return Ok(0);
    }
    let Styles { dim, .. } = style.styles;
    let text = format!("[{}]", place.index);
    write!(out, "{dim}{text}{dim:#}  ")?;
    Ok(text.len().saturating_add(2))
}

pub fn message(
    style: &LineStyle,
    message: &Message<'_>,
    cache: &mut TextCache,
    out: &mut impl Write,
) -> io::Result<()> {
    if !style.plain {
        begin(style, message.place, cache, out)?;
        out.write_all(cache.ends(message.origin, |out| ends(style, message.origin, out))?)?;
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

const fn show(style: &LineStyle) -> Show<'static> {
    Show::new().with_palette(style.styles.palette)
}

pub fn other(
    style: &LineStyle,
    other: &Other<'_>,
    origin: Origin,
    out: &mut impl Write,
) -> io::Result<()> {
    if !style.plain {
        begin(style, other.place, &mut TextCache::default(), out)?;
        ends(style, origin, out)?;
    }
    let Styles { dim, .. } = style.styles;
    let (len, reason) = (other.bytes.len(), &other.reason);
    write!(out, "{dim}not a value, {len} bytes: {reason}{dim:#}")?;
    end(style, other.bytes, out)
}

/// Writes the bytes of a message if they are requested, and ends the line.
fn end(style: &LineStyle, bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    if style.hex {
        let encoding = HEXLOWER;
        write!(out, "  {}", encoding.encode_display(bytes))?;
    }
    writeln!(out)
}

/// Writes the frame and the time, the first columns of a line.
fn begin(
    style: &LineStyle,
    place: Place,
    cache: &mut TextCache,
    out: &mut impl Write,
) -> io::Result<()> {
    let Styles { dim, .. } = style.styles;
    write!(out, "{dim}{:>6}  ", place.frame)?;
    out.write_all(place.time.map_or(b"-", |time| cache.time(time)))
}

/// Writes both ends, the columns after the time.
fn ends(style: &LineStyle, origin: Origin, out: &mut impl Write) -> io::Result<()> {
    let Styles { dim, address, .. } = style.styles;
    let (src, dst) = (origin.src(), origin.dst());
    write!(out, "{dim:#}  {address}{src}{address:#} → {address}{dst}{address:#}  ")
}

pub fn native(value: VariantRef<'_>, out: &mut impl Write) -> io::Result<()> {
    json::write(value, &mut *out)?;
    writeln!(out)
}

pub fn native_message(message: &Message<'_>, out: &mut impl Write) -> io::Result<()> {
    match &message.content {
        Content::Value(value) => json::write(*value, &mut *out)?,
        Content::Packet(packet) => {
            let (context, bytes) = (message.context(), ArgumentBytes::Omitted);
            write_json(packet, context, Spelling::Native, bytes, &mut *out)?;
        }
        Content::Debugger(command) => {
            debugger::write_json(command, Spelling::Native, ArgumentBytes::Omitted, &mut *out)?;
        }
        _ => return Ok(()),
    }
    writeln!(out)
}

pub fn hex(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    let encoding = HEXLOWER;
    writeln!(out, "{}", encoding.encode_display(bytes))
}

const SECOND: i64 = 1_000_000_000;

/// The length of a time without decimals and zone, such as `2026-11-21T07:55:16.`.
const WHOLE: usize = 20;

/// How many directions are kept at first, and at most. Their number doubles as long as two directions
/// have the same place.
const KEPT: (usize, usize) = (64, 4096);

/// The texts for the second and for the directions that were written last.
#[derive(Default)]
pub struct TextCache {
    /// The second since 1970 of `time`, and the number of decimals of its clock.
    second: Option<(i64, u8)>,
    time: Vec<u8>,
    kept: Vec<Option<(Origin, Vec<u8>)>>,
    /// The memory of the line that was written last, for the next one.
    pub line: Vec<u8>,
}

impl TextCache {
    /// The text of a time.
    pub fn time(&mut self, time: Time) -> &[u8] {
        let second = (time.as_nanos().div_euclid(SECOND), time.decimals());
        if self.second != Some(second) {
            self.second = Some(second);
            self.time = time.to_string().into_bytes();
            return &self.time;
        }
        let (_, [decimals @ .., _zone]) = self.time.split_at_mut(WHOLE) else { return &self.time };
        let nanoseconds = time.as_nanos().rem_euclid(SECOND) as u32;
        // Most clocks have six or nine decimals. Dividing by a known number is quick.
        let rest = match decimals.len() {
            6 => nanoseconds / 1_000,
            9 => nanoseconds,
            other => nanoseconds / 10_u32.pow(9_u32.saturating_sub(other as u32)),
        };
        write_digits(decimals, rest);
        &self.time
    }

    /// The text of a direction's ends, which `write` writes if it is not kept.
    pub fn ends(
        &mut self,
        origin: Origin,
        write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<&[u8]> {
        let is_other =
            |kept: &Option<(Origin, Vec<u8>)>| kept.as_ref().is_some_and(|(of, _)| *of != origin);
        while self.kept.get(self.place(origin)).is_none_or(is_other) && self.enlarge() {}
        let place = self.place(origin);
        let Some(kept) = self.kept.get_mut(place) else { return Ok(&[]) };
        if kept.as_ref().is_none_or(|(of, _)| *of != origin) {
            let mut text = Vec::new();
            write(&mut text)?;
            *kept = Some((origin, text));
        }
        Ok(kept.as_ref().map_or(&[], |(_, text)| text))
    }

    /// The index at which the text of a direction is kept. Both directions of a connection have
    /// indexes of their own.
    fn place(&self, origin: Origin) -> usize {
        let place = origin.connection.wrapping_mul(2).wrapping_add(origin.from as u64);
        usize::try_from(place).unwrap_or(0) & self.kept.len().saturating_sub(1)
    }

    /// Makes room for twice as many directions. Returns false if there are as many as allowed.
    #[cold]
    fn enlarge(&mut self) -> bool {
        let (first, most) = KEPT;
        if self.kept.len() >= most {
            return false;
        }
        let size = self.kept.len().saturating_mul(2).max(first);
        let before = std::mem::replace(&mut self.kept, vec![None; size]);
        for (origin, text) in before.into_iter().flatten() {
            let place = self.place(origin);
            if let Some(kept) = self.kept.get_mut(place) {
                *kept = Some((origin, text));
            }
        }
        true
    }
}

/// Writes the last decimal digits of a number, two at a time.
fn write_digits(digits: &mut [u8], mut number: u32) {
    for digits in digits.rchunks_mut(2) {
        let pair = (number % 100) as u8;
        number /= 100;
        match digits {
            [first, second] => {
                (*first, *second) =
                    (b'0'.saturating_add(pair / 10), b'0'.saturating_add(pair % 10));
            }
            [first] => *first = b'0'.saturating_add(pair % 10),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TextCache;
    use gdwire::follow::{Event, Follower, Options, Place, Transport};
    use gdwire::packet::{Time, UdpDatagram};
    use gdwire::{Dialect, encode, variant};

    #[test]
    fn ends_are_those_of_their_direction() {
        let bytes = encode(Dialect::GODOT_4, &variant!(["a", 1])).unwrap();
        let mut cache = TextCache::default();
        let options = Options::new().with_transport(Transport::Udp);
        let options = options.with_dialect(Dialect::GODOT_4);
        let mut follower = Follower::with_options(options);
        let mut count = 0;
        // Ports are used in turn, first few of them, then more than are kept.
        let ports = [3_u16, 100, 5_000, 100].into_iter().flat_map(|most| (0..most).chain(0..most));
        for (frame, port) in (1..).zip(ports) {
            let client = ([10, 0, 0, 2], 20_000 + port).into();
            let server = "10.0.0.1:7000".parse().unwrap();
            for (src, dst) in [(client, server), (server, client)] {
                let datagram = UdpDatagram::new(src, dst, &bytes);
                let mut events = follower.datagram(Place::new(frame), &datagram);
                while let Some(event) = events.next() {
                    let Event::Message(message) = event else { continue };
                    let (src, dst) = (message.origin.src(), message.origin.dst());
                    let expected = format!("{src} {dst}").into_bytes();
                    let ends = |out: &mut Vec<u8>| {
                        out.extend_from_slice(&expected);
                        Ok(())
                    };
                    assert_eq!(cache.ends(message.origin, ends).unwrap(), expected);
                    count += 1;
                }
            }
        }
        assert!(count > 10_000);
    }

    #[test]
    fn times_are_those_that_the_library_shows() {
        let mut cache = TextCache::default();
        let seconds = [-1, 0, 0, 0, 1, 1, 1_763_711_716, 1_763_711_716];
        let parts = [999_999_999, 0, 1, 120_034_005, 999_999_999];
        for (second, part) in seconds.iter().flat_map(|it| parts.map(|part| (it, part))) {
            for decimals in [0, 6, 9] {
                let time = Time::from_nanos(second * 1_000_000_000 + part, decimals);
                assert_eq!(cache.time(time), time.to_string().as_bytes());
                assert_eq!(cache.time(time), time.to_string().as_bytes());
                let next = Time::from_nanos(time.as_nanos() + 1_000, decimals);
                assert_eq!(cache.time(next), next.to_string().as_bytes());
            }
        }
    }
}
