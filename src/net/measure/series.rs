//! Values in intervals of time.

use core::time::Duration;

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
                    let known = self.points.get_mut(at);
                    return known.into_iter().for_each(|(_, known)| known.merge(point));
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
