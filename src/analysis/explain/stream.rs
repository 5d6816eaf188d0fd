//! Explains TCP segments: the message, and the length or the WebSocket header before it.

use super::message::{Located, WEBSOCKET_PEERS, Where, body, first_length, websocket_peers};
use super::out::{Explained, FieldWriter, byte_count};
use crate::capture::follow::{Message, Transport};
use crate::net::packet::TcpSegment;
use crate::net::websocket::{FrameHeader, HeaderRead, Opcode, unmask};

/// How many bytes the length before a message over TCP has.
const PREFIX: i64 = 4;

/// Explains the payload of a segment, which starts at the next byte, and the bytes after it in its
/// packet.
pub fn segment(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    segment: &TcpSegment<'_>,
    known: &mut Option<FrameHeader>,
) -> Located {
    let start = out.at();
    let payload = SegmentPayload { start, end: start.saturating_add(segment.payload.len()) };
    let Some(sequence) = message.delivery.sequence else {
        payload.rest(out, "payload")?;
        return Ok(Where::Unknown);
    };
    // The SYN has a sequence number of its own.
    let first = segment.sequence.wrapping_add(segment.is_syn.into());
    let offset = i64::from(sequence.wrapping_sub(first).cast_signed());
    match message.origin.transport {
        Transport::WebSocket => websocket(out, message, offset, &payload, known),
        _ => prefixed(out, message, offset, &payload),
    }
}

/// The range of a segment's payload in its packet.
struct SegmentPayload {
    start: usize,
    end: usize,
}

impl SegmentPayload {
    /// The bytes up to the end of the payload.
    fn bytes<'b>(&self, out: &FieldWriter<'b, '_>) -> &'b [u8] {
        let rest = out.unexplained();
        rest.get(..self.end.saturating_sub(out.at())).unwrap_or(rest)
    }

    /// How many unexplained bytes precede an offset in the payload. The offset may be outside of
    /// the payload.
    fn up_to(&self, out: &FieldWriter<'_, '_>, offset: i64) -> usize {
        let offset = usize::try_from(offset.max(0)).unwrap_or(usize::MAX);
        self.start.saturating_add(offset).min(self.end).saturating_sub(out.at())
    }

    /// Explains bytes of other messages, up to an offset.
    fn before(&self, out: &mut FieldWriter<'_, '_>, offset: i64) -> Explained {
        let len = self.up_to(out, offset);
        out.field(len, 0, "bytes before", byte_count(len))
    }

    /// Explains the rest of the payload, and the rest of the packet.
    fn rest(&self, out: &mut FieldWriter<'_, '_>, name: &str) -> Explained {
        let len = self.bytes(out).len();
        out.field(len, 0, name, byte_count(len))?;
        out.rest(0, "rest of the packet")
    }
}

/// Explains a payload with a length and a message, which starts at an offset. Parts of both may be
/// in other packets.
fn prefixed(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    offset: i64,
    segment: &SegmentPayload,
) -> Located {
    let len = message.bytes.len();
    segment.before(out, offset.saturating_sub(PREFIX))?;
    let prefix = segment.up_to(out, offset);
    let first = byte_count(first_length(message));
    out.field(prefix, 0, "length", first)?;
    let is_here = offset >= 0 && segment.bytes(out).starts_with(message.bytes);
    if is_here {
        body(out, message)?;
    } else {
        let end = i64::try_from(len).map_or(i64::MAX, |len| offset.saturating_add(len));
        let part = segment.up_to(out, end);
        out.field(part, 0, "part of the message", byte_count(part))?;
    }
    segment.rest(out, "bytes after")?;
    Ok(if is_here { Where::Explained } else { Where::Parted })
}

/// Explains a payload with a WebSocket frame, which starts at an offset. The header of the frame
/// may be in an earlier packet.
fn websocket(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    offset: i64,
    segment: &SegmentPayload,
    known: &mut Option<FrameHeader>,
) -> Located {
    segment.before(out, offset)?;
    if offset >= 0
        && let HeaderRead::Header(header, _) = FrameHeader::read(segment.bytes(out))
    {
        frame_header(out, message, &header)?;
        *known = Some(header);
    }
    let Some(header) = *known else {
        segment.rest(out, "payload")?;
        return Ok(Where::Parted);
    };
    let start = offset.saturating_add_unsigned(header.length as u64);
    let len = segment.up_to(out, start);
    out.field(len, 1, "rest of the header", byte_count(len))?;
    let len = segment.up_to(out, start.saturating_add_unsigned(header.payload));
    let content = segment.bytes(out);
    let content = content.get(..len).unwrap_or(content);
    let is_compressed = header.is_compressed;
    let is_whole = len as u64 == header.payload && header.is_final;
    let is_here = is_whole && !is_compressed && content.ends_with(message.bytes);
    if let (true, None) = (is_here, header.mask) {
        of_peers(out, message, content)?;
        segment.rest(out, "bytes after")?;
        return Ok(Where::Explained);
    }
    let name = if is_whole { "message" } else { "part of the message" };
    let masked = if header.mask.is_some() { ", masked" } else { "" };
    let compressed = if is_compressed { ", compressed" } else { "" };
    out.field(len, 0, name, format_args!("{}{compressed}{masked}", byte_count(len)))?;
    segment.rest(out, "bytes after")?;
    if is_compressed {
        return Ok(Where::Compressed);
    }
    let Some(mask) = header.mask else { return Ok(Where::Parted) };
    let mut plain = content.to_vec();
    unmask(&mut plain, mask);
    if !is_whole || !plain.ends_with(message.bytes) {
        return Ok(Where::Masked);
    }
    let name = "message";
    let mut out =
        out.section(&plain, name, format_args!("{}, without the mask", byte_count(len)))?;
    of_peers(&mut out, message, &plain)?;
    Ok(Where::Explained)
}

fn frame_header(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    header: &FrameHeader,
) -> Explained {
    let opcode = match header.opcode {
        Opcode::Text => "text",
        _ => "binary",
    };
    let part = if header.is_final { "final" } else { "not final" };
    let compressed = if header.is_compressed { ", compressed" } else { "" };
    out.field(1, 0, "WebSocket frame", format_args!("{part}, {opcode}{compressed}"))?;
    let mask = if header.mask.is_some() { 4 } else { 0 };
    let masked = if mask > 0 { ", masked" } else { "" };
    let len = header.length.saturating_sub(1).saturating_sub(mask);
    let has_peers = !header.is_compressed
        && header.payload.checked_sub(message.bytes.len() as u64) == Some(WEBSOCKET_PEERS as u64);
    let peers = if has_peers { ", of them 9 for the peers" } else { "" };
    let value = format_args!("{} bytes{peers}{masked}", header.payload);
    out.field(len, 1, "length", value)?;
    out.field(mask, 1, "mask", "")
}

/// Explains the content of a frame: the header of Godot 3's multiplayer peers, if it has one, and
/// the message.
fn of_peers(out: &mut FieldWriter<'_, '_>, message: &Message<'_>, content: &[u8]) -> Explained {
    if content.len().saturating_sub(message.bytes.len()) == WEBSOCKET_PEERS {
        websocket_peers(out, "data")?;
    }
    body(out, message)
}
