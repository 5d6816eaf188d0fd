//! Counts of the bytes that the sockets of all bots send and receive, and round trips over ENet.

use crate::game::peer::watch::{Traffic, TrafficContent};
use crate::net::Side;
use crate::net::enet::{Datagram, DatagramDecompressor, Meter};
use crate::net::measure::Histogram;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use std::time::Instant;

/// A function that also gets the traffic, such as to record it.
pub(super) type Observer = Box<dyn FnMut(Traffic<'_>) + Send>;

/// Counts the bytes of all sockets, and measures the round trips of each.
pub(super) struct SocketCounts {
    start: Instant,
    pub(super) sent: u64,
    pub(super) received: u64,
    /// One for each bot.
    meters: Vec<Meter>,
    decompressor: DatagramDecompressor,
    buffer: Vec<u8>,
    pub(super) observer: Option<Observer>,
}

impl SocketCounts {
    pub(super) fn new() -> SocketCounts {
        SocketCounts {
            start: Instant::now(),
            sent: 0,
            received: 0,
            meters: Vec::new(),
            decompressor: DatagramDecompressor::new(),
            buffer: Vec::new(),
            observer: None,
        }
    }

    /// Takes a packet that the socket of a bot has sent or received.
    pub(super) fn note(&mut self, bot: usize, traffic: Traffic<'_>) {
        if let Some(observer) = &mut self.observer {
            observer(traffic);
        }
        let (from, bytes) = if traffic.is_sent {
            (Side::First, &mut self.sent)
        } else {
            (Side::Second, &mut self.received)
        };
        let (TrafficContent::Datagram(content) | TrafficContent::Bytes(content)) = traffic.content
        else {
            return;
        };
        *bytes = bytes.saturating_add(u64::try_from(content.len()).unwrap_or(u64::MAX));
        if !matches!(traffic.content, TrafficContent::Datagram(_)) {
            return;
        }
        if self.meters.len() <= bot {
            self.meters.resize_with(bot.saturating_add(1), Meter::new);
        }
        let at = i64::try_from(self.start.elapsed().as_nanos()).ok();
        let datagram = Datagram::parse_with(content, &mut self.decompressor, &mut self.buffer);
        if let (Ok(datagram), Some(meter)) = (datagram, self.meters.get_mut(bot)) {
            meter.datagram(from, at, &datagram);
        }
    }

    /// The round trips over ENet, in microseconds.
    pub(super) fn round_trips(&self) -> Histogram {
        let mut all = Histogram::new();
        for meter in &self.meters {
            all.merge(&meter.measures(Side::First).round_trips.times);
        }
        all
    }
}

impl fmt::Debug for SocketCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SocketCounts { sent, received, .. } = self;
        debug_fields!(f, SocketCounts { sent, received, .. })
    }
}
