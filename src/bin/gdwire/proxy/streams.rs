//! Forwards TCP.
//!
//! TCP loses nothing: data that a bad network loses arrives later. Therefore a part of the stream
//! that the conditions lose arrives after [`STALL`], and everything after it waits.

use super::conditions::Ways;
use super::datagrams::CLIENTS;
use super::taps::{ProxyEnd, Taps};
use super::{Server, Stop, Way};
use crate::terminal::number;
use gdwire::net::conditions::{Fate, Link};
use gdwire::net::tcp::Segment;
use gdwire::packet::TcpSegment;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a stream stands still when a part of it is lost: the shortest time after which Linux
/// sends a segment again.
const STALL: Duration = Duration::from_millis(200);

/// How many bytes are forwarded at once: a segment on Ethernet.
const SEGMENT: usize = 1_448;

/// How many segments may be on their way from one end of a connection, and from all together. The
/// sender of others has to wait.
const ON_THE_WAY: usize = 4_096;
const ALL_ON_THE_WAY: usize = (256 << 20) / SEGMENT;

/// How many more each end may have on their way, so that connections that stand still stop no other.
const FEW: usize = 16;

/// How often new clients are looked for, and room for another segment.
const STEP: Duration = Duration::from_millis(10);

/// How long connecting to the server may take.
const CONNECT: Duration = Duration::from_secs(10);

/// The sequence number of the first byte.
const FIRST: u32 = 1;

#[derive(Clone)]
pub struct StreamForwarder {
    pub taps: Taps,
    pub ways: Ways,
    pub seed: u64,
    pub server: Arc<Server>,
    counts: Arc<StreamCounts>,
    /// How many clients there are, and how many segments are on their way.
    clients: Counter,
    segments: Counter,
}

/// Counts of everything that was forwarded, until now.
#[derive(Default)]
pub struct StreamCounts {
    up: WayCounts,
    down: WayCounts,
    /// How many connections did not reach the server.
    unconnected: AtomicU64,
}

#[derive(Default)]
struct WayCounts {
    bytes: AtomicU64,
    /// How many segments the conditions lost, so that they arrived later.
    lost: AtomicU64,
}

/// Counts the clients or segments that exist at present.
#[derive(Clone, Default)]
struct Counter(Arc<AtomicUsize>);

/// One of those that a counter counts.
struct Counted(Counter);

impl Counter {
    fn one(&self) -> Counted {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted(self.clone())
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One side of a connection: its ends, and the next sequence number of each.
struct RecordedSide {
    taps: Taps,
    counts: Arc<StreamCounts>,
    side: ProxyEnd,
    client: SocketAddr,
    server: SocketAddr,
    next: [AtomicU32; 2],
    _client: Arc<Counted>,
}

/// A part of a stream, and when it arrives; none at the end.
struct Part {
    due: Instant,
    bytes: Vec<u8>,
    _counted: [Counted; 2],
}

impl StreamForwarder {
    pub fn new(taps: Taps, ways: Ways, seed: u64, server: Arc<Server>) -> StreamForwarder {
        let (clients, segments) = (Counter::default(), Counter::default());
        StreamForwarder { taps, ways, seed, server, counts: Arc::default(), clients, segments }
    }

    /// Accepts clients on a thread of its own. The counts grow meanwhile.
    pub fn accept(self, listener: TcpListener, end: Arc<Stop>) -> io::Result<Arc<StreamCounts>> {
        listener.set_nonblocking(true)?;
        let counts = Arc::clone(&self.counts);
        thread::spawn(move || {
            let mut count = 0_u64;
            while !end.has_come() {
                match listener.accept() {
                    Ok(_) if self.clients.count() >= CLIENTS => {
                        let problem = format!("{CLIENTS} clients are connected");
                        self.miss(&io::Error::other(problem));
                    }
                    Ok((client, _)) => {
                        count += 1;
                        let (streams, number) = (self.clone(), count);
                        let counted = self.clients.one();
                        // A connection that fails is closed, as the server would.
                        let connect = move || {
                            if let Err(error) = streams.connect(client, number, counted) {
                                streams.miss(&error);
                            }
                        };
                        if let Err(error) = thread::Builder::new().spawn(connect) {
                            self.miss(&error);
                        }
                    }
                    Err(error) => {
                        // A client that has given up, or a connection that waits until there is room.
                        if !matches!(
                            error.kind(),
                            ErrorKind::WouldBlock
                                | ErrorKind::Interrupted
                                | ErrorKind::ConnectionAborted
                        ) {
                            self.server.miss(&error);
                        }
                        thread::sleep(STEP);
                    }
                }
            }
        });
        Ok(counts)
    }

    /// Counts a connection that did not reach the server.
    fn miss(&self, error: &io::Error) {
        self.counts.unconnected.fetch_add(1, Ordering::Relaxed);
        self.server.miss(error);
    }

    fn connect(&self, client: TcpStream, number: u64, counted: Counted) -> io::Result<()> {
        let counted = Arc::new(counted);
        client.set_nonblocking(false)?;
        let server = TcpStream::connect_timeout(&self.server.address, CONNECT)?;
        for stream in [&client, &server] {
            stream.set_nodelay(true)?;
        }
        let recorded = |side, client, server| {
            let next = [AtomicU32::new(FIRST), AtomicU32::new(FIRST)];
            let (taps, counts) = (self.taps.clone(), Arc::clone(&self.counts));
            let _client = Arc::clone(&counted);
            let recorded = RecordedSide { taps, counts, side, client, server, next, _client };
            recorded.open();
            Arc::new(recorded)
        };
        let at_client = recorded(ProxyEnd::Client, client.peer_addr()?, client.local_addr()?);
        let at_server = recorded(ProxyEnd::Server, server.local_addr()?, server.peer_addr()?);
        let Ways { up, down } = self.ways;
        let seed = self.seed.wrapping_add(number << 40);
        for (way, from, to, conditions) in
            [(Way::Up, &client, &server, up), (Way::Down, &server, &client, down)]
        {
            let (from, to) = (from.try_clone()?, to.try_clone()?);
            let (sender, parts) = channel();
            let counters = [Counter::default(), self.segments.clone()];
            let (near, far) = match way {
                Way::Up => (Arc::clone(&at_client), Arc::clone(&at_server)),
                Way::Down => (Arc::clone(&at_server), Arc::clone(&at_client)),
            };
            let conditions = conditions.with_queue(Duration::MAX);
            let link = Link::new(conditions, seed.wrapping_add(u64::from(way == Way::Down) << 32));
            thread::Builder::new().spawn(move || write(to, way, &far, &parts))?;
            thread::Builder::new()
                .spawn(move || read(from, way, link, &near, &sender, &counters))?;
        }
        Ok(())
    }
}

/// Reads the bytes of one end, and decides when they arrive at the other one.
fn read(
    mut from: TcpStream,
    way: Way,
    mut link: Link,
    near: &RecordedSide,
    sender: &Sender<Part>,
    counters: &[Counter; 2],
) {
    let start = Instant::now();
    let mut latest = start;
    let mut buffer = [0; SEGMENT];
    loop {
        let len = match from.read(&mut buffer) {
            Ok(len) => len,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => 0,
        };
        let at = Instant::now();
        let bytes = buffer.get(..len).unwrap_or(&[]).to_vec();
        near.segment(way, at, &bytes);
        let now = at.saturating_duration_since(start);
        let after = match link.send(now, len.saturating_add(40)) {
            Fate::Delivered { at, .. } => at,
            // The next segment gets the usual delay, but waits for this one.
            _ => {
                near.counts.of(way).lost.fetch_add(1, Ordering::Relaxed);
                now.saturating_add(STALL)
            }
        };
        latest = latest.max(start.checked_add(after).unwrap_or(start));
        let is_end = bytes.is_empty();
        let [own, all] = counters.each_ref().map(|counter| move || counter.count());
        while own() >= ON_THE_WAY || own() >= FEW && all() >= ALL_ON_THE_WAY {
            thread::sleep(STEP);
        }
        let _counted = counters.each_ref().map(Counter::one);
        if sender.send(Part { due: latest, bytes, _counted }).is_err() || is_end {
            return;
        }
    }
}

fn write(mut to: TcpStream, way: Way, far: &RecordedSide, parts: &Receiver<Part>) {
    for Part { due, bytes, _counted } in parts {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        far.segment(way, Instant::now(), &bytes);
        if bytes.is_empty() || to.write_all(&bytes).is_err() {
            break;
        }
        far.counts.of(way).bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }
    to.shutdown(Shutdown::Write).ok();
}

impl StreamCounts {
    const fn of(&self, way: Way) -> &WayCounts {
        match way {
            Way::Up => &self.up,
            Way::Down => &self.down,
        }
    }

    /// The counts, in lines for people.
    pub fn lines(&self) -> Vec<String> {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut lines = Vec::new();
        for (counts, way) in [(&self.up, "to the server"), (&self.down, "to the clients")] {
            let (bytes, lost) = (count(&counts.bytes), count(&counts.lost));
            if bytes == 0 && lost == 0 {
                continue;
            }
            let mut line = format!("{} {way} over TCP", number(bytes, "byte"));
            if lost > 0 {
                line += &format!(", {} late because of a loss", number(lost, "segment"));
            }
            lines.push(line);
        }
        let unconnected = count(&self.unconnected);
        if unconnected > 0 {
            let connections = number(unconnected, "connection");
            lines.push(format!("{connections} over TCP did not reach the server"));
        }
        lines
    }
}

impl RecordedSide {
    const fn ends(&self, way: Way) -> (SocketAddr, SocketAddr) {
        match way {
            Way::Up => (self.client, self.server),
            Way::Down => (self.server, self.client),
        }
    }

    /// Records the handshake.
    fn open(&self) {
        let syn = Segment::new(FIRST.wrapping_sub(1), &[]).with_syn();
        let [opens, answers] = [Way::Up, Way::Down].map(|way| {
            let (src, dst) = self.ends(way);
            TcpSegment::new(src, dst, syn)
        });
        let at = Instant::now();
        self.taps.segment(self.side, at, opens);
        self.taps.segment(self.side, at, answers.with_acknowledgement(FIRST));
    }

    /// Records a part of a stream that was on the wire at an instant; an empty one is its end.
    fn segment(&self, way: Way, at: Instant, payload: &[u8]) {
        let [up, down] = &self.next;
        let (own, other) = if way == Way::Up { (up, down) } else { (down, up) };
        let fin = payload.is_empty();
        let len = u32::try_from(payload.len()).unwrap_or(0).wrapping_add(u32::from(fin));
        let sequence = own.fetch_add(len, Ordering::Relaxed);
        let segment = Segment::new(sequence, payload);
        let segment = if fin { segment.with_fin() } else { segment };
        let (src, dst) = self.ends(way);
        let segment = TcpSegment::new(src, dst, segment);
        let segment = segment.with_acknowledgement(other.load(Ordering::Relaxed));
        self.taps.segment(self.side, at, segment);
    }
}
