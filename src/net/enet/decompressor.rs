//! Decompresses datagrams, whichever way the game compresses them.
//!
//! A datagram does not name its compression. The one with which it becomes valid commands is it, and
//! a connection keeps to it.

use super::range_coder::RangeDecoder;
#[cfg(feature = "compression")]
use crate::compression::{Inflate, Zstandard, fastlz};

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
    /// Every compression that this build of the crate reads.
    const ALL: &[Codec] = &[
        Codec::RangeCoder,
        #[cfg(feature = "compression")]
        Codec::FastLz,
        #[cfg(feature = "compression")]
        Codec::Zlib,
        #[cfg(feature = "compression")]
        Codec::Zstandard,
    ];

    /// All of them, this one first.
    pub(super) fn first(self) -> impl Iterator<Item = Codec> {
        let others = Codec::ALL.iter().copied().filter(move |codec| *codec != self);
        core::iter::once(self).chain(others)
    }
}

/// Decompresses datagrams. It has no state of a connection: datagrams of any connections can follow
/// each other.
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
    /// Without any memory, which comes with the first datagrams.
    #[must_use]
    pub fn new() -> Decompressor {
        Decompressor::default()
    }

    /// Decompresses into a buffer, whose content is replaced, and returns whether the bytes were
    /// compressed this way and have at most `limit` bytes. Takes the work that the range coder makes
    /// from `work`; the others make little.
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
