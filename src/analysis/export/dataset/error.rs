//! Why a data set cannot be written.

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a data set cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("{}: {problem}", path.display())]
pub struct DatasetError {
    /// The file or the folder.
    pub path: PathBuf,
    /// What is wrong.
    #[source]
    pub problem: DatasetProblem,
}

/// What is wrong.
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
    pub(super) fn new(path: &Path, problem: DatasetProblem) -> DatasetError {
        DatasetError { path: path.to_owned(), problem }
    }

    pub(super) fn io(path: &Path, error: io::Error) -> DatasetError {
        DatasetError::new(path, DatasetProblem::Io(error))
    }

    pub(super) fn arrow(path: &Path, error: ArrowError) -> DatasetError {
        DatasetError::new(path, DatasetProblem::Arrow(error))
    }

    /// Takes an error of the file system out of the error of Parquet that contains it.
    pub(super) fn parquet(path: &Path, error: ParquetError) -> DatasetError {
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
