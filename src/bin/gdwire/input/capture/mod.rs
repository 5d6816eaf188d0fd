//! Reads captures: follows their connections, passes their messages and losses to the sink, in order,
//! and counts and reports what the sink does not get.

mod divided;
mod events;
mod losses;
mod names;
mod parallel;
mod undecoded;

use super::InputFailure;
use super::buffer::InputBuffer;
use super::files::OpenedInput;
use super::reader::InputReader;
use crate::interrupt;
use crate::sink::{Joining, Needs};
use divided::PiecePackets;
use events::{CaptureCounts, ThreadCounts, damage, pass_on};
use gdwire::capture::{Capture, PacketReader, ReadError};
use gdwire::follow::{ConnectionNumbers, Events, Follower, Options, Share};
use gdwire::packet::{CapturedPacket, Problem, Time};
use losses::CutFlows;
use std::cell::RefCell;
use std::io::ErrorKind;
use std::mem;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time between two ticks of the follower while it reads live traffic.
const TICK: Duration = Duration::from_millis(100);

/// Traffic is live if its last packet is at most this old.
const RECENT: Duration = Duration::from_secs(60);

/// Reads a capture.
pub struct CaptureReader<'f> {
    follower: Follower<'f>,
    /// The file before, if several are read as one capture.
    before: Option<PacketReader<InputBuffer>>,
    ticks: Ticks,
    counts: CaptureCounts,
    noted: PacketNotes,
    /// How many bytes of a file have been read.
    position: u64,
    /// The progress of several threads, before one had to read the file instead.
    done: Done,
}

/// How many packets were noted, how many events were passed on, and whether those of the end are among
/// them.
#[derive(Default)]
struct Done {
    packets: u64,
    events: u64,
    is_ended: bool,
}

impl Done {
    /// Skips events that were passed on.
    fn skip(&mut self, events: &mut Events<'_, '_>) {
        while self.events > 0 && events.next().is_some() {
            self.events -= 1;
        }
    }
}

impl<'f> CaptureReader<'f> {
    pub fn new(reader: &InputReader<'f>) -> CaptureReader<'f> {
        reader.needs.first.begin();
        let follower = Follower::with_options(options(reader));
        let ticks = Ticks { captured: None, next: Instant::now() };
        let noted = PacketNotes { needs: reader.needs.clone(), ..PacketNotes::default() };
        let is_verbose = reader.diagnostics.is_verbose();
        let counts =
            CaptureCounts::new(reader.needs.names.clone(), Rc::clone(&noted.cut), is_verbose);
        let done = Done::default();
        CaptureReader { follower, before: None, ticks, counts, noted, position: 0, done }
    }

    /// Reads a capture that is in memory.
    pub fn read(&mut self, reader: &mut InputReader<'_>, file: &[u8]) -> Result<(), InputFailure> {
        reader.diagnostics.progress.begin(file.len() as u64);
        let end = match Capture::new(file) {
            Ok(mut capture) => {
                if self.read_divided(reader, file, capture.clone())?
                    || self.catch_up(reader, &mut capture)
                {
                    return Ok(());
                }
                self.read_packets(reader, &mut capture)?
            }
            Err(error) => Err(ReadError::Damaged(error)),
        };
        self.noted.end(reader, end, file.is_empty())
    }

    /// Reads a capture with several threads, each of which follows some of the connections. Returns
    /// false if one thread has to follow all.
    fn read_divided(
        &mut self,
        reader: &mut InputReader<'_>,
        file: &[u8],
        capture: Capture<'_>,
    ) -> Result<bool, InputFailure> {
        let CaptureReader { counts, noted, position, done, .. } = self;
        if counts.is_in_order(reader) {
            return Ok(false);
        }
        let Some(division) = divided::division(reader) else { return Ok(false) };
        // The threads may need the time of the first packet.
        let first = capture.flatten().find_map(|packet| packet.time);
        noted.needs.first.note(first);
        let (end, is_empty) = (Ok(()), file.is_empty());
        let mut pieces = NotedPieces { noted, position, done, end, is_empty };
        let shares = Share::divide(division.threads).into_iter();
        let options = shares.map(|share| options(reader).with_share(share)).collect();
        divided::read((reader, counts), file, &division, options, &mut pieces)
    }

    /// Counts the messages of the packets that several threads have read before one has to read the file
    /// instead: what the threads have counted cannot be used. Everything else was passed on. Returns
    /// whether nothing is left to read.
    fn catch_up(&mut self, reader: &mut InputReader<'_>, capture: &mut Capture<'_>) -> bool {
        let CaptureReader { follower, done, .. } = self;
        let division = divided::division(reader);
        let Some(division) = division.filter(|it| it.joining == Joining::Counts) else {
            return false;
        };
        let mut part = (division.begin)();
        let mut counts = ThreadCounts::default();
        let mut take = |mut events: Events<'_, '_>| {
            while let Some(event) = events.next() {
                counts.take(&event, &mut *part, reader.selection, false);
            }
        };
        let Done { packets, is_ended, .. } = mem::take(done);
        for packet in (0..packets).map_while(|_| Iterator::next(capture)?.ok()) {
            take(follower.packet(&packet));
        }
        if is_ended {
            take(follower.finish());
        }
        reader.sink.merge(vec![part.finish()], &ConnectionNumbers::new(), true);
        is_ended
    }

    /// Reads a capture that arrives in pieces: the sink gets the messages of a packet before the
    /// reader waits for the next packet. After another capture, the packets continue where that one
    /// ended.
    pub fn read_stream(
        &mut self,
        reader: &mut InputReader<'_>,
        buffer: InputBuffer,
    ) -> Result<(), InputFailure> {
        let mut packets = PacketReader::new(buffer);
        if let Some(before) = &self.before {
            packets = packets.after(before);
        }
        loop {
            let has_bytes = packets.get_mut().reach(1, &mut || reader.idle());
            let result = has_bytes.and_then(|has_bytes| {
                let end = self.read_packets(reader, &mut packets)?;
                self.noted.end(reader, end, !has_bytes)
            });
            let is_restarted = result.is_ok() && packets.get_mut().restart();
            let buffer = mem::replace(packets.get_mut(), InputBuffer::whole(Vec::new()));
            if !is_restarted {
                self.before = Some(packets);
                return result;
            }
            reader.restarted();
            packets = PacketReader::new(buffer).after(&packets);
        }
    }

    /// The time of the first packet after the last call.
    pub fn take_begin(&mut self) -> Option<Time> {
        self.noted.began.take()
    }

    /// Reads packets, of a live stream as they arrive, and returns why there are no more.
    fn read_packets(
        &mut self,
        reader: &mut InputReader<'_>,
        packets: &mut impl PacketSource,
    ) -> Result<Result<(), ReadError>, InputFailure> {
        let is_live = packets.is_live();
        let CaptureReader { follower, ticks, counts, noted, position, done, .. } = self;
        let mut end = Ok(());
        pass_on(counts, reader, is_live, |emit| {
            loop {
                let taken = packets.next(|at, packet| {
                    *position = at;
                    ticks.captured = packet.time;
                    if done.packets > 0 {
                        done.packets -= 1;
                    } else {
                        noted.packet(packet);
                    }
                    let mut events = follower.packet(packet);
                    done.skip(&mut events);
                    emit(at, Some(events))
                });
                let is_waiting = match taken {
                    Ok(Some(passed)) => {
                        passed?;
                        if let Some(watch) = &noted.needs.watch {
                            watch.followed(follower);
                        }
                        false
                    }
                    // The user pressed Ctrl-C, or nothing more has arrived.
                    Err(ReadError::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                        if !is_live {
                            return Ok(());
                        }
                        true
                    }
                    result => {
                        end = result.map(drop);
                        return Ok(());
                    }
                };
                if is_live && ticks.is_due() {
                    emit(*position, Some(follower.tick(Time::now())))?;
                }
                if is_waiting {
                    if let Some(watch) = &noted.needs.watch {
                        watch.followed(follower);
                    }
                    emit(*position, None)?;
                    if !packets.wait() {
                        return Ok(());
                    }
                }
            }
        })?;
        Ok(end)
    }

    /// Passes on the events that the follower still holds, and reports losses and packets that were
    /// not decoded, unless the output has failed. Returns how reading ended.
    pub fn finish(
        mut self,
        reader: &mut InputReader<'_>,
        result: Result<(), InputFailure>,
    ) -> Result<(), InputFailure> {
        if matches!(result, Err(InputFailure::Output(_))) {
            return result;
        }
        let CaptureReader { follower, counts, position, .. } = &mut self;
        let position = *position;
        pass_on(counts, reader, false, |emit| emit(position, Some(follower.finish())))?;
        self.counts.conclude(reader);
        if !self.noted.has_any {
            reader.diagnostics.warning(&reader.name, &"the capture has no packets");
        }
        result
    }
}

/// The packets of a capture, in memory or from a stream.
trait PacketSource {
    /// Passes the next packet to `take`, with the position after it in bytes (0 in a stream); none at the
    /// end. The error [`ErrorKind::WouldBlock`] says that nothing more has arrived, or that the user
    /// pressed Ctrl-C.
    fn next<T>(
        &mut self,
        take: impl FnOnce(u64, &CapturedPacket<'_>) -> T,
    ) -> Result<Option<T>, ReadError>;

    fn is_live(&mut self) -> bool {
        false
    }

    /// Waits briefly for more of a live stream. Returns false if there is nothing to wait for.
    fn wait(&mut self) -> bool {
        false
    }
}

impl PacketSource for Capture<'_> {
    #[inline]
    fn next<T>(
        &mut self,
        take: impl FnOnce(u64, &CapturedPacket<'_>) -> T,
    ) -> Result<Option<T>, ReadError> {
        if interrupt::is_requested() {
            return Err(ReadError::Io(ErrorKind::WouldBlock.into()));
        }
        match Iterator::next(self) {
            Some(Ok(packet)) => Ok(Some(take(Capture::position(self), &packet))),
            Some(Err(error)) => Err(ReadError::Damaged(error)),
            None => Ok(None),
        }
    }
}

impl PacketSource for PacketReader<InputBuffer> {
    #[inline]
    fn next<T>(
        &mut self,
        take: impl FnOnce(u64, &CapturedPacket<'_>) -> T,
    ) -> Result<Option<T>, ReadError> {
        Ok(self.next_packet()?.map(|packet| take(0, &packet)))
    }

    fn is_live(&mut self) -> bool {
        self.get_mut().is_live()
    }

    fn wait(&mut self) -> bool {
        self.get_mut().wait()
    }
}

/// Decides when to call [`Follower::tick`], so that no connection of live traffic waits long to be
/// recognized. For an older capture this is not done, so its results do not depend on how fast it is
/// read.
struct Ticks {
    /// When the last packet was captured, and when the next tick is due.
    captured: Option<Time>,
    next: Instant,
}

impl Ticks {
    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let is_due = now >= self.next && self.captured.is_some_and(is_now);
        if is_due {
            self.next = now.checked_add(TICK).unwrap_or(now);
        }
        is_due
    }
}

/// Facts about packets, noted before their events are handled.
#[derive(Default)]
struct PacketNotes {
    /// The time of the first packet, to which other times may be relative, and the last packets for
    /// commands that show them.
    needs: Needs,
    cut: Rc<RefCell<CutFlows>>,
    /// Whether there is a packet, or damage in the place of one.
    has_any: bool,
    /// When the file began that is read, if the capture has several.
    began: Option<Time>,
}

impl PacketNotes {
    /// Reports why there are no more packets.
    fn end(
        &mut self,
        reader: &mut InputReader<'_>,
        end: Result<(), ReadError>,
        is_empty: bool,
    ) -> Result<(), InputFailure> {
        self.has_any |= end.is_err();
        let error = match end {
            Err(ReadError::Damaged(error)) => error,
            Err(ReadError::Io(error)) => return Err(InputFailure::Input(error)),
            _ => return Ok(()),
        };
        if error.frame.is_some() || error.problem != Problem::UnknownFormat {
            return damage(reader, &error);
        }
        let problem = match is_empty {
            true => "the input is empty, not a capture".to_owned(),
            false => reader.with_hint(error.problem.to_string()),
        };
        reader.diagnostics.unreadable(&reader.name, &problem);
        Ok(())
    }

    fn packet(&mut self, packet: &CapturedPacket<'_>) {
        self.has_any = true;
        self.began = self.began.or(packet.time);
        self.needs.first.note(packet.time);
        if let Some(recent) = &self.needs.recent {
            recent.borrow_mut().note(packet);
        }
        if let Some(watch) = &self.needs.watch {
            watch.packet(packet);
        }
        if packet.is_cut() {
            self.cut.borrow_mut().packet(packet);
        }
    }
}

/// Notes the packets of a capture whose connections several threads follow.
struct NotedPieces<'n> {
    noted: &'n mut PacketNotes,
    position: &'n mut u64,
    done: &'n mut Done,
    /// Why there are no more packets.
    end: Result<(), ReadError>,
    is_empty: bool,
}

impl NotedPieces<'_> {
    /// Notes the packets of the next piece, before their events are passed on.
    fn note(&mut self, reader: &mut InputReader<'_>, packets: &PiecePackets<'_>) {
        let PiecePackets { count, position, cut, damage } = packets;
        self.noted.has_any |= *count > 0;
        cut.iter().for_each(|packet| self.noted.packet(packet));
        (*self.position, self.done.packets) = (*position, self.done.packets + count);
        if let Some(damage) = damage {
            self.end = Err(ReadError::Damaged(*damage));
        }
        reader.diagnostics.progress.show(*self.position);
    }

    /// Notes how many events were passed on.
    fn passed(&mut self, events: u64) {
        self.done.events += events;
    }

    /// Reports how the file has ended, before the events of the end.
    fn end(&mut self, reader: &mut InputReader<'_>) -> Result<(), InputFailure> {
        self.done.is_ended = true;
        let end = mem::replace(&mut self.end, Ok(()));
        self.noted.end(reader, end, self.is_empty)
    }
}

/// Whether a packet was captured within the last [`RECENT`].
fn is_now(captured: Time) -> bool {
    let now = Time::now();
    now.since(captured).max(captured.since(now)) < RECENT
}

/// The options for the follower.
fn options<'r>(reader: &InputReader<'r>) -> Options<'r> {
    let filters = reader.filters;
    let mut options = Options::new().with_limits(reader.args.limits.limits());
    if filters.names_ends() {
        options = options.with_filter(|src, dst| filters.admits(src, dst));
    }
    if !reader.is_auto {
        options = options.with_dialect(reader.dialect);
    } else if reader.args.double {
        options = options.with_double_reals();
    }
    if let Some(names) = &reader.needs.names {
        options = options.with_names(names.clone());
        options = options.with_evidence(reader.needs.evidence.clone());
    }
    if reader.needs.measures {
        options = options.with_measures();
    }
    match filters.transport.named() {
        Some(transport) => options.with_transport(transport),
        None => options,
    }
}

/// Collects the evidence about names in one capture, in one or more files. Only regular files can
/// be read twice. Problems are reported when the files are read for their messages.
pub fn look_ahead(reader: &mut InputReader<'_>, files: &[PathBuf]) {
    reader.needs.evidence = Arc::default();
    if reader.needs.names.as_ref().is_none_or(|names| names.project().is_none()) {
        return;
    }
    let mut follower = Follower::with_options(options(reader));
    let most = reader.needs.ahead.unwrap_or(u64::MAX);
    let (mut before, mut position) = (None, 0_u64);
    'files: for path in files.iter().filter(|path| path.is_file()) {
        let content = OpenedInput::open(path).and_then(OpenedInput::into_stream);
        let Ok(stream) = content else { continue };
        let mut packets = PacketReader::new(InputBuffer::new(stream));
        if let Some(before) = &before {
            packets = packets.after(before);
        }
        while let Ok(Some(packet)) = packets.next_packet() {
            if position > most || interrupt::is_requested() {
                break 'files;
            }
            position += packet.data.len() as u64;
            take_all(follower.packet(&packet));
        }
        before = Some(packets);
    }
    take_all(follower.finish());
    reader.needs.evidence = follower.evidence();
}

/// Takes all events, because the names in an event are noted only after it is taken.
fn take_all(mut events: Events<'_, '_>) {
    while events.next().is_some() {}
}
