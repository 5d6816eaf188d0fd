//! Measures of connections for [`Top`](super::Top): round trips, losses and resends.

use super::minute::Minute;
use crate::analysis::stats::Amount;
use crate::capture::follow::{Flow, LossKind, Message, Summary, Transport};
use crate::net::{Measures, Side};
use core::net::SocketAddr;
use core::time::Duration;

/// How often something happened: altogether, and in each second of the last minute.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Occurrences {
    /// How often it happened altogether.
    pub total: u64,
    /// How often it happened in each second. The bytes are 0.
    pub minute: Minute,
}

impl Occurrences {
    /// Notes that it happened several times.
    pub(super) fn add(&mut self, second: i64, count: u64) {
        if count > 0 {
            self.total = self.total.saturating_add(count);
            self.minute.add(second, Amount { count, bytes: 0 });
        }
    }
}

/// A connection with messages: its ends, and its measures.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Link {
    /// The two ends.
    pub flow: Flow,
    /// The end that opened the connection, if that is known.
    pub client: Option<Side>,
    /// The transport of its messages.
    pub transport: Transport,
    /// Whether it is closed.
    pub is_closed: bool,
    /// The time from one end to the other and back, from the last round trips in each direction.
    pub round_trip: Option<Duration>,
    /// The messages that the network lost.
    pub lost: Occurrences,
    /// The commands or segments that were sent again.
    pub resent: Occurrences,
    /// The packets so far, and the bytes after their UDP or TCP headers.
    pub packets: Amount,
}

impl Link {
    pub(super) fn of(message: &Message<'_>) -> Link {
        let origin = message.origin;
        Link {
            flow: origin.flow,
            client: origin.client,
            transport: origin.transport,
            is_closed: false,
            round_trip: None,
            lost: Occurrences::default(),
            resent: Occurrences::default(),
            packets: Amount::default(),
        }
    }

    /// The two ends: the client and the server if that is known, otherwise the lower address first.
    #[must_use]
    pub const fn ends(&self) -> (SocketAddr, SocketAddr) {
        let (low, high) = self.flow.ends();
        match self.client {
            Some(Side::Second) => (high, low),
            _ => (low, high),
        }
    }

    /// Takes the measurements so far. Returns how many commands or segments were sent again since the
    /// measurements before.
    pub(super) fn measure(&mut self, summary: &Summary, second: i64) -> u64 {
        let traffic = summary.traffic();
        self.packets = Amount { count: traffic.packets, bytes: traffic.bytes };
        self.client = summary.client().or(self.client);
        self.is_closed = summary.closed().is_some();
        let measures = [Side::First, Side::Second].map(|side| summary.direction(side).measures());
        let resent = measures.iter().flatten().map(|it| it.resent.saturating_add(it.resent_unseen));
        let more = resent.fold(0, u64::saturating_add).saturating_sub(self.resent.total);
        self.resent.add(second, more);
        let mut halves = measures.into_iter().flatten().filter_map(last_round_trip).peekable();
        if halves.peek().is_some() {
            self.round_trip = Some(halves.fold(Duration::ZERO, Duration::saturating_add));
        }
        more
    }
}

/// The mean time of the last interval with round trips.
fn last_round_trip(measures: &Measures) -> Option<Duration> {
    let (_, point) = measures.round_trips.over_time.iter().next_back()?;
    Some(Duration::from_micros(point.sum / point.count.max(1)))
}

/// Whether the network lost something, and not the capture.
pub const fn is_of_network(kind: LossKind) -> bool {
    use LossKind::{Reliable, Undelivered, Unreliable, UnreliablePart};
    matches!(kind, Reliable | Undelivered | Unreliable | UnreliablePart)
}
