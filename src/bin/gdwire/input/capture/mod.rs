//! Captures.
//!
//! Reads packets from a stream or from memory. Passes their messages and losses to the sink, in
//! order, and counts and reports what the sink does not get. Several threads may share the work.

mod ahead;
mod cut;
mod events;
mod losses;
mod mismatches;
mod parallel;
mod reader;
mod scenes;
mod share;
mod undecoded;

pub(super) use ahead::look_ahead;
pub(super) use reader::CaptureReader;
