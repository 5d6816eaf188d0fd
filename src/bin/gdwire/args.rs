//! The options and arguments of the command line.

use crate::choices::{DialectChoice, DialectParser};
use crate::decode::LinesArgs;
use crate::diagnostics::Verbosity;
#[cfg(feature = "export")]
use crate::export::ExportArgs;
use crate::help;
use crate::names::NamesArgs;
use crate::saves::{CompressionChoice, KeyArgs, NewKeyArgs, SaveArgs};
use crate::screen::ScreenArgs;
use crate::selection::{Filters, Period};
use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use gdwire::capture::Limits;
use jiff::SignedDuration;
use std::num::NonZero;
use std::path::PathBuf;
use std::thread;
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
    /// Turn values given as text or JSON into a save file, hex or base64
    #[command(after_help = help::ENCODE, after_long_help = help::ENCODE_LONG)]
    Encode(EncodeArgs),
    /// Convert values to the format of another engine, or to hex or base64
    #[command(after_help = help::CONVERT, after_long_help = help::CONVERT_LONG)]
    Convert(ConvertArgs),
    /// Count the flows, messages, kinds of values, remote calls and errors in captures and files
    #[command(after_help = help::STATS, after_long_help = help::STATS_LONG)]
    Stats(StatsArgs),
    /// Find what is wrong with the traffic of a game, and say what usually causes it
    #[command(after_help = help::DIAGNOSE, after_long_help = help::DIAGNOSE_LONG)]
    Diagnose(DiagnoseArgs),
    /// Copy a capture with its messages as comments on the packets, for Wireshark
    #[command(after_help = help::ANNOTATE, after_long_help = help::ANNOTATE_LONG)]
    Annotate(AnnotateArgs),
    /// Write one HTML page with plots of the traffic in captures, and tables of who uses it
    #[command(after_help = help::REPORT, after_long_help = help::REPORT_LONG)]
    Report(ReportArgs),
    /// Write messages as Parquet files or an Arrow stream, for DuckDB, Polars, Spark and others
    #[cfg(feature = "export")]
    #[command(after_help = help::EXPORT, after_long_help = help::EXPORT_LONG)]
    Export(ExportArgs),
    /// Write the manual pages
    #[command(after_help = help::MAN, after_long_help = help::MAN_LONG)]
    Man {
        /// The folder to write a page for gdwire and each command to; without it, the page for gdwire goes to standard output
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: Option<PathBuf>,
    },
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
            Command::Diagnose(args) => &args.verbosity,
            Command::Annotate(args) => &args.verbosity,
            Command::Report(args) => &args.verbosity,
            #[cfg(feature = "export")]
            Command::Export(args) => &args.verbosity,
            Command::Completions { .. } | Command::Man { .. } => return Verbosity::Normal,
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
    pub(crate) saves: SaveArgs,
    #[command(flatten)]
    pub(crate) filters: Filters,
    #[command(flatten)]
    pub(crate) period: Period,
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
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) saves: SaveArgs,
    #[command(flatten)]
    pub(crate) filters: Filters,
    #[command(flatten)]
    pub(crate) period: Period,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: StatsFormat,
    /// Also count messages per interval of this length, such as 1s, 500ms or 1m
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) interval: Option<Duration>,
    /// Count all inputs together instead of each by itself
    #[arg(long)]
    pub(crate) total: bool,
    /// Sort the rows of tables by this
    #[arg(long, value_enum, default_value_t, value_name = "COLUMN")]
    pub(crate) sort: Sort,
    /// Show this many rows of each table
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) names: NamesArgs,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

#[derive(Args)]
pub(crate) struct AnnotateArgs {
    /// The capture to copy
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write the copy to this file, which is replaced once the copy is complete; - is standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Also comment on unrecognized packets and unreadable messages, with size and reason
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) filters: Filters,
    #[command(flatten)]
    pub(crate) period: Period,
    #[command(flatten)]
    pub(crate) names: NamesArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

#[derive(Args)]
pub(crate) struct DiagnoseArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) filters: Filters,
    #[command(flatten)]
    pub(crate) period: Period,
    #[command(flatten)]
    pub(crate) names: NamesArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: DiagnoseFormat,
    /// Show this many nodes or methods of each kind of finding, and this many connections
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

#[derive(Args)]
#[command(mut_arg("input", |arg| arg.default_value("capture").hide(true)))]
#[command(mut_arg("files", |arg| arg.help("Captures; - is standard input")))]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) filters: Filters,
    #[command(flatten)]
    pub(crate) period: Period,
    #[command(flatten)]
    pub(crate) names: NamesArgs,
    /// Write the page to this file instead of standard output
    ///
    /// The file is replaced after all inputs were read. If an input cannot be read, the file stays
    /// as it was.
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

/// Parses a length of time, of at least a microsecond.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let length: Result<SignedDuration, _> = text.parse();
    let length = length.map_err(|_| "expected a number and its unit, such as 1s, 500ms or 1m")?;
    match Duration::try_from(length) {
        Ok(length) if length >= Duration::from_micros(1) => Ok(length),
        _ => Err("the shortest time is one microsecond, 1us".to_owned()),
    }
}

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
    /// The engine that will read the bytes
    #[arg(long, value_parser = DialectParser { has_auto: false }, default_value = "godot3")]
    pub(crate) dialect: DialectChoice,
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

/// The help of `--kind` where remote calls are left out.
const CONVERTED_KIND: &str =
    "Convert only values of this type, such as Vector2 or 'Pool*' (repeatable)";

#[derive(Args)]
#[command(mut_arg("kind", |arg| arg.help(CONVERTED_KIND).long_help(CONVERTED_KIND)))]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) saves: SaveArgs,
    #[command(flatten)]
    pub(crate) filters: Filters,
    /// The engine that will read the bytes [default: the engine that wrote the values]
    #[arg(long, value_parser = DialectParser { has_auto: false }, value_name = "DIALECT")]
    pub(crate) to: Option<DialectChoice>,
    /// Write the nearest value where the target engine cannot express the original
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Write math types with 8-byte numbers, for engines built with precision=double [default: as
    /// read, or 4-byte numbers if --to changes the engine]
    #[arg(long)]
    pub(crate) to_double: bool,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) new_keys: NewKeyArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

/// The files to read and how to read them.
#[derive(Args)]
pub(crate) struct InputArgs {
    /// Captures, save files or files with hex; - is standard input
    ///
    /// Files that are compressed with gzip, Zstandard or LZ4 are unpacked while they are read.
    #[arg(required_unless_present = "interface", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The format of the files
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) input: Input,
    /// Capture live from this network interface, with dumpcap or tcpdump
    ///
    /// gdwire starts dumpcap or tcpdump, whichever is installed, and lets it capture only packets that
    /// match --port and --host. Press Ctrl-C to end the capture.
    #[arg(long, short, value_name = "NAME", conflicts_with_all = ["files", "recursive", "input"])]
    pub(crate) interface: Option<String>,
    /// Capture with this filter, such as 'udp and net 10.0.0.0/8', instead of one made from --port and --host (which still select what is shown)
    #[arg(long, value_name = "FILTER")]
    pub(crate) capture_filter: Option<String>,
    /// At the end of the file, wait for more, as 'tail -F' does
    ///
    /// If the file is replaced or shortened, gdwire goes on with its new content. The file need not
    /// exist yet. Press Ctrl-C to end.
    #[arg(long, conflicts_with_all = ["recursive", "interface", "join"])]
    pub(crate) follow: bool,
    /// Read the captures as one, in the given order: connections go on from file to file
    ///
    /// Use this for the files of a ring buffer, as dumpcap and tcpdump write them. Name the
    /// oldest file first: gdwire does not sort them. Frame numbers continue from file to file, as
    /// after 'mergecap -a'.
    #[arg(long, conflicts_with = "interface")]
    pub(crate) join: bool,
    /// Search directories for captures, at any depth
    #[arg(long, short)]
    pub(crate) recursive: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// How values and captures are read.
#[derive(Args, Clone)]
pub(crate) struct ReadingArgs {
    /// The engine that wrote the values
    #[arg(long, value_parser = DialectParser { has_auto: true }, default_value = "auto")]
    pub(crate) dialect: DialectChoice,
    /// Read math types with 8-byte numbers, whatever gdwire detects (no effect on Godot 4's values, which state the size)
    #[arg(long)]
    pub(crate) double: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Report unrecognized packets, missing unreliable messages, and bytes after a hex or base64
    /// value, as errors
    #[arg(long)]
    pub(crate) strict: bool,
}

/// How much is kept of a capture. The defaults are those of [`Limits`].
#[derive(Args, Clone)]
pub(crate) struct LimitArgs {
    /// Follow at most this many connections at the same time
    ///
    /// If there are more, gdwire stops following the one that has been idle longest. Over plain UDP,
    /// all traffic between two addresses and ports counts as one connection.
    #[arg(long, value_name = "N", default_value = "65536", value_parser = count::<usize>())]
    max_connections: usize,
    /// Use at most this much memory for all connections, such as 512M or 2G
    ///
    /// The memory holds messages that wait for earlier ones, packets of connections that gdwire
    /// has not recognized yet, and names of nodes.
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    max_memory: usize,
    /// Use at most this much memory for one connection
    ///
    /// This also limits the length of a message: over TCP to a quarter of SIZE, over WebSocket to
    /// an eighth, and over ENet to nearly a half.
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = size)]
    max_connection_memory: usize,
    /// Decide what a connection carries after at most this many messages
    ///
    /// gdwire finds out from a connection's first messages which transport and engine it uses.
    /// If they do not show that for certain, gdwire takes the best guess as soon as one of the
    /// three --max-undecided limits is reached.
    #[arg(long, value_name = "N", default_value = "64", value_parser = count::<u32>())]
    max_undecided_messages: u32,
    /// Decide what a connection carries after at most this many bytes of messages
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = size)]
    max_undecided_bytes: usize,
    /// In live traffic, decide what a connection carries after at most this time
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = time)]
    max_undecided_time: Duration,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        Limits::default()
            .with_flows(self.max_connections)
            .with_total_bytes(self.max_memory)
            .with_flow_bytes(self.max_connection_memory)
            .with_undecided_messages(self.max_undecided_messages)
            .with_undecided_bytes(self.max_undecided_bytes)
            .with_undecided_time(self.max_undecided_time)
    }
}

/// Parses a number of at least one.
fn count<T: TryFrom<u64> + Clone + Send + Sync + 'static>() -> RangedU64ValueParser<T> {
    RangedU64ValueParser::new().range(1..=u64::from(u32::MAX))
}

/// The least memory that a limit may be.
const LEAST: usize = 64 << 10;

/// Parses a number of bytes: 65536, 64K, 64M, 1G.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = match text.char_indices().last() {
        Some((at, 'K' | 'k')) => (text.get(..at), 1 << 10),
        Some((at, 'M' | 'm')) => (text.get(..at), 1 << 20),
        Some((at, 'G' | 'g')) => (text.get(..at), 1 << 30),
        _ => (Some(text), 1_usize),
    };
    let number: usize =
        number.and_then(|it| it.parse().ok()).ok_or("write a size such as 512K, 64M or 2G")?;
    match number.checked_mul(unit) {
        Some(size) if size >= LEAST => Ok(size),
        Some(_) => Err("the least size is 64K".to_owned()),
        None => Err("this is more than can be addressed".to_owned()),
    }
}

/// How many threads work at once.
#[derive(Args)]
pub(crate) struct Threads {
    /// Read capture files with this many threads [default: one for each core]
    ///
    /// The output is the same for every number. Captures from standard input or an interface, and
    /// those read with --follow, are read with one thread.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

impl Threads {
    pub(crate) fn count(&self) -> NonZero<usize> {
        self.threads
            .and_then(|threads| NonZero::new(usize::from(threads)))
            .or_else(|| thread::available_parallelism().ok())
            .unwrap_or(NonZero::<usize>::MIN)
    }
}

/// Where encoded values go, and in which form.
#[derive(Args)]
pub(crate) struct OutputArgs {
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output: Framing,
    /// Write a compressed save, as open_compressed does (needs --output framed or raw)
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) compress: Option<CompressionChoice>,
    /// Write an encrypted save, as open_encrypted does (needs --output framed or raw)
    ///
    /// With --compress, the compressed save is encrypted.
    #[arg(long)]
    pub(crate) encrypt: bool,
    /// Write to this file instead of standard output
    ///
    /// The file is replaced after all inputs were read. If an input file cannot be read, the
    /// output file stays as it was. Values with errors are left out.
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct VerbosityArgs {
    /// Print errors, but no warnings and no counts of unrecognized packets
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

/// How JSON spells values.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Values {
    /// As jq expects them, without the types of the engine: {"hp": 87}
    Plain,
    /// Lossless, as Godot 4's JSON.from_native: {"type":"Dictionary","args":["s:hp","i:87"]}
    Native,
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

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum StatsFormat {
    /// Aligned tables
    #[default]
    Table,
    /// One JSON object per file
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DiagnoseFormat {
    /// Sentences for people
    #[default]
    Text,
    /// One JSON object per file
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Sort {
    /// The bytes, most first
    #[default]
    Bytes,
    /// The number of packets, messages or values, most first
    Count,
    /// The bytes per second, most first
    Rate,
    /// The names, in alphabetical order
    Name,
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

#[cfg(test)]
mod tests {
    use super::{Cli, Command};
    use clap::Parser;
    use gdwire::capture::Limits;

    fn limits(options: &str) -> Limits {
        let arguments = format!("gdwire decode - {options}");
        let Command::Decode(args) = Cli::parse_from(arguments.split_whitespace()).command else {
            panic!("another command")
        };
        args.inputs.reading.limits.limits()
    }

    #[test]
    fn every_limit_has_an_option_and_its_default() {
        assert_eq!(limits(""), Limits::default());
        let others = limits(
            "--max-connections 1 --max-memory 1M --max-connection-memory 128K \
             --max-undecided-messages 2 --max-undecided-bytes 64K --max-undecided-time 2s",
        );
        let [default, others] = [Limits::default(), others].map(|limits| format!("{limits:?}"));
        let mut fields = default.split(", ").zip(others.split(", "));
        assert!(fields.all(|(default, other)| default != other), "{default} {others}");
    }
}
