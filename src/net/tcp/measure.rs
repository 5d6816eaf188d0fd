//! Measures a TCP connection: round-trip times, retransmissions and the order of segments.

use super::Segment;
use crate::net::Side;
use crate::net::measures::{Measures, count};
use std::collections::VecDeque;

/// The most segments that are remembered until they are acknowledged, and the most gaps that are
/// remembered until they are filled.
const SEGMENTS: usize = 256;
const GAPS: usize = 16;

/// The largest distance of two sequence numbers in the same stream.
const WINDOW: i32 = super::WINDOW.cast_signed();

/// How many bytes before the newest byte a repeated SYN may be.
const REORDERED: i32 = super::REORDERED.cast_signed();

/// If no round trip was measured, a segment that fills a gap later than this, in nanoseconds,
/// counts as sent again. Wireshark uses the same time.
const OVERTAKEN: i64 = 3_000_000;

/// Measures a TCP connection from the segments of both ends.
///
/// It takes bounded memory: about 10 KiB for each end.
///
/// ```
/// use gdwire::net::Side;
/// use gdwire::net::tcp::{Meter, Segment};
///
/// // The server acknowledges 5 bytes of the client after 30 ms.
/// let mut meter = Meter::new();
/// meter.segment(Side::First, Some(0), &Segment::new(1_000, b"hello"), None);
/// meter.segment(Side::Second, Some(30_000_000), &Segment::new(1, b""), Some(1_005));
/// assert_eq!(meter.measures(Side::First).round_trips.times.max(), Some(30_000)); // µs
/// ```
#[derive(Debug, Default)]
pub struct Meter {
    first: TcpSender,
    second: TcpSender,
}

/// The traffic of one end.
#[derive(Debug, Default)]
struct TcpSender {
    /// The sequence number after the newest byte.
    next: Option<u32>,
    gaps: Vec<UnseenBytes>,
    /// New segments that were not acknowledged, in order.
    sent: VecDeque<SentSegment>,
    measures: Measures,
}

/// Bytes that were not seen although later ones were.
#[derive(Debug)]
struct UnseenBytes {
    start: u32,
    end: u32,
    since: Option<i64>,
}

#[derive(Debug)]
struct SentSegment {
    /// The sequence number after it.
    end: u32,
    /// When it was captured, in nanoseconds; none if it was sent again, because the acknowledgement
    /// may be for either copy (Karn's algorithm).
    captured: Option<i64>,
}

impl Meter {
    /// A meter that has seen nothing.
    #[must_use]
    pub fn new() -> Meter {
        Meter::default()
    }

    /// Measures a segment that was captured at a time, in nanoseconds, and its acknowledgement number.
    pub fn segment<T>(
        &mut self,
        from: Side,
        captured: Option<i64>,
        segment: &Segment<'_, T>,
        acknowledgement: Option<u32>,
    ) {
        let round_trip = self.round_trip();
        self.end(from.other()).measures.unanswered = 0;
        if segment.is_reset {
            return count(&mut self.end(from).measures.disconnects);
        }
        let is_bare = self.end(from).segment(segment, captured, round_trip);
        if let Some(number) = acknowledgement {
            if is_bare {
                count(&mut self.end(from).measures.acknowledgements);
            }
            self.end(from.other()).acknowledge(number, captured);
        }
    }

    /// The measures of the segments that one end has sent.
    #[must_use]
    pub const fn measures(&self, from: Side) -> &Measures {
        from.of(&self.first.measures, &self.second.measures)
    }

    /// About how much memory is in use, in bytes, in addition to the meter itself.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let ends = [&self.first, &self.second].into_iter().map(|end| {
            let gaps = end.gaps.capacity().saturating_mul(size_of::<UnseenBytes>());
            let sent = end.sent.capacity().saturating_mul(size_of::<SentSegment>());
            gaps.saturating_add(sent).saturating_add(end.measures.heap_bytes())
        });
        ends.sum()
    }

    const fn end(&mut self, side: Side) -> &mut TcpSender {
        side.of_mut(&mut self.first, &mut self.second)
    }

    /// The shortest round trip between the ends so far, in nanoseconds.
    fn round_trip(&self) -> Option<i64> {
        let [first, second] =
            [&self.first, &self.second].map(|it| it.measures.round_trips.times.min());
        let microseconds = first?.saturating_add(second?);
        i64::try_from(microseconds.saturating_mul(1_000)).ok()
    }
}

impl TcpSender {
    /// Notes a segment. Returns whether it has no bytes, SYN or FIN.
    fn segment<T>(
        &mut self,
        segment: &Segment<'_, T>,
        now: Option<i64>,
        round_trip: Option<i64>,
    ) -> bool {
        let (start, length, end) = (segment.sequence, segment.sequence_len(), segment.end());
        if length == 0 {
            return true;
        }
        let next = match self.next {
            Some(next) if !segment.is_syn || (-REORDERED..0).contains(&distance(next, start)) => {
                next
            }
            _ => {
                // The stream begins, or another one does.
                (self.gaps, self.sent) = (Vec::new(), VecDeque::new());
                start
            }
        };
        let ahead = distance(next, start);
        if !(-WINDOW..WINDOW).contains(&ahead) || length > WINDOW.unsigned_abs() {
            return false;
        }
        if ahead == -1 && length == 1 && !segment.is_syn && !segment.is_fin {
            count(&mut self.measures.pings);
            return false;
        }
        let is_new = distance(next, end) > 0;
        let seen_before = if is_new { ahead.min(0).unsigned_abs() } else { length };
        if seen_before > 0 {
            self.repeat(start, start.wrapping_add(seen_before), now, round_trip);
        }
        if ahead > 0 && self.gaps.len() < GAPS {
            self.gaps.push(UnseenBytes { start: next, end: start, since: now });
        }
        self.next = Some(if is_new { end } else { next });
        if is_new {
            count(&mut self.measures.reliable);
            if segment.is_fin {
                count(&mut self.measures.disconnects);
            }
            if self.sent.len() < SEGMENTS {
                let captured = now.filter(|_| seen_before == 0);
                self.sent.push_back(SentSegment { end, captured });
            }
        }
        false
    }

    /// Notes bytes before the newest one: they fill gaps, or were sent again.
    fn repeat(&mut self, start: u32, end: u32, now: Option<i64>, round_trip: Option<i64>) {
        let mut filled = 0_u32;
        let mut is_overtaken = true;
        let mut gaps = Vec::new();
        for gap in core::mem::take(&mut self.gaps) {
            let low = if distance(gap.start, start) > 0 { start } else { gap.start };
            let high = if distance(end, gap.end) > 0 { end } else { gap.end };
            let Ok(common @ 1..) = u32::try_from(distance(low, high)) else {
                gaps.push(gap);
                continue;
            };
            filled = filled.saturating_add(common);
            let waited = now.zip(gap.since).map(|(now, since)| now.saturating_sub(since));
            is_overtaken &= waited.is_none_or(|waited| waited < round_trip.unwrap_or(OVERTAKEN));
            let since = gap.since;
            gaps.push(UnseenBytes { start: gap.start, end: low, since });
            gaps.push(UnseenBytes { start: high, end: gap.end, since });
        }
        gaps.retain(|gap| gap.start != gap.end);
        gaps.truncate(GAPS);
        self.gaps = gaps;
        let again = end.wrapping_sub(start).saturating_sub(filled);
        if again > 0 {
            self.measures.resend(again as usize, now);
        } else if is_overtaken {
            count(&mut self.measures.out_of_order);
        } else {
            self.measures.resend_unseen(now);
        }
        if filled > 0 {
            count(&mut self.measures.reliable);
        }
        let from = self.sent.partition_point(|sent| distance(sent.end, start) >= 0);
        for sent in self.sent.range_mut(from..) {
            sent.captured = None;
            if distance(end, sent.end) >= 0 {
                break;
            }
        }
    }

    /// Measures the round trip of the last segment that the number acknowledges.
    fn acknowledge(&mut self, number: u32, now: Option<i64>) {
        let Some(next) = self.next else { return };
        let round_trips = &mut self.measures.round_trips;
        if distance(next, number) > 0 {
            // The acknowledged bytes were not seen.
            return round_trips.miss();
        }
        let mut last = None;
        while self.sent.front().is_some_and(|sent| distance(sent.end, number) >= 0) {
            last = self.sent.pop_front();
        }
        if let Some((captured, now)) = last.and_then(|sent| sent.captured).zip(now) {
            round_trips.add(captured, now);
        }
    }
}

/// How far a sequence number is after another one. Numbers wrap around.
const fn distance(from: u32, to: u32) -> i32 {
    to.wrapping_sub(from).cast_signed()
}
