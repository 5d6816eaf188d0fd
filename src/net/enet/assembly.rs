//! Reassembles a message from its fragments.

use super::{Fragment, Lost, Mode};
use crate::net::Tag;
use std::collections::BTreeMap;

/// The cost of each held message or fragment towards the limit, in addition to its bytes.
pub const OVERHEAD: usize = 64;

/// The cost of an incomplete message towards the limit, in addition to its fragments.
pub const UNFINISHED: usize = 320;

/// An incomplete message: its fragments, in the order in which they arrived.
#[derive(Clone, Debug)]
pub struct FragmentAssembly<T> {
    count: u32,
    total_len: u32,
    part_len: u32,
    data: Vec<u8>,
    /// How many fragments, from the first one on, arrived in order.
    in_order: u32,
    /// The offsets of the other fragments in `data`, by their numbers.
    others: BTreeMap<u32, usize>,
    /// The number of the datagram with the latest fragment.
    pub datagram: u64,
    /// The joined tag of the datagrams with its fragments.
    pub tag: T,
}

impl<T: Tag> FragmentAssembly<T> {
    /// The message that a fragment belongs to. The fragment itself is not added.
    pub fn new(fragment: &Fragment<'_>, tag: T) -> FragmentAssembly<T> {
        FragmentAssembly {
            count: fragment.count,
            total_len: fragment.total_len,
            part_len: fragment.part_len(),
            data: Vec::new(),
            in_order: 0,
            others: BTreeMap::new(),
            datagram: 0,
            tag,
        }
    }

    /// Whether a fragment belongs to the same message, split in the same way.
    pub fn agrees(&self, fragment: &Fragment<'_>) -> bool {
        self.count == fragment.count
            && self.total_len == fragment.total_len
            && self.part_len == fragment.part_len()
    }

    pub fn has(&self, number: u32) -> bool {
        number < self.in_order || self.others.contains_key(&number)
    }

    /// Adds a fragment that agrees and is new. Returns the tag of all fragments so far.
    pub fn add(&mut self, fragment: &Fragment<'_>, datagram: u64, tag: T) -> T {
        if self.others.is_empty() && fragment.number == self.in_order {
            self.in_order = self.in_order.saturating_add(1);
        } else {
            self.others.insert(fragment.number, self.data.len());
        }
        let len = fragment.payload.len();
        if self.data.capacity().saturating_sub(self.data.len()) < len {
            // Reserves only a quarter more than is held, because many messages may be incomplete at
            // once.
            self.data.reserve_exact((self.data.len() / 4).max(len));
        }
        self.data.extend_from_slice(fragment.payload);
        self.datagram = datagram;
        self.tag = self.tag.join(tag);
        self.tag
    }
}

impl<T> FragmentAssembly<T> {
    pub fn count(&self) -> u32 {
        self.count
    }

    pub fn is_whole(&self) -> bool {
        self.seen() == self.count
    }

    fn seen(&self) -> u32 {
        let others = u32::try_from(self.others.len()).unwrap_or(u32::MAX);
        self.in_order.saturating_add(others)
    }

    /// How many bytes it counts towards the limit.
    pub fn cost(&self) -> usize {
        let fragments = usize::try_from(self.seen()).unwrap_or(usize::MAX);
        let fragments = fragments.saturating_mul(OVERHEAD).saturating_add(self.data.len());
        fragments.saturating_add(UNFINISHED)
    }

    pub fn lost(&self, mode: Mode) -> Lost {
        Lost::Fragments { mode, seen: self.seen(), count: self.count, len: self.total_len }
    }

    /// The message, once it is complete.
    pub fn into_message(self) -> Vec<u8> {
        if self.others.is_empty() {
            return self.data;
        }
        let part_len = usize::try_from(self.part_len).unwrap_or(usize::MAX);
        let in_order = usize::try_from(self.in_order).unwrap_or(usize::MAX);
        let mut message = Vec::with_capacity(self.data.len());
        message.extend_from_slice(
            self.data.get(..in_order.saturating_mul(part_len)).unwrap_or(&self.data),
        );
        for (&number, &start) in &self.others {
            let is_last = number.checked_add(1) == Some(self.count);
            let before = u64::from(number).saturating_mul(self.part_len.into());
            let last_len = u64::from(self.total_len).saturating_sub(before);
            let len = if is_last { last_len.try_into().unwrap_or(usize::MAX) } else { part_len };
            let end = start.saturating_add(len);
            message.extend_from_slice(self.data.get(start..end).unwrap_or(&[]));
        }
        message
    }
}
