//! Finds what is wrong with a connection as a whole: slow round trips, resends, timeouts.

use super::finding::{FindingList, Seen};
use super::kind::{FindingKind, Severity};
use crate::analysis::stats::Measured;
use crate::capture::follow::{Summary, Transport};
use crate::net::{Measures, Side};

/// Round trips that take longer than this are slow, in microseconds.
const SLOW: u64 = 200_000;
/// With fewer round trips, a percentile says nothing. Fewer resent, overtaken or missing messages
/// are normal.
const FEW: u64 = 10;
/// Each end of a Godot connection over ENet may set its bandwidth and its throttle once when it
/// connects.
const THROTTLINGS: u64 = 2;
/// The share of resent, overtaken or missing messages above which they are a warning.
const SHARE: f64 = 0.02;

/// Adds the findings about a connection that is closed.
pub fn judge(summary: &Summary, findings: &mut FindingList) {
    // Traffic of other programs is not judged.
    let Some(transport) = summary.transport() else { return };
    let mut is_silent = false;
    let mut is_disconnected = false;
    for side in [Side::First, Side::Second] {
        let direction = summary.direction(side);
        let messages = direction.messages;
        // The missing messages were counted as losses.
        let severity = by_share(direction.missing.of_unreliable(), messages);
        findings.raise(FindingKind::UnreliableMissing, severity);
        // Datagrams that were captured only in part were counted as they came.
        if let Some(cut) = direction.cut.as_deref().filter(|_| transport.is_over_tcp()) {
            let seen = Seen { count: cut.packets, ..Seen::in_frame(Severity::Warning, 0) };
            findings.add(FindingKind::CapturedInPart, None, Seen { frames: cut.frames, ..seen });
        }
        let mut add = |kind, count: u64, of: u64, most: u64, severity| {
            if count > 0 {
                let frames = (summary.first().frame, summary.last().frame);
                findings.add(
                    kind,
                    None,
                    Seen { count, times: 1, of, most, bytes: (0, 0), severity, frames },
                );
            }
        };
        add(
            FindingKind::LargeDatagrams,
            direction.above_mtu,
            0,
            direction.largest,
            Severity::Warning,
        );
        let Some(measures) = direction.measures() else { continue };
        let measured = Measured::of(direction).unwrap_or_default();
        let Measured { reliable, resent, out_of_order, round_trips, .. } = measured;
        add(FindingKind::Resent, resent, reliable, 0, by_share(resent, reliable));
        let ordered = if transport.is_over_tcp() { reliable } else { messages };
        add(FindingKind::OutOfOrder, out_of_order, ordered, 0, by_share(out_of_order, ordered));
        let is_enough = measures.round_trips.times.count() >= FEW;
        if let Some(times) = round_trips.filter(|times| is_enough && times.p95 > SLOW) {
            add(FindingKind::SlowRoundTrips, 1, 0, times.p95, Severity::Warning);
        }
        let Measures { unanswered, disconnects, throttlings, .. } = *measures;
        let throttlings = throttlings.saturating_sub(THROTTLINGS);
        add(FindingKind::ThrottleChanged, throttlings, 0, 0, Severity::Info);
        // One or two may only have lacked an answer yet when the capture ended.
        is_silent |= unanswered >= 3;
        is_disconnected |= transport == Transport::Enet && disconnects > 0;
    }
    let frame = summary.last().frame;
    let one = |severity| Seen::in_frame(severity, frame);
    if is_silent {
        findings.add(FindingKind::TimedOut, None, one(Severity::Warning));
    } else if is_disconnected {
        findings.add(FindingKind::Disconnected, None, one(Severity::Info));
    }
}

/// A small number or share is normal.
fn by_share(part: u64, of: u64) -> Severity {
    let is_much = part >= FEW && part as f64 > of as f64 * SHARE;
    if is_much { Severity::Warning } else { Severity::Info }
}
