//! Encrypted saves: encrypted content is decrypted again, a wrong key never gives other content, and
//! any bytes are read without a panic.

#![no_main]

use gdwire::save::{Encryption, EncryptionKey, Problem, UnpackOptions, encrypt, unpack};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 1 << 16;

/// A key is checked by a digest of what it decrypts. With another key, a few bytes may by chance be
/// decrypted to themselves, and then nobody can tell. No search finds as many bytes as this that do.
const CERTAIN: usize = 8;

fuzz_target!(|input: &[u8]| {
    let key = EncryptionKey::from_password("fuzz");
    let options = UnpackOptions::new().with_key(&key).with_max_len(LIMIT);
    match unpack(input, options) {
        Ok(content) => assert!(content.len() <= LIMIT),
        Err(error) => assert!(error.offset <= (input.len() + LIMIT) as u64),
    }
    if input.len() > LIMIT || input.starts_with(b"GDEC") || input.starts_with(b"GCPF") {
        return;
    }
    for encryption in [Encryption::Godot3, Encryption::Godot4 { vector: [7; 16] }] {
        let file = encrypt(input, &key, encryption);
        assert!(unpack(&file, options).is_ok_and(|content| content == input));
        let other = EncryptionKey::from_password("other");
        match unpack(&file, options.with_key(&other)) {
            Ok(content) => assert!(content == input && input.len() < CERTAIN),
            Err(error) => assert_eq!(error.problem, Problem::WrongKey),
        }
    }
});
