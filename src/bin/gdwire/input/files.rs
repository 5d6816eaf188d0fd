//! Opens files and pipes by their names, and returns their bytes, decompressed: piece by piece
//! ([`InputBuffer`]), or whole ([`InputBytes`]).

use super::InputFailure;
use super::buffer::{ByteStream, InputBuffer};
use super::live::Live;
use crate::diagnostics::Diagnostics;
use crate::opened::{self, is_stdin, name, reason};
use gdwire::capture::Capture;
use gdwire::compression::{self, Decompressor, Format};
use gdwire::multiplayer::Pattern;
use memmap2::Mmap;
use std::collections::VecDeque;
use std::env;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The most that is read into memory from a pipe or a device, which cannot be mapped.
const BUFFER_LIMIT: usize = 1 << 30;

/// The most that is read into memory from a compressed file.
const UNPACKED_LIMIT: usize = 64 << 20;

/// An opened input.
pub enum OpenedInput {
    /// A regular file that is not empty.
    File(RegularFile),
    /// A regular file without a byte.
    Empty,
    /// The decompressed content of a regular file.
    Unpacked(Box<dyn Read + Send>),
    /// Standard input, a pipe or a device, decompressed if it is compressed.
    Stream(Box<dyn Read + Send>),
    /// A file that grows while it is read.
    Growing,
    /// The content of a file that was read.
    Whole(Vec<u8>),
}

impl OpenedInput {
    pub fn open(path: &Path) -> io::Result<OpenedInput> {
        if is_stdin(path) {
            return Ok(OpenedInput::Stream(Box::new(Decompressor::new(io::stdin()))));
        }
        if !fs::metadata(path)?.file_type().is_file() && !path.is_dir() {
            // Opening a named pipe may block, like reading from it, so it is opened on the thread
            // that reads.
            let stream = LazyFile { path: path.to_owned(), file: None };
            return Ok(OpenedInput::Stream(Box::new(Decompressor::new(stream))));
        }
        let mut file = File::open(path)?;
        let opened = file.metadata()?;
        if opened.is_dir() {
            return Err(io::Error::new(ErrorKind::IsADirectory, "this is a directory"));
        }
        if opened.is_file() && opened.len() > 0 {
            let is_compressed = Format::of(&start(&mut file)?).is_some();
            file.rewind()?;
            return Ok(if is_compressed {
                OpenedInput::Unpacked(Box::new(Decompressor::new(file)))
            } else {
                OpenedInput::File(RegularFile::new(file, opened))
            });
        }
        // A file without a length may have content nevertheless, for example in /proc.
        let mut stream = BufReader::new(file);
        if opened.is_file() && stream.fill_buf()?.is_empty() {
            return Ok(OpenedInput::Empty);
        }
        Ok(OpenedInput::Stream(Box::new(Decompressor::new(stream))))
    }

    /// Whether an interrupt before the end of the input leaves something unread: always in a file,
    /// never in a file that grows, and in a pipe only if the command needs its end.
    pub fn ends(&self, path: &Path, needs_end: bool) -> bool {
        match self {
            OpenedInput::File(_) | OpenedInput::Unpacked(_) | OpenedInput::Whole(_) => true,
            OpenedInput::Stream(_) => needs_end || is_stdin(path) && opened::is_stdin_a_file(),
            OpenedInput::Empty | OpenedInput::Growing => false,
        }
    }

    /// The input as a stream.
    pub fn into_stream(self) -> io::Result<ByteStream> {
        Ok(match self {
            OpenedInput::File(file) => ByteStream::File(Box::new(file.stream()?)),
            OpenedInput::Unpacked(stream) => ByteStream::File(stream),
            OpenedInput::Empty | OpenedInput::Growing => ByteStream::Whole,
            OpenedInput::Stream(stream) => ByteStream::Live(Live::of(stream)),
            OpenedInput::Whole(bytes) => ByteStream::File(Box::new(io::Cursor::new(bytes))),
        })
    }

    /// All bytes of the input.
    pub fn whole(self) -> io::Result<InputBytes> {
        match self {
            OpenedInput::File(file) => file.whole(),
            content => {
                let mut buffer = InputBuffer::new(content.into_stream()?);
                match read_all(&mut buffer) {
                    // No message is read here, so the limit of messages is never reached.
                    Ok(()) | Err(InputFailure::Enough) => {
                        Ok(InputBytes::Read(buffer.into_unread()))
                    }
                    Err(InputFailure::Input(error) | InputFailure::Output(error)) => Err(error),
                }
            }
        }
    }
}

/// The first four bytes of a stream, or all if there are fewer.
fn start(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    stream.take(4).read_to_end(&mut start)?;
    Ok(start)
}

/// Whether a file exists and is compressed.
pub fn is_compressed(path: &Path) -> bool {
    path.is_file()
        && File::open(path)
            .and_then(|mut file| start(&mut file))
            .is_ok_and(|start| Format::of(&start).is_some())
}

/// The error of compressed data that is cut off or damaged.
pub fn damage(error: &io::Error) -> Option<&compression::Error> {
    error.get_ref()?.downcast_ref()
}

/// Decompresses a capture into a temporary file. A damaged one is decompressed up to the damage; a
/// file that is not a capture, only up to the bytes that show this.
pub fn unpack(stream: Box<dyn Read + Send>) -> io::Result<InputBytes> {
    let explained = |error: io::Error| {
        let (folder, reason) = (env::temp_dir(), reason(&error));
        let problem = format!("cannot unpack it to a file in {}: {reason}", name(&folder));
        io::Error::new(error.kind(), problem)
    };
    let mut file = tempfile::tempfile().map_err(explained)?;
    let mut stream = ByteStream::File(stream);
    let unpacked = start(&mut stream).and_then(|start| {
        file.write_all(&start)?;
        if Capture::recognizes(&start) { io::copy(&mut stream, &mut file) } else { Ok(0) }
    });
    match unpacked {
        // The user pressed Ctrl-C, or the data is damaged, which is reported when the messages are
        // read.
        Err(error) if error.kind() != ErrorKind::WouldBlock && damage(&error).is_none() => {
            return Err(explained(error));
        }
        _ => file.rewind()?,
    }
    let opened = file.metadata()?;
    RegularFile::new(file, opened).whole()
}

/// A pipe or a device, which is opened when it is read.
struct LazyFile {
    path: PathBuf,
    file: Option<File>,
}

impl Read for LazyFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.read(into),
            file => file.insert(File::open(&self.path)?).read(into),
        }
    }
}

/// Reads a stream to its end, or until the user presses Ctrl-C.
pub fn read_all(buffer: &mut InputBuffer) -> Result<(), InputFailure> {
    let (limit, problem) = if buffer.is_live() {
        let problem =
            "more than 1 GiB, which is too much for a pipe; save it to a file and name the file";
        (BUFFER_LIMIT, problem)
    } else {
        (UNPACKED_LIMIT, "more than 64 MiB when unpacked; unpack it to a file and name that file")
    };
    buffer.reach_end(limit, &mut || Ok(true))?;
    if buffer.unread().len() <= limit {
        return Ok(());
    }
    Err(InputFailure::Input(io::Error::new(ErrorKind::FileTooLarge, problem)))
}

/// The largest file that is read into memory; larger ones are mapped if they are needed whole.
const MEMORY_LIMIT: u64 = 64 << 20;

/// A regular file, and its metadata from when it was opened.
pub struct RegularFile {
    file: File,
    opened: Metadata,
}

impl RegularFile {
    const fn new(file: File, opened: Metadata) -> RegularFile {
        RegularFile { file, opened }
    }

    /// Whether the file is read into memory if it is needed whole; otherwise it is mapped.
    pub fn is_small(&self) -> bool {
        self.opened.len() <= MEMORY_LIMIT
    }

    /// The file as a stream.
    pub fn stream(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// All bytes of the file, read into memory.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let length = self.opened.len();
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        (&self.file).take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn whole(self) -> io::Result<InputBytes> {
        if self.is_small() {
            return self.read().map(InputBytes::Read);
        }
        InputBytes::mapped(self)
    }

    /// The changes to the file since it was opened.
    fn change(&self) -> FileChange {
        let Ok(now) = self.file.metadata() else { return FileChange::None };
        if now.len() > self.opened.len() {
            FileChange::Grown
        } else if now.len() < self.opened.len()
            || matches!(
                (now.modified(), self.opened.modified()),
                (Ok(now), Ok(opened)) if now != opened
            )
        {
            FileChange::Written
        } else {
            FileChange::None
        }
    }
}

/// The bytes of a whole file.
pub enum InputBytes {
    Mapped { map: Mmap, file: RegularFile },
    Read(Vec<u8>),
}

/// How another program changed a file while it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileChange {
    /// No change that its metadata shows.
    None,
    /// It added bytes.
    Grown,
    /// It overwrote or removed bytes.
    Written,
}

impl InputBytes {
    /// All bytes of a file, mapped.
    pub fn mapped(file: RegularFile) -> io::Result<InputBytes> {
        Ok(InputBytes::Mapped { map: map(&file.file)?, file })
    }

    /// Whether another program changed the bytes while they were read. Bytes in memory are safe
    /// from that.
    fn change(&self) -> FileChange {
        match self {
            InputBytes::Mapped { file, .. } => file.change(),
            InputBytes::Read(_) => FileChange::None,
        }
    }
}

impl Deref for InputBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            InputBytes::Mapped { map, .. } => map,
            InputBytes::Read(bytes) => bytes,
        }
    }
}

/// Reports that another program changed a file while it was read.
pub fn report_change(bytes: &InputBytes, name: &str, diagnostics: &mut Diagnostics) {
    match bytes.change() {
        FileChange::None => {}
        FileChange::Grown => {
            let problem = "the file grew while it was read; the added bytes were not read";
            diagnostics.warning(name, &problem);
        }
        FileChange::Written => {
            let problem = "the file was changed while it was read, so the results may be wrong; \
                           read a copy of it";
            diagnostics.failure(name, &problem);
        }
    }
}

/// Maps a file into memory.
///
/// This is for captures, files of raw values and texts to encode above [`MEMORY_LIMIT`]. They are
/// needed as one slice, and reading a capture of gigabytes into memory would have no bound.
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the mapped bytes must not change while they are borrowed. No program can enforce
    // this: another process may write to the file. What happens then:
    // - Bytes are added at the end, as by a running capture: nothing, they are not in the map.
    // - The file is shortened: on Unix, reading the bytes that are gone ends this process with
    //   SIGBUS; Windows does not let a mapped file be shortened.
    // - Bytes are overwritten: the library checks a value once and relies on the result. Text that
    //   is no longer UTF-8 after the check is undefined behaviour: results may be wrong, or the
    //   process may crash. This program makes that rare and reports it: it reads small files into
    //   memory, and after a mapped file it checks with `RegularFile::change` whether the file was
    //   written to, and reports that as an error. The library itself maps nothing.
    #[expect(unsafe_code, reason = "reading a large capture into memory has no bound")]
    unsafe {
        Mmap::map(file)
    }
}

/// The files to read. With `is_recursive`, a directory is replaced by the captures in it, at any
/// depth and in the order of their names. Reports what cannot be read.
pub fn expand(
    paths: &[PathBuf],
    is_recursive: bool,
    diagnostics: &mut Diagnostics,
) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in &paths.iter().flat_map(|path| matching(path)).collect::<Vec<_>>() {
        if is_stdin(path) || !path.is_dir() {
            files.push(path.clone());
        } else if is_recursive {
            let before = files.len();
            captures_in(path, &mut files, diagnostics);
            if files.len() == before {
                let problem =
                    "no captures in this directory; name files of other formats one by one";
                diagnostics.warning(&name(path), &problem);
            }
        } else {
            let problem = "this is a directory; use --recursive to read the captures in it";
            diagnostics.unreadable(&name(path), &problem);
        }
    }
    files
}

/// The files that a path means: on Windows, those whose names match its last part, which may have `*` and
/// `?`, in the order of their names. On Unix, the shell replaces such paths.
fn matching(path: &Path) -> Vec<PathBuf> {
    let last = path.file_name().map(|last| last.to_string_lossy().to_lowercase());
    let Some(last) = last.filter(|last| cfg!(windows) && last.contains(['*', '?'])) else {
        return vec![path.to_owned()];
    };
    let pattern = Pattern::new(&last);
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let names = entries.filter(|entry| entry.path().is_file()).map(|entry| entry.file_name());
    let names = names.filter(|name| pattern.matches(&name.to_string_lossy().to_lowercase()));
    let mut files: Vec<_> = names.map(|name| path.with_file_name(name)).collect();
    files.sort();
    if files.is_empty() { vec![path.to_owned()] } else { files }
}

fn captures_in(directory: &Path, files: &mut Vec<PathBuf>, diagnostics: &mut Diagnostics) {
    let mut directories = VecDeque::from([directory.to_owned()]);
    while let Some(directory) = directories.pop_front() {
        let entries = fs::read_dir(&directory).and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
        });
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                diagnostics.unreadable(&name(&directory), &reason(&error));
                continue;
            }
        };
        entries.sort();
        for path in entries {
            // A link to a directory could lead back here.
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => directories.push_back(path),
                Ok(_) if path.is_file() => match is_capture(&path) {
                    Ok(true) => files.push(path),
                    Ok(false) => {}
                    Err(error) => diagnostics.unreadable(&name(&path), &reason(&error)),
                },
                Ok(_) => {}
                Err(error) => diagnostics.unreadable(&name(&path), &reason(&error)),
            }
        }
    }
}

fn is_capture(path: &Path) -> io::Result<bool> {
    match start(&mut Decompressor::new(File::open(path)?)) {
        Ok(start) => Ok(Capture::recognizes(&start)),
        Err(error) if damage(&error).is_some() => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::{FileChange, RegularFile};
    use std::fs::{self, File};
    use std::path::{Path, PathBuf};
    use std::time::{Duration, SystemTime};

    /// Creates a file for one test and opens it.
    fn opened(name: &str, content: &[u8]) -> (PathBuf, RegularFile) {
        let path = std::env::temp_dir().join(format!("gdwire-{}-{name}", std::process::id()));
        fs::write(&path, content).unwrap();
        (path.clone(), regular(&path))
    }

    fn regular(path: &Path) -> RegularFile {
        let file = File::open(path).unwrap();
        let opened = file.metadata().unwrap();
        RegularFile::new(file, opened)
    }

    #[test]
    fn a_change_of_the_file_is_detected() {
        let (path, file) = opened("change", b"1234");
        assert_eq!(file.change(), FileChange::None);
        fs::write(&path, b"12345").unwrap();
        assert_eq!(file.change(), FileChange::Grown);
        fs::write(&path, b"123").unwrap();
        assert_eq!(file.change(), FileChange::Written);
        // The same length, but another time of modification.
        fs::write(&path, b"4321").unwrap();
        let later = SystemTime::now() + Duration::from_secs(7);
        File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert_eq!(file.change(), FileChange::Written);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_small_file_is_read_and_does_not_change() {
        let (path, file) = opened("small", b"1234");
        let bytes = file.whole().unwrap();
        fs::write(&path, b"").unwrap();
        assert_eq!((&*bytes, bytes.change()), (&b"1234"[..], FileChange::None));
        fs::remove_file(path).unwrap();
    }
}
