//! Finds the scenes that scripts add to the lists of spawners, with `add_spawnable_scene`, in their order.

use super::evaluate::Evaluator;
use super::value::{Closure, Traced};
use super::{Code, MemberReader, ReadMembers, STEPS, STEPS_OF_FUNCTION};
use crate::game::project::files::FileTarget;
use crate::game::project::ids::{NameId, SceneId, SpawnerId};
use crate::game::project::script::ClassId;
use crate::game::project::script::syntax::Expr;
use crate::game::project::tree::{NodeId, Tree, TreeRole};
use alloc::collections::btree_map::Entry;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::vec::Vec;

/// How a function changes a list: the scenes that it adds, in their order, and `None` where it removes all.
/// None if that is not certain.
type ListChange = Option<Vec<Option<SceneId>>>;

/// What a function changes of the lists of spawners while it is followed.
pub(super) struct ListChanges<'c> {
    pub(super) tree: &'c Tree,
    /// The values that it has assigned to variables of objects.
    pub(super) members: BTreeMap<(ClassId, NameId), Traced<'c>>,
    /// How many parts are being followed that may not run.
    pub(super) doubts: isize,
    of_nodes: BTreeMap<NodeId, ListChange>,
    /// The calls that were found.
    calls: BTreeSet<*const Expr>,
    /// Whether the list of any spawner may be changed otherwise.
    is_partial: bool,
}

impl<'c> ListChanges<'c> {
    /// The methods that change lists.
    pub(super) const METHODS: &'static str =
        "add_spawnable_scene clear_spawnable_scenes AddSpawnableScene ClearSpawnableScenes";

    const fn new(tree: &'c Tree) -> ListChanges<'c> {
        ListChanges {
            tree,
            members: BTreeMap::new(),
            doubts: 0,
            of_nodes: BTreeMap::new(),
            calls: BTreeSet::new(),
            is_partial: false,
        }
    }

    /// Notes that the function may have ended. If it had not changed any list, it does not matter: a list
    /// without these scenes spawns none of them.
    pub(super) fn may_end(&mut self) {
        self.doubts += isize::from(!self.of_nodes.is_empty());
    }

    /// Notes a call. Without an argument, it removes all scenes. A spawner that a script `is_made` is in no
    /// scene.
    pub(super) fn note(
        &mut self,
        call: &Expr,
        spawner: Option<NodeId>,
        is_made: bool,
        argument: Option<Traced<'_>>,
    ) {
        self.calls.insert(call);
        let Some(spawner) = spawner else {
            self.is_partial |= !is_made;
            return;
        };
        let change = match argument {
            None => Some(None),
            Some(Traced::Scene(scene)) => Some(Some(scene)),
            Some(_) => None,
        };
        let list = self.of_nodes.entry(spawner).or_insert_with(|| Some(Vec::new()));
        match (list.as_mut(), change) {
            (Some(list), Some(change)) if self.doubts == 0 => list.push(change),
            _ => *list = None,
        }
    }
}

/// Finds how scripts change the lists of spawners. Empty if a place that does so is not understood.
pub(crate) fn listed(
    reader: &mut MemberReader<'_>,
    autoloads: &[(NameId, FileTarget)],
) -> BTreeMap<SpawnerId, Vec<Option<SceneId>>> {
    let sources = &mut reader.files.resources.scripts.sources;
    let listing = core::mem::take(&mut sources.listing);
    let mut of_nodes: BTreeMap<NodeId, ListChange> = BTreeMap::new();
    let mut left = STEPS;
    let mut program = match listing.functions.is_empty() || listing.elsewhere {
        true => return BTreeMap::new(),
        false => reader.program(autoloads),
    };
    for ((class, name), count) in listing.functions {
        // A class also stands for its autoload, which is in no scene.
        let is_autoload = program.autoloads.values().any(|autoload| *autoload == Some(class));
        let mut objects: Vec<_> = reader.nodes_of(class).map(Some).collect();
        if is_autoload || objects.is_empty() {
            objects = Vec::from([None]);
        }
        reader.read_into(&mut program, [(class, name)]);
        for object in objects {
            let Some(changes) = followed(reader, &mut program, (class, name), object, &mut left)
                .filter(|it| it.0 >= count)
            else {
                return BTreeMap::new();
            };
            for (node, change) in changes.1 {
                match of_nodes.entry(node) {
                    Entry::Vacant(entry) => drop(entry.insert(change)),
                    // Which function runs first is not known.
                    Entry::Occupied(mut entry) => drop(entry.insert(None)),
                }
            }
        }
    }
    let mut lists: BTreeMap<SpawnerId, ListChange> = BTreeMap::new();
    for (node, id) in reader.tree.nodes.iter().zip(0..) {
        let TreeRole::Spawner(spawner) = node.role else { continue };
        let change = of_nodes.remove(&id).unwrap_or_else(|| Some(Vec::new()));
        match lists.entry(spawner) {
            Entry::Vacant(entry) => drop(entry.insert(change)),
            Entry::Occupied(entry) if *entry.get() == change => {}
            Entry::Occupied(mut entry) => drop(entry.insert(None)),
        }
    }
    let certain = lists.into_iter().filter_map(|(spawner, change)| Some((spawner, change?)));
    certain.filter(|(_, change)| !change.is_empty()).collect()
}

/// How many calls of a function were found, and how they change the lists of nodes. None if a spawner is not
/// known.
fn followed(
    reader: &mut MemberReader<'_>,
    program: &mut ReadMembers,
    (class, name): (ClassId, NameId),
    object: Option<(ClassId, NodeId)>,
    left: &mut usize,
) -> Option<(usize, BTreeMap<NodeId, ListChange>)> {
    loop {
        let Some(Code::Function(function)) = program.members.get(&(class, name)) else {
            return None;
        };
        let mut evaluator = Evaluator::new(program, reader.classes(), STEPS_OF_FUNCTION);
        evaluator.lists = Some(ListChanges::new(reader.tree));
        evaluator.object = object;
        let own = object.map_or(class, |(own, _)| own);
        let (bound, around) = (Vec::new(), Vec::new());
        let closure = Closure { function, own, declared: class, bound, around };
        evaluator.call(&Traced::Function(Rc::new(closure)), &[]);
        *left = left.checked_sub(STEPS_OF_FUNCTION - evaluator.steps + 1)?;
        if evaluator.steps == 0 {
            return None;
        }
        if evaluator.missing.is_empty() {
            let changes = evaluator.lists.filter(|changes| !changes.is_partial)?;
            return Some((changes.calls.len(), changes.of_nodes));
        }
        let missing = evaluator.missing;
        reader.read_into(program, missing);
    }
}
