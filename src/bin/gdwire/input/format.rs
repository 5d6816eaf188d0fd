//! `--input auto`: decides by the first bytes of a file whether it is a capture or has hex, framed
//! or raw values.

use super::failure::Failure;
use super::looks;
use super::stream::Buffer;
use super::values::{LIMIT, reach_frame, split_frame as split};
use crate::args::Input;
use gdwire::capture::Capture;
use gdwire::{Dialect, parse, parse_prefix};

/// The number of bytes of the first line that are read.
const LINE: usize = 4096;

/// Reads the bytes that the decision needs, and returns how many these are: the first line, or the
/// first frame, and the second frame if the first is not enough. It reads no more, so that the
/// first value of a slow stream is shown before the others arrive.
pub(crate) fn reach(buffer: &mut Buffer, dialects: &[Dialect]) -> Result<usize, Failure> {
    let idle = &mut || Ok(true);
    buffer.reach(4, idle)?;
    let bytes = buffer.unread();
    let start = bytes.get(..4).unwrap_or(bytes);
    if Capture::recognizes(start) {
        return Ok(start.len());
    }
    if start.iter().all(|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace()) {
        let read = start.len();
        return buffer.reach_byte(b'\n', read, read.saturating_add(LINE), idle);
    }
    let len = reach_frame(buffer, 0, idle)?;
    let is_enough = |(frame, _)| is_value(dialects, frame) && !may_be_string(frame);
    match buffer.unread().get(..len).and_then(split) {
        Some(first) if !is_enough(first) => Ok(len.saturating_add(reach_frame(buffer, len, idle)?)),
        _ => Ok(len),
    }
}

/// How to read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detected {
    pub(crate) input: Input,
    /// Whether the first bytes are valid for this input. If not, they are valid for none, and this
    /// input is the best guess.
    pub(crate) is_sure: bool,
}

/// Decides how to read a file that starts with `prefix`: the whole file, or what [`reach`] found in a
/// stream. Its values are of one of the dialects.
pub(crate) fn detect(dialects: &[Dialect], prefix: &[u8]) -> Detected {
    let sure = |input| Detected { input, is_sure: true };
    if Capture::recognizes(prefix) {
        sure(Input::Capture)
    } else if is_hex(prefix) {
        sure(Input::Hex)
    } else if let Some(is_sure) = framed(dialects, prefix) {
        Detected { input: Input::Framed, is_sure }
    } else {
        Detected { input: Input::Raw, is_sure: is_header(dialects, prefix) }
    }
}

/// Whether the first line is hexadecimal. No value and no frame of sensible size starts with digits:
/// type numbers are less than the code of the digit 0, and four digits are a length of 800 MB.
fn is_hex(prefix: &[u8]) -> bool {
    let line = prefix.split(|byte| *byte == b'\n').next().unwrap_or(prefix).trim_ascii();
    line.len() >= 4 && line.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b' ')
}

/// Whether the file has frames: `None` if not, otherwise whether that is sure. It has frames if the
/// first frame contains exactly one value: among files that are valid both as frames and as raw
/// values, frames are far more common. Otherwise it has frames if its first bytes cannot start a
/// raw value, or if no raw value starts there and the second frame contains exactly one value. A
/// single frame that is cut off may be another format by chance.
fn framed(dialects: &[Dialect], prefix: &[u8]) -> Option<bool> {
    let Some((frame, rest)) = split(prefix) else {
        let is_cut = !is_header(dialects, prefix) && is_cut_frame(dialects, prefix);
        return is_cut.then(|| looks::format(prefix).is_none());
    };
    let next = rest.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
    let is_first = is_value(dialects, frame) && !(may_be_string(frame) && next > LIMIT);
    let is_second = || split(rest).is_some_and(|(frame, _)| is_value(dialects, frame));
    if is_first {
        Some(true)
    } else if !is_header(dialects, prefix) {
        Some(is_second())
    } else {
        (!starts_with_value(dialects, prefix) && is_second()).then_some(true)
    }
}

/// Whether a frame with this content could also be the start of a raw string: the length of the
/// frame is then the string's type, and the content its length. After them is either the length of
/// the next frame or the text.
fn may_be_string(frame: &[u8]) -> bool {
    frame.len() == 4 && frame != [0; 4]
}

fn is_value(dialects: &[Dialect], bytes: &[u8]) -> bool {
    dialects.iter().any(|dialect| parse(*dialect, bytes).is_ok())
}

fn starts_with_value(dialects: &[Dialect], bytes: &[u8]) -> bool {
    dialects.iter().any(|dialect| parse_prefix(*dialect, bytes).is_ok())
}

/// Whether the first four bytes can be the header of a value: a type that one of the dialects
/// has, in the low byte, and flags, all of which are in the upper half.
fn is_header(dialects: &[Dialect], bytes: &[u8]) -> bool {
    let Some(header @ [_, 0, ..]) = bytes.first_chunk::<4>() else { return false };
    dialects.iter().any(|dialect| match parse_prefix(*dialect, header) {
        Ok(_) => true,
        Err(error) => error.is_unexpected_end(),
    })
}

/// Whether the file ends within the first frame and within the value in that frame.
fn is_cut_frame(dialects: &[Dialect], bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk() else { return false };
    u32::from_le_bytes(*length) <= LIMIT
        && dialects
            .iter()
            .any(|dialect| parse(*dialect, rest).is_err_and(|error| error.is_unexpected_end()))
}
