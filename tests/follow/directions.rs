//! The counts of each direction of a connection.

use crate::common::corpus;
use crate::follow::given::{Push, datagrams_and_segments, ip_packets, packets};
use gdwire::capture::Capture;
use gdwire::follow::{Direction, Event, Follower, Missing, Place};
use gdwire::net::Side;
use gdwire::packet::{Defragmenter, UdpDatagram};

/// The two directions of the only connection in a capture, whose packets are pushed in one of
/// several forms.
fn directions(name: &str, push: Push) -> [Direction; 2] {
    let file = std::fs::read(corpus("captures").join(name)).unwrap();
    let (mut follower, mut fragments) = (Follower::new(), Defragmenter::new());
    for packet in Capture::new(&file).unwrap() {
        push(&mut follower, &mut fragments, &packet.unwrap(), &mut Vec::new());
    }
    let mut directions = None;
    follower.finish().for_each(|event| {
        if let Event::Closed(summary) = event {
            let both = [Side::First, Side::Second].map(|from| summary.direction(from).clone());
            assert!(directions.replace(both).is_none());
        }
    });
    directions.unwrap()
}

#[test]
fn bytes_on_the_wire_are_counted_as_far_as_they_are_known() {
    let whole = directions("godot4-enet.pcapng", packets);
    let ip = directions("godot4-enet.pcapng", ip_packets);
    let pushed = directions("godot4-enet.pcapng", datagrams_and_segments);
    for ((whole, ip), pushed) in whole.iter().zip(&ip).zip(&pushed) {
        let (wire, without_link) = (whole.wire.unwrap(), ip.wire.unwrap());
        assert_eq!(wire.frames, whole.packets);
        assert_eq!(wire.bytes, whole.payload_bytes + whole.packets * (14 + 20 + 8));
        assert_eq!(wire.bytes, without_link.bytes + wire.frames * 14);
        assert_eq!(pushed.wire, None);
        assert_eq!(pushed.payload_bytes, whole.payload_bytes);
    }
}

#[test]
fn ip_fragments_are_frames_of_one_packet() {
    let [second, first] = directions("godot4-udp-ipfrag.pcapng", packets);
    let frames = [&first, &second].map(|direction| direction.wire.unwrap().frames);
    assert_eq!(frames.iter().sum::<u64>(), 86);
    assert_eq!(first.packets + second.packets, 72);
    assert!(first.largest > 1_400 || second.largest > 1_400);
    assert!(first.above_mtu + second.above_mtu > 0);
}

#[test]
fn datagrams_of_more_than_1400_bytes_are_above_the_usual_mtu() {
    let (client, server) = ("10.0.0.2:5000".parse().unwrap(), "10.0.0.1:7000".parse().unwrap());
    let mut follower = Follower::new();
    for len in [1_399, 1_400, 1_401] {
        let payload = vec![0xff; len];
        drop(follower.datagram(Place::new(1), &UdpDatagram::new(client, server, &payload)));
    }
    let mut above = 0;
    follower.finish().for_each(|event| {
        if let Event::Closed(summary) = event {
            above =
                [Side::First, Side::Second].map(|it| summary.direction(it).above_mtu).iter().sum();
        }
    });
    assert_eq!(above, 1);
}

#[test]
fn one_packet_without_a_frame_makes_the_bytes_on_the_wire_unknown() {
    let (client, server) = ("10.0.0.2:5000".parse().unwrap(), "10.0.0.1:7000".parse().unwrap());
    let file = std::fs::read(corpus("captures").join("godot3-udp.pcapng")).unwrap();
    let mut follower = Follower::new();
    for packet in Capture::new(&file).unwrap() {
        let payload = packet.unwrap().payload();
        let gdwire::packet::Payload::Udp(datagram) = payload else { panic!("{payload:?}") };
        let datagram = UdpDatagram::new(client, server, datagram.payload);
        drop(follower.datagram(Place::new(1), &datagram));
    }
    follower.finish().for_each(|event| {
        if let Event::Closed(summary) = event {
            let [server, client] = [Side::First, Side::Second].map(|it| summary.direction(it));
            assert_eq!((server.packets, client.packets), (0, 60));
            assert_eq!((server.wire.unwrap().bytes, client.wire), (0, None));
            assert_eq!(client.messages, 60);
            assert_eq!(client.message_bytes, client.payload_bytes);
        }
    });
}

#[test]
fn what_is_missing_is_summed_up() {
    let mut missing = Missing::default();
    (missing.reliable, missing.undelivered, missing.unreliable) = (1, 2, 4);
    (missing.unsequenced, missing.incomplete, missing.gaps) = (8, 16, 32);
    missing.gap_bytes = 1_000;
    let sums = [missing.of_unreliable(), missing.of_reliable(), missing.total()];
    assert_eq!(sums, [12, 51, 63]);
}
