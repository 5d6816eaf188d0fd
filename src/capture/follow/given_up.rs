//! The flows that were given up because there were too many, to recognize their later packets.
//!
//! The follower asks [`GivenUp`] about packets of flows that it does not follow. A flow that was
//! given up is followed again if there is room, or if it has sent many packets while one that is
//! followed has sent none. Otherwise, flows that all send would replace each other with each packet,
//! and nothing of them could be read.

use super::{Flow, Summary, Transport};
use crate::net::{Side, enet};
use core::hash::BuildHasher;
use hashbrown::DefaultHashBuilder;
use lru::LruCache;

/// How many packets a flow sends before another one is given up for it, if that one sends none
/// meanwhile. The number doubles each time that the flow is given up, so that a flow is not opened
/// more often than the logarithm of the number of its packets.
const PATIENCE: u64 = 64;

/// The flows that were given up because there were too many. They are bounded by the memory that
/// they take: the one whose last packet is the oldest is forgotten first.
pub struct GivenUp {
    /// How many bytes they may take.
    limit: usize,
    held: usize,
    hasher: DefaultHashBuilder,
    /// By the hashes of the flows, because flows take more memory.
    flows: LruCache<u64, Absent, DefaultHashBuilder>,
}

/// A flow that was given up.
struct Absent {
    /// None while the flow is followed again.
    rest: Option<Rest>,
    /// How often it was given up.
    times: u32,
    /// When its packets began to be counted, in uses of the table of connections, and how many there
    /// were.
    since: u64,
    packets: u64,
}

/// The packets that a flow still sends after it was given up, and how they can be read.
pub enum Rest {
    /// They cannot be read from the middle of the connection.
    Unreadable {
        /// Whether the packets before them could be read.
        is_known: bool,
    },
    /// Datagrams that do not depend on each other.
    Datagrams {
        /// Whether those before them were messages.
        is_known: bool,
    },
    /// Datagrams of ENet. `ends` are the peer ids and session numbers of the connection.
    Enet { progress: enet::SessionProgress, ends: [Option<u32>; 2] },
    /// Segments. `seen` is the sequence number after the last byte of each end that was seen.
    Segments { seen: [Option<u32>; 2] },
}

/// The connections that are followed.
#[derive(Clone, Copy)]
pub struct Followed {
    /// Whether there is no room for another one.
    pub is_full: bool,
    /// How many uses of connections there were, and which of them was the last one of the connection
    /// that is given up next.
    pub uses: u64,
    pub oldest: Option<u64>,
}

/// The decision about a packet of a flow that is not followed.
pub enum Admission {
    /// It is of a flow that was not given up, or opens another connection.
    New,
    /// The flow is followed again.
    Resumed(Rest),
    /// The flow is not followed.
    Refused {
        /// Whether its messages are lost for this reason.
        is_loss: bool,
    },
}

impl Rest {
    /// The packets that may still come of a connection that is given up. `last` is that of
    /// [`Opened`](super::opened::Opened::last), and `progress` that of a connection over ENet.
    pub fn of(
        summary: &Summary,
        last: [Option<u32>; 2],
        progress: Option<enet::SessionProgress>,
    ) -> Rest {
        let is_tcp = summary.flow().is_tcp();
        match (summary.known(), progress) {
            (None, _) if !is_tcp => Rest::Datagrams { is_known: false },
            (None, _) if summary.traffic().bytes > 0 => Rest::Unreadable { is_known: false },
            // A message of the debugger has several frames.
            (Some(known), _) if known.layers.is_debugger => Rest::Unreadable { is_known: true },
            (Some(known), Some(progress)) if known.transport == Transport::Enet => {
                Rest::Enet { progress, ends: last }
            }
            (Some(_), _) if !is_tcp => Rest::Datagrams { is_known: true },
            _ => Rest::Segments { seen: last },
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Rest::Enet { progress, .. } => progress.heap_bytes(),
            _ => 0,
        }
    }

    const fn has_messages(&self) -> bool {
        match self {
            Rest::Unreadable { is_known } | Rest::Datagrams { is_known } => *is_known,
            Rest::Enet { .. } | Rest::Segments { .. } => true,
        }
    }

    /// Whether a datagram with this peer id and session number is not of the connection.
    pub fn is_other(&self, from: Side, end: Option<u32>) -> bool {
        let Rest::Enet { ends: [first, second], .. } = self else { return false };
        let known = *from.of(first, second);
        known.zip(end).is_some_and(|(known, end)| known != end)
    }
}

impl GivenUp {
    /// The memory of a flow: its entry in the list, and two or three in the hash table.
    const PLACE: usize = size_of::<(u64, Absent)>().saturating_add(80);

    pub fn new(limit: usize) -> GivenUp {
        let hasher = DefaultHashBuilder::default();
        let flows = LruCache::unbounded_with_hasher(hasher.clone());
        GivenUp { limit, held: 0, hasher, flows }
    }

    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// How much memory the flows take, in bytes.
    pub const fn held(&self) -> usize {
        self.held
    }

    pub fn clear(&mut self) {
        self.flows.clear();
        self.held = 0;
    }

    /// Notes a flow that is given up.
    pub fn add(&mut self, flow: &Flow, rest: Rest) {
        let key = self.key(flow);
        let times = self.remove(key).map_or(0, |before| before.times.saturating_add(1));
        self.held = self.held.saturating_add(GivenUp::PLACE).saturating_add(rest.heap_bytes());
        let rest = Some(rest);
        let absent = Absent { rest, times, since: 0, packets: 0 };
        self.flows.push(key, absent);
        while self.held > self.limit
            && let Some((&key, _)) = self.flows.peek_lru()
        {
            self.remove(key);
        }
    }

    /// Forgets a flow, because a packet opens another connection between its ends.
    pub fn forget(&mut self, flow: &Flow) {
        let key = self.key(flow);
        self.remove(key);
    }

    /// Decides what to do with a packet of a flow that is not followed.
    pub fn take(&mut self, flow: &Flow, followed: Followed) -> Admission {
        let key = self.key(flow);
        let Some(absent) = self.flows.get_mut(&key) else { return Admission::New };
        let Some(rest) = absent.rest.take() else { return Admission::New };
        let is_readable = !matches!(rest, Rest::Unreadable { .. });
        if !is_readable || followed.is_full && !absent.may_replace(followed) {
            let is_loss = rest.has_messages();
            absent.rest = Some(rest);
            return Admission::Refused { is_loss };
        }
        self.held = self.held.saturating_sub(rest.heap_bytes());
        Admission::Resumed(rest)
    }

    fn key(&self, flow: &Flow) -> u64 {
        self.hasher.hash_one(flow)
    }

    fn remove(&mut self, key: u64) -> Option<Absent> {
        let absent = self.flows.pop(&key)?;
        let bytes = GivenUp::PLACE.saturating_add(absent.rest.as_ref().map_or(0, Rest::heap_bytes));
        self.held = self.held.saturating_sub(bytes);
        Some(absent)
    }
}

impl Absent {
    /// Counts a packet. Returns whether enough of them have arrived since the connection that is
    /// given up next has sent one.
    fn may_replace(&mut self, followed: Followed) -> bool {
        let Followed { uses, oldest, .. } = followed;
        if oldest.is_none_or(|oldest| oldest > self.since) {
            (self.since, self.packets) = (uses, 0);
        }
        self.packets += 1;
        oldest.is_some() && self.packets > PATIENCE << self.times.min(32)
    }
}
