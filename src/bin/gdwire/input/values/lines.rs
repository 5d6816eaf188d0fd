//! Reads lines of hex or base64, each of which is a value.

use crate::input::failure::Failure;
use crate::input::notation::{LIMIT, Notation};
use crate::input::reader::{PathOf, Reader};
use crate::input::stream::{Buffer, Idle};
use crate::sink::{Position, Trouble};
use gdwire::{Error, Problem, parse, parse_prefix};

/// Reads until the line that starts at byte `at` of the buffer is complete, the input ends, or the
/// line is too long. Returns its length, with its line break.
pub(crate) fn reach(buffer: &mut Buffer, at: usize, idle: Idle<'_>) -> Result<usize, Failure> {
    Ok(buffer.reach_byte(b'\n', at, at.saturating_add(LIMIT), idle)?.saturating_sub(at))
}

pub(crate) fn read(
    reader: &mut Reader<'_>,
    buffer: &mut Buffer,
    notation: &Notation,
) -> Result<(), Failure> {
    let mut line = Vec::new();
    let mut bytes = Vec::new();
    let mut number = 0_u64;
    loop {
        let len = reach(buffer, 0, &mut || reader.idle())?;
        let Some(found @ [.., last]) = buffer.unread().get(..len) else { return Ok(()) };
        let is_cut = *last != b'\n';
        if is_cut && len < LIMIT && !buffer.is_at_end() || buffer.is_interrupted() {
            return Ok(());
        }
        line.clear();
        line.extend_from_slice(found);
        buffer.consume(len);
        if is_cut && len == LIMIT {
            skip_line(reader, buffer)?;
        }
        number = number.saturating_add(1);
        let place = Position::Line(number);
        if let Err(problem) = notation.decode(&mut line, &mut bytes) {
            reader.sink.trouble(Trouble::NoBytes);
            reader.failure(place, &problem)?;
            continue;
        }
        match parse_prefix(reader.dialect, &bytes) {
            Ok(([], value)) => reader.value(place, value)?,
            Ok((_, value)) => match parse(reader.dialect, &bytes) {
                Err(error) if reader.is_strict => no_value(reader, place, &error, &bytes)?,
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
                    reader.diagnostics.repeated_warning(&reader.name, &warning);
                    reader.value(place, value)?;
                }
                Ok(value) => reader.value(place, value)?,
            },
            Err(error) => no_value(reader, place, &error, &bytes)?,
        }
    }
}

/// Skips the rest of a line.
fn skip_line(reader: &mut Reader<'_>, buffer: &mut Buffer) -> Result<(), Failure> {
    loop {
        let len = reach(buffer, 0, &mut || reader.idle())?;
        let is_last = len < LIMIT || buffer.unread().get(len - 1) == Some(&b'\n');
        buffer.consume(len);
        if is_last {
            return Ok(());
        }
    }
}

fn no_value(
    reader: &mut Reader<'_>,
    place: Position,
    error: &Error,
    bytes: &[u8],
) -> Result<(), Failure> {
    reader.sink.trouble(Trouble::NoValue(error));
    let path = PathOf { error, dialect: reader.dialect, input: bytes };
    reader.failure(place, &format_args!("{error}{path}"))?;
    reader.unreadable(place, bytes)
}
