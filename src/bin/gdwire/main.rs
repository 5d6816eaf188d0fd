//! The command `gdwire`: shows, makes and converts values in captures and files.
//!
//! The way of the data: `args` → `input` → `sink` → a command → `output` and `diagnostics`. Each
//! command is a file or a folder with its own arguments; `commands!` lists them, and `help` has their
//! examples and notes.

mod annotate;
mod args;
#[cfg(feature = "peer")]
mod bot;
mod compare;
mod convert;
mod decode;
mod diagnose;
mod diagnostics;
mod encode;
#[cfg(feature = "export")]
mod export;
mod extcap;
mod input;
mod interrupt;
mod names;
mod opened;
mod output;
mod proxy;
mod report;
mod saves;
mod selection;
mod setup;
mod sink;
mod states;
mod stats;
mod terminal;
mod top;
mod usage;

use args::VerbosityArgs;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use diagnostics::{Diagnostics, RunError};
use std::process::ExitCode;
use terminal::plain;

/// Shows, writes and converts the binary values that Godot and Pandemonium games send and save
///
/// gdwire reads network captures, save files written with store_var, raw values, hex and base64. You
/// need neither the engine nor the game.
#[derive(Parser)]
#[command(name = "gdwire", bin_name = "gdwire", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Subcommands,
}

/// Defines the commands: the line of `gdwire --help`, the feature that adds it, the name, and the module
/// with `Args` and `run`. The examples and notes of a module stand in `help`. `man` and `completions`
/// are not in the list, because their `run` also takes the definition of the command line.
macro_rules! commands {
    ($(#[doc = $about:literal] $(#[cfg(feature = $feature:literal)])? $name:ident($module:ident::$args:ident),)*) => {
        /// The examples and notes of each command. A line that is indented by 1 or 3 spaces continues the
        /// line before it.
        const HELP: &[(&str, &str)] = &[
            $((stringify!($module), include_str!(concat!("help/", stringify!($module), ".txt"))),)*
            ("gdwire", include_str!("help/gdwire.txt")),
            ("man", include_str!("help/man.txt")),
            ("completions", include_str!("help/completions.txt")),
        ];

        /// The commands that only some builds have, and the feature that adds them.
        const OPTIONAL: &[(&str, &str)] = &[$($((stringify!($module), $feature),)?)*];

        #[derive(Subcommand)]
        enum Subcommands {
            $(
                #[doc = $about]
                $(#[cfg(feature = $feature)])?
                $name(Box<$module::$args>),
            )*
            /// Write the manual pages
            Man(setup::ManArgs),
            /// Print a completion script for a shell
            Completions(setup::CompletionsArgs),
        }

        impl Subcommands {
            fn verbosity(&self) -> VerbosityArgs {
                match self {
                    $($(#[cfg(feature = $feature)])? Subcommands::$name(args) => args.verbosity,)*
                    Subcommands::Completions(_) | Subcommands::Man(_) => VerbosityArgs::default(),
                }
            }

            fn run(&self, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
                match self {
                    $($(#[cfg(feature = $feature)])? Subcommands::$name(args) => $module::run(args, diagnostics),)*
                    Subcommands::Man(args) => setup::man(args, command_line()),
                    Subcommands::Completions(args) => setup::completions(args, command_line()),
                }
            }
        }
    };
}

commands! {
    /// Show values and remote calls in captures, save files or hex, as text or JSON
    Decode(decode::DecodeArgs),
    /// Turn values given as text or JSON into a save file, hex or base64
    Encode(encode::EncodeArgs),
    /// Convert values to the format of another engine, or to hex or base64
    Convert(convert::ConvertArgs),
    /// Count the flows, messages, kinds of values, remote calls and errors in captures and files
    Stats(stats::StatsArgs),
    /// Show which values the properties of nodes get, and when
    States(states::StatesArgs),
    /// Find what is wrong with the traffic of a game, and say what usually causes it
    Diagnose(diagnose::DiagnoseArgs),
    /// Compare two builds by what they send, or the two sides of one session: what never arrived
    Compare(compare::CompareArgs),
    /// Show what a running game sends now, on a screen that moves
    Top(top::TopArgs),
    /// Copy a capture with its messages for Wireshark: as comments on the packets, or as packets
    Annotate(annotate::AnnotateArgs),
    /// Put gdwire among the interfaces of Wireshark: live messages of a game
    Extcap(extcap::ExtcapArgs),
    /// Forward a game's packets as a bad network would, and show and record them
    Proxy(proxy::ProxyArgs),
    /// Let clients join a game and call its methods, as many as you ask for, to test its server
    #[cfg(feature = "peer")]
    Bot(bot::BotArgs),
    /// Write one HTML page with plots of the traffic in captures, and tables of who uses it
    Report(report::ReportArgs),
    /// Write messages as Parquet files or an Arrow stream, for DuckDB, Polars, Spark and others
    #[cfg(feature = "export")]
    Export(export::ExportArgs),
}

/// The definition of the command line, with the help of each command.
fn command_line() -> clap::Command {
    usage::with_help(Cli::command().mut_subcommands(usage::with_help))
}

/// Prints the names of the network interfaces, in two columns.
fn list_interfaces() -> Result<(), RunError> {
    let interfaces = input::interfaces()?;
    let lengths = interfaces.iter().map(|it| it.label().chars().count());
    let width = lengths.max().unwrap_or_default();
    let mut out = output::json();
    for interface in &interfaces {
        let (label, other) = (plain(interface.label()), interface.other_name().map(plain));
        match other {
            Some(other) => writeln!(out, "{label:<width$}  {other}")?,
            None => writeln!(out, "{label}")?,
        }
    }
    Ok(out.flush()?)
}

fn main() -> ExitCode {
    terminal::automatic_colors().write_global();
    // Only errors and `--help` show the help, which takes longer to make than everything else here.
    let arguments = usage::arguments(std::env::args_os());
    let parsed = Cli::command()
        .try_get_matches_from(&arguments)
        .or_else(|_| command_line().try_get_matches_from(&arguments));
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?.command, matches)));
    let (command, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => usage::plain_error(error).exit(),
    };
    interrupt::catch();
    let mut diagnostics = Diagnostics::new(command.verbosity());
    let result = usage::check_effects(&matches).and_then(|()| {
        if usage::lists_interfaces(&matches) {
            return list_interfaces();
        }
        command.run(&mut diagnostics)
    });
    match result {
        Ok(()) => {}
        // The reader of the pipe, such as head, has closed it.
        Err(RunError::Output(error)) if opened::is_closed_pipe(&error) => {}
        Err(RunError::Output(error)) => {
            diagnostics.fatal(&format!("cannot write the output: {}", opened::reason(&error)));
        }
        Err(RunError::Usage(message)) => diagnostics.fatal(&message),
    }
    diagnostics.exit_code()
}
