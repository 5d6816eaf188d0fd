//! Decompresses packets one after the other, and reuses the memory.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use flate2::{Decompress, FlushDecompress, Status};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The first bytes of data that Zstandard compressed.
const ZSTANDARD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// How far back Zstandard may refer in a packet, in bytes. The engines' packets are shorter.
const WINDOW: u64 = 1 << 20;

/// Decompresses packets in the zlib format.
#[derive(Default)]
pub(crate) struct Inflate(Option<Box<Decompress>>);

impl Inflate {
    /// Decompresses a whole packet into `out`, whose content is replaced, and returns whether it was
    /// valid and has at most `limit` bytes.
    pub(crate) fn decompress(&mut self, packet: &[u8], limit: usize, out: &mut Vec<u8>) -> bool {
        // The header is a multiple of 31, and the lowest four bits of its first byte are 8.
        let header = packet.first_chunk().map(|header| u16::from_be_bytes(*header));
        if !header.is_some_and(|header| header.is_multiple_of(31) && header >> 8 & 15 == 8) {
            return false;
        }
        let inflate = self.0.get_or_insert_with(|| Box::new(Decompress::new(true)));
        inflate.reset(true);
        out.clear();
        out.resize(limit, 0);
        let result = inflate.decompress(packet, out, FlushDecompress::Finish);
        out.truncate(usize::try_from(inflate.total_out()).unwrap_or(limit));
        matches!(result, Ok(Status::StreamEnd)) && inflate.total_in() == packet.len() as u64
    }
}

impl fmt::Debug for Inflate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inflate")
    }
}

/// Decompresses packets of Zstandard.
#[derive(Default)]
pub(crate) struct Zstandard(Option<Box<FrameDecoder>>);

impl Zstandard {
    /// Decompresses a whole packet into `out`, whose content is replaced, and returns whether it was
    /// valid and has at most `limit` bytes.
    pub(crate) fn decompress(&mut self, packet: &[u8], limit: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        if !packet.starts_with(ZSTANDARD) {
            return false;
        }
        let decoder = self.0.get_or_insert_with(|| {
            let mut decoder = FrameDecoder::new();
            decoder.set_max_window_size(WINDOW);
            Box::new(decoder)
        });
        let mut rest = packet;
        if decoder.reset(&mut rest).is_err() {
            return false;
        }
        // Up to one block more than the limit is decompressed: at most 128 KiB.
        let some = BlockDecodingStrategy::UptoBytes(limit.saturating_add(1));
        if !matches!(decoder.decode_blocks(&mut rest, some), Ok(true)) || !rest.is_empty() {
            return false;
        }
        decoder.collect_to_writer(&mut *out).is_ok() && out.len() <= limit
    }
}

impl fmt::Debug for Zstandard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Zstandard")
    }
}
