//! Collects the rows of one table, with the selected columns.

use super::cell::{ColumnCells, NextCell};
use super::column::{Column, UnknownColumn};
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// The rows of one of the tables.
pub(super) trait TableRows {
    /// The data for a row.
    type Row<'r>;

    /// The columns, in the order of the table.
    fn columns() -> impl Iterator<Item = Column>;

    /// Fills the cell of a row in the column with this number.
    fn fill(column: usize, row: &Self::Row<'_>, cell: &mut NextCell<'_>);
}

/// Implements [`TableRows`] for `$table`. The data of a row is `$row`. Each column has a name, a type, a
/// meaning, and an expression for the content of its cell in a row.
macro_rules! columns {
    (
        $table:ident of $row:ident:
        $($name:literal $type:ident $meaning:literal = |$of:ident| $content:expr;)*
    ) => {
        /// A column, and how its cells are filled.
        type Filled = (Column, for<'r> fn(&$row<'r>, &mut NextCell<'_>));

        const fn filled(
            name: &'static str,
            column_type: ColumnType,
            meaning: &'static str,
            fill: for<'r> fn(&$row<'r>, &mut NextCell<'_>),
        ) -> Filled {
            (Column { name, column_type, meaning }, fill)
        }

        const COLUMNS: &[Filled] = &[$(
            filled($name, ColumnType::$type, $meaning, |$of, cell| cell.put($content)),
        )*];

        impl TableRows for $table {
            type Row<'r> = $row<'r>;

            fn columns() -> impl Iterator<Item = Column> {
                COLUMNS.iter().map(|(column, _)| *column)
            }

            fn fill(column: usize, row: &$row<'_>, cell: &mut NextCell<'_>) {
                if let Some((_, fill)) = COLUMNS.get(column) {
                    fill(row, cell);
                }
            }
        }
    };
}

pub(super) use columns;

/// Rows of one table.
pub(super) struct TableBuilder<R: TableRows> {
    schema: SchemaRef,
    columns: Vec<ColumnCells>,
    /// The numbers of the columns in their table, and their names.
    places: Vec<(usize, &'static str)>,
    rows: usize,
    scratch: Vec<u8>,
    table: PhantomData<fn() -> R>,
}

impl<R: TableRows> TableBuilder<R> {
    /// A builder without rows, with all columns of the table.
    pub(super) fn new() -> TableBuilder<R> {
        TableBuilder::of(R::columns().enumerate().collect())
    }

    /// A builder without rows, with only these columns.
    pub(super) fn select(names: &[&str]) -> Result<TableBuilder<R>, UnknownColumn> {
        let find = |name: &&str| {
            let found = R::columns().enumerate().find(|(_, column)| column.name == *name);
            found.ok_or_else(|| UnknownColumn { name: (*name).to_owned() })
        };
        Ok(TableBuilder::of(names.iter().map(find).collect::<Result<_, _>>()?))
    }

    fn of(columns: Vec<(usize, Column)>) -> TableBuilder<R> {
        let fields = columns.iter().map(|(_, column)| column.field()).collect::<Vec<_>>();
        TableBuilder {
            schema: Arc::new(Schema::new(fields)),
            columns: columns.iter().map(|(_, column)| column.column_type.cells()).collect(),
            places: columns.iter().map(|(place, column)| (*place, column.name)).collect(),
            rows: 0,
            scratch: Vec::new(),
            table: PhantomData,
        }
    }

    pub(super) const fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(super) const fn len(&self) -> usize {
        self.rows
    }

    /// About how many bytes the rows take.
    pub(super) fn size(&self) -> usize {
        self.columns.iter().map(ColumnCells::size).fold(0, usize::saturating_add)
    }

    /// Adds a row, and returns the first column whose content did not fit.
    pub(super) fn push(&mut self, row: &R::Row<'_>) -> Option<&'static str> {
        let mut omitted = None;
        for (cells, (place, name)) in self.columns.iter_mut().zip(&self.places) {
            let fits = NextCell::fill(cells, &mut self.scratch, |cell| R::fill(*place, row, cell));
            if !fits {
                omitted = omitted.or(Some(*name));
            }
        }
        self.rows = self.rows.saturating_add(1);
        omitted
    }

    /// Takes the rows so far. The builder has none afterwards.
    pub(super) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let rows = std::mem::take(&mut self.rows);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let cells = self.columns.iter_mut().map(ColumnCells::take).collect();
        RecordBatch::try_new_with_options(self.schema.clone(), cells, &options)
    }
}

impl<R: TableRows> fmt::Debug for TableBuilder<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TableBuilder { columns, rows, .. } = self;
        debug_fields!(f, TableBuilder { columns = columns.len(), rows, .. })
    }
}
