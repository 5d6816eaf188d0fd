//! Finds the functions that scripts assign to spawners.

use super::{Code, MemberReader};
use crate::game::project::ids::{NameId, SpawnerId, index};
use crate::game::project::script::ClassId;
use crate::game::project::script::syntax::{Expr, ScriptFunction, Statement};
use crate::game::project::tree::{NodeId, TreeRole};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

/// How many nodes are looked at in all, and how many functions are kept.
const NODES: usize = 1 << 17;
const FUNCTIONS: usize = 1 << 12;

/// A function that is assigned to a spawner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Assigned {
    /// The class of the node whose script assigns it, and the class that declares the assignment.
    pub(super) classes: (ClassId, ClassId),
    /// This node, if scenes set variables of it.
    pub(super) node: Option<NodeId>,
    /// An index into the expressions.
    pub(super) expression: usize,
}

/// The functions that scripts assign to spawners.
#[derive(Debug, Default)]
pub(crate) struct Assignments {
    pub(super) of_spawners: BTreeMap<SpawnerId, BTreeSet<Assigned>>,
    /// Each assigned value, and the local variables around it.
    pub(super) expressions: Vec<(Expr, Box<[NameId]>)>,
    /// Whether some assignments could not be read, so that any spawner may have further functions.
    pub(super) is_partial: bool,
}

/// An assignment in a function.
struct SpawnFunction<'f> {
    /// None for the object itself.
    receiver: Option<&'f Expr>,
    value: &'f Expr,
}

/// Finds the assignments in all scripts.
pub(crate) fn assignments(reader: &mut MemberReader<'_>) -> Assignments {
    let sources = &mut reader.files.resources.scripts.sources;
    let assigning = core::mem::take(&mut sources.assigning);
    let mut found = Assignments { is_partial: assigning.elsewhere, ..Assignments::default() };
    let mut left = NODES;
    for ((class, name), count) in assigning.functions {
        if found.expressions.len() >= FUNCTIONS {
            found.is_partial = true;
            break;
        }
        let Code::Function(function) = reader.read(class, name) else {
            found.is_partial = true;
            continue;
        };
        let mut search = AssignmentSearch {
            names: [
                reader.files.names.add("spawn_function"),
                reader.files.names.add("set_spawn_function"),
                reader.files.names.add("self"),
            ],
            found: Vec::new(),
            locals: function.parameters.clone(),
        };
        search.block(&function.body);
        found.is_partial |= search.found.len() < count;
        let locals: Box<[NameId]> = search.locals.into();
        for SpawnFunction { receiver, value } in search.found {
            let expression = found.expressions.len();
            found.expressions.push((value.clone(), locals.clone()));
            let is_read =
                resolve(reader, class, &function, &locals, receiver, &mut left, |spawner, of| {
                    let (own, node) = of;
                    let of_spawner = found.of_spawners.entry(spawner).or_default();
                    of_spawner.insert(Assigned { classes: (own, class), node, expression });
                });
            found.is_partial |= !is_read;
        }
    }
    found
}

/// Looks for assignments in the statements of a function.
struct AssignmentSearch<'f> {
    /// `spawn_function`, `set_spawn_function` and `self`.
    names: [NameId; 3],
    found: Vec<SpawnFunction<'f>>,
    locals: Vec<NameId>,
}

impl<'f> AssignmentSearch<'f> {
    fn block(&mut self, block: &'f [Statement]) {
        for statement in block {
            match statement {
                Statement::Declare(name, value) => {
                    self.locals.push(*name);
                    self.expression(value);
                }
                Statement::Assign(target, value) => {
                    match target {
                        Expr::Name(name) if *name == self.names[0] => {
                            self.found.push(SpawnFunction { receiver: None, value });
                        }
                        Expr::Member(receiver, name) if *name == self.names[0] => {
                            self.add(receiver, value);
                        }
                        _ => {}
                    }
                    self.expression(value);
                }
                Statement::If(branches, otherwise) => {
                    for (condition, body) in branches {
                        self.expression(condition);
                        self.block(body);
                    }
                    self.block(otherwise);
                }
                Statement::Match(value, arms) => {
                    self.expression(value);
                    arms.iter().for_each(|arm| self.block(&arm.body));
                }
                Statement::Loop(variable, body) => {
                    self.locals.extend(variable.iter().map(|(name, _)| *name));
                    self.block(body);
                }
                Statement::Leave => {}
                Statement::Return(value) | Statement::Do(value) => self.expression(value),
            }
        }
    }

    fn add(&mut self, receiver: &'f Expr, value: &'f Expr) {
        let is_self = matches!(receiver, Expr::Name(name) if *name == self.names[2]);
        self.found.push(SpawnFunction { receiver: (!is_self).then_some(receiver), value });
    }

    /// Looks for calls of `set_spawn_function`, and for functions.
    fn expression(&mut self, expression: &'f Expr) {
        match expression {
            Expr::Call(function, arguments) => match (&**function, &**arguments) {
                (Expr::Name(name), [value]) if *name == self.names[1] => {
                    self.found.push(SpawnFunction { receiver: None, value });
                }
                (Expr::Member(receiver, name), [value]) if *name == self.names[1] => {
                    self.add(receiver, value);
                }
                _ => {}
            },
            Expr::Function(function) => {
                self.locals.extend(&function.parameters);
                self.block(&function.body);
            }
            _ => {}
        }
        expression.parts().into_iter().for_each(|part| self.expression(part));
    }
}

/// Passes the spawners that a receiver is, each with the class of the node whose script assigns, and
/// with this node if scenes set variables of it, to `take`. A receiver that is not understood is expected
/// to be a spawner without any other function. Returns false if there are too many nodes.
fn resolve(
    reader: &mut MemberReader<'_>,
    class: ClassId,
    function: &ScriptFunction,
    locals: &[NameId],
    receiver: Option<&Expr>,
    left: &mut usize,
    mut take: impl FnMut(SpawnerId, (ClassId, Option<NodeId>)),
) -> bool {
    let way = match receiver {
        None => SpawnerPath::Own,
        Some(receiver) => match way(reader, class, function, locals, receiver, 2) {
            Some(way) => way,
            None => return true,
        },
    };
    for (own, node) in reader.nodes_of(class) {
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        let Some(to) = follow(reader, node, &way, left) else { continue };
        if let Some(TreeRole::Spawner(spawner)) = reader.tree.node(to).map(|node| node.role) {
            take(spawner, (own, Some(node).filter(|node| reader.is_set(*node))));
        }
    }
    *left > 0
}

/// The way from a node to a spawner.
enum SpawnerPath {
    Own,
    Path(String),
    /// The path is the value of an exported variable.
    Exported(NameId),
}

fn way(
    reader: &mut MemberReader<'_>,
    class: ClassId,
    function: &ScriptFunction,
    locals: &[NameId],
    receiver: &Expr,
    depth: u8,
) -> Option<SpawnerPath> {
    let depth = depth.checked_sub(1)?;
    match receiver {
        Expr::Node(path) => Some(SpawnerPath::Path(String::from(&**path))),
        Expr::Call(get, arguments) => match (&**get, &**arguments) {
            (Expr::Name(get), [Expr::Text(path)])
                if matches!(reader.files.names.text(*get), "get_node" | "get_node_or_null") =>
            {
                Some(SpawnerPath::Path(String::from(&**path)))
            }
            _ => None,
        },
        Expr::Name(name) if locals.contains(name) => {
            let value = only_value(function, locals, *name)?;
            way(reader, class, function, &[], value, depth)
        }
        Expr::Name(name) => {
            let (declared, member) = reader.classes().declaring(class, *name)?;
            // `_ready` may set the variable before it uses it.
            if let Some(value) = only_assigned(function, *name) {
                return way(reader, class, function, &[], value, depth);
            }
            match (member.kind, reader.read(declared, *name)) {
                (_, Code::Exported(_)) => Some(SpawnerPath::Exported(*name)),
                (_, Code::Value(value)) => way(reader, class, function, &[], &value, depth),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The value of a local variable that is declared once in the outermost block of a function, and
/// never changed.
fn only_value<'f>(
    function: &'f ScriptFunction,
    locals: &[NameId],
    name: NameId,
) -> Option<&'f Expr> {
    let is_only = locals.iter().filter(|local| **local == name).count() == 1;
    if !is_only || assignments_of(&function.body, name) > 0 {
        return None;
    }
    function.body.iter().find_map(|statement| match statement {
        Statement::Declare(declared, value) if *declared == name => Some(value),
        _ => None,
    })
}

/// The value that a function assigns to a variable of the object, if it does that once and in its
/// outermost block.
fn only_assigned(function: &ScriptFunction, name: NameId) -> Option<&Expr> {
    let mut block = function.body.iter();
    let found = block.find_map(|statement| match statement {
        Statement::Assign(Expr::Name(target), value) if *target == name => Some(value),
        _ => None,
    });
    found.filter(|_| assignments_of(&function.body, name) == 1)
}

/// How often statements assign to a variable.
fn assignments_of(block: &[Statement], name: NameId) -> usize {
    let of = |statement: &Statement| match statement {
        Statement::Assign(Expr::Name(target), _) => usize::from(*target == name),
        other => other.blocks().into_iter().map(|block| assignments_of(block, name)).sum(),
    };
    block.iter().map(of).sum()
}

/// The node to which a way leads.
fn follow(
    reader: &MemberReader<'_>,
    from: NodeId,
    way: &SpawnerPath,
    left: &mut usize,
) -> Option<NodeId> {
    let names = &reader.files.names;
    match way {
        SpawnerPath::Own => Some(from),
        SpawnerPath::Path(path) => reader.tree.resolve(from, path, names, left),
        SpawnerPath::Exported(name) => {
            let value = reader.value_in(from, *name)?;
            match reader.tree.values.get(index(value))? {
                Expr::Text(path) => reader.tree.resolve(from, path, names, left),
                _ => None,
            }
        }
    }
}
