//! Compressed and encrypted saves: engines read what this crate writes, and the other way.

use crate::common::{Godot, Value, hex, lines, unhex};
use gdwire::save::{
    Compression, Encryption, EncryptionKey, PackOptions, UnpackOptions, pack, unpack,
};

/// How a save is packed: the instruction for the engine, and the options of this crate.
pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) secret: String,
    compression: Option<Compression>,
    key: Option<EncryptionKey>,
}

pub(crate) fn ways() -> Vec<Way> {
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
        key: Some(EncryptionKey::from_password(password)),
    });
    let keys = [[0; 32], std::array::from_fn(|at| (at * 37 + 200) as u8)];
    let keys = keys.map(|key| Way {
        name: "key",
        secret: hex(&key),
        compression: None,
        key: Some(EncryptionKey::new(key)),
    });
    compressed.into_iter().chain(passwords).chain(keys).collect()
}

/// Contents with lengths around the block sizes: noise, one repeated byte, and recorded values.
pub(crate) fn contents() -> Vec<Vec<u8>> {
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

/// A save with this content, as this crate writes it for an engine.
pub(crate) fn pack_as(way: &Way, content: &[u8], godot: &Godot) -> Vec<u8> {
    let mut options = PackOptions::new();
    if let Some(compression) = way.compression {
        options = options.with_compression(compression);
    }
    if let Some(key) = &way.key {
        options = options.with_encryption(key, Encryption::of(godot.dialect(), [7; 16]));
    }
    pack(content, options).unwrap()
}

/// Checks that this crate reads this content from a save of an engine. Otherwise, returns the
/// difference.
pub(crate) fn judge_file(way: &Way, content: &[u8], file: &[u8]) -> Result<(), String> {
    let options = UnpackOptions::new().with_max_len(content.len());
    let options = way.key.as_ref().map_or(options, |key| options.with_key(key));
    let read = unpack(file, options).map_err(|error| error.to_string())?;
    if read != content {
        return Err(format!("another content: {}", hex(&read)));
    }
    // If a format has only one possible encoding, this crate writes the same file.
    let vector = file.get(28..44).filter(|_| file.len() % 16 == 12);
    let encryption = match vector {
        Some(vector) => Encryption::Godot4 { vector: vector.try_into().unwrap() },
        None => Encryption::Godot3,
    };
    let Some(key) = &way.key else { return Ok(()) };
    let ours = pack(content, PackOptions::new().with_encryption(key, encryption)).unwrap();
    (ours == file).then_some(()).ok_or_else(|| format!("another file: {}", hex(&ours)))
}
