//! When messages are given: at once if there is no doubt, else when there is evidence enough.

use crate::given::Given;
use gdwire::follow::{Follower, Options, Place, Transport};
use gdwire::math::Vector2;
use gdwire::net::tcp;
use gdwire::packet::{Datagram, Segment};
use gdwire::{Dialect, encode, variant};
use std::net::SocketAddr;

pub(crate) fn ends() -> (SocketAddr, SocketAddr) {
    ("10.0.0.2:40000".parse().unwrap(), "10.0.0.1:7000".parse().unwrap())
}

/// How many messages are given after each datagram, and after the last one.
fn after_each(options: Options<'_>, datagrams: &[Vec<u8>]) -> Vec<usize> {
    let mut follower = Follower::with_options(options);
    let (src, dst) = ends();
    let (mut count, mut counts) = (0, Vec::new());
    for (payload, frame) in datagrams.iter().zip(1..) {
        let datagram = Datagram::new(src, dst, payload);
        follower.datagram(Place::new(frame), &datagram).for_each(|event| {
            count += usize::from(matches!(Given::of(&event), Given::Message { .. }));
        });
        counts.push(count);
    }
    follower.finish().for_each(|event| {
        count += usize::from(matches!(Given::of(&event), Given::Message { .. }));
    });
    counts.push(count);
    counts
}

/// A value that only one dialect reads.
fn telling(dialect: Dialect) -> Vec<u8> {
    let cells = vec![1_i32, 2, 3];
    let value = variant!({"position": Vector2::new(1.0, 2.0), "cells": cells, "name": "three"});
    encode(dialect, &value).unwrap()
}

/// An int, which every dialect writes like this.
fn int() -> Vec<u8> {
    encode(Dialect::GODOT_4, &7_i64).unwrap()
}

#[test]
fn a_value_that_only_one_dialect_reads_is_given_at_once() {
    for dialect in [Dialect::GODOT_3, Dialect::GODOT_4, Dialect::PANDEMONIUM_5] {
        let datagrams = [telling(dialect), int(), telling(dialect)];
        assert_eq!(after_each(Options::new(), &datagrams), [1, 2, 3, 3], "{dialect}");
        // What came before it, comes with it.
        let datagrams = [int(), int(), telling(dialect), int()];
        assert_eq!(after_each(Options::new(), &datagrams), [0, 0, 3, 4, 4], "{dialect}");
    }
}

#[test]
fn with_a_dialect_nothing_waits() {
    let datagrams = [int(), int(), int()];
    let dialect = Options::new().dialect(Dialect::GODOT_3);
    assert_eq!(after_each(dialect, &datagrams), [1, 2, 3, 3]);
    // The transport does not say of which dialect ints are.
    let transport = Options::new().transport(Transport::Udp);
    assert_eq!(after_each(transport, &datagrams), [0, 0, 0, 3]);
    assert_eq!(after_each(Options::new(), &datagrams), [0, 0, 0, 3]);
}

#[test]
fn what_stays_in_doubt_is_given_with_the_64th_message() {
    let datagrams = vec![int(); 70];
    let counts = after_each(Options::new(), &datagrams);
    assert_eq!((counts[62], counts[63], counts[64]), (0, 64, 65));
}

/// A stream of ints is undecided; what another connection turns out to be decides it.
#[test]
fn what_stays_in_doubt_is_what_the_other_connections_are() {
    let mut follower = Follower::new();
    let (src, dst) = ends();
    let framed = [&8_u32.to_le_bytes()[..], &int()].concat();
    let mut given = Vec::new();
    for (port, payload) in [(1, &int()), (2, &telling(Dialect::PANDEMONIUM_5)), (3, &int())] {
        let src = SocketAddr::new(src.ip(), port);
        let datagram = Datagram::new(src, dst, payload);
        let events = follower.datagram(Place::new(port.into()), &datagram);
        events.for_each(|event| given.push(Given::of(&event)));
    }
    let segment = Segment::new(src, dst, tcp::Segment::new(100, &framed));
    let events = follower.segment(Place::new(4), &segment);
    events.for_each(|event| given.push(Given::of(&event)));
    follower.finish().for_each(|event| given.push(Given::of(&event)));
    let shown: Vec<_> = given
        .iter()
        .filter_map(|given| match given {
            Given::Message { frame, shown, .. } => Some((*frame, shown.split(' ').next().unwrap())),
            _ => None,
        })
        .collect();
    let godot = "pandemonium5";
    assert_eq!(shown, [(2, godot), (1, godot), (3, godot), (4, godot)]);
}
