//! Reassembles IP packets from their fragments.

use super::payload::TUNNELS;
use super::{IpFragment, Payload, Time, of_whole};
use core::fmt;
use core::hash::BuildHasher;
use core::mem;
use core::net::IpAddr;
use core::num::NonZeroUsize;
use core::ops::Range;
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
/// use gdwire::capture::Capture;
/// use gdwire::packet::{Defragmenter, Payload};
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
    packets: LruCache<FragmentKey, UnfinishedPacket>,
    /// How many bytes may be held, and how many are.
    limit: usize,
    held: usize,
    recent: RecentFragments,
    whole: Vec<u8>,
}

/// The most recent fragments, by a hash. A fragment that is repeated after its packet is complete
/// does not start another packet.
#[derive(Default)]
struct RecentFragments {
    hashes: VecDeque<u64>,
    hasher: DefaultHashBuilder,
}

impl RecentFragments {
    /// Remembers a fragment. Returns whether it belongs to an incomplete packet or is new.
    fn is_new(&mut self, key: &FragmentKey, fragment: &IpFragment<'_>, is_begun: bool) -> bool {
        let IpFragment { offset, is_last, payload, .. } = *fragment;
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
struct FragmentKey {
    src: IpAddr,
    dst: IpAddr,
    identification: u32,
    protocol: u8,
}

impl FragmentKey {
    const fn of(fragment: &IpFragment<'_>) -> FragmentKey {
        let IpFragment { src, dst, identification, protocol, .. } = *fragment;
        FragmentKey { src, dst, identification, protocol }
    }

    /// The payload of the whole packet with these bytes.
    fn payload<'a>(&self, whole: &'a [u8]) -> Payload<'a> {
        of_whole(self.src, self.dst, self.protocol, whole)
    }
}

/// The frames that carried fragments: the number of the first, how many there are, and how many bytes they
/// had on the network.
#[derive(Clone, Copy)]
struct FragmentFrames {
    first: u64,
    count: u64,
    wire: u64,
}

struct UnfinishedPacket {
    pieces: PacketPieces,
    frames: FragmentFrames,
    time: Option<Time>,
}

/// The payload of a reassembled IP packet.
pub struct ReassembledPacket<'a> {
    pub payload: Payload<'a>,
    /// How many frames carried its fragments.
    pub frames: u64,
    /// How many bytes these had on the network.
    pub bytes: u64,
    /// The number of the first of these frames.
    pub first_frame: u64,
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
            recent: RecentFragments::default(),
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
        fragment: &IpFragment<'_>,
        lost: &mut dyn FnMut(LostPacket),
    ) -> Option<Payload<'_>> {
        self.push_frame(frame, 0, time, fragment, lost).map(|whole| whole.payload)
    }

    /// As `push`, for a frame given by its number and by the bytes that it had on the network.
    pub(crate) fn push_frame(
        &mut self,
        frame: u64,
        bytes: u32,
        time: Option<Time>,
        fragment: &IpFragment<'_>,
        lost: &mut dyn FnMut(LostPacket),
    ) -> Option<ReassembledPacket<'_>> {
        let mut arrived = FragmentFrames { first: frame, count: 1, wire: bytes.into() };
        let mut key = FragmentKey::of(fragment);
        arrived = self.add(&key, arrived, time, fragment, lost)?;
        // The packet may be a tunnel's, and what is in it a fragment again.
        for _ in 0..TUNNELS {
            let whole = mem::take(&mut self.whole);
            let inner = match key.payload(&whole) {
                Payload::Fragment(inner) if inner.is_of_transport() => {
                    key = FragmentKey::of(&inner);
                    Some(self.add(&key, arrived, time, &inner, lost))
                }
                _ => None,
            };
            match inner {
                Some(inner) => arrived = inner?,
                None => {
                    self.whole = whole;
                    break;
                }
            }
        }
        let FragmentFrames { first: first_frame, count: frames, wire: bytes } = arrived;
        let payload = key.payload(&self.whole);
        Some(ReassembledPacket { payload, frames, bytes, first_frame })
    }

    /// Adds a fragment that these frames carried. If its packet is complete now, writes the packet's payload
    /// into `whole`, and returns all frames that carried it.
    fn add(
        &mut self,
        key: &FragmentKey,
        arrived: FragmentFrames,
        time: Option<Time>,
        fragment: &IpFragment<'_>,
        lost: &mut dyn FnMut(LostPacket),
    ) -> Option<FragmentFrames> {
        if !self.recent.is_new(key, fragment, self.packets.contains(key)) {
            return None;
        }
        if let Some(old) = self.packets.get(key)
            && !old.goes_with(time, fragment)
        {
            self.give_up(key, lost);
        }
        if !self.packets.contains(key) {
            let frames = FragmentFrames { first: arrived.first, count: 0, wire: 0 };
            let begun = UnfinishedPacket { pieces: PacketPieces::default(), frames, time };
            self.held = self.held.saturating_add(begun.cost());
            if let Some((key, oldest)) = self.packets.push(*key, begun) {
                self.held = self.held.saturating_sub(oldest.cost());
                lost(oldest.lost(&key));
            }
        }
        let packet = self.packets.get_mut(key)?;
        let before = packet.cost();
        packet.frames.count = packet.frames.count.saturating_add(arrived.count);
        packet.frames.wire = packet.frames.wire.saturating_add(arrived.wire);
        let is_taken = packet.pieces.add(fragment);
        self.held = self.held.saturating_sub(before).saturating_add(packet.cost());
        if !is_taken || packet.pieces.count() > PIECES {
            self.give_up(key, lost);
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
        let packet = self.packets.pop(key)?;
        self.held = self.held.saturating_sub(packet.cost());
        packet.pieces.write(&mut self.whole);
        Some(packet.frames)
    }

    fn give_up(&mut self, key: &FragmentKey, lost: &mut dyn FnMut(LostPacket)) {
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

impl UnfinishedPacket {
    /// Whether a fragment can belong to this packet. Senders reuse identifications, so the key
    /// alone does not decide this.
    fn goes_with(&self, time: Option<Time>, fragment: &IpFragment<'_>) -> bool {
        let (Some(begun), Some(now)) = (self.time, time) else {
            return self.pieces.agree(fragment);
        };
        let age = now.as_nanos().saturating_sub(begun.as_nanos());
        age <= TIMEOUT && self.pieces.agree(fragment)
    }

    /// How many bytes it counts towards the limit, with its entries in the list and the hash table.
    const fn cost(&self) -> usize {
        let place = size_of::<(FragmentKey, UnfinishedPacket)>().saturating_add(80);
        place.saturating_add(self.pieces.heap_bytes())
    }

    fn lost(&self, key: &FragmentKey) -> LostPacket {
        LostPacket {
            src: key.src,
            dst: key.dst,
            frame: self.frames.first,
            bytes: self.pieces.bytes(),
        }
    }
}

impl fmt::Debug for Defragmenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Defragmenter").field("packets", &self.packets.len()).finish_non_exhaustive()
    }
}

/// The fragments of a packet so far.
#[derive(Default)]
pub struct PacketPieces {
    /// The bytes that have arrived, each once, in the order of arrival.
    bytes: Vec<u8>,
    /// The places of these bytes in the packet, sorted.
    pieces: Vec<PacketPiece>,
    /// The length of the packet's payload, in bytes, once its last fragment has arrived.
    len: Option<usize>,
}

/// A part of a packet's payload.
struct PacketPiece {
    part: Range<usize>,
    /// The index of its first byte in [`PacketPieces::bytes`].
    at: usize,
}

impl PacketPieces {
    /// How many bytes have arrived.
    pub const fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// How many pieces there are. Bytes that arrive in order extend the last piece.
    pub const fn count(&self) -> usize {
        self.pieces.len()
    }

    pub fn is_complete(&self) -> bool {
        self.len == Some(self.bytes.len())
    }

    pub const fn heap_bytes(&self) -> usize {
        let pieces = self.pieces.capacity().saturating_mul(size_of::<PacketPiece>());
        pieces.saturating_add(self.bytes.capacity())
    }

    /// Writes the bytes in the order of the packet.
    pub fn write(&self, whole: &mut Vec<u8>) {
        whole.clear();
        self.pieces.iter().for_each(|piece| whole.extend_from_slice(self.bytes_of(piece)));
    }

    /// Whether a fragment's bytes equal those that have arrived for the same places.
    pub fn agree(&self, fragment: &IpFragment<'_>) -> bool {
        let new = part_of(fragment);
        self.pieces.iter().all(|piece| {
            let both = new.start.max(piece.part.start)..new.end.min(piece.part.end);
            let within = |whole: &Range<usize>| {
                both.start.saturating_sub(whole.start)..both.end.saturating_sub(whole.start)
            };
            let known = self.bytes_of(piece).get(within(&piece.part));
            both.is_empty() || known.is_some() && known == fragment.payload.get(within(&new))
        })
    }

    fn bytes_of(&self, piece: &PacketPiece) -> &[u8] {
        let end = piece.at.saturating_add(piece.part.len());
        self.bytes.get(piece.at..end).unwrap_or(&[])
    }

    /// Adds a fragment whose bytes agree with those that have arrived. Returns false if it cannot
    /// belong to this packet.
    pub fn add(&mut self, fragment: &IpFragment<'_>) -> bool {
        let Range { start, end } = part_of(fragment);
        let known_end = self.pieces.last().map_or(0, |last| last.part.end);
        let is_of_packet = if fragment.is_last {
            known_end <= end && self.len.is_none_or(|len| len == end)
        } else {
            fragment.payload.len().is_multiple_of(8) && self.len.is_none_or(|len| end <= len)
        };
        if fragment.missing > 0 || end > usize::from(u16::MAX) || !is_of_packet {
            return false;
        }
        if fragment.is_last {
            self.len = Some(end);
        }
        // Only what is new is kept: the bytes before each known piece, and those after the last
        // one.
        let mut from = start;
        let mut next = self.pieces.partition_point(|piece| piece.part.end <= start);
        while from < end {
            let known = self.pieces.get(next).map_or(end..end, |piece| piece.part.clone());
            let to = known.start.min(end);
            if from < to {
                let within = from.saturating_sub(start)..to.saturating_sub(start);
                next = self.insert(next, from..to, fragment.payload.get(within).unwrap_or(&[]));
            }
            from = known.end;
            next += 1;
        }
        true
    }

    /// Inserts bytes before the piece with the index `next`, or extends the piece before it.
    /// Returns the index of the piece after the bytes.
    fn insert(&mut self, next: usize, part: Range<usize>, bytes: &[u8]) -> usize {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        if let Some(before) = next.checked_sub(1).and_then(|before| self.pieces.get_mut(before))
            && before.part.end == part.start
            && before.at.saturating_add(before.part.len()) == at
        {
            before.part.end = part.end;
            return next;
        }
        self.pieces.insert(next, PacketPiece { part, at });
        next.saturating_add(1)
    }
}

/// The range of the packet's payload that a fragment covers.
fn part_of(fragment: &IpFragment<'_>) -> Range<usize> {
    let start = usize::from(fragment.offset);
    start..start.saturating_add(fragment.payload.len())
}
