//! Tests the names that packets get from a project: `named.txt` has each packet of a small game,
//! and what changes below it if any packet is missing, or comes after the next one, and if the game
//! is of another version of the project.

use crate::common::written_down;
use gdwire::Dialect;
use gdwire::json::Spelling;
use gdwire::math::Vector2;
use gdwire::multiplayer::{
    ArgumentBytes, Context, EncodeArguments, Method, MultiplayerProtocol, Names, Node, Packet,
    PacketEncoder, Paths, PeerId, SpawnedNode, Synchronizer, parse, write_json,
};
use gdwire::project::Project;
use md5::{Digest, Md5};
use std::fmt::Write;
use std::sync::Arc;

const SERVER: PeerId = PeerId::SERVER;
const CLIENT: PeerId = PeerId::new(7);

/// The files of the project, each after a line with its name.
const PROJECT: &str = r#"
=== project.godot
[application]
run/main_scene="res://main.tscn"
[autoload]
Net="*res://net.gd"
=== net.gd
extends Node
@rpc("any_peer") func ping(_at: float): pass
=== main.gd
extends Node
var title := "t"
@export var hp := 1
func _ready(): $Custom.spawn_function = _make
func _make(data): return load(data).instantiate()
func level(n): add_child(load("res://level%d.tscn" % n).instantiate())
=== world.gd
extends Node
@rpc("any_peer", "unreliable", 2) func hit(_by: int, _how: String = ""): pass
@rpc func reload(): pass
=== main.tscn
[gd_scene format=3]
[ext_resource type="Script" path="res://main.gd" id="1"]
[ext_resource type="Script" path="res://world.gd" id="2"]
[sub_resource type="SceneReplicationConfig" id="c"]
properties/0/path = NodePath(".:title")
properties/0/spawn = true
properties/0/replication_mode = 1
properties/1/path = NodePath(".:hp")
properties/1/spawn = true
properties/1/replication_mode = 2
[node name="Main" type="Node"]
script = ExtResource("1")
[node name="World" type="Node" parent="."]
script = ExtResource("2")
[node name="Actors" type="Node" parent="."]
[node name="Spawner" type="MultiplayerSpawner" parent="."]
spawn_path = NodePath("../Actors")
_spawnable_scenes = PackedStringArray("res://mob.tscn", "res://wisp.tscn", "res://door.tscn")
[node name="Far" type="MultiplayerSpawner" parent="."]
spawn_path = NodePath("../World")
_spawnable_scenes = PackedStringArray("res://mob.tscn")
[node name="Custom" type="MultiplayerSpawner" parent="."]
spawn_path = NodePath("../Actors")
[node name="Blind" type="MultiplayerSpawner" parent="."]
spawn_path = NodePath("..")
[node name="Sync" type="MultiplayerSynchronizer" parent="."]
replication_config = SubResource("c")
=== mob.gd
extends Node2D
@export var hp := 1
@rpc("any_peer") func bite(_at: Vector2): pass
@rpc func howl(): pass
=== mob.tscn
[gd_scene format=3]
[ext_resource type="Script" path="res://mob.gd" id="1"]
[sub_resource type="SceneReplicationConfig" id="c"]
properties/0/path = NodePath(".:hp")
properties/0/spawn = true
properties/0/replication_mode = 2
properties/1/path = NodePath(".:position")
properties/1/spawn = false
properties/1/replication_mode = 1
[node name="Mob" type="Node2D"]
script = ExtResource("1")
[node name="Nest" type="MultiplayerSpawner" parent="."]
spawn_path = NodePath("..")
_spawnable_scenes = PackedStringArray("res://wisp.tscn")
[node name="Sync" type="MultiplayerSynchronizer" parent="."]
replication_config = SubResource("c")
=== wisp.gd
extends Node2D
@export var glow := 0.5
@rpc("authority", "call_local") func shine(): pass
=== wisp.tscn
[gd_scene format=3]
[ext_resource type="Script" path="res://wisp.gd" id="1"]
[sub_resource type="SceneReplicationConfig" id="c"]
properties/0/path = NodePath(".:glow")
properties/0/spawn = true
properties/0/replication_mode = 1
[node name="Wisp" type="Node2D"]
script = ExtResource("1")
[node name="Sync" type="MultiplayerSynchronizer" parent="."]
replication_config = SubResource("c")
=== twin.gd
extends Node
@export var a := 1
@export var b := 2
@export var c := "c"
@export var d := "d"
=== left.tscn
[gd_scene format=3]
[ext_resource type="Script" path="res://twin.gd" id="1"]
[sub_resource type="SceneReplicationConfig" id="c"]
properties/0/path = NodePath(".:c")
properties/0/spawn = true
properties/0/replication_mode = 1
properties/1/path = NodePath(".:a")
properties/1/spawn = true
properties/1/replication_mode = 2
[node name="Left" type="Node"]
script = ExtResource("1")
[node name="Sync" type="MultiplayerSynchronizer" parent="."]
replication_config = SubResource("c")
=== right.tscn
[gd_scene format=3]
[ext_resource type="Script" path="res://twin.gd" id="1"]
[sub_resource type="SceneReplicationConfig" id="c"]
properties/0/path = NodePath(".:c")
properties/0/spawn = true
properties/0/replication_mode = 1
properties/1/path = NodePath(".:b")
properties/1/spawn = true
properties/1/replication_mode = 2
properties/2/path = NodePath(".:d")
properties/2/spawn = false
properties/2/replication_mode = 2
[node name="Right" type="Node"]
script = ExtResource("1")
[node name="Sync" type="MultiplayerSynchronizer" parent="."]
replication_config = SubResource("c")
=== both.gd
extends Node
const LEFT = preload("left.tscn")
const RIGHT = preload("right.tscn")
=== door.gd
extends Node
@export var open := false
@rpc("any_peer") func knock(): pass
=== door.tscn
[gd_scene format=3]
[ext_resource type="Script" path="res://door.gd" id="1"]
[node name="Door" type="Node"]
script = ExtResource("1")
=== level1.tscn
[gd_scene format=3]
[ext_resource type="Script" path="res://door.gd" id="1"]
[sub_resource type="SceneReplicationConfig" id="c"]
properties/0/path = NodePath("Door:open")
properties/0/spawn = false
properties/0/replication_mode = 1
[node name="Level" type="Node"]
[node name="Mobs" type="MultiplayerSpawner" parent="."]
spawn_path = NodePath("..")
_spawnable_scenes = PackedStringArray("res://mob.tscn")
[node name="Traps" type="MultiplayerSpawner" parent="."]
spawn_path = NodePath("..")
_spawnable_scenes = PackedStringArray("res://door.tscn")
[node name="Door" type="Node" parent="."]
script = ExtResource("1")
[node name="Sync" type="MultiplayerSynchronizer" parent="."]
replication_config = SubResource("c")
=== level2.tscn
[gd_scene format=3]
[ext_resource type="Script" path="res://mob.gd" id="1"]
[sub_resource type="SceneReplicationConfig" id="c"]
properties/0/path = NodePath("Beast:hp")
properties/0/spawn = false
properties/0/replication_mode = 1
[node name="Level" type="Node"]
[node name="Mobs" type="MultiplayerSpawner" parent="."]
spawn_path = NodePath("..")
_spawnable_scenes = PackedStringArray("res://wisp.tscn")
[node name="Lamps" type="MultiplayerSpawner" parent="."]
spawn_path = NodePath("..")
_spawnable_scenes = PackedStringArray("res://wisp.tscn")
[node name="Beast" type="Node2D" parent="."]
script = ExtResource("1")
[node name="Sync" type="MultiplayerSynchronizer" parent="."]
replication_config = SubResource("c")
"#;

fn files(text: &str) -> Vec<(&str, &str)> {
    let parts = text.split("\n=== ").skip(1);
    parts.filter_map(|part| part.split_once('\n')).collect()
}

const ENCODER: PacketEncoder = PacketEncoder::new(MultiplayerProtocol::Godot4, Dialect::GODOT_4);

/// A packet, its sender, and the sender of a relayed packet.
#[derive(Clone)]
struct Sent {
    from: PeerId,
    relayed_for: Option<PeerId>,
    bytes: Vec<u8>,
}

/// Packets of one peer.
struct Sender(PeerId, Vec<Sent>);

impl Sender {
    fn add(&mut self, bytes: Vec<u8>) {
        self.1.push(Sent { from: self.0, relayed_for: None, bytes });
    }

    /// Announces a node with these methods.
    fn path(&mut self, id: u32, path: &str, methods: &str) {
        let md5 = data_encoding::HEXLOWER.encode(&Md5::digest(methods));
        self.add(ENCODER.simplify_path(id, path, Some(&md5), Vec::new()).unwrap());
    }

    fn call(&mut self, node: Node<'_>, index: u16, arguments: &impl EncodeArguments) {
        let method = Method::Number { index, is_own: false };
        self.add(ENCODER.call(node, method, arguments, Vec::new()).unwrap());
    }

    fn spawn(
        &mut self,
        (spawner, scene): (u32, u8),
        (net_id, name): (u32, &str),
        synchronizers: &[u32],
        state: &impl EncodeArguments,
    ) {
        let node = SpawnedNode { spawner, net_id, name, synchronizers };
        self.add(ENCODER.spawn(&node, scene, state, Vec::new()).unwrap());
    }

    fn made(
        &mut self,
        spawner: u32,
        argument: &str,
        (net_id, name): (u32, &str),
        synchronizers: &[u32],
        state: &impl EncodeArguments,
    ) {
        let node = SpawnedNode { spawner, net_id, name, synchronizers };
        self.add(ENCODER.spawn_custom(&node, argument, state, Vec::new()).unwrap());
    }

    fn despawn(&mut self, net_id: u32) {
        self.add(ENCODER.despawn(net_id, Vec::new()).unwrap());
    }

    fn sync(&mut self, synchronizer: Synchronizer, values: &impl EncodeArguments) {
        let mut sync = ENCODER.sync(5, Vec::new()).unwrap();
        sync.state(synchronizer, values).unwrap();
        self.add(sync.finish().unwrap());
    }

    fn delta(&mut self, synchronizer: Synchronizer, bits: u64, values: &impl EncodeArguments) {
        let mut delta = ENCODER.delta(Vec::new()).unwrap();
        delta.changed(synchronizer, bits, values).unwrap();
        self.add(delta.finish().unwrap());
    }
}

/// The packets of the game.
fn packets() -> Vec<Sent> {
    use Synchronizer::{NetId, PathId};
    let at = Vector2::new(1.0, 2.0);
    let none: [i64; 0] = [];
    let mut server = Sender(SERVER, Vec::new());
    // Nodes of the main scene.
    server.path(1, "Main/World", "hitreload");
    server.path(2, "Main/Spawner", "");
    server.path(3, "Main/Custom", "");
    server.path(4, "Main/Blind", "");
    server.path(5, "Main/Sync", "");
    server.path(6, "Main/Far", "");
    server.path(7, "Net", "ping");
    server.call(Node::Id(1), 0, &(3, "fire"));
    server.call(Node::Id(1), 1, &none);
    server.call(Node::Id(7), 0, &(0.5,));
    server.sync(PathId(5), &("hello",));
    server.delta(PathId(5), 1, &(9,));
    // Ids that the user names, and ids that nobody names.
    server.call(Node::Id(90), 0, &(3,));
    server.call(Node::Id(90), 1, &none);
    server.spawn((91, 1), (60, "given"), &[61], &(0.25,));
    server.sync(PathId(92), &("given",));
    server.call(Node::Id(70), 0, &(3, "x"));
    server.call(Node::Id(70), 1, &none);
    server.call(Node::Id(71), 1, &none);
    server.call(Node::Id(71), 0, &(at,));
    server.sync(NetId(72), &(at,));
    server.delta(NetId(72), 1, &(4,));
    server.delta(NetId(73), 2, &("c",));
    server.sync(PathId(74), &(true,));
    // Spawned nodes, and nodes in them.
    server.spawn((2, 0), (10, "one"), &[11], &(7,));
    server.spawn((2, 1), (12, "two"), &[13], &(0.75,));
    server.sync(NetId(11), &(at,));
    server.delta(NetId(11), 1, &(6,));
    server.sync(NetId(13), &(0.5,));
    server.path(8, "Main/Actors/one", "bitehowl");
    server.call(Node::Id(8), 0, &(at,));
    server.path(9, "Main/Actors/one/Nest", "");
    server.spawn((9, 0), (14, "three"), &[15], &(0.1,));
    server.sync(NetId(15), &(0.5,));
    server.path(10, "Main/Actors/one/three", "shine");
    server.call(Node::Id(10), 0, &none);
    server.spawn((6, 0), (16, "far"), &[17], &(1,));
    server.path(11, "Main/Actors/far", "bitehowl");
    server.call(Node::Id(11), 1, &none);
    server.sync(NetId(17), &(at,));
    // Nodes of functions.
    server.made(3, "res://wisp.tscn", (20, "made"), &[21], &(0.5,));
    server.sync(NetId(21), &(0.5,));
    server.made(3, "res://gone.tscn", (22, "gone"), &[], &none);
    server.made(4, "x", (24, "blind"), &[25], &("c", 1));
    server.sync(NetId(25), &("d",));
    server.delta(NetId(25), 1, &(1,));
    server.delta(NetId(25), 2, &("e",));
    server.sync(NetId(25), &("f",));
    // Levels that a script adds.
    server.path(30, "Main/Level/Mobs", "");
    server.spawn((30, 0), (31, "wolf"), &[], &none);
    server.path(31, "Main/Level/Sync", "");
    server.sync(PathId(31), &(true,));
    server.sync(PathId(31), &(false,));
    server.spawn((30, 0), (33, "bear"), &[34], &(1,));
    server.sync(NetId(34), &(at,));
    server.path(32, "Main/Level/Door", "knock");
    server.call(Node::Id(32), 0, &none);
    server.despawn(31);
    server.despawn(33);
    server.path(33, "Main/Level/Sync", "");
    server.sync(PathId(33), &(8,));
    server.sync(PathId(33), &(9,));
    server.path(34, "Main/Level/Lamps", "");
    server.spawn((34, 0), (35, "lamp"), &[36], &(0.5,));
    server.sync(NetId(36), &(0.5,));
    server.path(35, "Main/Level/Mobs", "");
    server.spawn((35, 0), (37, "moth"), &[38], &(0.5,));
    server.path(36, "Main/Player/Sync", "");
    server.sync(PathId(36), &("p",));
    server.delta(PathId(36), 2, &("q",));
    server.delta(PathId(36), 3, &(1, "q"));
    server.path(37, "Main/Other/Sync", "");
    server.delta(PathId(37), 1, &(1,));
    server.sync(PathId(36), &("r",));
    server.delta(PathId(37), 1, &(2,));
    server.path(38, "Main/Lone/Sync", "");
    server.delta(PathId(38), 3, &(1, "q"));
    server.sync(PathId(38), &("r",));
    let mut sent = server.1;
    // The packets of a client, sent directly and through the server.
    let mut client = Sender(CLIENT, Vec::new());
    client.path(1, "Main/World", "hitreload");
    client.call(Node::Id(1), 0, &(1,));
    client.call(Node::Path("Main/World"), 1, &none);
    client.call(Node::Path("Main/Actors/two"), 0, &none);
    client.call(Node::Id(2), 0, &none);
    client.sync(PathId(3), &("x",));
    client.despawn(10);
    let confirm = ENCODER.confirm_path(Node::Id(1), Some(true), Vec::new()).unwrap();
    client.add(confirm);
    client.add(ENCODER.raw(b"hi", Vec::new()).unwrap());
    for mut packet in client.1 {
        sent.push(packet.clone());
        packet.bytes = ENCODER.relay(CLIENT, &packet.bytes, Vec::new()).unwrap();
        (packet.from, packet.relayed_for) = (SERVER, Some(PeerId::new(8)));
        sent.push(packet);
    }
    // Nodes that are not as the project has them.
    let mut server = Sender(SERVER, Vec::new());
    server.despawn(12);
    server.despawn(10);
    server.sync(NetId(15), &(0.5,));
    server.path(2, "Main/Other", "");
    server.spawn((2, 0), (40, "lost"), &[], &none);
    server.path(40, "Main/World", "hitreloadx");
    server.call(Node::Id(40), 2, &none);
    server.path(41, "Main/World", "hit");
    server.call(Node::Id(41), 0, &none);
    server.call(Node::Id(91), 0, &none);
    server.call(Node::Id(90), 5, &none);
    server.call(Node::Id(90), 0, &(1,));
    server.sync(PathId(5), &(1,));
    server.sync(PathId(5), &("hello",));
    server.sync(NetId(72), &(at,));
    server.path(42, "Main/Spawner", "");
    server.spawn((42, 1), (43, "wrong"), &[44], &(7,));
    server.spawn((42, 0), (45, "later"), &[46], &(7,));
    server.sync(NetId(46), &(at,));
    server.path(43, "Main/Actors/later", "shine");
    server.call(Node::Id(43), 0, &none);
    server.call(Node::Id(70), 0, &(3, "x"));
    for net_id in 50..55 {
        server.spawn((6, 0), (net_id, "same"), &[], &none);
    }
    server.path(44, "Main/Somewhere/same", "bitehowl");
    for (id, below) in [(46, "/Nest"), (47, ""), (48, "/Gone")] {
        server.path(id, &format!("Main/Elsewhere/far{below}"), "");
    }
    server.path(45, &format!("Main/{}", "long".repeat(300)), "");
    server.call(Node::Id(45), 0, &none);
    sent.extend(server.1);
    sent
}

/// The text of a packet with all known names.
fn known(packet: &Packet<'_>, context: Context<'_>) -> String {
    let mut known = packet.display(context).to_string();
    let mut json = Vec::new();
    write_json(packet, context, Spelling::Native, ArgumentBytes::Omitted, &mut json).unwrap();
    // The fields of the JSON that the line does not have.
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    for field in ["script", "scene_path", "scene_from", "node"] {
        if let Some(value) = json.get(field) {
            write!(known, "; {field} {value}").unwrap();
        }
    }
    if let Some(mismatch) = packet.mismatch(context) {
        write!(known, "; WRONG: {mismatch}; {}", mismatch.subject()).unwrap();
    }
    if let Some(id) = packet.unannounced(context) {
        write!(known, "; unannounced {id}").unwrap();
    }
    packet.instances(context, &mut |node, scene| {
        write!(known, "; {node} is {scene:?}").unwrap();
    });
    packet.each_given_node(context, &mut |id| write!(known, "; given {id}").unwrap());
    packet.each_path(context, &mut |path| write!(known, "; has {path}").unwrap());
    let mut named = |name: &str| write!(known, "; names {name}").unwrap();
    packet.each_property(context, &mut |name, _| named(name));
    if let Some(config) = packet.rpc_config(context) {
        let is_refused = packet.is_refused_from_clients(context);
        let channel = config.channel;
        write!(known, "; {:?} {channel:?}, refused {is_refused}", config.transfer).unwrap();
    }
    known
}

/// A line for each packet, and one for what is kept at the end.
fn lines(names: &Arc<Names>, packets: &[Sent], limits: Option<(usize, usize)>) -> Vec<String> {
    let mut paths = Paths::new().with_names(names.clone());
    if let Some((entries, bytes)) = limits {
        paths = paths.with_max_names(entries).with_max_bytes(bytes);
    }
    let mut lines = Vec::new();
    for Sent { from, relayed_for, bytes } in packets {
        let packet = parse(MultiplayerProtocol::Godot4, Dialect::GODOT_4, bytes).unwrap();
        let receiver = if *from == SERVER { CLIENT } else { SERVER };
        let context = Context::new().with_paths(&paths, *from).with_receiver(receiver);
        let line = match (&packet, relayed_for) {
            (Packet::Relay(relay), Some(sender)) => {
                let context = context.with_relayed(*sender, Some(CLIENT));
                let line = known(&packet, context);
                paths.note(*sender, &relay.packet());
                line
            }
            _ => {
                let line = known(&packet, context);
                paths.note(*from, &packet);
                line
            }
        };
        lines.push(format!("{from}: {line}"));
    }
    let before = (paths.held_bytes(), paths.dropped());
    paths.forget(SERVER);
    let after = paths.held_bytes();
    lines.push(format!("{} bytes, {} dropped, then {after} bytes", before.0, before.1));
    lines
}

fn names(text: &str) -> Arc<Names> {
    let names = Names::new().with_project(Project::from_files(files(text)));
    let names = names.with_node(90, "/root/Main/World").with_node(91, "Main/Spawner");
    Arc::new(names.with_node(92, "Main/Sync").with_node(1, "Main/Not/Used"))
}

/// A short number for some lines.
fn number(lines: &[String]) -> u32 {
    let bytes = lines.iter().flat_map(|line| line.bytes());
    bytes.fold(2_166_136_261, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619))
}

/// Adds the first lines that are not as expected, and a number for the others.
fn add_differences(text: &mut String, title: &str, found: &[String], expected: &[String]) {
    const SHOWN: usize = 3;
    let differ = (0..).zip(found.iter().zip(expected)).filter(|(_, (one, other))| one != other);
    let differ = differ.map(|(number, (found, _))| format!("{number} {found}"));
    let differ: Vec<String> = differ.collect();
    if differ.is_empty() {
        return;
    }
    let (shown, others) = differ.split_at(differ.len().min(SHOWN));
    writeln!(text, "{title}\n  {}", shown.join("\n  ")).unwrap();
    if !others.is_empty() {
        writeln!(text, "  and {} others: {:08x}", others.len(), number(others)).unwrap();
    }
}

#[test]
fn every_packet_shows_what_is_written_down() {
    let whole_project = names(PROJECT);
    let packets = packets();
    let whole = lines(&whole_project, &packets, None);
    let mut text = String::new();
    for (number, line) in whole.iter().enumerate() {
        writeln!(text, "{number} {line}").unwrap();
    }
    text += "\n# without a packet\n";
    for missing in 0..packets.len() {
        let rest = [&packets[..missing], &packets[missing + 1..]].concat();
        let found = lines(&whole_project, &rest, None);
        let expected = [&whole[..missing], &whole[missing + 1..]].concat();
        add_differences(&mut text, &format!("{missing}"), &found, &expected);
    }
    text += "\n# with two packets in the other order\n";
    for first in 0..packets.len() - 1 {
        let (mut swapped, mut expected) = (packets.clone(), whole.clone());
        swapped.swap(first, first + 1);
        expected.swap(first, first + 1);
        let found = lines(&whole_project, &swapped, None);
        add_differences(&mut text, &format!("{first}"), &found, &expected);
    }
    text += "\n# without the packets before\n";
    for first in (5..packets.len()).step_by(5) {
        let found = lines(&whole_project, &packets[first..], None);
        add_differences(&mut text, &format!("{first}"), &found, &whole[first..]);
    }
    text += "\n# with limits\n";
    for limits in [(0, 1 << 20), (10, 1 << 20), (20, 1 << 20), (1 << 10, 200), (1 << 10, 400)] {
        let found = lines(&whole_project, &packets, Some(limits));
        add_differences(&mut text, &format!("{limits:?}"), &found, &whole);
    }
    written_down("tests/multiplayer/named.txt", &text);
}

#[test]
fn packets_of_another_version_show_what_is_written_down() {
    let packets = packets();
    let whole = lines(&names(PROJECT), &packets, None);
    let mut text = String::new();
    let mut show = |title: &str, project: &str| {
        add_differences(&mut text, title, &lines(&names(project), &packets, None), &whole);
    };
    let all: Vec<_> = PROJECT.lines().collect();
    let mut file = "";
    for (number, line) in all.iter().enumerate() {
        if let Some(name) = line.strip_prefix("=== ") {
            file = name;
            continue;
        }
        let is_header = line.starts_with("[gd_scene") || line.starts_with("extends");
        if is_header || line.is_empty() {
            continue;
        }
        let (before, after) = (&all[..number], &all[number + 1..]);
        show(&format!("{file}, without {line}"), &[before, after].concat().join("\n"));
        for (from, to) in [
            (" := 1", " := \"\""),
            ("mode = 1", "mode = 2"),
            ("mob.tscn", "wisp.tscn"),
            ("../", "../../"),
            ("any_peer", "authority"),
        ] {
            let other = line.replacen(from, to, 1);
            if other != *line {
                let title = format!("{file}, with {other}");
                show(&title, &[before, &[&*other][..], after].concat().join("\n"));
            }
        }
    }
    for (title, more) in [
        (
            "with a script that changes synchronizers",
            "=== z.gd\nfunc f(s): s.replication_config = x",
        ),
        (
            "with a script that makes synchronizers",
            "=== z.gd\nfunc Sync(): MultiplayerSynchronizer.new()",
        ),
        ("with a script that loads anything", "=== z.gd\nfunc f(): load(FileAccess.open(x, 1))"),
        (
            "with a scene that is not known",
            "=== z.tscn\n[gd_scene]\n[node name=\"Z\" instance=\"1\"]",
        ),
        (
            "with a script that gives authority",
            "=== z.gd\nfunc f(n): n.set_multiplayer_authority(7)",
        ),
        ("with a damaged script", "=== z.gd\nfunc f(: ]"),
        (
            "with a script in C# that has a base class of an extension",
            "=== Z.cs\nclass Z : Unknown { [Rpc] void A() {} }",
        ),
        (
            "with another level",
            "=== level3.tscn\n[gd_scene]\n[node name=\"Level\" type=\"Node\"]\n[node name=\"Sync\" \
             type=\"MultiplayerSynchronizer\" parent=\".\"]\n[node name=\"Mobs\" \
             type=\"MultiplayerSpawner\" parent=\".\"]",
        ),
    ] {
        show(title, &format!("{PROJECT}{more}\n"));
    }
    written_down("tests/multiplayer/versions.txt", &text);
}

#[test]
fn of_nodes_with_the_same_name_four_are_found_at_other_places() {
    let mut text = "\n=== project.godot\n[application]\nrun/main_scene=\"res://main.tscn\"\n\
        === main.tscn\n[gd_scene]\n[node name=\"Main\" type=\"Node\"]\n"
        .to_owned();
    for n in 0..6 {
        writeln!(
            text,
            "[node name=\"S{n}\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
             spawn_path = NodePath(\"../A{n}\")\n\
             _spawnable_scenes = PackedStringArray(\"res://p{n}.tscn\")"
        )
        .unwrap();
    }
    for n in 0..6 {
        writeln!(
            text,
            "=== p{n}.tscn\n[gd_scene]\n[ext_resource type=\"Script\" path=\"res://p{n}.gd\" id=\"1\"]\n\
             [node name=\"P\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
             === p{n}.gd\n@rpc func m{n}(): pass"
        )
        .unwrap();
    }
    let mut paths = Paths::new().with_names(names(&text));
    let note = |paths: &mut Paths, bytes: &[u8]| {
        paths.note(SERVER, &parse(MultiplayerProtocol::Godot4, Dialect::GODOT_4, bytes).unwrap());
    };
    let mut server = Sender(SERVER, Vec::new());
    let none: [i64; 0] = [];
    for n in 0..5 {
        server.path(n + 10, &format!("Main/S{n}"), "");
        server.spawn((n + 10, 0), (n + 20, "same"), &[], &none);
    }
    server.1.iter().for_each(|sent| note(&mut paths, &sent.bytes));
    let found = |paths: &Paths| {
        let is_found = |n: u32| {
            let mut server = Sender(SERVER, Vec::new());
            server.path(40, "Main/Other/same", &format!("m{n}"));
            let bytes = &server.1[0].bytes;
            let packet = parse(MultiplayerProtocol::Godot4, Dialect::GODOT_4, bytes).unwrap();
            packet.mismatch(Context::new().with_paths(paths, SERVER)).is_some()
        };
        (0..6).filter(|n| is_found(*n)).collect::<Vec<_>>()
    };
    assert_eq!(found(&paths), [0, 1, 2, 3]);
    let mut server = Sender(SERVER, Vec::new());
    server.despawn(21);
    server.path(15, "Main/S5", "");
    server.spawn((15, 0), (25, "same"), &[], &none);
    server.1.iter().for_each(|sent| note(&mut paths, &sent.bytes));
    assert_eq!(found(&paths), [0, 2, 3, 5]);
}
