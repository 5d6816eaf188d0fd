//! Writes values piece by piece, without a tree of them in memory.

mod containers;
mod numbers;
#[cfg(feature = "serde")]
mod open;
mod state;
mod values;

#[cfg(feature = "alloc")]
pub(crate) use numbers::{Width, changed_by_rounding};
#[cfg(feature = "serde")]
pub(crate) use open::Open;
pub use state::Builder;
