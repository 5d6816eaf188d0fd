//! Writes a diagnosis as JSON.

use super::{Diagnosis, Finding};
use crate::analysis::stats::{Measured, Member, NodeName};
use crate::capture::follow::Direction;
use crate::format::json::object::{Json, write_object};
use crate::net::measure::Series;
use crate::net::packet::Time;
use std::fmt;
use std::io;

impl Diagnosis {
    /// Writes the diagnosis as one JSON object, with `file` as its name.
    ///
    /// The page [diagnose](crate::docs::diagnose) describes the fields.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_json(&self, file: &str, out: impl io::Write) -> io::Result<()> {
        write_object(out, |json| {
            json.text("file", Some(file))?;
            json.list("connections", self.connections(), |json, connection| {
                let summary = connection.summary();
                json.text("transport", connection.transport().map(|transport| transport.name()))?;
                json.list("directions", summary.flow().directions(), |json, (side, src, dst)| {
                    json.shown("src", src)?;
                    json.shown("dst", dst)?;
                    let measured = connection.measured(side).unwrap_or_default();
                    write_measured(json, summary.direction(side), &measured)?;
                    write_over_time(json, connection.round_trips_over_time(side))
                })
            })?;
            json.number("further_connections", self.further_connections())?;
            json.list("findings", self.findings(), |json, finding| write_finding(json, &finding))
        })
    }
}

fn write_measured(json: &mut Json<'_>, direction: &Direction, measured: &Measured) -> fmt::Result {
    json.number("packets", direction.packets)?;
    json.number("messages", direction.messages)?;
    json.number("reliable", measured.reliable)?;
    json.number("resent", measured.resent)?;
    json.number("missing_unreliable", direction.missing.of_unreliable())?;
    json.number("missing_reliable", direction.missing.of_reliable())?;
    json.number("out_of_order", measured.out_of_order)?;
    let Some(times) = measured.round_trips else { return json.text("rtt_ms", None) };
    json.nested("rtt_ms", |json| {
        let times =
            [("min", times.min), ("p50", times.p50), ("p95", times.p95), ("max", times.max)];
        times.into_iter().try_for_each(|(key, time)| milliseconds(json, key, time as f64))
    })
}

fn write_over_time(json: &mut Json<'_>, times: Option<&Series>) -> fmt::Result {
    let points = times.into_iter().flat_map(Series::iter);
    json.list("rtt_over_time", points, |json, (start, point)| {
        json.shown("from", Time::from_nanos(start, 9))?;
        json.number("count", point.count)?;
        milliseconds(json, "min_ms", point.min as f64)?;
        milliseconds(json, "mean_ms", point.mean())?;
        milliseconds(json, "max_ms", point.max as f64)
    })
}

/// Writes a time that is given in microseconds.
fn milliseconds(json: &mut Json<'_>, key: &str, time: f64) -> fmt::Result {
    json.real(key, Some(time / 1e3), 3)
}

fn write_finding(json: &mut Json<'_>, finding: &Finding<'_>) -> fmt::Result {
    json.text("kind", Some(finding.kind.name()))?;
    json.text("severity", Some(finding.severity.name()))?;
    json.number("count", finding.count)?;
    json.number("first_frame", finding.first_frame)?;
    json.number("last_frame", finding.last_frame)?;
    match finding.node {
        Some(NodeName::Path(path)) => json.text("path", Some(path))?,
        Some(node) => {
            json.text("path", None)?;
            json.shown("node", node)?;
        }
        None => json.text("path", None)?,
    }
    let nodes: Vec<String> = finding.nodes.iter().map(ToString::to_string).collect();
    json.texts("nodes", nodes.iter().map(String::as_str))?;
    match finding.member {
        Some(Member::MethodNumber { index, is_own: false }) => json.number("method", index)?,
        Some(member) => json.shown("method", member)?,
        None => json.text("method", None)?,
    }
    json.text("text", Some(&finding.text))
}
