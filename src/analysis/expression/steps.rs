//! Takes one step into a value: to a field, or to an element.

use super::operators::Evaluated;
use super::value::{JsonValue, ValueForm};
use super::work::{Budget, EvalStop};

/// The field with a name.
pub(super) fn field<'a>(value: &JsonValue<'a>, name: &str, work: &Budget) -> Evaluated<'a> {
    value
        .field(name, work)?
        .ok_or_else(|| EvalStop::failed(format!("{value} has no field {name:?}")))
}

/// The field or the element that a value names.
#[expect(clippy::cast_possible_truncation, reason = "an index beyond all arrays stays beyond them")]
pub(super) fn indexed<'a>(
    value: &JsonValue<'a>,
    index: &JsonValue<'_>,
    work: &Budget,
) -> Evaluated<'a> {
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
