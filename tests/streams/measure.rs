//! Measures of segments: small cases, and random numbers.

use crate::common::{Numbers, written_down};
use crate::net::measure::shown;
use gdwire::net::Side::{self, First, Second};
use gdwire::net::tcp::{Meter, Segment};
use gdwire::net::{Measures, RoundTrips};
use proptest::prelude::*;

const MS: i64 = 1_000_000;

/// A meter of a connection in which the first end sends.
struct Metered(Meter);

impl Metered {
    fn new() -> Metered {
        let mut meter = Meter::new();
        meter.segment(First, Some(0), &Segment::new(99, &[]).with_syn(), None);
        Metered(meter)
    }

    fn send(&mut self, ms: i64, sequence: u32, len: usize) {
        let payload = vec![0; len];
        self.0.segment(First, Some(ms * MS), &Segment::new(sequence, &payload), Some(0));
    }

    fn acknowledge(&mut self, ms: i64, number: u32) {
        self.0.segment(Second, Some(ms * MS), &Segment::new(0, &[]), Some(number));
    }

    fn measures(&self) -> &Measures {
        self.0.measures(First)
    }

    fn round_trips(&self) -> &RoundTrips {
        &self.measures().round_trips
    }
}

#[test]
fn the_last_segment_that_is_acknowledged_is_measured() {
    let mut metered = Metered::new();
    metered.acknowledge(5, 100);
    metered.send(10, 100, 10);
    metered.send(20, 110, 10);
    metered.acknowledge(50, 120);
    metered.acknowledge(60, 120);
    let times = &metered.round_trips().times;
    assert_eq!((times.count(), times.min(), times.max()), (2, Some(5_000), Some(30_000)));
    assert_eq!(metered.0.measures(Second).acknowledgements, 3);
    // The acknowledged bytes were not seen.
    metered.acknowledge(70, 500);
    assert_eq!((metered.round_trips().times.count(), metered.round_trips().unmatched), (2, 1));
    assert_eq!((metered.measures().reliable, metered.measures().resent), (3, 0));
}

#[test]
fn at_most_256_segments_are_waited_for() {
    let mut metered = Metered::new();
    metered.acknowledge(5, 100);
    let before = metered.round_trips().times.count();
    (0..257).for_each(|number| metered.send(10, 100 + number, 1));
    metered.acknowledge(30, 356);
    metered.acknowledge(50, 357);
    assert_eq!(metered.round_trips().times.count() - before, 1);
}

#[test]
fn resent_segments_are_not_measured() {
    let mut metered = Metered::new();
    metered.send(10, 100, 10);
    metered.send(210, 100, 10);
    assert_eq!((metered.measures().resent, metered.measures().resent_bytes), (1, 10));
    assert_eq!(metered.measures().unanswered, 1);
    metered.acknowledge(230, 110);
    assert_eq!((metered.round_trips().times.count(), metered.round_trips().unmatched), (0, 0));
    assert_eq!(metered.measures().unanswered, 0);
    // A keep-alive repeats the last byte.
    metered.send(9_000, 109, 1);
    assert_eq!((metered.measures().resent, metered.measures().pings), (1, 1));
}

#[test]
fn a_gap_is_filled_by_overtaken_or_resent_segments() {
    let mut metered = Metered::new();
    metered.send(10, 110, 10);
    metered.send(11, 100, 10);
    assert_eq!((metered.measures().out_of_order, metered.measures().resent_unseen), (1, 0));
    metered.send(20, 130, 10);
    metered.send(21, 140, 10);
    metered.send(220, 120, 10);
    assert_eq!((metered.measures().out_of_order, metered.measures().resent_unseen), (1, 1));
    assert_eq!((metered.measures().reliable, metered.measures().resent), (6, 0));
    // A segment with both missing and known bytes.
    metered.send(230, 160, 10);
    metered.send(240, 145, 15);
    assert_eq!((metered.measures().resent, metered.measures().resent_bytes), (1, 5));
}

/// The time is that of a round trip, which both ends together take: 7 and 3 milliseconds. Without one,
/// it is 3 milliseconds.
#[test]
fn a_segment_is_overtaken_within_the_time_of_a_round_trip() {
    for (is_measured, within) in [(true, 10 * MS), (false, 3 * MS)] {
        for (after, expected) in [(within - 1, (1, 0)), (within, (0, 1))] {
            let mut metered = Metered::new();
            let Metered(meter) = &mut metered;
            if is_measured {
                meter.segment(Second, Some(7 * MS), &Segment::new(500, &[0; 10]), Some(100));
                meter.segment(First, Some(10 * MS), &Segment::new(100, &[]), Some(510));
            }
            meter.segment(First, Some(20 * MS), &Segment::new(110, &[0; 10]), None);
            meter.segment(First, Some(20 * MS + after), &Segment::new(100, &[0; 10]), None);
            let found = (metered.measures().out_of_order, metered.measures().resent_unseen);
            assert_eq!(found, expected, "{is_measured} {after}");
        }
    }
}

#[test]
fn measures_take_memory() {
    let heap_bytes = |has_times: bool, is_acknowledged: bool| {
        let mut meter = Meter::new();
        for at in 0..100_u32 {
            let time = |ms| has_times.then_some(i64::from(ms) * MS);
            meter.segment(First, time(at * 100), &Segment::new(at * 10, &[0; 10]), None);
            let number = is_acknowledged.then_some(at * 10 + 10);
            meter.segment(Second, time(at * 100 + at), &Segment::new(0, &[]), number);
        }
        meter.heap_bytes()
    };
    // 100 segments wait to be acknowledged, or there are round trips of up to 99 ms.
    let (none, waiting, times) =
        (heap_bytes(false, true), heap_bytes(true, false), heap_bytes(true, true));
    assert!(waiting >= none + 96 * 16, "{waiting} {none}");
    assert!(times >= none + 100 * 8, "{times} {none}");
}

#[test]
fn numbers_wrap_around() {
    let mut meter = Meter::new();
    for (at, sequence) in [(0, u32::MAX - 4), (1, 5), (2, 15), (3, 5)] {
        meter.segment(First, Some(at), &Segment::new(sequence, &[0; 10]), None);
    }
    assert_eq!((meter.measures(First).reliable, meter.measures(First).resent), (3, 1));
}

/// More than a gibibyte is not sent in one segment.
#[test]
fn a_segment_longer_than_any_window_is_not_counted() {
    for (len, expected) in [(1 << 30, 2), ((1 << 30) + 1, 1)] {
        let mut metered = Metered::new();
        let segment = Segment::new(100, &[]).with_missing(len);
        metered.0.segment(First, Some(0), &segment, None);
        assert_eq!(metered.measures().reliable, expected, "{len}");
    }
}

#[test]
fn the_ends_of_a_connection_are_counted_once() {
    let mut metered = Metered::new();
    let fin = Segment::new(100, &[]).with_fin();
    metered.0.segment(First, Some(MS), &fin, None);
    metered.0.segment(First, Some(300 * MS), &fin, None);
    assert_eq!((metered.measures().disconnects, metered.measures().resent), (1, 1));
    metered.0.segment(Second, Some(301 * MS), &Segment::new(0, &[]).with_reset(), None);
    assert_eq!(metered.0.measures(Second).disconnects, 1);
}

fn story(seed: u32) -> String {
    let mut numbers = Numbers::new(seed);
    let base = numbers.one_of(&[1_000, u32::MAX - 40]);
    let stride = numbers.one_of(&[4_u32, 10, 20, 1 << 16, 1 << 30]);
    let (mut now, mut meter) = (0, Meter::new());
    for step in 0..numbers.one_of(&[12, 40, 330]) {
        now += numbers.one_of(&[0, 100_000, 1_000_000, 2_999_999, 3_000_000, 40_000_000]);
        let back = numbers.one_of(&[0, 0, 0, 1, 3, 17]).min(step);
        let sequence = base
            .wrapping_add(stride.wrapping_mul(step - back))
            .wrapping_add(numbers.one_of(&[0, 0, 0, 3]));
        let payload = &[0; 40][..numbers.one_of(&[1, 10, 10, 10, 20, 40])];
        let acknowledged =
            base.wrapping_add(stride.wrapping_mul(step.saturating_sub(numbers.below(4))));
        let segment = Segment::new(sequence, payload);
        let (from, segment) = match numbers.below(24) {
            0 if step > 9 => (First, segment.with_fin()),
            1 if step > 9 => (First, Segment::new(sequence, &[]).with_reset()),
            2 => (First, Segment::new(sequence, &[]).with_syn()),
            3 => (First, segment.with_missing(3)),
            4 => (First, Segment::new(sequence.wrapping_sub(1), &[0])),
            5..15 => (First, segment),
            _ => (Second, Segment::new(step, &payload[..numbers.one_of(&[0, 0, 1])])),
        };
        let captured = (numbers.below(12) > 0).then_some(now);
        let number = (numbers.below(6) > 0).then_some(acknowledged);
        meter.segment(from, captured, &segment, number);
    }
    shown(meter.measures(First)) + " | " + &shown(meter.measures(Second))
}

#[test]
fn segments_in_any_order_are_measured_as_is_written_down() {
    let stories: Vec<_> = (1..250).map(story).collect();
    written_down("tests/streams/measures.txt", &(stories.join("\n") + "\n"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_numbers_and_times_are_measured_within_bounds(
        segments in prop::collection::vec(
            (
                any::<bool>(), any::<Option<i64>>(), 0_u8..16,
                prop_oneof![0_u32..200, any::<u32>()], 0_usize..40,
                prop_oneof![0_u32..200, any::<u32>()],
            ),
            1..600,
        ),
    ) {
        let mut meter = Meter::new();
        for (is_first, time, flags, sequence, len, acknowledgement) in &segments {
            let payload = vec![0; *len];
            let segment = match flags {
                0 => Segment::new(*sequence, &payload).with_syn(),
                1 => Segment::new(*sequence, &payload).with_fin(),
                2 => Segment::new(*sequence, &payload).with_reset(),
                3 => Segment::new(*sequence, &payload).with_missing(usize::MAX),
                _ => Segment::new(*sequence, &payload),
            };
            let side: Side = if *is_first { First } else { Second };
            meter.segment(side, *time, &segment, Some(*acknowledgement));
        }
        prop_assert!(meter.heap_bytes() <= 60 << 10, "{}", meter.heap_bytes());
        for side in [First, Second] {
            let measures = meter.measures(side);
            let seen = segments.len() as u64;
            prop_assert!(measures.round_trips.times.count() + measures.round_trips.unmatched <= seen);
            prop_assert!(measures.round_trips.times.max().is_none_or(|max| max <= 60_000_000));
            prop_assert!(measures.resent + measures.out_of_order + measures.resent_unseen <= seen);
        }
    }
}
