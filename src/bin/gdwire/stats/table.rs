//! Prints counts as tables.

use super::amount::{Amount, sorted};
use super::count::{Called, Counts, FlowCount, Target};
use super::interval::Intervals;
use crate::time::rfc3339;
use comfy_table::{CellAlignment, Table, presets};
use gdwire::capture::Time;
use gdwire::multiplayer::Method;
use indicatif::DecimalBytes;
use jiff::SignedDuration;
use std::cmp::Reverse;
use std::io::{self, Write};

/// The width of the longest bar.
const BAR: u64 = 40;

/// The longest name in a cell, in characters.
const NAME: usize = 120;

/// How many flows and methods a table shows: the busiest.
const ROWS: usize = 100;

/// How many empty intervals in a row have a line each; more of them share one line.
const EMPTY: u64 = 3;

pub(super) fn write(out: &mut dyn Write, file: &str, counts: &Counts) -> io::Result<()> {
    writeln!(out, "{file}: {}", summary(counts))?;
    write_flows(out, counts.flows.values().collect(), counts.further_flows)?;

    let kinds = sorted(counts.kinds.iter().map(|(kind, amount)| (kind.name(), *amount)));
    let most = kinds.first().map_or(0, |(_, amount)| amount.count);
    let mut table = Columns::new(&["kind", "values", "bytes", ""], 1..3);
    for (kind, amount) in kinds {
        let [count, bytes] = cells(amount);
        table.row([kind.to_owned(), count, bytes, bar(amount.count, most)]);
    }
    table.write(out)?;

    let mut table = Columns::new(&["command", "packets", "bytes"], 1..3);
    for (command, amount) in sorted(counts.commands.iter().map(|(name, amount)| (*name, *amount))) {
        let [count, bytes] = cells(amount);
        table.row([command.to_owned(), count, bytes]);
    }
    table.write(out)?;

    write_calls(out, counts)?;

    let mut errors: Vec<_> = counts.errors.iter().collect();
    errors.sort_by_key(|(_, count)| Reverse(**count));
    let mut table = Columns::new(&["not decoded because", "count"], 1..2);
    for (reason, count) in errors {
        table.row([(*reason).to_owned(), count.to_string()]);
    }
    table.write(out)?;

    counts.intervals.as_ref().map_or(Ok(()), |intervals| write_intervals(out, intervals))
}

/// A summary in one line.
fn summary(counts: &Counts) -> String {
    let messages = number(counts.messages.count, "message");
    if counts.flows.is_empty() {
        return format!("{messages}, {}", DecimalBytes(counts.messages.bytes));
    }
    let traffic = || counts.flows.values().map(|flow| &flow.traffic);
    let further = counts.further_packets;
    let packets = traffic().fold(further, |sum: u64, flow| sum.saturating_add(flow.packets));
    let further = counts.further_flows.bytes;
    let bytes = traffic().fold(further, |sum: u64, flow| sum.saturating_add(flow.bytes));
    let nanoseconds = |time: Option<Time>| time.map(|time| time.nanoseconds());
    let first = traffic().filter_map(|flow| nanoseconds(flow.first)).min();
    let last = traffic().filter_map(|flow| nanoseconds(flow.last)).max();
    let span = first.zip(last).map_or(String::new(), |(first, last)| {
        format!(" in {}", duration(last.saturating_sub(first) / 1_000_000 * 1_000_000))
    });
    let flows = (counts.flows.len() as u64).saturating_add(counts.further_flows.count);
    let flows = number(flows, "flow");
    let packets = number(packets, "packet");
    format!("{flows}, {packets}, {messages}, {}{span}", DecimalBytes(bytes))
}

fn write_flows(out: &mut dyn Write, mut flows: Vec<&FlowCount>, further: Amount) -> io::Result<()> {
    flows.sort_by_key(|flow| Reverse(flow.traffic.bytes));
    let header = ["between", "and", "transport", "engine", "packets", "messages", "bytes", "rate"];
    let mut table = Columns::new(&[&header[..], &["first", "last"]].concat(), 4..8);
    let time =
        |time: Option<Time>| time.map_or("-".to_owned(), |time| rfc3339(time.nanoseconds(), 3));
    for flow in flows.iter().take(ROWS) {
        let (low, high) = flow.flow.ends();
        let traffic = &flow.traffic;
        let other = if flow.flow.is_tcp() { "other TCP" } else { "other UDP" };
        let dialect = flow.dialect.map_or("-", |dialect| dialect.name());
        let calls = if flow.is_multiplayer { ", multiplayer" } else { "" };
        let rate = traffic.bytes_per_second();
        table.row([
            low.to_string(),
            high.to_string(),
            flow.transport.map_or(other, |transport| transport.name()).to_owned(),
            format!("{dialect}{calls}"),
            traffic.packets.to_string(),
            flow.messages.to_string(),
            DecimalBytes(traffic.bytes).to_string(),
            rate.map_or("-".to_owned(), |rate| format!("{}/s", DecimalBytes(rate as u64))),
            time(traffic.first),
            time(traffic.last),
        ]);
    }
    table.write(out)?;
    let bytes = |flow: &&FlowCount| Amount { count: 1, bytes: flow.traffic.bytes };
    write_more(out, flows.iter().skip(ROWS).map(bytes), "flow")?;
    if further.count > 0 {
        let flows = number(further.count, "flow");
        let bytes = DecimalBytes(further.bytes);
        writeln!(out, "  and {flows}, not listed because of the limit, {bytes}")?;
    }
    Ok(())
}

fn write_calls(out: &mut dyn Write, counts: &Counts) -> io::Result<()> {
    let calls = sorted(counts.calls.iter().map(|(callee, amount)| (callee, *amount)));
    let mut table =
        Columns::new(&["node", "method or property", "command", "count", "bytes"], 3..5);
    for (callee, amount) in calls.iter().take(ROWS) {
        let node = match &callee.node {
            Target::Path(path) => shown(Method::Name(path)),
            // As decode prints it.
            Target::Id(id) => format!("#{id}"),
        };
        let method = shown(match &callee.method {
            Called::Name(name) => Method::Name(name),
            Called::Number { index, is_own } => Method::Number { index: *index, is_own: *is_own },
        });
        let [count, bytes] = cells(*amount);
        table.row([node, method, callee.command.to_owned(), count, bytes]);
    }
    table.write(out)?;
    write_more(out, calls.iter().skip(ROWS).map(|(_, amount)| *amount), "method")?;
    if counts.further_calls.count > 0 {
        let Amount { count, bytes } = counts.further_calls;
        let calls = number(count, "call");
        writeln!(
            out,
            "  and {calls} of further methods, not listed because of the limit, {}",
            DecimalBytes(bytes)
        )?;
    }
    Ok(())
}

/// Writes how many rows were left out.
fn write_more(
    out: &mut dyn Write,
    amounts: impl Iterator<Item = Amount>,
    noun: &str,
) -> io::Result<()> {
    let (mut rows, mut sum) = (0, Amount::default());
    for amount in amounts {
        rows += 1;
        sum.merge(amount);
    }
    if rows == 0 {
        return Ok(());
    }
    let (rows, bytes) = (number(rows, &format!("more {noun}")), DecimalBytes(sum.bytes));
    writeln!(out, "  and {rows}, {bytes} (--format json lists all)")
}

fn write_intervals(out: &mut dyn Write, intervals: &Intervals) -> io::Result<()> {
    if let Some(asked) = intervals.asked() {
        let (length, asked) = (duration(intervals.length()), duration(asked));
        writeln!(out, "\n  steps of {length}: steps of {asked} would be more than 100,000")?;
    }
    let decimals = intervals.decimals();
    let most = intervals.most();
    // Not as a table, which keeps all rows in memory. The years 1677 to 2262 have four digits.
    let width = if decimals == 0 { 20 } else { 21 + decimals };
    writeln!(out, "\n  {:width$}  messages       bytes", "from")?;
    let mut line = |from: &str, amount: Amount, bar: &str| {
        let [count, bytes] = cells(amount);
        let line = format!("  {from:width$}  {count:>8}  {bytes:>10}  {bar}");
        writeln!(out, "{}", line.trim_end())
    };
    for (empty, start, amount) in intervals.iter() {
        if empty > EMPTY {
            line(&format!("… {empty} empty"), Amount::default(), "")?;
        } else {
            for back in (1..=empty).rev() {
                let back = i64::try_from(back).unwrap_or(0).saturating_mul(intervals.length());
                line(&rfc3339(start.saturating_sub(back), decimals), Amount::default(), "")?;
            }
        }
        line(&rfc3339(start, decimals), amount, &bar(amount.count, most))?;
    }
    if intervals.untimed.count > 0 {
        line("without a time", intervals.untimed, "")?;
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

/// A name or a path as the library prints it, without control characters; of a long one, the
/// beginning.
fn shown(name: Method<'_>) -> String {
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
