//! Streams out of TCP segments, and the messages in them: recorded ones against what was sent,
//! whole and damaged, and small ones made here.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

#[path = "../common/mod.rs"]
#[allow(unreachable_pub, reason = "elsewhere it is at the top")]
mod common;
mod damage;
mod frames;
mod measure;
mod reassembler;
mod recorded;
mod websocket;
