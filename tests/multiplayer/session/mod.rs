//! Sessions that play with each other, and with the packets of recorded games.

mod admission;
mod calls;
mod games;
mod hostile;
mod network;
mod recorded;
mod replay;
mod replication;
mod transcript;
mod unreliable;

use crate::common::hex;
use gdwire::Dialect;
use gdwire::multiplayer::session::{Session, SessionEvent, SessionOptions, SyncId, Transmit};
use gdwire::multiplayer::{Methods, Names, PeerId};
use std::sync::Arc;

const DIALECTS: [Dialect; 3] = [Dialect::GODOT_3, Dialect::GODOT_4, Dialect::PANDEMONIUM_5];
const METHODS: &str = "Main/World: take_hit respawn +wave\nMain/Chat: say";

fn names(methods: &str) -> Arc<Names> {
    Arc::new(Names::from(Methods::parse(methods).unwrap()))
}

/// A server and its clients.
struct Game {
    server: Session,
    clients: Vec<Session>,
    /// The lengths of all packets that were sent.
    lengths: Vec<usize>,
    /// The same packets as text.
    sent: Vec<String>,
    dialect: Dialect,
    synchronizers: Vec<SyncId>,
}

impl Game {
    fn new(dialect: Dialect, clients: i32) -> Game {
        let options = |options: SessionOptions| options.with_names(names(METHODS));
        Game::with(dialect, clients, options)
    }

    /// Connects clients with the ids from 11 on.
    fn with(
        dialect: Dialect,
        clients: i32,
        options: impl Fn(SessionOptions) -> SessionOptions,
    ) -> Game {
        let server = Session::new(options(SessionOptions::server(dialect)));
        let mut game = Game {
            server,
            clients: Vec::new(),
            lengths: Vec::new(),
            sent: Vec::new(),
            dialect,
            synchronizers: Vec::new(),
        };
        for id in 11..11 + clients {
            let id = PeerId::new(id);
            let mut client = Session::new(options(SessionOptions::client(dialect, id)));
            client.connected(PeerId::SERVER).unwrap();
            game.server.connected(id).unwrap();
            game.clients.push(client);
            game.exchange();
        }
        game
    }

    fn client(&mut self, id: PeerId) -> &mut Session {
        self.clients.iter_mut().find(|client| client.id() == id).unwrap()
    }

    /// Delivers packets until there are no more.
    fn exchange(&mut self) {
        self.lengths.clear();
        loop {
            let mut is_quiet = true;
            while let Some(sent) = self.server.poll_transmit() {
                is_quiet = false;
                self.note(PeerId::SERVER, &sent);
                let client = self.client(sent.to);
                client.receive(PeerId::SERVER, &sent.bytes, sent.mode, sent.channel);
            }
            for place in 0..self.clients.len() {
                let from = self.clients[place].id();
                while let Some(sent) = self.clients[place].poll_transmit() {
                    is_quiet = false;
                    self.note(from, &sent);
                    assert_eq!(sent.to, PeerId::SERVER);
                    self.server.receive(from, &sent.bytes, sent.mode, sent.channel);
                }
            }
            if is_quiet {
                return;
            }
        }
    }

    fn note(&mut self, from: PeerId, sent: &Transmit) {
        let Transmit { to, mode, channel, bytes, .. } = sent;
        self.lengths.push(bytes.len());
        self.sent.push(format!("{from} > {to}, {mode:?}, channel {channel}: {}", hex(bytes)));
    }

    /// The events of all peers, each in a line.
    fn events(&mut self) -> Vec<String> {
        let sessions = std::iter::once(&mut self.server).chain(&mut self.clients);
        sessions.flat_map(events).collect()
    }
}

/// The events of a session, each in a line that begins with its id.
fn events(session: &mut Session) -> Vec<String> {
    let id = session.id();
    let mut lines = Vec::new();
    while let Some(event) = session.poll_event() {
        let line = match event {
            SessionEvent::Authenticating { peer } => format!("authenticating {peer}"),
            SessionEvent::Auth { peer, bytes } => format!("auth {peer} {bytes:?}"),
            SessionEvent::AuthenticationFailed { peer } => format!("failed {peer}"),
            SessionEvent::PeerConnected { peer } => format!("+{peer}"),
            SessionEvent::PeerDisconnected { peer } => format!("-{peer}"),
            SessionEvent::Call(call) => {
                let method = call.method.as_deref().unwrap_or("?");
                format!("{} calls {}.{method}({})", call.from(), call.path, call.arguments())
            }
            SessionEvent::Set(set) => {
                let property = set.method.as_deref().unwrap_or("?");
                format!("{} sets {}.{property} = {}", set.from(), set.path, set.arguments())
            }
            SessionEvent::Bytes { from, bytes } => format!("{from} sends {bytes:?}"),
            SessionEvent::Spawned(spawned) => {
                let spawn = spawned.spawn().unwrap();
                let (from, name, state) = (spawned.packet.from(), spawn.name, spawn.state);
                format!("{from} spawns {}/{name}({}) with {state}", spawned.spawner, spawn.argument)
            }
            SessionEvent::Despawned { from, name, .. } => format!("{from} removes {name}"),
            SessionEvent::States(states) => {
                let has_bits = states.states().all(|state| state.changed.is_some());
                assert_eq!(states.is_delta(), has_bits);
                let shown = states.states().map(|state| {
                    let changed = state.changed.map(|bits| format!("{bits:b}: "));
                    format!("{}{}", changed.unwrap_or_default(), state.values)
                });
                let shown: Vec<_> = shown.collect();
                format!("{} sends {}", states.packet.from(), shown.join("; "))
            }
            SessionEvent::Mismatch { peer, path } => format!("mismatch {peer} {path}"),
            SessionEvent::Refused { from, reason } => format!("{from} refused: {reason}"),
            other => panic!("{other:?}"),
        };
        lines.push(format!("{id}: {line}"));
    }
    lines
}
