//! Copies captures as pcapng, with comments on their packets, as Wireshark shows and filters them.

mod blocks;
mod comments;
mod copy;

pub use comments::{Comments, PREFIX};
pub use copy::{Annotated, annotate};
