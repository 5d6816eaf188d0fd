//! A real Godot 3 engine reads the saves that this crate writes, and writes those that it reads.

use crate::common::{Value, engine, hex, lines, unhex};
use gdwire::save::{Compression, Encryption, Key, PackOptions, UnpackOptions, pack, unpack};
use serde_json::json;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How a save is packed: the instruction for the engine, and the options of this crate.
struct Way {
    name: &'static str,
    secret: String,
    compression: Option<Compression>,
    key: Option<Key>,
}

fn ways() -> Vec<Way> {
    let compressed = [
        ("fastlz", Compression::FastLz),
        ("deflate", Compression::Deflate),
        ("zstd", Compression::Zstandard),
        ("gzip", Compression::Gzip),
    ];
    let compressed = compressed.map(|(name, compression)| Way {
        name,
        secret: String::new(),
        compression: Some(compression),
        key: None,
    });
    let long = "long ".repeat(1000);
    let passwords = ["correct horse", "", "pässwörd 密码 🎮", " \t\\\"'\n", &long];
    let passwords = passwords.map(|password| Way {
        name: "pass",
        secret: password.to_owned(),
        compression: None,
        key: Some(Key::from_password(password)),
    });
    let keys = [[0; 32], std::array::from_fn(|at| (at * 37 + 200) as u8)];
    let keys = keys.map(|key| Way {
        name: "key",
        secret: hex(&key),
        compression: None,
        key: Some(Key::new(key)),
    });
    compressed.into_iter().chain(passwords).chain(keys).collect()
}

/// Contents with lengths around the block sizes: noise, one repeated byte, and recorded values.
fn contents() -> Vec<Vec<u8>> {
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let mut contents = Vec::new();
    for len in [0, 1, 15, 16, 17, 4095, 4096, 4097, 100_000] {
        contents.push((0..len).map(|_| noise()).collect());
        contents.push(vec![b'a'; len]);
    }
    let values = lines::<Value>("godot3/values.ndjson").into_iter();
    let frames = values.flat_map(|value| {
        let bytes = unhex(&value.hex);
        [(bytes.len() as u32).to_le_bytes().to_vec(), bytes].concat()
    });
    contents.push(frames.collect());
    contents
}

/// Runs jobs in the engine, each with its way of packing. Returns whether the engine is installed.
fn run(folder: &Path, jobs: &[(PathBuf, &Way)], what: &str) -> bool {
    let list: Vec<_> = jobs
        .iter()
        .map(|(path, way)| json!({"do": what, "path": path, "way": way.name, "secret": way.secret}))
        .collect();
    let list_path = folder.join(format!("{what}.json"));
    fs::write(&list_path, json!(list).to_string()).unwrap();
    let Some(engine) = engine("saves.gd", [list_path.to_str().unwrap()]) else { return false };
    let output = String::from_utf8(engine.wait_with_output().unwrap().stdout).unwrap();
    let results: HashMap<&str, &str> =
        output.lines().filter_map(|line| line.strip_prefix("job ")?.rsplit_once(' ')).collect();
    for (path, way) in jobs {
        let result = results.get(path.to_str().unwrap());
        assert_eq!(result, Some(&"0"), "{what} {} {:?} {output}", way.name, way.secret);
    }
    true
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn plain(path: &Path) -> PathBuf {
    path.with_extension("sav.plain")
}

#[test]
fn the_engine_reads_saves_of_this_crate() {
    let (folder, ways, contents) = (folder("saves-read"), ways(), contents());
    let mut jobs = Vec::new();
    for (number, way) in ways.iter().enumerate() {
        let mut options = PackOptions::new();
        if let Some(compression) = way.compression {
            options = options.compress(compression);
        }
        if let Some(key) = &way.key {
            options = options.encrypt(key, Encryption::Godot3);
        }
        for (content_number, content) in contents.iter().enumerate() {
            let path = folder.join(format!("{number}-{content_number}.sav"));
            fs::write(&path, pack(content, options).unwrap()).unwrap();
            jobs.push((path, way));
        }
    }
    if !run(&folder, &jobs, "read") {
        return;
    }
    for ((path, way), content) in jobs.iter().zip(contents.iter().cycle()) {
        let read = fs::read(plain(path)).unwrap();
        assert!(read == *content, "{} {:?} {}", way.name, way.secret, content.len());
    }
}

#[test]
fn this_crate_reads_saves_of_the_engine() {
    let (folder, ways, contents) = (folder("saves-written"), ways(), contents());
    let (mut jobs, mut stored) = (Vec::new(), Vec::new());
    for (number, way) in ways.iter().enumerate() {
        for (content_number, content) in contents.iter().enumerate() {
            let path = folder.join(format!("{number}-{content_number}.sav"));
            fs::write(plain(&path), content).unwrap();
            jobs.push((path, way));
        }
        stored.push((folder.join(format!("{number}-values.sav")), way));
    }
    if !run(&folder, &jobs, "write") || !run(&folder, &stored, "store") {
        return;
    }
    for (path, way) in jobs.iter().chain(&stored) {
        let file = fs::read(path).unwrap();
        let content = fs::read(plain(path)).unwrap();
        let options = UnpackOptions::new().max_len(content.len());
        let options = way.key.as_ref().map_or(options, |key| options.key(key));
        let read =
            unpack(&file, options).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(read == content, "{} {:?} {}", way.name, way.secret, content.len());
        // If a format has only one possible encoding, this crate writes the same file.
        if let Some(key) = &way.key {
            let options = PackOptions::new().encrypt(key, Encryption::Godot3);
            assert!(pack(&content, options).unwrap() == file, "{}", path.display());
        }
    }
}
