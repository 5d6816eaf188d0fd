//! A game of Godot 4 at one end, and a session of this crate at the other: calls with arguments of every
//! type, spawns, states and deltas both ways, other scripts, authentication, and how they leave. The game
//! also runs in a browser.

use super::lines::Lines;
use crate::common::{Godot, engine_file, hex, unhex};
use crate::engine::transport_name;
use gdwire::math::{Color, Vector2, Vector3};
use gdwire::multiplayer::session::{NewNode, Session, SessionEvent, SessionOptions};
use gdwire::multiplayer::{EncodeArguments, Names, PeerId};
use gdwire::peer::{
    EnetCompression, EnetOptions, EnetPeer, GamePeer, ServerAddress, WebSocketOptions,
    WebSocketPeer,
};
use gdwire::project::{Project, TransferMode};
use gdwire::{Dialect, Packed, Variant, encode, parse, variant};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

const WORLD: &str = "Main/World";
const MOB: &str = "res://mob.tscn";

/// The longest time to wait for anything. A browser takes long to start.
const TIMEOUT: Duration = Duration::from_secs(60);

const TRANSPORTS: [&str; 6] =
    ["enet", "enet-range", "enet-fastlz", "enet-zlib", "enet-zstd", "websocket"];

/// The folder of the game. A browser gets a copy, because nothing else may be in it.
fn stage() -> PathBuf {
    engine_file("stage")
}

/// The names that this end has of the game, with another script for one node, and without another
/// node.
fn names() -> Arc<Names> {
    let files = fs::read_dir(stage()).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.is_file()).map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        let text = match path.file_name().unwrap().to_str().unwrap() {
            "wrong.gd" => text + "\n@rpc(\"any_peer\") func other(): pass\n",
            "main.tscn" => text.split("[node name=\"Only\"").next().unwrap().to_owned(),
            _ => text,
        };
        (path.file_name().unwrap().to_str().unwrap().to_owned(), text)
    });
    let project = Project::from_files(files);
    assert_eq!(project.problems(), []);
    Arc::new(Names::new().with_project(project))
}

fn hex_of<T: gdwire::encode::Encode + ?Sized>(value: &T) -> String {
    hex(&encode(Dialect::GODOT_4, value).unwrap())
}

/// This end of a game, and what it has seen, each in a line.
struct End {
    peer: GamePeer,
    seen: Vec<String>,
    /// The last values of properties.
    values: HashMap<String, String>,
}

impl End {
    fn session(&mut self) -> &mut Session {
        self.peer.session()
    }

    /// Takes what has arrived until now.
    fn take(&mut self) {
        while let Some(event) = self.peer.poll().unwrap() {
            self.note(event);
        }
    }

    fn note(&mut self, event: SessionEvent) {
        let line = match event {
            SessionEvent::Authenticating { peer } => format!("authenticating {peer}"),
            SessionEvent::Auth { peer, bytes } => {
                format!("auth {peer} {}", String::from_utf8(bytes).unwrap())
            }
            SessionEvent::AuthenticationFailed { peer } => format!("failed {peer}"),
            SessionEvent::PeerConnected { peer } => format!("joined {peer}"),
            SessionEvent::PeerDisconnected { peer } => format!("left {peer}"),
            SessionEvent::Call(call) => {
                let values = call.arguments().iter().map(|value| hex_of(&value));
                let values: Vec<_> = values.collect();
                let method = call.method.as_deref().unwrap();
                format!("call {} {}.{method} {}", call.from(), call.path, values.join(" "))
            }
            SessionEvent::Bytes { from, bytes } => format!("packet {from} {}", hex(&bytes)),
            SessionEvent::Spawned(spawned) => {
                let spawn = spawned.spawn().unwrap();
                let path = spawned.path.as_deref().unwrap();
                let Some(scene) = &spawned.scene else {
                    let argument = hex_of(&spawn.argument.iter().next().unwrap());
                    self.seen.push(format!("made {path} {argument}"));
                    return;
                };
                let context = self.peer.session().context(spawned.packet.from());
                let properties = spawn.properties(context).into_iter().flatten();
                let values: Vec<_> =
                    properties.map(|(name, value)| format!("{name}={}", hex_of(&value))).collect();
                format!("spawned {path} {scene} {}", values.join(" "))
            }
            SessionEvent::Despawned { name, .. } => format!("despawned {name}"),
            SessionEvent::States(states) => {
                let context = self.peer.session().context(states.packet.from());
                let kind = if states.is_delta() { "delta" } else { "sync" };
                for state in states.states() {
                    // This is not known if several peers have synchronizers in one scene.
                    let Some(path) = context.synchronizer_path(state.synchronizer) else {
                        continue;
                    };
                    let Some(properties) = state.properties(context) else {
                        panic!("{path} {state:?}")
                    };
                    for (name, value) in properties {
                        // Syncs repeat values that have not changed.
                        let (of, value) = (format!("{kind} {path}:{name}"), hex_of(&value));
                        let line = format!("{of} {value}");
                        if self.values.insert(of, value.clone()).as_ref() != Some(&value) {
                            self.seen.push(line);
                        }
                    }
                }
                return;
            }
            SessionEvent::Mismatch { peer, path } => format!("mismatch {peer} {path}"),
            SessionEvent::Refused { from, reason } => format!("refused {from} {reason}"),
            other => panic!("{other:?}"),
        };
        self.seen.push(line);
    }

    /// The text after these words, in the first line with them that was not taken before.
    fn after(&mut self, words: &str, engine: &mut Lines) -> String {
        let start = Instant::now();
        loop {
            self.take();
            if let Some(at) = self.seen.iter().position(|line| line.starts_with(words)) {
                return self.seen.remove(at)[words.len()..].trim().to_owned();
            }
            engine.take();
            let is_late = start.elapsed() > TIMEOUT;
            assert!(
                !is_late,
                "{words:?}: {:?} {:?} {}",
                self.seen,
                engine.printed,
                engine.errors()
            );
            sleep(Duration::from_millis(2));
        }
    }

    fn call<A: EncodeArguments>(&mut self, id: PeerId, path: &str, method: &str, arguments: A) {
        self.session().call(id, path, method, arguments).unwrap();
    }

    /// Asks the engine to do something.
    fn act(&mut self, id: PeerId, what: &str) {
        self.call(id, WORLD, "act", (what,));
    }
}

fn enet_options(transport: &str) -> EnetOptions {
    let name = transport.strip_prefix("enet-").unwrap_or("none");
    let compression = EnetCompression::ALL.iter().find(|it| it.name() == name);
    EnetOptions::default().with_compression(compression.copied().unwrap_or_default())
}

/// A server of ours, and its port.
fn serve(transport: &str, change: impl Fn(SessionOptions) -> SessionOptions) -> (End, u16) {
    let session = change(SessionOptions::server(Dialect::GODOT_4).with_names(names()));
    let address = ([127, 0, 0, 1], 0).into();
    let (peer, address) = if transport == "websocket" {
        let peer = WebSocketPeer::listen(address, session, WebSocketOptions::default()).unwrap();
        let address = peer.address();
        (peer.into(), address)
    } else {
        let peer = EnetPeer::listen(address, session, enet_options(transport)).unwrap();
        let address = peer.address();
        (peer.into(), address)
    };
    (End { peer, seen: Vec::new(), values: HashMap::new() }, address.port())
}

/// A client without a stage of its own.
const GUEST: &str = "guest";

/// A game as a client of ours.
fn client(godot: &Godot, transport: &str, port: u16, more: &[&str]) -> Option<Lines> {
    let port = port.to_string();
    let role = if more == [GUEST] { "guest" } else { "client" };
    let more = if more == [GUEST] { &[] } else { more };
    let arguments = [&[role, transport, &port][..], more].concat();
    Lines::start(godot, &stage(), Path::new("."), &arguments)
}

/// A game as a server, and a client of ours.
fn join(
    transport: &str,
    id: i32,
    more: &[&str],
    change: impl Fn(SessionOptions) -> SessionOptions,
) -> Option<(End, Lines)> {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let port = free.to_string();
    let arguments = [&["server", transport, &port][..], more].concat();
    let mut engine = Lines::start(&Godot::V4, &stage(), Path::new("."), &arguments)?;
    engine.after("started", || {});
    let scheme = if transport == "websocket" { "ws" } else { "enet" };
    let server = ServerAddress::resolve(&format!("{scheme}://127.0.0.1:{port}")).unwrap();
    let session = SessionOptions::client(Dialect::GODOT_4, PeerId::new(id)).with_names(names());
    let (session, websocket) = (change(session), WebSocketOptions::default());
    let peer = GamePeer::connect(&server, session, enet_options(transport), &websocket).unwrap();
    Some((End { peer, seen: Vec::new(), values: HashMap::new() }, engine))
}

/// Everything that two ends say to each other. `id` is the engine's end.
fn play(end: &mut End, engine: &mut Lines, id: PeerId) {
    let own = end.session().id();
    let is_server = own == PeerId::SERVER;
    let client = if is_server { id } else { own };
    end.session().set_authority("Main/Mine", client);
    let (ours, theirs) =
        if is_server { ("Main/Stage", "Main/Mine") } else { ("Main/Mine", "Main/Stage") };
    calls(end, engine, id);
    we_replicate(end, engine, id, ours);
    the_engine_replicates(end, engine, id, theirs);
    a_client_has_a_part_of_a_node(end, engine, id, client);
    assert_eq!(engine.errors(), "", "the engine finds no fault");
    other_scripts_are_refused(end, engine, id);
}

fn calls(end: &mut End, engine: &mut Lines, id: PeerId) {
    // Values of every type come from the engine, and go back.
    end.act(id, "values");
    let mut count = 0;
    for place in 0_i32.. {
        let sent = engine.after("sent ", || end.take());
        let (number, value) = sent.split_once(' ').unwrap();
        assert_eq!(number, place.to_string());
        let call = end.after(&format!("call {id} {WORLD}.value "), engine);
        assert_eq!(call, format!("{} {value}", hex_of(&place)));
        let bytes = unhex(value);
        let back = Variant::from(parse(Dialect::GODOT_4, &bytes).unwrap());
        end.call(id, WORLD, "value", (place, back));
        let own = end.session().id();
        let got = engine.after(&format!("got {own} {WORLD}.value "), || end.take());
        assert_eq!(got, format!("{} {value}", hex_of(&place)));
        count += 1;
        // The last one is an array of Vector4.
        if value.starts_with("26000000") {
            break;
        }
    }
    assert_eq!(count, 46);
    // One byte array alone has no header, and there are other modes and channels.
    let of = format!("call {id} {WORLD}");
    assert_eq!(end.after(&format!("{of}.bytes "), engine), hex_of(&Packed(&[1_u8, 2, 3][..])));
    assert_eq!(end.after(&format!("{of}.aside "), engine), hex_of("aside"));
    assert_eq!(end.after(&format!("packet {id} "), engine), "090807");

    let own = end.session().id();
    let mut typed = |value: String, make: &dyn Fn(&mut End)| {
        make(end);
        let got = engine.after(&format!("got {own} {WORLD}.value "), || end.take());
        assert_eq!(got, format!("{} {value}", hex_of(&-1)));
    };
    macro_rules! typed {
        ($($value:expr),* $(,)?) => {
            $(typed(hex_of(&$value), &|end| end.call(id, WORLD, "value", (-1, $value)));)*
        };
    }
    typed!(
        7,
        -5_000_000_000_i64,
        0.1,
        0.5_f32,
        true,
        "text",
        String::from("owned"),
        Vector2::new(1.0_f32, 2.0),
        Vector3::new(1.0_f32, 2.0, 3.0),
        Color::new(0.1_f32, 0.2, 0.3, 0.4),
        Packed(&[1_u8, 2][..]),
        Packed(&[1.5_f32, 2.5][..]),
        variant!({ "nested": [1, { "deep": null }] }),
    );
    end.call(id, WORLD, "aside", ("c",));
    let got = engine.after(&format!("got {own} {WORLD}.aside "), || end.take());
    assert_eq!(got, hex_of("c"));
    // ENet may drop unreliable calls instead of sending them, so there are several.
    for method in ["loose", "ordered"] {
        let (mut got, mut seen) = (0, 0);
        let words = [format!("got {own} {WORLD}.{method} "), format!("{of}.{method} ")];
        let start = Instant::now();
        while got == 0 || seen == 0 {
            assert!(start.elapsed() < TIMEOUT, "{method}: {got} {seen}");
            end.call(id, WORLD, method, (method,));
            end.act(id, "loose");
            for _ in 0..20 {
                end.take();
                engine.take();
                sleep(Duration::from_millis(5));
            }
            let is_right = |line: &&String| line.ends_with(&hex_of(method));
            let count = |lines: &[String], words: &String| {
                lines.iter().filter(|it| it.starts_with(words)).filter(is_right).count()
            };
            got = count(&engine.printed, &words[0]);
            seen = count(&end.seen, &words[1]);
        }
    }
    end.call(id, WORLD, "bytes", (Packed(&[4_u8, 5][..]),));
    let got = engine.after(&format!("got {own} {WORLD}.bytes "), || end.take());
    assert_eq!(got, hex_of(&Packed(&[4_u8, 5][..])));
    end.session().send_bytes(id, &[1, 2, 250], TransferMode::Reliable, 0).unwrap();
    assert_eq!(engine.after(&format!("packet {own} "), || end.take()), "0102fa");
    // Only the server may make this call.
    if own == PeerId::SERVER {
        end.call(id, WORLD, "order", (1,));
        engine.after("got 1 Main/World.order", || end.take());
        end.act(id, "order");
        let refused = end.after(&format!("refused {id} "), engine);
        assert_eq!(refused, "the sender is not the authority of the node");
    } else {
        end.act(id, "order");
        end.after("call 1 Main/World.order", engine);
    }
}

/// We spawn nodes on our stage, change them and remove them.
fn we_replicate(end: &mut End, engine: &mut Lines, id: PeerId, stage: &str) {
    let spawner = format!("{stage}/Spawner");
    let position = Vector2::new(3.0_f32, 4.0);
    let tags = variant!(["x", { "y": 1 }]);
    let values = [
        ("position", position.into()),
        ("title", "Sir".into()),
        ("health", 90.into()),
        ("tags", tags.clone()),
    ];
    let path = format!("{stage}/Mobs/ours");
    let mob = end.session().spawn_scene(&spawner, MOB, "ours", &values);
    // Only its own client sends this part of a mob.
    let mob = mob.unwrap();
    assert_eq!(mob.path.as_deref(), Some(&*path));
    let shown = engine.after(&format!("spawned {path} "), || end.take());
    let expected = [hex_of(&position), hex_of("Sir"), hex_of(&90), hex_of(&tags)];
    assert_eq!(shown, expected.join(" "));

    // Syncs and deltas.
    let position = Vector2::new(30.0_f32, 40.0);
    let tags = variant!([null, 2.5]);
    let part = Vector2::new(-1.0_f32, 0.5);
    let sync = mob.synchronizers[0];
    for (property, value) in [
        ("position", Variant::from(position)),
        ("rotation", 0.25.into()),
        ("health", 80.into()),
        ("tags", tags),
        ("Part:position", part.into()),
    ] {
        end.session().set_property(sync, property, &value).unwrap();
        let shown = match property {
            "Part:position" => format!("{path}/Part:position"),
            _ => format!("{path}:{property}"),
        };
        // Before they are set, the properties without a value are null, which changes nothing.
        assert_eq!(engine.after(&format!("now {shown} "), || end.take()), hex_of(&value));
    }

    // Our synchronizer that was not spawned.
    let sync = end.session().add_scene_synchronizer(&format!("{stage}/Sync")).unwrap();
    for (property, value) in [("turn", Variant::from(7)), ("note", "hello".into())] {
        end.session().set_property(sync, property, &value).unwrap();
        let shown = engine.after(&format!("now {stage}:{property} "), || end.take());
        assert_eq!(shown, hex_of(&value));
    }

    // The methods of a node that we have spawned are called both ways.
    end.call(id, &path, "poke", ("hi",));
    let own = end.session().id();
    assert_eq!(engine.after(&format!("got {own} {path}.poke "), || end.take()), hex_of("hi"));
    end.act(id, &format!("poke {path}"));
    assert_eq!(end.after(&format!("call {id} {path}.poke "), engine), hex_of("poked"));

    // A function makes a node of an argument.
    let argument = variant!({ "name": "shot1", "at": (Vector3::new(1.0_f32, 2.0, 3.0)) });
    let node = NewNode::custom(argument.clone(), "shot1");
    let shot = end.session().spawn(&format!("{stage}/Custom"), node, &[]).unwrap();
    assert_eq!(engine.after(&format!("made {stage} "), || end.take()), hex_of(&argument));
    engine.after(&format!("spawned {stage}/Shots/shot1"), || end.take());

    for (net_id, name) in [(mob.net_id, "ours"), (shot.net_id, "shot1")] {
        end.session().despawn(net_id).unwrap();
        engine.after(&format!("despawned {name}"), || end.take());
    }
}

/// The engine spawns nodes on its stage, changes them and removes them.
fn the_engine_replicates(end: &mut End, engine: &mut Lines, id: PeerId, stage: &str) {
    let path = format!("{stage}/Mobs/mob");
    end.act(id, "spawn");
    let spawned = end.after(&format!("spawned {path} {MOB} "), engine);
    let values = [
        format!("position={}", hex_of(&Vector2::new(1.0_f32, 2.0))),
        format!("title={}", hex_of("Grim")),
        format!("health={}", hex_of(&77)),
        format!("tags={}", hex_of(&variant!(["a", 2]))),
    ];
    assert!(spawned.starts_with(&values.join(" ")), "{spawned}");
    end.act(id, "change");
    for (kind, property, value) in [
        ("sync", "position", Variant::from(Vector2::new(5.0_f32, 6.0))),
        ("sync", "rotation", 0.5.into()),
        ("delta", "health", 55.into()),
        ("delta", "tags", variant!([{ "deep": true }])),
        ("delta", "Part:position", Vector2::new(7.0_f32, 8.0).into()),
    ] {
        end.after(&format!("{kind} {path}/Sync:{property} {}", hex_of(&value)), engine);
    }
    end.after(&format!("sync {stage}/Sync:turn {}", hex_of(&9)), engine);
    end.after(&format!("delta {stage}/Sync:note {}", hex_of("set")), engine);

    // Twice: by the path of the node, and by its id.
    let own = end.session().id();
    for text in ["one", "two"] {
        end.call(id, &path, "poke", (text,));
        assert_eq!(engine.after(&format!("got {own} {path}.poke "), || end.take()), hex_of(text));
    }
    end.act(id, "make");
    let argument = variant!({ "name": "shot", "at": (Vector3::new(1.0_f32, 2.0, 3.0)) });
    assert_eq!(end.after(&format!("made {stage}/Shots/shot "), engine), hex_of(&argument));
    end.act(id, "despawn");
    end.after("despawned mob", engine);
    let error = end.session().call(id, &path, "poke", ("gone",)).unwrap_err();
    assert!(error.to_string().contains("is not known"), "{error}");
}

/// The server spawns a node with a synchronizer that belongs to the client.
fn a_client_has_a_part_of_a_node(end: &mut End, engine: &mut Lines, id: PeerId, client: PeerId) {
    let path = format!("Main/Stage/Mobs/{client}");
    let input = format!("{path}/Input");
    let aim = Vector3::new(4.0_f32, 5.0, 6.0);
    end.session().set_authority(&input, client);
    if end.session().id() == PeerId::SERVER {
        let values = [("position", Vector2::new(0.0_f32, 0.0).into()), ("tags", variant!([]))];
        let name = client.to_string();
        end.session().set_authority(&input, client);
        end.session().spawn_scene("Main/Stage/Spawner", MOB, &name, &values).unwrap();
        engine.after(&format!("spawned {path}"), || end.take());
        end.act(id, &format!("aim {client}"));
        end.after(&format!("sync {input}:aim {}", hex_of(&aim)), engine);
    } else {
        end.act(id, &format!("pilot {client}"));
        end.after(&format!("spawned {path}"), engine);
        let sync = end.session().add_scene_synchronizer(&input).unwrap();
        end.session().set_property(sync, "aim", &aim).unwrap();
        assert_eq!(engine.after(&format!("now {path}:aim "), || end.take()), hex_of(&aim));
    }
}

/// One end has other methods for a node than the other one, or has no such node.
fn other_scripts_are_refused(end: &mut End, engine: &mut Lines, id: PeerId) {
    // As the engine does, we say that the scripts differ, and still take the call of a method that is
    // there.
    end.act(id, "wrong");
    end.after(&format!("mismatch {id} Main/Wrong"), engine);
    end.after(&format!("call {id} Main/Wrong.hello"), engine);
    end.act(id, "only");
    assert_eq!(end.after(&format!("refused {id} "), engine), "the node is not known");
    end.after(&format!("refused {id} the node is not known"), engine);
    // The engine says so about our calls, too.
    end.call(id, "Main/Wrong", "other", ());
    end.after(&format!("mismatch {id} Main/Wrong"), engine);
    let errors = engine.errors();
    assert!(errors.contains("checksum failed"), "{errors}");
}

#[test]
fn a_game_plays_with_a_server_of_ours() {
    if Godot::V4.find().is_none() {
        return;
    }
    for transport in TRANSPORTS {
        server_of(&Godot::V4, transport);
    }
}

#[test]
fn a_game_in_a_browser_plays_with_a_server_of_ours() {
    if Godot::WEB.find().is_some() {
        server_of(&Godot::WEB, "websocket");
    }
}

fn server_of(godot: &Godot, transport: &str) {
    let (mut end, port) = serve(transport, |options| options);
    let Some(mut engine) = client(godot, transport, port, &[]) else { return };
    let id = end.after("joined ", &mut engine);
    let id = PeerId::new(id.parse().unwrap());
    engine.after("joined 1", || end.take());
    play(&mut end, &mut engine, id);
    // The server closes the connection.
    end.peer.disconnect(id);
    engine.after("closed", || end.take());
    end.after(&format!("left {id}"), &mut engine);
    godot.checked(&format!("games of a server of ours, {}", transport_name(transport)), 1);
}

#[test]
fn a_client_of_ours_plays_with_a_game() {
    for (place, transport) in (0..).zip(TRANSPORTS) {
        let Some((mut end, mut engine)) = join(transport, 5_000 + place, &[], |it| it) else {
            return;
        };
        end.after("joined 1", &mut engine);
        let own = end.session().id();
        engine.after(&format!("joined {own}"), || end.take());
        play(&mut end, &mut engine, PeerId::SERVER);
        end.peer.disconnect(PeerId::SERVER);
        engine.after(&format!("left {own}"), || end.take());
        end.after("left 1", &mut engine);
        let what = format!("games of a client of ours, {}", transport_name(transport));
        Godot::V4.checked(&what, 1);
    }
}

/// Each end sends a secret, and is admitted by the other one if it is right.
#[test]
fn games_and_sessions_authenticate_each_other() {
    let change = |options: SessionOptions| options.with_authentication(Duration::from_secs(9));
    let sent = |end: &mut End, engine: &mut Lines, id: PeerId, secret: &str| {
        end.after(&format!("authenticating {id}"), engine);
        end.session().send_auth(id, secret.as_bytes()).unwrap();
        assert_eq!(end.after(&format!("auth {id} "), engine), "open");
    };
    for transport in ["enet", "websocket"] {
        for (secret, is_right) in [("open", true), ("shut", false)] {
            // The engine is the client, over WebSocket also in a browser, and then the server.
            for godot in [&Godot::V4, &Godot::WEB] {
                if godot.find().is_none() || godot.is_web() && transport == "enet" {
                    continue;
                }
                let (mut end, port) = serve(transport, change);
                let mut engine = client(godot, transport, port, &["open"]).unwrap();
                let id = end.after("authenticating ", &mut engine);
                end.seen.push(format!("authenticating {id}"));
                let id = PeerId::new(id.parse().unwrap());
                sent(&mut end, &mut engine, id, secret);
                assert_eq!(engine.after("auth 1 ", || end.take()), secret);
                if is_right {
                    end.session().complete_auth(id).unwrap();
                    end.after(&format!("joined {id}"), &mut engine);
                    engine.after("joined 1", || end.take());
                    end.call(id, WORLD, "say", ("welcome",));
                    engine.after("got 1 Main/World.say", || end.take());
                } else {
                    // The engine leaves.
                    end.after(&format!("failed {id}"), &mut engine);
                }
            }
            let id = PeerId::new(77);
            let Some((mut end, mut engine)) = join(transport, 77, &["open"], change) else {
                return;
            };
            sent(&mut end, &mut engine, PeerId::SERVER, secret);
            let id = if transport == "websocket" { end.session().id() } else { id };
            assert_eq!(engine.after(&format!("auth {id} "), || end.take()), secret);
            if is_right {
                end.session().complete_auth(PeerId::SERVER).unwrap();
                end.after("joined 1", &mut engine);
                engine.after(&format!("joined {id}"), || end.take());
            } else {
                end.after("failed 1", &mut engine);
            }
        }
    }
}

/// Two games play with each other through a server of ours, and a client of ours through a game.
#[test]
fn games_play_with_each_other_through_a_session() {
    for transport in ["enet", "enet-range", "websocket"] {
        let (mut end, port) = serve(transport, |options| options);
        let mut engines = Vec::new();
        for _ in 0..2 {
            let Some(mut engine) = client(&Godot::V4, transport, port, &[GUEST]) else { return };
            let id = end.after("joined ", &mut engine);
            engine.after("joined 1", || end.take());
            engines.push((PeerId::new(id.parse().unwrap()), engine));
        }
        let [(first, of_first), (second, of_second)] = &mut engines[..] else { panic!() };
        let (first, second) = (*first, *second);
        of_first.after(&format!("joined {second}"), || end.take());
        of_second.after(&format!("joined {first}"), || end.take());
        // Twice: by the path of the node, and by its id.
        for turn in ["a", "b"] {
            let word = |to: &str| format!("{turn}{to}");
            end.act(first, &format!("say {second} {}", word("one")));
            let got = of_second.after(&format!("got {first} {WORLD}.say "), || end.take());
            assert_eq!(got, hex_of(&*word("one")));
            end.act(second, &format!("say 0 {}", word("all")));
            let got = of_first.after(&format!("got {second} {WORLD}.say "), || end.take());
            assert_eq!(got, hex_of(&*word("all")));
            let called = end.after(&format!("call {second} {WORLD}.say "), of_second);
            assert_eq!(called, hex_of(&*word("all")));
            // All but one.
            end.session().call(PeerId::new(-first.get()), WORLD, "say", ("most",)).unwrap();
            of_second.after(&format!("got 1 {WORLD}.say "), || end.take());
            end.session().call(PeerId::EVERYONE, WORLD, "say", ("every",)).unwrap();
            for engine in [&mut *of_first, &mut *of_second] {
                let got = engine.after(&format!("got 1 {WORLD}.say "), || end.take());
                assert_eq!(got, hex_of("every"));
            }
        }
        // A node that was spawned before a client came.
        let values = [("position", Vector2::new(1.0_f32, 2.0).into()), ("title", "old".into())];
        let values = [&values[..], &[("health", 1.into()), ("tags", variant!([]))]].concat();
        end.session().spawn_scene("Main/Stage/Spawner", MOB, "old", &values).unwrap();
        for engine in [&mut *of_first, &mut *of_second] {
            engine.after("spawned Main/Stage/Mobs/old", || end.take());
        }
        let Some(mut late) = client(&Godot::V4, transport, port, &[GUEST]) else { return };
        let id = end.after("joined ", &mut late);
        let spawned = late.after("spawned Main/Stage/Mobs/old ", || end.take());
        assert!(spawned.contains(&hex_of("old")), "{spawned}");
        of_first.after(&format!("joined {id}"), || end.take());
        // One leaves, and the server tells the others.
        end.act(first, "leave");
        end.after(&format!("left {first}"), of_first);
        of_second.after(&format!("left {first}"), || end.take());
        for engine in [of_second, &mut late] {
            assert_eq!(engine.errors(), "", "{transport}");
        }
    }
}
