//! What each case of hostile traffic takes is within a factor of its bytes, and what it loses is
//! reported.

use crate::cases::{CASES, Case};
use crate::meter::{Taken, follow};
use gdwire::follow::Limits;

/// How many bytes of packets each case has, and then twice as many.
const SIZE: usize = 100_000;

/// The most memory at one time: for each byte of packets, for each connection, and in any case.
const PEAK: [u64; 3] = [12, 4 << 10, 256 << 10];

/// All memory that is ever allocated.
const ALL: [u64; 3] = [128, 8 << 10, 256 << 10];

fn taken(case: &Case, size: usize) -> Taken {
    follow((case.make)(size).into_iter(), Limits::default())
}

#[test]
fn hostile_traffic_takes_a_few_times_its_bytes() {
    for case in CASES {
        let name = format!("{} {}", case.carrier, case.name);
        let (once, twice) = (taken(case, SIZE), taken(case, 2 * SIZE));
        for it in [once, twice] {
            let limit =
                |[bytes, opened, any]: [u64; 3]| bytes * it.bytes + opened * it.opened + any;
            assert!(it.peak <= limit(PEAK), "{name}: {it:?}");
            assert!(it.allocated <= limit(ALL), "{name}: {it:?}");
            assert_eq!((it.opened, it.limited), (it.closed, 0), "{name}: {it:?}");
            assert!(it.shown <= 70 * it.bytes, "{name}: {it:?}");
        }
        // It is no more for each byte if there are more of them.
        assert!(twice.peak <= 2 * once.peak + (128 << 10), "{name}: {once:?} {twice:?}");
    }
}

/// Each case whose messages cannot all be read says so; the others lose nothing.
#[test]
fn what_hostile_traffic_loses_is_reported() {
    for case in CASES {
        let name = format!("{} {}", case.carrier, case.name);
        let it = taken(case, SIZE);
        let is_lost = matches!(
            (case.carrier, case.name),
            (_, "holes" | "searched")
                | ("enet", "overlapping" | "acknowledged" | "names" | "unfinished")
                | ("tcp", "waiting" | "lengths" | "arrays" | "unfinished")
                // The numbers in the recorded datagram leave a gap after the connect command.
                | ("compressed", _)
                | ("websocket", "unfinished")
                | ("fragments", "unfinished" | "overlapping")
        );
        assert_eq!(it.lost > 0, is_lost, "{name}: {it:?}");
        assert!(it.messages + it.other + it.lost > 0 || it.opened > 1_000, "{name}: {it:?}");
    }
}
