//! Packets that the options leave out, and whether they could have been messages.

use crate::follow::captures;
use crate::follow::given::Given;
use crate::follow::waiting::ends;
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Event, Follower, Options, Place, Reason, Transport};
use gdwire::net::tcp;
use gdwire::packet::{CapturedPacket, LinkType, TcpSegment, UdpDatagram};
use gdwire::{Dialect, encode, variant};

/// Pushes a payload with the option for another transport, and returns whether its event reports a
/// possible message.
fn left_out(is_tcp: bool, payload: &[u8], missing: usize) -> Option<Option<bool>> {
    let transport = if is_tcp { Transport::Udp } else { Transport::Tcp };
    let mut follower = Follower::with_options(Options::new().with_transport(transport));
    let (src, dst) = ends();
    let segment = tcp::Segment::new(1, payload).with_missing(missing);
    let datagram = UdpDatagram::new(src, dst, payload).with_missing(missing);
    let events = if is_tcp {
        follower.segment(Place::new(1), &TcpSegment::new(src, dst, segment))
    } else {
        follower.datagram(Place::new(1), &datagram)
    };
    let mut answer = None;
    events.for_each(|event| match event {
        Event::Other(other) => {
            let origin = other.origin.unwrap();
            assert!(matches!(other.reason, Reason::NotAskedFor), "{other:?}");
            assert_eq!((other.bytes, origin.src(), origin.dst()), (payload, src, dst));
            assert_eq!(origin.transport, if is_tcp { Transport::Tcp } else { Transport::Udp });
            assert!(answer.replace(other.could_be_message()).is_none());
        }
        other => panic!("{other:?}"),
    });
    answer
}

#[test]
fn only_segments_without_payload_are_left_out_silently() {
    assert_eq!(left_out(true, &[], 0), None);
    assert!(left_out(true, &[], 1).is_some());
    assert!(left_out(true, &[1], 0).is_some());
    assert!(left_out(false, &[], 0).is_some());
}

#[test]
fn the_beginning_of_a_datagram_shows_whether_it_could_be_a_message() {
    let could_be = |payload: &[u8]| left_out(false, payload, 0).unwrap();
    let value = encode(Dialect::GODOT_4, &variant!(["text", 1, 2.5])).unwrap();
    let double = Dialect::GODOT_3.with_double_reals();
    let enet = [0x80, 1, 0x12, 0x34, 0x86, 0, 0, 1, 0, 2, 7, 7];
    for whole in [&value, &encode(double, &variant!(0.1)).unwrap(), &enet[..]] {
        for len in 0..=whole.len() {
            assert_eq!(could_be(&whole[..len]), (len >= 4).then_some(true), "{len}");
        }
    }
    // A value is the whole datagram.
    let int = [2, 0, 0, 0, 7, 0, 0, 0];
    assert_eq!(could_be(&int), Some(true));
    assert_eq!(could_be(&[&int[..], &[0; 4]].concat()), Some(false));
    // An unknown type, and bytes in a header where engines write zeros.
    assert_eq!(could_be(&[60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), Some(false));
    assert_eq!(could_be(&[2, 1, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0]), Some(false));
    // Compressed ENet.
    assert_eq!(could_be(&[0xc0, 1, 0, 0, 1, 2, 3]), None);
}

#[test]
fn the_beginning_of_a_segment_shows_whether_it_could_be_a_frame() {
    let could_be = |length: u32, value: &[u8]| {
        left_out(true, &[&length.to_le_bytes()[..], value].concat(), 0).unwrap()
    };
    let value = encode(Dialect::GODOT_4, &variant!(["text", 1, 2.5])).unwrap();
    for len in 0..=value.len() {
        assert_eq!(could_be(36, &value[..len]), (len >= 4).then_some(true), "{len}");
    }
    // Another frame may follow.
    assert_eq!(could_be(8, &[2, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0]), Some(true));
    assert_eq!(could_be(36, b"GET / HTTP/1.1"), Some(false));
    assert_eq!(could_be(16 << 20, &value), Some(true));
    assert_eq!(could_be((16 << 20) + 1, &value), Some(false));
    assert_eq!(left_out(true, &[8, 0, 0], 0), Some(None));
}

#[test]
fn a_filter_admits_connections() {
    for (name, file) in captures() {
        let heard = |options: Options<'_>| {
            let mut messages = Messages::with_options(&file, options).unwrap();
            let mut heard = Vec::new();
            while let Some(event) = messages.next_event() {
                if let Given::Message { ends: (src, dst), bytes, .. } = Given::of(&event) {
                    heard.push((src, dst, bytes));
                }
            }
            heard
        };
        let all = heard(Options::new());
        assert_eq!(heard(Options::new().with_filter(|_, _| true)), all, "{name}");
        assert_eq!(heard(Options::new().with_filter(|_, _| false)), [], "{name}");
        let from_low = heard(Options::new().with_filter(|src, dst| src.port() < dst.port()));
        assert!(from_low.iter().all(|(src, dst, _)| src.port() < dst.port()), "{name}");
    }
}

/// A packet without addresses does not match a filter for addresses, unless the addresses were cut
/// off.
#[test]
fn packets_without_addresses_pass_no_filter_unless_they_are_cut() {
    let icmp = {
        let mut ip = vec![0x45, 0, 0, 28, 0, 1, 0, 0, 64, 1, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        ip.extend([8, 0, 0, 0, 0, 1, 0, 1]);
        ip
    };
    let count = |options: Options<'_>, len: usize| {
        let packet = CapturedPacket::new(LinkType::RAW, &icmp[..len]).with_original_len(28);
        let mut others = 0;
        Follower::with_options(options)
            .packet(&packet)
            .for_each(|event| others += usize::from(matches!(event, Event::Other(_))));
        others
    };
    assert_eq!((count(Options::new(), 28), count(Options::new(), 10)), (1, 1));
    let filtered = || Options::new().with_filter(|_, _| true);
    assert_eq!((count(filtered(), 28), count(filtered(), 10)), (0, 1));
}

#[test]
fn double_precision_can_be_set() {
    let dialects = |options: Options<'_>, value: &[u8]| {
        let (src, dst) = ends();
        let mut follower = Follower::with_options(options);
        let mut dialects = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Message(message) = event {
                dialects.push((message.dialect, message.bytes.len()));
            }
        };
        follower.datagram(Place::new(1), &UdpDatagram::new(src, dst, value)).for_each(&mut take);
        follower.finish().for_each(&mut take);
        dialects
    };
    let double = Dialect::GODOT_4.with_double_reals();
    let value = encode(double, &gdwire::math::Vector2::new(0.1, 0.2)).unwrap();
    assert_eq!(dialects(Options::new().with_double_reals(), &value), [(double, 20)]);
    assert_eq!(dialects(Options::new().with_dialect(double), &value), [(double, 20)]);
    let int = encode(double, &7_i64).unwrap();
    assert_eq!(dialects(Options::new(), &int), [(Dialect::GODOT_4, 8)]);
    assert_eq!(dialects(Options::new().with_double_reals(), &int), [(double, 8)]);
    // The headers of Godot 3 do not give the width.
    let double = Dialect::GODOT_3.with_double_reals();
    let value = encode(double, &gdwire::math::Vector2::new(0.1, 0.2)).unwrap();
    assert_eq!(dialects(Options::new().with_double_reals(), &value), [(double, 20)]);
}

/// The places of messages and losses have the number of the file.
#[test]
fn places_name_the_file() {
    let (_, file) = captures().into_iter().find(|(name, _)| name == "godot4-udp.pcapng").unwrap();
    let mut follower = Follower::new();
    let mut files = Vec::new();
    for packet in Capture::new(&file).unwrap() {
        let packet = packet.unwrap();
        let gdwire::packet::Payload::Udp(datagram) = packet.payload() else { continue };
        let place = Place::new(packet.frame).with_file(3);
        follower.datagram(place, &datagram).for_each(|event| {
            if let Event::Message(message) = event {
                files.push(message.place.file);
            }
        });
    }
    assert!(files.len() > 10 && files.iter().all(|file| *file == 3), "{files:?}");
}
