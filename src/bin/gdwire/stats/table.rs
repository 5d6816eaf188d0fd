//! Prints counts as tables.

use super::sorted;
use comfy_table::{CellAlignment, Table, presets};
use gdwire::capture::Time;
use gdwire::stats::{Amount, Connection, Further, Interval, Intervals, Stats};
use indicatif::DecimalBytes;
use jiff::SignedDuration;
use std::cmp::Reverse;
use std::fmt::Display;
use std::io::{self, Write};
use std::time::Duration;

/// The width of the longest bar.
const BAR: u64 = 40;

/// The longest name in a cell, in characters.
const NAME: usize = 120;

/// How many flows and methods a table shows: the busiest.
const ROWS: usize = 100;

/// How many empty intervals in a row have a line each; more of them share one line.
const EMPTY: u64 = 3;

pub(super) fn write(out: &mut dyn Write, file: &str, stats: &Stats) -> io::Result<()> {
    writeln!(out, "{file}: {}", summary(stats))?;
    write_connections(out, stats)?;

    let kinds = sorted(stats.kinds());
    let most = kinds.first().map_or(0, |(_, amount)| amount.count);
    let mut table = Columns::new(&["kind", "values", "bytes", ""], 1..3);
    for (kind, amount) in kinds {
        let [count, bytes] = cells(amount);
        table.row([kind.name().to_owned(), count, bytes, bar(amount.count, most)]);
    }
    table.write(out)?;

    let mut table = Columns::new(&["command", "packets", "bytes"], 1..3);
    for (command, amount) in sorted(stats.commands()) {
        let [count, bytes] = cells(amount);
        table.row([command.to_owned(), count, bytes]);
    }
    table.write(out)?;

    write_calls(out, stats)?;

    let mut errors: Vec<_> = stats.errors_by_reason().collect();
    errors.sort_by_key(|(_, count)| Reverse(*count));
    let mut table = Columns::new(&["not decoded because", "count"], 1..2);
    for (reason, count) in errors {
        table.row([reason.to_owned(), count.to_string()]);
    }
    table.write(out)?;

    stats.intervals().map_or(Ok(()), |intervals| write_intervals(out, intervals))
}

/// A summary in one line.
fn summary(stats: &Stats) -> String {
    let messages = number(stats.messages().count, "message");
    if stats.connections().len() == 0 {
        return format!("{messages}, {}", DecimalBytes(stats.messages().bytes));
    }
    let traffic = || stats.connections().map(|connection| connection.summary().traffic());
    let Further { connections, packets, bytes, .. } = stats.further_connections();
    let packets = traffic().fold(packets, |sum, flow| sum.saturating_add(flow.packets));
    let bytes = traffic().fold(bytes, |sum, flow| sum.saturating_add(flow.bytes));
    let first = traffic().filter_map(|flow| flow.first).map(Time::nanoseconds).min();
    let last = traffic().filter_map(|flow| flow.last).map(Time::nanoseconds).max();
    let span = first.zip(last).map_or(String::new(), |(first, last)| {
        format!(" in {}", duration(last.saturating_sub(first) / 1_000_000 * 1_000_000))
    });
    let flows = number((stats.connections().len() as u64).saturating_add(connections), "flow");
    let packets = number(packets, "packet");
    format!("{flows}, {packets}, {messages}, {}{span}", DecimalBytes(bytes))
}

fn write_connections(out: &mut dyn Write, stats: &Stats) -> io::Result<()> {
    let mut connections: Vec<&Connection> = stats.connections().collect();
    connections.sort_by_key(|connection| Reverse(connection.summary().traffic().bytes));
    let header = ["between", "and", "transport", "engine", "packets", "messages", "bytes", "rate"];
    let mut table = Columns::new(&[&header[..], &["first", "last"]].concat(), 4..8);
    let time = |time: Option<Time>| time.map_or("-".to_owned(), |time| format!("{time:.3}"));
    for connection in connections.iter().take(ROWS) {
        let summary = connection.summary();
        let ((low, high), traffic) = (summary.flow().ends(), summary.traffic());
        let other = if summary.flow().is_tcp() { "other TCP" } else { "other UDP" };
        let dialect = connection.dialect().map_or("-", |dialect| dialect.name());
        let calls = if summary.is_multiplayer() { ", multiplayer" } else { "" };
        let rate = traffic.bytes_per_second();
        table.row([
            low.to_string(),
            high.to_string(),
            connection.transport().map_or(other, |transport| transport.name()).to_owned(),
            format!("{dialect}{calls}"),
            traffic.packets.to_string(),
            connection.messages().to_string(),
            DecimalBytes(traffic.bytes).to_string(),
            rate.map_or("-".to_owned(), |rate| format!("{}/s", DecimalBytes(rate as u64))),
            time(traffic.first),
            time(traffic.last),
        ]);
    }
    table.write(out)?;
    let bytes = connections.iter().skip(ROWS).map(|it| it.summary().traffic().bytes);
    write_more(out, bytes, "flow")?;
    let further = stats.further_connections();
    if further.connections > 0 {
        let flows = number(further.connections, "flow");
        let bytes = DecimalBytes(further.bytes);
        writeln!(out, "  and {flows}, not listed because of the limit, {bytes}")?;
    }
    Ok(())
}

fn write_calls(out: &mut dyn Write, stats: &Stats) -> io::Result<()> {
    let calls = sorted(stats.calls());
    let mut table =
        Columns::new(&["node", "method or property", "command", "count", "bytes"], 3..5);
    for (item, amount) in calls.iter().take(ROWS) {
        let [count, bytes] = cells(*amount);
        let (node, member) = (shown(&item.node), shown(&item.member));
        table.row([node, member, item.command.to_owned(), count, bytes]);
    }
    table.write(out)?;
    write_more(out, calls.iter().skip(ROWS).map(|(_, amount)| amount.bytes), "method")?;
    let further = stats.further_calls();
    if further.count > 0 {
        let calls = number(further.count, "call");
        let bytes = DecimalBytes(further.bytes);
        writeln!(
            out,
            "  and {calls} of further methods, not listed because of the limit, {bytes}"
        )?;
    }
    Ok(())
}

/// Writes how many rows were left out.
fn write_more(
    out: &mut dyn Write,
    bytes: impl ExactSizeIterator<Item = u64>,
    noun: &str,
) -> io::Result<()> {
    let rows = bytes.len() as u64;
    if rows == 0 {
        return Ok(());
    }
    let bytes = DecimalBytes(bytes.fold(0, u64::saturating_add));
    let rows = number(rows, &format!("more {noun}"));
    writeln!(out, "  and {rows}, {bytes} (--format json lists all)")
}

fn write_intervals(out: &mut dyn Write, intervals: &Intervals) -> io::Result<()> {
    let [length, requested] = [intervals.length(), intervals.requested()].map(nanoseconds);
    if length != requested {
        let [length, requested] = [length, requested].map(duration);
        writeln!(out, "\n  steps of {length}: steps of {requested} would be more than 100,000")?;
    }
    let decimals = usize::from(intervals.decimals());
    let most = intervals.iter().map(|interval| interval.amount.count).max().unwrap_or(0);
    // Not as a table, which keeps all rows in memory. The years 1677 to 2262 have four digits.
    let width = if decimals == 0 { 20 } else { 21 + decimals };
    writeln!(out, "\n  {:width$}  messages       bytes", "from")?;
    let mut line = |from: &str, amount: Amount, bar: &str| {
        let [count, bytes] = cells(amount);
        let line = format!("  {from:width$}  {count:>8}  {bytes:>10}  {bar}");
        writeln!(out, "{}", line.trim_end())
    };
    for Interval { empty, start, amount, .. } in intervals.iter() {
        if empty > EMPTY {
            line(&format!("… {empty} empty"), Amount::default(), "")?;
        } else {
            for back in (1..=empty).rev() {
                let back = i64::try_from(back).unwrap_or(0).saturating_mul(length);
                let start = Time::from_nanoseconds(start.nanoseconds().saturating_sub(back), 9);
                line(&format!("{start:.decimals$}"), Amount::default(), "")?;
            }
        }
        line(&format!("{start:.decimals$}"), amount, &bar(amount.count, most))?;
    }
    if intervals.untimed().count > 0 {
        line("without a time", intervals.untimed(), "")?;
    }
    Ok(())
}

/// A count, and bytes for people.
fn cells(amount: Amount) -> [String; 2] {
    [amount.count.to_string(), DecimalBytes(amount.bytes).to_string()]
}

fn bar(count: u64, most: u64) -> String {
    let length = u128::from(count) * u128::from(BAR);
    "#".repeat(usize::try_from(length.div_ceil(u128::from(most.max(1)))).unwrap_or(0))
}

fn number(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Nanoseconds, as `--interval` takes them.
fn duration(nanoseconds: i64) -> String {
    format!("{:#}", SignedDuration::from_nanos(nanoseconds))
}

fn nanoseconds(length: Duration) -> i64 {
    i64::try_from(length.as_nanos()).unwrap_or(i64::MAX)
}

/// A name or a path as the library shows it; of a long one, the beginning.
fn shown(name: &dyn Display) -> String {
    let name = name.to_string();
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name,
    }
}

/// A table in aligned columns. Columns of numbers are aligned to the right.
struct Columns {
    table: Table,
}

impl Columns {
    fn new(header: &[&str], numbers: std::ops::Range<usize>) -> Columns {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(header.iter().copied());
        for (at, column) in table.column_iter_mut().enumerate() {
            column.set_padding((if at == 0 { 2 } else { 0 }, 2));
            if numbers.contains(&at) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        Columns { table }
    }

    fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.table.add_row(cells);
    }

    /// Writes an empty line and the table, or nothing if the table has no rows.
    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        if self.table.row_iter().next().is_none() {
            return Ok(());
        }
        writeln!(out)?;
        for line in self.table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
