//! Writes frames.

#[cfg(feature = "alloc")]
use crate::value::Dialect;
#[cfg(feature = "alloc")]
use crate::write::encode::{Encode, EncodeError, EncodeProblem, Sink, encode_into};
#[cfg(feature = "std")]
use std::io::{self, ErrorKind, IoSlice, Write};

/// The four bytes before the content of a frame: its length as a little-endian `u32`. `None` if the
/// length does not fit.
///
/// [`split_frame`](super::split_frame) reads such frames.
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
