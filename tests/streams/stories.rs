//! Streams whose segments or frames arrive in any order, or not: text files say what each gives.
//!
//! Each line of `stories.txt` is one stream of the bytes `abc…`: what arrives, and in brackets what is read.
//! `S` is a SYN, `bcd` a segment of these bytes, `b..3` one of which three more bytes were not captured, `Fd`
//! a FIN after `d`, `Rd` a RST there, `Ad` an acknowledgement of all up to `d`, `S2` the SYN of another
//! stream. After `/` is how much is held back.

use super::{frames, websocket};
use crate::common::{Numbers, written_down};
use gdwire::net::Between;
use gdwire::net::tcp::{FrameEvent, Frames, GapReason, Piece, Reassembler, Segment};
use gdwire::net::websocket::{Stream, StreamEvent};
use std::fmt::Write as _;

const TEXT: &[u8] = b"abcdefghijklmnopqrstuvwxyz";

fn story(seed: u32) -> String {
    let mut numbers = Numbers::new(seed);
    let mut below = |bound| numbers.below(bound) as usize;
    let limit = [1 << 16, 1 << 16, 300, 0][below(4)];
    let base = [1000_u32, u32::MAX - 5][below(2)];
    let mut stream = Reassembler::new(limit);
    let mut line = Vec::new();
    let mut most = 0;
    for step in 0..14 {
        let (at, len) = (below(18), below(5));
        let sequence = base.wrapping_add(at as u32);
        let text = |range: std::ops::Range<usize>| String::from_utf8(TEXT[range].to_vec()).unwrap();
        let before = text(at..at + 1);
        let mut said = Vec::new();
        let mut sink = |piece: Piece<'_, u32>| {
            said.push(match piece {
                Piece::Start => "start".to_owned(),
                Piece::Data { offset, payload, tag, .. } => {
                    format!("{offset}: {} of {tag}", String::from_utf8(payload.to_vec()).unwrap())
                }
                Piece::Gap { offset, bytes, reason, between } => {
                    let around =
                        [between.after, between.before].map(|tag| tag.map_or(-1, i64::from));
                    format!("{offset}: {bytes} missing, {reason:?} {around:?}")
                }
                Piece::Late { bytes } => format!("{bytes} late"),
                Piece::End(end) => format!("end by {end:?}"),
                other => panic!("{other:?}"),
            });
        };
        let kind = if step == 0 && seed.is_multiple_of(2) { 0 } else { 1 + below(19) };
        let (what, segment) = match kind {
            0 => ("S".to_owned(), Segment::new(base.wrapping_sub(1), &[]).with_syn()),
            1..11 => (text(at..at + len), Segment::new(sequence, &TEXT[at..at + len])),
            11 | 12 => {
                let captured = Segment::new(sequence, &TEXT[at..at + len]);
                (format!("{}..3", text(at..at + len)), captured.with_missing(3))
            }
            13 => (format!("F{before}"), Segment::new(sequence, &[]).with_fin()),
            14 => (format!("R{before}"), Segment::new(sequence, &[]).with_reset()),
            15 => {
                let other = base.wrapping_add(1 << 20).wrapping_mul(3);
                ("S2".to_owned(), Segment::new(other, &TEXT[..len]).with_syn())
            }
            _ => {
                let times = [1, 2, 64, 65][below(4)];
                (0..times).for_each(|_| stream.acknowledged(sequence, &mut sink));
                line.push(format!("{times}A{before}[{}]", said.join(", ")));
                continue;
            }
        };
        stream.push(segment.with_tag(step), &mut sink);
        let held = stream.held_bytes();
        assert!(held <= limit);
        most = most.max(stream.heap_bytes());
        let held = if held > 0 { format!("/{held}") } else { String::new() };
        line.push(format!("{what}[{}]{held}", said.join(", ")));
    }
    let start = stream.first_sequence().map(|start| start.wrapping_sub(base).cast_signed());
    let mut rest = 0;
    stream.finish(&mut |piece| match piece {
        Piece::Data { payload, .. } => rest += payload.len(),
        other => line.push(format!("{other:?}")),
    });
    assert_eq!(stream.held_bytes(), 0);
    let line = line.join(" ").replace("[]", "");
    format!("{line} end[{rest} bytes, first {start:?}, memory {most}]")
}

#[test]
fn every_order_of_segments_gives_what_is_written_down() {
    let stories: Vec<_> = (1..400).map(story).collect();
    written_down("tests/streams/stories.txt", &(stories.join("\n") + "\n"));
}

/// Passes a stream of these bytes on in pieces of any size, with gaps, late bytes and ends between them.
/// Returns what each gave.
fn in_pieces(
    numbers: &mut Numbers,
    bytes: &[u8],
    mut take: impl FnMut(Piece<'_, u32>, &mut Vec<String>) -> usize,
) -> String {
    let mut line = String::new();
    let mut offset = 0_u64;
    let mut note = |what: &str, piece: Piece<'_, u32>| {
        let mut said = Vec::new();
        let held = take(piece, &mut said);
        let said = if said.is_empty() { String::new() } else { format!("[{}]", said.join(", ")) };
        let held = if held > 0 { format!("/{held}") } else { String::new() };
        write!(line, "{what}{said}{held} ").unwrap();
    };
    let mut rest = bytes;
    for tag in 0.. {
        match numbers.below(24) {
            0 => note("late", Piece::Late { bytes: 9 }),
            1 => note("end", Piece::End(gdwire::net::tcp::End::Fin)),
            2..4 if tag > 0 => {
                let missing = rest.len().min(numbers.one_of(&[1, 5, 8, 20, 60]));
                let (bytes, reason) = (missing as u64, GapReason::Acknowledged);
                if missing > 0 {
                    note(
                        &format!("gap {bytes}"),
                        Piece::Gap { offset, bytes, reason, between: &Between::UNKNOWN },
                    );
                }
                (rest, offset) = (&rest[missing..], offset + bytes);
            }
            4 if tag > 9 => {
                offset += 3;
                note("jump", Piece::Data { tag, offset, payload: &[] });
            }
            _ => {
                let len = rest.len().min(numbers.one_of(&[1, 2, 4, 12, 12, 30, 50, 200, 1_448]));
                if len == 0 {
                    break;
                }
                let (payload, after) = rest.split_at(len);
                note(&len.to_string(), Piece::Data { tag, offset, payload });
                (rest, offset) = (after, offset + len as u64);
            }
        }
    }
    line
}

fn frame_story(seed: u32) -> String {
    let mut numbers = Numbers::new(seed);
    let values = frames::values();
    let int = [2, 0, 0, 0, 7, 0, 0, 0];
    let long = [&[4, 0, 0, 0, 0x94, 2, 0, 0][..], &[b'x'; 0x294]].concat();
    let mut bytes = vec![9; numbers.one_of(&[0, 0, 3, 40])];
    for _ in 0..numbers.one_of(&[3, 12, 30]) {
        let kind = numbers.below(16);
        bytes.extend(match kind {
            0..6 => frames::frame(&values[numbers.below(5) as usize]),
            6 => frames::frame(&int).repeat(6),
            7 => frames::frame(&[0; 4]).repeat(3),
            8 => frames::frame(&long),
            9 => frames::frame(b"text that is no value"),
            10 => vec![0xff; 4],
            11 => vec![0; numbers.one_of(&[4, 16, 1_200])],
            12 => frames::frame(&[&[16, 0, 0, 0][..], &[1; 8]].concat()),
            13 => frames::frame(b""),
            _ => frames::frame(&int),
        });
    }
    let mut stream = Frames::new(numbers.one_of(&[60, 700, 10_000]));
    let mut most = 0;
    let mut take = |piece: Option<Piece<'_, u32>>, said: &mut Vec<String>| {
        let sink = &mut |event: FrameEvent<'_, u32>| {
            said.push(match event {
                FrameEvent::Message { offset, payload, tag } => {
                    format!("{offset}: {} of {tag}", payload.len())
                }
                FrameEvent::Lost { offset, bytes, reason } => {
                    format!("{offset}: {bytes} {reason:?}")
                }
                other => panic!("{other:?}"),
            });
        };
        match piece {
            Some(piece) => stream.push(piece, &frames::is_message, sink),
            None => stream.finish(&frames::is_message, sink),
        }
        most = most.max(stream.heap_bytes());
        stream.held_bytes()
    };
    if numbers.below(2) == 0 {
        take(Some(Piece::Start), &mut Vec::new());
    }
    let line = in_pieces(&mut numbers, &bytes, |piece, said| take(Some(piece), said));
    let mut said = Vec::new();
    assert_eq!(take(None, &mut said), 0);
    format!("{line}end[{}] memory {most}", said.join(", "))
}

/// Streams of messages after their length. Each piece is written as its length; a message as its offset, its
/// length and its tag.
#[test]
fn every_order_of_frames_gives_what_is_written_down() {
    let stories: Vec<_> = (1..160).map(frame_story).collect();
    written_down("tests/streams/frames.txt", &(stories.join("\n") + "\n"));
}

fn websocket_story(seed: u32) -> String {
    let mut numbers = Numbers::new(seed);
    let mask = numbers.one_of(&[None, Some([1, 2, 3, 250])]);
    let head = if mask.is_some() { websocket::REQUEST } else { websocket::RESPONSE };
    let mut bytes = numbers.one_of(&[head, head, &b""[..], &[0x55; 9]]).to_vec();
    for _ in 0..numbers.one_of(&[6, 20]) {
        let (kind, len) = (numbers.below(20), numbers.one_of(&[0, 1, 7, 30, 125, 126, 300]));
        let other = if mask.is_none() { Some([7; 4]) } else { None };
        bytes.extend(match kind {
            0..5 => websocket::frame(0x82, mask, &vec![b'b'; len]),
            5..7 => websocket::frame(0x81, mask, &vec![b't'; len]),
            7 => websocket::frame(0x02, mask, &vec![b'f'; len]),
            8 => websocket::frame(0x00, mask, &vec![b'm'; len]),
            9 => websocket::frame(0x80, mask, &vec![b'l'; len]),
            10 => websocket::frame(0x89, mask, b"ping"),
            11 => websocket::frame(0x8a, mask, b""),
            12 => {
                websocket::frame(0x88, mask, numbers.one_of(&[&b""[..], b"\x03", b"\x03\xe8bye"]))
            }
            13 => websocket::frame(0xc2, mask, b"\xf2\x48\xcd\xc9\xc9\x07\x00"),
            14 => websocket::frame(0xc1, mask, b"\xf2\x00\x11\x00\x00"),
            15 => websocket::frame(0x42, mask, b"\xf2\x48\xcd\xc9"),
            16 => websocket::frame(0x82, other, b"of the other end"),
            17 => vec![0x83, 5, 1, 2],
            18 => vec![0; len],
            _ => websocket::frame(0xc2, mask, b"\x07\x07"),
        });
    }
    let mut stream = Stream::new(numbers.one_of(&[40, 300, 10_000]));
    let mut take = |piece: Option<Piece<'_, u32>>, said: &mut Vec<String>| {
        let sink = &mut |event: StreamEvent<'_, u32>| {
            said.push(match event {
                StreamEvent::Message { offset, is_text, is_compressed, payload, tag } => {
                    let kind = if is_text { "text" } else { "bytes" };
                    let kind =
                        if is_compressed { format!("small {kind}") } else { kind.to_owned() };
                    let ends = (payload.first(), payload.last());
                    let [first, last] = [ends.0, ends.1].map(|it| char::from(*it.unwrap_or(&b'-')));
                    format!("{offset}: {kind} {first}{}{last} of {tag}", payload.len())
                }
                StreamEvent::Handshake(_) => "open".to_owned(),
                StreamEvent::Control { offset, control } => format!("{offset}: {control:?}"),
                StreamEvent::Lost { offset, bytes, reason } => {
                    format!("{offset}: {bytes} {reason:?}")
                }
                StreamEvent::Unreadable { offset, payload, tag, problem, .. } => {
                    format!("{offset}: {problem:?} {} of {tag}", payload.len())
                }
                other => panic!("{other:?}"),
            });
        };
        match piece {
            Some(piece) => stream.push(piece, sink),
            None => stream.finish(sink),
        }
        stream.held_bytes()
    };
    if numbers.below(3) > 0 {
        take(Some(Piece::Start), &mut Vec::new());
    }
    let line = in_pieces(&mut numbers, &bytes, |piece, said| take(Some(piece), said));
    let mut said = Vec::new();
    assert_eq!(take(None, &mut said), 0);
    format!("{line}end[{}]", said.join(", "))
}

/// Streams of WebSocket. Each piece is written as its length; a message as its offset, its kind, its length
/// between its first and last byte, and its tag.
#[test]
fn every_order_of_websocket_frames_gives_what_is_written_down() {
    let stories: Vec<_> = (1..200).map(websocket_story).collect();
    written_down("tests/streams/websocket.txt", &(stories.join("\n") + "\n"));
}
