//! The command `gdwire`: shows, makes and converts values in captures and files.

mod annotate;
mod args;
mod choices;
mod columns;
mod completions;
mod convert;
mod decode;
mod diagnose;
mod diagnostics;
mod effects;
mod encode;
#[cfg(feature = "export")]
mod export;
mod help;
mod input;
mod interrupt;
mod man;
mod names;
mod output;
mod plain;
mod progress;
mod project;
mod report;
mod saves;
mod screen;
mod selection;
mod sink;
mod stats;
mod target;
mod tips;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use diagnostics::Diagnostics;
use std::io;
use std::process::ExitCode;

/// Why the whole run ends early.
enum Stop {
    /// The results cannot be written.
    Output(io::Error),
    /// The options or the files do not allow the run.
    Usage(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Output(error)
    }
}

fn main() -> ExitCode {
    let parsed = Cli::command().try_get_matches();
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?.command, matches)));
    let (command, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => tips::with_better_tip(error).exit(),
    };
    interrupt::catch();
    let mut diagnostics = Diagnostics::new(command.verbosity());
    let result = effects::check(&matches).and_then(|()| match &command {
        Command::Decode(args) => decode::run(args, &mut diagnostics),
        Command::Encode(args) => encode::run(args, &mut diagnostics),
        Command::Convert(args) => convert::run(args, &mut diagnostics),
        Command::Stats(args) => stats::run(args, &mut diagnostics),
        Command::Diagnose(args) => diagnose::run(args, &mut diagnostics),
        Command::Annotate(args) => annotate::run(args, &mut diagnostics),
        Command::Report(args) => report::run(args, &mut diagnostics),
        #[cfg(feature = "export")]
        Command::Export(args) => export::run(args, &mut diagnostics),
        Command::Man { folder } => man::run(folder.as_deref()),
        Command::Completions { shell } => completions::run(*shell),
    });
    match result {
        Ok(()) => {}
        // The reader of the pipe, such as head, has closed it.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(Stop::Output(error)) => {
            diagnostics.fatal(&format!("cannot write the output: {}", plain::reason(&error)));
        }
        Err(Stop::Usage(message)) => diagnostics.fatal(&message),
    }
    diagnostics.exit_code()
}
