//! Recorded connections: every delivered value is returned, byte for byte, in order.

use crate::common::{Sent, corpus, lines, unhex};
use gdwire::capture::Capture;
use gdwire::net::tcp::{FrameEvent, Frames, LossReason, Piece, Reassembler, Segment};
use gdwire::packet::Payload;
use gdwire::{Dialect, parse};
use std::fs;

/// One packet of a connection, of its client or of its server.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub(crate) is_client: bool,
    pub(crate) sequence: u32,
    pub(crate) acknowledgement: Option<u32>,
    pub(crate) flags: (bool, bool, bool),
    pub(crate) payload: Vec<u8>,
    pub(crate) missing: usize,
}

pub(crate) fn packets(name: &str) -> Vec<Packet> {
    let file = fs::read(corpus("captures").join(name)).unwrap();
    let mut packets = Vec::new();
    let mut client = None;
    for packet in Capture::new(&file).unwrap() {
        let packet = packet.unwrap();
        let Payload::Tcp(segment) = packet.payload() else { panic!("{packet:?}") };
        // The client begins.
        let client = *client.get_or_insert(segment.src);
        packets.push(Packet {
            is_client: segment.src == client,
            sequence: segment.sequence,
            acknowledgement: segment.acknowledgement,
            flags: (segment.is_syn, segment.is_fin, segment.is_reset),
            payload: segment.payload.to_vec(),
            missing: segment.missing,
        });
    }
    packets
}

impl Packet {
    pub(crate) fn segment(&self) -> Segment<'_> {
        let mut segment = Segment::new(self.sequence, &self.payload).with_missing(self.missing);
        (segment.is_syn, segment.is_fin, segment.is_reset) = self.flags;
        segment
    }
}

/// The bytes that one side sent, as they were on the wire.
pub(crate) fn sent(name: &str, is_client: bool) -> Vec<Vec<u8>> {
    let sent: Vec<Sent> = lines(&format!("captures/{name}.ndjson"));
    let from = if is_client { "client" } else { "server" };
    let sent = sent.into_iter().filter(|sent| sent.delivered && sent.from == from);
    sent.map(|sent| unhex(sent.wire_hex.as_ref().unwrap_or(&sent.hex))).collect()
}

/// The messages of one side with their offsets, and the losses.
#[derive(Default, Debug)]
pub(crate) struct Seen {
    pub(crate) messages: Vec<(u64, Vec<u8>)>,
    pub(crate) lost: Vec<(u64, u64, LossReason)>,
}

impl Seen {
    pub(crate) fn bytes(&self) -> Vec<&[u8]> {
        self.messages.iter().map(|(_, bytes)| &bytes[..]).collect()
    }
}

/// The pieces of one side of a connection.
pub(crate) fn pieces(
    packets: &[Packet],
    is_client: bool,
    limit: usize,
    sink: &mut dyn FnMut(Piece<'_>),
) {
    let mut stream = Reassembler::new(limit);
    for packet in packets {
        if packet.is_client == is_client {
            stream.push(packet.segment(), sink);
        } else if let Some(number) = packet.acknowledgement {
            stream.acknowledged(number, sink);
        }
        assert!(stream.held_bytes() <= limit);
    }
    stream.finish(sink);
    assert_eq!(stream.held_bytes(), 0);
}

/// Reads one side of a connection, and checks that the events of each stream leave no gap.
pub(crate) fn read(dialect: Dialect, packets: &[Packet], is_client: bool) -> Seen {
    let mut seen = Seen::default();
    let mut frames = Frames::new(1 << 20);
    let is_message = |bytes: &[u8]| parse(dialect, bytes).is_ok();
    let mut next = 0;
    let mut event = |event: FrameEvent<'_>| match event {
        FrameEvent::Message { offset, payload: bytes, .. } => {
            assert_eq!(offset, next + 4);
            next = offset + bytes.len() as u64;
            seen.messages.push((offset, bytes.to_vec()));
        }
        FrameEvent::Lost { offset, bytes, reason } => {
            assert!(bytes > 0);
            if reason != LossReason::Late {
                assert_eq!(offset, next);
                next += bytes;
            }
            seen.lost.push((offset, bytes, reason));
        }
        other => panic!("{other:?}"),
    };
    pieces(packets, is_client, 1 << 20, &mut |piece| frames.push(piece, &is_message, &mut event));
    frames.finish(&is_message, &mut event);
    seen
}

pub(crate) const CAPTURES: [(&str, &str, Dialect); 4] = [
    ("godot3-tcp", "pcapng", Dialect::GODOT_3),
    ("godot3-tcp-ipv6", "pcapng", Dialect::GODOT_3),
    ("godot4-tcp", "pcapng", Dialect::GODOT_4),
    ("godot4-tcp-sll2-usec", "pcap", Dialect::GODOT_4),
];

#[test]
fn every_value_of_both_sides_is_found() {
    for (name, suffix, dialect) in CAPTURES {
        let packets = packets(&format!("{name}.{suffix}"));
        for is_client in [true, false] {
            let seen = read(dialect, &packets, is_client);
            assert!(seen.bytes() == sent(name, is_client), "{name}");
            assert_eq!(seen.lost, []);
        }
    }
}
