//! Recognizes datagrams that open a new ENet connection.

use super::{Opened, Opening, Pushed};
use crate::capture::follow::place::Arrival;
use crate::net::Side;
use crate::net::enet::{self, Body, Bounds, RangeDecoder};
use crate::net::packet::Datagram;

/// Up to this many datagrams that were captured before a connect command may belong to its
/// connection.
const OVERTAKING: u64 = 16;

/// The bits of a datagram's first two bytes that are the receiver's peer id and the session number.
const PEER_AND_SESSION: u16 = 0x3fff;

/// The channel of the commands of the protocol itself.
const OWN_CHANNEL: u8 = 0xff;

/// The peer id in datagrams to a receiver that has not assigned one yet.
const UNASSIGNED: u16 = 0x0fff;

/// The commands in a datagram that show a new connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handshake {
    /// A connect command, with the connect id.
    Connect(u32),
    /// The answer to a connect command, with the same id.
    Verify(u32),
    /// The first message on a channel.
    First(u8),
    None,
}

impl Opened {
    /// Decides which connection a datagram belongs to, after `before` datagrams of the open
    /// connection. `has_channel` says whether the sender has used a channel in the open connection.
    pub(crate) fn datagram(
        &mut self,
        (arrival, before): (&Arrival, u64),
        datagram: &Datagram<'_>,
        decompressor: &mut Decompressor,
        has_channel: impl Fn(u8) -> bool,
    ) -> Opening {
        let from = arrival.from;
        let peer_and_session = peer_and_session(datagram.payload);
        if peer_and_session.is_some() && self.held.is_empty() {
            return Opening::Same;
        }
        let Some(handshake) = decompressor.handshake(datagram) else { return Opening::Same };
        let confirmed = self.held.iter().position(|held| {
            if held.arrival.from == from {
                let open = self.opener(held).last;
                let is_first = matches!(handshake, Handshake::First(it) if has_channel(it));
                return is_first || open.zip(peer_and_session).is_some_and(|(a, b)| a != b);
            }
            handshake == Handshake::Verify(held.number)
        });
        if let Some(at) = confirmed {
            let held = self.take(at);
            if let Some(held) = &held {
                self.of(held.arrival.from).number = Some(held.number);
            }
            return Opening::Other(held);
        }
        if let Handshake::Connect(id) = handshake {
            let known = self.of(from).number.or(self.of(from.other()).number);
            if known.map_or(before >= OVERTAKING, |known| known != id) {
                return self.hold(arrival, id, Pushed::Datagram(*datagram));
            }
            self.of(from).number = Some(id);
        }
        Opening::Same
    }

    /// Notes an ENet datagram of the open connection.
    pub(crate) fn note_enet(&mut self, from: Side, payload: &[u8]) {
        if let Some(peer_and_session) = peer_and_session(payload) {
            self.of(from).last = Some(peer_and_session);
        }
    }
}

/// The receiver's peer id and the session number in an ENet datagram; none if the receiver's peer
/// id is not known yet.
pub(crate) fn peer_and_session(payload: &[u8]) -> Option<u32> {
    let bits = u16::from_be_bytes(*payload.first_chunk()?) & PEER_AND_SESSION;
    (bits & UNASSIGNED != UNASSIGNED).then_some(bits.into())
}

/// Reads the commands that open connections.
#[derive(Default)]
pub(crate) struct Decompressor {
    decompressor: enet::Decompressor,
    codec: enet::Codec,
    decompressed: Vec<u8>,
}

impl Decompressor {
    /// Whether a datagram opens a connection.
    pub(crate) fn is_connect(&mut self, datagram: &Datagram<'_>) -> bool {
        peer_and_session(datagram.payload).is_none()
            && matches!(self.handshake(datagram), Some(Handshake::Connect(_)))
    }

    /// The commands of a datagram that show a new connection; none if the datagram is not ENet, or
    /// was captured only in part.
    fn handshake(&mut self, datagram: &Datagram<'_>) -> Option<Handshake> {
        if datagram.missing > 0 {
            return None;
        }
        let Decompressor { decompressor, codec, decompressed } = self;
        let bytes = datagram.payload;
        let mut bounds = Bounds { codec: *codec, work: RangeDecoder::fair_work(bytes.len()) };
        let parsed = enet::Datagram::parse_within(bytes, decompressor, decompressed, &mut bounds);
        *codec = bounds.codec;
        let datagram = parsed.ok()?;
        let handshake = datagram.commands().find_map(|command| match command.body {
            Body::Connect(connect) => Some(Handshake::Connect(connect.parameters.connect_id)),
            Body::VerifyConnect(verify) => Some(Handshake::Verify(verify.connect_id)),
            Body::SendReliable { .. } if command.sequence == 1 && command.channel < OWN_CHANNEL => {
                Some(Handshake::First(command.channel))
            }
            _ => None,
        });
        Some(handshake.unwrap_or(Handshake::None))
    }
}
