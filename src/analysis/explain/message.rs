//! Explains a message of a capture, with the headers before it in its packet.

use super::body::{Located, Where, body};
use super::field::{Detail, Field};
use super::fragments::Fragments;
use super::out::{Explained, FieldWriter, run};
use super::recent::Recent;
use super::text::ByteCount;
use super::{enet, frame, stream};
use crate::capture::follow::{Message, Place, Transport};
use crate::net::packet::{Packet, Payload};
use crate::net::websocket::FrameHeader;
use core::fmt;
use core::fmt::{Display, Formatter};
use core::ops::ControlFlow;

/// Explains a message of a capture: the headers before it in its packet, and the message. `packets`
/// has the packets that were read last; without the message's own, only the message is explained.
/// `visit` is called with each field, and may stop early.
///
/// The fields are in sections, each with bytes and offsets of its own. A section begins with a
/// field without bytes. The first section is the message's packet. A message in several packets has
/// two sections, for its first and its last packet, and a heading that says how many are between.
/// If the bytes of the message are not in a packet as they are, another section follows that
/// contains them: the message without the mask or the compression of WebSocket, the decompressed
/// commands of ENet, or the reassembled message.
pub fn message<B>(
    message: &Message<'_>,
    packets: &Recent,
    detail: Detail,
    visit: impl FnMut(&Field<'_>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    run(visit, |visit| with_headers(FieldWriter::new(&[], detail, visit), message, packets))
}

/// What is known about a message from its other packets.
struct KnownParts<'f> {
    /// The header of its first frame over WebSocket, once a packet with it was explained.
    header: Option<FrameHeader>,
    fragments: Option<&'f Fragments>,
}

/// Explains a message, and the packets with its first and its last bytes.
fn with_headers(
    mut out: FieldWriter<'_, '_>,
    message: &Message<'_>,
    packets: &Recent,
) -> Explained {
    let (first, last) = (message.place.first_frame(), message.place.frame);
    let fragments = Fragments::find(message, packets);
    let (mut found, mut known) =
        (Where::Unknown, KnownParts { header: None, fragments: fragments.as_ref() });
    if let Some(fragments) = known.fragments {
        if let Some(first) = fragments.first {
            of_frame(&mut out, message, (packets, first), &mut known)?;
        }
        if fragments.has_others() {
            out.heading("other fragments", fragments)?;
        }
    } else if first < last && message.origin.transport != Transport::Enet {
        found = of_frame(&mut out, message, (packets, first), &mut known)?;
        let between = last.saturating_sub(first).saturating_sub(1);
        if between > 0 {
            out.heading("frames between", format_args!("{between}, not shown"))?;
        }
    }
    if found != Where::Explained {
        found = of_frame(&mut out, message, (packets, last), &mut known)?;
    }
    if found == Where::Explained {
        return Ok(());
    }
    let why = Why { found, place: message.place };
    let value = format_args!("{}{why}", ByteCount(message.bytes.len()));
    let mut out = out.section(message.bytes, "message", value)?;
    body(&mut out, message)
}

/// Explains one of the packets with a message.
fn of_frame(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    (packets, frame): (&Recent, u64),
    known: &mut KnownParts<'_>,
) -> Located {
    let name = format_args!("frame {frame}");
    let Some(captured) = packets.get(frame) else {
        out.heading(name, "no longer in memory")?;
        return Ok(Where::Unknown);
    };
    let len = captured.data.len();
    let mut out = out.section(captured.data, name, ByteCount(len))?;
    in_packet(&mut out, message, &captured, known)
}

/// Explains a packet up to its end.
fn in_packet(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    captured: &Packet<'_>,
    known: &mut KnownParts<'_>,
) -> Located {
    let payload = frame::headers(out, captured)?;
    match (payload, message.origin.transport) {
        (Payload::Udp(datagram), Transport::Enet) => {
            let beginning = known.fragments.filter(|it| it.first == Some(captured.frame));
            enet::datagram(out, message, &datagram, beginning)
        }
        (Payload::Udp(_), Transport::Udp) => {
            let is_here = out.unexplained().starts_with(message.bytes);
            if is_here {
                body(out, message)?;
            }
            out.rest(0, "rest of the packet")?;
            Ok(if is_here { Where::Explained } else { Where::Unknown })
        }
        (Payload::Tcp(segment), Transport::Tcp | Transport::WebSocket) => {
            stream::segment(out, message, &segment, &mut known.header)
        }
        (Payload::Fragment(fragment), _) => {
            let len = fragment.payload.len();
            out.field(len, 0, "IP fragment", ByteCount(len))?;
            out.rest(0, "rest of the packet")?;
            Ok(Where::Parted)
        }
        _ => {
            out.rest(0, "payload")?;
            Ok(Where::Unknown)
        }
    }
}

/// Writes why a message has its own section.
struct Why {
    found: Where,
    place: Place,
}

impl Display for Why {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.place.first_frame(), self.place.frame);
        match self.found {
            Where::Explained => {}
            Where::Unknown => f.write_str(", without its headers")?,
            _ if first < last => write!(f, ", reassembled from frames {first} to {last}")?,
            Where::Parted | Where::Masked => f.write_str(", reassembled from parts")?,
            Where::Compressed => {}
        }
        f.write_str(match self.found {
            Where::Masked => ", without the mask",
            Where::Compressed => ", decompressed",
            _ => "",
        })
    }
}
