//! Compares reading the messages of captures over each transport with only reading the packet
//! headers.

mod common;

use common::traffic::session;
use common::{Group, Types, game_state};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Content, Event, Transport};
use gdwire::packet::Payload;
use std::hint::black_box;
use std::time::Duration;

const MESSAGES: usize = 20_000;

/// Reads the packet headers, and returns the number of payload bytes.
fn walk(capture: &[u8]) -> usize {
    Capture::new(capture)
        .unwrap()
        .map(|packet| match packet.unwrap().payload() {
            Payload::Udp(datagram) => datagram.payload.len(),
            Payload::Tcp(segment) => segment.payload.len(),
            _ => 0,
        })
        .sum()
}

/// Reads everything, and returns the number of values and multiplayer packets.
fn read(capture: &[u8]) -> (usize, usize) {
    let mut messages = Messages::new(capture).unwrap();
    let (mut values, mut packets) = (0, 0);
    while let Some(event) = messages.next_event() {
        if let Event::Message(message) = event {
            match message.content {
                Content::Value(_) => values += 1,
                Content::Packet(_) => packets += 1,
                _ => {}
            }
        }
    }
    (values, packets)
}

fn transports(criterion: &mut Criterion) {
    let state = game_state(&Types::GODOT_4);
    // A call with one argument, the same dictionary.
    let call = [&[0, 2, 1, 1][..], &state].concat();
    let names = Transport::ALL.iter().map(|transport| (transport.name(), *transport, &state));
    for (name, transport, message) in names.chain([("enet calls", Transport::Enet, &call)]) {
        let capture = session(transport, message, MESSAGES);
        let expected = if name == "enet calls" { (0, MESSAGES) } else { (MESSAGES, 0) };
        assert_eq!(read(&capture), expected, "{name}");
        assert!(walk(&capture) >= MESSAGES * message.len());

        let throughput =
            Throughput::ElementsAndBytes { elements: MESSAGES as u64, bytes: capture.len() as u64 };
        let name = format!("transports/{name}");
        let mut group = Group::with_throughput(criterion, &name, throughput);
        group.bench("walk packets", || walk(black_box(&capture)));
        group.bench("read messages", || read(black_box(&capture)));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .measurement_time(Duration::from_secs(2))
        .warm_up_time(Duration::from_millis(500));
    targets = transports
}
criterion_main!(benches);
