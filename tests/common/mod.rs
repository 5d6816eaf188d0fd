//! The recorded data, and helpers that several tests share.

#![allow(dead_code, reason = "each test file uses its own part")]

use gdwire::walk::{Event, WalkStack};
use gdwire::{Dialect, Kind, VariantRef};
use serde::Deserialize;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

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
    /// ENet's.
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

/// The recorded values of all engines, and how they are to be read.
pub fn recorded_values() -> Vec<(Dialect, Value)> {
    [
        ("godot3", Dialect::GODOT_3),
        ("godot4", Dialect::GODOT_4),
        ("godot4-double", Dialect::GODOT_4.with_double_reals()),
        ("pandemonium4", Dialect::PANDEMONIUM_4),
        ("pandemonium5", Dialect::PANDEMONIUM_5),
    ]
    .into_iter()
    .flat_map(|(folder, dialect)| {
        let lines = lines::<Value>(&format!("{folder}/values.ndjson"));
        assert!(lines.len() > 100, "{folder}");
        lines.into_iter().map(move |line| (dialect, line))
    })
    .collect()
}

/// Starts the engine with a script of `tests/engine`; `None` if it is not installed.
pub fn engine<const N: usize>(script: &str, arguments: [&str; N]) -> Option<Child> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine").join(script);
    let folder = engine_folder();
    let errors = File::create(folder.join("stderr")).unwrap();
    let mut command = Command::new("godot3-server");
    command.current_dir(folder);
    command.arg("-s").arg(script).arg("--").args(arguments).env("LANG", "C.UTF-8");
    match command.stdout(Stdio::piped()).stderr(errors).spawn() {
        Ok(child) => Some(child),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let required =
                std::env::var("GDWIRE_ENGINE_TESTS").is_ok_and(|value| value == "required");
            assert!(!required, "godot3-server is not installed");
            eprintln!("skipped: godot3-server is not installed (apt install godot3-server)");
            None
        }
        Err(error) => panic!("godot3-server: {error}"),
    }
}

/// Makes a folder for each engine. An engine looks for a project in the folder where it is started,
/// and in the `logs` there, it renames and deletes what other engines have written.
fn engine_folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let test = std::env::current_exe().unwrap();
    let name = test.file_stem().unwrap().to_string_lossy().into_owned();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("engine-of-{name}-{number}"));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The lines that a program prints, such as those of Wireshark; `None` if it is not installed.
pub fn wireshark(program: &str, arguments: &[&str]) -> Option<Vec<String>> {
    match Command::new(program).args(arguments).output() {
        Ok(run) => {
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            Some(String::from_utf8(run.stdout).unwrap().lines().map(str::to_owned).collect())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let required =
                std::env::var("GDWIRE_ENGINE_TESTS").is_ok_and(|value| value == "required");
            assert!(!required, "{program} is not installed");
            eprintln!("skipped: {program} is not installed (apt install lz4 tshark zstd)");
            None
        }
        Err(error) => panic!("{program}: {error}"),
    }
}

/// A gzip stream, with every optional field of the header.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::GzBuilder::new()
        .filename("session.pcapng")
        .comment("recorded")
        .extra([7; 300])
        .write(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A stream as `zstd` writes it.
pub fn zstandard(content: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(content, ruzstd::encoding::CompressionLevel::Fastest)
}

/// A stream as `lz4` writes it, in blocks of 64 KiB.
pub fn lz4(content: &[u8]) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new()
        .block_size(lz4_flex::frame::BlockSize::Max64KB)
        .content_checksum(true);
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

pub fn unhex(hex: &str) -> Vec<u8> {
    data_encoding::HEXLOWER.decode(hex.as_bytes()).expect(hex)
}

/// The bytes of a value with zeros for the padding of the names in its node paths, in which the
/// engines leave whatever their buffer held.
pub fn without_path_padding(value: VariantRef<'_>) -> Vec<u8> {
    let mut bytes = value.as_bytes().to_vec();
    let mut stack = WalkStack::new();
    for event in value.walk(&mut stack) {
        if let Event::Value(_, path) = event
            && path.kind() == Kind::NodePath
        {
            let offset = path.as_bytes().as_ptr().addr() - value.as_bytes().as_ptr().addr();
            for padding in paddings(path.as_bytes()) {
                bytes[offset + padding.start..offset + padding.end].fill(0);
            }
        }
    }
    bytes
}

/// Where the padding is in a node path of the new form.
fn paddings(path: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 16;
    while at + 4 <= path.len() {
        let length = u32::from_le_bytes(path[at..at + 4].try_into().unwrap()) as usize;
        let end = at + 4 + length;
        at = end.next_multiple_of(4);
        found.push(end..at.min(path.len()));
    }
    found
}

/// Asserts that a literal is that of the engine, except for what the engine loses: all engines
/// except Godot 4 print six digits of a float and nothing of an RID. They sort the keys of
/// dictionaries, so the order does not matter.
#[track_caller]
pub fn assert_same_text(dialect: Dialect, ours: &str, engines: &str) {
    if dialect.name() == "godot4" {
        assert_eq!(sorted_lines(ours), sorted_lines(engines), "{ours}");
    } else {
        assert_eq!(rounded(&ours.replace("RID(  )", "")), rounded(engines), "{ours}");
    }
}

/// The lines of a literal in some order.
fn sorted_lines(literal: &str) -> Vec<String> {
    let mut lines: Vec<String> =
        literal.lines().map(|line| line.trim_end_matches(',').to_string()).collect();
    lines.sort();
    lines
}

/// The lines of a literal in some order, its reals rounded as the engine rounds them.
fn rounded(literal: &str) -> Vec<String> {
    let mut out = String::new();
    let mut rest = literal;
    let mut has_reals = false;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let mut is_escaped = false;
                let ends = |character| {
                    let is_end = character == '"' && !is_escaped;
                    is_escaped = character == '\\' && !is_escaped;
                    is_end
                };
                rest[1..].find(ends).expect(literal) + 2
            }
            'a'..='z' | 'A'..='Z' | '-' | '0'..='9' => {
                let belongs = |character: char| {
                    character.is_ascii_alphanumeric() || matches!(character, '.' | '+' | '-' | '_')
                };
                rest.find(|character| !belongs(character)).unwrap_or(rest.len())
            }
            other => other.len_utf8(),
        };
        let token;
        (token, rest) = rest.split_at(length);
        match first {
            '(' => {
                let integers = ["i", "iArray", "ByteArray", "IntArray", "TypedArray"];
                has_reals = !integers.iter().any(|name| out.ends_with(name));
            }
            ')' => has_reals = false,
            _ => {}
        }
        let token = if token == "inf_neg" { "-inf" } else { token };
        match token.trim_end_matches(".0").parse::<f64>() {
            Ok(real) if has_reals || token.contains(['.', 'e', 'n']) => {
                out.push_str(&format!("{:.5e}", real as f32));
            }
            _ => out.push_str(token),
        }
    }
    sorted_lines(&out)
}
