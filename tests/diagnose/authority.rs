//! Calls from clients of methods that only the authority may call: refused, unless a script of the
//! project may have made a client the authority.

use crate::diagnose::game::{Client, Game, Server, announced, call, spawn};
use crate::diagnose::of_kind;
use gdwire::diagnose::FindingKind;
use gdwire::follow::Options;
use gdwire::multiplayer::Names;
use gdwire::project::Project;
use std::collections::BTreeSet;
use std::sync::Arc;

const MAIN: &str = "[gd_scene format=3]\n\
    [ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n\
    [ext_resource type=\"Script\" path=\"res://methods.gd\" id=\"2\"]\n\
    [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
    [node name=\"Left\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"2\")\n\
    [node name=\"Right\" type=\"Node\" parent=\".\"]\nunique_name_in_owner = true\n\
    script = ExtResource(\"2\")\n\
    [node name=\"Gun\" type=\"Node\" parent=\"Right\"]\nscript = ExtResource(\"2\")\n\
    [node name=\"Players\" type=\"Node\" parent=\".\"]\n\
    [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
    _spawnable_scenes = PackedStringArray(\"res://player.tscn\")\n\
    spawn_path = NodePath(\"../Players\")\n";

const PLAYER: &str = "[gd_scene format=3]\n\
    [ext_resource type=\"Script\" path=\"res://player.gd\" id=\"1\"]\n\
    [ext_resource type=\"Script\" path=\"res://methods.gd\" id=\"2\"]\n\
    [node name=\"Player\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
    [node name=\"Body\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"2\")\n";

/// A scene of which scripts may have made `Main/Added`.
const OTHER: &str = "[gd_scene format=3]\n\
    [ext_resource type=\"Script\" path=\"res://methods.gd\" id=\"1\"]\n\
    [node name=\"Other\" type=\"Node\"]\nscript = ExtResource(\"1\")\n";

const METHODS: &str = "extends Node\n@rpc func fire(): pass\n@rpc func reload(): pass\n";

/// The nodes that the client calls: those of the main scene, those of a spawned scene, and one that
/// the project does not have.
const NODES: [&str; 6] = [
    "Main/Left",
    "Main/Right",
    "Main/Right/Gun",
    "Main/Players/p1",
    "Main/Players/p1/Body",
    "Main/Added",
];

/// The nodes whose calls are found to be refused, in a project with these scripts.
fn refused(scripts: &[(&str, &str)]) -> BTreeSet<String> {
    let defaults = [
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        ("main.tscn", MAIN),
        ("player.tscn", PLAYER),
        ("other.tscn", OTHER),
        ("methods.gd", METHODS),
        ("main.gd", "extends Node\n"),
        ("player.gd", METHODS),
    ];
    let is_default = |(path, _): &&(&str, &str)| scripts.iter().all(|(given, _)| given != path);
    let files = scripts.iter().chain(defaults.iter().filter(is_default));
    let project = Project::from_files(files.copied());
    assert!(project.problems().is_empty(), "{:?}", project.problems());

    let mut game = Game::new();
    game.send(Server, &announced(1, "Main/Spawner", false));
    game.send(Server, &spawn(1, 2, "p1"));
    for (id, node) in (1_u8..).zip(NODES) {
        game.send(Client, &announced(id.into(), node, true));
        game.send(Client, &call(id, 0, &[]));
    }
    let names = Arc::new(Names::new().with_project(project));
    let diagnosis = game.diagnosis_with(Options::new().with_names(names));
    let findings = of_kind(&diagnosis, FindingKind::RefusedCall);
    let nodes = findings.iter().flat_map(|finding| &finding.nodes);
    nodes.map(|node| node.to_string()).collect()
}

fn all_except(nodes: &[&str]) -> BTreeSet<String> {
    let rest = NODES.iter().filter(|node| !nodes.contains(node));
    rest.map(|node| (*node).to_owned()).collect()
}

/// The nodes whose calls are found to be refused if this is the body of a function of `main.gd`.
fn with_body(body: &str) -> BTreeSet<String> {
    refused(&[("main.gd", &format!("extends Node\nfunc f(id):\n\t{body}\n"))])
}

#[test]
fn without_such_calls_in_scripts_all_are_refused() {
    assert_eq!(refused(&[]), all_except(&[]));
    for body in [
        "pass # set_multiplayer_authority(id)",
        "print(\"set_multiplayer_authority (id)\")",
        "$Right.set_multiplayer_authority(1)",
        "$Right.set_multiplayer_authority(1, true)",
        "return $Right.get_multiplayer_authority()",
    ] {
        assert_eq!(with_body(body), all_except(&[]), "{body}");
    }
}

#[test]
fn a_path_leads_to_a_node_and_its_children() {
    let right = all_except(&["Main/Right", "Main/Right/Gun"]);
    for body in [
        "$Right.set_multiplayer_authority(id)",
        "$\"Right\".set_multiplayer_authority(id)",
        "%Right.set_multiplayer_authority(id)",
        "$%Right.set_multiplayer_authority(id)",
        "self.get_node(^\"%Right\").set_multiplayer_authority(id, true)",
        "get_node_or_null(\"Left/../Right\").set_multiplayer_authority(id)",
        "($Right as Node).set_multiplayer_authority(id)",
        "$Right/Gun.get_parent().set_multiplayer_authority(id)",
        "$Left.get_parent().get_node(\"Right\").set_multiplayer_authority(id)",
        "$Right.set_multiplayer_authority.call_deferred(id)",
        "$Right.call_deferred(\"set_multiplayer_authority\", id)",
        "$Right.propagate_call(&\"set_multiplayer_authority\", [id])",
        "if id > 0: $Right.set_multiplayer_authority(id if true else 1)",
        "var right = $Right\n\tright.set_multiplayer_authority(id)",
        "var right := $Right as Node\n\tif right == self: right.set_multiplayer_authority(id)",
    ] {
        assert_eq!(with_body(body), right, "{body}");
    }
    let variable = "extends Node\n@onready var right: Node = $Right\n\
        func f(id):\n\tif id == 7:\n\t\tright.set_multiplayer_authority(id)\n";
    assert_eq!(refused(&[("main.gd", variable)]), right);
    let alone = all_except(&["Main/Right"]);
    assert_eq!(with_body("$Right.set_multiplayer_authority(id, false)"), alone);
}

#[test]
fn a_script_gives_its_own_node_away() {
    for body in [
        "set_multiplayer_authority(id)",
        "self.set_multiplayer_authority(id)",
        "set_multiplayer_authority.rpc(id)",
        "call(\"set_multiplayer_authority\", id)",
        "Callable(self, \"set_multiplayer_authority\").call(id)",
        "$Right.get_parent().set_multiplayer_authority(id)",
    ] {
        assert_eq!(with_body(body), BTreeSet::new(), "{body}");
    }
    let player = format!("{METHODS}func _ready(): set_multiplayer_authority(str(name).to_int())\n");
    let spawned = all_except(&["Main/Players/p1", "Main/Players/p1/Body", "Main/Added"]);
    assert_eq!(refused(&[("player.gd", &player)]), spawned);
    // The same in a script that it extends.
    let extending = [("player.gd", "extends \"base.gd\"\n"), ("base.gd", &player)];
    assert_eq!(refused(&extending), spawned);
    let alone = player.replace("to_int()", "to_int(), false");
    let node = all_except(&["Main/Players/p1", "Main/Added"]);
    assert_eq!(refused(&[("player.gd", &alone)]), node);
}

#[test]
fn an_unknown_receiver_may_be_any_node() {
    for body in [
        "for node in get_children(): node.set_multiplayer_authority(id)",
        "$Players.get_child(0).set_multiplayer_authority(id)",
        "get_node(\"Players/%s\" % id).set_multiplayer_authority(id)",
        "$Nowhere.set_multiplayer_authority(id)",
        "get_parent().set_multiplayer_authority(id)",
        "get_node(\"/root/Main/Left\").set_multiplayer_authority(id)",
        "get_tree().call_group(\"players\", \"set_multiplayer_authority\", id)",
        "var right = $Right\n\tright = $Left\n\tright.set_multiplayer_authority(id)",
        "var call = func(right): right.set_multiplayer_authority(id)\n\tvar right = $Right",
        "owner.right.set_multiplayer_authority(id)",
    ] {
        assert_eq!(with_body(body), BTreeSet::new(), "{body}");
    }
    // Above the root of its scene, a path leads to a node that depends on where that is added.
    let player = format!("{METHODS}func f(id): $\"../..\".set_multiplayer_authority(id)\n");
    assert_eq!(refused(&[("player.gd", &player)]), BTreeSet::new());
}

#[test]
fn scripts_in_csharp_are_read_as_well() {
    let right = all_except(&["Main/Right", "Main/Right/Gun"]);
    let with = |body: &str| {
        let script = format!(
            "public partial class Main : Node {{ Node _right; Node _other;\n\
             void F(int id) {{ {body} }} }}"
        );
        refused(&[("Main.cs", &script), ("main.tscn", &MAIN.replace("main.gd", "Main.cs"))])
    };
    for body in [
        "GetNode(\"Right\").SetMultiplayerAuthority(id);",
        "this.GetNode<Node>(\"%Right\")?.SetMultiplayerAuthority(id, true);",
        "_right = GetNode<Node>(\"Right\"); _right.SetMultiplayerAuthority(id);",
        "GetNode(\"Right\").CallDeferred(Node.MethodName.SetMultiplayerAuthority, id);",
        "GetNode(\"Right\").CallDeferred(nameof(SetMultiplayerAuthority), id);",
    ] {
        assert_eq!(with(body), right, "{body}");
    }
    for body in ["_other.SetMultiplayerAuthority(id);", "SetMultiplayerAuthority(id);"] {
        assert_eq!(with(body), BTreeSet::new(), "{body}");
    }
    assert_eq!(with("GetNode(\"Right\").SetMultiplayerAuthority(1);"), all_except(&[]));
}
