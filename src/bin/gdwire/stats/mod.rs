//! `gdwire stats`: counts what captures and value files contain.
//!
//! `gdwire::stats` counts messages, values and losses; the counts are written as tables or JSON.
//! `intervals` writes the counts over time.

mod intervals;

use crate::args::values::time;
use crate::args::{
    InputArgs, NamesArgs, SaveArgs, ScreenArgs, SelectionArgs, Threads, VerbosityArgs,
};
use crate::diagnostics::{Diagnostics, RunError};
use crate::sink::{
    Division, EventSink, InputSink, Joining, Needs, PartResult, SinkPart, SinkRefusal, Trouble,
    ValuePlace, merged,
};
use crate::terminal::{Columns, number, plain, shown, wrapped};
use crate::{input, output};
use clap::{Args, ValueEnum};
use gdwire::follow::{ConnectionNumbers, Message, Other, Summary};
use gdwire::stats::{Amount, Connection, Further, Group, Item, Member, Stats, Usage};
use gdwire::{VariantRef, text};
use indicatif::DecimalBytes;
use intervals::{write_intervals, write_methods};
use jiff::SignedDuration;
use std::cmp::Reverse;
use std::io::{self, Write};
use std::time::Duration;

#[derive(Args)]
pub struct StatsArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub saves: SaveArgs,
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: StatsFormat,
    /// Also count messages per interval of this length, such as 1s, 500ms or 1m
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub interval: Option<Duration>,
    /// Count all inputs together instead of each by itself
    #[arg(long)]
    pub total: bool,
    /// Sort the rows of tables by this
    #[arg(long, value_enum, default_value_t, value_name = "COLUMN")]
    pub sort: Sort,
    /// Show this many rows of each table
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub top: usize,
    /// Give each node a row of its own, also those that are alike
    #[arg(long)]
    pub nodes: bool,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub names: NamesArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum StatsFormat {
    /// Aligned tables
    #[default]
    Table,
    /// One JSON object per file
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Sort {
    /// The bytes, most first
    #[default]
    Bytes,
    /// The number of packets, messages or values, most first
    Count,
    /// The bytes per second, most first
    Rate,
    /// The names, in alphabetical order
    Name,
}

pub fn run(args: &StatsArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let needs = Needs { names: args.names.read(diagnostics)?, measures: true, ..Needs::default() };
    let mut saves = args.saves.read()?;
    args.screen.choose_colors();
    let out = match args.format {
        StatsFormat::Table => output::text().0,
        StatsFormat::Json => output::json(),
    };
    let mut counter =
        Counter { out, args, stats: new_stats(args.interval), files: 0, last: String::new() };
    let files = input::find_files(&args.inputs, diagnostics);
    let request = args.selection.request(&files, &args.inputs, needs);
    input::read(request, Some(&mut saves), &mut counter, diagnostics)?;
    if args.total {
        let name = match counter.files {
            1 => std::mem::take(&mut counter.last),
            files => format!("total of {files} files"),
        };
        counter.write(&name)?;
    }
    Ok(counter.out.flush()?)
}

fn new_stats(interval: Option<Duration>) -> Stats {
    match interval {
        Some(length) => Stats::new().with_intervals(length),
        None => Stats::new(),
    }
}

struct Counter<'a> {
    out: Box<dyn Write>,
    args: &'a StatsArgs,
    /// The counts of the current file, or of all files.
    stats: Stats,
    files: u64,
    /// The name of the last file.
    last: String,
}

/// The counts of a part of the connections.
struct CountedPart(Stats);

impl EventSink for CountedPart {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        self.0.message(message);
        Ok(())
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.0.other(other);
        Ok(())
    }
}

impl SinkPart for CountedPart {
    fn held_bytes(&self) -> usize {
        0
    }

    fn connection(&mut self, summary: &Summary) {
        self.0.connection(summary);
    }

    fn finish(self: Box<Self>) -> PartResult {
        Box::new(self.0)
    }
}

impl EventSink for Counter<'_> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        self.stats.message(message);
        Ok(())
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.stats.other(other);
        Ok(())
    }
}

impl InputSink for Counter<'_> {
    fn value(&mut self, _: ValuePlace, value: VariantRef<'_>) -> Result<(), SinkRefusal> {
        self.stats.value(value);
        Ok(())
    }

    fn trouble(&mut self, trouble: Trouble<'_>) {
        match trouble {
            Trouble::Lost(loss) => self.stats.lost(loss),
            Trouble::NoValue(error) => self.stats.no_value(error),
            Trouble::Damaged => self.stats.error("damaged file"),
            Trouble::Unrecognized => self.stats.error("neither a capture nor a value file"),
            Trouble::NotUnpacked => self.stats.error("save that cannot be unpacked"),
            Trouble::NoBytes => self.stats.error("line that is not hex or base64"),
        }
    }

    fn connection(&mut self, summary: &Summary) {
        self.stats.connection(summary);
    }

    fn divide(&self) -> Option<Division> {
        // The order of all messages decides which items are beyond a limit.
        self.stats.is_complete().then(|| {
            let interval = self.args.interval;
            let begin = move || -> Box<dyn SinkPart> { Box::new(CountedPart(new_stats(interval))) };
            let threads = self.args.threads.count();
            Division { threads, begin: Box::new(begin), joining: Joining::Counts }
        })
    }

    fn merge(&mut self, parts: Vec<PartResult>, numbers: &ConnectionNumbers, must: bool) -> bool {
        let stats =
            merged(&self.stats, parts, |stats: &mut Stats, part| stats.merge(&part, numbers));
        let is_taken = must || stats.is_complete();
        if is_taken {
            self.stats = stats;
        }
        is_taken
    }

    fn end(&mut self, file: &str) -> io::Result<()> {
        self.files += 1;
        if self.args.total {
            self.stats.next_capture();
            self.last = file.to_owned();
            return Ok(());
        }
        if self.files > 1 && self.args.format == StatsFormat::Table {
            writeln!(self.out)?;
        }
        self.write(file)?;
        self.stats = new_stats(self.args.interval);
        Ok(())
    }
}

impl Counter<'_> {
    /// Writes the counts under this name.
    fn write(&mut self, name: &str) -> io::Result<()> {
        match self.args.format {
            StatsFormat::Table => {
                write_tables(&mut self.out, self.args, name, &self.stats)?;
                let intervals = self.stats.intervals();
                let columns = self.args.screen.columns();
                let Some(intervals) = intervals else { return Ok(()) };
                write_intervals(&mut self.out, intervals, columns)?;
                write_methods(&mut self.out, intervals, self.args)
            }
            StatsFormat::Json => {
                self.stats.write_json(name, &mut self.out)?;
                writeln!(self.out)
            }
        }
    }
}

/// The length of the longest bar on wide and on narrow terminals, in columns.
const BAR: u64 = 40;
const SHORT_BAR: u64 = 20;

/// Terminals with at least this many columns are wide.
const WIDE: u16 = 100;

/// A heading of more columns has two lines even if lines are not fitted to a width.
const HEADING: u16 = 100;

/// Prints the counts of a file.
fn write_tables(
    out: &mut dyn Write,
    args: &StatsArgs,
    file: &str,
    stats: &Stats,
) -> io::Result<()> {
    let width = args.screen.columns();
    let is_selected = args.selection.is_used();
    let (name, summary) = (plain(file), summary(stats, is_selected));
    let line = format!("{name}: {summary}");
    if text::cells(&line) > width.unwrap_or(HEADING).into() {
        writeln!(out, "{}", wrapped(&format!("{name}:"), width, 2))?;
        writeln!(out, "{}", wrapped(&format!("  {summary}"), width, 4))?;
    } else {
        writeln!(out, "{line}")?;
    }
    let sizes = stats.sizes();
    if let Some((min, max)) = sizes.min().zip(sizes.max()).filter(|(min, max)| min < max) {
        let [median, p95] = [0.5, 0.95].map(|share| sizes.quantile(share).unwrap_or(max));
        let sizes =
            format!("  message sizes: {min} to {max} B, median {median} B, 95% up to {p95} B");
        writeln!(out, "{}", wrapped(&sizes, width, 4))?;
    }
    if is_selected && stats.nodes().next().is_some() {
        let whole = DecimalBytes(stats.messages().bytes);
        let note = format!("  share: 100% is the {whole} of the selected messages");
        writeln!(out, "{}", wrapped(&note, width, 4))?;
    }
    let seconds = stats.duration().map(|time| time.as_secs_f64());
    let mut tables = Tables { out, args, stats, seconds, width };
    tables.connections()?;
    tables.kinds()?;
    tables.commands()?;
    tables.groups(&["node"], stats.node_groups(), (stats.further_nodes(), "node", "nodes"))?;
    let header = ["node", "method or property", "command"];
    tables.groups(&header, stats.call_groups(), (stats.further_calls(), "method", "methods"))?;
    let header = ["node", "synchronized property", "command"];
    let further = (stats.further_properties(), "row", "properties");
    tables.groups(&header, stats.property_groups(), further)?;
    tables.reasons("lost", stats.losses().collect())?;
    tables.reasons("not decoded because", stats.errors_by_reason().collect())
}

/// A summary in one line.
fn summary(stats: &Stats, is_selected: bool) -> String {
    let of_messages = DecimalBytes(stats.messages().bytes);
    let noun = if is_selected { "selected message" } else { "message" };
    let messages = number(stats.messages().count, noun);
    if stats.connections().len() == 0 {
        return format!("{messages}, {of_messages}");
    }
    let traffic = || stats.connections().map(|connection| connection.summary().traffic());
    let Further { connections, packets, bytes, .. } = stats.further_connections();
    let packets = traffic().fold(packets, |sum, flow| sum.saturating_add(flow.packets));
    let bytes = traffic().fold(bytes, |sum, flow| sum.saturating_add(flow.bytes));
    let span = stats.duration().and_then(|time| i64::try_from(time.as_millis()).ok());
    let span = span.map_or(String::new(), |milliseconds| {
        format!(" in {:#}", SignedDuration::from_millis(milliseconds))
    });
    let flows = number((stats.connections().len() as u64).saturating_add(connections), "flow");
    let packets = number(packets, "packet");
    let payload = DecimalBytes(bytes);
    format!("{flows}, {packets} ({payload} payload), {messages} ({of_messages}){span}")
}

/// A row of a table of nodes, methods or properties.
struct UsageRow<'r> {
    name: String,
    member: Member<&'r str>,
    usage: Usage,
}

struct Tables<'t> {
    out: &'t mut dyn Write,
    args: &'t StatsArgs,
    stats: &'t Stats,
    /// The time between the first packet and the last.
    seconds: Option<f64>,
    /// The number of columns of the terminal; `None` if lines are not fitted to it.
    width: Option<u16>,
}

impl Tables<'_> {
    fn connections(&mut self) -> io::Result<()> {
        let stats = self.stats;
        let mut connections: Vec<&Connection> = stats.connections().collect();
        match self.args.sort {
            Sort::Bytes => connections.sort_by_key(|it| Reverse(bytes(it))),
            Sort::Count => connections.sort_by_key(|it| Reverse(packets(it))),
            Sort::Rate => connections.sort_by(|it, other| rate(other).total_cmp(&rate(it))),
            Sort::Name => connections.sort_by_key(|it| it.summary().flow()),
        }
        let header =
            ["source", "destination", "transport", "engine", "packets", "messages", "payload"];
        let header = [&header[..], &["wire", "headers", "rate", "resent", "first packet"]].concat();
        let mut table =
            Columns::new(&header, 4..11, self.width).with_optional(&[11, 3, 6, 2, 8, 10]);
        for connection in connections.iter().take(self.args.top) {
            for row in directions(connection) {
                table.row(row);
            }
        }
        table.write(self.out)?;
        self.more(connections.iter().skip(self.args.top).map(|it| bytes(it)), "flow")?;
        let Further { connections, bytes, .. } = stats.further_connections();
        self.not_listed(&number(connections, "flow"), connections, bytes)
    }

    fn kinds(&mut self) -> io::Result<()> {
        let kinds = self.stats.kinds();
        let kinds = self.sorted(kinds.map(|(kind, amount)| (self.stats.kind_name(kind), amount)));
        let most = kinds.iter().map(|(_, amount)| amount.bytes).max().unwrap_or(0);
        let mut table = Columns::new(&["kind", "values", "bytes", ""], 1..3, self.width);
        for (kind, amount) in kinds.iter().take(self.args.top) {
            let [count, bytes] = cells(*amount);
            table.row([(*kind).to_owned(), count, bytes, bar(amount.bytes, most, self.width)]);
        }
        table.write(self.out)?;
        self.more(kinds.iter().skip(self.args.top).map(|(_, amount)| amount.bytes), "kind")
    }

    fn commands(&mut self) -> io::Result<()> {
        let mut table = Columns::new(&["command", "packets", "bytes"], 1..3, self.width);
        for (command, amount) in self.sorted(self.stats.commands()) {
            let [count, bytes] = cells(amount);
            table.row([command.to_owned(), count, bytes]);
        }
        table.write(self.out)
    }

    /// Writes a table of nodes, methods or properties.
    fn groups(
        &mut self,
        header: &[&str],
        groups: Vec<Group<'_>>,
        (further, noun, nouns): (Amount, &str, &str),
    ) -> io::Result<()> {
        let is_grouped = !self.args.nodes && groups.iter().any(|group| group.items.len() > 1);
        let mut rows: Vec<_> = groups.iter().flat_map(|group| self.rows(group)).collect();
        match self.args.sort {
            Sort::Bytes | Sort::Rate => rows.sort_by_key(|row| Reverse(row.usage.total.bytes)),
            Sort::Count => rows.sort_by_key(|row| Reverse(row.usage.total.count)),
            // The groups are in the order of their names.
            Sort::Name => {}
        }
        let names = header.len();
        let columns = [header, &["count", "bytes", "share", "rate", "from"]].concat();
        let mut table = Columns::new(&columns, names..names.saturating_add(4), self.width);
        for UsageRow { name, member, usage } in rows.iter().take(self.args.top) {
            let mut row = vec![shown(name)];
            if let Some(command) = member.command() {
                row.extend([shown(member), command.to_owned()]);
            }
            row.extend(cells(usage.total));
            row.extend([self.share(usage.total.bytes), self.rate(usage.total.bytes)]);
            row.push(senders(usage).to_owned());
            table.row(row);
        }
        table.write(self.out)?;
        let more = rows.iter().skip(self.args.top).map(|row| row.usage.total.bytes);
        self.more(more, if is_grouped { "row" } else { noun })?;
        let what = format!("{} of more {nouns}", number(further.count, "use"));
        self.not_listed(&what, further.count, further.bytes)
    }

    /// The rows of nodes that are alike: one, or one for each node.
    fn rows<'g>(&self, group: &'g Group<'_>) -> Vec<UsageRow<'g>> {
        if !self.args.nodes {
            let (name, member, usage) = (group.name(), group.member, group.usage);
            return vec![UsageRow { name, member, usage }];
        }
        let row = |(item, usage): &(Item<&'g str>, Usage)| UsageRow {
            name: item.node.to_string(),
            member: item.member,
            usage: *usage,
        };
        group.items.iter().map(row).collect()
    }

    /// Writes a table of losses, or of reasons why packets were not decoded.
    fn reasons(&mut self, header: &str, mut counts: Vec<(&str, u64)>) -> io::Result<()> {
        counts.sort_by_key(|(_, count)| Reverse(*count));
        let mut table = Columns::new(&[header, "count"], 1..2, self.width);
        for (name, count) in counts {
            table.row([name.to_owned(), count.to_string()]);
        }
        table.write(self.out)
    }

    fn sorted<'k>(
        &self,
        amounts: impl Iterator<Item = (&'k str, Amount)>,
    ) -> Vec<(&'k str, Amount)> {
        let mut amounts: Vec<_> = amounts.collect();
        amounts.sort_unstable_by_key(|(name, amount)| match self.args.sort {
            Sort::Bytes | Sort::Rate => (Reverse(amount.bytes), *name),
            Sort::Count => (Reverse(amount.count), *name),
            Sort::Name => (Reverse(0), *name),
        });
        amounts
    }

    /// The share of all bytes of messages.
    fn share(&self, bytes: u64) -> String {
        percent(bytes as f64 / self.stats.messages().bytes.max(1) as f64)
    }

    fn rate(&self, bytes: u64) -> String {
        let Some(seconds) = self.seconds else { return "-".to_owned() };
        per_second(bytes as f64 / seconds)
    }

    /// Writes how many rows were left out.
    fn more(&mut self, bytes: impl ExactSizeIterator<Item = u64>, noun: &str) -> io::Result<()> {
        let rows = bytes.len() as u64;
        if rows == 0 {
            return Ok(());
        }
        let bytes = DecimalBytes(bytes.fold(0, u64::saturating_add));
        let rows = number(rows, &format!("more {noun}"));
        self.line(&format!("  and {rows}, {bytes} (--top shows more; --format json lists all)"))
    }

    /// Writes the sum of the items that are not listed because of a limit.
    fn not_listed(&mut self, what: &str, count: u64, bytes: u64) -> io::Result<()> {
        if count == 0 {
            return Ok(());
        }
        let bytes = DecimalBytes(bytes);
        self.line(&format!("  and {what}, not listed because of the limit, {bytes}"))
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{}", wrapped(line, self.width, 4))
    }
}

/// The rows of a connection: one for each end that sent packets.
fn directions(connection: &Connection) -> impl Iterator<Item = Vec<String>> {
    let summary = connection.summary();
    let traffic = summary.traffic();
    let other = if summary.flow().is_tcp() { "other TCP" } else { "other UDP" };
    let dialect = connection.dialect().map_or("-", |dialect| dialect.name());
    let calls = match (summary.is_multiplayer(), summary.is_debugger()) {
        (true, _) => ", multiplayer",
        (false, true) => ", debugger",
        (false, false) => "",
    };
    let seconds = traffic
        .first
        .zip(traffic.last)
        .map(|(first, last)| last.as_nanos().saturating_sub(first.as_nanos()) as f64 / 1e9);
    let sent = summary
        .flow()
        .directions()
        .into_iter()
        .filter(|(side, ..)| summary.direction(*side).packets > 0);
    sent.map(move |(side, src, dst)| {
        let direction = summary.direction(side);
        let payload = direction.payload_bytes;
        let rate = seconds.filter(|seconds| *seconds > 0.0).map(|seconds| payload as f64 / seconds);
        vec![
            src.to_string(),
            dst.to_string(),
            connection.transport().map_or(other, |transport| transport.name()).to_owned(),
            format!("{dialect}{calls}"),
            direction.packets.to_string(),
            connection.messages(side).count.to_string(),
            DecimalBytes(payload).to_string(),
            direction.wire.map_or("-".to_owned(), |wire| DecimalBytes(wire.bytes).to_string()),
            connection.header_share(side).map_or("-".to_owned(), percent),
            rate.map_or("-".to_owned(), per_second),
            connection.measured(side).map_or("-".to_owned(), |it| it.resent.to_string()),
            traffic.first.map_or("-".to_owned(), |time| format!("{time:.3}")),
        ]
    })
}

fn packets(connection: &Connection) -> u64 {
    connection.summary().traffic().packets
}

fn bytes(connection: &Connection) -> u64 {
    connection.summary().traffic().bytes
}

fn rate(connection: &Connection) -> f64 {
    connection.summary().traffic().bytes_per_second().unwrap_or(0.0)
}

/// The senders of something: the server, clients or both.
fn senders(usage: &Usage) -> &'static str {
    match (usage.from_server.count, usage.from_clients.count) {
        (0, 0) => "-",
        (_, 0) => "server",
        (0, _) => "clients",
        _ => "both",
    }
}

/// A count, and bytes with a unit.
fn cells(amount: Amount) -> [String; 2] {
    [amount.count.to_string(), DecimalBytes(amount.bytes).to_string()]
}

/// A bar whose length is the ratio of `part` to `most`, for lines of this width.
fn bar(part: u64, most: u64, width: Option<u16>) -> String {
    let longest = if width.is_some_and(|width| width < WIDE) { SHORT_BAR } else { BAR };
    let length = u128::from(part) * u128::from(longest);
    "#".repeat(usize::try_from(length.div_ceil(u128::from(most.max(1)))).unwrap_or(0))
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

fn per_second(bytes: f64) -> String {
    // Greater numbers are rounded to two decimals of a larger unit. To round twice would be wrong.
    let bytes = if bytes < 1e3 { bytes.round() } else { bytes.trunc() };
    format!("{}/s", DecimalBytes(bytes as u64))
}
