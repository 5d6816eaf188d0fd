//! Reads values that are not in captures.
//!
//! Takes bytes: frames, lines or raw values. Passes values, and errors about bytes that are no
//! value, to the sink. The first values show the dialect.

mod framed;
mod lines;
mod raw;
mod reader;

pub(super) use framed::{LIMIT, reach as reach_frame, split as split_frame};
pub(super) use reader::{BASE64, HEX, Separation, read, read_raw};
