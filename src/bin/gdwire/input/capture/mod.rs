//! Captures.
//!
//! Packets come in, from a stream or from memory. Their messages and losses go out to the sink, in their
//! order; what the sink does not get is counted and reported. Several threads may share the work.

mod cut;
mod events;
mod losses;
mod mismatches;
mod parallel;
mod reader;
mod share;
mod undecoded;

pub(super) use reader::CaptureReader;
