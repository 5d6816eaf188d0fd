//! The transports of the engines: recorded traffic, compared with what was sent, and small cases
//! built by the tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

mod enet;
pub(crate) mod measure;
