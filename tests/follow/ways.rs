//! All ways to read a capture give the events of the whole file.

use crate::common::corpus;
use crate::common::files::{Pieces, split};
use crate::follow::batches::in_threads;
use crate::follow::captures;
use crate::follow::given::{self, Given, of_file, of_messages, pushed};
use gdwire::capture::{Capture, Messages, PacketReader, ReadError};
use gdwire::follow::Follower;
use gdwire::packet::CapturedPacket;
use std::io::{ErrorKind, Read};

/// Pushes the packets that a stream has.
fn push(
    reader: &mut PacketReader<impl Read>,
    number: u32,
    follower: &mut Follower<'_>,
    given: &mut Vec<Given>,
) {
    loop {
        match reader.next_packet() {
            Ok(Some(packet)) => {
                assert_eq!(packet.file, number);
                follower.packet(&packet).for_each(|event| given.push(Given::of(&event)));
            }
            Ok(None) => return,
            Err(ReadError::Io(error)) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            Err(error) => panic!("{error}"),
        }
    }
}

fn in_pieces(file: &[u8], seed: u32) -> Vec<Given> {
    let (mut follower, mut given) = (Follower::new(), Vec::new());
    push(&mut PacketReader::new(Pieces::new(file, seed)), 0, &mut follower, &mut given);
    follower.finish().for_each(|event| given.push(Given::of(&event)));
    given
}

/// Connections, fragments and frame numbers continue from file to file.
fn joined(file: &[u8]) -> Vec<Given> {
    let files = split(file);
    let mut messages = Messages::new(&files[0].0).unwrap();
    for (file, _) in &files[1..] {
        messages.join(file).unwrap();
    }
    of_messages(&mut messages)
}

fn joined_in_pieces(file: &[u8], seed: u32) -> Vec<Given> {
    let (mut follower, mut given) = (Follower::new(), Vec::new());
    let files = split(file);
    let mut before: Option<PacketReader<Pieces<'_>>> = None;
    for (number, (file, _)) in (0..).zip(&files) {
        let mut reader = PacketReader::new(Pieces::new(file, seed));
        if let Some(before) = &before {
            reader = reader.after(before);
        }
        push(&mut reader, number, &mut follower, &mut given);
        before = Some(reader);
    }
    follower.finish().for_each(|event| given.push(Given::of(&event)));
    given
}

#[test]
fn every_way_of_reading_gives_the_same_events() {
    for (seed, (name, file)) in (1..).zip(captures()) {
        let expected = of_file(&file);
        assert!(expected.iter().any(|given| matches!(given, Given::Message { .. })), "{name}");
        let check = |way: &str, given: Vec<Given>| assert!(given == expected, "{name}: {way}");
        check("in pieces", in_pieces(&file, seed));
        check("packets", pushed(&file, given::packets));
        check("IP packets", pushed(&file, given::ip_packets));
        check("datagrams and segments", pushed(&file, given::datagrams_and_segments));
        check("joined files", joined(&file));
        check("joined files in pieces", joined_in_pieces(&file, seed));
        let threads = [1, 2, 7][seed as usize % 3];
        let (_, events) = in_threads(&file, 4 << 10, threads);
        let given = events.into_iter().map(|(given, _)| given).collect();
        check(&format!("{threads} threads"), given);
    }
}

/// Nothing refers to the memory of earlier packets, where later ones may be.
#[test]
fn packets_may_be_pushed_from_one_buffer() {
    for name in [
        "godot3-websocket-rpc.pcapng",
        "godot3-debugger.pcapng",
        "godot4-udp-ipfrag.pcapng",
        "pandemonium5-rpc-compressed.pcapng",
        "pandemonium5-tcp.pcapng",
    ] {
        let file = std::fs::read(corpus("captures").join(name)).unwrap();
        let (mut follower, mut given) = (Follower::new(), Vec::new());
        let mut buffer = vec![0; 64 << 10];
        for packet in Capture::new(&file).unwrap() {
            let packet = packet.unwrap();
            let data = &mut buffer[..packet.data.len()];
            data.copy_from_slice(packet.data);
            let copy = CapturedPacket::new(packet.link_type, data).with_frame(packet.frame);
            let copy = copy.with_time(packet.time.unwrap());
            follower.packet(&copy).for_each(|event| given.push(Given::of(&event)));
        }
        follower.finish().for_each(|event| given.push(Given::of(&event)));
        assert!(given == of_file(&file), "{name}");
    }
}
