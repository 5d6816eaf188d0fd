//! Finding the end of a value that arrives in pieces.

mod common;

use common::{Group, nested};
use criterion::{Criterion, criterion_group, criterion_main};
use gdwire::stream::{Framer, Progress, Scanner};
use gdwire::{Dialect, Variant, encode, math::Vector3, parse, variant};
use std::hint::black_box;
use std::time::Duration;

/// The states of many players, a little over 1 MiB.
fn world() -> Vec<u8> {
    let player = |id: i32| {
        variant!({
            "id": id,
            "name": "player_one",
            "position": Vector3::new(1.5f32, 2.5, id as f32),
            "health": 87.5,
            "alive": true,
        })
    };
    encode(Dialect::GODOT_3, &(0..8000).map(player).collect::<Variant>()).unwrap()
}

fn scan(bytes: &[u8], size: usize) -> usize {
    let mut scanner = Scanner::new(Dialect::GODOT_3);
    for piece in bytes.chunks(size) {
        if let Progress::Done { len: length, .. } = scanner.push(piece).unwrap() {
            return length;
        }
    }
    0
}

/// The goal: pieces of 1 KiB take at most 1.2 times as long as one piece. If the bytes arrive one
/// by one, the time does not depend on the depth of the value.
fn scanner(criterion: &mut Criterion) {
    let bytes = world();
    assert!(bytes.len() > 1 << 20);
    assert_eq!(scan(&bytes, 1024), bytes.len());
    let mut group = Group::new(criterion, "scan 1 MiB", bytes.len());
    group.bench("in one piece", || scan(black_box(&bytes), usize::MAX));
    group.bench("in pieces of 1 KiB", || scan(black_box(&bytes), 1024));
    drop(group);
    for (name, depth) in [("scan 1 MiB flat", 0), ("scan 1 MiB 1000 deep", 1000)] {
        let bytes = nested(depth);
        let mut group = Group::new(criterion, name, bytes.len());
        group.bench("byte by byte", || scan(black_box(&bytes), 1));
    }
}

fn framer(criterion: &mut Criterion) {
    let value = encode(Dialect::GODOT_3, &variant!({"id": 7, "name": "player_one"})).unwrap();
    let frame = [&(value.len() as u32).to_le_bytes(), &value[..]].concat();
    let stream = frame.repeat((1 << 20) / frame.len());
    let read = |stream: &[u8]| {
        let mut framer = Framer::new();
        let mut count = 0;
        for piece in stream.chunks(1400) {
            framer.push(piece);
            while let Some(frame) = framer.next_frame().unwrap() {
                count += usize::from(parse(Dialect::GODOT_3, frame).is_ok());
            }
        }
        count
    };
    assert_eq!(read(&stream), stream.len() / frame.len());
    let mut group = Group::new(criterion, "frames 1 MiB", stream.len());
    group.bench("in pieces of 1400 bytes", || read(black_box(&stream)));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
    targets = scanner, framer
}
criterion_main!(benches);
