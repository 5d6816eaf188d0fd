//! Finds what is wrong with the traffic of a game: loss, slow round trips, calls that cannot have
//! arrived, methods that differ, states that are not needed, and values that should not be sent.
//!
//! [`Diagnosis`] takes the events of a [`Follower`](crate::follow::Follower) one by one, in one pass
//! and in bounded memory. [`FindingKind`] lists what it finds. Round-trip times, resends and the
//! order of messages are only known if the follower [measures](crate::follow::Options::with_measures) them.
//!
//! ```
//! use gdwire::capture::{Messages, Options};
//! use gdwire::diagnose::{Diagnosis, Severity};
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-game-enet.pcapng"))?;
//! let mut messages = Messages::with_options(&file, Options::new().with_measures())?;
//! let mut diagnosis = Diagnosis::new();
//! while let Some(event) = messages.next_event() {
//!     diagnosis.event(&event);
//! }
//! for finding in diagnosis.findings() {
//!     println!("{}: {}", finding.severity, finding.text);
//! }
//! assert!(diagnosis.worst() < Some(Severity::Warning));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Findings about a whole connection are reported when it is closed: those about its measures, and
//! those about ids that its ends never announced.
//!
//! # Memory
//!
//! A diagnosis keeps about 32 MiB for the nodes of open connections, 4,096 findings, 4,096 methods
//! and 4,096 nodes with names of 4 MiB each, and the measures of the first 65,536 connections, of
//! which 1,024 with round-trip times over time. Findings beyond these limits are counted without
//! their node, or reported as [`FindingKind::LimitReached`].

mod diagnosis;
mod ends;
mod finding;
mod json;
mod kind;
mod seen;
mod sentence;
mod transport;
mod values;

pub use diagnosis::Diagnosis;
pub use finding::Finding;
pub use kind::{FindingKind, Severity};
