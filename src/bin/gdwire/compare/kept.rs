//! Keeps what can be read only once in temporary files, because captures may be read twice.

use crate::diagnostics::RunError;
use crate::input;
use crate::interrupt::{self, TemporaryFile};
use crate::opened::{self, is_stdin, name, reason};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The files to read: those of the user, or copies of pipes.
pub struct KeptFiles {
    paths: Vec<PathBuf>,
    /// Removed at the end.
    _copies: Vec<TemporaryFile>,
}

impl KeptFiles {
    pub fn of(files: &[PathBuf]) -> Result<KeptFiles, RunError> {
        if files.iter().all(|file| is_stdin(file)) {
            return Err("only one of the two captures can be standard input".into());
        }
        let (mut paths, mut copies) = (Vec::new(), Vec::new());
        for file in files {
            // Missing files and directories are reported when they are read.
            let is_pipe = is_stdin(file) || file.exists() && !file.is_file() && !file.is_dir();
            if !is_pipe {
                paths.push(file.clone());
                continue;
            }
            let copy = copy(file).map_err(|error| {
                RunError::Usage(format!("{}: cannot be kept: {}", name(file), reason(&error)))
            })?;
            opened::rename(copy.path(), name(file));
            paths.push(copy.path().to_owned());
            copies.push(copy);
        }
        Ok(KeptFiles { paths, _copies: copies })
    }

    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }
}

/// The number of bytes needed to recognize a capture.
const MAGIC: usize = 4;

/// Copies all of a capture, which may be compressed. Anything else may have no end, and its
/// beginning is enough to report it.
fn copy(file: &Path) -> io::Result<TemporaryFile> {
    let kept = tempfile::Builder::new().prefix(".gdwire-").suffix(".tmp").tempfile()?;
    let (mut kept, path) = kept.keep().map_err(|error| error.error)?;
    let temporary = TemporaryFile::new(path);
    let mut content: Box<dyn Read> =
        if is_stdin(file) { Box::new(io::stdin()) } else { Box::new(File::open(file)?) };
    let mut piece = vec![0; 64 << 10];
    let mut start = Vec::new();
    while !interrupt::is_requested() {
        match content.read(&mut piece) {
            Ok(0) => break,
            Ok(len) => {
                let read = piece.get(..len).unwrap_or_default();
                kept.write_all(read)?;
                if start.len() < MAGIC {
                    start.extend(read.iter().take(MAGIC));
                    if start.len() >= MAGIC && input::known_format(&start).is_none() {
                        break;
                    }
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(temporary)
}
