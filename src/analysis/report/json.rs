//! Writes a report as the JSON that the scripts of the page read.

use super::Report;
use super::kept::{FirstLosses, FirstMessages, Life, PLOTTED, PlottedConnection};
use super::methods::write_methods;
use crate::analysis::stats::{Connection, Group, Intervals, Member, Usage, write_amounts};
use crate::format::json::object::{Json, write_object};
use crate::net::Side;
use crate::net::measure::{Point, Series, Spread};
use crate::net::packet::Time;
use core::cmp::Reverse;
use core::net::SocketAddr;
use core::time::Duration;
use std::collections::BTreeMap;
use std::{fmt, io};

/// How many nodes, methods and properties are listed.
const ITEMS: usize = 50;
/// How many nodes of a row are listed, and the longest name of such a row in bytes.
const NODES: usize = 10;
const NODES_NAME: usize = 256;
/// How many findings are listed.
const FINDINGS: usize = 200;

/// The time that all times in the report are relative to.
#[derive(Clone, Copy)]
pub struct Start(Option<Time>);

impl Start {
    /// The seconds from the start to a time, as a JSON number.
    pub fn seconds(self, time: Option<Time>) -> Option<String> {
        let nanoseconds = time?.as_nanos().saturating_sub(self.0?.as_nanos());
        Some(format!("{:.6}", nanoseconds as f64 / 1e9))
    }
}

impl Report {
    /// Writes the report as one JSON object, with `file` as its name. There are many small writes, so
    /// `out` should be buffered.
    pub(super) fn write_json(
        &self,
        file: &str,
        arguments: &str,
        out: impl io::Write,
    ) -> io::Result<()> {
        write_object(out, |json| {
            json.text("file", Some(file))?;
            json.text("arguments", Some(arguments))?;
            self.totals(json)?;
            self.plots(json)?;
            self.connections(json)?;
            self.amounts(json)?;
            self.timeline(json)?;
            json.nested("numbers", |json| self.numbers.write(json, Start(self.start())))?;
            self.findings(json)?;
            self.losses.write(json, Start(self.start()))?;
            let all = self.counts.stats.messages().count;
            self.rows.write(json, Start(self.start()), all)
        })
    }

    fn totals(&self, json: &mut Json<'_>) -> fmt::Result {
        let stats = &self.counts.stats;
        json.text("start", self.start().map(|start| start.to_string()).as_deref())?;
        json.real("seconds", stats.duration().map(|time| time.as_secs_f64()), 9)?;
        json.number("messages", stats.messages().count)?;
        json.number("message_bytes", stats.messages().bytes)?;
        let further = stats.further_connections();
        let traffic = || stats.connections().map(|it| it.summary().traffic());
        let sum =
            |of: fn(&Connection) -> u64| stats.connections().map(of).fold(0, u64::saturating_add);
        let packets = traffic().map(|it| it.packets).fold(further.packets, u64::saturating_add);
        json.number("packets", packets)?;
        json.number("wire_bytes", sum(|it| both(it, wire_bytes)))?;
        json.number(
            "payload_bytes",
            sum(|it| both(it, |it, side| it.summary().direction(side).payload_bytes)),
        )?;
        json.number(
            "flows",
            (stats.connections().len() as u64).saturating_add(further.connections),
        )?;
        let games = stats.connections().filter(|it| it.transport().is_some()).count();
        json.number("game_flows", games)
    }

    /// Writes everything that is plotted over time, on the same intervals.
    fn plots(&self, json: &mut Json<'_>) -> fmt::Result {
        let others = self.connections.others();
        let plotted = self.connections.plotted().flat_map(PlottedConnection::directions);
        let plotted = plotted.flat_map(|it| [&it.packets, &it.round_trips]);
        let counted = [&others, &self.connections.resent, &self.missing].into_iter();
        let series = plotted.chain(counted).chain(self.counts.commands.values());
        let intervals = self.counts.stats.intervals();
        let least = intervals.map(Intervals::length).unwrap_or_default();
        let Some(grid) = Grid::over(series, least) else { return json.text("time", None) };
        let start = Time::from_nanos(grid.start(), 9);
        json.nested("time", |json| {
            json.number("start", Start(self.start()).seconds(Some(start)).unwrap_or("0".into()))?;
            json.number("step", grid.seconds())?;
            let resent = grid.sums(&self.connections.resent);
            let missing = grid.sums(&self.missing);
            json.numbers("resent", resent.into_iter().map(Some))?;
            json.numbers("missing", missing.into_iter().map(Some))?;
            json.numbers("others", grid.sums(&others).into_iter().map(Some))?;
            json.list("commands", &self.counts.commands, |json, (command, series)| {
                json.shown("command", command)?;
                json.numbers("bytes", grid.sums(series).into_iter().map(Some))
            })?;
            if let Some(intervals) = intervals {
                json.nested("methods", |json| write_methods(json, intervals, grid))?;
            }
            json.list(
                "directions",
                self.connections
                    .plotted()
                    .flat_map(|kept| [(kept, Side::First), (kept, Side::Second)]),
                |json, (kept, side)| {
                    let over_time = kept.direction(side);
                    json.number("connection", kept.number)?;
                    json.number("from", u8::from(side == Side::Second))?;
                    json.numbers("bytes", grid.sums(&over_time.packets).into_iter().map(Some))?;
                    let times = grid.points(&over_time.round_trips);
                    let mean = times.iter().map(|it| it.map(|it| milliseconds(it.mean())));
                    json.numbers("rtt_mean_ms", mean)?;
                    let max = times.iter().map(|it| it.map(|it| milliseconds(it.max as f64)));
                    json.numbers("rtt_max_ms", max)
                },
            )
        })
    }

    /// Writes the connections with the most traffic, the first one first.
    fn connections(&self, json: &mut Json<'_>) -> fmt::Result {
        let stats = &self.counts.stats;
        let by_number: BTreeMap<u64, &Connection> =
            stats.connections().map(|it| (it.summary().connection(), it)).collect();
        let kept = self.connections.kept().iter().enumerate();
        let listed = kept.filter_map(|(at, kept)| Some((at, kept, *by_number.get(&kept.number)?)));
        json.list("connections", listed, |json, (at, kept, connection)| {
            let summary = connection.summary();
            let traffic = summary.traffic();
            json.number("number", kept.number)?;
            json.flag("plotted", at < PLOTTED)?;
            json.text("transport", connection.transport().map(|it| it.name()))?;
            json.flag("tcp", summary.flow().is_tcp())?;
            json.text("engine", connection.dialect().map(|dialect| dialect.name()))?;
            json.flag("multiplayer", summary.is_multiplayer())?;
            json.numbers("client", [summary.client().map(|side| u8::from(side == Side::Second))])?;
            let start = Start(self.start());
            let [from, to] = [traffic.first, traffic.last].map(|time| start.seconds(time));
            json.numbers("span", [from, to])?;
            json.numbers("frames", [Some(summary.first().frame), Some(summary.last().frame)])?;
            json.list("directions", summary.flow().directions(), |json, (side, src, dst)| {
                json.shown("src", src)?;
                json.shown("dst", dst)?;
                let direction = summary.direction(side);
                json.number("packets", direction.packets)?;
                json.number("wire_bytes", wire_bytes(connection, side))?;
                json.number("payload_bytes", direction.payload_bytes)?;
                json.number("messages", connection.messages(side).count)?;
                json.number("message_bytes", direction.message_bytes)?;
                let measured = connection.measured(side).unwrap_or_default();
                json.number("resent", measured.resent)?;
                json.number("missing", direction.missing.total())?;
                let times = measured.round_trips.map(Spread::values).into_iter().flatten();
                json.numbers("rtt_ms", times.map(|time| Some(milliseconds(time as f64))))
            })
        })
    }

    /// Writes commands, kinds, nodes, methods and properties, those with the most bytes first.
    fn amounts(&self, json: &mut Json<'_>) -> fmt::Result {
        let stats = &self.counts.stats;
        let mut commands: Vec<_> = stats.commands().collect();
        commands.sort_by_key(|(_, amount)| Reverse(amount.bytes));
        write_amounts(json, "commands", "command", commands)?;
        let mut kinds: Vec<_> =
            stats.kinds().map(|(kind, amount)| (stats.kind_name(kind), amount)).collect();
        kinds.sort_by_key(|(_, amount)| Reverse(amount.bytes));
        write_amounts(json, "kinds", "kind", kinds)?;
        groups(json, "nodes", stats.node_groups(), stats.further_nodes().count)?;
        groups(json, "calls", stats.call_groups(), stats.further_calls().count)?;
        groups(json, "properties", stats.property_groups(), stats.further_properties().count)?;
        json.nested("sizes", |json| {
            let sizes = stats.sizes();
            let spread = sizes.spread().map(Spread::values).into_iter().flatten();
            json.numbers("spread", spread.map(Some))?;
            let buckets = || sizes.buckets();
            json.numbers("low", buckets().map(|(values, _)| Some(*values.start())))?;
            json.numbers("high", buckets().map(|(values, _)| Some(*values.end())))?;
            json.numbers("count", buckets().map(|(_, count)| Some(count)))
        })?;
        stats.write_undecoded(json)
    }

    fn timeline(&self, json: &mut Json<'_>) -> fmt::Result {
        let start = Start(self.start());
        json.list("nodes_over_time", &self.timeline.lives, |json, life| {
            let Life { connection, node, start: spawn, end } = life;
            json.number("connection", connection)?;
            json.text("node", Some(node))?;
            let times = [spawn.time, end.and_then(|end| end.time)].map(|time| start.seconds(time));
            json.numbers("span", times)?;
            json.numbers("frames", [Some(spawn.frame), end.map(|end| end.frame)])
        })?;
        json.number("further_nodes_over_time", self.timeline.further)
    }

    fn findings(&self, json: &mut Json<'_>) -> fmt::Result {
        let findings = self.counts.diagnosis.findings();
        let further = findings.len().saturating_sub(FINDINGS);
        json.list("findings", findings.into_iter().take(FINDINGS), |json, finding| {
            json.text("kind", Some(finding.kind.name()))?;
            json.text("severity", Some(finding.severity.name()))?;
            json.text("text", Some(&finding.text))?;
            json.text("cause", Some(finding.kind.usual_cause()))?;
            json.numbers("frames", [Some(finding.first_frame), Some(finding.last_frame)])
        })?;
        json.number("further_findings", further)
    }
}

impl FirstLosses {
    fn write(&self, json: &mut Json<'_>, start: Start) -> fmt::Result {
        json.list("losses_over_time", &self.rows, |json, loss| {
            json.number("frame", loss.place.frame)?;
            json.numbers("time", [start.seconds(loss.place.time)])?;
            let ends = loss.origin.map(|origin| format!("{} → {}", origin.src(), origin.dst()));
            json.text("ends", ends.as_deref())?;
            json.number("count", loss.cause.count())?;
            json.shown("text", loss)
        })?;
        json.number("further_losses_over_time", self.further)
    }
}

impl FirstMessages {
    /// Writes the messages column by column, which is much shorter than row by row.
    fn write(&self, json: &mut Json<'_>, start: Start, all: u64) -> fmt::Result {
        let FirstMessages { rows } = self;
        let mut ends: BTreeMap<SocketAddr, usize> = BTreeMap::new();
        for row in rows {
            for end in [row.origin.src(), row.origin.dst()] {
                let number = ends.len();
                ends.entry(end).or_insert(number);
            }
        }
        let mut listed: Vec<_> = ends.iter().collect();
        listed.sort_by_key(|(_, number)| **number);
        let listed: Vec<String> = listed.iter().map(|(end, _)| end.to_string()).collect();
        json.nested("rows", |json| {
            json.texts("ends", listed.iter().map(String::as_str))?;
            json.numbers("frame", rows.iter().map(|row| Some(row.place.frame)))?;
            json.numbers("time", rows.iter().map(|row| start.seconds(row.place.time)))?;
            json.numbers("src", rows.iter().map(|row| ends.get(&row.origin.src())))?;
            json.numbers("dst", rows.iter().map(|row| ends.get(&row.origin.dst())))?;
            let commands: Vec<String> = rows.iter().map(|row| row.command.to_string()).collect();
            json.texts("command", commands.iter().map(String::as_str))?;
            json.numbers("bytes", rows.iter().map(|row| Some(row.bytes)))?;
            json.texts("text", rows.iter().map(|row| row.text.as_str()))?;
            json.number("further", all.saturating_sub(rows.len() as u64))
        })
    }
}

/// Writes the `ITEMS` rows of nodes, methods or properties with the most bytes, and how many more
/// there are. A row of nodes that are alike has the nodes with the most bytes, too.
fn groups(json: &mut Json<'_>, key: &str, mut groups: Vec<Group<'_>>, further: u64) -> fmt::Result {
    groups.sort_by_key(|group| Reverse(group.usage.total.bytes));
    let further = further.saturating_add(groups.len().saturating_sub(ITEMS) as u64);
    json.nested(key, |json| {
        json.list("top", groups.iter_mut().take(ITEMS), |json, group| {
            let name = group.pattern();
            json.text("node", Some(&name))?;
            json.text("alike", group.remark().as_deref())?;
            if group.member != Member::Whole {
                json.shown("member", group.member)?;
                json.text("command", group.member.command())?;
            }
            usage(json, &group.usage)?;
            if group.items.len() == 1 || name.len() > NODES_NAME {
                return Ok(());
            }
            group.items.sort_by_key(|(_, usage)| Reverse(usage.total.bytes));
            json.list("nodes", group.items.iter().take(NODES), |json, (item, of_node)| {
                json.shown("node", item.node)?;
                usage(json, of_node)
            })?;
            json.number("further", group.items.len().saturating_sub(NODES))
        })?;
        json.number("further", further)
    })
}

fn usage(json: &mut Json<'_>, usage: &Usage) -> fmt::Result {
    usage.total.write_json(json)?;
    json.number("from_server", usage.from_server.bytes)?;
    json.number("from_clients", usage.from_clients.bytes)
}

/// A time that is given in microseconds.
fn milliseconds(time: f64) -> String {
    format!("{:.2}", time / 1e3)
}

fn both(connection: &Connection, of: fn(&Connection, Side) -> u64) -> u64 {
    of(connection, Side::First).saturating_add(of(connection, Side::Second))
}

/// The bytes of the frames that one end sent, or those of their payload if the frames are unknown.
fn wire_bytes(connection: &Connection, from: Side) -> u64 {
    let direction = connection.summary().direction(from);
    direction.wire.map_or(direction.payload_bytes, |wire| wire.bytes)
}

/// How many intervals a plot has at most.
const INTERVALS: i64 = 512;

/// Intervals of the same length that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// The start of the first interval, divided by the length. The start itself may be outside the
    /// range of an `i64`.
    first: i64,
    /// The length of each, in nanoseconds.
    length: i64,
    count: usize,
}

impl Grid {
    /// The shortest intervals that fit all series, at most `INTERVALS` of them; `None` if the
    /// series have no values. The intervals are not shorter than `least`.
    pub fn over<'s>(
        series: impl Iterator<Item = &'s Series> + Clone,
        least: Duration,
    ) -> Option<Grid> {
        let starts = || series.clone().flat_map(Series::iter).map(|(start, _)| start);
        let (first, last) = (starts().min()?, starts().max()?);
        let lengths = series.clone().map(Series::length);
        let mut length = nanoseconds(lengths.max()?.max(least));
        loop {
            let (from, to) = (first.div_euclid(length), last.div_euclid(length));
            let count = to.saturating_sub(from).saturating_add(1);
            if count <= INTERVALS {
                return Some(Grid { first: from, length, count: usize::try_from(count).ok()? });
            }
            length = length.checked_mul(2)?;
        }
    }

    pub const fn start(&self) -> i64 {
        self.first.saturating_mul(self.length)
    }

    /// The length of each interval, in seconds.
    pub const fn seconds(&self) -> f64 {
        self.length as f64 / 1e9
    }

    /// The point of the series in each interval; none for intervals without values.
    pub fn points(&self, series: &Series) -> Vec<Option<Point>> {
        let length = Duration::from_nanos(self.length.unsigned_abs());
        let mut merged = Series::new(length, usize::MAX);
        merged.merge(series);
        let mut points = vec![None; self.count];
        for (start, point) in merged.iter() {
            if let Some(place) = self.place(start).and_then(|at| points.get_mut(at)) {
                *place = Some(point);
            }
        }
        points
    }

    /// How many things each interval has; each count comes with its time.
    pub fn counts(&self, things: impl Iterator<Item = (Time, u64)>) -> Vec<u64> {
        let mut counts = vec![0_u64; self.count];
        for (time, count) in things {
            if let Some(sum) = self.place(time.as_nanos()).and_then(|at| counts.get_mut(at)) {
                *sum = sum.saturating_add(count);
            }
        }
        counts
    }

    /// The place of the interval of a time. It may be after the last one.
    fn place(&self, nanoseconds: i64) -> Option<usize> {
        usize::try_from(nanoseconds.div_euclid(self.length).saturating_sub(self.first)).ok()
    }

    /// The sum of the values of each interval.
    pub fn sums(&self, series: &Series) -> Vec<u64> {
        self.points(series).into_iter().map(|point| point.map_or(0, |point| point.sum)).collect()
    }
}

fn nanoseconds(length: Duration) -> i64 {
    i64::try_from(length.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::Grid;
    use crate::net::over_time;
    use core::time::Duration;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn series_of_different_lengths_are_put_on_the_same_intervals() {
        let (mut long, mut short) = (over_time(), over_time());
        for second in 0..300 {
            long.add(second * SECOND, 2);
        }
        short.add(7 * SECOND, 5);
        let grid = Grid::over([&long, &short].into_iter(), Duration::ZERO).unwrap();
        assert_eq!((grid.start(), grid.seconds()), (0, 2.0));
        assert_eq!((grid.sums(&long), grid.sums(&short)[3]), (vec![4; 150], 5));
        assert_eq!(grid.sums(&short).iter().sum::<u64>(), 5);
    }

    #[test]
    fn times_far_from_each_other_take_no_more_intervals() {
        let mut series = over_time();
        for time in [i64::MIN, -1, 0, i64::MAX] {
            series.add(time, 1);
        }
        let grid = Grid::over([&series].into_iter(), Duration::ZERO).unwrap();
        let sums = grid.sums(&series);
        assert!(sums.len() <= 512);
        assert_eq!(sums.iter().sum::<u64>(), 4);
        assert!(Grid::over([&over_time()].into_iter(), Duration::ZERO).is_none());
    }
}
