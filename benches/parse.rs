//! Reading values in every way, compared with other crates that read the same data.

mod common;

use common::{Bytes, GAME_STATE_JSON, Group, Types, digest, game_state, json, nested};
use criterion::{Criterion, criterion_group, criterion_main};
use gdwire::walk::{Event, WalkStack, events};
use gdwire::{Dialect, Streamed, VariantRef, parse, parse_streaming};
use godot_binary_serialization::{decoder::Decoder, encoder::Encoder};
use std::hint::black_box;
use std::time::Duration;

const DIALECT: Dialect = Dialect::GODOT_3;

/// A walk by `fold`.
fn walked(value: VariantRef<'_>, stack: &mut WalkStack) -> u64 {
    value.walk(stack).fold(0, |sum, event| sum.wrapping_add(digest(event)))
}

/// A walk by `next`.
fn walked_step_by_step(value: VariantRef<'_>, stack: &mut WalkStack) -> u64 {
    let mut sum = 0u64;
    for event in value.walk(stack) {
        sum = sum.wrapping_add(digest(event));
    }
    sum
}

/// Check and visit in one pass, by `fold`.
fn fused(bytes: &[u8], stack: &mut WalkStack) -> u64 {
    events(DIALECT, bytes, stack).fold(0, |sum, event| sum.wrapping_add(digest(event.unwrap())))
}

/// Like [`fused`], by `next`.
fn fused_step_by_step(bytes: &[u8], stack: &mut WalkStack) -> u64 {
    let mut sum = 0u64;
    for event in events(DIALECT, bytes, stack) {
        sum = sum.wrapping_add(digest(event.unwrap()));
    }
    sum
}

/// The entries of a dictionary: the lengths of keys, the kinds of values.
fn entries(value: VariantRef<'_>) -> usize {
    let mut sum = 0;
    for (key, value) in value.as_dictionary().unwrap() {
        sum += key.as_str().map_or(0, str::len) + value.kind() as usize;
    }
    sum
}

/// The elements of an array.
fn elements(value: VariantRef<'_>) -> i64 {
    let mut sum = 0;
    for element in value.as_array().unwrap() {
        sum += element.as_i64().unwrap();
    }
    sum
}

/// Like [`elements`], by index.
fn indexed(value: VariantRef<'_>, offsets: &mut [u32]) -> i64 {
    let elements = value.as_array().unwrap().index(offsets).unwrap();
    (0..elements.len()).map(|at| elements.get(at).unwrap().as_i64().unwrap()).sum()
}

/// All ways to read a value.
fn ways(group: &mut Group<'_>, bytes: &[u8]) {
    let value = parse(DIALECT, bytes).unwrap();
    let mut stack = WalkStack::new();
    let sum = fused(bytes, &mut stack);
    assert_eq!(sum, fused_step_by_step(bytes, &mut stack));
    assert_eq!(sum, walked(value, &mut stack));
    assert_eq!(sum, walked_step_by_step(value, &mut stack));
    group.bench("fused", || fused(black_box(bytes), &mut stack));
    group.bench("fused, by next", || fused_step_by_step(black_box(bytes), &mut stack));
    group.bench("parse", || parse(DIALECT, black_box(bytes)).unwrap().as_bytes().len());
    group.bench("walk", || walked(black_box(value), &mut stack));
    group.bench("walk, by next", || walked_step_by_step(black_box(value), &mut stack));
    group.bench("parse, walk", || {
        walked(parse(DIALECT, black_box(bytes)).unwrap(), &mut WalkStack::new())
    });
}

/// The state of a player.
fn state(criterion: &mut Criterion) {
    let bytes = game_state(&Types::GODOT_3);
    let value = parse(DIALECT, &bytes).unwrap();
    let of_godot_4 = game_state(&Types::GODOT_4);
    let decoded = Decoder::decode_variant(&of_godot_4).unwrap();
    assert_eq!(Encoder::encode_variant(&*decoded).unwrap().len(), bytes.len());
    assert_eq!(json(value), GAME_STATE_JSON);
    assert_eq!(value.get("aim").unwrap().as_vector2::<f32>().unwrap().y, 2.0);

    let mut group = Group::new(criterion, "state", bytes.len());
    ways(&mut group, &bytes);
    group.bench("iterate", || entries(black_box(value)));
    group.bench("get first", || black_box(value).get(black_box("id")));
    group.bench("get last", || black_box(value).get(black_box("aim")));
    group.bench("get none", || black_box(value).get(black_box("team")));
    group.bench("godot-binary-serialization", || {
        Decoder::decode_variant(black_box(&of_godot_4)).unwrap()
    });
    group.bench("serde_json", || {
        serde_json::from_str::<serde_json::Value>(black_box(GAME_STATE_JSON)).unwrap()
    });
    let cut = &bytes[..bytes.len() - 1];
    assert_eq!(parse_streaming(DIALECT, cut), Ok(Streamed::Needed(1)));
    group.bench("parse, as a stream", || parse_streaming(DIALECT, black_box(&bytes)).is_ok());
    group.bench("parse, cut", || parse_streaming(DIALECT, black_box(cut)).is_ok());
}

/// 8,000 ints, as many as are in one datagram.
fn ints(criterion: &mut Criterion) {
    const COUNT: u32 = 8000;
    let mut bytes = Bytes::default();
    bytes.words(&[19, COUNT]);
    for int in 0..COUNT {
        bytes.words(&[2, int]);
    }
    let bytes = bytes.0;
    let value = parse(DIALECT, &bytes).unwrap();
    let text = json(value);
    let array = value.as_array().unwrap();
    assert_eq!(elements(value), i64::from(COUNT) * i64::from(COUNT - 1) / 2);

    let mut group = Group::new(criterion, "ints", bytes.len());
    ways(&mut group, &bytes);
    group.bench("iterate", || elements(black_box(value)));
    let mut offsets = vec![0; COUNT as usize];
    assert_eq!(indexed(value, &mut offsets), elements(value));
    group.bench("index, get all", || indexed(black_box(value), &mut offsets));
    group.bench("get last", || black_box(array).get(COUNT as usize - 1));
    group.bench("serde_json", || {
        serde_json::from_str::<serde_json::Value>(black_box(&text)).unwrap()
    });
}

/// A save of 100 kB: players with their inventories.
fn save(criterion: &mut Criterion) {
    let bytes = common::save(&Types::GODOT_3);
    let of_godot_4 = common::save(&Types::GODOT_4);
    assert!((90_000..110_000).contains(&bytes.len()), "{}", bytes.len());
    let value = parse(DIALECT, &bytes).unwrap();
    let text = json(value);

    let mut group = Group::new(criterion, "save", bytes.len());
    ways(&mut group, &bytes);
    group.bench("iterate", || entries(black_box(value)));
    group.bench("get last", || black_box(value).get(black_box("player_99")));
    group.bench("godot-binary-serialization", || {
        Decoder::decode_variant(black_box(&of_godot_4)).unwrap()
    });
    group.bench("serde_json", || {
        serde_json::from_str::<serde_json::Value>(black_box(&text)).unwrap()
    });
}

/// Texts: lines of a chat, in ASCII and in other scripts, and one long one of each.
fn texts(criterion: &mut Criterion) {
    const LINES: [(&str, &str); 2] = [
        ("ascii", "meet me at the old tower "),
        ("beyond ascii", "tréffe mich am Türm 日本語 🎮 "),
    ];
    for (name, line) in LINES {
        for (size, times, count) in [("short", 1, 400), ("long", 400, 1)] {
            let mut bytes = Bytes::default();
            bytes.words(&[19, count]);
            for _ in 0..count {
                bytes.string(&line.repeat(times));
            }
            let bytes = bytes.0;
            let text = json(parse(DIALECT, &bytes).unwrap());
            let mut group = Group::new(criterion, &format!("text, {name}, {size}"), bytes.len());
            ways(&mut group, &bytes);
            group.bench("serde_json", || {
                serde_json::from_str::<serde_json::Value>(black_box(&text)).unwrap()
            });
        }
    }
}

/// The goal: the time does not depend on the length.
fn packed_array(criterion: &mut Criterion) {
    for len in [10usize, 10_000, 1_000_000] {
        let mut bytes = Bytes::default();
        bytes.words(&[22, len as u32]).0.resize(8 + 4 * len, 0);
        let floats =
            |bytes: &[u8]| parse(DIALECT, bytes).unwrap().as_float32_array().unwrap().len();
        assert_eq!(floats(&bytes.0), len);
        let mut group = Group::new(criterion, "packed array", bytes.0.len());
        group.bench(&format!("parse {len}"), || floats(black_box(&bytes.0)));
    }
}

/// 1 MiB flat and deep.
fn nesting(criterion: &mut Criterion) {
    for (name, depth) in [("1 MiB flat", 0), ("1 MiB 1000 deep", 1000)] {
        let bytes = nested(depth);
        ways(&mut Group::new(criterion, name, bytes.len()), &bytes);
    }
}

/// The cost of a walk that does nothing with the events.
fn count(criterion: &mut Criterion) {
    let bytes = game_state(&Types::GODOT_3);
    let mut stack = WalkStack::new();
    let mut group = Group::new(criterion, "state, counted", bytes.len());
    group.bench("fused", || {
        let values = |event: &Result<Event<'_>, _>| matches!(event, Ok(Event::Value(..)));
        events(DIALECT, black_box(&bytes), &mut stack).filter(values).count()
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300));
    targets = state, count, ints, save, texts, packed_array, nesting
}
criterion_main!(benches);
