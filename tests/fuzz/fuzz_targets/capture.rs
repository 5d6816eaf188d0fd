//! Any bytes as a capture file: packets follow each other in the file, payloads lie within their
//! packets, and after the end no packet follows. Reassembled IP packets have at most the bytes of
//! their fragments, and the fragments that are kept stay within the limit.

#![no_main]

use gdwire::capture::Capture;
use gdwire::packet::{Defragmenter, Payload};
use libfuzzer_sys::fuzz_target;

/// Lower than the largest size of a packet, in bytes.
const LIMIT: usize = 8 << 10;

fuzz_target!(|file: &[u8]| {
    let Ok(mut capture) = Capture::new(file) else { return };
    let mut defragmenter = Defragmenter::with_limit(LIMIT);
    let (mut parts, mut lost, mut whole) = (0, 0, 0);
    let mut end = 0;
    let mut frames = 0;
    while let Some(packet) = capture.next() {
        let Ok(packet) = packet else { break };
        frames += 1;
        assert_eq!(packet.frame, frames);
        let start = packet.offset as usize;
        assert!(start > end);
        end = start + packet.data.len();
        assert_eq!(&file[start..end], packet.data);
        assert!(capture.position() >= end as u64);
        let payload = match packet.payload() {
            Payload::Udp(datagram) => datagram.payload,
            Payload::Tcp(segment) => segment.payload,
            Payload::Fragment(fragment) => {
                parts += fragment.payload.len();
                let mut tell = |packet: gdwire::packet::LostPacket| {
                    assert!(packet.frame <= frames);
                    lost += packet.bytes;
                };
                match defragmenter.push(packet.frame, packet.time, &fragment, &mut tell) {
                    Some(Payload::Udp(datagram)) => whole += datagram.payload.len(),
                    Some(Payload::Tcp(segment)) => whole += segment.payload.len(),
                    _ => {}
                }
                assert!(defragmenter.held_bytes() <= LIMIT);
                assert!(lost + whole <= parts);
                fragment.payload
            }
            _ => continue,
        };
        assert!(packet.data.as_ptr_range().contains(&payload.as_ptr()) || payload.is_empty());
        assert!(payload.len() < packet.data.len());
    }
    defragmenter.finish(&mut |packet| lost += packet.bytes);
    assert!(lost + whole <= parts);
    assert_eq!(defragmenter.held_bytes(), 0);
    assert!(capture.next().is_none());
    assert_eq!(capture.position(), file.len() as u64);
});
