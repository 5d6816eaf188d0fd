//! Splits a stream into frames, and finds the next frame after a gap or in the middle of a stream.
//! Both the length-prefixed frames of TCP and those of WebSocket use it.

mod buffer;
pub(crate) mod hunt;
mod synchronizer;

pub(crate) use buffer::{KEPT, grow};
pub(crate) use synchronizer::{Event, Framing, Split, Synchronizer};
