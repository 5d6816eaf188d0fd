//! The recorded data.

use gdwire::Dialect;
use serde::Deserialize;
use std::path::PathBuf;

/// A line of `values.ndjson`.
#[derive(Deserialize)]
pub struct Value {
    pub name: String,
    pub hex: String,
    pub text: Option<String>,
    /// Godot 4's JSON.
    pub native: Option<String>,
}

/// A line of `verdicts.ndjson`.
#[derive(Deserialize)]
pub struct Verdict {
    pub hex: String,
    pub verdict: String,
}

/// A line of a capture's ground truth.
#[derive(Deserialize)]
pub struct Sent {
    pub n: usize,
    pub from: String,
    /// The generator's name for the value.
    #[serde(default)]
    pub kind: String,
    pub hex: String,
    pub wire_hex: Option<String>,
    pub text: Option<String>,
    #[serde(default)]
    pub delivered: bool,
    pub at: Option<usize>,
    /// How ENet sends the value, such as `reliable`.
    #[serde(default)]
    pub mode: String,
    pub channel: Option<u8>,
}

pub fn corpus(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name)
}

pub fn lines<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let path = corpus(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The folders with what engines recorded, and the dialect that each engine writes.
pub const RECORDED: [(&str, Dialect); 5] = [
    ("godot3", Dialect::GODOT_3),
    ("godot4", Dialect::GODOT_4),
    ("godot4-double", Dialect::GODOT_4.with_double_reals()),
    ("pandemonium4", Dialect::PANDEMONIUM_4),
    ("pandemonium5", Dialect::PANDEMONIUM_5),
];

/// The recorded values of all engines, and how they are to be read.
pub fn recorded_values() -> Vec<(Dialect, Value)> {
    RECORDED
        .into_iter()
        .flat_map(|(folder, dialect)| {
            let lines = lines::<Value>(&format!("{folder}/values.ndjson"));
            assert!(lines.len() > 100, "{folder}");
            lines.into_iter().map(move |line| (dialect, line))
        })
        .collect()
}
