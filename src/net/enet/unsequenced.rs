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
            if ahead < GROUPS {
                self.clear(end, ahead);
            } else {
                self.seen = [0; WORDS];
            }
        }
        let (word, bit) = place(group);
        let Some(word) = self.seen.get_mut(word) else { return true };
        let is_new = *word >> bit & 1 == 0;
        *word |= 1 << bit;
        is_new
    }

    /// Forgets groups that follow each other, a word at a time.
    fn clear(&mut self, start: u16, count: u16) {
        let mut done = 0;
        while done < count {
            let (word, bit) = place(start.wrapping_add(done));
            let bits = count.saturating_sub(done).min(64_u16.saturating_sub(bit));
            if let Some(word) = self.seen.get_mut(word) {
                *word &= !(u64::MAX >> 64_u16.saturating_sub(bits) << bit);
            }
            done = done.saturating_add(bits);
        }
    }
}

/// The word and the bit of a group.
fn place(group: u16) -> (usize, u16) {
    let at = group % GROUPS;
    (usize::from(at / 64), at % 64)
}
