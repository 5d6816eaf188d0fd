//! Writes values piece by piece, without a tree of them in memory.
//!
//! Numbers, texts, and the beginnings and ends of containers come in. A [`Builder`] checks that they
//! form a value, and passes its bytes to a sink. Of open containers it keeps only a stack of counts.

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
