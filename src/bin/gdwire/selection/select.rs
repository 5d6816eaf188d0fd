//! Decides which messages, values and losses are selected.

use super::ends::EndNames;
use super::fields;
use super::first::FirstPacket;
use super::patterns::Patterns;
use crate::args::places::Moment;
use crate::args::places::{End, EndName};
use crate::args::values::Kinds;
use crate::args::{Filters, Period, VALUE};
use gdwire::capture::{Content, Message, Origin, Place, Time};
use gdwire::debugger::Command;
use gdwire::expression::Value;
use gdwire::multiplayer::{Context, Method, Packet};
use gdwire::text::Layout;
use gdwire::{Kind, VariantRef};
use std::net::SocketAddr;
use std::sync::Arc;

/// Whether a message is selected, or why `--where` failed.
pub(crate) type Verdict = Result<bool, String>;

/// The messages that the user asked for.
pub(crate) struct Selection<'f> {
    filters: &'f Filters,
    period: Period,
    has_places: bool,
    first: Arc<FirstPacket>,
    ends: Arc<EndNames>,
    /// Whether messages are selected by the names of their ends.
    has_names: bool,
    path: Patterns,
    method: Patterns,
}

impl<'f> Selection<'f> {
    /// None if all messages are selected.
    pub(crate) fn new(
        filters: &'f Filters,
        period: Period,
        (first, ends): (Arc<FirstPacket>, Arc<EndNames>),
    ) -> Option<Selection<'f>> {
        let has_places = filters.has_places() || period.from.is_some() || period.to.is_some();
        let is_used = has_places || filters.has_contents();
        is_used.then(|| Selection {
            filters,
            period,
            has_places,
            first,
            ends,
            has_names: filters.has_names_of_ends(),
            path: Patterns::new("--path", &filters.path),
            method: Patterns::new("--method", &filters.method),
        })
    }

    /// Hints for a selection that no message matches: which names and fields may have been meant.
    pub(crate) fn advice(&self) -> Vec<String> {
        let of_conditions = self.filters.conditions.iter().filter_map(fields::advice);
        let of_patterns = [&self.path, &self.method].into_iter().filter_map(Patterns::advice);
        of_conditions.chain(of_patterns).collect()
    }

    /// Whether messages are selected by the names of their ends, which depend on all messages before.
    pub(crate) const fn has_names(&self) -> bool {
        self.has_names
    }

    /// The names of both ends, if they are needed.
    fn names(&self, origin: Origin) -> [Option<EndName>; 2] {
        if self.has_names { self.ends.find(origin) } else { [None; 2] }
    }

    /// Whether something at this place of a capture is selected by its frame, time and ends. If its
    /// sender is unknown, the ends are not checked.
    pub(crate) fn admits_place(&self, place: Place, origin: Option<Origin>) -> bool {
        let Filters { src, dst, frames, .. } = self.filters;
        if !self.has_places {
            return true;
        }
        let is_in = frames.is_empty() || frames.iter().any(|frames| frames.contains(place.frame));
        is_in
            && self.is_in_period(place.time)
            && origin.is_none_or(|origin| {
                let [sender, receiver] = self.names(origin);
                is_one_of(src, origin.src(), sender) && is_one_of(dst, origin.dst(), receiver)
            })
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
        if !self.has_names {
            return Value::with_message(message, |record| self.holds(record));
        }
        let names = self.names(message.origin).map(|name| name.map(|name| name.to_string()));
        let names = names.each_ref().map(Option::as_deref);
        Value::with_named_ends(message, names, |record| self.holds(record))
    }

    /// Whether a value of another file is selected. It has no frame, time, address or path.
    pub(crate) fn value(&self, offset: u64, value: VariantRef<'_>) -> Verdict {
        if self.has_places
            || !self.admits_value(value)
            || !self.matches(|| value.display(Layout::Line).to_string())
        {
            return Ok(false);
        }
        // As `--format ndjson` prints it.
        let len = value.as_bytes().len() as u64;
        let kind = value.kind().name();
        self.holds(&Value::record(&[
            ("offset", offset.into()),
            ("len", len.into()),
            ("kind", kind.into()),
            ("value", value.into()),
        ]))
    }

    fn admits_value(&self, value: VariantRef<'_>) -> bool {
        let (Filters { kind, command, .. }, Selection { path, method, .. }) = (self.filters, self);
        (kind.is_empty() || is_of(kind, value.kind()))
            && (command.is_empty() || command.iter().any(|command| command == VALUE))
            && path.is_empty()
            && method.is_empty()
    }

    fn admits_packet(&self, packet: &Packet<'_>, context: Context<'_>) -> bool {
        let (Filters { kind, command, .. }, Selection { path, method, .. }) = (self.filters, self);
        let mut is_kind = kind.is_empty();
        if !is_kind {
            packet.each_argument(&mut |argument| is_kind |= is_of(kind, argument.kind()));
        }
        is_kind
            && (command.is_empty() || is_command(command, packet))
            && (path.is_empty() || is_about(path, packet, context))
            && (method.is_empty() || has_member(method, packet, context))
    }

    fn admits_command(&self, message: &Command<'_>) -> bool {
        let (Filters { kind, command, .. }, Selection { path, method, .. }) = (self.filters, self);
        (kind.is_empty() || message.arguments.iter().any(|it| is_of(kind, it.kind())))
            && (command.is_empty() || command.iter().any(|command| command == Command::COMMAND))
            && path.is_empty()
            && (method.is_empty() || method.matches(message.name))
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

fn is_one_of(ends: &[End], end: SocketAddr, name: Option<EndName>) -> bool {
    ends.is_empty() || ends.iter().any(|it| it.matches(end, name))
}

fn is_command(commands: &[String], packet: &Packet<'_>) -> bool {
    let relayed = match packet {
        Packet::Relay(relay) => Some(relay.packet().command()),
        _ => None,
    };
    commands.iter().any(|it| *it == packet.command() || Some(&**it) == relayed)
}

fn is_about(patterns: &Patterns, packet: &Packet<'_>, context: Context<'_>) -> bool {
    let mut is_about = false;
    packet.each_path(context, &mut |path| {
        is_about = is_about || patterns.matches(path);
    });
    is_about
}

/// Whether a packet calls a method, or contains a property, whose name one of the patterns matches.
fn has_member(patterns: &Patterns, packet: &Packet<'_>, context: Context<'_>) -> bool {
    let mut has_property = false;
    packet.each_property(context, &mut |name, _| {
        has_property = has_property || patterns.matches(name);
    });
    has_property
        || packet.callee(context).is_some_and(|callee| match callee.method {
            Method::Name(name) => patterns.matches(name),
            number => patterns.matches(&number.to_string()),
        })
}
