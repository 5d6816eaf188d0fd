//! Sorts the comments for a capture by its packets, in bounded memory.

use crate::format::text::disturbs_line;
use core::cmp::Reverse;
use core::fmt::{self, Display, Write as _};
use std::collections::BinaryHeap;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// The beginning of every comment that [`annotate()`](super::annotate()) writes. If a capture is
/// annotated again, comments with this beginning are replaced; all others are kept.
pub const PREFIX: &str = "gdwire: ";

/// The most bytes of a comment's text, whatever its message.
pub(super) const LONGEST: usize = 4096;

/// The bytes of text that each message may have, and those for each of its own bytes.
const TEXT: (usize, usize) = (128, 16);

/// Once the comments on a packet have this many bytes, further ones are only counted.
const PACKET: usize = 64 << 10;

/// How much memory comments take before they are written to a file.
const MEMORY: usize = 32 << 20;

/// How many bytes of each sorted part of the file are read at once.
const PIECE: usize = 16 << 10;

/// The mark at the end of a comment that was cut.
const CUT: &str = "…";

/// Comments on the packets of a capture, for [`annotate`](super::annotate()).
///
/// They may be added in any order. Those on one packet keep their order. Up to about 32 MiB of
/// comments stay in memory; more are sorted and moved to a file, whose type is `S`.
///
/// The length of comments is bounded, because an attacker can send short messages with a long text.
/// A comment has at most 128 bytes, plus 16 for each byte of its message, and never more than 4
/// KiB. A longer one is cut, and ends with an ellipsis. When the comments that are added for one
/// packet in a row reach 64 KiB, one more comment says how many were left out.
pub struct Comments<S> {
    open: Box<dyn FnMut() -> io::Result<S>>,
    file: Option<S>,
    /// The sorted parts of the file, oldest first.
    runs: Vec<Run>,
    /// The texts in memory, and the packet, the start and the end of each.
    texts: String,
    entries: Vec<(u64, usize, usize)>,
    memory: usize,
    /// The packet of the last comment, how many bytes of comments it has, and how many comments
    /// were left out.
    current: (u64, usize, u64),
}

/// A part of the file that is sorted by packets.
struct Run {
    /// The part of the file that has not been read: `start..end`.
    start: u64,
    end: u64,
    piece: Vec<u8>,
    read: usize,
}

/// The length of the header of a comment in the file: a u64 with the packet and a u16 with the
/// length of the text, which follows.
const HEADER: usize = 10;

impl<S: Read + Write + Seek> Comments<S> {
    /// An empty collection of comments. `open` makes an empty file; it is called when the comments
    /// exceed the memory.
    pub fn new(open: impl FnMut() -> io::Result<S> + 'static) -> Comments<S> {
        Comments {
            open: Box::new(open),
            file: None,
            runs: Vec::new(),
            texts: String::new(),
            entries: Vec::new(),
            memory: MEMORY,
            current: (0, 0, 0),
        }
    }

    /// These comments, with another limit on the memory, in bytes.
    #[must_use]
    pub fn with_memory(self, memory: usize) -> Comments<S> {
        Comments { memory, ..self }
    }

    /// Adds a comment on the packet with this number, counted from 1, about a message of `len` bytes.
    /// [`PREFIX`] is put before the text. Characters that would end or disturb a line are escaped.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn add(&mut self, frame: u64, len: usize, text: &dyn Display) -> io::Result<()> {
        if self.current.0 != frame {
            self.end_packet();
            self.current = (frame, 0, 0);
        }
        let start = self.texts.len();
        if self.current.1 >= PACKET {
            self.current.2 += 1;
            return Ok(());
        }
        let (least, each) = TEXT;
        let limit = len.saturating_mul(each).saturating_add(least).min(LONGEST);
        self.texts.push_str(PREFIX);
        write_bounded(text, limit, &mut self.texts);
        self.push(frame, start);
        if self.texts.len().saturating_add(size_of_val(&*self.entries)) > self.memory {
            self.spill()?;
        }
        Ok(())
    }

    /// Adds the text from `start` on as a comment.
    fn push(&mut self, frame: u64, start: usize) {
        let end = self.texts.len();
        self.entries.push((frame, start, end));
        self.current.1 = self.current.1.saturating_add(end.saturating_sub(start));
    }

    /// Adds a comment that says how many comments on the last packet were left out.
    fn end_packet(&mut self) {
        let (frame, _, more) = self.current;
        if more > 0 {
            let start = self.texts.len();
            self.texts.push_str(PREFIX);
            self.texts.push_str(&format!("{more} more"));
            self.push(frame, start);
        }
    }

    /// Moves the comments in memory to the file.
    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert((self.open)()?),
        };
        self.entries.sort_by_key(|(frame, ..)| *frame);
        let start = file.seek(SeekFrom::End(0))?;
        let mut out = io::BufWriter::new(&mut *file);
        for &(frame, from, to) in &self.entries {
            let text = self.texts.get(from..to).unwrap_or("");
            let len = u16::try_from(text.len()).unwrap_or(u16::MAX);
            out.write_all(&frame.to_le_bytes())?;
            out.write_all(&len.to_le_bytes())?;
            out.write_all(text.as_bytes())?;
        }
        out.flush()?;
        drop(out);
        let end = file.stream_position()?;
        self.runs.push(Run { start, end, piece: Vec::new(), read: 0 });
        self.texts.clear();
        self.entries.clear();
        Ok(())
    }

    /// The comments in the order of the packets.
    pub(super) fn sorted(mut self) -> io::Result<SortedComments<S>> {
        self.end_packet();
        if self.file.is_some() {
            self.spill()?;
        } else {
            self.entries.sort_by_key(|(frame, ..)| *frame);
        }
        let Comments { mut file, mut runs, texts, entries, .. } = self;
        let mut heads = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            if let Some(file) = &mut file
                && let Some((frame, len)) = run.head(file)?
            {
                heads.push(Reverse((frame, number, len)));
            }
        }
        Ok(SortedComments { file, runs, heads, texts, entries: entries.into_iter() })
    }
}

/// Comments in the order of their packets, from the file or from memory.
pub struct SortedComments<S> {
    file: Option<S>,
    runs: Vec<Run>,
    /// The packet of the next comment of each run, the run, and the length of the comment.
    heads: BinaryHeap<Reverse<(u64, usize, usize)>>,
    texts: String,
    entries: std::vec::IntoIter<(u64, usize, usize)>,
}

impl<S: Read + Seek> SortedComments<S> {
    /// Passes the comments on a packet to `take`. Packets have to be asked for in their order.
    /// Returns how many comments were skipped, because they are on earlier packets that were not
    /// asked for.
    pub fn of_packet(&mut self, frame: u64, mut take: impl FnMut(&[u8])) -> io::Result<u64> {
        let mut skipped = 0;
        let mut give = |of: u64, text: &[u8]| {
            if of == frame { take(text) } else { skipped += 1 }
        };
        while let Some(&(of, start, end)) = self.entries.as_slice().first()
            && of <= frame
        {
            give(of, self.texts.as_bytes().get(start..end).unwrap_or(&[]));
            self.entries.next();
        }
        let Some(file) = &mut self.file else { return Ok(skipped) };
        while let Some(&Reverse((of, number, len))) = self.heads.peek()
            && of <= frame
        {
            self.heads.pop();
            let Some(run) = self.runs.get_mut(number) else { continue };
            give(of, run.take(len));
            if let Some((next, len)) = run.head(file)? {
                self.heads.push(Reverse((next, number, len)));
            }
        }
        Ok(skipped)
    }
}

impl Run {
    /// Reads the header of the next comment: its packet and its length. Afterwards, the whole
    /// comment is in memory.
    fn head<S: Read + Seek>(&mut self, file: &mut S) -> io::Result<Option<(u64, usize)>> {
        if !self.fill(file, HEADER)? {
            return Ok(None);
        }
        let header = self.piece.get(self.read..).unwrap_or(&[]);
        let Some((frame, rest)) = header.split_first_chunk() else { return Ok(None) };
        let Some(len) = rest.first_chunk() else { return Ok(None) };
        let (frame, len) = (u64::from_le_bytes(*frame), usize::from(u16::from_le_bytes(*len)));
        self.read = self.read.saturating_add(HEADER);
        Ok(self.fill(file, len)?.then_some((frame, len)))
    }

    /// The text of the comment whose header was read.
    fn take(&mut self, len: usize) -> &[u8] {
        let start = self.read;
        self.read = start.saturating_add(len);
        self.piece.get(start..self.read).unwrap_or(&[])
    }

    /// Reads until this many bytes are in memory. Returns false if the run ends before.
    fn fill<S: Read + Seek>(&mut self, file: &mut S, needed: usize) -> io::Result<bool> {
        let there = self.piece.len().saturating_sub(self.read);
        if there >= needed {
            return Ok(true);
        }
        let rest = self.end.saturating_sub(self.start);
        let more = usize::try_from(rest).unwrap_or(usize::MAX).min(PIECE.max(needed));
        self.piece.drain(..self.read);
        self.read = 0;
        self.piece.resize(there.saturating_add(more), 0);
        file.seek(SeekFrom::Start(self.start))?;
        file.read_exact(self.piece.get_mut(there..).unwrap_or(&mut []))?;
        self.start += more as u64;
        Ok(self.piece.len() >= needed)
    }
}

/// Adds a text of at most `limit` bytes. A longer one is cut, and ends with an ellipsis. Characters that
/// would disturb a line are escaped.
pub(super) fn write_bounded(text: &dyn Display, limit: usize, out: &mut String) {
    let mut bounded = BoundedText { left: limit.saturating_sub(CUT.len()), out };
    // `BoundedText` fails if the text does not fit.
    if write!(bounded, "{text}").is_err() {
        out.push_str(CUT);
    }
}

/// Writes text until `left` bytes are written, and then fails. Escapes characters that would
/// disturb a line.
struct BoundedText<'o> {
    left: usize,
    out: &'o mut String,
}

impl fmt::Write for BoundedText<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            let before = self.out.len();
            if disturbs_line(character) {
                self.out.extend(character.escape_default());
            } else {
                self.out.push(character);
            }
            let added = self.out.len().saturating_sub(before);
            let Some(left) = self.left.checked_sub(added) else {
                self.out.truncate(before);
                return Err(fmt::Error);
            };
            self.left = left;
        }
        Ok(())
    }
}

impl<S> fmt::Debug for Comments<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comments { entries, runs, .. } = self;
        debug_fields!(f, Comments { in_memory = entries.len(), runs = runs.len(), .. })
    }
}
