//! Reads framed values: each has its length before it, as `store_var` writes them to files.

use crate::reading::{Failure, Place, Reading, Trouble, at_path};
use gdwire::grammar::framed;
use gdwire::{Dialect, Error, Problem, Reading as Part, parse};
use nom::Parser;
use std::io::{self, BufRead, Read};

/// The longest frame that is read: 64 MiB.
pub(crate) const LIMIT: u32 = 64 << 20;

pub(crate) fn read(reading: &mut Reading<'_>, input: &mut dyn BufRead) -> Result<(), Failure> {
    let mut frame = Vec::new();
    let mut start = 0_u64;
    loop {
        let skipped = next_frame(input, &mut frame).map_err(Failure::Input)?;
        if frame.is_empty() {
            return Ok(());
        }
        match framed::<Error>(reading.dialect, LIMIT).parse_complete(&frame) {
            Ok((_, value)) => {
                reading.value(Place::File { offset: start.saturating_add(4) }, value)?
            }
            Err(nom::Err::Error(error) | nom::Err::Failure(error)) => {
                reading.sink.trouble(Trouble::NoValue(&error));
                let problem = reading.with_hint(describe(&error, start, reading.dialect, &frame));
                reading.diagnostics.failure(&reading.name, &problem);
            }
            Err(nom::Err::Incomplete(_)) => {}
        }
        start = start.saturating_add(frame.len() as u64).saturating_add(skipped);
    }
}

/// Describes what is wrong with the frame at byte `start`.
fn describe(error: &Error, start: u64, dialect: Dialect, frame: &[u8]) -> String {
    let part = match error.reading {
        Part::FrameLength => "length",
        Part::Frame => "content",
        _ => "",
    };
    match error.problem {
        Problem::UnexpectedEnd { needed, available } if !part.is_empty() => format!(
            "byte {start}: the file ends within this frame: its {part} needs {needed} bytes, but \
             only {available} follow"
        ),
        _ => {
            // The path is found by reading the content again, which gives the same error.
            let content = frame.get(4..).unwrap_or(&[]);
            let again = parse(dialect, content).err();
            let path = again.map_or(String::new(), |error| at_path(&error, dialect, content));
            let error = error.shifted(usize::try_from(start).unwrap_or(usize::MAX));
            format!("{error}{path}, in the frame at byte {start}")
        }
    }
}

/// Reads the length and the content of the next frame, as far as the stream has them. Skips a
/// content that is too long, and returns how many bytes were skipped.
fn next_frame(input: &mut dyn BufRead, frame: &mut Vec<u8>) -> io::Result<u64> {
    frame.clear();
    input.take(4).read_to_end(frame)?;
    let Some(length) = frame.first_chunk() else { return Ok(0) };
    let length = u32::from_le_bytes(*length);
    let mut content = input.take(length.into());
    if length > LIMIT {
        return io::copy(&mut content, &mut io::sink());
    }
    content.read_to_end(frame)?;
    Ok(0)
}

/// Takes the next frame from a stream into `frame`. Returns whether all of it is there and it is not
/// too long.
pub(crate) fn take_frame(input: &mut dyn BufRead, frame: &mut Vec<u8>) -> io::Result<bool> {
    frame.clear();
    input.take(4).read_to_end(frame)?;
    let Some(length) = frame.first_chunk() else { return Ok(false) };
    let length = u32::from_le_bytes(*length);
    if length > LIMIT {
        return Ok(false);
    }
    let read = input.take(length.into()).read_to_end(frame)?;
    Ok(read as u64 == u64::from(length))
}
