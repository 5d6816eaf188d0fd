//! Compressed saves: no content is longer than the limit, and content that is compressed is read back
//! unchanged.

#![no_main]

use gdwire::save::{Compression, UnpackOptions, compress, unpack};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 1 << 14;

// The input: a byte for the compression and for what follows, a byte for a size, and a whole file, the only
// block of a file, or content that is repeated.
fuzz_target!(|input: &[u8]| {
    let Some((&[choice, size], rest)) = input.split_first_chunk() else { return };
    let options = UnpackOptions::new().with_max_len(LIMIT);
    let mode = usize::from(choice) % Compression::ALL.len();
    let compression = Compression::ALL[mode];
    // Blocks of the engines have 4,096 bytes. Most are short, so that a run is quick.
    let size = if size < 248 { usize::from(size) * 32 + 32 } else { LIMIT };
    let file = match choice >> 6 {
        0 => rest.to_vec(),
        1 => {
            let is_packed = rest.starts_with(b"GCPF") || rest.starts_with(b"GDEC");
            if !is_packed && !rest.is_empty() {
                check(&rest.repeat(size / rest.len() + 1), compression);
            }
            return;
        }
        _ => {
            // A valid header, so that the fuzzer does not have to find one.
            let number = |number: usize| (number as u32).to_le_bytes();
            let header = [*b"GCPF", number(mode), number(LIMIT), number(size), number(rest.len())];
            [&header.concat()[..], rest, b"GCPF"].concat()
        }
    };
    match unpack(&file, options) {
        Ok(content) => {
            assert!(content.len() <= LIMIT);
            check(&content, compression);
        }
        // The offset may be one in the content, if that is a save itself.
        Err(error) => assert!(error.offset <= (file.len() + LIMIT) as u64),
    }
});

/// Compresses content, unless no engine writes the compression, and reads it back.
fn check(content: &[u8], compression: Compression) {
    if let Ok(file) = compress(content, compression) {
        assert!(unpack(&file, UnpackOptions::new()).is_ok_and(|again| again == content));
    }
}
