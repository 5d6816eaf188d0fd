//! Counts of what one end of a connection has sent: frames, packets, bytes, messages, and what is
//! missing.

use super::Cause;
use crate::net::packet::Time;
use crate::net::{Measures, enet, tcp};

/// Counts of what one end of a connection has sent, as far as it was captured.
///
/// [`Summary::direction`](super::Summary::direction) gives it for each end.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Direction {
    /// The number of packets: datagrams or segments. IP fragments count as one packet once they are
    /// reassembled.
    pub packets: u64,
    /// The number of bytes that these carry after their UDP or TCP headers.
    pub payload_bytes: u64,
    /// The frames that carried the packets; none if some packets were pushed without their frames,
    /// as by [`Follower::datagram`](super::Follower::datagram).
    pub wire: Option<Wire>,
    /// The number of bytes after the UDP or TCP header of the largest packet.
    pub largest: u64,
    /// How many UDP datagrams have more than [`USUAL_MTU`](crate::net::enet::USUAL_MTU) bytes of payload.
    pub above_mtu: u64,
    /// The number of messages that the transport carried, readable or not. The peer id that Godot's
    /// WebSocket server gives a client is not counted.
    pub messages: u64,
    /// The number of bytes of these messages, without headers.
    pub message_bytes: u64,
    /// Counts of what was not captured, although sequence numbers show that it was sent.
    pub missing: Missing,
    /// The packets that were captured only in part.
    pub(crate) cut: Option<Box<CutPart>>,
    pub(super) measures: Option<Box<Measures>>,
}

/// Packets that were captured only in part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CutPart {
    pub packets: u64,
    /// The frames of the first and the last of them.
    pub frames: (u64, u64),
}

/// Counts of what is missing in one direction, from the reported [losses](super::Event::Lost).
/// [Messages that may have arrived earlier](super::LossKind::Earlier) are not counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Missing {
    /// ENet: reliable messages and fragments. The capture lacks them, because ENet sends them until
    /// they arrive.
    pub reliable: u64,
    /// ENet: reliable messages and fragments that were neither seen nor acknowledged before the end
    /// of the connection or of the capture: the network lost them.
    pub undelivered: u64,
    /// ENet: unreliable messages that were never seen: the network lost them, or the sender dropped
    /// them because the round trips became slower.
    pub unreliable: u64,
    /// ENet: unsequenced messages that were never seen, for the same reasons. Godot sends those of
    /// mode `unreliable` this way.
    pub unsequenced: u64,
    /// ENet: messages of which some fragments were seen and others were not.
    pub incomplete: u64,
    /// TCP and WebSocket: how often bytes of the stream are missing.
    pub gaps: u64,
    /// TCP and WebSocket: how many bytes of the stream are missing.
    pub gap_bytes: u64,
}

impl Missing {
    /// ENet: the messages that games may lose, in both unreliable modes.
    #[must_use]
    pub const fn of_unreliable(&self) -> u64 {
        self.unreliable.saturating_add(self.unsequenced)
    }

    /// The messages that should have arrived, and the gaps in the stream.
    #[must_use]
    pub const fn of_reliable(&self) -> u64 {
        let messages = self.reliable.saturating_add(self.undelivered);
        messages.saturating_add(self.incomplete).saturating_add(self.gaps)
    }

    /// All of these.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.of_unreliable().saturating_add(self.of_reliable())
    }
}

impl Direction {
    pub(super) fn new(is_measuring: bool) -> Direction {
        Direction {
            packets: 0,
            payload_bytes: 0,
            wire: Some(Wire::default()),
            largest: 0,
            above_mtu: 0,
            messages: 0,
            message_bytes: 0,
            missing: Missing::default(),
            cut: None,
            measures: is_measuring.then(Box::default),
        }
    }

    /// The measurements; none without [`Options::with_measures`](super::Options::with_measures).
    ///
    /// Round-trip times, resends and everything else that needs sequence numbers are measured for
    /// ENet, TCP and WebSocket. They include the first packets, and are complete once the
    /// connection is closed. [`Follower::connections`](super::Follower::connections) gives those of
    /// open connections. The summaries in other events have only the sizes of the messages.
    #[must_use]
    pub fn measures(&self) -> Option<&Measures> {
        self.measures.as_deref()
    }

    pub(super) fn without_measures(&self) -> Direction {
        Direction { cut: self.cut.clone(), measures: None, ..*self }
    }

    /// Counts a packet. `wire` has no frame if the packet was pushed without its frame.
    #[inline]
    pub(super) fn add(&mut self, (len, wire): (usize, Wire), time: Option<Time>, is_tcp: bool) {
        let len = len as u64;
        if let (Some(measures), Some(time)) = (&mut self.measures, time) {
            measures.packets_over_time.add(time.as_nanos(), wire.bytes.max(len));
        }
        self.packets += 1;
        self.payload_bytes = self.payload_bytes.saturating_add(len);
        match &mut self.wire {
            Some(sum) if wire.frames > 0 => *sum = sum.plus(wire),
            sum => *sum = None,
        }
        self.largest = self.largest.max(len);
        self.above_mtu = self.above_mtu.saturating_add((!is_tcp && len > enet::USUAL_MTU).into());
    }

    /// Undoes [`add`](Direction::add) for a packet that turned out to belong to another connection.
    pub(super) fn remove(&mut self, len: usize, wire: Wire, time: Option<Time>) {
        let len = len as u64;
        if let (Some(measures), Some(time)) = (&mut self.measures, time) {
            measures.packets_over_time.take_back(time.as_nanos(), wire.bytes.max(len));
        }
        self.packets = self.packets.saturating_sub(1);
        self.payload_bytes = self.payload_bytes.saturating_sub(len);
        self.wire = self.wire.map(|sum| sum.minus(wire));
    }

    /// Notes that a packet was captured only in part.
    pub(super) fn note_cut(&mut self, frame: u64) {
        let none = || Box::new(CutPart { packets: 0, frames: (frame, frame) });
        let cut = self.cut.get_or_insert_with(none);
        (cut.packets, cut.frames.1) = (cut.packets.saturating_add(1), frame);
    }

    /// Whether a packet up to this frame was captured only in part.
    pub(super) fn is_cut_by(&self, frame: u64) -> bool {
        self.cut.as_ref().is_some_and(|cut| cut.frames.0 <= frame)
    }

    #[inline]
    pub(super) fn add_message(&mut self, len: usize) {
        if let Some(measures) = &mut self.measures {
            measures.sizes.add(len as u64);
        }
        self.messages += 1;
        self.message_bytes += len as u64;
    }

    /// Counts what is missing.
    pub(super) fn lose(&mut self, cause: &Cause) {
        let Missing { reliable, undelivered, unreliable, unsequenced, incomplete, gaps, gap_bytes } =
            &mut self.missing;
        let (what, count) = match cause {
            Cause::Enet(enet::LostMessage {
                lost,
                reason: enet::LossReason::Unacknowledged,
                ..
            }) => (undelivered, lost.count()),
            Cause::Enet(enet::LostMessage { reason: enet::LossReason::Earlier, .. }) => return,
            Cause::Enet(enet::LostMessage { lost, .. }) => match *lost {
                enet::Lost::Missing { mode, count } => {
                    let what = match mode {
                        enet::Mode::Reliable => reliable,
                        enet::Mode::Unreliable => unreliable,
                        enet::Mode::Unsequenced => unsequenced,
                    };
                    (what, count)
                }
                enet::Lost::Fragments { .. } => (incomplete, 1),
                _ => return,
            },
            Cause::Stream { bytes, reason: tcp::LossReason::Missing, .. } => {
                *gap_bytes = gap_bytes.saturating_add(*bytes);
                (gaps, 1)
            }
            Cause::Stream { .. }
            | Cause::Cut { .. }
            | Cause::Fragments(_)
            | Cause::Flow
            | Cause::Connections { .. }
            | Cause::Names
            | Cause::Queue { .. } => return,
        };
        *what = what.saturating_add(count.into());
    }
}

/// Counts of the frames that carried some packets.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Wire {
    /// How many frames: more than there are packets if IP packets were sent in fragments.
    pub frames: u64,
    /// How many bytes these frames had, including the headers of the link, of IP and of UDP or TCP,
    /// as Wireshark counts them. Packets from [`Follower::ip`](super::Follower::ip) have no link
    /// header.
    pub bytes: u64,
}

impl Wire {
    pub(super) const fn of_frame(bytes: u32) -> Wire {
        Wire { frames: 1, bytes: bytes as u64 }
    }

    pub(super) const fn plus(self, other: Wire) -> Wire {
        Wire {
            frames: self.frames.saturating_add(other.frames),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    pub(super) const fn minus(self, other: Wire) -> Wire {
        Wire {
            frames: self.frames.saturating_sub(other.frames),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}
