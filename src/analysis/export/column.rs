//! The columns of a table, and how the cells of its rows are filled.

use crate::capture::follow::{Flow, Origin, Place};
use crate::format::json::emit::Emitter;
use crate::net::Side;
use crate::net::packet::Time;
use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder,
    StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use std::fmt::{self, Display};
use std::io::Write;
use std::marker::PhantomData;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

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

/// The rows of one of the tables.
pub trait TableRows {
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
pub struct TableBuilder<R: TableRows> {
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
    pub fn new() -> TableBuilder<R> {
        TableBuilder::of(R::columns().enumerate().collect())
    }

    /// A builder without rows, with only these columns, each once.
    pub fn select(names: &[&str]) -> Result<TableBuilder<R>, UnknownColumn> {
        let mut columns: Vec<(usize, Column)> = Vec::new();
        for &name in names {
            let found = R::columns().enumerate().find(|(_, column)| column.name == name);
            let found = found.ok_or_else(|| UnknownColumn { name: name.to_owned() })?;
            if columns.iter().all(|(place, _)| *place != found.0) {
                columns.push(found);
            }
        }
        Ok(TableBuilder::of(columns))
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

    pub const fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub const fn len(&self) -> usize {
        self.rows
    }

    /// About how many bytes the rows take.
    pub fn size(&self) -> usize {
        self.columns.iter().map(ColumnCells::size).fold(0, usize::saturating_add)
    }

    /// Adds a row, and returns the first column whose content did not fit.
    pub fn push(&mut self, row: &R::Row<'_>) -> Option<&'static str> {
        let mut omitted = None;
        for (cells, (place, name)) in self.columns.iter_mut().zip(&self.places) {
            let fits = NextCell::fill(cells, &mut self.scratch, |cell| R::fill(*place, row, cell));
            if !fits {
                omitted = omitted.or(Some(*name));
            }
        }
        self.rows += 1;
        omitted
    }

    /// Takes the rows so far. The builder has none afterwards.
    pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
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
    /// A number of 64 bits with a floating point.
    Number,
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
            ColumnType::Number => "float64",
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
            ColumnType::Number => DataType::Float64,
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
            ColumnType::Number => ColumnCells::Number(Float64Builder::new()),
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
pub enum ColumnCells {
    Text(StringBuilder),
    Integer(Int64Builder),
    SmallInteger(Int32Builder),
    Number(Float64Builder),
    Flag(BooleanBuilder),
    Time(TimestampMicrosecondBuilder),
    Bytes(BinaryBuilder),
}

/// The most bytes of text in one column of a batch: Arrow's offsets are signed and have 32 bits.
const MOST: usize = i32::MAX as usize;

/// The next cell of a column. It becomes null if nothing is put into it, or content of another type
/// than the column has.
pub struct NextCell<'c> {
    cells: &'c mut ColumnCells,
    /// A buffer for text that is composed.
    scratch: &'c mut Vec<u8>,
    is_filled: bool,
    /// Whether the content did not fit into the column.
    is_omitted: bool,
}

impl<'c> NextCell<'c> {
    /// Fills the next cell of a column, and returns whether its content fit.
    pub fn fill(
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

    pub fn put(&mut self, content: impl CellContent) {
        content.put(self);
    }

    fn text(&mut self, text: &str) {
        let ColumnCells::Text(cells) = &mut *self.cells else { return };
        self.is_omitted = cells.values_slice().len() + text.len() > MOST;
        self.is_filled = !self.is_omitted;
        if self.is_filled {
            cells.append_value(text);
        }
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
            ColumnCells::Text(_)
            | ColumnCells::Number(_)
            | ColumnCells::Flag(_)
            | ColumnCells::Bytes(_) => return,
        }
        self.is_filled = true;
    }

    fn number(&mut self, number: f64) {
        let ColumnCells::Number(cells) = &mut *self.cells else { return };
        cells.append_value(number);
        self.is_filled = true;
    }

    fn flag(&mut self, flag: bool) {
        let ColumnCells::Flag(cells) = &mut *self.cells else { return };
        cells.append_value(flag);
        self.is_filled = true;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let ColumnCells::Bytes(cells) = &mut *self.cells else { return };
        self.is_omitted = cells.values_slice().len() + bytes.len() > MOST;
        self.is_filled = !self.is_omitted;
        if self.is_filled {
            cells.append_value(bytes);
        }
    }
}

/// A type that can be written into a cell.
pub trait CellContent {
    fn put(self, cell: &mut NextCell<'_>);
}

/// Content that may be missing.
impl<T: CellContent> CellContent for Option<T> {
    fn put(self, cell: &mut NextCell<'_>) {
        if let Some(content) = self {
            content.put(cell);
        }
    }
}

macro_rules! contents {
    ($($type:ty => $put:ident;)*) => {$(
        impl CellContent for $type {
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
    f64 => number;
    u8 => integer;
    u16 => integer;
    i32 => integer;
    u32 => integer;
    i64 => integer;
    u64 => integer;
}

/// A text: the content as `Display` shows it.
pub struct DisplayText<T>(pub T);

impl<T: Display> CellContent for DisplayText<T> {
    fn put(self, cell: &mut NextCell<'_>) {
        cell.written(|out| write!(out, "{}", self.0).is_ok());
    }
}

/// The JSON that a function writes.
pub const fn json<F: FnOnce(&mut Emitter<'_>) -> fmt::Result>(write: F) -> JsonText<F> {
    JsonText(write)
}

pub struct JsonText<F>(F);

impl<F: FnOnce(&mut Emitter<'_>) -> fmt::Result> CellContent for JsonText<F> {
    fn put(self, cell: &mut NextCell<'_>) {
        cell.written(|out| Emitter::to(out, self.0).is_ok());
    }
}

/// Does the same with the cells of a column of any type.
macro_rules! of_any_type {
    ($column:expr, $cells:ident => $result:expr) => {
        match $column {
            ColumnCells::Text($cells) => $result,
            ColumnCells::Integer($cells) => $result,
            ColumnCells::SmallInteger($cells) => $result,
            ColumnCells::Number($cells) => $result,
            ColumnCells::Flag($cells) => $result,
            ColumnCells::Time($cells) => $result,
            ColumnCells::Bytes($cells) => $result,
        }
    };
}

impl ColumnCells {
    fn null(&mut self) {
        of_any_type!(self, cells => cells.append_null());
    }

    /// Takes the cells so far. The column has none afterwards.
    fn take(&mut self) -> ArrayRef {
        of_any_type!(self, cells => Arc::new(cells.finish()))
    }

    /// About how many bytes the cells take.
    pub fn size(&self) -> usize {
        match self {
            ColumnCells::Text(cells) => cells.len() * 4 + cells.values_slice().len(),
            ColumnCells::Bytes(cells) => cells.len() * 4 + cells.values_slice().len(),
            ColumnCells::Integer(cells) => cells.len() * 8,
            ColumnCells::Time(cells) => cells.len() * 8,
            ColumnCells::Number(cells) => cells.len() * 8,
            ColumnCells::SmallInteger(cells) => cells.len() * 4,
            ColumnCells::Flag(cells) => cells.len() / 8,
        }
    }
}

pub const fn microseconds(time: Time) -> i64 {
    time.as_nanos().div_euclid(1_000)
}

pub fn address(end: SocketAddr) -> impl CellContent {
    ip(end.ip())
}

pub fn ip(address: IpAddr) -> impl CellContent {
    DisplayText(address)
}

pub fn community_id(flow: Flow) -> impl CellContent {
    DisplayText(flow.community_id())
}

/// The direction of the messages of an end, if it is known which end opened the connection.
pub fn direction_name(from: Side, client: Option<Side>) -> Option<&'static str> {
    client.map(|client| if from == client { "to_server" } else { "to_client" })
}

/// The packet and the connection of a row.
#[derive(Clone, Copy, Default)]
pub struct RowSource {
    pub place: Option<Place>,
    pub origin: Option<Origin>,
}

impl RowSource {
    pub fn frame(self) -> Option<u64> {
        Some(self.place?.frame)
    }

    pub fn time(self) -> Option<i64> {
        self.place?.time.map(microseconds)
    }

    pub fn nanoseconds(self) -> Option<i64> {
        self.place?.time.map(Time::as_nanos)
    }

    pub fn transport(self) -> Option<&'static str> {
        Some(self.origin?.transport.name())
    }

    pub fn src(self) -> Option<SocketAddr> {
        Some(self.origin?.src())
    }

    pub fn dst(self) -> Option<SocketAddr> {
        Some(self.origin?.dst())
    }

    pub fn flow(self) -> Option<Flow> {
        Some(self.origin?.flow)
    }

    pub fn connection(self) -> Option<u64> {
        Some(self.origin?.connection).filter(|connection| *connection > 0)
    }

    pub fn direction(self) -> Option<&'static str> {
        let origin = self.origin?;
        direction_name(origin.from, origin.client)
    }
}
