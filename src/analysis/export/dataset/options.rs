//! Options for writing a data set.

use super::partition::Partition;
use std::time::Duration;

/// Options for writing a data set.
#[derive(Clone, Debug)]
pub struct DatasetOptions {
    pub(super) partitions: Vec<Partition>,
    pub(super) file_bytes: u64,
    pub(super) file_age: Option<Duration>,
    pub(super) max_partitions: usize,
    pub(super) is_appending: bool,
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
