//! One value a line, in hex or base64.

use crate::reading::{Failure, Place, Reading, Trouble};
use data_encoding::{BASE64_NOPAD, Encoding, HEXLOWER_PERMISSIVE};
use gdwire::{Error, parse, parse_prefix};
use std::io::{self, BufRead, Read};

/// The longest line that is read: 256 MiB.
const LIMIT: u64 = 256 << 20;

/// How bytes are written in a line.
pub(crate) struct Notation {
    name: &'static str,
    encoding: &'static Encoding,
}

pub(crate) const HEX: Notation = Notation { name: "hex", encoding: &HEXLOWER_PERMISSIVE };

/// With or without padding.
pub(crate) const BASE64: Notation = Notation { name: "base64", encoding: &BASE64_NOPAD };

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
                Err(error) if reading.is_strict => no_value(reading, place, &error)?,
                Err(error) => {
                    let warning = format!("{place}: {error}; ignored");
                    reading.diagnostics.warning(&reading.name, &warning);
                    reading.value(place, value)?;
                }
                Ok(value) => reading.value(place, value)?,
            },
            Err(error) => no_value(reading, place, &error)?,
        }
    }
    Ok(())
}

fn no_value(reading: &mut Reading<'_>, place: Place, error: &Error) -> Result<(), Failure> {
    reading.sink.trouble(Trouble::NoValue(error));
    reading.failure(place, error)
}

/// Takes a line off a stream, to look at it, its end included: false at the end of the stream.
pub(crate) fn take_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    input.take(LIMIT).read_until(b'\n', line)?;
    Ok(!line.is_empty())
}

/// Reads a line, its end included; of one that is too long, its beginning.
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
    /// The bytes that a line says; what else is in the line is lost.
    pub(crate) fn decode(&self, line: &mut Vec<u8>, bytes: &mut Vec<u8>) -> Result<(), String> {
        if line.len() as u64 == LIMIT {
            return Err(format!("the line is longer than {LIMIT} bytes"));
        }
        line.retain(|byte| !byte.is_ascii_whitespace());
        if line.is_empty() {
            return Err("the line is empty".to_owned());
        }
        while self.encoding.specification().padding.is_none() && line.last() == Some(&b'=') {
            line.pop();
        }
        let problem = |error| format!("no {}: {error}", self.name);
        bytes.clear();
        bytes.resize(self.encoding.decode_len(line.len()).map_err(problem)?, 0);
        let length =
            self.encoding.decode_mut(line, bytes).map_err(|partial| problem(partial.error))?;
        bytes.truncate(length);
        Ok(())
    }
}
