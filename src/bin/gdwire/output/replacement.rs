//! An output file that is replaced as a whole.

use crate::interrupt::Unfinished;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, ErrorKind};
use std::path::{Path, PathBuf};

/// The most links that lead to a file, one to the next.
const LINKS: usize = 40;

/// A temporary file that replaces the output file when everything is written. Until then the old
/// file can be read, under any of its names. If the run fails, the old file stays.
pub(crate) struct Replacement {
    written: Unfinished,
    target: PathBuf,
}

/// Opens a file to write. A pipe or a device is written to directly.
pub(crate) fn open(path: &Path) -> io::Result<(BufWriter<File>, Option<Replacement>)> {
    let (target, replaced) = match File::options().write(true).open(path) {
        Ok(file) => {
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Ok((BufWriter::new(file), None));
            }
            // The file that a link points to is replaced, not the link.
            (fs::canonicalize(path)?, Some(metadata))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => (end_of_links(path)?, None),
        Err(error) => return Err(error),
    };
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // Its name does not contain that of the target, which may be as long as names can be.
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gdwire-").suffix(".tmp");
    let file = builder.make_in(folder, |path| create(path, replaced.is_some()))?;
    let (file, written) = file.keep().map_err(|error| error.error)?;
    let replacement = Replacement { written: Unfinished::new(written), target };
    if let Some(replaced) = replaced {
        take_access(&file, &replaced)?;
    }
    Ok((BufWriter::new(file), Some(replacement)))
}

/// The file that does not exist yet and that links lead to, as other programs create it.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::other("too many links lead to the file"))
}

/// Creates a file: an ordinary new one, or one that only this user can read at first, because the
/// file that it replaces may have few readers.
fn create(path: &Path, is_private: bool) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if is_private { 0o600 } else { 0o666 });
    #[cfg(not(unix))]
    let _ = is_private;
    options.open(path)
}

/// Gives the temporary file the permissions of the file that it replaces and, as far as this user
/// may do that, its owner and group.
fn take_access(file: &File, replaced: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let group = Some(replaced.gid());
        fchown(file, Some(replaced.uid()), group).or_else(|_| fchown(file, None, group)).ok();
    }
    file.set_permissions(replaced.permissions())
}

impl Replacement {
    /// Replaces the old file.
    pub(crate) fn commit(self) -> io::Result<()> {
        fs::rename(self.written.path(), &self.target)
    }
}
