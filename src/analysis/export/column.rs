//! A column of a table.

use super::cell::ColumnType;
use arrow_schema::Field;

/// A column of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub column_type: ColumnType,
    /// The meaning of the cells, with units.
    pub meaning: &'static str,
}

/// The error if a table has no column of a name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no column '{name}'")]
#[non_exhaustive]
pub struct UnknownColumn {
    /// The name.
    pub name: String,
}

impl Column {
    pub(super) fn field(&self) -> Field {
        Field::new(self.name, self.column_type.arrow(), true)
    }
}
