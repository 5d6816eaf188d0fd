//! Whether a game takes the calls of bots: what its scripts say about the methods.

use super::script::ScriptedCall;
use crate::game::multiplayer::{Names, accepts};
use crate::game::project::Parameters;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// How many names an error lists.
const NEAR: usize = 8;

/// A method that cannot be called, because the names do not have it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{problem}")]
#[non_exhaustive]
pub struct UnknownMethod {
    /// The path of the node, as it was written.
    pub path: String,
    /// The name of the method.
    pub method: String,
    /// A sentence that names both and says what is not known.
    pub problem: String,
}

impl ScriptedCall {
    /// Checks that the names have the method, as Godot 4 needs. Paths with placeholders are not checked, nor
    /// are those of nodes that a spawner may add, which are known once they are spawned.
    ///
    /// # Errors
    ///
    /// The node or the method is not known: no names were given, or they lack it. The error lists
    /// similar names.
    pub fn check(&self, names: Option<&Names>) -> Result<(), UnknownMethod> {
        let (path, method) = (&*self.path.text, &*self.method);
        let unknown = |problem| {
            let (path, method) = (path.to_owned(), method.to_owned());
            Err(UnknownMethod { path, method, problem })
        };
        let Some(names) = names else {
            return unknown(format!(
                "{path}.{method}: Godot 4 calls methods by their numbers, which come from the \
                 game's project or from a list of methods"
            ));
        };
        if !self.path.is_fixed() || names.number(path, method).is_some() {
            return Ok(());
        }
        let known: Vec<_> = (0..=u16::MAX).map_while(|it| names.method(path, it)).collect();
        if known.is_empty() && names.project().is_some_and(|project| project.may_spawn(path)) {
            return Ok(());
        }
        if known.is_empty() {
            let patterns = nearest(path, names.patterns().collect());
            let listed =
                if patterns.is_empty() { String::new() } else { format!("; listed: {patterns}") };
            return unknown(format!("the node {path} has no known remote methods{listed}"));
        }
        let near = nearest(method, known);
        unknown(format!("the node {path} has no remote method {method}; it has {near}"))
    }

    /// Why a game of Godot 4 with these names most likely ignores the call. A script says how many arguments a
    /// method takes and whether clients may call it, and often the types of the arguments. None if that is not
    /// known, and for paths with placeholders.
    #[must_use]
    pub fn doubt(&self, names: &Names) -> Option<String> {
        let (path, method) = (&*self.path.text, &*self.method);
        // A list has only names.
        if !self.path.is_fixed() || names.pattern_of(path).is_some() {
            return None;
        }
        let project = names.project()?;
        let list = project.list(project.node(path)?.list?);
        let (index, false) = list.find(method)? else { return None };
        if let Some(problem) = list.parameters(index).and_then(|takes| self.misfit(takes)) {
            return Some(format!("{path}.{method}: {problem}"));
        }
        let is_for_all = list.rpc_config(index).is_none_or(|config| config.any_peer);
        (!is_for_all).then(|| {
            format!(
                "{path}.{method}: only the authority of the node may call it, because its @rpc lacks \
                 \"any_peer\""
            )
        })
    }
}

impl ScriptedCall {
    /// Why a method with these parameters does not take the arguments.
    fn misfit(&self, takes: Parameters<'_>) -> Option<String> {
        let (count, most) = (self.kinds.len(), takes.kinds.len());
        let wrong_count = |limit: fmt::Arguments<'_>| {
            format!("the number of arguments is {count}, but must be {limit}")
        };
        if count < takes.required {
            return Some(wrong_count(format_args!("at least {}", takes.required)));
        }
        if count > most && !takes.is_variadic {
            return Some(wrong_count(format_args!("at most {most}")));
        }
        (1..).zip(takes.kinds.iter().zip(&self.kinds)).find_map(|(place, (declared, given))| {
            let declared = declared.filter(|declared| !accepts(*declared, *given))?;
            Some(format!("argument {place} is of type {given}, but must be of type {declared}"))
        })
    }
}

/// The names that are most like another one.
fn nearest(name: &str, mut names: Vec<&str>) -> String {
    names.sort_by_cached_key(|other| distance(name, other));
    let more = names.len().saturating_sub(NEAR);
    names.truncate(NEAR);
    let mut listed = names.join(", ");
    if more > 0 {
        listed += &format!(" and {more} more");
    }
    listed
}

/// How many characters have to be changed, added or removed to make one name the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (at, from) in one.chars().enumerate() {
        let mut diagonal = at;
        let mut left = at.saturating_add(1);
        let mut cells = row.iter_mut();
        if let Some(first) = cells.next() {
            *first = left;
        }
        for (cell, to) in cells.zip(other.chars()) {
            let changed = diagonal.saturating_add(usize::from(from != to));
            diagonal = *cell;
            left = changed.min(left.saturating_add(1)).min(diagonal.saturating_add(1));
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(0)
}
