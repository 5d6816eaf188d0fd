//! Calls of methods, and the paths of nodes that are announced and confirmed for them.

use super::event::{Refusal, SessionError, SessionEvent};
use super::{Capacity, Session, from_root};
use crate::game::multiplayer::encode::{
    EncodeArguments, PacketEncodeError, PacketEncodeProblem, PacketEncoder,
};
use crate::game::multiplayer::error::PacketPart;
use crate::game::multiplayer::known::MethodNames;
use crate::game::multiplayer::packet::{
    CallWidths, ConfirmPath, Method, Node, Packet, SimplifyPath,
};
use crate::game::multiplayer::{MultiplayerProtocol, PeerId};
use crate::game::project::TransferMode;
use crate::write::encode::Encode;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// A path that this peer has announced.
#[derive(Clone, Debug)]
pub(super) struct SentPath {
    id: u32,
    /// The digest of the node's methods, in Godot 4.
    md5: Option<String>,
    /// The peers to whom it was announced, and whether they have confirmed it.
    peers: BTreeMap<PeerId, bool>,
}

impl SentPath {
    pub(super) fn forget(&mut self, peer: PeerId) {
        self.peers.remove(&peer);
    }
}

/// How a method is called, and how its calls are sent.
pub(super) struct Called<'m> {
    pub(super) method: Method<'m>,
    pub(super) mode: TransferMode,
    pub(super) channel: u8,
}

/// Writes a packet about a node, whose id takes at least this many bytes.
type WriteAbout<'w> =
    dyn Fn(&PacketEncoder, Node<'_>, u8) -> Result<Vec<u8>, PacketEncodeError> + 'w;

impl Session {
    /// Calls a method of a node: `rpc_id()`.
    ///
    /// `target` is a peer, [`PeerId::EVERYONE`] for all others, or the negative id of the only peer
    /// that is not called. The path is relative to the root of the multiplayer API. In Godot 4, the
    /// names must contain the method; a project says how its calls are sent. Without a project, they
    /// are reliable, on channel 0.
    ///
    /// # Errors
    ///
    /// [`SessionError::UnknownPeer`], [`SessionError::UnknownNode`], [`SessionError::UnknownMethod`],
    /// [`SessionError::PacketTooLong`], and [`SessionError::Encode`] for arguments that do not fit.
    pub fn call<A: EncodeArguments>(
        &mut self,
        target: PeerId,
        path: &str,
        method: &str,
        arguments: A,
    ) -> Result<(), SessionError> {
        let called = self.method_of(path, method)?;
        self.call_method(target, path, &called, &arguments)
    }

    /// Like [`Session::call`], with the mode in which the call is sent, and the transfer channel of
    /// Godot 4. Channel 0 means no channel in particular. Over ENet, the highest channel is 253; an end that
    /// has opened its connection with fewer channels does not get what is sent on others.
    ///
    /// # Errors
    ///
    /// Those of [`Session::call`], and [`SessionError::NoSuchChannel`].
    pub fn call_with<A: EncodeArguments>(
        &mut self,
        target: PeerId,
        path: &str,
        method: &str,
        arguments: A,
        mode: TransferMode,
        channel: u8,
    ) -> Result<(), SessionError> {
        let called = Called { mode, channel, ..self.method_of(path, method)? };
        self.call_method(target, path, &called, &arguments)
    }

    fn call_method<A: EncodeArguments>(
        &mut self,
        target: PeerId,
        path: &str,
        called: &Called<'_>,
        arguments: &A,
    ) -> Result<(), SessionError> {
        let Called { method, mode, channel } = *called;
        self.send_about(target, path, (mode, channel), None, &|encoder, node, node_width| {
            let widths = CallWidths { node: node_width, method: 0 };
            encoder.call_of(node, method, widths, arguments, Vec::new())
        })
    }

    /// Sets a property of a node: `rset_id()` of Godot 3. The targets are those of
    /// [`Session::call`].
    ///
    /// # Errors
    ///
    /// [`SessionError::UnknownPeer`], and [`SessionError::Encode`] for a value that does not fit or
    /// for another engine.
    pub fn set<T: Encode + ?Sized>(
        &mut self,
        target: PeerId,
        path: &str,
        property: &str,
        value: &T,
        mode: TransferMode,
    ) -> Result<(), SessionError> {
        self.send_about(target, path, (mode, 0), None, &|encoder, node, _| {
            encoder.set(node, property, value, Vec::new())
        })
    }

    /// Sends raw bytes: `send_bytes()`. The targets are those of [`Session::call`], the mode and the
    /// channel those of [`Session::call_with`].
    ///
    /// # Errors
    ///
    /// [`SessionError::UnknownPeer`], [`SessionError::PacketTooLong`], [`SessionError::NoSuchChannel`], and
    /// [`SessionError::Encode`] for no bytes.
    pub fn send_bytes(
        &mut self,
        target: PeerId,
        bytes: &[u8],
        mode: TransferMode,
        channel: u8,
    ) -> Result<(), SessionError> {
        self.check_target(target)?;
        let bytes = self.encoder.raw(bytes, Vec::new())?;
        self.send(target, mode, channel, bytes)
    }

    /// The number of a method in Godot 4, or its name, and how its calls are sent.
    pub(super) fn method_of<'m>(
        &self,
        path: &str,
        method: &'m str,
    ) -> Result<Called<'m>, SessionError> {
        let (mut mode, mut channel) = (TransferMode::Reliable, 0);
        if self.options.protocol != MultiplayerProtocol::Godot4 {
            return Ok(Called { method: Method::Name(method), mode, channel });
        }
        let path = from_root(path);
        let methods = self.methods_of(path);
        let names = self.names();
        let Some(number) = names.and_then(|names| names.number_in(methods, method)) else {
            let path = path.to_owned();
            return Err(if matches!(methods, MethodNames::Unknown) {
                SessionError::UnknownNode { path }
            } else {
                SessionError::UnknownMethod { path, method: method.to_owned() }
            });
        };
        if let Method::Number { index, is_own: false } = number
            && let Some(config) = names.and_then(|names| names.rpc_config(methods, index))
        {
            mode = config.transfer;
            channel = config.channel.and_then(|it| u8::try_from(it).ok()).unwrap_or(0);
        }
        Ok(Called { method: number, mode, channel })
    }

    /// The methods that this peer has for the node at a path.
    pub(super) fn methods_of(&self, path: &str) -> MethodNames {
        self.paths.known(path, None).methods
    }

    /// Whether the node at a path may have a digest, by the methods that this peer has for it. None if it
    /// has none.
    pub(super) fn fits(&self, path: &str, digest: &str) -> Option<bool> {
        self.names()?.has_digest(self.methods_of(path), digest)
    }

    /// The digest that this peer announces for the node at a path: `other` unless its own methods
    /// contradict that.
    fn digest_of(&self, path: &str, other: Option<&str>) -> Option<String> {
        let other = other.filter(|other| self.fits(path, other) != Some(false));
        let own = || self.names()?.digest_in(self.methods_of(path));
        other.map(ToOwned::to_owned).or_else(own)
    }

    fn check_target(&self, target: PeerId) -> Result<(), SessionError> {
        let peer = PeerId::new(target.get().saturating_abs());
        if target == PeerId::EVERYONE || self.peers.contains_key(&peer) {
            return Ok(());
        }
        Err(SessionError::UnknownPeer { peer })
    }

    /// The paths that this peer has announced to another one, which has not confirmed them.
    #[cfg(feature = "peer")]
    pub(crate) fn unconfirmed(&self, peer: PeerId) -> impl Iterator<Item = &str> {
        let is_unconfirmed = move |sent: &SentPath| sent.peers.get(&peer) == Some(&false);
        self.sent.iter().filter(move |(_, sent)| is_unconfirmed(sent)).map(|(path, _)| &**path)
    }

    /// Sends a packet about a node, which `write` writes for the path or the id of the node. `digest` is
    /// announced unless the methods that this peer has for the node contradict it.
    pub(super) fn send_about(
        &mut self,
        target: PeerId,
        path: &str,
        (mode, channel): (TransferMode, u8),
        digest: Option<&str>,
        write: &WriteAbout<'_>,
    ) -> Result<(), SessionError> {
        self.check_target(target)?;
        let path = from_root(path);
        let targets = self.targets(target);
        if targets.is_empty() {
            return Ok(());
        }
        let is_new = self.options.protocol == MultiplayerProtocol::Godot4;
        if let Some(id) = self.confirmed_by_all(path, &targets) {
            let bytes = write(&self.encoder, Node::Id(id), 0)?;
            if !is_new {
                return self.send(target, mode, channel, bytes);
            }
            return targets
                .into_iter()
                .try_for_each(|to| self.send(to, mode, channel, bytes.clone()));
        }
        // Nothing is announced for a packet that cannot be written or sent.
        let with_path = write(&self.encoder, Node::Path(path), 0)?;
        self.check_capacity(channel, with_path.len())?;
        let (id, confirmed) = self.announce(path, &targets, digest)?;
        // If other receivers get the path in its place, the engine writes an id with 4 bytes.
        let with_id = write(&self.encoder, Node::Id(id), 4)?;
        for to in targets {
            let is_confirmed = confirmed.binary_search(&to).is_ok();
            let bytes = if is_confirmed { &with_id } else { &with_path };
            self.send(to, mode, channel, bytes.clone())?;
        }
        Ok(())
    }

    /// The id of a path that all of some peers have confirmed.
    fn confirmed_by_all(&self, path: &str, targets: &[PeerId]) -> Option<u32> {
        let sent = self.sent.get(path)?;
        targets.iter().all(|peer| sent.peers.get(peer) == Some(&true)).then_some(sent.id)
    }

    /// Announces a path to those of some peers to whom it was not announced before. Returns its id,
    /// and the peers that have confirmed it, in their order. `digest` is announced unless the methods
    /// that this peer has for the node contradict it.
    pub(super) fn announce(
        &mut self,
        path: &str,
        targets: &[PeerId],
        digest: Option<&str>,
    ) -> Result<(u32, Vec<PeerId>), SessionError> {
        if !self.sent.contains_key(path) {
            let md5 = if self.options.protocol == MultiplayerProtocol::Godot4 {
                let digest = self.digest_of(path, digest);
                Some(digest.ok_or_else(|| SessionError::UnknownNode { path: path.to_owned() })?)
            } else {
                None
            };
            self.last_sent_id = self.last_sent_id.saturating_add(1);
            let id = self.last_sent_id;
            self.sent.insert(path.into(), SentPath { id, md5, peers: BTreeMap::new() });
            self.sent_ids.insert(id, path.into());
        }
        let Some(sent) = self.sent.get_mut(path) else {
            return Err(SessionError::UnknownNode { path: path.to_owned() });
        };
        let id = sent.id;
        let state = |peer: &&PeerId| sent.peers.get(*peer).copied();
        let confirmed = targets.iter().filter(|peer| state(peer) == Some(true));
        let confirmed: Vec<_> = confirmed.copied().collect();
        let missing = targets.iter().filter(|peer| state(peer).is_none());
        let missing: Vec<_> = missing.copied().collect();
        if missing.is_empty() {
            return Ok((id, confirmed));
        }
        let bytes = self.encoder.simplify_path(id, path, sent.md5.as_deref(), Vec::new())?;
        sent.peers.extend(missing.iter().map(|peer| (*peer, false)));
        for peer in missing {
            self.send(peer, TransferMode::Reliable, 0, bytes.clone())?;
        }
        Ok((id, confirmed))
    }

    /// Whether the transport takes a packet of this length, on a transfer channel of Godot 4.
    pub(super) const fn check_capacity(&self, channel: u8, len: usize) -> Result<(), SessionError> {
        // The first two channels are those of packets without a channel, reliable and not.
        let Capacity { channels, packet_bytes: limit } = self.capacity;
        let highest = channels.saturating_sub(2);
        if channel as usize > highest {
            return Err(SessionError::NoSuchChannel { channel, highest });
        }
        if len > limit {
            return Err(SessionError::PacketTooLong { len, limit });
        }
        Ok(())
    }

    /// Sends a packet to one, several or all peers.
    pub(super) fn send(
        &mut self,
        target: PeerId,
        mode: TransferMode,
        channel: u8,
        bytes: Vec<u8>,
    ) -> Result<(), SessionError> {
        let is_reliable = mode == TransferMode::Reliable;
        let is_new = self.options.protocol == MultiplayerProtocol::Godot4;
        let is_relayed = !self.is_server() && target != PeerId::SERVER && self.options.is_relaying;
        let bytes = if !is_new {
            [&self.id().to_le_bytes()[..], &target.to_le_bytes(), &bytes].concat()
        } else if is_relayed {
            self.encoder.relay(target, &bytes, Vec::new())?
        } else {
            bytes
        };
        self.check_capacity(if is_new { channel } else { 0 }, bytes.len())?;
        let channel = match channel {
            _ if !is_new => 2 - u8::from(is_reliable),
            0 => 1 - u8::from(is_reliable),
            channel => channel.saturating_add(1),
        };
        if !self.is_server() {
            self.transmit(PeerId::SERVER, mode, channel, bytes);
            return Ok(());
        }
        for to in self.targets(target) {
            self.transmit(to, mode, channel, bytes.clone());
        }
        Ok(())
    }

    /// Takes the announcement of a path, and confirms it.
    pub(super) fn announced(
        &mut self,
        from: PeerId,
        packet: &Packet<'_>,
        simplify: &SimplifyPath<'_>,
    ) -> Result<(), Refusal> {
        let SimplifyPath { id, path, md5, .. } = *simplify;
        let is_new = self.options.protocol == MultiplayerProtocol::Godot4;
        if is_new && self.paths.path(from, id).is_some() {
            return Err(Refusal::DuplicateId { id });
        }
        let methods = self.methods_of(from_root(path));
        let known = md5.and_then(|md5| self.names()?.has_digest(methods, md5));
        if is_new && known.is_none() && !self.options.accepts_unknown {
            return Err(Refusal::UnknownNode);
        }
        self.note(from, path, 1, packet)?;
        let is_same = known.unwrap_or(true);
        let confirmed = if is_new {
            self.encoder.confirm_path(Node::Id(id), Some(is_same), Vec::new())
        } else {
            self.encoder.confirm_path(Node::Path(path), None, Vec::new())
        };
        let sent = confirmed.map_err(SessionError::from);
        // A packet that was read can be written, and the sender is a peer.
        if sent.and_then(|bytes| self.send(from, TransferMode::Reliable, 0, bytes)).is_err() {
            return Err(Refusal::UnknownPeer { peer: from });
        }
        if is_new && !is_same {
            let path = path.to_owned();
            self.events.push_back(SessionEvent::Mismatch { peer: from, path });
        }
        Ok(())
    }

    /// Takes the confirmation of a path that this peer has announced.
    pub(super) fn confirmed(
        &mut self,
        from: PeerId,
        confirm: &ConfirmPath<'_>,
    ) -> Result<(), Refusal> {
        let path = match confirm.node {
            Node::Path(path) => path,
            Node::Id(id) => self.sent_ids.get(&id).ok_or(Refusal::NotAnnounced)?,
        };
        let sent = self.sent.get_mut(path).ok_or(Refusal::NotAnnounced)?;
        let peer = sent.peers.get_mut(&from).ok_or(Refusal::NotAnnounced)?;
        *peer = true;
        if confirm.is_valid == Some(false) {
            let path = path.to_owned();
            self.events.push_back(SessionEvent::Mismatch { peer: from, path });
        }
        Ok(())
    }
}

/// Refuses empty data for an authentication, which would mean that it is complete.
pub(super) fn not_empty(data: &[u8]) -> Result<(), PacketEncodeError> {
    if data.is_empty() {
        return Err(PacketEncodeProblem::Empty.at(PacketPart::Bytes));
    }
    Ok(())
}
