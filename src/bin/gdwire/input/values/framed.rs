//! Reads frames: values, each after its length, as `store_var` writes them to files.

use crate::input::failure::Failure;
use crate::input::reader::{PathOf, Reader};
use crate::input::stream::{Buffer, Idle};
use crate::sink::{Position, Trouble};
use gdwire::grammar::{framed, located};
use gdwire::{Dialect, Error, Problem, Reading as Part, parse};
use nom::Parser;
use std::fmt::{self, Display};

/// The longest frame that is read: 64 MiB.
pub(crate) const LIMIT: u32 = 64 << 20;

/// Reads until the frame that starts at byte `at` of the buffer is complete or the input ends.
/// Returns the number of its bytes in the buffer: 4, those of the length, if its content is longer
/// than [`LIMIT`].
pub(crate) fn reach(buffer: &mut Buffer, at: usize, idle: Idle<'_>) -> Result<usize, Failure> {
    buffer.reach(at.saturating_add(4), idle)?;
    let frame = buffer.unread().get(at..).unwrap_or(&[]);
    let Some(length) = frame.first_chunk().map(|length| u32::from_le_bytes(*length)) else {
        return Ok(frame.len());
    };
    let len = if length > LIMIT { 4 } else { (length as usize).saturating_add(4) };
    buffer.reach(at.saturating_add(len), idle)?;
    Ok(len.min(buffer.unread().len().saturating_sub(at)))
}

/// The content of the first frame and the bytes after it, if the frame is complete.
pub(crate) fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = u32::from_le_bytes(*length);
    if length > LIMIT {
        return None;
    }
    rest.split_at_checked(length as usize)
}

pub(crate) fn read(reader: &mut Reader<'_>, buffer: &mut Buffer) -> Result<(), Failure> {
    let mut start = 0_u64;
    loop {
        let len = reach(buffer, 0, &mut || reader.idle())?;
        let Some(frame @ [_, ..]) = buffer.unread().get(..len) else { return Ok(()) };
        let length = frame.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
        let is_whole = length > LIMIT || frame.len() as u64 >= u64::from(length).saturating_add(4);
        if !is_whole && !buffer.is_at_end() || buffer.is_interrupted() {
            return Ok(());
        }
        let place = match frame.len() {
            0..4 => Position::Offset(start),
            _ => Position::Framed(start.saturating_add(4), length),
        };
        match located(frame, framed(reader.dialect, LIMIT).parse_complete(frame)) {
            Ok((_, value)) => reader.value(place, value)?,
            Err(nom::Err::Error(error) | nom::Err::Failure(error)) => {
                reader.sink.trouble(Trouble::NoValue(&error));
                let problem = Bad { error: &error, dialect: reader.dialect, start, frame };
                reader.no_value(Position::Offset(start), &problem, &problem)?;
                reader.unreadable(place, frame.get(4..).unwrap_or(&[]))?;
            }
            Err(nom::Err::Incomplete(_)) => {}
        }
        buffer.consume(len);
        let skipped = if length > LIMIT { length.into() } else { 0 };
        let skipped = buffer.skip(skipped, &mut || reader.idle())?;
        start = start.saturating_add(len as u64).saturating_add(skipped);
    }
}

/// A frame at byte `start` that is not a value.
struct Bad<'b> {
    error: &'b Error,
    dialect: Dialect,
    start: u64,
    frame: &'b [u8],
}

impl Display for Bad<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bad { error, dialect, start, frame } = *self;
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
