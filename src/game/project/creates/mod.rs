//! The scenes that scripts create at run time.
//!
//! [`assigned`] finds the functions that scripts assign to spawners, [`MemberReader`] reads these
//! functions and all that they use, and [`evaluate`] follows them to the scenes that they return.
//! [`listed`] follows the functions that add scenes to the lists of spawners. An expression that is
//! not understood is [`value::Traced::Unknown`], so a result is either complete or says that it is
//! not.

pub(super) mod assigned;
mod evaluate;
#[cfg(test)]
#[cfg(feature = "std")]
mod followed;
pub(super) mod listed;
mod operators;
#[cfg(test)]
#[cfg(feature = "std")]
mod tests;
mod value;

use super::files::{FileTarget, ProjectFiles, resolve_path};
use super::ids::{Interner, NameId, SceneId, SpawnerId, index};
use super::lists::{CHAIN, Lists};
use super::script::syntax::{Expr, ScriptFunction};
use super::script::{
    ClassId, ClassMember, Language, MemberKind, Scripts, cs_parser, gd_parser, has_word,
};
use super::tree::{NodeId, NodeScript, Tree};
use crate::value::VariantRef;
use alloc::boxed::Box;
use alloc::collections::btree_map::Entry;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use assigned::{Assigned, Assignments, assignments};
use evaluate::Evaluator;
use value::Traced;

/// How many nodes may have a script whose exported variables are needed.
const NODES: usize = 4096;

/// A member of a class.
#[derive(Debug)]
pub(crate) enum Code {
    Function(ScriptFunction),
    /// A constant, or a variable that keeps its first value.
    Value(Expr),
    /// A variable whose first value scenes may set, which it keeps.
    Exported(Exported),
    Unknown,
}

/// The values of an exported variable.
#[derive(Debug)]
pub(crate) struct Exported {
    /// Those that it may have in any node.
    values: Vec<Expr>,
    /// The places of those that scenes set for nodes.
    of_nodes: BTreeMap<NodeId, usize>,
}

impl Exported {
    /// The values that it may have in a node, or in any.
    pub(crate) fn of(&self, node: Option<NodeId>) -> &[Expr] {
        let value = node.and_then(|node| self.of_nodes.get(&node));
        value.and_then(|place| self.values.get(*place..=*place)).unwrap_or(&self.values)
    }
}

/// The members that were read, and the files that they may refer to.
#[derive(Debug, Default)]
pub(crate) struct ReadMembers {
    pub(crate) members: BTreeMap<(ClassId, NameId), Code>,
    /// The scripts of autoloads, by name.
    pub(crate) autoloads: BTreeMap<NameId, Option<ClassId>>,
    of_autoloads: BTreeSet<ClassId>,
    /// Files by path and by uid.
    pub(crate) files: BTreeMap<Box<str>, FileTarget>,
}

impl ReadMembers {
    /// The file at a path, as a script in `folder_of` refers to it.
    fn file(&self, path: &str) -> Option<FileTarget> {
        self.files.get(path).copied()
    }
}

/// The classes of a project, with those that they extend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Classes<'c> {
    pub(crate) scripts: &'c Scripts,
    pub(crate) lists: &'c Lists,
    pub(crate) names: &'c Interner,
}

impl<'c> Classes<'c> {
    /// A class and those that it extends.
    fn chain(self, class: ClassId) -> impl Iterator<Item = ClassId> + use<'c> {
        self.lists.chain(class).take(CHAIN)
    }

    /// The class in which an object of class `own` has a member with this name.
    fn declaring(&self, own: ClassId, name: NameId) -> Option<(ClassId, ClassMember)> {
        self.chain(own)
            .find_map(|class| Some((class, *self.scripts.sources.members.get(&(class, name))?)))
    }

    /// The script around a nested class.
    fn file_of(&self, class: ClassId) -> Option<NameId> {
        self.scripts.class(class).map(|class| class.file)
    }
}

/// Reads members of classes.
pub(crate) struct MemberReader<'r> {
    pub(crate) files: &'r mut ProjectFiles,
    pub(crate) lists: &'r Lists,
    pub(crate) tree: &'r Tree,
    /// The nodes that have each class.
    nodes: BTreeMap<ClassId, Vec<NodeId>>,
    /// The classes of nodes that extend each class, and the class itself if nodes have it.
    deriving: BTreeMap<ClassId, Vec<ClassId>>,
}

impl<'r> MemberReader<'r> {
    pub(crate) fn new(
        files: &'r mut ProjectFiles,
        lists: &'r Lists,
        tree: &'r Tree,
    ) -> MemberReader<'r> {
        let mut nodes: BTreeMap<ClassId, Vec<NodeId>> = BTreeMap::new();
        for (node, id) in tree.nodes.iter().zip(0..) {
            if let NodeScript::Class(class) = node.script {
                nodes.entry(class).or_default().push(id);
            }
        }
        let mut deriving: BTreeMap<ClassId, Vec<ClassId>> = BTreeMap::new();
        for class in nodes.keys() {
            for base in lists.chain(*class).take(CHAIN) {
                deriving.entry(base).or_default().push(*class);
            }
        }
        MemberReader { files, lists, tree, nodes, deriving }
    }

    /// The nodes with a class or one that extends it, each after its own class.
    fn nodes_of(&self, class: ClassId) -> impl Iterator<Item = (ClassId, NodeId)> {
        let classes = self.deriving.get(&class).into_iter().flatten();
        classes.flat_map(|own| self.nodes.get(own).into_iter().flatten().map(|node| (*own, *node)))
    }

    fn classes(&self) -> Classes<'_> {
        Classes {
            scripts: &self.files.resources.scripts,
            lists: self.lists,
            names: &self.files.names,
        }
    }

    /// Reads a member that the class itself declares.
    fn read(&mut self, class: ClassId, name: NameId) -> Code {
        let scripts = &self.files.resources.scripts;
        let Some(member) = scripts.sources.members.get(&(class, name)).copied() else {
            return Code::Unknown;
        };
        let is_fixed = match member.kind {
            MemberKind::Function | MemberKind::Constant => true,
            MemberKind::Variable | MemberKind::Exported => self.is_fixed(class, name),
        };
        let scripts = &self.files.resources.scripts;
        let text = scripts.class(class).and_then(|class| scripts.sources.texts.get(&class.file));
        let Some(text) = text.filter(|_| is_fixed) else { return Code::Unknown };
        let names = &mut self.files.names;
        let is_csharp = scripts
            .class(class)
            .is_some_and(|class| matches!(class.language, Language::Csharp { .. }));
        if member.kind == MemberKind::Function {
            let function = match is_csharp {
                true => cs_parser::function(text, member.at, names),
                false => gd_parser::function(text, member.at, names),
            };
            return function.map_or(Code::Unknown, Code::Function);
        }
        let initial = match is_csharp {
            true => cs_parser::initial(text, member.at, names),
            false => gd_parser::initial(text, member.at, names),
        };
        let is_changed = member.kind != MemberKind::Constant
            && self.files.resources.scripts.sources.changed_inside.contains(&name);
        let is_kept = |value: &Expr| !(is_changed && self.may_be_container(value));
        match initial {
            Some(value) if member.kind == MemberKind::Exported => {
                let exported = self.exported(class, name, value);
                let exported = exported.filter(|exported| exported.values.iter().all(is_kept));
                exported.map_or(Code::Unknown, Code::Exported)
            }
            Some(value) if is_kept(&value) => Code::Value(value),
            _ => Code::Unknown,
        }
    }

    /// Reads members that are needed.
    fn read_into(
        &mut self,
        program: &mut ReadMembers,
        missing: impl IntoIterator<Item = (ClassId, NameId)>,
    ) {
        for (class, name) in missing {
            if let Entry::Vacant(entry) = program.members.entry((class, name)) {
                entry.insert(self.read(class, name));
            }
        }
    }

    /// Whether a value may have elements.
    fn may_be_container(&self, value: &Expr) -> bool {
        match value {
            Expr::OneOf(all) => all.iter().any(|value| self.may_be_container(value)),
            Expr::Choice(parts) => parts.iter().any(|part| self.may_be_container(part)),
            Expr::Call(function, _) => {
                let Expr::Name(name) = **function else { return true };
                let objects = "preload load get_node get_node_or_null";
                !has_word(objects, self.files.names.text(name))
            }
            Expr::List(_) | Expr::Map(_) | Expr::Name(_) | Expr::Member(..) | Expr::Index(_) => {
                true
            }
            _ => false,
        }
    }

    /// Whether no script changes a variable.
    fn is_fixed(&self, class: ClassId, name: NameId) -> bool {
        let sources = &self.files.resources.scripts.sources;
        let classes = self.classes();
        let file = classes.file_of(class);
        let mut changing = sources
            .changed
            .range((name, 0)..=(name, ClassId::MAX))
            .map(|(_, script)| *script)
            .filter(|script| {
                classes.file_of(*script) == file
                    || classes.chain(*script).any(|other| other == class)
            });
        !sources.changed_anywhere.contains(&name) && changing.next().is_none()
    }

    /// The values that a variable has in the nodes of all scenes.
    fn exported(&self, class: ClassId, name: NameId, initial: Expr) -> Option<Exported> {
        let (mut values, mut seen) = (Vec::new(), BTreeMap::new());
        let (mut of_nodes, mut has_initial) = (BTreeMap::new(), false);
        let mut nodes = self.nodes_of(class);
        for (_, node) in nodes.by_ref().take(NODES) {
            match self.value_in(node, name) {
                Some(value) => {
                    let place = *seen.entry(value).or_insert(values.len());
                    if place == values.len() {
                        values.push(self.tree.values.get(index(value))?.clone());
                    }
                    of_nodes.insert(node, place);
                }
                None => has_initial = true,
            }
        }
        if nodes.next().is_some() {
            return None;
        }
        if has_initial || values.is_empty() {
            // The scenes' values that cannot name a scene are not kept, such as numbers.
            let is_kept = matches!(
                initial,
                Expr::Text(_) | Expr::List(_) | Expr::Map(_) | Expr::Call(..) | Expr::Node(_)
            );
            values.push(if is_kept { initial } else { Expr::Other });
        }
        Some(Exported { values, of_nodes })
    }

    /// Whether scenes set variables of a node.
    fn is_set(&self, node: NodeId) -> bool {
        let place = self.tree.set.partition_point(|(other, ..)| *other < node);
        self.tree.set.get(place).is_some_and(|(other, ..)| *other == node)
    }

    /// The value that scenes set for a variable of a node.
    fn value_in(&self, node: NodeId, name: NameId) -> Option<u32> {
        let set = &self.tree.set;
        let place =
            set.binary_search_by_key(&(node, name), |(node, name, _)| (*node, *name)).ok()?;
        set.get(place).map(|(_, _, value)| *value)
    }

    fn program(&self, autoloads: &[(NameId, FileTarget)]) -> ReadMembers {
        let of_target = |target: &FileTarget| match target {
            FileTarget::Script(class) => Some(*class),
            FileTarget::Scene(scene) => {
                let root = self.tree.scenes.get(index(*scene))?.root?;
                match self.tree.node(root)?.script {
                    NodeScript::Class(class) => Some(class),
                    _ => None,
                }
            }
            _ => None,
        };
        let autoloads: BTreeMap<_, _> =
            autoloads.iter().map(|(name, target)| (*name, of_target(target))).collect();
        ReadMembers {
            members: BTreeMap::new(),
            of_autoloads: autoloads.values().flatten().copied().collect(),
            autoloads,
            files: self.files.targets(),
        }
    }
}

/// The path of a file to which a script in `file` refers with `preload`.
fn relative(file: &str, path: &str) -> Option<String> {
    let path = resolve_path(file, path)?;
    Some(alloc::format!("res://{path}"))
}

/// How many steps reading the functions of all spawners may take.
const STEPS: usize = 1 << 23;
/// How many steps following one function may take.
const STEPS_OF_FUNCTION: usize = 20_000;
/// How many steps the functions of a spawner may take for the argument in one packet. Those of real
/// games take less than a hundred.
const STEPS_OF_SPAWN: usize = 1_000;
/// A spawner with more functions than this may create anything.
const FUNCTIONS: usize = 64;

/// The scenes and other nodes that the function of a spawner may create.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MadeScenes {
    /// The scenes of which it may create an instance, each once, sorted.
    pub(crate) scenes: Vec<SceneId>,
    /// The other nodes that it may create.
    pub(crate) others: Others,
}

/// The nodes that a function may create apart from instances of certain scenes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Others {
    /// Nothing: the node is an instance of one of the scenes.
    Nothing,
    /// A node that is no instance of a scene, such as `Node2D.new()`.
    NoScene,
    /// Anything: the function, or a part of it, is not understood.
    Anything,
}

/// The functions of all spawners.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    assignments: Assignments,
    program: ReadMembers,
    /// The scenes that the assigned functions create from any argument.
    made: BTreeMap<Assigned, OfFunction>,
}

/// The nodes that a function may create from any argument.
#[derive(Debug)]
struct OfFunction {
    made: MadeScenes,
    /// Whether that may depend on the argument.
    uses_argument: bool,
}

/// Finds the functions of all spawners, and reads all that they need.
pub(crate) fn functions(
    reader: &mut MemberReader<'_>,
    autoloads: &[(NameId, FileTarget)],
) -> Functions {
    let assignments = assignments(reader);
    if assignments.of_spawners.is_empty() {
        return Functions { assignments, ..Functions::default() };
    }
    let mut program = reader.program(autoloads);
    let mut open: BTreeSet<Assigned> =
        assignments.of_spawners.values().flatten().copied().collect();
    let mut left = STEPS;
    let mut made = BTreeMap::new();
    while !open.is_empty() && left > 0 {
        let mut missing = BTreeSet::new();
        open.retain(|assigned| {
            let expression = assignments.expressions.get(assigned.expression);
            let Some((expression, locals)) = expression.filter(|_| left > 0) else { return false };
            let mut evaluator = Evaluator::new(&program, reader.classes(), STEPS_OF_FUNCTION);
            let function = evaluator.value_in(assigned, locals, expression);
            let result = evaluator.call(&function, &[]);
            left = left.saturating_sub(STEPS_OF_FUNCTION - evaluator.steps + 1);
            let is_open = !evaluator.missing.is_empty();
            if !is_open {
                let uses_argument = evaluator.uses_arguments;
                let made_here = MadeScenes::of(&result);
                made.insert(*assigned, OfFunction { made: made_here, uses_argument });
            }
            missing.extend(evaluator.missing);
            is_open
        });
        reader.read_into(&mut program, missing);
    }
    Functions { assignments, program, made }
}

impl Functions {
    /// The functions that scripts assign to a spawner.
    pub(crate) fn assigned_to(&self, spawner: SpawnerId) -> Option<&BTreeSet<Assigned>> {
        self.assignments.of_spawners.get(&spawner)
    }

    /// The nodes that the function of a spawner may create, from an argument if that is known.
    pub(crate) fn made(
        &self,
        classes: Classes<'_>,
        spawner: SpawnerId,
        argument: Option<&VariantRef<'_>>,
    ) -> MadeScenes {
        let Some(assigned) = self.assigned_to(spawner).filter(|all| all.len() <= FUNCTIONS) else {
            return MadeScenes::anything();
        };
        let mut made = MadeScenes { scenes: Vec::new(), others: Others::Nothing };
        let mut steps = STEPS_OF_SPAWN;
        for assigned in assigned {
            let Some(of_function) = self.made.get(assigned) else {
                return MadeScenes::anything();
            };
            match argument {
                Some(argument) if of_function.uses_argument => {
                    made.add(&self.result(classes, assigned, argument, &mut steps));
                }
                _ => made.join(&of_function.made),
            }
        }
        if self.assignments.is_partial {
            made.others = Others::Anything;
        }
        made.scenes.sort_unstable();
        made.scenes.dedup();
        made
    }

    /// The value that a function returns for an argument.
    fn result<'c>(
        &'c self,
        classes: Classes<'c>,
        assigned: &Assigned,
        argument: &VariantRef<'c>,
        steps: &mut usize,
    ) -> Traced<'c> {
        let Some((expression, locals)) = self.assignments.expressions.get(assigned.expression)
        else {
            return Traced::Unknown;
        };
        let mut evaluator = Evaluator::new(&self.program, classes, *steps);
        let function = evaluator.value_in(assigned, locals, expression);
        let result = evaluator.call(&function, &[Traced::given(*argument)]);
        *steps = evaluator.steps;
        result
    }
}

impl MadeScenes {
    const fn anything() -> MadeScenes {
        MadeScenes { scenes: Vec::new(), others: Others::Anything }
    }

    /// The nodes that a function creates if it returns this.
    fn of(value: &Traced<'_>) -> MadeScenes {
        let mut made = MadeScenes { scenes: Vec::new(), others: Others::Nothing };
        made.add(value);
        made
    }

    /// Adds the nodes that another function may create.
    fn join(&mut self, other: &MadeScenes) {
        self.scenes.extend(&other.scenes);
        self.others = self.others.max(other.others);
    }

    fn add(&mut self, value: &Traced<'_>) {
        match value {
            Traced::Scene(scene) => self.scenes.push(*scene),
            Traced::Object | Traced::Class(_) => self.others = self.others.max(Others::NoScene),
            Traced::OneOf(values) => values.iter().for_each(|value| self.add(value)),
            Traced::Unknown | Traced::Given(_) | Traced::Node(_) => self.others = Others::Anything,
            // The engine refuses a result that is not a node.
            Traced::Nothing
            | Traced::Bool(_)
            | Traced::Int(_)
            | Traced::Real(_)
            | Traced::Text(_)
            | Traced::List(_)
            | Traced::Map(_)
            | Traced::Function(_) => {}
        }
    }
}

/// How many comparisons of scenes with parts of paths are made.
const COMPARISONS: usize = 1 << 22;

/// Changes that scripts may make at run time.
#[derive(Debug, Default)]
pub(crate) struct Possible {
    /// For each scene, whether an instance of it may be created.
    pub(crate) created: Vec<bool>,
    /// The files of scripts that may do these things.
    pub(crate) makes_synchronizers: Option<NameId>,
    pub(crate) changes_spawners: Option<NameId>,
    pub(crate) changes_properties: Option<NameId>,
    /// Whether there are files that are not read and may contain or make nodes.
    pub(crate) has_unread_nodes: bool,
}

pub(crate) fn possible(
    files: &ProjectFiles,
    tree: &Tree,
    main: Option<SceneId>,
    autoloads: &[(NameId, FileTarget)],
) -> Possible {
    let (sources, mentions) = (&files.resources.scripts.sources, &files.resources.scripts.mentions);
    let computes_paths = sources.may(|effects| effects.computes_paths);
    let is_unclear = files.has_unread
        || files.resources.scripts.classes.iter().any(|class| class.is_damaged)
        || (computes_paths && sources.may(|effects| effects.reads_paths));
    let mut created = vec![is_unclear; tree.scenes.len()];
    let mut mark = |scene: u32| {
        if let Some(created) = created.get_mut(index(scene)) {
            *created = true;
        }
    };
    main.iter().for_each(|SceneId(scene)| mark(*scene));
    for (_, target) in autoloads {
        if let FileTarget::Scene(scene) = target {
            mark(*scene);
        }
    }
    for (_, scene) in tree.spawnable.iter().flatten() {
        scene.iter().for_each(|SceneId(scene)| mark(*scene));
    }
    let mut parts = Vec::new();
    for (file, path) in &sources.paths {
        match files.find(files.names.text(*file), files.names.text(*path)) {
            Ok(FileTarget::Scene(scene)) => mark(scene),
            Ok(_) => {}
            Err(_) => parts.push(files.names.text(*path)),
        }
    }
    if computes_paths {
        parts.sort_unstable();
        parts.dedup();
        of_parts(&parts, files, tree, &mut created);
    }
    let naming = |class| mentions.names.get(&files.names.get(class)?).copied();
    let loads_resources = || parts_of(files).any(|path| path.ends_with(".tres"));
    Possible {
        created,
        makes_synchronizers: sources
            .first(|effects| effects.makes_synchronizers)
            .or_else(|| naming("MultiplayerSynchronizer"))
            .or_else(|| making(files, "MultiplayerSynchronizer")),
        changes_spawners: sources
            .first(|effects| effects.changes_spawners)
            .or_else(|| naming("MultiplayerSpawner"))
            .or_else(|| making(files, "MultiplayerSpawner")),
        changes_properties: sources
            .first(|effects| effects.changes_properties)
            .or_else(|| naming("SceneReplicationConfig"))
            .or_else(|| {
                let adding = sources.first(|effects| effects.adds_properties);
                adding.filter(|_| sources.may(|it| it.reads_configs) || loads_resources())
            }),
        has_unread_nodes: files.has_unread_nodes,
    }
}

/// The paths, and parts of paths, in scripts and resources.
fn parts_of(files: &ProjectFiles) -> impl Iterator<Item = &str> {
    files.resources.scripts.sources.paths.iter().map(|(_, path)| files.names.text(*path))
}

/// Marks the scenes whose paths may be put together from parts.
fn of_parts(parts: &[&str], files: &ProjectFiles, tree: &Tree, created: &mut [bool]) {
    let mut left = COMPARISONS;
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

/// The file of a script that extends a class of the engine and of which scripts may create nodes.
fn making(files: &ProjectFiles, class: &str) -> Option<NameId> {
    use crate::game::project::script::Extends;
    let scripts = &files.resources.scripts;
    let name = files.names.get(class)?;
    let mut extending = scripts.classes.iter().zip(0..).filter(
        |(class, _)| matches!(&class.extends, Extends::Names(names) if names.as_slice() == [name]),
    );
    let mentions = &scripts.mentions;
    let targets = mentions.paths.iter().filter_map(|(file, path)| {
        let (file, path) = (files.names.text(*file), files.names.text(*path));
        // Scenes have the paths of the scripts of their nodes.
        file.ends_with(".gd").then(|| files.find(file, path).ok())?
    });
    let by_path: BTreeSet<ClassId> = targets
        .filter_map(|target| match target {
            FileTarget::Script(class) => Some(class),
            _ => None,
        })
        .collect();
    let found = extending.find(|(class, id)| {
        class.name.is_some_and(|name| mentions.names.contains_key(&name))
            || mentions.selves.contains(id)
            || mentions.gives_any
            || by_path.contains(id)
    });
    found.map(|(class, _)| class.file)
}
