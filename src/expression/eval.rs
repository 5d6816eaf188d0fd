//! Evaluates an expression on a value.
//!
//! A term that gives exactly one value returns it. Another one passes each of its values to a
//! function, which may end it early; so no list of them is kept, and nothing runs on unasked.

use super::functions;
use super::term::{Comparison, Literal, Operation, Step, StepKind, Term, TermKind};
use super::value::{Form, Value, compare};
use super::work::{Stop, Work};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The longest text that an expression may make, in bytes.
const TEXT: usize = 1 << 20;

/// How deeply values may be nested to be compared.
pub(super) const DEPTH: u8 = 100;

pub(super) type One<'a> = Result<Value<'a>, Stop>;

/// Takes the values of a term.
pub(super) type Take<'t, 'a> = &'t mut dyn FnMut(Value<'a>) -> Result<(), Stop>;

/// The value of a term that gives exactly one.
pub(super) fn one<'a>(term: &'a Term, input: &Value<'a>, work: &Work) -> One<'a> {
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
        TermKind::Collect(None) => Ok(Value::items(Vec::new())),
        TermKind::Collect(Some(term)) => {
            let mut items = Vec::new();
            each(term, input, work, &mut |value| {
                items.push(value);
                Ok(())
            })?;
            Ok(Value::items(items))
        }
        TermKind::Negate(term) => functions::negate(&one(term, input, work)?),
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
            Ok(_) | Err(Stop::Failed(_)) => one(right, input, work),
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
        TermKind::Call(function, arguments) => functions::call(*function, arguments, input, work),
        TermKind::Test(regex) => match input.as_text(work)? {
            Some(text) => {
                work.spend(text.len() / 16)?;
                Ok(regex.is_match(&text).into())
            }
            None => Err(Stop::failed(format!("cannot match a regular expression with {input}"))),
        },
        // They may give several values, so nobody asks for one.
        TermKind::Recurse | TermKind::Comma(_) | TermKind::Try(_) => Ok(Value::NULL),
    }
}

/// Passes each value of a term to a function.
pub(super) fn each<'a>(
    term: &'a Term,
    input: &Value<'a>,
    work: &Work,
    take: Take<'_, 'a>,
) -> Result<(), Stop> {
    if term.is_single {
        return take(one(term, input, work)?);
    }
    work.spend(1)?;
    match &term.kind {
        TermKind::Recurse => recurse(input, work, take),
        TermKind::Path(start, steps) => {
            each(start, input, work, &mut |value| each_step(steps, &value, input, work, take))
        }
        TermKind::Negate(term) => {
            each(term, input, work, &mut |value| take(functions::negate(&value)?))
        }
        TermKind::Try(term) => forgiving(term, input, work, take),
        TermKind::Pipe(terms) => each_of_pipe(terms, input, work, take),
        TermKind::Comma(terms) => terms.iter().try_for_each(|term| each(term, input, work, take)),
        TermKind::And(terms) => each_of_junction(terms, false, input, work, take),
        TermKind::Or(terms) => each_of_junction(terms, true, input, work, take),
        TermKind::Alternative(left, right) => {
            let mut is_found = false;
            forgiving(left, input, work, &mut |value| {
                if !value.is_true() {
                    return Ok(());
                }
                is_found = true;
                take(value)
            })?;
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
            functions::each(*function, arguments, input, work, take)
        }
        TermKind::Identity | TermKind::Literal(_) | TermKind::Collect(_) | TermKind::Test(_) => {
            take(one(term, input, work)?)
        }
    }
}

/// The same, but ends without an error where the term fails.
fn forgiving<'a>(
    term: &'a Term,
    input: &Value<'a>,
    work: &Work,
    take: Take<'_, 'a>,
) -> Result<(), Stop> {
    guard(take, |take| each(term, input, work, take))
}

/// Runs a part that may fail without harm; what fails in `take` is not a part of it.
fn guard<'a>(
    take: Take<'_, 'a>,
    run: impl FnOnce(Take<'_, 'a>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut later = None;
    let result = run(&mut |value| {
        take(value).map_err(|stop| {
            later = Some(stop);
            Stop::Enough
        })
    });
    match (later, result) {
        (Some(stop), _) => Err(stop),
        (None, Err(Stop::Failed(_))) => Ok(()),
        (None, result) => result,
    }
}

fn each_of_pipe<'a>(
    terms: &'a [Term],
    input: &Value<'a>,
    work: &Work,
    take: Take<'_, 'a>,
) -> Result<(), Stop> {
    let Some((first, rest)) = terms.split_first() else { return take(input.clone()) };
    each(first, input, work, &mut |value| each_of_pipe(rest, &value, work, take))
}

fn each_of_junction<'a>(
    terms: &'a [Term],
    decides: bool,
    input: &Value<'a>,
    work: &Work,
    take: Take<'_, 'a>,
) -> Result<(), Stop> {
    let Some((first, rest)) = terms.split_first() else { return take((!decides).into()) };
    each(first, input, work, &mut |value| {
        if value.is_true() == decides {
            return take(decides.into());
        }
        each_of_junction(rest, decides, input, work, take)
    })
}

fn junction<'a>(terms: &'a [Term], decides: bool, input: &Value<'a>, work: &Work) -> One<'a> {
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
    input: &Value<'a>,
    work: &Work,
    take: Take<'_, 'a>,
) -> Result<(), Stop> {
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

/// All values in a value, itself first.
fn recurse<'a>(input: &Value<'a>, work: &Work, take: Take<'_, 'a>) -> Result<(), Stop> {
    take(input.clone())?;
    let mut open: Vec<_> = input.children().into_iter().collect();
    while let Some(children) = open.last_mut() {
        work.spend(1)?;
        match children.next() {
            Some(value) => {
                // To find the next child, this one is read once more.
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
fn take_step<'a>(step: &'a Step, value: &Value<'a>, input: &Value<'a>, work: &Work) -> One<'a> {
    match &step.kind {
        StepKind::Field(name) => field(value, name, work),
        StepKind::Index(index) => {
            let index = one(index, input, work)?;
            indexed(value, &index, work)
        }
        // It may give several values, so nobody asks for one.
        StepKind::Each => Ok(Value::NULL),
    }
}

fn each_step<'a>(
    steps: &'a [Step],
    value: &Value<'a>,
    input: &Value<'a>,
    work: &Work,
    take: Take<'_, 'a>,
) -> Result<(), Stop> {
    let Some((step, rest)) = steps.split_first() else { return take(value.clone()) };
    let mut next = |value: Value<'a>| each_step(rest, &value, input, work, take);
    let run = |take: Take<'_, 'a>| match &step.kind {
        StepKind::Field(name) => take(field(value, name, work)?),
        StepKind::Index(index) => {
            each(index, input, work, &mut |index| take(indexed(value, &index, work)?))
        }
        StepKind::Each => {
            let children = value.children();
            let mut children =
                children.ok_or_else(|| Stop::failed(format!("cannot iterate over {value}")))?;
            children.try_for_each(|value| {
                work.spend(1)?;
                take(value)
            })
        }
    };
    if step.is_optional { guard(&mut next, run) } else { run(&mut next) }
}

fn field<'a>(value: &Value<'a>, name: &str, work: &Work) -> One<'a> {
    value.field(name, work)?.ok_or_else(|| Stop::failed(format!("{value} has no field {name:?}")))
}

#[expect(clippy::cast_possible_truncation, reason = "an index beyond all arrays stays beyond them")]
fn indexed<'a>(value: &Value<'a>, index: &Value<'_>, work: &Work) -> One<'a> {
    if let Some(name) = index.as_text(work)? {
        return field(value, &name, work);
    }
    let number = match index.0 {
        Form::Int(number) => Some(number),
        Form::Real(number) => Some(number.floor() as i128),
        _ => None,
    };
    let element = match number {
        Some(number) => value.element(number, work)?,
        None => None,
    };
    element.ok_or_else(|| Stop::failed(format!("cannot index {value} with {index}")))
}

fn value_of(literal: &Literal) -> Value<'_> {
    Value(match literal {
        Literal::Null => Form::Null,
        Literal::Bool(content) => Form::Bool(*content),
        Literal::Int(number) => Form::Int(*number),
        Literal::Real(number) => Form::Real(*number),
        Literal::Text(text) => Form::Text(Cow::Borrowed(text)),
    })
}

fn holds(
    comparison: Comparison,
    left: &Value<'_>,
    right: &Value<'_>,
    work: &Work,
) -> Result<bool, Stop> {
    let order = compare(left, right, work, DEPTH)?;
    Ok(match comparison {
        Comparison::Equal => order == Some(Ordering::Equal),
        Comparison::NotEqual => order != Some(Ordering::Equal),
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::LessOrEqual => order.is_some_and(Ordering::is_le),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
    })
}

pub(super) fn calculate<'a>(
    left: &Value<'a>,
    operation: Operation,
    right: &Value<'a>,
    work: &Work,
) -> One<'a> {
    if operation == Operation::Add {
        match (&left.0, &right.0) {
            (Form::Null, _) => return Ok(right.clone()),
            (_, Form::Null) => return Ok(left.clone()),
            _ => {}
        }
        if let (Some(one), Some(other)) = (left.as_text(work)?, right.as_text(work)?) {
            let len = one.len().saturating_add(other.len());
            work.spend(len / 64)?;
            if len > TEXT {
                return Err(Stop::failed("the text is longer than 1 MiB"));
            }
            return Ok(Value::text([&*one, &*other].concat()));
        }
    }
    if let (Form::Int(left), Form::Int(right)) = (&left.0, &right.0) {
        let exact = match operation {
            Operation::Add => left.checked_add(*right),
            Operation::Subtract => left.checked_sub(*right),
            Operation::Multiply => left.checked_mul(*right),
            Operation::Divide if left.checked_rem(*right) == Some(0) => left.checked_div(*right),
            Operation::Divide => None,
            Operation::Remainder => left.checked_rem(*right),
        };
        if let Some(number) = exact {
            return Ok(Value(Form::Int(number)));
        }
    }
    let (Some(one), Some(other)) = (left.as_real(), right.as_real()) else {
        return Err(Stop::failed(format!("cannot calculate with {left} and {right}")));
    };
    let is_division = matches!(operation, Operation::Divide | Operation::Remainder);
    if is_division && other == 0.0 {
        return Err(Stop::failed(format!("cannot divide {left} by zero")));
    }
    Ok(Value(Form::Real(match operation {
        Operation::Add => one + other,
        Operation::Subtract => one - other,
        Operation::Multiply => one * other,
        Operation::Divide => one / other,
        Operation::Remainder => one % other,
    })))
}
