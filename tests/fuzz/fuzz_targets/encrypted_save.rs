//! Encrypted saves: encrypted content is decrypted again, a wrong key is reported, and any bytes
//! are read without a panic.

#![no_main]

use gdwire::save::{Encryption, Key, Problem, UnpackOptions, encrypt, unpack};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 1 << 16;

fuzz_target!(|input: &[u8]| {
    let key = Key::from_password("fuzz");
    let options = UnpackOptions::new().key(&key).max_len(LIMIT);
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
        let other = Key::from_password("other");
        let error = unpack(&file, options.key(&other)).err().map(|error| error.problem);
        assert!(error == Some(Problem::WrongKey) || input.is_empty());
    }
});
