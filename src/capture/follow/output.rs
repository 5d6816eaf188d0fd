//! Decodes what a transport delivers, puts the frames of the remote debugger together, and adds the
//! events to the queue.

use super::{
    Carried, Cause, Decoding, Delivery, Layers, OfPeers, Origin, PeerContent, PeerNotice, Peers,
    Place, Queue, QueuedKind, QueuedMessage, Reason, Sent, Summary, TakeCarried, TransportMessage,
    given_id,
};
use crate::game::debugger::{self, LENGTH, MOST_ARGUMENTS, begins_message, may_be_of_editor};
use crate::game::multiplayer::PeerId;
use crate::net::{Side, Tag};
use crate::value::{Dialect, parse};

/// The client of a connection: its end, and its id as a multiplayer peer.
#[derive(Clone, Copy)]
pub struct Client {
    side: Side,
    id: PeerId,
}

/// Receives what a connection carries, once its transport and engine are known.
pub struct Output<'c> {
    pub summary: &'c mut Summary,
    pub decoding: Decoding,
    pub client: &'c mut Option<Client>,
    pub debugger: &'c mut DebuggerFrames,
    pub queue: &'c mut Queue,
}

impl TakeCarried for Output<'_> {
    #[inline(always)]
    fn message(&mut self, Sent { from, place, .. }: Sent, message: TransportMessage<&[u8]>) {
        if self.decoding.layers == Layers::default() && !message.delivery.is_text {
            self.summary.direction_mut(from).add_message(message.bytes.len());
            self.push_message(from, place, &message, self.peers(from), None);
        } else {
            self.take_any(from, place, Carried::Message(message));
        }
    }

    fn other(&mut self, Sent { from, place, .. }: Sent, carried: Carried<'_>) {
        self.take_any(from, place, carried);
    }
}

impl Output<'_> {
    pub fn take(&mut self, from: Side, place: Place, carried: Carried<'_>) {
        match carried {
            Carried::Message(message) => self.message(self.sent(from, place), message),
            carried => self.take_any(from, place, carried),
        }
    }

    /// The origin of something that the connection carries.
    pub const fn sent(&self, from: Side, place: Place) -> Sent {
        Sent { transport: self.decoding.transport, from, place }
    }

    /// Like [`take`](Output::take), for what is not simply a value.
    #[inline(never)]
    fn take_any(&mut self, from: Side, place: Place, carried: Carried<'_>) {
        match carried {
            Carried::Message(message) if self.decoding.layers.is_debugger => {
                self.with_debugger(from, |debugger, dialect, give| {
                    debugger.take(from, place, &message, dialect, give);
                });
            }
            Carried::Message(message) => self.layered_message(from, place, &message),
            carried => self.take_other(from, place, carried),
        }
    }

    fn take_other(&mut self, from: Side, place: Place, carried: Carried<'_>) {
        match carried {
            Carried::Message(_) | Carried::Upgraded | Carried::Disconnected => {}
            Carried::Client(id, connect_id) => {
                self.summary.has_start = true;
                self.summary.connect_id = Some(connect_id);
                self.summary.client = Some(from);
                // The engine sends an id above 1. In a mesh, the game opens the connections, without an id.
                *self.client = (id > PeerId::SERVER).then_some(Client { side: from, id });
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
                self.push(from, place, QueuedKind::Lost { cause, after, is_after_cut });
            }
            Carried::Cut { missing, .. } if self.decoding.is_sure => {
                self.push(from, place, QueuedKind::lost(Cause::Cut { missing }));
            }
            Carried::Cut { bytes, .. } => self.other(from, place, bytes, Reason::Cut),
            Carried::Other(bytes, reason) => {
                if matches!(reason, Reason::Compressed(_)) {
                    self.summary.direction_mut(from).add_message(bytes.len());
                }
                self.other(from, place, bytes, reason);
            }
        }
    }

    /// Delivers the frames of an end that wait for the rest of their message, which will not
    /// arrive.
    pub fn finish_debugger(&mut self, from: Side) {
        let (count, bytes) = self.debugger.size(from);
        self.queue.make_room(count, bytes);
        self.with_debugger(from, |debugger, _, give| debugger.flush(from, give));
    }

    /// Runs `work` with the debugger's state, and with a function that takes the messages.
    fn with_debugger(
        &mut self,
        from: Side,
        work: impl FnOnce(&mut DebuggerFrames, Dialect, Give<'_>),
    ) {
        let Output { summary, decoding, client, debugger, queue } = self;
        let (decoding, mut none) = (*decoding, DebuggerFrames::new(0));
        work(debugger, decoding.dialect, &mut |place, message, is_debugger| {
            let layers = Layers { is_debugger, ..decoding.layers };
            let decoding = Decoding { layers, ..decoding };
            let mut output = Output { summary, decoding, client, debugger: &mut none, queue };
            output.layered_message(from, place, message);
        });
    }

    /// Takes a message that may have layers beneath its value.
    fn layered_message(&mut self, from: Side, place: Place, message: &TransportMessage<&[u8]>) {
        let transport = self.decoding.transport;
        // The engines never mark packets as text, but a game may send a value as text.
        if message.delivery.is_text {
            self.summary.direction_mut(from).add_message(message.bytes.len());
            let decoding = Decoding { layers: Layers::default(), ..self.decoding };
            let Output { summary, client, debugger, queue, .. } = self;
            let mut output = Output { summary, decoding, client, debugger, queue };
            return output.push_message(from, place, message, Peers::default(), None);
        }
        if self.decoding.layers.has_peers
            && let Some(of_peers) = OfPeers::read(transport, message)
        {
            return self.of_peers(from, place, message, &of_peers);
        }
        // The first message of Godot 4's server is the client's id, which is never 1.
        let is_first = self.summary.direction(from).messages == 0;
        if !self.decoding.layers.has_peers
            && self.summary.client != Some(from)
            && is_first
            && let Some(id) = given_id(transport, message.bytes)
            && id > PeerId::SERVER
        {
            return self.peer_id(from, place, message.bytes, id);
        }
        self.summary.direction_mut(from).add_message(message.bytes.len());
        self.push_message(from, place, message, self.peers(from), None);
    }

    /// Takes a message of multiplayer peers, which precede it with the ids of its sender and
    /// receiver.
    fn of_peers(
        &mut self,
        from: Side,
        place: Place,
        message: &TransportMessage<&[u8]>,
        of_peers: &OfPeers<'_>,
    ) {
        let OfPeers { source, target, ref content } = *of_peers;
        if source == Some(PeerId::SERVER) {
            self.summary.client.get_or_insert(from.other());
        }
        let (bytes, own) = match *content {
            PeerContent::Data(data) => (data, None),
            PeerContent::Added(peer) => (message.bytes, Some(PeerNotice::Added(peer))),
            PeerContent::Removed(peer) => (message.bytes, Some(PeerNotice::Removed(peer))),
            PeerContent::Id(peer) => return self.peer_id(from, place, message.bytes, peer),
            PeerContent::Unknown => (message.bytes, None),
        };
        self.summary.direction_mut(from).add_message(bytes.len());
        let ends = if source.is_some() { Peers { source, target } } else { self.peers(from) };
        let mut delivery = message.delivery;
        // In a stream, the offset is that of the message's first frame.
        if !self.decoding.transport.is_over_tcp() {
            delivery.offset += message.bytes.len().saturating_sub(bytes.len()) as u64;
        }
        self.push_message(from, place, &TransportMessage { bytes, delivery }, ends, own);
    }

    /// Adds a message whose bytes are those that the engine reads.
    #[inline(always)]
    fn push_message(
        &mut self,
        from: Side,
        place: Place,
        message: &TransportMessage<&[u8]>,
        peers: Peers,
        own: Option<PeerNotice>,
    ) {
        let TransportMessage { bytes, delivery } = *message;
        let bytes = self.queue.keep(bytes);
        let Output { summary, decoding, queue, .. } = self;
        queue.push_message(|| QueuedMessage {
            origin: Output::origin(summary, decoding, from),
            place,
            bytes,
            delivery,
            peers,
            decoding: *decoding,
            own,
        });
    }

    #[inline(always)]
    const fn origin(summary: &Summary, decoding: &Decoding, from: Side) -> Origin {
        let Summary { connection, flow, client, .. } = *summary;
        Origin { connection, flow, from, transport: decoding.transport, client }
    }

    fn push(&mut self, from: Side, place: Place, what: QueuedKind) {
        self.queue.push_of(place, Some(Output::origin(self.summary, &self.decoding, from)), what);
    }

    fn other(&mut self, from: Side, place: Place, bytes: &[u8], reason: Reason) {
        let bytes = self.queue.keep(bytes);
        self.push(from, place, QueuedKind::Other(bytes, reason));
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

    /// Notes the peer id that a server tells a client.
    fn peer_id(&mut self, from: Side, place: Place, payload: &[u8], id: PeerId) {
        self.summary.has_start = true;
        self.summary.client = Some(from.other());
        *self.client = Some(Client { side: from.other(), id });
        self.other(from, place, payload, Reason::PeerId(id));
    }
}

/// How many bytes of memory are kept for the next message.
const KEPT: usize = 64 << 10;

/// Takes a message: its packet, its content, and whether it is a message of the debugger.
pub type Give<'g> = &'g mut dyn FnMut(Place, &TransportMessage<&[u8]>, bool);

/// In both directions, the frames that wait for the rest of their message.
pub struct DebuggerFrames {
    /// How many bytes may wait in a direction.
    limit: usize,
    directions: Option<Box<[IncompleteMessage; 2]>>,
}

/// The frames of a message that is not complete yet. `bytes` is a part of the stream: the frames,
/// and the lengths between them.
#[derive(Default)]
struct IncompleteMessage {
    bytes: Vec<u8>,
    frames: Vec<DebuggerFrame>,
    /// How many arguments are missing, once that is known.
    missing: Option<i64>,
    /// Whether the last message was complete, so that the next frame is a command.
    is_in_step: bool,
    /// Whether the sender is a game that sends messages in frames. If it is not, whether it is an editor.
    is_game: bool,
    is_editor: bool,
}

struct DebuggerFrame {
    place: Place,
    delivery: Delivery,
    len: usize,
}

impl DebuggerFrames {
    pub const fn new(limit: usize) -> DebuggerFrames {
        DebuggerFrames { limit, directions: None }
    }

    /// Takes the next frame, and delivers the messages that are complete now. Frames that are no
    /// part of a message are delivered as they are.
    pub fn take(
        &mut self,
        from: Side,
        place: Place,
        frame: &TransportMessage<&[u8]>,
        dialect: Dialect,
        give: Give<'_>,
    ) {
        let limit = self.limit;
        let directions = self.directions.get_or_insert_default();
        side(directions, from).take(place, frame, dialect, limit, give);
    }

    /// Delivers the frames of a message that will not be completed: some bytes of the stream are lost.
    pub fn flush(&mut self, from: Side, give: Give<'_>) {
        if let Some(directions) = &mut self.directions {
            side(directions, from).flush(give);
        }
    }

    /// How many frames of an end wait, and how many bytes they have.
    pub fn size(&self, from: Side) -> (usize, usize) {
        let waiting = self.directions.as_deref().map(|[first, second]| from.of(first, second));
        waiting.map_or((0, 0), |it| (it.frames.len(), it.bytes.len()))
    }

    pub fn heap_bytes(&self) -> usize {
        let Some(directions) = self.directions.as_deref() else { return 0 };
        directions
            .iter()
            .map(IncompleteMessage::heap_bytes)
            .fold(size_of_val(directions), usize::saturating_add)
    }
}

const fn side(directions: &mut [IncompleteMessage; 2], from: Side) -> &mut IncompleteMessage {
    let [first, second] = directions;
    from.of_mut(first, second)
}

impl IncompleteMessage {
    fn take(
        &mut self,
        place: Place,
        frame: &TransportMessage<&[u8]>,
        dialect: Dialect,
        limit: usize,
        give: Give<'_>,
    ) {
        let value = parse(dialect, frame.bytes).ok();
        if !self.frames.is_empty() && frame.delivery.offset == self.next_offset() {
            let missing = match (self.missing, value) {
                (Some(missing), Some(_)) => Some(missing.saturating_sub(1)),
                (None, Some(count)) => {
                    count.as_i64().filter(|count| (0..=MOST_ARGUMENTS).contains(count))
                }
                (_, None) => None,
            };
            if missing.is_some() && self.has_room(frame, limit) {
                self.missing = missing;
                self.push(place, frame);
                if missing == Some(0) {
                    self.give_message(give);
                }
                return;
            }
        }
        if !self.frames.is_empty() {
            self.flush(give);
        }
        let is_command = |name: &str| self.is_in_step || begins_message(name);
        if value.and_then(|value| value.as_str()).is_some_and(is_command)
            && self.has_room(frame, limit)
        {
            return self.push(place, frame);
        }
        let is_message = !self.is_game && self.is_message(frame.bytes, dialect);
        self.is_in_step = false;
        give(place, frame, is_message);
    }

    /// Whether a frame is a whole message. In Godot 3, only editors send a message in one frame: an
    /// array that a game sends may be an argument of a message whose beginning is not in the
    /// capture.
    fn is_message(&mut self, frame: &[u8], dialect: Dialect) -> bool {
        let Some(command) = debugger::parse(dialect, frame) else { return false };
        if dialect.engine().has_debugger_arrays() {
            return true;
        }
        self.is_editor |= may_be_of_editor(command.name);
        self.is_editor
    }

    /// The offset in the stream of the frame after the last one.
    fn next_offset(&self) -> u64 {
        let last = self.frames.last();
        last.map_or(0, |it| it.delivery.offset.saturating_add((it.len + LENGTH) as u64))
    }

    fn has_room(&self, frame: &TransportMessage<&[u8]>, limit: usize) -> bool {
        let frames = self.frames.len().saturating_add(1).saturating_mul(size_of::<DebuggerFrame>());
        let bytes = self.bytes.len().saturating_add(frame.bytes.len()).saturating_add(LENGTH);
        frames.saturating_add(bytes) <= limit
    }

    fn push(&mut self, place: Place, frame: &TransportMessage<&[u8]>) {
        let TransportMessage { bytes, delivery } = *frame;
        let len = bytes.len();
        if !self.frames.is_empty() {
            let length = u32::try_from(len).unwrap_or(u32::MAX);
            self.bytes.extend_from_slice(&length.to_le_bytes());
        }
        self.bytes.extend_from_slice(bytes);
        self.frames.push(DebuggerFrame { place, delivery, len });
    }

    /// Delivers the message, which is complete.
    fn give_message(&mut self, give: Give<'_>) {
        if let Some(&DebuggerFrame { delivery, .. }) = self.frames.first()
            && let Some(place) = self.frames.iter().map(|frame| frame.place).reduce(Tag::join)
        {
            give(place, &TransportMessage { bytes: &self.bytes, delivery }, true);
        }
        self.clear();
        (self.is_in_step, self.is_game) = (true, true);
    }

    /// Delivers the frames as they are. The next frame may be any part of a message.
    fn flush(&mut self, give: Give<'_>) {
        self.is_in_step = false;
        let mut start = 0_usize;
        for &DebuggerFrame { place, delivery, len } in &self.frames {
            let end = start.saturating_add(len);
            let bytes = self.bytes.get(start..end).unwrap_or(&[]);
            give(place, &TransportMessage { bytes, delivery }, false);
            start = end.saturating_add(LENGTH);
        }
        self.clear();
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.frames.clear();
        self.bytes.shrink_to(KEPT);
        self.frames.shrink_to(KEPT / size_of::<DebuggerFrame>());
        self.missing = None;
    }

    fn heap_bytes(&self) -> usize {
        let frames = self.frames.capacity().saturating_mul(size_of::<DebuggerFrame>());
        self.bytes.capacity().saturating_add(frames)
    }
}
