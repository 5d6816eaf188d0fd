//! Which messages, values and packets the outputs get.
//!
//! The inputs ask a [`Selection`] about each message before they hand it to a sink, so it works for
//! every command alike. It sees whole messages: packets of addresses that are not selected are
//! still followed.

mod ends;
mod first;
mod frames;
mod moment;
mod record;

use crate::choices::{KindParser, Kinds, TransportChoice};
use clap::Args;
use clap::builder::PossibleValuesParser;
use ends::{End, Net};
pub(crate) use first::FirstPacket;
use frames::Frames;
use gdwire::Kind;
use gdwire::VariantRef;
use gdwire::capture::{Content, Message, Origin, Place, Time};
use gdwire::debugger::Command;
use gdwire::expression::{Expression, Value};
use gdwire::multiplayer::{Context, Method, Packet, Pattern};
use gdwire::text::Layout;

use moment::Moment;
use regex::{Regex, RegexBuilder};
use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;

/// The name of plain values for `--command`.
const VALUE: &str = "value";

/// How much memory the regular expression of `--grep` may take, in bytes.
const REGEX: usize = 10 << 20;

/// The options that select messages.
#[derive(Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct Filters {
    /// Read only packets from or to this port (repeatable)
    #[arg(long, value_name = "N")]
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
    kind: Vec<Kinds>,
    /// Select messages from this address, network or port, such as 10.0.0.2, [::1]:7777 or 7777 (repeatable)
    #[arg(long, value_name = "END")]
    src: Vec<End>,
    /// Select messages to this address, network or port (repeatable)
    #[arg(long, value_name = "END")]
    dst: Vec<End>,
    /// Select packets of the multiplayer API by their command, messages of the debugger, or plain values (repeatable)
    ///
    /// A relayed packet is selected by its own command, too.
    #[arg(long, value_name = "COMMAND", value_parser = PossibleValuesParser::new(
        Packet::COMMANDS.into_iter().chain([Command::COMMAND, VALUE])
    ))]
    command: Vec<String>,
    /// Select packets about nodes with this path, such as 'Game/Players/*' (repeatable)
    ///
    /// In a pattern, * matches any characters within one name, ? one character, and ** any number
    /// of names or none. A node whose path is not in the capture does not match. A spawned node
    /// matches by its name and, with --project, by its path.
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    path: Vec<Pattern>,
    /// Select calls of these methods and changes of these properties, such as 'take_*' (repeatable)
    ///
    /// A method that is shown by its number matches as it is shown, such as '#7'. Messages of the
    /// remote debugger are selected by their command, such as 'output'.
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    method: Vec<Pattern>,
    /// Select messages for which this condition holds, such as '.value.hp < 50' (repeatable)
    ///
    /// The language is a part of that of jq. '.' is the message as '--format ndjson' prints it.
    #[arg(long = "where", value_name = "EXPRESSION", value_parser = expression)]
    conditions: Vec<Expression>,
    /// Select messages whose text, without the columns, matches this regular expression (repeatable)
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    grep: Vec<Regex>,
    /// Select messages by their frame number, such as 5, 5-9 or 5- (repeatable)
    #[arg(long, value_name = "A-B")]
    frames: Vec<Frames>,
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

/// The options that select messages by time. `convert` has another `--to`.
#[derive(Args, Clone, Copy, Default)]
#[command(next_help_heading = "Selection")]
pub(crate) struct Period {
    /// Select messages from this time on, such as 2026-11-21T07:55:51Z, 07:55:51, or 5s after the first packet
    #[arg(long, value_name = "TIME")]
    from: Option<Moment>,
    /// Select messages before this time
    #[arg(long, value_name = "TIME")]
    to: Option<Moment>,
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

    /// Whether messages are selected by the packets that brought them.
    fn has_places(&self) -> bool {
        !self.src.is_empty() || !self.dst.is_empty() || !self.frames.is_empty()
    }

    /// Whether messages are selected by their content, which losses do not have.
    pub(crate) fn has_contents(&self) -> bool {
        let Filters { kind, command, path, method, conditions, grep, .. } = self;
        let has_names = !command.is_empty() || !path.is_empty() || !method.is_empty();
        has_names || !kind.is_empty() || !conditions.is_empty() || !grep.is_empty()
    }
}

/// The messages that the user asked for.
pub(crate) struct Selection<'f> {
    filters: &'f Filters,
    period: Period,
    has_places: bool,
    first: Arc<FirstPacket>,
}

/// Whether a message is selected, or why `--where` failed.
pub(crate) type Verdict = Result<bool, String>;

impl<'f> Selection<'f> {
    /// None if all messages are selected.
    pub(crate) fn new(
        filters: &'f Filters,
        period: Period,
        first: Arc<FirstPacket>,
    ) -> Option<Selection<'f>> {
        let has_places = filters.has_places() || period.from.is_some() || period.to.is_some();
        let is_used = has_places || filters.has_contents();
        is_used.then_some(Selection { filters, period, has_places, first })
    }

    /// Whether what is at a place of a capture is selected by that. If it is not known who sent it,
    /// the ends do not matter.
    pub(crate) fn admits_place(&self, place: Place, origin: Option<Origin>) -> bool {
        let Filters { src, dst, frames, .. } = self.filters;
        if !self.has_places {
            return true;
        }
        let is_in = frames.is_empty() || frames.iter().any(|frames| frames.contains(place.frame));
        is_in
            && self.is_in_period(place.time)
            && origin
                .is_none_or(|origin| is_one_of(src, origin.src()) && is_one_of(dst, origin.dst()))
    }

    fn is_in_period(&self, time: Option<Time>) -> bool {
        let Period { from, to } = self.period;
        let Some(time) = time.map(Time::as_nanos) else { return from.is_none() && to.is_none() };
        let first = self.first.nanoseconds();
        let is_after = |from: Moment| from.nanoseconds(first).is_some_and(|from| from <= time);
        let is_before = |to: Moment| to.nanoseconds(first).is_some_and(|to| time < to);
        from.is_none_or(is_after) && to.is_none_or(is_before)
    }

    /// Whether a message of a capture is selected.
    pub(crate) fn message(&self, message: &Message<'_>) -> Verdict {
        if !self.admits_place(message.place, Some(message.origin)) {
            return Ok(false);
        }
        let is_selected = match &message.content {
            Content::Value(value) => self.admits_value(*value),
            Content::Packet(packet) => self.admits_packet(packet, message.context()),
            Content::Debugger(command) => self.admits_command(command),
            _ => false,
        };
        if !is_selected {
            return Ok(false);
        }
        if !self.matches(|| message.display().to_string()) {
            return Ok(false);
        }
        record::of_message(message, |record| self.holds(record))
    }

    /// Whether a value of another file is selected. It has no frame, time, address or path.
    pub(crate) fn value(&self, offset: u64, value: VariantRef<'_>) -> Verdict {
        if self.has_places
            || !self.admits_value(value)
            || !self.matches(|| value.display(Layout::Line).to_string())
        {
            return Ok(false);
        }
        record::of_value(offset, value, |record| self.holds(record))
    }

    fn admits_value(&self, value: VariantRef<'_>) -> bool {
        let Filters { kind, command, path, method, .. } = self.filters;
        (kind.is_empty() || is_of(kind, value.kind()))
            && (command.is_empty() || command.iter().any(|command| command == VALUE))
            && path.is_empty()
            && method.is_empty()
    }

    fn admits_packet(&self, packet: &Packet<'_>, context: Context<'_>) -> bool {
        let Filters { kind, command, path, method, .. } = self.filters;
        let mut is_kind = kind.is_empty();
        if !is_kind {
            packet.each_argument(&mut |argument| is_kind |= is_of(kind, argument.kind()));
        }
        is_kind
            && (command.is_empty() || is_command(command, packet))
            && (path.is_empty() || is_about(path, packet, context))
            && (method.is_empty() || has_method(method, packet, context))
    }

    fn admits_command(&self, message: &Command<'_>) -> bool {
        let Filters { kind, command, path, method, .. } = self.filters;
        (kind.is_empty() || message.arguments.iter().any(|it| is_of(kind, it.kind())))
            && (command.is_empty() || command.iter().any(|command| command == Command::COMMAND))
            && path.is_empty()
            && (method.is_empty() || method.iter().any(|pattern| pattern.matches(message.name)))
    }

    fn matches(&self, text: impl FnOnce() -> String) -> bool {
        let grep = &self.filters.grep;
        if grep.is_empty() {
            return true;
        }
        let text = text();
        grep.iter().any(|regex| regex.is_match(&text))
    }

    fn holds(&self, record: &Value<'_>) -> Verdict {
        let conditions = &self.filters.conditions;
        let mut verdict = Ok(conditions.is_empty());
        for condition in conditions {
            match condition.selects(record) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(failure) => verdict = Err(failure.to_string()),
            }
        }
        verdict
    }
}

fn is_of(kinds: &[Kinds], kind: Kind) -> bool {
    kinds.iter().any(|kinds| kinds.contains(kind))
}

fn is_one_of(ends: &[End], end: SocketAddr) -> bool {
    ends.is_empty() || ends.iter().any(|it| it.matches(end))
}

fn is_command(commands: &[String], packet: &Packet<'_>) -> bool {
    let relayed = match packet {
        Packet::Relay(relay) => Some(relay.packet().command()),
        _ => None,
    };
    commands.iter().any(|it| *it == packet.command() || Some(&**it) == relayed)
}

fn is_about(patterns: &[Pattern], packet: &Packet<'_>, context: Context<'_>) -> bool {
    let mut is_about = false;
    packet.each_path(context, &mut |path| {
        is_about = is_about || patterns.iter().any(|pattern| pattern.matches(path));
    });
    is_about
}

fn has_method(patterns: &[Pattern], packet: &Packet<'_>, context: Context<'_>) -> bool {
    let Some(callee) = packet.callee(context) else { return false };
    let is_name = |name: &str| patterns.iter().any(|pattern| pattern.matches(name));
    match callee.method {
        Method::Name(name) => is_name(name),
        number => is_name(&number.to_string()),
    }
}

/// What the selection made of the messages.
#[derive(Default)]
pub(crate) struct Tally {
    /// How many were selected.
    pub(crate) selected: u64,
    /// For how many a condition failed, and the first failure.
    failed: u64,
    first: Option<String>,
}

impl Tally {
    /// Notes a verdict, and returns whether the message is selected. `place` names it.
    pub(crate) fn note(&mut self, verdict: Verdict, place: impl FnOnce() -> String) -> bool {
        match verdict {
            Ok(is_selected) => is_selected,
            Err(failure) => {
                self.failed = self.failed.saturating_add(1);
                self.first.get_or_insert_with(|| format!("{}: {failure}", place()));
                false
            }
        }
    }

    /// Adds what came after it.
    pub(crate) fn add(&mut self, later: Tally) {
        self.selected = self.selected.saturating_add(later.selected);
        self.failed = self.failed.saturating_add(later.failed);
        self.first = self.first.take().or(later.first);
    }

    /// How often a condition failed, and the first failure.
    pub(crate) fn failures(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        let noun = if self.failed == 1 { "message" } else { "messages" };
        Some(format!(
            "--where failed for {} {noun}, as if it did not hold; first at {first}",
            self.failed
        ))
    }
}
