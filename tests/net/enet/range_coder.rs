//! Data that libenet compressed, in addition to the captures.

use crate::common::{lines, unhex};
use gdwire::net::enet::RangeDecoder;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    name: String,
    hex: String,
    compressed_hex: String,
}

fn cases() -> Vec<Case> {
    lines("enet/range_coder.ndjson")
}

#[test]
fn data_of_libenet_is_decompressed() {
    let mut decoder = RangeDecoder::new();
    let mut output = Vec::new();
    for case in cases() {
        let expected = unhex(&case.hex);
        let result = decoder.decode(&unhex(&case.compressed_hex), &mut output, expected.len());
        assert_eq!(result, Ok(()), "{}", case.name);
        assert!(output == expected, "{}", case.name);
    }
}

#[test]
fn data_beyond_the_limit_is_refused() {
    let mut decoder = RangeDecoder::new();
    let mut output = Vec::new();
    for case in cases() {
        let len = case.hex.len() / 2;
        let result = decoder.decode(&unhex(&case.compressed_hex), &mut output, len - 1);
        assert!(result.is_err(), "{}", case.name);
        assert!(output.len() < len);
    }
}

#[test]
fn bytes_after_the_end_are_refused() {
    let mut decoder = RangeDecoder::new();
    for case in cases() {
        let mut input = unhex(&case.compressed_hex);
        input.extend([0; 8]);
        assert!(decoder.decode(&input, &mut Vec::new(), 4_096).is_err(), "{}", case.name);
    }
}
