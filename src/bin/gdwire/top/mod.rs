//! `gdwire top`: what a running game sends now, on a screen that moves.
//!
//! One thread reads: `feed` takes the packets and messages, which `gdwire::top` counts and `kept`
//! keeps, and `clock` says what time it is in the capture. Another thread draws: `screen` has the
//! terminal, `view` what the user has chosen, `frame` makes the lines, and `table` the columns. If
//! standard output is no terminal, `plain` writes tables in place of the screen.

mod clock;
mod feed;
mod frame;
mod kept;
mod plain;
mod screen;
mod table;
mod view;

use crate::args::{InputArgs, NamesArgs, ScreenArgs, SelectionArgs, VerbosityArgs};
use crate::diagnostics::{Diagnostics, RunError};
use crate::opened::{self, is_stdin, reason};
use crate::sink::{AHEAD, Needs};
use crate::terminal::number;
use crate::{input, interrupt, output};
use clap::{Args, ValueEnum};
use clock::{ReplayClock, Speed, speed};
use feed::{Feed, SharedSeen};
use gdwire::top::{TopBy, TopQuery, TopSort};
use plain::PlainTables;
use screen::Screen;
use std::io::{self, IsTerminal, stdout};
use std::path::PathBuf;
use std::rc::Rc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{env, panic};
use view::ScreenView;

#[derive(Args)]
pub struct TopArgs {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Show a row for each method, property, node, connection or command; on the screen, the keys 1
    /// to 5 choose
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    by: RowKind,
    /// Sort the rows by this; on the screen, s chooses
    #[arg(long, value_enum, default_value_t, value_name = "COLUMN")]
    sort: RowOrder,
    /// Give each node a row of its own, also those that are alike
    #[arg(long)]
    nodes: bool,
    /// Show this many rows of each table, if standard output is no terminal
    #[arg(long, default_value_t = 20, value_name = "N")]
    top: usize,
    /// Replay a file this many times as fast as it was recorded, such as 4 or 0.5, or 'max' [default: 1]
    #[arg(long, value_name = "N", value_parser = speed, conflicts_with_all = ["interface", "follow"])]
    speed: Option<Speed>,
    /// Also write the packets to this file, as pcapng
    ///
    /// The file must not exist yet. With --port and --host, only packets that match them are written.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    #[command(flatten)]
    names: NamesArgs,
    #[command(flatten)]
    screen: ScreenArgs,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum RowKind {
    /// Calls of a method, commands of the remote debugger
    #[default]
    Method,
    /// Values of a property in states, spawns and rset()
    Property,
    /// Packets about a node
    Node,
    /// Messages of a connection
    Connection,
    /// Packets with a command of the multiplayer API, plain values
    Command,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum RowOrder {
    /// The bytes of the last minute, most first
    #[default]
    Minute,
    /// The bytes of the last second, most first
    Bytes,
    /// The messages of the last second, most first
    Messages,
    /// All bytes so far, most first
    Total,
    /// The names, in alphabetical order
    Name,
}

impl TopArgs {
    fn query(&self) -> TopQuery {
        let mut query = TopQuery::new(match self.by {
            RowKind::Method => TopBy::Method,
            RowKind::Property => TopBy::Property,
            RowKind::Node => TopBy::Node,
            RowKind::Connection => TopBy::Connection,
            RowKind::Command => TopBy::Command,
        });
        query.sort = match self.sort {
            RowOrder::Minute => TopSort::Minute,
            RowOrder::Bytes => TopSort::Bytes,
            RowOrder::Messages => TopSort::Messages,
            RowOrder::Total => TopSort::Total,
            RowOrder::Name => TopSort::Name,
        };
        query.is_grouped = !self.nodes;
        query
    }

    /// The speed of a recording; none for live packets. Standard input is a recording if the user
    /// names a speed.
    fn speed(&self, files: &[PathBuf]) -> Option<Speed> {
        let is_live = self.inputs.interface.is_some()
            || self.inputs.follow
            || files.iter().any(|path| is_stdin(path) && !opened::is_stdin_a_file());
        self.speed.or((!is_live).then_some(Speed::Times(1.0)))
    }
}

pub fn run(args: &TopArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    args.screen.choose_colors();
    let names = args.names.read(diagnostics)?;
    let files = input::find_files(&args.inputs, diagnostics);
    let recording = args.write.as_deref().map(output::recording).transpose()?;
    let shared = SharedSeen::new(ReplayClock::new(args.speed(&files)));
    let (out, styles) = output::text();
    let has_screen = stdout().is_terminal() && env::var_os("TERM").is_none_or(|it| it != "dumb");
    let tables = (!has_screen)
        .then(|| PlainTables::new((out, styles), args.screen.columns(), args.query(), args.top));
    let feed = Feed::new(shared.clone(), &args.selection.filters, recording, tables);
    let watch = Some(Rc::new(feed.clone()) as _);
    let needs = Needs { names, measures: true, ahead: Some(AHEAD), watch, ..Needs::default() };
    let drawing = has_screen
        .then(|| -> Result<_, RunError> {
            let screen = Screen::open(styles, args.screen.width).map_err(no_terminal)?;
            let (shared, mut view) = (shared.clone(), ScreenView::new(args.query()));
            Ok(thread::spawn(move || {
                let result = screen.run(&mut view, &shared);
                // The inputs end, too, if the terminal is gone.
                if !interrupt::is_requested() {
                    interrupt::quit();
                }
                result
            }))
        })
        .transpose()?;
    let request = args.selection.request(&files, &args.inputs, needs);
    let read = input::read(request, None, &mut feed.clone(), diagnostics);
    let finished = feed.finish();
    if let Some(drawing) = drawing {
        // There is nothing to look at.
        if read.is_err() || shared.lock().top.second().is_none() {
            interrupt::quit();
        }
        if let Some(result) = result_of(drawing) {
            result.map_err(no_terminal)?;
        }
    }
    read?;
    let values = finished?;
    if values > 0 {
        let values = number(values, "value");
        diagnostics.note(&format!("{values} in files that are not captures were not counted"));
    }
    Ok(())
}

/// Waits for the screen to end. None if it does not end when it should: the library that reads keys reads
/// the end of a closed terminal again and again.
fn result_of(drawing: JoinHandle<io::Result<()>>) -> Option<io::Result<()>> {
    const STEP: Duration = Duration::from_millis(10);
    const PATIENCE: Duration = Duration::from_secs(1);
    let mut waited = Duration::ZERO;
    while !drawing.is_finished() {
        if interrupt::is_requested() {
            waited += STEP;
        }
        if waited > PATIENCE {
            return None;
        }
        thread::sleep(STEP);
    }
    Some(drawing.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked)))
}

fn no_terminal(error: io::Error) -> RunError {
    format!("cannot use the terminal: {}", reason(&error)).into()
}
