//! The memory and work that hostile clients can demand of a session are limited.

use crate::sessions::{ATTACKS, Cost, attack};

/// The most memory that one client may make a session keep: 500 announcements, each of which takes
/// up to 2 KiB.
const KEPT: u64 = 500 * 2_048;

#[test]
fn hostile_clients_take_bounded_memory_and_work() {
    for it in ATTACKS {
        let name = format!("{} {}", it.0, it.1);
        for joins in [false, true] {
            let (once, twice) = (attack(it, 150_000, joins), attack(it, 300_000, joins));
            for Cost { bytes, longest, peak, allocated, events, sent } in [once, twice] {
                let case = format!("{name} {joins} {once:?} {twice:?}");
                // A packet is copied for its event and for each client that gets it.
                assert!(peak <= KEPT + 8 * longest, "{case}");
                assert!(allocated <= 200 * bytes + KEPT, "{case}");
                assert!(events > 0 && sent <= 10 * bytes, "{case}");
            }
            // Twice as many packets take twice the work, not four times.
            assert!(twice.allocated <= 3 * once.allocated + KEPT, "{name} {once:?} {twice:?}");
        }
    }
}
