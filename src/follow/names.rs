//! The names of a connection, and the ends that announce them.

use super::Options;
use super::place::Peers;
use crate::multiplayer::Paths;
use crate::net::Side;
use crate::peer::{End, PeerId};

/// The names that packets of the multiplayer API have announced in a connection.
pub(super) struct Names {
    pub(super) paths: Paths,
}

impl Names {
    pub(super) fn new(options: &Options<'_>) -> Names {
        let (names, bytes) = options.limits.names();
        let paths = Paths::with_limits(names, bytes);
        match &options.names {
            Some(names) => {
                let paths = paths.with_names(names.clone());
                Names { paths: paths.with_evidence(options.evidence.clone()) }
            }
            None => Names { paths },
        }
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
