//! A number for each dialect.

use crate::dialect::Dialect;

/// Every dialect, with single and double reals, and the dialect of values in memory. The index of
/// each is its number.
pub(super) const ALL: [Dialect; 9] = [
    Dialect::GODOT_3,
    Dialect::GODOT_3.with_double_reals(),
    Dialect::GODOT_4,
    Dialect::GODOT_4.with_double_reals(),
    Dialect::PANDEMONIUM_4,
    Dialect::PANDEMONIUM_4.with_double_reals(),
    Dialect::PANDEMONIUM_5,
    Dialect::PANDEMONIUM_5.with_double_reals(),
    Dialect::IN_MEMORY,
];

/// The number of a dialect.
#[inline]
pub(super) fn number(dialect: Dialect) -> u32 {
    // Each dialect has exactly one table.
    let is_it = |other: &Dialect| core::ptr::eq(other.layout(), dialect.layout());
    ALL.iter().position(is_it).unwrap_or(ALL.len()) as u32
}

/// The dialect with this number.
pub(super) fn of_number(number: u32) -> Option<Dialect> {
    ALL.get(number as usize).copied()
}
