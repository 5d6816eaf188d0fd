//! Compares decoding every value of a capture with only reading the headers of its packets.

mod common;

use common::Group;
use criterion::{Criterion, criterion_group, criterion_main};
use gdwire::capture::Capture;
use gdwire::packet::Payload;
use gdwire::{Dialect, parse};
use std::hint::black_box;
use std::time::Duration;

const CAPTURE: &[u8] = include_bytes!("../corpus/captures/godot3-udp.pcapng");
const VALUES: usize = 60;

/// Passes every UDP payload of the capture to `take`.
fn payloads(capture: &[u8], mut take: impl FnMut(&[u8])) {
    for packet in Capture::new(capture).unwrap() {
        if let Payload::Udp(datagram) = packet.unwrap().payload() {
            take(datagram.payload);
        }
    }
}

fn capture(criterion: &mut Criterion) {
    let walk = |capture: &[u8]| {
        let mut bytes = 0;
        payloads(capture, |payload| bytes += payload.len());
        bytes
    };
    let decode = |capture: &[u8]| {
        let mut values = 0;
        payloads(capture, |payload| {
            values += usize::from(parse(Dialect::GODOT_3, payload).is_ok())
        });
        values
    };
    assert!(walk(CAPTURE) > VALUES * 8);
    assert_eq!(decode(CAPTURE), VALUES);

    let mut group = Group::new(criterion, "capture", CAPTURE.len());
    group.bench("walk packets", || walk(black_box(CAPTURE)));
    group.bench("decode values", || decode(black_box(CAPTURE)));
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .measurement_time(Duration::from_secs(2))
        .warm_up_time(Duration::from_millis(500));
    targets = capture
}
criterion_main!(benches);
