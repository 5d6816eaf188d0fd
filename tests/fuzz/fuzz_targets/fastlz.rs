//! FastLZ: the input as a compressed block, and as content that is compressed and read back.

#![no_main]

use gdwire::save::{Compression, Problem, UnpackOptions, compress, unpack};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let options = UnpackOptions::new().with_max_len(1 << 17);
    // A file with one block, whose content has 65,536 bytes.
    let number = |number: usize| (number as u32).to_le_bytes();
    let header = [*b"GCPF", number(0), number(1 << 17), number(1 << 16), number(input.len())];
    let file = [&header.concat()[..], input, b"GCPF"].concat();
    match unpack(&file, options) {
        Ok(content) => assert_eq!(content.len(), 1 << 16),
        Err(error) => assert!(
            matches!(error.problem, Problem::Block { .. } | Problem::ShortBlock { .. })
                || input.is_empty(),
            "{error}"
        ),
    }
    let is_packed = input.starts_with(b"GCPF") || input.starts_with(b"GDEC");
    if !is_packed && !input.is_empty() {
        // Many blocks of 4096 bytes.
        let content = input.repeat(5000 / input.len() + 1);
        let file = compress(&content, Compression::FastLz).unwrap();
        assert!(unpack(&file, options).is_ok_and(|again| again == content));
    }
});
