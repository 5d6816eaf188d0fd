//! Writes counts as JSON.

use super::{Amount, Connection, Item, Member, NodeName, Stats, Usage};
use crate::format::json::object::{Json, write_object};
use crate::net::Side;
use crate::net::measure::Spread;
use crate::net::packet::Time;
use std::cmp::Reverse;
use std::fmt;
use std::io;

impl Stats {
    /// Writes the counts as one JSON object, with `file` as their name.
    ///
    /// The page [command line](crate::docs::command_line#counting) describes the fields.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_json(&self, file: &str, out: impl io::Write) -> io::Result<()> {
        write_object(out, |json| {
            json.text("file", Some(file))?;
            self.fields(json)
        })
    }

    fn fields(&self, json: &mut Json<'_>) -> fmt::Result {
        json.number("messages", self.messages().count)?;
        json.number("message_bytes", self.messages().bytes)?;
        write_sizes(json, self.sizes().spread())?;
        json.real("seconds", self.duration().map(|time| time.as_secs_f64()), 9)?;
        json.list("flows", self.connections(), write_connection)?;
        let further = self.further_connections();
        json.nested("further_flows", |json| {
            json.number("count", further.connections)?;
            json.number("bytes", further.bytes)
        })?;
        let kinds = sorted(self.kinds()).into_iter().map(|(kind, amount)| (kind.name(), amount));
        write_amounts(json, "kinds", "kind", kinds)?;
        write_amounts(json, "commands", "command", sorted(self.commands()))?;
        self.items(json, "nodes", self.nodes())?;
        json.nested("further_nodes", |json| self.further_nodes().write_json(json))?;
        self.items(json, "calls", self.calls())?;
        json.nested("further_calls", |json| self.further_calls().write_json(json))?;
        self.items(json, "properties", self.properties())?;
        json.nested("further_properties", |json| self.further_properties().write_json(json))?;
        self.write_undecoded(json)?;
        let Some(intervals) = self.intervals() else { return Ok(()) };
        let length = intervals.length();
        let seconds = format!("{}.{:09}", length.as_secs(), length.subsec_nanos());
        let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
        json.number("interval_seconds", seconds)?;
        let decimals = usize::from(intervals.decimals());
        json.list("intervals", intervals.iter(), |json, interval| {
            json.shown("from", format_args!("{:.decimals$}", interval.start))?;
            interval.amount.write_json(json)?;
            json.number("lost", interval.lost)
        })?;
        json.nested("without_time", |json| intervals.untimed().write_json(json))?;
        let mut methods: Vec<_> = intervals.methods().collect();
        methods.sort_by_key(|it| (Reverse(it.total.count), it.method, it.command));
        json.list("method_intervals", methods, |json, method| {
            json.text("command", Some(method.command))?;
            json.text("method", Some(method.method))?;
            method.total.write_json(json)?;
            json.list("intervals", method.iter(), |json, (start, amount)| {
                json.shown("from", format_args!("{start:.decimals$}"))?;
                amount.write_json(json)
            })
        })?;
        json.nested("further_methods", |json| intervals.further_methods().write_json(json))
    }

    /// Writes the counts of packets that were not decoded, and of losses.
    pub(crate) fn write_undecoded(&self, json: &mut Json<'_>) -> fmt::Result {
        json.list("errors", self.errors_by_reason(), |json, (reason, count)| {
            json.text("reason", Some(reason))?;
            json.number("count", count)
        })?;
        json.list("losses", self.losses(), |json, (what, count)| {
            json.text("what", Some(what))?;
            json.number("count", count)
        })
    }

    fn items<'s>(
        &self,
        json: &mut Json<'_>,
        key: &str,
        items: impl Iterator<Item = (Item<&'s str>, Usage)>,
    ) -> fmt::Result {
        let mut items: Vec<_> = items.collect();
        items.sort_unstable_by(|(item, usage), (other, of_other)| {
            (of_other.total.count, item).cmp(&(usage.total.count, other))
        });
        let seconds = self.duration().map(|time| time.as_secs_f64());
        json.list(key, items, |json, (item, usage)| {
            write_item(json, &item)?;
            if item.member == Member::Whole {
                json.text("scene", self.scene_of(item.node))?;
            }
            let Usage { total, from_server, from_clients } = usage;
            total.write_json(json)?;
            let per_second = |count: u64| seconds.map(|seconds| count as f64 / seconds);
            json.real("per_second", per_second(total.count), 3)?;
            json.real("bytes_per_second", per_second(total.bytes), 3)?;
            json.real("share", share(total.bytes, self.messages().bytes), 6)?;
            json.nested("from_server", |json| from_server.write_json(json))?;
            json.nested("from_clients", |json| from_clients.write_json(json))
        })
    }
}

/// Sorts by count, the largest first, and equal counts by name.
fn sorted<K: Ord>(amounts: impl Iterator<Item = (K, Amount)>) -> Vec<(K, Amount)> {
    let mut amounts: Vec<_> = amounts.collect();
    amounts.sort_unstable_by(|one, other| (other.1.count, &one.0).cmp(&(one.1.count, &other.0)));
    amounts
}

fn share(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

impl Amount {
    pub(crate) fn write_json(self, json: &mut Json<'_>) -> fmt::Result {
        json.number("count", self.count)?;
        json.number("bytes", self.bytes)
    }
}

/// Writes a list of counts, each with a name.
pub fn write_amounts(
    json: &mut Json<'_>,
    list: &str,
    key: &str,
    amounts: impl IntoIterator<Item = (&'static str, Amount)>,
) -> fmt::Result {
    json.list(list, amounts, |json, (name, amount)| {
        json.text(key, Some(name))?;
        amount.write_json(json)
    })
}

fn write_time(json: &mut Json<'_>, key: &str, time: Option<Time>) -> fmt::Result {
    json.text(key, time.map(|time| time.to_string()).as_deref())
}

fn write_connection(json: &mut Json<'_>, connection: &Connection) -> fmt::Result {
    let summary = connection.summary();
    let ((low, high), traffic) = (summary.flow().ends(), summary.traffic());
    let [first, second] = [Side::First, Side::Second].map(|side| connection.messages(side));
    json.shown("first_end", low)?;
    json.shown("second_end", high)?;
    json.shown("community_id", summary.flow().community_id())?;
    json.text("transport", connection.transport().map(|transport| transport.name()))?;
    json.text("dialect", connection.dialect().map(|dialect| dialect.name()))?;
    json.flag("multiplayer", summary.is_multiplayer())?;
    json.flag("debugger", summary.is_debugger())?;
    json.number("packets", traffic.packets)?;
    json.number("messages", first.count.saturating_add(second.count))?;
    json.number("bytes", traffic.bytes)?;
    json.real("bytes_per_second", traffic.bytes_per_second(), 3)?;
    write_time(json, "first", traffic.first)?;
    write_time(json, "last", traffic.last)?;
    json.list("directions", summary.flow().directions(), |json, (side, src, dst)| {
        let messages = connection.messages(side);
        json.shown("src", src)?;
        json.shown("dst", dst)?;
        let direction = summary.direction(side);
        json.number("packets", direction.packets)?;
        json.number("payload_bytes", direction.payload_bytes)?;
        match direction.wire {
            Some(wire) => json.number("wire_bytes", wire.bytes)?,
            None => json.text("wire_bytes", None)?,
        }
        json.real("header_share", connection.header_share(side), 6)?;
        json.number("largest", direction.largest)?;
        json.number("messages", messages.count)?;
        json.number("message_bytes", messages.bytes)?;
        let Some(measured) = connection.measured(side) else { return Ok(()) };
        json.number("resent", measured.resent)?;
        json.number("acknowledgements", measured.acknowledgements)?;
        write_sizes(json, measured.sizes)
    })
}

/// Writes the sizes of messages, in bytes.
fn write_sizes(json: &mut Json<'_>, sizes: Option<Spread>) -> fmt::Result {
    json.nested("sizes", |json| {
        Spread::NAMES.into_iter().enumerate().try_for_each(|(place, key)| {
            match sizes.and_then(|sizes| sizes.values().get(place).copied()) {
                Some(size) => json.number(key, size),
                None => json.text(key, None),
            }
        })
    })
}

/// Writes the names of an item.
fn write_item(json: &mut Json<'_>, item: &Item<&str>) -> fmt::Result {
    if let Some(command) = item.member.command() {
        json.text("command", Some(command))?;
    }
    match item.node {
        NodeName::Path(path) => json.text("path", Some(path))?,
        NodeName::Debugger => json.text("path", None)?,
        NodeName::Id(id) => {
            json.number("id", id)?;
            json.text("path", None)?;
        }
        NodeName::Spawned { name, spawner } => {
            json.text("path", None)?;
            json.text("name", Some(name))?;
            json.text("spawner", spawner)?;
        }
        NodeName::NetId(id) => {
            json.text("path", None)?;
            json.number("net_id", id)?;
        }
    }
    match item.member {
        Member::Whole => Ok(()),
        Member::Method(name) | Member::Set(name) | Member::Debugger(name) => {
            json.text("method", Some(name))
        }
        Member::MethodNumber { index, is_own } => {
            json.number("method", index)?;
            if is_own { json.flag("own", true) } else { Ok(()) }
        }
        Member::Property { name: Some(name), .. } => json.text("property", Some(name)),
        Member::Property { index, .. } => json.number("property", index),
    }
}
