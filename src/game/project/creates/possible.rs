//! The scenes of which scripts may create instances at run time.

use crate::game::project::files::{Files, Target};
use crate::game::project::ids::{SceneId, index};
use crate::game::project::names::NameId;
use crate::game::project::tree::Tree;
use alloc::vec;
use alloc::vec::Vec;

/// How many comparisons of scenes with parts of paths are made.
const STEPS: usize = 1 << 22;

/// What scripts may do at run time.
#[derive(Debug, Default)]
pub(crate) struct Possible {
    /// For each scene, whether an instance of it may be created.
    pub(crate) created: Vec<bool>,
    pub(crate) makes_synchronizers: bool,
    pub(crate) changes_properties: bool,
}

pub(crate) fn possible(
    files: &Files,
    tree: &Tree,
    main: Option<SceneId>,
    autoloads: &[(NameId, Target)],
) -> Possible {
    let (sources, mentions) = (&files.resources.scripts.sources, &files.resources.scripts.mentions);
    let effects = sources.effects;
    let is_unclear = files.has_unread
        || files.resources.scripts.classes.iter().any(|class| class.is_damaged)
        || (effects.computes_paths && effects.reads_paths);
    let mut created = vec![is_unclear; tree.scenes.len()];
    let mut mark = |scene: u32| {
        if let Some(created) = created.get_mut(index(scene)) {
            *created = true;
        }
    };
    main.iter().for_each(|SceneId(scene)| mark(*scene));
    for (_, target) in autoloads {
        if let Target::Scene(scene) = target {
            mark(*scene);
        }
    }
    for (_, scene) in tree.spawnable.iter().flatten() {
        scene.iter().for_each(|SceneId(scene)| mark(*scene));
    }
    let mut parts = Vec::new();
    for (file, path) in &sources.paths {
        match files.find(files.names.text(*file), files.names.text(*path)) {
            Ok(Target::Scene(scene)) => mark(scene),
            Ok(_) => {}
            Err(_) => parts.push(files.names.text(*path)),
        }
    }
    if effects.computes_paths && !effects.reads_paths {
        parts.sort_unstable();
        parts.dedup();
        of_parts(&parts, files, tree, &mut created);
    }
    let is_named = |class| files.names.get(class).is_some_and(|it| mentions.names.contains(&it));
    let loads_resources = || parts_of(files).any(|path| path.ends_with(".tres"));
    let has_config = || is_named("SceneReplicationConfig") || loads_resources();
    Possible {
        created,
        makes_synchronizers: effects.makes_synchronizers
            || is_named("MultiplayerSynchronizer")
            || makes_scripted(files),
        changes_properties: effects.changes_properties
            || is_named("SceneReplicationConfig")
            || (effects.adds_properties && has_config()),
    }
}

/// The paths, and parts of paths, in scripts and resources.
fn parts_of(files: &Files) -> impl Iterator<Item = &str> {
    files.resources.scripts.sources.paths.iter().map(|(_, path)| files.names.text(*path))
}

/// Marks the scenes whose paths may be put together from parts.
fn of_parts(parts: &[&str], files: &Files, tree: &Tree, created: &mut [bool]) {
    let mut left = STEPS;
    for (scene, created) in tree.scenes.iter().zip(created) {
        let path = files.names.text(scene.path);
        *created = *created
            || parts.iter().any(|part| {
                left = left.saturating_sub(1);
                left == 0 || has_part(path, part)
            });
    }
}

/// Whether a path may be made from a string such as `res://levels/%s.tscn`.
fn has_part(path: &str, part: &str) -> bool {
    let start = part.split(['%', '{']).next().unwrap_or("");
    let end = part.rsplit(['%', '{', '}']).next().unwrap_or("");
    match part.starts_with("res://") {
        true => path.starts_with(start),
        false => path.ends_with(end.trim_start_matches(['s', 'd'])),
    }
}

/// Whether a script may create a synchronizer that has a script.
fn makes_scripted(files: &Files) -> bool {
    use crate::game::project::script::Extends;
    let scripts = &files.resources.scripts;
    let Some(name) = files.names.get("MultiplayerSynchronizer") else { return false };
    let mut extending = scripts.classes.iter().zip(0..).filter(
        |(class, _)| matches!(&class.extends, Extends::Names(names) if names.as_slice() == [name]),
    );
    extending.any(|(class, id)| {
        class.name.is_none_or(|name| scripts.mentions.names.contains(&name))
            || scripts.mentions.selves.contains(&id)
            || scripts.mentions.gives_any
    })
}
