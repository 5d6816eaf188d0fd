//! Prints tables in aligned columns, fitted to the terminal.

use gdwire::text::cells;
use std::fmt::Display;
use std::io::{self, Write};
use std::ops::Range;

/// The longest name in a cell, in characters.
const NAME: usize = 120;

/// Text is never cut to fewer columns of the terminal than this.
const LEAST: usize = 10;

/// The spaces before each column of the table.
const SPACE: usize = 2;

/// A table in aligned columns. Columns of numbers are aligned to the right. If there is a width,
/// text is cut in the middle so that a row fits on a line.
pub(crate) struct Columns {
    /// The header first.
    rows: Vec<Vec<String>>,
    numbers: Range<usize>,
    width: Option<u16>,
    /// Columns that are left out, in this order, until the rows fit.
    optional: &'static [usize],
}

impl Columns {
    /// A table with this header and these columns of numbers, fitted to a width.
    pub(crate) fn new(header: &[&str], numbers: Range<usize>, width: Option<u16>) -> Columns {
        let header = header.iter().map(|name| (*name).to_owned()).collect();
        Columns { rows: vec![header], numbers, width, optional: &[] }
    }

    /// Names columns that are left out, in this order, until the rows fit.
    pub(crate) fn with_optional(self, optional: &'static [usize]) -> Columns {
        Columns { optional, ..self }
    }

    pub(crate) fn row(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }

    /// Writes an empty line and the table, or nothing if the table has no rows.
    pub(crate) fn write(self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.len() < 2 {
            return Ok(());
        }
        let widths = self.widths();
        writeln!(out)?;
        for row in &self.rows {
            let mut line = String::new();
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let Some(width) = *width else { continue };
                let cell = middle(cell, width);
                let padding = " ".repeat(width.saturating_sub(cells(&cell)));
                let [before, after] =
                    if self.numbers.contains(&at) { [&*padding, ""] } else { ["", &*padding] };
                line.extend(["  ", before, &*cell, after]);
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// The width of each column; none for those that are left out.
    fn widths(&self) -> Vec<Option<usize>> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let widest = |at: usize| {
            let widths = self.rows.iter().filter_map(|row| row.get(at)).map(|cell| cells(cell));
            widths.max().unwrap_or(0)
        };
        let mut widths: Vec<_> = (0..columns).map(|at| Some(widest(at))).collect();
        let Some(room) = self.width.map(usize::from) else { return widths };
        // The smallest width of a column, with its spaces.
        let least = |(at, width): (usize, &Option<usize>)| match width {
            Some(width) if self.numbers.contains(&at) => width.saturating_add(SPACE),
            Some(width) => (*width).min(LEAST).saturating_add(SPACE),
            None => 0,
        };
        for at in self.optional {
            let needed = widths.iter().flatten().map(|width| width.saturating_add(SPACE));
            if needed.fold(0, usize::saturating_add) <= room {
                return widths;
            }
            if let Some(width) = widths.get_mut(*at) {
                *width = None;
            }
        }
        let needed = widths.iter().enumerate().map(least).fold(0, usize::saturating_add);
        let mut spare = room.saturating_sub(needed);
        // Narrow columns get their width first; what they leave goes to wider ones.
        let mut texts: Vec<usize> = (0..columns)
            .filter(|at| !self.numbers.contains(at) && widths.get(*at).is_some_and(Option::is_some))
            .collect();
        texts.sort_by_key(|at| widths.get(*at).copied());
        for (done, at) in texts.iter().enumerate() {
            let Some(Some(width)) = widths.get_mut(*at) else { continue };
            let equal = spare / texts.len().saturating_sub(done).max(1);
            let given = (*width).saturating_sub(LEAST).min(equal);
            (*width, spare) =
                ((*width).min(LEAST).saturating_add(given), spare.saturating_sub(given));
        }
        widths
    }
}

/// Cuts a text to a number of columns. A long text keeps its beginning and its end.
fn middle(text: &str, width: usize) -> String {
    let all = cells(text);
    if all <= width {
        return text.to_owned();
    }
    let start = width.saturating_sub(1) / 2;
    let end = all.saturating_sub(width.saturating_sub(1).saturating_sub(start));
    let mut short = String::new();
    let mut at = 0_usize;
    for character in text.chars() {
        let next = at.saturating_add(cells(character.encode_utf8(&mut [0; 4])));
        if next > start && !short.contains('…') {
            short.push('…');
        }
        if next <= start || at >= end {
            short.push(character);
        }
        at = next;
    }
    short
}

/// A count of things.
pub(crate) fn number(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A name or a path as the library shows it; a long one is cut after [`NAME`] characters.
pub(crate) fn shown(name: &dyn Display) -> String {
    let name = name.to_string();
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::{Columns, middle};

    fn lines(width: Option<u16>) -> String {
        let mut table = Columns::new(&["node", "count", "from"], 1..2, width).with_optional(&[2]);
        for (node, count) in [("Main/World/Actors/Zoë", "1234"), ("盾牌", "5")] {
            table.row([node, count, "server"].map(str::to_owned));
        }
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_are_aligned_and_fit_the_width() {
        let whole = "
  node                   count  from
  Main/World/Actors/Zoë   1234  server
  盾牌                       5  server
";
        assert_eq!([lines(None), lines(Some(38))], [whole, whole]);
        let short = "
  node                   count
  Main/World/Actors/Zoë   1234
  盾牌                       5
";
        assert_eq!(lines(Some(37)), short);
        let narrow = "
  node          count
  Main/…rs/Zoë   1234
  盾牌              5
";
        assert_eq!(lines(Some(21)), narrow);
    }

    #[test]
    fn long_text_keeps_its_ends() {
        assert_eq!(middle("Main/World/Actors/Zoë", 10), "Main…s/Zoë");
        assert_eq!(
            [middle("盾牌盾牌", 5), middle("abc", 3), middle("abc", 1)],
            ["盾…牌", "abc", "…"]
        );
    }
}
