//! Packets of a capture that arrives in pieces: from a pipe, or from a program that captures.

use super::{CaptureFormat, FileDamage, Record, pcap, pcapng};
use crate::net::packet::{CapturedPacket, Error, LinkType, Problem, Time};
use core::fmt;
use core::ops::Range;
use std::io::{self, ErrorKind, Read};

/// The number of bytes requested from the stream at once.
const CHUNK: usize = 64 << 10;

/// The number of bytes needed to detect the format.
const MAGIC: usize = 4;

/// The longest packet or block that is read: 64 MiB.
const LONGEST: usize = 64 << 20;

/// Reads the packets of a capture from a stream, each as soon as it has arrived.
///
/// It reads the same formats as [`Capture`](super::Capture). It keeps no more than one packet or
/// block, and what one read of the stream returned. A packet or block of more than 64 MiB is an
/// error.
///
/// ```
/// use gdwire::capture::PacketReader;
/// use gdwire::follow::{Event, Follower};
/// # use std::fs::File;
///
/// # let stream = File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-udp.pcapng"))?;
/// let mut packets = PacketReader::new(stream);
/// let mut follower = Follower::new();
/// let mut messages = 0;
/// let mut take = |event: Event<'_>| messages += u32::from(matches!(event, Event::Message(_)));
/// while let Some(packet) = packets.next_packet()? {
///     follower.packet(&packet).for_each(&mut take);
/// }
/// follower.finish().for_each(&mut take);
/// assert_eq!(messages, 72);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PacketReader<R> {
    input: R,
    /// The bytes that were read. Those from `start` on have not been returned yet.
    buffer: Vec<u8>,
    start: usize,
    /// The offset of `start` in the stream.
    offset: u64,
    /// None before the first header.
    state: Option<ReaderState>,
    frames: u64,
    file: u32,
    is_at_end: bool,
    is_over: bool,
}

/// The state of the capture's reader, apart from the buffered bytes.
enum ReaderState {
    Pcap(pcap::PcapHeader),
    Pcapng(pcapng::Section),
}

/// Why the next packet cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The stream cannot be read. After an error like [`ErrorKind::WouldBlock`], try again.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The capture is damaged, or in another format. Nothing after that can be read.
    #[error(transparent)]
    Damaged(Error),
}

/// A packet in the buffer.
struct BufferedPacket {
    data: Range<usize>,
    /// Its offset in the stream.
    offset: u64,
    time: Option<Time>,
    link_type: LinkType,
    original_len: u32,
}

impl<R: Read> PacketReader<R> {
    /// Reads a stream from its first byte.
    #[must_use]
    pub const fn new(input: R) -> PacketReader<R> {
        PacketReader {
            input,
            buffer: Vec::new(),
            start: 0,
            offset: 0,
            state: None,
            frames: 0,
            file: 0,
            is_at_end: false,
            is_over: false,
        }
    }

    /// Continues a capture that consists of several files: the numbers of this file and of its
    /// packets follow those of the reader `before`. If the packets of all files are pushed into one
    /// [`Follower`](crate::follow::Follower), connections continue, too.
    #[must_use]
    pub fn after<S>(self, before: &PacketReader<S>) -> PacketReader<R> {
        PacketReader { frames: before.frames, file: before.file.saturating_add(1), ..self }
    }

    /// The stream.
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.input
    }

    /// The next packet; none at the end of the stream. Waits until it has arrived.
    ///
    /// # Errors
    ///
    /// If the stream cannot be read, or if the capture is damaged or in another format. A damaged
    /// capture ends with its error.
    pub fn next_packet(&mut self) -> Result<Option<CapturedPacket<'_>>, ReadError> {
        while !self.is_over {
            match self.find() {
                Ok(Some(BufferedPacket { data, offset, time, link_type, original_len })) => {
                    self.frames += 1;
                    let PacketReader { frames: frame, file, .. } = *self;
                    let data = self.buffer.get(data).unwrap_or(&[]);
                    let packet =
                        CapturedPacket::new(link_type, data).with_frame(frame).with_file(file);
                    return Ok(Some(CapturedPacket { offset, time, original_len, ..packet }));
                }
                Ok(None) if self.is_at_end => self.is_over = true,
                Ok(None) => self.fill(1)?,
                Err((_, Problem::Cut { missing, available })) if !self.is_at_end => {
                    let length = available.saturating_add(missing);
                    if length > LONGEST {
                        return Err(self.damaged(
                            self.offset,
                            Problem::TooLong { len: length, limit: LONGEST },
                        ));
                    }
                    self.fill(missing)?;
                }
                Err((offset, problem)) => return Err(self.damaged(offset, problem)),
            }
        }
        Ok(None)
    }

    fn damaged(&mut self, offset: u64, problem: Problem) -> ReadError {
        self.is_over = true;
        let frame = self.state.as_ref().map(|_| self.frames.saturating_add(1));
        ReadError::Damaged(Error::new(self.file, offset, frame, problem))
    }

    /// Finds the next packet in the buffer, or returns what is wrong and where.
    fn find(&mut self) -> Result<Option<BufferedPacket>, (u64, Problem)> {
        let rest = self.buffer.get(self.start..).unwrap_or(&[]);
        let mut format = match self.state.take() {
            Some(ReaderState::Pcap(state)) => CaptureFormat::Pcap(state.resume(rest)),
            Some(ReaderState::Pcapng(state)) => CaptureFormat::Pcapng(state.resume(rest)),
            None if rest.len() < MAGIC && !self.is_at_end => return Ok(None),
            None => CaptureFormat::begin(rest).map_err(|damage| (self.offset, damage.problem))?,
        };
        let read = format.next_record();
        self.frames = self.frames.saturating_add(format.take_numbered());
        let left = match &read {
            Ok(_) => format.rest().len(),
            Err(FileDamage { rest, .. }) => *rest,
        };
        let (start, offset, len) = (self.start, self.offset, rest.len());
        let taken = len.saturating_sub(left);
        self.start = start.saturating_add(taken);
        self.offset = offset.saturating_add(taken as u64);
        let read = read.map(|record| {
            record.map(|Record { time, link_type, data, original_len, rest }| {
                let before = len.saturating_sub(data.len()).saturating_sub(rest);
                let from = start.saturating_add(before);
                let data = from..from.saturating_add(data.len());
                let offset = offset.saturating_add(before as u64);
                BufferedPacket { data, offset, time, link_type, original_len }
            })
        });
        self.state = Some(match format {
            CaptureFormat::Pcap(reader) => ReaderState::Pcap(reader.into_state()),
            CaptureFormat::Pcapng(reader) => ReaderState::Pcapng(reader.into_state()),
        });
        read.map_err(|damage| (self.offset, damage.problem))
    }

    /// Reads until the buffer holds this many more bytes, or the stream ends.
    fn fill(&mut self, missing: usize) -> io::Result<()> {
        self.buffer.drain(..self.start.min(self.buffer.len()));
        self.start = 0;
        let wanted = self.buffer.len().saturating_add(missing);
        while self.buffer.len() < wanted && !self.is_at_end {
            let len = self.buffer.len();
            // Grows in steps, because a stated length does not prove that the bytes follow.
            self.buffer.resize(len.saturating_add(CHUNK), 0);
            let read = self.input.read(self.buffer.get_mut(len..).unwrap_or(&mut []));
            self.buffer.truncate(len.saturating_add(*read.as_ref().unwrap_or(&0)));
            match read {
                Ok(0) => self.is_at_end = true,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl<R> fmt::Debug for PacketReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacketReader")
            .field("offset", &self.offset)
            .field("frames", &self.frames)
            .field("buffered", &self.buffer.len().saturating_sub(self.start))
            .finish_non_exhaustive()
    }
}
