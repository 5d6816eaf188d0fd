//! The names of a connection, and the numbers that stand for its peers.

use super::Options;
use super::place::Peers;
use crate::multiplayer::Paths;
use crate::net::Side;

/// The id of the server as a multiplayer peer.
pub(super) const SERVER: i32 = 1;

/// The names that packets of the multiplayer API have announced in a connection.
pub(super) struct Names {
    pub(super) paths: Paths,
}

/// The numbers of ends without known peer ids: of those of the connection, and of those of relayed
/// packets. Peer ids have at most 32 bits.
const UNKNOWN: [u64; 2] = [1 << 32, 2 << 32];
const UNKNOWN_RELAY: u64 = 4 << 32;

impl Names {
    pub(super) fn new(options: &Options<'_>) -> Names {
        let (names, bytes) = options.limits.names();
        let paths = Paths::with_limits(names, bytes);
        match &options.names {
            Some(names) => Names { paths: paths.with_names(names.clone()) },
            None => Names { paths },
        }
    }

    /// The numbers that stand for the sender and the receiver of a message in [`Paths`].
    pub(super) fn ends(&self, peers: Peers, from: Side) -> (u64, u64) {
        let [first, second] = UNKNOWN;
        let unknown = |side| if side == Side::First { first } else { second };
        let source = peers.source.map_or(unknown(from), end_of);
        let target = peers.target.filter(|target| *target > 0);
        (source, target.map_or(unknown(from.other()), end_of))
    }
}

/// The number that stands for a peer in [`Paths`].
fn end_of(peer: i32) -> u64 {
    peer.cast_unsigned().into()
}

/// The numbers of the sender and the receiver of a relayed packet.
pub(super) fn relayed(peers: Peers, sender: u64, peer: i32) -> (u64, Option<u64>) {
    // In a relay from the server, the peer is the sender; in a relay from a client, the receiver.
    match peers.source {
        Some(SERVER) => (end_of(peer), peers.target.map(end_of)),
        Some(_) => (sender, (peer > 0).then(|| end_of(peer))),
        // It is not known which, so the names belong to this pair of sender and peer.
        None => (UNKNOWN_RELAY | sender | end_of(peer), None),
    }
}
