//! Reassembles IP packets from their fragments.

use super::payload::{Fragment, Payload, of_whole};
use super::pieces::Pieces;
use super::time::Time;
use core::fmt;
use core::hash::BuildHasher;
use core::net::IpAddr;
use core::num::NonZeroUsize;
use hashbrown::DefaultHashBuilder;
use lru::LruCache;
use std::collections::VecDeque;

/// How many incomplete packets are kept at once.
const PACKETS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// The most separate pieces that an incomplete packet may have. Fragments of real networks are
/// hundreds of bytes long; smaller ones are likely to be an attack.
const PIECES: usize = 256;

/// How many recent fragments are remembered, to recognize repeated ones.
const RECENT: usize = 512;

/// The age at which an incomplete packet is given up, in nanoseconds. Linux waits 30 seconds, too.
const TIMEOUT: i64 = 30_000_000_000;

/// Reassembles IP packets from their fragments ([RFC 791], [RFC 8200]).
///
/// ```
/// use gdwire::capture::{Capture, Defragmenter, Payload};
///
/// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-udp-ipfrag.pcapng"))?;
/// let mut defragmenter = Defragmenter::new();
/// let mut longest = 0;
/// for packet in Capture::new(&file)? {
///     let packet = packet?;
///     let mut payload = packet.payload();
///     if let Payload::Fragment(fragment) = payload {
///         match defragmenter.push(packet.frame, packet.time, &fragment, &mut |lost| println!("{lost}")) {
///             Some(whole) => payload = whole,
///             None => continue,
///         }
///     }
///     if let Payload::Udp(datagram) = payload {
///         longest = longest.max(datagram.payload.len());
///     }
/// }
/// assert!(longest > 1500);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [RFC 791]: https://www.rfc-editor.org/rfc/rfc791
/// [RFC 8200]: https://www.rfc-editor.org/rfc/rfc8200#section-4.5
pub struct Defragmenter {
    packets: LruCache<Key, Unfinished>,
    /// How many bytes may be held, and how many are.
    limit: usize,
    held: usize,
    recent: Recent,
    whole: Vec<u8>,
}

/// The most recent fragments, by a hash. A fragment that is repeated after its packet is complete
/// does not start another packet.
#[derive(Default)]
struct Recent {
    hashes: VecDeque<u64>,
    hasher: DefaultHashBuilder,
}

impl Recent {
    /// Remembers a fragment. Returns whether it belongs to an incomplete packet or is new.
    fn is_new(&mut self, key: &Key, fragment: &Fragment<'_>, is_begun: bool) -> bool {
        let Fragment { offset, is_last, payload, .. } = *fragment;
        let hash = self.hasher.hash_one((key, offset, is_last, payload));
        if !is_begun && self.hashes.contains(&hash) {
            return false;
        }
        if self.hashes.len() >= RECENT {
            self.hashes.pop_front();
        }
        self.hashes.push_back(hash);
        true
    }
}

/// The fields that all fragments of a packet share.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    src: IpAddr,
    dst: IpAddr,
    identification: u32,
    protocol: u8,
}

struct Unfinished {
    pieces: Pieces,
    /// How many frames carried the fragments, and how many bytes these frames had on the network.
    frames: u64,
    wire: u64,
    frame: u64,
    time: Option<Time>,
}

/// The payload of a reassembled IP packet.
pub(crate) struct Whole<'a> {
    pub(crate) payload: Payload<'a>,
    /// How many frames carried its fragments.
    pub(crate) frames: u64,
    /// How many bytes these had on the network.
    pub(crate) bytes: u64,
    /// The number of the first of these frames.
    pub(crate) first_frame: u64,
}

/// An IP packet of which not all fragments were captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LostPacket {
    /// The sender's address.
    pub src: IpAddr,
    /// The receiver's address.
    pub dst: IpAddr,
    /// The number of the first frame with a fragment of it.
    pub frame: u64,
    /// How many of its bytes were captured.
    pub bytes: usize,
}

impl fmt::Display for LostPacket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LostPacket { frame, bytes, .. } = self;
        write!(f, "incomplete IP packet: {bytes} bytes of its fragments, from frame {frame} on")
    }
}

impl Default for Defragmenter {
    fn default() -> Defragmenter {
        Defragmenter::new()
    }
}

impl Defragmenter {
    /// An empty defragmenter. It holds at most 256 incomplete packets of 64 KiB each.
    #[must_use]
    pub fn new() -> Defragmenter {
        Defragmenter::with_limit(usize::MAX)
    }

    /// An empty defragmenter with a limit on the bytes that it holds, including its own overhead
    /// for each packet.
    #[must_use]
    pub fn with_limit(held_bytes: usize) -> Defragmenter {
        let packets = LruCache::new(PACKETS);
        Defragmenter {
            packets,
            limit: held_bytes,
            held: 0,
            recent: Recent::default(),
            whole: Vec::new(),
        }
    }

    /// How many bytes are held, including the overhead that counts towards the limit.
    #[must_use]
    pub const fn held_bytes(&self) -> usize {
        self.held
    }

    /// Adds a fragment. Returns the payload of the packet if it is complete now.
    ///
    /// An incomplete packet is given up and passed to `lost` if its fragments contradict each
    /// other, if it is not complete after 30 seconds, if a fragment was not fully captured, if it
    /// is in more than 256 separate pieces, or to make room for newer packets.
    pub fn push(
        &mut self,
        frame: u64,
        time: Option<Time>,
        fragment: &Fragment<'_>,
        lost: &mut dyn FnMut(LostPacket),
    ) -> Option<Payload<'_>> {
        self.push_frame((frame, 0), time, fragment, lost).map(|whole| whole.payload)
    }

    /// As `push`, for a frame given by its number and by the bytes that it had on the network.
    pub(crate) fn push_frame(
        &mut self,
        (frame, bytes): (u64, u32),
        time: Option<Time>,
        fragment: &Fragment<'_>,
        lost: &mut dyn FnMut(LostPacket),
    ) -> Option<Whole<'_>> {
        let Fragment { src, dst, identification, protocol, .. } = *fragment;
        let key = Key { src, dst, identification, protocol };
        if !self.recent.is_new(&key, fragment, self.packets.contains(&key)) {
            return None;
        }
        if let Some(old) = self.packets.get(&key)
            && !old.goes_with(time, fragment)
        {
            self.give_up(&key, lost);
        }
        if !self.packets.contains(&key) {
            let begun = Unfinished { pieces: Pieces::default(), frames: 0, wire: 0, frame, time };
            self.held = self.held.saturating_add(begun.cost());
            if let Some((key, oldest)) = self.packets.push(key, begun) {
                self.held = self.held.saturating_sub(oldest.cost());
                lost(oldest.lost(&key));
            }
        }
        let packet = self.packets.get_mut(&key)?;
        let before = packet.cost();
        packet.frames = packet.frames.saturating_add(1);
        packet.wire = packet.wire.saturating_add(bytes.into());
        let is_taken = packet.pieces.add(fragment);
        self.held = self.held.saturating_sub(before).saturating_add(packet.cost());
        if !is_taken || packet.pieces.count() > PIECES {
            self.give_up(&key, lost);
            return None;
        }
        if !packet.pieces.is_complete() {
            while self.held > self.limit
                && let Some((&oldest, _)) = self.packets.peek_lru()
            {
                self.give_up(&oldest, lost);
            }
            return None;
        }
        let packet = self.packets.pop(&key)?;
        self.held = self.held.saturating_sub(packet.cost());
        packet.pieces.write(&mut self.whole);
        let payload = of_whole(src, dst, protocol, &self.whole);
        let Unfinished { frames, wire: bytes, frame: first_frame, .. } = packet;
        Some(Whole { payload, frames, bytes, first_frame })
    }

    fn give_up(&mut self, key: &Key, lost: &mut dyn FnMut(LostPacket)) {
        if let Some(packet) = self.packets.pop(key) {
            self.held = self.held.saturating_sub(packet.cost());
            lost(packet.lost(key));
        }
    }

    /// Ends the input: gives up all incomplete packets.
    pub fn finish(&mut self, lost: &mut dyn FnMut(LostPacket)) {
        while let Some((&oldest, _)) = self.packets.peek_lru() {
            self.give_up(&oldest, lost);
        }
    }
}

impl Unfinished {
    /// Whether a fragment can belong to this packet. Senders reuse identifications, so the key
    /// alone does not decide this.
    fn goes_with(&self, time: Option<Time>, fragment: &Fragment<'_>) -> bool {
        let (Some(begun), Some(now)) = (self.time, time) else {
            return self.pieces.agree(fragment);
        };
        let age = now.as_nanos().saturating_sub(begun.as_nanos());
        age <= TIMEOUT && self.pieces.agree(fragment)
    }

    /// How many bytes it counts towards the limit, with its entries in the list and the hash table.
    const fn cost(&self) -> usize {
        let place = size_of::<(Key, Unfinished)>().saturating_add(80);
        place.saturating_add(self.pieces.heap_bytes())
    }

    fn lost(&self, key: &Key) -> LostPacket {
        LostPacket { src: key.src, dst: key.dst, frame: self.frame, bytes: self.pieces.bytes() }
    }
}

impl fmt::Debug for Defragmenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Defragmenter").field("packets", &self.packets.len()).finish_non_exhaustive()
    }
}
