//! The table: its columns, as many as fit a width, and the bars of the last minute.

use crate::terminal::{Styles, cut, middle, plain};
use Look::{Bars, Number, Text};
use gdwire::stats::{Item, Member, Usage};
use gdwire::text::{Role, cells};
use gdwire::top::{Link, TopBy, TopKey, TopRow};
use std::time::Duration;

/// The space before each column but the first.
const SPACE: usize = 2;

/// The least width of a name.
const LEAST_NAME: usize = 22;

/// The widths that the bars of the last minute may have.
const GRAPHS: [usize; 6] = [10, 12, 15, 20, 30, 60];

/// The least width of the last message or value.
const LEAST_TEXT: usize = 20;

/// A column after the name.
struct TopColumn {
    title: &'static str,
    width: usize,
    /// A narrow table has only the columns that come first in this order.
    rank: usize,
    look: Look,
    /// Whether a table has the column.
    is_in: fn(TopBy) -> bool,
    cell: ShowCell,
}

/// Shows the cell of a row. Gets the width of the column and the bytes of all messages in the last
/// minute, too.
type ShowCell = fn(&TopRow<'_>, usize, u64) -> String;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Number,
    Text,
    /// Bars, for which the column may be wider than its width.
    Bars,
}

const fn column(
    title: &'static str,
    (width, rank, look): (usize, usize, Look),
    is_in: fn(TopBy) -> bool,
    cell: ShowCell,
) -> TopColumn {
    TopColumn { title, width, rank, look, is_in, cell }
}

const ALL: fn(TopBy) -> bool = |_| true;
const LINKS: fn(TopBy) -> bool = |by| by == TopBy::Connection;
const MEMBERS: fn(TopBy) -> bool = |by| matches!(by, TopBy::Method | TopBy::Property);
const NODES: fn(TopBy) -> bool = |by| MEMBERS(by) || by == TopBy::Node;

/// The columns in the order in which they are shown.
const COLUMNS: &[TopColumn] = &[
    column("nodes", (5, 12, Number), NODES, |row, _, _| row.nodes.to_string()),
    column("command", (7, 7, Text), MEMBERS, |row, _, _| row.command().unwrap_or_default().into()),
    column("from", (7, 8, Text), ALL, |row, _, _| sender(&row.usage).to_owned()),
    column("RTT", (8, 1, Number), LINKS, |row, _, _| {
        row.link.and_then(|link| link.round_trip).map_or_else(String::new, time)
    }),
    column("lost", (5, 2, Number), LINKS, |row, _, _| of_link(row, |link| link.lost.total)),
    column("resent", (6, 3, Number), LINKS, |row, _, _| of_link(row, |link| link.resent.total)),
    column("msg/s", (5, 4, Number), ALL, |row, _, _| count(row.last_second().count)),
    column("B/s", (7, 0, Number), ALL, |row, _, _| bytes(row.last_second().bytes)),
    column("last 60 s", (GRAPHS[0], 5, Bars), ALL, |row, width, _| graph(&row.graph(width))),
    column("B/min", (7, 6, Number), ALL, |row, _, _| bytes(row.last_minute().bytes)),
    column("share", (5, 9, Number), ALL, |row, _, whole| {
        let share = 100.0 * row.last_minute().bytes as f64 / whole.max(1) as f64;
        format!("{share:.0}%")
    }),
    column("messages", (8, 11, Number), ALL, |row, _, _| count(row.usage.total.count)),
    column("total", (7, 10, Number), ALL, |row, _, _| bytes(row.usage.total.bytes)),
];

fn of_link(row: &TopRow<'_>, number: fn(&Link) -> u64) -> String {
    row.link.map_or(0, number).to_string()
}

/// The columns of a table that has a certain width, and their widths.
pub struct TableLayout {
    name: usize,
    columns: Vec<(&'static TopColumn, usize)>,
    /// The width of the last message or value; 0 if it is left out.
    text: usize,
}

impl TableLayout {
    /// The layout for rows whose longest name has this many cells.
    pub fn new(by: TopBy, width: usize, longest: usize) -> TableLayout {
        let mut left = width.saturating_sub(LEAST_NAME);
        let mut columns: Vec<_> = COLUMNS.iter().filter(|column| (column.is_in)(by)).collect();
        let mut ranks: Vec<_> = columns.iter().map(|column| (column.rank, column.width)).collect();
        ranks.sort_unstable();
        for (rank, width) in ranks {
            match left.checked_sub(width.saturating_add(SPACE)) {
                Some(rest) => left = rest,
                None => {
                    columns.retain(|column| column.rank < rank);
                    break;
                }
            }
        }
        let name = longest.clamp(LEAST_NAME, LEAST_NAME.saturating_add(left)).min(width);
        left = left.saturating_sub(name.saturating_sub(LEAST_NAME));
        let wider = |bars: &usize| bars.saturating_sub(GRAPHS[0]) <= left;
        let bars = GRAPHS.into_iter().rev().find(wider).unwrap_or(GRAPHS[0]);
        if columns.iter().any(|column| column.look == Bars) {
            left = left.saturating_sub(bars.saturating_sub(GRAPHS[0]));
        }
        let width = |column: &TopColumn| if column.look == Bars { bars } else { column.width };
        let columns = columns.into_iter().map(|column| (column, width(column))).collect();
        let text = left.saturating_sub(SPACE);
        TableLayout { name, columns, text: if text < LEAST_TEXT { 0 } else { text } }
    }

    pub fn header(&self, by: TopBy, styles: Styles) -> String {
        let mut line = padded(title(by), self.name, false);
        for (column, width) in &self.columns {
            line.push_str(&" ".repeat(SPACE));
            line.push_str(&padded(column.title, *width, column.look == Number));
        }
        if self.text > 0 {
            line.push_str(&" ".repeat(SPACE));
            line.push_str("last");
        }
        let style = styles.heading;
        format!("{style}{}{style:#}", line.trim_end())
    }

    /// The line of a row. `whole` is the number of bytes of all messages in the last minute.
    pub fn row(&self, row: &TopRow<'_>, whole: u64, styles: Styles) -> String {
        let mut line = padded(&middle(&plain(&row.name), self.name), self.name, false);
        for (column, width) in &self.columns {
            line.push_str(&" ".repeat(SPACE));
            let cell = (column.cell)(row, *width, whole);
            let style = match column.look {
                Bars => styles.palette.start(Role::Path),
                Number | Text => "",
            };
            let cell = padded(&cell, *width, column.look == Number);
            if style.is_empty() {
                line.push_str(&cell);
            } else {
                line.extend([style, &cell, "\x1b[0m"]);
            }
        }
        if self.text > 0
            && let Some(sample) = row.samples().next()
        {
            line.push_str(&" ".repeat(SPACE));
            line.push_str(&cut(&plain(without_name(row, &sample.text)), self.text));
        }
        line.trim_end().to_owned()
    }
}

/// The text of a call without its node and method, which the row names.
fn without_name<'t>(row: &TopRow<'_>, text: &'t str) -> &'t str {
    let TopKey::Item(Item { member: Member::Method(method), .. }) = &row.key else { return text };
    let start = text.find(&format!(".{method}(")).map(|start| start + 1 + method.len());
    start.and_then(|start| text.get(start..)).unwrap_or(text)
}

/// The title of a table.
pub const fn title(by: TopBy) -> &'static str {
    match by {
        TopBy::Method => "method",
        TopBy::Property => "property",
        TopBy::Node => "node",
        TopBy::Connection => "connection",
        _ => "command",
    }
}

/// The senders of the messages: the server, clients, or both.
pub fn sender(usage: &Usage) -> &'static str {
    match (usage.from_server.count, usage.from_clients.count) {
        (0, 0) => "",
        (_, 0) => "server",
        (0, _) => "clients",
        _ => "both",
    }
}

/// A number of bytes in at most three digits and a unit: `88.1 kB`.
pub fn bytes(bytes: u64) -> String {
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let (mut number, mut units) = (bytes as f64 / 1e3, ["kB", "MB", "GB", "TB", "PB"].into_iter());
    let mut unit = units.next().unwrap_or_default();
    // Numbers that would be rounded to 1000 have the next unit.
    while number >= 999.5
        && let Some(next) = units.next()
    {
        (number, unit) = (number / 1e3, next);
    }
    let decimals = match number {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{number:.decimals$} {unit}")
}

/// A number in at most five digits and a unit.
pub fn count(count: u64) -> String {
    match count {
        0..100_000 => count.to_string(),
        100_000..10_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}M", count / 1_000_000),
    }
}

/// A time in milliseconds.
pub fn time(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// Bars of the height of these numbers: the greatest is the highest.
pub fn graph(numbers: &[u64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = numbers.iter().copied().max().unwrap_or(0).max(1);
    let bar = |number: &u64| match *number {
        0 => ' ',
        number => {
            let height = (number as f64 / most as f64 * BARS.len() as f64).ceil() as usize;
            BARS.get(height.saturating_sub(1)).copied().unwrap_or('█')
        }
    };
    numbers.iter().map(bar).collect()
}

/// A text with spaces before or after it.
fn padded(text: &str, width: usize, is_right: bool) -> String {
    let spaces = " ".repeat(width.saturating_sub(cells(text)));
    if is_right { format!("{spaces}{text}") } else { format!("{text}{spaces}") }
}

#[cfg(test)]
mod tests {
    use super::{TableLayout, bytes, count, graph};
    use crate::terminal::Styles;
    use gdwire::top::TopBy;

    #[test]
    fn bars_show_the_greatest_number_at_full_height() {
        assert_eq!(graph(&[0, 1, 8, 16, 4]), " ▁▄█▂");
        assert_eq!(graph(&[0, 0]), "  ");
    }

    #[test]
    fn numbers_are_short() {
        let texts = ["999 B", "1.00 kB", "88.1 kB", "1.00 MB", "1.00 GB", "123 PB"];
        let numbers = [999, 1_000, 88_123, 999_990, 999_600_000, 123_456_789_000_000_000];
        assert_eq!(numbers.map(bytes), texts);
        assert_eq!([99_999, 100_000, 12_000_000].map(count), ["99999", "100k", "12M"]);
    }

    #[test]
    fn wider_tables_have_more_columns() {
        let header = |by, width| TableLayout::new(by, width, 30).header(by, Styles::default());
        let narrow = header(TopBy::Method, 60);
        let columns: Vec<_> = narrow.split_whitespace().collect();
        assert_eq!(columns, ["method", "msg/s", "B/s", "last", "60", "s", "B/min"]);
        let wide = header(TopBy::Connection, 300);
        for column in ["RTT", "lost", "resent", "B/min", "share", "total", "last"] {
            assert!(wide.contains(column), "{wide}");
        }
        for width in 1..400 {
            for &by in TopBy::ALL {
                let longest = header(by, width).chars().count();
                assert!(longest <= width.max(22), "{width} {longest}");
            }
        }
    }
}
