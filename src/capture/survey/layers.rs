//! What is in the messages of a flow: values, or the packets of the high-level multiplayer API.

use crate::capture::{Options, Transport};
use crate::detect::{Detection, Detector};
use crate::dialect::Dialect;
use crate::multiplayer::{self, Form, Packet, Protocol};
use crate::net::enet;
use crate::net::websocket::godot::{PeerMessage, PeerMessageKind};
use crate::view::VariantRef;

/// What is in front of the values of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
}

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

    /// Looks at a message; `channel` is ENet's.
    pub(super) fn message(&mut self, transport: Transport, channel: u8, message: &[u8]) {
        self.bare.payload(message);
        let behind_peers = match transport {
            Transport::Enet if channel > 0 => {
                enet::godot::PeerHeader::split(message).map(|(_, rest)| rest)
            }
            Transport::WebSocket => match PeerMessage::read(message) {
                Some(PeerMessage { kind: PeerMessageKind::Data(data), .. }) => Some(data),
                _ => None,
            },
            Transport::Udp | Transport::Tcp => return,
            // The peers' own business, if it is Godot 3: nothing follows from it.
            Transport::Enet => None,
        };
        if let Some(rest) = behind_peers {
            self.behind_peers.get_or_insert_default().payload(rest);
        }
        self.packets.get_or_insert_default().with_values(message, |dialect, found| {
            let packet = match Protocol::of(dialect) {
                Protocol::Godot4 => Some(message),
                _ => behind_peers,
            };
            packet.is_some_and(|packet| look_at_packet(dialect, packet, found))
        });
    }

    /// What most of the messages can be read as.
    pub(super) fn decide(self, options: &Options<'_>) -> (Layers, Detection) {
        let is_godot4 = |dialect| Protocol::of(dialect) == Protocol::Godot4;
        let admits = |dialect| options.admits_dialect(dialect);
        let bare = self.bare.detection_among(admits);
        let behind_peers = self.behind_peers.unwrap_or_default();
        let behind_peers = behind_peers.detection_among(|it| admits(it) && !is_godot4(it));
        let packets = self.packets.unwrap_or_default().detection_among(admits);
        let has_peers = !is_godot4(packets.dialect());
        // What is no more than a chance for the simpler reading is none for the other ones.
        let mut best = (Layers { has_peers: false, is_multiplayer: false }, bare);
        for other in [
            (Layers { has_peers: true, is_multiplayer: false }, behind_peers),
            (Layers { has_peers, is_multiplayer: true }, packets),
        ] {
            if other.1.payloads_read() > best.1.payloads_read() {
                best = other;
            }
        }
        best
    }
}

fn look_at_packet(dialect: Dialect, packet: &[u8], found: &mut dyn FnMut(VariantRef<'_>)) -> bool {
    let Ok(packet) = multiplayer::parse(Protocol::of(dialect), dialect, packet) else {
        return false;
    };
    match packet {
        Packet::Raw(raw) => raw.as_value().into_iter().for_each(found),
        packet => packet.each_argument(&mut |argument| {
            if let Form::Value(value) = argument.form() {
                found(value);
            }
        }),
    }
    true
}
