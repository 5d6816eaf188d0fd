//! Distributions and time series that are measured in one pass and in bounded memory.
//!
//! A [`Histogram`] counts values, for example sizes or times, and gives their quantiles. A [`Series`]
//! shows how values change over time.

mod histogram;
mod series;

pub use histogram::{Histogram, Spread};
pub use series::{Point, Series};
