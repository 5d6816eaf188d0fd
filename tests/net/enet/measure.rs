//! Measures of datagrams: small cases, and forged datagrams.

use super::assemble::*;
use crate::common::{Numbers, written_down};
use crate::net::measure::shown;
use gdwire::net::Measures;
use gdwire::net::Side::{self, First, Second};
use gdwire::net::enet::{Datagram, Meter};
use proptest::prelude::*;

/// A meter and a clock in milliseconds.
struct Metered(Meter);

impl Metered {
    fn new() -> Metered {
        Metered(Meter::new())
    }

    /// Passes commands that were sent and captured at a time to the meter.
    fn send(&mut self, from: Side, ms: u16, commands: &[Vec<u8>]) {
        self.receive(from, ms.into(), &datagram_at(ms, commands));
    }

    fn receive(&mut self, from: Side, ms: i64, datagram: &[u8]) {
        self.0.datagram(from, Some(ms * 1_000_000), &Datagram::parse(datagram).unwrap());
    }

    fn first(&self) -> &Measures {
        self.0.measures(First)
    }

    /// The shortest and the longest round trip of commands of the first end, in milliseconds.
    fn round_trips(&self) -> Option<(u64, u64)> {
        let times = &self.first().round_trips.times;
        Some((times.min()? / 1_000, times.max()? / 1_000))
    }
}

#[test]
fn each_copy_has_its_own_round_trip() {
    let mut metered = Metered::new();
    metered.send(First, 10, &[reliable(1, 1, b"hello")]);
    metered.send(First, 110, &[reliable(1, 1, b"hello")]);
    assert_eq!((metered.first().reliable, metered.first().resent), (1, 1));
    assert_eq!((metered.first().resent_bytes, metered.first().unanswered), (5, 1));
    metered.send(Second, 150, &[acknowledge_at(110, 1, 1)]);
    assert_eq!((metered.round_trips(), metered.first().unanswered), (Some((40, 40)), 0));
    metered.send(Second, 160, &[acknowledge_at(10, 1, 1), acknowledge_at(10, 1, 1)]);
    assert_eq!(metered.round_trips(), Some((40, 150)));
    assert_eq!(metered.first().round_trips.times.count(), 2);
    assert_eq!(metered.first().round_trips.unmatched, 0);
    assert_eq!(metered.0.measures(Second).acknowledgements, 3);
}

#[test]
fn forged_acknowledgements_are_counted_and_not_measured() {
    let mut metered = Metered::new();
    metered.send(First, 1_000, &[reliable(1, 1, b"a"), reliable(1, 2, b"b")]);
    let forged =
        [acknowledge_at(999, 1, 1), acknowledge_at(1_000, 2, 1), acknowledge_at(1_000, 1, 9)];
    metered.send(Second, 1_001, &forged);
    assert_eq!((metered.round_trips(), metered.first().round_trips.unmatched), (None, 3));
    // Captured before the command that it acknowledges.
    metered.receive(Second, 900, &datagram(&[acknowledge_at(1_000, 1, 1)]));
    // More than a minute later.
    metered.receive(Second, 62_000, &datagram(&[acknowledge_at(1_000, 1, 2)]));
    assert_eq!((metered.round_trips(), metered.first().round_trips.unmatched), (None, 5));
    // Without times nothing can be measured.
    let (sent, answer) = (one(reliable(1, 3, b"c")), one(acknowledge(1, 3)));
    metered.0.datagram(First, None, &Datagram::parse(&sent).unwrap());
    metered.0.datagram(Second, None, &Datagram::parse(&answer).unwrap());
    assert_eq!((metered.round_trips(), metered.first().round_trips.unmatched), (None, 6));
}

#[test]
fn an_overtaken_command_does_not_count_as_resent() {
    let mut metered = Metered::new();
    metered.send(First, 10, &[reliable(1, 0xffff, b"a")]);
    metered.send(First, 30, &[reliable(1, 2, b"d")]);
    metered.send(First, 20, &[reliable(1, 0, b"b")]);
    assert_eq!((metered.first().out_of_order, metered.first().resent_unseen), (1, 0));
    metered.send(First, 90, &[reliable(1, 1, b"c")]);
    assert_eq!((metered.first().out_of_order, metered.first().resent_unseen), (1, 1));
    // The capture has this datagram twice.
    metered.send(First, 90, &[reliable(1, 1, b"c")]);
    assert_eq!((metered.first().resent, metered.first().doubled), (0, 1));
    assert_eq!(metered.first().reliable, 4);
}

#[test]
fn unreliable_messages_overtake_each_other() {
    let mut metered = Metered::new();
    let messages = [
        unsequenced(0, 1, b"a"),
        unsequenced(0, 3, b"c"),
        unsequenced(0, 2, b"b"),
        unreliable(1, 7, 1, b"a"),
        unreliable(1, 7, 3, b"c"),
        unreliable(1, 7, 2, b"b"),
        unreliable(1, 8, 1, b"d"),
        unreliable(1, 7, 4, b"e"),
    ];
    metered.send(First, 1, &messages);
    assert_eq!((metered.first().out_of_order, metered.first().doubled), (3, 0));
    metered.send(First, 2, &messages[..1]);
    assert_eq!((metered.first().out_of_order, metered.first().doubled), (3, 1));
    // The fragments of a message share its number.
    let message = [5; 90];
    let fragments = parts(&message, 30, 2).into_iter().map(|part| part.unreliable(1, 8));
    metered.send(First, 3, &fragments.collect::<Vec<_>>());
    assert_eq!((metered.first().out_of_order, metered.first().doubled), (3, 1));
}

#[test]
fn commands_of_the_protocol_are_counted_once() {
    let mut metered = Metered::new();
    let throttle = throttle_configure(2, [5_000, 2, 3]);
    metered.send(First, 1, &[ping(1), throttle.clone(), bandwidth_limit(3, 100, 200)]);
    metered.send(First, 500, &[throttle, disconnect(4, 0)]);
    let measures = metered.first();
    assert_eq!((measures.pings, measures.throttlings, measures.disconnects), (1, 2, 1));
    assert_eq!(measures.throttle.unwrap().deceleration, 3);
    assert_eq!(measures.bandwidth.unwrap().outgoing, 200);
    assert_eq!((measures.reliable, measures.resent), (4, 1));
}

#[test]
fn commands_to_an_end_that_falls_silent_stay_unanswered() {
    let mut metered = Metered::new();
    metered.send(Second, 0, &[ping(1)]);
    for ms in [10, 500, 1_500, 3_500] {
        metered.send(First, ms, &[reliable(0, 1, b"?")]);
    }
    assert_eq!(metered.first().unanswered, 3);
    assert_eq!(metered.0.measures(Second).unanswered, 0);
}

#[test]
fn numbers_restart_with_another_connection() {
    let mut metered = Metered::new();
    metered.receive(First, 0, &CONNECTING.connect());
    metered.send(First, 10, &[reliable(0, 1, b"a"), reliable(0, 2, b"b")]);
    metered.receive(First, 20, &Connecting { id: 8, ..CONNECTING }.connect());
    metered.send(First, 30, &[reliable(0, 1, b"a")]);
    assert_eq!((metered.first().reliable, metered.first().resent), (5, 0));
}

fn story(seed: u32) -> String {
    let mut numbers = Numbers::new(seed);
    let (base, mut ms, mut meter) = (numbers.one_of(&[0, 50, 0xfff0_u16]), 0_u16, Meter::new());
    let mut sent = vec![(0, 0, 0)];
    let mut lines = Vec::new();
    for step in 0..numbers.one_of(&[20, 90, 300_u16]) {
        ms = ms.wrapping_add(numbers.one_of(&[0, 1, 3, 40, 500]));
        let from = numbers.one_of(&[First, First, Second]);
        let ahead = numbers.one_of(&[step / 3, step / 2, step, step.wrapping_sub(150)]);
        let at = base.wrapping_add(ahead).wrapping_add(numbers.below(5) as u16);
        let channel = numbers.below(3) as u8;
        let sent_time = numbers.one_of(&[ms, ms, ms.wrapping_sub(20)]);
        let (again, few) = (sent[numbers.below(sent.len() as u32) as usize], numbers.below(4));
        let command = match numbers.below(20) {
            0..4 => reliable(channel, at, &b"message"[..few as usize]),
            4 => reliable(again.1, again.2, b"again"),
            5 => parts(&[1; 20], 8, at)[(few % 3) as usize].reliable(channel),
            6 => parts(&[1; 20], 8, few as u16)[(few % 3) as usize].unreliable(channel, at),
            7 => unreliable(channel, at, few as u16, b"u"),
            8 => unsequenced(channel, at, b"g"),
            9 => ping(at),
            10 => bandwidth_limit(at, few, 2),
            11 => throttle_configure(at, [few, 2, 2]),
            12 if step > 50 => disconnect(at, 0),
            13 if step % 4 == 0 => {
                let id = u32::from(step / 100);
                let datagram = Connecting { id, ..CONNECTING }.connect();
                meter.datagram(from, None, &Datagram::parse(&datagram).unwrap());
                continue;
            }
            14 => acknowledge_at(ms, channel, at),
            _ => acknowledge_at(again.0, again.1, again.2),
        };
        sent.push((sent_time, channel, at));
        let captured = (few > 0 || step % 8 > 0).then_some(i64::from(ms) * 1_000_000);
        let datagram = datagram_at(sent_time, &[command]);
        meter.datagram(from, captured, &Datagram::parse(&datagram).unwrap());
        if step % 75 == 19 {
            lines.push(shown(meter.measures(First)) + " | " + &shown(meter.measures(Second)));
        }
    }
    lines.join("\n")
}

#[test]
fn datagrams_in_any_order_are_measured_as_is_written_down() {
    let stories: Vec<_> = (1..160).map(story).collect();
    written_down("tests/net/enet/measures.txt", &(stories.join("\n") + "\n"));
}

/// A command of either kind, with numbers that often collide.
fn commands() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![0_u16..12, 0xfff8_u16..=0xffff, any::<u16>()];
    let fields = (0_u8..6, 0_u8..255, number.clone(), number, prop_oneof![0_u16..4, any::<u16>()]);
    fields.prop_map(|(kind, channel, sequence, number, sent_time)| match kind {
        0 | 1 => reliable(channel, sequence, b"x"),
        2 => unreliable(channel, sequence, number, b"x"),
        3 => unsequenced(channel, sequence, b"x"),
        4 => ping(sequence),
        _ => acknowledge_at(sent_time, channel, sequence),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn any_numbers_and_times_are_measured_within_bounds(
        datagrams in prop::collection::vec(
            (any::<bool>(), any::<Option<i64>>(), 0_u16..4, prop::collection::vec(commands(), 1..40)),
            1..80,
        ),
    ) {
        let mut meter = Meter::new();
        for (is_first, time, sent_time, commands) in &datagrams {
            let datagram = datagram_at(*sent_time, commands);
            let side = if *is_first { First } else { Second };
            meter.datagram(side, *time, &Datagram::parse(&datagram).unwrap());
        }
        prop_assert!(meter.heap_bytes() <= 160 << 10, "{}", meter.heap_bytes());
        for side in [First, Second] {
            let (sent, answered) = (meter.measures(side), meter.measures(side.other()));
            let measured = sent.round_trips.times.count() + sent.round_trips.unmatched;
            prop_assert!(measured <= answered.acknowledgements);
            prop_assert!(sent.round_trips.times.max().is_none_or(|max| max <= 60_000_000));
            prop_assert!(sent.out_of_order + sent.resent_unseen + sent.resent <= 80 * 40);
        }
    }
}
