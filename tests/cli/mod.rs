//! Tests of the command: each runs it as a user does.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

mod annotate;
#[cfg(all(unix, feature = "peer"))]
mod bot;
mod captures;
mod compare;
mod compressed;
mod debugger;
mod diagnose;
mod dialects;
mod edited;
mod edits;
mod encode;
mod explain;
#[cfg(unix)]
mod exported;
#[cfg(unix)]
mod extcap;
mod intervals;
mod join;
mod limits;
mod lines;
#[cfg(unix)]
mod live;
mod losses;
mod mapped;
mod ndjson;
mod outputs;
mod pictures;
mod pipes;
mod project;
#[cfg(unix)]
mod proxy;
#[cfg(unix)]
mod readme;
mod rpc;
mod run;
#[cfg(unix)]
mod running;
mod saves;
#[cfg(unix)]
mod screens;
mod selection;
mod states;
mod stats;
#[cfg(unix)]
mod terminal;
pub(crate) mod threads;
#[cfg(unix)]
mod top;
mod transports;
mod unannounced;
mod unrecognized;
mod usage;
mod values;
mod versions;
mod ways;
#[cfg(unix)]
mod windows;
