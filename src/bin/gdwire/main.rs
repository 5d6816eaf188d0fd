//! The command `gdwire`: shows, makes and converts values in captures and files.
//!
//! The way of the data: `args` → `input` → `sink` → a command → `output` and `diagnostics`. Each
//! command is a folder with its own arguments and help, and `commands!` lists them.

mod annotate;
mod args;
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
mod opened;
mod output;
mod plain;
mod report;
mod saves;
mod selection;
mod sink;
mod stats;
mod stop;
mod terminal;
mod tips;

use args::Verbosity;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use diagnostics::Diagnostics;
use std::io;
use std::process::ExitCode;
use stop::Stop;

/// Shows, writes and converts the binary values that Godot and Pandemonium games send and save
///
/// gdwire reads network captures, save files written with store_var, raw values, hex and base64. You
/// need neither the engine nor the game.
#[derive(Parser)]
#[command(
    name = "gdwire",
    version,
    after_help = help::EXAMPLES,
    after_long_help = help::HELP,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Defines the commands: the line of `gdwire --help`, the name, and the module with `Args`,
/// `EXAMPLES`, `HELP` and `run`. `man` and `completions` are not in the list, because their `run`
/// also takes the definition of the command line.
macro_rules! commands {
    ($(#[doc = $about:literal] $(#[cfg($condition:meta)])? $name:ident($module:ident),)*) => {
        #[derive(Subcommand)]
        enum Command {
            $(
                #[doc = $about]
                $(#[cfg($condition)])?
                #[command(after_help = $module::EXAMPLES, after_long_help = $module::HELP)]
                $name($module::Args),
            )*
            /// Write the manual pages
            #[command(after_help = man::EXAMPLES, after_long_help = man::HELP)]
            Man(man::Args),
            /// Print a completion script for a shell
            #[command(after_help = completions::EXAMPLES, after_long_help = completions::HELP)]
            Completions(completions::Args),
        }

        impl Command {
            fn verbosity(&self) -> Verbosity {
                match self {
                    $($(#[cfg($condition)])? Command::$name(args) => args.verbosity.verbosity(),)*
                    Command::Completions(_) | Command::Man(_) => Verbosity::Normal,
                }
            }

            fn run(&self, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
                match self {
                    $($(#[cfg($condition)])? Command::$name(args) => $module::run(args, diagnostics),)*
                    Command::Man(args) => man::run(args, Cli::command()),
                    Command::Completions(args) => completions::run(args, Cli::command()),
                }
            }
        }
    };
}

commands! {
    /// Show values and remote calls in captures, save files or hex, as text or JSON
    Decode(decode),
    /// Turn values given as text or JSON into a save file, hex or base64
    Encode(encode),
    /// Convert values to the format of another engine, or to hex or base64
    Convert(convert),
    /// Count the flows, messages, kinds of values, remote calls and errors in captures and files
    Stats(stats),
    /// Find what is wrong with the traffic of a game, and say what usually causes it
    Diagnose(diagnose),
    /// Copy a capture with its messages as comments on the packets, for Wireshark
    Annotate(annotate),
    /// Write one HTML page with plots of the traffic in captures, and tables of who uses it
    Report(report),
    /// Write messages as Parquet files or an Arrow stream, for DuckDB, Polars, Spark and others
    #[cfg(feature = "export")]
    Export(export),
}

fn main() -> ExitCode {
    let parsed = Cli::command().try_get_matches();
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?.command, matches)));
    let (command, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => tips::with_plain_arguments(tips::with_better_tip(error)).exit(),
    };
    interrupt::catch();
    let mut diagnostics = Diagnostics::new(command.verbosity());
    let result = effects::check(&matches).and_then(|()| command.run(&mut diagnostics));
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
