//! The functions of expressions that need only values, not terms. They do what jq's functions of
//! the same names do.

use super::term::{CompareOperator, Function, Operation};
use super::value::{Budget, EvalStop, JsonValue, ValueForm};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The elements of an array or the values of an object.
pub fn children<'a>(
    input: &JsonValue<'a>,
) -> Result<impl Iterator<Item = JsonValue<'a>> + use<'a>, EvalStop> {
    input.children().ok_or_else(|| EvalStop::failed(format!("cannot iterate over {input}")))
}

/// A function with one argument, whose value is known.
pub fn with_argument<'a>(
    function: Function,
    input: &JsonValue<'a>,
    argument: &JsonValue<'a>,
    work: &Budget,
) -> Evaluated<'a> {
    let texts = || match (input.as_text(work)?, argument.as_text(work)?) {
        (Some(input), Some(argument)) => Ok((input, argument)),
        _ => Err(EvalStop::failed(format!("cannot look for {argument} in {input}"))),
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

fn contains(
    input: &JsonValue<'_>,
    part: &JsonValue<'_>,
    work: &Budget,
    depth: u8,
) -> Result<bool, EvalStop> {
    work.spend(1)?;
    if let (Some(input), Some(part)) = (input.as_text(work)?, part.as_text(work)?) {
        work.spend(input.len() / 64)?;
        return Ok(input.contains(&*part));
    }
    let Some(depth) = depth.checked_sub(1) else {
        return Err(EvalStop::failed("the values are nested too deeply to compare them"));
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
        return Err(EvalStop::failed(format!("cannot look for {part} in {input}")));
    }
    Ok(compare(input, part, work, depth)? == Some(Ordering::Equal))
}

fn has(input: &JsonValue<'_>, key: &JsonValue<'_>, work: &Budget) -> Result<bool, EvalStop> {
    work.spend(input.len(work)?)?;
    match (&key.0, key.as_text(work)?) {
        (_, Some(key)) if input.is_object() => Ok(input.fields().any(|(other, _)| other == *key)),
        (ValueForm::Int(index), _) if input.is_array() => {
            Ok(usize::try_from(*index)
                .is_ok_and(|index| input.len(work).is_ok_and(|len| index < len)))
        }
        _ => Err(EvalStop::failed(format!("cannot look for the key {key} in {input}"))),
    }
}

/// A function without arguments.
pub fn plain<'a>(function: Function, input: &JsonValue<'a>, work: &Budget) -> Evaluated<'a> {
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
            let mut sum = JsonValue::NULL;
            for child in children(input)? {
                work.spend(1)?;
                sum = calculate(&sum, Operation::Add, &child, work)?;
            }
            Ok(sum)
        }
        Function::Min => extreme(input, Ordering::Less, work),
        Function::Max => extreme(input, Ordering::Greater, work),
        Function::Downcase => Ok(JsonValue::text(copied(input, work)?.to_ascii_lowercase())),
        Function::Upcase => Ok(JsonValue::text(copied(input, work)?.to_ascii_uppercase())),
        Function::ToNumber => to_number(input, work),
        Function::ToString => match input.as_text(work)? {
            Some(_) => Ok(JsonValue::text(copied(input, work)?.into_owned())),
            None if input.children().is_none() => Ok(JsonValue::text(input.to_string())),
            None => Err(EvalStop::failed(format!("cannot turn {input} into a string"))),
        },
        Function::IsNan => Ok(number(input)?.is_nan().into()),
        Function::IsInfinite => Ok(number(input)?.is_infinite().into()),
        Function::Abs => match input.0 {
            ValueForm::Int(number) => Ok(JsonValue(ValueForm::Int(number.saturating_abs()))),
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
fn copied<'v>(
    input: &'v JsonValue<'_>,
    work: &Budget,
) -> Result<std::borrow::Cow<'v, str>, EvalStop> {
    let text = text(input, work)?;
    work.spend(text.len() / 64)?;
    Ok(text)
}

fn text<'v>(
    value: &'v JsonValue<'_>,
    work: &Budget,
) -> Result<std::borrow::Cow<'v, str>, EvalStop> {
    value.as_text(work)?.ok_or_else(|| EvalStop::failed(format!("{value} is not a string")))
}

fn rounded<'a>(input: &JsonValue<'a>, round: fn(f64) -> f64) -> Evaluated<'a> {
    match input.0 {
        ValueForm::Int(_) => Ok(input.clone()),
        _ => Ok(real(round(number(input)?))),
    }
}

fn indexed<'a>(input: &JsonValue<'a>, index: i128, work: &Budget) -> Evaluated<'a> {
    let element = input.element(index, work)?;
    element.ok_or_else(|| EvalStop::failed(format!("cannot index {input} with {index}")))
}

fn length<'a>(input: &JsonValue<'a>, work: &Budget) -> Evaluated<'a> {
    let len = match &input.0 {
        ValueForm::Null => 0,
        ValueForm::Int(_) | ValueForm::Real(_) => return plain(Function::Abs, input, work),
        ValueForm::Bool(_) => return Err(EvalStop::failed(format!("{input} has no length"))),
        _ => match input.as_text(work)? {
            Some(text) => {
                work.spend(text.len() / 64)?;
                text.chars().count()
            }
            None => input.len(work)?,
        },
    };
    Ok(JsonValue::from(len as u64))
}

fn keys<'a>(input: &JsonValue<'a>, work: &Budget) -> Evaluated<'a> {
    let len = input.len(work)?;
    work.spend(len)?;
    if input.is_array() {
        return Ok(JsonValue::items((0..len as u64).map(JsonValue::from).collect()));
    }
    if !input.is_object() {
        return Err(EvalStop::failed(format!("{input} has no keys")));
    }
    let mut keys: Vec<_> = input.fields().map(|(key, _)| key).collect();
    keys.sort();
    keys.dedup();
    Ok(JsonValue::items(keys.into_iter().map(|key| JsonValue(ValueForm::Text(key))).collect()))
}

/// The least or greatest element of an array; null if it is empty.
fn extreme<'a>(input: &JsonValue<'a>, wanted: Ordering, work: &Budget) -> Evaluated<'a> {
    if !input.is_array() {
        return Err(EvalStop::failed(format!("{input} is not an array")));
    }
    let mut found: Option<JsonValue<'a>> = None;
    for element in input.elements() {
        let is_better = match &found {
            Some(found) if found.type_name() != element.type_name() => {
                return Err(EvalStop::failed("the elements have different types"));
            }
            Some(found) => compare(&element, found, work, DEPTH)? == Some(wanted),
            None => true,
        };
        if is_better {
            found = Some(element);
        }
    }
    Ok(found.unwrap_or(JsonValue::NULL))
}

fn to_number<'a>(input: &JsonValue<'a>, work: &Budget) -> Evaluated<'a> {
    if input.as_real().is_some() {
        return Ok(input.clone());
    }
    let text = text(input, work)?;
    let is_spelled =
        !text.is_empty() && text.chars().all(|it| it.is_ascii_digit() || "+-.eE".contains(it));
    let int = text.parse().ok().filter(|_| is_spelled).map(ValueForm::Int);
    let real = || text.parse().ok().filter(|_| is_spelled).map(ValueForm::Real);
    match int.or_else(real) {
        Some(number) => Ok(JsonValue(number)),
        None => Err(EvalStop::failed(format!("{input} is not a number"))),
    }
}

/// The longest string that an expression may create, in bytes.
const TEXT: usize = 1 << 20;

/// How deeply values may be nested to be compared.
pub const DEPTH: u8 = 100;

/// One value, or the reason why there is none.
pub type Evaluated<'a> = Result<JsonValue<'a>, EvalStop>;

/// Whether a comparison holds.
pub fn holds(
    comparison: CompareOperator,
    left: &JsonValue<'_>,
    right: &JsonValue<'_>,
    work: &Budget,
) -> Result<bool, EvalStop> {
    let order = compare(left, right, work, DEPTH)?;
    Ok(match comparison {
        CompareOperator::Equal => order == Some(Ordering::Equal),
        CompareOperator::NotEqual => order != Some(Ordering::Equal),
        CompareOperator::Less => order == Some(Ordering::Less),
        CompareOperator::LessOrEqual => order.is_some_and(Ordering::is_le),
        CompareOperator::Greater => order == Some(Ordering::Greater),
        CompareOperator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
    })
}

/// The result of an operation.
pub fn calculate<'a>(
    left: &JsonValue<'a>,
    operation: Operation,
    right: &JsonValue<'a>,
    work: &Budget,
) -> Evaluated<'a> {
    if operation == Operation::Add {
        match (&left.0, &right.0) {
            (ValueForm::Null, _) => return Ok(right.clone()),
            (_, ValueForm::Null) => return Ok(left.clone()),
            _ => {}
        }
        if let (Some(one), Some(other)) = (left.as_text(work)?, right.as_text(work)?) {
            let len = one.len().saturating_add(other.len());
            work.spend(len / 64)?;
            if len > TEXT {
                return Err(EvalStop::failed("the string is longer than 1 MiB"));
            }
            return Ok(JsonValue::text([&*one, &*other].concat()));
        }
    }
    if let (ValueForm::Int(left), ValueForm::Int(right)) = (&left.0, &right.0) {
        let exact = match operation {
            Operation::Add => left.checked_add(*right),
            Operation::Subtract => left.checked_sub(*right),
            Operation::Multiply => left.checked_mul(*right),
            Operation::Divide if left.checked_rem(*right) == Some(0) => left.checked_div(*right),
            Operation::Divide => None,
            Operation::Remainder => left.checked_rem(*right),
        };
        if let Some(number) = exact {
            return Ok(JsonValue(ValueForm::Int(number)));
        }
    }
    let (Some(mut one), Some(mut other)) = (left.as_real(), right.as_real()) else {
        return Err(EvalStop::failed(format!("cannot calculate with {left} and {right}")));
    };
    if let Operation::Remainder = operation {
        (one, other) = (one.trunc(), other.trunc());
    }
    let is_division = matches!(operation, Operation::Divide | Operation::Remainder);
    if is_division && other == 0.0 {
        return Err(EvalStop::failed(format!("cannot divide {left} by zero")));
    }
    Ok(JsonValue(ValueForm::Real(match operation {
        Operation::Add => one + other,
        Operation::Subtract => one - other,
        Operation::Multiply => one * other,
        Operation::Divide => one / other,
        Operation::Remainder => one % other,
    })))
}

pub fn negate<'a>(value: &JsonValue<'a>) -> Evaluated<'a> {
    match value.0 {
        ValueForm::Int(number) => Ok(JsonValue(ValueForm::Int(number.saturating_neg()))),
        _ => Ok(real(-number(value)?)),
    }
}

pub const fn real<'a>(number: f64) -> JsonValue<'a> {
    JsonValue(ValueForm::Real(number))
}

pub fn number(value: &JsonValue<'_>) -> Result<f64, EvalStop> {
    value.as_real().ok_or_else(|| EvalStop::failed(format!("{value} is not a number")))
}

/// The order of two values of the same type, as in jq. None for values of different types, and if
/// one of them is, or contains, a NaN at the place that decides.
pub fn compare(
    one: &JsonValue<'_>,
    other: &JsonValue<'_>,
    work: &Budget,
    depth: u8,
) -> Result<Option<Ordering>, EvalStop> {
    work.spend(1)?;
    if one.has_name(other) || other.has_name(one) {
        return Ok(Some(Ordering::Equal));
    }
    if let (Some(one), Some(other)) = (one.as_text(work)?, other.as_text(work)?) {
        work.spend(one.len().min(other.len()) / 64)?;
        return Ok(Some(one.cmp(&other)));
    }
    Ok(match (&one.0, &other.0) {
        (ValueForm::Bool(one), ValueForm::Bool(other)) => Some(one.cmp(other)),
        (ValueForm::Int(one), ValueForm::Int(other)) => Some(one.cmp(other)),
        (ValueForm::Real(one), ValueForm::Real(other)) => one.partial_cmp(other),
        (ValueForm::Int(one), ValueForm::Real(other)) => compare_mixed(*one, *other),
        (ValueForm::Real(one), ValueForm::Int(other)) => {
            compare_mixed(*other, *one).map(Ordering::reverse)
        }
        (ValueForm::Null, ValueForm::Null) => Some(Ordering::Equal),
        // In jq, null is less than every number. A condition such as `.hp < 50` would then hold for
        // all messages without a field `hp`.
        _ if one.type_name() != other.type_name() => None,
        _ => {
            let Some(depth) = depth.checked_sub(1) else {
                return Err(EvalStop::failed("the values are nested too deeply to compare them"));
            };
            if one.is_array() {
                return compare_lists(&mut one.elements(), &mut other.elements(), work, depth);
            }
            let (one, other) = (sorted(one, work)?, sorted(other, work)?);
            let keys = one.iter().map(|(key, _)| key).cmp(other.iter().map(|(key, _)| key));
            if keys != Ordering::Equal {
                return Ok(Some(keys));
            }
            let mut one = one.into_iter().map(|(_, value)| value);
            let mut other = other.into_iter().map(|(_, value)| value);
            return compare_lists(&mut one, &mut other, work, depth);
        }
    })
}

/// The fields of an object in the order of their names.
fn sorted<'a>(
    value: &JsonValue<'a>,
    work: &Budget,
) -> Result<Vec<(Cow<'a, str>, JsonValue<'a>)>, EvalStop> {
    work.spend(value.len(work)?)?;
    let mut fields: Vec<_> = value.fields().collect();
    fields.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(fields)
}

fn compare_lists<'a, 'b>(
    one: &mut dyn Iterator<Item = JsonValue<'a>>,
    other: &mut dyn Iterator<Item = JsonValue<'b>>,
    work: &Budget,
    depth: u8,
) -> Result<Option<Ordering>, EvalStop> {
    loop {
        match (one.next(), other.next()) {
            (None, None) => return Ok(Some(Ordering::Equal)),
            (None, Some(_)) => return Ok(Some(Ordering::Less)),
            (Some(_), None) => return Ok(Some(Ordering::Greater)),
            (Some(one), Some(other)) => match compare(&one, &other, work, depth)? {
                Some(Ordering::Equal) => {}
                order => return Ok(order),
            },
        }
    }
}

/// Compares without rounding the int.
#[expect(clippy::cast_possible_truncation, reason = "the real is within the ints")]
#[expect(
    clippy::cast_precision_loss,
    reason = "the greatest int is rounded to the power of two after it"
)]
fn compare_mixed(int: i128, real: f64) -> Option<Ordering> {
    if !(i128::MIN as f64..i128::MAX as f64).contains(&real) {
        // Infinite, or beyond all ints; or a NaN.
        return 0.0.partial_cmp(&real);
    }
    let whole = real.trunc();
    let order = int.cmp(&(whole as i128));
    Some(order.then_with(|| 0.0.partial_cmp(&(real - whole)).unwrap_or(Ordering::Equal)))
}
