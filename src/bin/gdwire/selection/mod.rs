//! Decides which messages, values and packets the outputs get.
//!
//! The inputs ask a [`Selection`], which has the options of the user, about each message before
//! they pass it to a sink. So the selection works alike for every command. It applies to whole
//! messages: connections are followed with the packets of both ends, also of ends that are not
//! selected.

mod ends;
mod fields;
mod first;
mod patterns;
mod select;
mod tally;

pub(crate) use ends::EndNames;
pub(crate) use first::FirstPacket;
pub(crate) use select::{Selection, Verdict};
pub(crate) use tally::Tally;
