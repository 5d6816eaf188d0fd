//! `--explain`: each message as hex, with the meaning of each field.

use super::DecodeArgs;
use super::lines::{TimeColumn, decimals};
use crate::diagnostics::{Diagnostics, RunError};
use crate::sink::{
    AHEAD, EventSink, InputSink, Needs, Position, Recently, SinkRefusal, ValuePlace,
};
use crate::terminal::{LineWidth, Styles, cut};
use crate::{input, output};
use gdwire::explain::{self, Detail, Field, Recent};
use gdwire::follow::{Content, Delivery, Message, Origin, Other, Peers, Place};
use gdwire::text::{Role, Show};
use gdwire::{Dialect, VariantRef};
use std::cell::RefCell;
use std::fmt::{self, Display, Write as _};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::rc::Rc;

/// How many bytes of packets are kept for messages that wait for others.
const RECENT: usize = 32 << 20;

/// To how many columns a message is cut on its first line if lines are not fitted.
const TITLE: usize = 100;

pub fn run(args: &DecodeArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let names = args.shown.names.read(diagnostics)?;
    let mut saves = args.saves.read()?;
    let (out, styles) = output::text();
    let packets = Rc::new(RefCell::new(Recent::new(RECENT)));
    let (width, plain, all) = (args.shown.screen.width(), args.shown.plain, args.shown.all);
    let recent = Some(Rc::clone(&packets));
    let needs = Needs { names, recent, ahead: Some(AHEAD), ..Needs::default() };
    let clock = TimeColumn::of(args.shown.lines.time, width.is_some(), needs.first.clone());
    let mut explainer =
        Explainer { out, styles, width, packets, clock, plain, all, is_first: true };
    let files = input::find_files(&args.inputs, diagnostics);
    let request = args.selection.request(&files, &args.inputs, needs);
    input::read(request, Some(&mut saves), &mut explainer, diagnostics)?;
    Ok(explainer.out.flush()?)
}

struct Explainer {
    out: Box<dyn Write>,
    styles: Styles,
    width: Option<LineWidth>,
    packets: Recently,
    clock: TimeColumn,
    /// Whether to omit the columns before a message.
    plain: bool,
    /// Whether to show what cannot be read.
    all: bool,
    is_first: bool,
}

impl EventSink for Explainer {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        self.separate()?;
        let show = self.title(message.place, message.origin, &DeliveryText(message))?;
        match &message.content {
            Content::Value(value) => writeln!(self.out, "{}", value.show(show))?,
            Content::Debugger(command) => writeln!(self.out, "{}", command.show(show))?,
            Content::Packet(packet) => {
                writeln!(self.out, "{}", packet.show(message.context(), show))?;
            }
            _ => writeln!(self.out)?,
        }
        let packets = Rc::clone(&self.packets);
        let packets = packets.borrow();
        Ok(self.rows().message(message, &packets)?)
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        let Some(origin) = other.origin.filter(|_| self.all) else { return Ok(()) };
        self.separate()?;
        self.title(other.place, origin, &origin.transport)?;
        let text = format!("not a value, {} bytes: {}", other.bytes.len(), other.reason);
        writeln!(self.out, "{}", cut(&text, self.columns().unwrap_or(usize::MAX)))?;
        self.rows().write((0, other.bytes), Label::of("payload", ""))
    }
}

impl InputSink for Explainer {
    fn begin(&mut self, _: &str) {
        self.packets.borrow_mut().clear();
        self.clock.begin();
    }

    fn value(&mut self, place: ValuePlace, value: VariantRef<'_>) -> Result<(), SinkRefusal> {
        self.separate()?;
        let position = place.position;
        let place = position.to_string();
        let room = self.columns().unwrap_or(TITLE).saturating_sub(place.len()).saturating_sub(2);
        let show = Show::new().with_palette(self.styles.palette).fitted(room);
        writeln!(self.out, "{place}: {}", value.show(show))?;
        self.length(position)?;
        let (dialect, bytes) = (value.dialect(), value.as_bytes());
        let offset = position.offset();
        Ok(self.fields(offset, |visit| explain::value(dialect, bytes, Detail::default(), visit))?)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn error_line(&mut self, place: Position, reason: &dyn Display) -> io::Result<bool> {
        self.separate()?;
        match place {
            Position::Line(_) => writeln!(self.out, "{place}: error: {reason}")?,
            // The reason already names the place.
            Position::Offset(_) | Position::Framed(..) => writeln!(self.out, "error: {reason}")?,
        }
        Ok(true)
    }

    fn unreadable(&mut self, place: Position, dialect: Dialect, bytes: &[u8]) -> io::Result<()> {
        let offset = place.offset();
        self.length(place)?;
        self.fields(offset, |visit| explain::value(dialect, bytes, Detail::default(), visit))
    }
}

/// Takes a field. An error in writing ends the visit.
type Visit<'v> = &'v mut dyn FnMut(&Field<'_>) -> ControlFlow<io::Error>;

impl Explainer {
    /// Writes an empty line between messages.
    fn separate(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_first) { Ok(()) } else { writeln!(self.out) }
    }

    /// The number of columns that lines are fitted to; none if they are not fitted.
    fn columns(&self) -> Option<usize> {
        self.width.and_then(LineWidth::columns).map(usize::from)
    }

    fn rows(&mut self) -> HexRows<'_> {
        let columns = self.columns().unwrap_or(usize::MAX);
        HexRows { out: &mut self.out, styles: self.styles, columns }
    }

    /// Writes the columns before a message, on a line of their own if lines are fitted. Returns how
    /// to show the message.
    fn title(
        &mut self,
        place: Place,
        origin: Origin,
        lane: &dyn Display,
    ) -> io::Result<Show<'static>> {
        let (Styles { dim, palette, .. }, columns) = (self.styles, self.columns());
        let show = Show::new().with_palette(palette).fitted(columns.unwrap_or(TITLE));
        // Called even if the time is not shown, because the next one may be relative to it.
        let time = self.clock.show(place.time, columns.map(decimals));
        if self.plain {
            return Ok(show);
        }
        let (time, src, dst) = (time.trim(), origin.src(), origin.dst());
        let before = format!("frame {}  ", place.frame);
        let after = format!("  {src} → {dst}  {lane}");
        let room = columns.unwrap_or(usize::MAX);
        let room = room.saturating_sub(before.len()).saturating_sub(time.len());
        write!(self.out, "{before}{dim}{time}{dim:#}{}", cut(&after, room))?;
        self.out.write_all(if columns.is_some() { b"\n" } else { b"  " })?;
        Ok(show)
    }

    /// Writes the length before a value in a save file.
    fn length(&mut self, position: Position) -> io::Result<()> {
        let Position::Framed(offset, length) = position else { return Ok(()) };
        let bytes = length.to_le_bytes();
        let place = offset.saturating_sub(bytes.len() as u64);
        self.rows().write((place, &bytes), Label::of("length", &format!("{length} bytes")))
    }

    /// Writes the fields that `explain` passes to its argument. `offset` is the offset of the first
    /// byte in the input.
    fn fields(
        &mut self,
        offset: u64,
        explain: impl FnOnce(Visit<'_>) -> ControlFlow<io::Error>,
    ) -> io::Result<()> {
        self.rows().fields(offset, explain)
    }
}

/// Shows how a message was sent: its transport, channel, mode and peers.
struct DeliveryText<'m, 'b>(&'m Message<'b>);

impl Display for DeliveryText<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { origin, delivery: Delivery { channel, mode, .. }, peers, .. } = self.0;
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

/// How many bytes a line shows on a wide and on a narrow terminal, and how many lines a field has
/// at most.
const WIDE: usize = 8;
const NARROW: usize = 4;
const ROWS: usize = 4;

/// From this many columns on, lines show `WIDE` bytes.
const ENOUGH: usize = 60;

/// Deeper levels than this are not indented further.
const DEEPEST: usize = 20;

/// The meaning of a range of bytes.
pub struct Label {
    text: String,
    /// The index at which the value begins in the text, and the role of the value.
    value: usize,
    role: Role,
    is_valid: bool,
}

impl Label {
    pub fn of(name: &str, value: &str) -> Label {
        let colon = if value.is_empty() { "" } else { ": " };
        let text = format!("{name}{colon}{value}");
        let value = text.len().saturating_sub(value.len());
        Label { text, value, role: Role::Plain, is_valid: true }
    }
}

/// Writes lines.
pub struct HexRows<'o> {
    pub out: &'o mut dyn Write,
    pub styles: Styles,
    /// The number of columns to which lines are cut.
    pub columns: usize,
}

impl HexRows<'_> {
    /// Writes the headers before a message in its packets, and the message.
    pub fn message(&mut self, message: &Message<'_>, packets: &Recent) -> io::Result<()> {
        self.fields(0, |visit| explain::message(message, packets, Detail::default(), visit))
    }

    /// Writes the fields that `explain` passes to its argument. `offset` is the offset of the first
    /// byte in the input.
    fn fields(
        &mut self,
        offset: u64,
        explain: impl FnOnce(Visit<'_>) -> ControlFlow<io::Error>,
    ) -> io::Result<()> {
        let ended = explain(&mut |field| match self.field(offset, field) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        });
        ended.break_value().map_or(Ok(()), Err)
    }

    /// Writes a field of a message. `offset` is the offset of the message.
    pub fn field(&mut self, offset: u64, field: &Field<'_>) -> io::Result<()> {
        let Field { bytes, name, value, depth, is_valid, role, .. } = *field;
        let offset = offset.saturating_add(field.offset as u64);
        if bytes.is_empty() && is_valid {
            let heading = cut(&format!("  {name}: {value}"), self.columns);
            let style = self.styles.heading;
            return writeln!(self.out, "{style}{heading}{style:#}");
        }
        let indent = "  ".repeat(depth.min(DEEPEST));
        let label = Label::of(&format!("{indent}{name}"), &value.to_string());
        self.write((offset, bytes), Label { role, is_valid, ..label })
    }

    /// Writes bytes on several lines, with the label beside the first.
    pub fn write(&mut self, (offset, bytes): (u64, &[u8]), label: Label) -> io::Result<()> {
        let Styles { dim, .. } = self.styles;
        let len = if self.columns < ENOUGH { NARROW } else { WIDE };
        let width = len.saturating_mul(3);
        let label = self.label(label, "  0000   ".len().saturating_add(width));
        let HexRows { out, .. } = self;
        if bytes.is_empty() {
            return writeln!(out, "  {dim}{offset:04x}{dim:#}  {:width$} {label}", "");
        }
        // One more line takes no more room than a line that says how much is left out.
        let most = len.saturating_mul(ROWS);
        let shown = if bytes.len() > most { most.saturating_sub(len) } else { bytes.len() };
        let rows = bytes.get(..shown).unwrap_or(bytes).chunks(len);
        let mut hex = String::new();
        for (at, row) in rows.enumerate() {
            hex.clear();
            for byte in row {
                write!(hex, "{byte:02x} ").map_err(io::Error::other)?;
            }
            let offset = offset.saturating_add(at.saturating_mul(len) as u64);
            if at == 0 && !label.is_empty() {
                writeln!(out, "  {dim}{offset:04x}{dim:#}  {hex:width$} {label}")?;
            } else {
                writeln!(out, "  {dim}{offset:04x}{dim:#}  {}", hex.trim_end())?;
            }
        }
        match bytes.len().saturating_sub(shown) {
            0 => Ok(()),
            more => writeln!(out, "        {dim}… {more} more bytes{dim:#}"),
        }
    }

    /// A label in its colours, cut to the room after the bytes.
    fn label(&self, label: Label, used: usize) -> String {
        let Label { text, value, role, is_valid } = label;
        let text = cut(&text, self.columns.saturating_sub(used));
        if !is_valid {
            let error = self.styles.error;
            return format!("{error}{text}{error:#}");
        }
        let start = self.styles.palette.start(role);
        match text.split_at_checked(value) {
            Some((name, value)) if !start.is_empty() && !value.is_empty() => {
                format!("{name}{start}{value}\x1b[0m")
            }
            _ => text,
        }
    }
}
