//! Any bytes as the datagrams of a connection: the bytes held back stay within the limit, a message
//! that is not copied lies in its datagram, and at the end nothing is held back.

#![no_main]

use gdwire::net::Side;
use gdwire::net::enet::{Datagram, DatagramDecompressor, Session, SessionEvent, SessionLimits};
use libfuzzer_sys::fuzz_target;

// The first two bytes are the limit of the bytes held back. Datagrams follow: a byte with the side
// and the number of missing bytes, a `u16` length, and the bytes.
fuzz_target!(|input: &[u8]| {
    let Some((limit, mut rest)) = input.split_first_chunk() else { return };
    let limits = SessionLimits::default()
        .with_held_bytes(u16::from_le_bytes(*limit).into())
        .with_message_len(10_000)
        .with_unfinished(3)
        .with_patience(5);
    let mut session = Session::new(limits);
    let mut number = 0_u64;
    let (mut commands, mut messages) = (0, 0);
    while let [flags, low, high, behind @ ..] = rest {
        let len = usize::from(u16::from_le_bytes([*low, *high])).min(behind.len());
        let (bytes, behind) = behind.split_at(len);
        rest = behind;
        let side = if flags & 1 == 0 { Side::First } else { Side::Second };
        let missing = usize::from(flags >> 1 & 3);
        let mut buffer = Vec::new();
        let parsed = match missing {
            0 => Datagram::parse_with(bytes, &mut DatagramDecompressor::new(), &mut buffer),
            _ => Datagram::parse_cut(bytes),
        };
        let is_whole = parsed.is_ok();
        let is_compressed = parsed.is_ok_and(|datagram| datagram.header().is_compressed);
        commands += parsed.map_or(0, |datagram| datagram.commands().count());
        let sink = &mut |event: SessionEvent<'_, u64>| {
            let SessionEvent::Message(message) = event else { return };
            messages += 1;
            assert!(message.tag <= number);
            let is_borrowed = bytes.as_ptr_range().contains(&message.payload.as_ptr());
            if is_borrowed && !is_compressed {
                let end = message.offset + message.payload.len();
                assert_eq!(&bytes[message.offset..end], message.payload);
                assert_eq!(message.tag, number);
            }
        };
        let result = session.receive_tagged(side, bytes, missing, number, sink);
        number += 1;
        assert!(missing > 0 || result.is_ok() == is_whole);
        assert!(session.held_bytes() <= limits.held_bytes);
    }
    session.finish(&mut |event| messages += usize::from(matches!(event, SessionEvent::Message(_))));
    assert_eq!(session.held_bytes(), 0);
    assert!(messages <= commands);
});
