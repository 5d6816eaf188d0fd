//! The scenes that the functions of spawners create.

use super::assigned::{Assigned, Assignments, assignments};
use super::code::{Classes, Program, Reader};
use super::evaluate::Evaluator;
use super::value::Value;
use crate::game::project::files::Target;
use crate::game::project::ids::{SceneId, SpawnerId};
use crate::game::project::names::NameId;
use crate::game::project::script::ClassId;
use crate::value::VariantRef;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// How many steps reading the functions of all spawners may take.
const STEPS: usize = 1 << 23;
/// How many steps following one function may take.
const STEPS_OF_FUNCTION: usize = 20_000;
/// How many steps the functions of a spawner may take for the argument in one packet. Those of real
/// games take less than a hundred.
const STEPS_OF_SPAWN: usize = 1_000;
/// A spawner with more functions than this may create anything.
const FUNCTIONS: usize = 64;

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
pub(crate) struct Functions {
    assignments: Assignments,
    program: Program,
    /// What the assigned functions create from any argument, by the classes and the number of the
    /// assigned expression.
    made: BTreeMap<((ClassId, ClassId), usize), OfFunction>,
}

/// What a function creates.
#[derive(Debug)]
struct OfFunction {
    made: Made,
    /// Whether that may depend on the argument.
    uses_argument: bool,
}

/// Finds the functions of all spawners, and reads all that they need.
pub(crate) fn functions(reader: &mut Reader<'_>, autoloads: &[(NameId, Target)]) -> Functions {
    let assignments = assignments(reader);
    if assignments.of_spawners.is_empty() {
        return Functions { assignments, ..Functions::default() };
    }
    let mut program = reader.program(autoloads);
    let mut open: Vec<((ClassId, ClassId), usize)> = Vec::new();
    for assigned in assignments.of_spawners.values().flatten() {
        open.push((assigned.classes, assigned.expression));
    }
    open.sort_unstable();
    open.dedup();
    let mut left = STEPS;
    let mut made = BTreeMap::new();
    while !open.is_empty() && left > 0 {
        let mut missing = BTreeSet::new();
        open.retain(|(classes, number)| {
            let Some((expression, locals)) = assignments.expressions.get(*number) else {
                return false;
            };
            let mut evaluator = Evaluator::new(&program, reader.classes(), STEPS_OF_FUNCTION);
            let place = (*classes, *number);
            let function = evaluator.value_in(*classes, locals, expression);
            let result = evaluator.call(&function, &[]);
            left = left.saturating_sub(STEPS_OF_FUNCTION - evaluator.steps + 1);
            let is_open = !evaluator.missing.is_empty();
            if !is_open {
                let uses_argument = evaluator.uses_arguments || evaluator.steps == 0;
                made.insert(place, OfFunction { made: Made::of(&result), uses_argument });
            }
            missing.extend(evaluator.missing);
            is_open
        });
        for (class, name) in missing {
            let code = reader.read(class, name);
            program.members.insert((class, name), code);
        }
    }
    Functions { assignments, program, made }
}

impl Functions {
    /// What the function of a spawner creates from an argument, if that is known.
    pub(crate) fn made(
        &self,
        classes: Classes<'_>,
        spawner: SpawnerId,
        argument: Option<&VariantRef<'_>>,
    ) -> Made {
        let of_spawner = self.assignments.of_spawners.get(&spawner);
        let Some(assigned) = of_spawner.filter(|all| all.len() <= FUNCTIONS) else {
            return Made::anything();
        };
        let mut made = Made { scenes: Vec::new(), others: Others::Nothing };
        let mut steps = STEPS_OF_SPAWN;
        for assigned in assigned {
            let Some(of_function) = self.made.get(&(assigned.classes, assigned.expression)) else {
                return Made::anything();
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

    /// What a function returns for an argument.
    fn result<'c>(
        &'c self,
        classes: Classes<'c>,
        assigned: &Assigned,
        argument: &VariantRef<'c>,
        steps: &mut usize,
    ) -> Value<'c> {
        let Some((expression, locals)) = self.assignments.expressions.get(assigned.expression)
        else {
            return Value::Unknown;
        };
        let mut evaluator = Evaluator::new(&self.program, classes, *steps);
        let function = evaluator.value_in(assigned.classes, locals, expression);
        let result = evaluator.call(&function, &[Value::given(*argument)]);
        *steps = evaluator.steps;
        result
    }
}

impl Made {
    const fn anything() -> Made {
        Made { scenes: Vec::new(), others: Others::Anything }
    }

    /// What a function creates that returns this.
    fn of(value: &Value<'_>) -> Made {
        let mut made = Made { scenes: Vec::new(), others: Others::Nothing };
        made.add(value);
        made
    }

    /// Adds what another function may create.
    fn join(&mut self, other: &Made) {
        self.scenes.extend(&other.scenes);
        self.others = self.others.max(other.others);
    }

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
