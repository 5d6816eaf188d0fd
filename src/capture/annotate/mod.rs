//! Copies captures as pcapng files with comments on their packets, which Wireshark shows and
//! filters.

mod blocks;
mod comments;
mod copy;

pub use comments::{Comments, PREFIX};
pub use copy::{Annotated, annotate};
