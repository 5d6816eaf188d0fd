//! Capture files: recorded ones, compared with what was sent, and small ones built by the tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

mod annotated;
mod assemble;
mod damage;
mod formats;
mod fragments;
mod headers;
mod recorded;
mod tunnels;
mod written;
