//! The dialects of the format: what each engine writes differently.
//!
//! The format has one grammar and several dialects. A dialect is a table: it says which kind each
//! type number means, and where the width of a real is found. Readers and writers get a
//! [`Dialect`], and look up headers and kinds in its [`Layout`].
//!
//! `tables` has one table for each dialect, which is all that a new dialect needs. `family` says
//! what a table consists of. `entry` and `layout` compile a table so that a header is looked up in
//! one step.

mod entry;
mod family;
mod handle;
mod header;
mod layout;
mod options;
mod tables;

pub(crate) use entry::Class;
pub use handle::Dialect;
pub(crate) use header::{ELEMENT_TYPES, FLAG_64, FLAG_BY_ID, TOP_BIT};
pub(crate) use layout::Layout;
pub use options::{MAX_DEPTH, ReadOptions};
