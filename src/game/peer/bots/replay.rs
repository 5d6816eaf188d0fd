//! The packets that a client sent in a recorded session, for a bot that sends them again.

use crate::game::multiplayer::session::RecordedIds;
use crate::game::multiplayer::session::{RecordedPacket, Session, SessionError};
use crate::game::multiplayer::{Context, Method, MultiplayerProtocol, Packet, PeerId, parse};
use crate::game::project::TransferMode;
use crate::value::Dialect;
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

/// The packets that one client sent in a recorded session, with their times.
///
/// Note them in the order in which they were sent. [`BotOptions::with_replays`](super::BotOptions) lets
/// bots send them in a new session.
#[derive(Clone, Debug)]
pub struct Replay {
    pub(super) dialect: Dialect,
    /// When its connection was opened.
    pub(super) start: Duration,
    /// Its id in the recorded session.
    pub(super) peer: Option<PeerId>,
    pub(super) authentication: Option<Box<[u8]>>,
    packets: Vec<NotedPacket>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct NotedPacket {
    at: Duration,
    target: PeerId,
    method: Option<Box<str>>,
    sending: Option<(TransferMode, u8)>,
    bytes: Box<[u8]>,
}

/// A packet of a recording, as [`Replay::note`] takes it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NewPacket<'p> {
    /// When it was sent, since the start of the recording.
    pub at: Duration,
    /// Its receivers.
    pub target: PeerId,
    /// Its bytes, without the headers of transports and, in Godot 3, of the ids of the peers.
    pub bytes: &'p [u8],
    /// The decoded content of these bytes.
    pub packet: Packet<'p>,
    /// The names for its numbers.
    pub context: Context<'p>,
    /// How ENet carried it, and on which channel.
    pub sending: Option<(TransferMode, u8)>,
}

impl<'p> NewPacket<'p> {
    /// A packet, by its time since the start of the recording, its receivers, its bytes and their
    /// content. How it was carried is not known.
    #[must_use]
    pub const fn new(
        at: Duration,
        target: PeerId,
        bytes: &'p [u8],
        packet: Packet<'p>,
        context: Context<'p>,
    ) -> NewPacket<'p> {
        NewPacket { at, target, bytes, packet, context, sending: None }
    }

    /// The same packet, with the mode and the channel in which ENet carried it.
    #[must_use]
    pub const fn with_sending(self, mode: TransferMode, channel: u8) -> NewPacket<'p> {
        NewPacket { sending: Some((mode, channel)), ..self }
    }
}

impl Replay {
    /// The packets of a client whose connection was opened at this time, in this dialect.
    #[must_use]
    pub const fn new(dialect: Dialect, start: Duration) -> Replay {
        let packets = Vec::new();
        Replay { dialect, start, peer: None, authentication: None, packets, bytes: 0 }
    }

    /// The client had this id in the recorded session.
    pub const fn set_peer(&mut self, peer: PeerId) {
        self.peer = Some(peer);
    }

    /// The dialect of the packets, if it is another one than it seemed.
    pub const fn set_dialect(&mut self, dialect: Dialect) {
        self.dialect = dialect;
    }

    /// The dialect of the packets.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// How many packets there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// The bytes of the packets.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a packet that the client sent. Packets that each session sends on its own, such as to
    /// confirm paths, are left out.
    pub fn note(&mut self, new: &NewPacket<'_>) {
        let (packet, target, bytes) = match new.packet {
            Packet::Relay(relay) => (relay.packet(), relay.peer(), relay.as_bytes()),
            packet => (packet, new.target, new.bytes),
        };
        match packet {
            Packet::ConfirmPath(_) | Packet::PeerAdded { .. } | Packet::PeerRemoved { .. } => {
                return;
            }
            Packet::Auth(data) => {
                if !data.is_empty() {
                    self.authentication.get_or_insert_with(|| data.into());
                }
                return;
            }
            _ => {}
        }
        let method = match new.packet.callee(new.context).map(|callee| callee.method) {
            Some(Method::Name(name)) => Some(name.into()),
            _ => None,
        };
        let is_new = MultiplayerProtocol::of(self.dialect) == MultiplayerProtocol::Godot4;
        let sending = new.sending.map(|(mode, channel)| match channel {
            // The first two channels are those without a transfer channel.
            2.. if is_new => (mode, channel.saturating_sub(1)),
            _ => (mode, 0),
        });
        self.bytes = self.bytes.saturating_add(bytes.len());
        let bytes = bytes.to_owned().into();
        self.packets.push(NotedPacket { at: new.at, target, method, sending, bytes });
    }

    /// The same packets in a recording that begins later.
    pub(super) fn after(mut self, first: Duration) -> Replay {
        self.start = self.start.saturating_sub(first);
        for packet in &mut self.packets {
            packet.at = packet.at.saturating_sub(first);
        }
        self
    }

    /// When the packet at a place was sent, since its connection was opened.
    pub(super) fn time(&self, at: usize) -> Option<Duration> {
        Some(self.packets.get(at)?.at.saturating_sub(self.start))
    }

    /// The receivers of the packet at a place, in the recorded session.
    pub(super) fn target(&self, at: usize) -> Option<PeerId> {
        Some(self.packets.get(at)?.target)
    }

    /// Sends the packet at a place. Returns the packet, and whether it was sent.
    pub(super) fn send(
        &self,
        at: usize,
        session: &mut Session,
        ids: &mut RecordedIds,
    ) -> Option<(Packet<'_>, Option<&str>, Result<bool, SessionError>)> {
        let NotedPacket { target, method, sending, bytes, .. } = self.packets.get(at)?;
        // It was read before.
        let packet = parse(MultiplayerProtocol::of(self.dialect), self.dialect, bytes).ok()?;
        let method = method.as_deref();
        let mut recorded = RecordedPacket::new(packet, *target);
        (recorded.method, recorded.sending) = (method, *sending);
        Some((packet, method, session.send_recorded(ids, &recorded)))
    }
}
