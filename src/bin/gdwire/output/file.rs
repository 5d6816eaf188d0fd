//! Opens output files, which are replaced after everything is written.

use super::replacement::{self, Replacement};
use super::stdout::bytes;
use crate::diagnostics::Diagnostics;
use crate::plain::{is_stdin, name, reason};
use crate::stop::Stop;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Opens an output file. `files` are the inputs, which must not be overwritten.
pub(crate) fn open(
    path: &Path,
    files: &[PathBuf],
) -> Result<(BufWriter<File>, Option<Replacement>), Stop> {
    let own = fs::canonicalize(path).ok();
    if own.is_some() && files.iter().any(|file| fs::canonicalize(file).ok() == own) {
        let problem = "this file is an input too; name another file with -o";
        return Err(Stop::Usage(format!("{}: {problem}", name(path))));
    }
    replacement::open(path).map_err(|error| Stop::Usage(cannot_write(path, &error)))
}

/// Opens an output file, or standard output for bytes if there is none. If that is a terminal, the
/// error also shows `other`, another thing that the user can do.
pub(crate) fn open_or_stdout(
    path: Option<&Path>,
    files: &[PathBuf],
    other: &str,
) -> Result<(Box<dyn Write>, Option<Replacement>), Stop> {
    match path.filter(|path| !is_stdin(path)) {
        Some(path) => {
            let (file, replacement) = open(path, files)?;
            Ok((Box::new(file), replacement))
        }
        None => Ok((bytes(other)?, None)),
    }
}

/// Replaces the output file, if all inputs were read.
pub(crate) fn commit(
    replacement: Option<Replacement>,
    diagnostics: &Diagnostics,
) -> io::Result<()> {
    let Some(replacement) = replacement else { return Ok(()) };
    if diagnostics.has_unread() {
        diagnostics.note(&"the output file was not written, as an input was not read to its end");
        return Ok(());
    }
    replacement.commit()
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("{}: cannot write: {}", name(path), reason(error))
}
