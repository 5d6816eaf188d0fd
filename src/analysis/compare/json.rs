//! Writes comparisons as JSON.

use super::changes::{Change, Changes};
use super::lost::LostMessage;
use super::repetition::{Difference, Repetition};
use super::sides::{Sides, Way};
use super::traffic::{Extent, Rate};
use super::{Clocks, Comparison, Which};
use crate::analysis::stats::Amount;
use crate::format::json::object::{Json, write_object};
use std::{fmt, io};

impl Comparison {
    /// Writes the comparison as one JSON object, with the names of both recordings.
    ///
    /// The page [command line](crate::docs::command_line#comparing) describes the fields.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_json(&self, names: [&str; 2], out: impl io::Write) -> io::Result<()> {
        self.write_rows(names, usize::MAX, out)
    }

    /// Like [`Comparison::write_json`], with at most `rows` rows of each kind.
    pub(crate) fn write_rows(
        &self,
        names: [&str; 2],
        rows: usize,
        out: impl io::Write,
    ) -> io::Result<()> {
        write_object(out, |json| {
            let [first, second] = names;
            json.text("first", Some(first))?;
            json.text("second", Some(second))?;
            json.flag("same_session", self.sides().is_some())?;
            if let Some(repetition) = self.repetition() {
                return repetition.fields(json);
            }
            match self.sides() {
                Some(sides) => sides.fields(json, rows)?,
                None => self.changes().fields(json, rows)?,
            }
            json.list("never_arrived", self.lost().messages(), |json, lost| lost.fields(json))?;
            json.number("further_never_arrived", self.lost().further())?;
            json.list("not_compared", Which::BOTH, |json, which| {
                json.number("messages", self.further_messages(which))?;
                json.number("connections", self.further_connections(which))
            })
        })
    }
}

impl Sides {
    fn fields(&self, json: &mut Json<'_>, rows: usize) -> fmt::Result {
        json.nested("clocks", |json| self.clocks().fields(json))?;
        json.number("only_in_first", self.only_in(Which::First))?;
        json.number("only_in_second", self.only_in(Which::Second))?;
        json.list("ways", self.ways().iter().take(rows), |json, way| way.fields(json))
    }
}

impl Clocks {
    fn fields(self, json: &mut Json<'_>) -> fmt::Result {
        let milliseconds = |nanoseconds: i64| Some(nanoseconds as f64 / 1e6);
        json.text("first_is_near", self.near_first.map(|end| end.name()))?;
        json.real("offset_ms", milliseconds(self.offset), 3)?;
        json.flag("is_estimated", self.is_estimated())?;
        let (low, high) = self.range.unzip();
        json.real("least_offset_ms", low.and_then(milliseconds), 3)?;
        json.real("greatest_offset_ms", high.and_then(milliseconds), 3)
    }
}

impl Way {
    fn fields(&self, json: &mut Json<'_>) -> fmt::Result {
        json.shown("src", self.src)?;
        json.shown("dst", self.dst)?;
        json.text("transport", Some(self.transport.name()))?;
        json.text("sender", self.sender.map(|end| end.name()))?;
        json.text("sent_in", self.sent_in.map(Which::name))?;
        let [first, second] = self.packets;
        json.number("first_packets", first)?;
        json.number("second_packets", second)?;
        let [first, second] = self.messages;
        json.number("first_messages", first)?;
        json.number("second_messages", second)?;
        json.number("common", self.common)?;
        json.number("never_arrived", self.never_arrived)?;
        json.number("undecided", self.undecided)?;
        json.number("not_captured", self.not_captured)?;
        json.number("overtaken", self.overtaken)?;
        json.number("resent", self.resent)?;
        json.number("doubled", self.doubled)?;
        let Some(delays) = self.delays else { return json.text("delay_ms", None) };
        json.nested("delay_ms", |json| {
            delays
                .named()
                .into_iter()
                .try_for_each(|(name, delay)| json.real(name, Some(delay.as_secs_f64() * 1e3), 3))
        })
    }
}

impl LostMessage {
    fn fields(&self, json: &mut Json<'_>) -> fmt::Result {
        json.text("sent_in", Some(self.which.name()))?;
        json.number("frame", self.place.frame)?;
        json.text("time", self.place.time.map(|time| time.to_string()).as_deref())?;
        json.shown("from", self.origin.src())?;
        json.shown("to", self.origin.dst())?;
        json.text("transport", Some(self.origin.transport.name()))?;
        json.flag("reliable", self.is_reliable)?;
        json.members(&self.json)
    }
}

impl Changes {
    fn fields(&self, json: &mut Json<'_>, rows: usize) -> fmt::Result {
        for (name, which) in BEFORE_AND_AFTER {
            json.nested(name, |json| {
                self.extent(which).fields(json)?;
                json.nested("further", |json| self.further(which).write_json(json))
            })?;
        }
        let rows = self.groups().flat_map(|group| group.iter().take(rows));
        json.list("changes", rows, |json, change| change.fields(json))
    }
}

const BEFORE_AND_AFTER: [(&str, Which); 2] = [("before", Which::First), ("after", Which::Second)];

impl Extent {
    fn fields(self, json: &mut Json<'_>) -> fmt::Result {
        json.real("seconds", self.seconds, 6)?;
        json.real("clients", Some(self.clients), 3)?;
        json.number("connections", self.connections)?;
        json.number("packets", self.packets)?;
        json.number("wire_bytes", self.wire_bytes)
    }
}

impl Change {
    fn fields(&self, json: &mut Json<'_>) -> fmt::Result {
        json.text("kind", Some(self.kind()))?;
        json.text("name", Some(&self.name))?;
        if let Some((member, command)) = self.member() {
            json.text("member", Some(&member))?;
            json.text("command", Some(command))?;
        }
        for (name, which) in BEFORE_AND_AFTER {
            json.nested(name, |json| {
                write_rate(json, which.of(self.amounts), which.of(self.rates))
            })?;
        }
        json.flag("is_new", self.is_new())?;
        json.flag("is_gone", self.is_gone())?;
        json.real("difference", self.difference(), 3)?;
        json.real("standard_error", self.error(), 3)?;
        match self.is_beyond_noise() {
            Some(is_beyond) => json.flag("is_beyond_noise", is_beyond),
            None => json.text("is_beyond_noise", None),
        }
    }
}

fn write_rate(json: &mut Json<'_>, amount: Amount, rate: Option<Rate>) -> fmt::Result {
    amount.write_json(json)?;
    json.real("per_second_and_client", rate.map(|rate| rate.messages), 3)?;
    json.real("bytes_per_second_and_client", rate.map(|rate| rate.bytes), 3)
}

impl Repetition {
    fn fields(&self, json: &mut Json<'_>) -> fmt::Result {
        json.flag("same", self.is_same())?;
        json.number("compared", self.compared())?;
        json.number("not_compared", self.not_compared())?;
        json.list("differences", self.differences(), |json, difference| difference.fields(json))?;
        json.number("further_differences", self.further_differences())
    }
}

impl Difference {
    fn fields(&self, json: &mut Json<'_>) -> fmt::Result {
        let [first, second] = self.counts;
        json.text("more_in", Some(self.which.name()))?;
        json.number("frame", self.place.frame)?;
        json.text("time", self.place.time.map(|time| time.to_string()).as_deref())?;
        let from = self.is_from_server.map(|is| if is { "server" } else { "client" });
        json.text("from", from)?;
        json.number("first_count", first)?;
        json.number("second_count", second)?;
        json.text("text", Some(&self.text))
    }
}
