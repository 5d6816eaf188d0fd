//! Collects rows and passes them to the output.

use super::args::ExportArgs;
use super::output::Output;
use crate::diagnostics::Diagnostics;
use crate::input;
use crate::sink::{Damage, Division, Made, Needs, PART, Part, Position, Refusal, Sink};
use crate::stop::Stop;
use arrow_array::RecordBatch;
use gdwire::VariantRef;
use gdwire::capture::{Loss, Message, Other, Summary};
use gdwire::export::{Rows, Table};
use gdwire::multiplayer::Names;
use std::fmt::Display;
use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows are written when they take about this many bytes of memory, or when they take
/// `--roll-size`, if that is less.
const ROWS: usize = 8 << 20;

/// If no packets arrive for this time, the collected rows are written.
const PAUSE: Duration = Duration::from_millis(500);

pub(crate) fn run(args: &ExportArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let names = args.names.read(diagnostics)?;
    let mut saves = args.saves.read()?;
    let files = input::files(&args.inputs, diagnostics);
    let make = make_rows(args)?;
    let output = Output::open(args, &make())?;
    let mut exporter = Exporter {
        output,
        rows: make(),
        make: Arc::new(make),
        file: String::new(),
        names,
        has_others: args.all,
        has_losses: !args.selection.filters.has_contents(),
        threads: args.threads.count(),
        room: args.roll_size.map_or(ROWS, |size| size.min(ROWS)),
        since: Instant::now(),
    };
    let request = args.selection.request(&files, &args.inputs);
    input::read(&request, Some(&mut saves), &mut exporter, diagnostics)?;
    exporter.write()?;
    exporter.output.finish(diagnostics)
}

/// Makes an empty collection of rows with the requested columns.
type Make = dyn Fn() -> Rows + Send + Sync;

fn make_rows(args: &ExportArgs) -> Result<impl Fn() -> Rows + Send + Sync + use<>, Stop> {
    let (table, columns) = (args.table(), args.columns.clone());
    if let Some(name) =
        columns.iter().find(|name| table.columns().iter().all(|it| it.name != name.as_str()))
    {
        let problem = format!("the table {} has no column {name}", table.name());
        return Err(Stop::Usage(problem));
    }
    if let Some(partition) =
        args.partitions().into_iter().find(|it| !has_column(&columns, it.column()))
    {
        let (name, column) = (partition.name(), partition.column());
        let problem = format!("--partition {name} needs the column {column}; add it to --columns");
        return Err(Stop::Usage(problem));
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
    output: Output,
    rows: Rows,
    make: Arc<Make>,
    file: String,
    names: Option<Arc<Names>>,
    /// Whether packets that were not decoded have rows.
    has_others: bool,
    /// Whether losses have rows: not if messages are selected by their content.
    has_losses: bool,
    threads: NonZero<usize>,
    /// How many bytes of memory rows may take before they are written.
    room: usize,
    /// When rows were last written.
    since: Instant,
}

impl Exporter {
    /// Writes the rows if they take much memory.
    fn write_if_full(&mut self) -> io::Result<()> {
        if self.rows.heap_bytes() >= self.room { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        self.since = Instant::now();
        self.output.write(&mut self.rows)
    }
}

impl Sink for Exporter {
    fn begin(&mut self, file: &str) {
        self.rows.begin(file);
        file.clone_into(&mut self.file);
    }

    fn message(&mut self, message: &Message<'_>) -> Result<(), Refusal> {
        self.rows.message(message);
        Ok(self.write_if_full()?)
    }

    fn value(&mut self, position: Position, value: VariantRef<'_>) -> Result<(), Refusal> {
        self.rows.value(position.offset(), value);
        Ok(self.write_if_full()?)
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        if self.has_others {
            self.rows.other(other);
        }
        self.write_if_full()
    }

    fn lost(&mut self, loss: &Loss) -> io::Result<()> {
        if self.has_losses {
            self.rows.lost(loss);
        }
        self.write_if_full()
    }

    fn damaged(&mut self, damage: &Damage<'_>) -> io::Result<()> {
        self.rows.damaged(damage.frame, damage.offset, damage.problem);
        Ok(())
    }

    fn connection(&mut self, summary: &Summary) {
        if summary.closed().is_some() {
            self.rows.connection(summary);
        }
    }

    fn needs(&self) -> Needs {
        Needs { names: self.names.clone(), measures: true, ..Needs::default() }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.since.elapsed() >= PAUSE { self.write() } else { Ok(()) }
    }

    fn error_line(&mut self, place: Position, reason: &dyn Display) -> io::Result<bool> {
        self.rows.unreadable(place.offset(), reason);
        // The error is also reported on standard error.
        Ok(false)
    }

    fn divide(&self) -> Option<Division> {
        let (make, file) = (self.make.clone(), self.file.clone());
        let (has_others, has_losses) = (self.has_others, self.has_losses);
        let begin = move || -> Box<dyn Part> {
            let mut rows = make();
            rows.begin(&file);
            Box::new(Lot { rows, has_others, has_losses })
        };
        (self.threads.get() > 1).then(|| Division { threads: self.threads, begin: Box::new(begin) })
    }

    fn join(&mut self, made: Made) -> io::Result<()> {
        let Ok(batches) = made.downcast::<Batches>() else { return Ok(()) };
        // The sink may hold rows of earlier messages, which come first.
        self.write()?;
        batches.into_iter().try_for_each(|(table, batch)| self.output.write_batch(table, &batch))
    }
}

/// The rows that a part of the work has produced, by table.
type Batches = Vec<(Table, RecordBatch)>;

/// Makes the rows of a part of the messages.
struct Lot {
    rows: Rows,
    has_others: bool,
    has_losses: bool,
}

impl Part for Lot {
    fn message(&mut self, message: &Message<'_>) -> bool {
        let has_room = self.rows.heap_bytes().saturating_add(message.bytes.len()) <= PART;
        if has_room {
            self.rows.message(message);
        }
        has_room
    }

    fn other(&mut self, other: &Other<'_>) -> bool {
        if self.has_others {
            self.rows.other(other);
        }
        self.rows.heap_bytes() <= PART
    }

    fn lost(&mut self, loss: &Loss) -> bool {
        if self.has_losses {
            self.rows.lost(loss);
        }
        true
    }

    fn finish(mut self: Box<Self>) -> Made {
        let tables = Table::ALL.iter().filter(|table| !self.rows.is_empty(**table));
        let tables = tables.copied().collect::<Vec<_>>();
        let batches = tables.into_iter().filter_map(|table| {
            // The cells have the types of the schema, so this does not fail.
            Some((table, self.rows.take(table).ok()?))
        });
        Box::new(batches.collect::<Batches>())
    }
}
