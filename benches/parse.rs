//! Parsing and walking, beside what else one could read such data with.

mod common;

use common::{Bytes, GAME_STATE_JSON, Types, digest, game_state, nested};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gdwire::walk::{WalkStack, events};
use gdwire::{Dialect, Streamed, VariantRef, parse, parse_streaming};
use godot_binary_serialization::{decoder::Decoder, encoder::Encoder};
use std::hint::black_box;
use std::time::Duration;

const DIALECT: Dialect = Dialect::GODOT_3;

fn walked(value: VariantRef<'_>) -> u64 {
    let mut stack = WalkStack::new();
    value.walk(&mut stack).fold(0, |sum, event| sum.wrapping_add(digest(event)))
}

fn parsed_and_walked(bytes: &[u8]) -> u64 {
    walked(parse(DIALECT, bytes).unwrap())
}

fn read_as_events(bytes: &[u8]) -> u64 {
    let mut stack = WalkStack::new();
    let mut sum = 0u64;
    for event in events(DIALECT, bytes, &mut stack) {
        sum = sum.wrapping_add(digest(event.unwrap()));
    }
    sum
}

/// A small dictionary, by every reader. The aim: parsing and walking takes a twentieth of the time
/// of the crate `godot-binary-serialization`, a fifth of that of `serde_json`.
fn dictionary(criterion: &mut Criterion) {
    let bytes = game_state(&Types::GODOT_3);
    let value = parse(DIALECT, &bytes).unwrap();
    assert_eq!(parsed_and_walked(&bytes), read_as_events(&bytes));
    let of_godot_4 = game_state(&Types::GODOT_4);
    let decoded = Decoder::decode_variant(&of_godot_4).unwrap();
    assert_eq!(Encoder::encode_variant(&*decoded).unwrap().len(), bytes.len());
    let json: serde_json::Value = serde_json::from_str(GAME_STATE_JSON).unwrap();
    assert_eq!(json.as_object().unwrap().len(), value.as_dictionary().unwrap().len());

    let mut group = criterion.benchmark_group("dictionary");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("godot-binary-serialization", |bencher| {
        bencher.iter(|| Decoder::decode_variant(black_box(&of_godot_4)).unwrap());
    });
    group.bench_function("serde_json", |bencher| {
        bencher.iter(|| serde_json::from_str::<serde_json::Value>(black_box(GAME_STATE_JSON)));
    });
    group.bench_function("parse", |bencher| {
        bencher.iter(|| parse(DIALECT, black_box(&bytes)).unwrap().as_bytes().len());
    });
    group.bench_function("walk", |bencher| bencher.iter(|| walked(black_box(value))));
    group.bench_function("parse, walk", |bencher| {
        bencher.iter(|| parsed_and_walked(black_box(&bytes)));
    });
    group.bench_function("events", |bencher| bencher.iter(|| read_as_events(black_box(&bytes))));
    group.finish();
}

/// The bound: the time does not depend on the length.
fn packed_array(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("packed array");
    for len in [10usize, 10_000, 1_000_000] {
        let mut bytes = Bytes::default();
        bytes.words(&[22, len as u32]).0.resize(8 + 4 * len, 0);
        let floats =
            |bytes: &[u8]| parse(DIALECT, bytes).unwrap().as_float32_array().unwrap().len();
        assert_eq!(floats(&bytes.0), len);
        group.bench_with_input(BenchmarkId::new("parse", len), &bytes.0, |bencher, bytes| {
            bencher.iter(|| floats(black_box(bytes)));
        });
    }
    group.finish();
}

/// The bound: deep takes at most twice the time of flat.
fn nesting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("1 MiB");
    for (name, depth) in [("flat", 0), ("1000 deep", 1000)] {
        let bytes = nested(depth);
        let value = parse(DIALECT, &bytes).unwrap();
        assert_eq!(walked(value), read_as_events(&bytes));
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(BenchmarkId::new("parse", name), |bencher| {
            bencher.iter(|| parse(DIALECT, black_box(&bytes)).unwrap().as_bytes().len());
        });
        group.bench_function(BenchmarkId::new("walk", name), |bencher| {
            bencher.iter(|| walked(black_box(value)));
        });
        group.bench_function(BenchmarkId::new("events", name), |bencher| {
            bencher.iter(|| read_as_events(black_box(&bytes)));
        });
    }
    group.finish();
}

/// A whole value and one that is cut, by the streaming parser.
fn streaming(criterion: &mut Criterion) {
    let bytes = game_state(&Types::GODOT_3);
    let cut = &bytes[..bytes.len() - 1];
    assert!(matches!(parse_streaming(DIALECT, &bytes), Ok(Streamed::Value { rest: [], .. })));
    assert_eq!(parse_streaming(DIALECT, cut), Ok(Streamed::Needed(1)));
    let mut group = criterion.benchmark_group("streaming");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("whole", |bencher| {
        bencher.iter(|| parse_streaming(DIALECT, black_box(&bytes)).is_ok());
    });
    group.bench_function("cut", |bencher| {
        bencher.iter(|| parse_streaming(DIALECT, black_box(cut)).is_ok());
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
    targets = dictionary, packed_array, nesting, streaming
}
criterion_main!(benches);
