//! Tests the facts about the nodes of a project if any one line of its files is missing:
//! `changed.txt`.
//!
//! The first lines are those of the whole project. Then comes each line of a file that means something:
//! without it, the lines below it are different, or gone.

use crate::common::{corpus, written_down};
use gdwire::project::{Config, NodeRole, Project, ProjectNode, Property};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

type Said = BTreeMap<String, String>;

pub(crate) fn files_in(folder: &Path, within: &Path, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_in(&path, within, files);
        } else {
            let name = path.strip_prefix(within).unwrap().to_str().unwrap().replace('\\', "/");
            files.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    files.sort();
}

fn properties<'p>(of: impl Iterator<Item = Property<'p>>) -> String {
    let shown = of.map(|it| match it.kind {
        Some(kind) => format!("{}: {kind}", it.name),
        None => it.name.to_owned(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn config(config: &Config<'_>) -> String {
    let sent =
        [properties(config.spawn()), properties(config.sync()), properties(config.watched())];
    let intervals = [config.interval(), config.delta_interval()];
    format!("spawns {}; sends {}; watches {}; {intervals:?}", sent[0], sent[1], sent[2])
}

/// Notes a node, and the scenes that it spawns.
fn note(project: &Project, path: &str, node: ProjectNode, said: &mut Said) {
    let mut methods = Vec::new();
    if let Some(list) = node.list.map(|list| project.list(list)) {
        for (is_own, count) in [(false, list.len(false)), (true, list.len(true))] {
            for index in 0..count as u16 {
                let name = list.name(index, is_own).unwrap();
                assert!(list.find(name).is_some());
                let config = list.rpc_config(index).filter(|_| !is_own);
                let config = config.map(|it| {
                    format!("{} {} {:?} {:?}", it.any_peer, it.call_local, it.transfer, it.channel)
                });
                methods.push(format!(
                    "{name} {} {:?}",
                    config.unwrap_or_default(),
                    list.parameters(index)
                ));
            }
        }
        said.insert(format!("{path} digest"), list.digest());
    }
    said.insert(format!("{path} methods"), methods.join("; "));
    match node.role {
        NodeRole::Spawner(spawner) => {
            let spawner = project.spawner(spawner);
            assert_eq!(spawner.is_empty(), spawner.scene_path(0).is_none());
            said.insert(format!("{path} spawns at"), format!("{:?}", spawner.spawn_path()));
            for number in 0..spawner.len() as u8 {
                let scene = spawner.scene_path(number).unwrap();
                said.insert(format!("{path} scene {number}"), scene.to_owned());
                let Some(id) = spawner.scene(number) else { continue };
                if said.contains_key(scene) {
                    continue;
                }
                let of = project.scene(id);
                said.insert(scene.to_owned(), format!("{:?}", of.root_name()));
                for part in of.synchronizers().into_iter().flatten() {
                    let config = part.config.map(|id| config(&project.config(id)));
                    said.insert(format!("{scene} {}", part.path), config.unwrap_or_default());
                }
                for relative in ["", "Turret", "Weapon", "Extra"] {
                    if let Some(node) = project.node_in(id, relative) {
                        note(project, &format!("{scene}/{relative}"), node, said);
                    }
                }
            }
        }
        NodeRole::Synchronizer(id) => {
            let config = id.map(|id| config(&project.config(id)));
            said.insert(format!("{path} synchronizes"), config.unwrap_or_default());
        }
        _ => {}
    }
}

fn said(files: &[(String, String)]) -> Said {
    let project = Project::from_files(files.iter().map(|(name, text)| (name, text)));
    let mut said = Said::new();
    let field = "Main/Levels/Field";
    for path in [
        "Main",
        "Main/World",
        "Main/World/Spawner",
        "Main/World/Custom",
        "Main/Chat",
        "Net",
        field,
        "Main/Levels",
        "Main/Levels/Field/Effects5/Spawner",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain(["Pickups1", "Traps7", "Mobs9"].map(|name| format!("{field}/{name}Spawner")))
    {
        if let Some(node) = project.node(&path) {
            note(&project, &path, node, &mut said);
        }
    }
    let lists = project.lists_in_use().map(|list| {
        list.map_or("unknown".to_owned(), |list| format!("{:?}", project.list(list).script()))
    });
    said.insert("lists".to_owned(), lists.collect::<Vec<_>>().join(", "));
    for (number, problem) in project.problems().iter().enumerate() {
        said.insert(format!("problem {number}"), problem.to_string());
    }
    said
}

#[test]
fn each_line_of_a_project_means_what_is_written_down() {
    let mut text = String::new();
    for name in ["arena", "made"] {
        let folder = corpus("project").join(name);
        let mut files = Vec::new();
        files_in(&folder, &folder, &mut files);
        let whole = said(&files);
        writeln!(text, "# {name}").unwrap();
        whole.iter().for_each(|(key, value)| writeln!(text, "{key}: {value}").unwrap());
        for file in 0..files.len() {
            let before = files[file].1.clone();
            let lines: Vec<_> = before.lines().collect();
            for missing in 0..lines.len() {
                if lines[missing].trim().is_empty() {
                    continue;
                }
                let rest: Vec<_> = [&lines[..missing], &lines[missing + 1..]].concat();
                files[file].1 = rest.join("\n");
                let found = said(&files);
                let differs = whole
                    .keys()
                    .chain(found.keys())
                    .filter(|key| whole.get(*key) != found.get(*key));
                let differs: std::collections::BTreeSet<_> = differs.collect();
                if !differs.is_empty() {
                    writeln!(text, "{}: {}", files[file].0, lines[missing].trim()).unwrap();
                }
                for key in differs {
                    let value = found.get(key).map_or("gone", |value| value);
                    writeln!(text, "  {key}: {value}").unwrap();
                }
            }
            files[file].1 = before;
        }
    }
    written_down("tests/project/changed.txt", &text);
}
