//! `gdwire compare`: compares two captures: of two builds, of the two sides of one session, or of a
//! session and its repetition.
//!
//! Passes messages and connections to `gdwire::compare`, reads captures once more to show what never
//! arrived, and writes the result as text, with `text`, or as JSON.

mod kept;
mod text;

use crate::args::places::Moment;
use crate::args::{
    Input, InputArgs, NamesArgs, Period, ReadingArgs, ScreenArgs, SelectionArgs, VerbosityArgs,
};
use crate::diagnostics::{Diagnostics, RunError};
use crate::opened::{self, name};
use crate::sink::{EventSink, InputSink, Needs, SinkRefusal};
use crate::terminal::{Styles, number};
use crate::{input, output};
use clap::{Args, ValueEnum};
use gdwire::compare::{Comparison, Which};
use gdwire::follow::{Message, Summary};
use kept::KeptFiles;
use std::io::Write;
use std::path::PathBuf;
use std::slice;

#[derive(Args)]
pub struct CompareArgs {
    /// Two captures, the one before first; - is standard input
    #[arg(required = true, num_args = 2, value_names = ["BEFORE", "AFTER"])]
    files: Vec<PathBuf>,
    /// Compare the captures as the two sides of one session, although gdwire would not find that they are
    #[arg(long, conflicts_with = "replayed")]
    same_session: bool,
    /// Compare a session with its repetition: the same calls and values, whatever the ids and times
    ///
    /// The exit status is 1 if they differ. This is a regression test for a server: replay a recorded
    /// session with 'gdwire bot --replay' and record it.
    #[arg(long)]
    replayed: bool,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    names: NamesArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: CompareFormat,
    /// Show this many rows of each table
    #[arg(long, default_value_t = 20, value_name = "N")]
    top: usize,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    screen: ScreenArgs,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum CompareFormat {
    /// Tables for people
    #[default]
    Text,
    /// One JSON object
    Json,
}

pub fn run(args: &CompareArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    if args.selection.filters.limit.is_some() {
        let problem = "--limit would leave out messages of one capture only; --top limits what is \
                       shown, and --from and --to select a part of both";
        return Err(problem.into());
    }
    let names = args.names.read(diagnostics)?;
    args.screen.choose_colors();
    let (mut out, styles) = match args.format {
        CompareFormat::Text => output::text(),
        CompareFormat::Json => (output::json(), Styles::default()),
    };
    opened::inputs(&args.files);
    let kept = KeptFiles::of(&args.files)?;
    let inputs = InputArgs {
        files: kept.paths().to_vec(),
        input: Input::Capture,
        interface: None,
        list_interfaces: false,
        capture_filter: None,
        follow: false,
        join: false,
        recursive: false,
        reading: args.reading.clone(),
    };
    let needs = || Needs { names: names.clone(), measures: true, ..Needs::default() };
    let mut comparison = Comparison::with_max_bytes(args.reading.limits.limits().total_bytes);
    if args.replayed {
        comparison = comparison.with_repetition();
    }
    if args.same_session {
        comparison = comparison.with_same_session();
    }
    let mut comparer = Comparer { comparison, which: Which::First, turn: Turn::First };
    for (which, file) in Which::BOTH.into_iter().zip(&inputs.files) {
        comparer.which = which;
        let needs = needs();
        let first = needs.first.clone();
        if args.replayed {
            comparer.turn = Turn::Peers;
            let request = args.selection.request(slice::from_ref(file), &inputs, needs.clone());
            // Problems with the file are reported when its messages are read.
            input::read(request, None, &mut comparer, &mut Diagnostics::muted())?;
            comparer.turn = Turn::First;
        }
        let request = args.selection.request(slice::from_ref(file), &inputs, needs);
        input::read(request, None, &mut comparer, diagnostics)?;
        let Period { from, to } = args.selection.period;
        let time = |moment: Option<Moment>| moment?.nanoseconds(first.nanoseconds());
        comparer.comparison.limit_to(which, [time(from), time(to)]);
    }
    if diagnostics.is_unreadable() {
        return Ok(());
    }
    if let Some(repetition) = comparer.comparison.repetition()
        && repetition.compared() == 0
    {
        let is_empty =
            Which::BOTH.iter().all(|which| comparer.comparison.selected_messages(*which) == 0);
        let problem = if is_empty {
            "nothing was compared: no message matches the selection"
        } else {
            "nothing was compared: no selected message has a call or value"
        };
        return Err(problem.into());
    }
    if !args.replayed {
        comparer.comparison.find_sides();
    }
    if args.same_session && comparer.comparison.sides().is_none() {
        return Err("the captures have no message in common, so they are not of one session".into());
    }
    comparer.turn = Turn::Again;
    for (which, file) in Which::BOTH.into_iter().zip(&inputs.files) {
        if comparer.comparison.has_more(which) {
            comparer.which = which;
            let request = args.selection.request(slice::from_ref(file), &inputs, needs());
            // All problems were reported when the file was read first.
            input::read(request, None, &mut comparer, &mut Diagnostics::muted())?;
        }
    }
    let mut comparison = comparer.comparison;
    comparison.sort_lost();
    let titles = args.files.iter().map(|file| name(file)).collect::<Vec<_>>();
    let [first, second] = &titles[..] else { return Ok(()) };
    let titles = [&**first, &**second];
    report_limits(&comparison, titles, diagnostics);
    let lost = comparison.lost();
    let unreliable = lost.unreliable();
    let differs = comparison.repetition().is_some_and(|repetition| !repetition.is_same());
    if differs || lost.reliable() > 0 || args.reading.strict && unreliable > 0 {
        diagnostics.note_failure();
    }
    match args.format {
        CompareFormat::Text => text::write(&mut out, styles, args, &comparison, titles)?,
        CompareFormat::Json => {
            comparison.write_json(titles, &mut out)?;
            writeln!(out)?;
        }
    }
    Ok(out.flush()?)
}

/// Reports messages that were not compared because of a limit.
fn report_limits(comparison: &Comparison, titles: [&str; 2], diagnostics: &Diagnostics) {
    for (which, title) in Which::BOTH.into_iter().zip(titles) {
        let messages = comparison.further_messages(which);
        if messages > 0 {
            let messages = number(messages, "later message");
            let text = format!("{messages} not compared one by one; --max-memory allows more");
            diagnostics.warning(title, &text);
        }
        let connections = comparison.further_connections(which);
        if connections > 0 {
            let connections = number(connections, "more connection");
            diagnostics.warning(title, &format!("{connections} not compared"));
        }
    }
}

struct Comparer {
    comparison: Comparison,
    /// The capture that is being read.
    which: Which,
    turn: Turn,
}

/// Why a capture is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// To collect the ids of clients, if a repetition is compared.
    Peers,
    /// To compare its messages.
    First,
    /// To show the differences.
    Again,
}

impl EventSink for Comparer {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        match self.turn {
            Turn::Peers => self.comparison.collect_peers(self.which, message),
            Turn::First => self.comparison.message(self.which, message),
            Turn::Again => self.comparison.message_again(self.which, message),
        }
        Ok(())
    }

    fn unselected(&mut self, message: &Message<'_>) {
        match self.turn {
            Turn::Peers => self.comparison.collect_peers(self.which, message),
            Turn::First => self.comparison.note(self.which, message),
            Turn::Again => self.comparison.note_again(self.which, message),
        }
    }
}

impl InputSink for Comparer {
    fn connection(&mut self, summary: &Summary) {
        if self.turn == Turn::First {
            self.comparison.connection(self.which, summary);
        }
    }
}
