//! Reads values that are not in captures.
//!
//! Takes bytes: frames, lines or raw values. Passes values, and errors about bytes that are no
//! value, to the sink. The first values show the dialect.

use super::InputFailure;
use super::buffer::{Idle, InputBuffer};
use super::files::damage;
use super::reader::{InputReader, PathOf};
use crate::interrupt;
use crate::sink::{Position, Trouble};
use crate::terminal::{number, several};
use data_encoding::{BASE64_NOPAD, DecodeError, DecodeKind, Encoding, HEXLOWER_PERMISSIVE};
use gdwire::detect::{Detection, Detector};
use gdwire::grammar::{framed, located};
use gdwire::{Dialect, Error, Problem, Reading as Part, parse, parse_prefix};
use nom::Parser;
use std::fmt::{self, Display};
use std::time::{Duration, Instant};

/// The number of values that the detection reads.
const VALUES: u32 = 64;

/// The most values of a file that the detection reads while several dialects fit equally well.
const UNDECIDED: u32 = 4096;

/// The detection stops at the end of the value with which it has read this many bytes of a stream.
const BYTES: usize = 1 << 20;

/// How values are separated.
#[derive(Clone, Copy)]
pub enum Separation {
    Frames,
    Lines(&'static Notation),
}

pub const HEX_LINES: Separation = Separation::Lines(&HEX);

pub const BASE64_LINES: Separation = Separation::Lines(&BASE64);

/// How long a live stream may be silent before the dialect is decided from the values so far.
const SILENCE: Duration = Duration::from_secs(1);

/// Reads separated values piece by piece.
pub fn read_separated(
    reader: &mut InputReader<'_>,
    buffer: &mut InputBuffer,
    separation: Separation,
) -> Result<(), InputFailure> {
    if reader.is_auto || !buffer.is_live() {
        let detector = sample(buffer, separation)?;
        take_dialect(reader, &detector);
    }
    match separation {
        Separation::Frames => read_frames(reader, buffer),
        Separation::Lines(notation) => read_lines(reader, buffer, notation),
    }
}

/// Reads values that follow each other without anything between them.
pub fn read_raw(
    reader: &mut InputReader<'_>,
    bytes: &[u8],
    is_whole: bool,
) -> Result<(), InputFailure> {
    if reader.is_auto {
        let look = |values: u32| {
            let mut detector = Detector::new();
            detector.sequence(bytes, values as usize);
            detector
        };
        let first = look(VALUES);
        let is_decided = first.detection().dialect().is_some();
        take_dialect(reader, &if is_decided { first } else { look(UNDECIDED) });
    }
    pass_raw(reader, bytes, is_whole)
}

/// Feeds the first values of a stream to a detector, and leaves them in the buffer.
fn sample(buffer: &mut InputBuffer, separation: Separation) -> Result<Detector, InputFailure> {
    // The first values of a live stream are to be shown without delay.
    let most = if buffer.is_live() { VALUES } else { UNDECIDED };
    let mut detector = Detector::new();
    let (mut line, mut bytes) = (Vec::new(), Vec::new());
    let mut at = 0_usize;
    loop {
        let values = detector.payloads();
        let is_enough =
            values >= VALUES && (values >= most || detector.detection().dialect().is_some());
        if is_enough || at >= BYTES {
            return Ok(detector);
        }
        let since = Instant::now();
        let idle = &mut || Ok(values == 0 || since.elapsed() < SILENCE);
        let reached = match separation {
            Separation::Frames => reach_frame(buffer, at, idle),
            Separation::Lines(_) => reach_line(buffer, at, idle),
        };
        let len = match reached {
            Ok(len) => len,
            // The values before the damage are read, and then it is reported.
            Err(InputFailure::Input(error)) if damage(&error).is_some() => return Ok(detector),
            Err(failure) => return Err(failure),
        };
        let next = at.saturating_add(len);
        let value = buffer.unread().get(at..next).unwrap_or(&[]);
        let is_last = match separation {
            Separation::Frames => match split_frame(value) {
                Some((content, _)) => {
                    detector.payload(content);
                    false
                }
                None => true,
            },
            Separation::Lines(_) if value.last() != Some(&b'\n') && !buffer.is_at_end() => true,
            Separation::Lines(_) if value.is_empty() => true,
            Separation::Lines(notation) => {
                line.clear();
                line.extend_from_slice(value);
                let is_bytes = notation.decode(&mut line, &mut bytes).is_ok();
                detector.payload(if is_bytes { &bytes } else { &[] });
                value.last() != Some(&b'\n')
            }
        };
        if is_last {
            return Ok(detector);
        }
        at = next;
    }
}

/// Sets the dialect of the reader to the detected one, and reports it. If the user named one that reads
/// less than another, that is reported.
fn take_dialect(reader: &mut InputReader<'_>, detector: &Detector) {
    if !reader.is_auto {
        let detection = detector.detection();
        let read = |dialect| {
            let candidate = detection.candidates().find(|it| it.dialect == dialect);
            candidate.map_or(0, |it| it.payloads)
        };
        let named = reader.dialect;
        if let Some(best) = detection.best().next()
            && read(named) < read(best)
        {
            reader.doubt_dialect(&format_args!(
                "{named} reads fewer of the first values than {best}"
            ));
        }
        return;
    }
    let detection: Detection = match reader.args.double {
        true => detector.detection_with_double_reals(),
        false => detector.detection(),
    };
    reader.dialect = detection.best().next().unwrap_or(reader.dialect);
    let default = match detection.dialect() {
        Some(_) => String::new(),
        None => format!("{} by default; ", reader.dialect),
    };
    reader.diagnostics.detail(&reader.name, &format_args!("dialect: {default}{detection}"));
}

/// The longest frame that is read: 64 MiB.
pub const LONGEST_FRAME: u32 = 64 << 20;

/// Reads until the frame that starts at byte `at` of the buffer is complete or the input ends.
/// Returns the number of its bytes in the buffer: 4, those of the length, if its content is longer
/// than [`LONGEST_FRAME`].
pub fn reach_frame(
    buffer: &mut InputBuffer,
    at: usize,
    idle: Idle<'_>,
) -> Result<usize, InputFailure> {
    buffer.reach(at.saturating_add(4), idle)?;
    let frame = buffer.unread().get(at..).unwrap_or(&[]);
    let Some(length) = frame.first_chunk().map(|length| u32::from_le_bytes(*length)) else {
        return Ok(frame.len());
    };
    let len = if length > LONGEST_FRAME { 4 } else { (length as usize).saturating_add(4) };
    buffer.reach(at.saturating_add(len), idle)?;
    Ok(len.min(buffer.unread().len().saturating_sub(at)))
}

/// The content of the first frame and the bytes after it, if the frame is complete.
pub fn split_frame(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = u32::from_le_bytes(*length);
    if length > LONGEST_FRAME {
        return None;
    }
    rest.split_at_checked(length as usize)
}

pub fn read_frames(
    reader: &mut InputReader<'_>,
    buffer: &mut InputBuffer,
) -> Result<(), InputFailure> {
    let mut start = 0_u64;
    loop {
        let len = reach_frame(buffer, 0, &mut || reader.idle())?;
        let Some(frame @ [_, ..]) = buffer.unread().get(..len) else { return Ok(()) };
        let length = frame.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
        let is_whole =
            length > LONGEST_FRAME || frame.len() as u64 >= u64::from(length).saturating_add(4);
        if !is_whole && !buffer.is_at_end() || buffer.is_interrupted() {
            return Ok(());
        }
        let place = match frame.len() {
            0..4 => Position::Offset(start),
            _ => Position::Framed(start.saturating_add(4), length),
        };
        match located(frame, framed(reader.dialect, LONGEST_FRAME).parse_complete(frame)) {
            Ok((_, value)) => reader.value(place, value)?,
            Err(nom::Err::Error(error) | nom::Err::Failure(error)) => {
                reader.sink.trouble(Trouble::NoValue(&error));
                let problem = BadFrame { error: &error, dialect: reader.dialect, start, frame };
                reader.no_value(Position::Offset(start), &problem, &problem)?;
                reader.unreadable(place, frame.get(4..).unwrap_or(&[]))?;
            }
            Err(nom::Err::Incomplete(_)) => {}
        }
        buffer.consume(len);
        let skipped = if length > LONGEST_FRAME { length.into() } else { 0 };
        let skipped = buffer.skip(skipped, &mut || reader.idle())?;
        start = start.saturating_add(len as u64).saturating_add(skipped);
    }
}

/// A frame at byte `start` that is not a value.
struct BadFrame<'b> {
    error: &'b Error,
    dialect: Dialect,
    start: u64,
    frame: &'b [u8],
}

impl Display for BadFrame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadFrame { error, dialect, start, frame } = *self;
        let part = match error.reading {
            Part::FrameLength => "length",
            Part::Frame => "content",
            _ => "",
        };
        if let Problem::UnexpectedEnd { needed, available } = error.problem
            && !part.is_empty()
        {
            return write!(
                f,
                "byte {start}: the file ends within this frame: its {part} needs {needed} bytes, but \
                 only {available} follow"
            );
        }
        write!(f, "{}", error.shifted(usize::try_from(start).unwrap_or(usize::MAX)))?;
        // Reading the content again returns the same error, which has the path.
        let input = frame.get(4..).unwrap_or(&[]);
        if let Err(error) = &parse(dialect, input) {
            PathOf { error, dialect, input }.fmt(f)?;
        }
        write!(f, ", in the frame at byte {start}")
    }
}

/// Reads until the line that starts at byte `at` of the buffer is complete, the input ends, or the
/// line is too long. Returns its length, with its line break.
pub fn reach_line(
    buffer: &mut InputBuffer,
    at: usize,
    idle: Idle<'_>,
) -> Result<usize, InputFailure> {
    Ok(buffer.reach_byte(b'\n', at, at.saturating_add(LONGEST_LINE), idle)?.saturating_sub(at))
}

pub fn read_lines(
    reader: &mut InputReader<'_>,
    buffer: &mut InputBuffer,
    notation: &Notation,
) -> Result<(), InputFailure> {
    let mut line = Vec::new();
    let mut bytes = Vec::new();
    let mut number = 0_u64;
    loop {
        let len = reach_line(buffer, 0, &mut || reader.idle())?;
        let Some(found @ [.., last]) = buffer.unread().get(..len) else { return Ok(()) };
        let is_cut = *last != b'\n';
        if is_cut && len < LONGEST_LINE && !buffer.is_at_end() || buffer.is_interrupted() {
            return Ok(());
        }
        line.clear();
        line.extend_from_slice(found);
        buffer.consume(len);
        if is_cut && len == LONGEST_LINE {
            skip_line(reader, buffer)?;
        }
        number += 1;
        let place = Position::Line(number);
        if let Err(problem) = notation.decode(&mut line, &mut bytes) {
            reader.sink.trouble(Trouble::NoBytes);
            reader.failure(place, &problem)?;
            continue;
        }
        match parse_prefix(reader.dialect, &bytes) {
            Ok(([], value)) => reader.value(place, value)?,
            Ok((_, value)) => match parse(reader.dialect, &bytes) {
                Err(error) if reader.args.strict => no_value(reader, place, &error, &bytes)?,
                Err(error) => {
                    let warning = match error.problem {
                        Problem::TrailingBytes { count } => {
                            let (offset, bytes) =
                                (error.offset, several(count as u64, "byte", "bytes"));
                            format!("{place}: byte {offset}: ignored {bytes} after the value")
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
fn skip_line(reader: &mut InputReader<'_>, buffer: &mut InputBuffer) -> Result<(), InputFailure> {
    loop {
        let len = reach_line(buffer, 0, &mut || reader.idle())?;
        let is_last = len < LONGEST_LINE || buffer.unread().get(len - 1) == Some(&b'\n');
        buffer.consume(len);
        if is_last {
            return Ok(());
        }
    }
}

fn no_value(
    reader: &mut InputReader<'_>,
    place: Position,
    error: &Error,
    bytes: &[u8],
) -> Result<(), InputFailure> {
    reader.sink.trouble(Trouble::NoValue(error));
    let path = PathOf { error, dialect: reader.dialect, input: bytes };
    reader.failure(place, &format_args!("{error}{path}"))?;
    reader.unreadable(place, bytes)
}

/// Reads the values in `bytes`. If that is not the whole input, because the user pressed Ctrl-C or
/// the rest is damaged, the last value may be cut off, which is not reported.
pub fn pass_raw(
    reader: &mut InputReader<'_>,
    bytes: &[u8],
    is_whole: bool,
) -> Result<(), InputFailure> {
    let mut rest = bytes;
    let is_interrupted = || is_whole && interrupt::is_requested();
    while !rest.is_empty() && !is_interrupted() {
        let start = bytes.len().saturating_sub(rest.len());
        let place = Position::Offset(start as u64);
        match parse_prefix(reader.dialect, rest) {
            Ok((after, value)) => {
                rest = after;
                reader.value(place, value)?;
            }
            Err(error) if error.is_unexpected_end() && !is_whole => return Ok(()),
            // Nothing shows where the next value starts.
            Err(error) => {
                reader.sink.trouble(Trouble::NoValue(&error));
                let path = PathOf { error: &error, dialect: reader.dialect, input: rest };
                let problem = format!("{}{path}; nothing after it is read", error.shifted(start));
                reader.no_value(place, &problem, &problem)?;
                return reader.unreadable(place, rest);
            }
        }
    }
    Ok(())
}

/// The longest line that is read: 32 MiB.
pub const LONGEST_LINE: usize = 32 << 20;

/// A notation for bytes in a line.
pub struct Notation {
    name: &'static str,
    encoding: &'static Encoding,
    is_digit: fn(u8) -> bool,
    /// Describes the problem of a line whose number of digits is impossible.
    wrong_length: fn(usize) -> String,
}

pub const HEX: Notation = Notation {
    name: "hex",
    encoding: &HEXLOWER_PERMISSIVE,
    is_digit: |byte| byte.is_ascii_hexdigit(),
    wrong_length: |digits| format!("{}, but each byte needs two", number(digits as u64, "digit")),
};

/// Base64, with or without padding.
pub const BASE64: Notation = Notation {
    name: "base64",
    encoding: &BASE64_NOPAD,
    is_digit: |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'),
    wrong_length: |digits| {
        format!("{}; the last one alone makes no byte", number(digits as u64, "character"))
    },
};

impl Notation {
    /// Decodes a line into `bytes`. The content of `line` is not specified afterwards.
    pub fn decode(&self, line: &mut Vec<u8>, bytes: &mut Vec<u8>) -> Result<(), String> {
        if line.len() == LONGEST_LINE {
            return Err(format!("the line is longer than {LONGEST_LINE} bytes"));
        }
        let (mut column, mut kept) = (0_usize, 0);
        let mut wrong: Option<Wrong> = None;
        line.retain(|&byte| {
            // Continuation bytes of UTF-8, which belong to the character before, have this pattern.
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
    /// Its offset in the line without white space.
    at: usize,
    /// The number of its character in the line, counted from 1.
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
