//! Prints tables in aligned columns, fitted to the terminal.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Row, Table, presets};
use std::fmt::Display;
use std::io::{self, Write, stdout};
use std::ops::Range;

/// The longest name in a cell, in characters.
const NAME: usize = 120;

/// A table in aligned columns. Columns of numbers are aligned to the right. On a terminal, columns
/// of text are cut so that a row fits on a line.
pub(crate) struct Columns {
    table: Table,
    /// The width of the terminal, if the output is one.
    width: Option<u16>,
    /// Columns that are left out if rows are too long without that, the first one first.
    optional: &'static [usize],
}

impl Columns {
    pub(crate) fn new(header: &[&str], numbers: Range<usize>) -> Columns {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(header.iter().copied());
        let width = terminal_size::terminal_size_of(stdout()).map(|(width, _)| width.0);
        if let Some(width) = width {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        }
        for (at, column) in table.column_iter_mut().enumerate() {
            column.set_padding((if at == 0 { 2 } else { 0 }, 2));
            if numbers.contains(&at) {
                column.set_cell_alignment(CellAlignment::Right);
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        Columns { table, width, optional: &[] }
    }

    /// Names columns that are left out on a terminal that is too narrow, the first one first.
    pub(crate) fn with_optional(self, optional: &'static [usize]) -> Columns {
        Columns { optional, ..self }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut row = Row::from(cells.into_iter().collect::<Vec<_>>());
        row.max_height(1);
        self.table.add_row(row);
    }

    /// Writes an empty line and the table, or nothing if the table has no rows.
    pub(crate) fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.table.row_iter().next().is_none() {
            return Ok(());
        }
        self.leave_out();
        writeln!(out)?;
        for line in self.table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl Columns {
    /// Leaves out optional columns until a row fits on a line.
    fn leave_out(&mut self) {
        let Some(width) = self.width else { return };
        let widths = self.table.column_max_content_widths();
        // Two spaces are before the first column, and after each.
        let padded = widths.iter().map(|width| width.saturating_add(2));
        let mut total = padded.fold(2, u16::saturating_add);
        for at in self.optional {
            if total <= width {
                return;
            }
            if let (Some(column), Some(width)) = (self.table.column_mut(*at), widths.get(*at)) {
                column.set_constraint(ColumnConstraint::Hidden);
                total = total.saturating_sub(width.saturating_add(2));
            }
        }
    }
}

/// A count of things.
pub(crate) fn number(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A name or a path as the library shows it; of a long one, the beginning.
pub(crate) fn shown(name: &dyn Display) -> String {
    let name = name.to_string();
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name,
    }
}
