//! The classes of the engine, Godot 4.1 to 4.7, and the kinds of their properties.
//!
//! A script that extends another class extends a script that is missing, or a class of an extension.
//! Then its list of methods is not certain. A script that extends a class without nodes has no remote
//! methods, because the engine calls only methods of nodes.

use crate::value::Kind;
use core::cmp::Ordering;

/// One line for each class, sorted without regard to case: its name and, for classes of nodes, the class
/// that it inherits and its properties, as `KIND:NAME,NAME`. `tests/engine/classes.py` writes the file.
const CLASSES: &str = include_str!("engine.txt");

/// Whether the engine has a class of nodes with this name. C# spells some of them in another case.
pub(crate) fn is_node_class(name: &str) -> bool {
    line(name).is_some_and(|line| base(line).is_some())
}

/// Whether the engine has a class with this name that is not a node. C# spells some of them in
/// another case, and calls `Object` `GodotObject`.
pub(crate) fn is_other_class(name: &str) -> bool {
    name == "GodotObject" || line(name).is_some_and(|line| base(line).is_none())
}

/// The kind of a property of a class of nodes, or of one that it inherits; none if it is not known.
pub(crate) fn kind_of_property(class: &str, property: &str) -> Option<Kind> {
    let mut classes = core::iter::successors(line(class), |class| line(base(class)?));
    let (kind, _) = classes.find_map(|class| {
        let mut kinds = class.split(' ').filter_map(|words| words.split_once(':'));
        kinds.find(|(_, names)| names.split(',').any(|name| name == property))
    })?;
    Kind::from_name(kind)
}

/// The name of the class that the class of a line inherits; none if it is not a node.
fn base(line: &str) -> Option<&str> {
    line.split(' ').nth(1)
}

/// The line of a class.
fn line(name: &str) -> Option<&'static str> {
    let mut lines = CLASSES;
    while !lines.is_empty() {
        let mut ends = lines.bytes().take(lines.len() / 2);
        let start = ends.rposition(|byte| byte == b'\n').map_or(0, |end| end + 1);
        let (before, from) = lines.split_at(start);
        let (line, after) = from.split_once('\n').unwrap_or((from, ""));
        let found = line.split(' ').next().unwrap_or_default();
        match compare(name, found) {
            Ordering::Less => lines = before,
            Ordering::Equal => return Some(line),
            Ordering::Greater => lines = after,
        }
    }
    None
}

/// The order of the lines.
fn compare(name: &str, other: &str) -> Ordering {
    let [name, other] = [name, other].map(|it| it.bytes().map(|byte| byte.to_ascii_lowercase()));
    name.cmp(other)
}
