//! Analyses of messages: conditions on them, explanations, statistics, problems, tables, and the
//! page with plots.

#![allow(unreachable_pub, reason = "in a private module, `pub` reaches no further than the module")]

#[cfg(feature = "capture")]
pub mod compare;
#[cfg(feature = "capture")]
pub mod diagnose;
#[cfg(feature = "alloc")]
pub mod explain;
#[cfg(feature = "export")]
pub mod export;
#[cfg(feature = "capture")]
pub mod expression;
#[cfg(feature = "report")]
pub mod report;
#[cfg(feature = "capture")]
pub mod states;
#[cfg(feature = "capture")]
pub mod stats;
#[cfg(feature = "capture")]
pub mod top;
#[cfg(feature = "capture")]
pub mod versions;
