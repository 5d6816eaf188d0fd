//! Takes what the inputs pass on: counts messages, keeps and records packets, and lets those of a
//! recording wait until they are due.

use super::clock::ReplayClock;
use super::kept::KeptPackets;
use super::plain::PlainTables;
use crate::args::places::Net;
use crate::args::{Filters, admits_ends};
use crate::interrupt;
use crate::sink::{EventSink, InputSink, PacketWatch, SinkRefusal, Trouble, ValuePlace};
use gdwire::VariantRef;
use gdwire::capture::PacketWriter;
use gdwire::follow::{Events, Follower, Message, Summary};
use gdwire::packet::{CapturedPacket, Payload, Time};
use gdwire::top::Top;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The longest sleep before the clock is read again, as the user may change its speed.
const STEP: Duration = Duration::from_millis(50);

/// How often a recording is written to its file, at least, while packets arrive.
const FLUSH: Duration = Duration::from_millis(500);

/// The most connections whose measurements are read each second.
const MEASURED: usize = 1_024;

/// The traffic so far: the thread that reads the input fills it, and the one that draws shows it.
pub struct SeenTraffic {
    pub top: Top,
    pub kept: KeptPackets,
    pub clock: ReplayClock,
    /// The name of the input.
    pub name: String,
    /// Whether the input has ended.
    pub has_ended: bool,
}

impl SeenTraffic {
    pub fn new(clock: ReplayClock) -> SeenTraffic {
        let (top, kept, name) = (Top::new(), KeptPackets::new(), String::new());
        SeenTraffic { top, kept, clock, name, has_ended: false }
    }

    /// Advances the counts to the present time, and returns it.
    pub fn advance(&mut self) -> Option<Time> {
        let now = self.clock.at(Instant::now())?;
        self.top.advance(now);
        Some(now)
    }
}

/// [`SeenTraffic`], for both threads.
#[derive(Clone)]
pub struct SharedSeen(Arc<Mutex<SeenTraffic>>);

impl SharedSeen {
    pub fn new(clock: ReplayClock) -> SharedSeen {
        SharedSeen(Arc::new(Mutex::new(SeenTraffic::new(clock))))
    }

    pub fn lock(&self) -> MutexGuard<'_, SeenTraffic> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file to which packets are recorded.
pub type Recording = PacketWriter<BufWriter<File>>;

/// The sink of the inputs. Copies are the same.
#[derive(Clone)]
pub struct Feed(Rc<FeedParts>);

struct FeedParts {
    shared: SharedSeen,
    /// The ports and addresses of the packets to record.
    ends: (Vec<u16>, Vec<Net>),
    state: RefCell<FeedState>,
}

struct FeedState {
    recording: Option<Recording>,
    /// Tables in place of a screen.
    tables: Option<PlainTables>,
    /// Whether the event that is passed on is a message that was counted.
    is_counted: bool,
    /// The second in which connections were measured last.
    measured: Option<i64>,
    flushed: Instant,
    /// Why the tables or the recording cannot be written.
    failed: Option<io::Error>,
    /// How many values there were in files that are not captures.
    values: u64,
}

impl Feed {
    pub fn new(
        shared: SharedSeen,
        filters: &Filters,
        recording: Option<Recording>,
        tables: Option<PlainTables>,
    ) -> Feed {
        let (is_counted, measured, failed, values) = (false, None, None, 0);
        let flushed = Instant::now();
        let state = FeedState { recording, tables, is_counted, measured, flushed, failed, values };
        let ends = (filters.port.clone(), filters.host.clone());
        Feed(Rc::new(FeedParts { shared, ends, state: RefCell::new(state) }))
    }

    /// Ends the last second, and writes the rest of the tables and of the recording. Returns how
    /// many values there were in files that are not captures.
    pub fn finish(&self) -> io::Result<u64> {
        let mut state = self.0.state.borrow_mut();
        {
            let seen = &mut *self.0.shared.lock();
            seen.clock.end(Instant::now());
            seen.has_ended = true;
            let now = seen.advance();
            if let (Some(tables), Some(now)) = (&mut state.tables, now) {
                tables.end(&seen.top, now)?;
            }
        }
        if let Some(recording) = &mut state.recording {
            recording.flush()?;
        }
        state.failed.take().map_or(Ok(state.values), Err)
    }

    /// Waits until a packet of a recording is due.
    fn wait(&self, time: Time) {
        loop {
            let wait = self.0.shared.lock().clock.wait(time, Instant::now());
            let Some(wait) = wait.filter(|_| !interrupt::is_requested()) else { return };
            self.pass_time(Some(time));
            thread::sleep(wait.min(STEP));
        }
    }

    /// Lets time pass, and writes the tables of the seconds that are over. In a recording, these are
    /// the seconds before the packet that was read last, even if reading takes longer than it should.
    fn pass_time(&self, last: Option<Time>) {
        let mut state = self.0.state.borrow_mut();
        let seen = &mut *self.0.shared.lock();
        let last = last.filter(|_| seen.clock.speed().is_some());
        let Some(now) = seen.clock.at(Instant::now()) else { return };
        let now = last.map_or(now, |last| now.min(last));
        seen.top.advance(now);
        if let Some(tables) = &mut state.tables
            && let Err(error) = tables.pass(&seen.top, now)
        {
            state.fail(error);
        }
    }

    fn is_recorded(&self, packet: &CapturedPacket<'_>) -> bool {
        let (ports, hosts) = &self.0.ends;
        if ports.is_empty() && hosts.is_empty() {
            return true;
        }
        match packet.payload() {
            Payload::Udp(datagram) => admits_ends(ports, hosts, datagram.src, datagram.dst),
            Payload::Tcp(segment) => admits_ends(ports, hosts, segment.src, segment.dst),
            // It may belong to a datagram that is read.
            Payload::Fragment(_) => true,
            _ => false,
        }
    }
}

impl FeedState {
    /// Stops writing.
    fn fail(&mut self, error: io::Error) {
        (self.recording, self.tables) = (None, None);
        self.failed.get_or_insert(error);
    }

    fn record(&mut self, packet: &CapturedPacket<'_>) {
        let Some(recording) = &mut self.recording else { return };
        let mut result = recording.captured(packet);
        if self.flushed.elapsed() >= FLUSH {
            result = result.and_then(|()| recording.flush());
            self.flushed = Instant::now();
        }
        if let Err(error) = result {
            self.fail(error);
        }
    }
}

impl PacketWatch for Feed {
    fn packet(&self, packet: &CapturedPacket<'_>) {
        if let Some(time) = packet.time {
            self.wait(time);
        }
        {
            let seen = &mut *self.0.shared.lock();
            seen.kept.packet(packet);
            if let Some(time) = packet.time {
                seen.clock.packet(time, Instant::now());
            }
        }
        if self.is_recorded(packet) {
            self.0.state.borrow_mut().record(packet);
        }
        self.pass_time(packet.time);
    }

    fn passed(&self, events: &Events<'_, '_>) {
        if std::mem::take(&mut self.0.state.borrow_mut().is_counted) {
            let seen = &mut *self.0.shared.lock();
            seen.kept.message(seen.top.messages(), events);
        }
    }

    fn followed(&self, follower: &Follower<'_>) {
        let mut state = self.0.state.borrow_mut();
        let second = self.0.shared.lock().top.second();
        if state.measured == second {
            return;
        }
        state.measured = second;
        for summary in follower.connections().take(MEASURED) {
            self.0.shared.lock().top.measured(&summary);
        }
    }
}

impl EventSink for Feed {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        let mut state = self.0.state.borrow_mut();
        self.0.shared.lock().top.message(message);
        state.is_counted = true;
        state.failed.take().map_or(Ok(()), |error| Err(error.into()))
    }
}

impl InputSink for Feed {
    fn begin(&mut self, file: &str) {
        let seen = &mut *self.0.shared.lock();
        file.clone_into(&mut seen.name);
        seen.kept.clear();
        seen.top.next_capture();
    }

    fn value(&mut self, _: ValuePlace, _: VariantRef<'_>) -> Result<(), SinkRefusal> {
        self.0.state.borrow_mut().values += 1;
        Ok(())
    }

    fn trouble(&mut self, trouble: Trouble<'_>) {
        if let Trouble::Lost(loss) = trouble {
            self.0.shared.lock().top.lost(loss);
        }
    }

    fn connection(&mut self, summary: &Summary) {
        if summary.closed().is_some() {
            self.0.shared.lock().top.measured(summary);
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_time(None);
        let mut state = self.0.state.borrow_mut();
        if let Some(recording) = &mut state.recording {
            recording.flush()?;
        }
        state.failed.take().map_or(Ok(()), Err)
    }
}
