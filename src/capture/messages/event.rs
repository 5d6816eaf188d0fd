//! What is in a capture.

use super::connection::{Connection, relayed};
use crate::capture::{Error, Flow, LinkType, LostPacket, Time, Transport};
use crate::dialect::Dialect;
use crate::multiplayer::{self, Context, Packet};
use crate::net::{Side, enet, tcp};
use crate::view::VariantRef;
use core::fmt;
use core::net::SocketAddr;

/// What comes next in a capture.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'m> {
    /// A message.
    Message(Message<'m>),
    /// A packet, or a message, that is not of the engines as far as can be seen.
    Other(Other<'m>),
    /// Something of the engines' that was sent and cannot be read.
    Lost(Lost),
    /// The file is damaged, and ends here.
    Damaged(Error),
}

/// The packet that something is of: of a message the one that brought the last of its bytes, of a
/// loss the one at which it was noticed. What is noticed at the end of the file has the place of
/// the last packet.
///
/// Messages are given in the order of their stream or channel. So one that had to wait for what is
/// in front of it is given later than others of packets that came after its own: behind what was
/// lost, sent again or captured in another order, frames and times go back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Place {
    /// The packet's number in the file, from 1.
    pub frame: u64,
    /// When it was captured.
    pub time: Option<Time>,
}

/// A message.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Message<'m> {
    /// The packet that brought the last of its bytes. Not always the one that was read last: it
    /// may have waited for its turn.
    pub place: Place,
    /// What carried it, and who sent it to whom.
    pub origin: Origin,
    /// Where [`Message::bytes`] start: of UDP and ENet in the datagram that [`Message::place`] is of,
    /// decompressed if it was compressed; of an ENet message in fragments, where that datagram's
    /// part of it starts; of TCP in the stream, counted from the first byte that was seen. Of WebSocket
    /// it is where the message's first frame starts in the stream.
    pub offset: u64,
    /// ENet's channel.
    pub channel: Option<u8>,
    /// How it was sent over ENet.
    pub mode: Option<enet::Mode>,
    /// Between whom, if the multiplayer peers have told.
    pub peers: Peers,
    /// How its values are written.
    pub dialect: Dialect,
    /// Its bytes, without what the transport and the multiplayer peers put in front.
    pub bytes: &'m [u8],
    /// What it says.
    pub content: Content<'m>,
    pub(super) connection: Option<&'m Connection>,
}

impl<'m> Message<'m> {
    /// The names for the numbers in a multiplayer packet, as far as the capture has shown them.
    #[must_use]
    pub fn context(&self) -> Context<'m> {
        let Some(connection) = self.connection else { return Context::new() };
        let (sender, receiver) = connection.ends(self.peers, self.origin.from);
        let context = Context::new().with_paths(&connection.paths, sender).with_receiver(receiver);
        let Content::Packet(Packet::Relay(relay)) = self.content else { return context };
        let (sender, receiver) = relayed(self.peers, sender, relay.peer());
        context.with_relayed(sender, receiver)
    }
}

/// What a message says.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Content<'m> {
    /// A value: `put_var`.
    Value(VariantRef<'m>),
    /// A packet of the high-level multiplayer API.
    Packet(Packet<'m>),
}

/// The multiplayer peers that a message goes between. The server is 1.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Peers {
    /// Who sends it.
    pub source: Option<i32>,
    /// Who gets it: 0 is everybody, a negative one everybody but that one.
    pub target: Option<i32>,
}

/// Something that was sent and cannot be read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Lost {
    /// Where that was noticed.
    pub place: Place,
    /// What carried it, and who sent it to whom; none of an IP packet in parts.
    pub origin: Option<Origin>,
    /// What and why.
    pub loss: Loss,
}

/// What is lost, and why.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Loss {
    /// The end of a datagram was not captured.
    Cut {
        /// How many bytes.
        missing: usize,
    },
    /// A part of an IP packet.
    Fragments(LostPacket),
    /// Something of an ENet connection.
    Enet(enet::Loss),
    /// Some bytes of one direction of a TCP connection.
    Stream {
        /// Where in the stream, counted from the first byte that was seen.
        offset: u64,
        /// How many.
        bytes: u64,
        /// Why.
        why: tcp::Loss,
    },
    /// What was known of the flow, because of the limits.
    Flow,
    /// The names in the message before, for which there was no room: what names are called by will
    /// be shown as numbers.
    Names,
    /// Of what one packet gave, as much as was too much to be kept until it is asked for.
    Queue {
        /// How many messages and losses.
        count: u64,
    },
}

/// Something that is not of the engines, as far as can be seen.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Other<'m> {
    /// Where it is.
    pub place: Place,
    /// What carried it, and who sent it to whom; none if the packet does not tell.
    pub origin: Option<Origin>,
    /// Its bytes, as far as they were captured.
    pub bytes: &'m [u8],
    /// Why it was not read.
    pub reason: Reason,
}

/// Where something comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Origin {
    /// What carried it: UDP or TCP if nothing above them is known.
    pub transport: Transport,
    /// The flow it is of.
    pub flow: Flow,
    /// Which end of the flow sent it.
    pub from: Side,
}

impl Origin {
    /// Who sent it.
    #[must_use]
    pub const fn src(&self) -> SocketAddr {
        self.flow.from(self.from).0
    }

    /// To whom.
    #[must_use]
    pub const fn dst(&self) -> SocketAddr {
        self.flow.from(self.from).1
    }
}

/// Why something was not read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// A message that is no value.
    NoValue(crate::Error),
    /// A message that can be read as a value, but as one that no engine writes, between others that
    /// are none.
    Unlikely,
    /// A message that is no packet of the multiplayer API.
    NoPacket(multiplayer::Error),
    /// A datagram that is none of ENet, in a flow that is.
    NoEnet(enet::Error),
    /// A segment of a TCP flow in which nothing is a message that is known.
    UnknownStream,
    /// A packet of a transport that was not asked for.
    NotAskedFor,
    /// A packet of a flow that was forgotten, as there were too many.
    TooManyFlows,
    /// A multiplayer peer's first message, which has only its id.
    PeerId(i32),
    /// A packet of which too little was captured.
    Cut,
    /// A packet whose headers contradict themselves.
    Malformed,
    /// A packet of another protocol.
    OtherProtocol,
    /// A packet whose first header is of a type that this crate does not read.
    UnknownLink(LinkType),
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Cut { missing } => write!(f, "{missing} more bytes were not captured"),
            Loss::Fragments(packet) => packet.fmt(f),
            Loss::Enet(loss) => loss.fmt(f),
            Loss::Stream { bytes: 1, offset, why } => {
                write!(f, "1 byte at byte {offset} of the stream: {why}")
            }
            Loss::Stream { bytes, offset, why } => {
                write!(f, "{bytes} bytes at byte {offset} of the stream: {why}")
            }
            Loss::Flow => {
                f.write_str("what was kept of the flow was given up, because of the limits")
            }
            Loss::Names => f.write_str("there was no room to keep the names in a message"),
            Loss::Queue { count } => {
                write!(f, "{count} messages or losses: one packet gave too many")
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NoValue(error) => error.fmt(f),
            Reason::Unlikely => f.write_str("a value by chance, which no engine writes so"),
            Reason::NoPacket(error) => error.fmt(f),
            Reason::NoEnet(error) => error.fmt(f),
            Reason::UnknownStream => f.write_str("nothing in this TCP flow is a known message"),
            Reason::NotAskedFor => f.write_str("another transport was asked for"),
            Reason::TooManyFlows => f.write_str("there are too many flows"),
            Reason::PeerId(id) => write!(f, "only the id of a peer, {id}"),
            Reason::Cut => f.write_str("too little of it was captured"),
            Reason::Malformed => f.write_str("its headers contradict themselves"),
            Reason::OtherProtocol => f.write_str("neither UDP nor TCP"),
            Reason::UnknownLink(LinkType(number)) => write!(f, "unknown link type {number}"),
        }
    }
}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("place", &self.place)
            .field("origin", &self.origin)
            .field("offset", &self.offset)
            .field("channel", &self.channel)
            .field("mode", &self.mode)
            .field("peers", &self.peers)
            .field("dialect", &self.dialect)
            .field("len", &self.bytes.len())
            .field("content", &self.content)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Other<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Other")
            .field("place", &self.place)
            .field("origin", &self.origin)
            .field("len", &self.bytes.len())
            .field("reason", &self.reason)
            .finish()
    }
}
