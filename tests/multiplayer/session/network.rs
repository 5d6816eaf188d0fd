//! A server and two clients, and between them a network that an input directs: it delivers, drops,
//! doubles, reorders and damages packets. The fuzz target `sessions` has this file, too.

use gdwire::Dialect;
use gdwire::multiplayer::session::{
    NewNode, Session, SessionEvent, SessionLimits, SessionOptions, SyncConfig, SyncId, Transmit,
};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::project::TransferMode;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

const PATHS: [&str; 4] = ["Game", "Game/World", "Game/World/Ünder", "Game/Other"];
const METHODS: [&str; 3] = ["move", "say", "wave"];
const DIALECTS: [Dialect; 3] = [Dialect::GODOT_4, Dialect::GODOT_3, Dialect::PANDEMONIUM_5];

static NAMES: LazyLock<Arc<Names>> =
    LazyLock::new(|| Arc::new(Names::from(Methods::parse("**: move say +wave").unwrap())));

/// A call that a session made: its sender, the path and the method.
type Made = (PeerId, &'static str, &'static str);

/// One end: its session, and what it has spawned.
struct End {
    session: Session,
    nodes: Vec<(u32, Vec<SyncId>)>,
    /// The numbers of the reliable calls that arrived, by their sender.
    arrived: BTreeMap<PeerId, Vec<i64>>,
}

/// The behaviour of a network with packets that it must not lose.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Network {
    /// Reliable packets of a channel arrive once and in order. Others may be lost, doubled, reordered.
    AsPromised,
    /// Every packet may be lost, doubled and reordered.
    Broken,
    /// They are damaged, too.
    Damaging,
}

struct Game {
    network: Network,
    is_new: bool,
    /// The server, and two clients.
    ends: Vec<End>,
    /// The packets on their way, by their sender and receiver.
    ways: BTreeMap<(usize, usize), VecDeque<Transmit>>,
    made: BTreeMap<i64, Made>,
    /// The numbers of the reliable calls, by their sender and receiver.
    expected: BTreeMap<(PeerId, PeerId), Vec<i64>>,
    now: u64,
    delivered: usize,
}

/// Plays what an input says. Returns how many packets were delivered, and how many calls arrived.
pub fn play(input: &[u8]) -> (usize, usize) {
    let Some(([choice, rest @ ..], input)) = input.split_first_chunk::<2>() else { return (0, 0) };
    let dialect = DIALECTS[usize::from(*choice) % DIALECTS.len()];
    let network = match rest[0] % 3 {
        0 => Network::AsPromised,
        1 => Network::Broken,
        _ => Network::Damaging,
    };
    let mut game = Game::new(dialect, network);
    for step in input.chunks_exact(3).take(400) {
        let [what, how, value] = [step[0], step[1], step[2]];
        if what < 128 {
            game.act(usize::from(what) % 3, how, value);
        } else {
            game.carry(what, how, value);
        }
    }
    if network == Network::AsPromised {
        game.finish();
    }
    let calls = game.ends.iter().flat_map(|end| end.arrived.values()).map(Vec::len).sum();
    (game.delivered, calls)
}

impl Game {
    fn new(dialect: Dialect, network: Network) -> Game {
        let limits =
            SessionLimits::default().with_peers(4).with_announcements(64).with_path_bytes(64);
        let server = SessionOptions::server(dialect);
        let clients = [2, 3].map(|id| SessionOptions::client(dialect, PeerId::new(id)));
        let ends = std::iter::once(server).chain(clients).map(|options| {
            let options = options.with_names(NAMES.clone()).with_limits(limits);
            let session = Session::new(options);
            End { session, nodes: Vec::new(), arrived: BTreeMap::new() }
        });
        let mut game = Game {
            network,
            is_new: dialect == Dialect::GODOT_4,
            ends: ends.collect(),
            ways: BTreeMap::new(),
            made: BTreeMap::new(),
            expected: BTreeMap::new(),
            now: 0,
            delivered: 0,
        };
        for client in 1..3 {
            let id = game.ends[client].session.id();
            game.ends[client].session.connected(PeerId::SERVER).unwrap();
            game.ends[0].session.connected(id).unwrap();
        }
        for end in 0..3 {
            // The spawner of each has another path.
            let id = game.ends[end].session.id();
            for of in &mut game.ends {
                of.session.set_authority(&format!("Spawners/{id}"), id);
            }
            game.collect(end);
        }
        // All know each other. In Godot 3, a call may overtake the news of its sender.
        game.deliver_all();
        game
    }

    /// An end does something.
    fn act(&mut self, end: usize, how: u8, value: u8) {
        let End { session, nodes, .. } = &mut self.ends[end];
        let id = session.id();
        match how % 8 {
            0..=3 => {
                let path = PATHS[usize::from(value) % PATHS.len()];
                let method = METHODS[usize::from(value >> 2) % METHODS.len()];
                let target = PeerId::new([1, 2, 3, 0, -2, -3][usize::from(value >> 4) % 6]);
                let number = self.made.len() as i64;
                let mode = match how % 4 {
                    0 => TransferMode::Unreliable,
                    _ => TransferMode::Reliable,
                };
                let known: Vec<_> = session.peers().collect();
                if target != id
                    && session.call_with(target, path, method, (number, "x"), mode, 0).is_ok()
                {
                    self.made.insert(number, (id, path, method));
                    if mode == TransferMode::Reliable {
                        let is_meant = |peer: &PeerId| {
                            let (peer, target) = (peer.get(), target.get());
                            target == 0 || target == peer || target < 0 && target != -peer
                        };
                        for peer in known.into_iter().filter(is_meant) {
                            self.expected.entry((id, peer)).or_default().push(number);
                        }
                    }
                }
            }
            // So many are within the limits.
            4 if nodes.len() < 20 => {
                let name = format!("node{}", nodes.len());
                let config =
                    SyncConfig::new().with_spawn(["a"]).with_sync(["a"]).with_watched(["b"]);
                let node = NewNode::of_scene(0, &name).with_synchronizer(config);
                let values = [("a", i64::from(value).into())];
                if let Ok(node) = session.spawn(&format!("Spawners/{id}"), node, &values) {
                    nodes.push((node.net_id, node.synchronizers));
                }
            }
            5 => {
                if !nodes.is_empty() {
                    let (net_id, _) = nodes.swap_remove(usize::from(value) % nodes.len());
                    session.despawn(net_id).unwrap();
                }
            }
            6 => {
                for (_, synchronizers) in nodes.iter().take(4) {
                    session.set_property(synchronizers[0], "b", &value).unwrap();
                }
            }
            _ => {
                self.now += u64::from(value);
                session.handle_time(Duration::from_millis(self.now));
            }
        }
        self.collect(end);
    }

    /// Puts what an end sends on its way, and checks what it has got.
    fn collect(&mut self, end: usize) {
        while let Some(sent) = self.ends[end].session.poll_transmit() {
            let to = usize::try_from(sent.to.get() - 1).unwrap();
            self.ways.entry((end, to)).or_default().push_back(sent);
        }
        while let Some(event) = self.ends[end].session.poll_event() {
            let is_promised = self.network == Network::AsPromised;
            match event {
                SessionEvent::Call(call) => {
                    let text = call.arguments().to_string();
                    if self.network == Network::Damaging {
                        continue;
                    }
                    let number = text.split(',').next().unwrap().parse().unwrap();
                    let (from, path, method) = self.made[&number];
                    let called = (call.from(), &*call.path, call.method.as_deref());
                    assert_eq!(called, (from, path, Some(method)));
                    self.ends[end].arrived.entry(from).or_default().push(number);
                }
                SessionEvent::States(states) => assert!(states.states().count() > 0),
                SessionEvent::Refused { reason, .. } => {
                    // A state may arrive after its node was removed.
                    let is_usual = reason.to_string().contains("synchronizer");
                    assert!(!is_promised || is_usual, "{reason}");
                }
                SessionEvent::Mismatch { .. } => assert!(self.network == Network::Damaging),
                _ => {}
            }
        }
    }

    /// The network does something with a packet.
    fn carry(&mut self, what: u8, how: u8, value: u8) {
        let ways = [(0, 1), (0, 2), (1, 0), (2, 0)];
        let way = ways[usize::from(what) % ways.len()];
        let Some(packets) = self.ways.get_mut(&way).filter(|packets| !packets.is_empty()) else {
            return;
        };
        let place = usize::from(value) % packets.len();
        let is_free =
            self.network != Network::AsPromised || packets[place].mode != TransferMode::Reliable;
        match how % 16 {
            0 if is_free => drop(packets.remove(place)),
            1 if is_free => {
                let again = packets[place].clone();
                packets.push_back(again);
            }
            2 if is_free => {
                let packet = packets.remove(place).unwrap();
                packets.push_front(packet);
            }
            3 if self.network == Network::Damaging => {
                let bytes = &mut packets[place].bytes;
                let at = usize::from(how >> 4) % bytes.len();
                bytes[at] ^= value | 1;
            }
            // Packets of one channel stay in order, packets of different channels need not.
            4 if self.network == Network::AsPromised => {
                let channel = packets[place].channel;
                let first = packets.iter().position(|it| it.channel == channel).unwrap();
                let packet = packets.remove(first).unwrap();
                packets.push_front(packet);
                self.deliver(way);
            }
            _ => {
                for _ in 0..=how >> 6 {
                    self.deliver(way);
                }
            }
        }
    }

    fn deliver(&mut self, (from, to): (usize, usize)) {
        let Some(sent) = self.ways.get_mut(&(from, to)).and_then(VecDeque::pop_front) else {
            return;
        };
        self.delivered += 1;
        let id = self.ends[from].session.id();
        self.ends[to].session.receive(id, &sent.bytes, sent.mode, sent.channel);
        self.collect(to);
    }

    /// Delivers everything. Then all ends agree on what was called, and no call has to wait.
    fn finish(&mut self) {
        self.deliver_all();
        for ((from, to), expected) in std::mem::take(&mut self.expected) {
            let end = usize::try_from(to.get() - 1).unwrap();
            let arrived = self.ends[end].arrived.get(&from).cloned().unwrap_or_default();
            // Unreliable calls may be among them.
            let arrived = arrived.into_iter().filter(|number| expected.contains(number));
            assert_eq!(arrived.collect::<Vec<_>>(), expected, "{from} {to}");
        }
        for round in 0..2 {
            for end in 0..3 {
                let session = &mut self.ends[end].session;
                let id = session.id();
                if session.peers().len() < 2 {
                    continue;
                }
                let number = self.made.len() as i64;
                session.call(PeerId::EVERYONE, "Game/Last", "say", (number, "x")).unwrap();
                self.made.insert(number, (id, "Game/Last", "say"));
                let before: usize = self.ways.values().map(VecDeque::len).sum();
                self.collect(end);
                let sent = self.ways.values().map(VecDeque::len).sum::<usize>() - before;
                // All have confirmed the path, so there is no announcement any more.
                let most = if self.is_new || end == 0 { 2 } else { 1 };
                assert!(round == 0 || sent <= most, "{sent}");
                self.deliver_all();
                for other in (0..3).filter(|other| *other != end) {
                    let arrived = self.ends[other].arrived.get(&id).and_then(|it| it.last());
                    assert_eq!(arrived, Some(&number));
                }
            }
        }
    }

    fn deliver_all(&mut self) {
        // Each packet has few answers, so this ends.
        for _ in 0..20_000 {
            let waiting = self.ways.iter().find(|(_, packets)| !packets.is_empty());
            let Some((way, _)) = waiting else { return };
            self.deliver(*way);
        }
        panic!("packets have answers without end");
    }
}
