//! The names of a connection, and the ends that announce them.

use super::Options;
use super::place::Peers;
use crate::game::multiplayer::{Mode, Paths, Sending};
use crate::net::peer::{End, PeerId};
use crate::net::{Side, enet};

/// The names that packets of the multiplayer API have announced in a connection.
pub(super) struct Names {
    pub(super) paths: Paths,
}

impl Names {
    /// The names of the connection with this number.
    pub(super) fn new(options: &Options<'_>, connection: u64) -> Names {
        let (names, bytes) = options.limits.names();
        let paths = Paths::with_limits(names, bytes);
        match &options.names {
            Some(names) => {
                let paths = paths.with_names(names.clone());
                let paths = paths.with_evidence(options.evidence.clone());
                Names { paths: paths.with_connection(connection) }
            }
            None => Names { paths },
        }
    }

    /// Only what is known about ids that were not announced.
    pub(super) fn only_learned(&self) -> Names {
        Names { paths: self.paths.only_learned() }
    }

    /// The sender and the receiver of a message in [`Paths`].
    pub(super) fn ends(&self, peers: Peers, from: Side) -> [End; 2] {
        let [first, second] = End::UNKNOWN;
        let unknown = |side| if side == Side::First { first } else { second };
        let source = peers.source.map_or(unknown(from), End::from);
        let target = peers.target.filter(|target| is_one(*target));
        [source, target.map_or(unknown(from.other()), End::from)]
    }
}

/// Whether a receiver is a single peer.
const fn is_one(peer: PeerId) -> bool {
    peer.get() > 0
}

/// The sender and the receiver of a relayed packet.
pub(super) fn relayed(peers: Peers, sender: End, peer: PeerId) -> (End, Option<End>) {
    // In a relay from the server, the peer is the sender; in a relay from a client, the receiver.
    match peers.source {
        Some(PeerId::SERVER) => (peer.into(), peers.target.map(End::from)),
        Some(_) => (sender, is_one(peer).then(|| peer.into())),
        // It is not known which, so the names belong to this pair of sender and peer.
        None => (sender.relayed(peer), None),
    }
}

/// How the engine sent a message over ENet, as far as its mode and channel show it. Packets on the
/// transfer channel 0 are on the first two channels of ENet: reliable ones on the first, others on
/// the second. Long unreliable messages are sent in fragments, which are all alike. ENet sends one
/// of 65,536 unreliable messages in order reliably.
pub(super) fn sending(mode: Option<enet::Mode>, channel: Option<u8>, len: usize) -> Sending {
    /// No shorter message is sent in fragments.
    const FRAGMENTED: usize = 500;
    let mode = mode.zip(channel).map(|(mode, channel)| match (mode, channel) {
        (enet::Mode::Reliable, 0) => Mode::Reliable,
        (enet::Mode::Reliable, 1) => Mode::Unreliable,
        (enet::Mode::Reliable, _) => Mode::ReliableOrOrdered,
        (enet::Mode::Unreliable, _) if len < FRAGMENTED => Mode::Ordered,
        (enet::Mode::Unreliable, _) => Mode::Unreliable,
        (enet::Mode::Unsequenced, _) => Mode::Unordered,
    });
    Sending { mode, channel: channel.map(|channel| channel.saturating_sub(1)) }
}
