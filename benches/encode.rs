//! Writing values: packed arrays compared with `memcpy`, a game's state compared with other crates,
//! and changes to one value of the state.

mod common;

use common::{GAME_STATE_JSON, Group, Types, game_state};
use criterion::{Criterion, criterion_group, criterion_main};
use gdwire::convert::{OnLoss, convert};
use gdwire::encode::{Builder, Encode, Sink, SliceSink, patch};
use gdwire::math::{Vector2, Vector3};
use gdwire::{Dialect, EncodeError, Variant, encode, encode_to_slice, parse, variant};
use godot_binary_serialization::{decoder::Decoder, encoder::Encoder};
use std::hint::black_box;
use std::time::Duration;

const DIALECT: Dialect = Dialect::GODOT_3;

fn packed_arrays(criterion: &mut Criterion) {
    // Both benches read the same memory, because the speed of a copy depends on where the memory
    // is.
    let floats: Vec<f32> = (0..3 << 17).map(|number| number as f32).collect();
    let bytes: &[u8] = bytemuck::cast_slice(&floats);
    let vectors: &[Vector3<f32>] = bytemuck::cast_slice(&floats);
    let mut buffer: Vec<u8> = Vec::with_capacity(bytes.len() + 16);

    let mut write = |array: &dyn Fn(&mut Builder<&mut Vec<u8>>)| {
        buffer.clear();
        let mut builder = Builder::new(DIALECT, &mut buffer);
        array(&mut builder);
        builder.finish().unwrap();
        buffer.len()
    };
    assert_eq!(write(&|builder| builder.float32_array(&floats).unwrap()), bytes.len() + 8);

    let mut group = Group::new(criterion, "encode 1.5 MiB", bytes.len());
    let mut copy: Vec<u8> = Vec::with_capacity(bytes.len());
    group.bench("memcpy", || {
        copy.clear();
        copy.extend_from_slice(black_box(bytes));
        copy.len()
    });
    group.bench("PackedFloat32Array", || {
        write(&|builder| builder.float32_array(black_box(&floats)).unwrap())
    });
    group.bench("PackedVector3Array", || {
        write(&|builder| builder.vector3_array(black_box(vectors)).unwrap())
    });
}

/// The game's state as a Rust type.
struct State {
    name: &'static str,
    position: Vector3<f32>,
}

impl Encode for State {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        builder.begin_dictionary(8)?;
        builder.string("id")?;
        builder.int(7)?;
        builder.string("name")?;
        builder.string(self.name)?;
        for name in ["pos", "vel"] {
            builder.string(name)?;
            builder.vector3(self.position)?;
        }
        builder.string("hp")?;
        builder.float(87.5)?;
        builder.string("alive")?;
        builder.bool(true)?;
        builder.string("score")?;
        builder.int(409)?;
        builder.string("aim")?;
        builder.vector2(Vector2::new(1.0_f32, 2.0))?;
        builder.end()
    }
}

fn state(criterion: &mut Criterion) {
    let bytes = game_state(&Types::GODOT_3);
    let view = parse(DIALECT, &bytes).unwrap();
    let owned = Variant::from(view);
    let typed = State { name: "player_one", position: Vector3::new(1.0, 2.0, 3.0) };
    let json: serde_json::Value = serde_json::from_str(GAME_STATE_JSON).unwrap();
    let rival = Decoder::decode_variant(&game_state(&Types::GODOT_4)).unwrap();
    let mut text = Vec::new();
    let mut buffer = [0; 512];
    for written in [encode(DIALECT, &view), encode(DIALECT, &owned), encode(DIALECT, &typed)] {
        assert_eq!(written.unwrap(), bytes);
    }
    assert_eq!(Encoder::encode_variant(&*rival).unwrap().len(), bytes.len());

    let mut group = Group::new(criterion, "encode state", bytes.len());
    group.bench("owned", || encode_to_slice(DIALECT, black_box(&owned), &mut buffer).unwrap());
    group.bench("view", || encode_to_slice(DIALECT, black_box(&view), &mut buffer).unwrap());
    group.bench("builder", || encode_to_slice(DIALECT, black_box(&typed), &mut buffer).unwrap());
    group.bench("convert", || {
        convert(black_box(view), Dialect::GODOT_4, OnLoss::Refuse).unwrap().bytes.len()
    });
    group.bench("godot-binary-serialization", || {
        Encoder::encode_variant(black_box(&*rival)).unwrap().len()
    });
    group.bench("serde_json", || {
        text.clear();
        serde_json::to_writer(&mut text, black_box(&json)).unwrap();
        text.len()
    });
}

fn one_field(criterion: &mut Criterion) {
    let bytes = game_state(&Types::GODOT_3);
    let view = parse(DIALECT, &bytes).unwrap();
    let mut packet = bytes.clone();
    let mut buffer = [0; 512];
    assert_eq!(patch(view, "/score", &410, &mut buffer), Ok(bytes.len()));

    let mut group = Group::new(criterion, "encode one field", bytes.len());
    group.bench("patch", || patch(black_box(view), "/score", &410, &mut buffer).unwrap());
    group.bench("parse and write in place", || {
        let value = parse(DIALECT, black_box(&packet)).unwrap();
        let place = value.get("score").and_then(|score| score.range_in(&packet)).unwrap();
        encode_to_slice(DIALECT, &410, &mut packet[place]).unwrap()
    });
    group.bench("verbatim in an array", || {
        let mut builder = Builder::new(DIALECT, SliceSink::new(&mut buffer));
        builder.begin_array(1).unwrap();
        builder.verbatim(black_box(view)).unwrap();
        builder.end().unwrap();
        builder.finish().unwrap().needed()
    });
    group.bench("through a tree", || {
        let mut state = Variant::from(black_box(view));
        state["score"] = variant!(410);
        encode_to_slice(DIALECT, &state, &mut buffer).unwrap()
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
    targets = packed_arrays, state, one_field
}
criterion_main!(benches);
