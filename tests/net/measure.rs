//! Histograms and series: bounded, and close to the values that were counted.

use gdwire::measure::{Histogram, Series};
use proptest::prelude::*;
use std::time::Duration;

/// Values of all sizes.
fn values() -> impl Strategy<Value = Vec<u64>> {
    let value = prop_oneof![0_u64..40, 0_u64..2_000, any::<u64>(), Just(u64::MAX)];
    prop::collection::vec(value, 1..300)
}

fn histogram(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|value| histogram.add(*value));
    histogram
}

#[test]
fn an_empty_histogram_has_no_quantiles() {
    let empty = Histogram::new();
    let all = (empty.count(), empty.min(), empty.quantile(0.5), empty.max(), empty.mean());
    assert_eq!(all, (0, None, None, None, None));
    let mut merged = empty.clone();
    merged.merge(&empty);
    assert_eq!((merged == empty, merged.heap_bytes()), (true, 0));
}

#[test]
fn a_series_keeps_its_limit_whatever_the_times_are() {
    let mut series = Series::new(Duration::from_millis(1), 8);
    for time in [0, 1_000_000, i64::MAX, i64::MIN, -1, 5_000_000_000] {
        series.add(time, 3);
    }
    for second in 0..1_000 {
        series.add(second * 1_000_000_000, 7);
        assert!(series.iter().count() <= 8);
    }
    assert_eq!(series.iter().map(|(_, point)| point.count).sum::<u64>(), 1_006);
    let starts: Vec<_> = series.iter().map(|(start, _)| start).collect();
    assert!(starts.is_sorted());
    let mut single = Series::new(Duration::ZERO, 0);
    (0..100).for_each(|time| single.add(time, 1));
    assert_eq!(single.iter().map(|(_, point)| point.count).sum::<u64>(), 100);
}

/// Times in nanoseconds, and a value for each.
fn timed() -> impl Strategy<Value = Vec<(i64, u64)>> {
    prop::collection::vec((-5_000_000_000_i64..500_000_000_000, 0_u64..100), 1..300)
}

proptest! {
    #[test]
    fn quantiles_are_close(values in values(), share in 0.0_f64..=1.0) {
        let histogram = histogram(&values);
        let mut sorted = values;
        sorted.sort_unstable();
        prop_assert_eq!(histogram.count(), sorted.len() as u64);
        prop_assert_eq!(histogram.min(), sorted.first().copied());
        prop_assert_eq!(histogram.max(), sorted.last().copied());
        let rank = ((share * sorted.len() as f64).ceil() as usize).max(1);
        let (exact, close) = (sorted[rank - 1] as f64, histogram.quantile(share).unwrap() as f64);
        prop_assert!((exact - close).abs() <= exact * 0.032, "{} {}", exact, close);
        prop_assert!(histogram.heap_bytes() <= 8 << 10);
        for (values, _) in histogram.buckets() {
            prop_assert!(values.start() <= values.end());
        }
    }

    #[test]
    fn merged_histograms_are_those_of_all_values(one in values(), other in values()) {
        let mut merged = histogram(&one);
        merged.merge(&histogram(&other));
        prop_assert_eq!(merged, histogram(&[one, other].concat()));
    }

    #[test]
    fn a_series_has_every_value_once(times in timed()) {
        let mut series = Series::new(Duration::from_secs(1), 50);
        times.iter().for_each(|(time, value)| series.add(*time, *value));
        let length = series.length().as_nanos() as i64;
        for (start, point) in series.iter() {
            let within = times.iter().filter(|(time, _)| (start..start + length).contains(time));
            let within: Vec<_> = within.map(|(_, value)| *value).collect();
            prop_assert_eq!(point.count, within.len() as u64);
            prop_assert_eq!(Some(point.min), within.iter().min().copied());
            prop_assert_eq!(Some(point.max), within.iter().max().copied());
            prop_assert_eq!(point.sum, within.iter().sum::<u64>());
        }
        prop_assert!(series.iter().count() <= 50);
    }

    #[test]
    fn merged_series_are_those_of_all_values(one in timed(), other in timed()) {
        let series = |values: &[(i64, u64)]| {
            let mut series = Series::new(Duration::from_secs(1), 50);
            values.iter().for_each(|(time, value)| series.add(*time, *value));
            series
        };
        let mut merged = series(&one);
        merged.merge(&series(&other));
        prop_assert_eq!(merged, series(&[one, other].concat()));
    }
}
