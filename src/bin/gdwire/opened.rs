//! The files of the run: their names, which of them are read, so that no output replaces one, and who
//! may read them, so that no new file has more readers.

use crate::interrupt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of a file. It may contain control characters; text outputs show it as [`plain`].
pub fn name(path: &Path) -> String {
    if is_stdin(path) {
        return "stdin".to_owned();
    }
    let renamed = RENAMED.lock().unwrap_or_else(PoisonError::into_inner);
    let name = renamed.iter().find(|(renamed, _)| renamed == path);
    name.map_or_else(|| path.display().to_string(), |(_, name)| name.clone())
}

/// Copies of inputs, with the names of the originals.
static RENAMED: Mutex<Vec<(PathBuf, String)>> = Mutex::new(Vec::new());

/// From now on, a file has the name of the input that it is a copy of.
pub fn rename(copy: &Path, name: String) {
    let mut renamed = RENAMED.lock().unwrap_or_else(PoisonError::into_inner);
    renamed.push((copy.to_owned(), name));
}

/// Errors of Windows: another program has the file or a part of it open, and does not share it; the
/// reader of a pipe is gone.
const NOT_SHARED: [i32; 2] = [32, 33];
const NOT_CONNECTED: i32 = 233;

/// Why a file cannot be read or written, without the number that the standard library adds.
pub fn reason(error: &io::Error) -> String {
    let code = error.raw_os_error();
    if cfg!(windows) && code.is_some_and(|code| NOT_SHARED.contains(&code)) {
        return "another program has the file open, and does not share it".to_owned();
    }
    let text = error.to_string();
    match (code, text.rsplit_once(" (os error ")) {
        (Some(_), Some((reason, _))) => reason.trim_end_matches('.').to_owned(),
        _ => text,
    }
}

/// Whether a program that read the output has ended, such as head.
pub fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
        || cfg!(windows) && error.raw_os_error() == Some(NOT_CONNECTED)
}

/// Whether the system gives this program no more files and sockets.
#[cfg(unix)]
pub fn are_used_up(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::MFILE)
}

#[cfg(not(unix))]
pub fn are_used_up(_: &io::Error) -> bool {
    false
}

/// Distinguishes a file from all others, whatever its names are.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

/// The files that the run has opened.
static READ: Mutex<ReadFiles> = Mutex::new(ReadFiles { inputs: Vec::new(), others: Vec::new() });

struct ReadFiles {
    inputs: Vec<Identity>,
    /// Lists of methods, files of projects, and files with passwords.
    others: Vec<Identity>,
}

/// Notes the inputs of the run, before any of them is read. From now on, a file that this process
/// creates can be read only by users who can read each of them.
pub fn inputs(paths: &[PathBuf]) {
    for path in paths {
        let metadata = if is_stdin(path) { of_stdin() } else { fs::metadata(path).ok() };
        let Some(metadata) = metadata.filter(Metadata::is_file) else { continue };
        restrict_new_files(&metadata);
        if let Some(identity) = identity(path, &metadata) {
            files(|files| files.inputs.push(identity));
        }
    }
}

/// Opens a file that is no input, to read it.
pub fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    note(path, &file.metadata()?);
    Ok(file)
}

/// Notes a file that is no input and was read.
pub fn file(path: &Path) {
    if let Ok(metadata) = fs::metadata(path) {
        note(path, &metadata);
    }
}

/// The longest file that is read whole and is no input: 64 MiB.
const LONGEST: u64 = 64 << 20;

/// Reads a file that is no input. It may be a device without an end.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let read =
        interrupt::end_at_once_during(|| open(path)?.take(LONGEST + 1).read_to_end(&mut content))?;
    if read as u64 > LONGEST {
        return Err(io::Error::other("the file is longer than 64 MiB"));
    }
    Ok(content)
}

/// Notes that something else than an input is read from standard input.
pub fn stdin() {
    if let Some(metadata) = of_stdin() {
        note(Path::new("-"), &metadata);
    }
}

/// Whether standard input is a file, not a pipe or a terminal.
pub fn is_stdin_a_file() -> bool {
    of_stdin().is_some_and(|metadata| metadata.is_file())
}

fn note(path: &Path, metadata: &Metadata) {
    if let Some(identity) = identity(path, metadata) {
        files(|files| files.others.push(identity));
    }
}

/// Whether the run reads the file with this path, not counting its inputs if `in_place`.
pub fn is_read(path: &Path, in_place: bool) -> bool {
    let Some(own) = fs::metadata(path).ok().and_then(|metadata| identity(path, &metadata)) else {
        return false;
    };
    files(|files| files.others.contains(&own) || !in_place && files.inputs.contains(&own))
}

fn files<T>(work: impl FnOnce(&mut ReadFiles) -> T) -> T {
    work(&mut READ.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The file or pipe that standard input is.
#[cfg(unix)]
fn of_stdin() -> Option<Metadata> {
    use std::os::fd::AsFd;
    let copy = io::stdin().as_fd().try_clone_to_owned().ok()?;
    File::from(copy).metadata().ok()
}

#[cfg(not(unix))]
fn of_stdin() -> Option<Metadata> {
    None
}

#[cfg(unix)]
fn identity(_: &Path, metadata: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> Option<Identity> {
    fs::canonicalize(path).ok()
}

/// Creates no file from now on that others may read or write, or the group, unless they may read
/// this one.
#[cfg(unix)]
fn restrict_new_files(metadata: &Metadata) {
    use rustix::fs::Mode;
    use rustix::process::umask;
    use std::os::unix::fs::MetadataExt;
    // The only way to learn the mask is to set it.
    let mut mask = umask(Mode::RWXG | Mode::RWXO);
    for (may_read, all) in [(0o040, Mode::RWXG), (0o004, Mode::RWXO)] {
        if metadata.mode() & may_read == 0 {
            mask |= all;
        }
    }
    umask(mask);
}

#[cfg(not(unix))]
fn restrict_new_files(_: &Metadata) {}
