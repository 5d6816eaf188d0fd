//! Writes messages as lines for people: fitted to a width, with short columns, or over several
//! lines.

use super::args::{LinesArgs, TimeChoice};
use super::clock::{Clock, decimals};
use super::ends::Ends;
use super::style::Style;
use crate::args::ScreenArgs;
use crate::sink::Needs;
use crate::terminal::{Styles, Width, cut, plain};
use data_encoding::HEXLOWER;
use gdwire::VariantRef;
use gdwire::capture::{Content, Message, Origin, Other, Place};
use gdwire::text::{Show, cells};
use std::fmt::Display;
use std::io::{self, Write};

/// The width of values over several lines if the width of the terminal is not known, in columns.
const COLUMNS: u16 = 100;

/// The columns before a message are left out if fewer than this many columns remain for the
/// message.
const MESSAGE: usize = 24;

/// By how many columns the further lines of a message are indented.
const INDENT: usize = 4;

/// Writes lines for people.
pub(super) struct Lines {
    width: Option<Width>,
    is_whole: bool,
    is_pretty: bool,
    has_addresses: bool,
    /// Whether the time has to be shown, however narrow the lines are.
    needs_time: bool,
    ends: Ends,
    clock: Clock,
    /// The name of the file until its first line is written, and whether a heading was written
    /// before.
    heading: Option<Box<str>>,
    has_begun: bool,
}

impl Lines {
    /// None if the output is for programs.
    pub(super) fn new(args: &LinesArgs, screen: &ScreenArgs, needs: &Needs) -> Option<Lines> {
        let LinesArgs { wrap, pretty, time, addresses } = *args;
        let width = screen.width();
        if width.is_none() && !pretty && time.is_none_or(|time| time == TimeChoice::Utc) {
            return None;
        }
        Some(Lines {
            width,
            is_whole: wrap || pretty,
            is_pretty: pretty,
            has_addresses: addresses || width.is_none(),
            needs_time: time.is_some(),
            ends: Ends::new(needs.ends.clone()),
            clock: Clock::of(time, width.is_some(), needs.first.clone()),
            heading: None,
            has_begun: false,
        })
    }

    /// Whether lines have the names of ends.
    pub(super) const fn shows_ends(&self) -> bool {
        !self.has_addresses
    }

    /// Begins a file. `file` is its name if there are several.
    pub(super) fn begin(&mut self, file: Option<&str>) {
        self.clock.begin();
        self.heading = file.map(Into::into);
    }

    /// The number of columns that lines are fitted to; none if they are not fitted.
    fn columns(&self) -> Option<usize> {
        self.width.and_then(Width::columns).map(usize::from)
    }

    fn heading(&mut self, style: &Style, out: &mut impl Write) -> io::Result<()> {
        let Some(file) = self.heading.take() else { return Ok(()) };
        let heading = style.styles.heading;
        let file = cut(&plain(&file), self.columns().unwrap_or(usize::MAX));
        let space = if std::mem::replace(&mut self.has_begun, true) { "\n" } else { "" };
        writeln!(out, "{space}{heading}{file}{heading:#}")
    }

    pub(super) fn value(
        &mut self,
        style: &Style,
        value: VariantRef<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.heading(style, out)?;
        self.line(style, 0, (value.as_bytes(), |show| value.show(show)), out)
    }

    pub(super) fn message(
        &mut self,
        style: &Style,
        message: &Message<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.heading(style, out)?;
        let used = self.before(style, (message.place, message.origin), out)?;
        let bytes = message.bytes;
        match &message.content {
            Content::Value(value) => self.line(style, used, (bytes, |it| value.show(it)), out),
            Content::Packet(packet) => {
                let context = message.context();
                self.line(style, used, (bytes, |show| packet.show(context, show)), out)
            }
            Content::Debugger(command) => {
                self.line(style, used, (bytes, |show| command.show(show)), out)
            }
            _ => writeln!(out),
        }
    }

    pub(super) fn other(
        &mut self,
        style: &Style,
        (other, origin): (&Other<'_>, Origin),
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.heading(style, out)?;
        let used = self.before(style, (other.place, origin), out)?;
        let text = format!("not a value, {} bytes: {}", other.bytes.len(), other.reason);
        let dim = style.styles.dim;
        let text = match self.room(used) {
            Some(room) if !self.is_whole => cut(&text, room),
            _ => text,
        };
        writeln!(out, "{dim}{text}{dim:#}")
    }

    pub(super) fn error(
        &mut self,
        style: &Style,
        reason: &dyn Display,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.heading(style, out)?;
        let error = style.styles.error;
        let text = format!("error: {reason}");
        let text = match self.room(0) {
            Some(room) if !self.is_whole => cut(&text, room),
            _ => text,
        };
        writeln!(out, "{error}{text}{error:#}")
    }

    /// How many columns of a line are left after `used`; none if lines are not fitted.
    fn room(&self, used: usize) -> Option<usize> {
        self.columns().map(|columns| columns.saturating_sub(used))
    }

    /// Writes a message after `used` columns, and its bytes if they are requested.
    fn line<S: Display>(
        &self,
        style: &Style,
        used: usize,
        (bytes, shown): (&[u8], impl Fn(Show<'static>) -> S),
        out: &mut impl Write,
    ) -> io::Result<()> {
        let show = Show::new().with_palette(style.styles.palette);
        let hex = if style.hex { HEXLOWER.encode(bytes) } else { String::new() };
        if self.is_pretty {
            let columns = self.columns().unwrap_or(COLUMNS.into());
            writeln!(out, "{}", shown(show.pretty(columns, used, INDENT)))?;
            return if style.hex { writeln!(out, "{:INDENT$}{hex}", "") } else { Ok(()) };
        }
        let Some(room) = self.room(used).filter(|_| !self.is_whole) else {
            let space = if style.hex { "  " } else { "" };
            return writeln!(out, "{}{space}{hex}", shown(show));
        };
        if !style.hex {
            return writeln!(out, "{}", shown(show.fitted(room)));
        }
        // The bytes take at most half of the room.
        let hex = cut(&hex, (room / 2).saturating_sub(2));
        let room = room.saturating_sub(cells(&hex)).saturating_sub(2);
        writeln!(out, "{}  {hex}", shown(show.fitted(room)))
    }

    /// Writes the columns before a message. A line with new names precedes them. Returns the width
    /// of the columns.
    fn before(
        &mut self,
        style: &Style,
        (place, origin): (Place, Origin),
        out: &mut impl Write,
    ) -> io::Result<usize> {
        if style.plain {
            return Ok(0);
        }
        let Styles { dim, address, .. } = style.styles;
        let columns = self.columns();
        let ends =
            if self.has_addresses { self.ends.addresses(origin) } else { self.ends.names(origin) };
        let decimals = columns.map_or(6, decimals);
        let frame = format!("{:>6}", place.frame);
        let time = self.clock.show(place.time, Some(decimals));
        if !ends.legend.is_empty() {
            let indent = "        ";
            let one = format!("{indent}{}", ends.legend.join(", "));
            let fits = columns.is_none_or(|columns| cells(&one) <= columns);
            let lines =
                if fits { one } else { indent.to_owned() + &ends.legend.join("\n        ") };
            writeln!(out, "{dim}{lines}{dim:#}")?;
        }
        let mut left = columns.filter(|_| !self.is_whole).unwrap_or(usize::MAX);
        let mut used = 0_usize;
        let mut take = |column: &str, is_needed: bool| {
            let width = cells(column).saturating_add(2);
            let rest = left.saturating_sub(width);
            let is_shown = is_needed || rest >= MESSAGE;
            if is_shown {
                (left, used) = (rest, used.saturating_add(width));
            }
            is_shown
        };
        let is_needed = self.needs_time;
        let has_time = is_needed && take(&time, true);
        // On a narrow terminal, the ends and then the frame are more useful than the time.
        let has_ends = take(&ends.text, false);
        let has_frame = take(&frame, false);
        let has_time = has_time || take(&time, false);
        if has_frame {
            write!(out, "{dim}{frame}{dim:#}  ")?;
        }
        if has_time {
            write!(out, "{dim}{time}{dim:#}  ")?;
        }
        if has_ends {
            write!(out, "{address}{}{address:#}  ", ends.text)?;
        }
        Ok(used)
    }
}
