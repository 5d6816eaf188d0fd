//! One bot: a client that joins, calls, and answers what a client must answer.

use super::BotOptions;
use super::counts::BotCounts;
use super::replay::Replay;
use super::script::{CallInputs, ScriptedCall};
use super::wire::SocketCounts;
use crate::game::multiplayer::session::{RecordedIds, Refusal, SessionError, SessionEvent};
use crate::game::multiplayer::{Packet, PeerId};
use crate::game::peer::GamePeer;
use crate::game::peer::enet::NO_ANSWER;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Write;
use core::time::Duration;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Texts in place of unknown names of methods and properties, and of the content of raw bytes.
const UNKNOWN: &str = "(unknown)";
const BYTES: &str = "(bytes)";

/// The reason why a bot without data for its authentication is not admitted.
const AUTHENTICATES: &str = "the server authenticates; see --auth";

/// How many events of a bot are handled before the other bots have their turn.
const EVENTS: usize = 4_096;

/// How often a bot looks at its socket and its timers: while its connection is being opened, and when
/// its socket has nothing.
const OPENING: Duration = Duration::from_millis(5);
const IDLE: Duration = Duration::from_millis(50);

/// How long it takes at most until others know of a bot that has joined.
const KNOWN: Duration = Duration::from_secs(1);

/// How long a bot that leaves waits before it closes its connection, after everything that it has sent is
/// acknowledged. A Godot server loses what it gets in the same frame as the end of the connection, also if
/// it has acknowledged it.
const SETTLING: Duration = Duration::from_millis(300);

/// How long a bot that leaves waits until everything that it has sent is acknowledged, and at the end until
/// its connection is closed.
const LEAVING: Duration = Duration::from_secs(3);

/// A client. Times are since the start of all bots.
#[derive(Debug)]
pub(super) struct Bot {
    /// None if it has left.
    peer: Option<GamePeer>,
    state: BotState,
    /// When its state began.
    since: Duration,
    inputs: CallInputs,
    served: Duration,
    /// Whether its socket has something, or it has something to send.
    is_ready: bool,
    /// The meaning of the ids in its recorded packets.
    pub(super) ids: RecordedIds,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BotState {
    Joining,
    Playing,
    /// It makes no calls any more, and waits until all are acknowledged.
    Acknowledging,
    /// Everything is acknowledged.
    Settling,
    /// It has begun to close its connection.
    Leaving,
}

impl Bot {
    /// Starts the bot with a number, from 1, to connect.
    pub(super) fn start(
        number: usize,
        options: &BotOptions,
        wire: &Arc<Mutex<SocketCounts>>,
        now: Duration,
        counts: &mut BotCounts,
    ) -> io::Result<Bot> {
        let place = number.saturating_sub(1);
        let mut session = options.session.clone().with_id(random_id());
        if options.authentication(number).is_some() {
            session = session.with_authentication(options.join_timeout);
        }
        let mut peer =
            GamePeer::connect(&options.server, session, options.enet, &options.websocket)?;
        let wire = Arc::clone(wire);
        peer.watch(move |traffic| {
            wire.lock().unwrap_or_else(PoisonError::into_inner).note(place, traffic);
        });
        counts.not_joined = counts.not_joined.saturating_add(1);
        let inputs = CallInputs::new(number, 0, options.seed);
        let (state, peer) = (BotState::Joining, Some(peer));
        let ids = RecordedIds::new();
        Ok(Bot { peer, state, since: now, inputs, served: now, is_ready: true, ids })
    }

    /// A bot that could not connect.
    pub(super) fn refused(number: usize, reason: &str, counts: &mut BotCounts) -> Bot {
        let since = Duration::ZERO;
        let (state, inputs) = (BotState::Joining, CallInputs::new(number, 0, 0));
        let ids = RecordedIds::new();
        let mut bot = Bot { peer: None, state, since, inputs, served: since, is_ready: false, ids };
        counts.unanswered = counts.unanswered.saturating_add(1);
        counts.not_joined = counts.not_joined.saturating_add(1);
        bot.lost(reason, counts);
        bot
    }

    /// The connection, while there is one.
    #[cfg(unix)]
    pub(super) fn socket(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        self.peer.as_ref()?.socket()
    }

    /// The id of its peer.
    pub(super) const fn id(&self) -> PeerId {
        PeerId::new(self.inputs.id)
    }

    pub(super) fn is_joining(&self) -> bool {
        self.peer.is_some() && self.state == BotState::Joining
    }

    /// Whether it has not joined yet, or only a moment ago.
    pub(super) fn is_joining_at(&self, now: Duration) -> bool {
        let is_new = |joined| now.saturating_sub(joined) < KNOWN;
        self.is_joining() || self.joined().is_some_and(is_new)
    }

    pub(super) const fn is_gone(&self) -> bool {
        self.peer.is_none()
    }

    pub(super) const fn wake(&mut self) {
        self.is_ready = true;
    }

    /// When it has to be served.
    pub(super) fn due(&self) -> Option<Duration> {
        self.peer.as_ref()?;
        if self.is_ready {
            return Some(self.served);
        }
        let pause = if self.state == BotState::Joining { OPENING } else { IDLE };
        Some(self.served.saturating_add(pause))
    }

    /// The time at which it joined; none if it is not in the game.
    pub(super) fn joined(&self) -> Option<Duration> {
        (self.state == BotState::Playing).then_some(self.since)
    }

    /// Sends and receives what is due. Returns whether it has just joined.
    pub(super) fn serve(
        &mut self,
        now: Duration,
        options: &BotOptions,
        counts: &mut BotCounts,
    ) -> bool {
        let was_joining = self.state == BotState::Joining;
        (self.served, self.is_ready) = (now, false);
        for _ in 0..EVENTS {
            let Some(peer) = &mut self.peer else { return false };
            match peer.poll() {
                Ok(Some(event)) => {
                    // There may be more than one turn of receiving takes.
                    self.is_ready = true;
                    self.take(&event, now, options, counts);
                }
                Ok(None) => break,
                Err(error) => self.lost(&error.to_string(), counts),
            }
        }
        let Some(peer) = &mut self.peer else { return false };
        if let GamePeer::WebSocket(peer) = peer
            && let Some(time) = peer.take_round_trip_time(PeerId::SERVER)
        {
            counts.round_trips.add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        }
        if peer.is_closed() {
            let reason = peer.close_reason().unwrap_or("closed").to_string();
            self.lost(&reason, counts);
            return false;
        }
        let waited = now.saturating_sub(self.since);
        match self.state {
            BotState::Joining if waited > options.join_timeout => {
                self.lost(NO_ANSWER, counts);
            }
            BotState::Acknowledging if !peer.has_unacknowledged(PeerId::SERVER) => {
                (self.state, self.since) = (BotState::Settling, now);
            }
            BotState::Acknowledging if waited > LEAVING => {
                self.lost("the server has not acknowledged everything", counts);
            }
            BotState::Settling if waited > SETTLING => {
                let session = peer.session();
                if waited <= LEAVING && session.unconfirmed(PeerId::SERVER).next().is_some() {
                    return false;
                }
                for path in session.unconfirmed(PeerId::SERVER) {
                    counts.unconfirmed = counts.unconfirmed.saturating_add(1);
                    let reason = format!("the server has no node {path}, or is another engine");
                    counts.reason("not confirmed", &reason);
                }
                peer.disconnect(PeerId::SERVER);
                (self.state, self.since, self.is_ready) = (BotState::Leaving, now, true);
            }
            BotState::Leaving if waited > LEAVING => self.peer = None,
            _ => {}
        }
        was_joining && self.state == BotState::Playing
    }

    fn take(
        &mut self,
        event: &SessionEvent,
        now: Duration,
        options: &BotOptions,
        counts: &mut BotCounts,
    ) {
        let Some(peer) = &mut self.peer else { return };
        match event {
            SessionEvent::PeerConnected { peer: PeerId::SERVER }
                if self.state == BotState::Joining =>
            {
                self.inputs.id = peer.session().id().get();
                (self.state, self.since) = (BotState::Playing, now);
                counts.not_joined = counts.not_joined.saturating_sub(1);
                counts.joined = counts.joined.saturating_add(1);
                counts.playing = counts.playing.saturating_add(1);
            }
            SessionEvent::Authenticating { peer: server } => {
                let data = options.authentication(self.inputs.number).unwrap_or(&[]);
                let session = peer.session();
                // Neither fails, as the authentication has just begun, unless there is no data to send.
                let _ = session.send_auth(*server, data);
                let _ = session.complete_auth(*server);
                self.is_ready = true;
            }
            SessionEvent::AuthenticationFailed { .. } => {
                self.lost("the server did not accept the authentication", counts);
            }
            SessionEvent::Call(call) | SessionEvent::Set(call) => {
                counts.call_received(call.method.as_deref().unwrap_or(UNKNOWN));
            }
            SessionEvent::Bytes { .. } => counts.call_received(BYTES),
            SessionEvent::Spawned(_) => counts.spawned = counts.spawned.saturating_add(1),
            SessionEvent::States(states) => {
                let context = peer.session().context(states.packet.from());
                let mut name = String::new();
                for state in states.states() {
                    name.clear();
                    let properties = state.properties(context).into_iter().flatten();
                    for (at, (property, _)) in properties.enumerate() {
                        // A string takes every text.
                        let _ = write!(name, "{}{property}", if at > 0 { ", " } else { "" });
                    }
                    let name = if name.is_empty() { UNKNOWN } else { &*name };
                    let count = counts.properties.of(name);
                    *count = count.saturating_add(1);
                    counts.states = counts.states.saturating_add(1);
                }
            }
            SessionEvent::Mismatch { path, .. } => {
                let reason = format!("the server has other methods for the node {path}");
                self.leave_refused(&reason, now, counts);
            }
            // Without data for its authentication, it takes itself for admitted at once.
            SessionEvent::Refused { reason: Refusal::UnexpectedAuth, .. }
                if options.authentication(self.inputs.number).is_none() =>
            {
                self.leave_refused(AUTHENTICATES, now, counts);
                // The connection is closed at once: the server receives nothing more of it.
                self.peer = None;
            }
            // Scripts say which client is the authority of a node, and a bot does not run them.
            SessionEvent::Refused { from, reason: Refusal::NotAllowed }
                if *from != PeerId::SERVER => {}
            SessionEvent::Refused { reason, .. } => {
                counts.unaccepted = counts.unaccepted.saturating_add(1);
                counts.reason("unaccepted packet", &reason.to_string());
            }
            _ => {}
        }
    }

    /// Makes a call, if it is in the game.
    pub(super) fn call(&mut self, call: &ScriptedCall, now: Duration, counts: &mut BotCounts) {
        let Some(peer) = self.peer.as_mut().filter(|_| self.state == BotState::Playing) else {
            return;
        };
        self.inputs.time = now.saturating_sub(self.since);
        self.is_ready = true;
        let made = call.evaluate(&mut self.inputs).map_err(|error| error.to_string());
        let made = made.and_then(|(path, arguments)| {
            let called = peer.session().call(PeerId::SERVER, &path, call.method(), &arguments);
            called.map_err(|error| error.to_string())
        });
        match made {
            Ok(()) => counts.call_sent(call.method()),
            Err(reason) => counts.failed(&reason),
        }
    }

    /// Sends the packet at a place of a recording, if it is in the game. Returns whether that is done, or
    /// has to be tried again because the receiver is expected, but has not joined yet.
    pub(super) fn replay(
        &mut self,
        replay: &Replay,
        at: usize,
        is_expected: bool,
        counts: &mut BotCounts,
    ) -> bool {
        let Some(peer) = self.peer.as_mut().filter(|_| self.state == BotState::Playing) else {
            return true;
        };
        let Some((packet, method, sent)) = replay.send(at, peer.session(), &mut self.ids) else {
            return true;
        };
        if is_expected && matches!(sent, Err(SessionError::UnknownPeer { .. })) {
            return false;
        }
        self.is_ready = true;
        let is_call = matches!(packet, Packet::Call(_) | Packet::Set(_) | Packet::Raw(_));
        let is_state = matches!(packet, Packet::Sync(_) | Packet::Delta(_));
        let unknown = if matches!(packet, Packet::Raw(_)) { BYTES } else { UNKNOWN };
        match sent {
            Ok(true) if is_call => counts.call_sent(method.unwrap_or(unknown)),
            Ok(true) if is_state => counts.states_sent = counts.states_sent.saturating_add(1),
            Ok(false) if is_state => {
                counts.reason("state not sent", "the server has not confirmed its path yet");
            }
            Ok(_) => {}
            Err(error) => counts.failed(&error.to_string()),
        }
        true
    }

    /// The server does not accept it in the game, so it leaves.
    fn leave_refused(&mut self, reason: &str, now: Duration, counts: &mut BotCounts) {
        if self.state == BotState::Playing {
            counts.refused = counts.refused.saturating_add(1);
            counts.reason("refused", reason);
            self.leave(now, counts);
        }
    }

    /// Leaves, once everything that was sent is acknowledged.
    pub(super) fn leave(&mut self, now: Duration, counts: &mut BotCounts) {
        match self.state {
            BotState::Playing => {
                counts.playing = counts.playing.saturating_sub(1);
                (self.state, self.since) = (BotState::Acknowledging, now);
                if let Some(peer) = &mut self.peer {
                    peer.ask_for_acknowledgement(PeerId::SERVER);
                }
            }
            BotState::Joining => self.peer = None,
            BotState::Acknowledging | BotState::Settling | BotState::Leaving => {}
        }
    }

    /// The connection has ended, or was not opened.
    fn lost(&mut self, reason: &str, counts: &mut BotCounts) {
        match self.state {
            BotState::Joining => {
                counts.not_joined = counts.not_joined.saturating_sub(1);
                counts.refused = counts.refused.saturating_add(1);
                if reason == NO_ANSWER {
                    counts.unanswered = counts.unanswered.saturating_add(1);
                }
                counts.reason("refused", reason);
            }
            BotState::Playing | BotState::Acknowledging => {
                if self.state == BotState::Playing {
                    counts.playing = counts.playing.saturating_sub(1);
                }
                counts.dropped = counts.dropped.saturating_add(1);
                counts.reason("dropped", reason);
            }
            BotState::Settling | BotState::Leaving => {}
        }
        self.peer = None;
    }
}

impl BotCounts {
    fn call_sent(&mut self, method: &str) {
        self.sent = self.sent.saturating_add(1);
        let method = self.methods.of(method);
        method.sent = method.sent.saturating_add(1);
    }

    fn call_received(&mut self, method: &str) {
        self.received = self.received.saturating_add(1);
        let method = self.methods.of(method);
        method.received = method.received.saturating_add(1);
    }

    fn failed(&mut self, reason: &str) {
        self.failed = self.failed.saturating_add(1);
        self.reason("not sent", reason);
    }

    fn reason(&mut self, what: &str, reason: &str) {
        let count = self.reasons.of(&format!("{what}: {reason}"));
        *count = count.saturating_add(1);
    }
}

/// An id for a client: over ENet, clients choose their ids at random.
fn random_id() -> PeerId {
    let random = RandomState::new().build_hasher().finish().to_le_bytes();
    let id = i32::from_le_bytes([random[0], random[1], random[2], random[3] & 0x7f]);
    PeerId::new(id.max(2))
}
