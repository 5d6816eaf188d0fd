//! The three tables, and their columns.

use super::builder::TableRows;
use super::column::Column;
use super::{connections, losses, messages};

/// A table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Table {
    /// A row for each message.
    Messages,
    /// A row for each message or part of a file that was lost, damaged or unreadable.
    Losses,
    /// Two rows for each connection, one for what each end has sent.
    Connections,
}

impl Table {
    /// All tables.
    pub const ALL: &'static [Table] = &[Table::Messages, Table::Losses, Table::Connections];

    /// The name of the table, and of its folder in a [`Dataset`](super::Dataset).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Table::Messages => "messages",
            Table::Losses => "losses",
            Table::Connections => "connections",
        }
    }

    /// The columns, in order.
    #[must_use]
    pub fn columns(self) -> Vec<Column> {
        match self {
            Table::Messages => messages::MessagesTable::columns().collect(),
            Table::Losses => losses::LossesTable::columns().collect(),
            Table::Connections => connections::ConnectionsTable::columns().collect(),
        }
    }
}
