//! Finds the connections that two recordings have in common, whatever their addresses.

use super::log::{LoggedConnection, MessageLog};
use crate::net::Side;
use core::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

/// How many messages of each end stand for all of them: those with the least hashes, so that both
/// recordings choose the same ones.
const SKETCH: usize = 256;

/// Fewer messages may be alike in two sessions.
const FEW: usize = 8;

/// How many connections of a recording may have the same message in their sketches. Messages that a
/// server sends to more clients do not distinguish them.
const ALIKE: usize = 32;

/// A connection that both recordings have.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The places of the connection in the two logs.
    pub places: [usize; 2],
    /// Whether the end that is the first in one recording is the second in the other: the addresses
    /// differ then.
    pub is_crossed: bool,
    /// Whether it is certainly the same connection, and not one with the same content.
    pub is_same: bool,
}

impl Pair {
    /// The end in the second recording that is `side` in the first.
    pub const fn in_second(&self, side: Side) -> Side {
        if self.is_crossed { side.other() } else { side }
    }
}

/// Some messages of both ends of a connection.
struct Sketch([BTreeSet<u64>; 2]);

impl Sketch {
    fn of(connection: &LoggedConnection) -> Sketch {
        let is_numbered = connection.is_numbered();
        Sketch(connection.messages.each_ref().map(|messages| {
            let mut least = BTreeSet::new();
            for message in messages {
                let number = message.number.filter(|_| is_numbered).unwrap_or(0);
                let hash = message.content ^ u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                if least.len() < SKETCH || least.last().is_some_and(|last| hash < *last) {
                    least.insert(hash);
                    if least.len() > SKETCH {
                        least.pop_last();
                    }
                }
            }
            least
        }))
    }

    /// How many messages both have, and how many they could have at most.
    fn shared(&self, other: &Sketch, is_crossed: bool) -> (usize, usize) {
        let ([first, second], [of_first, of_second]) = (&self.0, &other.0);
        let ends = if is_crossed { [of_second, of_first] } else { [of_first, of_second] };
        let counts = [first, second].into_iter().zip(ends).map(|(one, two)| {
            // A sketch of more messages ends at a lower hash.
            let end =
                [one, two].into_iter().filter(|it| it.len() == SKETCH).filter_map(|it| it.last());
            let end = *end.min().unwrap_or(&u64::MAX);
            let most = [one, two].map(|it| it.range(..=end).count()).into_iter().min();
            (one.intersection(two).count(), most.unwrap_or(0))
        });
        counts.fold((0, 0), |sum, it| (sum.0.saturating_add(it.0), sum.1.saturating_add(it.1)))
    }
}

/// Two connections that may be the same.
struct CandidatePair {
    pair: Pair,
    /// The evidence for it, the most important first.
    rank: (bool, bool, usize),
}

/// Pairs the connections of two recordings. Each belongs to one pair at most.
pub fn pairs(logs: [&MessageLog; 2]) -> Vec<Pair> {
    let sketches = logs.map(|log| log.connections.iter().map(Sketch::of).collect::<Vec<_>>());
    let [first, second] = logs;
    let [of_first, of_second] = &sketches;
    let mut candidates = Vec::new();
    for places in possible(logs, &sketches) {
        let [one, two] = places;
        let connections = first.connections.get(one).zip(second.connections.get(two));
        let sketches = of_first.get(one).zip(of_second.get(two));
        if let Some((connections, sketches)) = connections.zip(sketches) {
            candidates.extend(candidate(places, connections, sketches));
        }
    }
    candidates.sort_by_key(|it| (Reverse(it.rank), it.pair.places));
    let mut taken = [BTreeSet::new(), BTreeSet::new()];
    let mut pairs = Vec::new();
    for CandidatePair { pair, .. } in candidates {
        let [one, two] = pair.places;
        let [of_first, of_second] = &mut taken;
        if !of_first.contains(&one) && !of_second.contains(&two) {
            of_first.insert(one);
            of_second.insert(two);
            pairs.push(pair);
        }
    }
    pairs.sort_by_key(|pair| pair.places);
    pairs
}

/// The places of connections that have their number, their ends or a message in common.
fn possible(logs: [&MessageLog; 2], sketches: &[Vec<Sketch>; 2]) -> BTreeSet<[usize; 2]> {
    let [first, second] = logs;
    let mut possible = BTreeSet::new();
    let mut join = |pairs: Vec<[usize; 2]>| possible.extend(pairs);
    let keyed = |log: &MessageLog| -> Vec<_> {
        log.connections.iter().map(|it| it.summary.connect_id().into_iter().collect()).collect()
    };
    join(joined::<u32>(&keyed(first), &keyed(second)));
    let keyed = |log: &MessageLog| -> Vec<_> {
        log.connections.iter().map(|it| vec![it.summary.flow()]).collect()
    };
    join(joined(&keyed(first), &keyed(second)));
    let keyed = |sketches: &Vec<Sketch>| -> Vec<Vec<u64>> {
        sketches.iter().map(|Sketch(ends)| ends.iter().flatten().copied().collect()).collect()
    };
    let [of_first, of_second] = sketches;
    join(joined(&keyed(of_first), &keyed(of_second)));
    possible
}

/// The places of lists that have a key in common. Keys that many lists have do not count beyond
/// the first lists.
fn joined<K: Hash + Eq + Copy>(first: &[Vec<K>], second: &[Vec<K>]) -> Vec<[usize; 2]> {
    let mut by_key: HashMap<K, (Vec<usize>, usize)> = HashMap::new();
    for (place, keys) in first.iter().enumerate() {
        for key in keys {
            let (places, _) = by_key.entry(*key).or_default();
            if places.len() < ALIKE {
                places.push(place);
            }
        }
    }
    let mut joined = Vec::new();
    for (place, keys) in second.iter().enumerate() {
        for key in keys {
            let Some((places, uses)) = by_key.get_mut(key) else { continue };
            if *uses < ALIKE {
                *uses += 1;
                joined.extend(places.iter().map(|one| [*one, place]));
            }
        }
    }
    joined
}

/// Whether two connections may be the same, and what speaks for it.
fn candidate(
    places: [usize; 2],
    (one, two): (&LoggedConnection, &LoggedConnection),
    (of_one, of_two): (&Sketch, &Sketch),
) -> Option<CandidatePair> {
    if one.transport.zip(two.transport).is_some_and(|(one, two)| one != two) {
        return None;
    }
    let ids = one.summary.connect_id().zip(two.summary.connect_id());
    let has_same_id = ids.is_some_and(|(one, two)| one == two);
    let has_same_ends = one.summary.flow() == two.summary.flow();
    let clients = one.summary.client().zip(two.summary.client());
    let is_crossed = match clients {
        _ if has_same_ends => false,
        Some((one, two)) => one != two,
        None => of_one.shared(of_two, true).0 > of_one.shared(of_two, false).0,
    };
    let (shared, least) = of_one.shared(of_two, is_crossed);
    let is_other = ids.is_some() && !has_same_id;
    let is_alike = shared.saturating_mul(2) >= least && shared > 0;
    let is_same = !is_other
        && (has_same_id && (is_alike || overlap(one, two))
            || has_same_numbers(one, two, is_crossed)
            || is_alike && (has_same_ends || least >= FEW) && overlap(one, two));
    if shared == 0 && !has_same_id {
        return None;
    }
    let pair = Pair { places, is_crossed, is_same };
    Some(CandidatePair { pair, rank: (has_same_id, has_same_ends && !is_other, shared) })
}

/// How many messages are compared to see whether a stream has the same sequence numbers.
const NUMBERED: usize = 1 << 10;

/// Whether messages of two TCP streams have the same sequence numbers, which begin anywhere.
fn has_same_numbers(one: &LoggedConnection, two: &LoggedConnection, is_crossed: bool) -> bool {
    if !one.summary.flow().is_tcp() {
        return false;
    }
    [Side::First, Side::Second].into_iter().any(|side| {
        let other = if is_crossed { side.other() } else { side };
        let numbered = |connection: &LoggedConnection, side| -> BTreeSet<(u32, u64)> {
            let messages = connection.messages(side).iter();
            let numbered = messages.filter_map(|it| Some((it.number?, it.content)));
            numbered.take(NUMBERED).collect()
        };
        let (one, two) = (numbered(one, side), numbered(two, other));
        one.intersection(&two).next().is_some()
    })
}

/// How long packets may take from one recording to the other, in nanoseconds: a second.
const ON_THE_WAY: i64 = 1_000_000_000;

/// Whether two connections were open at the same time, as far as their clocks tell.
fn overlap(one: &LoggedConnection, two: &LoggedConnection) -> bool {
    let span = |connection: &LoggedConnection| {
        let traffic = connection.summary.traffic();
        traffic.first.zip(traffic.last).map(|(first, last)| (first.as_nanos(), last.as_nanos()))
    };
    match (span(one), span(two)) {
        (Some((start, end)), Some((other_start, other_end))) => {
            start <= other_end.saturating_add(ON_THE_WAY)
                && other_start <= end.saturating_add(ON_THE_WAY)
        }
        _ => one.summary.flow() == two.summary.flow(),
    }
}
