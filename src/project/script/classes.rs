//! The classes in scripts, and their methods.

use super::authority::Grants;
use super::rpc::RpcConfig;
use super::signature::{Signature, SignatureId, Signatures};
use crate::kind::Kind;
pub(in crate::project) use crate::project::ids::ClassId;
use crate::project::limits;
use crate::project::names::{NameId, Names};
use crate::project::problems::ProblemKind;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// A class of a script: the script itself, or a nested class.
#[derive(Debug)]
pub(in crate::project) struct Class {
    /// The file.
    pub(in crate::project) file: NameId,
    /// The path of the file with `res://`.
    pub(in crate::project) path: NameId,
    pub(in crate::project) line: u32,
    /// Its own name, if it has one.
    pub(in crate::project) name: Option<NameId>,
    /// The enclosing class of a nested class.
    pub(in crate::project) outer: Option<ClassId>,
    pub(in crate::project) extends: Extends,
    /// The remote methods that it declares.
    pub(in crate::project) methods: Vec<Method>,
    /// All methods that it declares, each with its parameters if they could be read.
    pub(in crate::project) functions: Vec<(NameId, Option<SignatureId>)>,
    /// Whether a part of it could not be read.
    pub(in crate::project) is_damaged: bool,
    pub(in crate::project) language: Language,
}

/// A remote method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::project) struct Method {
    pub(in crate::project) name: NameId,
    /// How it is declared. None if scripts with these methods declare it differently.
    pub(in crate::project) rpc: Option<RpcConfig>,
    /// Its parameters. None if they could not be read, or if scripts declare them differently.
    pub(in crate::project) parameters: Option<SignatureId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::project) enum Language {
    Gdscript,
    Csharp { namespace: NameId },
}

/// What a class extends.
#[derive(Debug)]
pub(in crate::project) enum Extends {
    /// The class does not say what it extends.
    Nothing,
    /// A class by its name, or a nested class by the names of the enclosing classes and its own.
    Names(Vec<NameId>),
    /// The script at this path, or a nested class of it.
    Path(NameId, Vec<NameId>),
}

/// A function, variable or constant of a class in GDScript.
#[derive(Clone, Copy, Debug)]
pub(in crate::project) struct Member {
    /// The offset in the file after its name.
    pub(in crate::project) at: usize,
    pub(in crate::project) kind: MemberKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::project) enum MemberKind {
    Function,
    Constant,
    Variable,
    /// A variable that scenes may set.
    Exported,
}

/// What scripts may do at run time, apart from calls that functions of spawners make.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::project) struct Effects {
    /// Whether files are loaded whose paths are not literals.
    pub(in crate::project) computes_paths: bool,
    /// Whether paths of files may come from outside the scripts and scenes.
    pub(in crate::project) reads_paths: bool,
    /// Whether synchronizers may be created that are in no scene.
    pub(in crate::project) makes_synchronizers: bool,
    /// Whether an object of a class that is not known gets or loses properties.
    pub(in crate::project) adds_properties: bool,
    /// Whether the properties or the roots of synchronizers may be changed.
    pub(in crate::project) changes_properties: bool,
}

impl Effects {
    /// Adds what another script may do.
    pub(super) fn add(&mut self, other: Effects) {
        self.computes_paths |= other.computes_paths;
        self.reads_paths |= other.reads_paths;
        self.makes_synchronizers |= other.makes_synchronizers;
        self.adds_properties |= other.adds_properties;
        self.changes_properties |= other.changes_properties;
    }
}

/// The text of scripts, and where they assign functions to spawners.
#[derive(Debug, Default)]
pub(in crate::project) struct Sources {
    /// The texts of the files, as long as there is room.
    pub(in crate::project) texts: BTreeMap<NameId, Box<str>>,
    pub(in crate::project) bytes: usize,
    pub(in crate::project) members: BTreeMap<(ClassId, NameId), Member>,
    /// The functions that assign functions to spawners, each with the number of assignments.
    pub(in crate::project) assigning: BTreeMap<(ClassId, NameId), usize>,
    /// Whether a function is assigned to a spawner in a place that is not understood.
    pub(in crate::project) assigns_elsewhere: bool,
    /// The names of variables that are changed, and the script that does it.
    pub(in crate::project) changed: BTreeSet<(NameId, ClassId)>,
    /// The names of variables of any object that are changed.
    pub(in crate::project) changed_anywhere: BTreeSet<NameId>,
    /// Strings that are paths of scenes or parts of them, and the files that have them.
    pub(in crate::project) paths: BTreeSet<(NameId, NameId)>,
    pub(in crate::project) effects: Effects,
}

/// The scripts that files mention, other than as a base class or a type.
#[derive(Debug, Default)]
pub(in crate::project) struct Mentioned {
    /// Names that may be those of classes.
    pub(in crate::project) names: BTreeSet<NameId>,
    /// The mentioning files, and the paths or uids in them.
    pub(in crate::project) paths: BTreeSet<(NameId, NameId)>,
    /// The scripts that may create instances of themselves.
    pub(in crate::project) selves: BTreeSet<ClassId>,
    /// Whether a script loads a file whose path is not a literal.
    pub(in crate::project) loads_any: bool,
    /// Whether a script gives nodes a script that it does not name there.
    pub(in crate::project) gives_any: bool,
}

/// All classes of a project, and the methods that scripts may make remote at run time.
#[derive(Debug, Default)]
pub(in crate::project) struct Scripts {
    pub(in crate::project) classes: Vec<Class>,
    /// The scripts with a `class_name`; none if several have it.
    pub(in crate::project) global: BTreeMap<NameId, Option<ClassId>>,
    /// The nested classes, by outer class and name.
    pub(in crate::project) inner: BTreeMap<(ClassId, NameId), ClassId>,
    /// The classes of C#, by name and namespace.
    pub(in crate::project) csharp: BTreeMap<(NameId, NameId), ClassId>,
    /// The variables of the classes, each with its kind if the script declares it.
    pub(in crate::project) variables: BTreeMap<(ClassId, NameId), Option<Kind>>,
    pub(in crate::project) signatures: Signatures,
    pub(in crate::project) mentions: Mentioned,
    pub(in crate::project) sources: Sources,
    /// The names in calls of `rpc_config`.
    pub(in crate::project) candidates: BTreeSet<NameId>,
    /// The strings of scripts that call `rpc_config` with something other than a literal.
    pub(in crate::project) loose: BTreeSet<NameId>,
    /// Names in scripts that may be those of methods in another version of the game: those of
    /// functions, and strings.
    pub(in crate::project) words: BTreeSet<NameId>,
    /// The nodes of which scripts make a client the authority.
    pub(in crate::project) grants: Grants,
    /// Whether a script may change the properties that synchronizers send.
    pub(in crate::project) changes_synchronizers: bool,
    /// The number of functions and variables.
    pub(in crate::project) functions: usize,
}

impl Scripts {
    pub(in crate::project) fn add(&mut self, class: Class) -> ClassId {
        let id = ClassId::try_from(self.classes.len()).unwrap_or(ClassId::MAX);
        self.classes.push(class);
        id
    }

    pub(in crate::project) fn class(&self, id: ClassId) -> Option<&Class> {
        self.classes.get(usize::try_from(id).ok()?)
    }

    pub(super) fn class_mut(&mut self, id: ClassId) -> Option<&mut Class> {
        self.classes.get_mut(usize::try_from(id).ok()?)
    }

    /// Adds a method, with its configuration if it is remote.
    pub(super) fn method(
        &mut self,
        class: ClassId,
        name: NameId,
        rpc: Option<RpcConfig>,
        parameters: Option<Signature>,
    ) {
        self.functions += 1;
        self.word(name);
        let parameters = parameters.map(|signature| self.signatures.add(signature));
        if let Some(class) = self.class_mut(class) {
            class.functions.push((name, parameters));
            class.methods.extend(rpc.map(|_| Method { name, rpc, parameters }));
        }
    }

    /// Adds a name that may be that of a method in another version of the game.
    pub(super) fn word(&mut self, name: NameId) {
        if self.words.len() < limits::WORDS {
            self.words.insert(name);
        }
    }

    /// Keeps the text of a file, if there is room.
    pub(super) fn keep(&mut self, file: NameId, text: &str) {
        let bytes = self.sources.bytes.saturating_add(text.len());
        if bytes <= limits::SOURCE_BYTES {
            self.sources.bytes = bytes;
            self.sources.texts.insert(file, text.into());
        }
    }

    /// Adds a variable, with its kind if that is declared.
    pub(super) fn variable(&mut self, class: ClassId, name: NameId, kind: Option<Kind>) {
        self.functions += 1;
        self.variables.insert((class, name), kind);
    }

    /// The limit that has been reached, if one has been.
    pub(super) fn limit(&self, names: &Names) -> Option<ProblemKind> {
        if names.is_full() {
            Some(ProblemKind::Limit("64 MiB of names"))
        } else if self.functions >= limits::NAMES || self.classes.len() >= limits::CLASSES {
            Some(ProblemKind::Limit("4,194,304 functions and variables or 262,144 classes"))
        } else {
            None
        }
    }
}

/// Whether a text can be the name of a method.
pub(super) fn is_name(text: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_part)
}
