//! When connections are closed, and that no messages are lost when they are.

use crate::common::{corpus, crowd};
use crate::follow::given::Given;
use crate::follow::waiting::ends;
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Closed, Event, Follower, Limits, Options, Place};
use gdwire::net::tcp;
use gdwire::packet::{CapturedPacket, TcpSegment, Time};
use gdwire::{Dialect, encode, variant};
use std::net::SocketAddr;

/// A segment with whether the client sends it, its acknowledgement number and its payload.
type Sent = (bool, tcp::Segment<'static>, u32, Vec<u8>);

/// A connection that is opened, carries a value, and is closed by both ends.
fn connection(port: u16, number: u32) -> Vec<Sent> {
    let value = variant!({"port": i64::from(port), "number": 0.5, "list": [1, 2]});
    let value = encode(Dialect::GODOT_4, &value).unwrap();
    let framed = [&(value.len() as u32).to_le_bytes()[..], &value].concat();
    let next = number + 1 + framed.len() as u32;
    let segment = |sequence| tcp::Segment::new(sequence, &[]);
    vec![
        (true, segment(number).with_syn(), 0, Vec::new()),
        (false, segment(500).with_syn(), number + 1, Vec::new()),
        (true, segment(number + 1), 501, framed),
        (true, segment(next).with_fin(), 501, Vec::new()),
        (false, segment(501).with_fin(), next + 1, Vec::new()),
        (true, segment(next + 1), 502, Vec::new()),
    ]
}

fn push(follower: &mut Follower<'_>, port: u16, number: u32, given: &mut Vec<Given>) {
    push_first(6, follower, port, number, given);
}

/// Pushes only the first packets of a connection.
fn push_first(
    packets: usize,
    follower: &mut Follower<'_>,
    port: u16,
    number: u32,
    given: &mut Vec<Given>,
) {
    let (client, server) = ends();
    let client = SocketAddr::new(client.ip(), port);
    let packets = connection(port, number).into_iter().take(packets);
    for (is_client, segment, acknowledgement, payload) in packets {
        let (src, dst) = if is_client { (client, server) } else { (server, client) };
        let mut segment = segment;
        segment.payload = &payload;
        let segment = TcpSegment::new(src, dst, segment).with_acknowledgement(acknowledgement);
        let events = follower.segment(Place::new(1), &segment);
        events.for_each(|event| given.push(Given::of(&event)));
    }
}

/// With any number of connections one after the other, nothing is lost, and of those that their
/// ends have closed, no more are kept than the limit allows.
#[test]
fn consecutive_connections_lose_nothing() {
    consecutive(5_000, Limits::default().with_flows(100), 100, 500_000);
    // Without a smaller limit, 4,096 are kept.
    consecutive(4_200, Limits::default(), 4_096, 20_000_000);
}

/// Opens and closes this many connections, one after the other. The follower keeps `kept` of them, and holds
/// at most `bytes`.
fn consecutive(connections: u32, limits: Limits, kept: u32, bytes: usize) {
    let mut follower = Follower::with_options(Options::new().with_limits(limits));
    let mut given = Vec::new();
    let (mut messages, mut closed, mut most) = (0, 0, 0);
    for at in 0..=connections {
        let port = 1_024 + (at % 30_000) as u16;
        if at < connections {
            push(&mut follower, port, at, &mut given);
        } else {
            assert_eq!(connections - closed, kept);
            follower.finish().for_each(|event| given.push(Given::of(&event)));
        }
        for given in given.drain(..) {
            match given {
                Given::Message { .. } => messages += 1,
                Given::Closed(_, why, packets, _) => {
                    assert_eq!((why, packets), (Closed::ByEnds, 6));
                    closed += 1;
                }
                Given::Opened(_) | Given::Recognized(_) => {}
                other => panic!("{other:?}"),
            }
        }
        most = most.max(follower.held_bytes());
    }
    assert_eq!((messages, closed), (connections, connections));
    assert!(most < bytes, "{most}");
}

/// The FINs may be forged. Only later packets show whether they are.
#[test]
fn a_stream_that_continues_after_the_fins_of_both_ends_is_not_closed() {
    for continues in [false, true] {
        let mut follower = Follower::new();
        let mut given = Vec::new();
        push(&mut follower, 40_000, 100, &mut given);
        if continues {
            let (client, server) = ends();
            let fin = connection(40_000, 100).swap_remove(3).1;
            let more = tcp::Segment::new(fin.sequence, &[8, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0]);
            let segment = TcpSegment::new(client, server, more);
            let events = follower.segment(Place::new(1), &segment);
            events.for_each(|event| given.push(Given::of(&event)));
        }
        for port in 1..30 {
            push(&mut follower, port, 100, &mut given);
        }
        follower.finish().for_each(|event| given.push(Given::of(&event)));
        let is_closed = |it: &&Given| matches!(it, Given::Closed(1, Closed::ByEnds, ..));
        let messages = given.iter().filter(|it| matches!(it, Given::Message { .. })).count();
        let closed = given.iter().filter(is_closed).count();
        assert_eq!((closed, messages), (usize::from(!continues), 30 + usize::from(continues)));
    }
}

/// However many clients close their connections at once, the late packets of each belong to the
/// connection that is closed, and open none.
#[test]
fn a_hundred_clients_have_a_hundred_connections() {
    const CLIENTS: u16 = 100;
    for (name, is_closed) in [
        ("godot3-tcp.pcapng", true),
        ("godot4-tcp.pcapng", true),
        ("godot3-enet.pcapng", true),
        ("godot4-enet-compressed.pcapng", true),
        ("godot4-rpc.pcapng", true),
        ("godot3-websocket.pcapng", true),
        ("godot4-websocket.pcapng", true),
        ("godot4-game-enet.pcapng", true),
        ("godot4-udp.pcapng", false),
    ] {
        let file = std::fs::read(corpus("captures").join(name)).unwrap();
        let packets = Capture::new(&file).unwrap().count() as u64;
        let mut closed = Vec::new();
        let mut opened = 0;
        let crowd = crowd(&file, CLIENTS);
        let mut messages = Messages::new(&crowd).unwrap();
        while let Some(event) = messages.next_event() {
            match event {
                Event::Opened(_) => opened += 1,
                Event::Closed(summary) => {
                    closed.push((summary.closed().unwrap(), summary.traffic().packets));
                }
                _ => {}
            }
        }
        let why = if is_closed { Closed::ByEnds } else { Closed::Finished };
        assert_eq!(opened, u64::from(CLIENTS), "{name}");
        assert_eq!(closed, [(why, packets); CLIENTS as usize], "{name}");
    }
}

/// A closed connection is kept for a minute after its last packet.
#[test]
fn a_packet_a_minute_after_the_end_of_a_connection_opens_another() {
    let (client, server) = ends();
    for (seconds, opened) in [(59, 1), (60, 2), (61, 2)] {
        let mut follower = Follower::new();
        let mut given = Vec::new();
        let packets = connection(40_000, 100);
        let mut push = |seconds: i64, port, (is_client, segment, number, payload): &Sent| {
            let client = SocketAddr::new(client.ip(), port);
            let (src, dst) = if *is_client { (client, server) } else { (server, client) };
            let mut segment: tcp::Segment<'_> = *segment;
            segment.payload = payload;
            let segment = TcpSegment::new(src, dst, segment).with_acknowledgement(*number);
            let time = Time::from_nanos(seconds * 1_000_000_000, 9);
            let events = follower.segment(Place::new(1).with_time(time), &segment);
            events.for_each(|event| given.push(Given::of(&event)));
        };
        packets.iter().for_each(|packet| push(0, 40_000, packet));
        // Each late packet extends the time.
        for late in [1, 2] {
            push(late * seconds, late as u16, &packets[0]);
            push(late * seconds, 40_000, &packets[3]);
        }
        let is_opened = |it: &&Given| matches!(it, Given::Opened(_));
        assert_eq!(given.iter().filter(is_opened).count(), opened + 2, "{seconds}");
    }
}

/// Closed connections make room for others first, and without a loss.
#[test]
fn closed_connections_are_given_up_before_others() {
    let limits = Limits::default().with_flows(4);
    let mut follower = Follower::with_options(Options::new().with_limits(limits));
    let mut given = Vec::new();
    push_first(3, &mut follower, 1, 100, &mut given);
    for port in 2..40 {
        push(&mut follower, port, 100, &mut given);
    }
    assert!(!given.iter().any(|it| matches!(it, Given::Lost(..) | Given::Closed(1, ..))));
    let closed = |it: &&Given| matches!(it, Given::Closed(_, Closed::ByEnds, 6, _));
    assert_eq!(given.iter().filter(closed).count(), 35);
}

/// The same ports may be used again at once.
#[test]
fn a_new_connection_between_the_same_ends_closes_the_one_before() {
    let mut follower = Follower::new();
    let mut given = Vec::new();
    push(&mut follower, 40_000, 100, &mut given);
    push(&mut follower, 40_000, 1_000_000, &mut given);
    follower.finish().for_each(|event| given.push(Given::of(&event)));
    let closed: Vec<_> = (given.iter())
        .filter_map(|given| match given {
            Given::Closed(number, why, packets, _) => Some((*number, *why, *packets)),
            _ => None,
        })
        .collect();
    assert_eq!(closed, [(1, Closed::Replaced, 6), (2, Closed::ByEnds, 6)]);
    let opened: Vec<_> = given.iter().filter(|given| matches!(given, Given::Opened(_))).collect();
    assert_eq!(opened, [&Given::Opened(1), &Given::Opened(2)]);
}

/// After the end of the input, a follower starts anew: it reports a limit again.
#[test]
fn a_limit_is_reported_once_for_each_input() {
    let mut follower =
        Follower::with_options(Options::new().with_limits(Limits::default().with_flows(1)));
    for _ in 0..2 {
        let mut given = Vec::new();
        for port in 1..4 {
            push_first(3, &mut follower, port, 100, &mut given);
        }
        follower.finish().for_each(|event| given.push(Given::of(&event)));
        let lost = given.iter().filter(|given| matches!(given, Given::Lost(..))).count();
        let is_limit = |it: &&Given| matches!(it, Given::Closed(_, Closed::Limit, _, _));
        assert_eq!((lost, given.iter().filter(is_limit).count()), (1, 2), "{given:?}");
    }
}

/// A recording of the remote debugger, also with damaged packets, and little room for events: of
/// what one packet releases, messages may be dropped, but not that a connection is closed.
#[test]
fn every_connection_that_is_opened_is_closed_however_little_room_there_is() {
    let file = std::fs::read(corpus("captures/godot3-debugger.pcapng")).unwrap();
    let packets: Vec<_> = Capture::new(&file).unwrap().map(Result::unwrap).collect();
    let mut dropped = 0;
    for (flow_bytes, every) in (5..14).flat_map(|power| (2..9).map(move |it| (1 << power, it))) {
        let limits = Limits::default().with_flow_bytes(flow_bytes).with_total_bytes(16 << 10);
        let mut follower = Follower::with_options(Options::new().with_limits(limits.with_flows(3)));
        let mut given = Vec::new();
        for packet in &packets {
            let mut data = packet.data.to_vec();
            if packet.frame % every == 0
                && let Some(last) = data.last_mut()
            {
                *last ^= 0x55;
            }
            let changed = CapturedPacket::new(packet.link_type, &data).with_frame(packet.frame);
            let packet = changed.with_original_len(packet.original_len);
            follower.packet(&packet).for_each(|event| given.push(Given::of(&event)));
        }
        follower.finish().for_each(|event| given.push(Given::of(&event)));
        let (mut opened, mut closed, mut counted) = (0, 0, 0);
        for given in given {
            match given {
                Given::Opened(_) => opened += 1,
                Given::Closed(_, _, packets, _) => {
                    (closed, counted) = (closed + 1, counted + packets)
                }
                Given::Lost(_, text) => dropped += u64::from(text.contains("one packet held more")),
                _ => {}
            }
        }
        let expected = (opened, packets.len() as u64);
        assert_eq!((closed, counted), expected, "{flow_bytes} {every}");
    }
    assert!(dropped > 0);
}

/// A connection that carries nothing known is closed by its ends after a FIN of both, or a RST of either.
#[test]
fn an_unknown_connection_is_closed_by_both_ends_or_a_reset() {
    // After 256 KiB without a message, nothing more is searched for.
    let text = b"GET /nothing/known HTTP/1.1\r\n".repeat(1_000);
    let data = |is_client| (is_client, &text[..], false);
    let (fin, reset) = (|is_client| (is_client, &[][..], false), |it| (it, &[][..], true));
    let closed = |sent: &[(bool, &[u8], bool)]| {
        let (client, server) = ends();
        let (mut follower, mut given) = (Follower::new(), Vec::new());
        let mut next = [500, 100];
        for &(is_client, payload, is_reset) in sent {
            let (src, dst) = if is_client { (client, server) } else { (server, client) };
            let number = &mut next[usize::from(is_client)];
            let segment = tcp::Segment::new(*number, payload);
            let segment = match payload {
                b"SYN" => tcp::Segment::new(*number - 1, &[]).with_syn(),
                [] if is_reset => segment.with_reset(),
                [] => segment.with_fin(),
                _ => segment,
            };
            *number += segment.payload.len() as u32;
            let events = follower.segment(Place::new(1), &TcpSegment::new(src, dst, segment));
            events.for_each(|event| given.push(Given::of(&event)));
        }
        follower.finish().for_each(|event| given.push(Given::of(&event)));
        let closed = given.iter().find_map(|event| match event {
            Given::Closed(_, why, ..) => Some(*why),
            _ => None,
        });
        closed.unwrap()
    };
    let both = [data(true), data(false)].repeat(5);
    let after = |ends: &[_]| closed(&[&both, ends].concat());
    assert_eq!(after(&[]), Closed::Finished);
    for is_client in [true, false] {
        assert_eq!(after(&[fin(is_client)]), Closed::Finished);
        assert_eq!(after(&[reset(is_client)]), Closed::ByEnds);
        assert_eq!(after(&[fin(is_client); 2]), Closed::Finished);
        assert_eq!(after(&[fin(is_client), fin(!is_client)]), Closed::ByEnds);
        // One end says nothing more, and the other goes on for long.
        let start = [(is_client, &b"SYN"[..], false), data(is_client), fin(is_client)];
        let half = [&start, &[data(!is_client); 10][..]].concat();
        assert_eq!(closed(&half), Closed::Finished);
        assert_eq!(closed(&[&half, &[fin(!is_client)][..]].concat()), Closed::ByEnds);
    }
}
