//! `Debug` output and the summaries of connections.

use crate::common::unhex;
use crate::follow::addressed::reliable;
use crate::follow::captures;
use crate::follow::refused::CONNECT;
use crate::follow::waiting::{distinctive, ends};
use gdwire::capture::Messages;
use gdwire::follow::{Batch, Event, Follower, Options, Place, Transport};
use gdwire::packet::{Time, UdpDatagram};
use gdwire::{Dialect, encode};
use std::net::SocketAddr;

#[test]
fn debug_shows_lengths_in_place_of_bytes() {
    for (name, file) in captures() {
        let mut messages = Messages::new(&file).unwrap();
        while let Some(event) = messages.next_event() {
            let part = match &event {
                Event::Opened(it) | Event::Recognized(it) | Event::Closed(it) => {
                    format!("Summary {{ connection: {}, flow: ", it.connection())
                }
                Event::Message(message) => format!("len: {}, content: ", message.bytes.len()),
                Event::Other(other) => format!("len: {}, reason: ", other.bytes.len()),
                _ => continue,
            };
            let shown = format!("{event:?}");
            assert!(shown.contains(&part), "{name}: {part} in {shown}");
        }
    }
    let mut follower = Follower::with_options(Options::new().with_transport(Transport::Enet));
    let shown = format!("{follower:?}");
    assert!(shown.contains("transport: Some(Enet)") && shown.contains("opened: 0"), "{shown}");
    assert_eq!(format!("{:?}", follower.finish()), "Events { .. }");
    assert_eq!(format!("{:?}", Batch::new(5)), "Batch { len: 0, held_bytes: 0, limit: 5, .. }");
}

#[test]
fn a_summary_counts_messages_and_their_rate() {
    let (src, dst) = ends();
    let int = encode(Dialect::GODOT_4, &7_i64).unwrap();
    let second = |second: i64| Time::from_nanos(second * 1_000_000_000, 9);
    let rate = |times: &[i64]| {
        let mut follower = Follower::new();
        for (time, number) in times.iter().zip(1..) {
            let place = Place::new(number).with_time(second(*time));
            let events = follower.datagram(place, &UdpDatagram::new(src, dst, &int));
            events.for_each(|event| assert!(!matches!(event, Event::Closed(_))));
        }
        let mut found = None;
        follower.finish().for_each(|event| {
            if let Event::Closed(summary) = event {
                assert_eq!(summary.messages(), times.len() as u64);
                found = Some(summary.traffic().bytes_per_second());
            }
        });
        found.unwrap()
    };
    assert_eq!(rate(&[5]), None);
    assert_eq!(rate(&[5, 5]), None);
    assert_eq!(rate(&[5, 4]), None);
    assert_eq!(rate(&[5, 6, 9]), Some(6.0));
}

#[test]
fn without_a_readable_message_a_summary_names_no_dialect() {
    let (src, dst) = ends();
    let mut follower = Follower::new();
    for payload in [unhex(CONNECT), reliable(1, b"not a value")] {
        follower.datagram(Place::new(1), &UdpDatagram::new(src, dst, &payload));
    }
    let mut closed = None;
    follower.finish().for_each(|event| {
        if let Event::Closed(summary) = event {
            closed = Some((summary.transport(), summary.dialect(), summary.to_string()));
        }
    });
    let (transport, dialect, shown) = closed.unwrap();
    assert_eq!((transport, dialect), (Some(Transport::Enet), None));
    assert!(shown.ends_with("; none of its messages can be read"), "{shown}");
}

/// Ints are the same in all dialects.
#[test]
fn a_summary_shows_why_a_dialect_was_chosen() {
    let (src, dst) = ends();
    let int = encode(Dialect::GODOT_4, &7_i64).unwrap();
    let value = distinctive(Dialect::GODOT_3);
    let why = |first: &[u8]| {
        let mut follower = Follower::new();
        for (port, payload) in [(1, first), (2, &int)] {
            let datagram = UdpDatagram::new(SocketAddr::new(src.ip(), port), dst, payload);
            follower.datagram(Place::new(1), &datagram);
        }
        let mut shown = Vec::new();
        follower.finish().for_each(|event| {
            if let Event::Recognized(summary) = event {
                shown.push(summary.to_string().split("; ").nth(1).unwrap().to_owned());
            }
        });
        shown
    };
    assert_eq!(why(&int), ["godot4 by default", "godot4 by default"]);
    assert_eq!(why(&value), ["godot3, as in most of the capture"]);
}

#[test]
fn a_transport_is_found_by_its_name() {
    for transport in Transport::ALL {
        assert_eq!(Transport::from_name(transport.name()), Some(*transport));
    }
    assert_eq!(Transport::from_name("ENet"), None);
}
