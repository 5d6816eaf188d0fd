//! Explains a message of a capture, with the headers before it in its packet.

use super::fragments::Fragments;
use super::out::{Explained, Out, Stopped};
use super::recent::Recent;
use super::text::Bytes;
use super::{enet, packet, stream, value};
use crate::debugger::{Command, LENGTH};
use crate::dialect::ReadOptions;
use crate::follow::{Content, Message, Place, Transport};
use crate::multiplayer::{Packet as Multiplayer, Protocol};
use crate::net::websocket::header::Header;
use crate::packet::{Packet, Payload};
use core::fmt::{self, Display, Formatter};

/// Where a message is, seen from a packet that was explained.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// In the packet, or in what came of it. It was explained there.
    Explained,
    /// In several packets, of which this is one.
    Parted,
    /// The same, under a mask.
    Masked,
    /// It is not known where in the packet.
    Unknown,
}

/// The result of explaining what precedes a message.
pub(super) type Found = Result<Where, Stopped>;

/// What is known about a message from its other packets.
struct Known<'f> {
    /// The header of its first frame over WebSocket, once a packet with it was explained.
    header: Option<Header>,
    fragments: Option<&'f Fragments>,
}

/// Explains a message, with the packets that brought its first and its last bytes.
pub(super) fn one(mut out: Out<'_, '_>, message: &Message<'_>, packets: &Recent) -> Explained {
    let (first, last) = (message.place.first_frame(), message.place.frame);
    let fragments = Fragments::find(message, packets);
    let (mut found, mut known) =
        (Where::Unknown, Known { header: None, fragments: fragments.as_ref() });
    if let Some(fragments) = known.fragments {
        if let Some(first) = fragments.first {
            of_frame(&mut out, message, (packets, first), &mut known)?;
        }
        if fragments.has_others() {
            out.heading(format_args!("other fragments"), format_args!("{fragments}"))?;
        }
    } else if first < last && message.origin.transport != Transport::Enet {
        found = of_frame(&mut out, message, (packets, first), &mut known)?;
        let between = last.saturating_sub(first).saturating_sub(1);
        if between > 0 {
            out.heading(format_args!("frames between"), format_args!("{between}, not shown"))?;
        }
    }
    if found != Where::Explained {
        found = of_frame(&mut out, message, (packets, last), &mut known)?;
    }
    if found == Where::Explained {
        return Ok(());
    }
    let why = Why { found, place: message.place };
    let value = format_args!("{}{why}", Bytes(message.bytes.len()));
    let mut out = out.section(message.bytes, format_args!("message"), value)?;
    body(&mut out, message)
}

/// Explains one of the packets that brought a message.
fn of_frame(
    out: &mut Out<'_, '_>,
    message: &Message<'_>,
    (packets, frame): (&Recent, u64),
    known: &mut Known<'_>,
) -> Found {
    let name = format_args!("frame {frame}");
    let Some(captured) = packets.get(frame) else {
        out.heading(name, format_args!("no longer in memory"))?;
        return Ok(Where::Unknown);
    };
    let len = captured.data.len();
    let mut out = out.section(captured.data, name, format_args!("{}", Bytes(len)))?;
    in_packet(&mut out, message, &captured, known)
}

/// Explains a packet up to its end.
fn in_packet(
    out: &mut Out<'_, '_>,
    message: &Message<'_>,
    captured: &Packet<'_>,
    known: &mut Known<'_>,
) -> Found {
    let payload = super::frame::headers(out, captured)?;
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
            out.rest(0, format_args!("rest of the packet"))?;
            Ok(if is_here { Where::Explained } else { Where::Unknown })
        }
        (Payload::Tcp(segment), Transport::Tcp | Transport::WebSocket) => {
            stream::segment(out, message, &segment, &mut known.header)
        }
        (Payload::Fragment(fragment), _) => {
            let len = fragment.payload.len();
            out.field(len, 0, format_args!("IP fragment"), format_args!("{}", Bytes(len)))?;
            out.rest(0, format_args!("rest of the packet"))?;
            Ok(Where::Parted)
        }
        _ => {
            out.rest(0, format_args!("payload"))?;
            Ok(Where::Unknown)
        }
    }
}

/// Explains the bytes of the message, which come next.
pub(super) fn body(out: &mut Out<'_, '_>, message: &Message<'_>) -> Explained {
    let (len, dialect) = (message.bytes.len(), message.dialect);
    let end = out.at().saturating_add(len);
    match &message.content {
        Content::Value(_) => value::one(out, dialect.into(), end, 0, format_args!("value")),
        Content::Packet(Multiplayer::PeerAdded { .. } | Multiplayer::PeerRemoved { .. })
            if Protocol::of(dialect) != Protocol::Godot4 =>
        {
            own(out, message)
        }
        Content::Debugger(command) => debugger(out, command, end, dialect.into()),
        Content::Packet(_) => {
            let read = (Protocol::of(dialect), dialect.into());
            packet::one(out, read, message.context(), len)
        }
    }
}

/// Explains a message of the remote debugger, which ends before `end`.
fn debugger(
    out: &mut Out<'_, '_>,
    command: &Command<'_>,
    end: usize,
    options: ReadOptions,
) -> Explained {
    let Some([name, arguments]) = command.frames else {
        return value::one(out, options, end, 0, format_args!("debugger's message"));
    };
    let start = out.at();
    value::one(out, options, start.saturating_add(name), 0, format_args!("command"))?;
    frame(out, options, start.saturating_add(arguments), format_args!("number of arguments"))?;
    for (place, (_, len)) in command.arguments.with_lengths().enumerate() {
        let rest = end.saturating_sub(out.at());
        if out.is_spent() || place >= out.items {
            let name = format_args!("more arguments");
            return out.field(rest, 0, name, format_args!("{}", Bytes(rest)));
        }
        let end = out.at().saturating_add(len);
        frame(out, options, end, format_args!("argument {place}"))?;
    }
    Ok(())
}

/// Explains a frame with a value, which ends before `end`.
fn frame(
    out: &mut Out<'_, '_>,
    options: ReadOptions,
    end: usize,
    name: fmt::Arguments<'_>,
) -> Explained {
    let len = end.saturating_sub(out.at()).saturating_sub(LENGTH);
    out.field(LENGTH, 0, format_args!("length"), format_args!("{}", Bytes(len)))?;
    value::one(out, options, end, 0, name)
}

/// The length before a message over TCP: that of its first frame.
pub(super) fn first_length(message: &Message<'_>) -> usize {
    match &message.content {
        Content::Debugger(Command { frames: Some([name, _]), .. }) => *name,
        _ => message.bytes.len(),
    }
}

/// Explains a message of Godot 3's multiplayer peers themselves.
fn own(out: &mut Out<'_, '_>, message: &Message<'_>) -> Explained {
    let Content::Packet(own) = &message.content else { return Ok(()) };
    let name = own.command();
    match message.origin.transport {
        Transport::WebSocket => stream::peer_header(out, format_args!("{name}"))?,
        _ => out.field(4, 0, format_args!("system message"), format_args!("{name}"))?,
    }
    if let Multiplayer::PeerAdded { peer } | Multiplayer::PeerRemoved { peer } = own {
        out.field(4, 0, format_args!("peer"), format_args!("{peer}"))?;
    }
    Ok(())
}

/// Why a message is explained apart from its packets.
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
            Where::Parted | Where::Masked if first < last => {
                write!(f, ", put together from frames {first} to {last}")?;
            }
            Where::Parted | Where::Masked => f.write_str(", put together from parts")?,
        }
        f.write_str(if self.found == Where::Masked { ", without the mask" } else { "" })
    }
}
