//! Any packets, in any order and at any time: the events are the same whether the packets are in a
//! file, arrive in pieces, are pushed one by one, or are in two files that are joined. The bytes
//! held back stay within the limits, also while time passes; each loss lies between two packets.

#![no_main]

#[path = "../../common/files.rs"]
mod files;
#[path = "../../follow/given.rs"]
#[allow(dead_code, reason = "the other ways to push packets are those of the tests")]
mod given;
#[path = "../packets.rs"]
mod packets;

use files::{Pieces, pcapng, split};
use gdwire::capture::{Capture, Messages, PacketReader, ReadError};
use gdwire::follow::{Batch, Content, Event, Events, Follower, Limits, Other, Place, Reason};
use gdwire::packet::{Payload, Time};
use gdwire::parse;
use given::{Given, of_messages};
use libfuzzer_sys::fuzz_target;
use packets::{Built, Head};
use std::collections::BTreeSet;
use std::io::ErrorKind;

fn keep(events: Events<'_, '_>, given: &mut Vec<Given>) {
    events.for_each(|event| given.push(Given::of(&event)));
}

/// All events of the file. The bytes held back stay within the limits, and the position only moves on.
fn whole(file: &[u8], head: Head) -> Vec<Given> {
    let mut messages = Messages::with_options(file, head.options()).unwrap();
    let (mut given, mut position) = (Vec::new(), 0);
    while let Some(event) = messages.next_event() {
        given.push(Given::of(&event));
        assert!(messages.position() >= position);
        position = messages.position();
        assert!(messages.held_bytes() <= head.limits().total_bytes);
    }
    assert_eq!(messages.held_bytes(), 0);
    if head.missing == 0 {
        assert_eq!(messages.position(), file.len() as u64);
    }
    given
}

fn in_pieces(file: &[u8], head: Head) -> Vec<Given> {
    let mut reader = PacketReader::new(Pieces::new(file, head.way.into()));
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
    let mut batch = Batch::new(usize::from(head.way) << 4);
    loop {
        let is_more = messages.fill(&mut batch);
        given.extend(batch.iter().map(|event| Given::of(&event)));
        batch.clear();
        if !is_more {
            return given;
        }
    }
}

fn joined(file: &[u8], head: Head) -> Vec<Given> {
    let files = split(file);
    let mut joined = Messages::with_options(&files[0].0, head.options()).unwrap();
    for (file, _) in &files[1..] {
        joined.join(file).unwrap();
    }
    of_messages(&mut joined)
}

/// Pushes the packets while time passes: however long messages wait, what is held is bounded, and
/// connections are opened before their events and closed after them.
fn while_time_passes(packets: &[Built], head: Head) {
    let mut follower = Follower::with_options(head.options());
    let Limits { flows, total_bytes, undecided_time, .. } = head.limits();
    let (mut open, mut opened, mut counted) = (BTreeSet::new(), 0, 0);
    let pushed = packets.len() as u64;
    let mut check = |event: &Event<'_>, frame: u64| {
        let (place, origin, since) = match event {
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
                    Content::Value(value) => {
                        assert_eq!(value.as_bytes(), message.bytes);
                        assert!(parse(message.dialect, message.bytes).is_ok());
                    }
                    Content::Packet(packet) => {
                        assert!(!packet.display(message.context()).to_string().is_empty());
                    }
                    Content::Debugger(command) => {
                        assert!(!command.to_string().contains(char::is_control));
                    }
                    _ => {}
                }
                (message.place, Some(message.origin), 1)
            }
            Event::Other(other) => (other.place, other.origin, 1),
            Event::Lost(lost) => (lost.place, None, lost.after.map_or(0, |after| after.frame) + 1),
            other => panic!("{other:?}"),
        };
        // A message that was held back after a gap may have an earlier frame than the event before it.
        assert!((since..=frame).contains(&place.frame));
        if let Some(origin) = origin {
            // A refused packet belongs to no connection.
            let is_refused = matches!(
                event,
                Event::Other(Other {
                    reason: Reason::NotAskedFor | Reason::TooManyConnections,
                    ..
                })
            );
            assert_eq!(is_refused, origin.connection == 0);
            assert!(is_refused || open.contains(&origin.connection));
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
    let Some((head, built)) = Head::split(input) else { return };
    let packets: Vec<_> = built.iter().map(Built::packet).collect();
    let mut file = pcapng(&packets);
    let read = match head.way % 5 {
        0 => return while_time_passes(&built, head),
        1 if head.missing == 0 => joined,
        1 | 2 => pushed,
        3 => in_batches,
        _ => in_pieces,
    };
    file.truncate(file.len() - usize::from(head.missing).min(file.len() - 28));
    assert_eq!(read(&file, head), whole(&file, head));
});
