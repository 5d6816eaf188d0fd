//! Reads captures: passes their messages to the sink, and reports and counts everything else.

use super::cut::CutFlows;
use super::events::{Counts, damage, events, pass_on};
use crate::input::Failure;
use crate::input::buffer::Buffer;
use crate::input::reader::Reader;
use crate::interrupt;
use crate::sink::Needs;
use gdwire::capture::{
    Capture, Error, Event, Options, Packet, PacketReader, Problem, ReadError, Time,
};
use gdwire::follow::Follower;
use std::cell::RefCell;
use std::io::ErrorKind;
use std::mem;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The time between two ticks of the follower while it reads live traffic.
const TICK: Duration = Duration::from_millis(100);

/// Traffic is live if its last packet is at most this old.
const RECENT: Duration = Duration::from_secs(60);

/// Reads a capture.
pub(crate) struct CaptureReader<'f> {
    follower: Follower<'f>,
    /// The file before, if several are read as one capture.
    before: Option<PacketReader<Buffer>>,
    /// When the last packet was captured, and when the next tick is due.
    captured: Option<Time>,
    next_tick: Instant,
    counts: Counts,
    noted: Noted,
    /// How many bytes of a file have been read.
    position: u64,
}

impl<'f> CaptureReader<'f> {
    pub(crate) fn new(reader: &Reader<'f>) -> CaptureReader<'f> {
        reader.needs.first.begin();
        let follower = Follower::with_options(options(reader));
        let (captured, next_tick) = (None, Instant::now());
        let noted = Noted { needs: reader.needs.clone(), ..Noted::default() };
        let is_verbose = reader.diagnostics.is_verbose();
        let counts = Counts::new(reader.needs.names.clone(), Rc::clone(&noted.cut), is_verbose);
        CaptureReader { follower, before: None, captured, next_tick, counts, noted, position: 0 }
    }

    /// Reads a capture that is in memory.
    pub(crate) fn read(&mut self, reader: &mut Reader<'_>, file: &[u8]) -> Result<(), Failure> {
        reader.diagnostics.progress.begin(file.len() as u64);
        let mut packets = match Capture::new(file) {
            Ok(packets) => packets,
            Err(error) => {
                self.noted.has_any = true;
                return damaged(reader, &error, file.is_empty());
            }
        };
        let CaptureReader { follower, counts, noted, position, .. } = self;
        let mut damage = None;
        pass_on(counts, reader, |emit| {
            while let Some(packet) = packets.next() {
                if interrupt::is_requested() {
                    return Ok(());
                }
                match packet {
                    Ok(packet) => {
                        *position = packets.position();
                        noted.packet(&packet);
                        emit(*position, follower.packet(&packet))?;
                    }
                    Err(error) => {
                        noted.has_any = true;
                        damage = Some(error);
                    }
                }
            }
            Ok(())
        })?;
        match damage {
            Some(error) => self.counts.take(reader, Event::Damaged(error)),
            None => Ok(()),
        }
    }

    /// Reads a capture that arrives in pieces: the sink gets the messages of a packet before the
    /// reader waits for the next packet. After another capture, the packets continue where that one
    /// ended.
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
        self.noted.has_any |= end.is_err();
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

    /// Reads packets as they arrive, and returns why there are no more.
    fn read_live(
        &mut self,
        reader: &mut Reader<'_>,
        packets: &mut PacketReader<Buffer>,
    ) -> Result<Result<(), ReadError>, Failure> {
        loop {
            match packets.next_packet() {
                Ok(Some(packet)) => {
                    self.captured = packet.time;
                    self.noted.packet(&packet);
                    events(&mut self.counts, reader, self.follower.packet(&packet))?;
                    self.counts.explain_ids(reader);
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

    /// Calls [`Follower::tick`], so that no connection waits long to be recognized. For an older
    /// capture this is not done, so its results do not depend on how fast it is read.
    fn tick(&mut self, reader: &mut Reader<'_>) -> Result<(), Failure> {
        let now = Instant::now();
        if now < self.next_tick || !self.captured.is_some_and(is_now) {
            return Ok(());
        }
        self.next_tick = now.checked_add(TICK).unwrap_or(now);
        events(&mut self.counts, reader, self.follower.tick(Time::now()))
    }

    /// Reads the packets of a file, and returns why there are no more.
    fn read_file(
        &mut self,
        reader: &mut Reader<'_>,
        packets: &mut PacketReader<Buffer>,
    ) -> Result<Result<(), ReadError>, Failure> {
        let CaptureReader { follower, counts, noted, position, .. } = self;
        let mut end = Ok(());
        pass_on(counts, reader, |emit| {
            loop {
                match packets.next_packet() {
                    Ok(Some(packet)) => {
                        noted.packet(&packet);
                        emit(*position, follower.packet(&packet))?;
                    }
                    // The user pressed Ctrl-C.
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

    /// Passes on the events that the follower still holds, and reports what was lost or not
    /// decoded.
    pub(crate) fn finish(mut self, reader: &mut Reader<'_>) -> Result<(), Failure> {
        let CaptureReader { follower, counts, position, .. } = &mut self;
        let position = *position;
        pass_on(counts, reader, |emit| emit(position, follower.finish()))?;
        self.counts.conclude(reader);
        if !self.noted.has_any {
            reader.diagnostics.warning(&reader.name, &"the capture has no packets");
        }
        Ok(())
    }
}

/// Facts about packets, noted before their events are handled.
#[derive(Default)]
struct Noted {
    /// The time of the first packet, to which other times may be relative, and the last packets for
    /// commands that show them.
    needs: Needs,
    cut: Rc<RefCell<CutFlows>>,
    /// Whether there is a packet, or damage in the place of one.
    has_any: bool,
}

impl Noted {
    fn packet(&mut self, packet: &Packet<'_>) {
        self.has_any = true;
        self.needs.first.note(packet.time);
        if let Some(recent) = &self.needs.recent {
            recent.borrow_mut().note(packet);
        }
        if packet.is_cut() {
            self.cut.borrow_mut().packet(packet);
        }
    }
}

/// Whether a packet was captured within the last [`RECENT`].
fn is_now(captured: Time) -> bool {
    let now = Time::now();
    now.since(captured).max(captured.since(now)) < RECENT
}

/// The options for the follower.
pub(super) fn options<'r>(reader: &Reader<'r>) -> Options<'r> {
    let filters = reader.filters;
    let mut options = Options::new().with_limits(reader.limits);
    if filters.names_ends() {
        options = options.with_filter(|src, dst| filters.admits(src, dst));
    }
    if !reader.is_auto {
        options = options.with_dialect(reader.dialect);
    } else if reader.is_double {
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
