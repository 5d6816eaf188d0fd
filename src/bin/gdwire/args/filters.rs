//! The options that select messages.

use super::ends::{End, EndName, Net, port};
use super::frames::Frames;
use super::kinds::{KindParser, Kinds};
use super::transport::TransportChoice;
use clap::Args;
use clap::builder::PossibleValuesParser;
use gdwire::debugger::Command;
use gdwire::expression::Expression;
use gdwire::multiplayer::{Packet, Pattern};
use regex::{Regex, RegexBuilder};
use std::net::SocketAddr;
use std::num::NonZero;

/// The name of plain values for `--command`.
pub(crate) const VALUE: &str = "value";

/// How much memory the regular expression of `--grep` may take, in bytes.
const REGEX: usize = 10 << 20;

/// The options that select messages.
#[derive(Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct Filters {
    /// Read only packets from or to this port (repeatable)
    #[arg(long, value_name = "N", value_parser = port)]
    pub(crate) port: Vec<u16>,
    /// Read only packets from or to this IP address or network, such as 10.0.0.2 or 10.0.0.0/8 (repeatable)
    #[arg(long, value_name = "ADDR")]
    pub(crate) host: Vec<Net>,
    /// Read all packets of a capture as this protocol
    #[arg(long, value_enum, default_value = "auto", value_name = "TRANSPORT")]
    pub(crate) transport: TransportChoice,
    /// Select only values of this type and calls with an argument of this type, such as Vector2 or 'Pool*' (repeatable)
    ///
    /// Only the type of the whole value counts: '--kind Vector2' does not select a Dictionary that
    /// contains a Vector2. In a pattern, * matches any characters and ? one.
    #[arg(long, value_name = "GLOB", value_parser = KindParser, hide_possible_values = true)]
    pub(crate) kind: Vec<Kinds>,
    /// Select messages from this address, network or port, such as 10.0.0.2, [::1]:7777 or 7777, or from the end with this name (repeatable)
    ///
    /// The names are those that a terminal shows, such as 'client 1', 'server' or A.
    #[arg(long, value_name = "END")]
    pub(crate) src: Vec<End>,
    /// Select messages to this address, network, port or name (repeatable)
    #[arg(long, value_name = "END")]
    pub(crate) dst: Vec<End>,
    /// Select packets of the multiplayer API by their command, messages of the debugger, or plain values (repeatable)
    ///
    /// A relayed packet is selected by its own command, too.
    #[arg(long, value_name = "COMMAND", value_parser = PossibleValuesParser::new(
        Packet::COMMANDS.into_iter().chain([Command::COMMAND, VALUE])
    ))]
    pub(crate) command: Vec<String>,
    /// Select packets about nodes with this path, such as 'Game/Players/*' (repeatable)
    ///
    /// In a pattern, * matches any characters within one name, ? matches one character, and **
    /// matches any number of names, including none. A node whose path is not in the capture does not match. A spawned node
    /// matches by its name and, with --project, by its path.
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    pub(crate) path: Vec<Pattern>,
    /// Select calls of these methods and messages with these properties, such as 'take_*' (repeatable)
    ///
    /// A method that is shown by its number matches as it is shown, such as '#7'. Godot 4 sends
    /// properties without their names: they are selected with --project, also in spawns. Messages
    /// of the remote debugger are selected by their command, such as 'output'.
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    pub(crate) method: Vec<Pattern>,
    /// Select messages for which this condition holds, such as '.value.hp < 50' (repeatable)
    ///
    /// The language is a part of that of jq. '.' is the message as '--format ndjson' prints it.
    #[arg(long = "where", value_name = "EXPRESSION", value_parser = expression)]
    pub(crate) conditions: Vec<Expression>,
    /// Select messages whose text, without the columns, matches this regular expression (repeatable)
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    pub(crate) grep: Vec<Regex>,
    /// Select messages by their frame number, such as 5, 5-9 or 5- (repeatable)
    #[arg(long, value_name = "A-B")]
    pub(crate) frames: Vec<Frames>,
    /// Stop after this many messages
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) limit: Option<NonZero<u64>>,
}

/// Parses a number of messages.
fn limit(text: &str) -> Result<NonZero<u64>, String> {
    let number: u64 = text.parse().map_err(|_| "expected a number of messages, such as 10")?;
    NonZero::new(number).ok_or_else(|| {
        let instead = "omit --limit to read all messages, or use 'gdwire stats' to count them";
        format!("at least one message is shown; {instead}")
    })
}

fn pattern(text: &str) -> Result<Pattern, &'static str> {
    if text.is_empty() { Err("the pattern is empty") } else { Ok(Pattern::new(text)) }
}

fn expression(text: &str) -> Result<Expression, String> {
    Expression::parse(text).map_err(|error| error.with_text(text).to_string())
}

fn regex(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(REGEX).dfa_size_limit(REGEX).build()
}

/// Whether a condition reads an end and has the name of an end.
fn compares_names(condition: &Expression) -> bool {
    condition.fields().iter().any(|field| matches!(*field, "src" | "dst"))
        && condition.strings().into_iter().any(|text| EndName::of(text).is_some())
}

impl Filters {
    /// Whether packets between two addresses are read.
    pub(crate) fn admits(&self, src: SocketAddr, dst: SocketAddr) -> bool {
        let is_port = |end: SocketAddr| self.port.contains(&end.port());
        let is_host = |end: SocketAddr| self.host.iter().any(|net| net.contains(end.ip()));
        (self.port.is_empty() || is_port(src) || is_port(dst))
            && (self.host.is_empty() || is_host(src) || is_host(dst))
    }

    /// Whether the filters name a port or an address of packets to read.
    pub(crate) fn names_ends(&self) -> bool {
        !self.port.is_empty() || !self.host.is_empty()
    }

    /// Whether messages are selected by their packets: the frame numbers or the ends.
    pub(crate) fn has_places(&self) -> bool {
        !self.src.is_empty() || !self.dst.is_empty() || !self.frames.is_empty()
    }

    /// Whether messages are selected by the names of their ends.
    pub(crate) fn has_names_of_ends(&self) -> bool {
        self.src.iter().chain(&self.dst).any(End::is_named)
            || self.conditions.iter().any(compares_names)
    }

    /// Whether messages are selected by their content, which losses do not have.
    pub(crate) fn has_contents(&self) -> bool {
        let Filters { kind, command, path, method, conditions, grep, .. } = self;
        let has_names = !command.is_empty() || !path.is_empty() || !method.is_empty();
        has_names || !kind.is_empty() || !conditions.is_empty() || !grep.is_empty()
    }
}
