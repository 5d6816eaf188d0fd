//! Messages of captures, with the headers before them.

use crate::common::corpus;
use crate::explain::{ALL, Line, assert_tiled, collect};
use gdwire::capture::Capture;
use gdwire::explain::{Detail, Recent, message};
use gdwire::follow::{Event, Events, Follower, Message};
use gdwire::packet::CapturedPacket;
use std::collections::BTreeSet;

/// The recorded captures.
fn captures() -> Vec<String> {
    let files = std::fs::read_dir(corpus("captures")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> =
        names.filter(|name| name.ends_with(".pcap") || name.ends_with(".pcapng")).collect();
    names.sort();
    assert!(names.len() > 30);
    names
}

/// Calls a function for each message of a capture, with the packets so far.
pub fn each_message(file: &[u8], mut work: impl FnMut(&Message<'_>, &Recent)) {
    let mut follower = Follower::new();
    let mut recent = Recent::new(64 << 20);
    let mut hand = |mut events: Events<'_, '_>, recent: &Recent| {
        while let Some(event) = events.next() {
            if let Event::Message(message) = event {
                work(&message, recent);
            }
        }
    };
    for packet in Capture::new(file).unwrap() {
        let packet = packet.unwrap();
        recent.note(&packet);
        hand(follower.packet(&packet), &recent);
    }
    hand(follower.finish(), &recent);
}

/// The sections: their headings, and the fields of each.
fn sections(fields: Vec<Line>) -> Vec<(Line, Vec<Line>)> {
    let mut sections: Vec<(Line, Vec<Line>)> = Vec::new();
    for field in fields {
        match sections.last_mut() {
            Some((_, lines)) if !field.bytes.is_empty() => lines.push(field),
            _ => sections.push((field, Vec::new())),
        }
    }
    sections
}

/// Explains an undamaged message, and checks that all its bytes are explained. Returns its
/// sections.
fn explained(
    of: &Message<'_>,
    recent: &Recent,
    detail: Detail,
    name: &str,
) -> Vec<(Line, Vec<Line>)> {
    let what = format!("{name} frame {}", of.place.frame);
    let sections = sections(collect(|visit| message(of, recent, detail, visit)));
    for (place, (heading, lines)) in sections.iter().enumerate() {
        let bytes: Vec<u8> = lines.iter().flat_map(|line| line.bytes.clone()).collect();
        assert_tiled(lines, &bytes, &what);
        if let Some(frame) = heading.name.strip_prefix("frame ") {
            let packet = recent.get(frame.parse().unwrap()).unwrap();
            assert!(bytes == packet.data, "{what}: {heading:?}");
        }
        if place + 1 == sections.len() {
            let start = |line: &Line| bytes[line.offset..].starts_with(of.bytes);
            assert!(lines.iter().any(start), "{what}: the message starts with no field");
        }
    }
    let fields = sections.iter().flat_map(|(_, lines)| lines);
    assert!(fields.clone().all(|line| line.name != "not readable"), "{what}");
    sections
}

#[test]
fn every_message_is_explained_with_its_packet() {
    let mut found: BTreeSet<(String, String)> = BTreeSet::new();
    for name in captures() {
        let file = std::fs::read(corpus("captures").join(&name)).unwrap();
        let mut count = 0;
        each_message(&file, |message, recent| {
            count += 1;
            explained(message, recent, Detail::new().with_items(1).with_fields(7), &name);
            let sections = explained(message, recent, ALL, &name);
            assert!(sections[0].1.iter().any(|line| line.name == "IP header"), "{name}");
            let apart = sections.iter().filter(|(heading, _)| !heading.name.starts_with("frame"));
            let apart = apart.inspect(|(heading, lines)| {
                // No message of these captures spans more packets than are searched.
                let is_found = !heading.value.contains("not found");
                assert!(heading.name != "other fragments" || is_found && lines.is_empty());
            });
            let headings = apart.filter(|(heading, _)| heading.name != "other fragments");
            let headings = headings.map(|(heading, _)| {
                let is_number = |word: &str| word.trim_end_matches(',').parse::<usize>().is_ok();
                let words = heading.value.split(' ').filter(|word| !is_number(word));
                format!("{} of {}", heading.name, words.collect::<Vec<_>>().join(" "))
            });
            let kinds = headings.collect::<Vec<_>>().join(", ");
            found.insert((message.origin.transport.to_string(), kinds));
        });
        assert!(count > 10, "{name}");
    }
    let found: Vec<_> =
        found.iter().map(|(transport, kinds)| format!("{transport}: {kinds}")).collect();
    assert_eq!(
        found,
        [
            "enet: ",
            "enet: commands of bytes, decompressed",
            "enet: commands of bytes, decompressed, commands of bytes, decompressed, message of bytes, reassembled from frames to",
            "enet: commands of bytes, decompressed, message of bytes, reassembled from frames to",
            "enet: message of bytes, reassembled from frames to",
            "tcp: ",
            "tcp: message of bytes, reassembled from frames to",
            "udp: ",
            "udp: message of bytes, reassembled from frames to",
            "websocket: ",
            "websocket: message of bytes, decompressed",
            "websocket: message of bytes, reassembled from frames to",
            "websocket: message of bytes, reassembled from frames to without the mask",
            "websocket: message of bytes, without the mask",
        ]
    );
}

#[test]
fn without_its_packet_only_the_message_is_explained() {
    let file = std::fs::read(corpus("captures/godot4-rpc.pcapng")).unwrap();
    each_message(&file, |of, _| {
        let sections = sections(collect(|visit| message(of, &Recent::new(0), ALL, visit)));
        let [(frame, none), (_, lines)] = &sections[..] else { panic!("{sections:?}") };
        assert_eq!((frame.name.clone(), none.len()), (format!("frame {}", of.place.frame), 0));
        assert_tiled(lines, of.bytes, &frame.name);
    });
}

#[test]
fn damaged_and_cut_packets_are_explained_as_well() {
    for name in [
        "godot4-game-enet-compressed.pcapng",
        "godot3-rpc.pcapng",
        "godot4-enet.pcapng",
        "godot3-websocket-rpc.pcapng",
        "godot4-tcp.pcapng",
        "godot4-udp-ipfrag.pcapng",
    ] {
        let file = std::fs::read(corpus("captures").join(name)).unwrap();
        let packets: Vec<_> = Capture::new(&file).unwrap().map(|packet| packet.unwrap()).collect();
        let mut random = 1_u32;
        let mut next = |bound: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) as usize % bound
        };
        for round in 0..6 {
            let (mut follower, mut recent) = (Follower::new(), Recent::new(1 << 20));
            let mut count = 0;
            let mut check = |mut events: Events<'_, '_>, recent: &Recent| {
                while let Some(event) = events.next() {
                    let Event::Message(of) = event else { continue };
                    count += 1;
                    for (_, lines) in sections(collect(|visit| message(&of, recent, ALL, visit))) {
                        let bytes = lines.iter().flat_map(|line| line.bytes.clone());
                        assert_tiled(&lines, &bytes.collect::<Vec<u8>>(), name);
                    }
                }
            };
            for packet in &packets {
                let mut data = packet.data.to_vec();
                let (at, bit) = (next(data.len()), next(8));
                match round % 3 {
                    // One bit of every fourth packet is flipped.
                    0 if at % 4 == 0 => data[at] ^= 1 << bit,
                    1 if at % 4 == 0 => data.truncate(at),
                    _ => {}
                }
                let cut = CapturedPacket::new(packet.link_type, &data).with_frame(packet.frame);
                let cut = cut.with_original_len(packet.original_len);
                // The kept packets may differ from those that carried the messages.
                recent.note(if round == 5 { &packets[next(packets.len())] } else { &cut });
                check(follower.packet(&cut), &recent);
            }
            check(follower.finish(), &recent);
            assert!(count > 5, "{name}");
        }
    }
}

/// The fields of the message that a frame completed.
fn of_frame(name: &str, frame: u64) -> Vec<(Line, Vec<Line>)> {
    let file = std::fs::read(corpus("captures").join(name)).unwrap();
    let mut found = Vec::new();
    each_message(&file, |message, recent| {
        if message.place.frame == frame {
            found = explained(message, recent, Detail::default(), name);
        }
    });
    found
}

#[test]
fn the_frames_of_all_fragments_are_named_and_their_lengths_add_up() {
    let sections = of_frame("godot3-rpc.pcapng", 51);
    let headings = sections.iter().map(|(line, _)| format!("{}: {}", line.name, line.value));
    assert_eq!(
        headings.collect::<Vec<_>>(),
        [
            "frame 47: 1442 bytes",
            "other fragments: in frames 48 to 50, not shown",
            "frame 51: 1176 bytes",
            "message: 6586 bytes, reassembled from frames 47 to 51",
        ]
    );
    let (_, first) = &sections[0];
    let from = first.iter().position(|line| line.name == "length of all fragments").unwrap();
    let shown: Vec<_> =
        first[from..].iter().map(|line| format!("{}: {}", line.name, line.value)).collect();
    assert_eq!(
        shown,
        [
            "length of all fragments: 6594 bytes, of them 8 for the peers",
            "offset of this one: 0",
            "source peer: 1454153183",
            "target peer: 1",
            "fragment: 1364 bytes",
        ]
    );
}
