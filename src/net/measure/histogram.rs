//! Counts of values in buckets whose width grows with the values.

use core::fmt;
use core::ops::RangeInclusive;

/// Values below this one have a bucket each.
const EXACT: u64 = 32;

/// The bits of a value that distinguish buckets, after its highest bit.
const BITS: u32 = 4;

/// A distribution of whole numbers, for example of sizes or times.
///
/// Values below 32 are counted exactly. Larger ones are counted in buckets, 16 for each power of two,
/// so a [quantile](Histogram::quantile) differs from the exact one by at most 3.2 %. The number of
/// values, the least and the greatest one are exact. A histogram takes at most 8 KiB of memory, and
/// only as much as the range of its values needs.
///
/// ```
/// use gdwire::measure::Histogram;
///
/// let mut sizes = Histogram::new();
/// for size in [12, 20, 20, 31, 1_400] {
///     sizes.add(size);
/// }
/// assert_eq!(sizes.min(), Some(12));
/// assert_eq!(sizes.quantile(0.5), Some(20));
/// assert_eq!(sizes.max(), Some(1_400));
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    /// The number of the first bucket in `counts`.
    start: usize,
    counts: Vec<u64>,
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
}

/// How the values of a [`Histogram`] are spread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Spread {
    /// The least.
    pub min: u64,
    /// The median.
    pub p50: u64,
    /// The value that 95% of the values do not exceed.
    pub p95: u64,
    /// The greatest.
    pub max: u64,
}

impl Histogram {
    /// A histogram without values. It takes no memory on the heap.
    #[must_use]
    pub const fn new() -> Histogram {
        Histogram { start: 0, counts: Vec::new(), count: 0, sum: 0, min: 0, max: 0 }
    }

    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        self.add_to(bucket(value), 1);
        self.widen(value, value, 1, value.into());
    }

    /// Counts the values of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        for (bucket, count) in (other.start..).zip(&other.counts) {
            if *count > 0 {
                self.add_to(bucket, *count);
            }
        }
        if other.count > 0 {
            self.widen(other.min, other.max, other.count, other.sum);
        }
    }

    fn add_to(&mut self, bucket: usize, count: u64) {
        if self.counts.is_empty() {
            self.start = bucket;
        }
        let before = self.start.saturating_sub(bucket);
        self.start = self.start.saturating_sub(before);
        let at = bucket.saturating_sub(self.start);
        // No more capacity is reserved than is needed.
        let after = at.saturating_add(1).saturating_sub(self.counts.len()).max(before);
        self.counts.reserve_exact(after);
        self.counts.resize(self.counts.len().saturating_add(after), 0);
        self.counts.rotate_right(before);
        if let Some(known) = self.counts.get_mut(at) {
            *known = known.saturating_add(count);
        }
    }

    fn widen(&mut self, min: u64, max: u64, count: u64, sum: u128) {
        self.min = if self.count == 0 { min } else { self.min.min(min) };
        self.max = self.max.max(max);
        self.count = self.count.saturating_add(count);
        self.sum = self.sum.saturating_add(sum);
    }

    /// How many values were counted.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The least value; none if there are no values.
    #[must_use]
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// The greatest value; none if there are no values.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The mean of the values; none if there are no values.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The least and the greatest value, and two quantiles between them; none if there are no values.
    #[must_use]
    pub fn spread(&self) -> Option<Spread> {
        let (min, max) = self.min().zip(self.max())?;
        let quantile = |share| self.quantile(share).unwrap_or(max);
        Some(Spread { min, p50: quantile(0.5), p95: quantile(0.95), max })
    }

    /// The value that a share of the values does not exceed: 0.5 is the median, 0.95 the 95th
    /// percentile. A share below 0 counts as 0, one above 1 as 1. None if there are no values.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<u64> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "such a cast gives the nearest number"
        )]
        let rank = (share.clamp(0.0, 1.0) * self.count as f64).ceil() as u64;
        let mut rest = rank.clamp(1, self.count.max(1));
        for (values, count) in self.buckets() {
            if rest <= count {
                let (low, high) = values.into_inner();
                let middle = low.saturating_add(high.saturating_sub(low) / 2);
                return Some(middle.clamp(self.min, self.max));
            }
            rest = rest.saturating_sub(count);
        }
        self.max()
    }

    /// The buckets that have values, in ascending order: the range of the values and how many were
    /// counted.
    pub fn buckets(&self) -> impl Iterator<Item = (RangeInclusive<u64>, u64)> {
        let buckets = (self.start..).zip(&self.counts).filter(|(_, count)| **count > 0);
        buckets.map(|(bucket, count)| (values(bucket), *count))
    }

    /// About how much memory is in use, in bytes, in addition to the histogram itself.
    #[must_use]
    pub const fn heap_bytes(&self) -> usize {
        self.counts.capacity().saturating_mul(size_of::<u64>())
    }
}

/// The number of the bucket for a value.
const fn bucket(value: u64) -> usize {
    let Some(power) = value.checked_ilog2() else { return 0 };
    if value < EXACT {
        return value as usize;
    }
    let power = power.saturating_sub(BITS);
    // From 16 to 31: the highest bit and those after it.
    let upper = value >> power;
    (power as usize).saturating_mul(1 << BITS).saturating_add(upper as usize)
}

/// The range of the values of a bucket.
const fn values(bucket: usize) -> RangeInclusive<u64> {
    let bucket = bucket as u64;
    if bucket < EXACT {
        return bucket..=bucket;
    }
    let power = (bucket >> BITS).saturating_sub(1);
    let upper = bucket & 0xf | 0x10;
    let low = upper << power;
    low..=(low | ((1 << power) - 1))
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Histogram { count, .. } = self;
        debug_fields!(f, Histogram {
            count, min = self.min(), median = self.quantile(0.5), max = self.max(), ..
        })
    }
}
