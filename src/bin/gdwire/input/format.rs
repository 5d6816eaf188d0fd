//! `--input auto`: decides by the first bytes of a file whether it is a capture or has hex, framed
//! or raw values.

use super::InputFailure;
use super::buffer::InputBuffer;
use super::values::{BASE64 as BASE64_NOTATION, LONGEST_FRAME, reach_frame, split_frame};
use crate::args::Input;
use gdwire::capture::Capture;
use gdwire::{Dialect, Kind, parse, parse_prefix};
use std::fmt;

/// The number of bytes of the first line that are read.
const LINE: usize = 4096;

/// Reads the bytes that the decision needs, and returns how many these are: the first line, or the
/// first frame, and the second frame if the first is not enough. It reads no more, so that the
/// first value of a slow stream is shown before the others arrive.
pub fn reach_sample(buffer: &mut InputBuffer, dialects: &[Dialect]) -> Result<usize, InputFailure> {
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
    match buffer.unread().get(..len).and_then(split_frame) {
        Some(first) if !is_enough(first) => Ok(len.saturating_add(reach_frame(buffer, len, idle)?)),
        _ => Ok(len),
    }
}

/// How to read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    pub input: Input,
    /// Whether the first bytes are valid for this input. If not, they are valid for none, and this
    /// input is the best guess.
    pub is_sure: bool,
}

/// Decides how to read a file that starts with `prefix`: the whole file, or what [`reach_sample`] found in a
/// stream. Its values are of one of the dialects.
pub fn detect(dialects: &[Dialect], prefix: &[u8]) -> Detected {
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
    let Some((frame, rest)) = split_frame(prefix) else {
        let is_cut = !is_header(dialects, prefix) && is_cut_frame(dialects, prefix);
        return is_cut.then(|| known_format(prefix).is_none());
    };
    let next = rest.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
    let is_first = is_value(dialects, frame) && !(may_be_string(frame) && next > LONGEST_FRAME);
    let is_second = || split_frame(rest).is_some_and(|(frame, _)| is_value(dialects, frame));
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
    u32::from_le_bytes(*length) <= LONGEST_FRAME
        && dialects
            .iter()
            .any(|dialect| parse(*dialect, rest).is_err_and(|error| error.is_unexpected_end()))
}

/// The number of bytes of a text that are examined.
const SAMPLE: usize = 4096;

/// The apparent format of a file, and advice for the user: "gzip data; unpack it first …".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileLook {
    name: &'static str,
    advice: &'static str,
}

impl FileLook {
    const fn new(name: &'static str, advice: &'static str) -> FileLook {
        FileLook { name, advice }
    }
}

impl fmt::Display for FileLook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.name, self.advice)
    }
}

/// The formats that gdwire reads. Errors name them if there is no better advice.
const READS: &str = "gdwire reads pcap and pcapng captures, store_var files, hex and base64";

const RESOURCE: &str = "gdwire does not read resources, only values written with store_var";

const EDITCAP: &str = "convert it to pcapng first, for example with Wireshark's editcap";

const SAVE: &str =
    "'gdwire decode' shows its values, and 'gdwire convert' writes it in other formats";

/// The first bytes of known formats. None of them can start a value, because the second byte of a
/// value is zero.
#[rustfmt::skip]
const FORMATS: &[(&[u8], &str, &str)] = &[
    (b"\x1f\x8b", "gzip data", "unpack it first, for example with gunzip"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data", "unpack it first, for example with unzstd"),
    (b"\x04\x22\x4d\x18", "LZ4 data", "unpack it first, for example with unlz4"),
    (b"\xfd7zX", "xz data", "unpack it first, for example with unxz"),
    (b"BZh", "bzip2 data", "unpack it first, for example with bunzip2"),
    (b"PK\x03\x04", "a zip archive", "extract its files first, for example with unzip"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "extract its files first, for example with 7z"),
    (b"GCPF", "a compressed Godot save", SAVE),
    (b"GDEC", "an encrypted Godot save", SAVE),
    (b"RSRC", "a Godot resource", RESOURCE),
    (b"RSCC", "a compressed Godot resource", RESOURCE),
    (b"GDPC", "a Godot package (.pck)", READS),
    (b"GDSC", "a compiled GDScript file", READS),
    (b"GDST", "a Godot texture", READS),
    (b"GST2", "a Godot texture", READS),
    (b"snoop", "a snoop capture", EDITCAP),
    (b"GMBU", "a Microsoft Network Monitor capture", EDITCAP),
    (b"\xa1\xb2\xcd\x34", "a capture in a modified pcap format", EDITCAP),
    (b"\x89PNG", "a PNG image", READS),
    (b"\xff\xd8\xff", "a JPEG image", READS),
    (b"GIF8", "a GIF image", READS),
    (b"RIFF", "a RIFF file (WAV, WebP or AVI)", READS),
    (b"OggS", "an Ogg file", READS),
    (b"%PDF", "a PDF document", READS),
    (b"SQLi", "an SQLite database", READS),
    (b"\x7fELF", "an ELF program or library", READS),
    (b"MZ", "a Windows program or library (PE)", READS),
    (b"\xcf\xfa\xed\xfe", "a macOS program or library (Mach-O)", READS),
    (b"\xff\xfe", "text in UTF-16", "save it in UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "save it in UTF-8"),
];

const BASE64: FileLook = FileLook::new("base64", "use --input base64");
const CAPTURE: FileLook = FileLook::new("a capture", "use --input capture");
const HEX: FileLook = FileLook::new("hex", "use --input hex");
const MIXED_HEX: FileLook = FileLook::new(
    "hex with prefixes or separators",
    "remove them: --input hex reads lines of hex digits and spaces",
);
const LITERAL: FileLook =
    FileLook::new("values written as text or JSON", "'gdwire encode' turns them into bytes");
const NATIVE: FileLook =
    FileLook::new("native JSON", "'gdwire encode --input native' turns its values into bytes");
const MARKED_HEX: FileLook =
    FileLook::new("hex with a byte order mark", "save it in UTF-8 without a mark");
const TEXT: FileLook = FileLook::new(
    "text",
    "--input hex and --input base64 read encoded bytes, and 'gdwire encode' reads values written \
     as text",
);

/// The apparent format of a file, by its first bytes. `None` if they look like no known format and
/// no text.
pub fn look(sample: &[u8]) -> Option<FileLook> {
    known_format(sample).or_else(|| look_of_text(sample))
}

/// Like [`look`], but recognizes no text: for a file that should be text.
pub fn known_format(sample: &[u8]) -> Option<FileLook> {
    if Capture::recognizes(sample) {
        return Some(CAPTURE);
    }
    let (_, name, advice) = FORMATS.iter().find(|(magic, ..)| sample.starts_with(magic))?;
    Some(FileLook { name, advice })
}

fn look_of_text(sample: &[u8]) -> Option<FileLook> {
    let sample = sample.get(..SAMPLE).unwrap_or(sample);
    let text = match str::from_utf8(sample) {
        Ok(text) => text,
        // The sample may end within a character.
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(sample.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    let unmarked = text.strip_prefix('\u{feff}');
    let text = unmarked.unwrap_or(text);
    let is_text = |character: char| !character.is_control() || "\t\n\r\u{1b}".contains(character);
    if text.is_empty() || !text.chars().all(is_text) {
        return None;
    }
    let line = text.trim_start().lines().next().unwrap_or_default().trim_end();
    Some(if is_base64(line) {
        BASE64
    } else if is_native(line) {
        NATIVE
    } else if is_literal(line) {
        LITERAL
    } else if is_nearly_hex(line) {
        let is_plain = line.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b' ');
        match (is_plain, unmarked) {
            (true, None) => HEX,
            (true, Some(_)) => MARKED_HEX,
            (false, _) => MIXED_HEX,
        }
    } else {
        TEXT
    })
}

/// Whether a line begins as native JSON and not as other literals: with a typed text or an object
/// that has a type.
fn is_native(line: &str) -> bool {
    const TYPED: [&str; 5] = ["\"s:", "\"sn:", "\"np:", "\"i:", "\"f:"];
    let kind = line
        .strip_prefix('{')
        .and_then(|rest| rest.trim_start().strip_prefix("\"type\""))
        .and_then(|rest| rest.trim_start().strip_prefix(':'))
        .and_then(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
    TYPED.iter().any(|begin| line.starts_with(begin)) || kind.and_then(Kind::from_name).is_some()
}

/// Whether a line is base64 of bytes that start like a value.
fn is_base64(line: &str) -> bool {
    let mut bytes = Vec::new();
    BASE64_NOTATION.decode(&mut line.as_bytes().to_vec(), &mut bytes).is_ok()
        && matches!(bytes[..], [0..40, 0, _, 0, ..])
}

/// Whether a line starts as a dictionary, an array, a string or a constructor does.
fn is_literal(line: &str) -> bool {
    let name = line.trim_start_matches(|character: char| character.is_ascii_alphanumeric());
    line.starts_with(['{', '[', '"', '&', '^'])
        || name.len() < line.len() && name.starts_with(['(', '['])
        || matches!(line, "null" | "true" | "false")
}

/// Whether a line is hex with prefixes or separators: `0x02 0x00`, `02:00`, `02, 00`.
fn is_nearly_hex(line: &str) -> bool {
    let separators = [' ', ',', ':', '-', '\t', '\\'];
    let mut words = line.split(separators).filter(|word| !word.is_empty());
    let is_hex = |word: &str| {
        let digits = word.trim_start_matches("0x").trim_start_matches('x');
        digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    line.len() >= 4 && words.all(is_hex)
}
