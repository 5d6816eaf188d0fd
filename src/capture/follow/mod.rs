//! Follows connections while their packets arrive, and returns the messages in them. `lib.rs` has the
//! documentation of this module, which is public as `gdwire::follow`.

mod batch;
mod classification;
mod closing;
mod connection;
mod cut_packets;
mod direction;
mod division;
mod event;
mod given_up;
mod giving;
mod loss;
mod numbers;
mod opened;
mod options;
mod output;
mod place;
mod queue;
mod race;
mod read_datagrams;
mod read_streams;
mod reading;
mod summary;
mod table;
mod transport;

pub use batch::Batch;
pub use cut_packets::{CutFlow, CutPackets};
pub use direction::{Direction, Missing, Wire};
pub use division::{Order, Share};
pub use event::{Content, Event, Message, Other, Reason};
pub use loss::{Cause, Loss, LossKind};
pub use numbers::ConnectionNumbers;
pub use options::{Limits, Options};
pub use place::{CommunityId, Flow, Origin, Peers, Place};
pub use summary::{Closed, Summary, Traffic};
pub use transport::{Delivery, Transport};

use crate::game::multiplayer::Paths;
use crate::net::enet;
use crate::net::packet::{
    CapturedPacket, Defragmenter, Error, LinkType, TcpSegment, Time, UdpDatagram,
};
use classification::{Classification, DEFAULT, Decision, Decoding, Layers, Trust};
use connection::{ConnectionState, FollowedConnection, Lingering, Shared};
use core::cell::Cell;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};
use division::DialectEvidence;
use given_up::{Admission, Followed, GivenUp, Rest};
use giving::{connection_names, ends_of, relayed, sending};
use opened::{FlowPacket, Opened, PacketOwner};
use output::{Client, DebuggerFrames, Output};
use place::Arrival;
use queue::{
    EventList, Lent, PeerNotice, Queue, QueuedEvent, QueuedKind, QueuedMessage, QueuedOther,
};
use race::{Race, Remaining, is_unlikely, is_value};
use read_datagrams::{DatagramReader, InDatagrams, in_datagrams};
use read_streams::{Streams, StreamsSink, in_streams};
use std::collections::BTreeSet;
use table::{Excess, FlowTable};
use transport::{
    Carried, CarriedSink, OfPeers, PeerContent, Sent, TakeCarried, TransportMessage, given_id,
    part_of,
};

/// Follows connections: packets in, messages out.
///
/// Packets are pushed one by one, in the order in which they arrived: as they were captured
/// ([`packet`](Follower::packet)), as IP packets ([`ip`](Follower::ip)), as UDP datagrams
/// ([`datagram`](Follower::datagram)) or as TCP segments ([`segment`](Follower::segment)). Each
/// push returns the [`Events`] that follow from it. At the end, [`finish`](Follower::finish)
/// returns what was still held back.
///
/// The follower detects what a connection carries from its first packets: see the
/// [module](crate::follow). It does no input or output of its own.
///
/// ```
/// use gdwire::follow::{Content, Event, Follower, Place};
/// use gdwire::packet::UdpDatagram;
/// use gdwire::{Dialect, encode, variant};
///
/// let packet = encode(Dialect::GODOT_4, &variant!({"hp": 87, "speed": 1.5}))?;
/// let datagram = UdpDatagram::new("10.0.0.2:5000".parse()?, "10.0.0.1:7000".parse()?, &packet);
///
/// let mut follower = Follower::new();
/// let mut values = Vec::new();
/// let mut take = |event: Event<'_>| {
///     if let Event::Message(message) = event
///         && let Content::Value(value) = message.content
///     {
///         values.push(value.to_string());
///     }
/// };
/// follower.datagram(Place::new(1), &datagram).for_each(&mut take);
/// follower.finish().for_each(&mut take);
/// assert_eq!(values, [r#"{ "hp": 87, "speed": 1.5 }"#]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Follower<'o> {
    /// A number that no other follower has. Connections of different followers have the same
    /// numbers.
    number: u64,
    options: Options<'o>,
    /// None only while a fragment is read.
    fragments: Option<Defragmenter>,
    connections: FlowTable,
    given_up: GivenUp,
    /// The evidence for dialects from all recognized connections.
    common: DialectEvidence,
    scratch: enet::Scratch,
    handshakes: enet::HandshakeReader,
    queue: Queue,
    now: Place,
    /// How many packets were pushed, and how many connections were opened.
    packets: u64,
    opened: u64,
    /// Connections that their ends have closed.
    lingering: BTreeSet<Lingering>,
    /// The names of closed connections, while messages in the queue may refer to them.
    names: Vec<(u64, Paths)>,
    /// The evidence about nodes from the packets of closed connections, and the number of these nodes.
    learned: Vec<(u64, Paths)>,
    learned_nodes: usize,
    /// The index of the event that was returned last, if it announces names. These are noted when
    /// the next event is requested, so that the event is shown without them.
    given: Cell<Option<usize>>,
    /// Whether the loss because of too many connections was reported.
    is_limit_reported: bool,
    /// The first place at which a limit may have been reached: the limit divided by the number of
    /// [shares](Share) was.
    exceeds_share: Option<Order>,
    /// When [`Follower::tick`] last did something.
    ticked: Option<Time>,
    finish: Finish,
}

/// Whether the follower is finishing.
enum Finish {
    No,
    /// The connections that are still open. The one that was opened first comes last.
    Connections(Vec<(u64, Flow)>),
    Done,
}

/// The events of one packet, or of the end of the input.
///
/// Events that are not taken are discarded.
pub struct Events<'f, 'o> {
    follower: &'f mut Follower<'o>,
    packet: &'f [u8],
    /// The index of the event that was returned last.
    last: usize,
    is_over: bool,
}

impl Events<'_, '_> {
    /// The next event; none after the last one.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "an event borrows from this")]
    pub fn next(&mut self) -> Option<Event<'_>> {
        let next = self.next_entry()?;
        self.follower.lend(self.packet, next)
    }

    /// The index of the next event in the queue.
    #[inline]
    fn next_entry(&mut self) -> Option<usize> {
        if self.is_over {
            return None;
        }
        let next = self.follower.next_entry(self.packet);
        (self.last, self.is_over) = (next.unwrap_or(self.last), next.is_none());
        next
    }

    /// The position of the event that was returned last among those of all followers that [share] a
    /// capture.
    ///
    /// [share]: Share
    #[must_use]
    pub fn order(&self) -> Order {
        let Follower { queue, packets, .. } = &*self.follower;
        queue.order(self.last).unwrap_or(Order::of_packet(*packets))
    }

    /// Copies the event that was returned last to a batch, even if the batch is full.
    pub fn keep(&self, batch: &mut Batch) {
        self.follower.copy(self.packet, self.last, batch);
    }

    /// Moves events to a batch until it is full. Returns whether the batch is full. If it is, there
    /// may be more events.
    ///
    /// So continue with another batch if it returns true, and otherwise with the next packet:
    ///
    /// ```
    /// use gdwire::capture::Capture;
    /// use gdwire::follow::{Batch, Follower};
    ///
    /// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-rpc.pcapng"))?;
    /// let mut batches = Vec::new();
    /// let mut batch = Batch::new(8 << 10);
    /// let mut follower = Follower::new();
    /// for packet in Capture::new(&file)? {
    ///     let packet = packet?;
    ///     let mut events = follower.packet(&packet);
    ///     while events.fill(&mut batch) {
    ///         batches.push(std::mem::replace(&mut batch, Batch::new(8 << 10)));
    ///     }
    /// }
    /// // Likewise with the events of `follower.finish()`.
    /// assert!(batches.len() > 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill(&mut self, batch: &mut Batch) -> bool {
        while !batch.is_full() {
            let Some(next) = self.next_entry() else { return false };
            self.follower.copy(self.packet, next, batch);
        }
        true
    }

    /// Passes all events to a function.
    pub fn for_each(mut self, mut work: impl FnMut(Event<'_>)) {
        while let Some(event) = self.next() {
            work(event);
        }
    }
}

impl Default for Follower<'_> {
    fn default() -> Self {
        Follower::new()
    }
}

impl<'o> Follower<'o> {
    /// A follower that detects the transport and the dialect.
    #[must_use]
    pub fn new() -> Follower<'o> {
        Follower::with_options(Options::new())
    }

    /// A follower with options: a known transport or dialect, or other limits.
    #[must_use]
    pub fn with_options(mut options: Options<'o>) -> Follower<'o> {
        static FOLLOWERS: AtomicU64 = AtomicU64::new(1);
        Follower {
            number: FOLLOWERS.fetch_add(1, Ordering::Relaxed),
            fragments: Some(Defragmenter::with_limit(options.limits.fragments())),
            connections: FlowTable::new(options.limits),
            given_up: GivenUp::new(options.limits.given_up()),
            queue: Queue::new(options.limits.flow_bytes),
            common: DialectEvidence::new(options.share.take()),
            options,
            scratch: enet::Scratch::default(),
            handshakes: enet::HandshakeReader::default(),
            now: Place::new(0),
            packets: 0,
            opened: 0,
            lingering: BTreeSet::new(),
            names: Vec::new(),
            learned: Vec::new(),
            learned_nodes: 0,
            given: Cell::new(None),
            is_limit_reported: false,
            exceeds_share: None,
            ticked: None,
            finish: Finish::No,
        }
    }

    /// The summaries of the open connections, in no particular order, with what was counted and
    /// [measured](Options::with_measures) so far.
    pub fn connections(&self) -> impl Iterator<Item = Summary> {
        self.connections.iter().map(|(_, connection)| connection.summarized())
    }

    /// How many bytes are kept now for connections and incomplete IP packets: no more than
    /// [`Limits::total_bytes`].
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.connections.held().saturating_add(self.held_besides())
    }

    /// How many bytes are kept that belong to no open connection.
    #[inline]
    fn held_besides(&self) -> usize {
        let fragments = self.fragments.as_ref().map_or(0, Defragmenter::held_bytes);
        // The nodes of the tree are at least half full.
        let lingering = self.lingering.len().saturating_mul(2 * size_of::<Lingering>());
        fragments.saturating_add(lingering).saturating_add(self.given_up.held())
    }

    /// The first place from which the events of a follower with a [`Share`], and of all others of
    /// its division, may differ from those of a single follower: it has reached a limit, divided by
    /// the number of shares, and only a single follower knows whether all connections together have
    /// reached the limit. Check it after the events of each packet.
    #[must_use]
    pub const fn exceeds_share(&self) -> Option<Order> {
        self.exceeds_share
    }

    /// Pushes a packet as it was captured.
    pub fn packet<'f>(&'f mut self, packet: &CapturedPacket<'f>) -> Events<'f, 'o> {
        let is_over = !self.push_packet(packet);
        Events { packet: packet.data, follower: self, last: 0, is_over }
    }

    /// Pushes an IP packet, which starts with its IPv4 or IPv6 header.
    pub fn ip<'f>(&'f mut self, place: Place, packet: &'f [u8]) -> Events<'f, 'o> {
        let Place { frame, file, time, .. } = place;
        self.push_packet(&CapturedPacket {
            frame,
            file,
            time,
            ..CapturedPacket::new(LinkType::RAW, packet)
        });
        self.events(packet)
    }

    /// Pushes a UDP datagram.
    pub fn datagram<'f>(&'f mut self, place: Place, datagram: &UdpDatagram<'f>) -> Events<'f, 'o> {
        self.begin_packet(datagram.payload, place);
        if self.shares(false, &datagram.src, &datagram.dst) {
            self.read(FlowPacket::Datagram(datagram), Wire::default(), None);
        }
        self.settle();
        self.events(datagram.payload)
    }

    /// Pushes a TCP segment.
    pub fn segment<'f>(&'f mut self, place: Place, segment: &TcpSegment<'f>) -> Events<'f, 'o> {
        self.begin_packet(segment.payload, place);
        if self.shares(true, &segment.src, &segment.dst) {
            self.read(FlowPacket::Segment(segment), Wire::default(), None);
        }
        self.settle();
        self.events(segment.payload)
    }

    /// Lets time pass: returns the messages that have waited for
    /// [`Limits::undecided_time`] because it is not known what their
    /// connections carry.
    ///
    /// For live traffic, call this several times a second, especially while no packets arrive, with
    /// the current time by the clock that gives packets their times. It does nothing if it last did
    /// something less than an eighth of that time ago. Only the times that are passed here count,
    /// not those of the packets. So a capture file always results in the same events, however fast
    /// it is read.
    pub fn tick<'f>(&'f mut self, now: Time) -> Events<'f, 'o> {
        self.begin(&[], self.now);
        let pause = self.options.limits.undecided_time / 8;
        if self.ticked.is_none_or(|before| before > now || now.since(before) >= pause) {
            self.ticked = Some(now);
            self.pass_time(now);
        }
        self.events(&[])
    }

    /// Delivers the messages that have waited for too long.
    fn pass_time(&mut self, now: Time) {
        let waiting = self.connections.iter().filter(|(_, connection)| connection.is_waiting());
        let mut waiting: Vec<_> =
            waiting.map(|(flow, connection)| (connection.summary.connection, *flow)).collect();
        waiting.sort_unstable_by_key(|(number, _)| *number);
        let Follower { options, connections, common, scratch, queue, .. } = self;
        let shared = &mut Shared { options, common, is_finishing: false, scratch, queue };
        for (_, flow) in waiting {
            connections.amend(&flow, |connection| connection.tick(now, shared));
        }
        self.settle();
    }

    /// Ends the input and returns the events that were held back. After that, the follower starts
    /// again.
    pub fn finish<'f>(&'f mut self) -> Events<'f, 'o> {
        self.begin_to_finish();
        self.events(&[])
    }

    const fn events<'f>(&'f mut self, packet: &'f [u8]) -> Events<'f, 'o> {
        Events { packet, follower: self, last: 0, is_over: false }
    }

    /// Returns false if there are no events, because the packet belongs to another share.
    #[inline]
    pub(crate) fn push_packet(&mut self, packet: &CapturedPacket<'_>) -> bool {
        let is_read = self.common.share_mut().is_none_or(|share| share.has_packet(packet));
        if !is_read && self.skip_packet(Place::of(packet)) {
            return false;
        }
        self.begin_packet(packet.data, Place::of(packet));
        if is_read {
            self.read_packet(packet);
        }
        self.settle();
        true
    }

    /// Skips a packet of another share, unless it outlives a connection of this one.
    fn skip_packet(&mut self, place: Place) -> bool {
        let now = place.time.map_or(i64::MIN, Time::as_nanos);
        let is_late = self.lingering.first().is_some_and(|first| first.until <= now);
        if is_late {
            return false;
        }
        self.now = place;
        self.packets += 1;
        self.common.begin(Order::of_packet(self.packets));
        true
    }

    /// Adds the event that the file with the packets is damaged.
    pub(crate) fn push_damage(&mut self, error: Error) {
        self.begin(&[], self.now);
        self.queue.push(None, QueuedKind::Damaged(error));
    }

    /// Starts to read the next packet. The events in the queue are discarded.
    #[inline]
    fn begin(&mut self, packet: &[u8], now: Place) {
        self.given.set(None);
        if matches!(self.finish, Finish::Done) {
            self.finish = Finish::No;
        }
        self.now = now;
        self.queue.begin(packet, now);
        self.forget_closed();
    }

    #[inline]
    fn begin_packet(&mut self, packet: &[u8], now: Place) {
        self.begin(packet, now);
        self.packets += 1;
        self.common.begin(Order::of_packet(self.packets));
    }

    /// Closes the connections that their ends closed long enough ago, and those that exceed the
    /// limits.
    #[inline]
    fn settle(&mut self) {
        self.end_lingering();
        self.keep_limits();
    }
}

impl Drop for Events<'_, '_> {
    /// Events that were not taken may announce names, which are noted.
    fn drop(&mut self) {
        while self.next().is_some() {}
    }
}

impl fmt::Debug for Events<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

impl fmt::Debug for Follower<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Follower { options, now, opened, .. } = self;
        debug_fields!(f, Follower { options, now, opened, .. })
    }
}
