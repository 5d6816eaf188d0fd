//! Opens files and standard input.

use super::buffer::{Buffer, Stream};
use super::live::Live;
use super::whole::{Bytes, RegularFile};
use crate::input::failure::Failure;
use crate::opened;
use crate::plain::is_stdin;
use gdwire::capture::Capture;
use gdwire::compression::{self, Decompressor, Format};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The most that is read into memory from a pipe or a device, which cannot be mapped.
const BUFFER_LIMIT: usize = 1 << 30;

/// The most that is read into memory from a compressed file.
const UNPACKED_LIMIT: usize = 64 << 20;

/// An opened input.
pub(crate) enum Content {
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
}

impl Content {
    pub(crate) fn open(path: &Path) -> io::Result<Content> {
        if is_stdin(path) {
            return Ok(Content::Stream(Box::new(Decompressor::new(io::stdin()))));
        }
        if !fs::metadata(path)?.file_type().is_file() && !path.is_dir() {
            // Opening a named pipe may block, like reading from it, so it is opened on the thread
            // that reads.
            let stream = Opening { path: path.to_owned(), file: None };
            return Ok(Content::Stream(Box::new(Decompressor::new(stream))));
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
                Content::Unpacked(Box::new(Decompressor::new(file)))
            } else {
                Content::File(RegularFile::new(file, opened))
            });
        }
        // A file without a length may have content nevertheless, for example in /proc.
        let mut stream = BufReader::new(file);
        if opened.is_file() && stream.fill_buf()?.is_empty() {
            return Ok(Content::Empty);
        }
        Ok(Content::Stream(Box::new(Decompressor::new(stream))))
    }

    /// Whether an interrupt before the end of the input leaves something unread: always in a file,
    /// never in a file that grows, and in a pipe only if the command needs its end.
    pub(crate) fn ends(&self, path: &Path, needs_end: bool) -> bool {
        match self {
            Content::File(_) | Content::Unpacked(_) => true,
            Content::Stream(_) => needs_end || is_stdin(path) && opened::is_stdin_a_file(),
            Content::Empty | Content::Growing => false,
        }
    }

    /// The input as a stream.
    pub(crate) fn into_stream(self) -> io::Result<Stream> {
        Ok(match self {
            Content::File(file) => Stream::File(Box::new(file.stream()?)),
            Content::Unpacked(stream) => Stream::File(stream),
            Content::Empty | Content::Growing => Stream::Whole,
            Content::Stream(stream) => Stream::Live(Live::of(stream)),
        })
    }

    /// All bytes of the input.
    pub(crate) fn whole(self) -> io::Result<Bytes> {
        match self {
            Content::File(file) => file.whole(),
            content => {
                let mut buffer = Buffer::new(content.into_stream()?);
                match read_all(&mut buffer) {
                    // No message is read here, so the limit of messages is never reached.
                    Ok(()) | Err(Failure::Enough) => Ok(Bytes::Read(buffer.into_unread())),
                    Err(Failure::Input(error) | Failure::Output(error)) => Err(error),
                }
            }
        }
    }
}

/// The first four bytes of a stream, or all if there are fewer.
pub(super) fn start(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    stream.take(4).read_to_end(&mut start)?;
    Ok(start)
}

/// Whether a file exists and is compressed.
pub(crate) fn is_compressed(path: &Path) -> bool {
    path.is_file()
        && File::open(path)
            .and_then(|mut file| start(&mut file))
            .is_ok_and(|start| Format::of(&start).is_some())
}

/// The error of compressed data that is cut off or damaged.
pub(crate) fn damage(error: &io::Error) -> Option<&compression::Error> {
    error.get_ref()?.downcast_ref()
}

/// Decompresses a capture into a temporary file. A damaged one is decompressed up to the damage; a
/// file that is not a capture, only up to the bytes that show this.
pub(crate) fn unpack(stream: Box<dyn Read + Send>) -> io::Result<Bytes> {
    let mut file = tempfile::tempfile()?;
    let mut stream = Stream::File(stream);
    let unpacked = start(&mut stream).and_then(|start| {
        file.write_all(&start)?;
        if Capture::recognizes(&start) { io::copy(&mut stream, &mut file) } else { Ok(0) }
    });
    match unpacked {
        // The user pressed Ctrl-C, or the data is damaged, which is reported when the messages are
        // read.
        Err(error) if error.kind() != ErrorKind::WouldBlock && damage(&error).is_none() => {
            return Err(error);
        }
        _ => file.rewind()?,
    }
    let opened = file.metadata()?;
    RegularFile::new(file, opened).whole()
}

/// A pipe or a device, which is opened when it is read.
struct Opening {
    path: PathBuf,
    file: Option<File>,
}

impl Read for Opening {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.read(into),
            file => file.insert(File::open(&self.path)?).read(into),
        }
    }
}

/// Reads a stream to its end, or until the user presses Ctrl-C.
pub(crate) fn read_all(buffer: &mut Buffer) -> Result<(), Failure> {
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
    Err(Failure::Input(io::Error::new(ErrorKind::FileTooLarge, problem)))
}
