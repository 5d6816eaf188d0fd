//! The meaning of messages: the packets of the high-level multiplayer API, the names that projects
//! give them, and the messages of the remote debugger.

pub mod debugger;
pub mod multiplayer;
#[cfg(feature = "peer")]
pub mod peer;
#[cfg(feature = "alloc")]
pub mod project;
