//! Calculates with values, and compares them.

use super::compare::compare;
use super::term::{Comparison, Operation};
use super::value::{JsonValue, ValueForm};
use super::work::{Budget, EvalStop};
use std::cmp::Ordering;

/// The longest string that an expression may create, in bytes.
const TEXT: usize = 1 << 20;

/// How deeply values may be nested to be compared.
pub(super) const DEPTH: u8 = 100;

/// One value, or the reason why there is none.
pub(super) type Evaluated<'a> = Result<JsonValue<'a>, EvalStop>;

/// Whether a comparison holds.
pub(super) fn holds(
    comparison: Comparison,
    left: &JsonValue<'_>,
    right: &JsonValue<'_>,
    work: &Budget,
) -> Result<bool, EvalStop> {
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

/// The result of an operation.
pub(super) fn calculate<'a>(
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
    let (Some(one), Some(other)) = (left.as_real(), right.as_real()) else {
        return Err(EvalStop::failed(format!("cannot calculate with {left} and {right}")));
    };
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

pub(super) fn negate<'a>(value: &JsonValue<'a>) -> Evaluated<'a> {
    match value.0 {
        ValueForm::Int(number) => Ok(JsonValue(ValueForm::Int(number.saturating_neg()))),
        _ => Ok(real(-number(value)?)),
    }
}

pub(super) const fn real<'a>(number: f64) -> JsonValue<'a> {
    JsonValue(ValueForm::Real(number))
}

pub(super) fn number(value: &JsonValue<'_>) -> Result<f64, EvalStop> {
    value.as_real().ok_or_else(|| EvalStop::failed(format!("{value} is not a number")))
}
