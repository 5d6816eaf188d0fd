//! Recorded games of Godot 4, played again by two sessions: both ends send what they sent in the
//! recording, but for the ids of paths and the order in which confirmations arrive.

use crate::common::{corpus, hex};
use crate::project::arena::files;
use gdwire::Dialect;
use gdwire::Variant;
use gdwire::capture::Messages;
use gdwire::follow::{Content, Event};
use gdwire::multiplayer::session::{NewNode, Session, SessionEvent, SessionOptions, Transmit};
use gdwire::multiplayer::{
    Context, Method, Methods, MultiplayerProtocol, Names, Node, Packet, Paths, PeerId, parse,
};
use gdwire::project::Project;
use std::collections::VecDeque;
use std::sync::Arc;

/// The server and the client.
const ENDS: [PeerId; 2] = [PeerId::SERVER, PeerId::new(11)];

const SCENES: [&str; 2] = ["res://actors/player.tscn", "res://actors/wisp.tscn"];

/// Two sessions, and what they have sent.
struct Game {
    sessions: [Session; 2],
    paths: Paths,
    sent: [Vec<String>; 2],
    /// Confirmations, which arrive when those of the recording do.
    held: [VecDeque<(String, Transmit)>; 2],
}

impl Game {
    fn new(names: &Arc<Names>) -> Game {
        let server = SessionOptions::server(Dialect::GODOT_4);
        let client = SessionOptions::client(Dialect::GODOT_4, ENDS[1]);
        let mut sessions = [server, client].map(|it| Session::new(it.with_names(names.clone())));
        sessions[0].connected(ENDS[1]).unwrap();
        sessions[1].connected(ENDS[0]).unwrap();
        Game {
            sessions,
            paths: Paths::new().with_names(names.clone()),
            sent: [Vec::new(), Vec::new()],
            held: [VecDeque::new(), VecDeque::new()],
        }
    }

    /// Delivers everything but confirmations.
    fn exchange(&mut self) {
        while let Some((end, sent)) =
            (0..2).find_map(|end| Some((end, self.sessions[end].poll_transmit()?)))
        {
            let bytes = sent.bytes.clone();
            let packet = parse(MultiplayerProtocol::Godot4, Dialect::GODOT_4, &bytes).unwrap();
            self.paths.note(ENDS[end], &packet);
            let line = normal(&packet, end, &self.paths, &bytes);
            self.sent[end].push(line.clone());
            match packet {
                Packet::ConfirmPath(_) => self.held[end].push_back((line, sent)),
                _ => self.deliver(end, &sent),
            }
        }
    }

    fn deliver(&mut self, from: usize, sent: &Transmit) {
        let to = &mut self.sessions[1 - from];
        to.receive(ENDS[from], &sent.bytes, sent.mode, sent.channel);
        while let Some(event) = to.poll_event() {
            let is_fine =
                !matches!(event, SessionEvent::Refused { .. } | SessionEvent::Mismatch { .. });
            assert!(is_fine, "{event:?}");
        }
    }
}

/// The parts of a packet that have to be the same in two packets of an end.
fn normal(packet: &Packet<'_>, end: usize, paths: &Paths, bytes: &[u8]) -> String {
    let path = |end: usize, id| paths.path(ENDS[end], id).unwrap().to_owned();
    match packet {
        Packet::Call(call) => match call.node {
            Node::Id(id) => {
                let (method, arguments) = (&call.method, call.arguments);
                format!("call {} by id: {method:?} {arguments} {:02x}", path(end, id), bytes[0])
            }
            _ => format!("call by path: {}", hex(bytes)),
        },
        Packet::SimplifyPath(simplify) => {
            format!("announce {} {}", simplify.path, simplify.md5.unwrap())
        }
        Packet::ConfirmPath(confirm) => {
            let Node::Id(id) = confirm.node else { panic!("{confirm:?}") };
            format!("confirm {} {:?}", path(1 - end, id), confirm.is_valid)
        }
        Packet::Spawn(spawn) => {
            // All but the id of the spawner's path.
            format!("spawn at {}: {} {}", path(end, spawn.spawner), bytes[1], hex(&bytes[6..]))
        }
        _ => hex(bytes),
    }
}

#[test]
fn two_sessions_play_recorded_games() {
    let methods = Methods::parse("Main/Chat: respawn fire +wave").unwrap();
    let names = Names::from(methods).with_project(Project::from_files(files()));
    let names = Arc::new(names);
    for name in ["enet", "enet-compressed", "enet-fastlz", "enet-zlib", "enet-zstd", "websocket"] {
        let file = corpus("captures").join(format!("godot4-game-{name}.pcapng"));
        let file = std::fs::read(file).unwrap();
        let mut messages = Messages::new(&file[..]).unwrap();
        let mut game = Game::new(&names);
        let mut theirs = Paths::new().with_names(names.clone());
        let mut expected = [Vec::new(), Vec::new()];
        while let Some(event) = messages.next_event() {
            let Event::Message(message) = event else { continue };
            let Content::Packet(packet) = &message.content else { continue };
            // Another test compares the states.
            if matches!(packet, Packet::Sync(_) | Packet::Delta(_)) {
                continue;
            }
            let end = usize::from(message.origin.src().port() != 7777);
            theirs.note(ENDS[end], packet);
            let line = normal(packet, end, &theirs, message.bytes);
            let context = Context::new().with_paths(&theirs, ENDS[end]);
            let session = &mut game.sessions[end];
            match packet {
                Packet::Call(call) => {
                    let callee = packet.callee(context).unwrap();
                    let Method::Name(method) = callee.method else { panic!("{callee:?}") };
                    let path = callee.path.unwrap();
                    session.call(PeerId::EVERYONE, path, method, call.arguments).unwrap();
                }
                Packet::Spawn(spawn) => {
                    let spawner = theirs.path(ENDS[end], spawn.spawner).unwrap();
                    match spawn.argument.iter().next() {
                        Some(argument) => {
                            let node = NewNode::custom(argument.into(), spawn.name);
                            session.spawn(spawner, node, &[]).unwrap();
                        }
                        None => {
                            let properties = spawn.properties(context).unwrap();
                            let values: Vec<_> = properties
                                .map(|(name, value)| (name, Variant::from(value)))
                                .collect();
                            let scene = SCENES[usize::from(spawn.scene.unwrap())];
                            session.spawn_scene(spawner, scene, spawn.name, &values).unwrap();
                        }
                    }
                }
                Packet::Despawn { net_id } => session.despawn(*net_id).unwrap(),
                Packet::ConfirmPath(_) => {
                    let held = &mut game.held[end];
                    let place = held.iter().position(|(it, _)| *it == line);
                    let place = place.unwrap_or_else(|| panic!("{name}: {line}"));
                    let (_, sent) = held.remove(place).unwrap();
                    game.deliver(end, &sent);
                }
                // It is sent with the first call.
                Packet::SimplifyPath(_) => {}
                other => panic!("{other:?}"),
            }
            game.exchange();
            expected[end].push(line);
        }
        for (end, (expected, sent)) in expected.iter().zip(&game.sent).enumerate() {
            assert!(expected.len() > 40, "{name}: {}", expected.len());
            let but_confirmations = |lines: &[String]| -> Vec<String> {
                lines.iter().filter(|line| !line.starts_with("confirm")).cloned().collect()
            };
            assert_eq!(but_confirmations(sent), but_confirmations(expected), "{name} {end}");
            let sorted = |lines: &[String]| {
                let mut lines = lines.to_vec();
                lines.sort();
                lines
            };
            assert_eq!(sorted(sent), sorted(expected), "{name} {end}");
            let by_id = sent.iter().filter(|line| line.contains(" by id: ")).count();
            assert!(by_id > 20, "{name} {end}: {by_id}");
        }
    }
}
