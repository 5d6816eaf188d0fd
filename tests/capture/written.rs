//! Captures that programs write: packets with headers of their own, and messages as packets.

use crate::capture::assemble::{LITTLE, udp_packet};
use crate::capture::recorded::read;
use crate::common::{hex, written_down};
use gdwire::capture::annotate::MessageWriter;
use gdwire::capture::{Capture, Messages, PacketReader, PacketWriter, ReadError};
use gdwire::follow::{Event, Place};
use gdwire::net::tcp::Segment;
use gdwire::packet::{CapturedPacket, LinkType, Payload, Problem, TcpSegment, Time, UdpDatagram};
use std::net::SocketAddr;

const ENDS: [[&str; 2]; 4] = [
    ["10.0.0.1:5000", "10.0.0.2:7777"],
    ["[fd00::1]:5000", "[fd00::2]:7777"],
    ["[::ffff:10.0.0.1]:5000", "10.0.0.2:7777"],
    ["10.0.0.1:5000", "[fd00::2]:7777"],
];

#[test]
fn written_packets_are_read_as_they_were() {
    let segments = [
        Segment::new(u32::MAX, &[]).with_syn(),
        Segment::new(7, b"odd"),
        Segment::new(9, b"").with_fin(),
        Segment::new(11, &[5; 1_400]).with_reset(),
    ];
    let mut writer = PacketWriter::new(Vec::new()).unwrap();
    let (mut expected, mut number) = (Vec::new(), 0);
    for ends in ENDS {
        let [src, dst] = ends.map(|end| end.parse::<SocketAddr>().unwrap());
        for payload in [&b""[..], b"x", b"word", &[9; 1_392]] {
            number += 1;
            let time = Time::from_nanos(1_700_000_000_123_456_789 + number, 9);
            writer.datagram(time, &UdpDatagram::new(src, dst, payload)).unwrap();
            expected.push((time, format!("{ends:?} {payload:?}")));
        }
        for (at, segment) in segments.into_iter().enumerate() {
            number += 1;
            let time = Time::from_nanos(number, 9);
            let segment = TcpSegment::new(src, dst, segment);
            let segment =
                if at > 0 { segment.with_acknowledgement((at as u32) << 30) } else { segment };
            writer.segment(time, &segment).unwrap();
            let flags = [segment.is_syn, segment.is_fin, segment.is_reset];
            let numbers = (segment.sequence, segment.acknowledgement);
            expected.push((time, format!("{ends:?} {flags:?} {numbers:?} {:?}", segment.payload)));
        }
    }
    let too_long = UdpDatagram::new(
        "10.0.0.1:1".parse().unwrap(),
        "10.0.0.2:2".parse().unwrap(),
        &[0; 65_508],
    );
    assert!(writer.datagram(Time::now(), &too_long).is_err());
    let packet = udp_packet();
    for link_type in [LinkType::RAW, LinkType::IPV4, LinkType::RAW, LinkType::LINUX_SLL] {
        writer.captured(&CapturedPacket::new(link_type, &packet).with_original_len(99)).unwrap();
    }
    let file = writer.into_inner();
    let packets: Vec<_> = Capture::new(&file).unwrap().map(Result::unwrap).collect();
    let made = packets.len() - 4;
    assert_eq!(made, expected.len());
    for (packet, (time, text)) in packets.iter().zip(expected) {
        assert_eq!((packet.time, packet.original_len), (Some(time), packet.data.len() as u32));
        let mapped =
            |end: SocketAddr| SocketAddr::new(end.ip().to_canonical(), end.port()).to_string();
        let mapped_text = text.replace("[::ffff:10.0.0.1]", "10.0.0.1");
        let found = match packet.payload() {
            Payload::Udp(it) => {
                format!("{:?} {:?}", [mapped(it.src), mapped(it.dst)], it.payload)
            }
            Payload::Tcp(it) => {
                let flags = [it.is_syn, it.is_fin, it.is_reset];
                let numbers = (it.sequence, it.acknowledgement);
                let ends = [mapped(it.src), mapped(it.dst)];
                format!("{ends:?} {flags:?} {numbers:?} {:?}", it.payload)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(found, mapped_text);
    }
    let captured = packets[made..].iter().map(|it| (it.time.unwrap().as_nanos(), it.link_type.0));
    assert_eq!(captured.collect::<Vec<_>>(), [(0, 101), (0, 228), (0, 101), (0, 113)]);
    assert!(packets[made..].iter().all(|it| it.data == packet && it.original_len == 99));
    // The section, and an interface for each of the three link types.
    let len = |it: &CapturedPacket<'_>| 32 + it.data.len().next_multiple_of(4);
    assert_eq!(file.len(), 28 + 3 * 32 + packets.iter().map(len).sum::<usize>());
}

/// The packets of a capture with its messages, each as its time, its lengths and its bytes.
fn packets(file: &[u8]) -> String {
    let line = |packet: CapturedPacket<'_>| {
        let CapturedPacket { time, original_len, link_type, data, .. } = packet;
        let (len, start) = (data.len(), &data[..data.len().min(200)]);
        format!("{} {} {len}/{original_len} {}\n", link_type.0, time.unwrap(), hex(start))
    };
    Capture::new(file).unwrap().map(|packet| line(packet.unwrap())).collect()
}

#[test]
fn messages_become_the_packets_that_are_written_down() {
    let mut text = String::new();
    for (name, has_packets) in [
        ("godot3-tcp-ipv6.pcapng", false),
        ("godot4-udp.pcapng", true),
        ("godot4-rpc.pcapng", true),
    ] {
        let file = read(name);
        let mut messages = Messages::new(&file).unwrap();
        let new = if has_packets { MessageWriter::with_packets } else { MessageWriter::new };
        let mut writer = new(Vec::new()).unwrap();
        for packet in Capture::new(&file).unwrap().take(if has_packets { 12 } else { 0 }) {
            writer.packet(&packet.unwrap()).unwrap();
        }
        let mut count = 0;
        while let Some(event) = messages.next_event() {
            if let Event::Message(message) = event
                && count < 8
            {
                count += 1;
                let origin = (count != 3).then_some(message.origin);
                let json = format!("[{count}]").repeat(if count == 2 { 100_000 } else { 1 });
                let info = message.display().to_string().repeat(if count == 5 { 900 } else { 1 });
                writer.message(message.place, origin, "Godot", &info, json.as_bytes()).unwrap();
            }
        }
        writer.message(Place::new(1), None, "", &"", b"{}").unwrap();
        writer.flush(std::time::Duration::MAX).unwrap();
        let written = writer.finish().unwrap();
        // The names of the interfaces.
        let has = |option: &[u8]| written.windows(option.len()).any(|it| it == option);
        assert_eq!(
            (has(b"\x02\0\x08\0messages"), has(b"\x02\0\x07\0packets")),
            (true, has_packets)
        );
        text += &format!("{name}\n{}", packets(&written));
    }
    written_down("tests/capture/messages.txt", &text);
}

/// The stream waits for the rest of a packet of 64 MiB, and refuses a longer one at once. The error has the
/// number of that packet and its place in the file.
#[test]
fn a_stream_has_packets_of_up_to_64_mib() {
    let packet = LITTLE.packet(0, 0, &udp_packet(), &[]);
    let start = [LITTLE.section(), LITTLE.interface(101, 0, &[])].concat();
    for (before, words, is_too_long) in [(0, 1 << 24, false), (2, (1 << 24) + 1, true)] {
        let length = words * 4;
        let file = [&start[..], &packet.repeat(before), &LITTLE.u32s(&[6, length]), &[0; 40]];
        let file = file.concat();
        let mut reader = PacketReader::new(&file[..]);
        for _ in 0..before {
            assert!(reader.next_packet().unwrap().is_some());
        }
        let Err(ReadError::Damaged(error)) = reader.next_packet() else { panic!() };
        let place = (start.len() + before * packet.len()) as u64;
        assert_eq!((error.frame, error.offset), (Some(before as u64 + 1), place));
        match error.problem {
            Problem::TooLong { len, limit } if is_too_long => {
                assert_eq!((len, limit), (length as usize, 1 << 26));
            }
            Problem::Cut { missing, available } if !is_too_long => {
                assert_eq!((missing, available), (length as usize - 48, 48));
            }
            problem => panic!("{problem:?}"),
        }
        assert!(reader.next_packet().unwrap().is_none());
    }
}
