//! Messages after their length, in pieces of all sizes.

use gdwire::net::Between;
use gdwire::net::tcp::{FrameEvent, Frames, GapReason, LossReason, Piece, Reassembler, Segment};
use gdwire::{Dialect, encode, parse, variant};
use proptest::prelude::*;
use std::cell::Cell;

pub(super) fn is_message(bytes: &[u8]) -> bool {
    parse(Dialect::GODOT_3, bytes).is_ok()
}

#[derive(Default)]
struct Reader {
    messages: Vec<Vec<u8>>,
    lost: Vec<(u64, u64, LossReason)>,
    next: u64,
}

impl Reader {
    fn take(&mut self, event: FrameEvent<'_>) {
        match event {
            FrameEvent::Message { offset, payload: bytes, .. } => {
                assert_eq!(offset, self.next + 4);
                self.next = offset + bytes.len() as u64;
                self.messages.push(bytes.to_vec());
            }
            FrameEvent::Lost { offset, bytes, reason } => {
                assert_eq!(offset, self.next);
                self.next += bytes;
                self.lost.push((offset, bytes, reason));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Reads pieces; `None` is a gap of 8 bytes.
fn read(limit: u32, starts: bool, pieces: &[Option<&[u8]>]) -> Reader {
    let mut frames = Frames::new(limit);
    let mut reader = Reader::default();
    if starts {
        frames.push(Piece::Start, &is_message, &mut |event| reader.take(event));
    }
    let mut offset = 0;
    for piece in pieces {
        let (piece, length) = match piece {
            Some(bytes) => (Piece::Data { tag: (), offset, payload: bytes }, bytes.len() as u64),
            None => {
                let (reason, between) = (GapReason::Limit, &Between::UNKNOWN);
                (Piece::Gap { offset, bytes: 8, reason, between }, 8)
            }
        };
        offset += length;
        frames.push(piece, &is_message, &mut |event| reader.take(event));
        assert!(frames.held_bytes() <= limit as usize + 4);
    }
    frames.finish(&is_message, &mut |event| reader.take(event));
    assert_eq!((frames.held_bytes(), reader.next), (0, offset));
    reader
}

pub(super) fn frame(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap();
    [&length.to_le_bytes()[..], message].concat()
}

pub(super) fn values() -> Vec<Vec<u8>> {
    let values = [
        variant!({"name": "one", "position": [1, 2.5, true]}),
        variant!(7),
        variant!(null),
        variant!(["a long enough text to be something", 8, 5]),
        variant!({1: 2, 3: 4}),
    ];
    values.iter().map(|value| encode(Dialect::GODOT_3, value).unwrap()).collect()
}

#[test]
fn frames_are_found_however_the_stream_is_split() {
    let stream: Vec<u8> = values().iter().flat_map(|value| frame(value)).collect();
    for at in 0..=stream.len() {
        let (front, back) = stream.split_at(at);
        let reader = read(1000, true, &[Some(front), Some(back)]);
        assert!(reader.messages == values() && reader.lost.is_empty(), "{at}");
    }
    let bytes: Vec<_> = stream.chunks(1).map(Some).collect();
    assert_eq!(read(1000, true, &bytes).messages, values());
}

#[test]
fn a_message_in_one_piece_is_borrowed() {
    let bytes = frame(&values()[0]);
    let mut frames = Frames::new(1000);
    frames.push(Piece::Start, &is_message, &mut |_| {});
    let mut is_borrowed = false;
    frames.push(Piece::Data { tag: (), offset: 0, payload: &bytes }, &is_message, &mut |event| {
        is_borrowed = matches!(event, FrameEvent::Message { payload: message, .. } if message.as_ptr() == bytes[4..].as_ptr());
    });
    assert!(is_borrowed);
}

#[test]
fn after_a_gap_in_a_message_the_next_one_is_found() {
    let (first, last) = (frame(&values()[3]), frame(&[0; 4]));
    let pieces = [Some(&first[..20]), None, Some(&first[28..]), Some(&last[..])];
    let reader = read(1000, true, &pieces);
    assert_eq!(reader.messages, [[0; 4]]);
    let rest = first.len() as u64 - 28;
    assert_eq!(
        reader.lost,
        [(0, 20, LossReason::Broken), (20, 8, LossReason::Missing), (28, rest, LossReason::Broken)]
    );
}

#[test]
fn the_end_of_a_message_is_not_mistaken_for_one() {
    // It ends like the frame of the value 5, and then like the frame of a null.
    for tail in [variant!([9, 9, 8, 5]), variant!([9, 9, 4, null]), variant!([16, 1, 2])] {
        let tail = encode(Dialect::GODOT_3, &tail).unwrap();
        let rest: Vec<u8> = values().iter().flat_map(|value| frame(value)).collect();
        // A segment that starts with the end of a message may look like one with a small message.
        let ends = [tail.len() - 12, tail.len() - 8];
        for cut in (1..tail.len()).filter(|cut| !ends.contains(cut)) {
            let stream = [&tail[cut..], &rest].concat();
            let reader = read(1000, false, &[Some(&stream)]);
            assert_eq!(reader.messages, values(), "{cut}");
            assert!(read(1000, false, &[Some(&tail[cut..])]).messages.is_empty(), "{cut}");
        }
    }
}

#[test]
fn a_length_over_the_limit_is_reported_and_the_next_message_found() {
    let values: Vec<u8> = values().iter().flat_map(|value| frame(value)).collect();
    let stream = [&[0xff, 0xff, 0xff, 0x7f, 1, 2, 3][..], &values].concat();
    let reader = read(1000, true, &[Some(&stream)]);
    assert_eq!(reader.lost[0], (0, 4, LossReason::TooLong { len: 0x7fff_ffff, limit: 1000 }));
    assert_eq!(reader.lost[1..], [(4, 3, LossReason::Unsynchronized)]);
    assert_eq!(reader.messages, self::values());
}

/// The bytes were searched before: the messages before the length were found in them.
#[test]
fn messages_are_found_on_both_sides_of_a_length_over_the_limit() {
    let framed: Vec<u8> = values().iter().flat_map(|value| frame(value)).collect();
    let stream = [&framed[..], &[0xff; 4], &framed].concat();
    for at in [framed.len(), framed.len() + 4, stream.len()] {
        let (front, back) = stream.split_at(at);
        let reader = read(1000, false, &[Some(front), Some(back)]);
        assert_eq!(reader.messages, [values(), values()].concat());
        let reason = LossReason::TooLong { len: 0xffff_ffff, limit: 1000 };
        assert_eq!(reader.lost, [(framed.len() as u64, 4, reason)]);
    }
}

#[test]
fn while_synchronized_any_message_is_returned() {
    let reader =
        read(1000, true, &[Some(&frame(b"user")), Some(&frame(b"")), Some(&frame(b"data!"))]);
    assert_eq!(reader.messages, [&b"user"[..], b"", b"data!"]);
}

/// If the buffer is full, its first half is dropped.
#[test]
fn a_search_keeps_the_frame_after_what_it_drops() {
    let message = encode(Dialect::GODOT_3, &"x".repeat(68)).unwrap();
    let frame = frame(&message);
    let (start, end) = frame.split_at(50);
    let reader = read(100, false, &[Some(&[0xff; 50]), Some(start), Some(end)]);
    assert_eq!(reader.messages, [message]);
    assert_eq!(reader.lost, [(0, 50, LossReason::Unsynchronized)]);
}

#[test]
fn a_search_takes_linear_time() {
    let nulls = [4, 0, 0, 0, 0, 0, 0, 0].repeat(100_000);
    assert_eq!(read(1 << 20, false, &[Some(&nulls)]).messages, [[0; 0]; 0]);
    // Each place may start a frame of an array of bytes as long as all that follows.
    let mut nested = Vec::new();
    for left in (1..40_000u32).rev() {
        for number in [left * 12, 20, left * 12 - 8] {
            nested.extend_from_slice(&number.to_le_bytes());
        }
    }
    for size in [1, 7, 1448, nested.len()] {
        let pieces: Vec<_> = nested.chunks(size).map(Some).collect();
        read(1 << 20, false, &pieces);
    }
    // How many bytes are examined for that, in a few long segments.
    let examined = Cell::new(0);
    let count = |bytes: &[u8]| {
        examined.set(examined.get() + bytes.len());
        is_message(bytes)
    };
    let mut frames = Frames::new(1 << 20);
    for (payload, at) in nested.chunks(1 << 16).zip(0..) {
        let piece = Piece::Data { tag: (), offset: at << 16, payload };
        frames.push(piece, &count, &mut |_| {});
    }
    assert!(examined.get() > 0 && examined.get() < 7 * nested.len(), "{}", examined.get());
}

proptest! {
    #[test]
    fn any_bytes_are_accounted_for(
        limit in 0..300u32,
        starts: bool,
        pieces in prop::collection::vec(prop::option::weighted(0.9, prop::collection::vec(prop::sample::select(vec![0u8, 0, 0, 1, 2, 4, 8, 20, 255]), 1..100)), 0..30),
    ) {
        let pieces: Vec<_> = pieces.iter().map(|piece| piece.as_deref()).collect();
        read(limit, starts, &pieces);
    }
}

/// Messages may be long: `Debug` shows how many bytes they have.
#[test]
fn debug_shows_lengths_in_place_of_bytes() {
    let message = FrameEvent::Message { offset: 4, payload: b"123", tag: () };
    assert_eq!(format!("{message:?}"), "Message { offset: 4, len: 3, tag: () }");
    let piece = Piece::Data { tag: (), offset: 4, payload: b"123" };
    assert_eq!(format!("{piece:?}"), "Data { tag: (), offset: 4, len: 3 }");
    let segment = format!("{:?}", Segment::new(9, b"123").with_fin());
    assert!(segment.starts_with("Segment { sequence: 9, is_syn: false, is_fin: true"), "{segment}");
    assert!(segment.ends_with("len: 3, missing: 0, tag: () }"), "{segment}");
}

/// If pieces do not follow each other, the bytes between them are unknown, and the next frame is
/// searched for.
#[test]
fn a_piece_elsewhere_starts_a_search() {
    let value = encode(Dialect::GODOT_3, &variant!(["text", 1, 2.5])).unwrap();
    let framed = frame(&value);
    let mut frames = Frames::new(1 << 10);
    let mut got = Vec::new();
    let mut push = |offset, bytes: &[u8]| {
        let piece = Piece::Data { tag: (), offset, payload: bytes };
        frames.push(piece, &is_message, &mut |event| got.push(format!("{event:?}")));
    };
    push(0, &framed);
    push(framed.len() as u64, &framed[..10]);
    push(500, &framed);
    push(500 + framed.len() as u64, &framed);
    frames.finish(&is_message, &mut |event| got.push(format!("{event:?}")));
    let (len, next) = (value.len(), framed.len());
    let message = |offset: usize| format!("Message {{ offset: {offset}, len: {len}, tag: () }}");
    let lost = format!("Lost {{ offset: {next}, bytes: 10, reason: Unfinished }}");
    assert_eq!(got, [message(4), lost, message(504), message(504 + next)]);
}

#[test]
fn memory_in_use_is_at_least_what_is_kept() {
    let mut frames = Frames::new(1 << 16);
    frames.push(Piece::Start, &is_message, &mut |_| {});
    let piece =
        Piece::Data { tag: (), offset: 0, payload: &[&[0, 0x40, 0, 0][..], &[1; 996]].concat() };
    frames.push(piece, &is_message, &mut |_| {});
    assert!((1_000..3_000).contains(&frames.heap_bytes()), "{}", frames.heap_bytes());
    let mut stream = Reassembler::new(1 << 16);
    stream.push(Segment::new(9, &[]).with_syn(), &mut |_| {});
    assert_eq!(stream.heap_bytes(), 0);
    stream.push(Segment::new(20, &[1; 1_000]), &mut |_| {});
    assert!((1_000..3_000).contains(&stream.heap_bytes()), "{}", stream.heap_bytes());
}

/// A message that arrives in pieces takes no more memory than its length.
#[test]
fn the_buffer_grows_no_further_than_the_message() {
    let len = 600_000;
    let mut frames = Frames::new(1 << 20);
    frames.push(Piece::Start, &is_message, &mut |_| {});
    let bytes = frame(&vec![1; len]);
    for (bytes, at) in bytes[..len].chunks(250_000).zip(0..) {
        let piece = Piece::Data { tag: (), offset: at * 250_000, payload: bytes };
        frames.push(piece, &is_message, &mut |_| {});
    }
    assert!((len..=len + 4).contains(&frames.heap_bytes()), "{}", frames.heap_bytes());
}

/// While a message is searched for, the segments of the searched bytes are kept, too.
#[test]
fn tiny_segments_take_little_memory_in_a_search() {
    let mut frames = Frames::new(1 << 20);
    let bytes = frame(&vec![1; 600_000]);
    for (bytes, at) in bytes[..100_000].chunks(1).zip(0_u32..) {
        let piece = Piece::Data { tag: at, offset: at.into(), payload: bytes };
        frames.push(piece, &is_message, &mut |_| {});
    }
    assert_eq!(frames.held_bytes(), 100_000);
    assert!(frames.heap_bytes() < 1_000_000, "{}", frames.heap_bytes());
}

/// Longer segments keep their tags, however many they are.
#[test]
fn messages_found_in_a_search_have_the_tags_of_their_segments() {
    const COUNT: u32 = 2_000;
    let same = frame(&encode(Dialect::GODOT_3, &variant!(["again", 1])).unwrap());
    let other = frame(&encode(Dialect::GODOT_3, &variant!(["text", 2.5])).unwrap());
    // Each message ends in the middle of a segment. Equal ones are no evidence that they are messages.
    let stream = [&same.repeat(COUNT as usize)[..], &other, &same, &other].concat();
    let (first, rest) = stream.split_at(same.len() / 2);
    let (mut frames, mut tags, mut offset) = (Frames::new(1 << 20), Vec::new(), 0);
    for (segment, tag) in [first].into_iter().chain(rest.chunks(same.len())).zip(0_u32..) {
        let piece = Piece::Data { tag, offset, payload: segment };
        frames.push(piece, &is_message, &mut |event| {
            if let FrameEvent::Message { tag, .. } = event {
                tags.push(tag);
            }
        });
        offset += segment.len() as u64;
        assert!(tags.is_empty() || tag > COUNT);
    }
    let are_exact = tags.iter().zip(1..).take(COUNT as usize).all(|(tag, number)| *tag == number);
    assert!(tags.len() > COUNT as usize && are_exact);
}

/// Giving up the bytes before tiny segments does not allow more of them to be kept.
#[test]
fn tiny_segments_take_little_memory_after_a_long_one() {
    let mut frames = Frames::new(1 << 16);
    let (mut tag, mut offset) = (0, 0);
    let mut push = |bytes: &[u8]| {
        let piece = Piece::Data { tag, offset, payload: bytes };
        frames.push(piece, &is_message, &mut |_| {});
        (tag, offset) = (tag + 1, offset + bytes.len() as u64);
        frames.heap_bytes()
    };
    push(&[1; 60_000]);
    let held = (0..30_000).map(|_| push(&[1])).max().unwrap();
    assert!(held < 400_000, "{held}");
}

#[test]
fn after_a_gap_beyond_the_end_of_a_frame_the_next_one_is_searched_for() {
    let value = encode(Dialect::GODOT_3, &variant!(["text", 1, 2.5])).unwrap();
    let framed = frame(&value);
    // The gap has 8 bytes: the last 4 of the frame, and 4 of what follows.
    let cut = &framed[..framed.len() - 4];
    let pieces = [Some(cut), None, Some(&frame(b"abcd")[..]), Some(&framed), Some(&framed)];
    let got = read(1 << 10, true, &pieces);
    assert_eq!(got.messages, [value.clone(), value]);
    assert_eq!(got.lost[2].2, LossReason::Unsynchronized, "{:?}", got.lost);
}
