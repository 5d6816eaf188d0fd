//! Streams whose segments arrive in any order, or not: `stories.txt` says what each gives.
//!
//! Each line is one stream of the bytes `abc…`: what arrives, and in brackets what is read. `S` is a SYN,
//! `bcd` a segment of these bytes, `b..3` one of which three more bytes were not captured, `Fd` a FIN after
//! `d`, `Rd` a RST there, `Ad` an acknowledgement of all up to `d`, `S2` the SYN of another stream.

use crate::common::written_down;
use gdwire::net::tcp::{Piece, Reassembler, Segment};

const TEXT: &[u8] = b"abcdefghijklmnopqrstuvwxyz";

fn story(seed: u32) -> String {
    let mut state = seed.wrapping_mul(2_654_435_761);
    let mut below = |bound: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 12) % bound) as usize
    };
    let limit = [1 << 16, 1 << 16, 300, 0][below(4)];
    let base = [1000_u32, u32::MAX - 5][below(2)];
    let mut stream = Reassembler::new(limit);
    let mut line = Vec::new();
    for step in 0..14 {
        let (at, len) = (below(18), below(5));
        let sequence = base.wrapping_add(at as u32);
        let text = |range: std::ops::Range<usize>| String::from_utf8(TEXT[range].to_vec()).unwrap();
        let before = text(at..at + 1);
        let mut said = Vec::new();
        let mut sink = |piece: Piece<'_, usize>| {
            said.push(match piece {
                Piece::Start => "start".to_owned(),
                Piece::Data { offset, payload, tag, .. } => {
                    format!("{offset}: {} of {tag}", String::from_utf8(payload.to_vec()).unwrap())
                }
                Piece::Gap { offset, bytes, reason, .. } => {
                    format!("{offset}: {bytes} missing, {reason:?}")
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
        assert!(stream.held_bytes() <= limit);
        line.push(format!("{what}[{}]", said.join(", ")));
    }
    let mut rest = 0;
    stream.finish(&mut |piece| match piece {
        Piece::Data { payload, .. } => rest += payload.len(),
        other => line.push(format!("{other:?}")),
    });
    assert_eq!(stream.held_bytes(), 0);
    format!("{} end[{rest} bytes]", line.join(" ").replace("[]", ""))
}

#[test]
fn every_order_of_segments_gives_what_is_written_down() {
    let stories: Vec<_> = (1..400).map(story).collect();
    written_down("tests/streams/stories.txt", &(stories.join("\n") + "\n"));
}
