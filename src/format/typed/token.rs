//! Reserved names, by which this crate's serializer and deserializer recognize the crate's own
//! types, and a number for each dialect.
//!
//! Other formats treat them as names of structs, which most formats ignore.

use crate::value::{Dialect, Kind, numeric_kinds};

/// The name of a newtype around any value.
pub(super) const VALUE: &str = "$gdwire::Variant";

/// The name of a variant whose index gives the kind of the value.
pub(super) const PART: &str = "$gdwire::part";

/// The name of a tuple that contains a value once for every dialect.
pub(super) const OFFERS: &str = "$gdwire::offers";

/// The name of a tuple that contains the bytes of a value, in pieces.
pub(super) const PIECES: &str = "$gdwire::pieces";

macro_rules! math {
    (
        reals { $($real:ident $one:tt $many:tt)* }
        integers { $($integer:ident $type:ident $int:tt $ints:tt)* }
        $($arrays:tt)*
    ) => {
        /// The name of a tuple that contains the numbers of a math value.
        pub(super) const fn of_math(kind: Kind) -> &'static str {
            match kind {
                $(Kind::$real => concat!("$gdwire::", stringify!($real)),)*
                $(Kind::$integer => concat!("$gdwire::", stringify!($integer)),)*
                _ => "",
            }
        }

        /// The kind of math value that has this name.
        #[inline]
        pub(super) fn math_kind(name: &str) -> Option<Kind> {
            match name {
                $(concat!("$gdwire::", stringify!($real)) => Some(Kind::$real),)*
                $(concat!("$gdwire::", stringify!($integer)) => Some(Kind::$integer),)*
                _ => None,
            }
        }
    };
}

numeric_kinds! { math }

/// Every dialect, with single and double reals, and the dialect of values in memory. The index of
/// each is its number.
pub(super) const DIALECTS: [Dialect; 2 * Dialect::ALL.len() + 1] = all_dialects();

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn all_dialects() -> [Dialect; 2 * Dialect::ALL.len() + 1] {
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
pub(super) fn dialect_number(dialect: Dialect) -> u32 {
    DIALECTS.iter().position(|other| *other == dialect).unwrap_or(DIALECTS.len()) as u32
}

/// The dialect with this number.
pub(super) fn dialect_of_number(number: u32) -> Option<Dialect> {
    DIALECTS.get(number as usize).copied()
}
