//! The remote methods of scripts, in the order of the files.
//!
//! [`gdscript`] and [`csharp`] read the two languages. Both describe a script as [`Class`]es.

mod cs_runtime;
mod cs_tokens;
pub(super) mod csharp;
pub(super) mod engine;
mod gd_runtime;
mod gd_tokens;
pub(super) mod gdscript;

use super::limits;
use super::names::{NameId, Names};
use super::problems::ProblemKind;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// How a remote method is declared: the arguments of `@rpc` or `[Rpc]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct RpcConfig {
    /// Whether any peer may call it, not only the authority of the node.
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
    /// Calls may be lost, and may overtake each other.
    Unreliable,
    /// Calls may be lost. A call that was overtaken is dropped.
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

/// The number of a class in [`Scripts`].
pub(super) type ClassId = u32;

/// A class of a script: the script itself, or a class in it.
#[derive(Debug)]
pub(super) struct Class {
    /// The file.
    pub(super) file: NameId,
    /// The same with `res://`.
    pub(super) path: NameId,
    pub(super) line: u32,
    /// Its own name, if it has one.
    pub(super) name: Option<NameId>,
    /// The class that it is in.
    pub(super) outer: Option<ClassId>,
    pub(super) extends: Extends,
    /// The remote methods that it declares.
    pub(super) methods: Vec<(NameId, RpcConfig)>,
    /// All methods that it declares.
    pub(super) functions: Vec<NameId>,
    /// Whether a part of it could not be read.
    pub(super) is_damaged: bool,
    pub(super) language: Language,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    Gdscript,
    Csharp { namespace: NameId },
}

/// What a class extends.
#[derive(Debug)]
pub(super) enum Extends {
    /// The class does not say what it extends.
    Nothing,
    /// Classes by their names: each is in the one before it.
    Names(Vec<NameId>),
    /// The script at this path, or classes in it.
    Path(NameId, Vec<NameId>),
}

/// All classes of a project, and what scripts make remote at run time.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    pub(super) classes: Vec<Class>,
    /// The scripts with a `class_name`; none if several have it.
    pub(super) global: BTreeMap<NameId, Option<ClassId>>,
    /// The nested classes, by outer class and name.
    pub(super) inner: BTreeMap<(ClassId, NameId), ClassId>,
    /// The classes of C#, by name and namespace.
    pub(super) csharp: BTreeMap<(NameId, NameId), ClassId>,
    /// The names in calls of `rpc_config`.
    pub(super) candidates: BTreeSet<NameId>,
    /// The strings of scripts that call `rpc_config` with something other than a literal.
    pub(super) loose: BTreeSet<NameId>,
    /// The number of functions.
    pub(super) functions: usize,
}

impl Scripts {
    pub(super) fn add(&mut self, class: Class) -> ClassId {
        let id = ClassId::try_from(self.classes.len()).unwrap_or(ClassId::MAX);
        self.classes.push(class);
        id
    }

    pub(super) fn class(&self, id: ClassId) -> Option<&Class> {
        self.classes.get(usize::try_from(id).ok()?)
    }

    fn class_mut(&mut self, id: ClassId) -> Option<&mut Class> {
        self.classes.get_mut(usize::try_from(id).ok()?)
    }

    /// Adds a method, with its configuration if it is remote.
    fn method(&mut self, class: ClassId, name: NameId, rpc: Option<RpcConfig>) {
        self.functions += 1;
        if let Some(class) = self.class_mut(class) {
            class.functions.push(name);
            class.methods.extend(rpc.map(|rpc| (name, rpc)));
        }
    }

    /// The limit that has been reached, if one has been.
    fn limit(&self, names: &Names) -> Option<ProblemKind> {
        if names.is_full() {
            Some(ProblemKind::Limit("64 MiB of names"))
        } else if self.functions >= limits::NAMES || self.classes.len() >= limits::CLASSES {
            Some(ProblemKind::Limit("4,194,304 functions or 262,144 classes"))
        } else {
            None
        }
    }
}

/// Whether a text can be the name of a method.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_part)
}
