//! Several followers that share the connections of a capture return the events of one follower.

use crate::follow::captures;
use crate::follow::given::{Given, of_messages};
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Batch, ConnectionNumbers, Event, Follower, Limits, Options, Order, Share};
use gdwire::math::Vector2;
use gdwire::packet::LinkType;
use gdwire::{Dialect, encode, variant};
use std::num::NonZero;
use std::thread;

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

#[test]
fn every_recording_gives_the_same_events() {
    for (name, file) in captures() {
        assert_same(&name, &file, &[1, 2, 3, 8], Options::new);
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

/// A capture of datagrams from these ports to one server.
fn datagrams(all: impl Iterator<Item = (u16, Vec<u8>)>) -> Vec<u8> {
    let mut out = Vec::new();
    for word in [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 65_535, 101] {
        out.extend(word.to_le_bytes());
    }
    for (time, (port, payload)) in (0_u32..).zip(all) {
        let length = 28 + payload.len() as u32;
        for word in [time, 0, length, length] {
            out.extend(word.to_le_bytes());
        }
        out.extend([0x45, 0]);
        out.extend((length as u16).to_be_bytes());
        out.extend([0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1]);
        for half in [port, 7777, 8 + payload.len() as u16, 0] {
            out.extend(half.to_be_bytes());
        }
        out.extend(payload);
    }
    out
}

#[test]
fn few_connections_are_divided_evenly() {
    let value = encode(Dialect::GODOT_4, &variant!(["a", 1])).unwrap();
    let file = datagrams((0..5).flat_map(|_| 100..106).map(|port| (port, value.clone())));
    let opened = of_shares(&file, 3, Options::new).into_iter().map(|(events, ..)| {
        events.iter().filter(|event| matches!(event, Event::Opened(_))).count()
    });
    let opened: Vec<_> = opened.collect();
    assert_eq!(opened, [2, 2, 2]);
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
