//! From packets to messages: transports, connections, remote calls, names.

mod common;
mod follow;
mod messages;
mod multiplayer;
mod net;
#[cfg(feature = "peer")]
mod peer;
mod project;
mod streams;
