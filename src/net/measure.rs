//! Distributions and time series. `lib.rs` has the documentation of this module, which is public as
//! `gdwire::measure`.

use core::fmt;
use core::ops::RangeInclusive;
use core::time::Duration;

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

impl Spread {
    /// The names of the values, in JSON.
    pub(crate) const NAMES: [&'static str; 4] = ["min", "p50", "p95", "max"];

    /// The values from the least to the greatest.
    #[must_use]
    pub const fn values(self) -> [u64; 4] {
        [self.min, self.p50, self.p95, self.max]
    }
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

/// Intervals do not get longer than this, in nanoseconds.
const LONGEST: i64 = i64::MAX / 2;

/// How values change over time: the values of each interval, in bounded memory.
///
/// When there are more intervals than the limit, each becomes twice as long. Intervals without
/// values are left out. The intervals start at multiples of their length.
///
/// ```
/// use gdwire::measure::Series;
/// use std::time::Duration;
///
/// let mut times = Series::new(Duration::from_secs(1), 100);
/// times.add(500_000_000, 40);
/// times.add(700_000_000, 60);
/// times.add(2_000_000_000, 90);
/// let means: Vec<_> = times.iter().map(|(start, point)| (start, point.mean())).collect();
/// assert_eq!(means, [(0, 50.0), (2_000_000_000, 90.0)]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series {
    /// The length of the intervals, in nanoseconds.
    length: i64,
    limit: usize,
    /// The intervals with values, by their start divided by the length, in order.
    points: Vec<(i64, Point)>,
}

/// The values of one interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Point {
    /// How many values there are.
    pub count: u64,
    /// The least one.
    pub min: u64,
    /// The greatest one.
    pub max: u64,
    /// Their sum.
    pub sum: u64,
}

impl Series {
    /// A series without values, with at most `limit` intervals of this length.
    #[must_use]
    pub fn new(length: Duration, limit: usize) -> Series {
        let length = i64::try_from(length.as_nanos()).unwrap_or(i64::MAX).max(1);
        Series { length, limit, points: Vec::new() }
    }

    /// Adds a value at a time, in nanoseconds.
    pub fn add(&mut self, nanoseconds: i64, value: u64) {
        self.add_point(nanoseconds, Point { count: 1, min: value, max: value, sum: value });
    }

    /// Adds the values of another series. The intervals become as long as those of the other series,
    /// if these are longer.
    pub fn merge(&mut self, other: &Series) {
        while self.length < other.length {
            self.merge_pairs();
        }
        for (nanoseconds, point) in other.iter() {
            self.add_point(nanoseconds, point);
        }
    }

    /// Removes a value that was added at a time. The least and the greatest value of its interval
    /// are not updated.
    pub(crate) fn take_back(&mut self, nanoseconds: i64, value: u64) {
        let Ok(at) = self.find(nanoseconds) else { return };
        let Some((_, point)) = self.points.get_mut(at) else { return };
        point.count = point.count.saturating_sub(1);
        point.sum = point.sum.saturating_sub(value);
        if point.count == 0 {
            self.points.remove(at);
        }
    }

    fn add_point(&mut self, nanoseconds: i64, point: Point) {
        loop {
            match self.find(nanoseconds) {
                Ok(at) => {
                    if let Some((_, known)) = self.points.get_mut(at) {
                        known.merge(point);
                    }
                    return;
                }
                Err(at) if self.points.len() < self.limit || self.length >= LONGEST => {
                    let number = nanoseconds.div_euclid(self.length);
                    return self.points.insert(at, (number, point));
                }
                Err(_) => self.merge_pairs(),
            }
        }
    }

    /// Finds the interval of a time, or its place. Most values are added to the last interval.
    fn find(&self, nanoseconds: i64) -> Result<usize, usize> {
        let wanted = nanoseconds.div_euclid(self.length);
        match self.points.last() {
            Some((number, _)) if *number == wanted => Ok(self.points.len().saturating_sub(1)),
            _ => self.points.binary_search_by_key(&wanted, |(number, _)| *number),
        }
    }

    /// Makes the intervals twice as long.
    fn merge_pairs(&mut self) {
        self.length = self.length.saturating_mul(2);
        let mut merged: Vec<(i64, Point)> = Vec::new();
        for (number, point) in core::mem::take(&mut self.points) {
            let number = number.div_euclid(2);
            match merged.last_mut() {
                Some((last, known)) if *last == number => known.merge(point),
                _ => merged.push((number, point)),
            }
        }
        self.points = merged;
    }

    /// How long each interval is.
    #[must_use]
    pub const fn length(&self) -> Duration {
        Duration::from_nanos(self.length.cast_unsigned())
    }

    /// The intervals with values, in order: the start of each, in nanoseconds, and its values.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (i64, Point)> {
        self.points.iter().map(|(number, point)| (number.saturating_mul(self.length), *point))
    }

    /// About how much memory is in use, in bytes, in addition to the series itself.
    #[must_use]
    pub const fn heap_bytes(&self) -> usize {
        self.points.capacity().saturating_mul(size_of::<(i64, Point)>())
    }
}

impl Point {
    fn merge(&mut self, other: Point) {
        self.count = self.count.saturating_add(other.count);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum = self.sum.saturating_add(other.sum);
    }

    /// The mean of the values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }
}
