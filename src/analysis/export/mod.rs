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
//!
//! # Stability
//!
//! Functions and fields of this module may change with every release, as more becomes worth
//! measuring, also without a new major version.

mod column;
mod connections;
mod dataset;
mod joined;
mod losses;
mod messages;
mod states;

pub use column::{Column, ColumnType, UnknownColumn};
pub use dataset::{Dataset, DatasetError, DatasetOptions, DatasetProblem, Partition, Written};
pub use joined::{JoinedRows, PartRows, TakenRows};

use crate::analysis::states::each_value;
use crate::capture::follow::{Event, Loss, Message, Other, Place, Summary};
use crate::value::VariantRef;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use column::{TableBuilder, TableRows};
use std::fmt::{self, Display};

/// A table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Table {
    /// A row for each message.
    Messages,
    /// A row for each value that a property of a node gets.
    States,
    /// A row for each message or part of a file that was lost, damaged or unreadable.
    Losses,
    /// Two rows for each connection, one for what each end has sent.
    Connections,
}

impl Table {
    /// All tables.
    pub const ALL: &'static [Table] =
        &[Table::Messages, Table::States, Table::Losses, Table::Connections];

    /// The name of the table, and of its folder in a [`Dataset`](Dataset).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Table::Messages => "messages",
            Table::States => "states",
            Table::Losses => "losses",
            Table::Connections => "connections",
        }
    }

    /// The columns, in order.
    #[must_use]
    pub fn columns(self) -> Vec<Column> {
        match self {
            Table::Messages => messages::MessagesTable::columns().collect(),
            Table::States => states::StatesTable::columns().collect(),
            Table::Losses => losses::LossesTable::columns().collect(),
            Table::Connections => connections::ConnectionsTable::columns().collect(),
        }
    }
}

/// Collects the rows of all tables.
#[derive(Debug)]
pub struct Rows {
    file: String,
    messages: TableBuilder<messages::MessagesTable>,
    states: TableBuilder<states::StatesTable>,
    losses: TableBuilder<losses::LossesTable>,
    connections: TableBuilder<connections::ConnectionsTable>,
}

impl Default for Rows {
    fn default() -> Rows {
        Rows::new()
    }
}

impl Rows {
    /// A collection without rows, with all columns of all tables.
    #[must_use]
    pub fn new() -> Rows {
        Rows {
            file: String::new(),
            messages: TableBuilder::new(),
            states: TableBuilder::new(),
            losses: TableBuilder::new(),
            connections: TableBuilder::new(),
        }
    }

    /// These rows, with only these columns in a table, each once, in this order. Call it before rows
    /// are added: the rows of that table are dropped.
    ///
    /// # Errors
    ///
    /// If the table has no column of such a name.
    pub fn with_columns(mut self, table: Table, names: &[&str]) -> Result<Rows, UnknownColumn> {
        match table {
            Table::Messages => self.messages = TableBuilder::select(names)?,
            Table::States => self.states = TableBuilder::select(names)?,
            Table::Losses => self.losses = TableBuilder::select(names)?,
            Table::Connections => self.connections = TableBuilder::select(names)?,
        }
        Ok(self)
    }

    /// The schema of a table's batches.
    #[must_use]
    pub const fn schema(&self, table: Table) -> &SchemaRef {
        match table {
            Table::Messages => self.messages.schema(),
            Table::States => self.states.schema(),
            Table::Losses => self.losses.schema(),
            Table::Connections => self.connections.schema(),
        }
    }

    /// Begins an input, with the name that the rows have in the column `file`.
    pub fn begin(&mut self, file: &str) {
        file.clone_into(&mut self.file);
    }

    /// Adds the row of an event, or the rows of a connection that is closed. Other events have no
    /// rows.
    pub fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Message(message) => self.message(message),
            Event::Lost(loss) => self.lost(loss),
            Event::Damaged(damage) => self.damaged(damage.frame, damage.offset, &damage.problem),
            Event::Other(other) => self.other(other),
            Event::Closed(summary) => self.connection(summary),
            Event::Opened(_) | Event::Recognized(_) => {}
        }
    }

    /// Adds the row of a message, and those of the values that it gives to properties.
    pub fn message(&mut self, message: &Message<'_>) {
        let omitted = self.messages.push(&messages::MessageRow::message(&self.file, message));
        if let Some(column) = omitted {
            self.omitted(Some(message.place), column);
        }
        let mut omitted = None;
        each_value(message, &mut |sent| {
            let row = states::StateRow::new(&self.file, message, sent);
            omitted = self.states.push(&row).or(omitted);
        });
        if let Some(column) = omitted {
            self.omitted(Some(message.place), column);
        }
    }

    /// Adds the row of a value from a file that is not a capture, at an offset in bytes.
    pub fn value(&mut self, offset: u64, value: VariantRef<'_>) {
        let omitted = self.messages.push(&messages::MessageRow::value(&self.file, offset, value));
        if let Some(column) = omitted {
            self.omitted(None, column);
        }
    }

    /// Adds the row of a loss.
    pub fn lost(&mut self, loss: &Loss) {
        self.losses.push(&losses::LossRow::lost(&self.file, loss));
    }

    /// Adds the row of damage to a file: at an offset in bytes, and in a frame if that is known.
    pub fn damaged(&mut self, frame: Option<u64>, offset: u64, problem: &dyn Display) {
        self.losses.push(&losses::LossRow::damaged(&self.file, frame, offset, problem));
    }

    /// Adds the row of a packet or message that was not decoded, unless there is nothing to decode
    /// in it.
    pub fn other(&mut self, other: &Other<'_>) {
        if let Some(row) = losses::LossRow::other(&self.file, other) {
            self.losses.push(&row);
        }
    }

    /// Adds the row of bytes at an offset of a file that are not a value.
    pub fn unreadable(&mut self, offset: u64, reason: &dyn Display) {
        self.losses.push(&losses::LossRow::unreadable(&self.file, offset, reason));
    }

    /// Adds the two rows of a connection.
    pub fn connection(&mut self, summary: &Summary) {
        for row in connections::ConnectionRow::both(&self.file, summary) {
            self.connections.push(&row);
        }
    }

    fn omitted(&mut self, place: Option<Place>, column: &'static str) {
        let text = Omitted { column };
        let row = losses::LossRow::omitted(&self.file, place, &text);
        self.losses.push(&row);
    }

    /// How many rows a table has.
    #[must_use]
    pub const fn len(&self, table: Table) -> usize {
        match table {
            Table::Messages => self.messages.len(),
            Table::States => self.states.len(),
            Table::Losses => self.losses.len(),
            Table::Connections => self.connections.len(),
        }
    }

    /// Whether a table has no rows.
    #[must_use]
    pub const fn is_empty(&self, table: Table) -> bool {
        self.len(table) == 0
    }

    /// About how many bytes of memory the rows of all tables take.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let losses = self.losses.size().saturating_add(self.connections.size());
        let messages = self.messages.size().saturating_add(self.states.size());
        messages.saturating_add(losses)
    }

    /// The rows of a table so far. After this, it has none.
    ///
    /// # Errors
    ///
    /// Those of Arrow. The cells have the types of the schema, so no error is expected.
    pub fn take(&mut self, table: Table) -> Result<RecordBatch, ArrowError> {
        match table {
            Table::Messages => self.messages.take(),
            Table::States => self.states.take(),
            Table::Losses => self.losses.take(),
            Table::Connections => self.connections.take(),
        }
    }
}

/// A sentence that says which column of a message is empty.
struct Omitted {
    column: &'static str,
}

impl Display for Omitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the column {} of this message is empty: its content is too long", self.column)
    }
}
