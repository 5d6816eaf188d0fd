//! The measures of one direction of a connection, over ENet or TCP.

use super::enet::{Bandwidth, Throttle};
use crate::net::measure::{Histogram, Series};
use core::time::Duration;

/// How many intervals a measure over time has at most, and how long they are at first.
pub const INTERVALS: usize = 256;
pub const INTERVAL: Duration = Duration::from_millis(125);

/// The longest round trip that counts, in nanoseconds. A longer one is not real: a number was
/// forged, or has wrapped around.
const LONGEST: i64 = 60_000_000_000;

/// The measures of one direction of a connection: the traffic of one end, and the answers of the
/// other end.
///
/// An [`enet::Meter`](super::enet::Meter) or a [`tcp::Meter`](super::tcp::Meter) fills it. It takes
/// bounded memory, about 48 KiB at most.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Measures {
    /// The sizes of the messages, in bytes. A meter does not know the messages: this is filled by
    /// `follow`.
    pub sizes: Histogram,
    /// The packets by when they were captured, with their bytes on the wire, or the bytes of their
    /// payload if they were pushed without their frames. A meter does not know the frames: this is
    /// filled by `follow`, too.
    pub packets_over_time: Series,
    /// The times from the capture point to the other end and back.
    pub round_trips: RoundTrips,
    /// ENet: how many commands had to be acknowledged, each counted once. TCP: how many segments had
    /// bytes that were not seen before.
    pub reliable: u64,
    /// ENet: how many commands were sent again. TCP: how many segments had bytes that were seen
    /// before. Their first copy, or its acknowledgement, was lost after the capture point or was late.
    pub resent: u64,
    /// The bytes of these: payload that was seen before.
    pub resent_bytes: u64,
    /// How many commands or segments were sent again although their first copy was not seen: it was
    /// lost before the capture point. ENet's sent times show this. TCP has no such times, so a
    /// segment counts if it fills a gap more than a round trip after the gap was noticed, or more
    /// than 3 ms if no round trip was measured.
    pub resent_unseen: u64,
    /// How many commands or segments were sent again over time, by when the later copy was
    /// captured: the sums are [`resent`](Measures::resent) and
    /// [`resent_unseen`](Measures::resent_unseen) together, except for packets without a time.
    pub resent_over_time: Series,
    /// ENet: how many commands were captured twice in identical copies, because the network or the
    /// capture duplicated them.
    pub doubled: u64,
    /// How many messages or segments were overtaken: they arrived after others that were sent
    /// later, and were not sent again.
    pub out_of_order: u64,
    /// ENet: how many acknowledgements it sent. TCP: how many segments had nothing but an
    /// acknowledgement.
    pub acknowledgements: u64,
    /// How many commands or segments were sent again since the last packet of the other end. If
    /// this is not 0 at the end of a connection, the other end stopped sending, and the connection
    /// probably timed out.
    pub unanswered: u64,
    /// ENet's pings, and TCP's keep-alives.
    pub pings: u64,
    /// ENet: how many commands asked to end the connection. TCP: FIN and RST.
    pub disconnects: u64,
    /// ENet: how many times the sender changed its bandwidth or the throttling of unreliable messages.
    pub throttlings: u64,
    /// ENet: the last of these bandwidths.
    pub bandwidth: Option<Bandwidth>,
    /// ENet: the last of these throttlings.
    pub throttle: Option<Throttle>,
}

/// The times from the capture point to the receiver and back, in microseconds.
///
/// They include the time that the other end takes to answer: Godot reads the network once a frame.
/// The times of both directions add up to the round-trip time between the ends.
///
/// ENet acknowledges a command together with the time at which it was sent, so commands that were
/// sent again are measured, too. For TCP, only segments that were sent once are measured.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct RoundTrips {
    /// All times, in microseconds.
    pub times: Histogram,
    /// The times by when their acknowledgement was captured, in microseconds.
    pub over_time: Series,
    /// How many acknowledgements were not measured: what they acknowledge was not seen, was seen too
    /// long ago, or was captured later than they were.
    pub unmatched: u64,
}

impl Default for RoundTrips {
    fn default() -> RoundTrips {
        RoundTrips { times: Histogram::new(), over_time: over_time(), unmatched: 0 }
    }
}

impl RoundTrips {
    /// Notes that something was acknowledged. Times are in nanoseconds.
    pub(super) fn add(&mut self, sent: i64, acknowledged: i64) {
        match acknowledged.checked_sub(sent) {
            Some(time @ 0..=LONGEST) => {
                let microseconds = (time / 1_000).unsigned_abs();
                self.times.add(microseconds);
                self.over_time.add(acknowledged, microseconds);
            }
            _ => self.miss(),
        }
    }

    pub(super) const fn miss(&mut self) {
        self.unmatched += 1;
    }
}

/// A series without values. All of them start with the same intervals.
pub fn over_time() -> Series {
    Series::new(INTERVAL, INTERVALS)
}

impl Default for Measures {
    fn default() -> Measures {
        Measures {
            sizes: Histogram::new(),
            packets_over_time: over_time(),
            round_trips: RoundTrips::default(),
            reliable: 0,
            resent: 0,
            resent_bytes: 0,
            resent_unseen: 0,
            resent_over_time: over_time(),
            doubled: 0,
            out_of_order: 0,
            acknowledgements: 0,
            unanswered: 0,
            pings: 0,
            disconnects: 0,
            throttlings: 0,
            bandwidth: None,
            throttle: None,
        }
    }
}

impl Measures {
    /// Notes that something was sent again. The time is in nanoseconds.
    pub(super) fn resend(&mut self, bytes: usize, captured: Option<i64>) {
        self.resent += 1;
        self.resent_bytes += bytes as u64;
        self.unanswered += 1;
        self.resent_at(captured);
    }

    /// Notes that something was sent again whose first copy was not seen.
    pub(super) fn resend_unseen(&mut self, captured: Option<i64>) {
        count(&mut self.resent_unseen);
        self.resent_at(captured);
    }

    fn resent_at(&mut self, captured: Option<i64>) {
        if let Some(captured) = captured {
            self.resent_over_time.add(captured, 1);
        }
    }

    /// About how much memory is in use, in bytes, in addition to the struct itself.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let RoundTrips { times, over_time, .. } = &self.round_trips;
        let series = [over_time, &self.packets_over_time, &self.resent_over_time];
        let histograms = [&self.sizes, times].map(Histogram::heap_bytes);
        series.map(Series::heap_bytes).into_iter().chain(histograms).sum()
    }
}

/// Counts one more.
pub const fn count(counter: &mut u64) {
    *counter += 1;
}
