//! The order of values.

use super::value::{JsonValue, ValueForm};
use super::work::{Budget, EvalStop};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The order of two values of the same type, as in jq. None for values of different types, and if
/// one of them is, or contains, a NaN at the place that decides.
pub(super) fn compare(
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
