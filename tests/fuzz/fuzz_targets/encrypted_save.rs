//! Encrypted saves: encrypted content is decrypted again, a wrong key never gives other content, and
//! any bytes are read without a panic.

#![no_main]

use gdwire::save::{Encryption, EncryptionKey, Problem, UnpackOptions, encrypt, unpack};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

const LIMIT: usize = 1 << 16;

/// A key is checked by a digest of what it decrypts. With another key, a few bytes may by chance be
/// decrypted to themselves, and then nobody can tell. No search finds as many bytes as this that do.
const CERTAIN: usize = 8;

static KEY: LazyLock<EncryptionKey> = LazyLock::new(|| EncryptionKey::from_password("fuzz"));
static OTHER: LazyLock<EncryptionKey> = LazyLock::new(|| EncryptionKey::from_password("other"));

// The input: a byte that chooses the encryption of the content after it, or says that a file follows.
fuzz_target!(|input: &[u8]| {
    let Some((&choice, input)) = input.split_first() else { return };
    let options = UnpackOptions::new().with_key(&KEY).with_max_len(LIMIT);
    let encryption = match choice % 3 {
        0 => Encryption::Godot3,
        1 => Encryption::Godot4 { vector: [7; 16] },
        _ => {
            match unpack(input, options) {
                Ok(content) => assert!(content.len() <= LIMIT),
                Err(error) => assert!(error.offset <= (input.len() + LIMIT) as u64),
            }
            return;
        }
    };
    if input.starts_with(b"GDEC") || input.starts_with(b"GCPF") {
        return;
    }
    let file = encrypt(input, &KEY, encryption);
    assert!(unpack(&file, options).is_ok_and(|content| content == input));
    match unpack(&file, options.with_key(&OTHER)) {
        Ok(content) => assert!(content == input && input.len() < CERTAIN),
        Err(error) => assert_eq!(error.problem, Problem::WrongKey),
    }
});
