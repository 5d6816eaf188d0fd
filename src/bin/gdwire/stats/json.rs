//! Prints counts as JSON.

use super::sorted;
use gdwire::capture::Time;
use gdwire::stats::{Amount, Member, NodeName, Stats};
use json_event_parser::{JsonEvent, WriterJsonSerializer};
use std::fmt::Display;
use std::io::{self, Write};

/// Writes the counts of a file as one object in one line.
pub(super) fn write(out: &mut dyn Write, file: &str, stats: &Stats) -> io::Result<()> {
    let mut json = Json(WriterJsonSerializer::new(&mut *out));
    json.object(|json| {
        json.text("file", Some(file))?;
        json.number("messages", stats.messages().count)?;
        json.list("flows", stats.connections(), |json, connection| {
            let summary = connection.summary();
            let ((low, high), traffic) = (summary.flow().ends(), summary.traffic());
            json.text("first_end", Some(&low.to_string()))?;
            json.text("second_end", Some(&high.to_string()))?;
            json.text("transport", connection.transport().map(|transport| transport.name()))?;
            json.text("dialect", connection.dialect().map(|dialect| dialect.name()))?;
            json.flag("multiplayer", summary.is_multiplayer())?;
            json.number("packets", traffic.packets)?;
            json.number("messages", connection.messages())?;
            json.number("bytes", traffic.bytes)?;
            match traffic.bytes_per_second() {
                Some(rate) => json.number("bytes_per_second", format_args!("{rate:.3}"))?,
                None => json.text("bytes_per_second", None)?,
            }
            json.time("first", traffic.first)?;
            json.time("last", traffic.last)
        })?;
        json.key("further_flows")?;
        let further = stats.further_connections();
        json.object(|json| {
            json.number("count", further.connections)?;
            json.number("bytes", further.bytes)
        })?;
        json.list("kinds", sorted(stats.kinds()), |json, (kind, amount)| {
            json.text("kind", Some(kind.name()))?;
            json.amount(amount)
        })?;
        json.list("commands", sorted(stats.commands()), |json, (command, amount)| {
            json.text("command", Some(command))?;
            json.amount(amount)
        })?;
        json.list("calls", sorted(stats.calls()), |json, (item, amount)| {
            json.text("command", Some(item.command))?;
            match item.node {
                NodeName::Id(id) => {
                    json.number("id", id)?;
                    json.text("path", None)?;
                }
                NodeName::Path(path) => json.text("path", Some(path))?,
                _ => json.text("path", None)?,
            }
            match item.member {
                Member::Number { index, is_own } => {
                    json.number("method", index)?;
                    if is_own {
                        json.flag("own", true)?;
                    }
                }
                Member::Name(name) => json.text("method", Some(name))?,
                _ => json.text("method", None)?,
            }
            json.amount(amount)
        })?;
        json.key("further_calls")?;
        json.object(|json| json.amount(stats.further_calls()))?;
        json.list("errors", stats.errors_by_reason(), |json, (reason, count)| {
            json.text("reason", Some(reason))?;
            json.number("count", count)
        })?;
        let Some(intervals) = stats.intervals() else { return Ok(()) };
        let length = intervals.length();
        let seconds = format!("{}.{:09}", length.as_secs(), length.subsec_nanos());
        let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
        json.number("interval_seconds", seconds)?;
        let decimals = usize::from(intervals.decimals());
        json.list("intervals", intervals.iter(), |json, interval| {
            json.text("from", Some(&format!("{:.decimals$}", interval.start)))?;
            json.amount(interval.amount)
        })?;
        json.key("without_time")?;
        json.object(|json| json.amount(intervals.untimed()))
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
        self.text(key, time.map(|time| time.to_string()).as_deref())
    }

    fn amount(&mut self, amount: Amount) -> io::Result<()> {
        self.number("count", amount.count)?;
        self.number("bytes", amount.bytes)
    }
}
