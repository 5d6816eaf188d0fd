//! The options of `gdwire decode`.

use crate::args::{
    InputArgs, NamesArgs, SaveArgs, ScreenArgs, SelectionArgs, Threads, VerbosityArgs,
};
use clap::{Args, ValueEnum};

#[derive(Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) saves: SaveArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// How JSON spells values and arguments (needs --format ndjson) [default: plain]
    #[arg(long, value_enum, value_name = "SPELLING")]
    pub(crate) values: Option<Values>,
    /// Omit the columns before each message of a capture (needs --format text)
    #[arg(long)]
    pub(crate) plain: bool,
    /// Also print the bytes of each message, in hex (needs --format text or ndjson)
    #[arg(long)]
    pub(crate) hex: bool,
    /// Explain each message byte by byte: a hexdump with the meaning of each field, and the headers before it (needs --format text)
    #[arg(long, conflicts_with_all = ["hex", "wrap", "pretty", "addresses"])]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) names: NamesArgs,
    /// Also show unrecognized packets and unreadable messages, with size and reason (needs --format text or ndjson)
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) lines: LinesArgs,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

#[derive(Args)]
pub(crate) struct LinesArgs {
    /// Print long values whole, even if they take several lines of the terminal
    #[arg(long, conflicts_with = "pretty")]
    pub(crate) wrap: bool,
    /// Print values whole, indented over several lines
    #[arg(long)]
    pub(crate) pretty: bool,
    /// How to show times [default: relative on a terminal, utc elsewhere]
    #[arg(long, value_enum, value_name = "TIME")]
    pub(crate) time: Option<TimeChoice>,
    /// Show addresses and ports instead of short names such as 'client 1'
    #[arg(long)]
    pub(crate) addresses: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// One message per line, values as var_to_str and var2str write them; in captures, columns come first (see
    /// --plain)
    #[default]
    Text,
    /// One JSON object per message, with its position in the input and its value
    Ndjson,
    /// One JSON document per value, as Godot 4's JSON.from_native writes it, or per remote call
    Native,
    /// The bytes of each message in hex, one message per line
    Hex,
}

/// How JSON spells values.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Values {
    /// As jq expects them, without the types of the engine: {"hp": 87}
    Plain,
    /// Lossless, as Godot 4's JSON.from_native: {"type":"Dictionary","args":["s:hp","i:87"]}
    Native,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeChoice {
    /// Seconds after the first packet of the capture, as in Wireshark
    Relative,
    /// Seconds after the message on the line before
    Delta,
    /// The date and time in UTC
    Utc,
    /// The date and time in the time zone of this computer
    Local,
}
