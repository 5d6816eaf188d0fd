//! `--input auto`: decides by the first bytes of a file whether it is a capture or has hex, framed
//! or raw values.

use crate::args::Input;
use crate::{frames, looks};
use gdwire::capture::Capture;
use gdwire::{Dialect, parse, parse_prefix};
use std::io::{self, BufRead, Cursor, Read};

/// How much of the first line is read.
const LINE: u64 = 4096;

/// Takes from a stream what is needed for the decision: the first line, or the first frame, and the
/// second frame if the first is not enough. It takes no more, so that the first value of a slow
/// stream need not wait for others.
pub(crate) fn prefix(stream: &mut dyn BufRead, dialects: &[Dialect]) -> io::Result<Vec<u8>> {
    let mut prefix = Vec::new();
    stream.take(4).read_to_end(&mut prefix)?;
    if Capture::recognizes(&prefix) {
        return Ok(prefix);
    }
    if prefix.iter().all(|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace()) {
        stream.take(LINE).read_until(b'\n', &mut prefix)?;
        return Ok(prefix);
    }
    let mut first = Vec::new();
    let is_whole = frames::take_frame(&mut Cursor::new(prefix).chain(&mut *stream), &mut first)?;
    let tells = |(frame, _)| is_value(dialects, frame) && !may_be_string(frame);
    if is_whole && !first_frame(&first).is_some_and(tells) {
        let mut second = Vec::new();
        frames::take_frame(stream, &mut second)?;
        first.append(&mut second);
    }
    Ok(first)
}

/// How to read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detected {
    pub(crate) input: Input,
    /// Whether the first bytes are valid for this input. If not, they are valid for none, and this
    /// input is the best guess.
    pub(crate) is_sure: bool,
}

/// Decides how to read a file that starts with `prefix`, which is the whole file or what
/// [`prefix`] took from a stream. Its values are of one of the dialects.
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

/// Whether the file has frames, and if so, whether that is sure. It has if the first frame is one
/// value: of values that can be read either way, frames are by far the more common. If the first
/// frame is not, the file has frames if no value can start here, or if none does and the second
/// frame is one value. A single frame that is cut off may also be another format by chance.
fn framed(dialects: &[Dialect], prefix: &[u8]) -> Option<bool> {
    let Some((frame, rest)) = first_frame(prefix) else {
        let is_cut = !is_header(dialects, prefix) && is_cut_frame(dialects, prefix);
        return is_cut.then(|| looks::format(prefix).is_none());
    };
    let next = rest.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
    let is_first = is_value(dialects, frame) && !(may_be_string(frame) && next > frames::LIMIT);
    let is_second = || first_frame(rest).is_some_and(|(frame, _)| is_value(dialects, frame));
    if is_first {
        Some(true)
    } else if !is_header(dialects, prefix) {
        Some(is_second())
    } else {
        (!starts_with_value(dialects, prefix) && is_second()).then_some(true)
    }
}

/// The content of the first frame, if it is all there, and what follows.
fn first_frame(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = u32::from_le_bytes(*length);
    if length > frames::LIMIT {
        return None;
    }
    rest.split_at_checked(length as usize)
}

/// Whether a frame with this content could also be the start of a raw string: the length of the
/// frame is then the string's type, and the content its length. After it comes either the length
/// of the next frame or the text.
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
    u32::from_le_bytes(*length) <= frames::LIMIT
        && dialects
            .iter()
            .any(|dialect| parse(*dialect, rest).is_err_and(|error| error.is_unexpected_end()))
}
