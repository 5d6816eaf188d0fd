//! An output file that is replaced as a whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind};
use std::path::{Path, PathBuf};

/// A temporary file that replaces the output file when everything is written. Until then the old
/// file can be read, under any of its names. If the run fails, the old file stays.
pub(crate) struct Replacement {
    written: PathBuf,
    target: PathBuf,
}

/// Opens a file to write. A pipe or a device is written to directly.
pub(crate) fn open(path: &Path) -> io::Result<(BufWriter<File>, Option<Replacement>)> {
    let (target, permissions) = match File::options().write(true).open(path) {
        Ok(file) => {
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Ok((BufWriter::new(file), None));
            }
            // The file that a link points to is replaced, not the link.
            (fs::canonicalize(path)?, Some(metadata.permissions()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => (path.to_owned(), None),
        Err(error) => return Err(error),
    };
    let mut name = OsString::from(".");
    name.push(target.file_name().ok_or(ErrorKind::InvalidFilename)?);
    name.push(format!(".{}.tmp", std::process::id()));
    let written = target.with_file_name(name);
    let file = File::create_new(&written)?;
    let replacement = Replacement { written, target };
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    Ok((BufWriter::new(file), Some(replacement)))
}

impl Replacement {
    /// Replaces the old file.
    pub(crate) fn commit(self) -> io::Result<()> {
        fs::rename(&self.written, &self.target)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // After `commit`, no file has this name, so removing it fails, which is ignored.
        fs::remove_file(&self.written).ok();
    }
}
