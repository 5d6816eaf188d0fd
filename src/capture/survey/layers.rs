//! What is in the messages of a flow: values, or the packets of the high-level multiplayer API.

use crate::capture::{Options, Transport};
use crate::detect::{Detection, Detector};
use crate::dialect::Dialect;
use crate::multiplayer::{self, Form, Packet, Protocol};
use crate::net::enet;
use crate::net::websocket::godot::{PeerMessage, PeerMessageKind};
use crate::parse::parse;
use crate::view::VariantRef;

/// What is in front of the values of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(in crate::capture) struct Layers {
    /// Whether Godot 3's multiplayer peers put who sends and who receives in front.
    pub(in crate::capture) has_peers: bool,
    /// Whether the messages are packets of the high-level multiplayer API.
    pub(in crate::capture) is_multiplayer: bool,
}

/// The messages that were looked at, read in each way that is possible.
#[derive(Default)]
pub(super) struct Looks {
    bare: Detector,
    // Most flows are not of a kind that has these.
    behind_peers: Option<Box<Detector>>,
    packets: Option<Box<Detector>>,
    /// The client's id, if its connection was seen to be opened.
    client: Option<u32>,
    /// How many of the messages only Godot 3's multiplayer peers send.
    peers: u32,
    /// How many are no values, but raw bytes to Godot 4 or behind Godot 3's multiplayer peers.
    raw: Raw,
}

#[derive(Clone, Copy, Default)]
struct Raw {
    godot4: u32,
    others: u32,
    /// Whether one of the others says that it is from or for the server.
    is_addressed: bool,
}

/// What engines put in front of raw bytes.
const GODOT_4_RAW: Option<u8> = Some(3);
const RAW: Option<u8> = Some(4);

impl Looks {
    pub(super) fn heap_bytes(&self) -> usize {
        let boxes = [&self.behind_peers, &self.packets].into_iter().flatten();
        boxes.map(|detector| size_of_val(&**detector)).fold(0, usize::saturating_add)
    }

    pub(super) fn messages(&self) -> u32 {
        self.bare.payloads()
    }

    /// How many of the messages are values from their first byte to the last.
    pub(super) fn values(&self, options: &Options<'_>) -> u32 {
        self.bare.detection_among(|it| options.admits_dialect(it)).payloads_read()
    }

    /// A client has named its id.
    pub(super) fn connected(&mut self, client: u32) {
        self.client = Some(client);
    }

    /// Looks at a message that its sender says is text: no packet of the engines' is.
    pub(super) fn text(&mut self, message: &[u8]) {
        self.bare.payload(message);
    }

    /// Looks at a message; `channel` is ENet's.
    pub(super) fn message(&mut self, transport: Transport, channel: u8, message: &[u8]) {
        self.bare.payload(message);
        // On ENet's first channel Godot 3 has the peers' own business: nothing follows from it.
        let behind_peers = match transport {
            Transport::Enet if channel > 0 => enet::godot::PeerHeader::split(message)
                .map(|(header, rest)| (header.source == 1 || header.target == 1, rest)),
            Transport::Enet => None,
            Transport::WebSocket => match PeerMessage::read(message) {
                Some(PeerMessage { kind: PeerMessageKind::Data(data), source, target }) => {
                    Some((source == 1 || target == 1, data))
                }
                _ => None,
            },
            Transport::Udp | Transport::Tcp => return,
        };
        let (is_addressed, behind_peers) = behind_peers.unzip();
        if let Some(rest) = behind_peers {
            self.behind_peers.get_or_insert_default().payload(rest);
        }
        let is_of_peers = self.is_of_peers(transport, channel, message);
        self.peers = self.peers.saturating_add(u32::from(is_of_peers));
        self.packets.get_or_insert_default().with_values(message, |dialect, found| {
            let packet = match Protocol::of(dialect) {
                Protocol::Godot4 => Some(message),
                _ => behind_peers,
            };
            packet.is_some_and(|packet| look_at_packet(dialect, packet, found))
        });
        let first = message.first().copied();
        let is_raw = behind_peers.is_some_and(|packet| packet.first().copied() == RAW);
        if (first == GODOT_4_RAW || is_raw) && !is_value(message) {
            self.raw.godot4 = self.raw.godot4.saturating_add(u32::from(first == GODOT_4_RAW));
            self.raw.others = self.raw.others.saturating_add(u32::from(is_raw));
            self.raw.is_addressed |= is_raw && is_addressed == Some(true);
        }
    }

    /// Whether a message is one of the peers' own, or names the client as its sender or receiver.
    fn is_of_peers(&self, transport: Transport, channel: u8, message: &[u8]) -> bool {
        use enet::godot::{PeerHeader, SYSTEM_CHANNEL, SystemMessage};
        match transport {
            Transport::Enet if channel == SYSTEM_CHANNEL => match SystemMessage::parse(message) {
                // The server's own id, 1, is never told.
                Some(
                    SystemMessage::PeerAdded { peer: id } | SystemMessage::PeerRemoved { peer: id },
                ) => id > 1,
                None => false,
            },
            Transport::Enet => PeerHeader::split(message).is_some_and(|(header, _)| {
                let client = self.client.filter(|id| *id > 1);
                client == Some(header.source)
                    || header.source == 1 && client == Some(header.target.cast_unsigned())
            }),
            Transport::WebSocket => match PeerMessage::read(message) {
                Some(PeerMessage { kind, source: 1, .. }) => match kind {
                    PeerMessageKind::Add(id)
                    | PeerMessageKind::Remove(id)
                    | PeerMessageKind::Id(id) => id > 1 && message.len() == PEER_MESSAGE,
                    PeerMessageKind::Data(_) => false,
                },
                _ => false,
            },
            Transport::Udp | Transport::Tcp => false,
        }
    }

    /// What most of the messages can be read as, and how many of them.
    pub(super) fn decide(self, options: &Options<'_>) -> (Layers, Detection, u32) {
        let is_godot4 = |dialect| Protocol::of(dialect) == Protocol::Godot4;
        let admits = |dialect| options.admits_dialect(dialect);
        let bare = self.bare.detection_among(admits);
        let behind_peers = self.behind_peers.unwrap_or_default();
        let behind_peers = behind_peers.detection_among(|it| admits(it) && !is_godot4(it));
        let all_packets = self.packets.unwrap_or_default();
        let mut packets = all_packets.detection_among(admits);
        if is_godot4(packets.dialect()) {
            // Raw bytes may say anything.
            let others = all_packets.detection_among(|it| admits(it) && !is_godot4(it));
            let read = others.payloads_read().saturating_add(self.peers);
            if (self.peers > 0 || self.raw.is_addressed) && read >= packets.payloads_read() {
                packets = others;
            }
        }
        let has_peers = !is_godot4(packets.dialect());
        let read = |layers: Layers, detection: &Detection| {
            let Raw { godot4, others, is_addressed } = self.raw;
            let (peers, raw) = if layers.has_peers { (self.peers, others) } else { (0, godot4) };
            let read = detection.payloads_read().saturating_add(peers);
            // Any bytes may be raw ones: alone they tell nothing.
            let is_raw = layers.is_multiplayer && (read > 0 || layers.has_peers && is_addressed);
            if is_raw { read.saturating_add(raw) } else { read }
        };
        // Some messages of any protocol can be read so by chance.
        let is_mostly = |read: u32| read.saturating_mul(2) >= self.bare.payloads();
        // What is no more than a chance for the simpler reading is none for the other ones.
        let mut best = (Layers::default(), bare);
        for other in [
            (Layers { has_peers: true, is_multiplayer: false }, behind_peers),
            (Layers { has_peers, is_multiplayer: true }, packets),
        ] {
            let count = read(other.0, &other.1);
            if count > read(best.0, &best.1) && is_mostly(count) {
                best = other;
            }
        }
        let count = read(best.0, &best.1);
        (best.0, best.1, count)
    }
}

/// How long a message of the peers' own is over WebSocket: its kind, two ends and an id.
const PEER_MESSAGE: usize = 13;

/// Whether bytes are a value in any dialect.
pub(super) fn is_value(bytes: &[u8]) -> bool {
    Dialect::ALL.iter().any(|dialect| {
        parse(*dialect, bytes).is_ok() || parse(dialect.with_double_reals(), bytes).is_ok()
    })
}

fn look_at_packet(dialect: Dialect, packet: &[u8], found: &mut dyn FnMut(VariantRef<'_>)) -> bool {
    let Ok(packet) = multiplayer::parse(Protocol::of(dialect), dialect, packet) else {
        return false;
    };
    match packet {
        // Any bytes may be raw ones, but not any are a value.
        Packet::Raw(raw) => return raw.as_value().map(found).is_some(),
        packet => packet.each_argument(&mut |argument| {
            if let Form::Value(value) = argument.form() {
                found(value);
            }
        }),
    }
    true
}
