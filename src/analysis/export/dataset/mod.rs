//! Writes tables to a folder of Parquet files.
//!
//! A [`Dataset`] takes rows of the tables. It divides them into partitions ([`Partition`]), and
//! each partition into files of a limited size or age.

mod part;
mod partition;

pub use partition::Partition;

use super::{Rows, Table};
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use parquet::errors::ParquetError;
use part::ParquetFile;
use partition::PartitionedRows;
use std::collections::btree_map::Entry;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, io};

/// The most files that are open at the same time. Before another is opened, the one with the most
/// rows is completed.
const OPEN: usize = 64;

/// The approximate limit of the memory of rows that are not written yet, in bytes.
const BUFFERED: usize = 64 << 20;

/// The table of a file, and the folder of its partition.
type Key = (Table, String);

/// A data set of Parquet files: a folder with a folder for each [`Table`].
///
/// Files are compressed with Zstandard. Rows are sorted by time within each row group, and
/// statistics let engines skip the row groups that a query does not need. A file gets its final
/// name when it is complete. Until then its name begins with a dot, so engines do not read it. If
/// the program is killed, incomplete files with such names remain.
///
/// ```
/// use gdwire::capture::Messages;
/// use gdwire::export::{Dataset, DatasetOptions, Partition, Rows, Table};
///
/// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-rpc.pcapng"))?;
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let options = DatasetOptions::new().with_partitions(vec![Partition::Date]);
/// let mut dataset = Dataset::create(folder, options)?;
/// let (mut messages, mut rows) = (Messages::new(&file)?, Rows::new());
/// rows.begin("godot4-rpc.pcapng");
/// while let Some(event) = messages.next_event() {
///     rows.event(&event);
///     if rows.heap_bytes() > 16 << 20 {
///         dataset.write_all(&mut rows)?;
///     }
/// }
/// dataset.write_all(&mut rows)?;
/// let written = dataset.finish()?;
/// assert_eq!(written.files, 4); // one for each table; nothing was lost, so that of losses is empty
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Dataset {
    folder: PathBuf,
    options: DatasetOptions,
    /// A part of the names of all files of this run.
    run: String,
    parts: BTreeMap<Key, ParquetFile>,
    /// All partitions so far, to limit their number.
    partitions: BTreeSet<Key>,
    /// The folder of the partition and the columns of tables for which a batch without rows was written.
    empty: BTreeMap<Table, (String, SchemaRef)>,
    written: Written,
    /// The files that are complete.
    files: Vec<PathBuf>,
    /// Whether the folder was created for this data set.
    is_new: bool,
}

/// The amount of written data.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Written {
    /// The number of completed files.
    pub files: u64,
    /// The number of their rows.
    pub rows: u64,
    /// The number of their bytes.
    pub bytes: u64,
}

impl Dataset {
    /// Begins to write to a folder, which is created if it does not exist.
    ///
    /// # Errors
    ///
    /// If the folder already has a data set and [`DatasetOptions::with_appending`] was not called, or if it cannot
    /// be written to.
    pub fn create(folder: &Path, options: DatasetOptions) -> Result<Dataset, DatasetError> {
        let is_new = !folder.exists();
        fs::create_dir_all(folder).map_err(|error| DatasetError::io(folder, error))?;
        for table in Table::ALL {
            if has_entries(&folder.join(table.name()))? && !options.is_appending {
                return Err(DatasetError::new(folder, DatasetProblem::NotEmpty));
            }
        }
        // Checks now that the folder is writable: at the first file, hours of captured data could
        // be lost.
        part::new_file(folder).map_err(|error| DatasetError::io(folder, error))?;
        Ok(Dataset {
            folder: folder.to_owned(),
            options,
            run: run(),
            parts: BTreeMap::new(),
            partitions: BTreeSet::new(),
            empty: BTreeMap::new(),
            written: Written::default(),
            files: Vec::new(),
            is_new,
        })
    }

    /// Writes the rows of all tables, and completes files that are old or large enough. A table that
    /// never gets a row has an empty file at the end.
    ///
    /// # Errors
    ///
    /// Like [`Dataset::write`].
    pub fn write_all(&mut self, rows: &mut Rows) -> Result<(), DatasetError> {
        for table in Table::ALL {
            let batch =
                rows.take(*table).map_err(|error| DatasetError::arrow(&self.folder, error))?;
            self.write(*table, &batch)?;
        }
        self.roll()
    }

    /// Writes rows of a table. After a batch without rows, [`Dataset::finish`] writes an empty file with
    /// its columns if the table has no other file, so that engines find the table.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, or if there are more partitions than [`DatasetOptions::with_max_partitions`].
    pub fn write(&mut self, table: Table, batch: &RecordBatch) -> Result<(), DatasetError> {
        let split = PartitionedRows::new(&self.options.partitions, batch);
        let batches =
            split.batches(batch).map_err(|error| DatasetError::arrow(&self.folder, error))?;
        for (partition, batch) in batches {
            if batch.num_rows() == 0 {
                self.empty.entry(table).or_insert_with(|| (partition, batch.schema()));
                continue;
            }
            let key = (table, partition);
            self.partitions.insert(key.clone());
            let limit = self.options.max_partitions;
            if self.partitions.len() > limit {
                return Err(DatasetError::new(&self.folder, DatasetProblem::Partitions { limit }));
            }
            if !self.parts.contains_key(&key) && self.parts.len() >= OPEN {
                self.complete_largest()?;
            }
            let (folder, schema) = (self.folder.join(table.name()).join(&key.1), batch.schema());
            let part = match self.parts.entry(key) {
                Entry::Occupied(part) => part.into_mut(),
                Entry::Vacant(place) => {
                    place.insert(ParquetFile::create(folder, schema, self.options.file_bytes)?)
                }
            };
            part.add(batch)?;
        }
        let buffered =
            self.parts.values().map(ParquetFile::buffered).fold(0, usize::saturating_add);
        if buffered > BUFFERED
            && let Some(part) = self.parts.values_mut().max_by_key(|part| part.buffered())
        {
            part.flush()?;
        }
        Ok(())
    }

    /// Completes the files that are large enough, or old enough: see [`DatasetOptions::with_file_age`].
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn roll(&mut self) -> Result<(), DatasetError> {
        let DatasetOptions { file_bytes, file_age, .. } = self.options;
        let is_done = |part: &ParquetFile| {
            part.bytes() >= file_bytes || file_age.is_some_and(|age| part.age() >= age)
        };
        let done = self.parts.iter().filter(|(_, part)| is_done(part));
        let done = done.map(|(key, _)| key.clone()).collect::<Vec<_>>();
        done.into_iter().try_for_each(|key| self.complete_one(&key))
    }

    /// Completes all files, and writes those of tables without rows: see [`Dataset::write`].
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn finish(mut self) -> Result<Written, DatasetError> {
        for ((table, _), part) in std::mem::take(&mut self.parts) {
            self.complete(table, part)?;
        }
        for (table, (partition, schema)) in std::mem::take(&mut self.empty) {
            let folder = self.folder.join(table.name());
            if !has_entries(&folder)? {
                let folder = folder.join(partition);
                let part = ParquetFile::create(folder, schema, self.options.file_bytes)?;
                self.complete(table, part)?;
            }
        }
        Ok(self.written)
    }

    /// Removes all files of this data set, also those that are complete, and the folders that are
    /// empty then. Files that were there before stay.
    ///
    /// # Errors
    ///
    /// If a complete file cannot be removed.
    #[doc(hidden)]
    pub fn discard(mut self) -> Result<(), DatasetError> {
        let parts = std::mem::take(&mut self.parts);
        let mut folders = parts.into_values().map(ParquetFile::discard).collect::<BTreeSet<_>>();
        folders.insert(self.folder.clone());
        for file in &self.files {
            fs::remove_file(file).map_err(|error| DatasetError::io(file, error))?;
            folders.extend(file.parent().map(Path::to_owned));
        }
        for folder in folders {
            let own = folder.ancestors().take_while(|it| self.is_new || *it != self.folder);
            // A folder that is not empty is not removed.
            own.take_while(|it| it.starts_with(&self.folder))
                .take_while(|it| fs::remove_dir(it).is_ok())
                .for_each(drop);
        }
        Ok(())
    }

    fn complete_largest(&mut self) -> Result<(), DatasetError> {
        let largest = self.parts.iter().max_by_key(|(_, part)| part.rows());
        let largest = largest.map(|(key, _)| key.clone());
        largest.map_or(Ok(()), |key| self.complete_one(&key))
    }

    fn complete_one(&mut self, key: &Key) -> Result<(), DatasetError> {
        match self.parts.remove(key) {
            Some(part) => self.complete(key.0, part),
            None => Ok(()),
        }
    }

    fn complete(&mut self, table: Table, part: ParquetFile) -> Result<(), DatasetError> {
        let number = self.files.len();
        let name = format!("{}-{}-{number:05}.parquet", table.name(), self.run);
        let rows = part.rows();
        let (path, bytes) = part.complete(&name)?;
        self.files.push(path);
        let Written { files, rows: all_rows, bytes: all_bytes } = &mut self.written;
        *files += 1;
        *all_rows = all_rows.saturating_add(rows);
        *all_bytes = all_bytes.saturating_add(bytes);
        Ok(())
    }
}

/// Whether a folder is there and has files or folders.
fn has_entries(folder: &Path) -> Result<bool, DatasetError> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(DatasetError::io(folder, error)),
    }
}

/// A text that is unique to this run, because several runs may write to the same folder.
fn run() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // The standard library has no other source of random numbers.
    let random = RandomState::new().build_hasher().finish();
    format!("{}-{:08x}", since.as_secs(), random & 0xffff_ffff)
}

/// Options for writing a data set.
#[derive(Clone, Debug)]
pub struct DatasetOptions {
    partitions: Vec<Partition>,
    file_bytes: u64,
    file_age: Option<Duration>,
    max_partitions: usize,
    is_appending: bool,
}

impl DatasetOptions {
    /// Without partitions, files of about 128 MiB, in an empty folder. There may be 4,096 partitions.
    #[must_use]
    pub const fn new() -> DatasetOptions {
        DatasetOptions {
            partitions: Vec::new(),
            file_bytes: 128 << 20,
            file_age: None,
            max_partitions: 4_096,
            is_appending: false,
        }
    }

    /// Writes the rows of each partition to a separate folder, such as
    /// `date=2026-11-21/transport=enet`.
    #[must_use]
    pub fn with_partitions(self, partitions: Vec<Partition>) -> DatasetOptions {
        DatasetOptions { partitions, ..self }
    }

    /// Completes a file when it has about this many bytes.
    #[must_use]
    pub fn with_file_bytes(self, file_bytes: u64) -> DatasetOptions {
        DatasetOptions { file_bytes, ..self }
    }

    /// Completes a file when it is this old, so that other programs can read its rows while a
    /// capture is still running.
    #[must_use]
    pub fn with_file_age(self, file_age: Duration) -> DatasetOptions {
        DatasetOptions { file_age: Some(file_age), ..self }
    }

    /// Allows this many partitions in all tables together. The limit is for captures with forged
    /// times, because each partition has its own files.
    #[must_use]
    pub fn with_max_partitions(self, max_partitions: usize) -> DatasetOptions {
        DatasetOptions { max_partitions, ..self }
    }

    /// Adds files to a data set, instead of refusing a folder that has one.
    #[must_use]
    pub fn with_appending(self) -> DatasetOptions {
        DatasetOptions { is_appending: true, ..self }
    }
}

impl Default for DatasetOptions {
    fn default() -> DatasetOptions {
        DatasetOptions::new()
    }
}

/// Why a data set cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("{}: {problem}", path.display())]
pub struct DatasetError {
    /// The file or the folder.
    pub path: PathBuf,
    /// The reason why it cannot be written.
    #[source]
    pub problem: DatasetProblem,
}

/// The reason why a data set cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetProblem {
    /// The folder has a data set already.
    #[error("the folder has a data set already")]
    NotEmpty,
    /// There are too many partitions.
    #[error("the rows have more than {limit} partitions")]
    Partitions {
        /// The limit.
        limit: usize,
    },
    /// The file system refused.
    #[error(transparent)]
    Io(io::Error),
    /// The rows cannot be collected, split or sorted.
    #[error(transparent)]
    Arrow(ArrowError),
    /// The rows cannot be written.
    #[error(transparent)]
    Parquet(ParquetError),
}

impl DatasetError {
    fn new(path: &Path, problem: DatasetProblem) -> DatasetError {
        DatasetError { path: path.to_owned(), problem }
    }

    fn io(path: &Path, error: io::Error) -> DatasetError {
        DatasetError::new(path, DatasetProblem::Io(error))
    }

    fn arrow(path: &Path, error: ArrowError) -> DatasetError {
        DatasetError::new(path, DatasetProblem::Arrow(error))
    }

    /// Takes an error of the file system out of the error of Parquet that contains it.
    fn parquet(path: &Path, error: ParquetError) -> DatasetError {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => DatasetError::io(path, *error),
                Err(inner) => {
                    DatasetError::new(path, DatasetProblem::Parquet(ParquetError::External(inner)))
                }
            },
            error => DatasetError::new(path, DatasetProblem::Parquet(error)),
        }
    }
}
