//! Capture files of any bytes: packets lie in the file one after the other, what they carry lies
//! in them, and the end is the end.

#![no_main]

use gdwire::capture::{Capture, Payload};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let Ok(mut capture) = Capture::new(file) else { return };
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
            _ => continue,
        };
        assert!(packet.data.as_ptr_range().contains(&payload.as_ptr()) || payload.is_empty());
        assert!(payload.len() < packet.data.len());
    }
    assert!(capture.next().is_none());
    assert_eq!(capture.position(), file.len() as u64);
});
