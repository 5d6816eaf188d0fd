//! Which messages, values and packets the outputs get.
//!
//! The options of the selection come in. The inputs ask a [`Selection`] about each message before they
//! hand it to a sink, so it works for every command alike. It sees whole messages: connections are
//! followed with the packets of both ends, also of ends that are not selected.

mod first;
mod select;
mod tally;

pub(crate) use first::FirstPacket;
pub(crate) use select::{Selection, Verdict};
pub(crate) use tally::Tally;
