//! Splits frames off the caller's buffer.

use crate::value::{Error, Problem, Reading};

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
