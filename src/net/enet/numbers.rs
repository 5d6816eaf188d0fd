//! The newest sequence numbers that were seen, which distinguish new commands from late and
//! repeated ones.

/// The highest sequence number of a series and which of the 127 before it were seen.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Numbers {
    newest: u16,
    /// A bit for each number: the lowest for the newest number, the next for the one before it.
    seen: u128,
}

/// How a sequence number relates to those that arrived before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// Higher than all before.
    New,
    /// Lower, but not seen before. `next` is the next higher number that was seen, and `behind` is
    /// how far `next` is below the newest number.
    Late { next: u16, behind: u16 },
    /// Seen before.
    Again,
    /// Too low to know whether it was seen.
    Old,
}

impl Numbers {
    /// Notes a number. Numbers wrap around.
    pub(super) const fn note(&mut self, number: u16) -> Order {
        let ahead = number.wrapping_sub(self.newest).cast_signed();
        if self.seen == 0 || ahead > 0 {
            let kept = match self.seen.checked_shl(ahead.unsigned_abs() as u32) {
                Some(kept) => kept,
                None => 0,
            };
            *self = Numbers { newest: number, seen: kept | 1 };
            return Order::New;
        }
        let Some(bit) = 1_u128.checked_shl(ahead.unsigned_abs() as u32) else { return Order::Old };
        if self.seen & bit != 0 {
            return Order::Again;
        }
        // The lowest bit is always set.
        let higher = self.seen & (bit - 1);
        let behind = 127_u32.saturating_sub(higher.leading_zeros()) as u16;
        self.seen |= bit;
        Order::Late { next: self.newest.wrapping_sub(behind), behind }
    }
}
