//! Writes comparisons as JSON.

use super::lost::LostMessage;
use super::sides::{Sides, Way};
use super::{Clocks, Comparison, Which};
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
        write_object(out, |json| {
            let [first, second] = names;
            json.text("first", Some(first))?;
            json.text("second", Some(second))?;
            json.flag("same_session", self.sides().is_some())?;
            if let Some(sides) = self.sides() {
                sides.fields(json)?;
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
    fn fields(&self, json: &mut Json<'_>) -> fmt::Result {
        json.nested("clocks", |json| self.clocks().fields(json))?;
        json.number("only_in_first", self.only_in(Which::First))?;
        json.number("only_in_second", self.only_in(Which::Second))?;
        json.list("ways", self.ways(), |json, way| way.fields(json))
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
