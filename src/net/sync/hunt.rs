//! Finds the next frame in the middle of a stream.
//!
//! Bytes in the middle of a message may look like a frame. A place is therefore accepted only if it
//! starts a chain of frames that follow each other. Segments help, because senders send whole
//! messages: many segments start and end with one. One case cannot be recognized: a message whose
//! end is in a segment of its own and looks like a frame.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Frames that can be searched for.
pub trait FrameSearch {
    /// How much evidence for a frame is needed.
    const EVIDENCE: ChainEvidence;
    /// The next place where a chain of frames may start within a segment. This is only a quick test
    /// that most bytes fail: it need not examine a whole frame.
    fn next_start(&self, bytes: &[u8]) -> Option<usize>;
    /// Examines bytes at a place where a frame may start: no more than `limit` of them.
    fn look(&self, bytes: &[u8], limit: usize) -> FrameLook;
    /// Whether frames at the start of a segment may just as well be the content of a frame whose
    /// header is in an earlier segment.
    fn may_be_content(&self, frames: &[u8]) -> bool;
}

/// The bytes at a place.
pub enum FrameLook {
    /// They may be a complete frame.
    Frame {
        /// Its length in bytes, with its header.
        length: usize,
        /// How many of its bytes are evidence for a frame: none if such bytes are common elsewhere.
        weight: u32,
    },
    /// They may start a frame. This many bytes in all are needed to know.
    Needed(usize),
    /// They do not start a frame, or the limit was reached before that was known. The number is how
    /// many bytes were examined; none if a glance was enough.
    No(Option<usize>),
}

/// How much evidence is enough: pairs of the least number of frames in a chain and their least
/// weight.
pub struct ChainEvidence {
    /// For a chain from the start of a segment to the end of one.
    pub(crate) whole_segments: (u32, u32),
    /// Like `whole_segments`, at the end of the stream.
    pub(crate) at_the_end: (u32, u32),
    /// For a chain that starts within a segment and reaches the end of one.
    pub(crate) to_segment_end: (u32, u32),
    /// For any chain.
    pub(crate) anywhere: (u32, u32),
    /// The least weight of a first frame that starts within a segment: the end of a message may
    /// look like a small frame.
    pub(crate) first: u32,
}

/// How many chains wait at once. Those whose next frame ends last are given up first.
const MOST_CHAINS: usize = 1024;

/// The limit on the work: how many times its length a stretch of bytes may be examined. Bytes that
/// turn out to be no frame count as well.
const LOOKS: usize = 4;

/// The work to keep a waiting chain, and the work to examine bytes in vain. The unit is the work to
/// examine one byte.
const WAITING: usize = 32;
const IN_VAIN: usize = 64;

/// A chain of frames that may be real.
#[derive(Clone, Copy, Debug)]
struct Chain {
    start: usize,
    starts_segment: bool,
    /// The start of the first segment after a gap, if all frames of the chain so far are in that
    /// segment.
    segment: Option<usize>,
    /// Whether its first real frame has been found.
    is_anchored: bool,
    frames: u32,
    weight: u32,
    /// The range of the previous frame, to recognize repetitions.
    last: Option<(usize, usize)>,
}

impl Chain {
    fn new(start: usize, starts_segment: bool) -> Chain {
        Chain {
            start,
            starts_segment,
            segment: None,
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

/// Flags of a place that chains have passed: any chain, or one from the start of a segment. From
/// there on, two chains find the same frames, so the later one is dropped. The exception is a chain
/// from the start of a segment, which is stronger evidence: it is dropped only where another such
/// chain has passed.
const PASSED: u8 = 1;
const PASSED_FROM_SEGMENT: u8 = 2;

/// The search for the next frame. Places are indexes into the caller's buffer.
#[derive(Clone, Debug, Default)]
pub struct Hunt {
    /// The waiting chains, by the end of the bytes that they need and the start of their next
    /// frame.
    chains: BTreeMap<(usize, usize), Chain>,
    /// For each byte, the flags of the chains that have passed it.
    passed: Vec<u8>,
    /// The first place from which no chain has been started.
    unstarted: usize,
    work: usize,
    /// Whether bytes before the first segment are missing.
    is_after_gap: bool,
}

impl Hunt {
    /// A search after a gap.
    pub fn after_gap() -> Hunt {
        Hunt { is_after_gap: true, ..Hunt::default() }
    }

    /// Continues with `added` new bytes at the end of the buffer. Returns the place of the first
    /// frame.
    pub fn push<S: FrameSearch>(
        &mut self,
        buffer: &[u8],
        added: usize,
        (starts_segment, ends_segment): (bool, bool),
        search: &S,
    ) -> Option<usize> {
        self.passed.resize(buffer.len(), 0);
        let first = buffer.len().saturating_sub(added);
        self.work = self.work.saturating_add(added.saturating_mul(LOOKS)).saturating_add(1024);
        // Waiting chains first, because they are longer.
        while let Some(entry) = self.chains.first_entry() {
            if entry.key().0 > buffer.len() {
                break;
            }
            let at = entry.key().1;
            let chain = entry.remove();
            if let Some(found) = self.follow(chain, at, buffer, ends_segment, search) {
                return Some(found);
            }
        }
        if starts_segment && self.unstarted == first {
            self.unstarted = first.saturating_add(1);
            let mut chain = Chain::new(first, true);
            chain.segment = self.is_after_gap.then_some(first);
            if let Some(found) = self.follow(chain, first, buffer, ends_segment, search) {
                return Some(found);
            }
        }
        while let Some(skipped) = buffer.get(self.unstarted..).and_then(|it| search.next_start(it))
        {
            let start = self.unstarted.saturating_add(skipped);
            self.unstarted = start.saturating_add(1);
            let chain = Chain::new(start, false);
            if let Some(found) = self.follow(chain, start, buffer, ends_segment, search) {
                return Some(found);
            }
        }
        self.unstarted = buffer.len();
        None
    }

    /// Follows a chain from its next frame, at `at`, as far as there are bytes.
    fn follow<S: FrameSearch>(
        &mut self,
        mut chain: Chain,
        mut at: usize,
        buffer: &[u8],
        ends_segment: bool,
        search: &S,
    ) -> Option<usize> {
        let evidence = S::EVIDENCE;
        loop {
            let rest = buffer.get(at..)?;
            let mark = if chain.starts_segment { PASSED_FROM_SEGMENT } else { PASSED };
            if self.passed.get(at).is_some_and(|passed| *passed >= mark) {
                return None;
            }
            let (length, weight) = match search.look(rest, self.work) {
                FrameLook::No(examined) => {
                    let work = examined.map_or(0, |examined| examined.saturating_add(IN_VAIN));
                    self.work = self.work.saturating_sub(work);
                    return None;
                }
                FrameLook::Needed(needed) => {
                    chain.segment = None;
                    self.work = self.work.checked_sub(WAITING)?;
                    self.wait(chain, at, needed);
                    return None;
                }
                FrameLook::Frame { length, weight } => (length, weight),
            };
            self.work = self.work.checked_sub(length)?;
            if let Some(passed) = self.passed.get_mut(at) {
                *passed = mark;
            }
            let end = at.saturating_add(length);
            // A frame that repeats the one before it is more likely a pattern within a message.
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
            // Either way, a frame starts after these bytes.
            let frames = chain.segment.and_then(|start| buffer.get(start..end));
            if frames.is_some_and(|frames| search.may_be_content(frames)) {
                chain.start = end;
            }
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
        // If two chains meet, the earlier one is longer.
        let met = self.chains.entry((at.saturating_add(needed), at)).or_insert(chain);
        if chain.starts_segment && !met.starts_segment {
            *met = chain;
        }
        if self.chains.len() > MOST_CHAINS {
            self.chains.pop_last();
        }
    }

    /// The place of the first frame, judged at the end of the stream.
    pub fn finish(&self, buffer: &[u8], evidence: &ChainEvidence) -> Option<usize> {
        let chains = self.chains.iter().filter(|((_, at), chain)| {
            let is_whole = *at == buffer.len() && chain.has(evidence.at_the_end);
            chain.starts_segment && (is_whole || chain.has(evidence.whole_segments))
        });
        chains.map(|(_, chain)| chain.start).min()
    }

    /// Removes the first bytes of the buffer.
    pub fn drop_front(&mut self, count: usize) {
        self.passed.drain(..count.min(self.passed.len()));
        self.unstarted = self.unstarted.saturating_sub(count);
        let chains = core::mem::take(&mut self.chains);
        for ((needed, at), mut chain) in chains {
            if chain.start < count {
                continue;
            }
            chain.start = chain.start.saturating_sub(count);
            chain.segment = chain.segment.and_then(|start| start.checked_sub(count));
            chain.last = chain
                .last
                .and_then(|(from, to)| Some((from.checked_sub(count)?, to.checked_sub(count)?)));
            self.chains.insert((needed.saturating_sub(count), at.saturating_sub(count)), chain);
        }
    }

    /// About how much memory is in use.
    pub fn heap_bytes(&self) -> usize {
        let chains = crate::net::tree_bytes::<((usize, usize), Chain)>(self.chains.len());
        self.passed.capacity().saturating_add(chains)
    }
}
