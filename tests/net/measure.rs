//! Histograms and series: bounded, and close to the values that were counted.

use gdwire::measure::{Histogram, Series};
use gdwire::net::Measures;
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
    assert_eq!(empty, Histogram::default());
    // Without values, it changes nothing of another one.
    let mut merged = histogram(&[5, 7]);
    merged.merge(&empty);
    assert_eq!(merged, histogram(&[5, 7]));
    merged = empty;
    merged.merge(&histogram(&[5, 7]));
    assert_eq!(merged, histogram(&[5, 7]));
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

#[test]
fn values_below_32_are_exact_and_larger_ones_share_buckets() {
    let values = [0, 1, 31, 32, 33, 34, 63, 64, 67, 1 << 20, u64::MAX];
    let buckets: Vec<_> =
        histogram(&values).buckets().map(|(it, n)| (it.into_inner(), n)).collect();
    let (exact, last) = ([0, 1, 31].map(|it| ((it, it), 1)), 0xf8 << 56);
    assert_eq!(buckets[..3], exact);
    assert_eq!(buckets[3..6], [((32, 33), 2), ((34, 35), 1), ((62, 63), 1)]);
    assert_eq!(buckets[6..], [((64, 67), 2), ((1 << 20, 0x10_ffff), 1), ((last, u64::MAX), 1)]);
    let spread = histogram(&[3; 20]).spread().unwrap();
    assert_eq!(spread.values(), [3; 4]);
    let hundred: Vec<u64> = (0..100).map(|it| it % 25).collect();
    let hundred = histogram(&hundred);
    assert_eq!(hundred.spread().unwrap().values(), [0, 12, 23, 24]);
    assert_eq!((hundred.mean(), hundred.heap_bytes()), (Some(12.0), 25 * 8));
    assert_eq!(
        [-1.0, 0.0, 0.04, 0.041, 1.0, 2.0].map(|it| hundred.quantile(it).unwrap()),
        [0, 0, 0, 1, 24, 24]
    );
    let mut series = Series::new(Duration::from_millis(2), 2);
    for (at, value) in [(5, 1), (1_999_999, 4), (2_000_000, 7)] {
        series.add(at, value);
    }
    let points =
        |it: &Series| it.iter().map(|(at, it)| (at, it.sum, it.mean())).collect::<Vec<_>>();
    assert_eq!(points(&series), [(0, 5, 2.5), (2_000_000, 7, 7.0)]);
    series.add(-1, 2);
    assert_eq!(points(&series), [(-4_000_000, 2, 2.0), (0, 12, 4.0)]);
    assert_eq!(series.length(), Duration::from_millis(4));
}

/// The measures of one end, for a file with what was expected.
pub(crate) fn shown(it: &Measures) -> String {
    let times = &it.round_trips.times;
    let over = |series: &Series| series.iter().map(|(_, point)| point.sum).sum::<u64>();
    let times = (times.count(), times.min(), times.max(), over(&it.round_trips.over_time));
    let resent = (it.resent, it.resent_bytes, it.resent_unseen, over(&it.resent_over_time));
    let counts = [it.reliable, it.doubled, it.out_of_order, it.acknowledgements, it.unanswered];
    let others = [it.pings, it.disconnects, it.throttlings, it.round_trips.unmatched];
    let settings = (it.bandwidth.map(|it| it.incoming), it.throttle.map(|it| it.interval));
    let line = format!("{times:?} {resent:?} {counts:?} {others:?} {settings:?}");
    line.replace(", ", " ").replace("None", "-").replace("Some", "")
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
