//! Explains a message of a capture, with the headers before it in its packet.

use super::enet::Fragments;
use super::out::{Explained, FieldWriter, Stopped, byte_count, from_fn, run};
use super::{Detail, Field, enet, packet, stream, value};
use crate::capture::follow::{Content, Message, Place, Transport};
use crate::game::debugger::{DebuggerCommand, LENGTH};
use crate::game::multiplayer::{self, MultiplayerProtocol};
use crate::net::enet::godot::PeerHeader;
use crate::net::packet::{
    CapturedPacket, HeaderLengths, IpFragment, LinkType, Payload, TcpSegment, UdpDatagram,
};
use crate::net::websocket::FrameHeader;
use crate::value::ReadOptions;
use core::fmt::{self, Display};
use core::ops::ControlFlow;
use std::collections::VecDeque;

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

/// The facts about a message that are known from its other packets.
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
            of_frame(&mut out, message, packets, first, &mut known)?;
        }
        if fragments.has_others() {
            out.heading("other fragments", fragments)?;
        }
    } else if first < last && message.origin.transport != Transport::Enet {
        found = of_frame(&mut out, message, packets, first, &mut known)?;
        let between = last.saturating_sub(first).saturating_sub(1);
        if between > 0 {
            out.heading("frames between", format_args!("{between}, not shown"))?;
        }
    }
    if found != Where::Explained {
        found = of_frame(&mut out, message, packets, last, &mut known)?;
    }
    if found == Where::Explained {
        return Ok(());
    }
    let why = why(found, message.place);
    let value = format_args!("{}{why}", byte_count(message.bytes.len()));
    let mut out = out.section(message.bytes, "message", value)?;
    body(&mut out, message)
}

/// Explains one of the packets with a message.
fn of_frame(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    packets: &Recent,
    frame: u64,
    known: &mut KnownParts<'_>,
) -> Located {
    let name = format_args!("frame {frame}");
    let Some(captured) = packets.get(frame) else {
        out.heading(name, "no longer in memory")?;
        return Ok(Where::Unknown);
    };
    let len = captured.data.len();
    let mut out = out.section(captured.data, name, byte_count(len))?;
    in_packet(&mut out, message, &captured, known)
}

/// Explains a packet up to its end.
fn in_packet(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    captured: &CapturedPacket<'_>,
    known: &mut KnownParts<'_>,
) -> Located {
    let payload = headers(out, captured)?;
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
            out.field(len, 0, "IP fragment", byte_count(len))?;
            out.rest(0, "rest of the packet")?;
            Ok(Where::Parted)
        }
        _ => {
            out.rest(0, "payload")?;
            Ok(Where::Unknown)
        }
    }
}

/// Why a message has its own section.
fn why(found: Where, place: Place) -> impl Display {
    from_fn(move |f| {
        let (first, last) = (place.first_frame(), place.frame);
        match found {
            Where::Explained => {}
            Where::Unknown => f.write_str(", without its headers")?,
            _ if first < last => write!(f, ", reassembled from frames {first} to {last}")?,
            Where::Parted | Where::Masked => f.write_str(", reassembled from parts")?,
            Where::Compressed => {}
        }
        f.write_str(match found {
            Where::Masked => ", without the mask",
            Where::Compressed => ", decompressed",
            _ => "",
        })
    })
}

/// Explains the headers of a packet. Returns its payload.
pub fn headers<'a>(
    out: &mut FieldWriter<'_, '_>,
    packet: &CapturedPacket<'a>,
) -> Result<Payload<'a>, Stopped> {
    let HeaderLengths { link, ip, transport, payload } = HeaderLengths::of(packet);
    out.field(link, 0, "link header", link_name(packet.link_type))?;
    internet(out, ip, &payload)?;
    match &payload {
        Payload::Udp(UdpDatagram { src, dst, .. }) => {
            let ports = format_args!("port {} → {}", src.port(), dst.port());
            out.field(transport, 0, "UDP header", ports)?;
        }
        Payload::Tcp(segment) => {
            let TcpSegment { src, dst, sequence, acknowledgement, .. } = segment;
            let acknowledged = from_fn(|f| match acknowledgement {
                Some(number) => write!(f, ", acknowledges {number}"),
                None => Ok(()),
            });
            let (src, dst) = (src.port(), dst.port());
            let value =
                format_args!("port {src} → {dst}, sequence number {sequence}{acknowledged}");
            out.field(transport, 0, "TCP header", value)?;
        }
        _ => {}
    }
    Ok(payload)
}

/// Explains the IP headers.
fn internet(out: &mut FieldWriter<'_, '_>, len: usize, payload: &Payload<'_>) -> Explained {
    let name = "IP header";
    match payload {
        Payload::Udp(UdpDatagram { src, dst, .. }) | Payload::Tcp(TcpSegment { src, dst, .. }) => {
            out.field(len, 0, name, format_args!("{} → {}", src.ip(), dst.ip()))
        }
        Payload::Fragment(IpFragment { src, dst, offset, .. }) => {
            out.field(len, 0, name, format_args!("{src} → {dst}, fragment from byte {offset} on"))
        }
        _ => out.field(len, 0, name, byte_count(len)),
    }
}

/// The name of a link type.
fn link_name(link: LinkType) -> impl Display {
    from_fn(move |f| {
        f.write_str(match link {
            LinkType::NULL | LinkType::LOOP => "loopback",
            LinkType::ETHERNET => "Ethernet",
            LinkType::LINUX_SLL => "Linux cooked capture",
            LinkType::LINUX_SLL2 => "Linux cooked capture, version 2",
            LinkType(number) => return write!(f, "link type {number}"),
        })
    })
}

/// The place of a message, relative to a packet that was explained.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// In the packet, or in its decompressed content. It was explained there.
    Explained,
    /// In several packets, one of which is this packet.
    Parted,
    /// In several packets, or alone in this one; its bytes are masked by WebSocket.
    Masked,
    /// In several packets, or alone in this one; its bytes are compressed by WebSocket.
    Compressed,
    /// Its place in the packet is not known.
    Unknown,
}

/// The result of explaining the headers before a message.
pub type Located = Result<Where, Stopped>;

/// Explains the next bytes, which are the message.
pub fn body(out: &mut FieldWriter<'_, '_>, message: &Message<'_>) -> Explained {
    let (len, dialect) = (message.bytes.len(), message.dialect);
    let end = out.at().saturating_add(len);
    match &message.content {
        Content::Value(_) => value::of_bytes(out, dialect.into(), end, 0, "value"),
        Content::Packet(
            multiplayer::Packet::PeerAdded { .. } | multiplayer::Packet::PeerRemoved { .. },
        ) if MultiplayerProtocol::of(dialect) != MultiplayerProtocol::Godot4 => own(out, message),
        Content::Debugger(command) => debugger(out, command, end, dialect.into()),
        Content::Packet(_) => {
            let protocol = MultiplayerProtocol::of(dialect);
            packet::of_bytes(out, protocol, dialect.into(), message.context(), len)
        }
    }
}

/// Explains a message of the remote debugger, which ends before `end`.
fn debugger(
    out: &mut FieldWriter<'_, '_>,
    command: &DebuggerCommand<'_>,
    end: usize,
    options: ReadOptions,
) -> Explained {
    let Some([name, arguments]) = command.frames else {
        return value::of_bytes(out, options, end, 0, "debugger's message");
    };
    let start = out.at();
    value::of_bytes(out, options, start.saturating_add(name), 0, "command")?;
    frame(out, options, start.saturating_add(arguments), "number of arguments")?;
    for (place, (_, len)) in command.arguments.with_lengths().enumerate() {
        let rest = end.saturating_sub(out.at());
        if out.is_spent() || place >= out.items {
            return out.field(rest, 0, "more arguments", byte_count(rest));
        }
        let end = out.at().saturating_add(len);
        frame(out, options, end, format_args!("argument {place}"))?;
    }
    Ok(())
}

/// Explains a frame with a value, which ends before `end`.
fn frame(
    out: &mut FieldWriter<'_, '_>,
    options: ReadOptions,
    end: usize,
    name: impl Display,
) -> Explained {
    let len = end.saturating_sub(out.at()).saturating_sub(LENGTH);
    out.field(LENGTH, 0, "length", byte_count(len))?;
    value::of_bytes(out, options, end, 0, name)
}

/// The length that precedes a message over TCP: that of its first frame.
pub fn first_length(message: &Message<'_>) -> usize {
    match &message.content {
        Content::Debugger(DebuggerCommand { frames: Some([name, _]), .. }) => *name,
        _ => message.bytes.len(),
    }
}

/// Explains a message that the multiplayer peers of Godot 3 and Pandemonium themselves send.
fn own(out: &mut FieldWriter<'_, '_>, message: &Message<'_>) -> Explained {
    let Content::Packet(own) = &message.content else { return Ok(()) };
    let name = own.command();
    match message.origin.transport {
        Transport::WebSocket => websocket_peers(out, name)?,
        _ => out.field(4, 0, "system message", name)?,
    }
    if let multiplayer::Packet::PeerAdded { peer } | multiplayer::Packet::PeerRemoved { peer } = own
    {
        out.field(4, 0, "peer", peer)?;
    }
    Ok(())
}

/// The length of the header over ENet, in bytes.
pub const ENET_PEERS: usize = 8;

/// The length of the header over WebSocket, in bytes.
pub const WEBSOCKET_PEERS: usize = 9;

/// Explains the header at the start of a payload, and returns whether it is there.
pub fn enet_peers(out: &mut FieldWriter<'_, '_>, payload: &[u8]) -> Result<bool, Stopped> {
    let Some((PeerHeader { source, target }, _)) = PeerHeader::split(payload) else {
        return Ok(false);
    };
    out.field(4, 0, "source peer", source)?;
    out.field(4, 0, "target peer", target)?;
    Ok(true)
}

/// Explains the header over WebSocket, which starts at the next byte.
pub fn websocket_peers(out: &mut FieldWriter<'_, '_>, kind: impl Display) -> Explained {
    out.field(1, 0, "kind", kind)?;
    for name in ["source peer", "target peer"] {
        let peer = out.unexplained().first_chunk().map_or(0, |peer| i32::from_le_bytes(*peer));
        out.field(4, 0, name, peer)?;
    }
    Ok(())
}

/// The most recent packets of a capture, up to a number of bytes.
///
/// A message may have waited for others, so its packet is not always the newest one. Note each
/// packet before you push it to the follower. [`message`](super::message()) looks up the packets of
/// a message by their numbers.
///
/// ```
/// use gdwire::explain::Recent;
/// use gdwire::packet::{LinkType, CapturedPacket};
///
/// let mut recent = Recent::new(1 << 20);
/// recent.note(&CapturedPacket::new(LinkType::RAW, &[0x45, 0, 0, 20]).with_frame(1));
/// assert_eq!(recent.get(1).map(|packet| packet.data.len()), Some(4));
/// ```
pub struct Recent {
    limit: usize,
    packets: VecDeque<RecentPacket>,
    /// How many bytes the packets take.
    bytes: usize,
}

struct RecentPacket {
    frame: u64,
    link_type: LinkType,
    original_len: u32,
    data: Box<[u8]>,
}

/// How many bytes a packet counts in addition to its own.
const PACKET: usize = size_of::<RecentPacket>() + 16;

impl Recent {
    /// Keeps packets of up to `limit` bytes together. Each packet counts some bytes more than it
    /// has.
    #[must_use]
    pub const fn new(limit: usize) -> Recent {
        Recent { limit, packets: VecDeque::new(), bytes: 0 }
    }

    /// Keeps a packet. Its number has to be greater than those of the packets before. The oldest
    /// packets are dropped to make room.
    pub fn note(&mut self, packet: &CapturedPacket<'_>) {
        let CapturedPacket { frame, link_type, original_len, data, .. } = *packet;
        let cost = data.len().saturating_add(PACKET);
        while self.bytes.saturating_add(cost) > self.limit {
            let Some(first) = self.packets.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(first.data.len().saturating_add(PACKET));
        }
        self.bytes = self.bytes.saturating_add(cost);
        self.packets.push_back(RecentPacket { frame, link_type, original_len, data: data.into() });
    }

    /// Drops all packets: those of another capture may have the same numbers.
    pub fn clear(&mut self) {
        self.packets.clear();
        self.bytes = 0;
    }

    /// The packet with this number, if it is still kept. Its time and its place in a file are not
    /// kept.
    #[must_use]
    pub fn get(&self, frame: u64) -> Option<CapturedPacket<'_>> {
        let at = self.packets.binary_search_by_key(&frame, |kept| kept.frame).ok()?;
        let RecentPacket { link_type, original_len, data, .. } = self.packets.get(at)?;
        Some(
            CapturedPacket::new(*link_type, data)
                .with_frame(frame)
                .with_original_len(*original_len),
        )
    }
}

impl fmt::Debug for Recent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recent { limit, packets, bytes, .. } = self;
        debug_fields!(f, Recent { limit, packets = packets.len(), bytes })
    }
}
