//! The functions and variables that decide which scenes are created.

use crate::game::project::files::{Files, Target};
use crate::game::project::ids::index;
use crate::game::project::lists::Lists;
use crate::game::project::names::{NameId, Names};
use crate::game::project::script::syntax::{Expression, Function};
use crate::game::project::script::{
    ClassId, Language, Member, MemberKind, Scripts, cs_parser, parser,
};
use crate::game::project::tree::{NodeId, NodeScript, Tree};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// A script that extends more scripts than this has members that are not known.
const CHAIN: usize = 64;
/// How many nodes may have a script whose exported variables are needed.
const NODES: usize = 4096;

/// A member of a class.
#[derive(Debug)]
pub(crate) enum Code {
    Function(Function),
    /// A constant, or a variable that keeps its first value.
    Value(Expression),
    Unknown,
}

/// The members that were read, and the files that they may refer to.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) members: BTreeMap<(ClassId, NameId), Code>,
    /// The scripts of autoloads, by name.
    pub(crate) autoloads: BTreeMap<NameId, Option<ClassId>>,
    /// Files by path and by uid.
    pub(crate) files: BTreeMap<Box<str>, Target>,
}

impl Program {
    /// The file at a path, as a script in `folder_of` refers to it.
    pub(super) fn file(&self, path: &str) -> Option<Target> {
        self.files.get(path).copied()
    }
}

/// The classes of a project, with those that they extend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Classes<'c> {
    pub(crate) scripts: &'c Scripts,
    pub(crate) bases: &'c [Option<ClassId>],
    pub(crate) names: &'c Names,
}

impl<'c> Classes<'c> {
    pub(super) fn base(&self, class: ClassId) -> Option<ClassId> {
        self.bases.get(index(class)).copied().flatten()
    }

    /// A class and those that it extends.
    pub(super) fn chain(self, class: ClassId) -> impl Iterator<Item = ClassId> + use<'c> {
        core::iter::successors(Some(class), move |class| self.base(*class)).take(CHAIN)
    }

    /// The class in which an object of class `own` has a member with this name.
    pub(super) fn declaring(&self, own: ClassId, name: NameId) -> Option<(ClassId, Member)> {
        self.chain(own)
            .find_map(|class| Some((class, *self.scripts.sources.members.get(&(class, name))?)))
    }

    /// The script around a nested class.
    pub(super) fn file_of(&self, class: ClassId) -> Option<NameId> {
        self.scripts.class(class).map(|class| class.file)
    }
}

/// Reads members of classes.
pub(crate) struct Reader<'r> {
    pub(crate) files: &'r mut Files,
    pub(crate) lists: &'r Lists,
    pub(crate) tree: &'r Tree,
    /// The nodes that have each class.
    pub(crate) nodes: BTreeMap<ClassId, Vec<NodeId>>,
}

impl<'r> Reader<'r> {
    pub(crate) fn new(files: &'r mut Files, lists: &'r Lists, tree: &'r Tree) -> Reader<'r> {
        let mut nodes: BTreeMap<ClassId, Vec<NodeId>> = BTreeMap::new();
        for (node, id) in tree.nodes.iter().zip(0..) {
            if let NodeScript::Class(class) = node.script {
                nodes.entry(class).or_default().push(id);
            }
        }
        Reader { files, lists, tree, nodes }
    }

    pub(super) fn classes(&self) -> Classes<'_> {
        Classes {
            scripts: &self.files.resources.scripts,
            bases: &self.lists.bases,
            names: &self.files.names,
        }
    }

    /// Reads a member that the class itself declares.
    pub(super) fn read(&mut self, class: ClassId, name: NameId) -> Code {
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
                false => parser::function(text, member.at, names),
            };
            return function.map_or(Code::Unknown, Code::Function);
        }
        let initial = match is_csharp {
            true => cs_parser::initial(text, member.at, names),
            false => parser::initial(text, member.at, names),
        };
        let Some(value) = initial else { return Code::Unknown };
        match member.kind {
            MemberKind::Exported => {
                self.exported(class, name, value).map_or(Code::Unknown, Code::Value)
            }
            _ => Code::Value(value),
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
    fn exported(&self, class: ClassId, name: NameId, initial: Expression) -> Option<Expression> {
        let classes = self.classes();
        let mut values = Vec::new();
        let mut has_initial = false;
        let deriving = self.nodes.iter();
        let deriving = deriving.filter(|(other, _)| classes.chain(**other).any(|it| it == class));
        let mut count = 0;
        let mut seen = alloc::collections::BTreeSet::new();
        for node in deriving.flat_map(|(_, nodes)| nodes) {
            count += 1;
            if count > NODES {
                return None;
            }
            match self.value_in(*node, name) {
                Some(place) if seen.insert(place) => {
                    values.push(self.tree.values.get(index(place))?.clone());
                }
                Some(_) => {}
                None => has_initial = true,
            }
        }
        if has_initial || values.is_empty() {
            // The scenes' values that cannot name a scene are not kept, such as numbers.
            let is_kept = matches!(
                initial,
                Expression::Text(_)
                    | Expression::List(_)
                    | Expression::Map(_)
                    | Expression::Call(..)
                    | Expression::Node(_)
            );
            values.push(if is_kept { initial } else { Expression::Other });
        }
        Some(Expression::OneOf(values))
    }

    /// The value that scenes set for a variable of a node.
    pub(super) fn value_in(&self, node: NodeId, name: NameId) -> Option<u32> {
        let set = &self.tree.set;
        let place =
            set.binary_search_by_key(&(node, name), |(node, name, _)| (*node, *name)).ok()?;
        set.get(place).map(|(_, _, value)| *value)
    }

    pub(super) fn program(&self, autoloads: &[(NameId, Target)]) -> Program {
        let of_target = |target: &Target| match target {
            Target::Script(class) => Some(*class),
            Target::Scene(scene) => {
                let root = self.tree.scenes.get(index(*scene))?.root?;
                match self.tree.node(root)?.script {
                    NodeScript::Class(class) => Some(class),
                    _ => None,
                }
            }
            _ => None,
        };
        Program {
            members: BTreeMap::new(),
            autoloads: autoloads.iter().map(|(name, target)| (*name, of_target(target))).collect(),
            files: self.files.targets(),
        }
    }
}

/// The path of a file to which a script in `file` refers with `preload`.
pub(super) fn relative(file: &str, path: &str) -> Option<String> {
    let path = crate::game::project::path::resolve(file, path)?;
    Some(alloc::format!("res://{path}"))
}
