//! The events that [`Messages`] returns for a file, kept to be compared.

use crate::common::{corpus, without_path_padding};
use gdwire::capture::Messages;
use gdwire::follow::{
    Cause, Content, Event, Flow, Loss, Options, Origin, Peers, Place, Reason, Summary, Transport,
};
use gdwire::json::Spelling;
use gdwire::multiplayer::{
    ArgumentBytes, Context, Method, Methods, Names, Packet, PeerId, write_json,
};
use gdwire::net::enet::{self, Lost, LostMessage};
use gdwire::{Dialect, encode, parse};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

pub(crate) fn recorded(name: &str) -> Vec<u8> {
    std::fs::read(corpus("captures").join(name)).unwrap()
}

/// A message that was returned.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Given {
    pub(crate) frame: u64,
    pub(crate) transport: Transport,
    pub(crate) flow: Flow,
    pub(crate) src: SocketAddr,
    pub(crate) dst: SocketAddr,
    pub(crate) offset: u64,
    pub(crate) channel: Option<u8>,
    pub(crate) mode: Option<enet::Mode>,
    pub(crate) peers: Peers,
    pub(crate) dialect: Dialect,
    pub(crate) is_decided: bool,
    pub(crate) bytes: Vec<u8>,
    /// Its content, if it is a packet of the multiplayer API.
    pub(crate) packet: Option<Contents>,
}

/// The content of a packet of the multiplayer API.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Contents {
    pub(crate) command: &'static str,
    /// The peer that a relay names, and the relayed command.
    pub(crate) relay: Option<(PeerId, &'static str)>,
    pub(crate) path: Option<String>,
    pub(crate) method: Option<String>,
    /// The arguments as `var2bytes` and `var_to_bytes` give them, with zeros for the padding in
    /// node paths.
    pub(crate) args: Vec<Vec<u8>>,
    pub(crate) json: Value,
}

/// All events of a file.
#[derive(Default)]
pub(crate) struct Reading {
    pub(crate) given: Vec<Given>,
    pub(crate) lost: Vec<(u64, Option<Origin>, Cause)>,
    pub(crate) other: Vec<(u64, Option<Origin>, Reason, usize)>,
    pub(crate) damaged: usize,
    pub(crate) closed: Vec<Summary>,
    pub(crate) most_held: usize,
}

impl Reading {
    pub(crate) fn of(file: &[u8]) -> Reading {
        Reading::with(file, Options::new())
    }

    /// A file from a network that loses and reorders datagrams.
    pub(crate) fn of_lossy(file: &[u8]) -> Reading {
        Reading::read(file, Options::new(), false)
    }

    pub(crate) fn with(file: &[u8], options: Options<'_>) -> Reading {
        Reading::read(file, options, true)
    }

    fn read(file: &[u8], options: Options<'_>, is_in_order: bool) -> Reading {
        let mut reading = Reading::default();
        let options = options.with_names(Arc::new(names()));
        let mut messages = Messages::with_options(file, options).unwrap();
        let (mut frames, mut position) = (BTreeMap::new(), 0);
        let mut losses = Vec::new();
        loop {
            reading.most_held = reading.most_held.max(messages.held_bytes());
            assert!(messages.position() >= position);
            position = messages.position();
            let Some(event) = messages.next_event() else { break };
            let (origin, place) = match &event {
                Event::Message(message) => (Some(message.origin), message.place),
                Event::Other(other) => (other.origin, other.place),
                Event::Lost(lost) => {
                    losses.push(*lost);
                    (None, lost.place)
                }
                _ => (None, Place::new(0)),
            };
            if let Some(Origin { connection, .. }) = origin {
                // The frames of a connection are in order, unless messages waited for others.
                let frame = frames.entry(connection).or_insert(0);
                assert!(!is_in_order || place.frame >= *frame);
                *frame = place.frame;
            }
            reading.take(&event);
        }
        assert_eq!(messages.position(), file.len() as u64);
        assert_eq!(messages.held_bytes(), 0);
        assert!(messages.next_event().is_none());
        for loss in losses.iter().filter(|_| is_in_order) {
            reading.has_no_message_around(loss);
        }
        reading
    }

    /// A lost message was sent between two packets, so its sender sent no other message of the same
    /// kind between these.
    fn has_no_message_around(&self, loss: &Loss) {
        let (Some(after), Some(origin)) = (loss.after, loss.origin) else { return };
        assert!(after.frame < loss.place.frame, "{loss:?}");
        let is_alike = |given: &&Given| match loss.cause {
            Cause::Enet(LostMessage { channel, lost: Lost::Missing { mode, .. }, .. }) => {
                given.mode == Some(mode) && (channel.is_none() || given.channel == channel)
            }
            _ => true,
        };
        let of_sender = |given: &&Given| (given.src, given.dst) == (origin.src(), origin.dst());
        for given in self.given.iter().filter(of_sender).filter(is_alike) {
            let is_between = after.frame < given.frame && given.frame < loss.place.frame;
            assert!(!is_between, "{loss:?} {given:?}");
        }
    }

    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Message(message) => {
                let context = message.context();
                let packet = match &message.content {
                    Content::Packet(packet) => Some(contents(message.dialect, packet, context)),
                    Content::Value(value) => {
                        assert_eq!(value.as_bytes(), message.bytes);
                        None
                    }
                    other => panic!("{other:?}"),
                };
                let origin = message.origin;
                self.given.push(Given {
                    frame: message.place.frame,
                    transport: origin.transport,
                    flow: origin.flow,
                    src: origin.src(),
                    dst: origin.dst(),
                    offset: message.delivery.offset,
                    channel: message.delivery.channel,
                    mode: message.delivery.mode,
                    peers: message.peers,
                    dialect: message.dialect,
                    is_decided: message.is_decided,
                    bytes: message.bytes.to_vec(),
                    packet,
                });
            }
            Event::Lost(lost) => {
                assert!(!lost.cause.to_string().is_empty());
                self.lost.push((lost.place.frame, lost.origin, lost.cause));
            }
            Event::Other(other) => {
                assert!(!other.reason.to_string().is_empty());
                let len = other.bytes.len();
                self.other.push((other.place.frame, other.origin, other.reason, len));
            }
            Event::Damaged(_) => self.damaged += 1,
            Event::Opened(_) | Event::Recognized(_) => {}
            Event::Closed(summary) => self.closed.push((*summary).clone()),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        let is_harmless = |reason: &Reason| matches!(reason, Reason::PeerId(_));
        self.lost.is_empty()
            && self.damaged == 0
            && self.other.iter().all(|(_, _, reason, _)| is_harmless(reason))
    }
}

pub(crate) fn canonical(dialect: Dialect, value: &[u8]) -> Vec<u8> {
    without_path_padding(parse(dialect, value).unwrap())
}

/// The methods of the nodes in the recordings.
fn names() -> Names {
    let list = "**: any any_unreliable chat emote input_frame load_chunk many move respawn \
                set_score snapshot sync_state take_hit";
    Methods::parse(list).unwrap().into()
}

fn contents(dialect: Dialect, packet: &Packet<'_>, context: Context<'_>) -> Contents {
    let callee = packet.callee(context);
    let mut args = Vec::new();
    packet.each_argument(&mut |argument| {
        args.push(canonical(dialect, &encode(dialect, &argument).unwrap()));
    });
    let relay = match packet {
        Packet::Relay(relay) => Some((relay.peer(), relay.packet().command())),
        _ => None,
    };
    let mut json = Vec::new();
    write_json(packet, context, Spelling::Native, ArgumentBytes::Hex, &mut json).unwrap();
    Contents {
        command: packet.command(),
        relay,
        path: callee.and_then(|callee| callee.path).map(Into::into),
        method: callee.and_then(|callee| match callee.method {
            Method::Name(name) => Some(name.to_string()),
            _ => None,
        }),
        args,
        json: serde_json::from_slice(&json).unwrap(),
    }
}
