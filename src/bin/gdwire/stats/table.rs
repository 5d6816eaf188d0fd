//! Counts for people.

use super::count::{Amount, Counts, FlowCount, sorted};
use crate::time::{Rfc3339, rfc3339};
use comfy_table::{CellAlignment, Table, presets};
use std::io::{self, Write};

/// How wide the longest bar is.
const BAR: u64 = 50;

/// How long a name in a cell may be, in characters.
const NAME: usize = 120;

pub(super) fn write(out: &mut dyn Write, file: &str, counts: &Counts) -> io::Result<()> {
    writeln!(out, "{file}")?;
    let mut flows: Vec<&FlowCount> = counts.flows.iter().collect();
    flows.sort_by_key(|flow| std::cmp::Reverse(flow.traffic.bytes));
    let header = ["flow", "", "transport", "engine", "packets", "messages", "bytes", "bytes/s"];
    let mut table = Columns::new(&[&header[..], &["first", "last"]].concat(), 4..8);
    for flow in flows {
        let (low, high) = flow.flow.ends();
        let traffic = &flow.traffic;
        let dialect = flow.dialect.map_or("-", |dialect| dialect.name());
        let calls = if flow.is_multiplayer { ", multiplayer" } else { "" };
        table.row([
            low.to_string(),
            high.to_string(),
            flow.transport.map_or("other TCP", |transport| transport.name()).to_owned(),
            format!("{dialect}{calls}"),
            traffic.packets.to_string(),
            flow.messages.to_string(),
            traffic.bytes.to_string(),
            traffic.bytes_per_second().map_or("-".to_owned(), |rate| format!("{rate:.0}")),
            traffic.first.map_or("-".to_owned(), |time| Rfc3339(time).to_string()),
            traffic.last.map_or("-".to_owned(), |time| Rfc3339(time).to_string()),
        ]);
    }
    table.write(out)?;

    let mut table = Columns::new(&["kind", "values", "bytes"], 1..3);
    for (kind, amount) in sorted(counts.kinds.iter().map(|(kind, amount)| (kind.name(), *amount))) {
        table.amount([kind.to_owned()], amount);
    }
    table.write(out)?;

    let mut table = Columns::new(&["command", "packets", "bytes"], 1..3);
    for (command, amount) in sorted(counts.commands.iter().map(|(name, amount)| (*name, *amount))) {
        table.amount([command.to_owned()], amount);
    }
    table.write(out)?;

    let mut table = Columns::new(&["node", "method", "calls", "bytes"], 2..4);
    for (callee, amount) in sorted(counts.calls.iter().map(|(callee, it)| (callee.clone(), *it))) {
        let path = callee.path.as_deref().map_or("?".to_owned(), shown);
        table.amount([path, shown(&callee.method)], amount);
    }
    if counts.further_calls.count > 0 {
        table.amount(["others".to_owned(), String::new()], counts.further_calls);
    }
    table.write(out)?;

    let mut table = Columns::new(&["not read because", "count"], 1..2);
    for (reason, count) in &counts.errors {
        table.row([(*reason).to_owned(), count.to_string()]);
    }
    table.write(out)?;

    let Some(intervals) = &counts.intervals else { return Ok(()) };
    let mut table = Columns::new(&["from", "messages", "bytes", ""], 1..3);
    let most = intervals.most().max(1);
    for (start, Amount { count, bytes }) in intervals.iter() {
        let length = usize::try_from(count.saturating_mul(BAR).div_ceil(most)).unwrap_or(0);
        table.row([rfc3339(start, 6), count.to_string(), bytes.to_string(), "#".repeat(length)]);
    }
    if intervals.further.count > 0 {
        let Amount { count, bytes } = intervals.further;
        table.row(["others".to_owned(), count.to_string(), bytes.to_string(), String::new()]);
    }
    table.write(out)
}

/// A name from the network, without what could do something to a terminal.
fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(NAME).flat_map(escaped).collect();
    if name.chars().nth(NAME).is_some() {
        shown.push('…');
    }
    shown
}

fn escaped(character: char) -> Vec<char> {
    if character.is_control() { character.escape_default().collect() } else { vec![character] }
}

/// A table in aligned columns, of which some have numbers.
struct Columns {
    table: Table,
    is_empty: bool,
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
        Columns { table, is_empty: true }
    }

    fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.is_empty = false;
        self.table.add_row(cells);
    }

    fn amount<const N: usize>(&mut self, names: [String; N], amount: Amount) {
        self.is_empty = false;
        let numbers = [amount.count.to_string(), amount.bytes.to_string()];
        self.table.add_row(names.into_iter().chain(numbers));
    }

    /// Writes the table behind an empty line, unless it has no rows.
    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        if self.is_empty {
            return Ok(());
        }
        writeln!(out)?;
        for line in self.table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
