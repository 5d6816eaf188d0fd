//! The classes in scripts, and their remote methods, in the order of the files.
//!
//! [`gdscript`] and [`csharp`] read the two languages, and add the classes in a text to [`Scripts`].
//! [`engine`] lists the classes of the engine that scripts extend. [`grants`] finds the nodes of which
//! scripts make a client the authority.

mod aliases;
#[cfg(test)]
#[cfg(feature = "std")]
mod altered;
mod cs_effects;
mod cs_expression;
pub(super) mod cs_parser;
pub(super) mod csharp;
pub(super) mod engine;
mod gd_effects;
pub(super) mod gd_parser;
pub(super) mod gdscript;
mod grants;
pub(super) mod syntax;
#[cfg(test)]
mod tests;
mod tokens;
#[cfg(test)]
#[cfg(feature = "std")]
mod words;

pub(super) use super::ids::ClassId;
pub(super) use gd_effects::changes_container;
pub(super) use grants::{Grant, Grants};

use super::ids::{Interner, NameId, index, number};
use super::limits;
use super::problems::ProblemKind;
use crate::value::Kind;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use tokens::Token;

/// A class of a script: the script itself, or a nested class.
#[derive(Debug)]
pub(crate) struct ScriptClass {
    /// The file.
    pub(crate) file: NameId,
    /// The path of the file with `res://`.
    pub(crate) path: NameId,
    pub(crate) line: u32,
    /// Its own name, if it has one.
    pub(crate) name: Option<NameId>,
    /// The enclosing class of a nested class.
    pub(crate) outer: Option<ClassId>,
    pub(crate) extends: Extends,
    /// The remote methods that it declares.
    pub(crate) methods: Vec<RemoteMethod>,
    /// All methods that it declares, each with its parameters if they could be read.
    pub(crate) functions: Vec<(NameId, Option<SignatureId>)>,
    /// Whether a part of it could not be read, or only some builds have that part.
    pub(crate) is_damaged: bool,
    pub(crate) language: Language,
}

/// A remote method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RemoteMethod {
    pub(crate) name: NameId,
    /// How it is declared. None if scripts with these methods declare it differently.
    pub(crate) rpc: Option<RpcConfig>,
    /// Its parameters. None if they could not be read, or if scripts declare them differently.
    pub(crate) parameters: Option<SignatureId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    Gdscript,
    Csharp { namespace: NameId },
}

/// The class that a class extends, as the script names it.
#[derive(Debug)]
pub(crate) enum Extends {
    /// The class does not say what it extends.
    Nothing,
    /// A class by its name, or a nested class by the names of the enclosing classes and its own.
    Names(Vec<NameId>),
    /// The script at this path, or a nested class of it.
    Path(NameId, Vec<NameId>),
}

/// A function, variable or constant of a class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassMember {
    /// The offset in the file after its name; for a method of C#, after its opening parenthesis.
    pub(crate) at: usize,
    pub(crate) kind: MemberKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemberKind {
    Function,
    Constant,
    Variable,
    /// A variable that scenes may set.
    Exported,
}

/// The effects that a script may have at run time. The functions of spawners are followed apart from this.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Effects {
    /// Whether files are loaded whose paths are not literals.
    pub(crate) computes_paths: bool,
    /// Whether paths of files may come from outside the scripts and scenes.
    pub(crate) reads_paths: bool,
    /// Whether synchronizers may be created that are in no scene.
    pub(crate) makes_synchronizers: bool,
    /// Whether spawners may be created that are in no scene, or lists of spawners changed.
    pub(crate) changes_spawners: bool,
    /// Whether an object of a class that is not known gets or loses properties.
    pub(crate) adds_properties: bool,
    /// Whether the configuration of a synchronizer is read.
    pub(crate) reads_configs: bool,
    /// Whether the properties or the roots of synchronizers may be changed.
    pub(crate) changes_properties: bool,
}

/// The functions and properties that change the list of a spawner.
const LIST_CHANGES: &str = "add_spawnable_scene clear_spawnable_scenes _spawnable_scenes \
    AddSpawnableScene ClearSpawnableScenes _SpawnableScenes";

/// The properties of a synchronizer that decide what it sends, and the functions that set them, by
/// the names that scripts pass on.
const CONFIG_CHANGES: &str = "replication_config set_replication_config root_path set_root_path";

/// The places where scripts change one part of spawners.
#[derive(Debug, Default)]
pub(crate) struct SpawnerChanges {
    /// The functions that change it, each with the number of places.
    pub(crate) functions: BTreeMap<(ClassId, NameId), usize>,
    /// Whether it is changed in a place that is not understood.
    pub(crate) elsewhere: bool,
}

/// The text of scripts, and where they change spawners.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The texts of the files, as long as there is room.
    pub(crate) texts: BTreeMap<NameId, Box<str>>,
    pub(crate) bytes: usize,
    pub(crate) members: BTreeMap<(ClassId, NameId), ClassMember>,
    /// The places where scripts assign functions to spawners.
    pub(crate) assigning: SpawnerChanges,
    /// The places where scripts change the lists of spawners.
    pub(crate) listing: SpawnerChanges,
    /// The names of variables that are changed, and the script that does it.
    pub(crate) changed: BTreeSet<(NameId, ClassId)>,
    /// The names of variables of any object that are changed.
    pub(crate) changed_anywhere: BTreeSet<NameId>,
    /// The names of variables of any object whose content is changed if they are containers.
    pub(crate) changed_inside: BTreeSet<NameId>,
    /// Strings that are paths of scenes or parts of them, and the files that have them.
    pub(crate) paths: BTreeSet<(NameId, NameId)>,
    /// The effects of scripts that have any, with their files.
    pub(crate) effects: Vec<(NameId, Effects)>,
}

impl Sources {
    /// Whether a script may do something.
    pub(crate) fn may(&self, has: impl Fn(&Effects) -> bool) -> bool {
        self.first(has).is_some()
    }

    /// The first file of a script that may do something.
    pub(crate) fn first(&self, has: impl Fn(&Effects) -> bool) -> Option<NameId> {
        self.effects.iter().find(|(_, effects)| has(effects)).map(|(file, _)| *file)
    }

    fn add(&mut self, file: NameId, effects: Effects) {
        if effects != Effects::default() {
            self.effects.push((file, effects));
        }
    }

    /// Notes a token in a function: whether it assigns a function to a spawner, or changes a list.
    /// Returns whether it changes a list.
    fn note(
        &mut self,
        token: Token<'_>,
        assigns: bool,
        function: Option<(ClassId, NameId)>,
    ) -> bool {
        let changes_list = match token {
            Token::Name(text) | Token::Text(text) => has_word(LIST_CHANGES, text),
            _ => false,
        };
        for (changes, is_here) in
            [(&mut self.assigning, assigns), (&mut self.listing, changes_list)]
        {
            match function.filter(|_| is_here) {
                Some(function) => *changes.functions.entry(function).or_default() += 1,
                None => changes.elsewhere |= is_here,
            }
        }
        changes_list
    }
}

/// The scripts that files mention, other than as a base class or a type.
#[derive(Debug, Default)]
pub(crate) struct Mentioned {
    /// Names that may be those of classes, each with the first file that mentions it.
    pub(crate) names: BTreeMap<NameId, NameId>,
    /// The mentioning files, and the paths or uids in them.
    pub(crate) paths: BTreeSet<(NameId, NameId)>,
    /// The scripts that may create instances of themselves.
    pub(crate) selves: BTreeSet<ClassId>,
    /// Whether a script loads a file whose path is not a literal.
    pub(crate) loads_any: bool,
    /// Whether a script gives nodes a script that it does not name there.
    pub(crate) gives_any: bool,
}

/// All classes of a project, and the methods that scripts may make remote at run time.
#[derive(Debug, Default)]
pub(crate) struct Scripts {
    pub(crate) classes: Vec<ScriptClass>,
    /// The scripts with a `class_name`; none if several have it.
    pub(crate) global: BTreeMap<NameId, Option<ClassId>>,
    /// The nested classes, by outer class and name.
    pub(crate) inner: BTreeMap<(ClassId, NameId), ClassId>,
    /// The classes of C#, by name and namespace.
    pub(crate) csharp: BTreeMap<(NameId, NameId), ClassId>,
    /// The variables of the classes, each with its kind if the script declares it.
    pub(crate) variables: BTreeMap<(ClassId, NameId), Option<Kind>>,
    pub(crate) signatures: Signatures,
    pub(crate) mentions: Mentioned,
    pub(crate) sources: Sources,
    /// The names in calls of `rpc_config`.
    pub(crate) candidates: BTreeSet<NameId>,
    /// The strings of scripts that call `rpc_config` with something other than a literal.
    pub(crate) loose: BTreeSet<NameId>,
    /// Names in scripts that may be those of methods in another version of the game: those of
    /// functions, and strings.
    pub(crate) words: BTreeSet<NameId>,
    /// The nodes of which scripts make a client the authority.
    pub(crate) grants: Grants,
    /// The number of functions and variables.
    pub(crate) functions: usize,
}

impl Scripts {
    pub(crate) fn add(&mut self, class: ScriptClass) -> ClassId {
        let id = number(self.classes.len());
        self.classes.push(class);
        id
    }

    pub(crate) fn class(&self, id: ClassId) -> Option<&ScriptClass> {
        self.classes.get(index(id))
    }

    fn class_mut(&mut self, id: ClassId) -> Option<&mut ScriptClass> {
        self.classes.get_mut(index(id))
    }

    /// Adds a method, with its configuration if it is remote.
    fn method(
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
            class.methods.extend(rpc.map(|_| RemoteMethod { name, rpc, parameters }));
        }
    }

    /// Adds a name that may be that of a method in another version of the game.
    fn word(&mut self, name: NameId) {
        if self.words.len() < limits::WORDS {
            self.words.insert(name);
        }
    }

    /// Keeps the text of a file, if there is room.
    fn keep(&mut self, file: NameId, text: &str) {
        let bytes = self.sources.bytes.saturating_add(text.len());
        if bytes <= limits::SOURCE_BYTES {
            self.sources.bytes = bytes;
            self.sources.texts.insert(file, text.into());
        }
    }

    /// Adds a variable, with its kind if that is declared.
    fn variable(&mut self, class: ClassId, name: NameId, kind: Option<Kind>) {
        self.functions += 1;
        self.variables.insert((class, name), kind);
    }

    /// The limit that has been reached, if one has been.
    fn limit(&self, names: &Interner) -> Option<ProblemKind> {
        if names.is_full() {
            Some(ProblemKind::Limit("64 MiB of names"))
        } else if self.functions >= limits::NAMES || self.classes.len() >= limits::CLASSES {
            Some(ProblemKind::Limit("4,194,304 functions and variables or 262,144 classes"))
        } else {
            None
        }
    }
}

/// Whether a list of words between spaces has a word.
pub(super) fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|it| it == word)
}

/// Whether a text can be the name of a method.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_part)
}

/// How a remote method is declared: the arguments of `@rpc` or `[Rpc]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct RpcConfig {
    /// Whether any peer may call the method, not only the authority of the node.
    pub any_peer: bool,
    /// Whether a call also runs on the peer that calls.
    pub call_local: bool,
    /// How calls are sent.
    pub transfer: TransferMode,
    /// The channel of calls; none if the script does not give it as a number.
    pub channel: Option<i32>,
}

/// How the calls of a method are sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum TransferMode {
    /// Calls may be lost, and may arrive in another order.
    Unreliable,
    /// Calls may be lost. A call that arrives after a later one is dropped.
    UnreliableOrdered,
    /// Calls arrive in order.
    Reliable,
}

impl RpcConfig {
    /// The configuration of an annotation without arguments.
    const DEFAULT: RpcConfig = RpcConfig {
        any_peer: false,
        call_local: false,
        transfer: TransferMode::Reliable,
        channel: Some(0),
    };
}

/// The number of a signature in [`Signatures`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SignatureId(u32);

/// The parameters of a method.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Signature {
    /// How many arguments a call must have.
    pub(crate) required: usize,
    /// The kind of each parameter, if that is declared.
    pub(crate) kinds: Box<[Option<Kind>]>,
    /// Whether a call may have any further arguments.
    pub(crate) is_variadic: bool,
}

/// The signatures of all methods, each once.
#[derive(Debug, Default)]
pub(crate) struct Signatures {
    ids: BTreeMap<Signature, SignatureId>,
    all: Vec<Signature>,
}

impl Signatures {
    fn add(&mut self, signature: Signature) -> SignatureId {
        if let Some(id) = self.ids.get(&signature) {
            return *id;
        }
        let id = SignatureId(number(self.all.len()));
        self.all.push(signature.clone());
        self.ids.insert(signature, id);
        id
    }

    pub(crate) fn get(&self, id: SignatureId) -> Option<&Signature> {
        self.all.get(index(id.0))
    }
}
