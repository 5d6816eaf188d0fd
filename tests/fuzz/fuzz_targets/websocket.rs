//! One direction of a WebSocket connection in pieces of any size: the messages, compressed or not,
//! are those of the whole stream, and the bytes held back stay within the limit.

#![no_main]

use gdwire::net::Between;
use gdwire::net::tcp::{GapReason, Piece};
use gdwire::net::websocket::{Stream, StreamEvent};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 512;

/// The messages up to the first loss, and whether anything was lost.
fn read(bytes: &[u8], size: usize, gap: Option<usize>) -> (Vec<Vec<u8>>, bool) {
    let mut stream = Stream::new(LIMIT);
    let (mut messages, mut has_lost) = (Vec::new(), false);
    let mut take = |event: StreamEvent<'_>| match event {
        StreamEvent::Message { payload, .. } if !has_lost => {
            assert!(payload.len() <= LIMIT);
            messages.push(payload.to_vec());
        }
        StreamEvent::Lost { .. } => has_lost = true,
        _ => {}
    };
    stream.push(Piece::Start, &mut take);
    let mut offset = 0;
    for (at, bytes) in bytes.chunks(size).enumerate() {
        let length = bytes.len() as u64;
        let piece = match gap {
            Some(gap) if gap == at => {
                let (reason, between) = (GapReason::Limit, &Between::UNKNOWN);
                Piece::Gap { offset, bytes: length, reason, between }
            }
            _ => Piece::Data { tag: (), offset, payload: bytes },
        };
        stream.push(piece, &mut take);
        offset += length;
        assert!(stream.held_bytes() <= 2 * LIMIT + (16 << 10) + 14 + (64 << 10));
    }
    stream.finish(&mut take);
    assert_eq!(stream.held_bytes(), 0);
    (messages, has_lost)
}

// The input: a byte for the size of the pieces, a byte for the piece that is missing if there is one, and
// the bytes of the stream.
fuzz_target!(|input: &[u8]| {
    let Some((&[size, gap], bytes)) = input.split_first_chunk() else { return };
    let size = usize::from(size) + 1;
    if gap < 128 {
        read(bytes, size, Some(gap.into()));
    } else {
        assert_eq!(read(bytes, size, None).0, read(bytes, bytes.len().max(1), None).0);
    }
});
