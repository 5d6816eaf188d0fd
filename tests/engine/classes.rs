//! The classes of the engine that scripts can extend are known.

use crate::common::{Godot, engine_file};
use gdwire::project::Project;
use std::process::Command;

#[test]
fn the_classes_of_the_engine_are_known() {
    let Some(engine) = Godot::V4.find() else { return };
    let mut command = Command::new(engine);
    command.arg("--headless").arg("--script").arg(engine_file("classes.gd"));
    let output = command.output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    let mut counts = [0, 0];
    for line in output.lines() {
        let Some((kind @ ("node" | "other"), class)) = line.split_once(' ') else { continue };
        let script = format!("extends {class}\n@rpc func call_me(): pass\n");
        let scene = "[gd_scene format=3]\n\
            [ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n\
            [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n";
        let settings = "[application]\nrun/main_scene=\"res://main.tscn\"\n";
        let files = [("main.gd", &*script), ("main.tscn", scene), ("project.godot", settings)];
        let project = Project::from_files(files);
        assert_eq!(project.problems(), [], "{class}");
        let list = project.node("Main").and_then(|node| node.list).unwrap();
        assert_eq!(project.list(list).len(false) == 1, kind == "node", "{class}");
        counts[usize::from(kind == "node")] += 1;
    }
    assert!(counts[0] > 500 && counts[1] > 150, "{counts:?}: {output}");
}
