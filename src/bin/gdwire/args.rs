//! The options and arguments of the command line.

use crate::choices::{DialectChoice, DialectParser, TransportChoice, kind_of_name};
use crate::diagnostics::Verbosity;
use crate::help;
use clap::{Args, Parser, Subcommand, ValueEnum};
use gdwire::Kind;
use gdwire::multiplayer::Packet;
use jiff::SignedDuration;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// Shows, writes and converts the binary values that Godot and Pandemonium games send and save
///
/// gdwire reads network captures, save files written with store_var, raw values, hex and base64. You
/// need neither the engine nor the game.
#[derive(Parser)]
#[command(
    name = "gdwire",
    version,
    after_help = help::GENERAL,
    after_long_help = help::GENERAL_LONG,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show values and remote calls in captures, save files or hex, as text or JSON
    #[command(after_help = help::DECODE, after_long_help = help::DECODE_LONG)]
    Decode(DecodeArgs),
    /// Write values given as text or JSON to a save file, or as hex or base64
    #[command(after_help = help::ENCODE, after_long_help = help::ENCODE_LONG)]
    Encode(EncodeArgs),
    /// Convert values to the format of another engine, or to hex or base64
    #[command(after_help = help::CONVERT, after_long_help = help::CONVERT_LONG)]
    Convert(ConvertArgs),
    /// Count the flows, messages, kinds of values, remote calls and errors in captures and files
    #[command(after_help = help::STATS, after_long_help = help::STATS_LONG)]
    Stats(StatsArgs),
    /// Print a completion script for a shell
    #[command(after_help = help::COMPLETIONS, after_long_help = help::COMPLETIONS_LONG)]
    Completions {
        /// The shell to write the script for
        shell: clap_complete::Shell,
    },
}

impl Command {
    pub(crate) fn verbosity(&self) -> Verbosity {
        let args = match self {
            Command::Decode(args) => &args.verbosity,
            Command::Encode(args) => &args.verbosity,
            Command::Convert(args) => &args.verbosity,
            Command::Stats(args) => &args.verbosity,
            Command::Completions { .. } => return Verbosity::Normal,
        };
        match (args.quiet, args.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

#[derive(Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) filters: Filters,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// Omit the columns before each message of a capture (frame, time, source, destination)
    #[arg(long)]
    pub(crate) plain: bool,
    /// Also print the bytes of each message, in hex (needs --format text or ndjson)
    #[arg(long)]
    pub(crate) hex: bool,
    /// A file that lists remote methods, to show Godot 4's calls by name
    ///
    /// Godot 4 sends the number of a method instead of its name. Each line of the file has a
    /// pattern of node paths and all @rpc methods of these nodes, such as "Game/Players/*: move,
    /// take_hit".
    #[arg(long, value_name = "FILE")]
    pub(crate) methods: Option<PathBuf>,
    /// Also show payloads that could not be read, with size and reason (needs --format text or ndjson)
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

#[derive(Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) filters: Filters,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: StatsFormat,
    /// Also count messages per interval of this length, such as 1s, 500ms or 1m
    #[arg(long, value_name = "TIME", value_parser = interval)]
    pub(crate) interval: Option<Duration>,
    /// A file that lists remote methods, to show Godot 4's calls by name
    ///
    /// Each line has a pattern of node paths and all @rpc methods of these nodes, such as
    /// "Game/Players/*: move, take_hit".
    #[arg(long, value_name = "FILE")]
    pub(crate) methods: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

/// Parses a length of time, of at least a microsecond.
fn interval(text: &str) -> Result<Duration, String> {
    let length: Result<SignedDuration, _> = text.parse();
    let length = length.map_err(|_| "expected a number and its unit, such as 1s, 500ms or 1m")?;
    match Duration::try_from(length) {
        Ok(length) if length >= Duration::from_micros(1) => Ok(length),
        _ => Err("the shortest interval is one microsecond, 1us".to_owned()),
    }
}

fn address(text: &str) -> Result<IpAddr, &'static str> {
    text.parse().map_err(|_| "not an IPv4 or IPv6 address; names of hosts are not looked up")
}

#[derive(Args)]
pub(crate) struct EncodeArgs {
    /// Files with values as text or JSON; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The format of the files
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) input: Source,
    /// The engine that will read the bytes
    #[arg(long, value_parser = DialectParser { has_auto: false }, default_value = "godot3")]
    pub(crate) dialect: DialectChoice,
    /// Write math types with 8-byte numbers, for engines built with precision=double
    #[arg(long)]
    pub(crate) double: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

#[derive(Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) filters: Filters,
    /// The engine that will read the bytes [default: the engine that wrote the values]
    #[arg(long, value_parser = DialectParser { has_auto: false }, value_name = "DIALECT")]
    pub(crate) to: Option<DialectChoice>,
    /// Write the nearest value where the target engine cannot express the original
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Write math types with 8-byte numbers, for engines built with precision=double
    #[arg(long)]
    pub(crate) to_double: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

/// The files to read and how to read them.
#[derive(Args)]
pub(crate) struct InputArgs {
    /// Captures, save files or files with hex; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The format of the files
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) input: Input,
    /// The engine that wrote the values
    #[arg(long, value_parser = DialectParser { has_auto: true }, default_value = "auto")]
    pub(crate) dialect: DialectChoice,
    /// Read math types with 8-byte numbers (not needed for Godot 4, whose values say so)
    #[arg(long)]
    pub(crate) double: bool,
    /// Search directories for captures, at any depth
    #[arg(long, short)]
    pub(crate) recursive: bool,
    /// Report packets of other programs, and bytes after a hex or base64 value, as errors
    #[arg(long)]
    pub(crate) strict: bool,
}

/// The filters that select values and packets.
#[derive(Args)]
pub(crate) struct Filters {
    /// Read only packets from or to this port (repeatable)
    #[arg(long, value_name = "N")]
    pub(crate) port: Vec<u16>,
    /// Read only packets from or to this IP address (repeatable)
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub(crate) host: Vec<IpAddr>,
    /// Read all packets of a capture as this protocol
    #[arg(long, value_enum, default_value = "auto", value_name = "TRANSPORT")]
    pub(crate) transport: TransportChoice,
    /// Select values of this type, such as Vector2, and calls with such an argument (repeatable)
    #[arg(long, value_name = "NAME", value_parser = kind_of_name)]
    pub(crate) kind: Vec<Kind>,
}

impl Filters {
    pub(crate) fn admits(&self, src: SocketAddr, dst: SocketAddr) -> bool {
        let is_port = |end: SocketAddr| self.port.contains(&end.port());
        (self.port.is_empty() || is_port(src) || is_port(dst))
            && (self.host.is_empty()
                || self.host.contains(&src.ip())
                || self.host.contains(&dst.ip()))
    }

    /// Whether the filters name a port or an address.
    pub(crate) fn names_ends(&self) -> bool {
        !self.port.is_empty() || !self.host.is_empty()
    }

    pub(crate) fn admits_packet(&self, packet: &Packet<'_>) -> bool {
        let mut is_admitted = self.kind.is_empty();
        packet.each_argument(&mut |argument| is_admitted |= self.admits_kind(argument.kind()));
        is_admitted
    }

    pub(crate) fn admits_kind(&self, kind: Kind) -> bool {
        self.kind.is_empty() || self.kind.contains(&kind)
    }
}

/// Where encoded values go, and in which form.
#[derive(Args)]
pub(crate) struct OutputArgs {
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output: Framing,
    /// Write to this file instead of standard output
    ///
    /// The file is replaced only after all inputs were read. If an input cannot be read, the file
    /// stays as it was.
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct VerbosityArgs {
    /// Print errors, but no warnings and no counts of other programs' packets
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Also print how each flow and file was classified, and how many values it has
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Input {
    /// Detect from the first bytes: a capture, hex, framed or raw values
    #[default]
    Auto,
    /// A pcap or pcapng file
    Capture,
    /// Values, each after its length, as store_var writes them
    Framed,
    /// Values one after the other, without lengths
    Raw,
    /// Hexadecimal digits, one value per line
    Hex,
    /// Base64, one value per line
    Base64,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// One message per line, values as the engine prints them; captures add columns before it
    #[default]
    Text,
    /// One JSON object per message, with its position in the input and its value
    Ndjson,
    /// One JSON document per value, as Godot 4's JSON.from_native writes it
    Native,
    /// The bytes of each value in hex, one value per line
    Hex,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum StatsFormat {
    /// Aligned tables
    #[default]
    Table,
    /// One JSON object per file
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Source {
    /// Values as var_to_str and var2str write them
    #[default]
    Text,
    /// One JSON document per line, as Godot 4's JSON.from_native writes it
    Native,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Framing {
    /// Values, each after its length, as store_var writes them
    #[default]
    Framed,
    /// Values one after the other, without lengths
    Raw,
    /// Hexadecimal digits, one value per line
    Hex,
    /// Base64, one value per line
    Base64,
}
