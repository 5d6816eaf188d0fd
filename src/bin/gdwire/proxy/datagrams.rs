//! Forwards UDP.
//!
//! One thread waits for datagrams of the clients, and one for each client for those of the server.
//! They pass them to one thread that decides what happens to each, and sends it when its time has
//! come.

use super::conditions::Ways;
use super::meaning::{Meaning, Verdict};
use super::taps::{ProxyEnd, Taps};
use super::{Server, Stop, Way};
use crate::opened::reason;
use crate::terminal::number;
use gdwire::measure::Histogram;
use gdwire::net::conditions::{Fate, Link};
use gdwire::packet::UdpDatagram;
use socket2::SockRef;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How many datagrams may wait to be looked at. Others wait in the sockets.
const ARRIVED: usize = 4_096;

/// How many clients there may be, and how many bytes may be on their way.
pub const CLIENTS: usize = 4_096;
const ON_THE_WAY: usize = 256 << 20;

/// A client that has been silent for so long, and to which the server is silent, is forgotten.
const SILENCE: Duration = Duration::from_secs(60);

/// The longest time between two checks whether forwarding has ended.
const STEP: Duration = Duration::from_millis(20);

const LONGEST_DATAGRAM: usize = 1 << 16;

/// The IP and UDP headers, which count for the rate.
const HEADERS: usize = 28;

/// The proxy asks the system for this many bytes of room for datagrams that wait. Linux gives 208 KiB by
/// itself: 10,000 small datagrams a second fill them in 30 milliseconds.
const RECEIVED: usize = 4 << 20;

/// Opens the socket that clients send to.
pub fn listen(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(address)?;
    // Linux takes as much as it allows. If another system refuses, its own size remains.
    SockRef::from(&socket).set_recv_buffer_size(RECEIVED).ok();
    Ok(socket)
}

/// Opens a socket that can send to an address.
pub fn any(to: IpAddr) -> io::Result<UdpSocket> {
    let own: IpAddr = match to {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    UdpSocket::bind((own, 0))
}

pub struct Datagrams {
    /// The socket that clients send to.
    socket: Arc<UdpSocket>,
    listen: SocketAddr,
    to: SocketAddr,
    server: Arc<Server>,
    ways: Ways,
    seed: u64,
    /// The numbers of the clients that are affected; all if there are none.
    affected: Vec<usize>,
    taps: Taps,
    start: Instant,
    clients: HashMap<SocketAddr, ProxyClient>,
    /// How many clients there have been.
    count: usize,
    waiting: BinaryHeap<Reverse<DelayedDatagram>>,
    /// The bytes of datagrams that wait, and how many there have been.
    bytes: usize,
    order: u64,
    summary: ForwardedCounts,
}

struct ProxyClient {
    number: usize,
    /// The socket that stands for the client at the server.
    socket: Arc<UdpSocket>,
    local: SocketAddr,
    up: Link,
    down: Link,
    /// When the client last sent something, in milliseconds since the start.
    heard: Arc<AtomicU64>,
}

/// Something that a thread has received, and when.
enum Arrived {
    Up {
        client: SocketAddr,
        at: Instant,
        bytes: Vec<u8>,
    },
    Down {
        client: SocketAddr,
        number: usize,
        at: Instant,
        bytes: Vec<u8>,
    },
    /// The server and this client have been silent.
    Silent {
        client: SocketAddr,
        number: usize,
    },
}

/// A datagram that is on its way. The first one is that which arrives first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct DelayedDatagram {
    due: Duration,
    order: u64,
    way: Way,
    client: SocketAddr,
    bytes: Arc<[u8]>,
}

/// Counts of the datagrams of one way, by what happened to them.
#[derive(Default)]
struct Counts {
    received: u64,
    sent: u64,
    lost: u64,
    full: u64,
    doubled: u64,
    dropped: u64,
    delayed: u64,
}

/// Counts of the forwarded datagrams.
#[derive(Default)]
pub struct ForwardedCounts {
    up: Counts,
    down: Counts,
    /// How much later than asked datagrams were sent, in nanoseconds.
    own: Histogram,
    skipped: u64,
    refused: u64,
    pub problems: Vec<String>,
}

impl Datagrams {
    pub fn new(
        socket: UdpSocket,
        server: Arc<Server>,
        ways: Ways,
        seed: u64,
        affected: &[usize],
        taps: Taps,
    ) -> Datagrams {
        let to = server.address;
        let listen = socket.local_addr().unwrap_or(to);
        Datagrams {
            socket: Arc::new(socket),
            listen,
            to,
            server,
            ways,
            seed,
            affected: affected.to_vec(),
            taps,
            start: Instant::now(),
            clients: HashMap::new(),
            count: 0,
            waiting: BinaryHeap::new(),
            bytes: 0,
            order: 0,
            summary: ForwardedCounts::default(),
        }
    }

    /// Forwards until the end has come.
    pub fn forward(mut self, mut meaning: Option<Meaning>, end: &Stop) -> ForwardedCounts {
        let (sender, arrived) = sync_channel(ARRIVED);
        let listening = (Arc::clone(&self.socket), sender.clone());
        thread::spawn(move || receive_from_clients(&listening.0, &listening.1));
        while !end.has_come() {
            self.wait(&arrived, &sender, meaning.as_mut());
            self.send_due();
        }
        let (skipped, failed) = self.taps.end();
        self.summary.skipped = skipped;
        self.summary.problems.extend(failed);
        self.summary.problems.extend(meaning.and_then(Meaning::into_failure));
        self.summary
    }

    /// Waits for a datagram until the next one has to be sent.
    fn wait(
        &mut self,
        arrived: &Receiver<Arrived>,
        sender: &SyncSender<Arrived>,
        mut meaning: Option<&mut Meaning>,
    ) {
        let now = self.start.elapsed();
        let next = self.waiting.peek().map(|Reverse(next)| next.due.saturating_sub(now));
        match arrived.recv_timeout(next.unwrap_or(STEP).min(STEP)) {
            Ok(first) => {
                // Those that have arrived meanwhile are looked at before anything is sent.
                let more = arrived.try_iter().take(ARRIVED).collect::<Vec<_>>();
                for it in [first].into_iter().chain(more) {
                    self.take(it, sender, meaning.as_deref_mut());
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
    }

    fn take(
        &mut self,
        arrived: Arrived,
        sender: &SyncSender<Arrived>,
        meaning: Option<&mut Meaning>,
    ) {
        let (way, client, at, bytes) = match arrived {
            Arrived::Up { client, at, bytes } => {
                if !self.clients.contains_key(&client) && !self.admit(client, sender) {
                    return;
                }
                (Way::Up, client, at, bytes)
            }
            Arrived::Down { client, number, at, bytes } => {
                if self.clients.get(&client).is_none_or(|it| it.number != number) {
                    return;
                }
                (Way::Down, client, at, bytes)
            }
            Arrived::Silent { client, number } => {
                if self.clients.get(&client).is_some_and(|it| it.number == number) {
                    self.clients.remove(&client);
                }
                return;
            }
        };
        self.push(way, client, at, &bytes, meaning);
    }

    /// Decides the fate of a datagram.
    fn push(
        &mut self,
        way: Way,
        address: SocketAddr,
        at: Instant,
        bytes: &[u8],
        meaning: Option<&mut Meaning>,
    ) {
        let now = at.saturating_duration_since(self.start);
        let Some(client) = self.clients.get_mut(&address) else { return };
        let is_affected = self.affected.is_empty() || self.affected.contains(&client.number);
        let counts = self.summary.of(way);
        counts.received += 1;
        // The ends as the clients see them.
        let (src, dst, link) = match way {
            Way::Up => {
                client.heard.store(milliseconds(now), Ordering::Relaxed);
                (address, self.listen, &mut client.up)
            }
            Way::Down => (self.listen, address, &mut client.down),
        };
        let time = match way {
            Way::Up => self.taps.datagram(ProxyEnd::Client, at, (src, dst), bytes),
            Way::Down => self.taps.datagram(ProxyEnd::Server, at, (self.to, client.local), bytes),
        };
        let mut verdict = Verdict::Pass;
        if let Some(meaning) = meaning {
            verdict = meaning.judge(time, &UdpDatagram::new(src, dst, bytes));
        }
        // The link decides about each datagram, so that later decisions stay the same.
        let len = bytes.len().saturating_add(HEADERS);
        let fate = if is_affected {
            link.send(now, len)
        } else {
            verdict = Verdict::Pass;
            Fate::Delivered { at: now, again: None }
        };
        let (at, again) = match fate {
            _ if verdict == Verdict::Drop => {
                counts.dropped += 1;
                return;
            }
            Fate::Full => {
                counts.full += 1;
                return;
            }
            Fate::Delivered { at, again } => (at, again),
            _ => {
                counts.lost += 1;
                return;
            }
        };
        let late = match verdict {
            Verdict::Delay(late) => {
                counts.delayed += 1;
                late
            }
            _ => Duration::ZERO,
        };
        if self.bytes.saturating_add(size(bytes)) > ON_THE_WAY {
            counts.full += 1;
            return;
        }
        counts.doubled += u64::from(again.is_some());
        let bytes: Arc<[u8]> = bytes.into();
        for due in [Some(at), again].into_iter().flatten() {
            self.order += 1;
            self.bytes = self.bytes.saturating_add(size(&bytes));
            let (due, order, bytes) = (due.saturating_add(late), self.order, Arc::clone(&bytes));
            self.waiting.push(Reverse(DelayedDatagram { due, order, way, client: address, bytes }));
        }
    }

    /// Sends the datagrams whose time has come.
    fn send_due(&mut self) {
        loop {
            let now = self.start.elapsed();
            if self.waiting.peek().is_none_or(|Reverse(next)| next.due > now) {
                return;
            }
            let Some(Reverse(DelayedDatagram { due, way, client: address, bytes, .. })) =
                self.waiting.pop()
            else {
                return;
            };
            self.bytes = self.bytes.saturating_sub(size(&bytes));
            let Some(client) = self.clients.get(&address) else { continue };
            let at = Instant::now();
            let result = match way {
                Way::Up => {
                    self.taps.datagram(ProxyEnd::Server, at, (client.local, self.to), &bytes);
                    client.socket.send(&bytes)
                }
                Way::Down => {
                    self.taps.datagram(ProxyEnd::Client, at, (self.listen, address), &bytes);
                    self.socket.send_to(&bytes, address)
                }
            };
            // A server or client that is not there is no problem of the proxy.
            if let Err(error) = result {
                if error.kind() != ErrorKind::ConnectionRefused {
                    let problem = format!("a datagram could not be sent: {}", reason(&error));
                    if !self.summary.problems.contains(&problem) {
                        self.summary.problems.push(problem);
                    }
                } else if way == Way::Up {
                    self.server.miss(&error);
                }
            }
            self.summary.of(way).sent += 1;
            let own = self.start.elapsed().saturating_sub(due);
            self.summary.own.add(u64::try_from(own.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    /// Makes a socket for a new client, and returns whether there is one.
    fn admit(&mut self, address: SocketAddr, sender: &SyncSender<Arrived>) -> bool {
        if self.clients.len() >= CLIENTS {
            self.summary.refused += 1;
            return false;
        }
        let number = self.count.saturating_add(1);
        let heard = Arc::new(AtomicU64::new(milliseconds(self.start.elapsed())));
        let connect = || -> io::Result<ProxyClient> {
            let socket = any(self.to.ip())?;
            socket.connect(self.to)?;
            socket.set_read_timeout(Some(SILENCE))?;
            let local = socket.local_addr()?;
            // Each client and way has random numbers of its own.
            let seed = self.seed.wrapping_add((number as u64).wrapping_mul(2) << 32);
            let up = Link::new(self.ways.up, seed);
            let down = Link::new(self.ways.down, seed.wrapping_add(1 << 32));
            let socket = Arc::new(socket);
            let (read, listening) = (Arc::clone(&socket), Arc::clone(&heard));
            let (start, server, sender) = (self.start, Arc::clone(&self.server), sender.clone());
            thread::Builder::new().spawn(move || {
                let of = (address, number);
                receive_from_server(&read, &server, of, (start, &listening), &sender);
            })?;
            Ok(ProxyClient { number, socket, local, up, down, heard })
        };
        match connect() {
            Ok(client) => {
                self.count = number;
                self.clients.insert(address, client);
                true
            }
            Err(error) => {
                self.summary.refused += 1;
                let problem = format!("a client is refused: {}", reason(&error));
                if !self.summary.problems.contains(&problem) {
                    self.summary.problems.push(problem);
                }
                false
            }
        }
    }
}

/// How much memory a datagram takes while it waits.
const fn size(bytes: &[u8]) -> usize {
    bytes.len().saturating_add(size_of::<DelayedDatagram>())
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn receive_from_clients(socket: &UdpSocket, sender: &SyncSender<Arrived>) {
    let mut buffer = vec![0; LONGEST_DATAGRAM];
    loop {
        // An error is about a datagram that was sent before, to a client that has gone.
        let Ok((len, client)) = socket.recv_from(&mut buffer) else { continue };
        let at = Instant::now();
        let bytes = buffer.get(..len).unwrap_or(&[]).to_vec();
        if sender.send(Arrived::Up { client, at, bytes }).is_err() {
            return;
        }
    }
}

fn receive_from_server(
    socket: &UdpSocket,
    server: &Server,
    (client, number): (SocketAddr, usize),
    (start, heard): (Instant, &AtomicU64),
    sender: &SyncSender<Arrived>,
) {
    let mut buffer = vec![0; LONGEST_DATAGRAM];
    loop {
        let arrived = match socket.recv(&mut buffer) {
            Ok(len) => {
                let bytes = buffer.get(..len).unwrap_or(&[]).to_vec();
                Arrived::Down { client, number, at: Instant::now(), bytes }
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                let heard = Duration::from_millis(heard.load(Ordering::Relaxed));
                if start.elapsed().saturating_sub(heard) < SILENCE {
                    continue;
                }
                sender.send(Arrived::Silent { client, number }).ok();
                return;
            }
            // The server is not there, or not yet.
            Err(error) => {
                if error.kind() == ErrorKind::ConnectionRefused {
                    server.miss(&error);
                }
                continue;
            }
        };
        if sender.send(arrived).is_err() {
            return;
        }
    }
}

impl ForwardedCounts {
    const fn of(&mut self, way: Way) -> &mut Counts {
        match way {
            Way::Up => &mut self.up,
            Way::Down => &mut self.down,
        }
    }

    /// The counts, in lines for people.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (counts, way) in [(&self.up, "to the server"), (&self.down, "to the clients")] {
            if counts.received == 0 {
                continue;
            }
            let mut line = format!("{} {way}", number(counts.received, "datagram"));
            for (count, what) in [
                (counts.lost, "lost"),
                (counts.full, "dropped because of the rate"),
                (counts.doubled, "sent twice"),
                (counts.dropped, "dropped because of --drop-where"),
                (counts.delayed, "delayed because of --delay-where"),
            ] {
                if count > 0 {
                    line += &format!(", {count} {what}");
                }
            }
            lines.push(line);
        }
        if let (Some(half), Some(most)) = (self.own.quantile(0.5), self.own.quantile(0.99)) {
            let [half, most] = [half, most].map(|nanoseconds| nanoseconds as f64 / 1e6);
            lines.push(format!(
                "the proxy's own delay: at most {half:.2} ms for 50 % of the datagrams, {most:.2} ms \
                 for 99 %"
            ));
        }
        if self.refused > 0 {
            lines.push(format!(
                "{} of clients too many were dropped",
                number(self.refused, "datagram")
            ));
        }
        if self.skipped > 0 {
            let packets = number(self.skipped, "packet");
            lines.push(format!("{packets} were forwarded, but not shown: the output is too slow"));
        }
        lines
    }
}
