//! Writes only the beginning of long texts.

use core::fmt::{self, Write};

/// The number of characters that `Debug` shows of a view.
const DEBUG_LIMIT: usize = 300;

/// Writes a text, or only its beginning if it is long.
pub(crate) fn bounded(f: &mut fmt::Formatter<'_>, shown: &impl fmt::Display) -> fmt::Result {
    cut(f, DEBUG_LIMIT, shown)
}

/// Writes a text. If it has more than `limit` characters, writes only these and an ellipsis.
pub(crate) fn cut(out: &mut impl Write, limit: usize, shown: &impl fmt::Display) -> fmt::Result {
    let mut bounded = Bounded { out, left: limit, is_cut: false };
    match write!(bounded, "{shown}") {
        Err(fmt::Error) if bounded.is_cut => out.write_char('…'),
        result => result,
    }
}

/// Passes on a limited number of characters, then fails.
struct Bounded<'o, W> {
    out: &'o mut W,
    left: usize,
    is_cut: bool,
}

impl<W: Write> Write for Bounded<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match text.char_indices().nth(self.left) {
            Some((end, _)) => {
                self.is_cut = true;
                self.out.write_str(text.get(..end).unwrap_or(""))?;
                Err(fmt::Error)
            }
            None => {
                self.left -= text.chars().count();
                self.out.write_str(text)
            }
        }
    }
}
