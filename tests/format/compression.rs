//! Compressed streams: what they contain, and where damage is found.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

use crate::common::{corpus, gzip, lz4, zstandard};
use gdwire::compression::{Decompressor, Error, Format, Problem};
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};

fn lz4_with(info: FrameInfo, content: &[u8]) -> Vec<u8> {
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

type Compress = fn(&[u8]) -> Vec<u8>;

/// Every format, by a compressor for it.
const FORMATS: [(Format, Compress); 3] =
    [(Format::Gzip, gzip), (Format::Zstandard, zstandard), (Format::Lz4, lz4)];

/// A frame without content.
fn skipped(len: u32) -> Vec<u8> {
    let frame = [&0x184d_2a53_u32.to_le_bytes()[..], &len.to_le_bytes()];
    [frame.concat(), vec![9; len as usize]].concat()
}

/// A capture of several blocks of each format.
fn long() -> Vec<u8> {
    std::fs::read(corpus("captures/godot4-rpc-three.pcapng")).unwrap()
}

/// A short capture, which tests can read many times.
fn short() -> Vec<u8> {
    std::fs::read(corpus("captures/godot3-udp.pcapng")).unwrap()[..1500].to_vec()
}

/// The content of a stream up to its end or an error.
fn content(stream: impl Read) -> (Vec<u8>, Option<Error>) {
    let mut decompressor = Decompressor::new(stream);
    let mut content = Vec::new();
    let error = decompressor.read_to_end(&mut content).err();
    // After the end or an error, reading again gives the same.
    let again = decompressor.read(&mut [0; 7]);
    assert_eq!(again.as_ref().ok(), error.is_none().then_some(&0));
    let ours = |error: io::Error| {
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        error.get_ref().unwrap().downcast_ref::<Error>().unwrap().clone()
    };
    let error = error.map(ours);
    assert_eq!(again.err().map(ours), error);
    (content, error)
}

/// Like [`content`], but read into a small buffer.
fn content_in_steps(stream: &[u8]) -> (Vec<u8>, Option<Error>) {
    let mut decompressor = Decompressor::new(stream);
    let (mut content, mut buffer) = (Vec::new(), [0; 100]);
    loop {
        match decompressor.read(&mut buffer) {
            Ok(0) => return (content, None),
            Ok(read) => content.extend_from_slice(&buffer[..read]),
            Err(error) => return (content, Some(error.downcast::<Error>().unwrap())),
        }
    }
}

fn whole(stream: &[u8]) -> Vec<u8> {
    match content(stream) {
        (content, None) => content,
        (_, Some(error)) => panic!("{error}"),
    }
}

#[test]
fn every_format_is_read() {
    for capture in [&b""[..], b"a", &short(), &long()] {
        for (format, compress) in FORMATS {
            let file = compress(capture);
            assert_eq!(Format::of(&file), Some(format));
            assert!(whole(&file) == capture, "{format} {}", capture.len());
        }
    }
}

#[test]
fn every_variant_of_lz4_is_read() {
    let capture = long().repeat(3);
    for size in [BlockSize::Max64KB, BlockSize::Max256KB, BlockSize::Max1MB, BlockSize::Max4MB] {
        for mode in [BlockMode::Independent, BlockMode::Linked] {
            for (checks, has_size) in [(false, false), (true, false), (false, true), (true, true)] {
                let info = FrameInfo::new()
                    .block_size(size)
                    .block_mode(mode)
                    .block_checksums(checks)
                    .content_checksum(checks)
                    .content_size(has_size.then_some(capture.len() as u64));
                let file = lz4_with(info, &capture);
                assert!(whole(&file) == capture, "{size:?} {mode:?} {checks} {has_size}");
            }
        }
    }
    // Several frames with different block sizes.
    let frames = [BlockSize::Max4MB, BlockSize::Max64KB, BlockSize::Max1MB]
        .map(|size| lz4_with(FrameInfo::new().block_size(size), &capture));
    assert!(whole(&frames.concat()) == capture.repeat(3));
}

#[test]
fn concatenated_streams_are_one_stream() {
    let (short, long) = (short(), long());
    for (format, compress) in FORMATS {
        let file = [compress(&short), compress(b""), compress(&long), compress(&short)].concat();
        assert!(whole(&file) == [&short[..], &long, &short].concat(), "{format}");
    }
    let mixed = [skipped(0), lz4(b"a"), gzip(b"b"), skipped(70_000), zstandard(b"c"), lz4(b"d")];
    assert_eq!(whole(&mixed.concat()), b"abcd");
}

#[test]
fn uncompressed_data_is_read_unchanged() {
    for plain in [
        &b""[..],
        b"x",
        b"\x1f\x8b",
        b"\x1f\x8b\x08",
        b"\x1f\x8b\x00\x00 a frame of 35,615 bytes",
        b"\x1f\x8b\x08\xff",
        b"\x28\xb5\x2f",
        b"\x04\x22\x4d",
        b"\x04\x00\x00\x00",
        b"Pcap",
        &long(),
    ] {
        assert!(whole(plain) == plain, "{:x?}", &plain[..plain.len().min(8)]);
        assert_eq!(Format::of(plain), None);
    }
    // Content that is compressed twice is decompressed once.
    assert_eq!(whole(&gzip(&lz4(b"a"))), lz4(b"a"));
}

/// A stream that returns a few bytes at a time, and `WouldBlock` before each.
struct Slow(VecDeque<u8>, bool);

impl Read for Slow {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let len = into.len().min(3);
        self.0.read(&mut into[..len])
    }
}

#[test]
fn a_slow_stream_is_read_as_it_arrives() {
    let capture = long();
    for (format, compress) in FORMATS {
        let file =
            [&compress(&capture[..100_000])[..], &skipped(5), &compress(&capture[100_000..])];
        let mut decompressor = Decompressor::new(Slow(file.concat().into(), false));
        let (mut content, mut bytes, mut steps) = (Vec::<u8>::new(), [0; 1000], 0);
        loop {
            match decompressor.read(&mut bytes) {
                Ok(0) => break,
                Ok(read) => {
                    content.extend(&bytes[..read]);
                    steps += 1;
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
        }
        assert!(content == capture, "{format}");
        assert!(steps > 10, "{format}: {steps}");
    }
}

/// A stream that waits for more after these bytes.
struct Then<'s>(&'s [u8]);

impl Read for Then<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(ErrorKind::WouldBlock.into());
        }
        self.0.read(into)
    }
}

/// Gzip that is flushed and blocks of LZ4 are returned before more has to come.
#[test]
fn complete_data_is_returned_without_waiting_for_more() {
    let capture = long();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut lz4 = FrameEncoder::new(Vec::new());
    gzip.write_all(&capture).unwrap();
    gzip.flush().unwrap();
    lz4.write_all(&capture).unwrap();
    lz4.flush().unwrap();
    for (format, start) in [("gzip", gzip.get_ref()), ("lz4", lz4.get_ref())] {
        let mut content = Vec::new();
        let error = Decompressor::new(Then(start)).read_to_end(&mut content).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        assert!(content == capture, "{format}: {} of {}", content.len(), capture.len());
    }
}

#[test]
fn a_cut_is_an_error_after_the_content_before_it() {
    let capture = short();
    for (format, compress) in FORMATS {
        let file = compress(&capture);
        let two = [&file[..], &file].concat();
        for len in 4..two.len() {
            let (content, error) = content(&two[..len]);
            assert!(capture.repeat(2).starts_with(&content), "{format} {len}");
            if len == file.len() {
                assert!(error.is_none() && content == capture);
                continue;
            }
            let error = error.unwrap_or_else(|| panic!("{format} {len}"));
            assert_eq!(error.decompressed, content.len() as u64);
            assert!(error.offset <= len as u64, "{format} {len} {error}");
            // Fewer bytes than a format begins with are not that format.
            let is_trailing = len > file.len() && len - file.len() < 4;
            let problem = if is_trailing { Problem::Trailing } else { Problem::Cut };
            assert_eq!((error.format, error.problem), (format, problem), "{len}");
            assert!(len < file.len() || content.len() >= capture.len());
        }
    }
    // Complete parts are returned: for Zstandard and LZ4, these are blocks.
    let capture = long();
    for (format, compress) in FORMATS {
        let file = compress(&capture);
        let (content, error) = content(&file[..file.len() - 20]);
        assert!(capture.starts_with(&content) && error.is_some());
        let least = if format == Format::Gzip { capture.len() - 2_000 } else { 128 << 10 };
        assert!(content.len() >= least, "{format}: {}", content.len());
    }
}

/// The content is right, or an error follows.
#[test]
fn damage_is_an_error() {
    let capture = short();
    for (format, compress) in FORMATS {
        let file = compress(&capture);
        for place in 4..file.len() {
            let mut damaged = file.clone();
            damaged[place] ^= 1 << (place % 8);
            let (content, error) = content(&damaged[..]);
            // The flag for the checksum of Zstandard can be lost.
            let has_checksum = format != Format::Zstandard || place > 4;
            assert!(content == capture || error.is_some() || !has_checksum, "{format} {place}");
            assert!(content.len() <= 4 << 20, "{format} {place}: {}", content.len());
            assert!(content_in_steps(&damaged) == (content, error), "{format} {place}");
        }
    }
}

#[test]
fn content_before_damage_is_returned() {
    let capture = long();
    let file = gzip(&capture);
    let middle = file.len() / 2;
    // A block of the reserved type: the bits after it are those of another stream.
    let damaged = [&file[..middle], &[0xff; 40], &file[middle..]].concat();
    let (until_cut, _) = content(&file[..middle]);
    let (until_damage, error) = content(&damaged[..]);
    assert!(error.is_some() && until_damage.starts_with(&until_cut));
}

#[test]
fn data_after_compressed_data_is_an_error() {
    for (format, compress) in FORMATS {
        let file = compress(b"abc");
        let (content, error) = content(&[&file[..], b"more"].concat()[..]);
        assert_eq!(content, b"abc");
        assert_eq!(
            error.unwrap().to_string(),
            format!(
                "{format} data: what follows is not compressed (at byte {}, after 3 decompressed \
                 bytes)",
                file.len()
            )
        );
    }
}

/// Sizes in a header do not decide how much is allocated.
#[test]
fn windows_and_sizes_are_bounded() {
    let magic = 0xfd2f_b528_u32.to_le_bytes();
    // The descriptor of a window of 256 MiB, and of 3.75 TiB.
    for (window, needed) in [(18 << 3, 256 << 20), (0xff, 4_123_168_604_160)] {
        let (content, error) = content(&[&magic[..], &[0, window], &[1, 0, 0]].concat()[..]);
        let problem = Problem::Window { needed, limit: 128 << 20 };
        assert_eq!((content.len(), error.unwrap().problem), (0, problem));
    }
    // A frame in one segment of 2^60 bytes.
    let size = (1_u64 << 60).to_le_bytes();
    let (_, error) = content(&[&magic[..], &[0b1110_0000], &size, &[1, 0, 0]].concat()[..]);
    assert!(matches!(error.unwrap().problem, Problem::Window { .. }));
    // A block of LZ4 that is longer than the header allows, with nothing after it.
    let mut file = lz4_with(FrameInfo::new().block_size(BlockSize::Max64KB), b"");
    file.truncate(7);
    file.extend(0x7fff_ffff_u32.to_le_bytes());
    let (_, error) = content(&file[..]);
    assert!(matches!(error.unwrap().problem, Problem::Damaged(_)));
    // A dictionary, which is not available.
    let (_, error) = content(&[&magic[..], &[0b0010_0001, 7, 0], &[1, 0, 0]].concat()[..]);
    assert!(matches!(error.unwrap().problem, Problem::Damaged(_)));
}
