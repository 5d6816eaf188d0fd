//! Handles Ctrl-C: the first press ends the inputs, so that the results so far are written; the
//! second ends the program.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The exit code that shells give to a program that Ctrl-C ended.
const ENDED: i32 = 130;

static REQUESTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on, Ctrl-C and SIGTERM end the inputs. If the handlers cannot be installed, they still
/// end the program.
pub(crate) fn catch() {
    let requested = REQUESTED.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM] {
        // The second signal ends the program, because the first has set the flag.
        flag::register_conditional_shutdown(signal, ENDED, Arc::clone(requested)).ok();
        flag::register(signal, Arc::clone(requested)).ok();
    }
}

/// Whether the inputs should end.
pub(crate) fn is_requested() -> bool {
    REQUESTED.get().is_some_and(|requested| requested.load(Ordering::Relaxed))
}
