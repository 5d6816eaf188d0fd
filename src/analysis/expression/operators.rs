//! Calculates with values, and compares them.

use super::compare::compare;
use super::term::{Comparison, Operation};
use super::value::{Form, Value};
use super::work::{Stop, Work};
use std::cmp::Ordering;

/// The longest string that an expression may create, in bytes.
const TEXT: usize = 1 << 20;

/// How deeply values may be nested to be compared.
pub(super) const DEPTH: u8 = 100;

/// One value, or the reason why there is none.
pub(super) type One<'a> = Result<Value<'a>, Stop>;

/// Whether a comparison holds.
pub(super) fn holds(
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

/// The result of an operation.
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
                return Err(Stop::failed("the string is longer than 1 MiB"));
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

pub(super) fn negate<'a>(value: &Value<'a>) -> One<'a> {
    match value.0 {
        Form::Int(number) => Ok(Value(Form::Int(number.saturating_neg()))),
        _ => Ok(real(-number(value)?)),
    }
}

pub(super) const fn real<'a>(number: f64) -> Value<'a> {
    Value(Form::Real(number))
}

pub(super) fn number(value: &Value<'_>) -> Result<f64, Stop> {
    value.as_real().ok_or_else(|| Stop::failed(format!("{value} is not a number")))
}
