//! Any packets, in any order and at any time: the events are the same whether the packets are in a
//! file, arrive in pieces, are pushed one by one, or are in two files that are joined. The bytes
//! held back stay within the limits, also while time passes.

#![no_main]

#[path = "../../common/files.rs"]
mod files;
#[path = "../../follow/given.rs"]
#[allow(dead_code, reason = "the other ways to push packets are those of the tests")]
mod given;

use files::{Pieces, pcapng, split};
use gdwire::Dialect;
use gdwire::capture::{Capture, Messages, PacketReader, ReadError};
use gdwire::follow::{Batch, Content, Event, Events, Follower, Limits, Options, Place, Transport};
use gdwire::packet::{CapturedPacket, LinkType, Payload, Time};
use given::{Given, of_messages};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;
use std::io::ErrorKind;

/// What comes before the packets: the options, the limits, how the file is divided into pieces, and
/// how many bytes are missing at its end.
#[derive(Clone, Copy)]
struct Head {
    options: u8,
    limits: u8,
    pieces: u8,
    missing: u8,
}

impl Head {
    fn limits(self) -> Limits {
        let choice = |shift: u8, values: [usize; 4]| values[usize::from(self.limits >> shift & 3)];
        let total = choice(2, [256 << 20, 256 << 10, 16 << 10, 1 << 10]);
        Limits::default()
            .with_flows(choice(0, [1 << 16, 5, 2, 1]))
            .with_total_bytes(total)
            .with_flow_bytes(total / 2)
            .with_undecided_messages(choice(4, [64, 5, 1, 0]) as u32)
            .with_undecided_bytes(choice(6, [1 << 20, 1 << 10, 100, 0]))
    }

    fn options(self) -> Options<'static> {
        let options = Options::new().with_limits(self.limits());
        let options = match self.options & 7 {
            1 => options.with_transport(Transport::Udp),
            2 => options.with_transport(Transport::Tcp),
            3 => options.with_transport(Transport::Enet),
            4 => options.with_transport(Transport::WebSocket),
            5 => options.with_filter(|src, dst| src.port().min(dst.port()) != 7002),
            _ => options,
        };
        match self.options >> 3 & 7 {
            1 => options.with_dialect(Dialect::GODOT_3),
            2 => options.with_dialect(Dialect::GODOT_4),
            3 => options.with_dialect(Dialect::PANDEMONIUM_4),
            4 => options.with_dialect(Dialect::PANDEMONIUM_5),
            5 => options.with_double_reals(),
            _ => options,
        }
    }
}

/// A packet that owns its bytes.
struct Built {
    link_type: LinkType,
    data: Vec<u8>,
    len: u32,
    time: i64,
}

impl Built {
    fn packet(&self) -> CapturedPacket<'_> {
        let packet = CapturedPacket::new(self.link_type, &self.data).with_original_len(self.len);
        packet.with_time(Time::from_nanos(self.time * 1_000, 6))
    }
}

/// An IPv4 or IPv6 packet. For a fragment, the identification and the offset are passed.
fn ip(
    is_v6: bool,
    protocol: u8,
    ends: [u8; 2],
    part: Option<([u8; 2], bool)>,
    content: &[u8],
) -> Vec<u8> {
    let len = content.len() as u16;
    let mut packet = Vec::new();
    if is_v6 {
        let part = part.map(|([id, offset], is_last)| {
            [protocol, 0, 0, offset << 3 | u8::from(!is_last), 0, 0, 0, id]
        });
        packet.extend([0x60, 0, 0, 0]);
        packet.extend((len + part.map_or(0, |part| part.len() as u16)).to_be_bytes());
        packet.extend([part.map_or(protocol, |_| 44), 64]);
        for end in ends {
            packet.extend([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, end]);
        }
        packet.extend(part.unwrap_or_default().iter().take(if part.is_some() { 8 } else { 0 }));
    } else {
        let ([id, offset], is_last) = part.unwrap_or(([1, 0], true));
        packet.extend([0x45, 0]);
        packet.extend((20 + len).to_be_bytes());
        packet.extend([0, id, if is_last { 0 } else { 0x20 }, offset, 64, protocol, 0, 0]);
        packet.extend([10, 0, 0, ends[0], 10, 0, 0, ends[1]]);
    }
    packet.extend_from_slice(content);
    packet
}

/// Decodes an input into packets. Each consists of:
///
/// - a byte: the kind (2 bits: a datagram, a segment, a fragment or any bytes), whether it is IPv6,
///   whether it is truncated, and flags: for a segment FIN, SYN, RST and ACK; for a fragment
///   whether others follow it and whether it is TCP; for any bytes the link type;
/// - a byte: the client (2 bits), whether the server sent it, the server's port (2 bits);
/// - a signed byte: the time since the previous packet in milliseconds;
/// - a `u16`: the length of the payload;
/// - for a segment a `u16` each for the sequence number and the acknowledgement number, for a
///   fragment a byte each for the identification and the offset;
/// - the payload, which for a fragment includes the UDP or TCP header.
fn packets(mut rest: &[u8]) -> Vec<Built> {
    let mut packets = Vec::new();
    let mut time = 1_000_000_000;
    while let [what, who, when, low, high, after @ ..] = rest {
        let kind = what & 3;
        let head = match kind {
            1 => 4,
            2 => 2,
            _ => 0,
        };
        let (head, after) = after.split_at(after.len().min(head));
        let len = usize::from(u16::from_le_bytes([*low, *high]) & 0x3fff);
        let (payload, after) = after.split_at(len.min(after.len()));
        rest = after;
        time += i64::from(*when as i8) * 1_000;
        let (is_v6, is_cut) = (what & 4 != 0, what & 8 != 0);
        let (client, server) = (2 + (who & 3), 1);
        let ports = [[0x9c, 0x40 + client], [0x1b, 0x58 + (who >> 3 & 3)]];
        let is_client = who & 4 == 0;
        let ends = if is_client { [client, server] } else { [server, client] };
        let [src, dst] = if is_client { ports } else { [ports[1], ports[0]] };
        let [a, b, c, d] = *head.first_chunk().unwrap_or(&[0; 4]);
        let mut content = [src, dst].concat();
        let (mut link_type, mut data) = (LinkType::RAW, Vec::new());
        match kind {
            0 => {
                content.extend((8 + payload.len() as u16).to_be_bytes());
                content.extend([0, 0]);
                content.extend_from_slice(payload);
                data = ip(is_v6, 17, ends, None, &content);
            }
            1 => {
                let flags = what >> 4 & 7 | what >> 7 << 4;
                content.extend([0, 1, a, b, 0, 1, c, d, 0x50, flags, 1, 0, 0, 0, 0, 0]);
                content.extend_from_slice(payload);
                data = ip(is_v6, 6, ends, None, &content);
            }
            2 => {
                let (is_last, is_tcp) = (what & 16 == 0, what & 32 != 0);
                let [id, offset] = *head.first_chunk().unwrap_or(&[0; 2]);
                let protocol = if is_tcp { 6 } else { 17 };
                data = ip(is_v6, protocol, ends, Some(([id, offset], is_last)), payload);
            }
            _ => {
                let links =
                    [LinkType::RAW, LinkType::ETHERNET, LinkType::NULL, LinkType::LINUX_SLL2];
                link_type = links[usize::from(what >> 4 & 3)];
                data.extend_from_slice(payload);
            }
        }
        let len = data.len() as u32;
        if is_cut {
            data.truncate(data.len().saturating_sub(payload.len() / 2 + 1));
        }
        packets.push(Built { link_type, data, len, time });
    }
    packets
}

fn keep(events: Events<'_, '_>, given: &mut Vec<Given>) {
    events.for_each(|event| given.push(Given::of(&event)));
}

fn in_pieces(file: &[u8], head: Head) -> Vec<Given> {
    let mut reader = PacketReader::new(Pieces::new(file, head.pieces.into()));
    let (mut follower, mut given) = (Follower::with_options(head.options()), Vec::new());
    loop {
        match reader.next_packet() {
            Ok(Some(packet)) => keep(follower.packet(&packet), &mut given),
            Ok(None) => break,
            Err(ReadError::Io(error)) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            Err(ReadError::Damaged(error)) => given.push(Given::of(&Event::Damaged(error))),
            Err(error) => panic!("{error}"),
        }
    }
    keep(follower.finish(), &mut given);
    given
}

/// Datagrams and segments are pushed as such, everything else as packets.
fn pushed(file: &[u8], head: Head) -> Vec<Given> {
    let (mut follower, mut given) = (Follower::with_options(head.options()), Vec::new());
    for packet in Capture::new(file).unwrap() {
        match packet {
            Ok(packet) => {
                let place = Place::new(packet.frame);
                let place = packet.time.map_or(place, |time| place.with_time(time));
                let events = match packet.payload() {
                    Payload::Udp(datagram) => follower.datagram(place, &datagram),
                    Payload::Tcp(segment) => follower.segment(place, &segment),
                    _ => follower.packet(&packet),
                };
                keep(events, &mut given);
            }
            Err(error) => given.push(Given::of(&Event::Damaged(error))),
        }
    }
    keep(follower.finish(), &mut given);
    given
}

fn in_batches(file: &[u8], head: Head) -> Vec<Given> {
    let mut messages = Messages::with_options(file, head.options()).unwrap();
    let mut given = Vec::new();
    let mut batch = Batch::new(usize::from(head.pieces) << 4);
    loop {
        let is_more = messages.fill(&mut batch);
        given.extend(batch.iter().map(|event| Given::of(&event)));
        batch.clear();
        if !is_more {
            return given;
        }
    }
}

/// Pushes the packets while time passes: however long messages wait, what is held is bounded, and
/// connections are opened before their events and closed after them.
fn while_time_passes(packets: &[Built], head: Head) {
    let mut follower = Follower::with_options(head.options());
    let Limits { flows, total_bytes, undecided_time, .. } = head.limits();
    let (mut open, mut opened, mut counted) = (BTreeSet::new(), 0, 0);
    let pushed = packets.len() as u64;
    let mut check = |event: &Event<'_>, frame: u64| {
        let (place, origin) = match event {
            Event::Opened(summary) => {
                opened += 1;
                assert_eq!(summary.connection(), opened);
                assert!(open.insert(opened) && open.len() <= flows.max(1) + 1);
                return;
            }
            Event::Recognized(summary) => {
                assert!(open.contains(&summary.connection()) && summary.transport().is_some());
                return;
            }
            Event::Closed(summary) => {
                assert!(open.remove(&summary.connection()) && summary.closed().is_some());
                counted += summary.traffic().packets;
                return;
            }
            Event::Message(message) => {
                match message.content {
                    Content::Value(value) => assert_eq!(value.as_bytes(), message.bytes),
                    Content::Packet(packet) => {
                        assert!(!packet.display(message.context()).to_string().is_empty());
                    }
                    Content::Debugger(command) => {
                        assert!(!command.to_string().contains(char::is_control));
                    }
                    _ => {}
                }
                (message.place, Some(message.origin))
            }
            Event::Other(other) => (other.place, other.origin),
            Event::Lost(lost) => (lost.place, None),
            other => panic!("{other:?}"),
        };
        assert!((1..=frame).contains(&place.frame));
        if let Some(origin) = origin {
            assert!(open.contains(&origin.connection) || origin.connection == 0);
        }
    };
    for (frame, built) in (1..).zip(packets) {
        follower.packet(&built.packet().with_frame(frame)).for_each(|event| check(&event, frame));
        assert!(follower.held_bytes() <= total_bytes);
        if built.time % 3_000 == 0 {
            let passed = (undecided_time * frame as u32 / 5).as_nanos();
            let now = Time::from_nanos(i64::try_from(passed).unwrap(), 9);
            follower.tick(now).for_each(|event| check(&event, frame));
            assert!(follower.held_bytes() <= total_bytes);
        }
    }
    follower.finish().for_each(|event| check(&event, pushed));
    assert_eq!(follower.held_bytes(), 0);
    assert!(open.is_empty() && counted <= pushed);
}

fuzz_target!(|input: &[u8]| {
    let Some((&[options, limits, pieces, missing], rest)) = input.split_first_chunk() else {
        return;
    };
    let head = Head { options, limits, pieces, missing };
    let built = packets(rest);
    let packets: Vec<_> = built.iter().map(Built::packet).collect();
    let mut file = pcapng(&packets);
    let is_whole = head.missing == 0;
    file.truncate(file.len() - usize::from(head.missing).min(file.len() - 28));
    let of_file = of_messages(&mut Messages::with_options(&file, head.options()).unwrap());
    assert_eq!(in_pieces(&file, head), of_file);
    assert_eq!(pushed(&file, head), of_file);
    assert_eq!(in_batches(&file, head), of_file);
    if is_whole {
        let files = split(&file);
        let mut joined = Messages::with_options(&files[0].0, head.options()).unwrap();
        for (file, _) in &files[1..] {
            joined.join(file).unwrap();
        }
        assert_eq!(of_messages(&mut joined), of_file);
    }
    while_time_passes(&built, head);
});
