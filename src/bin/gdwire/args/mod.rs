//! The options that several commands share.
//!
//! These are plain types that the command line is parsed into. They depend on no command and do no
//! work. A command's own options are in its file or folder.

pub mod places;
pub mod values;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use gdwire::Dialect;
use gdwire::debugger::DebuggerCommand;
use gdwire::expression::Expression;
use gdwire::follow::{Limits, Transport};
use gdwire::multiplayer::{Packet, Pattern};
use gdwire::save::Compression;
use places::{EndFilter, EndName, FrameRange, Moment, Net, port};
use regex::{Regex, RegexBuilder};
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;
use values::{
    Choice, KindFilter, KindParser, count, dialect_or_auto, named, size, time, transport_or_auto,
};

/// The files to read and how to read them.
#[derive(Args)]
pub struct InputArgs {
    /// Captures, save files or files with hex; - is standard input
    ///
    /// Files that are compressed with gzip, Zstandard or LZ4 are unpacked while they are read.
    #[arg(required_unless_present_any = ["interface", "list_interfaces"], value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The format of the files
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub input: Input,
    /// Capture live from this network interface, with dumpcap or tcpdump
    ///
    /// gdwire starts dumpcap or tcpdump, whichever is installed, and lets it capture only packets that
    /// match --port and --host. Press Ctrl-C to end the capture. NAME is a name that --list-interfaces
    /// prints; 'lo' is the loopback interface of every system.
    #[arg(long, short, value_name = "NAME", conflicts_with_all = ["files", "recursive", "input"])]
    pub interface: Option<String>,
    /// Print the network interfaces that packets can be captured from, and end
    #[arg(long, exclusive = true)]
    pub list_interfaces: bool,
    /// Capture with this filter, such as 'udp and net 10.0.0.0/8', instead of one made from --port and --host (which still select what is shown)
    #[arg(long, value_name = "FILTER")]
    pub capture_filter: Option<String>,
    /// At the end of the file, wait for more, as 'tail -F' does
    ///
    /// If the file is replaced or shortened, gdwire continues with its new content. The file need
    /// not exist yet. Press Ctrl-C to end.
    #[arg(long, conflicts_with_all = ["recursive", "interface", "join"])]
    pub follow: bool,
    /// Read the captures as one, in the given order: connections continue from file to file
    ///
    /// Use this for the files of a ring buffer, as dumpcap and tcpdump write them. Name the
    /// oldest file first: gdwire does not sort them. Frame numbers continue from file to file, as
    /// after 'mergecap -a'.
    #[arg(long, conflicts_with = "interface")]
    pub join: bool,
    /// Search directories for captures, at any depth
    #[arg(long, short)]
    pub recursive: bool,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Input {
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

/// How values and captures are read.
#[derive(Args, Clone)]
pub struct ReadingArgs {
    /// The engine that wrote the values
    #[arg(long, value_parser = dialect_or_auto(), default_value = "auto")]
    pub dialect: Choice<Dialect>,
    /// Read math types with 8-byte numbers, whatever gdwire detects (no effect on Godot 4's values, which state the size)
    #[arg(long)]
    pub double: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Report unrecognized packets, missing unreliable messages, streams that end within a message,
    /// and bytes after a hex or base64 value, as errors
    #[arg(long)]
    pub strict: bool,
}

/// How much is kept of a capture. The defaults are those of [`Limits`].
#[derive(Args, Clone)]
pub struct LimitArgs {
    /// Follow at most this many connections at the same time
    ///
    /// If there are more, gdwire stops following the one that has been idle longest. It only counts
    /// the later packets of that connection, until there is room or another one is idle. Over plain
    /// UDP, all traffic between two addresses and ports counts as one connection.
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
    pub fn limits(&self) -> Limits {
        Limits::default()
            .with_flows(self.max_connections)
            .with_total_bytes(self.max_memory)
            .with_flow_bytes(self.max_connection_memory)
            .with_undecided_messages(self.max_undecided_messages)
            .with_undecided_bytes(self.max_undecided_bytes)
            .with_undecided_time(self.max_undecided_time)
    }
}

/// How to read compressed and encrypted saves.
#[derive(Args)]
pub struct SaveArgs {
    #[command(flatten)]
    pub keys: KeyArgs,
    /// Unpack at most this much from a compressed or encrypted save, which is held in memory
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    pub max_unpacked: usize,
}

/// The key of encrypted inputs.
#[derive(Args)]
pub struct KeyArgs {
    /// Decrypt saves with this password
    ///
    /// Other users of this computer may see the options of a command; --password-file hides the
    /// password from them. Without a password or key, gdwire asks for one on a terminal.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["password_file", "key"])]
    pub password: Option<String>,
    /// Decrypt saves with the password in the first line of this file; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    pub password_file: Option<PathBuf>,
    /// Decrypt saves with this key of 32 bytes, as 64 hex digits: what the game passes to open_encrypted
    #[arg(long, value_name = "HEX")]
    pub key: Option<String>,
}

/// The key of an encrypted output, if it is not that of the inputs.
#[derive(Args)]
pub struct NewKeyArgs {
    /// Encrypt with this password instead of the one of the input (needs --encrypt)
    ///
    /// Other users of this computer may see it; --new-password-file hides it from them.
    #[arg(long, value_name = "TEXT", requires = "encrypt", conflicts_with_all = ["new_password_file", "new_key"])]
    pub new_password: Option<String>,
    /// Encrypt with the password in the first line of this file (needs --encrypt)
    #[arg(long, value_name = "FILE", requires = "encrypt", conflicts_with = "new_key")]
    pub new_password_file: Option<PathBuf>,
    /// Encrypt with this key of 32 bytes, as 64 hex digits (needs --encrypt)
    #[arg(long, value_name = "HEX", requires = "encrypt")]
    pub new_key: Option<String>,
}

#[derive(Args)]
pub struct NamesArgs {
    /// A file that lists remote methods, to show Godot 4's calls by name
    ///
    /// Godot 4 sends the number of a method instead of its name. Each line of the file has a
    /// pattern of node paths, as gdwire shows them, and all @rpc methods of these nodes, such as
    /// "Game/Players/*: move, respawn".
    #[arg(long, value_name = "FILE")]
    pub methods: Option<PathBuf>,
    /// The folder of the game's Godot project, to show calls, scenes and properties by name
    ///
    /// Godot 4 sends numbers for methods, scenes and properties. Their names are read from the
    /// scripts and scenes in the folder. If the capture is of another version of the game, gdwire
    /// reports that. If the methods of a script differ, none of them is shown by name, unless the game has
    /// one or two fewer, or one other that the scripts mention.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub project: Option<PathBuf>,
    /// The path of a node that was announced before the recording began, such as '#1=Game/P0' (repeatable)
    ///
    /// It is used for all peers that have not announced the id; a path in the recording is never
    /// replaced. Each peer assigns its own ids.
    #[arg(long, value_name = "ID=PATH", value_parser = node)]
    pub node: Vec<(u32, String)>,
}

/// Parses the id and the path of a node.
fn node(text: &str) -> Result<(u32, String), String> {
    let advice = || "write the id and the path of a node, such as '#1=Game/P0'".to_owned();
    let (id, path) = text.split_once('=').ok_or_else(advice)?;
    let id = id.strip_prefix('#').unwrap_or(id).parse().map_err(|_| advice())?;
    if path.trim_start_matches("/root").trim_start_matches('/').is_empty() || path.contains('\0') {
        return Err(advice());
    }
    Ok((id, path.to_owned()))
}

/// The name of plain values for `--command`.
pub const VALUE: &str = "value";

/// How much memory the regular expression of `--grep` may take, in bytes.
const REGEX: usize = 10 << 20;

/// The options that select messages.
#[derive(Args)]
#[command(next_help_heading = "Selection")]
pub struct Filters {
    /// Read only packets from or to this port (repeatable)
    #[arg(long, value_name = "N", value_parser = port)]
    pub port: Vec<u16>,
    /// Read only packets from or to this IP address or network, such as 10.0.0.2 or 10.0.0.0/8 (repeatable)
    #[arg(long, value_name = "ADDR")]
    pub host: Vec<Net>,
    /// Read all packets of a capture as this protocol
    #[arg(long, value_parser = transport_or_auto(), default_value = "auto", value_name = "TRANSPORT")]
    pub transport: Choice<Transport>,
    /// Select only values of this type and calls with an argument of this type, such as Vector2 or 'Pool*' (repeatable)
    ///
    /// Only the type of the whole value counts: '--kind Vector2' does not select a Dictionary that
    /// contains a Vector2. In a pattern, * matches any characters and ? one.
    #[arg(long, value_name = "GLOB", value_parser = KindParser, hide_possible_values = true)]
    pub kind: Vec<KindFilter>,
    /// Select messages from this address, network or port, such as 10.0.0.2, [::1]:7777 or 7777, or from the end with this name (repeatable)
    ///
    /// The names are those that a terminal shows, such as 'client 1', 'server' or A.
    #[arg(long, value_name = "END")]
    pub src: Vec<EndFilter>,
    /// Select messages to this address, network, port or name (repeatable)
    #[arg(long, value_name = "END")]
    pub dst: Vec<EndFilter>,
    /// Select packets of the multiplayer API by their command, messages of the debugger, or plain values (repeatable)
    ///
    /// A relayed packet is selected by its own command, too.
    #[arg(long, value_name = "COMMAND", value_parser = PossibleValuesParser::new(
        Packet::COMMANDS.iter().copied().chain([DebuggerCommand::COMMAND, VALUE])
    ))]
    pub command: Vec<String>,
    /// Select packets about nodes with this path, such as 'Game/Players/*' (repeatable)
    ///
    /// In a pattern, * matches any characters within one name, ? matches one character, and **
    /// matches any number of names, including none. A node whose path is not in the capture does not match. A spawned node
    /// matches by its name and, with --project, by its path.
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    pub path: Vec<Pattern>,
    /// Select calls of these methods and messages with these properties, such as 'take_*' (repeatable)
    ///
    /// A method that is shown by its number matches as it is shown, such as '#7'. Godot 4 sends
    /// properties without their names: they are selected with --project, also in spawns. Messages
    /// of the remote debugger are selected by their command, such as 'output'.
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    pub method: Vec<Pattern>,
    /// Select messages for which this condition holds, such as '.value.hp < 50' (repeatable)
    ///
    /// The language is a part of that of jq. '.' is the message as '--format ndjson' prints it.
    #[arg(long = "where", value_name = "EXPRESSION", value_parser = expression)]
    pub conditions: Vec<Expression>,
    /// Select messages whose text, without the columns, matches this regular expression (repeatable)
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    pub grep: Vec<Regex>,
    /// Select messages by their frame number, such as 5, 5-9 or 5- (repeatable)
    #[arg(long, value_name = "A-B")]
    pub frames: Vec<FrameRange>,
    /// Stop after this many messages
    #[arg(long, value_name = "N", value_parser = limit)]
    pub limit: Option<NonZero<u64>>,
}

/// Parses a number of messages.
fn limit(text: &str) -> Result<NonZero<u64>, String> {
    let number: u64 = text.parse().map_err(|_| "expected a number of messages, such as 10")?;
    NonZero::new(number).ok_or_else(|| {
        let instead = "omit --limit to read all messages, or use 'gdwire stats' to count them";
        format!("at least one message is shown; {instead}")
    })
}

/// Parses a pattern of paths or names.
pub fn pattern(text: &str) -> Result<Pattern, &'static str> {
    if text.is_empty() { Err("the pattern is empty") } else { Ok(Pattern::new(text)) }
}

fn expression(text: &str) -> Result<Expression, String> {
    Expression::parse(text).map_err(|error| error.with_text(text).to_string())
}

fn regex(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(REGEX).dfa_size_limit(REGEX).build()
}

/// Whether packets between two addresses belong to one of the ports and to one of the hosts.
pub fn admits_ends(ports: &[u16], hosts: &[Net], src: SocketAddr, dst: SocketAddr) -> bool {
    let is_port = |end: SocketAddr| ports.contains(&end.port());
    let is_host = |end: SocketAddr| hosts.iter().any(|net| net.contains(end.ip()));
    (ports.is_empty() || is_port(src) || is_port(dst))
        && (hosts.is_empty() || is_host(src) || is_host(dst))
}

/// Whether a condition reads an end and has the name of an end.
fn compares_names(condition: &Expression) -> bool {
    condition.fields().iter().any(|field| matches!(*field, "src" | "dst"))
        && condition.strings().into_iter().any(|text| EndName::of(text).is_some())
}

impl Filters {
    /// Whether packets between two addresses are read.
    pub fn admits(&self, src: SocketAddr, dst: SocketAddr) -> bool {
        admits_ends(&self.port, &self.host, src, dst)
    }

    /// Whether the filters name a port or an address of packets to read.
    pub fn names_ends(&self) -> bool {
        !self.port.is_empty() || !self.host.is_empty()
    }

    /// Whether messages are selected by their packets: the frame numbers or the ends.
    pub fn has_places(&self) -> bool {
        !self.src.is_empty() || !self.dst.is_empty() || !self.frames.is_empty()
    }

    /// Whether messages are selected by the names of their ends.
    pub fn has_names_of_ends(&self) -> bool {
        self.src.iter().chain(&self.dst).any(EndFilter::is_named)
            || self.conditions.iter().any(compares_names)
    }

    /// Whether messages are selected by their content, which losses do not have.
    pub fn has_contents(&self) -> bool {
        let Filters { kind, command, path, method, conditions, grep, .. } = self;
        let has_names = !command.is_empty() || !path.is_empty() || !method.is_empty();
        has_names || !kind.is_empty() || !conditions.is_empty() || !grep.is_empty()
    }
}

/// The options that select messages by time. `convert` lacks them, because its `--to` names an
/// engine.
#[derive(Args, Clone, Copy, Default)]
#[command(next_help_heading = "Selection")]
pub struct Period {
    /// Select messages from this time on, such as 2026-11-21T07:55:51Z, 07:55:51, or 5s after the first packet
    #[arg(long, value_name = "TIME")]
    pub from: Option<Moment>,
    /// Select messages before this time
    #[arg(long, value_name = "TIME")]
    pub to: Option<Moment>,
}

impl Period {
    /// Fails if no time is in the period, whatever the time of the first packet.
    pub fn check(self) -> Result<(), &'static str> {
        let (Some(from), Some(to)) = (self.from, self.to) else { return Ok(()) };
        match (from.is_before(to), from) {
            (Some(false), Moment::TimeOfDay(_)) => Err("--from is not before --to; times without \
                                                        a date are on the day of the first packet"),
            (Some(false), _) => Err("--from is not before --to, so no message can match"),
            _ => Ok(()),
        }
    }
}

/// The options that select messages, for every command that does not need `--to` for something else.
#[derive(Args)]
pub struct SelectionArgs {
    #[command(flatten)]
    pub filters: Filters,
    #[command(flatten)]
    pub period: Period,
}

impl SelectionArgs {
    /// Whether only some of the messages are selected.
    pub fn is_used(&self) -> bool {
        let SelectionArgs { filters, period } = self;
        let has_period = period.from.is_some() || period.to.is_some();
        has_period || filters.has_places() || filters.has_contents() || filters.limit.is_some()
    }
}

/// The smallest width that lines can be fitted to, in columns.
pub const LEAST_WIDTH: u16 = 20;

#[derive(Args)]
pub struct ScreenArgs {
    /// When to use colors; NO_COLOR and CLICOLOR_FORCE decide for auto, then whether the output is a terminal
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
    /// Fit lines to N columns [default: the width of the terminal; in pipes and files, lines are whole]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(i64::from(LEAST_WIDTH)..))]
    pub width: Option<u16>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Also in pipes and files, for example for 'less -R'
    Always,
    /// Not even on a terminal
    Never,
}

/// The number of threads that work at the same time.
#[derive(Args)]
pub struct Threads {
    /// Read capture files with this many threads [default: one for each core]
    ///
    /// The output is the same for every number. Captures from standard input or an interface, and
    /// those read with --follow, are read with one thread.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

impl Threads {
    pub fn count(&self) -> NonZero<usize> {
        self.threads
            .and_then(|threads| NonZero::new(usize::from(threads)))
            .or_else(|| thread::available_parallelism().ok())
            .unwrap_or(NonZero::<usize>::MIN)
    }
}

/// The output for encoded values and its form.
#[derive(Args)]
pub struct OutputArgs {
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub output: OutputFormat,
    /// Write a compressed save, as open_compressed does (needs --output framed or raw)
    #[arg(long, value_parser = compression(), value_name = "MODE")]
    pub compress: Option<Compression>,
    /// Write an encrypted save, as open_encrypted does (needs --output framed or raw)
    ///
    /// With --compress, the compressed save is encrypted.
    #[arg(long)]
    pub encrypt: bool,
    /// Write to this file instead of standard output
    ///
    /// The file is replaced after all values were written. If there was an error, it stays as it
    /// was: see --skip-errors.
    #[arg(short = 'o', value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Write the file of -o although some values have errors, without these values
    ///
    /// A game that reads the file would take the next value for the missing one. If a file is
    /// damaged, the values that can be read are written. If an input cannot be opened, if reading it fails or
    /// is interrupted, the file is not written even so.
    #[arg(long)]
    pub skip_errors: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum OutputFormat {
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

/// Parses the name of a compression of saves that are written.
fn compression() -> impl TypedValueParser<Value = Compression> {
    let compressions = [
        (Compression::FastLz, "FastLZ, the default of the engines"),
        (Compression::Deflate, "Deflate, in the zlib format"),
        (Compression::Zstandard, "Zstandard"),
        (Compression::Gzip, "Deflate, in the gzip format"),
    ];
    named(compressions.into_iter().map(|(it, help)| (it, it.name(), help)).collect())
}

/// How much is printed on standard error: errors, and without these options warnings and counts.
#[derive(Args, Clone, Copy, Default)]
pub struct VerbosityArgs {
    /// Print errors, but no warnings and no counts of packets that were not recognized or captured only in part
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also print how each flow and file was classified, and how many values it has
    #[arg(long, short)]
    pub verbose: bool,
}

#[cfg(test)]
mod tests {
    use super::LimitArgs;
    use clap::Parser;
    use gdwire::follow::Limits;

    #[derive(Parser)]
    struct LimitOptions {
        #[command(flatten)]
        limits: LimitArgs,
    }

    fn limits(options: &str) -> Limits {
        let options = ["gdwire"].into_iter().chain(options.split_whitespace());
        LimitOptions::parse_from(options).limits.limits()
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
