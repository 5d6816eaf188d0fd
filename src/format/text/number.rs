//! Reads the numbers of math values and packed arrays from their digits.

use super::ParseProblem;
use crate::value::{Body, Cell, Kind};
use crate::write::owned::{Number, Variant};

/// Reads a component of this kind from its digits, or from the name of a number without digits,
/// such as `inf`.
///
/// An integer may be spelled as a real, as `3.0`, because many JSON tools know no other numbers.
pub(crate) fn component(kind: Kind, digits: &str) -> Result<Number, ParseProblem> {
    let out_of_range = ParseProblem::OutOfRange { kind };
    let range = match kind.body() {
        Body::Cells(cell, _) | Body::Packed(cell, _) => match cell {
            Cell::Byte => 0..=i64::from(u8::MAX),
            Cell::I64 => i64::MIN..=i64::MAX,
            Cell::I32 => i64::from(i32::MIN)..=i64::from(i32::MAX),
            Cell::F32 | Cell::F64 | Cell::Real | Cell::Channel => {
                let finite = |number: &f64| cell != Cell::F32 || (*number as f32).is_finite();
                let number = non_finite(digits).or_else(|| real(digits).filter(finite));
                return number.map(Number::Float).ok_or(out_of_range);
            }
        },
        _ => return Err(out_of_range),
    };
    let number = digits.parse().ok().or_else(|| whole(real(digits)?));
    number.filter(|number| range.contains(number)).map(Number::Int).ok_or(out_of_range)
}

/// Reads a real from its digits. `None` if it is not finite.
pub(crate) fn real(digits: &str) -> Option<f64> {
    digits.parse().ok().filter(|number: &f64| number.is_finite())
}

fn whole(number: f64) -> Option<i64> {
    let integer = number as i64;
    (integer as f64 == number).then_some(integer)
}

/// Creates the math value or packed array of these numbers, each of which is a [`component`] of it.
pub(crate) fn collect(kind: Kind, numbers: &[Number]) -> Result<Variant, ParseProblem> {
    Variant::from_numbers(kind, numbers).ok_or_else(|| {
        let needed = match kind.body() {
            Body::Cells(_, components) | Body::Packed(_, components) => components,
            _ => 0,
        };
        ParseProblem::Count { kind, needed: needed.into(), found: numbers.len() }
    })
}

/// Whether values of this kind consist only of numbers.
pub(crate) fn is_numeric(kind: Kind) -> bool {
    matches!(kind.body(), Body::Cells(..) | Body::Packed(..))
}

/// The number with this name: infinity or NaN. Godot 4.6 writes infinity into JSON as a number that
/// is too large, which every engine reads as infinity.
pub(crate) fn non_finite(word: &str) -> Option<f64> {
    match word {
        "inf" | "1e99999" => Some(f64::INFINITY),
        "-inf" | "inf_neg" | "-1e99999" => Some(f64::NEG_INFINITY),
        "nan" | "-nan" => Some(f64::NAN),
        _ => None,
    }
}
