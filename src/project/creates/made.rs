//! The scenes that the functions of spawners create.

use super::assigned::{Assignments, assignments};
use super::code::{Classes, Program, Reader};
use super::evaluate::Evaluator;
use super::value::Value;
use crate::project::files::Target;
use crate::project::ids::{SceneId, SpawnerId};
use crate::project::names::NameId;
use crate::project::script::ClassId;
use crate::view::VariantRef;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// How many steps reading the functions of all spawners may take.
const STEPS: usize = 1 << 23;

/// What the function of a spawner creates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Made {
    /// The scenes of which it may create an instance, each once, sorted.
    pub(crate) scenes: Vec<SceneId>,
    /// What else it may create.
    pub(crate) others: Others,
}

/// What a function may create apart from instances of certain scenes.
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
pub(in crate::project) struct Functions {
    assignments: Assignments,
    program: Program,
}

/// Finds the functions of all spawners, and reads all that they need.
pub(in crate::project) fn functions(
    reader: &mut Reader<'_>,
    autoloads: &[(NameId, Target)],
) -> Functions {
    let assignments = assignments(reader);
    if assignments.of_spawners.is_empty() {
        return Functions { assignments, program: Program::default() };
    }
    let mut program = reader.program(autoloads);
    let mut open: Vec<((ClassId, ClassId), usize)> = Vec::new();
    for assigned in assignments.of_spawners.values().flatten() {
        open.push((assigned.classes, assigned.expression));
    }
    open.sort_unstable();
    open.dedup();
    let mut left = STEPS;
    while !open.is_empty() && left > 0 {
        let mut missing = BTreeSet::new();
        open.retain(|(classes, expression)| {
            let Some((expression, locals)) = assignments.expressions.get(*expression) else {
                return false;
            };
            let mut evaluator = Evaluator::new(&program, reader.classes());
            let before = evaluator.steps;
            let function = evaluator.value_in(*classes, locals, expression);
            evaluator.call(&function, &[]);
            left = left.saturating_sub(before - evaluator.steps + 1);
            let is_open = !evaluator.missing.is_empty();
            missing.extend(evaluator.missing);
            is_open
        });
        for (class, name) in missing {
            let code = reader.read(class, name);
            program.members.insert((class, name), code);
        }
    }
    Functions { assignments, program }
}

impl Functions {
    /// What the function of a spawner creates from an argument, if that is known.
    pub(in crate::project) fn made(
        &self,
        classes: Classes<'_>,
        spawner: SpawnerId,
        argument: Option<&VariantRef<'_>>,
    ) -> Made {
        let anything = Made { scenes: Vec::new(), others: Others::Anything };
        let Some(assigned) = self.assignments.of_spawners.get(&spawner) else { return anything };
        let is_partial = self.assignments.is_partial;
        let others = if is_partial { Others::Anything } else { Others::Nothing };
        let mut made = Made { scenes: Vec::new(), others };
        for assigned in assigned {
            let expression = self.assignments.expressions.get(assigned.expression);
            let Some((expression, locals)) = expression else { return anything };
            let mut evaluator = Evaluator::new(&self.program, classes);
            let function = evaluator.value_in(assigned.classes, locals, expression);
            let given = argument.map_or(Value::Unknown, |argument| Value::given(*argument));
            made.add(&evaluator.call(&function, &[given]));
        }
        made.scenes.sort_unstable();
        made.scenes.dedup();
        made
    }
}

impl Made {
    fn add(&mut self, value: &Value<'_>) {
        match value {
            Value::Scene(scene) => self.scenes.push(*scene),
            Value::Object | Value::Class(_) => self.others = self.others.max(Others::NoScene),
            Value::OneOf(values) => values.iter().for_each(|value| self.add(value)),
            Value::Unknown | Value::Given(_) => self.others = Others::Anything,
            // The engine refuses what is no node.
            Value::Nothing
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Real(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Function(_) => {}
        }
    }
}
