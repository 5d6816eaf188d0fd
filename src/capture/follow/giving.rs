//! Returns the events in the queue, and notes the names that they announce.

use super::{
    Batch, Cause, Content, Delivery, Event, Follower, Message, Options, Origin, Peers, QueuedEvent,
    QueuedKind, QueuedMessage, QueuedOther,
};
use crate::game::multiplayer::{self, Context, Evidence, Paths, SendMode, Sending};
use crate::net::peer::{PeerEnd, PeerId};
use crate::net::{Side, enet};
use std::sync::Arc;

/// Whether a packet shows something about the names of the project that is not known yet.
fn shows_more(packet: &multiplayer::Packet<'_>, context: Context<'_>) -> bool {
    packet.has_evidence(context) || packet.is_clue(context)
}

impl Follower<'_> {
    /// The index of the next event in the queue.
    #[inline]
    pub(crate) fn next_entry(&mut self, packet: &[u8]) -> Option<usize> {
        if let Some(given) = self.given.take() {
            self.note_given(packet, given);
        }
        loop {
            if let Some(next) = self.queue.next() {
                return Some(next);
            }
            self.queue.end();
            self.forget_closed();
            if !self.continue_to_finish() {
                return None;
            }
        }
    }

    /// Reads an event of the queue. `packet` is the packet that was pushed last.
    #[inline]
    pub(crate) fn lend<'e>(&'e self, packet: &'e [u8], next: usize) -> Option<Event<'e>> {
        match self.queue.event(next)? {
            QueuedEvent::Message(message) => {
                let bytes = self.queue.lend(packet, message.bytes);
                if message.is_value() {
                    return message.read_value(bytes);
                }
                Some(self.lend_named(message, next, bytes))
            }
            QueuedEvent::Other(other) => Some(self.lend_other(packet, other)),
        }
    }

    #[inline(never)]
    fn lend_other<'e>(&'e self, packet: &'e [u8], other: &'e QueuedOther) -> Event<'e> {
        other.read(other.bytes().map_or(&[], |bytes| self.queue.lend(packet, bytes)))
    }

    /// Reads a message that may be something else than a value, and remembers it if names are to be
    /// noted from it.
    #[inline(never)]
    fn lend_named<'e>(
        &'e self,
        message: &'e QueuedMessage,
        next: usize,
        bytes: &'e [u8],
    ) -> Event<'e> {
        let names = message.has_names().then(|| self.names_of(&message.origin)).flatten();
        let event = message.read(bytes, names);
        let has_project = self.options.names.as_ref().is_some_and(|names| names.has_project());
        if let Event::Message(message @ Message { content: Content::Packet(packet), .. }) = &event
            && (packet.is_announcement() || has_project && shows_more(packet, message.context()))
        {
            self.given.set(Some(next));
        }
        event
    }

    /// Copies an event of the queue to a batch. `packet` is the packet that was pushed last.
    pub(crate) fn copy(&self, packet: &[u8], next: usize, batch: &mut Batch) {
        match self.queue.event(next) {
            Some(QueuedEvent::Message(message)) => {
                let bytes = self.queue.lend(packet, message.bytes);
                // Only messages with names are decoded here. The reader of the batch decodes the
                // others.
                let event = message.has_names().then(|| self.lend_named(message, next, bytes));
                let read = match &event {
                    Some(Event::Message(message)) => Some(message),
                    _ => None,
                };
                batch.push(self.number, message, bytes, read);
            }
            Some(QueuedEvent::Other(other)) => {
                let bytes = other.bytes().map_or(&[][..], |bytes| self.queue.lend(packet, bytes));
                batch.push_other(other, bytes);
            }
            None => {}
        }
    }

    fn names_of(&self, origin: &Origin) -> Option<&Paths> {
        let open = self.connections.get(&origin.flow);
        if let Some(open) = open.filter(|it| it.summary.connection == origin.connection) {
            return Some(&open.names);
        }
        let mut closed = self.names.iter();
        closed.find(|(number, _)| *number == origin.connection).map(|(_, names)| names)
    }

    /// Notes the names in the event that was returned last, which has the index `given` in the queue.
    /// `packet` is the packet that was pushed last.
    fn note_given(&mut self, packet: &[u8], given: usize) {
        let Follower { queue, connections, names: closed, .. } = self;
        let Some(QueuedEvent::Message(&found)) = queue.event(given) else { return };
        let source = found.origin;
        let bytes = queue.lend(packet, found.bytes);
        let Ok(Content::Packet(packet)) = found.content(bytes) else { return };
        let (mut is_dropped, mut evidence) = (false, None);
        let mut note = |names: &mut Paths| {
            let [sender, _] = ends_of(found.peers, source.from);
            let before = names.dropped();
            let sending = sending(found.delivery, bytes.len());
            match packet {
                multiplayer::Packet::Relay(relay) => {
                    let (sender, _) = relayed(found.peers, sender, relay.peer());
                    names.note_from(sender, &relay.packet(), sending);
                }
                packet => names.note_from(sender, &packet, sending),
            }
            is_dropped = names.dropped() > before;
            evidence = names.evidence().cloned();
        };
        if let Some((_, names)) = closed.iter_mut().find(|(number, _)| *number == source.connection)
        {
            note(names);
        } else {
            connections.amend(&source.flow, |connection| {
                if connection.summary.connection == source.connection {
                    note(&mut connection.names);
                }
            });
        }
        if is_dropped && self.common.share().is_some() {
            // The position of such losses among those of other followers is not known.
            self.exceed_share();
        }
        let queue = &mut self.queue;
        if is_dropped {
            queue.push(Some(source), QueuedKind::lost(Cause::Names));
        }
        if let Some(evidence) = evidence {
            self.share(evidence);
        }
        self.keep_limits();
    }

    /// Passes the evidence about the names in one connection on to all connections.
    fn share(&mut self, evidence: Arc<Evidence>) {
        if Arc::ptr_eq(&evidence, &self.options.evidence) {
            return;
        }
        let names = self.names.iter_mut().map(|(_, names)| names);
        let open = self.connections.values_mut().map(|connection| &mut connection.names);
        names.chain(open).for_each(|names| names.set_evidence(evidence.clone()));
        self.options.evidence = evidence;
    }

    /// The evidence about the [names](crate::follow::Options::with_names) in the packets so far.
    #[must_use]
    pub fn evidence(&self) -> Arc<Evidence> {
        let open = self.connections.iter();
        let open = open.map(|(_, open)| (open.summary.connection, &open.names));
        let closed = self.names.iter().chain(&self.learned);
        let all = open.chain(closed.map(|(number, names)| (*number, names)));
        let mut learned = all.filter(|(_, names)| names.learned() > 0).peekable();
        match learned.peek() {
            Some(_) => Arc::new(self.options.evidence.with_learned(learned)),
            None => self.options.evidence.clone(),
        }
    }

    /// Forgets the names of closed connections, except what their packets have shown about nodes.
    #[inline]
    pub(super) fn forget_closed(&mut self) {
        if !self.names.is_empty() {
            self.forget_names();
        }
    }

    #[cold]
    fn forget_names(&mut self) {
        /// The number of nodes that are kept.
        const NODES: usize = 1 << 18;
        for (number, names) in self.names.drain(..) {
            let nodes = names.learned();
            if nodes > 0 && self.learned_nodes.saturating_add(nodes) <= NODES {
                self.learned_nodes += nodes;
                self.learned.push((number, names.only_learned()));
            }
        }
    }
}

/// The names that packets of the multiplayer API announce in the connection with this number.
pub fn connection_names(options: &Options<'_>, connection: u64) -> Paths {
    let (names, bytes) = options.limits.names();
    let paths = Paths::new().with_max_names(names).with_max_bytes(bytes);
    let Some(names) = &options.names else { return paths };
    let paths = paths.with_names(names.clone()).with_evidence(options.evidence.clone());
    paths.with_connection(connection)
}

/// The sender and the receiver of a message in [`Paths`].
pub fn ends_of(peers: Peers, from: Side) -> [PeerEnd; 2] {
    let [first, second] = PeerEnd::UNKNOWN;
    let unknown = |side: Side| *side.of(&first, &second);
    let source = peers.source.map_or(unknown(from), PeerEnd::from);
    let target = peers.target.filter(|target| is_one(*target));
    [source, target.map_or(unknown(from.other()), PeerEnd::from)]
}

/// Whether a receiver is a single peer.
const fn is_one(peer: PeerId) -> bool {
    peer.get() > 0
}

/// The sender and the receiver of a relayed packet.
pub fn relayed(peers: Peers, sender: PeerEnd, peer: PeerId) -> (PeerEnd, Option<PeerEnd>) {
    // In a relay from the server, the peer is the sender; in a relay from a client, the receiver.
    match peers.source {
        Some(PeerId::SERVER) => (peer.into(), peers.target.map(PeerEnd::from)),
        Some(_) => (sender, is_one(peer).then(|| peer.into())),
        // It is not known which, so the names belong to this pair of sender and peer.
        None => (sender.relayed(peer), None),
    }
}

/// How the engine sent a message over ENet, as far as its mode and channel show it. Packets on the
/// transfer channel 0 are on the first two channels of ENet: reliable ones on the first, others on
/// the second. Long unreliable messages are sent in fragments, which are all alike. ENet sends one
/// of 65,536 unreliable messages in order reliably.
pub fn sending(delivery: Delivery, len: usize) -> Sending {
    /// No shorter message is sent in fragments.
    const FRAGMENTED: usize = 500;
    let Delivery { mode, channel, .. } = delivery;
    let mode = mode.zip(channel).map(|(mode, channel)| match (mode, channel) {
        (enet::Mode::Reliable, 0) => SendMode::Reliable,
        (enet::Mode::Reliable, 1) => SendMode::Unreliable,
        (enet::Mode::Reliable, _) => SendMode::ReliableOrOrdered,
        (enet::Mode::Unreliable, _) if len < FRAGMENTED => SendMode::Ordered,
        (enet::Mode::Unreliable, _) => SendMode::Unreliable,
        (enet::Mode::Unsequenced, _) => SendMode::Unordered,
    });
    Sending { mode, channel: channel.map(|channel| channel.saturating_sub(1)) }
}
