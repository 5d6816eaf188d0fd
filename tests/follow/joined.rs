//! Several capture files that are read as one capture.

use crate::common::files::{pcapng, split};
use crate::follow::captures;
use crate::follow::given::{Given, of_messages};
use gdwire::capture::{Capture, Messages, PacketReader, ReadError};
use gdwire::follow::Event;
use gdwire::packet::Problem;

#[test]
fn each_message_has_the_number_of_the_file_in_which_it_ended() {
    for (name, file) in captures() {
        let files = split(&file);
        let mut ends = Vec::new();
        for (_, packets) in &files {
            ends.push(ends.last().unwrap_or(&0) + *packets as u64);
        }
        let mut messages = Messages::new(&files[0].0).unwrap();
        for (file, _) in &files[1..] {
            messages.join(file).unwrap();
        }
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

/// A damaged file ends where it is damaged. The files after it are still read.
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
