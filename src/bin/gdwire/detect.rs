//! What a file holds, by its first bytes.

use crate::args::Input;
use crate::frames;
use gdwire::capture::Capture;
use gdwire::{Dialect, parse, parse_prefix};
use std::io::{self, BufRead, Cursor, Read};

/// The longest beginning of a line that is looked at.
const LINE: u64 = 4096;

/// Takes off a stream what is needed to see what it holds, and no more, so that the first value of
/// a slow stream need not wait for others: the first line, or the first frame, and the second if
/// the first does not tell.
pub(crate) fn prefix(stream: &mut dyn BufRead, dialects: &[Dialect]) -> io::Result<Vec<u8>> {
    let mut prefix = Vec::new();
    stream.take(4).read_to_end(&mut prefix)?;
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

/// What a file holds that starts with `prefix`: the whole file, or what was taken off a stream.
/// Its values are of one of the dialects.
pub(crate) fn detect(dialects: &[Dialect], prefix: &[u8]) -> Input {
    if Capture::recognizes(prefix) {
        Input::Capture
    } else if is_hex(prefix) {
        Input::Hex
    } else if is_framed(dialects, prefix) {
        Input::Framed
    } else {
        Input::Raw
    }
}

/// Whether the first line is hexadecimal. No value and no frame of sensible size starts so: type
/// numbers are less than the code of the digit 0, and four digits are a length of 800 MB.
fn is_hex(prefix: &[u8]) -> bool {
    let line = prefix.split(|byte| *byte == b'\n').next().unwrap_or(prefix).trim_ascii();
    line.len() >= 4 && line.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b' ')
}

/// Whether the first frame holds one value; of values that can be read either way, frames are
/// by far the more common. If it does not, they are frames if no value can start here, or if none
/// does and the second frame holds one.
fn is_framed(dialects: &[Dialect], prefix: &[u8]) -> bool {
    let Some((frame, rest)) = first_frame(prefix) else {
        return !is_header(dialects, prefix) && is_cut_frame(dialects, prefix);
    };
    let next = rest.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
    is_value(dialects, frame) && !(may_be_string(frame) && next > frames::LIMIT)
        || !is_header(dialects, prefix)
        || !starts_with_value(dialects, prefix)
            && first_frame(rest).is_some_and(|(frame, _)| is_value(dialects, frame))
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

/// Whether a frame of this content is as well the beginning of a string, whose type is the length
/// of the frame and whose length is the header in it. What follows is a length or text.
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

/// Whether the file ends in the first frame, and in the value in it.
fn is_cut_frame(dialects: &[Dialect], bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk() else { return false };
    u32::from_le_bytes(*length) <= frames::LIMIT
        && dialects
            .iter()
            .any(|dialect| parse(*dialect, rest).is_err_and(|error| error.is_unexpected_end()))
}
