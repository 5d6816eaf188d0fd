//! Nodes, spawners and synchronizers in scenes.

use crate::project::{problems, project, rpcs};
use gdwire::Kind;
use gdwire::project::{Config, NodeRole, Project, Property, SceneId};

const SETTINGS: (&str, &str) = (
    "project.godot",
    "; Engine configuration file.\nconfig_version=5\n\n[application]\n\nconfig/name=\"x ; y\"\n\
     run/main_scene=\"res://main.tscn\"\n\n[autoload]\n\nNet=\"*res://net.gd\"\nHud=\"res://hud.tscn\"\n\
     Gone=\"*res://gone.gd\"\n\n[input]\n\nup={\n\"deadzone\": 0.5,\n\"events\": [Object(InputEventKey,\"resource_name\":\"\",\"x\":null)\n]\n}\n",
);
const A: (&str, &str) = ("a.gd", "extends Node\n@rpc func a(): pass");
const B: (&str, &str) = ("b.gd", "extends Node\n@rpc func b(): pass");

/// A scene with the scripts `a.gd` and `b.gd` as "1" and "2", and `sub.tscn` as "3".
fn scene(nodes: &str) -> String {
    format!(
        "[gd_scene load_steps=4 format=3 uid=\"uid://main\"]\n\n\
         [ext_resource type=\"Script\" path=\"res://a.gd\" id=\"1\"]\n\
         [ext_resource type=\"Script\" path=\"res://b.gd\" id=\"2\"]\n\
         [ext_resource type=\"PackedScene\" path=\"res://sub.tscn\" id=\"3\"]\n\n{nodes}"
    )
}

/// A project with a main scene and one that it may instance.
fn scenes(main: &str, sub: &str) -> Project {
    let (main, sub) = (scene(main), scene(sub));
    let settings = (SETTINGS.0, "[application]\nrun/main_scene=\"res://main.tscn\"\n");
    project(&[settings, A, B, ("main.tscn", &main), ("sub.tscn", &sub)])
}

fn main_scene(project: &Project) -> SceneId {
    project.main_scene().unwrap()
}

fn synchronizers(project: &Project, scene: SceneId) -> Option<Vec<&str>> {
    Some(project.scene(scene).synchronizers()?.map(|found| found.path).collect())
}

const ROOT: &str = "[node name=\"Main\" type=\"Node\"]\n";
const SUB: &str = "[node name=\"Sub\" type=\"Node\"]\nscript = ExtResource(\"2\")\n\n\
    [node name=\"Child\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"1\")\n\n\
    [node name=\"Deep\" type=\"Node\" parent=\"Child\"]\n";

#[test]
fn nodes_of_instanced_scenes_are_found_and_changed() {
    let main = "[node name=\"Main\" type=\"Node\" groups=[\"a b\", \"]\"]]\nscript = ExtResource(\"1\")\n\
        position = Vector2(1, 2)\nlong = {\n\"a\": \"[node name=\\\"No\\\"]\",\n\"b\": [1,\n2]\n}\n\
        [node name=\"One\" parent=\".\" instance=ExtResource(\"3\")]\n\
        [node name=\"Two\" parent=\".\" index=\"0\" instance=ExtResource( \"3\" )]\nscript = null\n\
        [node name=\"Deep\" parent=\"Two/Child\" index=\"0\"]\nscript = ExtResource(\"2\")\n\
        [node name=\"New\" type=\"Node\" parent=\"Two/Child\"]\nscript = ExtResource(\"1\")\n\
        [node name=\"Later\" parent=\".\" instance_placeholder=\"res://sub.tscn\"]\n\
        [connection signal=\"x\" from=\".\" to=\"One\" method=\"y\" binds= [1, \"]\"]]\n\
        [editable path=\"Two\"]\n";
    let project = scenes(main, SUB);
    assert_eq!(problems(&project), [""; 0]);
    for (path, names) in [
        ("Main", Some(vec!["a"])),
        ("/root/Main/One", Some(vec!["b"])),
        ("Main/One/Child", Some(vec!["a"])),
        ("Main/One/Child/Deep", Some(vec![])),
        ("Main/Two", Some(vec![])),
        ("Main/Two/Child/Deep", Some(vec!["b"])),
        ("Main/Two/Child/New", Some(vec!["a"])),
        ("Main/Later", Some(vec![])),
        ("Main/Later/Child", None),
        ("Main/One/Child/New", None),
        ("Main/Nothing", None),
        ("Main/", Some(vec!["a"])),
        ("", None),
        // The root of the only other scene.
        ("Sub/Child", Some(vec!["a"])),
    ] {
        assert_eq!(rpcs(&project, path), names, "{path}");
    }
}

#[test]
fn scenes_inherit_nodes() {
    let main = "[node name=\"Main\" instance=ExtResource(\"3\")]\n\
        [node name=\"Child\" parent=\".\" index=\"0\"]\nscript = ExtResource(\"2\")\n\
        [node name=\"New\" type=\"Node\" parent=\"Child/Deep\" index=\"0\"]\n";
    let project = scenes(main, SUB);
    assert_eq!(problems(&project), [""; 0]);
    for (path, names) in
        [("Main", ["b"]), ("Main/Child", ["b"]), ("Sub", ["b"]), ("Sub/Child", ["a"])]
    {
        assert_eq!(rpcs(&project, path).unwrap(), names, "{path}");
    }
    assert!(project.node("Main/Child/Deep/New").is_some());
    assert!(project.node("Sub/Child/Deep/New").is_none());
}

#[test]
fn built_in_scripts_are_read() {
    let main = "[sub_resource type=\"GDScript\" id=\"GDScript_x\"]\nresource_name = \"x\"\n\
        script/source = \"extends \\\"a.gd\\\"\n\n@rpc func in_scene():\n\tprint(\\\"x\\\")\n\"\n\n\
        [sub_resource type=\"BoxShape3D\" id=\"2\"]\nsize = Vector3(1, 2, 3)\n\n\
        [node name=\"Main\" type=\"Node\"]\nscript = SubResource(\"GDScript_x\")\n";
    let project = scenes(main, SUB);
    assert_eq!(problems(&project), [""; 0]);
    assert_eq!(rpcs(&project, "Main").unwrap(), ["a", "in_scene"]);
}

#[test]
fn older_scenes_have_ids_that_are_numbers() {
    let main = "[gd_scene load_steps=2 format=2]\n[ext_resource path=\"res://a.gd\" type=\"Script\" id=1]\n\
        [ext_resource path=\"res://sub.tscn\" type=\"PackedScene\" id=2]\n\
        [node name=\"Main\" type=\"Node\"]\nscript = ExtResource( 1 )\n\
        [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
        _spawnable_scenes = PoolStringArray( \"res://sub.tscn\" )\n\
        [node name=\"Sub\" parent=\".\" instance=ExtResource( 2 )]\n";
    let project = project(&[
        SETTINGS,
        A,
        B,
        ("net.gd", ""),
        ("hud.tscn", SUB),
        ("main.tscn", main),
        ("sub.tscn", &scene(SUB)),
    ]);
    assert_eq!(rpcs(&project, "Main").unwrap(), ["a"]);
    assert_eq!(rpcs(&project, "Main/Sub").unwrap(), ["b"]);
    let NodeRole::Spawner(spawner) = project.node("Main/Spawner").unwrap().role else { panic!() };
    assert_eq!(project.spawner(spawner).scene_path(0), Some("res://sub.tscn"));
    assert_eq!(project.spawner(spawner).spawn_path(), None);
}

#[test]
fn autoloads_and_other_scenes_are_roots_too() {
    let other = scene(
        "[node name=\"Level\" type=\"Node\"]\n[node name=\"A\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"1\")\n",
    );
    let same = scene(
        "[node name=\"Level\" type=\"Node\"]\n[node name=\"B\" type=\"Node\" parent=\".\"]\n[node name=\"Both\" type=\"Node\" parent=\".\"]\n",
    );
    let both = scene(
        "[node name=\"Level\" type=\"Node\"]\n[node name=\"Both\" type=\"Node\" parent=\".\"]\n",
    );
    let (main, sub) = (scene(ROOT), scene(SUB));
    let project = project(&[
        SETTINGS,
        A,
        B,
        ("net.gd", "extends \"a.gd\"\n@rpc func net(): pass"),
        ("hud.tscn", &sub),
        ("main.tscn", &main),
        ("sub.tscn", &sub),
        ("other.tscn", &other),
        ("same.tscn", &same),
        ("both.tscn", &both),
    ]);
    assert_eq!(problems(&project), ["project.godot:13: there is no file gone.gd"]);
    for (path, names) in [
        ("Net", Some(vec!["a", "net"])),
        ("Net/X", None),
        ("Hud", Some(vec!["b"])),
        ("/root/Hud/Child", Some(vec!["a"])),
        // The script is missing.
        ("Gone", None),
        ("Level/A", Some(vec!["a"])),
        ("Level/B", Some(vec![])),
        // Several scenes fit.
        ("Level/Both", None),
        ("Level", None),
    ] {
        assert_eq!(rpcs(&project, path), names, "{path}");
    }
    assert!(project.node("Gone").is_some_and(|node| node.list.is_none()));
}

#[test]
fn uids_are_resolved() {
    let main = "[gd_scene format=3 uid=\"uid://main\"]\n\
        [ext_resource type=\"Script\" uid=\"uid://script\" path=\"res://moved.gd\" id=\"1\"]\n\
        [ext_resource type=\"Script\" uid=\"uid://unknown\" path=\"res://a.gd\" id=\"2\"]\n\
        [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
        [node name=\"A\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"2\")\n\
        [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
        _spawnable_scenes = Array[String]([\"uid://sub\", \"uid://gone\", \"res://gone.tscn\"])\n\
        spawn_path = NodePath(\"..\")\n";
    let sub = scene(SUB).replace("uid://main", "uid://sub");
    let project = project(&[
        (
            "project.godot",
            "[application]\nrun/main_scene=\"uid://main\"\n[autoload]\nNet=\"*uid://script\"\n",
        ),
        A,
        B,
        ("scenes/main.tscn", main),
        ("scenes/sub.tscn", &sub.replace("res://sub", "res://scenes/sub")),
        ("b.gd.uid", "uid://script\n"),
    ]);
    assert_eq!(
        problems(&project),
        [
            "scenes/main.tscn:8: there is no file uid://gone",
            "scenes/main.tscn:8: there is no file gone.tscn"
        ]
    );
    assert_eq!(rpcs(&project, "Main").unwrap(), ["b"]);
    assert_eq!(rpcs(&project, "Main/A").unwrap(), ["a"]);
    assert_eq!(rpcs(&project, "Net").unwrap(), ["b"]);
    let NodeRole::Spawner(spawner) = project.node("Main/Spawner").unwrap().role else { panic!() };
    let spawner = project.spawner(spawner);
    assert_eq!(project.scene(spawner.scene(0).unwrap()).path(), "res://scenes/sub.tscn");
    assert_eq!((spawner.scene(1), spawner.scene_path(1)), (None, Some("uid://gone")));
    assert_eq!((spawner.scene(2), spawner.scene_path(2)), (None, Some("res://gone.tscn")));
    assert_eq!((spawner.scene_path(3), spawner.spawn_path()), (None, Some("..")));
}

#[test]
fn unique_names_in_the_paths_of_spawners_are_resolved() {
    let sub = "[node name=\"Sub\" type=\"Node\"]\n[node name=\"Spawners\" type=\"Node\" parent=\".\"]\n\
        [node name=\"S\" type=\"MultiplayerSpawner\" parent=\"Spawners\"]\nspawn_path = NodePath(\"%Actors/Deep\")\n\
        [node name=\"World\" type=\"Node\" parent=\".\"]\n\
        [node name=\"Actors\" type=\"Node\" parent=\"World\"]\nunique_name_in_owner = true\n\
        [node name=\"Deep\" type=\"Node\" parent=\"World/Actors\"]\n";
    let main = "[node name=\"Main\" type=\"Node\"]\n[node name=\"One\" parent=\".\" instance=ExtResource(\"3\")]\n\
        unique_name_in_owner = true\n\
        [node name=\"Two\" parent=\".\" instance=ExtResource(\"3\")]\n\
        [node name=\"S\" parent=\"Two/Spawners\"]\nspawn_path = NodePath(\"../../../%One/%Actors\")\n\
        [node name=\"Plain\" type=\"MultiplayerSpawner\" parent=\".\"]\nspawn_path = NodePath(\"/root/Main/One\")\n\
        [node name=\"Wrong\" type=\"MultiplayerSpawner\" parent=\".\"]\nspawn_path = NodePath(\"%Nothing\")\n";
    let project = scenes(main, sub);
    assert_eq!(problems(&project), [""; 0]);
    for (path, spawn_path) in [
        ("Main/One/Spawners/S", Some("../../World/Actors/Deep")),
        ("Main/Two/Spawners/S", Some("../../../One/World/Actors")),
        ("Main/Plain", Some("/root/Main/One")),
        ("Main/Wrong", None),
    ] {
        let NodeRole::Spawner(spawner) = project.node(path).unwrap().role else { panic!("{path}") };
        assert_eq!(project.spawner(spawner).spawn_path(), spawn_path, "{path}");
    }
}

const SYNC: &str = "type=\"MultiplayerSynchronizer\"";

#[test]
fn synchronizers_of_the_root_are_in_the_order_of_the_tree() {
    let sub = format!(
        "[node name=\"Sub\" type=\"Node\"]\n[node name=\"Other\" {SYNC} parent=\".\"]\n\
         [node name=\"Part\" type=\"Node\" parent=\".\"]\n\
         [node name=\"OfPart\" {SYNC} parent=\"Part\"]\n\
         [node name=\"OfSub\" {SYNC} parent=\"Part\"]\nroot_path = NodePath(\"../..\")\n"
    );
    let main = format!(
        "[node name=\"Main\" type=\"Node\"]\n[node name=\"Z\" {SYNC} parent=\".\"]\n\
         [node name=\"A\" {SYNC} parent=\".\"]\n[node name=\"Below\" {SYNC} parent=\"Z\"]\nroot_path = NodePath(\"../../Z/..\")\n\
         [node name=\"Itself\" {SYNC} parent=\"Z\"]\nroot_path = NodePath(\".\")\n\
         [node name=\"In\" parent=\".\" instance=ExtResource(\"3\")]\n\
         [node name=\"OfSub\" parent=\"In/Part\"]\nroot_path = NodePath(\"../../..\")\n\
         [node name=\"First\" {SYNC} parent=\".\" index=\"0\"]\n\
         [node name=\"Last\" {SYNC} parent=\".\" index=\"99\"]\n"
    );
    let project = scenes(&main, &sub);
    assert_eq!(problems(&project), [""; 0]);
    let main = main_scene(&project);
    let order = ["First", "Z", "Z/Below", "A", "In/Part/OfSub", "Last"];
    assert_eq!(synchronizers(&project, main).unwrap(), order);
    // A part that is missing may contain more of them.
    let without = scene(&format!(
        "{ROOT}[node name=\"S\" {SYNC} parent=\".\"]\n[node name=\"In\" parent=\".\" instance=ExtResource(\"3\")]\n"
    ));
    let project = crate::project::project(&[
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        A,
        B,
        ("main.tscn", &without),
    ]);
    assert_eq!(problems(&project), ["main.tscn:5: there is no file sub.tscn"]);
    assert_eq!(synchronizers(&project, main_scene(&project)), None);
    assert!(project.node("Main/In").is_some_and(|node| node.list.is_none()));
    // An imported model contains none.
    let model = without.replace("sub.tscn", "model.glb")
        + "[node name=\"Bone\" parent=\"In/Armature\"]\n[node name=\"Hat\" type=\"Node\" parent=\"In/Armature/Bone\"]\nscript = ExtResource(\"1\")\n";
    let project = crate::project::project(&[
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        A,
        B,
        ("main.tscn", &model),
    ]);
    assert_eq!(problems(&project), [""; 0]);
    assert_eq!(synchronizers(&project, main_scene(&project)).unwrap(), ["S"]);
    assert_eq!(rpcs(&project, "Main/In/Armature/Bone/Hat").unwrap(), ["a"]);
}

/// The names in a configuration: spawn, sync, watched.
fn lists<'p>(config: Config<'p>) -> [Vec<&'p str>; 3] {
    let names = |list: Vec<Property<'p>>| list.into_iter().map(|it| it.name).collect();
    [config.spawn().collect(), config.sync().collect(), config.watched().collect()].map(names)
}

#[test]
fn the_properties_of_synchronizers_are_in_three_lists() {
    for (text, expected) in [
        ("properties/0/path = NodePath(\".:a\")\n", [vec!["a"], vec!["a"], vec![]]),
        (
            "properties/0/path = NodePath(\".:a:x\")\nproperties/0/spawn = false\nproperties/0/replication_mode = 2\nproperties/1/path = NodePath(\"T/U:b\")\nproperties/1/replication_mode = 0\n",
            [vec!["T/U:b"], vec![], vec!["a:x"]],
        ),
        // The first versions of Godot 4.
        (
            "properties/0/path = NodePath(\".:a\")\nproperties/0/spawn = true\nproperties/0/sync = false\nproperties/0/watch = false\nproperties/1/path = NodePath(\".:b\")\nproperties/1/sync = false\nproperties/1/watch = true\nproperties/2/path = NodePath(\".:c\")\nproperties/2/sync = true\nproperties/2/watch = false\n",
            [vec!["a", "b", "c"], vec!["c"], vec!["b"]],
        ),
        (
            "properties/0/path = NodePath(\".:a\")\nproperties/0/watch = true\nproperties/0/sync = true\n",
            [vec!["a"], vec!["a"], vec![]],
        ),
        // The engine accepts no property twice, and none out of order.
        (
            "properties/0/path = NodePath(\".:a\")\nproperties/1/path = NodePath(\".:a\")\nproperties/2/path = NodePath(\".:b\")\nproperties/1/path = NodePath(\".:c\")\n",
            [vec!["a", "c"], vec!["a", "c"], vec![]],
        ),
    ] {
        let config = format!("[sub_resource type=\"SceneReplicationConfig\" id=\"x\"]\n{text}");
        let node = format!("[node name=\"S\" {SYNC} parent=\".\"]\nreplication_config = ");
        let main = scene(&format!("{config}\n{ROOT}{node}SubResource(\"x\")\n"));
        let external = scene(&format!(
            "[ext_resource type=\"SceneReplicationConfig\" path=\"res://c.tres\" id=\"4\"]\n{ROOT}{node}ExtResource(\"4\")\n"
        ));
        let resource =
            format!("[gd_resource type=\"SceneReplicationConfig\" format=3]\n\n[resource]\n{text}");
        for main in [main, external] {
            let project = project(&[
                ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
                A,
                B,
                ("main.tscn", &main),
                ("c.tres", &resource),
            ]);
            assert_eq!(problems(&project), [""; 0]);
            let NodeRole::Synchronizer(config) = project.node("Main/S").unwrap().role else {
                panic!()
            };
            assert_eq!(lists(project.config(config.unwrap())), expected, "{text}");
        }
    }
}

#[test]
fn an_instance_may_change_an_interval_of_its_synchronizer() {
    let sub = format!(
        "[sub_resource type=\"SceneReplicationConfig\" id=\"x\"]\n\
         properties/0/path = NodePath(\".:process_mode\")\n[node name=\"Sub\" type=\"Node\"]\n\
         [node name=\"S\" {SYNC} parent=\".\"]\nreplication_interval = 0.5\n\
         replication_config = SubResource(\"x\")\n"
    );
    let main = format!(
        "{ROOT}[node name=\"One\" parent=\".\" instance=ExtResource(\"3\")]\n\
         [node name=\"S\" parent=\"One\"]\ndelta_interval = 0.25\n"
    );
    let project = scenes(&main, &sub);
    let NodeRole::Synchronizer(Some(config)) = project.node("Main/One/S").unwrap().role else {
        panic!()
    };
    let config = project.config(config);
    let intervals = [config.interval(), config.delta_interval()].map(|it| it.as_millis());
    assert_eq!(intervals, [500, 250]);
}

/// A property that cannot be read makes the whole list useless, because the places of the others
/// depend on it.
#[test]
fn a_configuration_that_is_not_certain_is_not_used() {
    for text in [
        "properties/0/path = NodePath(4)\n",
        "properties/0/path = NodePath(\".:a\")\nproperties/0/spawn = maybe\n",
        "properties/0/path = NodePath(\".:a",
    ] {
        let main = scene(&format!(
            "{ROOT}[node name=\"S\" {SYNC} parent=\".\"]\nreplication_config = SubResource(\"x\")\n"
        ));
        let main = main.replace(
            ROOT,
            &format!("[sub_resource type=\"SceneReplicationConfig\" id=\"x\"]\n{text}\n{ROOT}"),
        );
        let project = project(&[
            ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
            A,
            B,
            ("main.tscn", &main),
        ]);
        let role = project.node("Main/S").map(|node| node.role);
        assert!(matches!(role, None | Some(NodeRole::Synchronizer(None))), "{text} {role:?}");
    }
}

#[test]
fn errors_in_scenes_are_reported() {
    for (main, problem) in [
        (
            "[node name=\"Main\" type=\"Node\"]\n[node name=\"X\" type=\"Node\" parent=\"No\"]\n",
            "main.tscn:8: the instanced scene has no node No",
        ),
        (
            "[node name=\"Main\" type=\"Node\"]\n[node name=\"X\" parent=\".\"]\n",
            "main.tscn:8: the instanced scene has no node X",
        ),
        (
            "[node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"9\")\n",
            "main.tscn:8: expected a resource of this file",
        ),
        (
            "[node name=\"Main\" type=\"Node\"]\nscript = \"\n",
            "main.tscn:8: expected the end of a string",
        ),
        (
            "[node name=\"Main\" type=\"Node\"]\nx = [1,\n",
            "main.tscn:8: expected the closing bracket of this value",
        ),
        ("[node name=\"Main\" type=\"Node\"\n", "main.tscn:7: expected the `]` of this section"),
        (
            "[node name=\"Main\" type=\"Node\"]\n[node type]\n",
            "main.tscn:8: expected `=` and the value of the attribute",
        ),
        (
            "[node name=\"Main\" type=\"Node\"]\n[node type=\"Node\" parent=\".\"]\n",
            "main.tscn:8: expected the name of the node",
        ),
        (
            "[node name=\"Main\" type=\"Node\"]\n[node name=\"Root\" type=\"Node\"]\n",
            "main.tscn:8: expected one root, before all other nodes",
        ),
        (
            "[node name=\"Main\" type=\"Node\"]\nwhat is this\n",
            "main.tscn:8: expected `=` and the value of the property",
        ),
    ] {
        let project = scenes(main, SUB);
        assert_eq!(problems(&project), [problem]);
    }
    let scn =
        scene("[node name=\"Main\" instance=ExtResource(\"3\")]\n").replace("sub.tscn", "sub.scn");
    let project = project(&[A, B, ("main.tscn", &scn)]);
    assert_eq!(
        problems(&project),
        ["main.tscn:5: sub.scn is in a binary format, which is not read"]
    );
}

/// The kind of each property that a script in `base.gd` and `top.gd`, a node of a class or a child
/// node declares.
fn kinds(script: &str, class: &str, properties: &[&str]) -> Vec<Option<Kind>> {
    let lines: String = (0..).zip(properties).map(|(place, path)| {
        format!("properties/{place}/path = NodePath(\"{path}\")\nproperties/{place}/replication_mode = 1\n")
    }).collect();
    let scene = format!(
        "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://top.gd\" id=\"1\"]\n\
         [sub_resource type=\"SceneReplicationConfig\" id=\"c\"]\n{lines}\n\
         [node name=\"Top\" type=\"{class}\"]\nscript = ExtResource(\"1\")\n\
         [node name=\"Part\" type=\"Node3D\" parent=\".\"]\n\
         [node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
         replication_config = SubResource(\"c\")\n"
    );
    let base = format!("extends {class}\n{script}");
    let top = "extends \"base.gd\"\nvar own := 1\n";
    let project = project(&[
        ("project.godot", "[application]\nrun/main_scene=\"res://top.tscn\"\n"),
        ("base.gd", &base),
        ("top.gd", top),
        ("top.tscn", &scene),
    ]);
    assert_eq!(problems(&project), [""; 0], "{script}");
    let Some(NodeRole::Synchronizer(Some(config))) = project.node("Top/Sync").map(|it| it.role)
    else {
        panic!("{script}")
    };
    project.config(config).sync().map(|property| property.kind).collect()
}

#[test]
fn scripts_declare_the_types_of_their_variables() {
    use Kind::{
        Array, Bool, Color, Dictionary, Float, Int, NodePath, PackedByteArray, String, StringName,
        Vector2, Vector3,
    };
    for (declaration, kind) in [
        ("var a: int", Some(Int)),
        ("var a : float = 1", Some(Float)),
        ("@export var a := 5", Some(Int)),
        ("@export_range(0.0, 1.0) var a := .5", Some(Float)),
        ("var a := -1.5", Some(Float)),
        ("var a := 1e3", Some(Float)),
        ("var a := 1.5e-3", Some(Float)),
        ("var a := 0x1e", Some(Int)),
        ("var a := 1_000", Some(Int)),
        ("var a := 3 # comment", Some(Int)),
        ("var a := true; var b := 2", Some(Bool)),
        ("var a := \"none\"", Some(String)),
        ("var a := &\"none\"", Some(StringName)),
        ("var a := ^\"../x\"", Some(NodePath)),
        ("var a := [1,\n\t2]", Some(Array)),
        ("var a: Array[int] = []", Some(Array)),
        ("var a := {\"b\": 1}", Some(Dictionary)),
        ("var a: Dictionary[String, int]", Some(Dictionary)),
        ("var a := Vector3(1, 2, 3)", Some(Vector3)),
        ("var a := Vector2.ZERO", Some(Vector2)),
        ("var a := Color.DARK_RED", Some(Color)),
        ("var a := PackedByteArray()", Some(PackedByteArray)),
        ("var a: int = 5:\n\tset(value):\n\t\ta = value", Some(Int)),
        ("var a := 5: set = change", Some(Int)),
        ("var a = 5", None),
        ("var a", None),
        ("var a: Variant = 5", None),
        ("var a: State = State.IDLE", None),
        ("var a: Vector2.Axis", None),
        ("var a := Vector2.AXIS_X", None),
        ("var a := Vector2.ZERO.length()", None),
        ("var a := 5 if true else 0.5", None),
        ("var a := 5 * 0.5", None),
        ("var a := [1, 2][0]", None),
        ("var a := load(\"x\")", None),
        ("var a := 5\nfunc _get(name):\n\treturn 1.5", Some(Int)),
        ("func f():\n\tvar a := 5", None),
        ("class Inner:\n\tvar a := 5", None),
    ] {
        assert_eq!(
            kinds(declaration, "Node2D", &[".:a", ".:own"]),
            [kind, Some(Int)],
            "{declaration}"
        );
    }
}

#[test]
fn the_engine_declares_the_types_of_its_properties() {
    use Kind::{Bool, Color, Float, Vector2, Vector3};
    let paths = [".:position", ".:velocity", "Part:position", ".:modulate", ".:position:x"];
    let body = [Some(Vector2), Some(Vector2), Some(Vector3), Some(Color), Some(Float)];
    assert_eq!(kinds("", "CharacterBody2D", &paths), body);
    assert_eq!(kinds("", "Sprite3D", &[".:position", ".:flip_h"]), [Some(Vector3), Some(Bool)]);
    assert_eq!(kinds("", "Node", &[".:position", "Gone:position", "bad"]), [None, None, None]);
    let parts = [".:position:y", ".:position:z", ".:position:xy", ".:position:", ".:position:x:y"];
    assert_eq!(kinds("", "Node2D", &parts), [Some(Float), None, None, None, None]);
    let parts = ["Part:position:z", "Part:position:w", "Part:rotation:x", "Part:visible:x"];
    assert_eq!(kinds("", "Node2D", &parts), [Some(Float), None, Some(Float), None]);
    // The script decides at run time.
    let get = "func _get(name):\n\treturn 1";
    assert_eq!(kinds(get, "Node2D", &[".:position"]), [None]);
}

#[test]
fn scenes_that_are_instanced_one_after_the_other_are_complete() {
    let one = |script: u8| {
        scene(&format!("[node name=\"X\" type=\"Node\"]\nscript = ExtResource(\"{script}\")\n"))
    };
    let inherited = "[gd_scene]\n[ext_resource type=\"PackedScene\" path=\"res://z.tscn\" id=\"1\"]\n\
        [node name=\"W\" instance=ExtResource(\"1\")]\n";
    let main = "[gd_scene]\n[ext_resource type=\"PackedScene\" path=\"res://y.tscn\" id=\"1\"]\n\
        [ext_resource type=\"PackedScene\" path=\"res://z.tscn\" id=\"2\"]\n\
        [ext_resource type=\"PackedScene\" path=\"res://w.tscn\" id=\"3\"]\n\
        [node name=\"Main\" type=\"Node\"]\n\
        [node name=\"W\" parent=\".\" instance=ExtResource(\"3\")]\n\
        [node name=\"Y\" parent=\".\" instance=ExtResource(\"1\")]\n\
        [node name=\"Z\" parent=\".\" instance=ExtResource(\"2\")]\n\
        [node name=\"Again\" parent=\".\" instance=ExtResource(\"1\")]\n";
    let settings = (SETTINGS.0, "[application]\nrun/main_scene=\"res://main.tscn\"\n");
    let (y, z) = (one(1), one(2));
    let scenes = [("main.tscn", main), ("w.tscn", inherited), ("y.tscn", &y), ("z.tscn", &z)];
    let project = project(&[&[settings, A, B][..], &scenes].concat());
    assert_eq!(problems(&project), [""; 0]);
    let expected = [("Main/W", "b"), ("Main/Y", "a"), ("Main/Z", "b"), ("Main/Again", "a")];
    for (path, method) in expected {
        assert_eq!(rpcs(&project, path), Some(vec![method]), "{path}");
    }
}

#[test]
fn comments_end_values() {
    let main = "[node name=\"Main\" type=\"Node\"] ; of a section\nscript = ExtResource(\"1\") ; of a value\n\
        [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
        spawn_path = NodePath(\"../A\");without a space\n; a whole line\n\
        _spawnable_scenes = PackedStringArray(\"res://sub.tscn\")\n";
    let project = scenes(main, SUB);
    assert_eq!(problems(&project), [""; 0]);
    assert_eq!(rpcs(&project, "Main"), Some(vec!["a"]));
    let NodeRole::Spawner(spawner) = project.node("Main/Spawner").unwrap().role else { panic!() };
    let spawner = project.spawner(spawner);
    assert_eq!((spawner.spawn_path(), spawner.len()), (Some("../A"), 1));
}

/// A node of a scene that is not the main one is known by its path if only one scene has it.
#[test]
fn scenes_with_the_same_root_are_told_apart_by_their_nodes() {
    let settings = "[application]\nrun/main_scene=\"res://main.tscn\"\n";
    let scene = |node: &str| {
        format!(
            "[gd_scene]\n[ext_resource type=\"Script\" path=\"res://a.gd\" id=\"1\"]\n\
             [node name=\"Level\" type=\"Node\"]\n[node name=\"{node}\" type=\"Node\" parent=\".\"]\n\
             script = ExtResource(\"1\")\n"
        )
    };
    let of = |count: usize, main: &str| {
        let mut files = vec![
            ("project.godot".to_owned(), settings.to_owned()),
            ("main.tscn".to_owned(), main.to_owned()),
            ("a.gd".to_owned(), A.1.to_owned()),
            ("twin.tscn".to_owned(), scene("N1")),
        ];
        files.extend((0..count).map(|n| (format!("{n}.tscn"), scene(&format!("N{n}")))));
        Project::from_files(files)
    };
    let other = "[gd_scene]\n[node name=\"Main\" type=\"Node\"]\n";
    for (count, main, path, is_known) in [
        (3, other, "Level/N0", true),
        (3, other, "Level/N1", false),
        (3, other, "Level/N2", true),
        (3, other, "Level/N3", false),
        (3, other, "Level", false),
        (255, other, "Level/N0", true),
        (256, other, "Level/N0", false),
        // The main scene comes first, but has no such node.
        (3, &scene("M"), "Level/M", true),
        (3, &scene("M"), "Level/N0", true),
        (3, &scene("M"), "Level/N1", false),
        (3, &scene("N1"), "Level/N1", true),
        (3, &scene("M"), "Level", true),
    ] {
        let found = of(count, main).node(path);
        assert_eq!(found.is_some(), is_known, "{count} {main} {path}");
    }
}
