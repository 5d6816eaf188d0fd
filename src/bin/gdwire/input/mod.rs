//! Inputs: opens them, finds out what they contain, and hands their content to a command.
//!
//! The names of files or of an interface come in; values, messages and losses go out, to a
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
