//! A number for each dialect.

use crate::value::Dialect;

/// Every dialect, with single and double reals, and the dialect of values in memory. The index of
/// each is its number.
pub(super) const ALL: [Dialect; 2 * Dialect::ALL.len() + 1] = all();

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn all() -> [Dialect; 2 * Dialect::ALL.len() + 1] {
    let mut all = [Dialect::IN_MEMORY; 2 * Dialect::ALL.len() + 1];
    let mut index = 0;
    while index < Dialect::ALL.len() {
        all[2 * index] = Dialect::ALL[index];
        all[2 * index + 1] = Dialect::ALL[index].with_double_reals();
        index += 1;
    }
    all
}

/// The number of a dialect.
#[inline]
pub(super) fn number(dialect: Dialect) -> u32 {
    ALL.iter().position(|other| *other == dialect).unwrap_or(ALL.len()) as u32
}

/// The dialect with this number.
pub(super) fn of_number(number: u32) -> Option<Dialect> {
    ALL.get(number as usize).copied()
}
