//! Dialects as numbers.

use crate::dialect::Dialect;

/// The bits of a dialect's number.
pub(super) const BITS: u32 = 3;

/// The number of a dialect: its place in the list of all, twice, and one more for double reals.
pub(super) fn number(dialect: Dialect) -> u32 {
    let place = Dialect::ALL.iter().position(|other| other.name() == dialect.name());
    let place = place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0);
    place * 2 + u32::from(dialect.has_double_reals())
}

/// The dialect of that number.
pub(super) fn of_number(number: u32) -> Option<Dialect> {
    let dialect = Dialect::ALL.get(usize::try_from(number / 2).ok()?)?;
    Some(if number % 2 == 1 { dialect.with_double_reals() } else { *dialect })
}
