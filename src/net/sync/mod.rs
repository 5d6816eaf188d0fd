//! Splits a stream into frames, and finds the next frame after a gap or in the middle of a stream.
//! Both the length-prefixed frames of TCP and those of WebSocket use it.
//!
//! Pieces of a stream come in, with the gaps between them. Whole frames come out of a
//! [`Synchronizer`], and the bytes that belong to none. A [`Framing`] says what a frame is.

mod buffer;
pub(crate) mod hunt;
mod synchronizer;

pub(crate) use buffer::{KEPT, grow};
pub(crate) use synchronizer::{Event, Framing, Split, Synchronizer};
