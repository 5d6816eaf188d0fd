//! `--explain`: each message as hex, with what each byte is beside it.

use crate::Stop;
use crate::args::{DecodeArgs, Format};
use crate::diagnostics::Diagnostics;
use crate::input;
use crate::output::{self, Styles};
use crate::sink::{Position, Recently, Refusal, Sink};
use gdwire::capture::{Message, Origin, Other, Peers, Place};
use gdwire::explain::{self, Detail, Field, Recent};
use gdwire::multiplayer::Names;
use gdwire::{Dialect, VariantRef};
use std::cell::RefCell;
use std::fmt::{self, Display, Write as _};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

/// How many bytes of packets are kept for the messages that wait.
const RECENT: usize = 32 << 20;

/// How many bytes a line shows, and how many lines a field has.
const ROW: usize = 8;
const ROWS: usize = 4;

/// At how many levels lines are still indented further.
const DEEPEST: usize = 20;

/// How many characters of a message its first line shows.
const TITLE: usize = 100;

pub(super) fn run(args: &DecodeArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    if args.format != Format::Text {
        let message = "--explain needs --format text";
        return Err(Stop::Usage(message.to_owned()));
    }
    let names = args.names.read(diagnostics)?;
    let mut saves = args.saves.read()?;
    let (out, styles) = output::text();
    let packets = Rc::new(RefCell::new(Recent::new(RECENT)));
    let (plain, all, is_first) = (args.plain, args.all, true);
    let mut explainer = Explainer { out, styles, names, packets, plain, all, is_first };
    let files = input::files(&args.inputs, diagnostics);
    let (filters, period) = (&args.filters, args.period);
    let saves = Some(&mut saves);
    input::read(&files, &args.inputs, filters, period, saves, &mut explainer, diagnostics)?;
    Ok(explainer.out.flush()?)
}

struct Explainer {
    out: Box<dyn Write>,
    styles: Styles,
    names: Option<Arc<Names>>,
    packets: Recently,
    /// Whether to show nothing about a message's packet before the message.
    plain: bool,
    /// Whether to show what cannot be read.
    all: bool,
    is_first: bool,
}

impl Sink for Explainer {
    fn begin(&mut self, _: &str) {
        self.packets.borrow_mut().clear();
    }

    fn message(&mut self, message: &Message<'_>) -> Result<(), Refusal> {
        self.separate()?;
        self.title(message.place, message.origin)?;
        if !self.plain {
            write!(self.out, "{}  ", Lane(message))?;
        }
        writeln!(self.out, "{}", Cut(&message.display()))?;
        let packets = Rc::clone(&self.packets);
        let packets = packets.borrow();
        Ok(self.fields(0, |visit| explain::message(message, &packets, Detail::default(), visit))?)
    }

    fn value(&mut self, position: Position, value: VariantRef<'_>) -> Result<(), Refusal> {
        self.separate()?;
        writeln!(self.out, "{position}: {}", Cut(&value))?;
        let (dialect, bytes) = (value.dialect(), value.as_bytes());
        let offset = position.offset();
        Ok(self.fields(offset, |visit| explain::value(dialect, bytes, Detail::default(), visit))?)
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        let Some(origin) = other.origin.filter(|_| self.all) else { return Ok(()) };
        self.separate()?;
        self.title(other.place, origin)?;
        writeln!(self.out, "not a value, {} bytes: {}", other.bytes.len(), other.reason)?;
        let Styles { dim, .. } = self.styles;
        write_rows(&mut self.out, dim, (0, other.bytes), &"payload")
    }

    fn names(&self) -> Option<Arc<Names>> {
        self.names.clone()
    }

    fn recent(&self) -> Option<Recently> {
        Some(Rc::clone(&self.packets))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn error_line(&mut self, place: Position, reason: &dyn Display) -> io::Result<bool> {
        self.separate()?;
        match place {
            Position::Line(_) => writeln!(self.out, "{place}: error: {reason}")?,
            // The reason has the place.
            Position::Offset(_) => writeln!(self.out, "error: {reason}")?,
        }
        Ok(true)
    }

    fn unreadable(&mut self, place: Position, dialect: Dialect, bytes: &[u8]) -> io::Result<()> {
        let offset = place.offset();
        self.fields(offset, |visit| explain::value(dialect, bytes, Detail::default(), visit))
    }
}

/// Takes a field, and ends early if it cannot be written.
type Visit<'v> = &'v mut dyn FnMut(&Field<'_>) -> ControlFlow<io::Error>;

impl Explainer {
    /// Writes an empty line between messages.
    fn separate(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_first) { Ok(()) } else { writeln!(self.out) }
    }

    /// Writes what precedes a message on its first line.
    fn title(&mut self, place: Place, origin: Origin) -> io::Result<()> {
        if self.plain {
            return Ok(());
        }
        let Styles { dim, address, .. } = self.styles;
        write!(self.out, "frame {}  ", place.frame)?;
        if let Some(time) = place.time {
            write!(self.out, "{dim}{time}{dim:#}  ")?;
        }
        write!(self.out, "{address}{} → {}{address:#}  ", origin.src(), origin.dst())
    }

    /// Writes the fields that are passed to the argument of `explain`. The first byte is at an offset.
    fn fields(
        &mut self,
        offset: u64,
        explain: impl FnOnce(Visit<'_>) -> ControlFlow<io::Error>,
    ) -> io::Result<()> {
        let Explainer { out, styles, .. } = self;
        let ended = explain(&mut |field| match write_field(out, *styles, offset, field) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        });
        ended.break_value().map_or(Ok(()), Err)
    }
}

fn write_field(
    out: &mut dyn Write,
    styles: Styles,
    offset: u64,
    field: &Field<'_>,
) -> io::Result<()> {
    let Styles { dim, address, error, .. } = styles;
    let Field { bytes, name, value, depth, is_valid, .. } = *field;
    let offset = offset.saturating_add(field.offset as u64);
    if bytes.is_empty() && is_valid {
        return writeln!(out, "  {address}{name}: {value}{address:#}");
    }
    let indent = "  ".repeat(depth.min(DEEPEST));
    let style = if is_valid { anstyle::Style::new() } else { error };
    let colon = if value.as_str() == Some("") { "" } else { ": " };
    let label = format_args!("{indent}{style}{name}{colon}{value}{style:#}").to_string();
    write_rows(out, dim, (offset, bytes), &label)
}

/// Writes bytes in lines, the label beside the first line.
fn write_rows(
    out: &mut dyn Write,
    dim: anstyle::Style,
    (offset, bytes): (u64, &[u8]),
    label: &dyn Display,
) -> io::Result<()> {
    const WIDTH: usize = ROW * 3;
    if bytes.is_empty() {
        return writeln!(out, "  {dim}{offset:04x}{dim:#}  {:WIDTH$} {label}", "");
    }
    // A single line more takes no more room than saying how much is left.
    let shown = if bytes.len() > ROW * ROWS { ROW * (ROWS - 1) } else { bytes.len() };
    let rows = bytes.get(..shown).unwrap_or(bytes).chunks(ROW);
    let mut hex = String::new();
    for (at, row) in rows.enumerate() {
        hex.clear();
        for byte in row {
            write!(hex, "{byte:02x} ").map_err(io::Error::other)?;
        }
        let offset = offset.saturating_add((at * ROW) as u64);
        if at == 0 {
            writeln!(out, "  {dim}{offset:04x}{dim:#}  {hex:WIDTH$} {label}")?;
        } else {
            writeln!(out, "  {dim}{offset:04x}{dim:#}  {}", hex.trim_end())?;
        }
    }
    match bytes.len() - shown {
        0 => Ok(()),
        more => writeln!(out, "        {dim}… {more} more bytes{dim:#}"),
    }
}

/// How a message was sent, before what it says.
struct Lane<'m, 'b>(&'m Message<'b>);

impl Display for Lane<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { origin, channel, mode, peers, .. } = self.0;
        write!(f, "{}", origin.transport)?;
        if let (Some(channel), Some(mode)) = (channel, mode) {
            write!(f, ", channel {channel}, {mode}")?;
        }
        if let Peers { source: Some(source), target: Some(target), .. } = peers {
            write!(f, ", peer {source} → {target}")?;
        }
        Ok(())
    }
}

/// The beginning of a text.
struct Cut<'t>(&'t dyn Display);

impl Display for Cut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Cutting<'f, 'o>(&'f mut fmt::Formatter<'o>, usize);

        impl fmt::Write for Cutting<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                for character in text.chars() {
                    self.1 = self.1.checked_sub(1).ok_or(fmt::Error)?;
                    self.0.write_char(character)?;
                }
                Ok(())
            }
        }

        let mut cutting = Cutting(f, TITLE);
        let is_whole = write!(cutting, "{}", self.0).is_ok();
        if is_whole { Ok(()) } else { f.write_str("…") }
    }
}
