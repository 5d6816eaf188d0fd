//! Prints counts as JSON.

use super::amount::{Amount, sorted};
use super::count::{Called, Counts, Target};
use crate::time::{Rfc3339, rfc3339};
use gdwire::capture::Time;
use json_event_parser::{JsonEvent, WriterJsonSerializer};
use std::fmt::Display;
use std::io::{self, Write};

/// The nanoseconds of a second.
const NANO: i64 = 1_000_000_000;

/// Writes the counts of a file as one object in one line.
pub(super) fn write(out: &mut dyn Write, file: &str, counts: &Counts) -> io::Result<()> {
    let mut json = Json(WriterJsonSerializer::new(&mut *out));
    json.object(|json| {
        json.text("file", Some(file))?;
        json.number("messages", counts.messages.count)?;
        json.list("flows", counts.flows.values(), |json, flow| {
            let (low, high) = flow.flow.ends();
            json.text("first_end", Some(&low.to_string()))?;
            json.text("second_end", Some(&high.to_string()))?;
            json.text("transport", flow.transport.map(|transport| transport.name()))?;
            json.text("dialect", flow.dialect.map(|dialect| dialect.name()))?;
            json.flag("multiplayer", flow.is_multiplayer)?;
            json.number("packets", flow.traffic.packets)?;
            json.number("messages", flow.messages)?;
            json.number("bytes", flow.traffic.bytes)?;
            match flow.traffic.bytes_per_second() {
                Some(rate) => json.number("bytes_per_second", format_args!("{rate:.3}"))?,
                None => json.text("bytes_per_second", None)?,
            }
            json.time("first", flow.traffic.first)?;
            json.time("last", flow.traffic.last)
        })?;
        json.key("further_flows")?;
        json.object(|json| json.amount(counts.further_flows))?;
        let kinds = counts.kinds.iter().map(|(kind, amount)| (kind.name(), *amount));
        json.list("kinds", sorted(kinds), |json, (kind, amount)| {
            json.text("kind", Some(kind))?;
            json.amount(amount)
        })?;
        let commands = counts.commands.iter().map(|(name, amount)| (*name, *amount));
        json.list("commands", sorted(commands), |json, (command, amount)| {
            json.text("command", Some(command))?;
            json.amount(amount)
        })?;
        let calls = counts.calls.iter().map(|(callee, amount)| (callee, *amount));
        json.list("calls", sorted(calls), |json, (callee, amount)| {
            json.text("command", Some(callee.command))?;
            match &callee.node {
                Target::Path(path) => json.text("path", Some(path))?,
                Target::Id(id) => {
                    json.number("id", id)?;
                    json.text("path", None)?;
                }
            }
            match &callee.method {
                Called::Name(name) => json.text("method", Some(name))?,
                Called::Number { index, is_own } => {
                    json.number("method", index)?;
                    if *is_own {
                        json.flag("own", true)?;
                    }
                }
            }
            json.amount(amount)
        })?;
        json.key("further_calls")?;
        json.object(|json| json.amount(counts.further_calls))?;
        json.list("errors", &counts.errors, |json, (reason, count)| {
            json.text("reason", Some(reason))?;
            json.number("count", count)
        })?;
        let Some(intervals) = &counts.intervals else { return Ok(()) };
        let seconds = format!("{}.{:09}", intervals.length() / NANO, intervals.length() % NANO);
        let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
        json.number("interval_seconds", seconds)?;
        json.list("intervals", intervals.iter(), |json, (_, start, amount)| {
            json.text("from", Some(&rfc3339(start, intervals.decimals())))?;
            json.amount(amount)
        })?;
        json.key("without_time")?;
        json.object(|json| json.amount(intervals.untimed))
    })?;
    writeln!(out)
}

struct Json<'o>(WriterJsonSerializer<&'o mut dyn Write>);

impl Json<'_> {
    fn put(&mut self, event: JsonEvent<'_>) -> io::Result<()> {
        self.0.serialize_event(event)
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        self.put(JsonEvent::ObjectKey(key.into()))
    }

    fn object(&mut self, fields: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.put(JsonEvent::StartObject)?;
        fields(self)?;
        self.put(JsonEvent::EndObject)
    }

    fn list<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut fields: impl FnMut(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.key(key)?;
        self.put(JsonEvent::StartArray)?;
        for item in items {
            self.object(|json| fields(json, item))?;
        }
        self.put(JsonEvent::EndArray)
    }

    fn text(&mut self, key: &str, text: Option<&str>) -> io::Result<()> {
        self.key(key)?;
        self.put(text.map_or(JsonEvent::Null, |text| JsonEvent::String(text.into())))
    }

    fn flag(&mut self, key: &str, flag: bool) -> io::Result<()> {
        self.key(key)?;
        self.put(JsonEvent::Boolean(flag))
    }

    fn number(&mut self, key: &str, number: impl Display) -> io::Result<()> {
        self.key(key)?;
        self.put(JsonEvent::Number(number.to_string().into()))
    }

    fn time(&mut self, key: &str, time: Option<Time>) -> io::Result<()> {
        self.text(key, time.map(|time| Rfc3339(time).to_string()).as_deref())
    }

    fn amount(&mut self, amount: Amount) -> io::Result<()> {
        self.number("count", amount.count)?;
        self.number("bytes", amount.bytes)
    }
}
