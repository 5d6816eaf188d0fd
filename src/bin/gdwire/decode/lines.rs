//! Writes messages as lines for people: fitted to a width, with short columns, or over several
//! lines.

use super::{LineStyle, LinesArgs, TimeChoice, text};
use crate::args::ScreenArgs;
use crate::args::places::{EndName, EndRole};
use crate::selection::{EndNames, FirstPacket};
use crate::sink::{Needs, ValuePlace};
use crate::terminal::{LineWidth, Styles, cut, plain};
use data_encoding::HEXLOWER;
use gdwire::VariantRef;
use gdwire::follow::{Content, Message, Origin, Other, Place};
use gdwire::packet::Time;
use gdwire::text::{Show, cells};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::Arc;

/// The width of values over several lines if the width of the terminal is not known, in columns.
const COLUMNS: u16 = 100;

/// The columns before a message are left out if fewer than this many columns remain for the
/// message.
const MESSAGE: usize = 24;

/// The indentation of the further lines of a message, in columns.
const INDENT: usize = 4;

/// Writes lines for people.
pub struct TerminalLines {
    width: Option<LineWidth>,
    is_whole: bool,
    is_pretty: bool,
    has_addresses: bool,
    /// Whether the time has to be shown, however narrow the lines are.
    needs_time: bool,
    ends: EndsColumn,
    clock: TimeColumn,
    /// The name of the file until its first line is written, and whether a heading was written
    /// before.
    heading: Option<Box<str>>,
    has_begun: bool,
}

impl TerminalLines {
    /// None if the output is for programs.
    pub fn new(args: &LinesArgs, screen: &ScreenArgs, needs: &Needs) -> Option<TerminalLines> {
        let LinesArgs { wrap, pretty, time, addresses } = *args;
        let width = screen.width();
        if width.is_none() && !pretty && time.is_none_or(|time| time == TimeChoice::Utc) {
            return None;
        }
        Some(TerminalLines {
            width,
            is_whole: wrap || pretty,
            is_pretty: pretty,
            has_addresses: addresses || width.is_none(),
            needs_time: time.is_some(),
            ends: EndsColumn::new(needs.ends.clone()),
            clock: TimeColumn::of(time, width.is_some(), needs.first.clone()),
            heading: None,
            has_begun: false,
        })
    }

    /// Whether lines have the names of ends.
    pub const fn shows_ends(&self) -> bool {
        !self.has_addresses
    }

    /// Begins a file. `file` is its name if there are several.
    pub fn begin(&mut self, file: Option<&str>) {
        self.clock.begin();
        self.heading = file.map(Into::into);
    }

    /// The number of columns that lines are fitted to; none if they are not fitted.
    fn columns(&self) -> Option<usize> {
        self.width.and_then(LineWidth::columns).map(usize::from)
    }

    fn heading(&mut self, style: &LineStyle, out: &mut impl Write) -> io::Result<()> {
        let Some(file) = self.heading.take() else { return Ok(()) };
        let heading = style.styles.heading;
        let file = cut(&plain(&file), self.columns().unwrap_or(usize::MAX));
        let space = if std::mem::replace(&mut self.has_begun, true) { "\n" } else { "" };
        writeln!(out, "{space}{heading}{file}{heading:#}")
    }

    pub fn value(
        &mut self,
        style: &LineStyle,
        place: ValuePlace,
        value: VariantRef<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.heading(style, out)?;
        let used = text::index(style, place, out)?;
        self.line(style, used, (value.as_bytes(), |show| value.show(show)), out)
    }

    pub fn message(
        &mut self,
        style: &LineStyle,
        message: &Message<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.heading(style, out)?;
        let used = self.before(style, (message.place, message.origin), out)?;
        let bytes = message.bytes;
        match &message.content {
            Content::Value(value) => self.line(style, used, (bytes, |it| value.show(it)), out),
            Content::Packet(packet) => {
                let (context, palette) =
                    (message.context(), style.styles.of_command(packet.command()));
                let shown = |show: Show<'static>| packet.show(context, show.with_palette(palette));
                self.line(style, used, (bytes, shown), out)
            }
            Content::Debugger(command) => {
                self.line(style, used, (bytes, |show| command.show(show)), out)
            }
            _ => writeln!(out),
        }
    }

    pub fn other(
        &mut self,
        style: &LineStyle,
        (other, origin): (&Other<'_>, Origin),
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.heading(style, out)?;
        let used = self.before(style, (other.place, origin), out)?;
        let text = format!("not a value, {} bytes: {}", other.bytes.len(), other.reason);
        let dim = style.styles.dim;
        writeln!(out, "{dim}{}{dim:#}", self.cut(text, used))
    }

    pub fn error(
        &mut self,
        style: &LineStyle,
        reason: &dyn Display,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.heading(style, out)?;
        let error = style.styles.error;
        let text = self.cut(format!("error: {reason}"), 0);
        writeln!(out, "{error}{text}{error:#}")
    }

    /// How many columns of a line are left after `used`; none if messages are written whole.
    fn room(&self, used: usize) -> Option<usize> {
        let columns = self.columns().filter(|_| !self.is_whole);
        columns.map(|columns| columns.saturating_sub(used))
    }

    /// A text after `used` columns, cut to the rest of the line.
    fn cut(&self, text: String, used: usize) -> String {
        match self.room(used) {
            Some(room) => cut(&text, room),
            None => text,
        }
    }

    /// Writes a message after `used` columns, and its bytes if they are requested.
    fn line<S: Display>(
        &self,
        style: &LineStyle,
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
        let Some(room) = self.room(used) else {
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
        style: &LineStyle,
        (place, origin): (Place, Origin),
        out: &mut impl Write,
    ) -> io::Result<usize> {
        if style.plain {
            return Ok(0);
        }
        let Styles { dim, address, .. } = style.styles;
        let columns = self.columns();
        let is_narrow = columns.is_some_and(|columns| columns < WIDE);
        let ends = match self.has_addresses {
            true => self.ends.addresses(origin),
            false => self.ends.names(origin, is_narrow),
        };
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

/// The widest text of two ends to which other lines are aligned, in columns.
const WIDEST: usize = 27;

/// Shows ends.
pub struct EndsColumn {
    names: Arc<EndNames>,
    /// The names that were shown.
    known: HashSet<EndName>,
    /// The width of the widest text of two ends so far, in columns.
    width: usize,
}

/// The text for the two ends of a message.
pub struct EndsText {
    /// Both ends, padded to the width of earlier ones.
    pub text: String,
    /// The new names in the text, with their addresses.
    pub legend: Vec<String>,
}

impl EndsColumn {
    pub fn new(names: Arc<EndNames>) -> EndsColumn {
        EndsColumn { names, known: HashSet::new(), width: 0 }
    }

    /// The names of the ends of a message. On narrow lines, the only server is left out: `client 1 →` is
    /// what the client sent to it, `→ client 1` what it sent to the client.
    pub fn names(&mut self, origin: Origin, is_narrow: bool) -> EndsText {
        let mut legend = Vec::new();
        let [src, dst] = self.names.name(origin);
        let is_only = |end: Option<EndName>| {
            is_narrow && end.is_some_and(|end| end.role == EndRole::Server && end.number == 1)
        };
        let is_implied = [is_only(src), is_only(dst)];
        let [src, dst] = [(src, origin.src()), (dst, origin.dst())].map(|(name, address)| {
            let Some(name) = name else { return address.to_string() };
            if self.known.insert(name) {
                legend.push(format!("{name} = {address}"));
            }
            name.to_string()
        });
        let text = match is_implied {
            [true, _] => format!("→ {dst}"),
            [_, true] => format!("{src} →"),
            _ => format!("{src} → {dst}"),
        };
        self.padded(text, legend)
    }

    /// The addresses of the ends of a message.
    pub fn addresses(&mut self, origin: Origin) -> EndsText {
        self.padded(format!("{} → {}", origin.src(), origin.dst()), Vec::new())
    }

    fn padded(&mut self, text: String, legend: Vec<String>) -> EndsText {
        let width = cells(&text);
        if width <= WIDEST {
            self.width = self.width.max(width);
        }
        let padding = " ".repeat(self.width.saturating_sub(width));
        EndsText { text: text + &padding, legend }
    }
}

/// Lines with at least this many columns show times in microseconds.
const WIDE: usize = 100;

/// How many decimals of a second are shown on lines with this many columns.
pub const fn decimals(columns: usize) -> usize {
    if columns < WIDE { 3 } else { 6 }
}

/// Shows times.
pub struct TimeColumn {
    choice: TimeChoice,
    zone: TimeZone,
    first: Arc<FirstPacket>,
    /// The time of the message before, in nanoseconds.
    previous: Option<i64>,
}

impl TimeColumn {
    pub fn new(choice: TimeChoice, first: Arc<FirstPacket>) -> TimeColumn {
        let zone = match choice {
            TimeChoice::Local => TimeZone::system(),
            _ => TimeZone::UTC,
        };
        TimeColumn { choice, zone, first, previous: None }
    }

    /// Shows times as `--time` sets; by default, relative where lines are fitted to a width, and in
    /// UTC elsewhere.
    pub fn of(choice: Option<TimeChoice>, is_fitted: bool, first: Arc<FirstPacket>) -> TimeColumn {
        let usual = if is_fitted { TimeChoice::Relative } else { TimeChoice::Utc };
        TimeColumn::new(choice.unwrap_or(usual), first)
    }

    /// Begins another file.
    pub const fn begin(&mut self) {
        self.previous = None;
    }

    /// The time of the next message, aligned. `decimals` is the number of decimals of a second;
    /// none for all. Further decimals are cut off, not rounded, so that no time is later than the
    /// real one.
    pub fn show(&mut self, time: Option<Time>, decimals: Option<usize>) -> String {
        let all = decimals.is_none();
        let decimals = decimals.unwrap_or(9);
        let now = time.map(Time::as_nanos);
        let since = |start: Option<i64>| {
            let seconds = |nanoseconds: i64| {
                // Integers, because a float would lose nanoseconds in a long capture.
                let unit = 10_i64.pow(9_u32.saturating_sub(decimals as u32));
                let rounded = nanoseconds.unsigned_abs() / unit.unsigned_abs();
                let per_second = 1_000_000_000 / unit.unsigned_abs();
                let sign = if nanoseconds < 0 && rounded > 0 { "-" } else { "" };
                let (whole, rest) = (rounded / per_second, rounded % per_second);
                format!("{sign}{whole}.{rest:0decimals$}")
            };
            let text = now.zip(start).map(|(now, start)| seconds(now.saturating_sub(start)));
            let width = decimals.saturating_add(5);
            format!("{:>width$}", text.as_deref().unwrap_or("-"))
        };
        let shown = match (self.choice, time) {
            (TimeChoice::Relative, _) => since(self.first.nanoseconds()),
            (TimeChoice::Delta, _) => since(self.previous.or(now)),
            (_, None) => "-".to_owned(),
            (TimeChoice::Utc, Some(time)) if all => time.to_string(),
            (TimeChoice::Utc, Some(time)) => format!("{time:.decimals$}"),
            (TimeChoice::Local, Some(time)) => self.local(time, decimals),
        };
        self.previous = now.or(self.previous);
        shown
    }

    fn local(&self, time: Time, decimals: usize) -> String {
        match Timestamp::from_nanosecond(time.as_nanos().into()) {
            Ok(timestamp) => {
                let format = format!("%Y-%m-%dT%H:%M:%S.%{decimals}f%:z");
                timestamp.to_zoned(self.zone.clone()).strftime(&format).to_string()
            }
            Err(_) => "-".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TimeChoice, TimeColumn};
    use crate::selection::FirstPacket;
    use gdwire::packet::Time;
    use std::sync::Arc;

    fn shown(choice: TimeChoice, nanoseconds: &[i64]) -> Vec<String> {
        let first = Arc::new(FirstPacket::default());
        let times = nanoseconds.iter().map(|it| Some(Time::from_nanos(*it, 9)));
        let times: Vec<_> = times.collect();
        first.note(times[0]);
        let mut clock = TimeColumn::new(choice, first);
        times.iter().map(|time| clock.show(*time, Some(6)).trim().to_owned()).collect()
    }

    #[test]
    fn times_are_after_the_first_packet_or_the_message_before() {
        let times = [5_000_000_000, 5_000_001_999, 6_500_000_000, 6_400_000_000, 4_000_000_000];
        let relative = shown(TimeChoice::Relative, &times);
        assert_eq!(relative, ["0.000000", "0.000001", "1.500000", "1.400000", "-1.000000"]);
        let delta = shown(TimeChoice::Delta, &times);
        assert_eq!(delta, ["0.000000", "0.000001", "1.499998", "-0.100000", "-2.400000"]);
        let utc = shown(TimeChoice::Utc, &[0]);
        assert_eq!(utc, ["1970-01-01T00:00:00.000000Z"]);
    }
}
