//! Tests how the scene of a spawned node is found: by its synchronizers, and by the values in the
//! packet.

use crate::multiplayer::{GODOT_4, read};
use gdwire::multiplayer::{
    Context, Method, Names, Node, PacketEncoder, Paths, PeerId, SpawnedNode, Synchronizer,
};
use gdwire::project::Project;
use gdwire::{Variant, variant};
use std::fmt::Write;

const ENCODER: PacketEncoder = PacketEncoder::new(GODOT_4.0, GODOT_4.1);

/// The main scene, with the script `main.gd` and a spawner of `mob.tscn`.
const MAIN: &str = r#"
[gd_scene format=3]
[ext_resource type="Script" path="res://main.gd" id="1"]
[node name="Main" type="Node"]
script = ExtResource("1")
[node name="Spawner" type="MultiplayerSpawner" parent="."]
spawn_path = NodePath("..")
_spawnable_scenes = PackedStringArray("res://mob.tscn")
"#;

/// A game whose scene `mob.tscn` has a synchronizer for each of these properties.
fn paths(properties: &[&str], files: &[(&str, &str)]) -> Paths {
    let mut script = "extends Node\n".to_owned();
    let mut scene = "[gd_scene format=3]\n\
        [ext_resource type=\"Script\" path=\"res://mob.gd\" id=\"1\"]\n"
        .to_owned();
    let mut nodes = "[node name=\"Mob\" type=\"Node\"]\nscript = ExtResource(\"1\")\n".to_owned();
    for property in properties {
        let (name, _) = property.split_once(':').unwrap();
        writeln!(script, "@export var {property}").unwrap();
        writeln!(scene, "[sub_resource type=\"SceneReplicationConfig\" id=\"{name}\"]").unwrap();
        writeln!(scene, "properties/0/path = NodePath(\".:{name}\")").unwrap();
        writeln!(scene, "properties/0/spawn = true").unwrap();
        writeln!(nodes, "[node name=\"{name}\" type=\"MultiplayerSynchronizer\" parent=\".\"]")
            .unwrap();
        writeln!(nodes, "replication_config = SubResource(\"{name}\")").unwrap();
    }
    nodes += "[node name=\"Eye\" type=\"Node\" parent=\".\"]\n";
    scene += &nodes;
    let fixed = [
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        ("mob.tscn", &*scene),
        ("mob.gd", &*script),
    ];
    let project = Project::from_files(fixed.into_iter().chain(files.iter().copied()));
    let mut paths = Paths::new().with_names(Names::new().with_project(project).into());
    paths.note(PeerId::SERVER, &read(GODOT_4, &announced("Main/Spawner")));
    paths
}

/// The announcement of a node without methods.
fn announced(path: &str) -> Vec<u8> {
    let no_methods = Some("d41d8cd98f00b204e9800998ecf8427e");
    ENCODER.simplify_path(1, path, no_methods, Vec::new()).unwrap()
}

/// A spawned node with this many synchronizers.
fn node(synchronizers: usize) -> SpawnedNode<'static> {
    let synchronizers = &[10, 11, 12, 13][..synchronizers];
    SpawnedNode { spawner: 1, net_id: 9, name: "it", synchronizers }
}

fn context(paths: &Paths) -> Context<'_> {
    Context::new().with_paths(paths, PeerId::SERVER)
}

/// The scenes of the nodes to which a packet refers.
fn scenes_in(paths: &Paths, packet: &[u8]) -> String {
    let mut found = String::new();
    read(GODOT_4, packet).instances(context(paths), &mut |_, scene| found += scene.path);
    found
}

/// The scene of a node that the function of the spawner makes.
fn scene(paths: &Paths, synchronizers: usize, state: &[i64]) -> String {
    let spawn = ENCODER.spawn_custom(&node(synchronizers), &3, state, Vec::new()).unwrap();
    scenes_in(paths, &spawn)
}

#[test]
fn some_synchronizers_of_a_scene_may_be_spawned() {
    // How the spawn contradicts the project.
    let found = |paths: &Paths, synchronizers, values: &Variant| {
        let values: Vec<Variant> = values.as_array().unwrap().iter().cloned().collect();
        let spawn = ENCODER.spawn(&node(synchronizers), 0, &values, Vec::new()).unwrap();
        let Some(mismatch) =
            read(GODOT_4, &spawn).mismatch(context(paths)).map(|it| it.to_string())
        else {
            return String::new();
        };
        let misfit = mismatch.strip_prefix("it is spawned with ").unwrap();
        misfit.strip_suffix(" in res://mob.tscn").unwrap().to_owned()
    };
    let three = paths(
        &["hp: int", "title: String", "speed: float"],
        &[("main.tscn", MAIN), ("main.gd", "extends Node\n")],
    );
    let fits = "";
    for (synchronizers, values, misfit) in [
        (3, variant!([1, "a", 0.5]), fits),
        (3, variant!([1, "a"]), "2 values, not 3 as"),
        (3, variant!([1, 0.5, "a"]), "a value of type float for title, which has type String"),
        (2, variant!([1, "a"]), fits),
        (2, variant!([1, 0.5]), fits),
        (2, variant!(["a", 0.5]), fits),
        (2, variant!(["a", 1]), "2 values, which no 2 synchronizers send"),
        (2, variant!([1]), "1 value, which no 2 synchronizers send"),
        (1, variant!([1]), fits),
        (1, variant!(["a"]), fits),
        (1, variant!([true]), "1 value, which no synchronizer sends"),
        (1, variant!([1, "a"]), "2 values, which no synchronizer sends"),
        (0, variant!([]), fits),
        (0, variant!([1]), "1 value, which no synchronizer sends"),
        (4, variant!([1, "a", 0.5, 1]), "4 synchronizers, not 3 as"),
    ] {
        assert_eq!(found(&three, synchronizers, &values), misfit, "{synchronizers} {values}");
    }
    // With more than eight synchronizers, no selection of them is tried.
    let all = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map(|name| format!("{name}: int"));
    let all: Vec<&str> = all.iter().map(|property| &**property).collect();
    for count in [8, 9] {
        let many = paths(&all[..count], &[("main.tscn", MAIN), ("main.gd", "extends Node\n")]);
        let misfit = if count == 8 { "1 value, which no synchronizer sends" } else { fits };
        assert_eq!(found(&many, 1, &variant!(["a"])), misfit);
    }
}

/// A spawn has only the synchronizers of which its sender is the authority. Their values show which
/// ones these are.
#[test]
fn the_synchronizers_of_one_peer_are_known_by_their_values() {
    const NONE: &str = "extends Node\n";
    const SOME: &str = "extends Node\nfunc f(id): g().set_multiplayer_authority(id)\n";
    const MADE: &str = "extends Node\n\
        func f(id): g().set_multiplayer_authority(id)\n\
        func _ready(): $Spawner.spawn_function = h\n\
        func h(_d): return preload(\"res://mob.tscn\").instantiate()\n";
    let three = &["hp: int", "title: String", "speed: float"][..];
    let alike = &["hp: int", "mp: int", "title: String"][..];
    for (script, properties, values, known) in [
        (SOME, three, variant!([1, "a", 0.5]), "hp title speed"),
        (SOME, three, variant!([1, "a"]), "hp title"),
        (SOME, three, variant!([1, 0.5]), "hp speed"),
        (SOME, three, variant!(["a"]), "title"),
        (SOME, three, variant!([true]), ""),
        (SOME, alike, variant!(["a"]), "title"),
        (SOME, alike, variant!([1]), ""),
        (SOME, alike, variant!([1, "a"]), ""),
        (SOME, alike, variant!([1, 2]), "hp mp"),
        // No script makes another peer the authority.
        (NONE, three, variant!(["a"]), ""),
        (NONE, three, variant!([1, "a", 0.5]), "hp title speed"),
        (MADE, three, variant!(["a", 0.5]), "title speed"),
        (MADE, three, variant!([true]), ""),
    ] {
        let mut paths = paths(properties, &[("main.tscn", MAIN), ("main.gd", script)]);
        let values: Vec<Variant> = values.as_array().unwrap().iter().cloned().collect();
        let node = node(values.len());
        let spawn = match script {
            MADE => ENCODER.spawn_custom(&node, &3, &values, Vec::new()),
            _ => ENCODER.spawn(&node, 0, &values, Vec::new()),
        };
        let spawn = spawn.unwrap();
        paths.note(PeerId::SERVER, &read(GODOT_4, &spawn));
        let mut sync = ENCODER.sync(5, Vec::new()).unwrap();
        for (id, value) in node.synchronizers.iter().zip(&values) {
            sync.state(Synchronizer::NetId(*id), &(value,)).unwrap();
        }
        let sync = sync.finish().unwrap();
        let properties = |packet: &[u8]| {
            let mut found = Vec::new();
            read(GODOT_4, packet)
                .each_property(context(&paths), &mut |name, _| found.push(name.to_owned()));
            found.join(" ")
        };
        assert_eq!(properties(&spawn), known, "{script} {values:?}");
        assert_eq!(properties(&sync), known, "{script} {values:?}");
    }
}

#[test]
fn a_node_with_synchronizers_is_of_a_scene() {
    let mob = "res://mob.tscn";
    for (other, without) in [("Node.new()", ""), ("null", mob)] {
        let script = format!(
            "extends Node\nfunc _ready(): $Spawner.spawn_function = f\nfunc f(x):\n\
             \tif randi() % 2: return load(\"res://mob.tscn\").instantiate()\n\treturn {other}"
        );
        let paths = paths(&["hp: int"], &[("main.tscn", MAIN), ("main.gd", &script)]);
        assert_eq!([scene(&paths, 1, &[1]), scene(&paths, 0, &[])], [mob, without], "{other}");
    }
}

#[test]
fn a_part_of_only_other_scenes_contradicts_the_scene_from_a_function() {
    let hero = "[gd_scene format=3]\n[node name=\"Hero\" type=\"Node\"]\n\
        [node name=\"Guns\" type=\"MultiplayerSpawner\" parent=\".\"]\n";
    let script = "extends Node\nfunc _ready(): $Spawner.spawn_function = f\n\
        func f(_x): return load(\"res://mob.tscn\").instantiate()\n\
        func g(): add_child(load(\"res://hero.tscn\").instantiate())\n";
    let files = [("main.tscn", MAIN), ("main.gd", script), ("hero.tscn", hero)];
    let mob = "res://mob.tscn";
    for (part, then) in
        [("Main/it/Guns", ""), ("Main/it/Eye/Guns", mob), ("Main/it/hp", mob), ("Main/Guns", mob)]
    {
        let mut paths = paths(&["hp: int"], &files);
        let spawn = ENCODER.spawn_custom(&node(1), &3, &[1], Vec::new()).unwrap();
        paths.note(PeerId::SERVER, &read(GODOT_4, &spawn));
        paths.note(PeerId::new(2), &read(GODOT_4, &announced(part)));
        let mut sync = ENCODER.sync(5, Vec::new()).unwrap();
        sync.state(Synchronizer::NetId(10), &(1,)).unwrap();
        let sync = sync.finish().unwrap();
        let found = scenes_in(&paths, &sync);
        assert_eq!(found, then, "{part}");
    }
}

/// A scene whose synchronizer sends these properties when they change, and also with spawns if
/// `is_spawned`.
fn watching(name: &str, is_spawned: bool, properties: &[&str]) -> [(String, String); 2] {
    let mut script = "extends Node\n".to_owned();
    let mut scene = format!(
        "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://{name}.gd\" id=\"1\"]\n\
         [sub_resource type=\"SceneReplicationConfig\" id=\"c\"]\n"
    );
    for (place, property) in properties.iter().enumerate() {
        let path = property.split(':').next().unwrap();
        writeln!(script, "@export var {property}").unwrap();
        writeln!(scene, "properties/{place}/path = NodePath(\".:{path}\")").unwrap();
        writeln!(scene, "properties/{place}/spawn = {is_spawned}").unwrap();
        writeln!(scene, "properties/{place}/replication_mode = 2").unwrap();
    }
    scene += "[node name=\"It\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
        [node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
        replication_config = SubResource(\"c\")\n";
    [(format!("{name}.tscn"), scene), (format!("{name}.gd"), script)]
}

/// A function that spawns either scene.
const RAT_OR_BAT: &str = "extends Node\nfunc _ready(): $Spawner.spawn_function = f\nfunc f(x):\n\
    \treturn load(\"res://rat.tscn\" if randi() % 2 else \"res://bat.tscn\").instantiate()\n";

/// The scene of a node that a function spawns, `rat.tscn` or `bat.tscn`: after its spawn, which has the
/// values if `is_spawned`, or a delta with them.
fn scene_of_rat_or_bat(
    scenes: &[(String, String)],
    is_spawned: bool,
    changed: u64,
    values: &[Variant],
) -> String {
    let mut files = vec![("main.tscn", MAIN), ("main.gd", RAT_OR_BAT)];
    files.extend(scenes.iter().map(|(path, text)| (&**path, &**text)));
    let mut paths = paths(&["hp: int"], &files);
    let state = if is_spawned { values } else { &[] };
    let mut packet = ENCODER.spawn_custom(&node(1), &3, state, Vec::new()).unwrap();
    if !is_spawned {
        paths.note(PeerId::SERVER, &read(GODOT_4, &packet));
        let mut delta = ENCODER.delta(Vec::new()).unwrap();
        delta.changed(Synchronizer::NetId(10), changed, values).unwrap();
        packet = delta.finish().unwrap();
        paths.note(PeerId::SERVER, &read(GODOT_4, &packet));
    }
    scenes_in(&paths, &packet)
}

/// If the scene of the game has its properties in another order in the project, a look-alike of it may
/// be the only scene that fits the packets: it is not taken for the scene of the node.
#[test]
fn a_scene_is_not_excluded_because_of_the_order_of_its_properties() {
    let (rat, bat, both) = ("res://rat.tscn", "res://bat.tscn", "");
    for (properties, changed, values, expected) in [
        (["title: String", "hp: int"], 0b11, variant!(["a", 1]), both),
        (["title: String", "hp: int"], 0b11, variant!([1, "a"]), both),
        (["title: String", "hp: int"], 0b1, variant!(["a"]), both),
        (["title: String", "speed: float"], 0b11, variant!(["a", 0.5]), bat),
        (["title: String", "speed: float"], 0b11, variant!([1, "a"]), rat),
        (["title: String", "any"], 0b11, variant!([1, "a"]), both),
        (["any", "speed: float"], 0b11, variant!([1, "a"]), rat),
        (["title: String", "speed: float"], 0b10, variant!([0.5]), bat),
    ] {
        let values: Vec<Variant> = values.as_array().unwrap().iter().cloned().collect();
        // A spawn has all properties.
        for is_spawned in [false, true].into_iter().take(values.len()) {
            let scenes = [
                watching("rat", is_spawned, &["hp: int", "title: String"]),
                watching("bat", is_spawned, &properties),
            ];
            let found = scene_of_rat_or_bat(scenes.as_flattened(), is_spawned, changed, &values);
            assert_eq!(found, expected, "{properties:?} {values:?} {is_spawned}");
        }
    }
}

/// The engine does not send a property that does not exist, nor the sync or the spawn that would have it.
/// But if the script of a scene lacks a variable, the script of the recorded game may have it.
#[test]
fn a_scene_is_not_excluded_because_its_script_lacks_a_property() {
    for (is_spawned, changed) in [(true, 0), (false, 0b11), (false, 0b1)] {
        let mut rat = watching("rat", is_spawned, &["hp: int", "title: String"]);
        let [_, (_, script)] = &mut rat;
        let without = script.replace("@export var hp: int\n", "");
        assert_ne!(core::mem::replace(script, without.clone()), without);
        let scenes = [rat, watching("bat", is_spawned, &["level: int", "job: String"])];
        let values = [Variant::from(1), Variant::from("a")];
        let values = values.get(..if changed == 0b1 { 1 } else { 2 }).unwrap();
        let found = scene_of_rat_or_bat(scenes.as_flattened(), is_spawned, changed, values);
        assert_eq!(found, "", "{is_spawned} {changed}");
    }
}

/// The scene of one node says nothing about another one at the same path.
#[test]
fn two_nodes_at_one_path_have_no_scene_there() {
    let scenes = [
        watching("rat", false, &["hp: int", "title: String"]),
        watching("bat", false, &["title: String", "speed: float"]),
    ];
    let mut files = vec![("main.tscn", MAIN), ("main.gd", RAT_OR_BAT)];
    files.extend(scenes.as_flattened().iter().map(|(path, text)| (&**path, &**text)));
    for (nodes, expected) in [(1, "res://bat.tscn"), (2, "")] {
        let mut paths = paths(&["hp: int"], &files);
        for net_id in [9, 19].into_iter().take(nodes) {
            let synchronizers = [net_id + 1];
            let node =
                SpawnedNode { spawner: 1, net_id, name: "it", synchronizers: &synchronizers };
            let spawn = ENCODER.spawn_custom(&node, &3, &[0_i64; 0], Vec::new()).unwrap();
            paths.note(PeerId::SERVER, &read(GODOT_4, &spawn));
        }
        let mut delta = ENCODER.delta(Vec::new()).unwrap();
        delta.changed(Synchronizer::NetId(10), 0b11, &("a", 0.5)).unwrap();
        paths.note(PeerId::SERVER, &read(GODOT_4, &delta.finish().unwrap()));
        let no_methods = Some("d41d8cd98f00b204e9800998ecf8427e");
        let announced = ENCODER.simplify_path(2, "Main/it", no_methods, Vec::new()).unwrap();
        paths.note(PeerId::SERVER, &read(GODOT_4, &announced));
        let mut sync = ENCODER.sync(5, Vec::new()).unwrap();
        sync.state(Synchronizer::PathId(2), &(1,)).unwrap();
        let sync = sync.finish().unwrap();
        let found = scenes_in(&paths, &sync);
        assert_eq!(found, expected, "{nodes}");
    }
}

#[test]
fn a_variable_may_have_its_scene_from_an_instance() {
    let base = MAIN.replace("main.gd", "base.gd");
    let main = r#"
[gd_scene format=3]
[ext_resource type="PackedScene" path="res://base.tscn" id="1"]
[ext_resource type="PackedScene" path="res://mob.tscn" id="2"]
[node name="Main" instance=ExtResource("1")]
made = ExtResource("2")
"#;
    let script = "extends Node\n@export var made: PackedScene\n\
        func _ready(): $Spawner.spawn_function = f\nfunc f(_x): return made.instantiate()\n";
    let files = [("base.tscn", &*base), ("main.tscn", main), ("base.gd", script)];
    let paths = paths(&["hp: int"], &files);
    assert_eq!(scene(&paths, 1, &[1]), "res://mob.tscn");
}

#[test]
fn a_node_without_methods_shows_another_place_only_if_it_is_a_synchronizer_or_spawner() {
    let mut paths = paths(&["hp: int"], &[("main.tscn", MAIN), ("main.gd", "extends Node\n")]);
    let spawn = ENCODER.spawn(&node(1), 0, &(1,), Vec::new()).unwrap();
    paths.note(PeerId::SERVER, &read(GODOT_4, &spawn));
    for (path, is_elsewhere) in [
        ("Main/it/hp", false),
        ("Main/Other/it/hp", true),
        ("Main/Other/it/Eye", false),
        ("Main/Other/it/Gone", false),
        ("Main/Other/it", false),
    ] {
        let announced = announced(path);
        let mismatch = read(GODOT_4, &announced).mismatch(context(&paths));
        assert_eq!(mismatch.is_some(), is_elsewhere, "{path}");
    }
}

#[test]
fn a_list_without_a_number_is_another_list() {
    let add = "extends Node\nfunc f(): $Spawner.add_spawnable_scene(\"res://mob.tscn\")";
    let told = "no scene of the project fits the packets of it, which Main/Spawner spawns";
    let mob = "res://mob.tscn";
    for (script, told, then) in [("extends Node\n", told, ""), (add, "", mob)] {
        let mut paths = paths(&["hp: int"], &[("main.tscn", MAIN), ("main.gd", script)]);
        let spawn = |number| ENCODER.spawn(&node(1), number, &(1,), Vec::new()).unwrap();
        let scene = |paths: &Paths| {
            let mut found = String::new();
            read(GODOT_4, &spawn(0)).instances(context(paths), &mut |_, it| found += it.path);
            found
        };
        let mismatch = |paths: &Paths, number| {
            let spawn = spawn(number);
            let mismatch = read(GODOT_4, &spawn).mismatch(context(paths));
            mismatch.map_or_else(String::new, |it| it.to_string())
        };
        assert_eq!([mismatch(&paths, 0), mismatch(&paths, 1)], ["", told]);
        assert_eq!(scene(&paths), mob);
        paths.note(PeerId::SERVER, &read(GODOT_4, &spawn(1)));
        assert_eq!(scene(&paths), then);
    }
}

/// A player whose synchronizer belongs to its client is spawned without synchronizers, as a decal that
/// has none. The name of the player shows which it is.
#[test]
fn a_node_named_by_the_id_of_a_client_is_of_a_scene_that_scripts_give_to_clients() {
    const NONE: &str = "extends Node\n";
    let decal = "[gd_scene format=3]\n\
        [ext_resource type=\"Script\" path=\"res://decal.gd\" id=\"1\"]\n\
        [node name=\"Decal\" type=\"Node\"]\nscript = ExtResource(\"1\")\n";
    let main = MAIN.replace("mob.tscn", "decal.tscn\", \"res://player.tscn");
    let given = "extends Node\nfunc _enter_tree(): set_multiplayer_authority(name.to_int())\n";
    let player = "[gd_scene format=3]\n\
        [ext_resource type=\"Script\" path=\"res://player.gd\" id=\"1\"]\n\
        [sub_resource type=\"SceneReplicationConfig\" id=\"hp\"]\n\
        properties/0/path = NodePath(\".:hp\")\nproperties/0/spawn = true\n\
        [node name=\"Player\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
        [node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
        replication_config = SubResource(\"hp\")\n";
    for (of_player, of_decal, name, found) in [
        (given, NONE, "1999726929", "res://player.tscn"),
        (given, NONE, "Ship", ""),
        (given, NONE, "2", ""),
        (given, given, "1999726929", ""),
        (NONE, NONE, "1999726929", ""),
    ] {
        let files = [
            ("main.tscn", &*main),
            ("main.gd", NONE),
            ("player.tscn", player),
            ("player.gd", of_player),
            ("decal.tscn", decal),
            ("decal.gd", of_decal),
        ];
        let paths = paths(&[], &files);
        let spawn = ENCODER.spawn(&SpawnedNode { name, ..node(0) }, 1, &(), Vec::new()).unwrap();
        let mut scene = String::new();
        read(GODOT_4, &spawn).instances(context(&paths), &mut |_, it| scene += it.path);
        assert_eq!(scene, found, "{name}");
    }
}

#[test]
fn a_contradicted_scene_is_that_of_no_instance() {
    let paths = paths(&["hp: int"], &[("main.tscn", MAIN), ("main.gd", "extends Node\n")]);
    for (value, scene) in [(variant!(1), "res://mob.tscn"), (variant!(true), "")] {
        let spawn = ENCODER.spawn(&node(1), 0, &[value], Vec::new()).unwrap();
        let found = scenes_in(&paths, &spawn);
        assert_eq!(found, scene);
    }
}

#[test]
fn a_spawner_of_no_scene_is_told() {
    let told = "no scene of the project fits the packets of Main/Other";
    let made = "extends Node\nfunc f(): add_child(ClassDB.instantiate(\"MultiplayerSpawner\"))";
    let any = "extends Node\nfunc f(name): add_child(ClassDB.instantiate(name))";
    for (file, script, id, told) in [
        ("any.gd", "extends Node\n", 2, told),
        ("any.gd", "extends Node\n", 1, ""),
        ("any.gd", "extends Node\nfunc f(): add_child(MultiplayerSpawner.new())", 2, ""),
        ("any.gd", any, 2, ""),
        ("addons/tests/any.gd", any, 2, told),
        ("addons/tests/spawner.gd", made, 2, ""),
    ] {
        let files = [("main.tscn", MAIN), ("main.gd", "extends Node\n"), (file, script)];
        let mut paths = paths(&["hp: int"], &files);
        let no_methods = Some("d41d8cd98f00b204e9800998ecf8427e");
        let other = ENCODER.simplify_path(2, "Main/Other", no_methods, Vec::new()).unwrap();
        paths.note(PeerId::SERVER, &read(GODOT_4, &other));
        let node = SpawnedNode { spawner: id, ..node(0) };
        let spawn = ENCODER.spawn(&node, 0, &(), Vec::new()).unwrap();
        let mismatch = read(GODOT_4, &spawn).mismatch(context(&paths));
        assert_eq!(mismatch.map_or_else(String::new, |it| it.to_string()), told);
    }
}

/// The digest of a node's methods does not say which scene it is of if a script that has the same methods
/// may be given to a node without a scene.
#[test]
fn a_node_of_a_script_that_is_used_in_code_has_no_scene() {
    // The digest of the method `hit`.
    let digest = Some("f09328d495fa622700aabe5707edf00b");
    let hit = "extends Node\n@rpc func hit(): pass\n";
    let hero = "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://hero.gd\" id=\"1\"]\n\
        [node name=\"Hero\" type=\"Node\"]\nscript = ExtResource(\"1\")\n";
    for (made, then) in [
        ("load(\"res://hero.tscn\").instantiate()", "res://hero.tscn"),
        ("[load(\"res://hero.tscn\").instantiate(), preload(\"res://code.gd\").new()][_x]", ""),
        (
            "[load(\"res://hero.tscn\").instantiate(), preload(\"res://hero.gd\").new()][_x]",
            "res://hero.tscn",
        ),
    ] {
        let script = format!("extends Node\nfunc f(_x): add_child({made})\n");
        let files = [
            ("main.tscn", MAIN),
            ("main.gd", &*script),
            ("hero.tscn", hero),
            ("hero.gd", hit),
            ("code.gd", hit),
        ];
        let mut paths = paths(&["hp: int"], &files);
        let announcement = ENCODER.simplify_path(2, "Main/it", digest, Vec::new()).unwrap();
        paths.note(PeerId::SERVER, &read(GODOT_4, &announcement));
        let first = Method::Number { index: 0, is_own: false };
        let call = ENCODER.call(Node::Id(2), first, &(), Vec::new()).unwrap();
        let found = scenes_in(&paths, &call);
        assert_eq!(found, then, "{made}");
    }
}

#[test]
fn a_node_with_methods_that_sends_a_state_is_a_synchronizer() {
    let files = [("main.tscn", MAIN), ("main.gd", "extends Node\n@rpc func f(): pass\n")];
    let mut paths = paths(&["hp: int"], &files);
    let methods = Some("0123456789abcdef0123456789abcdef");
    let input = ENCODER.simplify_path(2, "Main/Made/Input", methods, Vec::new()).unwrap();
    paths.note(PeerId::SERVER, &read(GODOT_4, &input));
    let mut sync = ENCODER.sync(5, Vec::new()).unwrap();
    sync.state(Synchronizer::PathId(2), &(1,)).unwrap();
    let sync = sync.finish().unwrap();
    paths.note(PeerId::SERVER, &read(GODOT_4, &sync));
    let mismatch = read(GODOT_4, &sync).mismatch(context(&paths)).unwrap();
    let told = "no scene of the project fits the packets of Main/Made/Input";
    assert_eq!(mismatch.to_string(), told);
}
