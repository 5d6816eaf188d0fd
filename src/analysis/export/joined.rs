//! Puts rows that several followers have made in the order of a single follower.

use super::{Rows, Table};
use crate::capture::follow::ConnectionNumbers;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use arrow_select::interleave::interleave_record_batch;
use core::ops::Range;
use std::sync::Arc;

/// Rows of all tables, and in which order they were added.
///
/// One of several followers that [share](crate::follow::Share) a capture makes them.
/// [`JoinedRows`] puts those of all followers together.
#[derive(Debug)]
pub struct PartRows {
    rows: Rows,
    /// The table of each row.
    log: Vec<Table>,
}

impl PartRows {
    /// The same rows. There must be none so far.
    #[must_use]
    pub const fn new(rows: Rows) -> PartRows {
        PartRows { rows, log: Vec::new() }
    }

    /// Adds rows.
    pub fn add(&mut self, add: impl FnOnce(&mut Rows)) {
        let len = |rows: &Rows| {
            [0, 1, 2, 3].map(|at| Table::ALL.get(at).map_or(0, |table| rows.len(*table)))
        };
        let before = len(&self.rows);
        add(&mut self.rows);
        for ((table, before), after) in Table::ALL.iter().zip(before).zip(len(&self.rows)) {
            self.log.extend((before..after).map(|_| *table));
        }
    }

    /// How many rows of all tables there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.log.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.log.is_empty()
    }

    /// About how many bytes of memory they take.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.rows.heap_bytes().saturating_add(self.log.len())
    }

    /// The rows so far. After this, there are none.
    ///
    /// # Errors
    ///
    /// Like [`Rows::take`].
    pub fn take(&mut self) -> Result<TakenRows, ArrowError> {
        let mut batches = Vec::new();
        for table in Table::ALL {
            if !self.rows.is_empty(*table) {
                batches.push((*table, self.rows.take(*table)?));
            }
        }
        Ok(TakenRows { batches, log: core::mem::take(&mut self.log), taken: Vec::new() })
    }
}

/// The rows of a [`PartRows`].
#[derive(Debug)]
pub struct TakenRows {
    batches: Vec<(Table, RecordBatch)>,
    log: Vec<Table>,
    /// How many rows of each table were joined.
    taken: Vec<(Table, usize)>,
}

impl TakenRows {
    /// The rows by table.
    #[must_use]
    pub fn into_batches(self) -> Vec<(Table, RecordBatch)> {
        self.batches
    }
}

/// The rows of several followers, which are put in order.
#[derive(Default, Debug)]
pub struct JoinedRows {
    parts: Vec<TakenRows>,
    /// The chosen rows of each table: their part and their number in it.
    chosen: Vec<(Table, Vec<(usize, usize)>)>,
}

impl JoinedRows {
    /// Takes the next rows of all followers. `numbers` gives the connections the numbers that a single
    /// follower gives them.
    #[must_use]
    pub fn new(mut parts: Vec<TakenRows>, numbers: &ConnectionNumbers) -> JoinedRows {
        let batches = parts.iter_mut().flat_map(|part| &mut part.batches);
        batches.for_each(|(_, batch)| renumber(batch, numbers));
        JoinedRows { parts, chosen: Vec::new() }
    }

    /// Adds rows of a part to the joined ones: those with these numbers, counted over all tables. The
    /// rows of each part must be added in their order.
    pub fn add(&mut self, part: usize, rows: Range<usize>) {
        let Some(TakenRows { log, taken, .. }) = self.parts.get_mut(part) else { return };
        for table in log.get(rows).unwrap_or(&[]) {
            let row = next_row(taken, *table);
            let known = self.chosen.iter_mut().find(|(other, _)| other == table);
            match known {
                Some((_, rows)) => rows.push((part, row)),
                None => self.chosen.push((*table, vec![(part, row)])),
            }
        }
    }

    /// The rows that were added since the last call, in order.
    ///
    /// # Errors
    ///
    /// If a column has more than 2 GiB of text.
    pub fn take(&mut self) -> Result<Vec<(Table, RecordBatch)>, ArrowError> {
        let mut joined = Vec::new();
        for (table, rows) in core::mem::take(&mut self.chosen) {
            let mut batches = Vec::new();
            // A part without rows of the table has no batch.
            let places = self.parts.iter().map(|part| {
                let batch = part.batches.iter().find(|(other, _)| *other == table);
                batches.extend(batch.map(|(_, batch)| batch));
                batches.len().saturating_sub(1)
            });
            let places: Vec<_> = places.collect();
            let place = |part: usize| places.get(part).copied().unwrap_or_default();
            let rows: Vec<_> = rows.into_iter().map(|(part, row)| (place(part), row)).collect();
            joined.push((table, interleave_record_batch(&batches, &rows)?));
        }
        Ok(joined)
    }
}

/// The number of the next row of a table.
fn next_row(taken: &mut Vec<(Table, usize)>, table: Table) -> usize {
    match taken.iter_mut().find(|(other, _)| *other == table) {
        Some((_, next)) => {
            *next = next.saturating_add(1);
            next.saturating_sub(1)
        }
        None => {
            taken.push((table, 1));
            0
        }
    }
}

/// The column with the numbers of connections.
const CONNECTION: &str = "connection";

fn renumber(batch: &mut RecordBatch, numbers: &ConnectionNumbers) {
    let Ok(at) = batch.schema_ref().index_of(CONNECTION) else { return };
    let mut columns = batch.columns().to_vec();
    let Some(column) = columns.get_mut(at) else { return };
    let Some(cells) = column.as_primitive_opt::<Int64Type>() else { return };
    let renumbered = cells.unary::<_, Int64Type>(|number| {
        u64::try_from(number).map_or(number, |it| numbers.of(it).cast_signed())
    });
    *column = Arc::new(renumbered) as ArrayRef;
    if let Ok(renumbered) = RecordBatch::try_new(batch.schema(), columns) {
        *batch = renumbered;
    }
}
