//! `gdwire stats`: counts what captures and value files contain.

mod amount;
mod count;
mod interval;
mod json;
mod table;

use crate::Stop;
use crate::args::{StatsArgs, StatsFormat};
use crate::diagnostics::Diagnostics;
use crate::input;
use crate::output;
use crate::sink::{Position, Refusal, Sink, Trouble};
use count::Counts;
use gdwire::VariantRef;
use gdwire::capture::{Message, Other, Summary};
use gdwire::multiplayer::Names;
use interval::Intervals;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// How many intervals with messages are shown; a day has 86,400 seconds.
const INTERVALS: usize = 100_000;

pub(crate) fn run(args: &StatsArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let names = args.names.read()?;
    let out = match args.format {
        StatsFormat::Table => output::text().0,
        StatsFormat::Json => output::json(),
    };
    let mut counter =
        Counter { out, args, names, counts: Counts::new(intervals(args.interval)), files: 0 };
    let files = input::files(&args.inputs, diagnostics);
    input::read(&files, &args.inputs, &args.filters, &mut counter, diagnostics)?;
    Ok(counter.out.flush()?)
}

fn intervals(length: Option<Duration>) -> Option<Intervals> {
    length.map(|length| Intervals::new(length, INTERVALS))
}

struct Counter<'a> {
    out: Box<dyn Write>,
    args: &'a StatsArgs,
    names: Option<Arc<Names>>,
    /// The counts of the current file.
    counts: Counts,
    files: u64,
}

impl Sink for Counter<'_> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), Refusal> {
        self.counts.message(message, message.context());
        Ok(())
    }

    fn value(&mut self, _: Position, value: VariantRef<'_>) -> Result<(), Refusal> {
        self.counts.value(value);
        Ok(())
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.counts.other(other);
        Ok(())
    }

    fn trouble(&mut self, trouble: Trouble<'_>) {
        self.counts.trouble(&trouble);
    }

    fn error_line(&mut self, _: &dyn Display) -> io::Result<bool> {
        Ok(false)
    }

    fn names(&self) -> Option<Arc<Names>> {
        self.names.clone()
    }

    fn connection(&mut self, summary: &Summary) {
        self.counts.connection(summary);
    }

    fn end(&mut self, file: &str) -> io::Result<()> {
        let counts =
            std::mem::replace(&mut self.counts, Counts::new(intervals(self.args.interval)));
        match self.args.format {
            StatsFormat::Table => {
                if self.files > 0 {
                    writeln!(self.out)?;
                }
                table::write(&mut self.out, file, &counts)?;
            }
            StatsFormat::Json => json::write(&mut self.out, file, &counts)?,
        }
        self.files = self.files.saturating_add(1);
        Ok(())
    }
}
