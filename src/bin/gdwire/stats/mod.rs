//! `gdwire stats`: counts what captures and value files contain.

mod json;
mod table;

use crate::Stop;
use crate::args::{StatsArgs, StatsFormat};
use crate::diagnostics::Diagnostics;
use crate::input;
use crate::output;
use crate::sink::{Position, Refusal, Sink, Trouble};
use gdwire::VariantRef;
use gdwire::capture::{Message, Other, Summary};
use gdwire::multiplayer::Names;
use gdwire::stats::{Amount, Stats};
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::Arc;

pub(crate) fn run(args: &StatsArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let names = args.names.read()?;
    let out = match args.format {
        StatsFormat::Table => output::text().0,
        StatsFormat::Json => output::json(),
    };
    let mut counter = Counter { out, args, names, stats: new(args), files: 0 };
    let files = input::files(&args.inputs, diagnostics);
    input::read(&files, &args.inputs, &args.filters, &mut counter, diagnostics)?;
    Ok(counter.out.flush()?)
}

fn new(args: &StatsArgs) -> Stats {
    match args.interval {
        Some(length) => Stats::new().with_intervals(length),
        None => Stats::new(),
    }
}

/// Sorts by count, the largest first, and equal counts by name.
fn sorted<K: Ord>(amounts: impl Iterator<Item = (K, Amount)>) -> Vec<(K, Amount)> {
    let mut amounts: Vec<_> = amounts.collect();
    amounts.sort_unstable_by(|one, other| (other.1.count, &one.0).cmp(&(one.1.count, &other.0)));
    amounts
}

struct Counter<'a> {
    out: Box<dyn Write>,
    args: &'a StatsArgs,
    names: Option<Arc<Names>>,
    /// The counts of the current file.
    stats: Stats,
    files: u64,
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
            Trouble::Lost(cause) => self.stats.lost(cause),
            Trouble::NoValue(error) => self.stats.no_value(error),
            Trouble::Damaged => self.stats.error("damaged file"),
            Trouble::Unrecognized => self.stats.error("neither a capture nor a value file"),
            Trouble::NoBytes => self.stats.error("line that is not hex or base64"),
        }
    }

    fn error_line(&mut self, _: &dyn Display) -> io::Result<bool> {
        Ok(false)
    }

    fn names(&self) -> Option<Arc<Names>> {
        self.names.clone()
    }

    fn connection(&mut self, summary: &Summary) {
        self.stats.connection(summary);
    }

    fn end(&mut self, file: &str) -> io::Result<()> {
        let stats = std::mem::replace(&mut self.stats, new(self.args));
        match self.args.format {
            StatsFormat::Table => {
                if self.files > 0 {
                    writeln!(self.out)?;
                }
                table::write(&mut self.out, file, &stats)?;
            }
            StatsFormat::Json => json::write(&mut self.out, file, &stats)?,
        }
        self.files = self.files.saturating_add(1);
        Ok(())
    }
}
