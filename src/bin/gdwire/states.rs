//! `gdwire states`: shows which values the properties of nodes get, and when.
//!
//! Passes messages to `gdwire::states`. Writes the changes as they come, or the values at one time.

use crate::args::places::Moment;
use crate::args::{InputArgs, NamesArgs, ScreenArgs, SelectionArgs, VerbosityArgs, pattern};
use crate::decode::{TimeChoice, TimeColumn};
use crate::diagnostics::{Diagnostics, RunError};
use crate::sink::{AHEAD, EventSink, InputSink, Needs, SinkRefusal, Trouble, ValuePlace};
use crate::terminal::{Styles, cut, plain, several};
use crate::{input, output};
use clap::{Args, ValueEnum};
use gdwire::VariantRef;
use gdwire::follow::{Message, Place};
use gdwire::json::{self, Spelling};
use gdwire::multiplayer::Pattern;
use gdwire::packet::Time;
use gdwire::states::{SentValue, States};
use gdwire::text::{Layout, cells};
use std::io::{self, Write};
use std::net::SocketAddr;

#[derive(Args)]
pub struct StatesArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub names: NamesArgs,
    /// Show only properties and called methods with this name, such as level or 'pos*' (repeatable)
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    pub property: Vec<Pattern>,
    /// Show every value that was sent, not only those that differ from the value before
    #[arg(long, conflicts_with = "at")]
    pub all: bool,
    /// Show the values of all nodes at this time, such as 4.5s after the first packet
    // The values after a number of messages are not those at a time.
    #[arg(long, value_name = "TIME", conflicts_with = "limit")]
    pub at: Option<Moment>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: StatesFormat,
    /// How to show times [default: relative on a terminal, utc elsewhere]
    #[arg(long, value_enum, value_name = "TIME")]
    pub time: Option<TimeChoice>,
    #[command(flatten)]
    pub screen: ScreenArgs,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum StatesFormat {
    /// A table for people, with values as the engine's literals
    #[default]
    Text,
    /// Comma-separated values with a heading; values are plain JSON
    Csv,
    /// One JSON object per value
    Ndjson,
}

pub fn run(args: &StatesArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let needs =
        Needs { names: args.names.read(diagnostics)?, ahead: Some(AHEAD), ..Needs::default() };
    args.screen.choose_colors();
    let (out, styles) = match args.format {
        StatesFormat::Text => output::text(),
        StatesFormat::Csv | StatesFormat::Ndjson => (output::json(), Styles::default()),
    };
    let files = input::find_files(&args.inputs, diagnostics);
    let columns = args.screen.width().and_then(|width| width.columns()).map(usize::from);
    let clock = TimeColumn::of(args.time, columns.is_some(), needs.first.clone());
    let first = needs.first.clone();
    let table = StatesWriter {
        out,
        styles,
        format: args.format,
        has_files: files.len() > 1 && !args.inputs.join,
        file: String::new(),
        server: None,
        has_servers: false,
        clock,
        columns,
        widths: [0; 4],
        held: Some(Vec::new()),
        held_bytes: 0,
        rows: 0,
    };
    let mut sink = Shower {
        args,
        table,
        states: no_states(args),
        first,
        left_out: 0,
        has_values: false,
        is_unknown: false,
    };
    input::read(args.selection.request(&files, &args.inputs, needs), None, &mut sink, diagnostics)?;
    if sink.left_out > 0 {
        let values = several(sink.left_out, "value was", "values were");
        diagnostics.error(&format!(
            "{values} not kept because of --max-memory; --at lacks such values, and they count as changes"
        ));
    }
    sink.table.release()?;
    if sink.table.rows == 0 && !diagnostics.is_unreadable() && !sink.is_unknown {
        diagnostics.note(&if sink.has_values {
            "no input is a capture, and only captures have properties of nodes"
        } else if args.names.project.is_some() {
            "no selected property got a value"
        } else {
            "no selected property got a value; in Godot 4, --project names properties, and without it \
             they are named by their place, such as sync#0"
        });
    }
    Ok(sink.table.out.flush()?)
}

/// Notes the values in messages, and shows those that are selected.
struct Shower<'a> {
    args: &'a StatesArgs,
    table: StatesWriter,
    states: States,
    first: std::sync::Arc<crate::selection::FirstPacket>,
    /// How many values were not kept because of the limit.
    left_out: u64,
    /// Whether a file that is not a capture has values.
    has_values: bool,
    /// Whether the format of a file is not known, which was reported.
    is_unknown: bool,
}

/// The values at the beginning of a file.
fn no_states(args: &StatesArgs) -> States {
    States::with_max_bytes(args.inputs.reading.limits.limits().total_bytes)
}

/// Whether a node and a property are selected.
fn is_selected(args: &StatesArgs, node: &str, names: [&str; 2]) -> bool {
    let paths = &args.selection.filters.path;
    let is_path = paths.is_empty() || paths.iter().any(|path| path.matches(node));
    let is_property = args.property.is_empty()
        || args.property.iter().any(|property| names.iter().any(|name| property.matches(name)));
    is_path && is_property
}

impl EventSink for Shower<'_> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        let Shower { args, table, states, first, .. } = self;
        if let Some(at) = args.at {
            let end = at.nanoseconds(first.nanoseconds());
            let time = message.place.time.map(Time::as_nanos);
            if end.zip(time).is_some_and(|(end, time)| time <= end) {
                states.message(message, &mut |_, _| {});
            }
            return Ok(());
        }
        let mut result = Ok(());
        states.message(message, &mut |sent, is_change| {
            if result.is_err() || !(is_change || args.all) {
                return;
            }
            let (node, property) = (sent.node.to_string(), sent.property.to_string());
            let path = sent.node.path().unwrap_or(&node);
            if is_selected(args, path, [&property, &sent.property.name()]) {
                result = table.sent(message, &node, &property, sent);
            }
        });
        Ok(result?)
    }
}

impl InputSink for Shower<'_> {
    fn begin(&mut self, file: &str) {
        file.clone_into(&mut self.table.file);
        self.table.server = None;
        self.table.clock.begin();
    }

    fn value(&mut self, _: ValuePlace, _: VariantRef<'_>) -> Result<(), SinkRefusal> {
        self.has_values = true;
        Ok(())
    }

    fn trouble(&mut self, trouble: Trouble<'_>) {
        self.is_unknown |= matches!(trouble, Trouble::Unrecognized);
    }

    fn flush(&mut self) -> io::Result<()> {
        self.table.release()?;
        self.table.out.flush()
    }

    fn end(&mut self, _: &str) -> io::Result<()> {
        let states = std::mem::replace(&mut self.states, no_states(self.args));
        self.left_out = self.left_out.saturating_add(states.left_out());
        if self.args.at.is_some() {
            states.iter().for_each(|kept| self.table.note_server(kept.server));
            for kept in states.iter() {
                let name = kept.property.split('[').next().unwrap_or(kept.property);
                let names = [kept.property, name];
                let Some(value) = kept.value() else { continue };
                if is_selected(self.args, kept.node, names) {
                    let text = value.display(Layout::Line).to_string();
                    let mut plain = Vec::new();
                    json::write_plain(value, &mut plain)?;
                    let row = Row {
                        place: kept.place,
                        ends: None,
                        server: kept.server,
                        node: kept.node,
                        property: kept.property,
                        command: kept.command,
                        text,
                        json: plain,
                    };
                    self.table.row(&row)?;
                }
            }
        }
        Ok(())
    }
}

/// A row of the table.
struct Row<'r> {
    place: Place,
    ends: Option<[String; 2]>,
    server: Option<SocketAddr>,
    node: &'r str,
    property: &'r str,
    command: &'static str,
    /// The value as a literal.
    text: String,
    /// The value as plain JSON.
    json: Vec<u8>,
}

/// Writes rows.
struct StatesWriter {
    out: Box<dyn Write>,
    styles: Styles,
    format: StatesFormat,
    /// Whether rows name their file.
    has_files: bool,
    file: String,
    /// The first server in the file, and whether rows of text name theirs, as there are several.
    server: Option<SocketAddr>,
    has_servers: bool,
    clock: TimeColumn,
    /// The width of the terminal, if lines are fitted to it.
    columns: Option<usize>,
    /// The widths of the first columns so far.
    widths: [usize; 4],
    /// The first rows, which wait until the widths of the columns are known; none afterwards.
    held: Option<Vec<TextRow>>,
    held_bytes: usize,
    rows: u64,
}

/// A row of the text: the first columns and the value.
struct TextRow {
    server: Option<SocketAddr>,
    cells: [String; 4],
    value: String,
}

impl TextRow {
    fn name_server(&mut self, has_servers: bool) {
        let [_, _, node, _] = &mut self.cells;
        if let Some(server) = self.server.filter(|_| has_servers) {
            *node = format!("{server}: {node}");
        }
    }
}

/// How many rows, and how many bytes of them, decide the widths of the columns.
const HELD: (usize, usize) = (1_000, 1 << 20);

/// The widest column to which others are aligned.
const WIDEST: usize = 40;

/// The names of the first columns.
const NAMES: [&str; 4] = ["time", "frame", "node", "property"];

impl StatesWriter {
    fn sent(
        &mut self,
        message: &Message<'_>,
        node: &str,
        property: &str,
        sent: &SentValue<'_>,
    ) -> io::Result<()> {
        let mut json = Vec::new();
        let mut text = String::new();
        if self.format == StatesFormat::Text {
            text = sent.value.display(Layout::Line).to_string();
        } else {
            sent.write_json(Spelling::Plain, &mut json)?;
        }
        let ends = [message.origin.src().to_string(), message.origin.dst().to_string()];
        self.row(&Row {
            place: message.place,
            ends: Some(ends),
            server: sent.server,
            node,
            property,
            command: sent.command,
            text,
            json,
        })
    }

    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.rows += 1;
        match self.format {
            StatesFormat::Text => self.line(row),
            StatesFormat::Csv => self.csv(row),
            StatesFormat::Ndjson => self.object(row),
        }
    }

    fn line(&mut self, row: &Row<'_>) -> io::Result<()> {
        let time = self.clock.show(row.place.time, self.columns.map(|_| 6));
        let frame = row.place.frame.to_string();
        let file = if self.has_files { plain(&self.file) + ": " } else { String::new() };
        let cells = [time, frame, file + &plain(row.node), plain(row.property)];
        self.note_server(row.server);
        let mut row = TextRow { server: row.server, cells, value: row.text.clone() };
        let Some(held) = &mut self.held else {
            row.name_server(self.has_servers);
            return self.write(&row);
        };
        self.held_bytes += row.value.len() + row.cells.iter().map(String::len).sum::<usize>();
        held.push(row);
        if held.len() >= HELD.0 || self.held_bytes >= HELD.1 { self.release() } else { Ok(()) }
    }

    fn note_server(&mut self, server: Option<SocketAddr>) {
        if let Some(server) = server {
            self.has_servers |= *self.server.get_or_insert(server) != server;
        }
    }

    /// Writes the rows that wait, if there are any, after the heading.
    fn release(&mut self) -> io::Result<()> {
        let Some(mut held) = self.held.take_if(|held| !held.is_empty()) else { return Ok(()) };
        held.iter_mut().for_each(|row| row.name_server(self.has_servers));
        self.widths = NAMES.map(str::len);
        held.iter().for_each(|row| self.widen(row));
        let ([time, frame, node, property], heading) = (self.widths, self.styles.heading);
        let [first, second, third, fourth] = NAMES;
        writeln!(
            self.out,
            "{heading}{first:<time$}  {second:>frame$}  {third:<node$}  {fourth:<property$}  \
             value{heading:#}"
        )?;
        held.iter().try_for_each(|row| self.write(row))
    }

    fn widen(&mut self, row: &TextRow) {
        for (width, cell) in self.widths.iter_mut().zip(&row.cells) {
            *width = (*width).max(cells(cell).min(WIDEST));
        }
    }

    fn write(&mut self, row: &TextRow) -> io::Result<()> {
        self.widen(row);
        let dim = self.styles.dim;
        let padded = |place: usize| {
            let (cell, width) = (row.cells.get(place), self.widths.get(place));
            let (cell, width) = (cell.map_or("", |it| it), width.copied().unwrap_or(0));
            let space = " ".repeat(width.saturating_sub(cells(cell)));
            if place == 1 { space + cell } else { cell.to_owned() + &space }
        };
        let before = format!("{}  {}  ", padded(0), padded(1));
        let names = format!("{}  {}  ", padded(2), padded(3));
        let used = cells(&before).saturating_add(cells(&names));
        let value = match self.columns {
            Some(columns) => &cut(&row.value, columns.saturating_sub(used)),
            None => &row.value,
        };
        writeln!(self.out, "{dim}{before}{dim:#}{names}{value}")
    }

    fn csv(&mut self, row: &Row<'_>) -> io::Result<()> {
        if self.rows == 1 {
            let file = if self.has_files { "file," } else { "" };
            writeln!(self.out, "{file}time,frame,node,property,value,server")?;
        }
        if self.has_files {
            write!(self.out, "{},", named(&self.file))?;
        }
        let time = row.place.time.map(|time| time.to_string()).unwrap_or_default();
        let json = String::from_utf8_lossy(&row.json);
        let (frame, node, property) = (row.place.frame, named(row.node), named(row.property));
        let server = row.server.map(|server| server.to_string()).unwrap_or_default();
        writeln!(self.out, "{time},{frame},{node},{property},{},{server}", quoted(&json))
    }

    fn object(&mut self, row: &Row<'_>) -> io::Result<()> {
        let mut line = Vec::new();
        line.push(b'{');
        if self.has_files {
            field(&mut line, "file", &self.file)?;
        }
        write!(line, "{}\"frame\":{}", if line.len() > 1 { "," } else { "" }, row.place.frame)?;
        if let Some(time) = row.place.time {
            field(&mut line, "time", &time.to_string())?;
        }
        if let Some([src, dst]) = &row.ends {
            field(&mut line, "src", src)?;
            field(&mut line, "dst", dst)?;
        }
        if let Some(server) = row.server {
            field(&mut line, "server", &server.to_string())?;
        }
        field(&mut line, "command", row.command)?;
        field(&mut line, "node", row.node)?;
        field(&mut line, "property", row.property)?;
        line.extend_from_slice(b",\"value\":");
        line.extend_from_slice(&row.json);
        line.extend_from_slice(b"}\n");
        self.out.write_all(&line)
    }
}

fn field(line: &mut Vec<u8>, name: &str, text: &str) -> io::Result<()> {
    if line.len() > 1 {
        line.push(b',');
    }
    write!(line, "\"{name}\":")?;
    json::write_string(text, line)
}

/// A cell of CSV with a name. Spreadsheets compute a cell that begins like a formula, so the first
/// character of such a name is escaped.
fn named(name: &str) -> String {
    let formula = name.chars().next().filter(|first| "=+-@".contains(*first));
    match formula.and_then(|first| Some((first, name.strip_prefix(first)?))) {
        Some((first, rest)) => quoted(&format!("\\u{:04x}{rest}", u32::from(first))),
        None => quoted(name),
    }
}

/// A cell of CSV, in quotes if it needs them.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}
