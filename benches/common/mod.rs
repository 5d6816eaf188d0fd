//! The inputs of the benches, and the code that runs them.

#![allow(dead_code, reason = "each bench uses its own part")]

#[cfg(feature = "capture")]
pub mod traffic;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use gdwire::walk::Event;
use gdwire::{VariantRef, View};
use std::hint::black_box;

/// A group of benches with a common name. They are timed, or their instructions are counted.
///
/// To count the instructions of a bench with valgrind, set `GDWIRE_COUNT` to its full name, a colon,
/// and a number of times. The process then runs only that bench, that many times, and prints
/// "counted". The difference between two such runs excludes the work before and after the bench.
pub struct Group<'a> {
    name: String,
    group: BenchmarkGroup<'a, WallTime>,
}

impl<'a> Group<'a> {
    /// A group of benches that each work on `bytes` bytes.
    pub fn new(criterion: &'a mut Criterion, name: &str, bytes: usize) -> Group<'a> {
        Group::with_throughput(criterion, name, Throughput::Bytes(bytes as u64))
    }

    /// A group of benches that each do this amount of work.
    pub fn with_throughput(
        criterion: &'a mut Criterion,
        name: &str,
        throughput: Throughput,
    ) -> Group<'a> {
        let mut group = criterion.benchmark_group(name);
        group.throughput(throughput);
        Group { name: name.to_owned(), group }
    }

    /// Times the work, or runs it as often as `GDWIRE_COUNT` requests.
    pub fn bench<R>(&mut self, id: &str, mut work: impl FnMut() -> R) {
        let Ok(counted) = std::env::var("GDWIRE_COUNT") else {
            self.group.bench_function(id, |bencher| bencher.iter(&mut work));
            return;
        };
        let (name, times) = counted.split_once(':').expect("a name and a number of times");
        if name == format!("{}/{id}", self.name) {
            for _ in 0..times.parse::<u32>().expect("a number of times") {
                black_box(work());
            }
            println!("counted");
        }
    }
}

/// The type numbers of the kinds in [`game_state`].
pub struct Types {
    pub vector2: u32,
    pub vector3: u32,
    pub dictionary: u32,
}

impl Types {
    pub const GODOT_3: Types = Types { vector2: 5, vector3: 7, dictionary: 18 };
    pub const GODOT_4: Types = Types { vector2: 5, vector3: 9, dictionary: 27 };
}

/// Values in the order of the wire.
#[derive(Default)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    pub fn words(&mut self, words: &[u32]) -> &mut Bytes {
        self.0.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self
    }

    pub fn reals(&mut self, type_number: u32, reals: &[f32]) -> &mut Bytes {
        self.words(&[type_number]);
        self.0.extend(reals.iter().flat_map(|real| real.to_le_bytes()));
        self
    }

    pub fn string(&mut self, text: &str) -> &mut Bytes {
        self.words(&[4, text.len() as u32]);
        self.0.extend(text.as_bytes());
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }
}

/// The state of a player, which a game sends many times a second: 208 bytes.
pub fn game_state(types: &Types) -> Vec<u8> {
    let mut bytes = Bytes::default();
    bytes.words(&[types.dictionary, 8]);
    bytes.string("id").words(&[2, 7]);
    bytes.string("name").string("player_one");
    bytes.string("pos").reals(types.vector3, &[1.0, 2.0, 3.0]);
    bytes.string("vel").reals(types.vector3, &[1.0, 2.0, 3.0]);
    bytes.string("hp").reals(3, &[87.5]);
    bytes.string("alive").words(&[1, 1]);
    bytes.string("score").words(&[2, 409]);
    bytes.string("aim").reals(types.vector2, &[1.0, 2.0]);
    bytes.0
}

/// The content of [`game_state`] as JSON.
pub const GAME_STATE_JSON: &str = r#"{"id":7,"name":"player_one","pos":[1.0,2.0,3.0],"vel":[1.0,2.0,3.0],"hp":87.5,"alive":true,"score":409,"aim":[1.0,2.0]}"#;

/// A save of 100 kB: dictionaries of players by name, with their inventories by slot.
pub fn save(types: &Types) -> Vec<u8> {
    const PLAYERS: u32 = 100;
    const ITEMS: u32 = 12;
    let mut bytes = Bytes::default();
    bytes.words(&[types.dictionary, PLAYERS]);
    for player in 0..PLAYERS {
        bytes.string(&format!("player_{player}"));
        bytes.words(&[types.dictionary, 4]);
        bytes.string("level").words(&[2, player]);
        bytes.string("position").reals(types.vector3, &[player as f32, 2.0, 3.0]);
        bytes.string("guild").string("the old tower");
        bytes.string("inventory").words(&[types.dictionary, ITEMS]);
        for item in 0..ITEMS {
            bytes.string(&format!("slot_{item}")).words(&[types.dictionary, 2]);
            bytes.string("item").string("sword");
            bytes.string("count").words(&[2, item]);
        }
    }
    bytes.0
}

/// A value as JSON, which another crate reads.
pub fn json(value: VariantRef<'_>) -> String {
    let list = |values: &[f32]| serde_json::to_string(values).unwrap();
    match value.view() {
        View::Bool(bool) => bool.to_string(),
        View::Int(int) => int.to_string(),
        View::Float(float) => serde_json::to_string(&float).unwrap(),
        View::String(text) => serde_json::to_string(text).unwrap(),
        View::Vector2(vector) => {
            let vector = vector.to::<f32>();
            list(&[vector.x, vector.y])
        }
        View::Vector3(vector) => {
            let vector = vector.to::<f32>();
            list(&[vector.x, vector.y, vector.z])
        }
        View::Array(array) => format!("[{}]", array.iter().map(json).collect::<Vec<_>>().join(",")),
        View::Dictionary(entries) => {
            let entry = |(key, value)| format!("{}:{}", json(key), json(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
        }
        other => panic!("{other:?}"),
    }
}

/// 1 MiB of arrays nested `depth` deep, one such tower after the other, with ints in the innermost
/// array. With a depth of 0 the ints are in the outermost array.
pub fn nested(depth: usize) -> Vec<u8> {
    const SIZE: usize = 1 << 20;
    let tower_size = depth * 8 + 8;
    let towers = if depth == 0 { SIZE / 8 } else { SIZE / tower_size };
    let mut bytes = Bytes::default();
    bytes.words(&[19, towers as u32]);
    for _ in 0..towers {
        for _ in 0..depth {
            bytes.words(&[19, 1]);
        }
        bytes.words(&[2, 42]);
    }
    bytes.0
}

/// Combines a part of every event, so that the compiler cannot remove the work.
#[inline(always)]
pub fn digest(event: Event<'_>) -> u64 {
    match event {
        Event::Value(_, value) => leaf(value),
        Event::Begin(_, container) => container.len() as u64,
        Event::Property(name) => name.len() as u64,
        _ => 1,
    }
}

#[inline(always)]
fn leaf(value: VariantRef<'_>) -> u64 {
    match value.view() {
        View::Bool(bool) => u64::from(bool),
        View::Int(int) => int as u64,
        View::Float(float) => float.to_bits(),
        View::String(text) => {
            text.len() as u64 + u64::from(text.as_bytes().first().copied().unwrap_or(0))
        }
        View::Vector2(vector) => {
            let vector = vector.to::<f32>();
            u64::from((vector.x + vector.y).to_bits())
        }
        View::Vector3(vector) => {
            let vector = vector.to::<f32>();
            u64::from((vector.x + vector.y + vector.z).to_bits())
        }
        _ => 1,
    }
}
