//! Remembers which unsequenced messages have been seen, so that repeated ones are skipped.

/// The last 1,024 message numbers up to the highest one seen; ENet remembers as many.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// The number after the highest one; none before the first message.
    end: Option<u16>,
    /// A bit for every group, at its number modulo their count.
    seen: [u64; WORDS],
}

const WORDS: usize = 16;
const GROUPS: u16 = 64 * WORDS as u16;

impl Window {
    /// Notes a message. Returns whether it is new.
    pub(super) fn insert(&mut self, group: u16) -> bool {
        let next = group.wrapping_add(1);
        let end = *self.end.get_or_insert(next);
        let ahead = next.wrapping_sub(end);
        let behind = end.wrapping_sub(next);
        if ahead != 0 && behind >= GROUPS {
            // ENet would drop a number that is far behind. In a capture, it is more likely that the
            // numbers in between were not captured.
            self.end = Some(next);
            for at in 0..ahead.min(GROUPS) {
                self.set(end.wrapping_add(at), false);
            }
        }
        let is_new = !self.get(group);
        self.set(group, true);
        is_new
    }

    fn get(&self, group: u16) -> bool {
        let (word, bit) = place(group);
        self.seen.get(word).is_some_and(|word| word & bit != 0)
    }

    fn set(&mut self, group: u16, is_seen: bool) {
        let (word, bit) = place(group);
        if let Some(word) = self.seen.get_mut(word) {
            *word = if is_seen { *word | bit } else { *word & !bit };
        }
    }
}

fn place(group: u16) -> (usize, u64) {
    let at = group % GROUPS;
    (usize::from(at / 64), 1 << (at % 64))
}
