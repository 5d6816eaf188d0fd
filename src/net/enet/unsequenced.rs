//! Remembers which unsequenced messages have been seen, so that repeated ones are skipped
//! and missing ones are found.

use super::channel::BASE;
use super::missing::Missing;

/// The last 1,024 message numbers up to the highest one seen; ENet remembers as many.
#[derive(Debug)]
pub(super) struct Window<T> {
    /// A bit for each group of the window, at its number modulo `GROUPS`.
    seen: [u64; WORDS],
    pub(super) missing: Missing<T>,
}

const WORDS: usize = 16;
const GROUPS: u16 = 64 * WORDS as u16;

/// A number this far ahead may also be an old one, whose message ENet drops. So it does not show
/// that the numbers before it are missing.
const AHEAD: u16 = 32 * GROUPS;

impl<T: Copy> Window<T> {
    /// A window without messages. If the connection was observed from its start, its first message
    /// has the number 1.
    pub(super) const fn new(is_from_start: bool) -> Window<T> {
        let missing = Missing::after(if is_from_start { BASE } else { 0 });
        Window { seen: [0; WORDS], missing }
    }

    /// About how much memory is in use, with the window itself.
    pub(super) fn heap_bytes(&self) -> usize {
        self.missing.heap_bytes().saturating_add(size_of_val(self))
    }

    /// Notes a message. Returns whether it is new. `now` and `unread` are those of [`Missing::see`].
    pub(super) fn insert(&mut self, group: u16, now: (u64, T), unread: u64) -> bool {
        let (mut number, mut least) = (BASE.saturating_add(group.into()), 0);
        let newest = self.missing.newest();
        if newest > 0 {
            // The low 16 bits.
            let behind = (newest as u16).wrapping_sub(group);
            if behind < GROUPS {
                number = newest.saturating_sub(behind.into());
            } else {
                // ENet would drop a number that is far behind. In a capture, it is more likely that
                // the numbers in between were not captured.
                let ahead = behind.wrapping_neg();
                number = newest.saturating_add(ahead.into());
                if ahead < GROUPS {
                    self.clear((newest as u16).wrapping_add(1), ahead);
                } else {
                    self.seen = [0; WORDS];
                }
                if ahead >= AHEAD {
                    least = number;
                }
            }
        }
        let (word, bit) = place(group);
        let Some(word) = self.seen.get_mut(word) else { return true };
        let is_new = *word >> bit & 1 == 0;
        *word |= 1 << bit;
        if is_new {
            self.missing.see(number, least, now, unread);
        }
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
