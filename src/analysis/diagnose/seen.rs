//! The numbers of a finding.

use super::kind::Severity;
use crate::capture::follow::Place;

/// How often something was found, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) count: u64,
    /// In how many messages it was looked for.
    pub(super) times: u64,
    /// Out of how many things; 0 if that does not matter.
    pub(super) of: u64,
    /// The largest size in bytes, or the longest time in microseconds.
    pub(super) most: u64,
    /// The bytes of all that was found, and out of how many bytes; 0 if that does not matter.
    pub(super) bytes: (u64, u64),
    pub(super) severity: Severity,
    pub(super) frames: (u64, u64),
}

impl Seen {
    /// Found once, in a packet.
    pub(super) const fn once(severity: Severity, place: Place) -> Seen {
        Seen::in_frame(severity, place.frame)
    }

    /// Found once, in the packet with a number.
    pub(super) const fn in_frame(severity: Severity, frame: u64) -> Seen {
        Seen { count: 1, times: 1, of: 0, most: 0, bytes: (0, 0), severity, frames: (frame, frame) }
    }

    pub(super) fn merge(&mut self, other: Seen) {
        self.count = self.count.saturating_add(other.count);
        self.times = self.times.saturating_add(other.times);
        self.of = self.of.saturating_add(other.of);
        self.most = self.most.max(other.most);
        let ((bytes, of), (more, of_more)) = (self.bytes, other.bytes);
        self.bytes = (bytes.saturating_add(more), of.saturating_add(of_more));
        self.severity = self.severity.max(other.severity);
        let ((first, last), (from, to)) = (self.frames, other.frames);
        self.frames = (first.min(from), last.max(to));
    }
}
