//! The measures of connections agree with the behaviour of the network, which is known from its log
//! and from the captures of both ends.

use crate::common::{corpus, lines, unhex};
use crate::follow::given::{Given, Push, datagrams_and_segments, ip_packets, packets};
use crate::follow::refused::CONNECT;
use crate::follow::waiting::ends;
use crate::follow::{addressed, captures};
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Event, Follower, Limits, Options, Place, Summary};
use gdwire::measure::Series;
use gdwire::net::enet::{Body, Command, Datagram, DatagramDecompressor};
use gdwire::net::{Measures, Side};
use gdwire::packet::{Defragmenter, Payload, Time, UdpDatagram};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

/// The connections of a capture when they are closed, measured.
pub(crate) fn measured(name: &str) -> Vec<Summary> {
    let file = std::fs::read(corpus("captures").join(name)).unwrap();
    let mut messages = Messages::with_options(&file, Options::new().with_measures()).unwrap();
    let mut closed = Vec::new();
    while let Some(event) = messages.next_event() {
        if let Event::Closed(summary) = event {
            closed.push(summary.clone());
        }
    }
    closed
}

/// The channel, number and sent time identify a command that has to be acknowledged.
type Key = (u8, u16, u16);

/// The datagrams of the client and the server that one end of the lossy network has seen.
struct Seen {
    /// Each datagram: whether the client sent it, its time in milliseconds, and its bytes.
    datagrams: Vec<(bool, f64, Vec<u8>)>,
    summary: Summary,
    client: Side,
}

/// The capture at one end of the network, where the server has this port.
fn lossy(end: &str, server: u16) -> Seen {
    let name = format!("godot4-game-enet-lossy-{end}-side.pcapng");
    let file = std::fs::read(corpus("captures").join(&name)).unwrap();
    let mut datagrams = Vec::new();
    for packet in Capture::new(&file).unwrap() {
        let packet = packet.unwrap();
        if let Payload::Udp(datagram) = packet.payload() {
            let time = packet.time.unwrap().as_nanos() as f64 / 1e6;
            datagrams.push((datagram.dst.port() == server, time, datagram.payload.to_vec()));
        }
    }
    let [summary] = measured(&name).try_into().unwrap();
    let client = if summary.flow().ends().0.port() == server { Side::Second } else { Side::First };
    Seen { datagrams, summary, client }
}

impl Seen {
    fn side(&self, is_client: bool) -> Side {
        if is_client { self.client } else { self.client.other() }
    }

    /// How many unreliable and unsequenced messages of an end arrived after later ones.
    fn overtaken(&self, is_client: bool) -> u64 {
        let (mut newest, mut overtaken) = (BTreeMap::new(), 0);
        for (_, _, bytes) in self.datagrams.iter().filter(|it| it.0 == is_client) {
            for (lane, number) in
                Datagram::parse(bytes).unwrap().commands().filter_map(|it| number(&it))
            {
                let newest = newest.entry(lane).or_insert(number);
                overtaken += u64::from(number < *newest);
                *newest = number.max(*newest);
            }
        }
        overtaken
    }

    /// The commands of an end that have to be acknowledged, in the order in which they were seen.
    fn reliable(&self, is_client: bool) -> Vec<Key> {
        let sent = self.datagrams.iter().filter(|(from_client, ..)| *from_client == is_client);
        sent.flat_map(|(_, _, bytes)| reliable(bytes)).collect()
    }
}

/// The sequence number of an unreliable or unsequenced message, with the group in which it is
/// ordered.
fn number(command: &Command<'_>) -> Option<(Option<u8>, (u16, u16))> {
    match command.body {
        Body::SendUnreliable { unreliable_sequence, .. } => {
            Some((Some(command.channel), (command.sequence, unreliable_sequence)))
        }
        Body::SendUnsequenced { group, .. } => Some((None, (0, group))),
        _ => None,
    }
}

fn reliable(bytes: &[u8]) -> Vec<Key> {
    let datagram = Datagram::parse(bytes).unwrap();
    let sent_time = datagram.header().sent_time;
    let commands = datagram.commands().filter(|command| command.needs_acknowledgement);
    commands.map(|command| (command.channel, command.sequence, sent_time.unwrap())).collect()
}

/// A line of the network's log: a datagram that it lost.
#[derive(Deserialize)]
struct LostDatagram {
    time: f64,
    to: String,
    hex: String,
}

/// The datagrams that the network lost on their way from one end, and their times in milliseconds:
/// the captures of both ends show them.
fn lost<'s>(near: &'s Seen, far: &Seen, is_client: bool) -> Vec<(f64, &'s [u8])> {
    let mut arrived = BTreeMap::new();
    for (_, _, bytes) in far.datagrams.iter().filter(|it| it.0 == is_client) {
        *arrived.entry(&bytes[..]).or_insert(0) += 1;
    }
    let mut lost = Vec::new();
    for (_, time, bytes) in near.datagrams.iter().filter(|it| it.0 == is_client) {
        match arrived.get_mut(&bytes[..]) {
            Some(count @ 1..) => *count -= 1,
            _ => lost.push((*time, &bytes[..])),
        }
    }
    lost
}

/// The network's log lacks its last lines, so the tests below compare the two captures.
#[test]
fn the_captures_show_what_the_network_lost() {
    let (near_client, near_server) = (lossy("client", 7790), lossy("server", 7777));
    let log: Vec<LostDatagram> = lines("captures/godot4-game-enet-lossy-lost.ndjson");
    let end = log.last().unwrap().time * 1e3;
    for (is_client, to) in [(true, "server"), (false, "client")] {
        let (near, far) =
            if is_client { (&near_client, &near_server) } else { (&near_server, &near_client) };
        let logged: Vec<_> = log.iter().filter(|it| it.to == to).map(|it| unhex(&it.hex)).collect();
        let shown = lost(near, far, is_client);
        let shown: Vec<_> = shown.iter().filter(|it| it.0 <= end).map(|it| it.1.to_vec()).collect();
        assert_eq!(shown, logged);
    }
}

#[test]
fn resends_are_those_that_the_network_caused() {
    let (near_client, near_server) = (lossy("client", 7790), lossy("server", 7777));
    for is_client in [true, false] {
        let (near, far) =
            if is_client { (&near_client, &near_server) } else { (&near_server, &near_client) };
        let measures =
            |seen: &Seen| seen.summary.direction(seen.side(is_client)).measures().unwrap().clone();
        let (before, after) = (measures(near), measures(far));
        let copies = near.reliable(is_client);
        let numbers: BTreeSet<_> =
            copies.iter().map(|(channel, number, _)| (*channel, *number)).collect();
        assert_eq!(before.reliable, numbers.len() as u64);
        assert_eq!(before.resent, (copies.len() - numbers.len()) as u64);
        assert!(before.resent > 20);
        // At the sender, nothing is overtaken and nothing is lost yet.
        assert_eq!((before.resent_unseen, before.out_of_order, before.doubled), (0, 0, 0));

        let lost_copies = lost(near, far, is_client);
        let lost_copies = lost_copies.iter().flat_map(|it| reliable(it.1)).count() as u64;
        assert_eq!(after.reliable, before.reliable);
        assert_eq!(before.resent - after.resent, lost_copies);

        // If a command arrived after later ones, its first copy was overtaken or lost on the way.
        let mut first_copies = BTreeMap::new();
        for (channel, number, sent_time) in copies {
            first_copies.entry((channel, number)).or_insert(sent_time);
        }
        let (mut newest, mut seen) = (BTreeMap::new(), BTreeSet::new());
        let (mut overtaken, mut resent) = (0_u64, 0_u64);
        for (channel, number, sent_time) in far.reliable(is_client) {
            let newest = newest.entry(channel).or_insert(number);
            if seen.insert((channel, number)) && number < *newest {
                let is_first = first_copies[&(channel, number)] == sent_time;
                *(if is_first { &mut overtaken } else { &mut resent }) += 1;
            }
            *newest = number.max(*newest);
        }
        assert!(resent > 1, "{resent}");
        assert!(resent.abs_diff(after.resent_unseen) <= 1, "{resent} {after:?}");
        overtaken += far.overtaken(is_client);
        assert!(overtaken.abs_diff(after.out_of_order) <= 1, "{overtaken} {after:?}");
    }
}

#[test]
fn missing_messages_are_those_that_the_network_lost() {
    let (near_client, near_server) = (lossy("client", 7790), lossy("server", 7777));
    for is_client in [true, false] {
        let (near, far) =
            if is_client { (&near_client, &near_server) } else { (&near_server, &near_client) };
        let (mut unreliable, mut unsequenced) = (0_u64, 0_u64);
        for (_, bytes) in lost(near, far, is_client) {
            for command in Datagram::parse(bytes).unwrap().commands() {
                match command.body {
                    Body::SendUnreliable { .. } => unreliable += 1,
                    Body::SendUnsequenced { .. } => unsequenced += 1,
                    _ => {}
                }
            }
        }
        let missing = far.summary.direction(far.side(is_client)).missing;
        assert!(missing.unsequenced.abs_diff(unsequenced) <= 1, "{missing:?} {unsequenced}");
        assert!(missing.unreliable.abs_diff(unreliable) <= 1, "{missing:?} {unreliable}");
        assert_eq!(missing.reliable, 0);
    }
}

#[test]
fn round_trips_are_the_delays_of_the_network() {
    let (near_client, near_server) = (lossy("client", 7790), lossy("server", 7777));
    for is_client in [true, false] {
        let (near, far) =
            if is_client { (&near_client, &near_server) } else { (&near_server, &near_client) };
        let round_trips = |seen: &Seen| {
            let measures = seen.summary.direction(seen.side(is_client)).measures().unwrap();
            measures.round_trips.clone()
        };
        let (whole, answer) = (round_trips(near), round_trips(far));
        let acknowledgements =
            near.summary.direction(near.side(!is_client)).measures().unwrap().acknowledgements;
        assert_eq!(whole.times.count() + whole.unmatched, acknowledgements);
        assert_eq!((whole.unmatched, answer.unmatched), (0, 0));

        // The time that each datagram took from one capture to the other.
        let mut ways = [Vec::new(), Vec::new()];
        for (from_client, time, bytes) in &near.datagrams {
            let mut same = far.datagrams.iter().filter(|it| it.0 == *from_client && it.2 == *bytes);
            if let (Some((_, other, _)), None) = (same.next(), same.next()) {
                ways[usize::from(*from_client == is_client)].push((other - time).abs());
            }
        }
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        let under_way = mean(&ways[0]) + mean(&ways[1]);
        let ms = |microseconds: f64| microseconds / 1e3;
        let [all, end] = [&whole, &answer].map(|it| ms(it.times.mean().unwrap()));
        assert!((all - end - under_way).abs() < 3.0, "{all} - {end} against {under_way}");
        assert!(ms(whole.times.min().unwrap() as f64) > 30.0);
        assert!(
            ms(whole.times.max().unwrap() as f64) < 80.0 + ms(answer.times.max().unwrap() as f64)
        );

        let points: Vec<_> = whole.over_time.iter().map(|(_, point)| point).collect();
        assert!(points.len() > 5);
        assert_eq!(points.iter().map(|it| it.count).sum::<u64>(), whole.times.count());
        assert_eq!(points.iter().map(|it| it.max).max(), whole.times.max());
    }
}

/// Packets and resends over time add up to the counts of the whole connection.
#[test]
fn measures_over_time_add_up_to_the_counts() {
    let mut resends = 0;
    for (name, _) in captures() {
        for summary in measured(&name) {
            for side in [Side::First, Side::Second] {
                let direction = summary.direction(side);
                let measures = direction.measures().unwrap();
                let sum = |series: &Series| {
                    let points = series.iter().map(|(_, point)| (point.count, point.sum));
                    points.fold((0, 0), |(count, sum), point| (count + point.0, sum + point.1))
                };
                let expected = (direction.packets, direction.wire.unwrap().bytes);
                assert_eq!(sum(&measures.packets_over_time), expected, "{name}");
                let (count, sum) = sum(&measures.resent_over_time);
                assert_eq!((count, sum), (sum, measures.resent + measures.resent_unseen), "{name}");
                resends += count;
            }
        }
    }
    assert!(resends > 20, "{resends}");
}

/// The first packets, which several readers read until one is chosen, are measured once.
#[test]
fn a_connection_is_measured_from_its_first_packet_on() {
    for name in ["godot3-enet.pcapng", "godot3-rpc-compressed.pcapng", "godot4-game-enet.pcapng"] {
        let file = std::fs::read(corpus("captures").join(name)).unwrap();
        let [summary] = measured(name).try_into().unwrap();
        let (low, _) = summary.flow().ends();
        let mut copies = BTreeMap::new();
        let (mut decoder, mut buffer) = (DatagramDecompressor::new(), Vec::new());
        for packet in Capture::new(&file).unwrap() {
            let payload = packet.unwrap().payload();
            let Payload::Udp(datagram) = payload else { panic!("{payload:?}") };
            let from = if datagram.src == low { Side::First } else { Side::Second };
            let parsed = Datagram::parse_with(datagram.payload, &mut decoder, &mut buffer).unwrap();
            for command in parsed.commands().filter(|it| it.needs_acknowledgement) {
                *copies.entry((from, command.channel, command.sequence)).or_insert(0) += 1;
            }
        }
        for from in [Side::First, Side::Second] {
            let measures = summary.direction(from).measures().unwrap();
            let other = summary.direction(from.other()).measures().unwrap();
            let copies = copies.iter().filter(|((side, ..), _)| *side == from);
            let copies: Vec<u64> = copies.map(|(_, count)| *count).collect();
            assert_eq!(measures.reliable, copies.len() as u64, "{name}");
            assert_eq!(measures.resent, copies.iter().sum::<u64>() - measures.reliable, "{name}");
            assert_eq!((measures.doubled, measures.out_of_order), (0, 0), "{name}");
            assert_eq!(measures.round_trips.unmatched, 0, "{name}");
            assert_eq!(measures.round_trips.times.count(), other.acknowledgements, "{name}");
            assert_eq!(measures.sizes.count(), summary.direction(from).messages);
        }
    }
    let plain = measured("godot3-udp-twice.pcapng");
    let sizes = plain[0].direction(Side::First).measures().unwrap().sizes.clone();
    assert_eq!(sizes.count(), plain[0].direction(Side::First).messages);
    assert_eq!(sizes.max(), Some(plain[0].direction(Side::First).largest));
}

/// The measures of all connections of a capture, whose packets are pushed in one of several forms.
/// The measures of open connections are read after every packet.
fn pushed(file: &[u8], push: Push) -> Vec<[Measures; 2]> {
    let mut follower = Follower::with_options(Options::new().with_measures());
    let (mut fragments, mut given) = (Defragmenter::new(), Vec::new());
    for packet in Capture::new(file).unwrap() {
        push(&mut follower, &mut fragments, &packet.unwrap(), &mut given);
        assert!(follower.connections().all(|summary| summary.closed().is_none()));
    }
    let mut measures = Vec::new();
    follower.finish().for_each(|event| {
        if let Event::Closed(summary) = event {
            measures.push(both(summary));
        }
    });
    assert_eq!(follower.held_bytes(), 0);
    measures
}

/// The measures of both ends, except the bytes of frames, which are not known in every form.
fn both(summary: &Summary) -> [Measures; 2] {
    [Side::First, Side::Second].map(|from| {
        let direction = summary.direction(from);
        let mut measures = direction.measures().unwrap().clone();
        let frames = Measures::default().packets_over_time;
        let packets = mem::replace(&mut measures.packets_over_time, frames);
        assert_eq!(packets.iter().map(|(_, it)| it.count).sum::<u64>(), direction.packets);
        measures
    })
}

#[test]
fn a_connection_is_measured_alike_in_every_way() {
    let names = ["godot4-game-enet-lossy-client-side.pcapng", "godot4-game-websocket.pcapng"];
    for name in names.into_iter().chain(["godot4-udp-ipfrag.pcapng", "godot3-tcp-ipv6.pcapng"]) {
        let file = std::fs::read(corpus("captures").join(name)).unwrap();
        let expected: Vec<_> = measured(name).iter().map(both).collect();
        assert!(expected.iter().flatten().any(|it| it.sizes.count() > 0), "{name}");
        for push in [packets, ip_packets, datagrams_and_segments] {
            assert_eq!(pushed(&file, push), expected, "{name}");
        }
    }
}

/// Measures count with at least the bytes of their types: the summary of both ends for plain
/// datagrams, and a meter, too, for a TCP connection.
#[test]
fn every_measure_counts() {
    for (name, measures) in [("godot4-udp.pcapng", 2), ("pandemonium5-tcp.pcapng", 4)] {
        let file = std::fs::read(corpus("captures").join(name)).unwrap();
        let held = |options: Options<'static>| {
            let mut follower = Follower::with_options(options);
            for packet in Capture::new(&file).unwrap().take(40) {
                drop(follower.packet(&packet.unwrap()));
            }
            follower.held_bytes()
        };
        let (without, with) = (held(Options::new()), held(Options::new().with_measures()));
        let least = measures * size_of::<Measures>();
        assert!((least..least + 8_000).contains(&(with - without)), "{with} {without} {least}");
    }
}

/// A reliable message that is missing, although its sender went on for longer than ENet waits before it
/// sends one again, was received, so the capture lacks it. Otherwise it was lost.
#[test]
fn a_sender_that_goes_on_has_not_lost_a_message() {
    let (client, server) = ends();
    let second = 1_000_000_000_i64;
    for (pause, is_unacknowledged) in [(second / 100, true), (second / 5, false)] {
        let mut follower = Follower::new();
        let mut given = Vec::new();
        let mut push = |is_client: bool, time: i64, payload: &[u8]| {
            let (src, dst) = if is_client { (client, server) } else { (server, client) };
            let place = Place::new(1).with_time(Time::from_nanos(time, 9));
            let events = follower.datagram(place, &UdpDatagram::new(src, dst, payload));
            events.for_each(|event| given.push(Given::of(&event)));
        };
        push(true, 0, &unhex(CONNECT));
        let int = [2, 0, 0, 0, 7, 0, 0, 0];
        push(true, 0, &addressed::reliable(1, &int));
        push(false, 0, &[0x80, 1, 0x12, 0x34, 0x01, 1, 0, 1, 0, 1, 0x12, 0x34]);
        // The second message is missing.
        push(true, second, &addressed::reliable(3, &int));
        for at in 1..=40 {
            let ping = [0x80, 1, 0x12, 0x34, 0x05, 0xff, 0, at as u8];
            push(true, second + at * pause, &ping);
        }
        follower.finish().for_each(|event| given.push(Given::of(&event)));
        let lost: Vec<_> = given.iter().filter(|it| matches!(it, Given::Lost(..))).collect();
        let [Given::Lost(_, text)] = lost[..] else { panic!("{lost:?}") };
        assert_eq!(text.contains("not delivered"), is_unacknowledged, "{text}");
    }
}

#[test]
fn measures_count_towards_the_limits() {
    let file = std::fs::read(corpus("captures").join("godot4-game-enet.pcapng")).unwrap();
    let held = |options: Options<'static>| {
        let mut follower = Follower::with_options(options);
        for packet in Capture::new(&file).unwrap() {
            drop(follower.packet(&packet.unwrap()));
        }
        follower.held_bytes()
    };
    let (without, with) = (held(Options::new()), held(Options::new().with_measures()));
    assert!(with > without + (16 << 10), "{with} {without}");
    assert!(with < without + (220 << 10), "{with} {without}");
    let little = Limits::default().with_flow_bytes(64 << 10).with_total_bytes(without + 1_000);
    assert!(held(Options::new().with_measures().with_limits(little)) <= without + 1_000);
}
