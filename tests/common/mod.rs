//! The recorded data, and helpers that several tests share.

#![allow(dead_code, unused_imports, reason = "each test file uses its own part")]

mod alike;
mod compressed;
#[cfg(feature = "capture")]
mod crowd;
#[cfg(feature = "capture")]
pub mod files;
mod hex;
mod programs;
mod random;
mod recorded;
#[cfg(feature = "peer")]
mod tls;
mod verdicts;
mod written;

pub use alike::{assert_same_text, comparable_texts, is_close, without_path_padding};
pub use compressed::{gzip, lz4, zstandard};
#[cfg(feature = "capture")]
pub use crowd::{crowd, crowd_at};
pub use hex::{hex, unhex};
pub use programs::{
    Godot, Running, again_in_a_network, can_capture, engine_file, is_in_a_network, is_installed,
    merged, missing, wireshark, without_engines,
};
pub use random::{node_path, real, special, text, value};
pub use recorded::{RECORDED, Sent, Value, Verdict, corpus, lines, recorded_values};
#[cfg(feature = "peer")]
pub use tls::{AUTHORITY, tls_in_front_of};
pub use verdicts::{Difference, difference, has_object, is_typed};
pub use written::{Numbers, written_down};
