//! Opens output files, which are replaced after everything is written.

use super::replacement::{self, Replacement};
use super::stdout::bytes;
use crate::diagnostics::Diagnostics;
use crate::opened;
use crate::plain::{is_stdin, name, reason};
use crate::stop::Stop;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub(super) const NOT_READ: &str =
    "the output file was not written, as an input was not read to its end";

/// Which files that the run reads may be replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// None.
    Other,
    /// The only input: the output is a file of the same sort.
    OnlyInput,
}

/// Opens an output file. The run must have noted the files that it reads.
pub(super) fn open(
    path: &Path,
    replaced: Replaced,
) -> Result<(BufWriter<File>, Option<Replacement>), Stop> {
    if opened::is_read(path, replaced == Replaced::OnlyInput) {
        let problem = "gdwire also reads this file; name another file with -o";
        return Err(Stop::Usage(format!("{}: {problem}", name(path))));
    }
    replacement::open(path).map_err(|error| Stop::Usage(cannot_write(path, &error)))
}

/// Opens an output file, or standard output for bytes if there is none. If that is a terminal, the
/// error also shows `other`, another thing that the user can do.
pub(crate) fn open_or_stdout(
    path: Option<&Path>,
    replaced: Replaced,
    other: &str,
) -> Result<(Box<dyn Write>, Option<Replacement>), Stop> {
    match path.filter(|path| !is_stdin(path)) {
        Some(path) => {
            let (file, replacement) = open(path, replaced)?;
            Ok((Box::new(file), replacement))
        }
        None => Ok((bytes(other)?, None)),
    }
}

/// Writes a whole file.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), Stop> {
    let write = || {
        let (mut out, replacement) = replacement::open(path)?;
        out.write_all(content)?;
        out.flush()?;
        replacement.map_or(Ok(()), Replacement::commit)
    };
    write().map_err(|error| Stop::Usage(cannot_write(path, &error)))
}

/// Replaces the output file, if all inputs were read.
pub(crate) fn commit(
    replacement: Option<Replacement>,
    diagnostics: &Diagnostics,
) -> io::Result<()> {
    let Some(replacement) = replacement else { return Ok(()) };
    if diagnostics.has_unread() {
        diagnostics.note(&NOT_READ);
        return Ok(());
    }
    replacement.commit()
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("{}: cannot write: {}", name(path), reason(error))
}
