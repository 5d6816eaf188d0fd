//! Compressed and encrypted save files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

use crate::common::{corpus, hex, without_path_padding};
use gdwire::save::{
    self, Compression, Encryption, EncryptionKey, Error, PackOptions, Packing, Problem,
    UnpackOptions, compress, encrypt, pack, unpack,
};
use gdwire::{Dialect, Kind, parse};
use std::fs;
use std::io::{ErrorKind, Write};

/// The password of the recorded files.
const PASSWORD: &str = "correct horse";

/// The engines, and the forms in which each wrote the same content.
const FILES: [(&str, [&str; 6]); 2] = [
    ("godot3", ["fastlz", "deflate", "zstd", "gzip", "pass", "key"]),
    ("godot4", ["fastlz", "deflate", "zstd", "gzip", "pass", "key"]),
];

fn recorded() -> impl Iterator<Item = (String, Vec<u8>)> {
    FILES.into_iter().flat_map(|(engine, ways)| {
        ways.map(|way| {
            let name = format!("{engine}-{way}");
            let file = fs::read(corpus("saves").join(format!("{name}.sav"))).unwrap();
            (name, file)
        })
    })
}

fn unpacked(file: &[u8]) -> Result<Vec<u8>, Error> {
    let key = EncryptionKey::from_password(PASSWORD);
    unpack(file, UnpackOptions::new().with_key(&key).with_max_len(1 << 20))
}

/// Content of any length, compressible or not.
fn content(len: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = |at: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = u8::try_from(state >> 24).unwrap();
        if (at / 700).is_multiple_of(3) { noise } else { noise & 3 }
    };
    (0..len).map(&mut next).collect()
}

#[test]
fn recorded_files_have_the_values_that_were_saved() {
    for (name, file) in recorded() {
        let engine = &name[..6];
        let plain = fs::read(corpus("captures").join(format!("{engine}-file.bin"))).unwrap();
        let dialect = if engine == "godot3" { Dialect::GODOT_3 } else { Dialect::GODOT_4 };
        let content = unpacked(&file).unwrap();
        let (content, plain) = (values(dialect, &content), values(dialect, &plain));
        let different = content.iter().zip(&plain).filter(|(one, other)| one != other);
        let different: Vec<_> = different.map(|(one, other)| (hex(one), hex(other))).collect();
        assert!(different.is_empty() && content.len() == plain.len(), "{name} {different:?}");
        assert!(content.len() > 20);
    }
}

/// The values in frames. The padding of node paths is not compared: the engines write whatever is in
/// their memory.
fn values(dialect: Dialect, mut frames: &[u8]) -> Vec<Vec<u8>> {
    let mut values = Vec::new();
    while let Some((len, rest)) = frames.split_first_chunk() {
        let (value, rest) = rest.split_at(u32::from_le_bytes(*len) as usize);
        let value = parse(dialect, value).unwrap();
        // Ids of objects differ from run to run.
        let has_class = |bytes: &[u8]| bytes == b"EncodedObjectAsID";
        let is_id = value.kind() == Kind::Object || value.as_bytes().windows(17).any(has_class);
        values.push(if is_id { Vec::new() } else { without_path_padding(value) });
        frames = rest;
    }
    values
}

/// The files for the same content are equal if the format leaves no choice.
#[test]
fn files_of_godot_4_are_written_byte_for_byte() {
    let read = |way: &str| fs::read(corpus("saves").join(format!("godot4-{way}.sav"))).unwrap();
    let fastlz = read("fastlz");
    assert!(compress(&unpacked(&fastlz).unwrap(), Compression::FastLz).unwrap() == fastlz);
    let key = EncryptionKey::from_password(PASSWORD);
    for way in ["pass", "key"] {
        let file = read(way);
        let vector = file[28..44].try_into().unwrap();
        let again = encrypt(&unpacked(&file).unwrap(), &key, Encryption::Godot4 { vector });
        assert!(again == file, "{way}");
    }
    let file = fs::read(corpus("saves").join("godot3-pass.sav")).unwrap();
    assert!(encrypt(&unpacked(&file).unwrap(), &key, Encryption::Godot3) == file);
}

#[test]
fn packed_content_is_unpacked_unchanged() {
    let key = EncryptionKey::new(*b"0123456789abcdef0123456789ABCDEF");
    let options = UnpackOptions::new().with_key(&key).with_max_len(1 << 20);
    for len in [0, 1, 15, 16, 17, 4095, 4096, 4097, 8192, 100_000] {
        let content = content(len);
        for encryption in [Encryption::Godot3, Encryption::Godot4 { vector: [7; 16] }] {
            let file = encrypt(&content, &key, encryption);
            assert_eq!(Packing::of(&file), Some(Packing::Encrypted));
            assert!(unpack(&file, options).unwrap() == content, "{encryption:?} {len}");
            for compression in Compression::ALL.iter().copied() {
                let Ok(compressed) = compress(&content, compression) else {
                    assert_eq!(compression, Compression::Brotli);
                    continue;
                };
                assert_eq!(Packing::of(&compressed), Some(Packing::Compressed));
                assert!(unpack(&compressed, options).unwrap() == content, "{compression:?} {len}");
                let both = encrypt(&compressed, &key, encryption);
                assert!(unpack(&both, options).unwrap() == content, "{compression:?} {len}");
            }
        }
    }
}

#[test]
fn streams_are_read_and_written() {
    let key = EncryptionKey::from_password(PASSWORD);
    for (dialect, header) in [
        (Dialect::GODOT_3, 32),
        (Dialect::GODOT_4, 44),
        (Dialect::GODOT_4.with_double_reals(), 44),
        (Dialect::PANDEMONIUM_4, 32),
        (Dialect::PANDEMONIUM_5, 32),
    ] {
        let content = content(100_000);
        let encryption = Encryption::of(dialect, [7; 16]);
        let (compress, encrypt) = (Compression::Zstandard, (&key, encryption));
        for options in [
            PackOptions::new().with_compression(compress),
            PackOptions::new().with_encryption(encrypt.0, encrypt.1),
            PackOptions::new().with_compression(compress).with_encryption(encrypt.0, encrypt.1),
        ] {
            let mut file = Vec::new();
            save::write(&mut file, &content, options).unwrap();
            let options = UnpackOptions::new().with_key(&key).with_max_len(content.len());
            assert!(save::read(&file[..], options).unwrap() == content);
            let error = save::read(&file[..], options.with_max_len(content.len() - 1)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData);
            let source: &Error = error.get_ref().unwrap().downcast_ref().unwrap();
            assert!(matches!(source.problem, Problem::TooLong { .. }), "{source}");
        }
        let file = pack(&[7; 15], PackOptions::new().with_encryption(&key, encryption)).unwrap();
        assert_eq!(file.len(), header + 16);
    }
    assert_eq!(pack(b"plain", PackOptions::new()).unwrap(), b"plain");
    // An endless stream.
    let limit = Problem::FileTooLong { limit: (1 << 20) + (1 << 17) + (64 << 10) };
    let error = save::read(std::io::repeat(b'G'), UnpackOptions::new().with_max_len(1 << 20));
    let error = error.unwrap_err().into_inner().unwrap();
    assert_eq!(error.downcast_ref::<Error>().unwrap().problem, limit);
}

#[test]
fn a_wrong_password_is_said_to_be_wrong() {
    for engine in ["godot3", "godot4"] {
        let file = fs::read(corpus("saves").join(format!("{engine}-pass.sav"))).unwrap();
        let wrong = EncryptionKey::from_password("wrong horse");
        let error = unpack(&file, UnpackOptions::new().with_key(&wrong)).unwrap_err();
        assert_eq!((error.offset, &error.problem), (0, &Problem::WrongKey));
        assert!(error.to_string().contains("the password or key is wrong"), "{error}");
        assert_eq!(unpack(&file, UnpackOptions::new()).unwrap_err().problem, Problem::NoKey);
    }
}

/// A key is checked by a digest of the content. It cannot tell keys apart that decrypt a few bytes
/// alike, which happens to one byte in 256. It never accepts other content.
#[test]
fn a_wrong_key_never_gives_other_content() {
    let key = EncryptionKey::from_password("fuzz");
    let mut alike = 0;
    for encryption in [Encryption::Godot3, Encryption::Godot4 { vector: [7; 16] }] {
        for first in 0..=255 {
            for content in [&[first][..], &[first, 1], &[first; 8], &[first; 17]] {
                let file = encrypt(content, &key, encryption);
                for other in
                    ["other", "another", "wrong", "1", "2"].map(EncryptionKey::from_password)
                {
                    match unpack(&file, UnpackOptions::new().with_key(&other)) {
                        Ok(read) => {
                            assert!(read == content && content.len() < 8, "{content:?}");
                            alike += 1;
                        }
                        Err(error) => assert_eq!(error.problem, Problem::WrongKey),
                    }
                }
            }
        }
    }
    assert!(alike > 0);
}

#[test]
fn keys_are_not_shown() {
    let shown =
        format!("{:?}", UnpackOptions::new().with_key(&EncryptionKey::from_password(PASSWORD)));
    assert!(shown.contains("Key(..)") && !shown.contains("correct"), "{shown}");
}

/// A changed byte never panics and never gives more content. The MD5 checks encrypted files.
fn assert_harmless(name: &str, file: &[u8], places: impl Iterator<Item = usize>) {
    let is_encrypted = Packing::of(file) == Some(Packing::Encrypted);
    let whole = unpacked(file).unwrap();
    let mut flipped = file.to_vec();
    for at in places {
        flipped[at] ^= 1 << (at % 8);
        match unpacked(&flipped) {
            Ok(content) => {
                // The MD5 covers everything except padding.
                assert!(!is_encrypted || content == whole, "{name} {at}");
                assert!(content.len() <= whole.len() * 2, "{name} {at}");
            }
            Err(error) => assert!(error.offset <= file.len() as u64, "{name} {at} {error}"),
        }
        flipped[at] = file[at];
        assert!(unpacked(&file[..at]).is_err(), "{name} {at}");
    }
}

#[test]
fn flipped_and_missing_bytes_do_no_harm() {
    for (name, file) in recorded() {
        let places = (0..64).chain((64..file.len()).step_by(397));
        assert_harmless(&name, &file, places);
    }
    // Each byte of small files of two blocks.
    let content = [content(700), vec![7; 3700]].concat();
    let key = EncryptionKey::from_password(PASSWORD);
    for compression in Compression::ALL.iter().copied() {
        let Ok(file) = compress(&content, compression) else { continue };
        assert_harmless(compression.name(), &file, 0..file.len());
        let both = encrypt(&file, &key, Encryption::Godot4 { vector: [7; 16] });
        assert_harmless(compression.name(), &both, 0..both.len());
    }
    for encryption in [Encryption::Godot3, Encryption::Godot4 { vector: [7; 16] }] {
        let file = encrypt(&content[..1000], &key, encryption);
        assert_harmless("encrypted", &file, 0..file.len());
    }
}

/// The engines write level 2 for blocks from 64 KiB on. Only it repeats bytes from so far back.
#[test]
fn fastlz_of_level_2_repeats_bytes_from_far_back() {
    // Literals in runs of 32; the first byte names the level.
    let literals = content(20_000);
    let mut block = Vec::new();
    for run in literals.chunks(32) {
        block.push(u8::try_from(run.len() - 1).unwrap());
        block.extend(run);
    }
    block[0] |= 1 << 5;
    let mut expected = literals;
    // Each match: its bytes, its distance, and its length.
    let matches: [(&[u8], usize, usize); 5] = [
        (&[0x20, 0], 1, 3),
        (&[0xdf, 0xfe], 8_191, 8),
        (&[0x3f, 0xff, 0, 0], 8_192, 3),
        (&[0x5f, 0xff, 0x12, 0x34], 8_192 + 0x1234, 4),
        (&[0xff, 0xff, 2, 0xff, 0x20, 0x01], 8_192 + 0x2001, 9 + 255 + 2),
    ];
    for (bytes, distance, len) in matches {
        block.extend(bytes);
        for _ in 0..len {
            expected.push(expected[expected.len() - distance]);
        }
    }
    let total = u32::try_from(expected.len()).unwrap();
    let numbers = [0, 1 << 17, total, u32::try_from(block.len()).unwrap()].map(u32::to_le_bytes);
    let file = [b"GCPF", &numbers.concat()[..], &block, b"GCPF"].concat();
    assert!(unpacked(&file).unwrap() == expected);
    // A match from before the content is an error at its place.
    let place = block.len();
    block.extend([0x3f, 0xff, 0x40, 0]);
    let numbers = [0, 1 << 17, 1 << 16, u32::try_from(block.len()).unwrap()].map(u32::to_le_bytes);
    let file = [b"GCPF", &numbers.concat()[..], &block, b"GCPF"].concat();
    let error = unpacked(&file).unwrap_err().to_string();
    let problem = format!(
        "a match repeats bytes from 24576 bytes back, but there are only {total} (at byte {place} of \
         the block)"
    );
    assert!(error.contains(&problem), "{error}");
}

#[test]
fn declared_sizes_allocate_nothing() {
    let file = |size: u32, total: u32, rest: &[u8]| {
        let mut file = b"GCPF\x02\0\0\0".to_vec();
        file.extend(size.to_le_bytes());
        file.extend(total.to_le_bytes());
        file.extend(rest);
        file
    };
    let problem = |file: &[u8], max_len| {
        unpack(file, UnpackOptions::new().with_max_len(max_len)).unwrap_err().problem
    };
    let most = usize::try_from(u32::MAX).unwrap();
    let limit = Problem::TooLong { len: u32::MAX.into(), limit: 1 << 20 };
    assert_eq!(problem(&file(u32::MAX, u32::MAX, &[]), 1 << 20), limit);
    let error = unpack(&file(9, 9, &[]), UnpackOptions::new().with_max_len(8)).unwrap_err();
    assert_eq!((error.offset, error.problem), (12, Problem::TooLong { len: 9, limit: 8 }));
    let error = unpack(&file(0, 1, &[]), UnpackOptions::new()).unwrap_err();
    assert_eq!((error.offset, error.problem), (8, Problem::NoBlocks));
    // A block for each byte: the table of their sizes is longer than the file.
    let table = Problem::UnexpectedEnd { needed: u64::from(u32::MAX) * 4 + 4, available: 0 };
    assert_eq!(problem(&file(1, u32::MAX, &[]), most), table);
    let long = Problem::UnexpectedEnd { needed: u32::MAX.into(), available: 0 };
    assert_eq!(problem(&file(u32::MAX, 9, &[0xff; 4]), most), long);
    let mut encrypted = b"GDEC".to_vec();
    encrypted.extend([0; 16]);
    encrypted.extend(u64::MAX.to_le_bytes());
    encrypted.extend([0; 16]);
    let key = EncryptionKey::from_password(PASSWORD);
    let options = UnpackOptions::new().with_key(&key).with_max_len(usize::MAX);
    let error = unpack(&encrypted, options).unwrap_err();
    assert!(matches!(error.problem, Problem::UnexpectedEnd { .. }), "{error}");
}

/// A block may have at most as many bytes as the header says, whatever it contains.
#[test]
fn bombs_are_errors() {
    for compression in [Compression::Deflate, Compression::Gzip, Compression::Zstandard] {
        // A block of a megabyte takes about a kilobyte. The header says that it has 4096 bytes.
        let zeros = vec![0; 1 << 20];
        let mut block = Vec::new();
        match compression {
            Compression::Deflate => {
                let level = flate2::Compression::best();
                let mut encoder = flate2::write::ZlibEncoder::new(&mut block, level);
                encoder.write_all(&zeros).unwrap();
            }
            Compression::Gzip => {
                let level = flate2::Compression::best();
                let mut encoder = flate2::write::GzEncoder::new(&mut block, level);
                encoder.write_all(&zeros).unwrap();
            }
            _ => {
                let level = ruzstd::encoding::CompressionLevel::Fastest;
                ruzstd::encoding::compress(&zeros[..], &mut block, level);
            }
        }
        let mut file = compress(&zeros[..4096], compression).unwrap();
        let second = u32::from_le_bytes(file[20..24].try_into().unwrap()) as usize;
        let table = [u32::try_from(block.len()).unwrap(), second as u32].map(u32::to_le_bytes);
        let rest = file.split_off(file.len() - 4 - second);
        file.truncate(16);
        file.extend(table.concat());
        file.extend(&block);
        file.extend(rest);
        let error = unpack(&file, UnpackOptions::new()).unwrap_err();
        assert_eq!(error.offset, 24, "{error}");
        let text = error.to_string();
        assert!(text.contains("block 1 of 2") && text.contains("longer than the 4096"), "{text}");
    }
}
