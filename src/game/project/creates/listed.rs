//! Finds the scenes that scripts add to the lists of spawners, with `add_spawnable_scene`, in their order,
//! and the spawners that they make to do so.

use super::evaluate::Evaluator;
use super::value::{Closure, Traced};
use super::{Code, MemberReader, ReadMembers, STEPS, STEPS_OF_FUNCTION};
use crate::game::project::files::FileTarget;
use crate::game::project::ids::{Interner, NameId, SpawnerId, index, number};
use crate::game::project::script::ClassId;
use crate::game::project::script::syntax::Expr;
use crate::game::project::tree::{ListStep, NodeId, Tree, TreeRole};
use alloc::boxed::Box;
use alloc::collections::btree_map::Entry;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

/// The steps by which a function changes a list, in their order. None if they are not certain.
type ListChange = Option<Vec<ListStep>>;

/// A spawner that a script makes and adds to the tree.
#[derive(Debug, Default)]
pub(crate) struct MadeSpawner {
    pub(crate) name: Option<Box<str>>,
    pub(crate) parent: Option<NodeId>,
    pub(crate) target: SpawnTarget,
}

/// The node to which a spawner adds others.
#[derive(Debug, Default)]
pub(crate) enum SpawnTarget {
    #[default]
    Unknown,
    /// By its path from the spawner.
    Path(Box<str>),
    Node(NodeId),
}

/// The lists and spawners of scripts.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    /// How scripts change the lists of spawners of scenes.
    pub(crate) changes: BTreeMap<SpawnerId, Vec<ListStep>>,
    /// The spawners that scripts make, each with its list.
    pub(crate) made: Vec<(MadeSpawner, Vec<ListStep>)>,
}

impl Listed {
    /// Adds the spawners and the changes of lists to the nodes of the scenes.
    pub(crate) fn add_to(self, tree: &mut Tree, names: &mut Interner) {
        for (spawner, changes) in self.changes {
            tree.change_list(spawner, &changes);
        }
        let mut steps = STEPS;
        let (mut spawners, mut lists) = (Vec::new(), Vec::new());
        for (MadeSpawner { name, parent, target }, changes) in self.made {
            let (Some(name), Some(parent)) = (name, parent) else { continue };
            // From the spawner, which is a child of its parent.
            let path = match target {
                SpawnTarget::Unknown => None,
                SpawnTarget::Path(path) => Some(String::from(path)),
                SpawnTarget::Node(node) => tree
                    .between(parent, node, names, &mut steps)
                    .map(|path| if path == "." { "..".into() } else { ["../", &path].concat() }),
            };
            spawners.push((parent, names.add(&name), path.map(|path| names.add(&path))));
            lists.push(changes);
        }
        for (spawner, changes) in tree.add_spawners(&spawners).into_iter().zip(lists) {
            spawner.into_iter().for_each(|spawner| tree.change_list(spawner, &changes));
        }
    }
}

/// The changes of lists that are found while a function is followed.
pub(super) struct ListChanges<'c> {
    pub(super) tree: &'c Tree,
    /// The spawners that the function makes. Their numbers as nodes follow those of the tree.
    made: Vec<MadeSpawner>,
    /// The values that it has assigned to variables of objects.
    pub(super) members: BTreeMap<(ClassId, NameId), Traced<'c>>,
    /// How many parts are being followed that may not run.
    pub(super) doubts: usize,
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
            made: Vec::new(),
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
        self.doubts += usize::from(!self.of_nodes.is_empty());
    }

    /// A spawner that the function makes. None if it may not make it.
    pub(super) fn make(&mut self) -> Option<NodeId> {
        let place = number(self.made.len());
        (self.doubts == 0).then(|| {
            self.made.push(MadeSpawner::default());
            self.tree.next() + place
        })
    }

    /// Notes a change of a node: if the function makes it, its name, its spawn path or its parent.
    pub(super) fn set(&mut self, node: NodeId, property: &str, value: &Traced<'_>) {
        let place = node.checked_sub(self.tree.next()).map(index);
        let Some(made) = place.and_then(|place| self.made.get_mut(place)) else { return };
        match property {
            "name" | "Name" | "set_name" => {
                made.name = match value {
                    Traced::Text(name) if self.doubts == 0 => Some(Box::from(&**name)),
                    _ => None,
                };
            }
            "spawn_path" | "SpawnPath" | "set_spawn_path" => {
                made.target = match value {
                    Traced::Text(path) if self.doubts == 0 => SpawnTarget::Path(Box::from(&**path)),
                    Traced::Node(node) if self.doubts == 0 => SpawnTarget::Node(*node),
                    _ => SpawnTarget::Unknown,
                };
            }
            _ => {}
        }
    }

    /// Notes that a node becomes the child of another.
    pub(super) fn add_child(&mut self, parent: NodeId, child: NodeId) {
        let place = child.checked_sub(self.tree.next()).map(index);
        if let Some(made) = place.and_then(|place| self.made.get_mut(place)) {
            made.parent = Some(parent);
        }
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
            None => Some(ListStep::Clear),
            Some(Traced::Scene(scene)) => Some(ListStep::Add(scene)),
            Some(_) => None,
        };
        let list = self.of_nodes.entry(spawner).or_insert_with(|| Some(Vec::new()));
        match (list.as_mut(), change) {
            (Some(list), Some(change)) if self.doubts == 0 => list.push(change),
            _ => *list = None,
        }
    }
}

/// Finds how scripts change the lists of spawners, and those that they make. Nothing is found if a place
/// that changes lists is not understood.
pub(crate) fn listed(reader: &mut MemberReader<'_>, autoloads: &[(NameId, FileTarget)]) -> Listed {
    let mut found = Listed::default();
    let sources = &mut reader.files.resources.scripts.sources;
    let listing = core::mem::take(&mut sources.listing);
    let mut of_nodes: BTreeMap<NodeId, ListChange> = BTreeMap::new();
    let mut left = STEPS;
    let mut program = match listing.functions.is_empty() || listing.elsewhere {
        true => return found,
        false => reader.program(autoloads),
    };
    for ((class, name), count) in listing.functions {
        // A class also stands for its autoload, which is in no scene.
        let is_autoload = program.of_autoloads.contains(&class);
        let mut objects: Vec<_> = reader.nodes_of(class).map(Some).collect();
        if is_autoload || objects.is_empty() {
            objects = Vec::from([None]);
        }
        reader.read_into(&mut program, [(class, name)]);
        for object in objects {
            let Some(mut changes) =
                followed(reader, &mut program, (class, name), object, &mut left)
                    .filter(|changes| changes.calls >= count)
            else {
                return Listed::default();
            };
            for (made, node) in changes.made.into_iter().zip(reader.tree.next()..) {
                let list = changes.of_nodes.remove(&node).flatten();
                found.made.extend(list.map(|list| (made, list)));
            }
            for (node, change) in changes.of_nodes {
                match of_nodes.entry(node) {
                    Entry::Vacant(entry) => drop(entry.insert(change)),
                    // It is not known which function runs first.
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
    found.changes = certain.filter(|(_, change)| !change.is_empty()).collect();
    found
}

/// The changes of lists that a function makes, and the spawners that it makes.
struct FunctionChanges {
    /// How many of its calls were found.
    calls: usize,
    made: Vec<MadeSpawner>,
    of_nodes: BTreeMap<NodeId, ListChange>,
}

/// Follows a function. Returns None if it changes the list of a spawner that is not known.
fn followed(
    reader: &mut MemberReader<'_>,
    program: &mut ReadMembers,
    (class, name): (ClassId, NameId),
    object: Option<(ClassId, NodeId)>,
    left: &mut usize,
) -> Option<FunctionChanges> {
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
            let lists = evaluator.lists.filter(|lists| !lists.is_partial)?;
            let (calls, made, of_nodes) = (lists.calls.len(), lists.made, lists.of_nodes);
            return Some(FunctionChanges { calls, made, of_nodes });
        }
        let missing = evaluator.missing;
        reader.read_into(program, missing);
    }
}
