//! Writes tables to a folder of Parquet files.
//!
//! Rows of the tables come in. A [`Dataset`] divides them into partitions ([`Partition`]), and each
//! partition into files of some size or age.

mod dataset;
mod error;
mod options;
mod part;
mod partition;

pub use dataset::{Dataset, Written};
pub use error::{Error, Problem};
pub use options::Options;
pub use partition::Partition;
