//! The findings of a diagnosis, in recordings and in games that were put together by hand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

#[cfg(feature = "alloc")]
mod authority;
mod forged;
mod game;
mod recorded;
#[path = "../attacks/wire.rs"]
#[allow(dead_code, reason = "other tests use its other parts")]
#[allow(unreachable_pub, reason = "elsewhere it is at the top")]
mod wire;

use gdwire::diagnose::{Diagnosis, Finding, FindingKind};

/// The findings of a kind.
fn of_kind(diagnosis: &Diagnosis, kind: FindingKind) -> Vec<Finding<'_>> {
    diagnosis.findings().into_iter().filter(|finding| finding.kind == kind).collect()
}
