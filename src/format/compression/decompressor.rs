//! Decompresses a stream in one of the formats, frame by frame.

use super::error::{Error, Problem, Stop};
use super::format::{Format, is_skippable};
use super::frames::Frames;
use super::gzip::Gzip;
use super::lz4::Lz4;
use super::source::Source;
use super::zstandard::Zstandard;
use alloc::boxed::Box;
use core::fmt;
use std::io::{self, ErrorKind, Read};

/// Reads a stream, and decompresses it if its first bytes are those of gzip, Zstandard or LZ4.
///
/// Several compressed streams after each other are read as one, as `gzip -d` and `zstd -d` do.
/// Content that is compressed twice is decompressed once.
///
/// Bytes are returned as soon as they can be decompressed: for gzip, everything that has arrived;
/// for LZ4, complete blocks; for Zstandard, complete blocks except those in its window, which
/// follow at the end of the stream. An error like [`ErrorKind::WouldBlock`] is passed on, and
/// reading can go on after it.
///
/// Memory is bounded, whatever the stream announces: up to 128 KiB for gzip, 12 MiB for LZ4, and twice
/// the window for Zstandard. A window of more than 128 MiB is an error.
///
/// # Errors
///
/// Reading returns an [`Error`] inside an [`io::Error`] if the data is cut off, damaged, or
/// followed by other data. Everything that was decompressed before is returned first. Each further
/// call returns the same error.
///
/// # Examples
///
/// ```
/// use gdwire::compression::{Decompressor, Error};
/// use std::io::Read;
///
/// let mut text = String::new();
/// Decompressor::new(&b"not compressed"[..]).read_to_string(&mut text)?;
/// assert_eq!(text, "not compressed");
///
/// let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0";
/// text.clear();
/// Decompressor::new(&gzip[..]).read_to_string(&mut text)?;
/// assert_eq!(text, "abc");
///
/// let error = Decompressor::new(&gzip[..20]).read_to_string(&mut text).unwrap_err();
/// let error = error.get_ref().and_then(|error| error.downcast_ref::<Error>());
/// assert_eq!(
///     error.unwrap().to_string(),
///     "gzip data: cut off (at byte 15, after 3 decompressed bytes)"
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Decompressor<R> {
    source: Source<R>,
    state: State,
    /// The decompressor for frames of the last format.
    frames: Option<Box<dyn Frames + Send + Sync>>,
    /// The format of the last frame.
    format: Option<Format>,
    decompressed: u64,
}

/// The decompressor for the frames of a format.
fn frames_of(format: Format) -> Box<dyn Frames + Send + Sync> {
    match format {
        Format::Gzip => Box::<Gzip>::default(),
        Format::Zstandard => Box::<Zstandard>::default(),
        Format::Lz4 => Box::<Lz4>::default(),
    }
}

/// The next part of the stream.
enum State {
    /// The first bytes, or those after a frame.
    Start,
    /// Bytes that are not compressed.
    Plain,
    /// The content of a frame.
    Content,
    /// A frame that is skipped. The number is how many of its bytes are left.
    Skipped(u64),
    /// Nothing, because the data is damaged.
    Failed(Error),
}

impl<R: Read> Decompressor<R> {
    /// Reads a stream from its first byte. Nothing is read yet.
    pub const fn new(stream: R) -> Decompressor<R> {
        Decompressor {
            source: Source::new(stream),
            state: State::Start,
            frames: None,
            format: None,
            decompressed: 0,
        }
    }

    /// Decompresses until there are bytes to return, or the stream ends.
    fn step(&mut self, into: &mut [u8]) -> Result<usize, Stop> {
        loop {
            let read = match &mut self.state {
                State::Start => match self.begin()? {
                    true => continue,
                    false => return Ok(0),
                },
                State::Plain => return Ok(self.source.read_plain(into)?),
                State::Content => match &mut self.frames {
                    Some(frames) => frames.read(&mut self.source, into)?,
                    None => 0,
                },
                State::Skipped(rest) => {
                    self.source.need(1)?;
                    let len = usize::try_from(*rest).unwrap_or(usize::MAX);
                    *rest = rest.saturating_sub(self.source.consume(len) as u64);
                    if *rest == 0 {
                        self.state = State::Start;
                    }
                    continue;
                }
                State::Failed(error) => {
                    return Err(io::Error::new(ErrorKind::InvalidData, error.clone()).into());
                }
            };
            if read > 0 {
                self.decompressed = self.decompressed.saturating_add(read as u64);
                return Ok(read);
            }
            self.state = State::Start;
        }
    }

    /// Finds out what comes next, and begins to read it. Returns false at the end of the stream.
    fn begin(&mut self) -> Result<bool, Stop> {
        while Format::is_open(self.source.unread()) && self.source.fill()? {}
        let start = self.source.unread();
        let is_skippable = is_skippable(start);
        let format = Format::of(start);
        let Some(format) = format else {
            if start.is_empty() {
                return Ok(false);
            }
            if self.format.is_some() {
                return Err(Stop::Problem(Problem::Trailing));
            }
            self.state = State::Plain;
            return Ok(true);
        };
        if self.format.replace(format) != Some(format) {
            self.frames = None;
        }
        if is_skippable {
            let [.., a, b, c, d] = self.source.need_array::<8>()?;
            self.source.consume(8);
            self.state = match u32::from_le_bytes([a, b, c, d]) {
                0 => State::Start,
                len => State::Skipped(u64::from(len)),
            };
            return Ok(true);
        }
        self.frames.get_or_insert_with(|| frames_of(format)).begin(&mut self.source)?;
        self.state = State::Content;
        Ok(true)
    }
}

impl<R: Read> Read for Decompressor<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        self.step(into).map_err(|stop| match (stop, self.format) {
            (Stop::Io(error), _) => error,
            (Stop::Problem(problem), format) => {
                let format = format.unwrap_or(Format::Gzip);
                let (offset, decompressed) = (self.source.position, self.decompressed);
                let error = Error { format, offset, decompressed, problem };
                self.state = State::Failed(error.clone());
                io::Error::new(ErrorKind::InvalidData, error)
            }
        })
    }
}

impl<R> fmt::Debug for Decompressor<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Decompressor { format, source, decompressed, .. } = self;
        debug_fields!(f, Decompressor { format, position = source.position, decompressed, .. })
    }
}
