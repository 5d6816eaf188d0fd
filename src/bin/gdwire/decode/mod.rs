//! `gdwire decode`: prints values and remote calls.
//!
//! Turns messages, values and losses into lines of text or JSON. The printer chooses the format:
//! one of the files `lines`, `ndjson` and `text`, or `explain`.

mod explain;
mod lines;
pub mod ndjson;
mod text;

pub use explain::HexRows;

use crate::args::{
    Filters, InputArgs, NamesArgs, SaveArgs, ScreenArgs, SelectionArgs, Threads, VerbosityArgs,
};
use crate::diagnostics::{Diagnostics, RunError};
use crate::input::LiveCapture;
use crate::sink::{
    AHEAD, Division, EventSink, InputDamage, InputSink, Joining, Needs, PartResult, Position,
    SinkPart, SinkRefusal, ValuePlace,
};
use crate::terminal::Styles;
use crate::{input, output};
use clap::{Args, ValueEnum};
use gdwire::VariantRef;
use gdwire::follow::{Loss, Message, Other};
use gdwire::json::Spelling;
use gdwire::multiplayer::Names;
use lines::TerminalLines;
pub use lines::TimeColumn;
use std::fmt::Display;
use std::io::{self, Write};
use std::mem;
use std::num::NonZero;
use std::sync::Arc;
pub use text::TextCache;

#[derive(Args)]
pub struct DecodeArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub saves: SaveArgs,
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub shown: ShownArgs,
    /// Explain each message byte by byte: a hexdump with the meaning of each field, and the headers before it (needs --format text)
    #[arg(long, conflicts_with_all = ["hex", "wrap", "pretty", "addresses"])]
    pub explain: bool,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

/// How messages are shown.
#[derive(Args)]
pub struct ShownArgs {
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: DecodeFormat,
    /// How JSON spells values and arguments (needs --format ndjson) [default: plain]
    #[arg(long, value_enum, value_name = "SPELLING")]
    pub values: Option<ValueSpelling>,
    /// Omit the columns before each message of a capture (needs --format text)
    #[arg(long)]
    pub plain: bool,
    /// Also print the bytes of each message, in hex (needs --format text or ndjson)
    #[arg(long)]
    pub hex: bool,
    /// Number the values of a file from 0, as 'gdwire convert --set' names them (needs --format text or ndjson)
    #[arg(long)]
    pub index: bool,
    #[command(flatten)]
    pub names: NamesArgs,
    /// Also show unrecognized packets and unreadable messages, with size and reason (needs --format text or ndjson)
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub lines: LinesArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

#[derive(Args)]
pub struct LinesArgs {
    /// Print long values whole, even if they take several lines of the terminal
    #[arg(long, conflicts_with = "pretty")]
    pub wrap: bool,
    /// Print values whole, indented over several lines
    #[arg(long)]
    pub pretty: bool,
    /// How to show times [default: relative on a terminal, utc elsewhere]
    #[arg(long, value_enum, value_name = "TIME")]
    pub time: Option<TimeChoice>,
    /// Show addresses and ports instead of short names such as 'client 1'
    #[arg(long)]
    pub addresses: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum DecodeFormat {
    /// One message per line, values as var_to_str and var2str write them; in captures, columns come first (see
    /// --plain)
    #[default]
    Text,
    /// One JSON object per message, with its position in the input and its value
    Ndjson,
    /// One JSON document per value, as Godot 4's JSON.from_native writes it, or per remote call
    Native,
    /// The bytes of each message in hex, one message per line
    Hex,
}

/// How JSON spells values.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ValueSpelling {
    /// As jq expects them, without the types of the engine: {"hp": 87}
    Plain,
    /// Lossless, as Godot 4's JSON.from_native: {"type":"Dictionary","args":["s:hp","i:87"]}
    Native,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TimeChoice {
    /// Seconds after the first packet of the capture, as in Wireshark
    Relative,
    /// Seconds after the message on the line before
    Delta,
    /// The date and time in UTC
    Utc,
    /// The date and time in the time zone of this computer
    Local,
}

pub fn run(args: &DecodeArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let (shown, selection) = (&args.shown, &args.selection);
    shown.screen.choose_colors();
    if args.explain {
        return explain::run(args, diagnostics);
    }
    let names = shown.names.read(diagnostics)?;
    let mut saves = args.saves.read()?;
    let files = input::find_files(&args.inputs, diagnostics);
    let has_files = files.len() > 1 && !args.inputs.join;
    let threads = args.threads.count();
    let (mut printer, needs) = printer(shown, &selection.filters, names, has_files, threads);
    let request = selection.request(&files, &args.inputs, needs);
    input::read(request, Some(&mut saves), &mut printer, diagnostics)?;
    Ok(printer.out.flush()?)
}

/// Prints the messages of a capture that another part of the program makes.
pub fn show(
    live: LiveCapture<'_>,
    shown: &ShownArgs,
    names: Option<Arc<Names>>,
    diagnostics: &mut Diagnostics,
) -> Result<(), RunError> {
    let (mut printer, needs) = printer(shown, live.filters, names, false, NonZero::<usize>::MIN);
    input::read_live(live, needs, &mut printer, diagnostics)?;
    Ok(printer.out.flush()?)
}

fn printer(
    args: &ShownArgs,
    filters: &Filters,
    names: Option<Arc<Names>>,
    has_files: bool,
    threads: NonZero<usize>,
) -> (Printer<Box<dyn Write>>, Needs) {
    let (out, styles) = match args.format {
        DecodeFormat::Text | DecodeFormat::Hex => output::text(),
        DecodeFormat::Ndjson | DecodeFormat::Native => (output::json(), Styles::default()),
    };
    let style = LineStyle::new(args, filters, styles, has_files);
    let numbers_values = args.index;
    let columns = [("--time", args.lines.time.is_some()), ("--addresses", args.lines.addresses)];
    let columns = columns.into_iter().filter(|(_, is_given)| *is_given).map(|it| it.0).collect();
    let mut needs =
        Needs { names, ahead: Some(AHEAD), columns, numbers_values, ..Needs::default() };
    let lines = match args.format {
        DecodeFormat::Text => TerminalLines::new(&args.lines, &args.screen, &needs),
        _ => None,
    };
    needs.shows_ends = lines.as_ref().is_some_and(TerminalLines::shows_ends) && !args.plain;
    (Printer { out, style, cache: TextCache::default(), lines, threads }, needs)
}

/// Prints messages: to standard output or, for the part of a thread, to memory.
struct Printer<W> {
    out: W,
    style: LineStyle,
    cache: TextCache,
    /// Writes lines for people, if the output is for people. This is done in order, by one thread.
    lines: Option<TerminalLines>,
    threads: NonZero<usize>,
}

/// Writes messages, values and losses in the format.
impl LineStyle {
    fn value(
        &self,
        place: ValuePlace,
        value: VariantRef<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match self.format {
            DecodeFormat::Text => text::value(self, place, value, out),
            DecodeFormat::Ndjson => ndjson::value(self, place, value, out),
            DecodeFormat::Native => text::native(value, out),
            DecodeFormat::Hex => text::hex(value.as_bytes(), out),
        }
    }

    fn message(
        &self,
        message: &Message<'_>,
        cache: &mut TextCache,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match self.format {
            DecodeFormat::Text => text::message(self, message, cache, out),
            DecodeFormat::Ndjson => ndjson::message(self, message, cache, out),
            DecodeFormat::Native => text::native_message(message, out),
            DecodeFormat::Hex => text::hex(message.bytes, out),
        }
    }

    fn other(&self, other: &Other<'_>, out: &mut impl Write) -> io::Result<()> {
        let Some(origin) = other.origin.filter(|_| self.all) else { return Ok(()) };
        match self.format {
            DecodeFormat::Text => text::other(self, other, origin, out),
            DecodeFormat::Ndjson => ndjson::other(self, other, out),
            DecodeFormat::Native | DecodeFormat::Hex => Ok(()),
        }
    }

    fn lost(&self, loss: &Loss, out: &mut impl Write) -> io::Result<()> {
        match self.format {
            DecodeFormat::Ndjson if self.has_losses => ndjson::lost(self, loss, out),
            // The loss is reported on standard error.
            DecodeFormat::Ndjson
            | DecodeFormat::Text
            | DecodeFormat::Native
            | DecodeFormat::Hex => Ok(()),
        }
    }
}

impl<W: Write> EventSink for Printer<W> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        match &mut self.lines {
            Some(lines) => lines.message(&self.style, message, &mut self.out)?,
            None => self.style.message(message, &mut self.cache, &mut self.out)?,
        }
        Ok(())
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        match (&mut self.lines, other.origin) {
            (Some(lines), Some(origin)) if self.style.all => {
                lines.other(&self.style, (other, origin), &mut self.out)
            }
            (Some(_), _) => Ok(()),
            (None, _) => self.style.other(other, &mut self.out),
        }
    }

    fn lost(&mut self, loss: &Loss) -> io::Result<()> {
        self.style.lost(loss, &mut self.out)
    }
}

impl InputSink for Printer<Box<dyn Write>> {
    fn begin(&mut self, file: &str) {
        self.style.file = self.style.has_files.then(|| file.into());
        if let Some(lines) = &mut self.lines {
            lines.begin(self.style.file.as_deref());
        }
    }

    fn value(&mut self, place: ValuePlace, value: VariantRef<'_>) -> Result<(), SinkRefusal> {
        match &mut self.lines {
            Some(lines) => lines.value(&self.style, place, value, &mut self.out)?,
            None => self.style.value(place, value, &mut self.out)?,
        }
        Ok(())
    }

    fn damaged(&mut self, damage: &InputDamage<'_>) -> io::Result<()> {
        match self.style.format {
            DecodeFormat::Ndjson => ndjson::damaged(&self.style, damage, &mut self.out),
            DecodeFormat::Text | DecodeFormat::Native | DecodeFormat::Hex => Ok(()),
        }
    }

    fn divide(&self) -> Option<Division> {
        let (style, threads) = (self.style.clone(), self.threads);
        let begin = move || -> Box<dyn SinkPart> {
            let (style, cache) = (style.clone(), TextCache::default());
            Box::new(Printer { out: Vec::new(), style, cache, lines: None, threads })
        };
        (threads.get() > 1 && self.lines.is_none()).then(|| Division {
            threads,
            begin: Box::new(begin),
            joining: Joining::Lines,
        })
    }

    fn lines(&mut self, lines: &[u8]) -> io::Result<()> {
        self.out.write_all(lines)
    }

    fn join(&mut self, made: PartResult) -> io::Result<()> {
        made.downcast::<Vec<u8>>().map_or(Ok(()), |lines| self.out.write_all(&lines))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn error_line(&mut self, place: Position, reason: &dyn Display) -> io::Result<bool> {
        match self.style.format {
            DecodeFormat::Ndjson => ndjson::error(&self.style, place, reason, &mut self.out)?,
            DecodeFormat::Text | DecodeFormat::Native | DecodeFormat::Hex => {
                let Position::Line(_) = place else { return Ok(false) };
                match &mut self.lines {
                    Some(lines) => lines.error(&self.style, reason, &mut self.out)?,
                    None => {
                        let error = self.style.styles.error;
                        writeln!(self.out, "{error}error: {reason}{error:#}")?;
                    }
                }
            }
        }
        Ok(true)
    }
}

impl SinkPart for Printer<Vec<u8>> {
    fn held_bytes(&self) -> usize {
        self.out.len()
    }

    fn take_lines(&mut self, memory: Vec<u8>) -> Vec<u8> {
        mem::replace(&mut self.out, memory)
    }

    fn finish(self: Box<Self>) -> PartResult {
        Box::new(self.out)
    }
}

/// How messages are printed.
#[derive(Clone)]
pub struct LineStyle {
    pub format: DecodeFormat,
    pub values: Spelling,
    pub plain: bool,
    pub hex: bool,
    /// Whether the values of files are numbered.
    pub index: bool,
    pub all: bool,
    pub styles: Styles,
    /// Whether there are several files; if so, the name of the current one.
    pub has_files: bool,
    pub file: Option<Arc<str>>,
    /// Whether losses are shown.
    pub has_losses: bool,
}

/// Whether losses are shown: not if messages are selected by their content.
pub fn shows_losses(filters: &Filters) -> bool {
    !filters.has_contents()
}

impl LineStyle {
    /// JSON as `--format ndjson` prints it without further options.
    pub fn json() -> LineStyle {
        LineStyle {
            format: DecodeFormat::Ndjson,
            values: Spelling::Plain,
            plain: false,
            hex: false,
            index: false,
            all: false,
            styles: Styles::default(),
            has_files: false,
            file: None,
            has_losses: true,
        }
    }

    fn new(args: &ShownArgs, filters: &Filters, styles: Styles, has_files: bool) -> LineStyle {
        let ShownArgs { format, plain, hex, index, all, .. } = *args;
        let values = match args.values {
            Some(ValueSpelling::Native) => Spelling::Native,
            Some(ValueSpelling::Plain) | None => Spelling::Plain,
        };
        let has_losses = shows_losses(filters);
        LineStyle {
            format,
            values,
            plain,
            hex,
            index,
            all,
            styles,
            has_files,
            file: None,
            has_losses,
        }
    }
}
