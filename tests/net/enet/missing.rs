//! Missing unreliable messages, which gaps in the sequence numbers show.

use super::assemble::*;
use super::recorded::{Flow, RPC, VALUES, flows, watch};
use crate::common::{Sent, corpus, lines};
use gdwire::capture::Capture;
use gdwire::net::Between;
use gdwire::net::Side::{self, First, Second};
use gdwire::net::enet::{
    Body, Datagram, DatagramDecompressor, LossReason, Lost, Mode, Session, SessionEvent,
    SessionLimits,
};
use gdwire::packet::Payload;
use std::collections::{BTreeMap, BTreeSet};

/// The sender and, for unreliable messages, the channel.
type Lane = (Side, Option<u8>);

/// The numbers of the messages in each lane: the number of the reliable message before each, and
/// its own.
type Numbers = BTreeMap<Lane, BTreeSet<(u16, u16)>>;

fn numbers(flow: &[(Side, Vec<u8>)]) -> Numbers {
    let mut numbers = Numbers::new();
    let (mut decoder, mut buffer) = (DatagramDecompressor::new(), Vec::new());
    for (side, bytes) in flow {
        let datagram = Datagram::parse_with(bytes, &mut decoder, &mut buffer).unwrap();
        for command in datagram.commands() {
            let (channel, number) = match command.body {
                Body::SendUnreliable { unreliable_sequence, .. } => {
                    (Some(command.channel), (command.sequence, unreliable_sequence))
                }
                Body::SendUnreliableFragment(it) => {
                    (Some(command.channel), (command.sequence, it.start_sequence))
                }
                Body::SendUnsequenced { group, .. } => (None, (0, group)),
                _ => continue,
            };
            numbers.entry((*side, channel)).or_default().insert(number);
        }
    }
    numbers
}

/// How many numbers are missing in each lane, before later numbers after the same reliable message.
fn gaps(numbers: &Numbers) -> BTreeMap<Lane, usize> {
    let gaps = numbers.iter().map(|(lane, numbers)| {
        let mut highest = BTreeMap::new();
        for (reliable, number) in numbers {
            highest.insert(reliable, usize::from(*number));
        }
        (*lane, highest.into_values().sum::<usize>() - numbers.len())
    });
    gaps.filter(|(_, count)| *count > 0).collect()
}

/// How many messages are reported as missing in each lane.
fn reported(watched: &Watched) -> BTreeMap<Lane, usize> {
    let mut reported = BTreeMap::new();
    for loss in &watched.lost {
        let Lost::Missing { mode, count } = loss.lost else { continue };
        if mode != Mode::Reliable {
            assert_eq!(loss.reason, LossReason::NotSeen);
            assert_eq!(mode == Mode::Unsequenced, loss.channel.is_none());
            *reported.entry((loss.from, loss.channel)).or_default() += count as usize;
        }
    }
    reported
}

/// The datagrams of a game over a network that loses some. The client is the first side.
fn lossy(side: &str, server: u16) -> Flow {
    let name = format!("godot4-game-enet-lossy-{side}-side.pcapng");
    let file = std::fs::read(corpus("captures").join(name)).unwrap();
    let mut flow = Flow::new();
    for packet in Capture::new(&file).unwrap() {
        if let Payload::Udp(datagram) = packet.unwrap().payload() {
            let side = if datagram.dst.port() == server { First } else { Second };
            flow.push((side, datagram.payload.to_vec()));
        }
    }
    flow
}

#[test]
fn a_lossy_network_loses_what_is_reported() {
    // The capture of each side has everything that its own end sent, and everything that arrived
    // there.
    let sides = [(First, lossy("client", 7790)), (Second, lossy("server", 7777))];
    let captured = sides.each_ref().map(|(side, flow)| (*side, numbers(flow)));
    for (side, flow) in &sides {
        let reported = reported(&watch(flow));
        let [own, other] = [*side, side.other()]
            .map(|side| &captured.iter().find(|(captured, _)| *captured == side).unwrap().1);
        assert_eq!(reported, gaps(own), "{side:?}");
        let mut lost = 0;
        for (lane, sent) in other.iter().filter(|((from, _), _)| from != side) {
            let arrived = &own[lane];
            let is_certain = |(reliable, number): &&(u16, u16)| {
                arrived.range((*reliable, *number)..=(*reliable, u16::MAX)).next().is_some()
            };
            let missing = sent.difference(arrived);
            assert!(arrived.is_subset(sent));
            lost += missing.clone().count();
            let certain = missing.filter(is_certain).count();
            assert_eq!(reported.get(lane).copied().unwrap_or(0), certain, "{side:?} {lane:?}");
        }
        assert_eq!(reported.values().sum::<usize>(), lost, "{side:?}");
        assert!(reported.keys().all(|(from, _)| from != side), "{side:?}");
        assert!(lost > 0, "{side:?}");
    }
}

/// A number of an unreliable message or a group, and when it was sent, in nanoseconds.
type SentAt = BTreeMap<(u16, u16), i64>;

/// The interval of each loss is where the sender sent the message, as the capture of the other side
/// shows: after what arrived before, which took up to 40 ms, and before what arrived next.
#[test]
fn a_loss_is_dated_by_the_messages_around_it() {
    const DELAY: i64 = 50_000_000;
    let sides = [(First, lossy("client", 7790)), (Second, lossy("server", 7777))];
    // The client lost three messages.
    for ((side, flow), (count, least_spread)) in sides.iter().zip([(17, 6), (3, 2)]) {
        let other = side.other();
        let (_, sender) = sides.iter().find(|(captured, _)| *captured == other).unwrap();
        let mut sent: BTreeMap<Lane, SentAt> = BTreeMap::new();
        for ((from, bytes), time) in sender.iter().zip(times(other)) {
            for (lane, numbers) in numbers(&[(*from, bytes.clone())]) {
                for number in numbers {
                    sent.entry(lane).or_default().insert(number, time);
                }
            }
        }
        let mut lost: BTreeMap<Lane, Vec<(u32, Between<i64>)>> = BTreeMap::new();
        let mut session = Session::new(SessionLimits::default());
        let mut take = |event: SessionEvent<'_, i64>| {
            if let SessionEvent::Lost(loss, between) = event
                && let Lost::Missing { count, .. } = loss.lost
            {
                lost.entry((loss.from, loss.channel)).or_default().push((count, *between));
            }
        };
        for ((from, bytes), time) in flow.iter().zip(times(*side)) {
            session.receive_tagged(*from, bytes, 0, time, &mut take).unwrap();
        }
        session.finish(&mut take);
        let arrived = numbers(flow);
        let mut dates = Vec::new();
        for (lane, losses) in lost {
            let arrived = &arrived[&lane];
            let mut missing = sent[&lane].iter().filter(|(number, _)| !arrived.contains(number));
            for (count, between) in losses {
                let (after, before) = (between.after.unwrap(), between.before.unwrap());
                dates.push(before);
                for _ in 0..count {
                    let (number, time) = missing.next().unwrap();
                    assert!((after - DELAY..before).contains(time), "{lane:?} {number:?}");
                    // The channel with the fewest messages has some every three seconds.
                    assert!(before - after < 3_000_000_000, "{lane:?} {number:?}");
                }
            }
        }
        // All of them are given up at the end, or shortly before.
        dates.sort_unstable();
        dates.dedup();
        assert_eq!(dates.len(), count, "{side:?}");
        let spread = dates[count - 1] - dates[0];
        assert!(spread > least_spread * 1_000_000_000, "{side:?} {spread}");
    }
}

/// When each datagram of a side was captured, in nanoseconds.
fn times(side: Side) -> Vec<i64> {
    let name = if side == First { "client" } else { "server" };
    let name = format!("godot4-game-enet-lossy-{name}-side.pcapng");
    let file = std::fs::read(corpus("captures").join(name)).unwrap();
    let packets = Capture::new(&file).unwrap().map(Result::unwrap);
    let packets = packets.filter(|packet| matches!(packet.payload(), Payload::Udp(_)));
    packets.map(|packet| packet.time.unwrap().as_nanos()).collect()
}

/// A reliable message that the other end has not acknowledged when the connection ends was not
/// delivered. If it has, the capture lacks the message.
#[test]
fn acknowledgements_tell_what_was_not_delivered_from_what_was_not_captured() {
    let messages = |watched: &mut Watched, from, numbers: &[u16]| {
        for number in numbers {
            watched.receive(from, &one(reliable(1, *number, b"message")));
        }
    };
    let texts = |watched: &mut Watched| {
        watched.finish();
        watched.lost.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let one_lost = "a reliable message or fragment on channel 1: ";
    let [not_captured, not_delivered] =
        ["not seen", "not delivered before the end"].map(|reason| format!("{one_lost}{reason}"));
    for (acknowledged, expected) in [
        // Nothing shows that the acknowledgements of the other end were captured.
        (&[][..], vec!["2 reliable messages or fragments on channel 1: not seen"]),
        (
            &[1, 4],
            vec!["2 reliable messages or fragments on channel 1: not delivered before the end"],
        ),
        (&[1, 2, 4], vec![&*not_captured, &*not_delivered]),
        (&[1, 2, 3], vec!["2 reliable messages or fragments on channel 1: not seen"]),
    ] {
        let mut watched = first([]);
        messages(&mut watched, First, &[1, 4]);
        for number in acknowledged {
            watched.receive(Second, &one(acknowledge(1, *number)));
        }
        assert_eq!(texts(&mut watched), expected, "{acknowledged:?}");
    }
    // An acknowledgement may have been in a datagram that was captured only in part.
    let mut watched = first([]);
    messages(&mut watched, First, &[1, 3]);
    watched.receive(Second, &one(acknowledge(1, 1)));
    let cut = one(acknowledge(1, 2));
    watched.run(|session, sink| session.receive_cut(Second, &cut[..5], 5, sink)).unwrap();
    assert_eq!(texts(&mut watched).last(), Some(&not_captured));
}

/// On a slow connection, ENet drops some messages before it sends them.
#[test]
fn messages_that_enet_did_not_send_are_reported() {
    for name in VALUES {
        let stem = name.split('.').next().unwrap();
        let sent: Vec<Sent> = lines(&format!("captures/{stem}.ndjson"));
        let dropped = sent.iter().filter(|sent| !sent.delivered).count();
        let flow = flows(name).into_values().next().unwrap();
        assert_eq!(reported(&watch(&flow)).values().sum::<usize>(), dropped, "{name}");
    }
}

/// The recorded connections.
fn connections() -> impl Iterator<Item = (&'static str, Flow)> {
    let names = VALUES.into_iter().chain(RPC);
    let flows = names.flat_map(|name| flows(name).into_values().map(move |flow| (name, flow)));
    flows.chain([("client", lossy("client", 7790)), ("server", lossy("server", 7777))])
}

#[test]
fn exactly_the_messages_of_datagrams_that_are_dropped_are_reported() {
    let mut count = 0;
    for (name, flow) in connections() {
        let step = if cfg!(debug_assertions) { 23 } else { 1 };
        for dropped in (2..flow.len()).step_by(step) {
            let mut flow = flow.clone();
            flow.remove(dropped);
            let gaps = gaps(&numbers(&flow));
            assert_eq!(reported(&watch(&flow)), gaps, "{name} {dropped}");
            count += gaps.values().sum::<usize>();
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn messages_in_another_order_are_not_missing() {
    for (name, flow) in connections() {
        for window in [5, 64] {
            for rotated in [1, window / 2] {
                let mut flow = flow.clone();
                for datagrams in flow[2..].chunks_mut(window) {
                    let by = rotated.min(datagrams.len());
                    datagrams.rotate_left(by);
                }
                let gaps = gaps(&numbers(&flow));
                assert_eq!(reported(&watch(&flow)), gaps, "{name} {window} {rotated}");
            }
        }
    }
}

#[test]
fn a_capture_that_begins_in_the_middle_reports_only_what_is_missing_in_it() {
    for (name, flow) in connections() {
        for start in (3..flow.len()).step_by(37) {
            let flow = &flow[start..];
            let gaps = gaps(&numbers(flow));
            for (lane, count) in reported(&watch(flow)) {
                assert!(count <= gaps[&lane], "{name} {start} {lane:?}");
            }
        }
    }
    // Messages before the first one are not known to be missing.
    let mut watched = Watched::new();
    for (reliable, number) in [(7, 9), (7, 4), (7, 12), (9, 3)] {
        watched.receive(First, &one(unreliable(1, reliable, number, b"")));
        watched.receive(First, &one(unsequenced(1, 100 * reliable + number, b"")));
    }
    watched.finish();
    // The missing numbers: 710, 711 and 713 to 902; 10, 11, 1 and 2.
    let expected = [((First, None), 2 + 190), ((First, Some(1)), 2 + 2)];
    assert_eq!(reported(&watched), BTreeMap::from(expected));
}

fn first(numbers: impl IntoIterator<Item = Vec<u8>>) -> Watched {
    let mut watched = Watched::new();
    watched.receive(First, &CONNECTING.connect());
    for command in numbers {
        watched.receive(First, &one(command));
    }
    watched
}

#[test]
fn a_loss_is_reported_after_waiting_for_the_message() {
    let wait = |watched: &mut Watched, datagrams| {
        for _ in 0..datagrams {
            watched.receive(Second, &one(ping(1)));
        }
    };
    let mut watched = first([unreliable(2, 0, 2, b""), unsequenced(3, 4, b"")]);
    wait(&mut watched, 1_000);
    assert_eq!(watched.lost, []);
    wait(&mut watched, 50);
    let texts: Vec<_> = watched.lost.iter().map(ToString::to_string).collect();
    let expected =
        ["an unreliable message on channel 2: not seen", "3 unsequenced messages: not seen"];
    assert_eq!(texts, expected);
    // A message that arrives after all is returned.
    watched.given.clear();
    watched.receive(First, &one(unreliable(2, 0, 1, b"late")));
    assert_eq!(watched.texts(), ["late"]);
    watched.finish();
    assert_eq!(watched.lost.len(), 2);

    let limits = SessionLimits::default().with_patience(0);
    let mut watched = Watched::with_limits(limits);
    watched.receive(First, &one(unsequenced(0, 1, b"")));
    watched.receive(First, &one(unsequenced(0, 3, b"")));
    wait(&mut watched, 8);
    assert_eq!(watched.lost.len(), 1);
}

#[test]
fn numbers_restart_after_reliable_messages_and_groups_wrap() {
    let channel = [(0, 1), (0, 2), (1, 1), (3, 1), (3, 3), (3, 2), (0, 3)];
    let mut watched = first(channel.map(|(reliable, number)| unreliable(1, reliable, number, b"")));
    watched.finish();
    assert_eq!(reported(&watched), BTreeMap::new());
    // The reliable numbers wrap, too.
    let mut watched = Watched::new();
    for (reliable, number) in [(0xfffe, 1), (0xffff, 2), (0, 2), (2, 1)] {
        watched.receive(First, &one(unreliable(1, reliable, number, b"")));
    }
    watched.finish();
    assert_eq!(reported(&watched), BTreeMap::from([((First, Some(1)), 2)]));

    let mut watched = first((1..=70_000_u32).filter(|it| it % 10_000 != 0).map(|number| {
        let group = if number % 2 == 0 { number - 1 } else { number + 1 };
        unsequenced(0, group as u16, b"")
    }));
    watched.finish();
    assert_eq!(reported(&watched), BTreeMap::from([((First, None), 7)]));
    // ENet treats numbers that are far away as old.
    let mut watched = first([1, 2, 40_000, 40_001, 1].map(|group| unsequenced(0, group, b"")));
    watched.finish();
    assert_eq!(reported(&watched), BTreeMap::from([((First, None), 25_535)]));
}

#[test]
fn unreadable_datagrams_report_no_missing_messages() {
    let mut watched = first([unreliable(1, 0, 1, b""), unsequenced(0, 1, b"")]);
    // Compressed with an unknown compression.
    let unread = [0xc0 | 0x04, 1, 0, 0, 9, 9];
    watched.run(|session, sink| session.receive(First, &unread, sink)).unwrap_err();
    for command in [unreliable(1, 0, 3, b""), unsequenced(0, 5, b"")] {
        watched.receive(First, &one(command));
    }
    let cut = one(unreliable(1, 0, 4, b"1234"));
    watched.run(|session, sink| session.receive_cut(First, &cut[..9], 3, sink)).unwrap();
    watched.receive(First, &one(unreliable(1, 0, 5, b"")));
    watched.receive(First, &one(unreliable(1, 0, 7, b"")));
    watched.finish();
    assert_eq!(reported(&watched), BTreeMap::from([((First, Some(1)), 1)]));
}

#[test]
fn many_gaps_take_little_memory() {
    let mut watched = first([]);
    for number in 0..30_000 {
        watched.receive(First, &one(unreliable(1, 0, 2 * number, b"")));
        watched.receive(First, &one(unsequenced(1, 2 * number, b"")));
        assert!(watched.session.heap_bytes() < 40_000);
    }
    watched.finish();
    let count = 29_999;
    let expected = [((First, None), count), ((First, Some(1)), count)];
    assert_eq!(reported(&watched), BTreeMap::from(expected));
}

/// Messages may arrive before the capture begins. They are not reported as missing in it.
#[test]
fn a_lossy_capture_that_begins_in_the_middle_lacks_no_reliable_messages() {
    for flow in [lossy("client", 7790), lossy("server", 7777)] {
        let lost = (0..flow.len()).flat_map(|start| watch(&flow[start..]).lost);
        let is_reliable = |lost| matches!(lost, Lost::Missing { mode: Mode::Reliable, .. });
        let lost: Vec<_> = lost.filter(|loss| is_reliable(loss.lost)).collect();
        assert!(lost.len() > 100);
        assert!(lost.iter().all(|loss| loss.reason == LossReason::Earlier));
    }
}
