//! Why a data set cannot be written.

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a data set cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("{}: {problem}", path.display())]
pub struct Error {
    /// The file or the folder.
    pub path: PathBuf,
    /// What is wrong.
    #[source]
    pub problem: Problem,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
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

impl Error {
    pub(super) fn new(path: &Path, problem: Problem) -> Error {
        Error { path: path.to_owned(), problem }
    }

    pub(super) fn io(path: &Path, error: io::Error) -> Error {
        Error::new(path, Problem::Io(error))
    }

    pub(super) fn arrow(path: &Path, error: ArrowError) -> Error {
        Error::new(path, Problem::Arrow(error))
    }

    /// Takes an error of the file system out of the error of Parquet that contains it.
    pub(super) fn parquet(path: &Path, error: ParquetError) -> Error {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => Error::io(path, *error),
                Err(inner) => Error::new(path, Problem::Parquet(ParquetError::External(inner))),
            },
            error => Error::new(path, Problem::Parquet(error)),
        }
    }
}
