//! The properties that synchronizers send, with the kinds that scripts and the engine declare for
//! them.

use super::files::ProjectFiles;
use super::ids::{ConfigId, NameId, index, number};
use super::limits;
use super::lists::{CHAIN, Lists};
use super::scene::{ReplicationConfig, ReplicationMode};
use super::script::ClassId;
use super::script::engine::kind_of_property;
use super::tree::{NodeId, NodeScript, Tree, TreeRole};
use crate::value::Kind;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::time::Duration;

/// The name of a property, and its kind if that is declared.
pub(super) type Declared = (NameId, Option<Kind>);

/// The kinds of the properties of a configuration, in the order of the file.
type Declarations = Box<[Option<Kind>]>;

/// The properties of a synchronizer, by the packets in which they are sent.
#[derive(Debug)]
pub(super) struct SentProperties {
    /// The path of the file that has them, `res://…`.
    pub(super) file: NameId,
    pub(super) spawn: Box<[Declared]>,
    pub(super) sync: Box<[Declared]>,
    pub(super) watched: Box<[Declared]>,
    /// The intervals of syncs and of deltas.
    pub(super) intervals: [Duration; 2],
}

/// Finds the properties of all synchronizers, and notes them in the tree. Synchronizers whose
/// properties have the same names, kinds and intervals share them.
pub(super) fn resolve_properties(
    tree: &mut Tree,
    files: &ProjectFiles,
    lists: &Lists,
) -> Vec<SentProperties> {
    let mut kinds =
        KindFinder { tree, files, lists, engine: BTreeMap::new(), steps: limits::STEPS };
    let mut known: BTreeMap<(u32, Declarations, [Duration; 2]), ConfigId> = BTreeMap::new();
    let mut configs = Vec::new();
    let mut found = Vec::new();
    for id in 0..kinds.tree.next() {
        let Some(node) = kinds.tree.node(id) else { break };
        let TreeRole::Synchronizer { data, .. } = node.role else { continue };
        let Some(data) = kinds.tree.synchronizers.get(index(data)) else { continue };
        let Some(raw) = data.config else { continue };
        let Some(config) = files.resources.configs.get(index(raw)) else { continue };
        let root = files.names.text(data.root_path);
        let of_config = kinds.of_config(id, root, config);
        let key = (raw, of_config, data.intervals);
        let config = *known.entry(key).or_insert_with_key(|(_, kinds, intervals)| {
            configs.push(properties(config, kinds, *intervals));
            ConfigId(number(configs.len() - 1))
        });
        found.push((id, config));
    }
    for (id, found) in found {
        if let Some(node) = tree.nodes.get_mut(index(id))
            && let TreeRole::Synchronizer { config, .. } = &mut node.role
        {
            *config = Some(found);
        }
    }
    configs
}

fn properties(
    config: &ReplicationConfig,
    kinds: &[Option<Kind>],
    intervals: [Duration; 2],
) -> SentProperties {
    let all = || config.properties.iter().zip(kinds);
    let of_mode = |mode| {
        let with_mode = all().filter(|(property, _)| property.mode == mode);
        with_mode.map(|(property, kind)| (property.name, *kind)).collect()
    };
    let spawned = all().filter(|(property, _)| property.is_spawned);
    SentProperties {
        file: config.file,
        spawn: spawned.map(|(property, kind)| (property.name, *kind)).collect(),
        sync: of_mode(ReplicationMode::Always),
        watched: of_mode(ReplicationMode::OnChange),
        intervals,
    }
}

/// Finds the kinds of properties.
struct KindFinder<'k> {
    tree: &'k Tree,
    files: &'k ProjectFiles,
    lists: &'k Lists,
    /// The kinds of properties of the engine's classes.
    engine: BTreeMap<(NameId, NameId), Option<Kind>>,
    /// How many more steps may be taken. Without any, no further kinds are found.
    steps: usize,
}

impl KindFinder<'_> {
    /// The kinds of the properties of a synchronizer, whose root has the path `root`.
    fn of_config(&mut self, id: NodeId, root: &str, config: &ReplicationConfig) -> Declarations {
        let root = self.tree.resolve(id, root, &self.files.names, &mut self.steps);
        let kind = |path| {
            self.steps = self.steps.checked_sub(1)?;
            let (node, property) = self.files.names.text(path).split_once(':')?;
            let node = match node {
                "" | "." => root?,
                node => self.tree.resolve(root?, node, &self.files.names, &mut self.steps)?,
            };
            match property.split_once(':') {
                Some((whole, part)) => part_of(self.of_node(node, whole)?, part),
                None => self.of_node(node, property),
            }
        };
        config.properties.iter().map(|property| property.path).map(kind).collect()
    }

    /// The kind of a property of a node. None also for a property that the node does not have. The
    /// engine does not send it, nor the sync or the spawn that would have it; but then the scene is of
    /// another version of the game than the script, and the recorded one may have the property.
    fn of_node(&mut self, node: NodeId, property: &str) -> Option<Kind> {
        let node = self.tree.node(node)?;
        let name = self.files.names.get(property)?;
        if let NodeScript::Class(class) = node.script
            && let Some(declared) = self.of_script(class, name)
        {
            return declared;
        }
        let class = node.class?;
        *self
            .engine
            .entry((class, name))
            .or_insert_with(|| kind_of_property(self.files.names.text(class), property))
    }

    /// The kind that a script, or one that it extends, declares for a variable. None if no script
    /// has it, `Some(None)` if it may have any kind.
    fn of_script(&mut self, class: ClassId, name: NameId) -> Option<Option<Kind>> {
        let scripts = &self.files.resources.scripts;
        // A script with this function decides at run time.
        let get = self.files.names.get("_get");
        let mut chain = self.lists.chain(class);
        for class in chain.by_ref().take(CHAIN) {
            let Some(steps) = self.steps.checked_sub(1) else { return Some(None) };
            self.steps = steps;
            if let Some(kind) = scripts.variables.get(&(class, name)) {
                return Some(*kind);
            }
            let functions = scripts.class(class).map_or(&[][..], |class| &class.functions);
            self.steps = self.steps.saturating_sub(functions.len());
            if get.is_some_and(|get| functions.iter().any(|(name, _)| *name == get)) {
                return Some(None);
            }
        }
        chain.next().map(|_| None)
    }
}

/// The kind of a component of a vector or colour; none for anything else.
fn part_of(whole: Kind, part: &str) -> Option<Kind> {
    let (parts, kind) = match whole {
        Kind::Vector2 => ("xy", Kind::Float),
        Kind::Vector3 => ("xyz", Kind::Float),
        Kind::Vector4 | Kind::Quaternion => ("xyzw", Kind::Float),
        Kind::Vector2i => ("xy", Kind::Int),
        Kind::Vector3i => ("xyz", Kind::Int),
        Kind::Vector4i => ("xyzw", Kind::Int),
        Kind::Color => ("rgba", Kind::Float),
        _ => return None,
    };
    (part.len() == 1 && parts.contains(part)).then_some(kind)
}
