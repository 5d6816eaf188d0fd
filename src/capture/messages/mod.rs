//! Reads the messages of a capture: the second pass over the file, after the survey.

mod arrivals;
mod connection;
mod event;
mod output;
mod queue;

pub use event::{Content, Event, Loss, Lost, Message, Origin, Other, Peers, Place, Reason};

use super::survey::{Choice, Survey, Surveyed, is_unlikely};
use super::table::Table;
use super::{
    Capture, Datagram, Defragmenter, Error, Flow, LostPacket, Options, Packet, Payload, Segment,
    Transport,
};
use crate::multiplayer::{self, Protocol};
use crate::net::{Side, enet};
use crate::parse::parse;
use connection::{Connection, relayed};
use core::cell::Cell;
use core::fmt;
use core::net::SocketAddr;
use queue::{Entry, Found, Queue, What};

/// The messages of all flows of a capture file.
///
/// A message is given once it is complete and all messages before it in its stream or channel have
/// been given. That is mostly the order of their [`Place`]s.
///
/// ```
/// use gdwire::capture::{Content, Event, Messages};
///
/// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-rpc.pcapng"))?;
/// let mut messages = Messages::new(&file)?;
/// let mut calls = 0;
/// while let Some(event) = messages.next_event() {
///     match event {
///         Event::Message(message) => match message.content {
///             Content::Value(value) => println!("{}: {value:?}", message.origin.src()),
///             // 127.0.0.1:7778: Game/Chat.any(Rect2( -34.09375, -485.53125, 238.76563, 463.39063 ))
///             Content::Packet(packet) => {
///                 println!("{}: {}", message.origin.src(), packet.display(message.context()));
///                 calls += usize::from(packet.command() == "call");
///             }
///             _ => {}
///         },
///         Event::Lost(lost) => eprintln!("frame {}: {}", lost.place.frame, lost.loss),
///         _ => {}
///     }
/// }
/// assert!(calls > 50);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The file is read twice: first to find out the transport and the engine of each flow, then for
/// the messages. Bytes are borrowed from the file if they are contiguous there, and otherwise from
/// buffers that are reused. [`Limits`](super::Limits) bounds the memory.
pub struct Messages<'a> {
    capture: Capture<'a>,
    options: Options<'a>,
    survey: Survey,
    fragments: Defragmenter,
    flows: Table<Connection>,
    scratch: enet::Scratch,
    queue: Queue<'a>,
    place: Place,
    /// The packet to read once all events of an older connection have been given.
    waiting: Option<Packet<'a>>,
    /// The entry given last if it announces names. They are noted when the next event is asked for.
    given: Cell<Option<usize>>,
}

impl<'a> Messages<'a> {
    /// Surveys a file, given as a whole, and starts to read it.
    ///
    /// # Errors
    ///
    /// If the file is in another format or ends within its first header.
    pub fn new(file: &'a [u8]) -> Result<Messages<'a>, Error> {
        Messages::with_options(file, Options::new())
    }

    /// Like [`Messages::new`], with options.
    ///
    /// # Errors
    ///
    /// As [`Messages::new`].
    pub fn with_options(file: &'a [u8], options: Options<'a>) -> Result<Messages<'a>, Error> {
        let capture = Capture::new(file)?;
        Ok(Messages {
            capture,
            survey: Survey::of(file, &options),
            fragments: Defragmenter::with_limit(options.limits.fragments()),
            flows: Table::new(options.limits),
            queue: Queue::new(options.limits.flow_bytes),
            options,
            scratch: enet::Scratch::default(),
            place: Place { frame: 0, time: None },
            waiting: None,
            given: Cell::new(None),
        })
    }

    /// The flows of the capture in the order of their first packets, and how each is read. A flow
    /// is listed once for each connection between its ends: a TCP SYN with another sequence number
    /// or an ENet connect command with another id starts a new one.
    pub fn flows(&self) -> impl Iterator<Item = Surveyed<'_>> + '_ {
        self.survey.flows(self.options.dialect.is_some())
    }

    /// How many packets are skipped because there are more flows than
    /// [`Limits::flows`](super::Limits::flows).
    #[must_use]
    pub fn packets_of_further_flows(&self) -> u64 {
        self.survey.forgotten()
    }

    /// How many bytes of the file have been read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.capture.position()
    }

    /// How many bytes are kept for flows and incomplete IP packets now: no more than
    /// [`Limits::total_bytes`](super::Limits::total_bytes).
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.flows.held().saturating_add(self.fragments.held_bytes())
    }

    /// The next event; none at the end of the file.
    pub fn next_event(&mut self) -> Option<Event<'_>> {
        if let Some(given) = self.given.take() {
            self.note(given);
            self.keep_limits();
        }
        loop {
            if let Some(next) = self.queue.next() {
                return self.lend(next);
            }
            if !self.read_packet() {
                return None;
            }
        }
    }

    /// Reads the next packet into the queue; at the end of the file, what a flow still holds back.
    fn read_packet(&mut self) -> bool {
        match self.waiting.take().map(Ok).or_else(|| self.capture.next()) {
            Some(Ok(packet)) => {
                self.place = Place { frame: packet.frame, time: packet.time };
                self.queue.begin(packet.data, self.place);
                if let Some(flow) = self.survey.renewed(packet.frame)
                    && let Some(mut connection) = self.flows.take(&flow)
                {
                    connection.finish(flow, &mut self.queue);
                    self.waiting = Some(packet);
                    return true;
                }
                self.packet(&packet);
                self.keep_limits();
                true
            }
            Some(Err(error)) => {
                self.queue.begin(&[], self.place);
                self.queue.push(None, What::Damaged(error));
                true
            }
            None => {
                self.queue.begin(&[], self.place);
                if let Some((flow, mut connection)) = self.flows.take_oldest() {
                    connection.finish(flow, &mut self.queue);
                    return true;
                }
                let mut is_some = false;
                self.fragments.finish(&mut |lost| {
                    is_some = true;
                    self.queue.push(None, What::Lost(Loss::Fragments(lost)));
                });
                is_some
            }
        }
    }

    /// Drops the state of flows that exceed the limits.
    fn keep_limits(&mut self) {
        let others = self.fragments.held_bytes();
        while let Some((flow, mut connection)) = self.flows.take_excess(others) {
            connection.finish(flow, &mut self.queue);
            let transport = connection.transport();
            let source = Origin { flow, from: Side::First, transport };
            self.queue.push(Some(source), What::Lost(Loss::Flow));
        }
    }

    fn packet(&mut self, packet: &Packet<'a>) {
        let Messages { options, survey, fragments, flows, scratch, queue, .. } = self;
        let frame = packet.frame;
        let mut reader = Reader { options, survey, frame, flows, scratch, queue };
        match packet.payload() {
            Payload::Fragment(fragment) if !fragment.is_of_transport() => {
                reader.other(packet.data, Reason::OtherProtocol);
            }
            Payload::Fragment(fragment) => {
                let mut lost = Vec::new();
                let mut tell = |packet: LostPacket| lost.push(packet);
                let whole = fragments.push(packet.frame, packet.time, &fragment, &mut tell);
                for packet in lost {
                    let (src, dst) =
                        (SocketAddr::new(packet.src, 0), SocketAddr::new(packet.dst, 0));
                    if !reader.options.admits(src, dst) {
                        continue;
                    }
                    reader.queue.push(None, What::Lost(Loss::Fragments(packet)));
                }
                match whole {
                    Some(Payload::Udp(datagram)) => reader.datagram(&datagram),
                    Some(Payload::Tcp(segment)) => reader.segment(&segment),
                    Some(_) => reader.other(packet.data, Reason::OtherProtocol),
                    None => {}
                }
            }
            Payload::Udp(datagram) => reader.datagram(&datagram),
            Payload::Tcp(segment) => reader.segment(&segment),
            Payload::Other => reader.other(packet.data, Reason::OtherProtocol),
            Payload::Cut => reader.other(packet.data, Reason::Cut),
            Payload::Malformed => reader.other(packet.data, Reason::Malformed),
            Payload::UnknownLink => {
                let bytes = reader.queue.keep(packet.data);
                let reason = Reason::UnknownLink(packet.link_type);
                reader.queue.push(None, What::Other(bytes, reason));
            }
        }
    }

    /// Makes an event of an entry of the queue.
    fn lend(&self, next: usize) -> Option<Event<'_>> {
        let &Entry { source: origin, place, ref what } = self.queue.entry(next)?;
        Some(match what {
            What::Message(found) => {
                let event = self.message(origin?, place, found);
                if let Event::Message(Message { content: Content::Packet(packet), .. }) = &event
                    && packet.is_announcement()
                {
                    self.given.set(Some(next));
                }
                event
            }
            What::Lost(loss) => Event::Lost(Lost { place, origin, loss: *loss }),
            What::Other(bytes, reason) => {
                let bytes = self.queue.lend(bytes);
                Event::Other(Other { place, origin, bytes, reason: *reason })
            }
            What::Damaged(error) => Event::Damaged(*error),
        })
    }

    fn message<'m>(&'m self, origin: Origin, place: Place, found: &'m Found<'a>) -> Event<'m> {
        let bytes = self.queue.lend(&found.bytes);
        let Choice { layers, dialect, .. } = found.choice;
        let content = match read(found, bytes) {
            Ok(content) => content,
            Err(reason) => {
                return Event::Other(Other { place, origin: Some(origin), bytes, reason });
            }
        };
        let is_named = layers.is_multiplayer;
        let connection = if is_named { self.flows.get(&origin.flow) } else { None };
        Event::Message(Message {
            place,
            origin,
            offset: found.offset,
            channel: found.channel,
            mode: found.mode,
            peers: found.peers,
            dialect,
            bytes,
            content,
            connection,
        })
    }

    /// Keeps the names in an entry that was given.
    fn note(&mut self, place: usize) {
        let Messages { queue, flows, .. } = self;
        let Some(&Entry { source: Some(source), what: What::Message(ref found), .. }) =
            queue.entry(place)
        else {
            return;
        };
        let Ok(Content::Packet(packet)) = read(found, queue.lend(&found.bytes)) else { return };
        let mut is_dropped = false;
        flows.amend(&source.flow, |connection| {
            let (sender, _) = connection.ends(found.peers, source.from);
            let before = connection.paths.dropped();
            match packet {
                multiplayer::Packet::Relay(relay) => {
                    let (sender, _) = relayed(found.peers, sender, relay.peer());
                    connection.paths.note(sender, &relay.packet());
                }
                packet => connection.paths.note(sender, &packet),
            }
            is_dropped = connection.paths.dropped() > before;
        });
        if is_dropped {
            queue.push(Some(source), What::Lost(Loss::Names));
        }
    }
}

/// Reads the content of a message.
fn read<'m>(found: &Found<'_>, bytes: &'m [u8]) -> Result<Content<'m>, Reason> {
    let Choice { layers, dialect, is_certain, .. } = found.choice;
    if let Some(own) = found.own {
        return Ok(Content::Packet(own));
    }
    if layers.is_multiplayer {
        let packet = multiplayer::parse(Protocol::of(dialect), dialect, bytes);
        packet.map(Content::Packet).map_err(Reason::NoPacket)
    } else {
        match parse(dialect, bytes) {
            Ok(_) if !is_certain && is_unlikely(bytes) => Err(Reason::Unlikely),
            value => value.map(Content::Value).map_err(Reason::NoValue),
        }
    }
}

/// The parts of [`Messages`] that reading one packet needs.
struct Reader<'r, 'a> {
    options: &'r Options<'a>,
    survey: &'r Survey,
    frame: u64,
    flows: &'r mut Table<Connection>,
    /// Buffers that all ENet sessions share, because only one works at a time.
    scratch: &'r mut enet::Scratch,
    queue: &'r mut Queue<'a>,
}

impl<'a> Reader<'_, 'a> {
    fn other(&mut self, bytes: &[u8], reason: Reason) {
        // The filter cannot be applied without addresses. Cut packets may have matched it, others
        // have no addresses that it could be about.
        if self.options.is_filtered() && !matches!(reason, Reason::Cut) {
            return;
        }
        let bytes = self.queue.keep(bytes);
        self.queue.push(None, What::Other(bytes, reason));
    }

    /// How a flow is read, if it was recognized and the options do not exclude it.
    fn choice(
        &mut self,
        (flow, from): (Flow, Side),
        payload: &[u8],
        missing: usize,
    ) -> Option<Choice> {
        let reason = if self.options.excludes(&flow) {
            Reason::NotAskedFor
        } else {
            match self.survey.choice(&flow, self.frame) {
                Some(Some(choice)) => return Some(choice),
                Some(None) if missing > 0 => Reason::Cut,
                Some(None) => Reason::UnknownStream,
                None => Reason::TooManyFlows,
            }
        };
        // An empty segment carries nothing.
        if !payload.is_empty() || missing > 0 || !flow.is_tcp() {
            let bytes = self.queue.keep(payload);
            let transport = if flow.is_tcp() { Transport::Tcp } else { Transport::Udp };
            self.queue.push(Some(Origin { flow, from, transport }), What::Other(bytes, reason));
        }
        None
    }

    fn datagram(&mut self, datagram: &Datagram<'_>) {
        let (src, dst, payload) = (datagram.src, datagram.dst, datagram.payload);
        if !self.options.admits(src, dst) {
            return;
        }
        let (flow, from) = Flow::of(false, src, dst);
        let Some(choice) = self.choice((flow, from), payload, datagram.missing) else { return };
        if choice.transport == Transport::Enet {
            self.connection(flow, choice, |connection, scratch, queue| {
                connection.datagram((flow, from), datagram, scratch, queue);
            });
            return;
        }
        let bytes = self.queue.keep(payload);
        let what = match datagram.missing {
            0 => What::Message(Found {
                choice,
                bytes,
                offset: 0,
                channel: None,
                mode: None,
                peers: Peers::default(),
                own: None,
            }),
            missing if choice.is_sure => What::Lost(Loss::Cut { missing }),
            _ => What::Other(bytes, Reason::Cut),
        };
        self.queue.push(Some(Origin { flow, from, transport: choice.transport }), what);
    }

    fn segment(&mut self, segment: &Segment<'_>) {
        if !self.options.admits(segment.src, segment.dst) {
            return;
        }
        let (flow, from) = Flow::of(true, segment.src, segment.dst);
        let Some(choice) = self.choice((flow, from), segment.payload, segment.missing) else {
            return;
        };
        self.connection(flow, choice, |connection, _, queue| {
            connection.segment((flow, from), segment, queue);
        });
    }

    fn connection(
        &mut self,
        flow: Flow,
        choice: Choice,
        work: impl FnOnce(&mut Connection, &mut enet::Scratch, &mut Queue<'a>),
    ) {
        let Reader { options, flows, scratch, queue, .. } = self;
        let make = || Connection::new(choice, &options.limits);
        flows.update(flow, make, |connection| work(connection, scratch, queue));
    }
}

impl fmt::Debug for Messages<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages")
            .field("capture", &self.capture)
            .field("options", &self.options)
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}
