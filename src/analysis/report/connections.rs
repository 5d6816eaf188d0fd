//! The connections with the most traffic, and their measurements over time.

use crate::capture::follow::Summary;
use crate::net::measure::Series;
use crate::net::{Side, over_time};

/// How many connections are kept, and how many of them are plotted separately.
const KEPT: usize = 48;
pub(super) const PLOTTED: usize = 8;

/// Closed connections. Those of games come first, then those with the most bytes.
#[derive(Debug)]
pub(super) struct PlottedConnections {
    kept: Vec<PlottedConnection>,
    /// The packets of the connections that are not kept, over time.
    packets: Series,
    /// The packets and commands that were sent again, in all connections.
    pub(super) resent: Series,
}

#[derive(Debug)]
pub(super) struct PlottedConnection {
    /// The number of the connection.
    pub(super) number: u64,
    is_game: bool,
    bytes: u64,
    directions: [OverTime; 2],
}

/// The traffic that one end has sent, over time.
#[derive(Debug)]
pub(super) struct OverTime {
    pub(super) packets: Series,
    /// The times of round trips, in microseconds.
    pub(super) round_trips: Series,
}

impl Default for PlottedConnections {
    fn default() -> PlottedConnections {
        PlottedConnections { kept: Vec::new(), packets: over_time(), resent: over_time() }
    }
}

impl PlottedConnections {
    /// Takes a connection that is closed.
    pub(super) fn close(&mut self, summary: &Summary) {
        let directions = [Side::First, Side::Second].map(|side| {
            let measures = summary.direction(side).measures();
            if let Some(measures) = measures {
                self.resent.merge(&measures.resent_over_time);
            }
            OverTime {
                packets: measures.map_or_else(over_time, |it| it.packets_over_time.clone()),
                round_trips: measures.map_or_else(over_time, |it| it.round_trips.over_time.clone()),
            }
        });
        let (number, is_game) = (summary.connection(), summary.transport().is_some());
        let kept =
            PlottedConnection { number, is_game, bytes: summary.traffic().bytes, directions };
        let at = self.kept.partition_point(|other| other.rank() >= kept.rank());
        self.kept.insert(at, kept);
        if self.kept.len() > KEPT
            && let Some(last) = self.kept.pop()
        {
            last.directions.iter().for_each(|it| self.packets.merge(&it.packets));
        }
    }

    pub(super) fn plotted(&self) -> impl Iterator<Item = &PlottedConnection> + Clone {
        self.kept.iter().take(PLOTTED)
    }

    pub(super) fn kept(&self) -> &[PlottedConnection] {
        &self.kept
    }

    /// The packets of the connections that are not plotted separately.
    pub(super) fn others(&self) -> Series {
        let mut packets = self.packets.clone();
        let others = self.kept.iter().skip(PLOTTED).flat_map(|it| &it.directions);
        others.for_each(|it| packets.merge(&it.packets));
        packets
    }
}

impl PlottedConnection {
    const fn rank(&self) -> (bool, u64) {
        (self.is_game, self.bytes)
    }

    pub(super) const fn directions(&self) -> &[OverTime; 2] {
        &self.directions
    }

    pub(super) const fn direction(&self, from: Side) -> &OverTime {
        let [first, second] = &self.directions;
        from.of(first, second)
    }
}
