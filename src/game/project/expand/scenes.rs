//! Puts all scenes together, each after those that it needs.

use super::builder::{Builder, Room};
use crate::game::project::files::{Files, Target};
use crate::game::project::ids::{SceneId, index, number};
use crate::game::project::limits;
use crate::game::project::problems::ProblemKind;
use crate::game::project::resource::scene::{FileNode, FileNodeKind, SceneFile, Source};
use crate::game::project::tree::{SceneTree, Tree};
use alloc::format;
use alloc::vec::Vec;

/// The progress of a scene.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Puts all scenes together, each after those that it needs.
pub(crate) fn expand(files: &mut Files, first: Option<SceneId>) -> Tree {
    let scenes = core::mem::take(&mut files.scenes);
    let mut tree = Tree::default();
    for scene in &scenes {
        let path = format!("res://{}", files.names.text(scene.file));
        let path = files.names.add(&path);
        tree.scenes.push(SceneTree { path, root: None, end: 0, synchronizers: None });
    }
    let targets: Vec<Vec<Target>> = scenes.iter().map(|scene| targets(files, scene)).collect();
    let mut states = alloc::vec![State::New; scenes.len()];
    let mut room =
        Room { moves: limits::MOVES, steps: limits::STEPS, path_bytes: limits::PATH_BYTES };
    // The main scene is expanded first, so a limit affects the other scenes.
    let first = first.map(|SceneId(scene)| scene);
    for scene in first.into_iter().chain(0..number(scenes.len())) {
        let mut open = Vec::from([(scene, 0_usize)]);
        while let Some((scene, next)) = open.pop() {
            let (Some(file), Some(targets)) = (scenes.get(index(scene)), targets.get(index(scene)))
            else {
                continue;
            };
            let Some(state) = states.get_mut(index(scene)) else { continue };
            if *state == State::Done {
                continue;
            }
            *state = State::Open;
            let rest = file.nodes.iter().enumerate().skip(next);
            let mut needed = rest.filter_map(|(place, node)| {
                Some((place + 1, node.line, instanced(node, targets)?))
            });
            let missing =
                needed.find(|(_, _, other)| states.get(index(*other)) != Some(&State::Done));
            match missing {
                Some((next, line, other)) => {
                    open.push((scene, next));
                    if states.get(index(other)) == Some(&State::Open) {
                        let path = files.names.text(file.file);
                        files.problems.add(path, line, ProblemKind::Circular);
                    } else {
                        open.push((other, 0));
                    }
                }
                None => {
                    Builder::new(files, &mut tree, &mut room, file, targets).build(scene);
                    if let Some(state) = states.get_mut(index(scene)) {
                        *state = State::Done;
                    }
                }
            }
        }
    }
    tree
}

/// The targets of a scene's references. A reference is only followed if a node uses it, and only
/// once.
fn targets(files: &mut Files, scene: &SceneFile) -> Vec<Target> {
    let mut targets = alloc::vec![None; scene.references.len()];
    for node in &scene.nodes {
        let instance = match node.kind {
            FileNodeKind::Instance(source) => Some(source),
            _ => None,
        };
        for source in [instance, node.script, node.config].into_iter().flatten() {
            if let Source::File(place) = source
                && let (Some(target @ None), Some(reference)) =
                    (targets.get_mut(place), scene.references.get(place))
            {
                *target = Some(files.follow(scene.file, *reference));
            }
        }
    }
    targets.into_iter().map(|target| target.unwrap_or(Target::Unknown)).collect()
}

/// The scene that a node instances.
fn instanced(node: &FileNode, targets: &[Target]) -> Option<u32> {
    match node.kind {
        FileNodeKind::Instance(Source::File(place)) => match targets.get(place) {
            Some(Target::Scene(scene)) => Some(*scene),
            _ => None,
        },
        _ => None,
    }
}
