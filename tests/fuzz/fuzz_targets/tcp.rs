//! Segments in any order: pieces and messages cover the stream without holes, and the bytes held
//! back stay within the limit.

#![no_main]

use gdwire::net::tcp::{FrameEvent, Frames, LossReason, Piece, Reassembler, Segment};
use gdwire::{Dialect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&[limit, frame_limit], mut rest)) = input.split_first_chunk() else { return };
    let limit = usize::from(limit) * 16;
    let frame_limit = u32::from(frame_limit) * 4;
    let mut stream = Reassembler::new(limit);
    let mut frames = Frames::new(frame_limit);
    let is_message = |bytes: &[u8]| parse(Dialect::GODOT_4, bytes).is_ok();
    let (mut next, mut read) = (0, 0);
    let mut event = |event: FrameEvent<'_>, starts: bool| {
        if starts {
            read = 0;
        }
        match event {
            FrameEvent::Message { offset, payload: bytes, .. } => {
                assert_eq!(offset, read + 4);
                assert!(bytes.len() <= frame_limit as usize);
                read = offset + bytes.len() as u64;
            }
            FrameEvent::Lost { reason: LossReason::Late, .. } => {}
            FrameEvent::Lost { offset, bytes, .. } => {
                assert!(offset == read && bytes > 0);
                read += bytes;
            }
            other => panic!("{other:?}"),
        }
        read
    };
    let mut is_new = false;
    let mut read_to = 0;
    let mut take = |piece: Piece<'_>| {
        match piece {
            Piece::Data { offset, payload: bytes, .. } => {
                assert!(offset == next && !bytes.is_empty());
                next += bytes.len() as u64;
            }
            Piece::Gap { offset, bytes, .. } => {
                assert!(offset == next && bytes > 0);
                next += bytes;
            }
            _ => {}
        }
        frames.push(piece, &is_message, &mut |found| {
            read_to = event(found, core::mem::take(&mut is_new));
        });
        if matches!(piece, Piece::Start) {
            // The bytes still held back of the previous stream were reported as lost.
            assert!(next == read_to || is_new);
            next = 0;
            read_to = 0;
            is_new = true;
        }
        assert!(frames.held_bytes() <= frame_limit as usize + 4);
    };
    while let Some((&[flags, high, low, length], after)) = rest.split_first_chunk() {
        // Sequence numbers near each other, around the point where they wrap.
        let sequence = u32::from(u16::from_be_bytes([high, low])).wrapping_sub(300);
        if flags & 0x80 != 0 {
            stream.acknowledged(sequence, &mut take);
            rest = after;
            continue;
        }
        let (payload, after) = after.split_at(usize::from(length).min(after.len()));
        rest = after;
        let mut segment = Segment::new(sequence, payload);
        match flags & 15 {
            1 => segment = segment.with_syn(),
            2 => segment = segment.with_fin(),
            3 => segment = segment.with_reset(),
            4 => segment = segment.with_missing(usize::from(flags >> 4)),
            _ => {}
        }
        stream.push(segment, &mut take);
        assert!(stream.held_bytes() <= limit);
    }
    stream.finish(&mut take);
    assert_eq!(stream.held_bytes(), 0);
    frames.finish(&is_message, &mut |found| {
        event(found, core::mem::take(&mut is_new));
    });
    assert_eq!(frames.held_bytes(), 0);
});
