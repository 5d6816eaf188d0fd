//! A recorded game and its project: everything in the packets gets its name.

use crate::common::{corpus, lines};
use gdwire::Kind;
use gdwire::capture::Messages;
use gdwire::follow::{Content, Event};
use gdwire::multiplayer::{Call, Method, Methods, Names, Node, Packet};
use gdwire::project::{DigestMatch, NodeRole, Project, Property, TransferMode};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The captures with the lists of what was sent.
const GAMES: [(&str, &str); 8] = [
    ("godot4-game-websocket", "godot4-game-websocket"),
    ("godot4-game-enet", "godot4-game-enet"),
    ("godot4-game-enet-compressed", "godot4-game-enet-compressed"),
    ("godot4-game-enet-zlib", "godot4-game-enet-zlib"),
    ("godot4-game-enet-zstd", "godot4-game-enet-zstd"),
    ("godot4-game-enet-fastlz", "godot4-game-enet-fastlz"),
    ("godot4-game-enet-lossy-client-side", "godot4-game-enet-lossy"),
    ("godot4-game-enet-lossy-server-side", "godot4-game-enet-lossy"),
];

#[derive(Deserialize)]
struct Sent {
    kind: String,
    path: String,
    #[serde(default)]
    method: String,
    #[serde(default)]
    scene: String,
    #[serde(default)]
    properties: BTreeMap<String, String>,
    #[serde(default)]
    sync: BTreeMap<String, String>,
    #[serde(default)]
    delta: BTreeMap<String, String>,
}

fn files_in(folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_in(&path, files);
        } else {
            let name = path.strip_prefix(corpus("project/arena")).unwrap();
            files.push((name.to_str().unwrap().replace('\\', "/"), fs::read(&path).unwrap()));
        }
    }
}

pub(crate) fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    files_in(&corpus("project/arena"), &mut files);
    assert_eq!(files.len(), 11);
    files
}

/// The content of the packets of a capture, with the announced paths.
#[derive(Default)]
struct Read {
    /// The path and the digest.
    announced: BTreeSet<(String, String)>,
    /// The path and the method, each once.
    calls: BTreeSet<(String, MethodNumber)>,
    /// The spawner, the scene, the name, the numbers of synchronizers and values.
    spawns: BTreeSet<(String, u8, String, usize, usize)>,
}

/// The index of a method, and whether it was made remote at run time.
type MethodNumber = (u16, bool);

fn read(name: &str) -> Read {
    let file = fs::read(corpus("captures").join(format!("{name}.pcapng"))).unwrap();
    let mut messages = Messages::new(&file[..]).unwrap();
    let (mut read, mut paths) = (Read::default(), BTreeMap::new());
    while let Some(event) = messages.next_event() {
        let Event::Message(message) = event else { continue };
        let Content::Packet(packet) = message.content else { continue };
        let src = message.origin.src();
        match packet {
            Packet::SimplifyPath(simplify) => {
                let path = simplify.path.to_owned();
                paths.insert((src, simplify.id), path.clone());
                read.announced.insert((path, simplify.md5.unwrap().to_owned()));
            }
            Packet::Call(Call { node, method: Method::Number { index, is_own }, .. }) => {
                let path = match node {
                    Node::Path(path) => Some(path.to_owned()),
                    Node::Id(id) => paths.get(&(src, id)).cloned(),
                    other => panic!("{other:?}"),
                };
                read.calls.extend(path.map(|path| (path, (index, is_own))));
            }
            Packet::Spawn(spawn) => {
                if let (Some(path), Some(scene)) = (paths.get(&(src, spawn.spawner)), spawn.scene) {
                    let (ids, values) = (spawn.synchronizers.len(), spawn.state.len());
                    read.spawns.insert((path.clone(), scene, spawn.name.to_owned(), ids, values));
                }
            }
            _ => {}
        }
    }
    read
}

/// A relative path from another path, as in the scene tree.
fn join(path: &str, relative: &str) -> String {
    let mut names: Vec<&str> = path.split('/').collect();
    for name in relative.split('/') {
        match name {
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("/")
}

#[test]
fn every_announced_digest_names_the_list_of_its_node() {
    let project = Project::from_files(files());
    assert!(project.problems().is_empty(), "{:?}", project.problems());
    for (name, sent) in GAMES {
        let read = read(name);
        assert!(read.announced.len() >= 6, "{name}");
        let sent: Vec<Sent> = lines(&format!("captures/{sent}.ndjson"));
        let mut methods: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for sent in sent.iter().filter(|sent| sent.kind == "call") {
            methods.entry(&sent.path).or_default().insert(&sent.method);
        }
        let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (path, md5) in &read.announced {
            let DigestMatch::Known(list) = project.list_of_digest(md5) else {
                panic!("{path} {md5}")
            };
            assert_eq!(project.list(list).digest(), *md5);
            for (_, (index, is_own)) in read.calls.iter().filter(|(of, _)| of == path) {
                let method = project.list(list).name(*index, *is_own).unwrap();
                assert!(methods[&**path].contains(method), "{name} {path} {method}");
                assert_eq!(project.list(list).find(method), Some((*index, *is_own)));
                named.entry(path).or_default().insert(method);
            }
            // Spawned nodes are not in a scene.
            let Some(node) = project.node(path) else { continue };
            let of_node = node.list.unwrap();
            let DigestMatch::Known(same) = project.list_of_node(md5, of_node) else {
                panic!("{path}")
            };
            let names = |list| format!("{:?}", project.list(list));
            assert_eq!(names(same), names(list), "{path}");
            assert_eq!(project.list(same).script(), project.list(of_node).script(), "{path}");
            // `wave` is made remote at run time.
            assert_eq!(names(of_node) == names(list), path != "Main/Chat", "{path}");
        }
        // Calls that were lost on the way may be missing.
        assert!(name.contains("lossy") || named == methods, "{name} {named:?}");
    }
}

/// A program needs these numbers and digests to announce a node and to call its methods.
#[test]
fn names_give_the_numbers_and_digests_that_the_game_sent() {
    let read = read("godot4-game-enet");
    let methods = "Main/Chat: fire respawn +wave";
    let names = Names::from(Methods::parse(methods).unwrap());
    let names = names.with_project(Project::from_files(files()));
    let project = Project::from_files(files());
    let mut numbers = 0;
    for (path, md5) in &read.announced {
        // Spawned nodes are not in a scene.
        if project.node(path).is_none() {
            assert_eq!(names.digest(path), None);
            continue;
        }
        assert_eq!(names.digest(path).as_ref(), Some(md5), "{path}");
        for (_, (index, is_own)) in read.calls.iter().filter(|(of, _)| of == path) {
            let method = if *is_own { "wave" } else { names.method(path, *index).unwrap() };
            let number = Method::Number { index: *index, is_own: *is_own };
            assert_eq!(names.number(path, method), Some(number));
            numbers += 1;
        }
        assert_eq!(names.number(path, "not_remote"), None);
    }
    assert!(numbers >= 4, "{numbers}");
    assert_eq!(names.number("Main/Nobody", "fire"), None);
}

#[test]
fn every_spawned_scene_and_its_properties_are_named() {
    let project = Project::from_files(files());
    for (name, sent) in GAMES {
        let read = read(name);
        let sent: Vec<Sent> = lines(&format!("captures/{sent}.ndjson"));
        assert!(name.contains("lossy") || read.spawns.len() == 3, "{name}");
        for (spawner_path, number, node, synchronizers, values) in &read.spawns {
            let NodeRole::Spawner(spawner) = project.node(spawner_path).unwrap().role else {
                panic!()
            };
            let spawner = project.spawner(spawner);
            let scene = project.scene(spawner.scene(*number).unwrap());
            let path = format!("{}/{node}", join(spawner_path, spawner.spawn_path().unwrap()));
            let is_spawn = |sent: &&Sent| sent.kind == "spawn" && sent.path == path;
            let spawn = sent.iter().find(is_spawn).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(
                (scene.path(), spawner.scene_path(*number)),
                (&*spawn.scene, Some(scene.path()))
            );
            assert_eq!(spawner.number_of(scene.path()), Some(*number));
            assert_eq!(spawner.number_of("res://main.tscn"), None);
            assert_eq!(scene.synchronizers().unwrap().len(), *synchronizers);
            let mut state = Vec::new();
            for synchronizer in scene.synchronizers().unwrap() {
                let config = project.config(synchronizer.config.unwrap());
                state.extend(config.spawn().map(|it| it.name.to_owned()));
                let path = format!("{path}/{}", synchronizer.path);
                let changes = sent.iter().filter(|sent| sent.kind == "change" && sent.path == path);
                let (mut sync, mut delta) = (BTreeSet::new(), BTreeSet::new());
                for change in changes {
                    sync.extend(change.sync.keys().map(String::as_str));
                    delta.extend(change.delta.keys().map(String::as_str));
                }
                assert_eq!(sync, config.sync().map(|it| it.name).collect());
                assert!(delta.is_subset(&config.watched().map(|it| it.name).collect()));
            }
            assert_eq!(state.len(), *values);
            assert_eq!(state.iter().collect::<BTreeSet<_>>(), spawn.properties.keys().collect());
        }
    }
}

fn named(property: Property<'_>) -> (&str, Option<Kind>) {
    (property.name, property.kind)
}

#[test]
fn a_project_is_read_from_its_folder() {
    let folder = corpus("project/arena");
    let (opened, of_files) = (Project::open(&folder).unwrap(), Project::from_files(files()));
    let main = |project: &Project| {
        let lists =
            ["Main/World", "Main/Chat"].map(|path| project.node(path).unwrap().list.unwrap());
        let lists = lists.map(|list| format!("{:?}", project.list(list)));
        (format!("{:?}", project.main_scene().map(|scene| project.scene(scene))), lists)
    };
    assert_eq!(main(&opened), main(&of_files));
    assert_eq!(opened.problems(), []);
    let error = Project::open(folder.join("actors")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[cfg(unix)]
#[test]
fn hidden_ignored_linked_and_long_files_of_a_folder_are_not_read() {
    let folder = std::env::temp_dir().join(format!("gdwire-folder-{}", std::process::id()));
    for inside in ["", ".hidden", "ignored", "b", "b/deep"] {
        std::fs::create_dir_all(folder.join(inside)).unwrap();
    }
    for (file, text) in [
        ("project.godot", ""),
        (".hidden/x.gd", "extends Gone\n@rpc func x(): pass"),
        ("ignored/.gdignore", ""),
        ("ignored/y.gd", "extends Gone\n@rpc func y(): pass"),
        ("b/deep/c.gd", ""),
        ("b/a.gd", ""),
        ("z.png", "picture"),
        ("a.gd", ""),
    ] {
        std::fs::write(folder.join(file), text).unwrap();
    }
    // These files have no content on the disk.
    for file in ["long.gd", "long.png"] {
        std::fs::File::create(folder.join(file)).unwrap().set_len((256 << 20) + 1).unwrap();
    }
    let opened = |folder: &Path| {
        let project = Project::open(folder).unwrap();
        let problems: Vec<_> = project.problems().iter().map(ToString::to_string).collect();
        (project.files().map(str::to_owned).collect::<Vec<_>>(), problems)
    };
    let without_links = opened(&folder);
    for link in ["b/link.gd", "linked"] {
        std::os::unix::fs::symlink(folder.join("b"), folder.join(link)).unwrap();
    }
    let with_links = opened(&folder);
    std::fs::remove_dir_all(&folder).unwrap();
    let files = ["a.gd", "b/a.gd", "b/deep/c.gd", "project.godot"];
    let read: Vec<_> = without_links.0.iter().filter(|file| !file.ends_with("png")).collect();
    assert_eq!(read, files);
    let long = "long.gd: not read any further: more than 256 MiB of a file";
    assert_eq!(without_links.1, [long]);
    assert_eq!(with_links.0, without_links.0);
    assert_eq!(with_links.1, [long, "symbolic links are not followed, 2 here"]);
}

#[test]
fn the_scenes_say_what_the_nodes_are() {
    let project = Project::from_files(files());
    let main = project.scene(project.main_scene().unwrap());
    assert_eq!((main.path(), main.root_name()), ("res://main.tscn", Some("Main")));
    let NodeRole::Spawner(spawner) = project.node("Main/World/Spawner").unwrap().role else {
        panic!()
    };
    let spawner = project.spawner(spawner);
    assert_eq!((spawner.len(), spawner.spawn_path()), (2, Some("../Actors")));
    let player = spawner.scene(0).unwrap();
    let NodeRole::Synchronizer(config) = project.node_in(player, "Sync").unwrap().role else {
        panic!()
    };
    let config = project.config(config.unwrap());
    let position = ("position", Some(Kind::Vector2));
    let mana = ("mana", Some(Kind::Int));
    assert!(config.spawn().map(named).eq([position, mana, ("health", Some(Kind::String))]));
    assert!(config.sync().map(named).eq([position, ("facing", Some(Kind::Float))]));
    assert!(config.watched().map(named).eq([mana, ("Turret:rotation", Some(Kind::Float))]));
    let list = project.list(project.node_in(player, "").unwrap().list.unwrap());
    assert_eq!(format!("{list:?}"), r#"["emote", "ping", "shout", "trade", "whisper"]"#);
    assert_eq!(list.script(), Some("res://actors/player.gd"));
    let trade = list.rpc_config(3).unwrap();
    assert!(trade.any_peer && !trade.call_local);
    assert_eq!((trade.transfer, trade.channel), (TransferMode::UnreliableOrdered, Some(2)));
    assert_eq!(project.node_in(player, "Nothing"), None);
    assert_eq!(project.node("Main/World/Actors/hero10"), None);
}

/// Without `chat.gd` the list of `Main/Chat` cannot be known, and no digest can prove one.
#[test]
fn a_project_with_a_missing_or_changed_script_names_nothing_wrongly() {
    let announced = read("godot4-game-enet").announced;
    let (_, chat) = announced.iter().find(|(path, _)| path == "Main/Chat").unwrap();
    for missing in ["world/chat.gd", "world/base_chat.gd"] {
        let rest = files().into_iter().filter(|(path, _)| path != missing);
        let project = Project::from_files(rest);
        assert_eq!(project.list_of_digest(chat), DigestMatch::Unknown, "{missing}");
        assert_eq!(project.node("Main/Chat").unwrap().list, None, "{missing}");
        let problems: Vec<_> = project.problems().iter().map(ToString::to_string).collect();
        assert!(problems[0].ends_with(&format!("there is no file {missing}")), "{problems:?}");
    }
    let renamed = files().into_iter().map(|(path, content)| {
        let text = String::from_utf8(content).unwrap();
        (path, text.replace("func fire", "func shoot"))
    });
    let project = Project::from_files(renamed);
    assert_eq!(project.list_of_digest(chat), DigestMatch::Unknown);
}
