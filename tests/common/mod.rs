//! The recorded data, and helpers that several tests share.

#![allow(dead_code, unused_imports, reason = "each test file uses its own part")]

mod alike;
mod compressed;
mod hex;
mod programs;
mod recorded;

pub use alike::{assert_same_text, without_path_padding};
pub use compressed::{gzip, lz4, zstandard};
pub use hex::{hex, unhex};
pub use programs::{engine, wireshark};
pub use recorded::{Sent, Value, Verdict, corpus, lines, recorded_values};
