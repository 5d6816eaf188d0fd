//! Writing a game's state as text (both kinds of JSON, and literals), compared with serde_json,
//! which writes the same documents.

mod common;

use common::{Group, Types, game_state};
use criterion::{Criterion, criterion_group, criterion_main};
use gdwire::text::Layout;
use gdwire::{Dialect, json, parse};
use std::hint::black_box;
use std::io::Write;
use std::time::Duration;

fn state(criterion: &mut Criterion) {
    let bytes = game_state(&Types::GODOT_3);
    let view = parse(Dialect::GODOT_3, &bytes).unwrap();
    let mut text: Vec<u8> = Vec::with_capacity(1024);

    let native: serde_json::Value = serde_json::from_str(&json::to_string(view)).unwrap();
    let plain: serde_json::Value = serde_json::from_str(&json::to_plain_string(view)).unwrap();
    assert_eq!(serde_json::to_string(&native).unwrap().len(), json::to_string(view).len());
    assert_eq!(serde_json::to_string(&plain).unwrap().len(), json::to_plain_string(view).len());

    let mut group = Group::new(criterion, "write state", bytes.len());
    let mut bench = |name: &str, write: &dyn Fn(&mut Vec<u8>)| {
        group.bench(name, || {
            text.clear();
            write(&mut text);
            text.len()
        });
    };
    bench("native", &|text| json::write(black_box(view), text).unwrap());
    bench("serde_json, native", &|text| serde_json::to_writer(text, black_box(&native)).unwrap());
    bench("plain", &|text| json::write_plain(black_box(view), text).unwrap());
    bench("serde_json, plain", &|text| serde_json::to_writer(text, black_box(&plain)).unwrap());
    bench("literal", &|text| write!(text, "{}", black_box(view).display(Layout::Line)).unwrap());
    bench("native, dyn Write", &|text| {
        let out: &mut dyn Write = text;
        json::write(black_box(view), out).unwrap();
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
    targets = state
}
criterion_main!(benches);
