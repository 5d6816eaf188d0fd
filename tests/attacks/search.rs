//! The search for the next message after a length that is wrong.

use gdwire::net::tcp::{FrameEvent, Frames, Piece};
use gdwire::{Dialect, parse};
use std::cell::Cell;

/// The bytes that are examined and the number of examinations, both for each byte of a stream, and
/// the number of messages that are found.
fn examined(stream: &[u8]) -> (f64, f64, usize) {
    let (examined, calls) = (Cell::new(0), Cell::new(0));
    let is_message = |bytes: &[u8]| {
        calls.set(calls.get() + 1);
        let value = parse(Dialect::GODOT_4, bytes);
        let read = value.as_ref().map_or_else(|error| error.offset + 4, |_| bytes.len());
        examined.set(examined.get() + read);
        value.is_ok()
    };
    let mut frames = Frames::new(16 << 20);
    let mut found = 0;
    let mut sink = |event: FrameEvent<'_, ()>| {
        found += usize::from(matches!(event, FrameEvent::Message { .. }));
    };
    frames.push(Piece::Start, &is_message, &mut sink);
    for (at, bytes) in stream.chunks(1_400).enumerate() {
        let offset = at as u64 * 1_400;
        frames.push(Piece::Data { tag: (), offset, payload: bytes }, &is_message, &mut sink);
    }
    frames.finish(&is_message, &mut sink);
    let for_each_byte = |number: usize| number as f64 / stream.len() as f64;
    (for_each_byte(examined.get()), for_each_byte(calls.get()), found)
}

/// A message of an array with an integer in each element; the last one has a type that is unknown
/// if it `is_broken`.
fn array(elements: u32, is_broken: bool) -> Vec<u8> {
    let mut value = [28_u32.to_le_bytes(), elements.to_le_bytes()].concat();
    for at in 0..elements {
        let kind: u32 = if is_broken && at + 1 == elements { 99 } else { 2 };
        value.extend(kind.to_le_bytes());
        value.extend(at.to_le_bytes());
    }
    [&(value.len() as u32).to_le_bytes()[..], &value].concat()
}

/// Values that are wrong only at their end cost no more than a few times their bytes.
#[test]
fn values_that_fail_at_their_end_are_examined_a_few_times() {
    const BAD: [u8; 4] = [0xff; 4];
    // Each element of this array could be the length of a message, or its beginning.
    let lengths = |len: u32| -> Vec<u8> {
        (0..len)
            .flat_map(|at| [(len - at) * 4, 28, 1 << 10, 2])
            .flat_map(u32::to_le_bytes)
            .collect()
    };
    for stream in [
        [&BAD[..], &array(100, true).repeat(300)].concat(),
        [&BAD[..], &array(20_000, true).repeat(3)].concat(),
        [&BAD[..], &lengths(20_000)].concat(),
        [&BAD[..], &[28, 0, 0, 0].repeat(50_000)].concat(),
        [&BAD[..], &[8, 0, 0, 0].repeat(50_000)].concat(),
    ] {
        let (times, calls, found) = examined(&stream);
        assert!(times <= 5.0 && calls <= 0.1, "{times} {calls} {found}");
    }
    // Real messages are found nevertheless.
    let stream = [&BAD[..], &array(100, true).repeat(20), &array(50, false).repeat(20)].concat();
    let stream = [&stream[..], &array(7, false), &array(8, false), &array(9, false)].concat();
    let (times, _, found) = examined(&stream);
    assert!(times <= 5.0 && found >= 18, "{times} {found}");
}
