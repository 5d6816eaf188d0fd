//! The names of a connection, and the numbers by which its peers are known.

use super::Options;
use super::place::Peers;
use crate::multiplayer::Paths;
use crate::net::Side;

/// The id of the server as a multiplayer peer.
pub(super) const SERVER: i32 = 1;

/// What the packets of the multiplayer API have named in a connection.
pub(super) struct Names {
    pub(super) paths: Paths,
}

/// Ends that no ids are known of: those of the connection, and those of relayed packets.
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

    /// The numbers by which [`Paths`] knows who sent a message and who gets it.
    pub(super) fn ends(&self, peers: Peers, from: Side) -> (u64, u64) {
        let [first, second] = UNKNOWN;
        let unknown = |side| if side == Side::First { first } else { second };
        let source = peers.source.map_or(unknown(from), end_of);
        let target = peers.target.filter(|target| *target > 0);
        (source, target.map_or(unknown(from.other()), end_of))
    }
}

/// The number by which [`Paths`] knows a peer.
fn end_of(peer: i32) -> u64 {
    peer.cast_unsigned().into()
}

/// The two ends of a relayed packet, by what is known of the connection and of the relay.
pub(super) fn relayed(peers: Peers, sender: u64, peer: i32) -> (u64, Option<u64>) {
    // The server says who sent the packet; a client says for whom it is.
    match peers.source {
        Some(SERVER) => (end_of(peer), peers.target.map(end_of)),
        Some(_) => (sender, (peer > 0).then(|| end_of(peer))),
        // It is not known which: the names are those of this sender and this peer.
        None => (UNKNOWN_RELAY | sender | end_of(peer), None),
    }
}
