//! Judges connections by their measurements.

use super::finding::Findings;
use super::kind::{FindingKind, Severity};
use super::seen::Seen;
use crate::capture::follow::{Direction, Flow, Summary, Transport};
use crate::net::measure::{Series, Spread};
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

/// The measurements of a connection.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The two ends.
    pub(super) flow: Flow,
    pub(super) transport: Option<Transport>,
    pub(super) directions: [Measured; 2],
    over_time: [Option<Box<Series>>; 2],
}

/// The measurements of one direction of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Measured {
    /// The number of packets.
    pub packets: u64,
    /// The number of messages that the transport carried.
    pub messages: u64,
    /// How many commands or segments had to be acknowledged, each counted once.
    pub reliable: u64,
    /// How many of them were sent again.
    pub resent: u64,
    /// ENet: how many unreliable and unsequenced messages were never seen.
    pub missing_unreliable: u64,
    /// How many reliable messages are missing, incomplete or not delivered, and how many gaps the
    /// streams have.
    pub missing_reliable: u64,
    /// How many messages or segments arrived after later ones.
    pub out_of_order: u64,
    /// The times of round trips from the capture point, in microseconds; none if none was measured.
    pub round_trips: Option<Spread>,
}

impl Connection {
    /// The measurements in the summary of a connection. `is_kept` says whether the round trips over
    /// time are kept.
    pub(super) fn of(summary: &Summary, is_kept: bool) -> Connection {
        let directions = [Side::First, Side::Second].map(|side| summary.direction(side));
        Connection {
            flow: summary.flow(),
            transport: summary.transport(),
            directions: directions.map(Measured::of),
            over_time: directions.map(|direction| {
                let measures = direction.measures().filter(|_| is_kept)?;
                Some(Box::new(measures.round_trips.over_time.clone()))
            }),
        }
    }

    /// The times of the round trips from the capture point for what one end has sent, in
    /// microseconds, over time; none if they were not measured, or if 1,024 or more connections
    /// were closed before this one.
    #[must_use]
    pub fn round_trips_over_time(&self, from: Side) -> Option<&Series> {
        let [first, second] = &self.over_time;
        from.of(first, second).as_deref()
    }

    /// The two ends.
    #[must_use]
    pub const fn flow(&self) -> Flow {
        self.flow
    }

    /// The transport of the messages; `None` if no known message was found.
    #[must_use]
    pub const fn transport(&self) -> Option<Transport> {
        self.transport
    }

    /// The measurements of what one end has sent.
    #[must_use]
    pub const fn direction(&self, from: Side) -> Measured {
        let [first, second] = &self.directions;
        *from.of(first, second)
    }
}

impl Measured {
    fn of(direction: &Direction) -> Measured {
        let missing = direction.missing;
        let without = Measured {
            packets: direction.packets,
            messages: direction.messages,
            missing_unreliable: missing.unreliable.saturating_add(missing.unsequenced),
            missing_reliable: missing
                .reliable
                .saturating_add(missing.undelivered)
                .saturating_add(missing.incomplete)
                .saturating_add(missing.gaps),
            ..Measured::default()
        };
        let Some(measures) = direction.measures() else { return without };
        Measured {
            reliable: measures.reliable,
            resent: measures.resent.saturating_add(measures.resent_unseen),
            out_of_order: measures.out_of_order,
            round_trips: measures.round_trips.times.spread(),
            ..without
        }
    }
}

/// Adds the findings about a connection that is closed.
pub(super) fn judge(summary: &Summary, findings: &mut Findings) {
    // Traffic of other programs is not judged.
    let Some(transport) = summary.transport() else { return };
    let mut is_silent = false;
    let mut is_disconnected = false;
    for side in [Side::First, Side::Second] {
        let direction = summary.direction(side);
        let measured = Measured::of(direction);
        // The missing messages were counted as losses.
        let severity = by_share(measured.missing_unreliable, measured.messages);
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
        let Measured { reliable, resent, messages, out_of_order, .. } = measured;
        add(FindingKind::Resent, resent, reliable, 0, by_share(resent, reliable));
        let ordered = if transport.is_over_tcp() { reliable } else { messages };
        add(FindingKind::OutOfOrder, out_of_order, ordered, 0, by_share(out_of_order, ordered));
        let Some(measures) = direction.measures() else { continue };
        let is_enough = measures.round_trips.times.count() >= FEW;
        if let Some(times) = measured.round_trips.filter(|times| is_enough && times.p95 > SLOW) {
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
