//! Compressed saves. The input is the whole file, or the only block of one: no content is longer
//! than the limit, and content that is compressed again is read back unchanged.

#![no_main]

use gdwire::save::{Compression, UnpackOptions, compress, unpack};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 1 << 16;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else { return };
    let options = UnpackOptions::new().with_max_len(LIMIT);
    let modes = Compression::ALL.len() as u8;
    let file = if choice < 128 {
        rest.to_vec()
    } else {
        // A valid header, so that the fuzzer does not have to find one. The content is one block,
        // whose size is chosen by the same byte as the compression.
        let number = |number: usize| (number as u32).to_le_bytes();
        let size = usize::from(choice / modes) * 100;
        let mode = usize::from(choice % modes);
        let header = [*b"GCPF", number(mode), number(LIMIT), number(size), number(rest.len())];
        [&header.concat()[..], rest, b"GCPF"].concat()
    };
    match unpack(&file, options) {
        Ok(content) => {
            assert!(content.len() <= LIMIT);
            for compression in Compression::ALL {
                if let Ok(file) = compress(&content, *compression) {
                    assert!(unpack(&file, options).is_ok_and(|again| again == content));
                }
            }
        }
        // The offset may be one in the content, if that is a save itself.
        Err(error) => assert!(error.offset <= (file.len() + LIMIT) as u64),
    }
});
