//! Reads and writes a struct with serde, and the same struct with serde_json and rmp-serde.

mod common;

use common::{GAME_STATE_JSON, Group, Types, game_state};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gdwire::math::{Vector2, Vector3};
use gdwire::{Dialect, from_slice, to_slice, to_vec};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::Duration;

const DIALECT: Dialect = Dialect::GODOT_3;

/// The type of [`game_state`].
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct State<'a> {
    id: i32,
    #[serde(borrow)]
    name: &'a str,
    pos: Vector3<f32>,
    vel: Vector3<f32>,
    hp: f32,
    alive: bool,
    score: i64,
    aim: Vector2<f32>,
}

/// The goals: at most a fifth of the time of `serde_json`, and less than `rmp-serde`.
fn state(criterion: &mut Criterion) {
    let bytes = game_state(&Types::GODOT_3);
    let state: State = from_slice(DIALECT, &bytes).unwrap();
    assert_eq!(to_vec(DIALECT, &state).unwrap(), bytes);
    let json = GAME_STATE_JSON.as_bytes();
    assert_eq!(serde_json::from_slice::<State>(json).unwrap(), state);
    assert_eq!(serde_json::to_vec(&state).unwrap(), json);
    let messagepack = rmp_serde::to_vec_named(&state).unwrap();
    assert_eq!(rmp_serde::from_slice::<State>(&messagepack).unwrap(), state);

    let mut group = Group::with_throughput(criterion, "serde", Throughput::Elements(1));
    group.bench("from_slice", || from_slice::<State>(DIALECT, black_box(&bytes)).unwrap());
    group.bench("serde_json from_slice", || {
        serde_json::from_slice::<State>(black_box(json)).unwrap()
    });
    group.bench("rmp-serde from_slice", || {
        rmp_serde::from_slice::<State>(black_box(&messagepack)).unwrap()
    });
    let mut buffer = [0; 512];
    group.bench("to_slice", || {
        to_slice(DIALECT, black_box(&state), black_box(&mut buffer)).unwrap()
    });
    group.bench("serde_json to_writer", || {
        serde_json::to_writer(black_box(&mut buffer[..]), black_box(&state)).unwrap();
    });
    group.bench("rmp-serde write", || {
        rmp_serde::encode::write_named(&mut black_box(&mut buffer[..]), black_box(&state)).unwrap();
    });
    group.bench("to_vec", || to_vec(DIALECT, black_box(&state)).unwrap());
    group.bench("serde_json to_vec", || serde_json::to_vec(black_box(&state)).unwrap());
    group.bench("rmp-serde to_vec", || rmp_serde::to_vec_named(black_box(&state)).unwrap());
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
    targets = state
}
criterion_main!(benches);
