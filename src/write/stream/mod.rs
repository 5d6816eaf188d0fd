//! Reads and writes the frames of streams: values that follow their length.
//!
//! Over TCP, in files and from the remote debugger, the length of each value precedes it. Both
//! together are a frame. A [`FrameReader`] reads frames, [`write_frame`] writes them:
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::{Dialect, encode, parse, stream::{FrameReader, write_frame}, variant};
//! use std::io::{Read, Write};
//!
//! fn answer(game: impl Read, mut out: impl Write) -> Result<(), Box<dyn std::error::Error>> {
//!     let mut frames = FrameReader::new(game);
//!     while let Some(frame) = frames.next_frame()? {
//!         let value = parse(Dialect::GODOT_3, frame)?;
//!         let name = value.get("name").and_then(|name| name.as_str()).unwrap_or("you");
//!         write_frame(&mut out, &encode(Dialect::GODOT_3, &variant!({ "hello": name }))?)?;
//!     }
//!     Ok(())
//! }
//! # let (mut asked, mut answered) = (Vec::new(), Vec::new());
//! # write_frame(&mut asked, &encode(Dialect::GODOT_3, &variant!({ "name": "player_one" }))?)?;
//! # answer(&asked[..], &mut answered)?;
//! # let mut frames = FrameReader::new(&answered[..]);
//! # let frame = frames.next_frame()?.ok_or("no answer")?;
//! # let name = parse(Dialect::GODOT_3, frame)?.get("hello").and_then(|name| name.as_str());
//! # assert_eq!(name, Some("player_one"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! If your program reads the stream itself, push each piece that arrives to a [`Framer`]:
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use gdwire::{Dialect, parse, stream::Framer};
//!
//! let mut framer = Framer::new();
//! // The pieces that two calls of `read` on a socket returned.
//! for piece in [&[8, 0, 0, 0, 2, 0][..], &[0, 0, 42, 0, 0, 0, 8, 0]] {
//!     framer.push(piece);
//!     while let Some(frame) = framer.next_frame()? {
//!         assert_eq!(parse(Dialect::GODOT_3, frame)?.as_i64(), Some(42));
//!     }
//! }
//! assert_eq!(framer.needed(), 2);
//! # Ok::<(), gdwire::Error>(())
//! ```
//!
//! - [`FrameReader`] reads frames from a stream, [`Framer`] from pieces, and [`split_frame`] from
//!   your own buffer.
//! - [`write_frame`] writes encoded bytes as a frame, such as those of [`crate::encode()`] or
//!   `to_vec`. [`encode_frame`] appends a value as a frame to a buffer.
//! - [`Scanner`] finds the ends of values that follow each other without a length.

#[cfg(feature = "alloc")]
mod framer;
mod scanner;

#[cfg(feature = "std")]
pub use framer::FrameReader;
#[cfg(feature = "alloc")]
pub use framer::Framer;
pub use scanner::{Progress, Scanner};

#[cfg(feature = "alloc")]
use super::encode::{Encode, EncodeError, EncodeProblem, Sink, encode_into};
#[cfg(feature = "alloc")]
use crate::value::Dialect;
use crate::value::{Error, Problem, Reading};
#[cfg(feature = "std")]
use std::io::{self, ErrorKind, IoSlice, Write};

/// The default limit for the length of a frame: 64 MiB.
pub const DEFAULT_FRAME_LIMIT: u32 = 64 << 20;

/// The result of [`split_frame`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Split<'a> {
    /// A whole frame.
    Frame {
        /// Its content, without the length.
        frame: &'a [u8],
        /// The bytes after it.
        rest: &'a [u8],
    },
    /// The frame is cut off. It needs at least this many more bytes.
    Needed(usize),
}

/// Splits one frame off the front of a buffer. A frame is a `u32` with the length, followed by the
/// content, as `store_var`, `StreamPeer.put_var` and `PacketPeerStream` write it.
///
/// ```
/// use gdwire::stream::{Split, split_frame};
///
/// let received = [2, 0, 0, 0, b'h', b'i', 3, 0];
/// let Split::Frame { frame, rest } = split_frame(&received, 1024)? else {
///     panic!("it is all there");
/// };
/// assert_eq!(frame, b"hi");
/// assert_eq!(split_frame(rest, 1024)?, Split::Needed(2));
/// # Ok::<(), gdwire::Error>(())
/// ```
///
/// # Errors
///
/// [`Problem::FrameTooLong`] if the length exceeds `limit`, even if the content has not arrived.
pub fn split_frame(buffer: &[u8], limit: u32) -> Result<Split<'_>, Error> {
    let Some((length, rest)) = buffer.split_first_chunk() else {
        return Ok(Split::Needed(4usize.saturating_sub(buffer.len())));
    };
    let length = u32::from_le_bytes(*length);
    if length > limit {
        return Err(Error::new(
            0,
            Reading::FrameLength,
            Problem::FrameTooLong { len: length, limit },
        ));
    }
    let length = length as usize;
    Ok(match rest.split_at_checked(length) {
        Some((frame, rest)) => Split::Frame { frame, rest },
        None => Split::Needed(length.saturating_sub(rest.len())),
    })
}

/// The error of a stream that ends after these bytes, which are less than a frame. `None` if there
/// are no bytes, because the stream then ends after a whole frame.
#[cfg(feature = "std")]
pub(crate) fn cut_off(rest: &[u8], limit: u32) -> Option<Error> {
    let Ok(Split::Needed(missing)) = split_frame(rest, limit) else { return None };
    let (offset, reading) = match rest.len() {
        0 => return None,
        1..4 => (0, Reading::FrameLength),
        _ => (4, Reading::Frame),
    };
    let available = rest.len().saturating_sub(offset);
    let needed = missing.saturating_add(available);
    Some(Error::new(offset, reading, Problem::UnexpectedEnd { needed, available }))
}

/// The four bytes before the content of a frame: its length as a little-endian `u32`. `None` if the
/// length does not fit.
///
/// [`split_frame`] reads such frames.
#[inline]
#[must_use]
pub const fn frame_prefix(length: usize) -> Option<[u8; 4]> {
    if length as u64 > u32::MAX as u64 {
        return None;
    }
    Some((length as u32).to_le_bytes())
}

/// Writes bytes as a frame, in a single write if the writer accepts them all at once.
///
/// ```
/// use gdwire::{Dialect, encode, stream::write_frame};
///
/// let mut stream = Vec::new(); // or a `TcpStream`, or a file for `get_var`
/// write_frame(&mut stream, &encode(Dialect::GODOT_3, &42)?)?;
/// assert_eq!(stream, [8, 0, 0, 0, 2, 0, 0, 0, 42, 0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The errors of the writer, and the kind `InvalidInput` if the length does not fit in a `u32`.
#[cfg(feature = "std")]
pub fn write_frame(mut writer: impl Write, content: &[u8]) -> io::Result<()> {
    let prefix = frame_prefix(content.len()).ok_or_else(|| {
        let problem = EncodeProblem::FrameTooLong { len: content.len(), limit: u32::MAX };
        io::Error::new(ErrorKind::InvalidInput, EncodeError::from(problem))
    })?;
    let written = loop {
        match writer.write_vectored(&[IoSlice::new(&prefix), IoSlice::new(content)]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    let in_content = written.saturating_sub(prefix.len());
    writer.write_all(prefix.get(written..).unwrap_or(&[]))?;
    writer.write_all(content.get(in_content..).unwrap_or(&[]))
}

/// Appends a value as a frame to a buffer, so that you can send several values in one write.
///
/// ```
/// use gdwire::{Dialect, stream::encode_frame};
///
/// let mut out = Vec::new();
/// encode_frame(Dialect::GODOT_3, &true, &mut out)?;
/// encode_frame(Dialect::GODOT_3, &(), &mut out)?;
/// assert_eq!(out, [8, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]);
/// # Ok::<(), gdwire::EncodeError>(())
/// ```
///
/// # Errors
///
/// Those of [`encode`](crate::encode()), and
/// [`EncodeProblem::FrameTooLong`](crate::encode::EncodeProblem::FrameTooLong). After an error, `out`
/// is unchanged.
#[cfg(feature = "alloc")]
pub fn encode_frame<T: Encode + ?Sized>(
    dialect: Dialect,
    value: &T,
    out: &mut alloc::vec::Vec<u8>,
) -> Result<(), EncodeError> {
    append_frame(out, u32::MAX, |out| encode_into(dialect, value, out).map(drop))
}

/// A buffer to which a frame is appended before its length is known.
#[cfg(feature = "alloc")]
pub(crate) trait FrameBuffer: Sink + AsMut<[u8]> {
    fn truncate(&mut self, length: usize);
}

#[cfg(feature = "alloc")]
impl FrameBuffer for alloc::vec::Vec<u8> {
    fn truncate(&mut self, length: usize) {
        self.truncate(length);
    }
}

#[cfg(feature = "bytes")]
impl FrameBuffer for bytes::BytesMut {
    fn truncate(&mut self, length: usize) {
        self.truncate(length);
    }
}

/// Appends the bytes that `write` appends as a frame. Appends nothing if that fails, or if the
/// frame is longer than `limit`.
#[cfg(feature = "alloc")]
pub(crate) fn append_frame<B: FrameBuffer, E: From<EncodeError>>(
    out: &mut B,
    limit: u32,
    write: impl FnOnce(&mut B) -> Result<(), E>,
) -> Result<(), E> {
    let start = out.as_mut().len();
    out.put(&[0; 4]);
    let written = write(out).and_then(|()| {
        let length = out.as_mut().len().saturating_sub(start).saturating_sub(4);
        let prefix = frame_prefix(length).filter(|_| length as u64 <= u64::from(limit));
        prefix.ok_or_else(|| {
            EncodeError::from(EncodeProblem::FrameTooLong { len: length, limit }).into()
        })
    });
    let place = out.as_mut().get_mut(start..).and_then(<[u8]>::first_chunk_mut);
    match (written, place) {
        (Ok(prefix), Some(place)) => *place = prefix,
        (Ok(_), None) => {}
        (Err(error), _) => {
            out.truncate(start);
            return Err(error);
        }
    }
    Ok(())
}
