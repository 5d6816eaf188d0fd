//! Compressed streams: a damaged one gives the same bytes and the same error no matter in which
//! pieces it arrives, and a complete one gives the content that was compressed.

#![no_main]

#[path = "../../common/files.rs"]
#[allow(dead_code, reason = "the other functions are those of the tests")]
mod files;

use files::Pieces;
use gdwire::compression::{Decompressor, Error, Format};
use libfuzzer_sys::fuzz_target;
use std::io::{ErrorKind, Read, Write};

/// How many bytes of content are read at most.
const LIMIT: usize = 1 << 14;

/// The content of a stream up to its end, an error, or the limit, read into buffers of some size.
fn content(stream: impl Read, size: usize) -> (Vec<u8>, Option<Error>) {
    let mut decompressor = Decompressor::new(stream);
    let mut content = vec![0; LIMIT];
    let mut len = 0;
    let error = loop {
        let room = &mut content[len..];
        let room = &mut room[..size.min(LIMIT - len)];
        if room.is_empty() {
            break None;
        }
        match decompressor.read(room) {
            Ok(0) => break None,
            Ok(read) => len += read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::InvalidData);
                let error = error.get_ref().and_then(|error| error.downcast_ref::<Error>());
                break error.cloned();
            }
        }
    };
    content.truncate(len);
    assert!(error.as_ref().is_none_or(|error| error.decompressed == len as u64));
    (content, error)
}

fn compressed(format: Format, content: &[u8]) -> Vec<u8> {
    match format {
        Format::Gzip => {
            let mut encoder = flate2::GzBuilder::new().write(Vec::new(), Default::default());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
        Format::Zstandard => {
            let level = ruzstd::encoding::CompressionLevel::Fastest;
            ruzstd::encoding::compress_to_vec(content, level)
        }
        _ => {
            let info = lz4_flex::frame::FrameInfo::new().content_checksum(true);
            let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
    }
}

// The input: a byte that chooses the format, a byte that determines the sizes of the pieces, and
// either content to compress or a stream.
fuzz_target!(|input: &[u8]| {
    let Some((&[choice, seed], bytes)) = input.split_first_chunk() else { return };
    let formats = [Format::Gzip, Format::Zstandard, Format::Lz4];
    let format = formats.get(usize::from(choice & 127)).filter(|_| bytes.len() < LIMIT);
    let stream = match format {
        Some(format) => compressed(*format, bytes),
        None => bytes.to_vec(),
    };
    if format.is_some() && choice & 128 != 0 {
        let at = usize::from(seed) * stream.len() / 256;
        // A truncated stream gives the beginning of its content and an error, unless it is too
        // short to be recognized as compressed.
        let (start, error) = content(&stream[..at], LIMIT);
        assert!(at < 4 || bytes.starts_with(&start) && error.is_some());
        return;
    }
    let in_pieces = content(Pieces::new(&stream, seed.into()), usize::from(seed) * 5 + 1);
    if format.is_some() {
        assert!(in_pieces == (bytes.to_vec(), None));
        return;
    }
    let whole = content(&stream[..], LIMIT);
    assert!(whole.1.as_ref().is_none_or(|error| error.offset <= stream.len() as u64));
    assert_eq!(in_pieces, whole);
});
