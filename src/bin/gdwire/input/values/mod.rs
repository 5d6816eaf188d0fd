//! Values that are not in captures.
//!
//! Bytes come in: frames, lines or raw values. Values, and errors where there is none, go out to the
//! sink. The first values show the dialect.

mod framed;
mod lines;
mod raw;
mod reader;

pub(super) use framed::{LIMIT, reach as reach_frame, split as split_frame};
pub(super) use reader::{BASE64, HEX, Separation, read, read_raw};
