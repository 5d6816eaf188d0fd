//! The command `gdwire`: shows, makes and converts values in captures and files.

mod args;
mod choices;
mod convert;
mod cut;
mod decode;
mod detect;
mod diagnostics;
mod encode;
mod escaping;
mod frames;
mod help;
mod lines;
mod losses;
mod output;
mod packets;
mod progress;
mod raw;
mod reading;
mod sample;
mod source;
mod stats;
mod target;
mod time;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use diagnostics::Diagnostics;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Why the whole run ends early.
enum Stop {
    /// The results cannot be written.
    Output(io::Error),
    /// What was asked for cannot be done.
    Usage(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Output(error)
    }
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let mut diagnostics = Diagnostics::new(command.verbosity());
    let result = match &command {
        Command::Decode(args) => decode::run(args, &mut diagnostics),
        Command::Encode(args) => encode::run(args, &mut diagnostics),
        Command::Convert(args) => convert::run(args, &mut diagnostics),
        Command::Stats(args) => stats::run(args, &mut diagnostics),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "gdwire", &mut script);
            io::stdout().write_all(&script).map_err(Stop::Output)
        }
    };
    match result {
        Ok(()) => {}
        // Whoever reads the results has enough of them.
        Err(Stop::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {}
        Err(Stop::Output(error)) => diagnostics.fatal(&format!("cannot write: {error}")),
        Err(Stop::Usage(message)) => diagnostics.fatal(&message),
    }
    diagnostics.exit_code()
}
