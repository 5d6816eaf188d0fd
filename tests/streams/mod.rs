//! Streams from TCP segments, and their messages: recorded ones, complete and damaged, compared
//! with what was sent, and small ones built by the tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

mod damage;
mod frames;
mod measure;
mod reassembler;
mod recorded;
mod stories;
mod websocket;
