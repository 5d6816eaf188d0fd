//! Detects the dialect of a file from its first values.

use crate::args::Input;
use crate::{frames, lines};
use gdwire::detect::{Detection, Detector};
use std::io::{self, BufRead};

/// How many values the detection reads.
const VALUES: u32 = 64;

/// How many values of a file it reads at most while several dialects fit equally well.
const UNDECIDED: u32 = 4096;

/// Where values come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Supply {
    /// A file, in which the detection can read on.
    File,
    /// A pipe or a terminal, whose first values should be shown soon.
    Pipe,
}

impl Supply {
    fn undecided(self) -> u32 {
        if self == Supply::File { UNDECIDED } else { VALUES }
    }
}

/// How many bytes of a stream the detection reads at most, up to the end of a value.
const BYTES: usize = 1 << 20;

/// The result of the detection. `is_double` is whether the user said that reals have eight bytes.
pub(crate) fn detection(detector: &Detector, is_double: bool) -> Detection {
    if is_double { detector.detection_with_double_reals() } else { detector.detection() }
}

/// Feeds the first values of a stream to the detector, and returns the bytes that it took.
pub(crate) fn stream(
    stream: &mut dyn BufRead,
    input: Input,
    supply: Supply,
    detector: &mut Detector,
) -> io::Result<Vec<u8>> {
    let mut taken = Vec::new();
    let wants_more = |detector: &Detector| {
        let values = detector.payloads();
        values < VALUES || values < supply.undecided() && detector.detection().dialect().is_none()
    };
    while taken.len() < BYTES && wants_more(detector) {
        let is_end = match input {
            Input::Hex => line(stream, &lines::HEX, &mut taken, detector)?,
            Input::Base64 => line(stream, &lines::BASE64, &mut taken, detector)?,
            _ => frame(stream, &mut taken, detector)?,
        };
        if is_end {
            break;
        }
    }
    Ok(taken)
}

/// Feeds the first values of a buffer, which stand one after the other, to a new detector.
pub(crate) fn raw(bytes: &[u8]) -> Detector {
    let look = |values: u32| {
        let mut detector = Detector::new();
        detector.sequence(bytes, values as usize);
        detector
    };
    let first = look(VALUES);
    if first.detection().dialect().is_some() { first } else { look(UNDECIDED) }
}

fn line(
    stream: &mut dyn BufRead,
    notation: &lines::Notation,
    taken: &mut Vec<u8>,
    detector: &mut Detector,
) -> io::Result<bool> {
    let (mut line, mut bytes) = (Vec::new(), Vec::new());
    if !lines::take_line(stream, &mut line)? {
        return Ok(true);
    }
    let is_cut = line.last() != Some(&b'\n');
    taken.extend_from_slice(&line);
    match notation.decode(&mut line, &mut bytes) {
        Ok(()) => detector.payload(&bytes),
        Err(_) => detector.payload(&[]),
    }
    Ok(is_cut)
}

fn frame(
    stream: &mut dyn BufRead,
    taken: &mut Vec<u8>,
    detector: &mut Detector,
) -> io::Result<bool> {
    let mut frame = Vec::new();
    let is_whole = frames::take_frame(stream, &mut frame)?;
    taken.extend_from_slice(&frame);
    if is_whole {
        detector.payload(frame.get(4..).unwrap_or(&[]));
    }
    Ok(!is_whole)
}
