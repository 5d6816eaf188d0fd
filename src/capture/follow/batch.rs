//! Batches of events that own their data, so that other threads can read them.

use super::{
    ConnectionNumbers, Content, Event, EventList, Lent, Message, QueuedEvent, QueuedMessage,
    QueuedOther,
};
use crate::game::multiplayer::Paths;
use core::fmt;
use std::collections::HashMap;

/// Events that own their data. A batch can be sent to another thread and read there.
///
/// Following connections is fast, and has to be done in order. Working with the messages takes
/// longer. So one thread can follow the connections and fill batches, and other threads can process
/// the batches. [`Messages::fill`](crate::capture::Messages::fill) fills batches from a file,
/// [`Events::fill`](super::Events::fill) from your own packets. The values in a batch are parsed by
/// the thread that reads the batch.
///
/// ```
/// use gdwire::capture::Messages;
/// use gdwire::follow::{Content, Event, Batch};
/// use std::thread;
///
/// /// What each thread does with its batch.
/// fn lines(batch: &Batch) -> Vec<String> {
///     let values = batch.iter().filter_map(|event| match event {
///         Event::Message(message) => match message.content {
///             Content::Value(value) => Some(value.to_string()),
///             Content::Packet(packet) => Some(packet.display(message.context()).to_string()),
///             _ => None,
///         },
///         _ => None,
///     });
///     values.collect()
/// }
///
/// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-tcp.pcapng"))?;
/// let mut messages = Messages::new(&file)?;
/// let count = thread::scope(|scope| {
///     let mut workers = Vec::new();
///     loop {
///         let mut batch = Batch::new(8 << 10);
///         let is_more = messages.fill(&mut batch);
///         // A program would use a pool of threads, and a queue of limited length.
///         workers.push(scope.spawn(move || lines(&batch)));
///         if !is_more {
///             break;
///         }
///     }
///     // In the order in which the batches were filled, the lines are in the order of the events.
///     workers.into_iter().map(|worker| worker.join().map_or(0, |lines| lines.len())).sum::<usize>()
/// });
/// assert_eq!(count, 72);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The events of a batch are those that [`Events::next`](super::Events::next) returns, with one
/// difference: the [context](Message::context) of a message has only the names that its own packet
/// refers to.
pub struct Batch {
    /// The size at which the batch is full, in bytes.
    limit: usize,
    events: EventList,
    /// For each event, the index of the names that its message refers to.
    indexes: Vec<Option<usize>>,
    bytes: Vec<u8>,
    names: Vec<Paths>,
    /// How many bytes of text the names have together.
    text: usize,
    /// The index of the names of each connection, by the number of its follower and its own. A
    /// connection gets new ones when it announces more.
    current: HashMap<(u64, u64), usize>,
}

/// About how many bytes the names of one connection take in addition to their text: two nodes of
/// trees.
const NAMES: usize = 2 << 10;

impl Batch {
    /// An empty batch that is full when its events take about this many bytes. One event can take
    /// more: a message can be as long as [`Limits::flow_bytes`](super::Limits::flow_bytes) allows.
    #[must_use]
    pub fn new(limit: usize) -> Batch {
        Batch {
            limit: limit.max(1),
            events: EventList::default(),
            indexes: Vec::new(),
            bytes: Vec::new(),
            names: Vec::new(),
            text: 0,
            current: HashMap::new(),
        }
    }

    /// How many events there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there are no events.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// About how many bytes the events take.
    #[must_use]
    pub const fn held_bytes(&self) -> usize {
        let indexes = self.indexes.len().saturating_mul(size_of::<Option<usize>>());
        let events = self.events.bytes().saturating_add(indexes);
        let names = self.names.len().saturating_mul(NAMES).saturating_add(self.text);
        events.saturating_add(self.bytes.len()).saturating_add(names)
    }

    /// Whether nothing more is added: [`Batch::held_bytes`] has reached the limit.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.held_bytes() >= self.limit
    }

    /// Removes all events. Their memory is reused.
    pub fn clear(&mut self) {
        self.events.clear();
        self.indexes.clear();
        self.bytes.clear();
        self.names.clear();
        self.text = 0;
        self.current.clear();
    }

    /// The event with an index, counted from 0.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<Event<'_>> {
        let bytes = |bytes| match bytes {
            Lent::Queue(start, end) => self.bytes.get(start..end),
            Lent::Packet(..) => None,
        };
        match self.events.get(place)? {
            QueuedEvent::Message(message) => {
                let names = self.indexes.get(place).copied().flatten();
                let names = names.and_then(|names| self.names.get(names));
                Some(message.read(bytes(message.bytes)?, names))
            }
            QueuedEvent::Other(other) => {
                Some(other.read(other.bytes().and_then(bytes).unwrap_or(&[])))
            }
        }
    }

    /// The events in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Event<'_>> {
        (0..self.len()).filter_map(|place| self.get(place))
    }

    /// Gives the connections of all events the numbers that a single follower gives them. Adding
    /// events afterwards is possible, but their numbers are not replaced.
    pub fn renumber(&mut self, numbers: &ConnectionNumbers) {
        self.events.renumber(numbers);
    }

    /// Adds a message with its bytes. `read` is the same message decoded, if it may refer to names.
    pub(super) fn push(
        &mut self,
        follower: u64,
        message: &QueuedMessage,
        bytes: &[u8],
        read: Option<&Message<'_>>,
    ) {
        let names = read.and_then(|read| self.names_of(follower, read));
        self.indexes.push(names);
        let bytes = self.keep(bytes);
        self.events.push(|| QueuedMessage { bytes, ..*message });
    }

    /// Adds another event with its bytes.
    pub(super) fn push_other(&mut self, other: &QueuedOther, bytes: &[u8]) {
        self.indexes.push(None);
        let bytes = self.keep(bytes);
        self.events.push_other(other.with_bytes(bytes));
    }

    fn keep(&mut self, bytes: &[u8]) -> Lent {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        Lent::Queue(start, self.bytes.len())
    }

    /// Copies the names to which a message refers. Returns their index.
    fn names_of(&mut self, follower: u64, message: &Message<'_>) -> Option<usize> {
        let Content::Packet(packet) = &message.content else { return None };
        let connection = (follower, message.origin.connection);
        let paths = message.names?;
        let known = self.current.get(&connection).copied();
        // Names that packets have contradicted since then were still used before.
        let known = known.filter(|at| self.names.get(*at).is_some_and(|it| it.is_like(paths)));
        let at = known.unwrap_or(self.names.len());
        if known.is_none() {
            self.current.insert(connection, at);
            self.names.push(paths.empty());
        }
        let names = self.names.get_mut(at)?;
        let text = message.context().copy_names(packet, names);
        self.text = self.text.saturating_add(text);
        if packet.is_announcement() {
            // The next message may refer to names that this one announces, so it needs names of its
            // own.
            self.current.remove(&connection);
        }
        Some(at)
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Batch { limit, .. } = self;
        debug_fields!(f, Batch { len = self.len(), held_bytes = self.held_bytes(), limit, .. })
    }
}
