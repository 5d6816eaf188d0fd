//! Projects with damaged files, and with files that are designed to cost as much as possible.

use crate::project::{named, problems, project};
use gdwire::project::{DigestMatch, NodeRole, Project};
use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// No case takes nearly as long, even without optimization on a busy machine. Quadratic time would
/// take far longer.
const LIMIT: Duration = Duration::from_secs(60);

/// Reads files that are expected to cost little.
fn quickly(files: &[(String, String)]) -> Project {
    let start = Instant::now();
    let project = Project::from_files(files.iter().map(|(path, text)| (path, text)));
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    project
}

fn one(path: &str, text: String) -> Project {
    quickly(&[(path.to_owned(), text)])
}

#[test]
fn long_repetitions_take_linear_time() {
    const COUNT: usize = 1 << 17;
    for token in [
        "@rpc",
        "@rpc(",
        "@rpc\n",
        "(",
        ")",
        "\"",
        "\\",
        "r\"",
        "'''",
        "extends ",
        "class a:\n",
        ".",
        "func",
        "rpc_config(",
        "rpc_config",
        "[",
        "]",
        "/*",
        "$\"{",
        "@\"",
        "$$\"\"\"{{",
        "{",
        "}",
        "<",
        "class A:",
        "[Rpc]",
        "RpcConfig(",
        "namespace a{",
        "#",
        "'",
        "[a b=",
        "[node]",
        ";",
        "=",
        "a=",
        "a=1\n",
        "x=[",
    ] {
        for path in ["a.gd", "A.cs", "a.tscn", "a.tres", "project.godot", "a.uid"] {
            let project = one(path, token.repeat(COUNT / token.len()));
            assert!(project.problems().len() <= 1_000);
        }
    }
}

#[test]
fn scripts_that_are_too_large_are_reported() {
    let project = one("a.gd", "@rpc".repeat(5 << 20));
    assert_eq!(problems(&project), ["a.gd: not read any further: more than 16 MiB of a script"]);
    let classes: String = (0..300_000).fold(String::new(), |mut text, n| {
        writeln!(text, "class C{n}:").unwrap();
        text
    });
    let project = one("a.gd", classes);
    let problem =
        "not read any further: more than 4,194,304 functions and variables or 262,144 classes";
    assert_eq!(problems(&project), [format!("a.gd:262144: {problem}")]);
}

#[test]
fn chains_of_scripts_may_be_long_or_circular() {
    let chain = |count: usize, next: &dyn Fn(usize) -> usize| {
        let file = |n: usize| {
            (format!("s{n}.gd"), format!("extends \"s{}.gd\"\n@rpc func m{n}(): pass\n", next(n)))
        };
        quickly(&(0..count).map(file).collect::<Vec<_>>())
    };
    let circular = chain(500, &|n| (n + 1) % 500);
    assert_eq!(problems(&circular).len(), 1);
    assert!(problems(&circular)[0].ends_with("the file extends or contains itself"));
    // The lists of a long chain have 8 million methods.
    let long = chain(4_000, &|n| n + 1);
    let problems = problems(&long);
    assert!(problems.iter().any(|text| text.ends_with("4,194,304 methods in all lists")));
}

#[test]
fn the_limit_of_all_lists_is_exact() {
    let methods =
        |count| (0..count).map(|n| format!("@rpc func m{n}(): pass\n")).collect::<String>();
    // 2,047 scripts have the 2,047 methods of their base class and one more.
    let subclass =
        |n| (format!("s{n}.gd"), "extends \"base.gd\"\n@rpc func own(): pass\n".to_owned());
    for (others, reported) in [(1, 0), (2, 1)] {
        let mut files: Vec<_> = (0..2_047).map(subclass).collect();
        files.push(("base.gd".to_owned(), methods(2_047)));
        files.push(("other.gd".to_owned(), methods(others)));
        assert_eq!(problems(&quickly(&files)).len(), reported);
    }
}

#[test]
fn problems_beyond_the_limit_are_counted() {
    let file = |n| (format!("a{n}.gd"), "extends \"gone.gd\"".to_owned());
    let project = quickly(&(0..1_002).map(file).collect::<Vec<_>>());
    assert_eq!((project.problems().len(), project.further_problems()), (1_000, 2));
}

#[test]
fn classes_and_nodes_may_be_nested_deeply() {
    let mut nested = String::new();
    for depth in 0..1_000 {
        writeln!(nested, "{}class C extends D:", " ".repeat(depth)).unwrap();
    }
    one("a.gd", nested);
    let mut nodes = String::from("[gd_scene]\n[node name=\"a\" type=\"Node\"]\n");
    let mut parent = String::from(".");
    for _ in 0..700 {
        writeln!(nodes, "[node name=\"a\" type=\"MultiplayerSynchronizer\" parent=\"{parent}\"]")
            .unwrap();
        writeln!(nodes, "root_path = NodePath(\"{}..\")", "../".repeat(parent.len() / 2)).unwrap();
        parent.push_str("/a");
    }
    let project = one("a.tscn", nodes);
    assert_eq!(problems(&project), [""; 0]);
    assert!(project.node(&format!("a{}", "/a".repeat(700))).is_some());
    assert!(project.node(&format!("a{}", "/a".repeat(701))).is_none());
    let rpcs = format!("class A {{ {} }}", "class B {".repeat(100_000));
    assert_eq!(problems(&one("A.cs", rpcs)), ["A.cs:1: expected the closing brace"]);
}

/// Scenes up to `s64.tscn`. Each instances the next one twice.
fn doubling(first: usize) -> Vec<(String, String)> {
    let scene = |n: usize| {
        let text = format!(
            "[gd_scene]\n[ext_resource type=\"PackedScene\" path=\"s{}.tscn\" id=\"1\"]\n\
             [node name=\"R{n}\" type=\"Node\"]\n[node name=\"A\" parent=\".\" instance=ExtResource(\"1\")]\n\
             [node name=\"B\" parent=\".\" instance=ExtResource(\"1\")]\n",
            n + 1
        );
        (format!("s{n}.tscn"), text)
    };
    let last = ("s64.tscn".into(), "[gd_scene]\n[node name=\"R64\" type=\"Node\"]\n".into());
    (first..64).map(scene).chain([last]).collect()
}

#[test]
fn scenes_that_double_are_limited() {
    let project = quickly(&doubling(0));
    assert!(problems(&project).iter().all(|text| text.ends_with("1,048,576 nodes in all scenes")));
    // Small files are read completely.
    assert!(project.node("R60/A/B/A/B").is_some_and(|node| node.role == NodeRole::Other));
    assert!(project.node("R60/A/B/A/B/A").is_none());
    let circular = project_of_circle();
    assert_eq!(problems(&circular).len(), 1, "{:?}", problems(&circular));
    assert!(circular.node("A").is_some());
}

/// The nodes that were not read may be synchronizers.
#[test]
fn a_scene_with_too_many_nodes_has_no_known_synchronizers() {
    // With those of the other scenes, they are 22 fewer than the limit.
    let mut scene = with_instances(6, "s48.tscn");
    for n in 0..23 {
        writeln!(scene, "[node name=\"m{n}\" type=\"Node\" parent=\".\"]").unwrap();
    }
    let mut files = doubling(48);
    files.push(("b.tscn".into(), scene));
    let project = quickly(&files);
    assert_eq!(problems(&project).len(), 1);
    assert!(problems(&project)[0].ends_with("1,048,576 nodes in all scenes"));
    assert!(project.node("B/m21").is_some() && project.node("B/m22").is_none());
    assert_eq!(synchronizers(&project), None);
}

fn project_of_circle() -> Project {
    let scene = |name: &str, other: &str| {
        format!(
            "[gd_scene]\n[ext_resource type=\"PackedScene\" path=\"res://{other}.tscn\" id=\"1\"]\n\
             [node name=\"{name}\" type=\"Node\"]\n[node name=\"X\" parent=\".\" instance=ExtResource(\"1\")]\n"
        )
    };
    project(&[("A.tscn", &scene("A", "B")), ("B.tscn", &scene("B", "A"))])
}

#[test]
fn nodes_that_move_to_the_front_are_limited() {
    let mut nodes = String::from("[gd_scene]\n[node name=\"a\" type=\"Node\"]\n");
    for n in 0..25_000 {
        writeln!(nodes, "[node name=\"n{n}\" type=\"Node\" parent=\".\" index=\"0\"]").unwrap();
    }
    let project = quickly(&[("a.tscn".to_owned(), nodes), ("b.tscn".to_owned(), SPAWNED.into())]);
    let problem = "not read any further: more than 268,435,456 steps to reorder nodes";
    assert_eq!(problems(&project).len(), 1);
    assert!(problems(&project)[0].ends_with(problem));
    // In later scenes, no node is moved, so the order of its synchronizers is not certain.
    assert_eq!(synchronizers(&project), None);
    assert_eq!(synchronizers(&quickly(&[("b.tscn".into(), SPAWNED.into())])), Some(1));
}

/// A scene that its own spawner spawns.
const SPAWNED: &str = "[gd_scene]\n[node name=\"B\" type=\"Node\"]\n\
    [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
    _spawnable_scenes = PackedStringArray(\"res://b.tscn\")\n\
    [node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n";

/// The same scene with instances of another one.
fn with_instances(count: usize, path: &str) -> String {
    let external = format!("\n[ext_resource type=\"PackedScene\" path=\"{path}\" id=\"1\"]\n");
    let mut text = SPAWNED.replacen('\n', &external, 1);
    for n in 0..count {
        writeln!(text, "[node name=\"n{n}\" parent=\".\" instance=ExtResource(\"1\")]").unwrap();
    }
    text
}

/// The number of synchronizers of that scene, if they are known.
fn synchronizers(project: &Project) -> Option<usize> {
    let NodeRole::Spawner(spawner) = project.node("B/Spawner").unwrap().role else { panic!() };
    let scene = project.spawner(spawner).scene(0).unwrap();
    Some(project.scene(scene).synchronizers()?.len())
}

#[test]
fn long_paths_in_many_instances_are_limited() {
    let sub = format!(
        "[gd_scene]\n[node name=\"S\" type=\"Node\"]\n\
         [node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
         root_path = NodePath(\"{}..\")\n",
        "./".repeat(500_000)
    );
    let scene = |count: usize| {
        let text = with_instances(count, "s.tscn");
        quickly(&[("b.tscn".into(), text), ("s.tscn".into(), sub.clone())])
    };
    assert_eq!(synchronizers(&scene(10)), Some(1));
    let project = scene(40);
    let problem = "more than 16 MiB of paths, or 16,777,216 names in them";
    assert!(problems(&project).iter().all(|it| it.ends_with(problem)), "{:?}", problems(&project));
    assert_eq!(synchronizers(&project), None);
}

#[test]
fn many_methods_made_remote_at_run_time_are_limited() {
    let mut text = String::from("extends Node\n");
    for n in 0..5_000 {
        writeln!(text, "func m{n}():\n\trpc_config(\"m{n}\", {{}})").unwrap();
    }
    let project = one("a.gd", text);
    let all: Vec<String> = (0..5_000).map(|n| format!("m{n}")).collect();
    let mut sorted: Vec<&str> = all.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    assert_eq!(named(&project, &crate::project::digest(&sorted)).unwrap().0, sorted);
    assert_eq!(named(&project, &crate::project::digest(&["m4999"])).unwrap().0, ["m4999"]);
    assert_eq!(project.list_of_digest(&crate::project::digest(&sorted[1..])), DigestMatch::Unknown);
}

#[test]
fn paths_out_of_the_folder_are_not_followed() {
    let scene = "[gd_scene]\n[ext_resource type=\"Script\" path=\"res://../../etc/passwd\" id=\"1\"]\n\
        [node name=\"A\" type=\"Node\"]\nscript = ExtResource(\"1\")\n";
    let project = project(&[
        ("../x.gd", "@rpc func a(): pass"),
        ("C:\\x.gd", ""),
        ("/a.gd", "extends \"/etc/passwd\""),
        ("b/b.gd", "extends \"../../x.gd\""),
        ("a.tscn", scene),
        ("a.gd", ""),
    ]);
    assert_eq!(
        problems(&project),
        [
            "../x.gd: ../x.gd is not a path in the project's folder",
            "C:\\\\x.gd: C:\\\\x.gd is not a path in the project's folder",
            "a.gd: the file was given twice; the first one is used",
            "a.gd:1: /etc/passwd is not a path in the project's folder",
            "b/b.gd:1: ../../x.gd is not a path in the project's folder",
            "a.tscn:2: res://../../etc/passwd is not a path in the project's folder",
        ]
    );
}

#[test]
fn problems_are_short_and_in_one_line() {
    let long = "x\u{1b}[31m\n".repeat(10_000);
    let project = project(&[("a.gd", &format!("extends \"{long}\""))]);
    let problem = &problems(&project)[0];
    assert!(problem.len() < 700 && !problem.contains(['\n', '\u{1b}']), "{problem}");
}

/// Every prefix of each file of the recorded project.
#[test]
fn cut_files_do_no_harm() {
    let files = crate::project::arena::files();
    for (cut, (_, content)) in files.iter().enumerate() {
        for length in (0..content.len()).step_by(31) {
            let some = files.iter().enumerate().map(|(n, (path, content))| {
                (path, if n == cut { &content[..length] } else { content })
            });
            let project = Project::from_files(some);
            // Every name that is found is in the files.
            for node in ["Main", "Main/World", "Main/Chat", "Main/World/Spawner"] {
                drop(
                    project
                        .node(node)
                        .and_then(|node| node.list)
                        .map(|list| format!("{:?}", project.list(list))),
                );
            }
        }
    }
}

/// Pieces that meet the rules of the files' grammars in any order.
const PIECES: [&str; 64] = [
    "@rpc",
    "(",
    ")",
    "\"any_peer\"",
    ",",
    "\n",
    "\t",
    " ",
    "func ",
    "a",
    "b",
    ":",
    "class ",
    "class_name ",
    "extends ",
    "\"a.gd\"",
    ".",
    "static ",
    "#",
    "\\\n",
    "\"\"\"",
    "'",
    "r\"",
    "rpc_config(\"a\")",
    ";",
    "[",
    "]",
    "{",
    "}",
    "namespace ",
    "partial ",
    "[Rpc]",
    "public void A()",
    "RpcConfig(nameof(A))",
    "$\"{",
    "@\"",
    "//",
    "/*",
    "*/",
    "<",
    ">",
    "=",
    "=>",
    "[gd_scene format=3]\n",
    "[ext_resource type=\"Script\" path=\"res://a.gd\" id=\"1\"]\n",
    "[ext_resource type=\"PackedScene\" path=\"res://a.tscn\" id=\"2\"]\n",
    "[ext_resource type=\"PackedScene\" path=\"res://b.tscn\" id=\"3\"]\n",
    "[node name=\"A\" type=\"Node\"]\n",
    "[node name=\"B\" parent=\".\" instance=ExtResource(\"3\")]\n",
    "[node name=\"A\" instance=ExtResource(\"2\")]\n",
    "[node name=\"B\" parent=\"B\" index=\"0\"]\n",
    "[node name=\"C\" type=\"MultiplayerSpawner\" parent=\".\"]\n",
    "[node name=\"D\" type=\"MultiplayerSynchronizer\" parent=\"B\"]\n",
    "script = ExtResource(\"1\")\n",
    "spawn_path = NodePath(\"%C/..\")\n",
    "_spawnable_scenes = PackedStringArray(\"res://a.tscn\")\n",
    "unique_name_in_owner = true\n",
    "root_path = NodePath(\"../..\")\n",
    "replication_config = SubResource(\"x\")\n",
    "[sub_resource type=\"SceneReplicationConfig\" id=\"x\"]\n",
    "properties/0/path = NodePath(\".:a\")\n",
    "properties/0/watch = true\n",
    "[resource]\n",
    "uid://x",
];

/// Uses what a project has.
fn visit(project: &Project) {
    for path in ["A", "A/B", "A/B/D", "A/C", "B/C", "A/B/B", "/root/A", ""] {
        let Some(node) = project.node(path) else { continue };
        if let Some(list) = node.list {
            let list = project.list(list);
            let _ = (format!("{list:?}"), list.rpc_config(0), list.script(), list.name(0, true));
        }
        match node.role {
            NodeRole::Spawner(spawner) => {
                let spawner = project.spawner(spawner);
                let _ = (spawner.spawn_path(), format!("{spawner:?}"));
                if let Some(scene) = spawner.scene(0) {
                    let found = project.scene(scene).synchronizers();
                    for found in found.into_iter().flatten() {
                        let node = project.node_in(scene, found.path).unwrap();
                        assert_eq!(node.role, NodeRole::Synchronizer(found.config));
                    }
                }
            }
            NodeRole::Synchronizer(Some(config)) => drop(format!("{:?}", project.config(config))),
            _ => {}
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(content in vec(any::<u8>(), 0..200), file in 0_usize..6) {
        let path = ["a.gd", "A.cs", "a.tscn", "a.tres", "project.godot", "a.gd.uid"][file];
        visit(&Project::from_files([(path, content)]));
    }

    #[test]
    fn any_pieces_are_read(files in vec((0_usize..8, vec(0..PIECES.len(), 0..60)), 1..5)) {
        let files = files.iter().map(|(path, pieces)| {
            let path = ["a.gd", "b.gd", "A.cs", "B.cs", "a.tscn", "b.tscn", "a.tres", "project.godot"][*path];
            (path, pieces.iter().map(|piece| PIECES[*piece]).collect::<String>())
        });
        visit(&Project::from_files(files));
    }
}
