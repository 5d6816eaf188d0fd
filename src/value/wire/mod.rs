//! The wire format, written once for all dialects and for every way to read: a whole buffer, a
//! stream, with views or without.
//!
//! A value is a tree of items: headers, lengths, counts and texts. `step` reads the head of one
//! item, `content` also its content ([`Filling`]), and all items of a value ([`WholeValue`]). `nesting`
//! has the stack of open containers, which takes the place of recursion. `utf8` checks text. `common`
//! and `quick` are fast paths for the most frequent values.
//!
//! Bytes and a [`DialectLayout`](crate::value::layout::DialectLayout) come in; the length of what was read and
//! [`Fault`]s go out. Nothing here allocates, and nothing knows what a value means: that is up to
//! [`crate::view`].

pub(crate) mod common;
pub(crate) mod content;
mod fault;
pub(crate) mod nesting;
#[cfg(feature = "serde")]
pub(crate) mod quick;
pub(crate) mod step;
#[cfg(test)]
mod tests;
pub(crate) mod utf8;

pub(crate) use content::{Filling, WholeValue, after_value, failure};
pub use fault::Fault;
pub(crate) use fault::{Emitting, Failure, Quiet, Take, U32, fail};
pub(crate) use utf8::TextCheck;
