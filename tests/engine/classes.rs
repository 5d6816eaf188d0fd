//! The classes of the engine that scripts can extend are known, and the kinds of their properties.

use crate::common::{Godot, engine_file};
use gdwire::project::{NodeRole, Project};
use std::process::Command;

#[test]
fn the_classes_of_the_engine_are_known() {
    let Some(engine) = Godot::V4.find() else { return };
    let mut command = Command::new(engine);
    command.arg("--headless").arg("--script").arg(engine_file("classes.gd"));
    let output = command.output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    let (mut counts, mut properties) = ([0, 0], 0);
    for line in output.lines() {
        let mut words = line.split(' ');
        let Some(kind @ ("node" | "other")) = words.next() else { continue };
        let class = words.next().unwrap();
        let script = format!("extends {class}\n@rpc func call_me(): pass\n");
        let (names, kinds): (Vec<_>, Vec<_>) =
            words.filter_map(|word| word.split_once(':')).map(|(kind, name)| (name, kind)).unzip();
        let scene = scene(class, &names);
        let settings = "[application]\nrun/main_scene=\"res://main.tscn\"\n";
        let files = [("main.gd", &*script), ("main.tscn", &scene), ("project.godot", settings)];
        let project = Project::from_files(files);
        assert_eq!(project.problems(), [], "{class}");
        let list = project.node("Main").and_then(|node| node.list).unwrap();
        assert_eq!(project.list(list).len(false) == 1, kind == "node", "{class}");
        counts[usize::from(kind == "node")] += 1;
        let config = match project.node("Main/Sync").map(|node| node.role) {
            Some(NodeRole::Synchronizer(config)) => config,
            _ => None,
        };
        let known = config.into_iter().flat_map(|config| project.config(config).spawn());
        for (property, kind) in known.zip(kinds) {
            properties += 1;
            let known = property.kind.map_or("", |kind| kind.name());
            // Objects and callables are not sent, and the type of some depends on the version.
            let is_open = ["Object", "Nil", "Callable", "RID", "StringName"].contains(&kind)
                || property.name.ends_with("_spawnable_scenes");
            assert!(known == kind || known.is_empty() && is_open, "{class}: {property:?}, {kind}");
        }
    }
    assert!(counts[0] > 500 && counts[1] > 150 && properties > 10_000, "{counts:?}: {output}");
}

/// A scene with a node of a class and a synchronizer of all its properties.
fn scene(class: &str, properties: &[&str]) -> String {
    let config: String = properties
        .iter()
        .enumerate()
        .map(|(index, name)| {
            format!(
                "properties/{index}/path = NodePath(\".:{name}\")\n\
                 properties/{index}/spawn = true\nproperties/{index}/replication_mode = 1\n"
            )
        })
        .collect();
    format!(
        "[gd_scene format=3]\n\
         [ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n\
         [sub_resource type=\"SceneReplicationConfig\" id=\"config\"]\n{config}\
         [node name=\"Main\" type=\"{class}\"]\nscript = ExtResource(\"1\")\n\
         [node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
         replication_config = SubResource(\"config\")\n"
    )
}
