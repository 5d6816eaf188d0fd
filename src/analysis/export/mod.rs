//! Turns messages, losses and connections into tables for analysis engines.
//!
//! [`Rows`] turns the events of a follower into Arrow record batches, with one row for each
//! message. [`Dataset`] writes such batches as a folder of Parquet files, which DuckDB, Polars,
//! DataFusion, Spark, ClickHouse and pandas read as they are.
//!
//! ```
//! use gdwire::capture::Messages;
//! use gdwire::export::{Rows, Table};
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-rpc.pcapng"))?;
//! let mut messages = Messages::new(&file)?;
//! // Other columns are not built.
//! let mut rows = Rows::new().with_columns(Table::Messages, &["time", "path", "method", "len"])?;
//! rows.begin("godot4-rpc.pcapng");
//! while let Some(event) = messages.next_event() {
//!     rows.event(&event);
//! }
//! let batch = rows.take(Table::Messages)?;
//! assert_eq!(batch.num_columns(), 4);
//! assert!(batch.num_rows() > 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every message that you pass to [`Rows`] becomes a row, so pass only those that you select.
//!
//! # Types
//!
//! Times are microseconds in UTC, and each has a second column of whole nanoseconds, because Spark
//! does not read Parquet's timestamps in nanoseconds unless it is configured to. There are no
//! unsigned integers, because Spark has none. Every cell can be null.
//!
//! # Limits
//!
//! Take the rows when [`Rows::heap_bytes`] has reached what you want to keep in memory. A column of
//! one batch has at most 2 GiB of text. A message's content that does not fit is left out: its cell
//! is null, and a row in the table of losses reports that.

mod builder;
mod cell;
mod column;
mod connections;
mod dataset;
mod ends;
mod fields;
mod losses;
mod messages;
mod rows;
mod table;

pub use cell::ColumnType;
pub use column::{Column, UnknownColumn};
pub use dataset::{Dataset, DatasetError, DatasetOptions, DatasetProblem, Partition, Written};
pub use rows::Rows;
pub use table::Table;
