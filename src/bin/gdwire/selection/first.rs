//! The time of the first packet of a capture.

use gdwire::capture::Time;
use std::sync::atomic::{AtomicI64, Ordering};

/// The time of the first packet of a capture, to which other times are relative.
pub(crate) struct FirstPacket(AtomicI64);

/// No packet of a capture has this time.
const UNKNOWN: i64 = i64::MIN;

impl Default for FirstPacket {
    fn default() -> FirstPacket {
        FirstPacket(AtomicI64::new(UNKNOWN))
    }
}

impl FirstPacket {
    /// Forgets the time, because a capture begins.
    pub(crate) fn begin(&self) {
        self.0.store(UNKNOWN, Ordering::Relaxed);
    }

    /// Notes the time of a packet, before its messages are passed on. Only the first time counts.
    pub(crate) fn note(&self, time: Option<Time>) {
        if let Some(time) = time
            && self.0.load(Ordering::Relaxed) == UNKNOWN
        {
            self.0.store(time.as_nanos(), Ordering::Relaxed);
        }
    }

    /// Nanoseconds since the start of 1970, UTC.
    pub(crate) fn nanoseconds(&self) -> Option<i64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|time| *time != UNKNOWN)
    }
}
