//! Reads values in hex or base64, one a line.

use crate::reading::{Failure, Place, Reading, Trouble, at_path};
use data_encoding::{BASE64_NOPAD, DecodeError, DecodeKind, Encoding, HEXLOWER_PERMISSIVE};
use gdwire::{Error, Problem, parse, parse_prefix};
use std::io::{self, BufRead, Read};

/// The longest line that is read: 256 MiB.
const LIMIT: u64 = 256 << 20;

/// How bytes are written in a line.
pub(crate) struct Notation {
    name: &'static str,
    encoding: &'static Encoding,
    is_digit: fn(u8) -> bool,
    /// Describes the problem of a line whose number of digits is impossible.
    wrong_length: fn(usize) -> String,
}

pub(crate) const HEX: Notation = Notation {
    name: "hex",
    encoding: &HEXLOWER_PERMISSIVE,
    is_digit: |byte| byte.is_ascii_hexdigit(),
    wrong_length: |digits| {
        let noun = if digits == 1 { "digit" } else { "digits" };
        format!("{digits} {noun}, but each byte needs two")
    },
};

/// Base64, with or without padding.
pub(crate) const BASE64: Notation = Notation {
    name: "base64",
    encoding: &BASE64_NOPAD,
    is_digit: |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'),
    wrong_length: |digits| {
        let noun = if digits == 1 { "character" } else { "characters" };
        format!("{digits} {noun}; the last one alone makes no byte")
    },
};

pub(crate) fn read(
    reading: &mut Reading<'_>,
    input: &mut dyn BufRead,
    notation: &Notation,
) -> Result<(), Failure> {
    let mut line = Vec::new();
    let mut bytes = Vec::new();
    let mut number = 0_u64;
    while next_line(input, &mut line).map_err(Failure::Input)? {
        number = number.saturating_add(1);
        let place = Place::Line(number);
        if let Err(problem) = notation.decode(&mut line, &mut bytes) {
            reading.sink.trouble(Trouble::NoBytes);
            reading.failure(place, &problem)?;
            continue;
        }
        match parse_prefix(reading.dialect, &bytes) {
            Ok(([], value)) => reading.value(place, value)?,
            Ok((_, value)) => match parse(reading.dialect, &bytes) {
                Err(error) if reading.is_strict => no_value(reading, place, &error, &bytes)?,
                Err(error) => {
                    let warning = match error.problem {
                        Problem::TrailingBytes { count } => {
                            let noun = if count == 1 { "byte" } else { "bytes" };
                            let offset = error.offset;
                            format!(
                                "{place}: byte {offset}: ignored {count} {noun} after the value"
                            )
                        }
                        _ => format!("{place}: {error}; ignored"),
                    };
                    reading.diagnostics.warning(&reading.name, &warning);
                    reading.value(place, value)?;
                }
                Ok(value) => reading.value(place, value)?,
            },
            Err(error) => no_value(reading, place, &error, &bytes)?,
        }
    }
    Ok(())
}

fn no_value(
    reading: &mut Reading<'_>,
    place: Place,
    error: &Error,
    bytes: &[u8],
) -> Result<(), Failure> {
    reading.sink.trouble(Trouble::NoValue(error));
    let path = at_path(error, reading.dialect, bytes);
    reading.failure(place, &format_args!("{error}{path}"))
}

/// Takes a line from a stream, with its line break. Returns false at the end of the stream.
pub(crate) fn take_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    input.take(LIMIT).read_until(b'\n', line)?;
    Ok(!line.is_empty())
}

/// Reads a line with its line break, or the beginning of a line that is too long.
fn next_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    if !take_line(input, line)? {
        return Ok(false);
    }
    if line.len() as u64 == LIMIT && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(true)
}

impl Notation {
    /// Decodes a line into `bytes`. The content of `line` is not specified afterwards.
    pub(crate) fn decode(&self, line: &mut Vec<u8>, bytes: &mut Vec<u8>) -> Result<(), String> {
        if line.len() as u64 == LIMIT {
            return Err(format!("the line is longer than {LIMIT} bytes"));
        }
        let (mut column, mut kept) = (0_usize, 0);
        let mut wrong: Option<Wrong> = None;
        line.retain(|&byte| {
            // The bytes of a character after its first have this pattern.
            column += usize::from(byte & 0xc0 != 0x80);
            if byte.is_ascii_whitespace() {
                return false;
            }
            if wrong.is_none() && !(self.is_digit)(byte) {
                wrong = Some(Wrong { at: kept, column: column.max(1) });
            }
            kept += 1;
            true
        });
        if line.is_empty() {
            return Err("the line is empty".to_owned());
        }
        while self.encoding.specification().padding.is_none() && line.last() == Some(&b'=') {
            line.pop();
        }
        let problem = |what: &str| format!("not a {} string: {what}", self.name);
        if let Some(wrong) = wrong
            && let Some(rest @ [first, ..]) = line.get(wrong.at..)
        {
            return Err(problem(&wrong.describe(rest, *first)));
        }
        let refused = |error: DecodeError| {
            problem(&match error.kind {
                DecodeKind::Length => (self.wrong_length)(line.len()),
                _ => "the unused bits of the last character are not zero".to_owned(),
            })
        };
        bytes.clear();
        bytes.resize(self.encoding.decode_len(line.len()).map_err(refused)?, 0);
        let length =
            self.encoding.decode_mut(line, bytes).map_err(|partial| refused(partial.error))?;
        bytes.truncate(length);
        Ok(())
    }
}

/// The first byte of a line that is neither a digit nor white space.
#[derive(Clone, Copy)]
struct Wrong {
    /// Its place in the line without white space.
    at: usize,
    /// Its character in the line, from 1.
    column: usize,
}

impl Wrong {
    /// Describes the byte `first` that `rest` starts with.
    fn describe(self, rest: &[u8], first: u8) -> String {
        let column = self.column;
        let character = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        match character {
            Some(character) => {
                let advice = match character {
                    'x' | 'X' => "; write the digits without 0x or \\x",
                    _ => "",
                };
                format!("unexpected character {character:?} at column {column}{advice}")
            }
            None => format!("unexpected byte {first:#04x} at column {column}"),
        }
    }
}
