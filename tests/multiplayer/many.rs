//! Many scenes and many nodes: names are right, and what is done for a packet does not grow with the
//! project. If it did, these tests would take minutes.

use crate::multiplayer::{GODOT_4, read};
use gdwire::multiplayer::{Context, Names, Paths, PeerId};
use gdwire::project::Project;
use gdwire::{Dialect, encode, variant};
use std::sync::{Arc, OnceLock};

const SCENES: u32 = 10_000;
const SPAWNS: u32 = 20_000;
const NODES: u32 = 100_000;
/// A state of one integer.
const SEVEN: [u8; 2] = [2, 7];

/// A project of many scenes that look alike, each with a synchronizer of a property of its own. The
/// function of the spawner gets the path of the scene.
fn project() -> Arc<Names> {
    let settings = "[application]\nrun/main_scene=\"res://main.tscn\"\n";
    let main = "[gd_scene format=3]\n\
        [ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n\
        [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
        [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
        spawn_path = NodePath(\"..\")\n";
    let script = "extends Node\n\
        func _ready(): $Spawner.spawn_function = make\n\
        func make(data):\n\tvar node = load(data[0]).instantiate()\n\tvisit(node)\n\treturn node\n\
        func visit(node):\n\tfor child in node.get_children(): visit(child)\n";
    let scene = |number: u32| {
        let content = format!(
            "[gd_scene format=3]\n\
             [sub_resource type=\"SceneReplicationConfig\" id=\"c\"]\n\
             properties/0/path = NodePath(\".:p{number}\")\n\
             properties/0/spawn = true\nproperties/0/replication_mode = 1\n\
             [node name=\"Thing\" type=\"Node\"]\n\
             [node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
             replication_config = SubResource(\"c\")\n"
        );
        (format!("things/{number}.tscn"), content)
    };
    let fixed = [("project.godot", settings), ("main.tscn", main), ("main.gd", script)];
    let fixed = fixed.map(|(path, content)| (path.to_owned(), content.to_owned()));
    let files = fixed.into_iter().chain((0..SCENES).map(scene));
    static NAMES: OnceLock<Arc<Names>> = OnceLock::new();
    let names = || Arc::new(Names::new().with_project(Project::from_files(files)));
    NAMES.get_or_init(names).clone()
}

fn announced(id: u32, path: &str) -> Vec<u8> {
    let head = b"\x01d41d8cd98f00b204e9800998ecf8427e\0";
    [head, &id.to_le_bytes()[..], path.as_bytes(), b"\0"].concat()
}

/// A spawn of a scene by the function of the spawner with the id 1.
fn spawned(net_id: u32, scene: u32) -> Vec<u8> {
    let argument = variant!([(format!("res://things/{scene}.tscn").as_str())]);
    let argument = encode(Dialect::GODOT_4, &argument).unwrap();
    let name = format!("thing{net_id}\0");
    let len = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap();
    let numbers = [1, net_id, 1, len(name.as_bytes()), net_id + 1].map(u32::to_le_bytes);
    let size = len(&argument).to_le_bytes();
    [&[4, 255], numbers.as_flattened(), name.as_bytes(), &size, &argument, &SEVEN].concat()
}

fn despawned(net_id: u32) -> Vec<u8> {
    [&[5][..], &net_id.to_le_bytes()].concat()
}

#[test]
fn spawns_of_many_scenes_have_their_names() {
    let mut paths = Paths::new().with_names(project());
    paths.note(PeerId::SERVER, &read(GODOT_4, &announced(1, "Main/Spawner")));
    for number in 0..SPAWNS {
        let (net_id, scene) = (number * 2 + 10, number * 7919 % SCENES);
        let bytes = spawned(net_id, scene);
        let spawn = read(GODOT_4, &bytes);
        if number % 100 == 0 {
            let context = Context::new().with_paths(&paths, PeerId::SERVER);
            let shown = spawn.display(context).to_string();
            assert!(shown.contains(&format!("scene res://things/{scene}.tscn")), "{shown}");
            assert!(shown.contains(&format!("p{scene}")), "{shown}");
        }
        paths.note(PeerId::SERVER, &spawn);
        paths.note(PeerId::SERVER, &read(GODOT_4, &despawned(net_id)));
    }
    assert_eq!(paths.dropped(), 0);
}

#[test]
fn many_announced_nodes_have_no_wrong_names() {
    let mut paths = Paths::new().with_names(project());
    for number in 0..NODES {
        let path = format!("Main/thing{number}/Sync");
        paths.note(PeerId::SERVER, &read(GODOT_4, &announced(number + 1, &path)));
    }
    // Some have no room.
    assert!(paths.dropped() > 0 && paths.held_bytes() <= 16 << 20, "{}", paths.held_bytes());
    // Any of the scenes may have sent the state: one value.
    let context = Context::new().with_paths(&paths, PeerId::SERVER);
    for id in [1, 500, NODES] {
        let numbers = [0x8000_0000 | id, 2].map(u32::to_le_bytes);
        let bytes = [&[6, 1, 0], numbers.as_flattened(), &SEVEN].concat();
        let shown = read(GODOT_4, &bytes).display(context).to_string();
        assert!(!shown.contains("p1") && shown.contains('7'), "{shown}");
    }
}

/// The search for methods of another version takes no longer if a script has many of them.
#[test]
fn unknown_digests_of_many_methods_cost_little() {
    let methods: String = (0..4_000).map(|n| format!("@rpc func method_{n}(): pass\n")).collect();
    let files = [
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        (
            "main.tscn",
            "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n\
             [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n",
        ),
        ("main.gd", &methods),
    ];
    let mut paths =
        Paths::new().with_names(Names::new().with_project(Project::from_files(files)).into());
    for id in 0..100 {
        let text = format!("\x01{id:032x}\0\x01\0\0\0Main\0");
        paths.note(PeerId::SERVER, &read(GODOT_4, text.as_bytes()));
    }
}
