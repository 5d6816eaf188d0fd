//! Several capture files that are read as one capture.

use crate::captures;
use crate::given::{Given, of_file, of_messages};
use gdwire::capture::{Capture, Event, Messages, Packet, PacketReader, Problem, ReadError};
use gdwire::follow::Follower;

/// A pcapng file with some packets.
fn pcapng(packets: &[Packet<'_>]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut block = |block_type: u32, content: &[u8]| {
        let padding = vec![0; content.len().wrapping_neg() % 4];
        let length = ((12 + content.len() + padding.len()) as u32).to_le_bytes();
        for part in [&block_type.to_le_bytes()[..], &length, content, &padding, &length] {
            file.extend_from_slice(part);
        }
    };
    let numbers = |numbers: &[u32]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    };
    block(0x0a0d_0d0a, &numbers(&[0x1a2b_3c4d, 1, u32::MAX, u32::MAX]));
    let mut links: Vec<_> = packets.iter().map(|packet| packet.link_type).collect();
    links.dedup();
    for link in &links {
        block(1, &numbers(&[link.0, 0]));
    }
    for packet in packets {
        let interface = links.iter().position(|link| *link == packet.link_type).unwrap() as u32;
        let ticks = packet.time.map_or(0, |time| time.nanoseconds() / 1_000);
        let (high, low) = ((ticks >> 32) as u32, ticks as u32);
        let len = packet.data.len() as u32;
        let head = numbers(&[interface, high, low, len, packet.original_len]);
        block(6, &[&head, packet.data].concat());
    }
    file
}

/// A capture in several files, and how many packets are in each. One file has no packets.
fn split(file: &[u8]) -> Vec<(Vec<u8>, usize)> {
    let packets: Vec<_> = Capture::new(file).unwrap().map(Result::unwrap).collect();
    let (first, rest) = packets.split_at(packets.len() / 3);
    let (second, rest) = rest.split_at(1);
    let (third, fourth) = rest.split_at(rest.len() / 2);
    let files = [first, second, &[], third, fourth];
    files.iter().map(|packets| (pcapng(packets), packets.len())).collect()
}

fn joined(files: &[(Vec<u8>, usize)]) -> Messages<'_> {
    let [(first, _), rest @ ..] = files else { panic!() };
    let mut messages = Messages::new(first).unwrap();
    for (file, _) in rest {
        messages.join(file).unwrap();
    }
    messages
}

/// Connections, fragments and frame numbers go on from file to file.
#[test]
fn a_capture_in_several_files_is_read_as_one() {
    for (name, file) in captures() {
        let expected = of_file(&file);
        let files = split(&file);
        assert!(of_messages(&mut joined(&files)) == expected, "{name}");

        let (mut follower, mut given) = (Follower::new(), Vec::new());
        let mut before: Option<PacketReader<&[u8]>> = None;
        for (number, (file, _)) in (0..).zip(&files) {
            let mut reader = PacketReader::new(&file[..]);
            reader = before.map_or(reader, |before| PacketReader::new(&file[..]).after(&before));
            while let Some(packet) = reader.next_packet().unwrap() {
                assert_eq!(packet.file, number);
                follower.packet(&packet).for_each(|event| given.push(Given::of(&event)));
            }
            before = Some(reader);
        }
        follower.finish().for_each(|event| given.push(Given::of(&event)));
        assert!(given == expected, "{name}");
    }
}

#[test]
fn each_message_says_which_file_it_ended_in() {
    for (name, file) in captures() {
        let files = split(&file);
        let mut ends = Vec::new();
        for (_, packets) in &files {
            ends.push(ends.last().unwrap_or(&0) + *packets as u64);
        }
        let mut messages = joined(&files);
        let mut seen = 0;
        let file_of = |frame| ends.iter().position(|end| frame <= *end).unwrap() as u32;
        while let Some(event) = messages.next_event() {
            let places = match event {
                Event::Message(message) => [message.place; 2],
                Event::Closed(summary) => [summary.first(), summary.last()],
                _ => continue,
            };
            for place in places {
                assert_eq!(place.file, file_of(place.frame), "{name} {place:?}");
                seen += 1;
            }
        }
        assert!(seen > 0, "{name}");
        let len: usize = files.iter().map(|(file, _)| file.len()).sum();
        assert_eq!(messages.position(), len as u64);
    }
}

/// A damaged file ends where it is damaged. The files after it are read all the same.
#[test]
fn a_damaged_file_is_reported_with_its_number() {
    let (_, file) = captures().into_iter().find(|(name, _)| name == "godot4-udp.pcapng").unwrap();
    let packets: Vec<_> = Capture::new(&file).unwrap().map(Result::unwrap).collect();
    let (first, second) = packets.split_at(30);
    let (first, mut second, third) = (pcapng(first), pcapng(second), pcapng(&packets[..2]));
    second.truncate(second.len() - 5);
    let mut messages = Messages::new(&first).unwrap();
    messages.join(&second).unwrap();
    let error = messages.join(b"no capture").unwrap_err();
    assert_eq!((error.file, error.problem), (2, Problem::UnknownFormat));
    messages.join(&third).unwrap();
    let (mut damage, mut last) = (Vec::new(), None);
    while let Some(event) = messages.next_event() {
        match event {
            Event::Damaged(error) => damage.push((error.file, error.frame)),
            Event::Message(message) => last = Some(message.place),
            _ => {}
        }
    }
    let count = packets.len() as u64;
    assert_eq!(damage, [(1, Some(count))]);
    let last = last.unwrap();
    assert_eq!((last.file, last.frame), (3, count + 1));

    let before = PacketReader::new(&first[..]);
    let mut reader = PacketReader::new(&second[..]).after(&before);
    let error = loop {
        if let Err(error) = reader.next_packet() {
            break error;
        }
    };
    assert!(matches!(error, ReadError::Damaged(error) if error.file == 1), "{error}");
}

/// A file may be added when the others have been read.
#[test]
fn a_file_that_is_joined_after_the_end_is_read() {
    let (_, file) = captures().into_iter().find(|(name, _)| name == "godot4-udp.pcapng").unwrap();
    let mut messages = Messages::new(&file).unwrap();
    let count = |messages: &mut Messages<'_>| {
        let given = of_messages(messages);
        given.iter().filter(|given| matches!(given, Given::Message { .. })).count()
    };
    assert_eq!(count(&mut messages), 72);
    messages.join(&file).unwrap();
    assert_eq!(count(&mut messages), 72);
    assert_eq!(count(&mut messages), 0);
}
