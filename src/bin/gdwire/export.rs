//! `gdwire export`: writes messages, losses and connections as tables for analysis engines.
//!
//! Turns them into rows with `gdwire::export`, and writes these as Parquet files or as an Arrow
//! stream.

use crate::args::values::{size, time};
use crate::args::{InputArgs, NamesArgs, SaveArgs, SelectionArgs, Threads, VerbosityArgs};
use crate::diagnostics::{Diagnostics, RunError};
use crate::input;
use crate::opened::{is_stdin, name, reason};
use crate::output::{self, Replaced, Replacement};
use crate::sink::{
    Division, EventSink, InputDamage, InputSink, Joining, Needs, PartResult, Position, SinkPart,
    SinkRefusal, ValuePlace,
};
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum, ValueHint};
use gdwire::VariantRef;
use gdwire::export::{
    Dataset, DatasetError, DatasetOptions, DatasetProblem, JoinedRows, PartRows, Partition, Rows,
    Table, TakenRows,
};
use gdwire::follow::{ConnectionNumbers, Loss, Message, Other, Summary};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{self, Write};
use std::num::NonZero;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct ExportArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub saves: SaveArgs,
    #[command(flatten)]
    pub names: NamesArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: ExportFormat,
    /// Write Parquet files to this folder, which is made if it does not exist; for Arrow, write to this file instead of standard output
    #[arg(short = 'o', long, value_name = "DIR", value_hint = ValueHint::AnyPath)]
    pub output: Option<PathBuf>,
    /// The table of an Arrow stream: messages, states, losses or connections [default: messages]
    #[arg(long, value_name = "TABLE", value_parser = PossibleValuesParser::new(Table::ALL.iter().map(|it| it.name())))]
    pub table: Option<String>,
    /// Write only these columns of the messages or of --table, such as time,path,method,len
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = PossibleValuesParser::new(column_names()), hide_possible_values = true)]
    pub columns: Vec<String>,
    /// Divide the rows into folders by these columns, such as date,transport
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = PossibleValuesParser::new(Partition::ALL.iter().map(|it| it.name())))]
    pub partition: Vec<String>,
    /// Complete a file when it has this size, such as 64M or 1G [default: 128M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub roll_size: Option<usize>,
    /// Complete a file when it is this old, such as 1m [default: 1m with --follow and --interface]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub roll_time: Option<Duration>,
    /// Add files to a folder that has a data set already
    #[arg(long)]
    pub append: bool,
    /// Also note unrecognized packets and unreadable messages in the table of losses
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

/// The format of the output.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ExportFormat {
    /// A folder of Parquet files, for DuckDB, Polars, Spark and others
    #[default]
    Parquet,
    /// One Arrow IPC stream, for a program that reads it as it arrives
    Arrow,
}

/// The names of the columns of all tables.
fn column_names() -> BTreeSet<&'static str> {
    Table::ALL.iter().flat_map(|table| table.columns()).map(|column| column.name).collect()
}

impl ExportArgs {
    /// The partitions that were named.
    fn partitions(&self) -> Vec<Partition> {
        let find = |name: &String| Partition::ALL.iter().copied().find(|it| it.name() == name);
        self.partition.iter().filter_map(find).collect()
    }

    /// The table of an Arrow stream.
    fn table(&self) -> Table {
        let named = |table: &&Table| Some(table.name()) == self.table.as_deref();
        Table::ALL.iter().find(named).copied().unwrap_or(Table::Messages)
    }
}

/// Rows are written when they take about this many bytes of memory, or when they take
/// `--roll-size`, if that is less.
const ROWS: usize = 8 << 20;

/// If no packets arrive for this time, the collected rows are written.
const PAUSE: Duration = Duration::from_millis(500);

pub fn run(args: &ExportArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let needs = Needs { names: args.names.read(diagnostics)?, measures: true, ..Needs::default() };
    let mut saves = args.saves.read()?;
    let files = input::find_files(&args.inputs, diagnostics);
    let make = make_rows(args)?;
    let output = ExportOutput::open(args, &make())?;
    let mut exporter = Exporter {
        output,
        rows: RowsPart {
            rows: PartRows::new(make()),
            has_others: args.all,
            has_losses: !args.selection.filters.has_contents(),
        },
        joined: JoinedRows::default(),
        make: Arc::new(make),
        file: String::new(),
        threads: args.threads.count(),
        room: args.roll_size.map_or(ROWS, |size| size.min(ROWS)),
        since: Instant::now(),
    };
    let request = args.selection.request(&files, &args.inputs, needs);
    input::read(request, Some(&mut saves), &mut exporter, diagnostics)?;
    exporter.write()?;
    exporter.output.finish((exporter.make)(), diagnostics)
}

/// Makes an empty collection of rows with the requested columns.
type Make = dyn Fn() -> Rows + Send + Sync;

fn make_rows(args: &ExportArgs) -> Result<impl Fn() -> Rows + Send + Sync + use<>, RunError> {
    let (table, columns) = (args.table(), args.columns.clone());
    if let Some(name) =
        columns.iter().find(|name| table.columns().iter().all(|it| it.name != name.as_str()))
    {
        return Err(format!("the table {} has no column {name}", table.name()).into());
    }
    if let Some(partition) =
        args.partitions().into_iter().find(|it| !has_column(&columns, it.column()))
    {
        let (name, column) = (partition.name(), partition.column());
        let problem = format!("--partition {name} needs the column {column}; add it to --columns");
        return Err(problem.into());
    }
    Ok(move || {
        let names = columns.iter().map(String::as_str).collect::<Vec<_>>();
        match Rows::new().with_columns(table, &names) {
            Ok(rows) if !names.is_empty() => rows,
            _ => Rows::new(),
        }
    })
}

fn has_column(columns: &[String], name: &str) -> bool {
    columns.is_empty() || columns.iter().any(|column| column == name)
}

/// Collects rows and passes them to the output.
struct Exporter {
    output: ExportOutput,
    rows: RowsPart,
    /// The rows of threads that follow shares of the connections.
    joined: JoinedRows,
    make: Arc<Make>,
    file: String,
    threads: NonZero<usize>,
    /// How many bytes of memory rows may take before they are written.
    room: usize,
    /// When rows were last written.
    since: Instant,
}

impl Exporter {
    /// Writes the rows if they take much memory.
    fn write_if_full(&mut self) -> io::Result<()> {
        if self.rows.held_bytes() >= self.room { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        self.since = Instant::now();
        self.output.write(&self.rows.take().map_err(arrow)?)
    }

    /// Writes the joined rows of parts, after the rows of the sink itself, which are those of earlier
    /// events.
    fn write_joined(&mut self) -> io::Result<()> {
        let joined = self.joined.take().map_err(arrow)?;
        if !joined.is_empty() {
            self.write()?;
            self.output.write(&joined)?;
        }
        Ok(())
    }
}

impl EventSink for Exporter {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        self.write_joined()?;
        self.rows.message(message)?;
        Ok(self.write_if_full()?)
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.write_joined()?;
        self.rows.other(other)?;
        self.write_if_full()
    }

    fn lost(&mut self, loss: &Loss) -> io::Result<()> {
        self.write_joined()?;
        self.rows.lost(loss)?;
        self.write_if_full()
    }
}

impl InputSink for Exporter {
    fn begin(&mut self, file: &str) {
        self.rows.rows.add(|rows| rows.begin(file));
        file.clone_into(&mut self.file);
    }

    fn value(&mut self, place: ValuePlace, value: VariantRef<'_>) -> Result<(), SinkRefusal> {
        self.rows.rows.add(|rows| rows.value(place.position.offset(), value));
        Ok(self.write_if_full()?)
    }

    fn damaged(&mut self, damage: &InputDamage<'_>) -> io::Result<()> {
        self.write_joined()?;
        self.rows.rows.add(|rows| rows.damaged(damage.frame, damage.offset, damage.problem));
        Ok(())
    }

    fn connection(&mut self, summary: &Summary) {
        if summary.closed().is_some() {
            self.rows.rows.add(|rows| rows.connection(summary));
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.since.elapsed() >= PAUSE { self.write() } else { Ok(()) }
    }

    fn error_line(&mut self, place: Position, reason: &dyn Display) -> io::Result<bool> {
        self.rows.rows.add(|rows| rows.unreadable(place.offset(), reason));
        // The error is also reported on standard error.
        Ok(false)
    }

    fn divide(&self) -> Option<Division> {
        let (make, file) = (self.make.clone(), self.file.clone());
        let RowsPart { has_others, has_losses, .. } = self.rows;
        let begin = move || -> Box<dyn SinkPart> {
            let mut rows = make();
            rows.begin(&file);
            Box::new(RowsPart { rows: PartRows::new(rows), has_others, has_losses })
        };
        let threads = self.threads;
        (threads.get() > 1).then(|| Division {
            threads,
            begin: Box::new(begin),
            joining: Joining::Rows,
        })
    }

    fn begin_rows(
        &mut self,
        parts: Vec<PartResult>,
        numbers: &ConnectionNumbers,
    ) -> io::Result<()> {
        let parts = parts.into_iter().filter_map(|it| it.downcast::<Taken>().ok());
        let parts = parts.map(|part| *part).collect::<Result<_, _>>().map_err(arrow)?;
        self.joined = JoinedRows::new(parts, numbers);
        Ok(())
    }

    fn rows(&mut self, part: usize, rows: Range<usize>) {
        self.joined.add(part, rows);
    }

    fn end_rows(&mut self) -> io::Result<()> {
        self.write_joined()?;
        self.joined = JoinedRows::default();
        Ok(())
    }

    fn join(&mut self, made: PartResult) -> io::Result<()> {
        let Ok(batches) = made.downcast::<Result<Batches, ArrowError>>() else { return Ok(()) };
        // The sink may hold rows of earlier messages, which come first.
        self.write()?;
        self.output.write(&batches.map_err(arrow)?)
    }
}

/// Rows, by table.
type Batches = Vec<(Table, RecordBatch)>;

/// The rows that a part has made of one piece of the capture.
type Taken = Result<TakenRows, ArrowError>;

/// Makes the rows of all events, or of a part of them.
struct RowsPart {
    rows: PartRows,
    /// Whether packets that were not decoded have rows.
    has_others: bool,
    /// Whether losses have rows: not if messages are selected by their content.
    has_losses: bool,
}

impl RowsPart {
    /// The rows so far. After this, there are none.
    fn take(&mut self) -> Result<Batches, ArrowError> {
        self.rows.take().map(TakenRows::into_batches)
    }
}

impl EventSink for RowsPart {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        self.rows.add(|rows| rows.message(message));
        Ok(())
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        if self.has_others {
            self.rows.add(|rows| rows.other(other));
        }
        Ok(())
    }

    fn lost(&mut self, loss: &Loss) -> io::Result<()> {
        if self.has_losses {
            self.rows.add(|rows| rows.lost(loss));
        }
        Ok(())
    }
}

impl SinkPart for RowsPart {
    fn held_bytes(&self) -> usize {
        self.rows.heap_bytes()
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn take_rows(&mut self) -> Option<PartResult> {
        Some(Box::new(self.rows.take()))
    }

    fn finish(mut self: Box<Self>) -> PartResult {
        Box::new(self.take())
    }
}

/// The age at which a file is completed while a capture is running, by default.
const ROLL: Duration = Duration::from_secs(60);

/// The output of rows: a data set of Parquet files, or an Arrow stream.
enum ExportOutput {
    /// The second part says whether there were rows.
    Dataset(Box<Dataset>, bool),
    Stream(Table, Box<StreamWriter<Box<dyn Write>>>, Option<Replacement>),
}

impl ExportOutput {
    /// Opens the output.
    fn open(args: &ExportArgs, rows: &Rows) -> Result<ExportOutput, RunError> {
        match args.format {
            ExportFormat::Parquet => ExportOutput::dataset(args),
            ExportFormat::Arrow => ExportOutput::stream(args, rows),
        }
    }

    fn dataset(args: &ExportArgs) -> Result<ExportOutput, RunError> {
        let usage = |problem: &str| Err(RunError::Usage(problem.to_owned()));
        let Some(folder) = args.output.as_ref().filter(|path| !is_stdin(path)) else {
            return usage("name the folder for the Parquet files with -o DIR");
        };
        let is_named_like_file = folder.extension().is_some_and(|extension| {
            ["parquet", "arrow", "arrows", "feather"]
                .iter()
                .any(|it| extension.eq_ignore_ascii_case(it))
        });
        if is_named_like_file && !folder.is_dir() {
            return Err(RunError::Usage(format!(
                "{}: -o names a folder, for several Parquet files of each table; name one such as \
                 'tables', or write one table to a file with --format arrow",
                name(folder)
            )));
        }
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
            Ok(dataset) => Ok(ExportOutput::Dataset(Box::new(dataset), false)),
            Err(error @ DatasetError { problem: DatasetProblem::NotEmpty, .. }) => {
                let advice = "add to it with --append, or name another folder with -o";
                Err(RunError::Usage(format!("{error}; {advice}")))
            }
            Err(DatasetError { path, problem: DatasetProblem::Io(error), .. }) => {
                let (folder, reason) = (name(&path), reason(&error));
                let advice = if path.is_file() { "; name a folder with -o" } else { "" };
                Err(format!("{folder}: cannot write: {reason}{advice}").into())
            }
            Err(error) => Err(format!("cannot write: {error}").into()),
        }
    }

    fn stream(args: &ExportArgs, rows: &Rows) -> Result<ExportOutput, RunError> {
        let of_datasets = [
            ("--partition", !args.partition.is_empty()),
            ("--roll-size", args.roll_size.is_some()),
            ("--roll-time", args.roll_time.is_some()),
            ("--append", args.append),
        ];
        if let Some((option, _)) = of_datasets.into_iter().find(|(_, is_given)| *is_given) {
            return Err(format!("{option} needs --format parquet").into());
        }
        let (out, replacement) =
            output::open_or_stdout(args.output.as_deref(), Replaced::Other, "")?;
        let table = args.table();
        let stream = StreamWriter::try_new(out, rows.schema(table)).map_err(arrow)?;
        Ok(ExportOutput::Stream(table, Box::new(stream), replacement))
    }

    /// Writes rows. A stream ignores those of other tables than its own, and is flushed.
    fn write(&mut self, batches: &Batches) -> io::Result<()> {
        for (table, batch) in batches {
            match self {
                ExportOutput::Dataset(dataset, has_rows) => {
                    *has_rows = true;
                    dataset.write(*table, batch).map_err(dataset_error)?;
                }
                ExportOutput::Stream(wanted, stream, _) if wanted == table => {
                    stream.write(batch).and_then(|()| stream.flush()).map_err(arrow)?;
                }
                ExportOutput::Stream(..) => {}
            }
        }
        match self {
            ExportOutput::Dataset(dataset, _) => dataset.roll().map_err(dataset_error),
            ExportOutput::Stream(..) => Ok(()),
        }
    }

    /// Completes the output. In a data set, tables without rows have the columns of these.
    fn finish(self, mut empty: Rows, diagnostics: &Diagnostics) -> Result<(), RunError> {
        match self {
            ExportOutput::Dataset(dataset, _) if diagnostics.is_interrupted() => {
                diagnostics.note(&"no files were written, as an input was not read to its end");
                Ok(dataset.discard().map_err(dataset_error)?)
            }
            ExportOutput::Dataset(mut dataset, has_rows) => {
                // If no input can be read, the folder stays free for the next run.
                if has_rows || !diagnostics.is_unreadable() {
                    dataset.write_all(&mut empty).map_err(dataset_error)?;
                }
                let written = dataset.finish().map_err(dataset_error)?;
                let text = format!(
                    "files: {}, rows: {}, bytes: {}",
                    written.files, written.rows, written.bytes
                );
                diagnostics.detail("written", &text);
                Ok(())
            }
            ExportOutput::Stream(_, mut stream, replacement) => {
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
    let advice = "files of this run that are complete stay in the folder: remove them before you export \
                  the same captures again, or their rows count twice";
    io::Error::other(format!("{error}; {advice}"))
}
