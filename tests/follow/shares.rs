//! Several followers that share the connections of a capture return the events of one follower.

use crate::follow::captures;
use crate::follow::given::{Given, of_messages};
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Batch, ConnectionNumbers, Event, Follower, Limits, Options, Order, Share};
use gdwire::math::Vector2;
use gdwire::packet::LinkType;
use gdwire::{Dialect, encode, variant};
use std::num::NonZero;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The events of a share with their order, and from where on they may differ from those of one follower.
fn of_share(file: &[u8], options: Options<'_>) -> (Batch, Vec<Order>, Option<Order>) {
    let mut follower = Follower::with_options(options);
    let (mut kept, mut orders) = (Batch::new(usize::MAX), Vec::new());
    let mut capture = Capture::new(file).unwrap();
    loop {
        let packet = capture.next().and_then(Result::ok);
        let mut events = match &packet {
            Some(packet) => follower.packet(packet),
            None => follower.finish(),
        };
        while let Some(event) = events.next() {
            let event = Given::of(&event);
            events.keep(&mut kept);
            assert_eq!(Given::of(&kept.get(orders.len()).unwrap()), event);
            orders.push(events.order());
        }
        drop(events);
        if packet.is_none() || follower.exceeds_share().is_some() {
            return (kept, orders, follower.exceeds_share());
        }
    }
}

/// Reads a capture with several followers, each of which takes a share, and returns what each of them read.
fn of_shares<'o>(
    file: &[u8],
    count: usize,
    options: impl Fn() -> Options<'o>,
) -> Vec<(Batch, Vec<Order>, Option<Order>)> {
    let shares = Share::divide(NonZero::new(count).unwrap());
    thread::scope(|scope| {
        let share = |share| {
            let options = options().with_share(share);
            scope.spawn(move || of_share(file, options))
        };
        let threads: Vec<_> = shares.into_iter().map(share).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The events of followers that share a capture, up to where they may differ from those of one, and
/// whether that is so.
fn shared<'o>(file: &[u8], count: usize, options: impl Fn() -> Options<'o>) -> (Vec<Given>, bool) {
    let mut found = of_shares(file, count, options);
    let end = found.iter().filter_map(|(_, _, exceeded)| *exceeded).min();
    let mut numbers = ConnectionNumbers::new();
    numbers.add(found.iter().map(|(events, ..)| events));
    assert_eq!(numbers.of(u64::MAX), u64::MAX);
    found.iter_mut().for_each(|(events, ..)| events.renumber(&numbers));
    let events = found.iter().flat_map(|(events, orders, _)| orders.iter().zip(events.iter()));
    let mut all: Vec<_> = events.map(|(order, event)| (*order, Given::of(&event))).collect();
    // Stable: of a packet that several have read, the events of the first one come first.
    all.sort_by_key(|(order, _)| *order);
    let all = all.into_iter().filter(|(order, _)| end.is_none_or(|end| *order < end));
    (all.map(|(_, given)| given).collect(), end.is_some())
}

/// Compares one follower with these numbers of followers.
fn assert_same<'o>(
    name: &str,
    file: &[u8],
    counts: &[usize],
    options: impl Fn() -> Options<'o>,
) -> Vec<Given> {
    let expected = of_messages(&mut Messages::with_options(file, options()).unwrap());
    // If the file is damaged, that is reported by whoever reads it.
    let expected: Vec<_> =
        expected.into_iter().filter(|it| !matches!(it, Given::Damaged(_))).collect();
    for &count in counts {
        let (given, is_exceeded) = shared(file, count, &options);
        assert!(!is_exceeded, "{name} {count}");
        assert_eq!(given.len(), expected.len(), "{name} {count}");
        for (given, expected) in given.iter().zip(&expected) {
            assert_eq!(given, expected, "{name} {count}");
        }
    }
    expected
}

/// A program may give up one of the followers, for example because its thread has failed. In this recording,
/// which dialect a connection has depends on what the other follower reads.
#[test]
fn the_others_do_not_wait_for_a_follower_that_is_gone() {
    let mut captures = captures().into_iter();
    let (_, file) = captures.find(|(name, _)| name == "godot3-rpc-three.pcapng").unwrap();
    for gone in 0..2 {
        let mut shares = Share::divide(NonZero::new(2).unwrap());
        drop(Follower::with_options(Options::new().with_share(shares.remove(gone))));
        let other = Options::new().with_share(shares.remove(0));
        let (sender, ended) = mpsc::channel();
        let file = file.clone();
        thread::spawn(move || sender.send(of_share(&file, other).1.len()));
        assert!(ended.recv_timeout(Duration::from_secs(60)).is_ok(), "{gone}");
    }
}

#[test]
fn every_recording_gives_the_same_events() {
    for (number, (name, file)) in captures().into_iter().enumerate() {
        assert_same(&name, &file, &[[1, 3], [2, 8]][number % 2], Options::new);
    }
}

/// A capture of all recordings at the same time, and once again after a while, between the same ends.
/// Two recordings after each other have the same addresses. Some packets are lost, some are
/// cut, and some are sent as two fragments.
fn mixed(files: &[(String, Vec<u8>)], pause: u32) -> Vec<u8> {
    let mut out = Vec::new();
    // Magic number, version 2.4, zone, accuracy, longest packet, link type RAW.
    for word in [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 65_535, 101] {
        out.extend(word.to_le_bytes());
    }
    let mut time = 0_u32;
    let mut put = |ip: &[u8], length: usize, time: u32| {
        for word in [time / 1000, time % 1000 * 1000, ip.len() as u32, length as u32] {
            out.extend(word.to_le_bytes());
        }
        out.extend(ip);
    };
    for _ in 0..2 {
        let mut captures: Vec<_> =
            files.iter().map(|(_, file)| Capture::new(file).unwrap()).collect();
        loop {
            let mut is_over = true;
            for (number, capture) in captures.iter_mut().enumerate() {
                let Some(Ok(packet)) = capture.next() else { continue };
                is_over = false;
                let start = match packet.link_type {
                    LinkType::ETHERNET if packet.data[12..14] == [0x08, 0] => 14,
                    LinkType::RAW => 0,
                    _ => continue,
                };
                let mut ip = packet.data[start..].to_vec();
                time += 1;
                // The clock goes back now and then.
                let at = if time.is_multiple_of(13) { time.saturating_sub(30) } else { time };
                if ip[0] != 0x45 || time.is_multiple_of(97) {
                    continue;
                }
                for address in [12, 16] {
                    ip[address + 2] = (number / 2) as u8;
                }
                let length = ip.len();
                if time.is_multiple_of(1_009) {
                    ip.truncate(length / 2);
                } else if time.is_multiple_of(7) && length > 100 && ip[6] & 0x3f == 0 {
                    // The second starts at the fifth or the first group of eight bytes.
                    let groups = if time.is_multiple_of(2) { 5 } else { 1 };
                    let split = 20 + usize::from(groups) * 8;
                    let (mut first, mut second) = (ip[..split].to_vec(), ip[..20].to_vec());
                    second.extend(&ip[split..]);
                    for (part, flags) in [(&mut first, 0x2000_u16), (&mut second, groups)] {
                        let length = part.len() as u16;
                        part[2..4].copy_from_slice(&length.to_be_bytes());
                        part[4..6].copy_from_slice(&(time as u16).to_be_bytes());
                        part[6..8].copy_from_slice(&flags.to_be_bytes());
                    }
                    // One of the fragments may come first, or be lost.
                    put(&second, second.len(), at);
                    if !time.is_multiple_of(11) {
                        put(&first, first.len(), at);
                    }
                    continue;
                }
                put(&ip, length, at);
            }
            if is_over {
                break;
            }
        }
        time += pause;
    }
    out
}

#[test]
fn connections_at_the_same_time_give_the_same_events() {
    // In the second case, connections of the first round are closed after a minute, while others go on.
    for pause in [0, 50_000] {
        let file = mixed(&captures(), pause);
        let given = assert_same("mixed", &file, &[3, 8], || Options::new().with_measures());
        let count = |is: fn(&Given) -> bool| given.iter().filter(|event| is(event)).count();
        let opened = count(|it| matches!(it, Given::Opened(_)));
        assert!(opened > 40, "{opened}");
        assert!(count(|it| matches!(it, Given::Lost(..))) > 100);
        // Closed long before the end.
        let closed = given.iter().position(|it| matches!(it, Given::Closed(..)));
        assert!(closed.unwrap() < given.len() / 2);
        if pause > 0 {
            continue;
        }
        let some = assert_same("filtered", &file, &[2], || {
            Options::new().with_filter(|src, dst| src.port() % 2 == 0 || dst.port() % 3 == 0)
        });
        assert!(some.len() < given.len() && some.len() > 1_000);
    }
}

#[test]
fn events_are_the_same_until_a_limit_is_reached() {
    let file = mixed(&captures(), 0);
    let (mut exceeded, mut events) = (0, 0);
    for limits in [
        Limits::default().with_flows(8),
        Limits::default().with_total_bytes(4 << 20),
        Limits::default().with_flow_bytes(200 << 10),
    ] {
        let options = || Options::new().with_limits(limits);
        let expected = of_messages(&mut Messages::with_options(&file, options()).unwrap());
        for count in [2, 5] {
            let (given, is_exceeded) = shared(&file, count, options);
            assert!(is_exceeded || given.len() == expected.len(), "{limits:?} {count}");
            assert!(given == expected[..given.len()], "{limits:?} {count}");
            exceeded += usize::from(is_exceeded);
            events += given.len();
        }
    }
    assert!((2..6).contains(&exceeded) && events > 1_000, "{exceeded} {events}");
}

/// A capture of IP packets, each with its time in seconds.
fn capture(packets: impl Iterator<Item = (u32, Vec<u8>)>) -> Vec<u8> {
    let mut out = Vec::new();
    for word in [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 65_535, 101] {
        out.extend(word.to_le_bytes());
    }
    for (time, packet) in packets {
        let length = packet.len() as u32;
        for word in [time, 0, length, length] {
            out.extend(word.to_le_bytes());
        }
        out.extend(packet);
    }
    out
}

/// The IP packet of a client's datagram to the server.
fn datagram(port: u16, payload: &[u8]) -> Vec<u8> {
    let head = [port, 7777, 8 + payload.len() as u16, 0].map(u16::to_be_bytes);
    over_ip(17, 0, &[&head.concat()[..], payload].concat())
}

/// The IP packet of a segment with these flags, between a client's port and the server.
fn segment(port: u16, is_client: bool, sequence: u32, flags: u8, payload: &[u8]) -> Vec<u8> {
    let [src, dst] = if is_client { [port, 7777] } else { [7777, port] };
    let ports = [src, dst].map(u16::to_be_bytes).concat();
    let numbers = [sequence, 1].map(u32::to_be_bytes).concat();
    let rest = [0x50, flags, 0xff, 0xff, 0, 0, 0, 0];
    let mut packet = over_ip(6, 0, &[&ports[..], &numbers, &rest, payload].concat());
    if !is_client {
        let (source, destination) = packet[12..20].split_at_mut(4);
        source.swap_with_slice(destination);
    }
    packet
}

/// An IP packet from a client to the server.
fn over_ip(protocol: u8, flags_and_offset: u16, content: &[u8]) -> Vec<u8> {
    let length = (20 + content.len() as u16).to_be_bytes();
    let head = [&[0x45, 0][..], &length, &[0, 99], &flags_and_offset.to_be_bytes()].concat();
    [&head[..], &[64, protocol, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1], content].concat()
}

/// A capture of datagrams from these ports to one server.
fn datagrams(all: impl Iterator<Item = (u16, Vec<u8>)>) -> Vec<u8> {
    capture((0..).zip(all.map(|(port, payload)| datagram(port, &payload))))
}

/// How many of the events are of a kind.
fn count(given: &[Given], is_it: impl Fn(&Given) -> bool) -> usize {
    given.iter().filter(|given| is_it(given)).count()
}

/// Packets that belong to no connection are reported by one of the followers, and fragments and packets
/// inside of tunnels are read by that with their connection.
#[test]
fn every_packet_is_read_by_one_follower() {
    let value = |text: &str| encode(Dialect::GODOT_4, &variant!([text, 1, 2.5])).unwrap();
    let mut packets = Vec::new();
    for round in 0..12_u16 {
        let of_round = value(&format!("round {round}"));
        packets.extend((100..106).map(|port| datagram(port, &of_round)));
        // A ping, the fragments of one, and too few bytes for a header.
        packets.push(over_ip(1, 0, &[8, 0, 1, 2, 3, 4, 5, 6]));
        packets.push(over_ip(1, 0x2000, &[8; 8]));
        packets.push(vec![0x45, 0, 0, 9]);
        // A datagram in two fragments, in both orders. Their identification is that of the round.
        let long = value(&"long ".repeat(usize::from(round) + 9));
        let content = datagram(100 + round % 6, &long).split_off(20);
        let mut parts = [over_ip(17, 0x2000, &content[..24]), over_ip(17, 3, &content[24..])];
        parts.iter_mut().for_each(|part| part[5] = round as u8);
        if round % 2 == 1 {
            parts.reverse();
        }
        packets.extend(parts);
        // A segment in two fragments, and one after a header with options.
        let framed = [&(of_round.len() as u32).to_le_bytes()[..], &of_round].concat();
        let sequence = 1 + u32::from(round) * framed.len() as u32;
        let content = segment(303, true, sequence, 0x10, &framed).split_off(20);
        let mut parts = [over_ip(6, 0x2000, &content[..24]), over_ip(6, 3, &content[24..])];
        parts.iter_mut().for_each(|part| part[5] = 200 + round as u8);
        packets.extend(parts);
        let mut with_options = segment(304, true, sequence, 0x10, &framed);
        if round % 2 == 1 {
            with_options.splice(20..20, [1; 4]);
            (with_options[0], with_options[3]) = (0x46, with_options[3] + 4);
        }
        packets.push(with_options);
        // A whole packet of SCTP in two fragments.
        let mut parts = [over_ip(132, 0x2000, &[7; 8]), over_ip(132, 1, &[7; 8])];
        parts.iter_mut().for_each(|part| part[5] = 100 + round as u8);
        packets.extend(parts);
        // The first fragment of a datagram without the others.
        packets.push(over_ip(17, 0x2000, &[7; 8]));
        // The same connections inside of a tunnel with one flow, VXLAN.
        let inside = datagram(200 + round % 5, &of_round);
        let frame = [&[8, 0, 0, 0, 0, 0, 42, 0][..], &[0; 12], &[8, 0], &inside].concat();
        let mut outer = datagram(50_000, &frame);
        outer[22..24].copy_from_slice(&4789_u16.to_be_bytes());
        packets.push(outer);
        // Segments, also of a connection that carries nothing known.
        let at = u32::from(round) * 100;
        let flags = if round == 0 { 0x02 } else { 0x10 };
        packets.push(segment(300, true, 1_000 + at, flags, &[]));
        packets.push(segment(301, round % 2 == 0, 9_000 + at, 0x10, b"nothing known"));
        packets.push(segment(302, true, sequence, 0x10, &framed));
    }
    let file = capture((0..).zip(packets));
    let given = assert_same("each", &file, &[1, 2, 3], Options::new);
    let found = [
        count(&given, |it| matches!(it, Given::Opened(_))),
        count(&given, |it| matches!(it, Given::Message { .. })),
        count(&given, |it| matches!(it, Given::Other(..))),
        count(&given, |it| matches!(it, Given::Lost(..))),
    ];
    assert_eq!(found, [16, 12 * 6 + 12 * 5, 12 * 5, 6]);
}

/// Silent connections that are closed by one packet show the dialect of each other in their order. The
/// first one ends before any shows it.
#[test]
fn connections_that_a_packet_outlives_are_closed_in_their_order() {
    let certain = encode(Dialect::GODOT_3, &variant!({"position": [1, 2.5]})).unwrap();
    let unclear = encode(Dialect::GODOT_3, &Vector2 { x: 1.5_f32, y: 2.0 }).unwrap();
    // Without a SYN, a message does not decide yet.
    let framed = |value: &[u8]| [&(value.len() as u32).to_le_bytes()[..], value].concat();
    let mut packets = Vec::new();
    let ports = [(101, &certain), (102, &unclear), (103, &unclear), (104, &unclear)];
    for (time, (port, value)) in (0..).zip(ports) {
        let payload = framed(value);
        packets.push((time, segment(port, true, 500, 0x10, &payload)));
    }
    // The second connection ends first, then the first one, and then the others.
    for (time, port) in (10..).zip([102_u16, 101, 103, 104]) {
        let len = if port == 101 { certain.len() } else { unclear.len() } as u32;
        packets.push((time, segment(port, true, 504 + len, 0x04, &[])));
        packets.push((time, segment(port, false, 900, 0x04, &[])));
    }
    packets.push((100, datagram(200, b"nothing of the engines")));
    packets.push((101, datagram(200, b"nothing of the engines")));
    let file = capture(packets.into_iter());
    for _ in 0..8 {
        let given = assert_same("silent", &file, &[1, 2, 3], Options::new);
        let messages = given.iter().filter_map(|event| match event {
            Given::Message { ends: (src, _), shown, .. } => {
                Some((src.port(), shown.split_once(' ').unwrap().0))
            }
            _ => None,
        });
        // Only one dialect reads the message of the first one, which is returned before.
        let expected = [(101, "godot3"), (102, "godot4"), (103, "godot3"), (104, "godot3")];
        assert_eq!(messages.collect::<Vec<_>>(), expected);
        let closed = |it: &Given| matches!(it, Given::Closed(..));
        let first = given.iter().position(closed).unwrap();
        assert!(first < given.len() - 4, "{given:?}");
    }
}

#[test]
fn few_connections_are_divided_evenly() {
    let value = encode(Dialect::GODOT_4, &variant!(["a", 1])).unwrap();
    let ipv4: Vec<_> = (0..5).flat_map(|_| 100..106).map(|port| datagram(port, &value)).collect();
    let ipv6 = ipv4.iter().map(|packet| {
        let length = (packet.len() as u16 - 20).to_be_bytes();
        let ends = [2_u128, 1].map(u128::to_be_bytes).concat();
        [&[0x60, 0, 0, 0][..], &length, &[17, 64], &ends, &packet[20..]].concat()
    });
    for packets in [ipv6.collect(), ipv4] {
        let file = capture((0..).zip(packets));
        let opened = of_shares(&file, 3, Options::new).into_iter().map(|(events, ..)| {
            events.iter().filter(|event| matches!(event, Event::Opened(_))).count()
        });
        let opened: Vec<_> = opened.collect();
        assert_eq!(opened, [2, 2, 2]);
    }
}

#[test]
fn connections_of_one_share_show_the_dialect_of_those_of_another() {
    let certain = encode(Dialect::GODOT_3, &variant!({"position": [1, 2.5]})).unwrap();
    // All dialects read it as different values, or as the same value with different literals.
    let unclear = encode(Dialect::GODOT_3, &Vector2 { x: 1.5_f32, y: 2.0 }).unwrap();
    // Some connections begin before the one that is certain, others after it.
    let early = (0..20).flat_map(|_| 100..120);
    let late = (0..80).flat_map(|_| 200..220);
    let ports = early.chain((0..80).map(|_| 1)).chain(late);
    let all = ports.map(|port| (port, if port == 1 { certain.clone() } else { unclear.clone() }));
    let given = assert_same("unclear", &datagrams(all), &[1, 2, 3, 8], Options::new);
    let is_of_godot3 = |event: &&Given| match event {
        Given::Message { ends: (src, _), shown, .. } => {
            src.port() > 1 && shown.starts_with("godot3")
        }
        _ => false,
    };
    assert_eq!(given.iter().filter(is_of_godot3).count(), 2_000);
}

/// Connections that are open at the end show the dialect of each other, also if one follower is slow. One
/// that has read everything holds up no other, also if the program keeps it.
#[test]
fn followers_wait_for_each_other_only_until_the_end() {
    let certain = encode(Dialect::GODOT_3, &variant!({"position": [1, 2.5]})).unwrap();
    let unclear = encode(Dialect::GODOT_3, &Vector2 { x: 1.5_f32, y: 2.0 }).unwrap();
    // Without a SYN, a message does not decide yet.
    let packets = [(101, certain), (102, unclear)].map(|(port, value)| {
        let framed = [&(value.len() as u32).to_le_bytes()[..], &value].concat();
        (u32::from(port), segment(port, true, 500, 0x10, &framed))
    });
    let file = Arc::new(capture(packets.into_iter()));
    let followers =
        (0_u64..).zip(Share::divide(NonZero::new(2).unwrap())).map(|(number, share)| {
            let file = file.clone();
            thread::spawn(move || {
                let mut follower = Follower::with_options(Options::new().with_share(share));
                for packet in Capture::new(&file).unwrap() {
                    follower.packet(&packet.unwrap()).for_each(|_| ());
                }
                thread::sleep(Duration::from_millis(100 * (1 - number)));
                let mut given = Vec::new();
                follower.finish().for_each(|event| given.push(Given::of(&event)));
                (follower, given)
            })
        });
    let followers: Vec<_> = followers.collect();
    let end = Instant::now() + Duration::from_secs(60);
    while !followers.iter().all(JoinHandle::is_finished) {
        assert!(Instant::now() < end, "a follower waits");
        thread::sleep(Duration::from_millis(1));
    }
    for follower in followers {
        let (_, given) = follower.join().unwrap();
        let is_of_godot3 =
            |it: &Given| matches!(it, Given::Message { shown, .. } if shown.starts_with("godot3"));
        assert_eq!(count(&given, is_of_godot3), 1, "{given:?}");
    }
}

/// More connections than the followers keep apart show the dialect of later ones.
#[test]
fn many_connections_of_all_shares_show_the_dialect_of_later_ones() {
    let certain = encode(Dialect::GODOT_3, &variant!({"position": [1, 2.5]})).unwrap();
    let unclear = encode(Dialect::GODOT_3, &Vector2 { x: 1.5_f32, y: 2.0 }).unwrap();
    // Each connection is certain after its last datagram.
    let certain =
        (1_000..1_600).flat_map(|port| (0..20).map(move |_| port)).map(|port| (port, &certain));
    let unclear = (0..80).flat_map(|_| 200..203).map(|port| (port, &unclear));
    let file = datagrams(certain.chain(unclear).map(|(port, value)| (port, value.clone())));
    let given = assert_same("many", &file, &[2, 3], Options::new);
    let is_recognized = |event: &&Given| match event {
        Given::Recognized(text) => text.contains("godot3"),
        _ => false,
    };
    assert_eq!(given.iter().filter(is_recognized).count(), 603);
}
