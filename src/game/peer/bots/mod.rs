//! Bots: many clients in one thread, to test a server with them.
//!
//! [`Bots`] join one after the other, make the calls of a script, and count what happens. Their sockets
//! do not block, so one thread serves all of them.

mod bot;
mod counts;
mod method;
mod replay;
mod script;
mod wire;

pub use counts::{BotCounts, MethodCounts, NamedCounts};
pub use method::UnknownMethod;
pub use replay::{NewPacket, Replay};
pub use script::{ScriptError, ScriptedCall, parse_rate};

use super::watch::Traffic;
use super::{EnetOptions, ServerAddress, WebSocketOptions};
use crate::game::multiplayer::PeerId;
use crate::game::multiplayer::session::SessionOptions;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::vec::Vec;
use bot::Bot;
use core::cmp::Reverse;
use core::time::Duration;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;
use wire::SocketCounts;

/// A call that is later than this is left out.
const TOO_LATE: Duration = Duration::from_secs(1);

/// How soon a recorded packet is tried again whose receiver has not joined yet.
const RETRY: Duration = Duration::from_millis(10);

/// How often the connections are pinged over WebSocket, to measure round trips.
const PINGS: Duration = Duration::from_millis(500);

/// How long the bots pause for each of them, so that many do not look at their sockets for each
/// datagram alone.
const PAUSE: Duration = Duration::from_micros(1);

/// The options of bots: their server, their number, and the calls that they make.
#[derive(Clone, Debug)]
pub struct BotOptions {
    server: ServerAddress,
    session: SessionOptions,
    enet: EnetOptions,
    websocket: WebSocketOptions,
    count: usize,
    pause: Duration,
    calls: Arc<[ScriptedCall]>,
    replays: Arc<[Replay]>,
    /// How much faster they are than the recording.
    speed: f64,
    seed: u64,
    authentication: Option<Box<[u8]>>,
    join_timeout: Duration,
}

impl BotOptions {
    /// One bot for this server. The session says which engine it speaks like, and which names it knows.
    /// Each bot has an id of its own.
    #[must_use]
    pub fn new(server: ServerAddress, session: SessionOptions) -> BotOptions {
        BotOptions {
            server,
            session: session.with_unknown_nodes(),
            enet: EnetOptions::default(),
            websocket: WebSocketOptions::default().with_pings(PINGS),
            count: 1,
            pause: Duration::ZERO,
            calls: Arc::from([]),
            replays: Arc::from([]),
            speed: 1.0,
            seed: 0,
            authentication: None,
            join_timeout: Duration::from_secs(10),
        }
    }

    /// Changes the options of ENet.
    #[must_use]
    pub fn with_enet(self, enet: EnetOptions) -> BotOptions {
        BotOptions { enet, ..self }
    }

    /// Changes the options of WebSocket. Round trips are measured only with pings.
    #[must_use]
    pub fn with_websocket(self, websocket: WebSocketOptions) -> BotOptions {
        BotOptions { websocket, ..self }
    }

    /// Sets the number of bots, and how long the next one waits after each.
    #[must_use]
    pub fn with_count(self, count: usize, pause: Duration) -> BotOptions {
        BotOptions { count, pause, ..self }
    }

    /// Sets what each bot calls.
    #[must_use]
    pub fn with_calls(self, calls: Vec<ScriptedCall>) -> BotOptions {
        BotOptions { calls: calls.into(), ..self }
    }

    /// Lets one bot join for each of these recorded clients, and send what it sent, at the times of the
    /// recording divided by `speed`. They need the dialect of the session.
    #[must_use]
    pub fn with_replays(self, mut replays: Vec<Replay>, speed: f64) -> BotOptions {
        replays.sort_by_key(|replay| replay.start);
        let first = replays.first().map_or(Duration::ZERO, |replay| replay.start);
        let later = |replay: Replay| replay.after(first);
        let replays: Vec<_> = replays.into_iter().map(later).collect();
        BotOptions { count: replays.len(), replays: replays.into(), speed, ..self }
    }

    /// A time of the recording here.
    fn scaled(&self, recorded: Duration) -> Duration {
        Duration::try_from_secs_f64(recorded.as_secs_f64() / self.speed).unwrap_or(Duration::MAX)
    }

    /// Sets the seed of the random numbers in the arguments.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> BotOptions {
        BotOptions { seed, ..self }
    }

    /// The bots send these bytes when they are authenticated, and then complete the authentication, as
    /// a game with `auth_callback` of Godot 4 does.
    #[must_use]
    pub fn with_authentication(self, data: &[u8]) -> BotOptions {
        BotOptions { authentication: Some(data.into()), ..self }
    }

    /// Changes how long a bot waits until it is admitted.
    #[must_use]
    pub fn with_join_timeout(self, join_timeout: Duration) -> BotOptions {
        BotOptions { join_timeout, ..self }
    }

    /// The data that the bot with this number sends for its authentication. None if it has none.
    fn authentication(&self, number: usize) -> Option<&[u8]> {
        let replay = self.replays.get(number.saturating_sub(1));
        let recorded = replay.and_then(|replay| replay.authentication.as_deref());
        self.authentication.as_deref().or(recorded)
    }
}

/// The next part of a bot: when, since the start of all bots; which bot; which call or packet.
type Due = Reverse<(Duration, usize, usize)>;

/// Clients that join a server, call its methods, and count what happens.
///
/// ```no_run
/// use gdwire::Dialect;
/// use gdwire::multiplayer::PeerId;
/// use gdwire::multiplayer::session::SessionOptions;
/// use gdwire::peer::{BotOptions, Bots, ServerAddress};
/// use std::time::Duration;
///
/// let server = ServerAddress::resolve("enet://127.0.0.1:7777")?;
/// let session = SessionOptions::client(Dialect::GODOT_3, PeerId::new(2));
/// let calls = vec!["Main/World.move(Vector2($random(-1, 1), 0)) 20/s".parse()?];
/// let options = BotOptions::new(server, session).with_count(100, Duration::from_millis(10));
/// let mut bots = Bots::new(options.with_calls(calls));
/// while bots.time() < Duration::from_secs(60) {
///     bots.advance();
///     bots.wait(Duration::from_secs(60));
/// }
/// bots.leave();
/// while !bots.are_gone() {
///     bots.advance();
///     bots.wait(Duration::MAX);
/// }
/// let counts = bots.counts();
/// println!("{} joined, {} calls", counts.joined, counts.sent);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Bots {
    options: BotOptions,
    start: Instant,
    bots: Vec<Bot>,
    due: BinaryHeap<Due>,
    wire: Arc<Mutex<SocketCounts>>,
    counts: BotCounts,
    /// The ids of recorded peers that have joined, and those that they have now.
    peers: BTreeMap<PeerId, PeerId>,
    is_leaving: bool,
    waited: Duration,
    #[cfg(unix)]
    polled: Vec<rustix::event::PollFd<'static>>,
    /// Whether each of the sockets has something.
    #[cfg(unix)]
    ready: Vec<bool>,
}

impl Bots {
    /// Bots that are not started yet.
    #[must_use]
    pub fn new(options: BotOptions) -> Bots {
        Bots {
            options,
            start: Instant::now(),
            bots: Vec::new(),
            due: BinaryHeap::new(),
            wire: Arc::new(Mutex::new(SocketCounts::new())),
            counts: BotCounts::default(),
            peers: BTreeMap::new(),
            is_leaving: false,
            waited: Duration::ZERO,
            #[cfg(unix)]
            polled: Vec::new(),
            #[cfg(unix)]
            ready: Vec::new(),
        }
    }

    /// Shows everything that the sockets send and receive from now on, for example to record it.
    pub fn watch(&mut self, watch: impl FnMut(Traffic<'_>) + Send + 'static) {
        self.wire.lock().unwrap_or_else(PoisonError::into_inner).observer = Some(Box::new(watch));
    }

    /// The time since the bots were made.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.start.elapsed()
    }

    /// The counts until now.
    #[must_use]
    pub fn counts(&self) -> BotCounts {
        let wire = self.wire.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts = self.counts.clone();
        counts.time = self.time();
        (counts.bytes_sent, counts.bytes_received) = (wire.sent, wire.received);
        counts.round_trips.merge(&wire.round_trips());
        counts
    }

    /// Whether every bot that was to be started has gone.
    #[must_use]
    pub fn are_gone(&self) -> bool {
        let is_complete = self.is_leaving || self.bots.len() >= self.options.count;
        is_complete && self.bots.iter().all(Bot::is_gone)
    }

    /// Whether all bots were started, and have sent what their recordings have.
    #[must_use]
    pub fn have_replayed(&self) -> bool {
        let is_complete = self.bots.len() >= self.options.count && !self.options.replays.is_empty();
        is_complete && self.due.is_empty() && !self.bots.iter().any(Bot::is_joining)
    }

    /// Whether no bot was admitted, and some got no answer.
    #[must_use]
    pub const fn is_server_absent(&self) -> bool {
        self.counts.joined == 0 && self.counts.unanswered > 0
    }

    /// Lets all bots leave, once what they have sent is acknowledged. No other bot is started.
    pub fn leave(&mut self) {
        let now = self.time();
        self.is_leaving = true;
        self.due.clear();
        self.bots.iter_mut().for_each(|bot| bot.leave(now, &mut self.counts));
    }

    /// Does everything that is due: starts bots, calls, sends and receives.
    ///
    /// # Errors
    ///
    /// If there is no socket for a bot.
    pub fn advance(&mut self) -> io::Result<()> {
        let now = self.time();
        while !self.is_leaving && self.next_start().is_some_and(|at| at <= now) {
            let number = self.bots.len().saturating_add(1);
            let bot = match Bot::start(number, &self.options, &self.wire, now, &mut self.counts) {
                Err(error) if is_refusal(&error) => {
                    Bot::refused(number, &error.to_string(), &mut self.counts)
                }
                bot => bot?,
            };
            self.bots.push(bot);
            self.counts.started = self.counts.started.saturating_add(1);
        }
        self.act(now);
        for place in 0..self.bots.len() {
            let Some(bot) = self.bots.get_mut(place) else { break };
            if bot.due().is_some_and(|due| due <= now)
                && bot.serve(now, &self.options, &mut self.counts)
            {
                self.joined(place, now);
            }
        }
        Ok(())
    }

    /// Schedules the first parts of a bot that has joined.
    fn joined(&mut self, place: usize, now: Duration) {
        let Some(bot) = self.bots.get(place) else { return };
        if let Some(replay) = self.options.replays.get(place) {
            let (peer, id) = (replay.peer, bot.id());
            self.due.extend(replay.time(0).map(|_| Reverse((now, place, 0))));
            // The paths and the receivers in other replays may contain its id.
            if let Some(peer) = peer {
                self.peers.insert(peer, id);
                for other in &mut self.bots {
                    self.peers.iter().for_each(|(peer, id)| other.ids.set_peer(*peer, *id));
                }
            }
        }
        let calls = self.options.calls.iter().enumerate();
        let first =
            |(at, call): (usize, &ScriptedCall)| (now.saturating_add(call.start()), place, at);
        self.due.extend(calls.map(first).map(Reverse));
    }

    /// Sends the packet of a recording that is due, and schedules the next one.
    fn replay(&mut self, place: usize, at: usize, now: Duration) {
        let replays = Arc::clone(&self.options.replays);
        let Some(replay) = replays.get(place) else { return };
        // Its receiver may join in a moment.
        let receiver = replay.target(at);
        let receiver =
            replays.iter().position(|other| other.peer.is_some() && other.peer == receiver);
        let is_expected = receiver.is_some_and(|receiver| match self.bots.get(receiver) {
            Some(bot) => bot.is_joining_at(now),
            None => true,
        });
        let Some(bot) = self.bots.get_mut(place).filter(|bot| bot.joined().is_some()) else {
            return;
        };
        if !bot.replay(replay, at, is_expected, &mut self.counts) {
            self.due.push(Reverse((now.saturating_add(RETRY), place, at)));
            return;
        }
        let next = at.saturating_add(1);
        if let Some(time) = replay.time(next) {
            let started = self.options.scaled(replay.start);
            let due = started.saturating_add(self.options.scaled(time)).max(now);
            self.due.push(Reverse((due, place, next)));
        }
    }

    /// Does the parts that are due.
    fn act(&mut self, now: Duration) {
        while let Some(Reverse((due, place, at))) = self.due.peek().copied()
            && due <= now
        {
            self.due.pop();
            if !self.options.replays.is_empty() {
                self.replay(place, at, now);
                continue;
            }
            let calls = Arc::clone(&self.options.calls);
            let Some((call, bot)) = calls.get(at).zip(self.bots.get_mut(place)) else { continue };
            let Some(joined) = bot.joined() else { continue };
            let next = call.next(due.saturating_sub(joined));
            if now.saturating_sub(due) > TOO_LATE && next.is_some() {
                self.counts.late = self.counts.late.saturating_add(1);
            } else {
                bot.call(call, now, &mut self.counts);
            }
            if let Some(next) = next {
                self.due.push(Reverse((joined.saturating_add(next), place, at)));
            }
        }
    }

    /// When the next bot is started.
    fn next_start(&self) -> Option<Duration> {
        let started = self.bots.len();
        if let Some(replay) = self.options.replays.get(started) {
            return Some(self.options.scaled(replay.start));
        }
        let number = u32::try_from(started).unwrap_or(u32::MAX);
        (started < self.options.count).then(|| self.options.pause.saturating_mul(number))
    }

    /// Waits until something arrives or is due, at most until this time since the bots were made.
    pub fn wait(&mut self, until: Duration) {
        let start = if self.is_leaving { None } else { self.next_start() };
        let call = self.due.peek().map(|Reverse((due, ..))| *due);
        let bot = self.bots.iter().filter_map(Bot::due).min();
        let next = [start, call, bot].into_iter().flatten().fold(until, Duration::min);
        let count = u32::try_from(self.bots.len()).unwrap_or(u32::MAX);
        let earliest = self.waited.saturating_add(PAUSE.saturating_mul(count));
        thread::sleep(earliest.saturating_sub(self.time()));
        self.poll(next.saturating_sub(self.time()));
        self.waited = self.time();
    }

    /// Waits until a socket has something, and notes which.
    #[cfg(unix)]
    fn poll(&mut self, timeout: Duration) {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        // The bots change between two calls, but the list needs no new memory.
        let recycled = core::mem::take(&mut self.polled);
        let mut polled: Vec<PollFd<'_>> = recycled.into_iter().map_while(|_| None).collect();
        let sockets = self.bots.iter().filter_map(Bot::socket);
        polled.extend(sockets.map(|socket| PollFd::from_borrowed_fd(socket, PollFlags::IN)));
        let seconds = i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX);
        let timeout = Timespec { tv_sec: seconds, tv_nsec: timeout.subsec_nanos().into() };
        // It fails if a signal arrives: then everything is looked at a little later.
        let _ = poll(&mut polled, Some(&timeout));
        self.ready.clear();
        self.ready.extend(polled.iter().map(|it| !it.revents().is_empty()));
        self.polled = polled.into_iter().map_while(|_| None).collect();
        let waiting = self.bots.iter_mut().filter(|bot| bot.socket().is_some());
        for (bot, is_ready) in waiting.zip(&self.ready) {
            if *is_ready {
                bot.wake();
            }
        }
    }

    /// Waits for a short time.
    #[cfg(not(unix))]
    fn poll(&mut self, timeout: Duration) {
        thread::sleep(timeout.min(Duration::from_millis(2)));
        self.bots.iter_mut().for_each(Bot::wake);
    }
}

/// Whether a connection failed because of the server.
fn is_refusal(error: &io::Error) -> bool {
    use io::ErrorKind::{
        ConnectionRefused, ConnectionReset, HostUnreachable, NetworkUnreachable, TimedOut,
    };
    let kinds = [ConnectionRefused, ConnectionReset, HostUnreachable, NetworkUnreachable, TimedOut];
    kinds.contains(&error.kind())
}
