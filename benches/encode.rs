//! Writing values: packed arrays beside `memcpy`, and the dictionary of a game's state.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gdwire::math::Vector3;
use gdwire::{Dialect, Variant, encode, encode::Builder, encode_to_slice, parse, variant};
use std::hint::black_box;
use std::time::Duration;

fn packed_arrays(criterion: &mut Criterion) {
    // The same memory as one and as the other: how fast it can be copied depends on where it is.
    let floats: Vec<f32> = (0..3 << 17).map(|number| number as f32).collect();
    let bytes: &[u8] = bytemuck::cast_slice(&floats);
    let vectors: &[Vector3<f32>] = bytemuck::cast_slice(&floats);
    let mut buffer: Vec<u8> = Vec::with_capacity(bytes.len() + 16);

    let mut write = |array: &dyn Fn(&mut Builder<&mut Vec<u8>>)| {
        buffer.clear();
        let mut builder = Builder::new(Dialect::GODOT_3, &mut buffer);
        array(&mut builder);
        builder.finish().unwrap();
        buffer.len()
    };
    assert_eq!(write(&|builder| builder.float32_array(&floats).unwrap()), bytes.len() + 8);

    let mut group = criterion.benchmark_group("encode/1.5 MiB");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    let mut copy: Vec<u8> = Vec::with_capacity(bytes.len());
    group.bench_function("memcpy", |bencher| {
        bencher.iter(|| {
            copy.clear();
            copy.extend_from_slice(black_box(bytes));
            copy.len()
        });
    });
    group.bench_function("PackedFloat32Array", |bencher| {
        bencher.iter(|| write(&|builder| builder.float32_array(black_box(&floats)).unwrap()));
    });
    group.bench_function("PackedVector3Array", |bencher| {
        bencher.iter(|| write(&|builder| builder.vector3_array(black_box(vectors)).unwrap()));
    });
    group.finish();
}

fn dictionary(criterion: &mut Criterion) {
    let state = variant!({
        "id": 7,
        "name": "player_one",
        "position": Vector3::new(1.5f32, 2.5, 3.5),
        "velocity": Vector3::new(0.5f32, 0.0, -1.0),
        "health": 87.5,
        "alive": true,
    });
    let bytes = encode(Dialect::GODOT_3, &state).unwrap();
    let view = parse(Dialect::GODOT_3, &bytes).unwrap();
    assert_eq!(Variant::from(view), state);
    let mut buffer = [0; 512];

    let mut group = criterion.benchmark_group("encode/dictionary");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("owned", |bencher| {
        bencher.iter(|| encode_to_slice(Dialect::GODOT_3, black_box(&state), &mut buffer));
    });
    group.bench_function("view", |bencher| {
        bencher.iter(|| encode_to_slice(Dialect::GODOT_3, black_box(&view), &mut buffer));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
    targets = packed_arrays, dictionary
}
criterion_main!(benches);
