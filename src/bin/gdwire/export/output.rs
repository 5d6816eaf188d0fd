//! The output of rows: a data set of Parquet files, or an Arrow stream.

use super::args::{ExportArgs, ExportFormat};
use crate::diagnostics::Diagnostics;
use crate::output::{self, Replaced, Replacement};
use crate::plain::is_stdin;
use crate::stop::Stop;
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use gdwire::export::{Dataset, DatasetError, DatasetOptions, Problem, Rows, Table};
use std::io::{self, Write};
use std::time::Duration;

/// The age at which a file is completed while a capture is running, by default.
const ROLL: Duration = Duration::from_secs(60);

pub(super) enum Output {
    Dataset(Box<Dataset>),
    Stream(Table, Box<StreamWriter<Box<dyn Write>>>, Option<Replacement>),
}

impl Output {
    /// Opens the output.
    pub(super) fn open(args: &ExportArgs, rows: &Rows) -> Result<Output, Stop> {
        match args.format {
            ExportFormat::Parquet => Output::dataset(args),
            ExportFormat::Arrow => Output::stream(args, rows),
        }
    }

    fn dataset(args: &ExportArgs) -> Result<Output, Stop> {
        let usage = |problem: &str| Err(Stop::Usage(problem.to_owned()));
        let Some(folder) = args.output.as_ref().filter(|path| !is_stdin(path)) else {
            return usage("name the folder for the Parquet files with -o DIR");
        };
        if args.table.is_some() {
            return usage("--table needs --format arrow; a data set has all tables");
        }
        let mut options = DatasetOptions::new().with_partitions(args.partitions());
        if let Some(size) = args.roll_size {
            options = options.with_file_bytes(size as u64);
        }
        let is_live = args.inputs.follow || args.inputs.interface.is_some();
        if let Some(time) = args.roll_time.or(is_live.then_some(ROLL)) {
            options = options.with_file_age(time);
        }
        if args.append {
            options = options.with_appending();
        }
        match Dataset::create(folder, options) {
            Ok(dataset) => Ok(Output::Dataset(Box::new(dataset))),
            Err(error @ DatasetError { problem: Problem::NotEmpty, .. }) => {
                let advice = "add to it with --append, or name another folder with -o";
                Err(Stop::Usage(format!("{error}; {advice}")))
            }
            Err(error) => Err(Stop::Usage(format!("cannot write: {error}"))),
        }
    }

    fn stream(args: &ExportArgs, rows: &Rows) -> Result<Output, Stop> {
        let of_datasets = [
            ("--partition", !args.partition.is_empty()),
            ("--roll-size", args.roll_size.is_some()),
            ("--roll-time", args.roll_time.is_some()),
            ("--append", args.append),
        ];
        if let Some((option, _)) = of_datasets.into_iter().find(|(_, is_given)| *is_given) {
            return Err(Stop::Usage(format!("{option} needs --format parquet")));
        }
        let (out, replacement) =
            output::open_or_stdout(args.output.as_deref(), Replaced::Other, "")?;
        let table = args.table();
        let stream = StreamWriter::try_new(out, rows.schema(table)).map_err(arrow)?;
        Ok(Output::Stream(table, Box::new(stream), replacement))
    }

    /// Writes all rows. Those of an Arrow stream are flushed.
    pub(super) fn write(&mut self, rows: &mut Rows) -> io::Result<()> {
        match self {
            Output::Dataset(dataset) => dataset.write_all(rows).map_err(dataset_error),
            Output::Stream(..) => {
                for table in Table::ALL {
                    if !rows.is_empty(*table) {
                        self.write_batch(*table, &rows.take(*table).map_err(arrow)?)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Writes the rows of a table. A stream ignores those of other tables than its own.
    pub(super) fn write_batch(&mut self, table: Table, batch: &RecordBatch) -> io::Result<()> {
        match self {
            Output::Dataset(dataset) => dataset.write(table, batch).map_err(dataset_error),
            Output::Stream(wanted, stream, _) if *wanted == table => {
                stream.write(batch).and_then(|()| stream.flush()).map_err(arrow)
            }
            Output::Stream(..) => Ok(()),
        }
    }

    /// Completes the output.
    pub(super) fn finish(self, diagnostics: &Diagnostics) -> Result<(), Stop> {
        match self {
            Output::Dataset(dataset) if diagnostics.is_interrupted() => {
                diagnostics.note(&"no files were written, as an input was not read to its end");
                Ok(dataset.discard().map_err(dataset_error)?)
            }
            Output::Dataset(dataset) => {
                let written = dataset.finish().map_err(dataset_error)?;
                let text = format!(
                    "files: {}, rows: {}, bytes: {}",
                    written.files, written.rows, written.bytes
                );
                diagnostics.detail("written", &text);
                Ok(())
            }
            Output::Stream(_, mut stream, replacement) => {
                stream.finish().and_then(|()| stream.flush()).map_err(arrow)?;
                Ok(output::commit(replacement, diagnostics)?)
            }
        }
    }
}

/// Unwraps an error of the file system.
fn arrow(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}

fn dataset_error(error: DatasetError) -> io::Error {
    io::Error::other(error)
}
