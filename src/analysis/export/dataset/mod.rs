//! Writes tables to a folder of Parquet files.
//!
//! A [`Dataset`] takes rows of the tables. It divides them into partitions ([`Partition`]), and
//! each partition into files of a limited size or age.

mod dataset;
mod error;
mod options;
mod part;
mod partition;

pub use dataset::{Dataset, Written};
pub use error::{DatasetError, DatasetProblem};
pub use options::DatasetOptions;
pub use partition::Partition;
