//! One Parquet file while it is written.

use super::DatasetError;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::interleave::interleave_record_batch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterProperties;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// The approximate memory of the rows of one row group, in bytes.
const ROW_GROUP: usize = 32 << 20;

/// The estimated ratio of the memory of rows to their size in a file. The size of a file counts
/// only written row groups, so a file with a small size limit needs small row groups.
const SHRINKS: usize = 4;

/// A file that is not complete yet.
#[derive(Debug)]
pub struct ParquetFile {
    folder: PathBuf,
    writer: ArrowWriter<NamedTempFile>,
    /// The rows of the next row group.
    batches: Vec<RecordBatch>,
    buffered: usize,
    /// The memory of rows at which a row group is written, in bytes.
    row_group: usize,
    rows: u64,
    since: Instant,
}

impl ParquetFile {
    /// Begins a file with the rows of one partition.
    pub fn create(
        folder: PathBuf,
        schema: SchemaRef,
        file_bytes: u64,
    ) -> Result<ParquetFile, DatasetError> {
        let file = fs::create_dir_all(&folder).and_then(|()| new_file(&folder));
        let file = file.map_err(|error| DatasetError::io(&folder, error))?;
        let order = schema.column_with_name("time_ns").and_then(|(place, _)| {
            let column_idx = i32::try_from(place).ok()?;
            Some(vec![SortingColumn { column_idx, descending: false, nulls_first: true }])
        });
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("gdwire ", env!("CARGO_PKG_VERSION")).to_owned())
            // [`ParquetFile`] collects the rows of a group, to sort them.
            .set_max_row_group_row_count(None)
            .set_sorting_columns(order)
            .build();
        let writer = ArrowWriter::try_new(file, schema, Some(properties));
        let writer = writer.map_err(|error| DatasetError::parquet(&folder, error))?;
        let (batches, since) = (Vec::new(), Instant::now());
        let row_group = usize::try_from(file_bytes).unwrap_or(usize::MAX);
        let row_group = row_group.saturating_mul(SHRINKS).min(ROW_GROUP);
        Ok(ParquetFile { folder, writer, batches, buffered: 0, row_group, rows: 0, since })
    }

    pub fn add(&mut self, batch: RecordBatch) -> Result<(), DatasetError> {
        self.rows += batch.num_rows() as u64;
        self.buffered = self.buffered.saturating_add(batch.get_array_memory_size());
        self.batches.push(batch);
        if self.buffered >= self.row_group { self.flush() } else { Ok(()) }
    }

    /// Writes the collected rows as a row group.
    pub fn flush(&mut self) -> Result<(), DatasetError> {
        let batches = std::mem::take(&mut self.batches);
        self.buffered = 0;
        if batches.is_empty() {
            return Ok(());
        }
        let sorted = sorted(&batches).map_err(|error| DatasetError::arrow(&self.folder, error))?;
        drop(batches);
        let written = self.writer.write(&sorted).and_then(|()| self.writer.flush());
        written.map_err(|error| DatasetError::parquet(&self.folder, error))
    }

    /// Completes the file under this name, and returns its path and its length in bytes.
    pub fn complete(mut self, name: &str) -> Result<(PathBuf, u64), DatasetError> {
        self.flush()?;
        let folder = &self.folder;
        let file =
            self.writer.into_inner().map_err(|error| DatasetError::parquet(folder, error))?;
        let path = folder.join(name);
        let bytes = complete(file, &path).map_err(|error| DatasetError::io(folder, error))?;
        Ok((path, bytes))
    }

    /// Removes the file, and returns its folder.
    pub fn discard(self) -> PathBuf {
        self.folder
    }

    /// The memory of the rows that are not written yet, in bytes.
    pub const fn buffered(&self) -> usize {
        self.buffered
    }

    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of written bytes.
    pub fn bytes(&self) -> u64 {
        self.writer.bytes_written() as u64
    }

    pub fn age(&self) -> Duration {
        self.since.elapsed()
    }
}

/// Creates a file whose name begins with a dot, so that engines do not read it yet.
pub fn new_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".parquet.tmp");
    #[cfg(unix)]
    {
        // The permissions of an ordinary new file. By default, only this user could read a
        // temporary file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

fn complete(file: NamedTempFile, path: &Path) -> io::Result<u64> {
    file.as_file().sync_all()?;
    let bytes = file.as_file().metadata()?.len();
    file.persist_noclobber(path)?;
    Ok(bytes)
}

/// The rows in the order of their times; rows without a time come first.
fn sorted(batches: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    let mut rows = Vec::new();
    for (number, batch) in batches.iter().enumerate() {
        let times = batch.column_by_name("time_ns");
        let times = times.and_then(|times| times.as_primitive_opt::<Int64Type>());
        for row in 0..batch.num_rows() {
            let time = times.filter(|times| times.is_valid(row)).map(|times| times.value(row));
            rows.push((time, (number, row)));
        }
    }
    let is_sorted = rows.is_sorted_by_key(|(time, _)| *time);
    if let ([batch], true) = (batches, is_sorted) {
        return Ok(batch.clone());
    }
    rows.sort_by_key(|(time, _)| *time);
    let rows = rows.into_iter().map(|(_, row)| row).collect::<Vec<_>>();
    interleave_record_batch(&batches.iter().collect::<Vec<_>>(), &rows)
}
