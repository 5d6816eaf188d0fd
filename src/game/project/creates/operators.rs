//! Computes the results of operators while a function is followed.

use super::value::Traced;
use crate::game::project::script::syntax::Operator;
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use core::cmp::Ordering;

/// Whether one of two conditions is true; none if that is not known.
pub(super) const fn or(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

pub(super) fn operate<'c>(operator: Operator, left: &Traced<'c>, right: &Traced<'c>) -> Traced<'c> {
    let not = |truth: Option<bool>| truth.map(|it| !it);
    let order = || {
        let number = |value: &Traced<'c>| match value {
            Traced::Int(value) => Some(*value as f64),
            Traced::Real(value) => Some(*value),
            _ => None,
        };
        number(left)?.partial_cmp(&number(right)?)
    };
    let truth = match operator {
        Operator::And => not(or(not(left.is_true()), not(right.is_true()))),
        Operator::Or => or(left.is_true(), right.is_true()),
        Operator::Equal => left.same_as(right),
        Operator::Unequal => not(left.same_as(right)),
        Operator::Less => order().map(Ordering::is_lt),
        Operator::LessEqual => order().map(Ordering::is_le),
        Operator::Greater => order().map(Ordering::is_gt),
        Operator::GreaterEqual => order().map(Ordering::is_ge),
        Operator::In => match right {
            Traced::List(items) => {
                items.iter().map(|item| item.same_as(left)).fold(Some(false), or)
            }
            _ => None,
        },
        Operator::Add => {
            return match (left, right) {
                (Traced::Text(a), Traced::Text(b)) if a.len() + b.len() <= LONGEST => {
                    Traced::Text(Cow::Owned([&**a, b].concat()))
                }
                (Traced::Int(a), Traced::Int(b)) => int(a.checked_add(*b)),
                _ => Traced::Unknown,
            };
        }
        Operator::Remainder => {
            return match (left, right) {
                (Traced::Int(a), Traced::Int(b)) => int(a.checked_rem(*b)),
                (Traced::Text(text), Traced::List(items)) => format(text, items),
                (Traced::Text(text), value) => format(text, core::slice::from_ref(value)),
                _ => Traced::Unknown,
            };
        }
        Operator::Other => None,
    };
    truth.map_or(Traced::Unknown, Traced::Bool)
}

pub(super) fn int<'c>(value: Option<i64>) -> Traced<'c> {
    value.map_or(Traced::Unknown, Traced::Int)
}

/// The longest text that is put together, in bytes.
const LONGEST: usize = 4096;

/// Fills `%s` and `%d` of a text.
fn format<'c>(text: &str, values: &[Traced<'c>]) -> Traced<'c> {
    if text.len() > LONGEST {
        return Traced::Unknown;
    }
    let mut parts = text.split('%');
    let mut found = String::from(parts.next().unwrap_or(""));
    let mut values = values.iter();
    for part in parts {
        let (Some(rest), Some(value)) = (part.strip_prefix(['s', 'd']), values.next()) else {
            return Traced::Unknown;
        };
        match value {
            Traced::Text(text) if part.starts_with('s') => found.push_str(text),
            Traced::Int(value) => found.push_str(&value.to_string()),
            _ => return Traced::Unknown,
        }
        found.push_str(rest);
        if found.len() > LONGEST {
            return Traced::Unknown;
        }
    }
    Traced::Text(Cow::Owned(found))
}
