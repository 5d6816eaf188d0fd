//! Reserved names, by which this crate's serializer and deserializer recognize the crate's own
//! types.
//!
//! Other formats treat them as names of structs, which most formats ignore.

use crate::value::{Kind, numeric_kinds};

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
