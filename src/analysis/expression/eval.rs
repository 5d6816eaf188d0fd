//! Evaluates an expression on a value.
//!
//! A term that gives exactly one value returns it. Other terms pass each of their values to a
//! function, which can stop them early. So no list of values is kept, and nothing is evaluated that
//! is not needed.

use super::functions;
use super::functions::{DEPTH, Evaluated, calculate, compare, holds, negate};
use super::term::{Constant, Function, Step, StepKind, Term, TermKind};
use super::value::{Budget, EvalStop, JsonValue, ValueForm};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Takes the values of a term.
type TakeValue<'t, 'a> = &'t mut dyn FnMut(JsonValue<'a>) -> Result<(), EvalStop>;

/// The value of a term that gives exactly one.
pub fn one<'a>(term: &'a Term, input: &JsonValue<'a>, work: &Budget) -> Evaluated<'a> {
    work.spend(1)?;
    match &term.kind {
        TermKind::Identity => Ok(input.clone()),
        TermKind::Literal(literal) => Ok(value_of(literal)),
        TermKind::Path(start, steps) => {
            let mut value = one(start, input, work)?;
            for step in steps {
                value = take_step(step, &value, input, work)?;
            }
            Ok(value)
        }
        TermKind::Collect(None) => Ok(JsonValue::items(Vec::new())),
        TermKind::Collect(Some(term)) => {
            let mut items = Vec::new();
            collect(term, input, work, &mut items)?;
            Ok(JsonValue::items(items))
        }
        TermKind::Negate(term) => negate(&one(term, input, work)?),
        TermKind::Pipe(terms) => {
            let mut value = input.clone();
            for term in terms {
                value = one(term, &value, work)?;
            }
            Ok(value)
        }
        TermKind::And(terms) => junction(terms, false, input, work),
        TermKind::Or(terms) => junction(terms, true, input, work),
        TermKind::Alternative(left, right) => match one(left, input, work) {
            Ok(value) if value.is_true() => Ok(value),
            Ok(_) | Err(EvalStop::Failed(_)) => one(right, input, work),
            stop => stop,
        },
        TermKind::Compare(left, comparison, right) => {
            let left = one(left, input, work)?;
            let right = one(right, input, work)?;
            Ok(holds(*comparison, &left, &right, work)?.into())
        }
        TermKind::Calculate(left, operation, right) => {
            let left = one(left, input, work)?;
            let right = one(right, input, work)?;
            calculate(&left, *operation, &right, work)
        }
        TermKind::If(branches, otherwise) => {
            for (condition, then) in branches {
                if one(condition, input, work)?.is_true() {
                    return one(then, input, work);
                }
            }
            otherwise.as_ref().map_or_else(|| Ok(input.clone()), |term| one(term, input, work))
        }
        TermKind::Call(function, arguments) => call(*function, arguments, input, work),
        TermKind::Test(regex) => match input.as_text(work)? {
            Some(text) => {
                work.spend(text.len() / 16)?;
                Ok(regex.is_match(&text).into())
            }
            None => {
                Err(EvalStop::failed(format!("cannot match a regular expression with {input}")))
            }
        },
        // These terms may give several values, so this is never called for them.
        TermKind::Recurse | TermKind::Comma(_) | TermKind::Try(_) => Ok(JsonValue::NULL),
    }
}

/// Passes each value of a term to a function.
pub fn each<'a>(
    term: &'a Term,
    input: &JsonValue<'a>,
    work: &Budget,
    take: TakeValue<'_, 'a>,
) -> Result<(), EvalStop> {
    if term.is_single {
        return take(one(term, input, work)?);
    }
    work.spend(1)?;
    match &term.kind {
        TermKind::Recurse => recurse(input, work, take),
        TermKind::Path(start, steps) => {
            each(start, input, work, &mut |value| each_step(steps, &value, input, work, take))
        }
        TermKind::Negate(term) => each(term, input, work, &mut |value| take(negate(&value)?)),
        TermKind::Try(term) => guard(take, |take| each(term, input, work, take)),
        TermKind::Pipe(terms) => each_of_pipe(terms, input, work, take),
        TermKind::Comma(terms) => terms.iter().try_for_each(|term| each(term, input, work, take)),
        TermKind::And(terms) => each_of_junction(terms, false, input, work, take),
        TermKind::Or(terms) => each_of_junction(terms, true, input, work, take),
        TermKind::Alternative(left, right) => {
            let mut is_found = false;
            let mut take_true = |value: JsonValue<'a>| {
                if !value.is_true() {
                    return Ok(());
                }
                is_found = true;
                take(value)
            };
            guard(&mut take_true, |take| each(left, input, work, take))?;
            if is_found { Ok(()) } else { each(right, input, work, take) }
        }
        // As in jq, the right side is the outer loop.
        TermKind::Compare(left, comparison, right) => each(right, input, work, &mut |right| {
            each(left, input, work, &mut |left| {
                take(holds(*comparison, &left, &right, work)?.into())
            })
        }),
        TermKind::Calculate(left, operation, right) => each(right, input, work, &mut |right| {
            each(left, input, work, &mut |left| take(calculate(&left, *operation, &right, work)?))
        }),
        TermKind::If(branches, otherwise) => {
            each_branch(branches, otherwise.as_deref(), input, work, take)
        }
        TermKind::Call(function, arguments) => {
            each_of_call(*function, arguments, input, work, take)
        }
        TermKind::Identity | TermKind::Literal(_) | TermKind::Collect(_) | TermKind::Test(_) => {
            take(one(term, input, work)?)
        }
    }
}

/// Adds each value of a term to a list.
fn collect<'a>(
    term: &'a Term,
    input: &JsonValue<'a>,
    work: &Budget,
    items: &mut Vec<JsonValue<'a>>,
) -> Result<(), EvalStop> {
    each(term, input, work, &mut |value| {
        items.push(value);
        Ok(())
    })
}

/// Calls `run` and ignores its failures. Failures of `take` are returned.
fn guard<'a>(
    take: TakeValue<'_, 'a>,
    run: impl FnOnce(TakeValue<'_, 'a>) -> Result<(), EvalStop>,
) -> Result<(), EvalStop> {
    let mut later = None;
    let result = run(&mut |value| {
        take(value).map_err(|stop| {
            later = Some(stop);
            EvalStop::Enough
        })
    });
    match (later, result) {
        (Some(stop), _) => Err(stop),
        (None, Err(EvalStop::Failed(_))) => Ok(()),
        (None, result) => result,
    }
}

fn each_of_pipe<'a>(
    terms: &'a [Term],
    input: &JsonValue<'a>,
    work: &Budget,
    take: TakeValue<'_, 'a>,
) -> Result<(), EvalStop> {
    let Some((first, rest)) = terms.split_first() else { return take(input.clone()) };
    each(first, input, work, &mut |value| each_of_pipe(rest, &value, work, take))
}

fn each_of_junction<'a>(
    terms: &'a [Term],
    decides: bool,
    input: &JsonValue<'a>,
    work: &Budget,
    take: TakeValue<'_, 'a>,
) -> Result<(), EvalStop> {
    let Some((first, rest)) = terms.split_first() else { return take((!decides).into()) };
    each(first, input, work, &mut |value| {
        if value.is_true() == decides {
            return take(decides.into());
        }
        each_of_junction(rest, decides, input, work, take)
    })
}

fn junction<'a>(
    terms: &'a [Term],
    decides: bool,
    input: &JsonValue<'a>,
    work: &Budget,
) -> Evaluated<'a> {
    for term in terms {
        if one(term, input, work)?.is_true() == decides {
            return Ok(decides.into());
        }
    }
    Ok((!decides).into())
}

fn each_branch<'a>(
    branches: &'a [(Term, Term)],
    otherwise: Option<&'a Term>,
    input: &JsonValue<'a>,
    work: &Budget,
    take: TakeValue<'_, 'a>,
) -> Result<(), EvalStop> {
    let Some(((condition, then), rest)) = branches.split_first() else {
        return match otherwise {
            Some(term) => each(term, input, work, take),
            None => take(input.clone()),
        };
    };
    each(condition, input, work, &mut |value| {
        if value.is_true() {
            return each(then, input, work, take);
        }
        each_branch(rest, otherwise, input, work, take)
    })
}

/// Passes a value and all values in it to `take`, each before those inside it.
fn recurse<'a>(
    input: &JsonValue<'a>,
    work: &Budget,
    take: TakeValue<'_, 'a>,
) -> Result<(), EvalStop> {
    take(input.clone())?;
    let mut open: Vec<_> = input.children().into_iter().collect();
    while let Some(children) = open.last_mut() {
        work.spend(1)?;
        match children.next() {
            Some(value) => {
                // Finding the next child reads over this one again, at each level.
                work.spend(open.len())?;
                open.extend(value.children());
                take(value)?;
            }
            None => drop(open.pop()),
        }
    }
    Ok(())
}

/// A step that gives exactly one value.
fn take_step<'a>(
    step: &'a Step,
    value: &JsonValue<'a>,
    input: &JsonValue<'a>,
    work: &Budget,
) -> Evaluated<'a> {
    match &step.kind {
        StepKind::Field(name) => field(value, name, work),
        StepKind::Index(index) => {
            let index = one(index, input, work)?;
            indexed(value, &index, work)
        }
        // This term may give several values, so this is never called for it.
        StepKind::Each => Ok(JsonValue::NULL),
    }
}

fn each_step<'a>(
    steps: &'a [Step],
    value: &JsonValue<'a>,
    input: &JsonValue<'a>,
    work: &Budget,
    take: TakeValue<'_, 'a>,
) -> Result<(), EvalStop> {
    let Some((step, rest)) = steps.split_first() else { return take(value.clone()) };
    let mut next = |value: JsonValue<'a>| each_step(rest, &value, input, work, take);
    let run = |take: TakeValue<'_, 'a>| match &step.kind {
        StepKind::Field(name) => take(field(value, name, work)?),
        StepKind::Index(index) => {
            each(index, input, work, &mut |index| take(indexed(value, &index, work)?))
        }
        StepKind::Each => {
            let children = value.children();
            let mut children =
                children.ok_or_else(|| EvalStop::failed(format!("cannot iterate over {value}")))?;
            children.try_for_each(|value| {
                work.spend(1)?;
                take(value)
            })
        }
    };
    if step.is_optional { guard(&mut next, run) } else { run(&mut next) }
}

fn value_of(literal: &Constant) -> JsonValue<'_> {
    JsonValue(match literal {
        Constant::Null => ValueForm::Null,
        Constant::Bool(content) => ValueForm::Bool(*content),
        Constant::Int(number) => ValueForm::Int(*number),
        Constant::Real(number) => ValueForm::Real(*number),
        Constant::Text(text) => ValueForm::Text(Cow::Borrowed(text)),
    })
}

/// Calls a function that gives exactly one value.
fn call<'a>(
    function: Function,
    arguments: &'a [Term],
    input: &JsonValue<'a>,
    work: &Budget,
) -> Evaluated<'a> {
    match (function, arguments) {
        (Function::Map, [term]) => {
            let mut items = Vec::new();
            for child in functions::children(input)? {
                work.spend(1)?;
                collect(term, &child, work, &mut items)?;
            }
            Ok(JsonValue::items(items))
        }
        (Function::AnyOf | Function::AllOf, [condition]) => {
            let decides = function == Function::AnyOf;
            for child in functions::children(input)? {
                work.spend(1)?;
                if finds(condition, &child, work, &mut |it| Ok(it.is_true() == decides))? {
                    return Ok(decides.into());
                }
            }
            Ok((!decides).into())
        }
        (Function::AnyIn | Function::AllIn, [values, condition]) => {
            let decides = function == Function::AnyIn;
            let is_found = finds(values, input, work, &mut |value| {
                finds(condition, value, work, &mut |it| Ok(it.is_true() == decides))
            })?;
            Ok((is_found == decides).into())
        }
        (Function::In, [values]) => {
            let is_same = |value: &JsonValue<'a>| {
                Ok(compare(value, input, work, DEPTH)? == Some(Ordering::Equal))
            };
            Ok(finds(values, input, work, &mut { is_same })?.into())
        }
        (Function::IsEmpty, [term]) => Ok((!finds(term, input, work, &mut |_| Ok(true))?).into()),
        (_, [argument]) => {
            let argument = one(argument, input, work)?;
            functions::with_argument(function, input, &argument, work)
        }
        _ => functions::plain(function, input, work),
    }
}

/// Passes each value that the function of an expression gives to `take`.
fn each_of_call<'a>(
    function: Function,
    arguments: &'a [Term],
    input: &JsonValue<'a>,
    work: &Budget,
    take: TakeValue<'_, 'a>,
) -> Result<(), EvalStop> {
    match (function, arguments) {
        (Function::Empty, _) => Ok(()),
        (Function::Values, _) => {
            if matches!(input.0, ValueForm::Null) {
                Ok(())
            } else {
                take(input.clone())
            }
        }
        (Function::Select, [condition]) => each(condition, input, work, &mut |it| {
            if it.is_true() { take(input.clone()) } else { Ok(()) }
        }),
        (Function::FirstOf, [term]) => {
            let mut first = None;
            finds(term, input, work, &mut |value| {
                first = Some(value.clone());
                Ok(true)
            })?;
            first.map_or(Ok(()), take)
        }
        (_, [argument]) => each(argument, input, work, &mut |argument| {
            take(functions::with_argument(function, input, &argument, work)?)
        }),
        _ => take(functions::plain(function, input, work)?),
    }
}

/// Whether a term gives a value for which `is_it` holds. The evaluation stops at the first such
/// value.
fn finds<'a>(
    term: &'a Term,
    input: &JsonValue<'a>,
    work: &Budget,
    is_it: &mut dyn FnMut(&JsonValue<'a>) -> Result<bool, EvalStop>,
) -> Result<bool, EvalStop> {
    let mut is_found = false;
    let result = each(term, input, work, &mut |value| {
        is_found = is_it(&value)?;
        if is_found { Err(EvalStop::Enough) } else { Ok(()) }
    });
    match result {
        Err(EvalStop::Enough) if is_found => Ok(true),
        result => result.map(|()| false),
    }
}

/// The field with a name.
pub fn field<'a>(value: &JsonValue<'a>, name: &str, work: &Budget) -> Evaluated<'a> {
    value
        .field(name, work)?
        .ok_or_else(|| EvalStop::failed(format!("{value} has no field {name:?}")))
}

/// The field or the element that a value names.
#[expect(clippy::cast_possible_truncation, reason = "an index beyond all arrays stays beyond them")]
pub fn indexed<'a>(value: &JsonValue<'a>, index: &JsonValue<'_>, work: &Budget) -> Evaluated<'a> {
    if let Some(name) = index.as_text(work)? {
        return field(value, &name, work);
    }
    let number = match index.0 {
        ValueForm::Int(number) => Some(number),
        ValueForm::Real(number) => Some(number.floor() as i128),
        _ => None,
    };
    let element = match number {
        Some(number) => value.element(number, work)?,
        None => None,
    };
    element.ok_or_else(|| EvalStop::failed(format!("cannot index {value} with {index}")))
}
