//! Longer pages about the format, the command and the crate. These modules contain no code.
//!
//! For users of the command:
//!
//! - [`bots`]: test a server with clients that join and call its methods.
//! - [`command_line`]: the inputs, options and outputs of `gdwire`.
//! - [`diagnose`]: what `gdwire diagnose` finds, and what usually causes it.
//! - [`supported`]: the engines, transports, captures and files that gdwire reads, and the limits.
//! - [`fleet`]: how much storage and how many processor cores the traffic of many servers needs.
//! - [`packaging`]: how to build the command for those who install or distribute it.
//! - [`tables`]: the tables that `gdwire export` writes, questions in SQL, and a job for Spark.
//! - [`zeek`]: joining these tables with logs of Zeek, Suricata and Elastic.
//! - [`transports`]: which traffic over UDP, TCP, ENet and WebSocket gdwire reads, which it does
//!   not, and how to record a capture.
//!
//! For all users:
//!
//! - [`engines`]: which versions of which engines the tests compare with, and in what.
//! - [`promises`]: what stays as it is in all versions 1.x, and what may change.
//!
//! For users of the library:
//!
//! - [`servers`]: write a server that games connect to, without an engine.
//! - [`recipes`]: short programs for streams, tokio, other math crates, captures, threads, and
//!   programs without an operating system.
//! - [`dependencies`]: which crates each feature adds, and what for.
//! - [`hostile_input`]: what the crate guarantees when the input comes from an attacker.
//!
//! For both, and for contributors:
//!
//! - [`wire_format`]: the type numbers of all engines, where the published specification is wrong,
//!   and where this crate deliberately differs from the engines.
//! - [`benchmarks`]: all measurements, and how they are made.
//! - [`physics`]: what reading a value costs at least, and what was tried.
//! - [`architecture`]: how data flows through the crate, and what each module does.
//! - [`design`]: the decisions behind the crate, and their reasons.

pub mod architecture;
pub mod benchmarks;
pub mod bots;
pub mod command_line;
pub mod dependencies;
pub mod design;
pub mod diagnose;
pub mod engines;
pub mod fleet;
pub mod hostile_input;
pub mod packaging;
pub mod physics;
pub mod promises;
pub mod recipes;
pub mod servers;
pub mod supported;
pub mod tables;
pub mod transports;
pub mod wire_format;
pub mod zeek;
