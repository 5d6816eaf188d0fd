//! Data that libenet compressed, in addition to the captures.

use crate::common::{lines, unhex};
use gdwire::net::enet::{RangeDecoder, RangeEncoder};
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
fn data_is_compressed_to_the_bytes_of_libenet() {
    let mut encoder = RangeEncoder::new();
    let mut output = Vec::new();
    for case in cases() {
        let input = unhex(&case.hex);
        let is_shorter = case.compressed_hex.len() < case.hex.len();
        assert_eq!(encoder.encode(&input, &mut output), is_shorter, "{}", case.name);
        if is_shorter {
            assert!(output == unhex(&case.compressed_hex), "{}", case.name);
        }
    }
}

#[test]
fn what_does_not_become_shorter_is_not_compressed() {
    let mut encoder = RangeEncoder::new();
    let mut output = vec![1];
    assert!(!encoder.encode(&[], &mut output));
    assert!(!encoder.encode(b"A", &mut output));
    let all: Vec<u8> = (0..=255).collect();
    assert!(!encoder.encode(&all, &mut output));
    assert!(output.len() <= all.len() + 4, "the coder stops early");
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
