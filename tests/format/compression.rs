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
    let reason = "it was compressed with a dictionary".to_owned();
    assert_eq!(error.unwrap().problem, Problem::Damaged(reason));
}

/// The crates that decompress describe problems in terms of their code; errors do not.
#[test]
fn damage_is_described_in_plain_words() {
    let magic = 0xfd2f_b528_u32.to_le_bytes();
    let block = [&magic[..], &[0, 0], &[0b101, 1, 0], &[0xff; 32]].concat();
    let (_, error) = content(&block[..]);
    let reason = "a block cannot be decompressed".to_owned();
    assert_eq!(error.unwrap().problem, Problem::Damaged(reason));
}

/// The content of a damaged stream up to the damage, and the error as a text.
fn wrong(stream: &[u8]) -> (Vec<u8>, String) {
    let (content, error) = content(stream);
    (content, error.map_or_else(String::new, |error| error.to_string()))
}

/// The optional fields of a gzip header, alone and together, and cut anywhere.
#[test]
fn optional_fields_of_gzip_are_skipped() {
    let capture = short();
    let member = gzip(&capture);
    // The header of this stream has an extra field of 300 bytes, a file name and a comment.
    let body = &member[10 + 2 + 300 + "session.pcapng".len() + 1 + "recorded".len() + 1..];
    for flags in 0..32_u8 {
        let mut header = vec![0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3];
        for (bit, field) in [(2, &[3, 0, 0, 7, 0][..]), (3, b"name\0"), (4, b"\0"), (1, &[5, 6])] {
            header.extend(if flags & 1 << bit == 0 { &[] } else { field });
        }
        assert!(whole(&[&header[..], body].concat()) == capture, "{flags:b}");
        for len in 4..header.len() {
            let expected = "gzip data: cut off (at byte 0, after 0 decompressed bytes)";
            assert_eq!(wrong(&header[..len]), (Vec::new(), expected.to_owned()), "{flags:b} {len}");
        }
    }
    let endless = [&[0x1f, 0x8b, 8, 1 << 3, 0, 0, 0, 0, 0, 3][..], &[b'n'; 200_000]].concat();
    let (_, error) = wrong(&endless);
    assert!(error.contains("the header is too long"), "{error}");
}

/// A frame of Zstandard whose header has these fields, with a block as it is and a block of one byte
/// that is repeated.
fn zstandard_frame(descriptor: u8, fields: &[u8], raw: &[u8], repeated: u32) -> Vec<u8> {
    let block = |len: u32, kind: u32| (len << 3 | kind).to_le_bytes()[..3].to_vec();
    let blocks = [block(raw.len() as u32, 0), raw.to_vec(), block(repeated, 0b011), vec![b'z']];
    [&0xfd2f_b528_u32.to_le_bytes()[..], &[descriptor], fields, &blocks.concat()].concat()
}

#[test]
fn every_header_of_zstandard_is_read() {
    let raw = short();
    let content = [&raw[..], &[b'z'; 90]].concat();
    for (size, dictionary) in (0..4_u8).flat_map(|size| [0, 1, 2, 3].map(|it| (size, it))) {
        for is_single in [false, true] {
            let mut fields = if is_single { vec![] } else { vec![0x38] };
            fields.extend(vec![0; [0, 1, 2, 4][usize::from(dictionary)]]);
            let len = content.len() as u64;
            match size {
                0 if is_single => fields.push(255),
                0 => {}
                1 => fields.extend(((len - 256) as u16).to_le_bytes()),
                2 => fields.extend((len as u32).to_le_bytes()),
                _ => fields.extend(len.to_le_bytes()),
            }
            let descriptor = size << 6 | u8::from(is_single) << 5 | dictionary;
            if size == 0 && is_single {
                // So short a frame cannot have as much.
                continue;
            }
            let frame = zstandard_frame(descriptor, &fields, &raw, 90);
            assert!(whole(&[&frame[..], &frame].concat()) == content.repeat(2), "{descriptor:b}");
            // Until the first block is whole, there is nothing.
            let until = frame.len() - 4;
            for len in [4, 5, until - 1501, until - 1, until, frame.len() - 1] {
                let (before, error) = wrong(&frame[..len]);
                let expected = if len < until { &[][..] } else { &raw };
                assert!(before == expected, "{descriptor:b} {len}: {}", before.len());
                assert!(error.contains("cut off"), "{error}");
            }
            // A checksum that is not right.
            let mut checked = zstandard_frame(descriptor | 4, &fields, &raw, 90);
            checked.extend([1, 2, 3, 4]);
            let (before, error) = wrong(&checked);
            assert!(before == content && error.contains("checksum"), "{descriptor:b} {error}");
        }
    }
}

/// A frame of LZ4 with one block that is not compressed.
fn lz4_frame(flags: u8, sizes: u8, fields: &[u8], block: &[u8], end: &[u8]) -> Vec<u8> {
    let header = [&[flags, sizes][..], fields].concat();
    let checksum = (twox_hash::XxHash32::oneshot(0, &header) >> 8) as u8;
    let len = (block.len() as u32 | 1 << 31).to_le_bytes();
    [&0x184d_2204_u32.to_le_bytes()[..], &header, &[checksum], &len, block, end].concat()
}

#[test]
fn what_is_wrong_with_a_frame_of_lz4_is_said() {
    let (size, end) = (3_u64.to_le_bytes(), [0; 4]);
    let sum = twox_hash::XxHash32::oneshot(0, b"abc").to_le_bytes();
    let with_sum = |sum: [u8; 4]| [&end[..], &sum].concat();
    let mut wrong_sum = sum;
    wrong_sum[3] ^= 1;
    for (frame, content, problem) in [
        (lz4_frame(0x40, 0x40, &[], b"abc", &end), "abc", ""),
        (lz4_frame(0x60, 0x70, &[], b"abc", &end), "abc", ""),
        (lz4_frame(0x48, 0x40, &size, b"abc", &end), "abc", ""),
        (lz4_frame(0x4c, 0x50, &size, b"abc", &with_sum(sum)), "abc", ""),
        (lz4_frame(0x50, 0x40, &[], b"abc", &[&sum[..], &end].concat()), "abc", ""),
        (lz4_frame(0x44, 0x40, &[], b"abc", &with_sum(wrong_sum)), "abc", "checksum"),
        (lz4_frame(0x50, 0x40, &[], b"abc", &[&wrong_sum[..], &end].concat()), "", "of a block"),
        (
            lz4_frame(0x48, 0x40, &4_u64.to_le_bytes(), b"abc", &end),
            "abc",
            "not that in the header",
        ),
        (lz4_frame(0x49, 0x40, &[&size[..], &[0; 4]].concat(), b"abc", &end), "", "dictionary"),
        (lz4_frame(0x41, 0x40, &[9; 4], b"abc", &end), "", "dictionary"),
        (lz4_frame(0x80, 0x40, &[], b"abc", &end), "", "version 1"),
        (lz4_frame(0x00, 0x40, &[], b"abc", &end), "", "version 1"),
        (lz4_frame(0x40, 0x30, &[], b"abc", &end), "", "version 1"),
        (lz4_frame(0x40, 0x80, &[], b"abc", &end), "", "version 1"),
        (lz4_frame(0x40, 0x40, &[], &[7; (64 << 10) + 1], &end), "", "larger than the header"),
    ] {
        let (found, error) = wrong(&frame);
        assert_eq!(found, content.as_bytes(), "{error}");
        assert!(error.contains(problem) && error.is_empty() == problem.is_empty(), "{error}");
        // Cut anywhere, the frame gives no more, and says that it is cut.
        for len in 4..frame.len().min(40) {
            let (found, error) = wrong(&frame[..len]);
            let is_known = !problem.is_empty() && error.contains(problem);
            assert!(content.as_bytes().starts_with(&found), "{len}");
            assert!(is_known || error.contains("cut off"), "{len} {error}");
        }
    }
    // The largest block of each size.
    for (sizes, largest) in [(0x40, 64 << 10), (0x50, 256 << 10), (0x60, 1 << 20), (0x70, 4 << 20)]
    {
        let block = vec![7; largest];
        assert!(whole(&lz4_frame(0x40, sizes, &[], &block, &end)) == block);
        assert!(
            !wrong(&lz4_frame(0x40, sizes, &[], &[&block[..], &[7]].concat(), &end)).1.is_empty()
        );
    }
}
