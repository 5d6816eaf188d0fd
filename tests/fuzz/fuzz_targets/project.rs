//! Projects: any files are read without a panic, and the nodes that are found can be looked up.

#![no_main]

use gdwire::project::{NodeRole, Project};
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 8] =
    ["a.gd", "b.gd", "A.cs", "B.cs", "main.tscn", "b.tscn", "a.tres", "project.godot"];

fuzz_target!(|input: &[u8]| {
    // The input is a sequence of files: a byte that chooses the name, the text, and a zero byte.
    let files = input.split(|byte| *byte == 0).filter_map(|file| {
        let (name, text) = file.split_first()?;
        Some((PATHS[usize::from(*name) % PATHS.len()], text))
    });
    let project = Project::from_files(files);
    for problem in project.problems() {
        assert!(!problem.to_string().contains('\n'));
    }
    for path in
        ["Main", "A", "Main/World/Spawner", "Main/World/Custom", "Player/Sync", "A/A", "A/B"]
    {
        let Some(node) = project.node(path) else { continue };
        if let Some(list) = node.list.map(|list| project.list(list)) {
            let mut names = (0..).map_while(|index| list.name(index, false));
            let mut last = "";
            assert!(names.all(|name| core::mem::replace(&mut last, name) < name));
        }
        let NodeRole::Spawner(spawner) = node.role else { continue };
        let Some(scene) = project.spawner(spawner).scene(0) else { continue };
        for found in project.scene(scene).synchronizers().into_iter().flatten() {
            let node = project.node_in(scene, found.path).expect("the scene has this node");
            assert_eq!(node.role, NodeRole::Synchronizer(found.config));
        }
    }
});
