//! The wire format, written once for all dialects and for every way to read: a whole buffer, a
//! stream, with views or without.
//!
//! A value is a tree of items: headers, lengths, counts and texts. `step` reads the head of one
//! item, `filling` also its content, and `extent` all items of a value. `nesting` has the stack of
//! open containers, which takes the place of recursion. `common` and `quick` are fast paths for
//! the most frequent values.
//!
//! Bytes and a [`Layout`](crate::dialect::Layout) come in; the length of what was read and
//! [`Fault`]s go out. Nothing here allocates, and nothing knows what a value means: that is up to
//! [`crate::view`].

pub(crate) mod common;
pub(crate) mod content;
mod extent;
mod fault;
mod filling;
pub(crate) mod nesting;
#[cfg(feature = "serde")]
pub(crate) mod quick;
pub(crate) mod step;
mod take;
#[cfg(test)]
mod tests;

pub(crate) use content::Text;
pub(crate) use extent::{Extent, after_value};
pub use fault::Fault;
pub(crate) use fault::{Emitting, Failure, Quiet, fail};
pub(crate) use filling::{Filling, failure};
pub(crate) use take::{Take, U32};
