//! Decodes what a transport delivers and adds the events to the queue.

use super::carried::{Carried, Whole};
use super::choice::Choice;
use super::debugger::{Debugger, Give};
use super::event::Reason;
use super::finding::Layers;
use super::loss::Cause;
use super::peers::{self, Content, OfPeers};
use super::place::{Origin, Peers, Place};
use super::queue::{Found, Own, Queue, What};
use super::summary::Summary;
use crate::game::multiplayer::PeerId;
use crate::net::Side;
use crate::value::dialect::Dialect;

/// Which end is the client, and its id as a multiplayer peer.
#[derive(Clone, Copy)]
pub(super) struct Client {
    side: Side,
    id: PeerId,
}

/// Receives what a connection carries, once its transport and engine are known.
pub(super) struct Output<'c> {
    pub(super) summary: &'c mut Summary,
    pub(super) choice: Choice,
    pub(super) client: &'c mut Option<Client>,
    pub(super) debugger: &'c mut Debugger,
    pub(super) queue: &'c mut Queue,
}

impl Output<'_> {
    pub(super) fn take(&mut self, from: Side, place: Place, carried: Carried<'_>) {
        match carried {
            Carried::Message(message) if self.choice.layers.is_debugger => {
                self.with_debugger(from, |debugger, dialect, give| {
                    debugger.take(from, (place, &message), dialect, give);
                });
            }
            Carried::Message(message) => self.message(from, place, &message),
            Carried::Client(id) => {
                self.summary.has_start = true;
                self.summary.client = Some(from);
                *self.client = Some(Client { side: from, id });
            }
            Carried::Lost(cause, between) => {
                self.finish_debugger(from);
                self.summary.direction_mut(from).lose(&cause);
                // If the one before was sent again, it may have been captured last.
                let after = between.before.and_then(|before| {
                    let is_before = |after: &Place| after.frame < before.frame;
                    let first = (between.after != between.before).then(|| self.summary.first());
                    between.after.filter(is_before).or(first.filter(is_before))
                });
                let place = between.before.unwrap_or(place);
                let is_after_cut = self.summary.direction(from).is_cut_by(place.frame);
                let after = after.map(Box::new);
                self.push(from, place, What::Lost { cause, after, is_after_cut });
            }
            Carried::Cut { missing, .. } if self.choice.is_sure => {
                self.push(from, place, What::lost(Cause::Cut { missing }));
            }
            Carried::Cut { bytes, .. } => self.other(from, place, bytes, Reason::Cut),
            Carried::Other(bytes, reason) => {
                if matches!(reason, Reason::Compressed(_)) {
                    self.summary.direction_mut(from).add_message(bytes.len());
                }
                self.other(from, place, bytes, reason);
            }
            Carried::Upgraded | Carried::Disconnected => {}
        }
    }

    /// Delivers the frames of an end that wait for the rest of their message, which will not
    /// arrive.
    pub(super) fn finish_debugger(&mut self, from: Side) {
        let (count, bytes) = self.debugger.size(from);
        if count > 0 {
            self.queue.make_room(count, bytes);
        }
        self.with_debugger(from, |debugger, _, give| debugger.flush(from, give));
    }

    /// Runs `work` with the debugger's state, and with a function that takes the messages.
    fn with_debugger(&mut self, from: Side, work: impl FnOnce(&mut Debugger, Dialect, Give<'_>)) {
        let Output { summary, choice, client, debugger, queue } = self;
        let (choice, mut none) = (*choice, Debugger::new(0));
        work(debugger, choice.dialect, &mut |place, message, is_debugger| {
            let layers = Layers { is_debugger, ..choice.layers };
            let choice = Choice { layers, ..choice };
            let mut output = Output { summary, choice, client, debugger: &mut none, queue };
            output.message(from, place, message);
        });
    }

    fn message(&mut self, from: Side, place: Place, message: &Whole<'_>) {
        self.summary.direction_mut(from).add_message(message.bytes.len());
        let transport = self.choice.transport;
        // The engines never mark packets as text, but a game may send a value as text.
        if message.is_text {
            let found = self.found(message, message.bytes, Peers::default());
            let choice = Choice { layers: Layers::default(), ..found.choice };
            return self.push(from, place, What::Message(Found { choice, ..found }));
        }
        if self.choice.layers.has_peers
            && let Some(of_peers) = peers::split(transport, message)
        {
            return self.of_peers(from, place, message, &of_peers);
        }
        // The first message of Godot 4's server is the client's id, which is never 1.
        let Layers { is_multiplayer, has_peers, .. } = self.choice.layers;
        let is_first = self.summary.direction(from).messages == 1;
        if is_multiplayer
            && !has_peers
            && self.client.is_none()
            && is_first
            && let Some(id) = peers::given_id(transport, message.bytes)
            && id > PeerId::SERVER
        {
            return self.peer_id(from, place, message.bytes, id);
        }
        let ends = self.peers(from);
        let found = self.found(message, message.bytes, ends);
        self.push(from, place, What::Message(found));
    }

    /// Takes a message of multiplayer peers, which precede it with the ids of its sender and
    /// receiver.
    fn of_peers(&mut self, from: Side, place: Place, message: &Whole<'_>, of_peers: &OfPeers<'_>) {
        let OfPeers { source, target, ref content } = *of_peers;
        if source == Some(PeerId::SERVER) {
            self.summary.client.get_or_insert(from.other());
        }
        let (bytes, own) = match *content {
            Content::Data(data) => (data, None),
            Content::Added(peer) => (message.bytes, Some(Own::Added(peer))),
            Content::Removed(peer) => (message.bytes, Some(Own::Removed(peer))),
            Content::Id(peer) => return self.peer_id(from, place, message.bytes, peer),
            Content::Unknown => (message.bytes, None),
        };
        let ends = if source.is_some() { Peers { source, target } } else { self.peers(from) };
        let found = self.found(message, bytes, ends);
        // In a stream, the offset is that of the message's first frame.
        let skipped = match self.choice.transport.is_over_tcp() {
            true => 0,
            false => message.bytes.len().saturating_sub(bytes.len()) as u64,
        };
        let offset = found.offset.saturating_add(skipped);
        self.push(from, place, What::Message(Found { own, offset, ..found }));
    }

    #[inline]
    fn push(&mut self, from: Side, place: Place, what: What) {
        let Summary { connection, flow, client, .. } = *self.summary;
        let transport = self.choice.transport;
        self.queue.push_of(place, Some(Origin { connection, flow, from, transport, client }), what);
    }

    fn other(&mut self, from: Side, place: Place, bytes: &[u8], reason: Reason) {
        let bytes = self.queue.keep(bytes);
        self.push(from, place, What::Other(bytes, reason));
    }

    /// The sender and the receiver of a message that does not name them itself.
    fn peers(&self, from: Side) -> Peers {
        let Some(client) = *self.client else { return Peers::default() };
        let (source, target) = if client.side == from {
            (client.id, PeerId::SERVER)
        } else {
            (PeerId::SERVER, client.id)
        };
        Peers { source: Some(source), target: Some(target) }
    }

    /// A message. `bytes` are its last bytes, which the engine reads.
    #[inline]
    fn found(&mut self, message: &Whole<'_>, bytes: &[u8], peers: Peers) -> Found {
        let Whole { offset, sequence, channel, mode, .. } = *message;
        let bytes = self.queue.keep(bytes);
        Found { choice: self.choice, bytes, offset, sequence, channel, mode, peers, own: None }
    }

    /// Notes the peer id that a server tells a client.
    fn peer_id(&mut self, from: Side, place: Place, payload: &[u8], id: PeerId) {
        self.summary.has_start = true;
        self.summary.client = Some(from.other());
        *self.client = Some(Client { side: from.other(), id });
        self.other(from, place, payload, Reason::PeerId(id));
    }
}
