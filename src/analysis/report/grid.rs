//! Puts several series on the same intervals of time, so that they can be plotted together.

use crate::net::measure::{Point, Series};
use core::time::Duration;

/// How many intervals a plot has at most.
const INTERVALS: i64 = 512;

/// Intervals of the same length that follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// The start of the first interval, divided by the length. The start itself may be outside the
    /// range of an `i64`.
    first: i64,
    /// The length of each, in nanoseconds.
    length: i64,
    count: usize,
}

impl Grid {
    /// The shortest intervals that fit all series, at most `INTERVALS` of them; `None` if the
    /// series have no values.
    pub(super) fn over<'s>(series: impl Iterator<Item = &'s Series> + Clone) -> Option<Grid> {
        let starts = || series.clone().flat_map(Series::iter).map(|(start, _)| start);
        let (first, last) = (starts().min()?, starts().max()?);
        let mut length = series.clone().map(nanoseconds).max()?;
        loop {
            let (from, to) = (first.div_euclid(length), last.div_euclid(length));
            let count = to.saturating_sub(from).saturating_add(1);
            if count <= INTERVALS {
                return Some(Grid { first: from, length, count: usize::try_from(count).ok()? });
            }
            length = length.checked_mul(2)?;
        }
    }

    pub(super) const fn start(&self) -> i64 {
        self.first.saturating_mul(self.length)
    }

    /// The length of each interval, in seconds.
    pub(super) const fn seconds(&self) -> f64 {
        self.length as f64 / 1e9
    }

    /// What the series has in each interval; none for intervals without values.
    pub(super) fn points(&self, series: &Series) -> Vec<Option<Point>> {
        let length = Duration::from_nanos(self.length.unsigned_abs());
        let mut merged = Series::new(length, usize::MAX);
        merged.merge(series);
        let mut points = vec![None; self.count];
        for (start, point) in merged.iter() {
            let at = start.div_euclid(self.length).saturating_sub(self.first);
            if let Some(place) = usize::try_from(at).ok().and_then(|at| points.get_mut(at)) {
                *place = Some(point);
            }
        }
        points
    }

    /// The sum of the values of each interval.
    pub(super) fn sums(&self, series: &Series) -> Vec<u64> {
        self.points(series).into_iter().map(|point| point.map_or(0, |point| point.sum)).collect()
    }
}

fn nanoseconds(series: &Series) -> i64 {
    i64::try_from(series.length().as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::Grid;
    use crate::net::over_time;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn series_of_different_lengths_are_put_on_the_same_intervals() {
        let (mut long, mut short) = (over_time(), over_time());
        for second in 0..300 {
            long.add(second * SECOND, 2);
        }
        short.add(7 * SECOND, 5);
        let grid = Grid::over([&long, &short].into_iter()).unwrap();
        assert_eq!((grid.start(), grid.seconds()), (0, 2.0));
        assert_eq!((grid.sums(&long), grid.sums(&short)[3]), (vec![4; 150], 5));
        assert_eq!(grid.sums(&short).iter().sum::<u64>(), 5);
    }

    #[test]
    fn times_far_from_each_other_take_no_more_intervals() {
        let mut series = over_time();
        for time in [i64::MIN, -1, 0, i64::MAX] {
            series.add(time, 1);
        }
        let grid = Grid::over([&series].into_iter()).unwrap();
        let sums = grid.sums(&series);
        assert!(sums.len() <= 512);
        assert_eq!(sums.iter().sum::<u64>(), 4);
        assert!(Grid::over([&over_time()].into_iter()).is_none());
    }
}
