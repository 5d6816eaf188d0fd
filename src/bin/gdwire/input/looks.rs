//! Recognizes files that are neither captures nor value files, by their first bytes.
//!
//! When a file cannot be read, its error names what the file looks like and what to do with it.

use super::notation;
use gdwire::capture::Capture;
use std::fmt;

/// The number of bytes of a text that are examined.
const SAMPLE: usize = 4096;

/// What a file looks like, and what the user can do about it: "gzip data; unpack it first …".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Look {
    name: &'static str,
    advice: &'static str,
}

impl fmt::Display for Look {
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
    (b"GCPF", "a compressed Godot save",
     SAVE),
    (b"GDEC", "an encrypted Godot save",
     SAVE),
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

const BASE64: Look = Look { name: "base64", advice: "use --input base64" };

const CAPTURE: Look = Look { name: "a capture", advice: "use --input capture" };

const HEX: Look = Look { name: "hex", advice: "use --input hex" };

const MIXED_HEX: Look = Look {
    name: "hex with prefixes or separators",
    advice: "remove them: --input hex reads lines of hex digits and spaces",
};

const LITERAL: Look = Look {
    name: "values written as text or JSON",
    advice: "'gdwire encode' turns them into bytes",
};

const MARKED_HEX: Look =
    Look { name: "hex with a byte order mark", advice: "save it in UTF-8 without a mark" };

const TEXT: Look = Look {
    name: "text",
    advice: "--input hex and --input base64 read encoded bytes, \
             and 'gdwire encode' reads values written as text",
};

/// What the first bytes of a file look like. `None` if they look like no known format and no text.
pub(crate) fn look(sample: &[u8]) -> Option<Look> {
    format(sample).or_else(|| text(sample))
}

/// Like [`look`], but recognizes no text: for a file that should be text.
pub(crate) fn format(sample: &[u8]) -> Option<Look> {
    if Capture::recognizes(sample) {
        return Some(CAPTURE);
    }
    let (_, name, advice) = FORMATS.iter().find(|(magic, ..)| sample.starts_with(magic))?;
    Some(Look { name, advice })
}

fn text(sample: &[u8]) -> Option<Look> {
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

/// Whether a line is base64 of bytes that start like a value.
fn is_base64(line: &str) -> bool {
    let mut bytes = Vec::new();
    notation::BASE64.decode(&mut line.as_bytes().to_vec(), &mut bytes).is_ok()
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
