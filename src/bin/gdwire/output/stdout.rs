//! Standard output, for text, JSON or bytes.

use crate::stop::Stop;
use crate::terminal::Styles;
use anstream::{AutoStream, ColorChoice};
use std::io::{BufWriter, IsTerminal, LineWriter, Write, stdout};

/// Standard output for text, and its colours.
pub(crate) fn text() -> (Box<dyn Write>, Styles) {
    let stdout = stdout();
    if AutoStream::choice(&stdout) == ColorChoice::Never {
        return (buffered(stdout.lock()), Styles::default());
    }
    (buffered(AutoStream::auto(stdout)), Styles::colored())
}

/// Standard output for JSON.
pub(crate) fn json() -> Box<dyn Write> {
    buffered(stdout().lock())
}

/// Writes line by line to a terminal, so that errors appear after the lines before them; otherwise
/// in blocks.
pub(super) fn buffered(out: impl Write + 'static) -> Box<dyn Write> {
    if stdout().is_terminal() {
        Box::new(LineWriter::new(out))
    } else {
        Box::new(BufWriter::with_capacity(1 << 16, out))
    }
}

/// Standard output for bytes, unless it is a terminal. The error then also shows `other`, another
/// thing that the user can do.
pub(crate) fn bytes(other: &str) -> Result<Box<dyn Write>, Stop> {
    if stdout().is_terminal() {
        let message = format!("not writing bytes to a terminal; use -o FILE, a pipe{other}");
        return Err(Stop::Usage(message));
    }
    Ok(buffered(stdout().lock()))
}
