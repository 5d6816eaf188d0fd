//! Copies captures as pcapng files with comments on their packets, which Wireshark shows and
//! filters.
//!
//! [`Comments`] takes comments with the numbers of their packets, and sorts them. [`annotate`] reads
//! a capture and writes the copy.

mod blocks;
mod comments;
mod copy;

pub use comments::{Comments, PREFIX};
pub use copy::{Annotated, annotate};
