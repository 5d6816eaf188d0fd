//! The events of following connections: messages, losses, other traffic, damage.

use super::{Delivery, Loss, Origin, Peers, Place, Summary, ends_of, relayed, sending};
use crate::format::text::Layout;
use crate::game::debugger::DebuggerCommand;
use crate::game::multiplayer::{self, Context, Packet, Paths, PeerId};
use crate::net::packet::{Error, LinkType, Protocol};
use crate::net::{enet, websocket};
use crate::value::{Dialect, Problem, VariantRef};
use core::fmt;

/// An event on the network: see [`Events::next`](super::Events::next).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'m> {
    /// A connection is seen for the first time.
    Opened(&'m Summary),
    /// It is known now what a connection carries, or there is a best guess. The connection's
    /// messages follow. Before this event, only messages were returned that all possible dialects
    /// read alike. If the guess was wrong, this event occurs again.
    Recognized(&'m Summary),
    /// A connection is closed, and all its events were returned.
    Closed(&'m Summary),
    /// A message.
    Message(Message<'m>),
    /// A packet or message that the engines did not send, as far as the capture shows.
    Other(Other<'m>),
    /// Something that an engine sent and that is not in the capture, or cannot be read.
    Lost(Loss),
    /// The file is damaged. Nothing after the damage can be read.
    Damaged(Error),
}

/// A message.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Message<'m> {
    /// The packet that carried the last of its bytes. It is not always the packet that was read
    /// last, because the message may have waited for earlier ones.
    pub place: Place,
    /// The connection and the direction.
    pub origin: Origin,
    /// How its transport carried it: where in the datagram or stream it was, and over ENet on which
    /// channel and in which mode.
    pub delivery: Delivery,
    /// Its sender and receiver as multiplayer peers, if the connection names them.
    pub peers: Peers,
    /// The dialect of its values.
    pub dialect: Dialect,
    /// Whether the connection's messages have decided what it carries. Until then,
    /// [`Message::dialect`] is one of several that read the message alike, or the best guess after
    /// [`Limits::undecided_time`](super::Limits::undecided_time). If several dialects read all
    /// messages equally well, this stays false: the dialect is that of the other connections, or
    /// else the most common one.
    pub is_decided: bool,
    /// Its bytes, without the headers of the transport and of the multiplayer peers.
    pub bytes: &'m [u8],
    /// Its content.
    pub content: Content<'m>,
    pub(super) names: Option<&'m Paths>,
}

impl<'m> Message<'m> {
    /// Shows the message on one line: a value in [`Layout::Line`], a packet as [`Packet::display`]
    /// shows it, a message of the debugger as the `Display` of [`DebuggerCommand`].
    #[must_use]
    pub fn display(&self) -> impl fmt::Display + use<'m> {
        MessageLine(*self)
    }

    /// The names for the numbers in a multiplayer packet, as far as earlier packets or the options
    /// contain them.
    #[must_use]
    pub fn context(&self) -> Context<'m> {
        let Some(names) = self.names else { return Context::new() };
        let ends = ends_of(self.peers, self.origin.from);
        let of_relay = match self.content {
            Content::Packet(Packet::Relay(relay)) => {
                Some(relayed(self.peers, ends[0], relay.peer()))
            }
            _ => None,
        };
        let context = Context::between(names, ends, of_relay).with_relay(self.relay());
        context.with_sending(sending(self.delivery, self.bytes.len()))
    }

    /// The other client to or from which the server passes the message on, if the header with the
    /// peers shows that.
    fn relay(&self) -> Option<PeerId> {
        let (source, target) = (self.peers.source?, self.peers.target?);
        let is_from_client = self.origin.from == self.origin.client?;
        let peer = if is_from_client { target } else { source };
        (peer != PeerId::SERVER && peer.get() != 0).then_some(peer)
    }
}

/// Shows a message in one line.
struct MessageLine<'m>(Message<'m>);

impl fmt::Display for MessageLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.content {
            Content::Value(value) => value.display(Layout::Line).fmt(f),
            Content::Packet(packet) => packet.display(self.0.context()).fmt(f),
            Content::Debugger(command) => command.fmt(f),
        }
    }
}

/// The content of a message.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Content<'m> {
    /// A value, as `put_var` sends it.
    Value(VariantRef<'m>),
    /// A packet of the high-level multiplayer API.
    Packet(Packet<'m>),
    /// A message of the remote debugger. If it was sent in several frames, [`Message::bytes`] are
    /// all of them, with the lengths between them.
    Debugger(DebuggerCommand<'m>),
}

impl Content<'_> {
    /// The [command](Packet::command) of a packet, or [`DebuggerCommand::COMMAND`] for a message of the
    /// debugger; none for a value.
    #[must_use]
    pub const fn command(&self) -> Option<&'static str> {
        match self {
            Content::Value(_) => None,
            Content::Packet(packet) => Some(packet.command()),
            Content::Debugger(_) => Some(DebuggerCommand::COMMAND),
        }
    }
}

/// A packet or message that the engines did not send, as far as the capture shows.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Other<'m> {
    /// Its packet.
    pub place: Place,
    /// Its transport, sender and receiver; none if they cannot be read from the packet.
    pub origin: Option<Origin>,
    /// Its bytes, as far as they were captured.
    pub bytes: &'m [u8],
    /// Why it was not read.
    pub reason: Reason,
}

/// Why a packet or message was not read. `Display` explains it in a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The message is not a value.
    NoValue(crate::Error),
    /// The message can be read as a value, but by chance: no engine writes it like this, or few
    /// messages of the flow are values.
    Unlikely,
    /// The message is not a packet of the multiplayer API.
    NoPacket(multiplayer::Error),
    /// The datagram is not ENet, in a flow that is.
    NoEnet(enet::Error),
    /// The message over WebSocket is compressed and cannot be decompressed. The bytes are those on
    /// the wire, without the mask.
    Compressed(websocket::Compressed),
    /// The packet belongs to a TCP flow in which no message was recognized.
    UnknownStream,
    /// The packet belongs to another transport than the requested one.
    NotAskedFor,
    /// More connections are open than [`Limits::flows`](super::Limits::flows) allows, and the packet
    /// belongs to one that was given up.
    TooManyConnections,
    /// The message is the first one of a multiplayer connection over WebSocket, with which the
    /// server tells the client its peer id.
    PeerId(PeerId),
    /// Too little of the packet was captured.
    Cut,
    /// The packet's headers contradict each other.
    Malformed,
    /// The packet is neither UDP nor TCP.
    OtherProtocol(Protocol),
    /// The crate does not read link headers of the packet's type.
    UnknownLink(LinkType),
}

impl Reason {
    /// A name in words that are the same for all packets and messages with such a reason, as `gdwire
    /// stats` lists it. None if there is nothing to decode.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        Some(match self {
            Reason::NoValue(error) => match error.problem {
                Problem::UnexpectedEnd { .. } => "not a value: ends too early",
                Problem::UnknownType { .. } => "not a value: unknown type",
                Problem::InvalidUtf8 => "not a value: text is not UTF-8",
                Problem::TooLong { .. } => "not a value: impossible count or length",
                Problem::TooDeep { .. } => "not a value: nested too deeply",
                Problem::TrailingBytes { .. } => "not a value: followed by more bytes",
                _ => "not a value",
            },
            Reason::Unlikely => "not a value: reads as one by chance",
            Reason::NoPacket(_) => "not a packet of the multiplayer API",
            Reason::NoEnet(error) if error.problem == enet::Problem::UnknownCompression => {
                "an ENet datagram with an unknown compression"
            }
            Reason::NoEnet(_) => "not an ENet datagram",
            Reason::Compressed(websocket::Compressed::Unseen) => {
                "compressed, without the messages before it"
            }
            Reason::Compressed(_) => "compressed, and damaged",
            Reason::UnknownStream => "TCP of other programs",
            Reason::NotAskedFor => "not the requested transport",
            Reason::TooManyConnections => "beyond the limit on connections",
            Reason::PeerId(_) => return None,
            Reason::Cut => "captured only in part",
            Reason::Malformed => "malformed packet",
            Reason::UnknownLink(_) => "unknown link type",
            Reason::OtherProtocol(protocol) => protocol.name().unwrap_or("another protocol"),
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NoValue(error) => error.fmt(f),
            Reason::Unlikely => f.write_str("reads as a value, but most likely by chance"),
            Reason::NoPacket(error) => error.fmt(f),
            Reason::NoEnet(error) => error.fmt(f),
            Reason::Compressed(problem) => problem.fmt(f),
            Reason::UnknownStream => f.write_str("no message was recognized in this TCP flow"),
            Reason::NotAskedFor => f.write_str("the flow does not use the requested transport"),
            Reason::TooManyConnections => {
                f.write_str("more connections are open than the limit allows")
            }
            Reason::PeerId(id) => write!(f, "the server tells the client its peer id, {id}"),
            Reason::Cut => f.write_str("too little of the packet was captured"),
            Reason::Malformed => f.write_str("the packet's headers contradict each other"),
            Reason::OtherProtocol(protocol) => protocol.fmt(f),
            Reason::UnknownLink(LinkType(number)) => write!(f, "unknown link type {number}"),
        }
    }
}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { place, origin, delivery, peers, dialect, is_decided, bytes, content, .. } =
            self;
        debug_fields!(f, Message {
            place, origin, delivery, peers, dialect, is_decided,
            len = bytes.len(), content, ..
        })
    }
}

impl fmt::Debug for Other<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Other { place, origin, bytes, reason, .. } = self;
        debug_fields!(f, Other { place, origin, len = bytes.len(), reason })
    }
}
