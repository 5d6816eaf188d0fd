//! Reads streams that gzip, Zstandard or LZ4 compressed, such as captures.
//!
//! [`Decompressor`] wraps a stream and detects by its first bytes whether it is compressed. A
//! stream that is not compressed is read as it is, so every file can be read through it:
//!
#![cfg_attr(feature = "capture", doc = "```")]
#![cfg_attr(not(feature = "capture"), doc = "```ignore")]
//! use gdwire::capture::PacketReader;
//! use gdwire::compression::Decompressor;
//! # use std::fs::File;
//! # use std::io::Write;
//!
//! # let capture = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-udp.pcapng"))?;
//! # let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
//! # gzip.write_all(&capture)?;
//! # let file = gzip.finish()?;
//! # let file = &file[..]; /*
//! let file = File::open("session.pcapng.gz")?;
//! # */
//! let mut packets = PacketReader::new(Decompressor::new(file));
//! let mut count = 0;
//! while let Some(packet) = packets.next_packet()? {
//!     count += 1;
//! }
//! # assert_eq!(count, 72);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `capture`, `net::enet::DatagramDecompressor` decompresses datagrams of ENet in more formats.

#[cfg(any(feature = "capture", feature = "save"))]
pub(crate) mod fastlz;
mod frames;
#[cfg(feature = "capture")]
mod packets;

#[cfg(feature = "capture")]
pub(crate) use packets::{Inflate, Zstandard};

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;
use frames::{CompressedFrames, GzipFrames, Lz4Frames, ZstandardFrames};
use std::io::{self, ErrorKind, Read};

/// A format of compressed streams.
///
/// ```
/// use gdwire::compression::Format;
///
/// assert_eq!(Format::of(&[0x28, 0xb5, 0x2f, 0xfd]), Some(Format::Zstandard));
/// assert_eq!(Format::of(b"plain text"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Format {
    /// Gzip, as `gzip` writes it (RFC 1952).
    Gzip,
    /// Zstandard, as `zstd` writes it (RFC 8878).
    Zstandard,
    /// Frames of LZ4, as `lz4` writes them.
    Lz4,
}

/// The first bytes of a frame.
type Start = &'static [RangeInclusive<u8>];

/// Each format with the first bytes of its frames.
const STARTS: [(Format, Start); 4] = [
    // Deflate, the only method there is; the highest bits of the flags are reserved.
    (Format::Gzip, &[0x1f..=0x1f, 0x8b..=0x8b, 8..=8, 0..=0x1f]),
    (Format::Zstandard, &[0x28..=0x28, 0xb5..=0xb5, 0x2f..=0x2f, 0xfd..=0xfd]),
    (Format::Lz4, &[0x04..=0x04, 0x22..=0x22, 0x4d..=0x4d, 0x18..=0x18]),
    (Format::Zstandard, SKIPPABLE),
];

/// The first bytes of a frame without content.
const SKIPPABLE: Start = &[0x50..=0x5f, 0x2a..=0x2a, 0x4d..=0x4d, 0x18..=0x18];

impl Format {
    /// The format of a stream with these first bytes, four of which are enough. A skippable frame,
    /// which Zstandard and LZ4 have in common, counts as Zstandard.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Format> {
        let known = STARTS.iter().find(|(_, start)| begins(bytes, start));
        known.map(|(format, _)| *format)
    }

    /// Whether the format depends on bytes that are not known yet.
    fn is_open(bytes: &[u8]) -> bool {
        let is_open = |start: Start| bytes.len() < start.len() && agrees(bytes, start);
        STARTS.iter().any(|(_, start)| is_open(start))
    }
}

/// Whether a frame without content begins here.
fn is_skippable(bytes: &[u8]) -> bool {
    begins(bytes, SKIPPABLE)
}

fn begins(bytes: &[u8], start: Start) -> bool {
    bytes.len() >= start.len() && agrees(bytes, start)
}

/// Whether the bytes agree with a start, as far as both go.
fn agrees(bytes: &[u8], start: Start) -> bool {
    bytes.iter().zip(start).all(|(byte, possible)| possible.contains(byte))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Gzip => "gzip",
            Format::Zstandard => "Zstandard",
            Format::Lz4 => "LZ4",
        })
    }
}

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
    source: PackedInput<R>,
    state: DecompressorState,
    /// The decompressor for frames of the last format.
    frames: Option<Box<dyn CompressedFrames + Send + Sync>>,
    /// The format of the last frame.
    format: Option<Format>,
    decompressed: u64,
}

/// The decompressor for the frames of a format.
fn frames_of(format: Format) -> Box<dyn CompressedFrames + Send + Sync> {
    match format {
        Format::Gzip => Box::<GzipFrames>::default(),
        Format::Zstandard => Box::<ZstandardFrames>::default(),
        Format::Lz4 => Box::<Lz4Frames>::default(),
    }
}

/// The next part of the stream.
enum DecompressorState {
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
            source: PackedInput::new(stream),
            state: DecompressorState::Start,
            frames: None,
            format: None,
            decompressed: 0,
        }
    }

    /// Decompresses until there are bytes to return, or the stream ends.
    fn step(&mut self, into: &mut [u8]) -> Result<usize, FrameStop> {
        loop {
            let read = match &mut self.state {
                DecompressorState::Start => match self.begin()? {
                    true => continue,
                    false => return Ok(0),
                },
                DecompressorState::Plain => return Ok(self.source.read_plain(into)?),
                DecompressorState::Content => match &mut self.frames {
                    Some(frames) => frames.read(&mut self.source, into)?,
                    None => 0,
                },
                DecompressorState::Skipped(rest) => {
                    self.source.need(1)?;
                    let len = usize::try_from(*rest).unwrap_or(usize::MAX);
                    *rest = rest.saturating_sub(self.source.consume(len) as u64);
                    if *rest == 0 {
                        self.state = DecompressorState::Start;
                    }
                    continue;
                }
                DecompressorState::Failed(error) => {
                    return Err(io::Error::new(ErrorKind::InvalidData, error.clone()).into());
                }
            };
            if read > 0 {
                self.decompressed += read as u64;
                return Ok(read);
            }
            self.state = DecompressorState::Start;
        }
    }

    /// Finds out what comes next, and begins to read it. Returns false at the end of the stream.
    fn begin(&mut self) -> Result<bool, FrameStop> {
        while Format::is_open(self.source.unread()) && self.source.fill()? {}
        let start = self.source.unread();
        let is_skippable = is_skippable(start);
        let format = Format::of(start);
        let Some(format) = format else {
            if start.is_empty() {
                return Ok(false);
            }
            if self.format.is_some() {
                return Err(FrameStop::Problem(Problem::Trailing));
            }
            self.state = DecompressorState::Plain;
            return Ok(true);
        };
        if self.format.replace(format) != Some(format) {
            self.frames = None;
        }
        if is_skippable {
            let [.., a, b, c, d] = self.source.need_array::<8>()?;
            self.source.consume(8);
            self.state = match u32::from_le_bytes([a, b, c, d]) {
                0 => DecompressorState::Start,
                len => DecompressorState::Skipped(u64::from(len)),
            };
            return Ok(true);
        }
        self.frames.get_or_insert_with(|| frames_of(format)).begin(&mut self.source)?;
        self.state = DecompressorState::Content;
        Ok(true)
    }
}

impl<R: Read> Read for Decompressor<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        self.step(into).map_err(|stop| match (stop, self.format) {
            (FrameStop::Io(error), _) => error,
            (FrameStop::Problem(problem), format) => {
                let format = format.unwrap_or(Format::Gzip);
                let (offset, decompressed) = (self.source.position, self.decompressed);
                let error = Error { format, offset, decompressed, problem };
                self.state = DecompressorState::Failed(error.clone());
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

/// How many bytes are requested from the stream at once.
const CHUNK: usize = 64 << 10;

/// A stream whose next bytes can be looked at before they are used.
struct PackedInput<R: ?Sized> {
    buffer: Vec<u8>,
    /// The range of the buffer that was read and not used yet.
    start: usize,
    end: usize,
    /// The offset of `start` in the stream.
    position: u64,
    stream: R,
}

impl<R> PackedInput<R> {
    const fn new(stream: R) -> PackedInput<R> {
        PackedInput { buffer: Vec::new(), start: 0, end: 0, position: 0, stream }
    }
}

impl<R: ?Sized> PackedInput<R> {
    /// The bytes that were read and not used yet.
    fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or(&[])
    }

    /// Removes up to `len` bytes that were used, and returns how many it removed.
    fn consume(&mut self, len: usize) -> usize {
        let len = len.min(self.unread().len());
        self.start += len;
        self.position += len as u64;
        len
    }
}

impl<R: Read + ?Sized> PackedInput<R> {
    /// Reads more bytes, and returns whether there are any.
    fn fill(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end.saturating_sub(self.start));
        }
        if self.buffer.len().saturating_sub(self.end) < CHUNK {
            self.buffer.resize(self.end.saturating_add(CHUNK), 0);
        }
        let read = read(&mut self.stream, self.buffer.get_mut(self.end..).unwrap_or(&mut []))?;
        self.end = self.end.saturating_add(read);
        Ok(read > 0)
    }

    /// Reads until this many bytes are there, and returns them.
    fn need(&mut self, len: usize) -> Result<&[u8], FrameStop> {
        while self.unread().len() < len {
            if !self.fill()? {
                return Err(FrameStop::Problem(Problem::Cut));
            }
        }
        Ok(self.unread().get(..len).unwrap_or(&[]))
    }

    /// Like [`PackedInput::need`], for a fixed length.
    fn need_array<const LEN: usize>(&mut self) -> Result<[u8; LEN], FrameStop> {
        Ok(self.need(LEN)?.first_chunk().copied().unwrap_or([0; LEN]))
    }

    /// Reads bytes that are not compressed.
    fn read_plain(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.unread().is_empty() {
            return read(&mut self.stream, into);
        }
        let read = self.unread().read(into)?;
        self.consume(read);
        Ok(read)
    }
}

fn read(stream: &mut (impl Read + ?Sized), into: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(into) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Why compressed data cannot be decompressed, and where.
///
/// [`Decompressor`] returns it inside an [`io::Error`] of the kind
/// [`InvalidData`](io::ErrorKind::InvalidData); [`io::Error::get_ref`] gets it back.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[error("{format} data: {problem} (at byte {offset}, after {decompressed} decompressed bytes)")]
pub struct Error {
    /// The format of the data.
    pub format: Format,
    /// The offset in bytes in the compressed stream. For Zstandard and LZ4, the damaged block begins
    /// there.
    pub offset: u64,
    /// The number of bytes that were decompressed before the error.
    pub decompressed: u64,
    /// The error at this place.
    pub problem: Problem,
}

/// An error in compressed data.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The stream ends too early.
    #[error("cut off")]
    Cut,
    /// The data cannot be decompressed; the text says why.
    #[error("damaged: {0}")]
    Damaged(String),
    /// The content is not the one that was compressed.
    #[error("the checksum of the content is wrong")]
    Checksum,
    /// Decompressing needs more memory than is allowed.
    #[error("decompressing needs a window of {needed} bytes, more than the limit of {limit}")]
    Window {
        /// The size of the window, in bytes.
        needed: u64,
        /// The largest size that is allowed, in bytes.
        limit: u64,
    },
    /// Other data follows the compressed data.
    #[error("what follows is not compressed")]
    Trailing,
}

/// Why decompressing stops.
enum FrameStop {
    /// The stream cannot be read now. The decompressor can go on later.
    Io(io::Error),
    Problem(Problem),
}

impl FrameStop {
    fn damaged(reason: &str) -> FrameStop {
        FrameStop::Problem(Problem::Damaged(reason.to_string()))
    }
}

impl From<io::Error> for FrameStop {
    fn from(error: io::Error) -> FrameStop {
        FrameStop::Io(error)
    }
}
