//! Value files: detects the dialect from the first values, then reads them all.

use super::{framed, lines, raw};
use crate::input::failure::Failure;
use crate::input::notation::{self, Notation};
use crate::input::reader::Reader;
use crate::input::stream::Buffer;
use gdwire::detect::{Detection, Detector};
use std::time::{Duration, Instant};

/// The number of values that the detection reads.
const VALUES: u32 = 64;

/// The most values of a file that the detection reads while several dialects fit equally well.
const UNDECIDED: u32 = 4096;

/// The detection stops at the end of the value with which it has read this many bytes of a stream.
const BYTES: usize = 1 << 20;

/// How values are separated.
#[derive(Clone, Copy)]
pub(crate) enum Separation {
    Frames,
    Lines(&'static Notation),
}

pub(crate) const HEX: Separation = Separation::Lines(&notation::HEX);

pub(crate) const BASE64: Separation = Separation::Lines(&notation::BASE64);

/// How long a live stream may be silent before the dialect is decided from the values so far.
const SILENCE: Duration = Duration::from_secs(1);

/// Reads separated values piece by piece.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    buffer: &mut Buffer,
    separation: Separation,
) -> Result<(), Failure> {
    if reader.is_auto {
        let detector = sample(buffer, separation)?;
        take_dialect(reader, &detector);
    }
    match separation {
        Separation::Frames => framed::read(reader, buffer),
        Separation::Lines(notation) => lines::read(reader, buffer, notation),
    }
}

/// Reads values that follow each other without anything between them.
pub(crate) fn read_raw(
    reader: &mut Reader<'_>,
    bytes: &[u8],
    is_whole: bool,
) -> Result<(), Failure> {
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
    raw::read(reader, bytes, is_whole)
}

/// Feeds the first values of a stream to a detector, and leaves them in the buffer.
fn sample(buffer: &mut Buffer, separation: Separation) -> Result<Detector, Failure> {
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
        let len = match separation {
            Separation::Frames => framed::reach(buffer, at, idle)?,
            Separation::Lines(_) => lines::reach(buffer, at, idle)?,
        };
        let next = at.saturating_add(len);
        let value = buffer.unread().get(at..next).unwrap_or(&[]);
        let is_last = match separation {
            Separation::Frames => match framed::split(value) {
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

/// Sets the dialect of the reader to the detected one, and reports it.
fn take_dialect(reader: &mut Reader<'_>, detector: &Detector) {
    let detection: Detection = match reader.is_double {
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
