//! The command `gdwire`: shows, makes and converts values in captures and files.

mod annotate;
mod args;
mod choices;
mod columns;
mod convert;
mod decode;
mod diagnose;
mod diagnostics;
mod encode;
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

use args::{Cli, Command};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use diagnostics::Diagnostics;
use std::io::{self, Write};
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

/// Replaces clap's tip for an unknown option, which is to put `--` before it.
fn with_better_tip(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let tip = match std::env::args().nth(1).as_deref() {
        _ if option != "-o" && !option.starts_with("--out") => None,
        Some("decode") => Some(
            "the results go to standard output; redirect them with '> FILE', or write the bytes of \
             values to a file with 'gdwire convert -o FILE'",
        ),
        Some("stats" | "diagnose") => {
            Some("the results go to standard output; redirect them with '> FILE'")
        }
        _ => None,
    };
    let is_similar = tip.is_none() && error.get(ContextKind::SuggestedArg).is_some();
    if is_similar {
        return error;
    }
    error.remove(ContextKind::Suggested);
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) => with_better_tip(error).exit(),
    };
    interrupt::catch();
    let mut diagnostics = Diagnostics::new(command.verbosity());
    let result = match &command {
        Command::Decode(args) => decode::run(args, &mut diagnostics),
        Command::Encode(args) => encode::run(args, &mut diagnostics),
        Command::Convert(args) => convert::run(args, &mut diagnostics),
        Command::Stats(args) => stats::run(args, &mut diagnostics),
        Command::Diagnose(args) => diagnose::run(args, &mut diagnostics),
        Command::Annotate(args) => annotate::run(args, &mut diagnostics),
        Command::Report(args) => report::run(args, &mut diagnostics),
        Command::Man { folder } => man::run(folder.as_deref()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "gdwire", &mut script);
            io::stdout().write_all(&script).map_err(Stop::Output)
        }
    };
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
