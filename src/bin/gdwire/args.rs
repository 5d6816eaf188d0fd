//! What can be said on the command line.

use crate::choices::{DialectChoice, DialectParser, TransportChoice, kind_of_name};
use crate::diagnostics::Verbosity;
use clap::{Args, Parser, Subcommand, ValueEnum};
use gdwire::Kind;
use gdwire::multiplayer::Packet;
use jiff::SignedDuration;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  gdwire decode game.pcapng                     every value and remote call that was sent
  gdwire decode --format ndjson game.pcapng | jq 'select(.len > 1000)'
  gdwire decode --methods names.txt game.pcapng its calls with the names of Godot 4's methods
  gdwire decode --transport tcp game.pcapng     as TCP only, whatever else there is
  gdwire stats --interval 1s game.pcapng        its flows, kinds, remote calls, and when they were
  gdwire decode save.dat                        every value of a store_var file
  echo 0200000007000000 | gdwire decode -       one value a line, in hex
  echo '[1, 2]' | gdwire encode --output hex -  the other way

Exit code: 0 all good, 1 some input could not be decoded, 2 wrong usage or unreadable input.";

const DECODE_EXAMPLES: &str = "\
Examples:
  gdwire decode game.pcapng
  gdwire decode --verbose --transport websocket game.pcapng
  gdwire decode --methods methods.txt game.pcapng          # \"Game/Players/*: move, take_hit\"
  gdwire decode --format ndjson game.pcapng | jq -c 'select(.rpc.method == \"move\").rpc.args'
  gdwire decode --port 7777 --kind Dictionary --kind Array game.pcapng
  gdwire decode --format ndjson --hex --recursive captures/
  tcpdump -w - udp | gdwire decode --input capture -
  gdwire decode --input raw --format native value.bin
  gdwire decode --dialect pandemonium5 --double save.dat

What carries the messages of a flow is found out by its first packets, never by its port: UDP,
TCP, ENet or WebSocket; --verbose says what and why. A remote call is shown as
path.method(arguments). Godot 4 sends a method's number, its place among the sorted names of the node's remote methods;
--methods has the names.

Frame and time are those of the packet that brought a message's last byte. Messages come in the
order of their stream, so that behind a gap, or what was sent again, they may go back. What is lost
is said with the frame where that was noticed, what was captured in part with its own; all else is
shown. A node whose path is not known is shown by its id, as #3.

A UDP payload is taken for a value if it is one from its first byte to its last. Other traffic is
counted in one line on stderr. Of a value given in hex or base64 the bytes behind its end are
ignored, as the engines do, with a warning.

Standard input is read piece by piece as hex, base64 or framed values; a capture or raw values
there have to fit into 1 GiB of memory, which a file named on the command line does not.

The engine is found out by the first 64 values of a file or, in a capture, of each flow in both
directions: it is the one that reads the most of them, and --verbose says which and why. Where
all engines read the same, as with numbers and strings, it is taken for Godot 4. Lines and frames
on standard input wait until there are so many; with --dialect they are shown as they come.";

const ENCODE_EXAMPLES: &str = "\
Examples:
  echo '{ \"hp\": 87, \"pos\": Vector2( 1, 2 ) }' | gdwire encode -o save.dat -
  gdwire encode --dialect godot4 --output hex values.txt
  gdwire decode --format native save.dat | gdwire encode --input native -o same.dat -";

const CONVERT_EXAMPLES: &str = "\
Examples:
  gdwire convert --to godot4 save.dat -o save4.dat   a save of Godot 3 for Godot 4
  gdwire convert --to godot3 --lossy save4.dat -o save.dat
  gdwire convert --output hex save.dat             the frames of a file, one value a line
  gdwire convert -o values.dat game.pcapng         the values of a capture as a store_var file
  echo 02000000ff000000 | gdwire convert --output hex -   what the engine would have written

Converting gives the bytes that the engine writes for the same value: padding is zero, numbers
are as narrow as they can be, and of a key that comes twice the last value stays.

A value that the engine of --to cannot express is an error that names it. With --lossy what is
nearest takes its place: a Vector2 that of a Vector2i, null that of a Callable, an untyped array
that of a typed one; how many there were is said on standard error.";

const STATS_EXAMPLES: &str = "\
Examples:
  gdwire stats game.pcapng
  gdwire stats --interval 1s --port 7777 game.pcapng
  gdwire stats --transport enet game.pcapng
  gdwire stats --methods methods.txt --recursive captures/
  gdwire stats --format json game.pcapng | jq '.calls[] | select(.count > 100)'

Calls are counted by node and method, sets by node and property. A node whose path the capture does
not show is #3 by the id that stands for it, of which each peer has its own.

Bytes of flows are those behind the UDP or TCP headers, sent again or not; bytes of kinds, calls
and intervals are those of the values and messages themselves. Tables have the 100 busiest flows
and methods, JSON has all. Of more than 100,000 intervals with messages pairs are put together.";

/// Reads and writes the binary serialization of Godot's and Pandemonium's variants
#[derive(Parser)]
#[command(name = "gdwire", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show the values in captures, store_var files, raw values or hex as text or JSON
    #[command(after_help = DECODE_EXAMPLES)]
    Decode(DecodeArgs),
    /// Make bytes of values written as text or JSON
    #[command(after_help = ENCODE_EXAMPLES)]
    Encode(EncodeArgs),
    /// Decode values and encode them again: between engines, framings, hex and bytes
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(ConvertArgs),
    /// Count what is in captures: flows, messages, kinds, remote calls, errors
    #[command(after_help = STATS_EXAMPLES)]
    Stats(StatsArgs),
    /// Print a script that completes gdwire's arguments in a shell
    #[command(
        after_help = "Example:\n  gdwire completions bash > ~/.local/share/bash-completion/completions/gdwire"
    )]
    Completions {
        /// The shell
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
    /// How values are shown
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// Leave out the columns in front of values from captures
    #[arg(long)]
    pub(crate) plain: bool,
    /// Add the value's bytes as they came (with the formats text and ndjson)
    #[arg(long)]
    pub(crate) hex: bool,
    /// The names of Godot 4's remote methods: a line for each pattern of node paths, such as
    /// "Game/Players/*: move, take_hit"
    #[arg(long, value_name = "FILE")]
    pub(crate) methods: Option<PathBuf>,
    /// Also show payloads that are no value: their size and why (with text and ndjson)
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
    /// How the counts are shown
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: StatsFormat,
    /// Also count the messages of a capture in steps of time: 1s, 500ms, 1m
    #[arg(long, value_name = "TIME", value_parser = interval)]
    pub(crate) interval: Option<Duration>,
    /// The names of Godot 4's remote methods, as for decode
    #[arg(long, value_name = "FILE")]
    pub(crate) methods: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

/// Reads a length of time, of at least a microsecond.
fn interval(text: &str) -> Result<Duration, String> {
    let length: Result<SignedDuration, _> = text.parse();
    let length = length.map_err(|_| "a number and its unit are needed, as in 1s, 500ms or 1m")?;
    match Duration::try_from(length) {
        Ok(length) if length >= Duration::from_micros(1) => Ok(length),
        _ => Err("the shortest is a microsecond, 1us".to_owned()),
    }
}

#[derive(Args)]
pub(crate) struct EncodeArgs {
    /// Files of values; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// What is in the files
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) input: Source,
    /// The engine that is to read the bytes
    #[arg(long, value_parser = DialectParser { has_auto: false }, default_value = "godot3")]
    pub(crate) dialect: DialectChoice,
    /// For an engine built with double-precision reals
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
    /// The engine that is to read the bytes [default: the one that wrote them]
    #[arg(long, value_parser = DialectParser { has_auto: false })]
    pub(crate) to: Option<DialectChoice>,
    /// Replace what that engine cannot express by what is nearest
    #[arg(long)]
    pub(crate) lossy: bool,
    /// For an engine built with double-precision reals
    #[arg(long)]
    pub(crate) to_double: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

/// Where values come from.
#[derive(Args)]
pub(crate) struct InputArgs {
    /// Captures or files of values; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// What is in the files; auto looks at their first bytes
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) input: Input,
    /// The engine that wrote the bytes; auto is the one that reads the most of the first values
    #[arg(long, value_parser = DialectParser { has_auto: true }, default_value = "auto")]
    pub(crate) dialect: DialectChoice,
    /// From an engine built with double-precision reals
    #[arg(long)]
    pub(crate) double: bool,
    /// Also read the captures in directories and in the directories in them
    #[arg(long, short)]
    pub(crate) recursive: bool,
    /// Other traffic, and bytes behind a value in hex or base64, are errors
    #[arg(long)]
    pub(crate) strict: bool,
}

/// Which values to show.
#[derive(Args)]
pub(crate) struct Filters {
    /// Only packets from or to this port; may be given several times
    #[arg(long, value_name = "N")]
    pub(crate) port: Vec<u16>,
    /// Only packets from or to this IP address; may be given several times
    #[arg(long, value_name = "ADDR")]
    pub(crate) host: Vec<IpAddr>,
    /// What carries the messages of a capture
    #[arg(long, value_enum, default_value = "auto", value_name = "TRANSPORT")]
    pub(crate) transport: TransportChoice,
    /// Only values of this kind, Vector2 or PoolByteArray, and packets with such a value; may be
    /// given several times
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

    /// Whether not every packet is to be looked at.
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

/// Where bytes go.
#[derive(Args)]
pub(crate) struct OutputArgs {
    /// How values are written
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output: Framing,
    /// The file to write to instead of standard output; it is replaced when all inputs are read
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct VerbosityArgs {
    /// Say nothing about other traffic, and no warnings
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Say what each flow and file was taken for and why, and how many values it had
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Input {
    /// By the first bytes: a capture, hex, framed or raw values
    #[default]
    Auto,
    /// A pcap or pcapng file
    Capture,
    /// Values behind their length, as store_var writes them
    Framed,
    /// Values one after the other
    Raw,
    /// Hexadecimal digits, one value a line
    Hex,
    /// Base64, one value a line
    Base64,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// The engine's literal, one value a line, behind frame, time, source and destination
    #[default]
    Text,
    /// One JSON object a message
    Ndjson,
    /// One JSON document a value, as Godot 4's JSON.from_native spells it
    Native,
    /// The value's own bytes in hex, one value a line
    Hex,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum StatsFormat {
    /// Aligned tables
    #[default]
    Table,
    /// One JSON object a file
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Source {
    /// The engines' literals, one after the other
    #[default]
    Text,
    /// One JSON document a line, as Godot 4's JSON.from_native spells it
    Native,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Framing {
    /// Values behind their length, as store_var writes them
    #[default]
    Framed,
    /// Values one after the other
    Raw,
    /// Hexadecimal digits, one value a line
    Hex,
    /// Base64, one value a line
    Base64,
}
