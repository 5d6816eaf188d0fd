//! The readers of one connection: datagrams and segments in, messages of the transport out.
//!
//! [`table`] lists the transports. [`datagrams`] and [`streams`] define what a reader implements,
//! and each other file is the reader of one transport. A reader does not know what a message means.

mod datagrams;
mod enet;
mod frames;
mod streams;
mod table;
mod websocket;

pub(super) use datagrams::{InDatagrams, ReadDatagrams};
pub(super) use streams::Streams;
pub(super) use table::{in_datagrams, in_streams, streams};
