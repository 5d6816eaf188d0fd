//! Each case of hostile traffic takes work and memory in proportion to its bytes, and every loss is
//! reported.

use crate::cases::{CASES, Case};
use crate::meter::{Taken, follow};
use gdwire::follow::Limits;

/// How many bytes of packets each case has, and then twice as many.
const SIZE: usize = 100_000;

/// The limits for the peak of memory: for each byte of packets, for each connection, and a
/// constant.
const PEAK: [u64; 3] = [12, 4 << 10, 256 << 10];

/// All memory that is ever allocated.
const ALL: [u64; 3] = [128, 8 << 10, 256 << 10];

fn taken(case: &Case, size: usize) -> Taken {
    follow((case.make)(size).into_iter(), Limits::default())
}

#[test]
fn hostile_traffic_takes_memory_in_proportion_to_its_bytes() {
    for case in CASES {
        let name = format!("{} {}", case.carrier, case.name);
        let (once, twice) = (taken(case, SIZE), taken(case, 2 * SIZE));
        for it in [once, twice] {
            let limit =
                |[bytes, opened, any]: [u64; 3]| bytes * it.bytes + opened * it.opened + any;
            let (peak, all) = (limit(PEAK), limit(ALL));
            assert!(it.peak <= peak, "{name}: more memory at once than {peak}: {it:?}");
            assert!(it.allocated <= all, "{name}: more memory in all than {all}: {it:?}");
            assert_eq!((it.opened, it.limited), (it.closed, 0), "{name}: {it:?}");
            assert!(it.shown <= 70 * it.bytes, "{name}: too long output: {it:?}");
        }
        // Twice as many bytes do not take more for each byte.
        assert!(twice.peak <= 2 * once.peak + (128 << 10), "{name}: {once:?} {twice:?}");
    }
}

/// If a case has messages that cannot be read, that is reported; the other cases lose nothing.
#[test]
fn losses_in_hostile_traffic_are_reported() {
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
