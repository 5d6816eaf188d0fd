//! The kinds of values, independent of the type numbers of the dialects.
//!
//! `kinds` has the table of all kinds: the names of each, and what its content consists of, in the
//! terms of `body`. `numeric` has the names that kinds of numbers have in Rust: their types and
//! functions. Other modules look up all that is the same for every kind here.

mod body;
mod kinds;
mod numeric;

pub(crate) use body::{Body, Cell};
pub use kinds::Kind;
pub(crate) use numeric::numeric_kinds;
