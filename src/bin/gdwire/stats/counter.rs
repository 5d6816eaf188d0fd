//! Counts the contents of the inputs, and writes the counts of each file or of all files together.

use super::args::{StatsArgs, StatsFormat};
use super::{intervals, table};
use crate::diagnostics::Diagnostics;
use crate::input;
use crate::output;
use crate::sink::{Needs, Position, Refusal, Sink, Trouble};
use crate::stop::Stop;
use gdwire::VariantRef;
use gdwire::capture::{Message, Other, Summary};
use gdwire::multiplayer::Names;
use gdwire::stats::Stats;
use std::io::{self, Write};
use std::sync::Arc;

pub(crate) fn run(args: &StatsArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let names = args.names.read(diagnostics)?;
    let mut saves = args.saves.read()?;
    args.screen.choose_colors();
    let out = match args.format {
        StatsFormat::Table => output::text().0,
        StatsFormat::Json => output::json(),
    };
    let mut counter = Counter { out, args, names, stats: new(args), files: 0, last: String::new() };
    let files = input::files(&args.inputs, diagnostics);
    let request = args.selection.request(&files, &args.inputs);
    input::read(&request, Some(&mut saves), &mut counter, diagnostics)?;
    if args.total {
        let name = match counter.files {
            1 => std::mem::take(&mut counter.last),
            files => format!("total of {files} files"),
        };
        counter.write(&name)?;
    }
    Ok(counter.out.flush()?)
}

fn new(args: &StatsArgs) -> Stats {
    match args.interval {
        Some(length) => Stats::new().with_intervals(length),
        None => Stats::new(),
    }
}

struct Counter<'a> {
    out: Box<dyn Write>,
    args: &'a StatsArgs,
    names: Option<Arc<Names>>,
    /// The counts of the current file, or of all files.
    stats: Stats,
    files: u64,
    /// The name of the last file.
    last: String,
}

impl Sink for Counter<'_> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), Refusal> {
        self.stats.message(message);
        Ok(())
    }

    fn value(&mut self, _: Position, value: VariantRef<'_>) -> Result<(), Refusal> {
        self.stats.value(value);
        Ok(())
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.stats.other(other);
        Ok(())
    }

    fn trouble(&mut self, trouble: Trouble<'_>) {
        match trouble {
            Trouble::Lost(loss) => self.stats.lost(loss),
            Trouble::NoValue(error) => self.stats.no_value(error),
            Trouble::Damaged => self.stats.error("damaged file"),
            Trouble::Unrecognized => self.stats.error("neither a capture nor a value file"),
            Trouble::NotUnpacked => self.stats.error("save that cannot be unpacked"),
            Trouble::NoBytes => self.stats.error("line that is not hex or base64"),
        }
    }

    fn needs(&self) -> Needs {
        Needs { names: self.names.clone(), measures: true, ..Needs::default() }
    }

    fn connection(&mut self, summary: &Summary) {
        self.stats.connection(summary);
    }

    fn end(&mut self, file: &str) -> io::Result<()> {
        self.files = self.files.saturating_add(1);
        if self.args.total {
            self.stats.next_capture();
            self.last = file.to_owned();
            return Ok(());
        }
        if self.files > 1 && self.args.format == StatsFormat::Table {
            writeln!(self.out)?;
        }
        self.write(file)?;
        self.stats = new(self.args);
        Ok(())
    }
}

impl Counter<'_> {
    /// Writes the counts under this name.
    fn write(&mut self, name: &str) -> io::Result<()> {
        match self.args.format {
            StatsFormat::Table => {
                table::write(&mut self.out, self.args, name, &self.stats)?;
                let intervals = self.stats.intervals();
                let columns = self.args.screen.columns();
                intervals.map_or(Ok(()), |it| intervals::write(&mut self.out, it, columns))
            }
            StatsFormat::Json => {
                self.stats.write_json(name, &mut self.out)?;
                writeln!(self.out)
            }
        }
    }
}
