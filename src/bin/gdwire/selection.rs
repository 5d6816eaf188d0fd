//! Decides which messages, values and packets the outputs get.
//!
//! The inputs ask a [`Selection`], which has the options of the user, about each message before
//! they pass it to a sink. So the selection works alike for every command. It applies to whole
//! messages: connections are followed with the packets of both ends, also of ends that are not
//! selected.

use crate::args::places::{EndFilter, EndName, EndRole, Moment};
use crate::args::values::KindFilter;
use crate::args::{Filters, Period, VALUE};
use gdwire::capture::MessageField;
use gdwire::debugger::DebuggerCommand;
use gdwire::expression::{Expression, JsonValue};
use gdwire::follow::{Content, Message, Origin, Place};
use gdwire::multiplayer::{Context, Method, Packet, Pattern};
use gdwire::packet::Time;
use gdwire::text::Layout;
use gdwire::{Kind, VariantRef};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Whether a message is selected, or why `--where` failed.
pub type SelectionVerdict = Result<bool, String>;

/// The messages that the user asked for.
pub struct Selection<'f> {
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
    pub fn new(
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
    pub fn advice(&self) -> Vec<String> {
        let conditions = self.filters.conditions.iter();
        let of_conditions = conditions.flat_map(|it| [field_advice(it), kind_advice(it)]).flatten();
        let of_patterns = [&self.path, &self.method].into_iter().filter_map(Patterns::advice);
        of_conditions.chain(of_patterns).collect()
    }

    /// Whether messages are selected by the names of their ends, which depend on all messages before.
    pub const fn has_names(&self) -> bool {
        self.has_names
    }

    /// The names of both ends, if they are needed.
    fn names(&self, origin: Origin) -> [Option<EndName>; 2] {
        if self.has_names { self.ends.find(origin) } else { [None; 2] }
    }

    /// Whether something at this place of a capture is selected by its frame, time and ends. If its
    /// sender is unknown, the ends are not checked.
    pub fn admits_place(&self, place: Place, origin: Option<Origin>) -> bool {
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
    pub fn message(&self, message: &Message<'_>) -> SelectionVerdict {
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
            return JsonValue::with_message(message, |record| self.holds(record));
        }
        let names = self.names(message.origin).map(|name| name.map(|name| name.to_string()));
        let names = names.each_ref().map(Option::as_deref);
        JsonValue::with_named_ends(message, names, |record| self.holds(record))
    }

    /// Whether a value of another file is selected. It has no frame, time, address or path.
    pub fn value(&self, offset: u64, value: VariantRef<'_>) -> SelectionVerdict {
        if self.has_places
            || !self.admits_value(value)
            || !self.matches(|| value.display(Layout::Line).to_string())
        {
            return Ok(false);
        }
        // These are the fields that `--format ndjson` prints.
        let len = value.as_bytes().len() as u64;
        let kind = value.kind().name();
        self.holds(&JsonValue::record(&[
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

    fn admits_command(&self, message: &DebuggerCommand<'_>) -> bool {
        let (Filters { kind, command, .. }, Selection { path, method, .. }) = (self.filters, self);
        (kind.is_empty() || message.arguments.iter().any(|it| is_of(kind, it.kind())))
            && (command.is_empty()
                || command.iter().any(|command| command == DebuggerCommand::COMMAND))
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

    fn holds(&self, record: &JsonValue<'_>) -> SelectionVerdict {
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

fn is_of(kinds: &[KindFilter], kind: Kind) -> bool {
    kinds.iter().any(|kinds| kinds.contains(kind))
}

fn is_one_of(ends: &[EndFilter], end: SocketAddr, name: Option<EndName>) -> bool {
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

/// The patterns of an option such as `--method`.
pub struct Patterns {
    option: &'static str,
    patterns: Vec<Pattern>,
    /// The patterns in lower case.
    lowered: Vec<Pattern>,
    has_matched: AtomicBool,
    /// The first in alphabetical order of the names that match in another case. They are looked for
    /// until a name matches.
    other_case: Mutex<Option<Box<str>>>,
}

impl Patterns {
    pub fn new(option: &'static str, patterns: &[Pattern]) -> Patterns {
        let lowered = patterns.iter().map(|it| Pattern::new(&it.as_str().to_lowercase()));
        let (patterns, lowered) = (patterns.to_vec(), lowered.collect());
        let has_matched = AtomicBool::new(false);
        Patterns { option, patterns, lowered, has_matched, other_case: Mutex::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a name matches one of the patterns.
    pub fn matches(&self, name: &str) -> bool {
        let is_match = self.patterns.iter().any(|pattern| pattern.matches(name));
        if !self.has_matched.load(Ordering::Relaxed) {
            if is_match {
                self.has_matched.store(true, Ordering::Relaxed);
            } else {
                self.note_other_case(name);
            }
        }
        is_match
    }

    #[cold]
    fn note_other_case(&self, name: &str) {
        let lowered = name.to_lowercase();
        if self.lowered.iter().any(|pattern| pattern.matches(&lowered)) {
            // Nothing panics while it is locked.
            let mut first = self.other_case.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_deref().is_none_or(|first| name < first) {
                *first = Some(name.into());
            }
        }
    }

    /// An advice, if no name matches, but one that differs only in its case.
    pub fn advice(&self) -> Option<String> {
        if self.has_matched.load(Ordering::Relaxed) {
            return None;
        }
        let name = self.other_case.lock().unwrap_or_else(PoisonError::into_inner);
        let name = name.as_deref()?;
        Some(format!("{} is case-sensitive; a name in the messages is '{name}'", self.option))
    }
}

/// The results of the selection.
#[derive(Default)]
pub struct Tally {
    /// The number of selected messages.
    pub selected: u64,
    /// The number of messages for which a condition failed, and the first failure.
    failed: u64,
    first: Option<String>,
}

impl Tally {
    /// Notes a verdict, and returns whether the message is selected. `place` names the message in
    /// the failure.
    pub fn note(&mut self, verdict: SelectionVerdict, place: impl FnOnce() -> String) -> bool {
        match verdict {
            Ok(is_selected) => is_selected,
            Err(failure) => {
                self.failed += 1;
                self.first.get_or_insert_with(|| format!("{}: {failure}", place()));
                false
            }
        }
    }

    /// Whether a condition failed.
    pub const fn has_failures(&self) -> bool {
        self.failed > 0
    }

    /// Adds the counts of later messages.
    pub fn add(&mut self, later: Tally) {
        self.selected = self.selected.saturating_add(later.selected);
        self.failed = self.failed.saturating_add(later.failed);
        self.first = self.first.take().or(later.first);
    }

    /// How often a condition failed, and the first failure.
    pub fn failures(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        Some(match self.failed {
            1 => {
                format!("--where cannot be evaluated for 1 message, so it is not selected: {first}")
            }
            failed => format!(
                "--where cannot be evaluated for {failed} messages, so they are not selected; \
                 the first: {first}"
            ),
        })
    }
}

/// At most this many ends get names. Others are shown by their addresses, because more names are
/// hard to remember, and each new name takes a line.
const MOST: usize = 64;

/// The names of ends, in the order in which their first messages were read.
#[derive(Default)]
pub struct EndNames(Mutex<NameMap>);

type NameMap = HashMap<(SocketAddr, EndRole), EndName>;

impl EndNames {
    /// The names of the sender and the receiver of a message. Ends without a name get one.
    pub fn name(&self, origin: Origin) -> [Option<EndName>; 2] {
        self.with(origin, |names, (address, role)| {
            let number = names.keys().filter(|(_, other)| *other == role).count();
            let (is_full, next) = (names.len() >= MOST, number.saturating_add(1));
            match names.get(&(address, role)) {
                Some(name) => Some(*name),
                None if is_full => None,
                None => {
                    Some(*names.entry((address, role)).or_insert(EndName { role, number: next }))
                }
            }
        })
    }

    /// The names that the sender and the receiver of something have.
    pub fn find(&self, origin: Origin) -> [Option<EndName>; 2] {
        self.with(origin, |names, end| names.get(&end).copied())
    }

    fn with(
        &self,
        origin: Origin,
        mut name: impl FnMut(&mut NameMap, (SocketAddr, EndRole)) -> Option<EndName>,
    ) -> [Option<EndName>; 2] {
        let [src, dst] = match origin.client {
            None => [EndRole::Unknown; 2],
            Some(client) if client == origin.from => [EndRole::Client, EndRole::Server],
            Some(_) => [EndRole::Server, EndRole::Client],
        };
        // Nothing panics while it is locked.
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        [(origin.src(), src), (origin.dst(), dst)].map(|end| name(&mut names, end))
    }
}

/// The time of the first packet of a capture, to which other times are relative.
pub struct FirstPacket(AtomicI64);

/// No packet of a capture has this time.
const UNKNOWN: i64 = i64::MIN;

impl Default for FirstPacket {
    fn default() -> FirstPacket {
        FirstPacket(AtomicI64::new(UNKNOWN))
    }
}

impl FirstPacket {
    /// Forgets the time, because a capture begins.
    pub fn begin(&self) {
        self.0.store(UNKNOWN, Ordering::Relaxed);
    }

    /// Notes the time of a packet, before its messages are passed on. Only the first time counts.
    pub fn note(&self, time: Option<Time>) {
        if let Some(time) = time
            && self.0.load(Ordering::Relaxed) == UNKNOWN
        {
            self.0.store(time.as_nanos(), Ordering::Relaxed);
        }
    }

    /// Nanoseconds since the start of 1970, UTC.
    pub fn nanoseconds(&self) -> Option<i64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|time| *time != UNKNOWN)
    }
}

/// The fields of packets of the multiplayer API and of their states that a message has not, and
/// where they are.
const ELSEWHERE: [(&str, &str); 3] = [
    (
        ".rpc",
        "command method args path script id own md5 valid states net_id name node scene scene_path \
         scene_from synchronizers state properties bytes",
    ),
    (".rpc.states[]?", "spawner changed"),
    (".debugger", "thread"),
];

/// Corrects the first field of packets whose name has wrong capital letters.
fn advice_inside(condition: &Expression) -> Option<String> {
    ELSEWHERE.iter().find_map(|(place, fields)| {
        let inside = condition.fields_inside(place.strip_prefix('.')?);
        inside.into_iter().find_map(|field| {
            let lower = field.to_ascii_lowercase();
            let is_known = fields.split(' ').any(|field| field == lower)
                || MessageField::NAMES.contains(&&*lower);
            (lower != field && is_known).then(|| {
                format!("no message has a field '{place}.{field}'; write '{place}.{lower}'")
            })
        })
    })
}

/// Corrects the first name of a type in a condition on `.kind` that is not the one of messages.
fn kind_advice(condition: &Expression) -> Option<String> {
    let has_kind = condition.fields().contains(&"kind");
    condition.strings().into_iter().filter(|_| has_kind).find_map(|name| {
        let kind = Kind::from_name(name)?.name();
        let advice = || format!("'.kind' is the name in Godot 4: write '{kind}', not '{name}'");
        (kind != name).then(advice)
    })
}

/// Corrects the first field that no message has; none if a condition reads only
/// fields that messages have.
fn field_advice(condition: &Expression) -> Option<String> {
    let fields = condition.fields();
    let Some(field) = fields.into_iter().find(|field| !MessageField::NAMES.contains(field)) else {
        return advice_inside(condition);
    };
    let lower = field.to_ascii_lowercase();
    if lower != field && MessageField::NAMES.contains(&&*lower) {
        return Some(format!("no message has a field '.{field}'; write '.{lower}'"));
    }
    let elsewhere =
        ELSEWHERE.iter().find(|(_, fields)| fields.split(' ').any(|field| field == lower));
    Some(match elsewhere {
        Some((place, _)) => format!("no message has a field '.{field}'; write '{place}.{lower}'"),
        None => {
            format!(
                "no message has a field '.{field}'; for a field of a value, write '.value.{field}'"
            )
        }
    })
}
