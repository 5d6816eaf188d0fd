//! Levels that a script adds one after the other, at the same path: what is known about one says
//! nothing about the next.

use crate::multiplayer::{GODOT_4, read};
use gdwire::multiplayer::{Context, Names, Paths, PeerId};
use gdwire::project::Project;
use std::sync::Arc;

/// A scene whose root is `Level`, with spawners. Each has its name and the scene that it spawns.
fn level(spawners: &[(&str, &str)]) -> String {
    spawners_in("[node name=\"Level\" type=\"Node\"]\n", spawners)
}

/// A scene that inherits `base.tscn`, and adds spawners.
fn inherited(spawners: &[(&str, &str)]) -> String {
    let root = "[ext_resource type=\"PackedScene\" path=\"res://base.tscn\" id=\"1\"]\n\
        [node name=\"Level\" instance=ExtResource(\"1\")]\n";
    spawners_in(root, spawners)
}

fn spawners_in(root: &str, spawners: &[(&str, &str)]) -> String {
    let mut scene = format!("[gd_scene format=3]\n{root}");
    for (name, spawned) in spawners {
        scene += &format!(
            "[node name=\"{name}\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
             _spawnable_scenes = PackedStringArray(\"res://{spawned}.tscn\")\n\
             spawn_path = NodePath(\"..\")\n"
        );
    }
    scene
}

/// Both levels have `Mobs`, which spawns other nodes in each, and `Wolves`, which spawns the same in both.
/// They inherit `Birds`, and also `Fish`, to which the second one gives another list.
fn project() -> Project {
    let of_second = "[node name=\"Fish\" parent=\".\"]\n\
        _spawnable_scenes = PackedStringArray(\"res://bear.tscn\")\n";
    let spawned = "[gd_scene format=3]\n[node name=\"Node\" type=\"Node\"]\n";
    Project::from_files([
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        (
            "main.tscn",
            "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n\
             [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n",
        ),
        (
            "main.gd",
            "extends Node\nfunc go(n): add_child(load(\"res://level%d.tscn\" % n).instantiate())\n",
        ),
        ("base.tscn", &level(&[("Birds", "wolf"), ("Fish", "wolf")])),
        ("level1.tscn", &inherited(&[("Mobs", "wolf"), ("Wolves", "wolf"), ("Traps", "trap")])),
        (
            "level2.tscn",
            &(inherited(&[("Mobs", "bear"), ("Wolves", "wolf"), ("Lamps", "lamp")]) + of_second),
        ),
        ("wolf.tscn", spawned),
        ("bear.tscn", spawned),
        ("trap.tscn", spawned),
        ("lamp.tscn", spawned),
    ])
}

/// An announcement of a node without methods.
fn announced(id: u8, name: &str) -> Vec<u8> {
    let head = b"\x01d41d8cd98f00b204e9800998ecf8427e\0";
    [head, &[id, 0, 0, 0][..], b"Main/Level/", name.as_bytes(), b"\0"].concat()
}

/// A spawn of the first scene in the list of a spawner.
fn spawned(spawner: u8, net_id: u8, name: &str) -> Vec<u8> {
    let numbers = [spawner, net_id, 0, name.len() as u8 + 1].map(|number| [number, 0, 0, 0]);
    [&[4, 0][..], numbers.as_flattened(), name.as_bytes(), b"\0"].concat()
}

fn despawned(net_id: u8) -> Vec<u8> {
    vec![5, net_id, 0, 0, 0]
}

/// The last packet as text, after the others.
fn last_of(packets: &[Vec<u8>]) -> String {
    let names = Arc::new(Names::new().with_project(project()));
    let mut paths = Paths::new().with_names(names);
    let (last, before) = packets.split_last().unwrap();
    for packet in before {
        paths.note(PeerId::SERVER, &read(GODOT_4, packet));
    }
    let context = Context::new().with_paths(&paths, PeerId::SERVER);
    read(GODOT_4, last).display(context).to_string()
}

const WOLF: &str = "spawn one by Main/Level/Mobs, net#3, scene res://wolf.tscn";
const BEAR: &str = "spawn one by Main/Level/Mobs, net#3, scene res://bear.tscn";
const UNKNOWN: &str = "spawn one by Main/Level/Mobs, net#3, scene 0";

#[test]
fn a_level_is_known_as_long_as_nodes_are_in_it() {
    let (traps, mobs) = (announced(1, "Traps"), announced(2, "Mobs"));
    let trap = |net_id| spawned(1, net_id, &format!("trap{net_id}"));
    let one = spawned(2, 3, "one");
    assert_eq!(last_of(&[traps.clone(), trap(1), mobs.clone(), one.clone()]), WOLF);
    let two = [traps, trap(1), trap(2), despawned(1), mobs, one];
    assert_eq!(last_of(&two), WOLF);
}

#[test]
fn a_level_may_be_another_one_once_all_nodes_in_it_are_despawned() {
    let (traps, trap) = (announced(1, "Traps"), spawned(1, 1, "trap"));
    let (mobs, one) = (announced(2, "Mobs"), spawned(2, 3, "one"));
    let before = [traps.clone(), trap, despawned(1)];
    let then = |next: &[Vec<u8>]| last_of(&[&before, next].concat());
    assert_eq!(then(&[mobs.clone(), one.clone()]), UNKNOWN);
    // Other announcements say which level it is.
    let (lamps, again) = (announced(4, "Lamps"), announced(5, "Traps"));
    assert_eq!(then(&[mobs.clone(), lamps.clone(), one.clone()]), BEAR);
    assert_eq!(then(&[lamps, mobs.clone(), one.clone()]), BEAR);
    assert_eq!(then(&[again, mobs.clone(), one.clone()]), WOLF);
    // The despawned node was spawned before the recording began.
    assert_eq!(last_of(&[traps, despawned(9), mobs, one]), UNKNOWN);
}

#[test]
fn a_level_may_be_another_one_once_a_part_of_it_has_another_id() {
    let (traps, mobs) = (announced(1, "Traps"), announced(2, "Mobs"));
    let again = |id| announced(id, "Mobs");
    let one = spawned(2, 3, "one");
    assert_eq!(last_of(&[traps.clone(), mobs.clone(), again(2), one.clone()]), WOLF);
    let one = spawned(5, 3, "one");
    assert_eq!(last_of(&[traps.clone(), again(5), one.clone()]), WOLF);
    let renewed = [traps, mobs, again(5)];
    assert_eq!(last_of(&[&renewed[..], std::slice::from_ref(&one)].concat()), UNKNOWN);
    let lamps = [announced(4, "Lamps"), one];
    assert_eq!(last_of(&[&renewed[..], &lamps].concat()), BEAR);
}

#[test]
fn levels_may_share_spawners() {
    // The names while it may be either level, and once a lamp shows that it is the second.
    for (name, either, second) in [
        ("Birds", WOLF, WOLF),
        ("Wolves", WOLF, WOLF),
        ("Fish", UNKNOWN, BEAR),
        ("Mobs", UNKNOWN, BEAR),
    ] {
        let named = |spawn: &str| spawn.replace("Mobs", name);
        let (spawner, lamps) = (announced(1, name), announced(2, "Lamps"));
        let one = spawned(1, 3, "one");
        assert_eq!(last_of(&[spawner.clone(), one.clone()]), named(either));
        assert_eq!(last_of(&[spawner, lamps, one]), named(second));
    }
}
