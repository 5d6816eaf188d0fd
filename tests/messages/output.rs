//! The messages and losses that [`Messages`] returns for packets, in a form that tests can compare.

use crate::messages::build::{Packet, pcap};
use gdwire::Dialect;
use gdwire::capture::Messages;
use gdwire::follow::{Cause, Content, Event, Message, Options, Reason, Summary, Transport};
use gdwire::net::enet::{self, LostMessage, Mode};
use gdwire::packet::Time;
use std::net::SocketAddr;

/// The sender, the receiver and the ENet channel.
pub(crate) type Lane = (SocketAddr, SocketAddr, Option<u8>);

/// A message that was returned.
#[derive(Clone, Debug)]
pub(crate) struct Returned {
    pub(crate) frame: u64,
    pub(crate) time: Option<Time>,
    pub(crate) transport: Transport,
    pub(crate) lane: Lane,
    pub(crate) mode: Option<Mode>,
    pub(crate) offset: u64,
    pub(crate) connection: u64,
    pub(crate) dialect: Dialect,
    pub(crate) is_decided: bool,
    pub(crate) bytes: Vec<u8>,
    /// Whether it is a packet of the multiplayer API.
    pub(crate) is_packet: bool,
    /// The path of the node that is called, if it is known.
    pub(crate) path: Option<String>,
}

/// A loss: the packets that it is between, its sender and its receiver.
#[derive(Clone, Debug)]
pub(crate) struct Lost {
    pub(crate) frame: u64,
    /// None if it belongs to the packet `frame`.
    pub(crate) after: Option<u64>,
    pub(crate) ends: Option<(SocketAddr, SocketAddr)>,
    pub(crate) cause: Cause,
}

impl Lost {
    /// How many unreliable messages are missing, if the loss is about these.
    pub(crate) fn unreliable(&self) -> u32 {
        match self.cause {
            Cause::Enet(LostMessage { lost: enet::Lost::Missing { mode, count }, .. })
                if mode != Mode::Reliable =>
            {
                count
            }
            _ => 0,
        }
    }
}

/// The events of a file.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) returned: Vec<Returned>,
    pub(crate) lost: Vec<Lost>,
    pub(crate) other: Vec<(u64, Reason)>,
    /// The connections, in the order in which they were closed.
    pub(crate) closed: Vec<Summary>,
}

impl Output {
    pub(crate) fn of(packets: &[Packet]) -> Output {
        Output::with(packets, Options::new())
    }

    pub(crate) fn with(packets: &[Packet], options: Options<'_>) -> Output {
        let file = pcap(packets);
        let mut output = Output::default();
        let mut messages = Messages::with_options(&file, options).unwrap();
        while let Some(event) = messages.next_event() {
            match event {
                Event::Message(message) => output.returned.push(Returned::of(&message)),
                Event::Lost(lost) => {
                    let ends = lost.origin.map(|origin| (origin.src(), origin.dst()));
                    output.lost.push(Lost {
                        frame: lost.place.frame,
                        after: lost.after.map(|after| after.frame),
                        ends,
                        cause: lost.cause,
                    });
                }
                Event::Other(other) => output.other.push((other.place.frame, other.reason)),
                Event::Opened(_) | Event::Recognized(_) => {}
                Event::Closed(summary) => output.closed.push(summary.clone()),
                other => panic!("{other:?}"),
            }
        }
        let frames =
            output.lost.iter().map(|it| it.frame).chain(output.other.iter().map(|it| it.0));
        for frame in frames.chain(output.returned.iter().map(|it| it.frame)) {
            assert!((1..=packets.len() as u64).contains(&frame), "{frame}");
        }
        output
    }
}

impl Returned {
    fn of(message: &Message<'_>) -> Returned {
        let path = match &message.content {
            Content::Packet(packet) => packet.callee(message.context()).and_then(|it| it.path),
            _ => None,
        };
        Returned {
            frame: message.place.frame,
            time: message.place.time,
            transport: message.origin.transport,
            lane: (message.origin.src(), message.origin.dst(), message.delivery.channel),
            mode: message.delivery.mode,
            offset: message.delivery.offset,
            connection: message.origin.connection,
            dialect: message.dialect,
            is_decided: message.is_decided,
            bytes: message.bytes.to_vec(),
            is_packet: matches!(message.content, Content::Packet(_)),
            path: path.map(Into::into),
        }
    }

    /// Whether it is the same message of the same recording.
    pub(crate) fn is_same(&self, other: &Returned) -> bool {
        (self.frame, self.lane, self.offset) == (other.frame, other.lane, other.offset)
    }

    /// Whether the transport keeps the message in order, even if packets are reordered.
    pub(crate) fn is_ordered(&self) -> bool {
        self.transport.is_over_tcp() || self.mode == Some(Mode::Reliable)
    }
}
