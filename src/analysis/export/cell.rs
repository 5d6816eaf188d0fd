//! The cells of one column, while rows are collected.

use crate::format::json::emit::Emitter;
use arrow_array::ArrayRef;
use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, BooleanBuilder, Int32Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_schema::{DataType, TimeUnit};
use std::fmt::{self, Display};
use std::io::Write;
use std::sync::Arc;

/// The type of a column. All engines have these types. None of them is unsigned, because Spark has
/// no unsigned integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ColumnType {
    /// Text in UTF-8.
    Text,
    /// An integer of 64 bits.
    Integer,
    /// An integer of 32 bits.
    SmallInteger,
    /// True or false.
    Flag,
    /// Microseconds since the start of 1970, UTC.
    Time,
    /// Bytes.
    Bytes,
}

/// Shows the type as the documentation of the tables names it.
impl Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ColumnType::Text => "text",
            ColumnType::Integer => "int64",
            ColumnType::SmallInteger => "int32",
            ColumnType::Flag => "boolean",
            ColumnType::Time => "timestamp (µs, UTC)",
            ColumnType::Bytes => "bytes",
        })
    }
}

impl ColumnType {
    pub(super) fn arrow(self) -> DataType {
        match self {
            ColumnType::Text => DataType::Utf8,
            ColumnType::Integer => DataType::Int64,
            ColumnType::SmallInteger => DataType::Int32,
            ColumnType::Flag => DataType::Boolean,
            ColumnType::Time => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            ColumnType::Bytes => DataType::Binary,
        }
    }

    pub(super) fn cells(self) -> ColumnCells {
        match self {
            ColumnType::Text => ColumnCells::Text(StringBuilder::new()),
            ColumnType::Integer => ColumnCells::Integer(Int64Builder::new()),
            ColumnType::SmallInteger => ColumnCells::SmallInteger(Int32Builder::new()),
            ColumnType::Flag => ColumnCells::Flag(BooleanBuilder::new()),
            ColumnType::Time => {
                ColumnCells::Time(TimestampMicrosecondBuilder::new().with_timezone("UTC"))
            }
            ColumnType::Bytes => ColumnCells::Bytes(BinaryBuilder::new()),
        }
    }
}

/// The cells of one column.
#[derive(Debug)]
pub(super) enum ColumnCells {
    Text(StringBuilder),
    Integer(Int64Builder),
    SmallInteger(Int32Builder),
    Flag(BooleanBuilder),
    Time(TimestampMicrosecondBuilder),
    Bytes(BinaryBuilder),
}

/// The most bytes of text in one column of a batch: Arrow's offsets are signed and have 32 bits.
const MOST: usize = i32::MAX as usize;

/// The next cell of a column. It becomes null if nothing is put into it, or content of another type
/// than the column has.
pub(super) struct NextCell<'c> {
    cells: &'c mut ColumnCells,
    /// A buffer for text that is composed.
    scratch: &'c mut Vec<u8>,
    is_filled: bool,
    /// Whether the content did not fit into the column.
    is_omitted: bool,
}

impl<'c> NextCell<'c> {
    /// Fills the next cell of a column, and returns whether its content fit.
    pub(super) fn fill(
        cells: &'c mut ColumnCells,
        scratch: &'c mut Vec<u8>,
        fill: impl FnOnce(&mut NextCell<'_>),
    ) -> bool {
        let mut cell = NextCell { cells, scratch, is_filled: false, is_omitted: false };
        fill(&mut cell);
        let is_omitted = cell.is_omitted;
        if !cell.is_filled {
            cell.cells.null();
        }
        !is_omitted
    }

    pub(super) fn put(&mut self, content: impl Content) {
        content.put(self);
    }

    fn text(&mut self, text: &str) {
        let ColumnCells::Text(cells) = &mut *self.cells else { return };
        if cells.values_slice().len().saturating_add(text.len()) > MOST {
            self.is_omitted = true;
            return;
        }
        cells.append_value(text);
        self.is_filled = true;
    }

    /// Puts in the text that a function writes. If the function fails, the content is omitted.
    fn written(&mut self, write: impl FnOnce(&mut Vec<u8>) -> bool) {
        let mut scratch = std::mem::take(self.scratch);
        scratch.clear();
        match (write(&mut scratch), str::from_utf8(&scratch)) {
            (true, Ok(text)) => self.text(text),
            _ => self.is_omitted = true,
        }
        *self.scratch = scratch;
    }

    /// Puts in an integer. It is omitted if it does not fit into the column, which counters do not
    /// reach.
    fn integer(&mut self, number: impl TryInto<i64>) {
        let Ok(number) = number.try_into() else {
            self.is_omitted = true;
            return;
        };
        match &mut *self.cells {
            ColumnCells::Integer(cells) => cells.append_value(number),
            ColumnCells::SmallInteger(cells) => match i32::try_from(number) {
                Ok(number) => cells.append_value(number),
                Err(_) => {
                    self.is_omitted = true;
                    return;
                }
            },
            ColumnCells::Time(cells) => cells.append_value(number),
            ColumnCells::Text(_) | ColumnCells::Flag(_) | ColumnCells::Bytes(_) => return,
        }
        self.is_filled = true;
    }

    fn flag(&mut self, flag: bool) {
        let ColumnCells::Flag(cells) = &mut *self.cells else { return };
        cells.append_value(flag);
        self.is_filled = true;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let ColumnCells::Bytes(cells) = &mut *self.cells else { return };
        if cells.values_slice().len().saturating_add(bytes.len()) > MOST {
            self.is_omitted = true;
            return;
        }
        cells.append_value(bytes);
        self.is_filled = true;
    }
}

/// What can be put into a cell.
pub(super) trait Content {
    fn put(self, cell: &mut NextCell<'_>);
}

/// Content that may be missing.
impl<T: Content> Content for Option<T> {
    fn put(self, cell: &mut NextCell<'_>) {
        if let Some(content) = self {
            content.put(cell);
        }
    }
}

macro_rules! contents {
    ($($type:ty => $put:ident;)*) => {$(
        impl Content for $type {
            fn put(self, cell: &mut NextCell<'_>) {
                cell.$put(self);
            }
        }
    )*};
}

contents! {
    &str => text;
    &[u8] => bytes;
    bool => flag;
    u8 => integer;
    u16 => integer;
    i32 => integer;
    u32 => integer;
    i64 => integer;
    u64 => integer;
}

/// A text: the content as `Display` shows it.
pub(super) struct DisplayText<T>(pub(super) T);

impl<T: Display> Content for DisplayText<T> {
    fn put(self, cell: &mut NextCell<'_>) {
        cell.written(|out| write!(out, "{}", self.0).is_ok());
    }
}

/// The JSON that a function writes.
pub(super) const fn json<F: FnOnce(&mut Emitter<'_>) -> fmt::Result>(write: F) -> JsonText<F> {
    JsonText(write)
}

pub(super) struct JsonText<F>(F);

impl<F: FnOnce(&mut Emitter<'_>) -> fmt::Result> Content for JsonText<F> {
    fn put(self, cell: &mut NextCell<'_>) {
        cell.written(|out| Emitter::to(out, self.0).is_ok());
    }
}

impl ColumnCells {
    fn null(&mut self) {
        match self {
            ColumnCells::Text(cells) => cells.append_null(),
            ColumnCells::Integer(cells) => cells.append_null(),
            ColumnCells::SmallInteger(cells) => cells.append_null(),
            ColumnCells::Flag(cells) => cells.append_null(),
            ColumnCells::Time(cells) => cells.append_null(),
            ColumnCells::Bytes(cells) => cells.append_null(),
        }
    }

    /// Takes the cells so far. The column has none afterwards.
    pub(super) fn take(&mut self) -> ArrayRef {
        match self {
            ColumnCells::Text(cells) => Arc::new(cells.finish()),
            ColumnCells::Integer(cells) => Arc::new(cells.finish()),
            ColumnCells::SmallInteger(cells) => Arc::new(cells.finish()),
            ColumnCells::Flag(cells) => Arc::new(cells.finish()),
            ColumnCells::Time(cells) => Arc::new(cells.finish()),
            ColumnCells::Bytes(cells) => Arc::new(cells.finish()),
        }
    }

    /// About how many bytes the cells take.
    pub(super) fn size(&self) -> usize {
        match self {
            ColumnCells::Text(cells) => {
                cells.len().saturating_mul(4).saturating_add(cells.values_slice().len())
            }
            ColumnCells::Bytes(cells) => {
                cells.len().saturating_mul(4).saturating_add(cells.values_slice().len())
            }
            ColumnCells::Integer(cells) => cells.len().saturating_mul(8),
            ColumnCells::Time(cells) => cells.len().saturating_mul(8),
            ColumnCells::SmallInteger(cells) => cells.len().saturating_mul(4),
            ColumnCells::Flag(cells) => cells.len() / 8,
        }
    }
}
