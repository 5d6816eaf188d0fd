//! A recorded game of Godot 4 is played again, and a session of this crate takes the place of one end.
//! The engine at the other end prints what it gets, and finds no fault.

use super::folder;
use super::lines::Lines;
use crate::common::{Godot, corpus, hex, unhex};
use crate::engine::transport_name;
use gdwire::math::{Color, Vector2, Vector3};
use gdwire::multiplayer::session::{SessionEvent, SessionOptions, SpawnedHere};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::peer::{
    EnetCompression, EnetOptions, EnetPeer, GamePeer, ServerAddress, WebSocketOptions,
    WebSocketPeer,
};
use gdwire::project::Project;
use gdwire::{Dialect, Variant, encode, parse, variant};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

const FRAME: Duration = Duration::from_millis(16);

/// How many calls each end makes.
const CALLS: usize = 60;

/// The longest time for a game.
const TIMEOUT: Duration = Duration::from_secs(60);

const TRANSPORTS: [&str; 6] =
    ["enet", "enet-range", "enet-fastlz", "enet-zlib", "enet-zstd", "websocket"];

const HERO: &str = "res://actors/player.tscn";
const MOB: &str = "res://actors/wisp.tscn";
const SPAWNER: &str = "Main/World/Spawner";

/// A method, and whether its calls are reliable.
type Called = (&'static str, bool);
const WORLD: &[Called] = &[("take_hit", true), ("reload", true)];
const CHAT: &[Called] = &[("respawn", true), ("fire", true), ("wave", true)];
const OF_HERO: &[Called] =
    &[("emote", true), ("trade", false), ("whisper", true), ("ping", false), ("shout", true)];
const OF_MOB: &[Called] =
    &[("emote", true), ("trade", false), ("pick_up", true), ("open_door", true)];

/// A line that the engine's end wrote about what it sent.
#[derive(Deserialize)]
struct Sent {
    kind: String,
    path: String,
    #[serde(default)]
    method: String,
    #[serde(default)]
    args_hex: Vec<String>,
    #[serde(default)]
    scene: String,
    #[serde(default)]
    properties: BTreeMap<String, String>,
    #[serde(default)]
    sync: BTreeMap<String, String>,
    #[serde(default)]
    delta: BTreeMap<String, String>,
}

/// The arguments of calls, by the path of the node and the method.
type Calls = BTreeMap<(String, String), Vec<Vec<String>>>;

/// The path, the scene, and the names and values of properties.
type Spawn = (String, String, BTreeMap<String, Variant>);

/// Values by the path of their synchronizer and the name of their property.
type Changes = BTreeMap<(String, String), Vec<Variant>>;

/// The files of a folder, with their paths below it.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, files) } else { files.push(path) }
    }
}

/// The game, whose methods print what they get, and whose client prints what is spawned and, at the
/// end, the properties of all actors.
fn write_project(folder: &Path) {
    let (recorded, mut files) = (corpus("project/arena"), Vec::new());
    files_below(&recorded, &mut files);
    for file in files {
        let mut text = fs::read_to_string(&file).unwrap();
        let path = file.strip_prefix(&recorded).unwrap();
        if path.ends_with("main.gd") {
            text = text.replace(
                "is_ready = true)\n",
                "is_ready = true)\n\t$World/Spawner.spawned.connect(func(node): show_actor(\"spawned\", node))\
                 \n\t$World/Custom.spawned.connect(func(node): print(\"made \", node.name))\n",
            );
            let quit = "\t\t\tget_tree().quit()";
            assert!(text.contains(quit));
            text = text.replace(
                quit,
                "\t\t\tfor node in $World/Actors.get_children(): show_actor(\"at_end\", node)\n\
                 \t\t\tprint(\"end\")\n\t\t\tget_tree().quit()",
            );
            text += SHOW;
        } else if path.extension().is_some_and(|it| it == "gd") {
            text = with_printing_methods(&text);
        }
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// The bodies of all methods that take three arguments.
fn with_printing_methods(script: &str) -> String {
    let mut text = String::new();
    let mut lines = script.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((head, body)) = line.split_once("_c = null)").map(|(head, rest)| {
            let (arrow, body) = rest.split_once(':').unwrap();
            (format!("{head}_c = null){arrow}:"), body.trim())
        }) else {
            text += line;
            text.push('\n');
            continue;
        };
        if body.is_empty() {
            lines.next_if(|line| line.trim() == "pass").unwrap();
        }
        let name = head.rsplit_once("func ").unwrap().1.split_once('(').unwrap().0;
        text +=
            &format!("{head}\n\tget_node(\"/root/Main\").got(self, \"{name}\", [_a, _b, _c])\n");
    }
    text
}

const SHOW: &str = r#"
func got(node, method, args):
	# Not the calls of this end itself.
	if multiplayer.get_remote_sender_id() == multiplayer.get_unique_id():
		return
	while not args.is_empty() and args.back() == null:
		args.pop_back()
	print("got ", JSON.stringify({ "kind": "call", "path": path_of(node), "method": method, "args_hex": args.map(func(x): return var_to_bytes(x).hex_encode()) }))

func show_actor(word, node):
	var names = ["position", "mana", "facing", "health"] if node.name.begins_with("hero") else ["level", "score", "rotation"]
	var shown = {}
	for property in names:
		shown[property] = var_to_bytes(node.get(property)).hex_encode()
	if node.has_node("Turret"):
		shown["turret"] = var_to_bytes(node.get_node("Turret").rotation).hex_encode()
	print(word, " ", JSON.stringify({ "kind": word, "path": path_of(node), "properties": shown }))
"#;

/// `wave` is made remote at run time, which only a list can say.
fn names() -> Arc<Names> {
    let methods = Methods::parse("Main/Chat: respawn fire +wave").unwrap();
    Arc::new(Names::from(methods).with_project(Project::open(corpus("project/arena")).unwrap()))
}

fn encoded(value: &Variant) -> String {
    hex(&encode(Dialect::GODOT_4, value).unwrap())
}

fn options(transport: &str) -> EnetOptions {
    let name = transport.strip_prefix("enet-").unwrap_or("none");
    let compression = EnetCompression::ALL.iter().find(|it| it.name() == name);
    EnetOptions::default().with_compression(compression.copied().unwrap_or_default())
}

/// This end of the game.
struct End {
    peer: GamePeer,
    is_server: bool,
    is_joined: bool,
    random: u64,
    frame: u32,
    /// The paths of the actors, by their names.
    actors: BTreeMap<String, (String, Option<SpawnedHere>)>,
    sent: Calls,
    got: Calls,
    /// The nodes that the other end spawned, and the properties that it changed.
    spawned: Vec<Spawn>,
    made: usize,
    changes: Changes,
}

impl End {
    fn new(peer: GamePeer, is_server: bool) -> End {
        End {
            peer,
            is_server,
            is_joined: false,
            random: 7,
            frame: 0,
            actors: BTreeMap::new(),
            sent: Calls::new(),
            got: Calls::new(),
            spawned: Vec::new(),
            made: 0,
            changes: Changes::new(),
        }
    }

    fn below(&mut self, count: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) % count
    }

    fn value(&mut self) -> Variant {
        match self.below(9) {
            0 => (self.below(1_000) as i64).into(),
            1 => (self.below(1_000) as f64 / 7.0).into(),
            2 => format!("text {}", self.below(100)).into(),
            3 => Vector2::new(self.below(64) as f32, 0.5).into(),
            4 => variant!([1, "two", { "three": 3.5 }]),
            5 => variant!({ "a": 5, "b": [true, null] }),
            6 => Variant::PackedVector2Array(
                [1.0, 3.0].map(|it: f32| Vector2::new(it, 0.5)).to_vec().into(),
            ),
            7 => true.into(),
            _ => Color::new(0.25_f32, 0.5, 0.75, 1.0).into(),
        }
    }

    fn take(&mut self) {
        while let Some(event) = self.peer.poll().unwrap() {
            match event {
                SessionEvent::PeerConnected { .. } => self.is_joined = true,
                SessionEvent::PeerDisconnected { .. } => self.is_joined = false,
                SessionEvent::Call(call) => {
                    let arguments = call.arguments().iter().map(|it| encoded(&it.into())).collect();
                    let called = (call.path.clone(), call.method.clone().unwrap());
                    self.got.entry(called).or_default().push(arguments);
                }
                SessionEvent::Spawned(spawned) => {
                    let spawn = spawned.spawn().unwrap();
                    let path = spawned.path.clone().unwrap();
                    let Some(scene) = spawned.scene.clone() else {
                        assert!(path.starts_with("Main/World/Shots/shot"), "{path}");
                        let argument = Variant::from(spawn.argument.iter().next().unwrap());
                        assert_eq!(argument.get("name"), Some(&spawn.name.into()));
                        self.made += 1;
                        continue;
                    };
                    let context = self.peer.session().context(PeerId::SERVER);
                    let properties = spawn.properties(context).unwrap();
                    let properties =
                        properties.map(|(name, value)| (name.to_owned(), value.into())).collect();
                    self.actors.insert(spawn.name.to_owned(), (path.clone(), None));
                    self.spawned.push((path, scene, properties));
                }
                SessionEvent::States(states) => {
                    let context = self.peer.session().context(PeerId::SERVER);
                    for state in states.states() {
                        let path = context.synchronizer_path(state.synchronizer).unwrap();
                        for (name, value) in state.properties(context).unwrap() {
                            let values = self
                                .changes
                                .entry((path.to_string(), name.to_owned()))
                                .or_default();
                            let value = Variant::from(value);
                            if values.last() != Some(&value) {
                                values.push(value);
                            }
                        }
                    }
                }
                // The game removes its nodes when it quits.
                SessionEvent::Despawned { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Plays a frame of an end.
    fn play(&mut self) {
        self.frame += 1;
        if self.is_server {
            self.replicate();
        }
        let calls: usize = self.sent.values().map(Vec::len).sum();
        if self.frame > 45 && calls < CALLS && self.frame.is_multiple_of(2) {
            self.call();
        }
    }

    fn call(&mut self) {
        let mut nodes = vec![("Main/World".to_owned(), WORLD), ("Main/Chat".to_owned(), CHAT)];
        for (name, (path, _)) in &self.actors {
            let of_server = if self.is_server { OF_MOB } else { &OF_MOB[..2] };
            let methods = if name.starts_with("hero") { OF_HERO } else { of_server };
            nodes.push((path.clone(), methods));
        }
        let (path, methods) = nodes.swap_remove(self.below(nodes.len() as u64) as usize);
        let (method, _) = methods[self.below(methods.len() as u64) as usize];
        let arguments: Vec<Variant> = (0..self.below(4)).map(|_| self.value()).collect();
        let session = self.peer.session();
        session.call(PeerId::EVERYONE, &path, method, &arguments[..]).unwrap();
        let arguments = arguments.iter().map(encoded).collect();
        self.sent.entry((path, method.to_owned())).or_default().push(arguments);
    }

    /// Spawns and changes what the recorded server spawned and changed.
    fn replicate(&mut self) {
        let frame = self.frame;
        let new = match frame {
            10 | 30 => Some((HERO, format!("hero{frame}"))),
            20 => Some((MOB, "mob20".to_owned())),
            _ => None,
        };
        if let Some((scene, name)) = new {
            let values = match scene {
                HERO => vec![
                    ("position", Vector2::new(0.0_f32, 0.0).into()),
                    ("mana", 100.into()),
                    ("health", format!("title {frame}").into()),
                ],
                _ => vec![
                    ("level", Vector3::new(0.0_f32, 0.0, 0.0).into()),
                    ("score", variant!([])),
                    ("rotation", 0.0.into()),
                ],
            };
            let here = self.peer.session().spawn_scene(SPAWNER, scene, &name, &values).unwrap();
            let path = here.path.clone().unwrap();
            assert_eq!(path, format!("Main/World/Actors/{name}"));
            self.actors.insert(name, (path, Some(here)));
            self.set_all(|is_hero, _| if is_hero { vec![("facing", 0.5.into())] } else { vec![] });
        }
        if frame % 40 == 25 {
            let name = format!("shot{frame}");
            let argument = variant!({ "name": (name.clone()), "at": (frame) });
            let node = gdwire::multiplayer::session::NewNode::custom(argument, &name);
            self.peer.session().spawn("Main/World/Custom", node, &[]).unwrap();
            self.made += 1;
        }
        if frame.is_multiple_of(7) {
            let real = f64::from(frame) / 10.0;
            self.set_all(|is_hero, place| match is_hero {
                true => vec![
                    ("position", Vector2::new(frame as f32, place as f32).into()),
                    ("facing", real.into()),
                    ("Turret:rotation", (real % 3.0).into()),
                ],
                false => vec![
                    ("level", Vector3::new(frame as f32, 1.0, 2.0).into()),
                    ("rotation", (real % 3.0).into()),
                ],
            });
        }
        if frame.is_multiple_of(31) {
            let mana = 100 - i64::from(frame / 31);
            self.set_all(|is_hero, _| if is_hero { vec![("mana", mana.into())] } else { vec![] });
        }
    }

    fn set_all(&mut self, values: impl Fn(bool, usize) -> Vec<(&'static str, Variant)>) {
        for (place, (name, (path, here))) in self.actors.iter().enumerate() {
            for (property, value) in values(name.starts_with("hero"), place) {
                let synchronizer = here.as_ref().unwrap().synchronizers[0];
                self.peer.session().set_property(synchronizer, property, &value).unwrap();
                let of = (path.clone(), property.to_owned());
                self.changes.entry(of).or_default().push(value);
            }
        }
    }
}

/// Plays a game until the engine's end quits. Returns what that end wrote and printed.
fn play(end: &mut End, engine: &mut Lines) {
    let start = Instant::now();
    while !engine.printed.iter().any(|line| line == "end") {
        assert!(start.elapsed() < TIMEOUT, "{:?} {}", engine.printed, engine.errors());
        end.take();
        if end.is_joined {
            end.play();
        }
        engine.take();
        assert!(!engine.has_ended, "{:?} {}", engine.printed, engine.errors());
        sleep(FRAME);
    }
    end.take();
}

/// Compares calls: all reliable ones arrive, in order for each method; others may be missing.
fn compare(sent: &Calls, got: &Calls, of: &str) {
    let none = Vec::new();
    let is_reliable = |method: &str| !["trade", "ping"].contains(&method);
    for (called, all) in sent {
        let arrived = got.get(called).unwrap_or(&none);
        if is_reliable(&called.1) {
            assert_eq!(arrived, all, "{of}: {called:?}");
        } else {
            let mut left = all.iter();
            assert!(arrived.iter().all(|it| left.any(|sent| sent == it)), "{of}: {called:?}");
        }
    }
    let strange: BTreeSet<_> = got.keys().filter(|called| !sent.contains_key(*called)).collect();
    assert!(strange.is_empty(), "{of}: {strange:?}");
    assert!(sent.values().map(Vec::len).sum::<usize>() == CALLS, "{of}");
}

fn calls(lines: &[Sent]) -> Calls {
    let mut calls = Calls::new();
    for line in lines.iter().filter(|line| line.kind == "call") {
        let called = (line.path.clone(), line.method.clone());
        calls.entry(called).or_default().push(line.args_hex.clone());
    }
    calls
}

/// The lines that begin with a word.
fn printed(engine: &Lines, word: &str) -> Vec<Sent> {
    let lines = engine.printed.iter().filter_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The values in a line that the engine printed.
fn values(line: &Sent) -> BTreeMap<String, Variant> {
    let value = |hex: &String| Variant::from(parse(Dialect::GODOT_4, &unhex(hex)).unwrap());
    line.properties.iter().map(|(name, hex)| (name.clone(), value(hex))).collect()
}

fn check_calls(end: &End, engine: &Lines, out: &Path, transport: &str) -> Vec<Sent> {
    let log = fs::read_to_string(out).unwrap();
    let log: Vec<Sent> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    compare(&calls(&log), &end.got, "the engine's calls");
    compare(&end.sent, &calls(&printed(engine, "got")), "our calls");
    assert_eq!(engine.errors(), "", "the engine finds no fault");
    let count = |calls: &Calls| calls.values().map(Vec::len).sum();
    let over = transport_name(transport);
    Godot::V4.checked(&format!("calls to a session, {over}"), count(&end.got));
    Godot::V4.checked(&format!("calls of a session, {over}"), count(&end.sent));
    log
}

#[test]
fn a_session_is_the_server_of_a_recorded_game() {
    if Godot::V4.find().is_none() {
        return;
    }
    for transport in TRANSPORTS {
        let folder = folder(&format!("arena_server_{transport}"));
        write_project(&folder);
        let session = SessionOptions::server(Dialect::GODOT_4).with_names(names());
        let address = ([127, 0, 0, 1], 0).into();
        let (peer, port): (GamePeer, _) = if transport == "websocket" {
            let options = WebSocketOptions::default();
            let peer = WebSocketPeer::listen(address, session, options).unwrap();
            let port = peer.address().port();
            (peer.into(), port)
        } else {
            let peer = EnetPeer::listen(address, session, options(transport)).unwrap();
            let port = peer.address().port();
            (peer.into(), port)
        };
        let mut end = End::new(peer, true);
        let out = folder.join("client.ndjson");
        let (port, calls) = (port.to_string(), CALLS.to_string());
        let arguments = ["client", transport, &port, "1", &calls, out.to_str().unwrap()];
        let mut engine = Lines::start(&Godot::V4, &folder, &folder, &arguments).unwrap();
        play(&mut end, &mut engine);
        check_calls(&end, &engine, &out, transport);
        // Each node has the properties of its spawn, and at the end those that were set last.
        let spawned = printed(&engine, "spawned");
        let titles: Vec<_> = spawned.iter().map(|line| (&*line.path, values(line))).collect();
        assert_eq!(titles.len(), 3);
        for (path, values) in titles {
            match path.strip_prefix("Main/World/Actors/hero") {
                Some(frame) => {
                    assert_eq!(values["health"], format!("title {frame}").into());
                    assert_eq!(values["mana"], 100.into());
                }
                None => assert_eq!(values["score"], variant!([])),
            }
        }
        let made = engine.printed.iter().filter(|line| line.starts_with("made shot")).count();
        assert!(made >= 2 && made <= end.made, "{made}");
        let at_end = printed(&engine, "at_end");
        assert_eq!(at_end.len(), 3);
        for line in &at_end {
            for (name, value) in values(line) {
                let name = if name == "turret" { "Turret:rotation".to_owned() } else { name };
                if let Some(sent) = end.changes.get(&(line.path.clone(), name.clone())) {
                    // The game quits while the last one is still on its way.
                    let recent = &sent[sent.len().saturating_sub(20)..];
                    let is_sent = recent.iter().any(|sent| alike(sent, &value));
                    assert!(is_sent, "{} {name} {value} {recent:?}", line.path);
                }
            }
        }
    }
}

/// Whether a value is what the engine keeps of another one: its vectors have single precision.
fn alike(sent: &Variant, kept: &Variant) -> bool {
    let text = |value: &Variant| encoded(value);
    text(sent) == text(kept)
        || matches!((sent, kept), (Variant::Float(a), Variant::Float(b)) if (a - b).abs() < 1e-5)
}

/// Whether two texts are of the same value. The engine writes reals of single precision shorter.
fn is_same_text(one: &str, other: &str) -> bool {
    let real = |text: &str| text.parse::<f32>();
    one == other || matches!((real(one), real(other)), (Ok(one), Ok(other)) if one == other)
}

#[test]
fn a_session_is_the_client_of_a_recorded_game() {
    for (number, transport) in TRANSPORTS.iter().enumerate() {
        let folder = folder(&format!("arena_client_{transport}"));
        write_project(&folder);
        let out = folder.join("server.ndjson");
        let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (port, calls) = (taken.to_string(), CALLS.to_string());
        let arguments = ["server", transport, &port, "1", &calls, out.to_str().unwrap()];
        let engine = Lines::start(&Godot::V4, &folder, &folder, &arguments);
        let Some(mut engine) = engine else { return };
        let scheme = if *transport == "websocket" { "ws" } else { "enet" };
        let server = ServerAddress::resolve(&format!("{scheme}://127.0.0.1:{port}")).unwrap();
        let start = Instant::now();
        let connect = || {
            let id = PeerId::new(4_000 + number as i32);
            let session = SessionOptions::client(Dialect::GODOT_4, id).with_names(names());
            let websocket = WebSocketOptions::default();
            GamePeer::connect(&server, session, options(transport), &websocket).ok()
        };
        // A WebSocket server that has not started yet refuses the connection.
        let mut end = loop {
            assert!(start.elapsed() < TIMEOUT, "{}", engine.errors());
            let Some(peer) = connect() else {
                sleep(FRAME);
                continue;
            };
            let mut end = End::new(peer, false);
            while !end.is_joined && !end.peer.is_closed() {
                end.take();
                sleep(FRAME);
            }
            if end.is_joined {
                break end;
            }
        };
        play(&mut end, &mut engine);
        let log = check_calls(&end, &engine, &out, transport);
        let spawns: Vec<_> = log.iter().filter(|line| line.kind == "spawn").collect();
        assert_eq!(spawns.len(), 3);
        assert_eq!(end.spawned.len(), 3);
        for (spawn, (path, scene, properties)) in spawns.iter().zip(&end.spawned) {
            assert_eq!((&spawn.path, &spawn.scene), (path, scene));
            let shown: BTreeMap<_, _> =
                properties.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
            assert_eq!(shown, spawn.properties);
        }
        assert!(end.made >= 2);
        // Every changed value is one that the engine wrote, and the last one arrives.
        let mut changes: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for line in log.iter().filter(|line| line.kind == "change") {
            for (name, text) in line.sync.iter().chain(&line.delta) {
                changes.entry((line.path.clone(), name.clone())).or_default().push(text.clone());
            }
        }
        assert!(changes.len() >= 9, "{changes:?}");
        for (of, written) in changes {
            let got: Vec<_> = end.changes[&of].iter().map(ToString::to_string).collect();
            let last = [got.last(), written.last()].map(Option::unwrap);
            assert!(is_same_text(last[0], last[1]), "{of:?} {last:?}");
            // The first is the value before the first change.
            let mut left = written.iter();
            let mut is_written = |got: &String| left.any(|text| is_same_text(got, text));
            assert!(got[1..].iter().all(&mut is_written), "{of:?} {got:?} {written:?}");
            // ENet may drop syncs instead of sending them.
            assert!(got.len() > 1, "{of:?} {got:?}");
        }
    }
}
