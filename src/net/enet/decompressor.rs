//! Decompresses datagrams, whichever way the game compresses them.
//!
//! A datagram does not say how it is compressed. Each compression is tried until one yields valid
//! commands. The connection's next datagrams try that one first.

use super::range_coder::RangeDecoder;
#[cfg(feature = "compression")]
use crate::format::compression::{Inflate, Zstandard, fastlz};

/// A compression of datagrams, which Godot sets with `ENetConnection.compress` and, in Godot 3, with
/// `NetworkedMultiplayerENet.compression_mode`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Codec {
    /// ENet's range coder.
    #[default]
    RangeCoder,
    /// FastLZ.
    #[cfg(feature = "compression")]
    FastLz,
    /// Deflate, in the zlib format.
    #[cfg(feature = "compression")]
    Zlib,
    /// Zstandard.
    #[cfg(feature = "compression")]
    Zstandard,
}

impl Codec {
    /// Every compression that this build of the crate can read.
    const ALL: &[Codec] = &[
        Codec::RangeCoder,
        #[cfg(feature = "compression")]
        Codec::FastLz,
        #[cfg(feature = "compression")]
        Codec::Zlib,
        #[cfg(feature = "compression")]
        Codec::Zstandard,
    ];

    /// All compressions, this one first.
    pub(super) fn first(self) -> impl Iterator<Item = Codec> {
        let others = Codec::ALL.iter().copied().filter(move |codec| *codec != self);
        core::iter::once(self).chain(others)
    }
}

/// Decompresses datagrams. It keeps no state of a connection, so it can serve any number of
/// connections.
///
/// The feature `compression` adds zlib, Zstandard and FastLZ to ENet's range coder.
///
/// ```
/// use gdwire::net::enet::{Datagram, Decompressor};
///
/// // This datagram is not compressed, so the buffer stays empty.
/// let bytes = [0x80, 0, 0, 9, 0x86, 1, 0, 1, 0, 2, b'h', b'i'];
/// let (mut decompressor, mut buffer) = (Decompressor::new(), Vec::new());
/// let datagram = Datagram::parse_with(&bytes, &mut decompressor, &mut buffer)?;
/// assert_eq!(datagram.commands().count(), 1);
/// # Ok::<(), gdwire::net::enet::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Decompressor {
    range: RangeDecoder,
    #[cfg(feature = "compression")]
    inflate: Inflate,
    #[cfg(feature = "compression")]
    zstandard: Zstandard,
}

impl Decompressor {
    /// A new decompressor. It allocates memory with the first compressed datagrams.
    #[must_use]
    pub fn new() -> Decompressor {
        Decompressor::default()
    }

    /// Decompresses into a buffer, whose content is replaced, and returns whether the bytes were
    /// compressed this way and decompress to at most `limit` bytes. The range coder's work is
    /// subtracted from `work`; the others need little.
    pub(super) fn decode(
        &mut self,
        codec: Codec,
        bytes: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
        work: &mut u32,
    ) -> bool {
        match codec {
            Codec::RangeCoder => self.range.decode_within(bytes, out, limit, work).is_ok(),
            #[cfg(feature = "compression")]
            Codec::FastLz => {
                out.clear();
                fastlz::decompress(bytes, limit, out).is_ok()
            }
            #[cfg(feature = "compression")]
            Codec::Zlib => self.inflate.decompress(bytes, limit, out),
            #[cfg(feature = "compression")]
            Codec::Zstandard => self.zstandard.decompress(bytes, limit, out),
        }
    }
}
