//! The lists of remote methods: one for each script, including the methods of the scripts that it
//! extends. The index in the list is the number of the method in packets.

use super::files::{FileTarget, ProjectFiles};
use super::ids::{Interner, NameId, VisitState, index, number};
use super::limits;
use super::problems::{ProblemKind, short};
use super::script::csharp::looks_like_interface;
use super::script::engine::{is_node_class, is_other_class};
use super::script::{ClassId, Extends, Language, RemoteMethod, ScriptClass, SignatureId};
use super::tree::{NodeScript, Tree};
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The list of a script.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassList {
    /// An index into the lists of methods.
    pub(super) methods: u32,
    /// An index into the lists of methods that may be made remote at run time.
    pub(super) runtime: u32,
    /// Whether the script and those that it extends were read to their ends.
    pub(super) is_certain: bool,
    /// Whether nodes can have the script. If not, it has no remote methods.
    is_of_node: bool,
}

/// How many scripts are looked at that extend each other.
pub(super) const CHAIN: usize = 64;

/// The lists of all scripts.
#[derive(Debug)]
pub(super) struct Lists {
    /// The `@rpc` methods of scripts, in the order of their numbers. The first list is empty.
    pub(super) methods: Vec<Box<[RemoteMethod]>>,
    /// Sorted lists of methods that may be made remote at run time, of a class and those that it
    /// extends. The first list is empty.
    pub(super) runtime: Vec<Box<[NameId]>>,
    /// The list of each class; none if a limit was reached.
    pub(super) classes: Vec<Option<ClassList>>,
    /// The class of a script that each class extends, if it extends one.
    bases: Vec<Option<ClassId>>,
    /// The classes that extend an unknown class, and its name.
    unknown: Vec<(ClassId, Box<str>)>,
    entries: usize,
}

/// The class that a class extends, once it is found.
enum Base {
    /// A class of the engine that is a node.
    Node,
    /// A class of the engine that is not a node.
    NoNode,
    Class(ClassId),
    Unknown,
}

impl Lists {
    /// Computes the list of each class.
    pub(super) fn new(files: &mut ProjectFiles) -> Lists {
        let count = files.resources.scripts.classes.len();
        let mut lists = Lists {
            methods: Vec::from([Box::default()]),
            runtime: Vec::from([Box::default()]),
            classes: alloc::vec![None; count],
            bases: alloc::vec![None; count],
            unknown: Vec::new(),
            entries: 0,
        };
        let mut states = alloc::vec![VisitState::New; count];
        let mut chain: Vec<ClassId> = Vec::new();
        for first in 0..count {
            let mut next = Some(number(first));
            // The list of the class that the last class of the chain extends.
            let mut list = Some(ClassList::EMPTY);
            while let Some(class) = next.take() {
                let Some(state) = states.get_mut(index(class)) else { break };
                match *state {
                    VisitState::Done => list = lists.classes.get(index(class)).copied().flatten(),
                    VisitState::Open => {
                        report(files, class, ProblemKind::Circular);
                        list = list.map(ClassList::uncertain);
                    }
                    VisitState::New => {
                        *state = VisitState::Open;
                        chain.push(class);
                        match lists.base(files, class) {
                            Base::Node => {}
                            Base::NoNode => {
                                list = Some(ClassList { is_of_node: false, ..ClassList::EMPTY });
                            }
                            Base::Unknown => list = Some(ClassList::EMPTY.uncertain()),
                            Base::Class(base) => {
                                next = Some(base);
                                if let Some(of_class) = lists.bases.get_mut(index(class)) {
                                    *of_class = next;
                                }
                            }
                        }
                    }
                }
            }
            while let Some(class) = chain.pop() {
                list = list.and_then(|base| lists.extend(files, class, base));
                if let (Some(state), Some(known)) =
                    (states.get_mut(index(class)), lists.classes.get_mut(index(class)))
                {
                    (*state, *known) = (VisitState::Done, list);
                }
            }
        }
        lists
    }

    /// The list of a class whose base class has the list `base`.
    fn extend(
        &mut self,
        files: &mut ProjectFiles,
        id: ClassId,
        base: ClassList,
    ) -> Option<ClassList> {
        let ProjectFiles { names, resources, problems, .. } = files;
        let scripts = &resources.scripts;
        let class = scripts.class(id)?;
        if !base.is_of_node {
            return Some(base);
        }
        let mut list = ClassList { is_certain: base.is_certain && !class.is_damaged, ..base };
        let may_be_remote =
            |name: &NameId| scripts.candidates.contains(name) || scripts.loose.contains(name);
        let mut runtime: Vec<NameId> =
            class.functions.iter().map(|(name, _)| *name).filter(may_be_remote).collect();
        let runtime_before = self.runtime.get(index(base.runtime))?.len();
        let before = self.methods(base.methods);
        let added = |own: usize, before: usize| if own == 0 { 0 } else { own + before };
        let overrides = overrides(&class.functions, before, names);
        let own = class.methods.len() + overrides.len();
        let added = added(own, before.len()) + added(runtime.len(), runtime_before);
        let entries = self.entries + added;
        if entries > limits::LIST_ENTRIES && added > 0 {
            let problem = ProblemKind::Limit("4,194,304 methods in all lists");
            problems.add(names.text(class.file), class.line, problem);
            return None;
        }
        if own > 0 {
            let own = class.methods.iter().rev().chain(&overrides);
            let mut methods: Vec<RemoteMethod> = own.chain(before).copied().collect();
            // The sort is stable and the methods of the class itself come first, so they replace
            // those of the base class with the same name.
            methods.sort_by(|a, b| names.text(a.name).cmp(names.text(b.name)));
            methods.dedup_by_key(|method| method.name);
            list.methods = number(self.methods.len());
            self.methods.push(methods.into());
        }
        if !runtime.is_empty() {
            runtime.extend_from_slice(self.runtime.get(index(base.runtime))?);
            sort(&mut runtime, names);
            list.runtime = number(self.runtime.len());
            self.runtime.push(runtime.into());
        }
        self.entries = entries;
        Some(list)
    }

    /// Finds what a class extends. If that is not known, notes or reports the reason.
    fn base(&mut self, files: &mut ProjectFiles, id: ClassId) -> Base {
        find_base(files, id).unwrap_or_else(|problem| {
            match problem {
                ProblemKind::UnknownClass(name) => self.unknown.push((id, name)),
                problem => report(files, id, problem),
            }
            Base::Unknown
        })
    }

    /// Reports the unknown classes that scripts extend, if methods may have no names because of
    /// that: those of the classes in `used`, which nodes have, and of classes with remote methods.
    /// Godot 3 has other classes, and sends the names.
    pub(super) fn report_unknown(
        &mut self,
        files: &mut ProjectFiles,
        used: impl Iterator<Item = ClassId>,
    ) {
        if self.unknown.is_empty() || files.settings.is_old {
            return;
        }
        let has_methods = |(_, list): &(u32, &Option<ClassList>)| {
            list.is_some_and(|list| list.methods != 0 || list.runtime != 0)
        };
        let remote = (0..).zip(&self.classes).filter(has_methods).map(|(class, _)| class);
        let mut is_used = alloc::vec![false; self.classes.len()];
        for class in used.chain(remote) {
            for class in self.chain(class) {
                match is_used.get_mut(index(class)) {
                    Some(is_used) if !*is_used => *is_used = true,
                    _ => break,
                }
            }
        }
        for (class, name) in core::mem::take(&mut self.unknown) {
            if is_used.get(index(class)) == Some(&true) {
                report(files, class, ProblemKind::UnknownClass(name));
            }
        }
    }

    /// The class of a script that a class extends.
    pub(super) fn base_of(&self, class: ClassId) -> Option<ClassId> {
        self.bases.get(index(class)).copied().flatten()
    }

    /// A class and those that it extends. It may extend itself.
    pub(super) fn chain(&self, class: ClassId) -> impl Iterator<Item = ClassId> {
        core::iter::successors(Some(class), |class| self.base_of(*class))
    }

    pub(super) fn methods(&self, list: u32) -> &[RemoteMethod] {
        self.methods.get(index(list)).map_or(&[], |methods| methods)
    }
}

/// The remote methods of a base class that a class overrides without declaring them remote again.
/// They stay remote, with the parameters of the class.
fn overrides(
    functions: &[(NameId, Option<SignatureId>)],
    before: &[RemoteMethod],
    names: &Interner,
) -> Vec<RemoteMethod> {
    if before.is_empty() {
        return Vec::new();
    }
    let overridden = |(name, parameters): &(NameId, Option<SignatureId>)| {
        let text = names.text(*name);
        let place = before.binary_search_by(|method| names.text(method.name).cmp(text)).ok()?;
        let method = before.get(place).filter(|method| method.parameters != *parameters)?;
        Some(RemoteMethod { parameters: *parameters, ..*method })
    };
    functions.iter().rev().filter_map(overridden).collect()
}

impl ClassList {
    /// The list of a class of nodes without remote methods.
    const EMPTY: ClassList =
        ClassList { methods: 0, runtime: 0, is_certain: true, is_of_node: true };

    const fn uncertain(self) -> ClassList {
        ClassList { is_certain: false, ..self }
    }
}

/// Sorts names by code points and removes duplicates.
pub(super) fn sort(list: &mut Vec<NameId>, names: &Interner) {
    list.sort_by(|a, b| names.text(*a).cmp(names.text(*b)));
    list.dedup();
}

fn report(files: &mut ProjectFiles, class: ClassId, problem: ProblemKind) {
    if let Some(class) = files.resources.scripts.class(class) {
        files.problems.add(files.names.text(class.file), class.line, problem);
    }
}

/// Finds what a class extends.
fn find_base(files: &mut ProjectFiles, id: ClassId) -> Result<Base, ProblemKind> {
    let Some(class) = files.resources.scripts.class(id) else { return Ok(Base::Unknown) };
    match &class.extends {
        Extends::Nothing => Ok(Base::Node),
        Extends::Names(path) => match class.language {
            Language::Gdscript => by_name(files, id, class, path),
            Language::Csharp { namespace } => csharp(files, id, namespace, path),
        },
        Extends::Path(path, inner) => {
            let (line, inner) = (class.line, inner.clone());
            let file = String::from(files.names.text(class.file));
            let path = String::from(files.names.text(*path));
            match files.locate(&file, line, &path) {
                FileTarget::Script(script) => descend(files, script, &inner).map(Base::Class),
                _ => Ok(Base::Unknown),
            }
        }
    }
}

/// The class of the engine with a name.
fn of_engine(name: &str) -> Option<Base> {
    if is_node_class(name) {
        Some(Base::Node)
    } else {
        is_other_class(name).then_some(Base::NoNode)
    }
}

/// Finds a nested class by its path from an outer one.
fn descend(files: &ProjectFiles, from: ClassId, path: &[NameId]) -> Result<ClassId, ProblemKind> {
    path.iter().try_fold(from, |class, name| {
        let inner = files.resources.scripts.inner.get(&(class, *name)).copied();
        inner.ok_or_else(|| ProblemKind::UnknownClass(short(files.names.text(*name))))
    })
}

/// Finds the class that a class in GDScript extends by its name.
fn by_name(
    files: &ProjectFiles,
    id: ClassId,
    class: &ScriptClass,
    path: &[NameId],
) -> Result<Base, ProblemKind> {
    let Some((first, rest)) = path.split_first() else { return Ok(Base::Unknown) };
    let scripts = &files.resources.scripts;
    let mut outer = class.outer;
    while let Some(around) = outer {
        if let Some(found) = scripts.inner.get(&(around, *first)).filter(|found| **found != id) {
            return descend(files, *found, rest).map(Base::Class);
        }
        outer = scripts.class(around).and_then(|class| class.outer);
    }
    let name = files.names.text(*first);
    match scripts.global.get(first) {
        Some(Some(found)) => descend(files, *found, rest).map(Base::Class),
        Some(None) => Err(ProblemKind::SameClassName(short(name))),
        None => of_engine(name)
            .filter(|_| rest.is_empty())
            .ok_or_else(|| ProblemKind::UnknownClass(short(name))),
    }
}

/// Finds the class that a C# class extends: one in its own namespace or an enclosing one, or the
/// only class with that name. A namespace before the name is looked for in these namespaces.
fn csharp(
    files: &ProjectFiles,
    id: ClassId,
    namespace: NameId,
    path: &[NameId],
) -> Result<Base, ProblemKind> {
    const MORE: usize = 2;
    let (name, outer) = match path {
        [name] => (name, None),
        [outer, name] => (name, Some(files.names.text(*outer))),
        _ => return Ok(Base::Unknown),
    };
    let classes = &files.resources.scripts.csharp;
    let innermost = Some(files.names.text(namespace));
    let around = core::iter::successors(innermost, |inner| {
        let (outer, _) = inner.rsplit_once('.')?;
        Some(outer)
    });
    for text in around.take(limits::NAMESPACES) {
        let namespace = match outer {
            Some(outer) => files.names.get(&format!("{text}{outer}")),
            None => files.names.get(text),
        };
        let found = namespace.and_then(|namespace| classes.get(&(*name, namespace)));
        if let Some(found) = found.filter(|found| **found != id) {
            return Ok(Base::Class(*found));
        }
    }
    let text = files.names.text(*name);
    if outer.is_some() {
        // Nested classes are not read, so it may be one.
        return Ok(of_engine(text).unwrap_or(Base::Unknown));
    }
    let of_name =
        classes.range((*name, NameId::FIRST)..).take_while(|((found, _), _)| found == name);
    let mut others = of_name.map(|(_, class)| *class).filter(|class| *class != id).take(MORE);
    match (others.next(), others.next()) {
        (Some(class), None) => Ok(Base::Class(class)),
        (Some(_), Some(_)) => Err(ProblemKind::SameClassName(short(text))),
        (None, _) if looks_like_interface(text) => Ok(of_engine(text).unwrap_or(Base::Node)),
        (None, _) => of_engine(text).ok_or_else(|| ProblemKind::UnknownClass(short(text))),
    }
}

/// The scripts that nodes of the game may have.
#[derive(Debug, Default)]
pub(super) struct InUse {
    /// The classes, sorted.
    pub(super) classes: Vec<ClassId>,
    /// Those that scripts may give to nodes in code, and that no node of a scene has.
    pub(super) only_in_code: Vec<ClassId>,
    /// Whether nodes may have other scripts, which could not be read.
    pub(super) has_others: bool,
}

/// Finds the scripts that are attached to nodes of scenes, that are autoloads, or that other
/// scripts and resources mention other than as a base class or a type. All scripts are meant if
/// nodes get scripts whose paths are not known. Classes of C# and nested classes always belong to
/// them.
pub(super) fn in_use(
    files: &ProjectFiles,
    tree: &Tree,
    autoloads: &[(NameId, FileTarget)],
) -> InUse {
    let scripts = &files.resources.scripts;
    let mentions = &scripts.mentions;
    let mut found = InUse::default();
    let is_any = mentions.loads_any && mentions.gives_any;
    let mut in_code: BTreeSet<ClassId> = mentions.selves.iter().copied().collect();
    for (class, id) in scripts.classes.iter().zip(0..) {
        let by_name = class.name.is_some_and(|name| mentions.names.contains_key(&name));
        if is_any || by_name {
            in_code.insert(id);
        }
        if class.outer.is_some() || class.language != Language::Gdscript {
            found.classes.push(id);
        }
    }
    for (file, path) in &mentions.paths {
        let target = files.find(files.names.text(*file), files.names.text(*path));
        if let Ok(FileTarget::Script(class)) = target {
            in_code.insert(class);
        }
    }
    found.classes.extend(&in_code);
    let of_nodes = tree.nodes.iter().map(|node| node.script);
    let of_autoloads = autoloads.iter().map(|(_, target)| match target {
        FileTarget::Script(class) => NodeScript::Class(*class),
        FileTarget::Unknown | FileTarget::Config(_) => NodeScript::Unknown,
        FileTarget::Scene(_) | FileTarget::Model => NodeScript::Nothing,
    });
    for script in of_nodes.chain(of_autoloads) {
        match script {
            NodeScript::Class(class) => {
                found.classes.push(class);
                in_code.remove(&class);
            }
            NodeScript::Unknown => found.has_others = true,
            NodeScript::Nothing => {}
        }
    }
    found.classes.sort_unstable();
    found.classes.dedup();
    found.only_in_code = in_code.into_iter().collect();
    found
}
