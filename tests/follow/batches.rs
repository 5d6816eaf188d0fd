//! Batches have the same events as reading one by one, on any thread and with any batch size.

use crate::common::corpus;
use crate::follow::captures;
use crate::follow::given::{Given, of_file};
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Batch, Content, Event, Events, Follower, Options, Place, Transport};
use gdwire::json::Spelling;
use gdwire::multiplayer::{ArgumentBytes, write_json};
use gdwire::packet::UdpDatagram;
use gdwire::{Dialect, encode, variant};
use std::thread;

/// An event as text, with everything that its message has.
fn shown(event: &Event<'_>) -> (Given, Vec<u8>) {
    let mut json = Vec::new();
    if let Event::Message(message) = event
        && let Content::Packet(packet) = &message.content
    {
        write_json(packet, message.context(), Spelling::Native, ArgumentBytes::Hex, &mut json)
            .unwrap();
    }
    if let Event::Other(other) = event {
        json.extend(other.bytes);
    }
    (Given::of(event), json)
}

/// The events of a file in batches of this size, which several threads read.
pub(crate) fn in_threads(
    file: &[u8],
    size: usize,
    threads: usize,
) -> (usize, Vec<(Given, Vec<u8>)>) {
    let mut messages = Messages::new(file).unwrap();
    let mut batches = Vec::new();
    loop {
        let mut batch = Batch::new(size);
        let is_more = messages.fill(&mut batch);
        assert_eq!(batch.is_full(), is_more);
        batches.push(batch);
        if !is_more {
            break;
        }
    }
    // The capture is read to its end before the first batch is read, so each batch must have all
    // that it needs.
    drop(messages);
    let count = batches.len();
    let batches = batches.chunks(count.div_ceil(threads));
    let events = thread::scope(|scope| {
        let threads: Vec<_> = batches
            .map(|batches| {
                let all = move || batches.iter().flat_map(Batch::iter).map(|event| shown(&event));
                scope.spawn(move || all().collect::<Vec<_>>())
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    (count, events)
}

#[test]
fn batches_have_the_same_events_as_reading_one_by_one() {
    let mut names = 0;
    for (name, file) in captures() {
        let mut messages = Messages::new(&file).unwrap();
        let mut expected = Vec::new();
        while let Some(event) = messages.next_event() {
            expected.push(shown(&event));
        }
        for size in [1, 4 << 10, 64 << 20] {
            let (batches, events) = in_threads(&file, size, 4);
            assert!(events == expected, "{name} in batches of {size} bytes");
            match size {
                // The end of the file has a batch of its own, which is empty.
                1 => assert_eq!(batches, expected.len() + 1, "{name}"),
                4096 => assert!(batches > 1, "{name}"),
                _ => assert_eq!(batches, 1, "{name}"),
            }
        }
        names += expected.iter().filter(|(_, json)| json.windows(9).any(is_known_path)).count();
    }
    assert!(names > 1_000, "{names}");
}

fn is_known_path(part: &[u8]) -> bool {
    part.starts_with(b"\"path\":\"")
}

#[test]
fn batches_are_filled_from_pushed_packets() {
    for (name, file) in captures() {
        let mut follower = Follower::new();
        let (mut batch, mut given) = (Batch::new(2_000), Vec::new());
        let mut empty = |batch: &mut Batch| {
            given.extend(batch.iter().map(|event| Given::of(&event)));
            batch.clear();
            assert_eq!((batch.len(), batch.held_bytes(), batch.is_empty()), (0, 0, true));
        };
        for packet in Capture::new(&file).unwrap() {
            let packet = packet.unwrap();
            let mut events = follower.packet(&packet);
            while events.fill(&mut batch) {
                empty(&mut batch);
            }
        }
        let mut events = follower.finish();
        while events.fill(&mut batch) {
            empty(&mut batch);
        }
        empty(&mut batch);
        assert!(given == of_file(&file), "{name}");
    }
}

#[test]
fn names_of_two_followers_are_kept_apart() {
    // Two games use the same ids for different paths, in connections with the same numbers.
    let files = ["godot3-rpc.pcapng", "godot4-rpc.pcapng"];
    let files = files.map(|name| std::fs::read(corpus("captures").join(name)).unwrap());
    let mut batch = Batch::new(usize::MAX);
    let mut expected = Vec::new();
    let mut followers = [Follower::new(), Follower::new()];
    let captures = files.each_ref().map(|file| Capture::new(file).unwrap());
    let [first, second] = captures;
    for packets in first.zip(second) {
        for (packet, follower) in [packets.0, packets.1].into_iter().zip(&mut followers) {
            let packet = packet.unwrap();
            assert!(!follower.packet(&packet).fill(&mut batch));
        }
    }
    let mut followers = [Follower::new(), Follower::new()];
    let [first, second] = files.each_ref().map(|file| Capture::new(file).unwrap());
    for packets in first.zip(second) {
        for (packet, follower) in [packets.0, packets.1].into_iter().zip(&mut followers) {
            let packet = packet.unwrap();
            follower.packet(&packet).for_each(|event| expected.push(shown(&event)));
        }
    }
    let given: Vec<_> = batch.iter().map(|event| shown(&event)).collect();
    assert!(given == expected);
}

#[test]
fn an_event_of_a_batch_is_found_by_its_place() {
    let value = encode(Dialect::GODOT_4, &variant!(["a", 1, 2.5])).unwrap();
    let (src, dst) = ("10.0.0.2:5000".parse().unwrap(), "10.0.0.1:7000".parse().unwrap());
    let mut follower = Follower::new();
    let mut batch = Batch::new(1 << 20);
    for frame in 1..=3 {
        let datagram = UdpDatagram::new(src, dst, &value);
        assert!(!follower.datagram(Place::new(frame), &datagram).fill(&mut batch));
    }
    assert!(!follower.finish().fill(&mut batch));
    let frames = (0..batch.len()).filter_map(|place| match batch.get(place) {
        Some(Event::Message(message)) => Some((message.place.frame, message.bytes == value)),
        _ => None,
    });
    assert_eq!(frames.collect::<Vec<_>>(), [(1, true), (2, true), (3, true)]);
    assert!(batch.get(batch.len()).is_none());
    assert_eq!(batch.iter().count(), batch.len());
    // The size is at least that of the messages.
    assert!(batch.held_bytes() > 3 * value.len());
}

/// Packets without a message have their bytes, and a batch can be used again.
#[test]
fn other_packets_in_a_batch_have_their_bytes() {
    // The datagrams are not asked for.
    let files = ["godot3-websocket-rpc.pcapng", "pandemonium5-udp.pcapng"];
    let files = files.map(|name| std::fs::read(corpus("captures").join(name)).unwrap());
    let (mut batch, mut held) = (Batch::new(usize::MAX), Vec::new());
    for _ in 0..2 {
        let options = Options::new().with_transport(Transport::WebSocket);
        let (mut follower, mut expected) = (Follower::with_options(options), Vec::new());
        let mut take = |mut events: Events<'_, '_>| {
            while let Some(event) = events.next() {
                expected.push(shown(&event));
                events.keep(&mut batch);
            }
        };
        for packet in files.iter().flat_map(|file| Capture::new(file).unwrap()) {
            take(follower.packet(&packet.unwrap()));
        }
        take(follower.finish());
        let is_other =
            |(it, bytes): &&(Given, Vec<u8>)| matches!(it, Given::Other(..)) && bytes.len() > 8;
        let is_message = |(it, _): &&(Given, Vec<u8>)| matches!(it, Given::Message { .. });
        assert!(expected.iter().filter(is_other).count() > 10);
        assert!(expected.iter().filter(is_message).count() > 0);
        let given: Vec<_> = batch.iter().map(|event| shown(&event)).collect();
        assert!(given == expected);
        held.push(batch.held_bytes());
        batch.clear();
        assert_eq!((batch.len(), batch.held_bytes()), (0, 0));
    }
    assert_eq!(held[0], held[1]);
}

/// The bytes of messages count, and the text of the names that they refer to.
#[test]
fn a_batch_counts_bytes_and_names() {
    let (src, dst) = ("10.0.0.2:5000".parse().unwrap(), "10.0.0.1:7000".parse().unwrap());
    let held = |len: usize| {
        let value = encode(Dialect::GODOT_4, &variant!(["a", 1, 2.5, ("x".repeat(len))])).unwrap();
        let (mut follower, mut batch) = (Follower::new(), Batch::new(usize::MAX));
        for frame in 1..=3 {
            let datagram = UdpDatagram::new(src, dst, &value);
            follower.datagram(Place::new(frame), &datagram).fill(&mut batch);
        }
        follower.finish().fill(&mut batch);
        batch.held_bytes()
    };
    assert_eq!(held(1_000) - held(200), 3 * 800);
}
