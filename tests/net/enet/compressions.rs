//! Datagrams with each compression that Godot has, and without one.

use super::assemble::*;
use flate2::{Compression, write::ZlibEncoder};
use gdwire::net::enet::{Datagram, DatagramDecompressor, MAX_DATAGRAM_LEN, Problem};
use proptest::prelude::*;
use std::io::Write;

/// A datagram whose commands are compressed: to peer 0, with a sent time.
fn compressed(body: &[u8]) -> Vec<u8> {
    [&[0xc0, 0, 0, 7], body].concat()
}

fn zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zstandard(content: &[u8]) -> Vec<u8> {
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    ruzstd::encoding::compress_to_vec(content, level)
}

/// FastLZ with only literals.
fn fastlz(content: &[u8]) -> Vec<u8> {
    let runs = content.chunks(32);
    runs.flat_map(|run| [&[u8::try_from(run.len()).unwrap() - 1], run].concat()).collect()
}

type Compress = fn(&[u8]) -> Vec<u8>;

const WAYS: [Compress; 3] = [zlib, zstandard, fastlz];

#[test]
fn every_compression_is_read_with_and_without_a_checksum() {
    let commands = [reliable(1, 4, &[0x55; 60]), unreliable(0, 4, 2, b"state")].concat();
    let mut decompressor = DatagramDecompressor::new();
    for way in WAYS {
        for checksum in [&[][..], &[1, 2, 3, 4]] {
            let datagram = compressed(&[checksum, &way(&commands)].concat());
            let mut buffer = Vec::new();
            let read = Datagram::parse_with(&datagram, &mut decompressor, &mut buffer).unwrap();
            assert_eq!(read.commands().count(), 2);
            assert_eq!(read.checksum().is_some(), !checksum.is_empty());
        }
    }
}

/// Compressed data fills a datagram.
#[test]
fn cut_and_longer_data_is_refused() {
    let commands = [reliable(1, 4, &[0x55; 60]), unreliable(0, 4, 2, b"state")].concat();
    let mut decompressor = DatagramDecompressor::new();
    for way in [zlib, zstandard] {
        let packed = way(&commands);
        for body in [&packed[..packed.len() - 1], &[&packed[..], &[0]].concat()] {
            let mut buffer = Vec::new();
            let datagram = compressed(body);
            assert!(Datagram::parse_with(&datagram, &mut decompressor, &mut buffer).is_err());
        }
    }
}

/// Data that would become longer than a datagram is refused, and takes only the memory of about one
/// datagram.
#[test]
fn decompression_bombs_are_refused() {
    let commands = reliable(0, 1, &vec![0; 1 << 20][..60_000]);
    for way in [zlib, zstandard] {
        let datagram = compressed(&way(&commands));
        assert!(datagram.len() < 300);
        let (mut decompressor, mut buffer) = (DatagramDecompressor::new(), Vec::new());
        let error = Datagram::parse_with(&datagram, &mut decompressor, &mut buffer).unwrap_err();
        assert_eq!(error.problem, Problem::UnknownCompression);
        assert!(buffer.capacity() < 1 << 18, "{}", buffer.capacity());
    }
    // A match of FastLZ that repeats one byte to a length without end.
    let long = [&[0x20, 0, 0xe0][..], &[255; 4000]].concat();
    let (mut decompressor, mut buffer) = (DatagramDecompressor::new(), Vec::new());
    assert!(Datagram::parse_with(&compressed(&long), &mut decompressor, &mut buffer).is_err());
    assert!(buffer.len() <= MAX_DATAGRAM_LEN);
    // A window of Zstandard that is longer than any packet is not allocated: of 1 MiB, 2 MiB and 1 TiB.
    let command = reliable(0, 1, b"short");
    let block = (command.len() as u32) << 3 | 1;
    for (window, is_read) in [(0x50, true), (0x58, false), (0xf0, false)] {
        let head = [0x28, 0xb5, 0x2f, 0xfd, 0, window];
        let frame = [&head[..], &block.to_le_bytes()[..3], &command].concat();
        let datagram = compressed(&frame);
        let read = Datagram::parse_with(&datagram, &mut decompressor, &mut buffer);
        assert_eq!(read.is_ok(), is_read, "{window}");
    }
}

proptest! {
    /// Bytes that begin like each format, and are random after that.
    #[test]
    fn random_bytes_are_refused_or_fit(
        start in prop::sample::select(vec![&b"\x78\x9c"[..], b"\x28\xb5\x2f\xfd", b"\x20", b""]),
        rest in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let (mut decompressor, mut buffer) = (DatagramDecompressor::new(), Vec::new());
        let datagram = compressed(&[start, &rest[..]].concat());
        if let Ok(read) = Datagram::parse_with(&datagram, &mut decompressor, &mut buffer) {
            prop_assert!(read.commands().count() <= MAX_DATAGRAM_LEN / 4);
        }
    }

    /// A changed byte gives an error or other commands, but no panic.
    #[test]
    fn damaged_datagrams_do_no_harm(way in 0_usize..3, at in any::<u16>(), bits in 1_u8..) {
        let mut body = WAYS[way](&reliable(1, 4, &[0x55; 200]));
        let len = body.len();
        body[usize::from(at) % len] ^= bits;
        let (mut decompressor, mut buffer) = (DatagramDecompressor::new(), Vec::new());
        if let Ok(read) = Datagram::parse_with(&compressed(&body), &mut decompressor, &mut buffer) {
            prop_assert!(read.commands().count() <= MAX_DATAGRAM_LEN / 4);
        }
    }
}
