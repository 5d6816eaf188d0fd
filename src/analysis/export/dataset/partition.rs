//! Divides rows into partitions: folders with names such as `date=2026-11-21`, like those of Hive.

use crate::net::packet::Time;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch, UInt64Array};
use arrow_schema::ArrowError;
use arrow_select::take::take_record_batch;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A column by which rows are divided into folders.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Partition {
    /// The day in UTC, such as `2026-11-21`.
    Date,
    /// The hour of the day in UTC, such as `07`.
    Hour,
    /// The transport.
    Transport,
    /// How values are encoded. The tables of states and losses do not have it.
    Dialect,
    /// The direction.
    Direction,
}

/// Hive's name for the partition of rows without a value.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

impl Partition {
    /// All partitions.
    pub const ALL: &'static [Partition] = &[
        Partition::Date,
        Partition::Hour,
        Partition::Transport,
        Partition::Dialect,
        Partition::Direction,
    ];

    /// The name of the column that engines see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Partition::Date => "date",
            Partition::Hour => "hour",
            Partition::Transport => "transport",
            Partition::Dialect => "dialect",
            Partition::Direction => "direction",
        }
    }

    /// The column whose value decides the partition. A column with the name of the partition is
    /// left out of the files, because the name of the folder has its content.
    #[must_use]
    pub const fn column(self) -> &'static str {
        match self {
            Partition::Date | Partition::Hour => "time_ns",
            Partition::Transport | Partition::Dialect | Partition::Direction => self.name(),
        }
    }

    /// The value of a row.
    fn value(self, batch: &RecordBatch, row: usize) -> Option<String> {
        let column = batch.column_by_name(self.column())?;
        if column.is_null(row) {
            return None;
        }
        let time = || {
            let times = column.as_primitive_opt::<Int64Type>()?;
            Some(Time::from_nanos(times.value(row), 9).to_string())
        };
        match self {
            Partition::Date => Some(time()?.get(..10)?.to_owned()),
            Partition::Hour => Some(time()?.get(11..13)?.to_owned()),
            Partition::Transport | Partition::Dialect | Partition::Direction => {
                Some(column.as_string_opt::<i32>()?.value(row).to_owned())
            }
        }
    }
}

/// The rows of a batch, grouped by partition.
pub struct PartitionedRows<'p> {
    partitions: &'p [Partition],
    rows: BTreeMap<String, Vec<u64>>,
}

impl<'p> PartitionedRows<'p> {
    pub fn new(partitions: &'p [Partition], batch: &RecordBatch) -> PartitionedRows<'p> {
        let mut rows = BTreeMap::<String, Vec<u64>>::new();
        if !partitions.is_empty() {
            for row in 0..batch.num_rows() {
                let folder = folder(partitions, |partition| partition.value(batch, row));
                rows.entry(folder).or_default().push(row as u64);
            }
        }
        if rows.is_empty() {
            rows.insert(folder(partitions, |_| None), Vec::new());
        }
        PartitionedRows { partitions, rows }
    }

    /// The folder of each partition, and its rows without the columns whose values are in the
    /// folder's name. An empty batch is in the partition of rows without values.
    pub fn batches(self, batch: &RecordBatch) -> Result<Vec<(String, RecordBatch)>, ArrowError> {
        let named = |name: &str| self.partitions.iter().any(|it| it.name() == name);
        let fields = batch.schema();
        let kept = fields.fields().iter().enumerate().filter(|(_, field)| !named(field.name()));
        let kept = batch.project(&kept.map(|(place, _)| place).collect::<Vec<_>>())?;
        if let [folder] = &*self.rows.keys().collect::<Vec<_>>() {
            return Ok(vec![((*folder).clone(), kept)]);
        }
        let take = |(folder, rows): (String, Vec<u64>)| {
            Ok((folder, take_record_batch(&kept, &UInt64Array::from(rows))?))
        };
        self.rows.into_iter().map(take).collect()
    }
}

fn folder(partitions: &[Partition], value: impl Fn(Partition) -> Option<String>) -> String {
    let mut path = String::new();
    for partition in partitions {
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(partition.name());
        path.push('=');
        match value(*partition) {
            Some(value) => escape(&value, &mut path),
            None => path.push_str(NULL),
        }
    }
    path
}

/// Escapes characters that have a meaning in paths or in the names of partitions, as Hive does.
fn escape(value: &str, path: &mut String) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.,+@~".contains(&byte) {
            path.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(path, "%{byte:02X}");
        }
    }
}
