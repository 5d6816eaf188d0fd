//! Captures of any packets between a few endpoints: the bytes held back stay within the limits,
//! each loss lies between two packets, and at the end nothing is held back.

#![no_main]

use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Content, Event, Limits, Options, Other, Reason, Transport};
use gdwire::{Dialect, parse};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;

const TOTAL: usize = 16 << 10;
const FLOW: usize = 8 << 10;
const FLOWS: usize = 3;

/// A packet with the link type RAW.
fn record(file: &mut Vec<u8>, content: &[u8], is_tcp: bool, (src, dst): (u8, u8), cut: usize) {
    let len = 20 + content.len();
    let mut packet = vec![0x45, 0, (len >> 8) as u8, len as u8, 0, 1, 0, 0, 64];
    packet.extend([if is_tcp { 6 } else { 17 }, 0, 0, 10, 0, 0, src, 10, 0, 0, dst]);
    packet.extend_from_slice(content);
    let captured = packet.len() - cut.min(content.len());
    let numbers = [1, 0, captured as u32, len as u32];
    file.extend(numbers.iter().flat_map(|number: &u32| number.to_le_bytes()));
    file.extend_from_slice(&packet[..captured]);
}

/// Decodes an input into a capture. Each packet consists of: a byte with the endpoints (2 bits),
/// the direction, whether it is TCP, whether it is truncated, and the TCP flags FIN, SYN and RST; a
/// `u16` length; for TCP, a `u16` each for the sequence number and the acknowledgement number; the
/// payload.
fn capture(mut rest: &[u8]) -> Vec<u8> {
    let mut file = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    file.extend([0xff, 0xff, 0, 0, 101, 0, 0, 0]);
    while let [flags, low, high, behind @ ..] = rest {
        let len = usize::from(u16::from_le_bytes([*low, *high]) & 0x3fff);
        let is_tcp = flags & 8 != 0;
        let (head, behind) = behind.split_at(behind.len().min(if is_tcp { 4 } else { 0 }));
        let (payload, behind) = behind.split_at(len.min(behind.len()));
        rest = behind;
        let client = 2 + (flags & 3);
        let ends = if flags & 4 == 0 { (client, 1) } else { (1, client) };
        let port = |end: u8| [0x1e, 0x60 + end];
        let mut content = [port(ends.0), port(ends.1)].concat();
        if is_tcp {
            let [a, b, c, d] = *head.first_chunk().unwrap_or(&[0; 4]);
            let tcp_flags = flags >> 5 & 1 | flags >> 6 & 1 << 1 | flags >> 7 << 2 | 16;
            content.extend([0, 1, a, b, 0, 1, c, d, 0x50, tcp_flags, 1, 0, 0, 0, 0, 0]);
        } else {
            let len = 8 + payload.len();
            content.extend([(len >> 8) as u8, len as u8, 0, 0]);
        }
        content.extend_from_slice(payload);
        let cut = if flags & 16 == 0 { 0 } else { payload.len() / 2 };
        record(&mut file, &content, is_tcp, ends, cut);
    }
    file
}

fn options(choice: u8) -> Options<'static> {
    let mut limits = Limits::default();
    (limits.flows, limits.flow_bytes, limits.total_bytes) = (FLOWS, FLOW, TOTAL);
    let mut options = Options::new().with_limits(limits);
    options = match choice & 7 {
        1 => options.with_transport(Transport::Udp),
        2 => options.with_transport(Transport::Enet),
        3 => options.with_transport(Transport::Tcp),
        4 => options.with_transport(Transport::WebSocket),
        _ => options,
    };
    match choice >> 3 & 3 {
        1 => options.with_dialect(Dialect::GODOT_3),
        2 => options.with_dialect(Dialect::GODOT_4),
        3 => options.with_double_reals(),
        _ => options,
    }
}

fn packets_of(file: &[u8]) -> u64 {
    Capture::new(file).unwrap().count() as u64
}

fuzz_target!(|input: &[u8]| {
    let Some((choice, packets)) = input.split_first() else { return };
    let file = capture(packets);
    let mut messages = Messages::with_options(&file, options(*choice)).unwrap();
    let frames = packets_of(&file);
    let mut position = 0;
    // The open connections, how many were opened, and the number of packets of the closed ones.
    let (mut open, mut opened, mut counted) = (BTreeSet::new(), 0, 0);
    while let Some(event) = messages.next_event() {
        // A message that was held back after a gap may have an earlier frame than the event before
        // it, and so may a loss.
        let (place, origin, since) = match event {
            Event::Message(message) => {
                let dialect = message.dialect;
                match message.content {
                    Content::Value(value) => {
                        assert_eq!(value.as_bytes(), message.bytes);
                        assert!(parse(dialect, message.bytes).is_ok());
                    }
                    Content::Packet(packet) => {
                        let shown = packet.display(message.context()).to_string();
                        assert!(!shown.is_empty());
                    }
                    Content::Debugger(command) => {
                        assert!(!command.to_string().contains(char::is_control));
                    }
                    _ => {}
                }
                (message.place, Some(message.origin), 1)
            }
            Event::Lost(lost) => {
                let after = lost.after.map_or(0, |after| after.frame);
                (lost.place, lost.origin, after + 1)
            }
            Event::Other(other) => (other.place, other.origin, 1),
            Event::Opened(summary) => {
                opened += 1;
                assert_eq!(summary.connection(), opened);
                assert!(open.insert(opened) && open.len() <= FLOWS + 1);
                continue;
            }
            Event::Recognized(summary) => {
                assert!(open.contains(&summary.connection()) && summary.transport().is_some());
                continue;
            }
            Event::Closed(summary) => {
                assert!(open.remove(&summary.connection()) && summary.closed().is_some());
                counted += summary.traffic().packets;
                continue;
            }
            event => panic!("{event:?}"),
        };
        assert!((since..=frames).contains(&place.frame));
        if let Some(origin) = origin {
            let is_lost = matches!(event, Event::Lost(_));
            let is_refused = matches!(
                event,
                Event::Other(Other {
                    reason: Reason::NotAskedFor | Reason::TooManyConnections,
                    ..
                })
            );
            // What is refused belongs to no connection.
            assert!(open.contains(&origin.connection) || is_lost || is_refused);
            assert_eq!(is_refused, origin.connection == 0);
        }
        assert!(messages.position() >= position);
        position = messages.position();
        assert!(messages.held_bytes() <= TOTAL, "{}", messages.held_bytes());
    }
    assert!(open.is_empty() && counted <= frames);
    assert_eq!(messages.position(), file.len() as u64);
    assert_eq!(messages.held_bytes(), 0);
});
