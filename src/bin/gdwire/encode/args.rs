//! The options of `gdwire encode`.

use crate::args::dialect::{DialectChoice, DialectParser};
use crate::args::{KeyArgs, OutputArgs, VerbosityArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The help of the options for keys where they encrypt.
const ENCRYPTING: [&str; 3] = [
    "Encrypt with this password, which other users may see (needs --encrypt)",
    "Encrypt with the password in the first line of this file; - is standard input (needs --encrypt)",
    "Encrypt with this key of 32 bytes, as 64 hex digits (needs --encrypt)",
];

#[derive(Args)]
#[command(mut_arg("quiet", |arg| arg.help("Print errors, but no warnings")))]
#[command(mut_arg("verbose", |arg| arg.help("Also print how many values each file has")))]
#[command(mut_arg("password", |arg| arg.help(ENCRYPTING[0]).long_help(ENCRYPTING[0]).requires("encrypt")))]
#[command(mut_arg("password_file", |arg| arg.help(ENCRYPTING[1]).long_help(ENCRYPTING[1]).requires("encrypt")))]
#[command(mut_arg("key", |arg| arg.help(ENCRYPTING[2]).long_help(ENCRYPTING[2]).requires("encrypt")))]
pub(crate) struct EncodeArgs {
    /// Files with values as text or JSON; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The format of the files
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) input: Source,
    /// The engine that will read the bytes [default: godot3]
    #[arg(long, value_parser = DialectParser { has_auto: false })]
    pub(crate) dialect: Option<DialectChoice>,
    /// Write math types with 8-byte numbers, for engines built with precision=double
    #[arg(long)]
    pub(crate) double: bool,
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Source {
    /// Values as var_to_str and var2str write them
    #[default]
    Text,
    /// One JSON document per line, as Godot 4's JSON.from_native writes it
    Native,
}
