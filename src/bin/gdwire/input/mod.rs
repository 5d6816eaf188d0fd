//! Opens the inputs, detects their formats, and passes their content to a command.
//!
//! `read` takes the names of files or of an interface, and passes values, messages and losses to a
//! [`Sink`](crate::sink::Sink). `stream` gets the bytes, `content` decides about their format, and
//! `capture` and `values` read them.

mod capture;
mod content;
mod failure;
mod format;
mod looks;
mod notation;
mod packed;
mod read;
mod reader;
mod stream;
mod values;

pub(crate) use looks::format as looks_like;
pub(crate) use read::{Request, files, read};
pub(crate) use stream::{Content, report_change, unpack};
