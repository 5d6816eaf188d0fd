//! The functions of expressions that need only values, not terms. They do what jq's functions of
//! the same names do.

use super::compare::compare;
use super::operators::{DEPTH, One, calculate, number, real};
use super::term::{Function, Operation};
use super::value::{Form, Value};
use super::work::{Stop, Work};
use std::cmp::Ordering;

/// The elements of an array or the values of an object.
pub(super) fn children<'a>(
    input: &Value<'a>,
) -> Result<impl Iterator<Item = Value<'a>> + use<'a>, Stop> {
    input.children().ok_or_else(|| Stop::failed(format!("cannot iterate over {input}")))
}

/// A function with one argument, whose value is known.
pub(super) fn with_argument<'a>(
    function: Function,
    input: &Value<'a>,
    argument: &Value<'a>,
    work: &Work,
) -> One<'a> {
    let texts = || match (input.as_text(work)?, argument.as_text(work)?) {
        (Some(input), Some(argument)) => Ok((input, argument)),
        _ => Err(Stop::failed(format!("cannot look for {argument} in {input}"))),
    };
    let is_so = match function {
        Function::Contains => contains(input, argument, work, DEPTH)?,
        Function::StartsWith => {
            let (input, start) = texts()?;
            input.starts_with(&*start)
        }
        Function::EndsWith => {
            let (input, end) = texts()?;
            input.ends_with(&*end)
        }
        Function::Has => has(input, argument, work)?,
        // The other functions have no argument.
        _ => return plain(function, input, work),
    };
    Ok(is_so.into())
}

fn contains(input: &Value<'_>, part: &Value<'_>, work: &Work, depth: u8) -> Result<bool, Stop> {
    work.spend(1)?;
    if let (Some(input), Some(part)) = (input.as_text(work)?, part.as_text(work)?) {
        work.spend(input.len() / 64)?;
        return Ok(input.contains(&*part));
    }
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Stop::failed("the values are nested too deeply to compare them"));
    };
    if input.is_array() && part.is_array() {
        for wanted in part.elements() {
            let mut is_found = false;
            for element in input.elements() {
                is_found = is_found
                    || element.type_name() == wanted.type_name()
                        && contains(&element, &wanted, work, depth)?;
                if is_found {
                    break;
                }
                work.spend(1)?;
            }
            if !is_found {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    if input.is_object() && part.is_object() {
        for (key, wanted) in part.fields() {
            match input.field(&key, work)? {
                Some(value) if value.type_name() == wanted.type_name() => {
                    if !contains(&value, &wanted, work, depth)? {
                        return Ok(false);
                    }
                }
                _ => return Ok(false),
            }
        }
        return Ok(true);
    }
    if input.type_name() != part.type_name() {
        return Err(Stop::failed(format!("cannot look for {part} in {input}")));
    }
    Ok(compare(input, part, work, depth)? == Some(Ordering::Equal))
}

fn has(input: &Value<'_>, key: &Value<'_>, work: &Work) -> Result<bool, Stop> {
    work.spend(input.len(work)?)?;
    match (&key.0, key.as_text(work)?) {
        (_, Some(key)) if input.is_object() => Ok(input.fields().any(|(other, _)| other == *key)),
        (Form::Int(index), _) if input.is_array() => {
            Ok(usize::try_from(*index)
                .is_ok_and(|index| input.len(work).is_ok_and(|len| index < len)))
        }
        _ => Err(Stop::failed(format!("cannot look for the key {key} in {input}"))),
    }
}

/// A function without arguments.
pub(super) fn plain<'a>(function: Function, input: &Value<'a>, work: &Work) -> One<'a> {
    match function {
        Function::Not => Ok((!input.is_true()).into()),
        Function::Type => Ok(input.type_name().into()),
        Function::Length => length(input, work),
        Function::Keys => keys(input, work),
        Function::First => indexed(input, 0, work),
        Function::Last => indexed(input, -1, work),
        Function::Any | Function::All => {
            let decides = function == Function::Any;
            for child in children(input)? {
                work.spend(1)?;
                if child.is_true() == decides {
                    return Ok(decides.into());
                }
            }
            Ok((!decides).into())
        }
        Function::Add => {
            let mut sum = Value::NULL;
            for child in children(input)? {
                work.spend(1)?;
                sum = calculate(&sum, Operation::Add, &child, work)?;
            }
            Ok(sum)
        }
        Function::Min => extreme(input, Ordering::Less, work),
        Function::Max => extreme(input, Ordering::Greater, work),
        Function::Downcase => Ok(Value::text(copied(input, work)?.to_ascii_lowercase())),
        Function::Upcase => Ok(Value::text(copied(input, work)?.to_ascii_uppercase())),
        Function::ToNumber => to_number(input, work),
        Function::ToString => match input.as_text(work)? {
            Some(_) => Ok(Value::text(copied(input, work)?.into_owned())),
            None if input.children().is_none() => Ok(Value::text(input.to_string())),
            None => Err(Stop::failed(format!("cannot turn {input} into a string"))),
        },
        Function::IsNan => Ok(number(input)?.is_nan().into()),
        Function::IsInfinite => Ok(number(input)?.is_infinite().into()),
        Function::Abs => match input.0 {
            Form::Int(number) => Ok(Value(Form::Int(number.saturating_abs()))),
            _ => Ok(real(number(input)?.abs())),
        },
        Function::Floor => rounded(input, f64::floor),
        Function::Ceil => rounded(input, f64::ceil),
        Function::Round => rounded(input, f64::round),
        Function::Sqrt => Ok(real(number(input)?.sqrt())),
        // The functions with arguments, and those that give several values or none.
        _ => Ok(input.clone()),
    }
}

/// The content of a string that the caller copies. Copying counts as work.
fn copied<'v>(input: &'v Value<'_>, work: &Work) -> Result<std::borrow::Cow<'v, str>, Stop> {
    let text = text(input, work)?;
    work.spend(text.len() / 64)?;
    Ok(text)
}

fn text<'v>(value: &'v Value<'_>, work: &Work) -> Result<std::borrow::Cow<'v, str>, Stop> {
    value.as_text(work)?.ok_or_else(|| Stop::failed(format!("{value} is not a string")))
}

fn rounded<'a>(input: &Value<'a>, round: fn(f64) -> f64) -> One<'a> {
    match input.0 {
        Form::Int(_) => Ok(input.clone()),
        _ => Ok(real(round(number(input)?))),
    }
}

fn indexed<'a>(input: &Value<'a>, index: i128, work: &Work) -> One<'a> {
    let element = input.element(index, work)?;
    element.ok_or_else(|| Stop::failed(format!("cannot index {input} with {index}")))
}

fn length<'a>(input: &Value<'a>, work: &Work) -> One<'a> {
    let len = match &input.0 {
        Form::Null => 0,
        Form::Int(_) | Form::Real(_) => return plain(Function::Abs, input, work),
        Form::Bool(_) => return Err(Stop::failed(format!("{input} has no length"))),
        _ => match input.as_text(work)? {
            Some(text) => {
                work.spend(text.len() / 64)?;
                text.chars().count()
            }
            None => input.len(work)?,
        },
    };
    Ok(Value::from(len as u64))
}

fn keys<'a>(input: &Value<'a>, work: &Work) -> One<'a> {
    let len = input.len(work)?;
    work.spend(len)?;
    if input.is_array() {
        return Ok(Value::items((0..len as u64).map(Value::from).collect()));
    }
    if !input.is_object() {
        return Err(Stop::failed(format!("{input} has no keys")));
    }
    let mut keys: Vec<_> = input.fields().map(|(key, _)| key).collect();
    keys.sort();
    keys.dedup();
    Ok(Value::items(keys.into_iter().map(|key| Value(Form::Text(key))).collect()))
}

/// The least or greatest element of an array; null if it is empty.
fn extreme<'a>(input: &Value<'a>, wanted: Ordering, work: &Work) -> One<'a> {
    if !input.is_array() {
        return Err(Stop::failed(format!("{input} is not an array")));
    }
    let mut found: Option<Value<'a>> = None;
    for element in input.elements() {
        let is_better = match &found {
            Some(found) if found.type_name() != element.type_name() => {
                return Err(Stop::failed("the elements have different types"));
            }
            Some(found) => compare(&element, found, work, DEPTH)? == Some(wanted),
            None => true,
        };
        if is_better {
            found = Some(element);
        }
    }
    Ok(found.unwrap_or(Value::NULL))
}

fn to_number<'a>(input: &Value<'a>, work: &Work) -> One<'a> {
    if input.as_real().is_some() {
        return Ok(input.clone());
    }
    let text = text(input, work)?;
    let is_spelled =
        !text.is_empty() && text.chars().all(|it| it.is_ascii_digit() || "+-.eE".contains(it));
    let int = text.parse().ok().filter(|_| is_spelled).map(Form::Int);
    let real = || text.parse().ok().filter(|_| is_spelled).map(Form::Real);
    match int.or_else(real) {
        Some(number) => Ok(Value(number)),
        None => Err(Stop::failed(format!("{input} is not a number"))),
    }
}
