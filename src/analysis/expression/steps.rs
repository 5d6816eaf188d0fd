//! Takes one step into a value: to a field, or to an element.

use super::operators::One;
use super::value::{Form, Value};
use super::work::{Stop, Work};

/// The field with a name.
pub(super) fn field<'a>(value: &Value<'a>, name: &str, work: &Work) -> One<'a> {
    value.field(name, work)?.ok_or_else(|| Stop::failed(format!("{value} has no field {name:?}")))
}

/// The field or the element that a value names.
#[expect(clippy::cast_possible_truncation, reason = "an index beyond all arrays stays beyond them")]
pub(super) fn indexed<'a>(value: &Value<'a>, index: &Value<'_>, work: &Work) -> One<'a> {
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
