//! Captures: hands their messages to the sink, and reports and counts everything else.

use super::buffer::Buffer;
use super::losses::Losses;
use super::mismatches::Mismatches;
use super::parallel::{self, Hand, Stages};
use super::reader::{Failure, Reader};
use crate::interrupt;
use crate::selection::{FirstPacket, Selection, Tally};
use crate::sink::{Division, Made, Part, Recently};
use gdwire::capture::{
    Capture, Content, Error, Event, LinkType, Options, Other, Packet, PacketReader, Problem,
    ReadError, Reason, Time, Transport,
};
use gdwire::follow::{Batch, Events, Follower};
use gdwire::net::enet;
use std::fmt;
use std::io::ErrorKind;
use std::mem;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often time passes for live traffic.
const TICK: Duration = Duration::from_millis(100);

/// How old the last packet of live traffic is at most.
const RECENT: Duration = Duration::from_secs(60);

/// Reads a capture.
pub(crate) struct CaptureReader<'f> {
    follower: Follower<'f>,
    /// The file before, if several are read as one capture.
    before: Option<PacketReader<Buffer>>,
    /// When the last packet was captured, and when time may pass again for the follower.
    captured: Option<Time>,
    next_tick: Instant,
    counts: Counts,
    /// How many bytes of a file have been read.
    position: u64,
}

impl<'f> CaptureReader<'f> {
    pub(crate) fn new(reader: &Reader<'f>) -> CaptureReader<'f> {
        reader.first.begin();
        let follower = Follower::with_options(options(reader));
        let (captured, next_tick, names) = (None, Instant::now(), reader.sink.names());
        let (has_names, mismatches) = (names.is_some(), Mismatches::new(names));
        let counts = Counts { has_names, mismatches, ..Counts::default() };
        CaptureReader { follower, before: None, captured, next_tick, counts, position: 0 }
    }

    /// Reads a capture that is in memory.
    pub(crate) fn read(&mut self, reader: &mut Reader<'_>, file: &[u8]) -> Result<(), Failure> {
        reader.diagnostics.progress.begin(file.len() as u64);
        let mut packets = match Capture::new(file) {
            Ok(packets) => packets,
            Err(error) => {
                return damaged(reader, &error, file.is_empty());
            }
        };
        let CaptureReader { follower, counts, position, .. } = self;
        let mut damage = None;
        let (first, recent) = (reader.first.clone(), reader.sink.recent());
        hand_on(counts, reader, |hand| {
            while let Some(packet) = packets.next() {
                if interrupt::is_requested() {
                    return Ok(());
                }
                match packet {
                    Ok(packet) => {
                        *position = packets.position();
                        note(&first, recent.as_ref(), &packet);
                        hand(*position, follower.packet(&packet))?;
                    }
                    Err(error) => damage = Some(error),
                }
            }
            Ok(())
        })?;
        match damage {
            Some(error) => self.counts.take(reader, Event::Damaged(error)),
            None => Ok(()),
        }
    }

    /// Reads a capture that comes in pieces: what follows from a packet is handed on before the next
    /// one is waited for. After another capture, its packets go on where that one ended.
    pub(crate) fn read_stream(
        &mut self,
        reader: &mut Reader<'_>,
        buffer: Buffer,
    ) -> Result<(), Failure> {
        let mut packets = PacketReader::new(buffer);
        if let Some(before) = &self.before {
            packets = packets.after(before);
        }
        loop {
            let result = self.read_packets(reader, &mut packets);
            let is_restarted = result.is_ok() && packets.get_mut().restart();
            let buffer = mem::replace(packets.get_mut(), Buffer::whole(Vec::new()));
            if !is_restarted {
                self.before = Some(packets);
                return result;
            }
            reader.restarted();
            packets = PacketReader::new(buffer).after(&packets);
        }
    }

    fn read_packets(
        &mut self,
        reader: &mut Reader<'_>,
        packets: &mut PacketReader<Buffer>,
    ) -> Result<(), Failure> {
        let is_empty = !packets.get_mut().reach(1, &mut || reader.idle())?;
        let end = if packets.get_mut().is_live() {
            self.read_live(reader, packets)?
        } else {
            self.read_file(reader, packets)?
        };
        match end {
            Ok(()) => Ok(()),
            Err(ReadError::Damaged(error)) if error.frame.is_none() => {
                damaged(reader, &error, is_empty)
            }
            Err(ReadError::Damaged(error)) => self.counts.take(reader, Event::Damaged(error)),
            Err(ReadError::Io(error)) => Err(Failure::Input(error)),
            Err(_) => Ok(()),
        }
    }

    /// Reads packets as they come, and returns why there are no more.
    fn read_live(
        &mut self,
        reader: &mut Reader<'_>,
        packets: &mut PacketReader<Buffer>,
    ) -> Result<Result<(), ReadError>, Failure> {
        loop {
            match packets.next_packet() {
                Ok(Some(packet)) => {
                    self.captured = packet.time;
                    note(&reader.first, reader.sink.recent().as_ref(), &packet);
                    events(&mut self.counts, reader, self.follower.packet(&packet))?;
                    self.tick(reader)?;
                }
                Err(ReadError::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                    self.tick(reader)?;
                    reader.idle()?;
                    if !packets.get_mut().wait() {
                        return Ok(Ok(()));
                    }
                }
                end => return Ok(end.map(drop)),
            }
        }
    }

    /// Lets time pass, so that no connection waits long to be recognized. A capture of the past gives
    /// the same however fast it comes.
    fn tick(&mut self, reader: &mut Reader<'_>) -> Result<(), Failure> {
        let now = Instant::now();
        if now < self.next_tick || !self.captured.is_some_and(is_now) {
            return Ok(());
        }
        self.next_tick = now.checked_add(TICK).unwrap_or(now);
        events(&mut self.counts, reader, self.follower.tick(now))
    }

    /// Reads the packets of a file, and returns why there are no more.
    fn read_file(
        &mut self,
        reader: &mut Reader<'_>,
        packets: &mut PacketReader<Buffer>,
    ) -> Result<Result<(), ReadError>, Failure> {
        let CaptureReader { follower, counts, position, .. } = self;
        let mut end = Ok(());
        let (first, recent) = (reader.first.clone(), reader.sink.recent());
        hand_on(counts, reader, |hand| {
            loop {
                match packets.next_packet() {
                    Ok(Some(packet)) => {
                        note(&first, recent.as_ref(), &packet);
                        hand(*position, follower.packet(&packet))?;
                    }
                    // The user wants to end.
                    Err(ReadError::Io(error)) if error.kind() == ErrorKind::WouldBlock => break,
                    result => {
                        end = result.map(drop);
                        break;
                    }
                }
            }
            Ok(())
        })?;
        Ok(end)
    }

    /// Hands on what was held back, and reports what was lost or not decoded.
    pub(crate) fn finish(mut self, reader: &mut Reader<'_>) -> Result<(), Failure> {
        let CaptureReader { follower, counts, position, .. } = &mut self;
        let position = *position;
        hand_on(counts, reader, |hand| hand(position, follower.finish()))?;
        self.counts.conclude(reader);
        Ok(())
    }
}

/// Notes the time of a packet for times that are relative to the first one, and the packet for
/// commands that show it.
fn note(first: &FirstPacket, recent: Option<&Recently>, packet: &Packet<'_>) {
    first.note(packet.time);
    if let Some(recent) = recent {
        recent.borrow_mut().note(packet);
    }
}

/// Whether a packet was captured just now.
fn is_now(captured: Time) -> bool {
    let Ok(now) = SystemTime::now().duration_since(UNIX_EPOCH) else { return false };
    let captured = Duration::from_nanos(u64::try_from(captured.as_nanos()).unwrap_or(0));
    now.abs_diff(captured) < RECENT
}

/// How the packets are to be read.
fn options<'r>(reader: &Reader<'r>) -> Options<'r> {
    let filters = reader.filters;
    let mut options = Options::new().limits(reader.limits);
    if filters.names_ends() {
        options = options.filter(|src, dst| filters.admits(src, dst));
    }
    if !reader.is_auto {
        options = options.dialect(reader.dialect);
    } else if reader.is_double {
        options = options.double_reals();
    }
    if let Some(names) = reader.sink.names() {
        options = options.names(names);
    }
    if reader.sink.measures() {
        options = options.measure();
    }
    match filters.transport.named() {
        Some(transport) => options.transport(transport),
        None => options,
    }
}

/// Reports that a capture cannot be read from its start.
fn damaged(reader: &mut Reader<'_>, error: &Error, is_empty: bool) -> Result<(), Failure> {
    if error.problem != Problem::UnknownFormat {
        return damage(reader, error);
    }
    let problem = if is_empty {
        "the input is empty, not a capture".to_owned()
    } else {
        reader.with_hint(error.problem.to_string())
    };
    reader.diagnostics.unreadable(&reader.name, &problem);
    Ok(())
}

/// Reports that a part of a capture is damaged.
fn damage(reader: &mut Reader<'_>, error: &Error) -> Result<(), Failure> {
    reader.damaged(error.frame, error.offset, error).map_err(Failure::Output)
}

/// The counts and reports of events that the sink does not get.
#[derive(Default)]
struct Counts {
    /// Whether the capture has messages, or a connection that only games have.
    has_game: bool,
    undecoded: Undecoded,
    losses: Losses,
    has_names: bool,
    mismatches: Mismatches,
}

/// Hands on the events of a file, with several threads if the command divides its work.
fn hand_on(
    counts: &mut Counts,
    reader: &mut Reader<'_>,
    feed: impl FnOnce(Hand<'_, Failure>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // To count to a limit, messages have to be selected in order.
    let division = reader.sink.divide().filter(|_| reader.filters.limit.is_none());
    let Some(Division { threads, begin }) = division else {
        return feed(&mut |position, next| {
            reader.diagnostics.progress.step(position);
            events(counts, reader, next)
        });
    };
    let (selection, has_names) = (reader.selection, counts.has_names);
    let work = |batch: &Batch| Share::of(batch, begin(), (selection, has_names));
    let join = |position, batch: &Batch, share| {
        reader.diagnostics.progress.show(position);
        counts.join(reader, batch, share)
    };
    parallel::run(threads, parallel::BATCH, Stages { work, join }, feed)
}

/// The result of one thread's work on a batch.
struct Share {
    /// How many values, multiplayer packets and messages of the debugger it read.
    values: u64,
    packets: u64,
    commands: u64,
    tally: Tally,
    made: Made,
    /// How many events are done: those after them need to be done in order.
    done: usize,
    /// The places of those that also concern the whole capture.
    general: Vec<usize>,
    /// The places of messages that say something about the names that the user gave.
    about_names: Vec<usize>,
}

impl Share {
    fn of(
        batch: &Batch,
        mut part: Box<dyn Part>,
        (selection, has_names): (Option<&Selection<'_>>, bool),
    ) -> Share {
        let (mut values, mut packets, mut commands, mut tally) = (0, 0, 0, Tally::default());
        let (mut general, mut about_names) = (Vec::new(), Vec::new());
        let admits =
            |place, origin| selection.is_none_or(|selection| selection.admits_place(place, origin));
        let mut work = |place| match batch.get(place) {
            Some(Event::Message(message)) => {
                let count = match &message.content {
                    Content::Value(_) => &mut values,
                    Content::Packet(_) => &mut packets,
                    Content::Debugger(_) => &mut commands,
                    _ => return true,
                };
                let is_selected = selection.is_none_or(|selection| {
                    tally.note(selection.message(&message), || {
                        format!("frame {}", message.place.frame)
                    })
                });
                let is_done = !is_selected || part.message(&message);
                *count += u64::from(is_done);
                tally.selected += u64::from(is_selected && is_done);
                if is_done && Mismatches::concerns(has_names, &message) {
                    about_names.push(place);
                }
                is_done
            }
            Some(Event::Other(other)) => {
                let is_selected = admits(other.place, other.origin);
                let is_done = !is_selected || part.other(&other);
                if is_selected && is_done {
                    general.push(place);
                }
                is_done
            }
            Some(Event::Lost(lost)) => {
                let is_selected = admits(lost.place, lost.origin);
                let is_done = !is_selected || part.lost(&lost);
                if is_selected && is_done {
                    general.push(place);
                }
                is_done
            }
            _ => {
                general.push(place);
                true
            }
        };
        let done = (0..batch.len()).find(|place| !work(*place)).unwrap_or(batch.len());
        Share { values, packets, commands, tally, made: part.finish(), done, general, about_names }
    }
}

fn events(
    counts: &mut Counts,
    reader: &mut Reader<'_>,
    mut events: Events<'_, '_>,
) -> Result<(), Failure> {
    while let Some(event) = events.next() {
        counts.take(reader, event)?;
    }
    Ok(())
}

impl Counts {
    fn take(&mut self, reader: &mut Reader<'_>, event: Event<'_>) -> Result<(), Failure> {
        match event {
            // What comes after the last message is not asked for; and what a connection still holds
            // then is not lost.
            Event::Message(_) | Event::Other(_) | Event::Lost(_) if reader.has_enough() => {}
            Event::Message(message) => {
                self.has_game = true;
                if self.has_names {
                    self.mismatches.note(&message);
                }
                reader.message(&message)?;
            }
            Event::Other(other) if reader.admits_place(other.place, other.origin) => {
                self.other(&other);
                reader.sink.other(&other).map_err(Failure::Output)?;
            }
            Event::Lost(lost) if reader.admits_place(lost.place, lost.origin) => {
                self.losses.lost(reader, &lost);
                reader.sink.lost(&lost).map_err(Failure::Output)?;
            }
            Event::Opened(summary) => reader.sink.connection(summary),
            Event::Recognized(summary) => {
                self.has_game |= summary.transport() != Some(Transport::Udp);
                reader.diagnostics.detail(&reader.name, &summary);
            }
            Event::Closed(summary) => {
                if summary.transport().is_none() {
                    reader.diagnostics.detail(&reader.name, &summary);
                }
                reader.sink.connection(summary);
            }
            Event::Damaged(error) => damage(reader, &error)?,
            _ => {}
        }
        Ok(())
    }

    fn other(&mut self, other: &Other<'_>) {
        self.losses.other(other);
        self.undecoded.add(other);
    }

    /// Takes what a thread made of a batch, and does the rest.
    fn join(
        &mut self,
        reader: &mut Reader<'_>,
        batch: &Batch,
        share: Share,
    ) -> Result<(), Failure> {
        let Share { values, packets, commands, tally, made, done, general, about_names } = share;
        self.has_game |= values > 0 || packets > 0 || commands > 0;
        reader.values = reader.values.saturating_add(values);
        reader.packets = reader.packets.saturating_add(packets);
        reader.commands = reader.commands.saturating_add(commands);
        reader.tally.add(tally);
        for place in about_names {
            if let Some(Event::Message(message)) = batch.get(place) {
                self.mismatches.note(&message);
            }
        }
        for place in general {
            match batch.get(place) {
                // The part has shown these.
                Some(Event::Other(other)) => self.other(&other),
                Some(Event::Lost(lost)) => self.losses.lost(reader, &lost),
                Some(event) => self.take(reader, event)?,
                None => {}
            }
        }
        reader.sink.join(made).map_err(Failure::Output)?;
        let mut rest = (done..batch.len()).filter_map(|place| batch.get(place));
        rest.try_for_each(|event| self.take(reader, event))
    }

    /// Reports what was lost or not decoded.
    fn conclude(mut self, reader: &mut Reader<'_>) {
        if reader.has_enough() {
            return self.mismatches.conclude(reader, true);
        }
        self.undecoded.unreliable = self.losses.unreliable;
        self.undecoded.cut = self.losses.conclude(reader, self.has_game);
        self.mismatches.conclude(reader, false);
        if !self.undecoded.is_some() {
            return;
        }
        if reader.is_strict {
            reader.diagnostics.failure(&reader.name, &self.undecoded);
        } else {
            reader.diagnostics.warning(&reader.name, &self.undecoded);
        }
    }
}

/// How much of a capture was not decoded, by the reason.
#[derive(Default)]
struct Undecoded {
    datagrams: u64,
    messages: u64,
    enet: u64,
    compressed: u64,
    segments: u64,
    unreliable: u64,
    cut: u64,
    malformed: u64,
    unknown_links: u64,
    unknown_link: Option<LinkType>,
    others: u64,
    not_asked_for: u64,
}

impl Undecoded {
    fn add(&mut self, other: &Other<'_>) {
        let count = match (&other.reason, other.origin.map(|origin| origin.transport)) {
            (Reason::NoValue(_) | Reason::Unlikely, Some(Transport::Udp)) => &mut self.datagrams,
            (Reason::NoValue(_) | Reason::Unlikely | Reason::NoPacket(_), _) => &mut self.messages,
            (Reason::NoEnet(error), _) if error.problem == enet::Problem::UnknownCompression => {
                &mut self.compressed
            }
            (Reason::NoEnet(_), _) => &mut self.enet,
            (Reason::UnknownStream, _) => &mut self.segments,
            (Reason::NotAskedFor, _) => &mut self.not_asked_for,
            (Reason::Malformed, _) => &mut self.malformed,
            (Reason::UnknownLink(link), _) => {
                self.unknown_link = Some(*link);
                &mut self.unknown_links
            }
            // Cut packets are counted at the end, when all is known. The id of a peer has nothing to
            // decode.
            (Reason::Cut | Reason::PeerId(_), _) => &mut 0,
            _ => &mut self.others,
        };
        *count += 1;
    }

    /// The count of each sort, and its name in the singular and the plural.
    fn sorts(&self) -> [(u64, &'static str, &'static str); 11] {
        [
            (self.datagrams, "UDP payload that is not a value", "UDP payloads that are not values"),
            (self.messages, "message that is not a value", "messages that are not values"),
            (self.enet, "datagram that is not ENet", "datagrams that are not ENet"),
            (
                self.compressed,
                "ENet datagram with an unknown compression",
                "ENet datagrams with an unknown compression",
            ),
            (self.segments, "TCP segment of another program", "TCP segments of other programs"),
            (
                self.unreliable,
                "unreliable message that is not in the capture",
                "unreliable messages that are not in the capture",
            ),
            (self.cut, "packet captured only in part", "packets captured only in part"),
            (self.malformed, "malformed packet", "malformed packets"),
            (self.others, "packet of another protocol", "packets of other protocols"),
            (
                self.not_asked_for,
                "packet not of the requested transport",
                "packets not of the requested transport",
            ),
            (self.unknown_links, "packet with unknown link type", "packets with unknown link type"),
        ]
    }

    fn is_some(&self) -> bool {
        self.sorts().iter().any(|(count, ..)| *count > 0)
    }
}

impl fmt::Display for Undecoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not decoded: ")?;
        let some = self.sorts().into_iter().filter(|(count, ..)| *count > 0);
        for (at, (count, one, several)) in some.enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{count} {}", if count == 1 { one } else { several })?;
        }
        match self.unknown_link {
            Some(LinkType(number)) => write!(f, " {number}"),
            None => Ok(()),
        }
    }
}
