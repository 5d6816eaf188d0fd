//! Counts of bots: bots that joined, calls, and the times of round trips.

use crate::format::json::object::{Json, write_object};
use crate::net::measure::Histogram;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;
use hashbrown::HashMap;
use hashbrown::hash_map::EntryRef;
use std::io;

/// How many methods, properties and reasons are counted separately.
const KEYS: usize = 1_000;

/// The name under which further ones are counted together.
const OTHERS: &str = "(others)";

/// The counts of all bots until now.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct BotCounts {
    /// The time since the start.
    pub time: Duration,
    /// How many bots were started.
    pub started: u64,
    /// How many were admitted.
    pub joined: u64,
    /// How many are in the game now.
    pub playing: u64,
    /// How many have not been admitted yet, or left before they were.
    pub not_joined: u64,
    /// How many were not admitted, or have other methods than the server.
    pub refused: u64,
    /// How many of these got no answer.
    pub unanswered: u64,
    /// How many lost the server after they were admitted.
    pub dropped: u64,
    /// The calls that were sent.
    pub sent: u64,
    /// The calls that were received.
    pub received: u64,
    /// The states of synchronizers that were received.
    pub states: u64,
    /// The packets with states that were sent.
    pub states_sent: u64,
    /// The nodes that the server spawned at a bot.
    pub spawned: u64,
    /// The calls that could not be made.
    pub failed: u64,
    /// The paths of nodes that the server had not confirmed when a bot left: it has no such node, or is
    /// another engine.
    pub unconfirmed: u64,
    /// The calls that were left out because they were more than a second late.
    pub late: u64,
    /// The packets of the server that a bot could not accept.
    pub unaccepted: u64,
    /// The bytes of datagrams or streams that were sent, without the headers of UDP, TCP and TLS.
    pub bytes_sent: u64,
    /// Those that were received.
    pub bytes_received: u64,
    /// The calls sent and received, by the names of their methods.
    pub methods: NamedCounts<MethodCounts>,
    /// The states received, by the names of their properties.
    pub properties: NamedCounts<u64>,
    /// Why bots were refused and dropped, and why calls failed and packets were not accepted.
    pub reasons: NamedCounts<u64>,
    /// The round trips in microseconds: from sending something until it was acknowledged.
    pub round_trips: Histogram,
}

/// The calls of one method.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct MethodCounts {
    /// Those that were sent.
    pub sent: u64,
    /// Those that were received.
    pub received: u64,
}

/// Counts by names, of which at most 1,000 are counted separately.
#[derive(Clone, Default, Debug)]
pub struct NamedCounts<T>(HashMap<String, T>);

impl<T: Default> NamedCounts<T> {
    pub(super) fn of(&mut self, name: &str) -> &mut T {
        let has_room = self.0.len() < KEYS;
        match self.0.entry_ref(if has_room || self.0.contains_key(name) { name } else { OTHERS }) {
            EntryRef::Occupied(known) => known.into_mut(),
            EntryRef::Vacant(new) => new.insert(T::default()),
        }
    }

    /// The names and what was counted, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &T)> {
        let mut all: Vec<_> = self.0.iter().map(|(name, count)| (&**name, count)).collect();
        all.sort_by_key(|(name, _)| *name);
        all.into_iter()
    }
}

/// The quantiles of round trips that are shown: their names, and the shares that are not slower.
pub(super) const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)];

impl BotCounts {
    /// The round trips that 50, 95 and 99 % do not exceed, in milliseconds. None if none was measured.
    #[must_use]
    pub fn round_trip_quantiles(&self) -> Option<[f64; 3]> {
        let quantile = |share| Some(self.round_trips.quantile(share)? as f64 / 1_000.0);
        let [(_, p50), (_, p95), (_, p99)] = QUANTILES;
        Some([quantile(p50)?, quantile(p95)?, quantile(p99)?])
    }

    /// Whether a bot has not joined, was refused or dropped, a call could not be made, or the server has not
    /// confirmed a node.
    #[must_use]
    pub const fn has_failures(&self) -> bool {
        let BotCounts { not_joined, refused, dropped, failed, unconfirmed, .. } = self;
        *not_joined > 0 || *refused > 0 || *dropped > 0 || *failed > 0 || *unconfirmed > 0
    }

    /// Whether no bot was admitted, and some waited too long for an answer, or none got a byte.
    #[must_use]
    pub const fn is_server_silent(&self) -> bool {
        let got_nothing = self.not_joined > 0 && self.refused == 0 && self.bytes_received == 0;
        self.joined == 0 && (self.unanswered > 0 || got_nothing)
    }

    /// Writes a JSON object with all counts: `time` in seconds, the counts by their names, `rtt_ms`, and
    /// `methods`, `properties` and `reasons` as objects.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn write_json(&self, out: impl io::Write) -> io::Result<()> {
        write_object(out, |json| self.fields(json))
    }

    fn fields(&self, json: &mut Json<'_>) -> fmt::Result {
        json.real("time", Some(self.time.as_secs_f64()), 3)?;
        for (name, count) in [
            ("started", self.started),
            ("joined", self.joined),
            ("playing", self.playing),
            ("not_joined", self.not_joined),
            ("refused", self.refused),
            ("unanswered", self.unanswered),
            ("dropped", self.dropped),
            ("sent", self.sent),
            ("received", self.received),
            ("states", self.states),
            ("states_sent", self.states_sent),
            ("spawned", self.spawned),
            ("failed", self.failed),
            ("unconfirmed", self.unconfirmed),
            ("late", self.late),
            ("unaccepted", self.unaccepted),
            ("bytes_sent", self.bytes_sent),
            ("bytes_received", self.bytes_received),
        ] {
            json.number(name, count)?;
        }
        let quantiles = self.round_trip_quantiles();
        json.nested("rtt_ms", |json| {
            QUANTILES.iter().enumerate().try_for_each(|(at, (name, _))| {
                json.real(name, quantiles.and_then(|it| it.get(at).copied()), 3)
            })
        })?;
        json.nested("methods", |json| {
            self.methods.iter().try_for_each(|(name, counts)| {
                json.nested(name, |json| {
                    json.number("sent", counts.sent)?;
                    json.number("received", counts.received)
                })
            })
        })?;
        for (key, counts) in [("properties", &self.properties), ("reasons", &self.reasons)] {
            json.nested(key, |json| {
                counts.iter().try_for_each(|(name, count)| json.number(name, count))
            })?;
        }
        Ok(())
    }
}
