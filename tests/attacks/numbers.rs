//! With any number of connections and fragments, memory is bounded and every loss is reported.
//! `tests/attacks/table.sh` does the same with a million connections in turn, 70,000 at once and a
//! million fragments.

use crate::cases::CASES;
use crate::many::{alike, at_once, in_turn, stray};
use crate::meter::follow;
use crate::wire::{SERVER, SYN, client, tcp};
use gdwire::follow::Limits;

#[test]
fn connections_in_turn() {
    const CONNECTIONS: usize = 10_000;
    let taken = follow(in_turn(CONNECTIONS), Limits::default().with_flows(100));
    let all = CONNECTIONS as u64;
    assert_eq!((taken.messages, taken.opened, taken.closed), (all, all, all), "{taken:?}");
    assert_eq!((taken.lost, taken.limited, taken.other), (0, 0, 0), "{taken:?}");
    assert!(taken.peak < 512 << 10, "{taken:?}");
}

#[test]
fn connections_at_once() {
    const CONNECTIONS: u64 = 2_200;
    const LIMIT: usize = 2_000;
    let limits = Limits::default().with_flows(LIMIT).with_total_bytes(8 << 20);
    let taken = follow(at_once(CONNECTIONS as usize), limits);
    // Only the first message is read of each connection beyond the limit.
    let beyond = CONNECTIONS - LIMIT as u64;
    assert_eq!((taken.messages, taken.other), (2 * CONNECTIONS - beyond, beyond), "{taken:?}");
    // The limit is reported once, and with each connection that is closed because of it.
    assert_eq!((taken.limited, taken.opened), (beyond, CONNECTIONS), "{taken:?}");
    assert_eq!((taken.lost, taken.connections), (1, 1), "{taken:?}");
    assert!(taken.peak < 16 << 20, "{taken:?}");
    // Without the limit, nothing is lost.
    let taken = follow(at_once(CONNECTIONS as usize), Limits::default());
    assert_eq!((taken.lost, taken.limited, taken.opened), (0, 0, CONNECTIONS), "{taken:?}");
}

/// Such connections have no readers.
#[test]
fn connections_that_are_only_opened() {
    const CONNECTIONS: u64 = 5_000;
    let opened = |number| tcp((client(number), SERVER), 9, None, SYN, &[]);
    let taken = follow((0..CONNECTIONS as usize).map(opened), Limits::default());
    assert_eq!((taken.opened, taken.lost), (CONNECTIONS, 0), "{taken:?}");
    assert!(taken.peak < 1_200 * CONNECTIONS, "{taken:?}");
}

#[test]
fn stray_fragments() {
    const FRAGMENTS: usize = 20_000;
    let taken = follow(stray(FRAGMENTS), Limits::default());
    assert_eq!((taken.lost, taken.messages), (FRAGMENTS as u64, 0), "{taken:?}");
    assert!(taken.peak < 512 << 10, "{taken:?}");
}

/// The limit on all connections counts the memory that the allocator gives, except for the events
/// of one packet and tables that grow.
#[test]
fn the_limit_on_all_bytes_is_near_the_peak_of_memory() {
    const TOTAL: usize = 1 << 20;
    let limits = Limits::default().with_total_bytes(TOTAL);
    let taken = follow(at_once(3_000), limits);
    assert!(taken.limited > 100, "{taken:?}");
    assert!(taken.held <= TOTAL as u64 && taken.held > TOTAL as u64 * 9 / 10, "{taken:?}");
    assert!(taken.peak <= TOTAL as u64 * 11 / 10, "{taken:?}");
}

/// The same holds for other traffic, also with what the allocator needs for itself: messages and
/// segments that wait, incomplete messages, names, and connections that are not decided.
fn assert_counted(carrier: &str, cases: &[(&str, usize)]) {
    const TOTAL: usize = 1 << 20;
    let limits = Limits::default().with_total_bytes(TOTAL).with_flow_bytes(TOTAL / 4);
    for (name, connections) in cases {
        let mut all = CASES.iter();
        let case = all.find(|case| (case.carrier, case.name) == (carrier, *name)).unwrap();
        let packets = (case.make)(3 * TOTAL / connections);
        let taken = follow(alike(packets, *connections), limits);
        let case = format!("{carrier}, {name}: {taken:?}");
        assert!(taken.held <= TOTAL as u64, "{case}");
        // The buffers that are reused from packet to packet.
        let more = 128 << 10;
        assert!(taken.uncounted <= TOTAL as u64 / 20 + more, "{case}");
        assert!(taken.given <= TOTAL as u64 * 11 / 10 + more, "{case}");
        assert!(taken.held > TOTAL as u64 * 3 / 4, "{case}");
    }
}

#[test]
fn the_limit_on_all_bytes_counts_what_the_allocator_gives_for_tcp() {
    assert_counted("tcp", &[("holes", 50), ("bytes", 50), ("waiting", 50), ("flood", 1_000)]);
}

#[test]
fn the_limit_on_all_bytes_counts_what_the_allocator_gives_for_enet() {
    assert_counted("enet", &[("benign", 1_000), ("forged", 1_000), ("holes", 50)]);
    assert_counted("enet", &[("unfinished", 50), ("names", 10)]);
}

#[test]
fn the_limit_on_all_bytes_counts_what_the_allocator_gives_for_websocket() {
    assert_counted("websocket", &[("unfinished", 50), ("holes", 50)]);
}
