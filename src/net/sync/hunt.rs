//! Finding the next frame in the middle of a stream.
//!
//! Bytes in the middle of a message may look like a frame. So a place is only believed when it
//! begins a chain: a frame behind which another one lies, and so on. Segments help, for a sender
//! sends whole messages: many segments begin and end with one. What no evidence can tell apart is
//! a message whose end, in a segment of its own, is a frame itself.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// What there is at a place.
pub(crate) enum Look {
    /// A whole frame that may be one.
    Frame {
        /// Its length, with its header.
        length: usize,
        /// How many bytes of it speak for a frame: none in what is common elsewhere.
        weight: u32,
    },
    /// What may be one if it has so many bytes in all.
    Needed(usize),
    /// No frame.
    No,
}

/// What is evidence enough.
pub(crate) struct Evidence {
    /// In a chain from the start of a segment to the end of one: frames, and their weight.
    pub(crate) whole_segments: (u32, u32),
    /// The same, when no more bytes are to come.
    pub(crate) at_the_end: (u32, u32),
    /// In a chain that starts inside of a segment, up to the end of one.
    pub(crate) to_segment_end: (u32, u32),
    /// In any chain.
    pub(crate) anywhere: (u32, u32),
    /// The least weight of a first frame that starts inside of a segment: the end of a message
    /// may look like a small one.
    pub(crate) first: u32,
}

/// So many places are followed at once; those that need the most bytes are given up first.
const MOST_CHAINS: usize = 1024;

/// How many times its length a stretch of bytes may be looked at.
const LOOKS: usize = 32;

/// A chain of frames that may be the right one.
#[derive(Clone, Copy, Debug)]
struct Chain {
    start: usize,
    starts_segment: bool,
    /// Whether the first frame that is to be given is behind it.
    is_anchored: bool,
    frames: u32,
    weight: u32,
    /// Where the frame before this one starts, to see if this is the same once more.
    last: Option<(usize, usize)>,
}

impl Chain {
    fn new(start: usize, starts_segment: bool) -> Chain {
        Chain {
            start,
            starts_segment,
            is_anchored: starts_segment,
            frames: 0,
            weight: 0,
            last: None,
        }
    }

    fn has(&self, (frames, weight): (u32, u32)) -> bool {
        self.frames >= frames && self.weight >= weight
    }
}

/// Which chains have passed a place: one that starts a segment needs not mind the others.
const PASSED: u8 = 1;
const PASSED_FROM_SEGMENT: u8 = 2;

/// The search for the next frame. Places are indexes of the buffer that the caller keeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hunt {
    /// Chains, by the end of what they need next and where their next frame starts.
    chains: BTreeMap<(usize, usize), Chain>,
    /// For each byte, which chains have passed.
    passed: Vec<u8>,
    /// Where no chain has been started yet.
    unstarted: usize,
    work: usize,
}

impl Hunt {
    /// Goes on when `added` bytes are new at the end of the buffer. Gives where the first frame is.
    pub(crate) fn push(
        &mut self,
        buffer: &[u8],
        added: usize,
        (starts_segment, ends_segment): (bool, bool),
        evidence: &Evidence,
        look: &dyn Fn(&[u8]) -> Look,
    ) -> Option<usize> {
        self.passed.resize(buffer.len(), 0);
        let first = buffer.len().saturating_sub(added);
        self.work = self.work.saturating_add(added.saturating_mul(LOOKS)).saturating_add(1024);
        // Those that go on first: they are the longer ones.
        while let Some(entry) = self.chains.first_entry() {
            if entry.key().0 > buffer.len() {
                break;
            }
            let at = entry.key().1;
            let chain = entry.remove();
            if let Some(found) = self.follow(chain, at, buffer, ends_segment, evidence, look) {
                return Some(found);
            }
        }
        while self.unstarted < buffer.len() {
            let start = self.unstarted;
            self.unstarted = start.saturating_add(1);
            let chain = Chain::new(start, starts_segment && start == first);
            if let Some(found) = self.follow(chain, start, buffer, ends_segment, evidence, look) {
                return Some(found);
            }
        }
        None
    }

    /// Follows a chain whose next frame is at `at`, as far as there are bytes.
    fn follow(
        &mut self,
        mut chain: Chain,
        mut at: usize,
        buffer: &[u8],
        ends_segment: bool,
        evidence: &Evidence,
        look: &dyn Fn(&[u8]) -> Look,
    ) -> Option<usize> {
        loop {
            let rest = buffer.get(at..)?;
            let mark = if chain.starts_segment { PASSED_FROM_SEGMENT } else { PASSED };
            if self.passed.get(at).is_some_and(|passed| *passed >= mark) {
                return None;
            }
            let (length, weight) = match look(rest) {
                Look::No => return None,
                Look::Needed(needed) => {
                    self.wait(chain, at, needed);
                    return None;
                }
                Look::Frame { length, weight } => (length, weight),
            };
            self.work = self.work.checked_sub(length)?;
            if let Some(passed) = self.passed.get_mut(at) {
                *passed = mark;
            }
            let end = at.saturating_add(length);
            // The same frame again is a pattern in a message, more likely than not.
            let is_repeated =
                chain.last.is_some_and(|(from, to)| buffer.get(from..to) == buffer.get(at..end));
            if !chain.is_anchored && weight < evidence.first {
                chain.start = end;
                chain.is_anchored = weight > 0;
            } else {
                chain.is_anchored = true;
                if weight > 0 && !is_repeated {
                    chain.weight = chain.weight.saturating_add(weight);
                    chain.frames = chain.frames.saturating_add(1);
                }
            }
            chain.last = Some((at, end));
            let enough = |least| chain.has(least);
            let ends_segment = ends_segment && end == buffer.len();
            if enough(evidence.anywhere)
                || ends_segment
                    && (enough(evidence.to_segment_end)
                        || chain.starts_segment && enough(evidence.whole_segments))
            {
                return Some(chain.start);
            }
            at = end;
        }
    }

    fn wait(&mut self, chain: Chain, at: usize, needed: usize) {
        // Of two that meet the first is the longer one.
        let met = self.chains.entry((at.saturating_add(needed), at)).or_insert(chain);
        if chain.starts_segment && !met.starts_segment {
            *met = chain;
        }
        if self.chains.len() > MOST_CHAINS {
            self.chains.pop_last();
        }
    }

    /// Gives where the first frame is if no more bytes are to come.
    pub(crate) fn finish(&self, buffer: &[u8], evidence: &Evidence) -> Option<usize> {
        let chains = self.chains.iter().filter(|((_, at), chain)| {
            let is_whole = *at == buffer.len() && chain.has(evidence.at_the_end);
            chain.starts_segment && (is_whole || chain.has(evidence.whole_segments))
        });
        chains.map(|(_, chain)| chain.start).min()
    }

    /// Forgets the first bytes of the buffer.
    pub(crate) fn drop_front(&mut self, count: usize) {
        self.passed.drain(..count.min(self.passed.len()));
        self.unstarted = self.unstarted.saturating_sub(count);
        let chains = core::mem::take(&mut self.chains);
        for ((needed, at), mut chain) in chains {
            if chain.start < count {
                continue;
            }
            chain.start = chain.start.saturating_sub(count);
            chain.last = chain
                .last
                .and_then(|(from, to)| Some((from.checked_sub(count)?, to.checked_sub(count)?)));
            self.chains.insert((needed.saturating_sub(count), at.saturating_sub(count)), chain);
        }
    }

    /// How much memory is taken, about.
    #[cfg(feature = "capture")]
    pub(crate) fn heap_bytes(&self) -> usize {
        let chains = crate::net::tree_bytes::<((usize, usize), Chain)>(self.chains.len());
        self.passed.capacity().saturating_add(chains)
    }

    /// Gives memory back: nothing is searched for.
    pub(crate) fn rest(&mut self) {
        if self.passed.is_empty() && self.passed.capacity() > super::KEPT {
            self.passed = Vec::new();
        }
    }

    /// Begins anew with an empty buffer.
    pub(crate) fn clear(&mut self) {
        self.chains.clear();
        self.passed.clear();
        self.unstarted = 0;
        self.work = 0;
    }
}
