//! Writes the lines of `--explain`: bytes as hex, with the meaning of each field beside them.

use crate::terminal::{Styles, cut};
use gdwire::explain::Field;
use gdwire::text::Role;
use std::fmt::Write as _;
use std::io::{self, Write};

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
pub(super) struct Label {
    text: String,
    /// The index at which the value begins in the text, and the role of the value.
    value: usize,
    role: Role,
    is_valid: bool,
}

impl Label {
    pub(super) fn of(name: &str, value: &str) -> Label {
        let colon = if value.is_empty() { "" } else { ": " };
        let text = format!("{name}{colon}{value}");
        let value = text.len().saturating_sub(value.len());
        Label { text, value, role: Role::Plain, is_valid: true }
    }
}

/// Writes lines.
pub(super) struct Rows<'o> {
    pub(super) out: &'o mut dyn Write,
    pub(super) styles: Styles,
    /// To how many columns lines are cut.
    pub(super) columns: usize,
}

impl Rows<'_> {
    /// Writes a field of a message. `offset` is the offset of the message.
    pub(super) fn field(&mut self, offset: u64, field: &Field<'_>) -> io::Result<()> {
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
    pub(super) fn write(&mut self, (offset, bytes): (u64, &[u8]), label: Label) -> io::Result<()> {
        let Styles { dim, .. } = self.styles;
        let len = if self.columns < ENOUGH { NARROW } else { WIDE };
        let width = len.saturating_mul(3);
        let label = self.label(label, "  0000   ".len().saturating_add(width));
        let Rows { out, .. } = self;
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
