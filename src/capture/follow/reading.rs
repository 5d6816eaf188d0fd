//! Reads packets: finds their connections, and passes the packets on to them.

use super::{
    Admission, Arrival, Cause, Closed, Flow, FlowPacket, FollowedConnection, Follower, Origin,
    PacketOwner, QueuedKind, Reason, Share, Shared, Wire,
};
use crate::net::Side;
use crate::net::enet::session_and_peer;
use crate::net::packet::{
    CapturedPacket, IpFragment, LostPacket, Payload, Protocol, ReassembledPacket, TcpSegment,
    UdpDatagram,
};
use core::net::SocketAddr;

impl Follower<'_> {
    #[inline]
    pub(super) fn read_packet(&mut self, packet: &CapturedPacket<'_>) {
        let wire = Wire::of_frame(packet.original_len);
        match packet.payload() {
            Payload::Udp(ref datagram) => {
                self.read(FlowPacket::Datagram(datagram), wire, Some(packet))
            }
            Payload::Tcp(ref segment) => {
                self.read(FlowPacket::Segment(segment), wire, Some(packet))
            }
            ref other => self.read_other(packet, other),
        }
    }

    /// Reads a packet that is neither a datagram nor a segment.
    #[inline(never)]
    fn read_other(&mut self, packet: &CapturedPacket<'_>, payload: &Payload<'_>) {
        let reason = match payload {
            Payload::Fragment(fragment) if fragment.is_of_transport() => {
                return self.read_fragment(packet, fragment);
            }
            Payload::Fragment(fragment) => {
                let protocol = Protocol::Ip(fragment.protocol);
                return self.other_fragments(packet.data, Reason::OtherProtocol(protocol));
            }
            Payload::Other(protocol) => Reason::OtherProtocol(*protocol),
            Payload::Cut => Reason::Cut,
            Payload::UnknownLink => Reason::UnknownLink(packet.link_type),
            Payload::Malformed | Payload::Udp(_) | Payload::Tcp(_) => Reason::Malformed,
        };
        self.other(packet.data, reason);
    }

    fn read_fragment(&mut self, packet: &CapturedPacket<'_>, fragment: &IpFragment<'_>) {
        let Some(mut fragments) = self.fragments.take() else { return };
        let Follower { queue, options, common, .. } = self;
        let is_first = common.share().is_none_or(Share::is_first);
        let mut report = |packet: LostPacket| {
            let (src, dst) = (SocketAddr::new(packet.src, 0), SocketAddr::new(packet.dst, 0));
            if is_first && options.admits(src, dst) {
                queue.push(None, QueuedKind::lost(Cause::Fragments(packet)));
            }
        };
        let CapturedPacket { frame, original_len, time, .. } = *packet;
        let whole = fragments.push_frame(frame, original_len, time, fragment, &mut report);
        if let Some(ReassembledPacket { payload, frames, bytes, first_frame }) = whole {
            self.now = self.now.with_first_frame(first_frame);
            let wire = Wire { frames, bytes };
            // All followers that share a capture read the fragments, but one of them the whole.
            match payload {
                Payload::Udp(UdpDatagram { src, dst, .. }) if !self.shares(false, &src, &dst) => {}
                Payload::Tcp(TcpSegment { src, dst, .. }) if !self.shares(true, &src, &dst) => {}
                Payload::Udp(datagram) => {
                    self.read(FlowPacket::Datagram(&datagram), wire, Some(packet))
                }
                Payload::Tcp(segment) => {
                    self.read(FlowPacket::Segment(&segment), wire, Some(packet))
                }
                Payload::Other(protocol) => {
                    self.other_fragments(packet.data, Reason::OtherProtocol(protocol));
                }
                _ => self.other_fragments(packet.data, Reason::Malformed),
            }
            self.now = self.now.with_first_frame(frame);
        }
        self.fragments = Some(fragments);
    }

    /// Reports fragments that belong to no flow. All followers that share a capture read them, and one
    /// reports them.
    fn other_fragments(&mut self, bytes: &[u8], reason: Reason) {
        if self.common.share().is_none_or(Share::is_first) {
            self.other(bytes, reason);
        }
    }

    /// Whether the follower reads the packets between these ends.
    pub(super) fn shares(&mut self, is_tcp: bool, src: &SocketAddr, dst: &SocketAddr) -> bool {
        let share = self.common.share_mut();
        share.is_none_or(|share| share.has_flow(&Flow::of(is_tcp, src, dst).0))
    }

    fn other(&mut self, bytes: &[u8], reason: Reason) {
        // The filter cannot be applied to packets without addresses. Only those that may have been wanted
        // are reported.
        if self.options.is_filtered() && !matches!(reason, Reason::Cut | Reason::UnknownLink(_)) {
            return;
        }
        let bytes = self.queue.keep(bytes);
        self.queue.push(None, QueuedKind::Other(bytes, reason));
    }

    /// Reads a packet of a flow, with the packet that was captured, if there is one.
    pub(super) fn read(
        &mut self,
        packet: FlowPacket<'_, '_>,
        wire: Wire,
        captured: Option<&CapturedPacket<'_>>,
    ) {
        let (src, dst) = packet.ends();
        let is_tcp = packet.is_tcp();
        if !self.options.admits(*src, *dst) {
            return;
        }
        if self.options.excludes(is_tcp) {
            let (flow, from) = Flow::of(is_tcp, src, dst);
            self.skip(flow, from, packet, Reason::NotAskedFor);
            return;
        }
        let place = self.now.with_wire(wire);
        if let Some((flow, connection)) = self.connections.last_mut()
            && let Some(from) = flow.sender(is_tcp, src, dst)
        {
            let arrival = Arrival { from, place, wire };
            let owner = connection.opens(&arrival, packet, &mut self.handshakes);
            if !matches!(owner, PacketOwner::Same) {
                let flow = *flow;
                return self.read_any(flow, &arrival, packet, captured, Some(owner));
            }
            let Follower { options, common, scratch, queue, .. } = self;
            let mut shared = Shared { options, common, is_finishing: false, scratch, queue };
            connection.packet(&arrival, packet, &mut shared);
            connection.note_end(&mut self.lingering);
            self.connections.note_last();
        } else {
            let (flow, from) = Flow::of(is_tcp, src, dst);
            self.read_any(flow, &Arrival { from, place, wire }, packet, captured, None);
        }
    }

    /// Reports that a packet is not read. Returns false if there is nothing in it.
    fn skip(&mut self, flow: Flow, from: Side, packet: FlowPacket<'_, '_>, reason: Reason) -> bool {
        let (payload, missing) = packet.payload();
        // An empty segment contains no message.
        if packet.is_tcp() && payload.is_empty() && missing == 0 {
            return false;
        }
        let bytes = self.queue.keep(payload);
        let transport = flow.transport();
        let origin = Origin { connection: 0, flow, from, transport, client: None };
        self.queue.push(Some(origin), QueuedKind::Other(bytes, reason));
        true
    }

    /// Decides about a packet of a flow that is not followed and may have been given up.
    fn returns(&mut self, flow: &Flow, from: Side, packet: FlowPacket<'_, '_>) -> Admission {
        let (is_new, end) = match packet {
            FlowPacket::Segment(segment) => {
                (segment.is_syn && segment.acknowledgement.is_none(), None)
            }
            FlowPacket::Datagram(datagram) => {
                let payload = datagram.payload;
                let is_connect = datagram.missing == 0 && self.handshakes.is_connect(payload);
                (is_connect, session_and_peer(payload))
            }
        };
        if is_new {
            self.given_up.forget(flow);
            return Admission::New;
        }
        let followed = self.connections.followed(!self.lingering.is_empty());
        match self.given_up.take(flow, followed) {
            Admission::Resumed(rest) if rest.is_other(from, end) => Admission::New,
            other => other,
        }
    }

    /// Like [`read`](Follower::read), for a packet of another flow than the one before, or of
    /// another connection. `owner` says which connection it belongs to, if that is known.
    #[inline(never)]
    fn read_any(
        &mut self,
        flow: Flow,
        arrival: &Arrival,
        packet: FlowPacket<'_, '_>,
        captured: Option<&CapturedPacket<'_>>,
        mut owner: Option<PacketOwner>,
    ) {
        let Arrival { from, place: now, wire } = *arrival;
        let mut rest = None;
        if !self.given_up.is_empty() && self.connections.get(&flow).is_none() {
            match self.returns(&flow, from, packet) {
                Admission::New => {}
                Admission::Resumed(resumed) => rest = Some(resumed),
                Admission::Refused { is_loss } => {
                    if self.skip(flow, from, packet, Reason::TooManyConnections) && is_loss {
                        self.report_limit();
                    }
                    return;
                }
            }
        }
        let Follower {
            options, connections, common, scratch, queue, opened, names, packets, ..
        } = self;
        let options = &*options;
        let handshakes = &mut self.handshakes;
        let lingering = &mut self.lingering;
        // Followers that share a capture number their connections in the order of all of them.
        let number = if common.share().is_some() { *packets } else { opened.saturating_add(1) };
        let make = || FollowedConnection::new(number, flow, rest.as_ref(), now, options);
        connections.update(flow, make, |connection| {
            let is_first = connection.summary.packets() == 0;
            let owner = owner.take();
            let owner = owner.unwrap_or_else(|| connection.opens(arrival, packet, handshakes));
            let held = match owner {
                PacketOwner::Same => None,
                PacketOwner::Held => {
                    let is_tcp = flow.is_tcp();
                    let direction = connection.summary.direction_mut(from);
                    direction.add((packet.len(), wire), now.time, is_tcp);
                    return;
                }
                PacketOwner::Other(held) => {
                    if let Some(held) = &held {
                        let Arrival { from, wire, place } = held.arrival;
                        let len = held.with_packet(|packet| packet.len());
                        let direction = connection.summary.direction_mut(from);
                        direction.remove(len, wire, place.time);
                    }
                    Some(held)
                }
            };
            let mut shared = Shared { options, common, is_finishing: false, scratch, queue };
            let is_replaced = !is_first && held.is_some() && connection.has_begun();
            let held = held.flatten();
            if is_replaced {
                connection.close(now, Closed::Replaced, &mut shared);
                let first = held.as_ref().map_or(now, |held| held.arrival.place);
                let mut next = FollowedConnection::new(number, flow, None, first, options);
                next.opened = core::mem::take(&mut connection.opened);
                let before = core::mem::replace(connection, next);
                names.push((before.summary.connection, before.names));
            }
            if is_first || is_replaced {
                *opened = number;
                connection.summary.tunnel = captured.and_then(CapturedPacket::tunnel).map(Box::new);
                let summary = Box::new(connection.summary.clone());
                shared.queue.push(None, QueuedKind::Opened(summary));
            }
            if let Some(held) = held {
                held.with_packet(|packet| {
                    connection.packet(&held.arrival, packet, &mut shared);
                });
            }
            connection.packet(arrival, packet, &mut shared);
            connection.note_end(lingering);
        });
    }
}
