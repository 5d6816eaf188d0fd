//! Keeps the most recent packets, so that they can be shown with their messages.

use crate::net::packet::{LinkType, Packet};
use core::fmt;
use std::collections::VecDeque;

/// The most recent packets of a capture, up to a number of bytes.
///
/// A message may have waited for others, so its packet is not always the newest one. Note each
/// packet before you push it to the follower. [`message`](super::message()) looks up the packets of
/// a message by their numbers.
///
/// ```
/// use gdwire::explain::Recent;
/// use gdwire::packet::{LinkType, Packet};
///
/// let mut recent = Recent::new(1 << 20);
/// recent.note(&Packet::new(LinkType::RAW, &[0x45, 0, 0, 20]).with_frame(1));
/// assert_eq!(recent.get(1).map(|packet| packet.data.len()), Some(4));
/// ```
pub struct Recent {
    limit: usize,
    packets: VecDeque<RecentPacket>,
    /// How many bytes the packets take.
    bytes: usize,
}

struct RecentPacket {
    frame: u64,
    link_type: LinkType,
    original_len: u32,
    data: Box<[u8]>,
}

/// How many bytes a packet counts in addition to its own.
const PACKET: usize = size_of::<RecentPacket>() + 16;

impl Recent {
    /// Keeps packets of up to `limit` bytes together. Each packet counts some bytes more than it
    /// has.
    #[must_use]
    pub const fn new(limit: usize) -> Recent {
        Recent { limit, packets: VecDeque::new(), bytes: 0 }
    }

    /// Keeps a packet. Its number has to be greater than those of the packets before. The oldest
    /// packets are dropped to make room.
    pub fn note(&mut self, packet: &Packet<'_>) {
        let Packet { frame, link_type, original_len, data, .. } = *packet;
        let cost = data.len().saturating_add(PACKET);
        while self.bytes.saturating_add(cost) > self.limit {
            let Some(first) = self.packets.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(first.data.len().saturating_add(PACKET));
        }
        self.bytes = self.bytes.saturating_add(cost);
        self.packets.push_back(RecentPacket { frame, link_type, original_len, data: data.into() });
    }

    /// Drops all packets: those of another capture may have the same numbers.
    pub fn clear(&mut self) {
        self.packets.clear();
        self.bytes = 0;
    }

    /// The packet with this number, if it is still kept. Its time and its place in a file are not
    /// kept.
    #[must_use]
    pub fn get(&self, frame: u64) -> Option<Packet<'_>> {
        let at = self.packets.binary_search_by_key(&frame, |kept| kept.frame).ok()?;
        let RecentPacket { link_type, original_len, data, .. } = self.packets.get(at)?;
        Some(Packet::new(*link_type, data).with_frame(frame).with_original_len(*original_len))
    }
}

impl fmt::Debug for Recent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recent { limit, packets, bytes, .. } = self;
        debug_fields!(f, Recent { limit, packets = packets.len(), bytes })
    }
}
