//! Godot's compressions of ENet, for the crate `rusty_enet`.

use crate::format::compression::{Inflate, Zstandard, fastlz};
use crate::net::enet::{RangeDecoder, RangeEncoder};
use alloc::vec::Vec;
use core::fmt;
use flate2::{Compress, Compression, FlushCompress};
use rusty_enet::Compressor;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// How ENet's datagrams are compressed: `ENetConnection.compress()` of Godot 4, and the property
/// `compression_mode` of Godot 3. Both ends need the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum EnetCompression {
    /// Not at all. This is the default of Godot 4.
    #[default]
    None,
    /// ENet's own range coder, the default of Godot 3.
    RangeCoder,
    /// FastLZ.
    FastLz,
    /// zlib.
    Zlib,
    /// Zstandard.
    Zstandard,
}

impl EnetCompression {
    /// All of them.
    pub const ALL: &'static [EnetCompression] = &[
        EnetCompression::None,
        EnetCompression::RangeCoder,
        EnetCompression::FastLz,
        EnetCompression::Zlib,
        EnetCompression::Zstandard,
    ];

    /// A short name: `none`, `range`, `fastlz`, `zlib` or `zstd`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            EnetCompression::None => "none",
            EnetCompression::RangeCoder => "range",
            EnetCompression::FastLz => "fastlz",
            EnetCompression::Zlib => "zlib",
            EnetCompression::Zstandard => "zstd",
        }
    }
}

impl EnetCompression {
    /// A short description, for lists of choices.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            EnetCompression::None => "Not compressed, the default of Godot 4",
            EnetCompression::RangeCoder => "ENet's range coder, the default of Godot 3",
            EnetCompression::FastLz => "FastLZ",
            EnetCompression::Zlib => "zlib",
            EnetCompression::Zstandard => "Zstandard",
        }
    }
}

impl fmt::Display for EnetCompression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Compresses and decompresses one datagram after the other.
pub(super) struct DatagramCompressor {
    compression: EnetCompression,
    range: (RangeEncoder, RangeDecoder),
    inflate: Inflate,
    zstandard: Zstandard,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl DatagramCompressor {
    pub(super) fn new(compression: EnetCompression) -> DatagramCompressor {
        DatagramCompressor {
            compression,
            range: (RangeEncoder::new(), RangeDecoder::new()),
            inflate: Inflate::default(),
            zstandard: Zstandard::default(),
            input: Vec::new(),
            output: Vec::new(),
        }
    }
}

impl Compressor for DatagramCompressor {
    /// Returns the number of compressed bytes; 0 if the datagram is sent as it is.
    fn compress(&mut self, buffers: &[&[u8]], limit: usize, out: &mut [u8]) -> usize {
        self.input.clear();
        for buffer in buffers {
            let left = limit.saturating_sub(self.input.len()).min(buffer.len());
            self.input.extend_from_slice(buffer.get(..left).unwrap_or(&[]));
        }
        self.output.clear();
        let is_compressed = match self.compression {
            EnetCompression::None => false,
            EnetCompression::RangeCoder => self.range.0.encode(&self.input, &mut self.output),
            EnetCompression::FastLz => {
                fastlz::compress(&self.input, &mut self.output);
                true
            }
            EnetCompression::Zlib => {
                self.output.reserve(self.input.len().saturating_add(64));
                let mut zlib = Compress::new(Compression::default(), true);
                zlib.compress_vec(&self.input, &mut self.output, FlushCompress::Finish).is_ok()
            }
            EnetCompression::Zstandard => {
                self.output = compress_to_vec(&*self.input, CompressionLevel::Fastest);
                true
            }
        };
        let len = self.output.len();
        match out.get_mut(..len).filter(|_| is_compressed && len < self.input.len()) {
            Some(out) => {
                out.copy_from_slice(&self.output);
                len
            }
            None => 0,
        }
    }

    /// Returns the number of decompressed bytes; 0 if the datagram is wrong.
    fn decompress(&mut self, bytes: &[u8], out: &mut [u8]) -> usize {
        let (limit, output) = (out.len(), &mut self.output);
        output.clear();
        let is_read = match self.compression {
            EnetCompression::None => false,
            EnetCompression::RangeCoder => self.range.1.decode(bytes, output, limit).is_ok(),
            EnetCompression::FastLz => fastlz::decompress(bytes, limit, output).is_ok(),
            EnetCompression::Zlib => self.inflate.decompress(bytes, limit, output),
            EnetCompression::Zstandard => self.zstandard.decompress(bytes, limit, output),
        };
        match out.get_mut(..output.len()).filter(|_| is_read) {
            Some(out) => {
                out.copy_from_slice(output);
                out.len()
            }
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DatagramCompressor, EnetCompression};
    use alloc::vec;
    use rusty_enet::Compressor;

    #[test]
    fn compressed_datagrams_are_decompressed() {
        for compression in &EnetCompression::ALL[1..] {
            let mut compressor = DatagramCompressor::new(*compression);
            for len in [200, 1_000, 1_392] {
                let datagram: vec::Vec<u8> = (0..len).map(|at| (at / 50) as u8).collect();
                let (first, second) = datagram.split_at(40);
                let mut packed = [0; 1_392];
                let packed_len = compressor.compress(&[first, second], len, &mut packed);
                assert!(packed_len > 0 && packed_len < len, "{compression}: {packed_len}");
                let mut out = [0; 4_096];
                let unpacked = compressor.decompress(&packed[..packed_len], &mut out);
                assert_eq!(out[..unpacked], datagram, "{compression}");
                // Data that is invalid or too long is dropped.
                assert_eq!(compressor.decompress(&[0xff; 9], &mut out), 0, "{compression}");
                assert_eq!(compressor.decompress(&packed[..packed_len], &mut out[..100]), 0);
            }
            assert_eq!(compressor.compress(&[&[1, 2, 3]], 3, &mut [0; 100]), 0, "{compression}");
        }
    }
}
