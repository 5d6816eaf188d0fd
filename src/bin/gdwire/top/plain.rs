//! Tables in place of a screen: one for each second, as text.

use super::table::{TableLayout, bytes, count, time, title};
use crate::terminal::{Styles, cut, number, plain};
use gdwire::packet::Time;
use gdwire::text::cells;
use gdwire::top::{Top, TopQuery};
use std::io::{self, Write};
use std::time::Duration;

/// How much later than its end a second is shown, so that messages that had to wait are counted.
const LATE: Duration = Duration::from_millis(500);

/// At most this many seconds are shown late. After a longer silence, the seconds before them have no
/// tables.
const SILENT: i64 = 60;

/// The width of a table if lines are not fitted: wide enough for every column.
const WIDTH: usize = 150;

pub struct PlainTables {
    out: Box<dyn Write>,
    styles: Styles,
    width: Option<usize>,
    query: TopQuery,
    /// The most rows of each table.
    rows: usize,
    /// The second whose table comes next.
    next: Option<i64>,
    is_first: bool,
}

impl PlainTables {
    pub fn new(
        (out, styles): (Box<dyn Write>, Styles),
        width: Option<u16>,
        query: TopQuery,
        rows: usize,
    ) -> PlainTables {
        let width = width.map(usize::from);
        PlainTables { out, styles, width, query, rows, next: None, is_first: true }
    }

    /// Writes the tables of the seconds that are over.
    pub fn pass(&mut self, top: &Top, now: Time) -> io::Result<()> {
        let late = i64::try_from(LATE.as_nanos()).unwrap_or(0);
        self.write_until(top, now, second(now.as_nanos().saturating_sub(late)))
    }

    /// Writes the tables up to the end of the input.
    pub fn end(&mut self, top: &Top, now: Time) -> io::Result<()> {
        self.write_until(top, now, second(now.as_nanos()))
    }

    fn write_until(&mut self, top: &Top, now: Time, end: i64) -> io::Result<()> {
        let mut next = self.next.unwrap_or(second(now.as_nanos())).max(end.saturating_sub(SILENT));
        if next > end.saturating_add(SILENT) {
            // The clock was set back.
            next = end;
        }
        let has_more = next < end;
        while next < end {
            self.write(top, next)?;
            next = next.saturating_add(1);
        }
        self.next = Some(next);
        if has_more { self.out.flush() } else { Ok(()) }
    }

    fn write(&mut self, top: &Top, second: i64) -> io::Result<()> {
        if !std::mem::take(&mut self.is_first) {
            writeln!(self.out)?;
        }
        self.query.end = Some(second.saturating_add(1));
        let (start, heading) = (Second(second).to_string(), self.styles.heading);
        let left = self.width.unwrap_or(usize::MAX).saturating_sub(start.len()).saturating_sub(2);
        let summary = cut(&summary(top, second), left);
        writeln!(self.out, "{heading}{start}{heading:#}  {summary}")?;
        let mut rows = top.rows(&self.query);
        rows.retain(|row| row.last_minute().count > 0);
        let longest = rows.iter().map(|row| cells(&plain(&row.name))).max().unwrap_or(0);
        let width = self.width.unwrap_or(WIDTH.saturating_add(longest));
        let layout = TableLayout::new(self.query.by, width, longest);
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "{}", layout.header(self.query.by, self.styles))?;
        let whole = top.minute().sum(second.saturating_add(1)).bytes;
        for row in rows.iter().take(self.rows) {
            writeln!(self.out, "{}", layout.row(row, whole, self.styles))?;
        }
        if let Some(more) = rows.len().checked_sub(self.rows).filter(|more| *more > 0) {
            writeln!(self.out, "… {}", number(more as u64, "more row"))?;
        }
        if let Some(dropped) = dropped(top, &self.query) {
            writeln!(self.out, "{dropped}")?;
        }
        Ok(())
    }
}

/// Says that rows were dropped, if some were.
pub fn dropped(top: &Top, query: &TopQuery) -> Option<String> {
    let dropped = top.dropped(query.by);
    let what = format!("quiet {}", title(query.by));
    (dropped.rows > 0).then(|| format!("dropped to save memory: {}", number(dropped.rows, &what)))
}

/// The summary of a second: its traffic, and the state of the connections.
pub fn summary(top: &Top, second: i64) -> String {
    let amount = top.minute().at(second);
    let mut text = format!("{} msg/s  {}/s", count(amount.count), bytes(amount.bytes));
    if let Some((shortest, longest)) = top.round_trips() {
        text += "  RTT ";
        if longest > shortest.saturating_mul(2) {
            text += &format!("{} to ", time(shortest));
        }
        text += &time(longest);
    }
    let links = number(top.open_links().count() as u64, "connection");
    text += &format!("  lost {}  resent {}  {links}", top.losses().total, top.resent().total);
    text
}

const fn second(nanoseconds: i64) -> i64 {
    nanoseconds.div_euclid(1_000_000_000)
}

/// Shows when a second begins, in UTC.
pub struct Second(pub i64);

impl std::fmt::Display for Second {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.0}", Time::from_nanos(self.0.saturating_mul(1_000_000_000), 0))
    }
}
