//! The peers of a session: connections, authentication, and the messages in which the server
//! announces its clients to each other.

use super::event::{Refusal, SessionError, SessionEvent};
use super::{Session, nodes};
use crate::game::multiplayer::packet::{Packet, Relay};
use crate::game::multiplayer::{MultiplayerProtocol, PeerId, parse};
use crate::game::project::TransferMode;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::time::Duration;

/// An admitted peer.
#[derive(Clone, Default, Debug)]
pub(super) struct Peer {
    /// How many paths and nodes it has announced.
    pub(super) announcements: usize,
    /// The nodes that it has spawned, each with the numbers of its synchronizers.
    pub(super) nodes: BTreeMap<u32, Vec<u32>>,
    /// The numbers of all these synchronizers.
    pub(super) synchronizers: BTreeSet<u32>,
    /// The times of the last states of its synchronizers: net ids, and ids of paths with the top bit.
    pub(super) times: BTreeMap<u32, u16>,
    /// The authorities of the nodes whose paths have these ids, as far as they were looked up.
    pub(super) authorities: BTreeMap<u32, PeerId>,
}

/// A peer that is being authenticated.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    since: Duration,
    /// Whether this end has completed the authentication, and the other one.
    is_complete_here: bool,
    is_complete_there: bool,
}

impl Session {
    /// A connection to a peer has opened. A client has one, to the server.
    ///
    /// # Errors
    ///
    /// [`SessionError::InvalidPeer`] if another peer has the id or if no such peer can have it, and
    /// [`SessionError::TooManyPeers`]. Then close the connection.
    pub fn connected(&mut self, peer: PeerId) -> Result<(), SessionError> {
        let is_possible = if self.is_server() { peer.get() > 1 } else { peer == PeerId::SERVER };
        if !is_possible || self.links.contains(&peer) || self.peers.contains_key(&peer) {
            return Err(SessionError::InvalidPeer { peer });
        }
        let limit = self.options.limits.peers;
        if self.links.len() >= limit {
            return Err(SessionError::TooManyPeers { limit });
        }
        self.links.insert(peer);
        let is_new = self.options.protocol == MultiplayerProtocol::Godot4;
        if is_new && self.options.authentication.is_some() {
            let (is_complete_here, is_complete_there) = (false, false);
            let pending = Pending { since: self.now, is_complete_here, is_complete_there };
            self.pending.insert(peer, pending);
            self.events.push_back(SessionEvent::Authenticating { peer });
        } else {
            self.admit(peer);
        }
        Ok(())
    }

    /// The connection to a peer has closed.
    pub fn disconnected(&mut self, peer: PeerId) {
        if !self.links.remove(&peer) {
            return;
        }
        if self.pending.remove(&peer).is_some() {
            self.events.push_back(SessionEvent::AuthenticationFailed { peer });
            return;
        }
        if !self.is_server() {
            let others: Vec<_> = self.peers.keys().copied().collect();
            others.into_iter().for_each(|other| self.forget(other));
            self.events.push_back(SessionEvent::PeerDisconnected { peer });
            return;
        }
        self.leave(peer);
    }

    /// Sets the time, drops peers whose authentication takes too long, and sends the states that are
    /// due.
    ///
    /// Call it as often as a game has frames: synchronizers without an interval send their state each
    /// time.
    pub fn handle_time(&mut self, now: Duration) {
        self.now = now;
        self.replicate(now);
        let Some(timeout) = self.timeout() else { return };
        let is_late = |pending: &Pending| pending.since.saturating_add(timeout) <= now;
        let late = self.pending.iter().filter(|(_, pending)| is_late(pending));
        let late: Vec<_> = late.map(|(peer, _)| *peer).collect();
        for peer in late {
            self.pending.remove(&peer);
            self.links.remove(&peer);
            self.events.push_back(SessionEvent::AuthenticationFailed { peer });
        }
    }

    /// When the next authentication takes too long: [`Session::handle_time`] has to be called then.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Duration> {
        let timeout = self.timeout()?;
        let first = self.pending.values().map(|pending| pending.since).min()?;
        Some(first.saturating_add(timeout))
    }

    fn timeout(&self) -> Option<Duration> {
        self.options.authentication.filter(|timeout| !timeout.is_zero())
    }

    /// Sends data for the authentication to a peer: `send_auth()`.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotAuthenticating`] if the peer is not being authenticated, or if one end has
    /// completed it, [`SessionError::PacketTooLong`], and [`SessionError::Encode`] for empty data.
    pub fn send_auth(&mut self, peer: PeerId, data: &[u8]) -> Result<(), SessionError> {
        let pending = self.pending.get(&peer);
        if !pending.is_some_and(|it| !it.is_complete_here && !it.is_complete_there) {
            return Err(SessionError::NotAuthenticating { peer });
        }
        nodes::not_empty(data)?;
        let bytes = self.encoder.auth(data, Vec::new())?;
        self.check_capacity(0, bytes.len())?;
        self.transmit(peer, TransferMode::Reliable, 0, bytes);
        Ok(())
    }

    /// Completes the authentication of a peer on this end: `complete_auth()`. The peer is admitted
    /// when the other end has completed it, too, or sends a packet that has no data for it.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotAuthenticating`] if the peer is not being authenticated, or if it was
    /// completed before.
    pub fn complete_auth(&mut self, peer: PeerId) -> Result<(), SessionError> {
        let pending = self.pending.get_mut(&peer).filter(|pending| !pending.is_complete_here);
        let Some(pending) = pending else { return Err(SessionError::NotAuthenticating { peer }) };
        pending.is_complete_here = true;
        let is_admitted = pending.is_complete_there;
        let bytes = self.encoder.auth(&[], Vec::new())?;
        self.transmit(peer, TransferMode::Reliable, 0, bytes);
        if is_admitted {
            self.pending.remove(&peer);
            self.admit(peer);
        }
        Ok(())
    }

    /// Admits a peer. A server tells the others about it.
    fn admit(&mut self, peer: PeerId) {
        if self.is_server() && self.options.is_relaying {
            let others: Vec<_> = self.peers.keys().copied().collect();
            for other in others {
                self.notify(other, peer, true);
                self.notify(peer, other, true);
            }
        }
        // Another peer with this id may have left before.
        if self.leaving.remove(&peer) {
            self.paths.forget(peer);
        }
        self.peers.insert(peer, Peer::default());
        self.spawn_all(peer);
        self.events.push_back(SessionEvent::PeerConnected { peer });
    }

    /// Removes an admitted peer. A server tells the others about it.
    fn leave(&mut self, peer: PeerId) {
        if !self.peers.contains_key(&peer) {
            return;
        }
        self.forget(peer);
        if self.is_server() && self.options.is_relaying {
            let others: Vec<_> = self.peers.keys().copied().collect();
            others.into_iter().for_each(|other| self.notify(other, peer, false));
        }
        self.events.push_back(SessionEvent::PeerDisconnected { peer });
    }

    fn forget(&mut self, peer: PeerId) {
        self.peers.remove(&peer);
        self.leaving.insert(peer);
        self.sent.values_mut().for_each(|sent| sent.forget(peer));
        self.replication.forget(peer);
    }

    /// Tells a client that another one has joined or left.
    fn notify(&mut self, to: PeerId, peer: PeerId, is_added: bool) {
        let bytes = if self.options.protocol != MultiplayerProtocol::Godot4 {
            let kind = u32::from(!is_added);
            [kind.to_le_bytes(), peer.to_le_bytes()].concat()
        } else {
            let written = if is_added {
                self.encoder.peer_added(peer, Vec::new())
            } else {
                self.encoder.peer_removed(peer, Vec::new())
            };
            // A vector takes every such packet.
            let Ok(bytes) = written else { return };
            bytes
        };
        self.transmit(to, TransferMode::Reliable, 0, bytes);
    }

    /// A client learns of another one from the server, which is the only end that it is connected to.
    fn notified(&mut self, peer: PeerId, is_added: bool) -> Result<(), Refusal> {
        if self.is_server() || !self.options.is_relaying {
            return Err(Refusal::NotServer);
        }
        let is_possible = peer.get() > 1 && peer != self.id();
        if !is_possible || self.peers.contains_key(&peer) == is_added {
            return Err(Refusal::UnknownPeer { peer });
        }
        if is_added && self.peers.len() >= self.options.limits.peers {
            return Err(Refusal::TooMuch);
        }
        if is_added {
            self.admit(peer);
        } else {
            self.leave(peer);
        }
        Ok(())
    }

    /// Takes a packet of Godot 4.
    pub(super) fn receive_new(
        &mut self,
        from: PeerId,
        channel: u8,
        mode: TransferMode,
        bytes: &[u8],
    ) -> Result<(), Refusal> {
        if let Some(pending) = self.pending.get_mut(&from) {
            match parse(self.options.protocol, self.options.dialect, bytes) {
                Ok(Packet::Auth(data @ [_, ..])) => {
                    let bytes = data.to_vec();
                    self.events.push_back(SessionEvent::Auth { peer: from, bytes });
                    return Ok(());
                }
                // Like the engine, this takes any other packet as the end of the authentication.
                _ if pending.is_complete_here => {
                    self.pending.remove(&from);
                    self.admit(from);
                }
                Ok(Packet::Auth(&[])) => {
                    pending.is_complete_there = true;
                    return Ok(());
                }
                packet => {
                    packet?;
                    return Err(Refusal::NotAuthenticated);
                }
            }
        }
        let packet = self.parse(bytes)?;
        match packet {
            Packet::Auth(&[]) => Ok(()),
            Packet::Auth(_) => Err(Refusal::UnexpectedAuth),
            Packet::PeerAdded { peer } => self.notified(peer, true),
            Packet::PeerRemoved { peer } => self.notified(peer, false),
            Packet::Relay(relay) => self.relayed(from, channel, mode, &relay),
            _ => self.process(from, &packet, bytes),
        }
    }

    /// Takes or forwards a relayed packet.
    fn relayed(
        &mut self,
        from: PeerId,
        channel: u8,
        mode: TransferMode,
        relay: &Relay<'_>,
    ) -> Result<(), Refusal> {
        if !self.options.is_relaying {
            return Err(Refusal::NotServer);
        }
        // Its receiver or, on a client, its sender.
        let peer = relay.peer();
        if !self.is_server() {
            let result = self.process(peer, &relay.packet(), relay.as_bytes());
            self.report(peer, result);
            return Ok(());
        }
        // A packet for the server alone is not relayed.
        if peer.get() > 0 && !self.peers.contains_key(&peer) {
            return Err(Refusal::UnknownPeer { peer });
        }
        let Ok(forwarded) = self.encoder.relay(from, relay.as_bytes(), Vec::new()) else {
            return Err(Refusal::Header);
        };
        self.forward(from, peer, channel, mode, &forwarded);
        if peer == PeerId::EVERYONE || peer.get() < 0 && peer.get() != -1 {
            return self.process(from, &relay.packet(), relay.as_bytes());
        }
        Ok(())
    }

    /// Sends a packet of a client to the clients that it is for.
    fn forward(
        &mut self,
        from: PeerId,
        target: PeerId,
        channel: u8,
        mode: TransferMode,
        bytes: &[u8],
    ) {
        for to in self.targets(target) {
            if to != from {
                self.transmit(to, mode, channel, bytes.to_vec());
            }
        }
    }

    /// Takes the content of an ENet packet of Godot 3 or Pandemonium.
    pub(super) fn receive_old(
        &mut self,
        from: PeerId,
        channel: u8,
        mode: TransferMode,
        bytes: &[u8],
    ) -> Result<(), Refusal> {
        const SYSTEM_CHANNEL: u8 = 0;
        let (first, rest) = bytes.split_first_chunk().ok_or(Refusal::Header)?;
        let (second, packet) = rest.split_first_chunk().ok_or(Refusal::Header)?;
        let second = PeerId::from_le_bytes(*second);
        if channel == SYSTEM_CHANNEL {
            return match u32::from_le_bytes(*first) {
                kind @ 0..=1 if packet.is_empty() => self.notified(second, kind == 0),
                _ => Err(Refusal::Header),
            };
        }
        let (source, target) = (PeerId::from_le_bytes(*first), second);
        if !self.is_server() {
            let result = self.process(source, &self.parse(packet)?, packet);
            self.report(source, result);
            return Ok(());
        }
        if source != from {
            return Err(Refusal::Forged { source_peer: source });
        }
        if target != PeerId::SERVER {
            if !self.options.is_relaying {
                return Err(Refusal::NotServer);
            }
            if target.get() > 0 && !self.peers.contains_key(&target) {
                return Err(Refusal::UnknownPeer { peer: target });
            }
            self.forward(from, target, channel, mode, bytes);
            if target.get() > 0 || target.get() == -1 {
                return Ok(());
            }
        }
        self.process(from, &self.parse(packet)?, packet)
    }

    /// The admitted peers that a number stands for: one, all, or all but one.
    pub(super) fn targets(&self, target: PeerId) -> Vec<PeerId> {
        let peers = self.peers.keys().copied();
        match target.get() {
            0 => peers.collect(),
            excluded @ ..0 => peers.filter(|peer| peer.get() != excluded.wrapping_neg()).collect(),
            _ => self.peers.contains_key(&target).then_some(target).into_iter().collect(),
        }
    }
}
