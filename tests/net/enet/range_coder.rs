//! Data that libenet compressed, in addition to the captures.

use crate::common::{Numbers, lines, unhex, written_down};
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

/// Data of each shape: few bytes and all, in short and in long repetitions, until counts are halved and the
/// model is reset. Each line has the shape's length before and after, and a checksum of what it became.
#[test]
fn every_shape_of_data_comes_back_as_it_was() {
    let all: Vec<u8> = (0..=255).collect();
    let between: Vec<u8> = (0..=255).flat_map(|it| [b'A', it]).collect();
    let mut shapes = vec![[&all[..], &between, &[b'A'; 900]].concat(), between.repeat(3)];
    for seed in 1..80 {
        let mut numbers = Numbers::new(seed);
        let kinds = numbers.one_of(&[1, 2, 7, 60, 200, 256]);
        let (len, part) = (numbers.one_of(&[20, 300, 1_392, 4_000]), numbers.one_of(&[1, 5, 90]));
        let mut data: Vec<u8> = Vec::new();
        while data.len() < len {
            let at = data.len().saturating_sub(numbers.below(400) as usize);
            let known = data[at..].iter().take(part).copied().collect::<Vec<_>>();
            data.extend(if numbers.below(4) > 0 { known } else { Vec::new() });
            data.push((numbers.below(kinds) * 251) as u8);
        }
        shapes.push(data);
    }
    let (mut encoder, mut decoder) = (RangeEncoder::new(), RangeDecoder::new());
    let (mut packed, mut back, mut lines) = (Vec::new(), Vec::new(), String::new());
    for data in shapes {
        let is_shorter = encoder.encode(&data, &mut packed);
        let sum = packed.iter().fold(0_u32, |sum, it| sum.rotate_left(5) ^ u32::from(*it));
        let (before, after) = (data.len(), packed.len());
        lines += &format!("{before} {} {after} {sum:x}\n", if is_shorter { "to" } else { "over" });
        if is_shorter {
            decoder.decode(&packed, &mut back, before).unwrap();
            assert!(back == data, "{before} bytes");
        }
    }
    written_down("tests/net/enet/range_coder.txt", &lines);
}
