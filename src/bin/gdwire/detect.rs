//! What a file holds, by its first bytes.

use crate::args::Input;
use crate::frames;
use gdwire::capture::Capture;
use gdwire::{Dialect, Problem, parse, parse_prefix};

/// How many bytes of a stream are looked at.
pub(crate) const PREFIX: usize = 4096;

/// What a file holds that starts with `prefix`, the whole file if `is_whole`. Its values are of
/// one of the dialects.
pub(crate) fn detect(dialects: &[Dialect], prefix: &[u8], is_whole: bool) -> Input {
    if Capture::recognizes(prefix) {
        Input::Capture
    } else if is_hex(prefix) {
        Input::Hex
    } else if is_framed(dialects, prefix, is_whole) {
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
/// by far the more common. If both readings fail, it is the one whose length fits.
fn is_framed(dialects: &[Dialect], prefix: &[u8], is_whole: bool) -> bool {
    let Some((length, rest)) = prefix.split_first_chunk() else { return false };
    let length = u32::from_le_bytes(*length) as usize;
    if let Some((frame, rest)) = rest.split_at_checked(length) {
        let next = rest.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
        let is_read =
            dialects.iter().any(|dialect| parse(*dialect, frame).is_ok()) && next <= frames::LIMIT;
        return is_read || !may_be_raw(dialects, prefix, is_whole);
    }
    // The frame goes on behind the prefix: whether the value in it does as well.
    !is_whole
        && dialects.iter().any(|dialect| {
            parse(*dialect, rest).is_err_and(|error| match error.problem {
                Problem::UnexpectedEnd { needed, .. } => {
                    error.offset.saturating_add(needed) <= length
                }
                _ => false,
            })
        })
}

/// Whether a value starts here, as far as can be seen.
fn may_be_raw(dialects: &[Dialect], prefix: &[u8], is_whole: bool) -> bool {
    dialects.iter().any(|dialect| match parse_prefix(*dialect, prefix) {
        Ok(_) => true,
        Err(error) => !is_whole && error.is_unexpected_end(),
    })
}
