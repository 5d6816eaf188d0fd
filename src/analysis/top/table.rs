//! Counts by key in bounded memory: if there are too many keys, the quietest are dropped.

use super::links::Link;
use super::minute::Minute;
use crate::analysis::stats::{Amount, Usage};
use crate::capture::follow::{Message, Place};
use crate::game::multiplayer::PeerId;
use core::fmt::{self, Display, Write};
use core::net::SocketAddr;
use hashbrown::{Equivalent, HashMap};
use std::collections::VecDeque;
use std::hash::{Hash, RandomState};

/// The longest text of a sample, in bytes.
const TEXT: usize = 160;

/// One of the last messages of a row, or one of the last values of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Sample {
    /// The number of its message among all that were counted, from 1.
    pub number: u64,
    /// The packet of the message.
    pub place: Place,
    /// The sender's address and port.
    pub src: SocketAddr,
    /// The sender as a multiplayer peer.
    pub source: Option<PeerId>,
    /// The message, or the value, in one line. A long text is cut and ends with `…`.
    pub text: String,
}

/// The counts of a key.
#[derive(Clone, Debug)]
pub struct Counted {
    pub minute: Minute,
    pub usage: Usage,
    pub samples: VecDeque<Sample>,
    /// The ends and measures of a connection; none for other keys.
    pub link: Option<Box<Link>>,
    /// How many bytes the names in the key have.
    names: usize,
}

/// A message that is counted, or a part of it.
#[derive(Clone, Copy)]
pub struct SeenPart<'p> {
    pub number: u64,
    pub message: &'p Message<'p>,
    pub second: i64,
    pub bytes: usize,
    pub text: &'p dyn Display,
}

/// The rows that were dropped because there were too many keys, and their traffic.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Dropped {
    /// How many rows. One that was dropped and came back is counted again if it is dropped again.
    pub rows: u64,
    /// The traffic that was counted for them.
    pub amount: Amount,
}

/// The keys, such as methods, with the counts of each. The keys contain names from the network, so
/// their hashes are seeded randomly.
#[derive(Clone, Debug)]
pub struct KeyTable<K> {
    counts: HashMap<K, Box<Counted>, RandomState>,
    /// The most rows, the most bytes in their names, and the most samples of each.
    limits: [usize; 3],
    names: usize,
    pub dropped: Dropped,
}

impl<K: Eq + Hash + Clone> KeyTable<K> {
    pub fn new(limits: [usize; 3]) -> KeyTable<K> {
        KeyTable { counts: HashMap::default(), limits, names: 0, dropped: Dropped::default() }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &Counted)> {
        self.counts.iter().map(|(key, counted)| (key, &**counted))
    }

    pub fn get_mut<Q: Equivalent<K> + Hash>(&mut self, key: &Q) -> Option<&mut Counted> {
        self.counts.get_mut(key).map(|counted| &mut **counted)
    }

    /// Counts a part of a message. `owned` makes the key, whose names have this many bytes.
    pub fn add<Q: Equivalent<K> + Hash>(
        &mut self,
        key: &Q,
        names: usize,
        owned: impl FnOnce() -> K,
        part: SeenPart<'_>,
    ) {
        let [rows, name_bytes, samples] = self.limits;
        if let Some(counted) = self.counts.get_mut(key) {
            return counted.add(part, samples);
        }
        if names > name_bytes {
            self.dropped.amount.add(part.bytes);
            return;
        }
        if self.counts.len() >= rows || self.names.saturating_add(names) > name_bytes {
            self.drop_quietest(part.second, name_bytes.saturating_sub(names));
        }
        self.names = self.names.saturating_add(names);
        let mut counted = Counted::new(names);
        counted.add(part, samples);
        self.counts.insert(owned(), Box::new(counted));
    }

    /// Drops a quarter of the rows, or more until the names take no more than these bytes. It drops
    /// many at once, because finding the quietest takes time.
    fn drop_quietest(&mut self, second: i64, name_bytes: usize) {
        let end = second.saturating_add(1);
        let rate =
            |counted: &Counted| (counted.minute.sum(end).bytes, counted.minute.at(second).bytes);
        let mut rows: Vec<_> =
            self.counts.iter().map(|(key, it)| (rate(it), key.clone())).collect();
        rows.sort_unstable_by_key(|(rate, _)| *rate);
        let least = rows.len().div_ceil(4);
        for (at, (_, key)) in rows.into_iter().enumerate() {
            if at >= least && self.names <= name_bytes {
                return;
            }
            if let Some(counted) = self.counts.remove(&key) {
                self.names = self.names.saturating_sub(counted.names);
                self.dropped.rows = self.dropped.rows.saturating_add(1);
                self.dropped.amount.merge(counted.usage.total);
            }
        }
    }
}

impl Counted {
    fn new(names: usize) -> Counted {
        Counted {
            minute: Minute::default(),
            usage: Usage::default(),
            samples: VecDeque::new(),
            link: None,
            names,
        }
    }

    fn add(&mut self, part: SeenPart<'_>, samples: usize) {
        let SeenPart { number, message, second, bytes, text } = part;
        self.minute.add(second, Amount { count: 1, bytes: bytes as u64 });
        let source = message.peers.source;
        self.usage.add(bytes, source);
        // The text of the oldest sample is written over.
        let oldest = if self.samples.len() < samples { None } else { self.samples.pop_front() };
        let mut line = oldest.map_or_else(String::new, |sample| sample.text);
        line.clear();
        write_cut(text, &mut line);
        let (place, src) = (message.place, message.origin.src());
        self.samples.push_back(Sample { number, place, src, source, text: line });
    }
}

/// Writes a text up to [`TEXT`] bytes. The rest is not made.
pub fn write_cut(text: &dyn Display, line: &mut String) {
    let mut room = Room { line, left: TEXT };
    if write!(room, "{text}").is_err() {
        line.push('…');
    }
}

struct Room<'l> {
    line: &'l mut String,
    left: usize,
}

impl Write for Room<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if let Some(left) = self.left.checked_sub(text.len()) {
            self.left = left;
            self.line.push_str(text);
            return Ok(());
        }
        // The last character that fits may end before the last byte.
        let fitting = (0..=self.left).rev().find_map(|end| text.get(..end));
        self.line.push_str(fitting.unwrap_or_default());
        self.left = 0;
        Err(fmt::Error)
    }
}
