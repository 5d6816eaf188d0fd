//! Shows text and counts.

use crate::format::text::OneLine;
use crate::value::wire::content::{until_nul, without_mark};
use core::fmt::{self, Display, Formatter};

/// How many characters of a text are shown.
const SHOWN: usize = 64;

/// A text in quotes, on one line. A long text is cut after `SHOWN` characters.
pub(super) struct Quoted<'t>(pub(super) &'t str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let end = self.0.char_indices().nth(SHOWN).map(|(end, _)| end);
        let shown = end.and_then(|end| self.0.get(..end)).unwrap_or(self.0);
        let rest = self.0.len().saturating_sub(shown.len());
        write!(f, "\"{}\"", OneLine(shown))?;
        if rest > 0 { write!(f, "… ({} more)", ByteCount(rest)) } else { Ok(()) }
    }
}

/// The text of a string in a value, and what the engines drop when they read it.
pub(super) struct TextContent<'b>(pub(super) &'b [u8]);

impl Display for TextContent<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let read = until_nul(self.0);
        let text = without_mark(read);
        Quoted(core::str::from_utf8(text).unwrap_or("")).fmt(f)?;
        if text.len() < read.len() {
            f.write_str(", after a byte order mark")?;
        }
        match self.0.len().saturating_sub(read.len()) {
            0 => Ok(()),
            1 => f.write_str(", then a NUL"),
            more => {
                write!(f, ", then a NUL and {} that are ignored", ByteCount(more.saturating_sub(1)))
            }
        }
    }
}

/// "1 byte", "2 bytes".
pub(super) struct ByteCount(pub(super) usize);

impl Display for ByteCount {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, crate::value::bytes(self.0))
    }
}
