//! A bad network between two ends: which datagrams it loses, delays, doubles and reorders.
//!
//! A [`Link`] decides for one direction. It does no input or output and has no clock: its user
//! passes each datagram's time and length, and sends the datagram when the [`Fate`] says.
//!
//! ```
//! use gdwire::net::conditions::{Conditions, Fate, Link};
//! use std::time::Duration;
//!
//! let conditions =
//!     Conditions::default().with_delay(Duration::from_millis(80)).with_loss(0.02);
//! let mut link = Link::new(conditions, 7);
//! for millisecond in 0..1_000 {
//!     let now = Duration::from_millis(millisecond);
//!     match link.send(now, 100) {
//!         Fate::Delivered { at, .. } => assert_eq!(at, now + Duration::from_millis(80)),
//!         _ => {}
//!     }
//! }
//! ```

use core::time::Duration;

/// The conditions of a network for datagrams in one direction: delay, loss, order and rate. By
/// default, every datagram arrives at once.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Conditions {
    /// How long each datagram takes.
    pub delay: Duration,
    /// How much longer or shorter than `delay` it takes, at most; all differences are equally
    /// likely. This alone does not change the order: a datagram waits for those before it.
    pub jitter: Duration,
    /// The share of datagrams that is lost, from 0 to 1.
    pub loss: f64,
    /// How many datagrams in a row are lost, on average. The share that is lost stays the same. If
    /// this is less than chance gives, as the default is, each datagram is lost on its own.
    pub burst: f64,
    /// The share of datagrams that arrive twice, from 0 to 1.
    pub duplicate: f64,
    /// The share of datagrams that later ones overtake, from 0 to 1. They take longer by `jitter`,
    /// or by [`Conditions::LATE`] if that is more.
    pub reorder: f64,
    /// The bits that pass in a second; none if there is no bound.
    pub rate: Option<u64>,
    /// How long a datagram may wait because of `rate`. If it had to wait longer, it is dropped.
    pub queue: Duration,
}

impl Conditions {
    /// The least delay of a datagram that others overtake.
    pub const LATE: Duration = Duration::from_millis(10);

    /// Sets how long each datagram takes.
    #[must_use]
    pub const fn with_delay(self, delay: Duration) -> Conditions {
        Conditions { delay, ..self }
    }

    /// Sets how much longer or shorter than the delay a datagram takes, at most.
    #[must_use]
    pub const fn with_jitter(self, jitter: Duration) -> Conditions {
        Conditions { jitter, ..self }
    }

    /// Sets the share of datagrams that is lost, from 0 to 1.
    #[must_use]
    pub const fn with_loss(self, loss: f64) -> Conditions {
        Conditions { loss, ..self }
    }

    /// Sets how many datagrams in a row are lost, on average.
    #[must_use]
    pub const fn with_burst(self, burst: f64) -> Conditions {
        Conditions { burst, ..self }
    }

    /// Sets the share of datagrams that arrive twice, from 0 to 1.
    #[must_use]
    pub const fn with_duplicate(self, duplicate: f64) -> Conditions {
        Conditions { duplicate, ..self }
    }

    /// Sets the share of datagrams that later ones overtake, from 0 to 1.
    #[must_use]
    pub const fn with_reorder(self, reorder: f64) -> Conditions {
        Conditions { reorder, ..self }
    }

    /// Sets the bits that pass in a second.
    #[must_use]
    pub const fn with_rate(self, rate: u64) -> Conditions {
        Conditions { rate: Some(rate), ..self }
    }

    /// Sets how long a datagram may wait because of the rate.
    #[must_use]
    pub const fn with_queue(self, queue: Duration) -> Conditions {
        Conditions { queue, ..self }
    }
}

impl Default for Conditions {
    fn default() -> Conditions {
        Conditions {
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            loss: 0.0,
            burst: 1.0,
            duplicate: 0.0,
            reorder: 0.0,
            rate: None,
            queue: Duration::from_secs(1),
        }
    }
}

/// The fate of a datagram in a bad network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fate {
    /// It is lost.
    Lost,
    /// It is dropped, because too much waits for [`Conditions::rate`].
    Full,
    /// It arrives.
    Delivered {
        /// When it arrives.
        at: Duration,
        /// When it arrives for the second time, if it is duplicated.
        again: Option<Duration>,
    },
}

/// One direction of a bad network.
///
/// The same seed and the same datagrams (times and lengths) have the same fates. Conditions do not
/// depend on each other: with more delay, the same datagrams are lost.
#[derive(Clone, Debug)]
pub struct Link {
    conditions: Conditions,
    random: SplitMix,
    /// Whether datagrams are being lost in a row.
    is_losing: bool,
    /// When everything before has passed at the rate.
    free: Duration,
    /// When the last datagram that kept its place arrives.
    last: Duration,
}

impl Link {
    /// A link on which nothing was sent yet.
    #[must_use]
    pub const fn new(conditions: Conditions, seed: u64) -> Link {
        let (free, last) = (Duration::ZERO, Duration::ZERO);
        Link { conditions, random: SplitMix::new(seed), is_losing: false, free, last }
    }

    /// Sends a datagram of this many bytes, with its headers, at this time. Times are counted from
    /// any start, and do not decrease.
    pub fn send(&mut self, now: Duration, len: usize) -> Fate {
        let Conditions { loss, burst, duplicate, reorder, rate, queue, .. } = self.conditions;
        // Each datagram takes the same number of random numbers, whatever happens to it.
        let [is_lost, is_doubled, is_late, early, again] = [(); 5].map(|()| self.random.unit());
        // Two states, one of which loses every datagram. It is left after `burst` datagrams on
        // average, and entered as often as the share requires.
        let leave = (1.0 / burst.max(1.0)).min(1.0 - loss);
        let enter = if loss < 1.0 { leave * loss / (1.0 - loss) } else { 1.0 };
        self.is_losing = if self.is_losing { is_lost >= leave } else { is_lost < enter };
        if self.is_losing {
            return Fate::Lost;
        }
        let start = self.free.max(now);
        if let Some(rate) = rate {
            if start.saturating_sub(now) > queue {
                return Fate::Full;
            }
            let bits = (len as u64).saturating_mul(8).saturating_mul(1_000_000_000);
            let nanoseconds = bits.checked_div(rate).unwrap_or(u64::MAX);
            self.free = start.saturating_add(Duration::from_nanos(nanoseconds));
        }
        let passed = if rate.is_some() { self.free } else { now };
        let mut at = self.arrival(passed, early);
        if is_late < reorder {
            at = at.max(self.last).saturating_add(self.conditions.jitter.max(Conditions::LATE));
        } else {
            at = at.max(self.last);
            self.last = at;
        }
        let again = (is_doubled < duplicate).then(|| self.arrival(passed, again).max(at));
        Fate::Delivered { at, again }
    }

    /// When a datagram arrives that passed at this time; `share` of the jitter, from 0 to 1.
    fn arrival(&self, passed: Duration, share: f64) -> Duration {
        let Conditions { delay, jitter, .. } = self.conditions;
        let latest = passed.saturating_add(delay).saturating_add(jitter);
        latest.saturating_sub(jitter.saturating_mul(2).mul_f64(share)).max(passed)
    }
}

/// Random numbers that stay the same in every version: SplitMix64, by Guy Steele, Doug Lea and
/// Christine Flood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SplitMix(u64);

impl SplitMix {
    pub(crate) const fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }

    pub(crate) const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number from 0 to 1, without 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::{Conditions, Fate, Link, SplitMix};
    use core::time::Duration;
    use std::vec::Vec;

    const MILLISECOND: Duration = Duration::from_millis(1);

    /// The fates of datagrams of 100 bytes, one a millisecond.
    fn fates(conditions: Conditions, seed: u64, count: u32) -> Vec<Fate> {
        let mut link = Link::new(conditions, seed);
        (0..count).map(|number| link.send(MILLISECOND * number, 100)).collect()
    }

    fn delays(fates: &[Fate]) -> Vec<Option<Duration>> {
        let delay = |(number, fate): (u32, &Fate)| match fate {
            Fate::Delivered { at, .. } => Some(*at - MILLISECOND * number),
            _ => None,
        };
        (0..).zip(fates).map(delay).collect()
    }

    #[test]
    fn random_numbers_are_those_of_the_published_generator() {
        let mut random = SplitMix::new(0);
        for expected in [
            0xe220_a839_7b1d_cdaf,
            0x6e78_9e6a_a1b9_65f4,
            0x06c4_5d18_8009_454f,
            0xf88b_b8a8_724c_81ec,
        ] {
            assert_eq!(random.next_u64(), expected);
        }
        let unit = SplitMix::new(0).unit();
        assert!(
            (unit - 0xe220_a839_7b1d_cdaf_u64 as f64 / (u64::MAX as f64)).abs() < 1e-9,
            "{unit}"
        );
    }

    #[test]
    fn the_default_delivers_everything_at_once() {
        let fates = fates(Conditions::default(), 1, 1_000);
        assert!(delays(&fates).iter().all(|delay| *delay == Some(Duration::ZERO)));
        assert!(fates.iter().all(|fate| matches!(fate, Fate::Delivered { again: None, .. })));
    }

    #[test]
    fn the_same_datagrams_are_lost_whatever_the_delay() {
        let lossy = Conditions { loss: 0.1, ..Conditions::default() };
        let slow = Conditions {
            delay: 80 * MILLISECOND,
            jitter: 20 * MILLISECOND,
            duplicate: 0.5,
            ..lossy
        };
        let lost = |conditions, seed| {
            let fates = fates(conditions, seed, 1_000);
            fates.iter().map(|fate| *fate == Fate::Lost).collect::<Vec<_>>()
        };
        assert_eq!(lost(lossy, 7), lost(slow, 7));
        assert_ne!(lost(lossy, 7), lost(lossy, 8));
    }

    #[test]
    fn the_share_of_lost_datagrams_does_not_depend_on_bursts() {
        for burst in [1.0, 3.0, 10.0] {
            let conditions = Conditions { loss: 0.2, burst, ..Conditions::default() };
            let fates = fates(conditions, 5, 200_000);
            let lost = fates.iter().filter(|fate| **fate == Fate::Lost).count() as f64;
            assert!((lost / 200_000.0 - 0.2).abs() < 0.01, "{burst}: {lost}");
            let starts =
                fates.windows(2).filter(|two| two[0] != Fate::Lost && two[1] == Fate::Lost);
            let length = lost / starts.count() as f64;
            // By chance, a loss follows another one in a fifth of the cases.
            let expected = burst.max(1.25);
            assert!((length / expected - 1.0).abs() < 0.1, "{burst}: {length}");
        }
        let all = fates(Conditions { loss: 1.0, ..Conditions::default() }, 5, 100);
        assert!(all.iter().all(|fate| *fate == Fate::Lost));
    }

    #[test]
    fn jitter_varies_the_delay_and_keeps_the_order() {
        let conditions = Conditions {
            delay: 80 * MILLISECOND,
            jitter: 20 * MILLISECOND,
            ..Conditions::default()
        };
        let fates = fates(conditions, 3, 1_000);
        let delays: Vec<_> = delays(&fates).into_iter().flatten().collect();
        assert_eq!(delays.len(), 1_000);
        let bounds = 60 * MILLISECOND..=100 * MILLISECOND;
        assert!(delays.iter().all(|delay| bounds.contains(delay)));
        let arrivals: Vec<_> =
            (0..).zip(delays).map(|(at, delay)| MILLISECOND * at + delay).collect();
        assert!(arrivals.is_sorted());
    }

    #[test]
    fn some_datagrams_arrive_late_or_twice() {
        let conditions = Conditions { reorder: 0.1, duplicate: 0.2, ..Conditions::default() };
        let fates = fates(conditions, 3, 10_000);
        let late = delays(&fates).iter().filter(|delay| **delay >= Some(Conditions::LATE)).count();
        assert!((880..1_120).contains(&late), "{late}");
        let twice = |fate: &&Fate| matches!(fate, Fate::Delivered { again: Some(_), .. });
        let twice = fates.iter().filter(twice).count();
        assert!((1_840..2_160).contains(&twice), "{twice}");
    }

    #[test]
    fn the_rate_spaces_datagrams_and_drops_what_waits_too_long() {
        // 100 bytes are 800 bits, which take two milliseconds.
        let conditions =
            Conditions { rate: Some(400_000), queue: 10 * MILLISECOND, ..Conditions::default() };
        let fates = fates(conditions, 3, 100);
        assert_eq!(delays(&fates)[..3], [2, 3, 4].map(|delay| Some(delay * MILLISECOND)));
        let full = fates.iter().filter(|fate| **fate == Fate::Full).count();
        assert!((40..50).contains(&full), "{full}");
        let longest = delays(&fates).into_iter().flatten().max();
        assert!(longest <= Some(12 * MILLISECOND), "{longest:?}");
        // By default, a datagram waits for a second at most: 500 datagrams, and the one that passes.
        let mut link =
            Link::new(Conditions { queue: Conditions::default().queue, ..conditions }, 3);
        let fates = (0..600).map(|_| link.send(Duration::ZERO, 100));
        assert_eq!(fates.filter(|fate| *fate != Fate::Full).count(), 501);
    }
}
