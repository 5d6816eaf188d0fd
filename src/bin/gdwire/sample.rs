//! Detects the dialect of a file from its first values.

use crate::args::Input;
use crate::{frames, lines};
use gdwire::detect::{Detection, Detector};
use std::io::{self, BufRead};

/// How many values the detection reads.
pub(crate) const VALUES: u32 = 64;

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
    detector: &mut Detector,
) -> io::Result<Vec<u8>> {
    let mut taken = Vec::new();
    while detector.payloads() < VALUES && taken.len() < BYTES {
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
