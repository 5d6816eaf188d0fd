//! The scripts that nodes of the game may have.

use super::files::{Files, Target};
use super::ids::index;
use super::names::NameId;
use super::script::{ClassId, Language};
use super::tree::{NodeScript, Tree};
use alloc::vec::Vec;

/// The scripts that nodes of the game may have.
#[derive(Debug, Default)]
pub(super) struct InUse {
    /// The classes, sorted.
    pub(super) classes: Vec<ClassId>,
    /// Whether nodes may have other scripts, which could not be read.
    pub(super) has_others: bool,
}

/// Finds the scripts that are attached to nodes of scenes, that are autoloads, or that other
/// scripts and resources mention other than as a base class or a type. All scripts are meant if
/// nodes get scripts whose paths are not known. Classes of C# and nested classes always belong to
/// them.
pub(super) fn in_use(files: &Files, tree: &Tree, autoloads: &[(NameId, Target)]) -> InUse {
    let scripts = &files.resources.scripts;
    let mentions = &scripts.mentions;
    let mut found = InUse::default();
    let is_any = mentions.loads_any && mentions.gives_any;
    for (class, id) in scripts.classes.iter().zip(0..) {
        let by_name = class.name.is_some_and(|name| mentions.names.contains(&name));
        if is_any || by_name || class.outer.is_some() || class.language != Language::Gdscript {
            found.classes.push(id);
        }
    }
    found.classes.extend(&mentions.selves);
    for (file, path) in &mentions.paths {
        let target = files.find(files.names.text(*file), files.names.text(*path));
        if let Ok(Target::Script(class)) = target {
            found.classes.push(class);
        }
    }
    let of_nodes = tree.nodes.iter().map(|node| node.script);
    let of_autoloads = autoloads.iter().map(|(_, target)| match target {
        Target::Script(class) => NodeScript::Class(*class),
        Target::Unknown | Target::Config(_) => NodeScript::Unknown,
        Target::Scene(_) | Target::Model => NodeScript::Nothing,
    });
    let mut is_in = alloc::vec![false; scripts.classes.len()];
    for script in of_nodes.chain(of_autoloads) {
        match script {
            NodeScript::Class(class) => {
                if let Some(is_in) = is_in.get_mut(index(class)) {
                    *is_in = true;
                }
            }
            NodeScript::Unknown => found.has_others = true,
            NodeScript::Nothing => {}
        }
    }
    found.classes.extend((0..).zip(is_in).filter(|(_, is_in)| *is_in).map(|(class, _)| class));
    found.classes.sort_unstable();
    found.classes.dedup();
    found
}
