//! The numbers in the properties of nodes over time, in bounded memory.

use super::json::Start;
use super::kept::CHARACTERS;
use crate::analysis::states::{SentValue, States};
use crate::capture::follow::Message;
use crate::format::json::object::Json;
use crate::format::text::cut;
use crate::net::packet::Time;
use core::cmp::Reverse;
use core::fmt::{self, Write};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// How many properties are kept, and how many of them are written: those that changed most.
const KEPT: usize = 256;
const WRITTEN: usize = 64;
/// How many changes of a property are kept, and how many of all properties together are written.
const CHANGES: usize = 2_000;
const ALL_CHANGES: usize = 10_000;
/// The most bytes of the names of a property that is kept.
const NAMES: usize = 512;
/// How many bytes the last values may take, with which new ones are compared.
const LAST_VALUES: usize = 16 << 20;

/// The changes of numeric properties.
#[derive(Debug)]
pub struct ChangingNumbers {
    states: States,
    /// By the names of the node and the property, by the server if it is not the first, and by the sender
    /// if other peers have other names.
    kept: BTreeMap<Box<str>, ChangingNumber>,
    /// How many changes of other properties there were.
    further: u64,
    /// The first server that is known.
    first: Option<SocketAddr>,
    /// The memory of the names that are looked up.
    scratch: String,
}

/// The changes of one property.
#[derive(Debug)]
struct ChangingNumber {
    /// The server of the node, if it is not the first.
    server: Option<SocketAddr>,
    node: String,
    property: String,
    changes: u64,
    /// The number of changes for each one in `points`.
    every: u64,
    points: Vec<(Time, f64)>,
    last: (Time, f64),
}

impl Default for ChangingNumbers {
    fn default() -> ChangingNumbers {
        ChangingNumbers {
            states: States::with_max_bytes(LAST_VALUES),
            kept: BTreeMap::new(),
            further: 0,
            first: None,
            scratch: String::new(),
        }
    }
}

impl ChangingNumbers {
    pub fn message(&mut self, message: &Message<'_>) {
        let ChangingNumbers { states, kept, further, first, scratch } = self;
        states.message(message, &mut |sent, is_change| {
            *first = first.or(sent.server);
            let sent = &SentValue { server: sent.server.filter(|it| *first != Some(*it)), ..*sent };
            let (Some(number), Some(time)) = (sent.number(), message.place.time) else { return };
            if is_change && !note(kept, scratch, (message, sent), (time, number), further) {
                *further = further.saturating_add(1);
            }
        });
    }

    /// Takes a message that was not selected: its values are compared with later ones.
    pub fn skip(&mut self, message: &Message<'_>) {
        self.states.message(message, &mut |_, _| {});
    }

    /// Writes the properties with the most changes, the first one first.
    pub fn write(&self, json: &mut Json<'_>, start: Start) -> fmt::Result {
        let mut kept: Vec<_> = self.kept.values().collect();
        kept.sort_by_key(|it| Reverse(it.changes));
        let (written, others) = kept.split_at(kept.len().min(WRITTEN));
        let limit = CHANGES.min(ALL_CHANGES / written.len().max(1));
        let has_servers = self.kept.values().any(|it| it.server.is_some());
        let first = self.first.filter(|_| has_servers);
        json.list("top", written, |json, property| property.write(json, start, limit, first))?;
        let others = others.iter().map(|it| it.changes);
        json.number("further", others.fold(self.further, u64::saturating_add))
    }
}

/// Keeps a change. Returns whether its property is kept.
fn note(
    kept: &mut BTreeMap<Box<str>, ChangingNumber>,
    key: &mut String,
    (message, sent): (&Message<'_>, &SentValue<'_>),
    point: (Time, f64),
    further: &mut u64,
) -> bool {
    key.clear();
    // Writing to a string does not fail.
    let _ = write!(key, "{}\0{}\0{:?}", sent.node, sent.property, sent.server);
    let origin = message.origin;
    if !sent.is_shared() {
        let _ = write!(key, "\0{}/{:?}", origin.connection, origin.from);
    }
    if let Some(property) = kept.get_mut(key.as_str()) {
        property.change(point);
        return true;
    }
    if key.len() > NAMES {
        return false;
    }
    if kept.len() >= KEPT {
        // A property that never changed gives way.
        let Some(constant) = kept.iter().find(|(_, it)| it.changes == 1) else { return false };
        let constant = constant.0.clone();
        kept.remove(&constant);
        *further = further.saturating_add(1);
    }
    let (mut node, mut property) = (String::new(), String::new());
    let _ = cut(&mut node, CHARACTERS, &sent.node);
    let _ = cut(&mut property, CHARACTERS, &sent.property);
    if !sent.is_shared() {
        let _ = write!(node, " (from {})", origin.src());
    }
    let points = vec![point];
    let server = sent.server;
    let new = ChangingNumber { server, node, property, changes: 1, every: 1, points, last: point };
    kept.insert(key.as_str().into(), new);
    true
}

impl ChangingNumber {
    fn change(&mut self, point: (Time, f64)) {
        if self.changes.is_multiple_of(self.every) {
            if self.points.len() >= CHANGES {
                self.points = self.points.iter().copied().step_by(2).collect();
                self.every = self.every.saturating_mul(2);
            }
            if self.changes.is_multiple_of(self.every) {
                self.points.push(point);
            }
        }
        self.changes = self.changes.saturating_add(1);
        self.last = point;
    }

    /// Writes about as many changes as the limit allows, evenly chosen, and the last one.
    /// If there are several servers, the first of them is `first`.
    fn write(
        &self,
        json: &mut Json<'_>,
        start: Start,
        limit: usize,
        first: Option<SocketAddr>,
    ) -> fmt::Result {
        let step = self.points.len().div_ceil(limit.max(1)).max(1);
        let mut points: Vec<_> = self.points.iter().copied().step_by(step).collect();
        let every = self.every.saturating_mul(step as u64);
        if !self.changes.saturating_sub(1).is_multiple_of(every) {
            points.push(self.last);
        }
        // The packets of a capture need not be in the order of their times.
        points.sort_by_key(|(time, _)| time.as_nanos());
        let server = self.server.or(first).map(|server| format!("{server}: "));
        json.text("node", Some(&(server.unwrap_or_default() + &self.node)))?;
        json.text("property", Some(&self.property))?;
        json.number("changes", self.changes)?;
        json.number("every", every)?;
        json.numbers("time", points.iter().map(|(time, _)| start.seconds(Some(*time))))?;
        json.numbers("number", points.iter().map(|(_, number)| spelled(*number)))
    }
}

/// A number as JSON spells it, as short as possible; none if it cannot be plotted.
fn spelled(number: f64) -> Option<String> {
    let size = number.abs();
    if size.is_nan() || size > 1e300 {
        return None;
    }
    // Most numbers with decimals have single precision on the wire.
    let single = number as f32;
    let is_single = number.fract() != 0.0 && f64::from(single).to_bits() == number.to_bits();
    Some(match (size == 0.0 || (1e-5..1e15).contains(&size), is_single) {
        (true, true) => format!("{single}"),
        (true, false) => format!("{number}"),
        (false, true) => format!("{single:e}"),
        (false, false) => format!("{number:e}"),
    })
}

#[cfg(test)]
mod tests {
    use super::{CHANGES, ChangingNumber, spelled};
    use crate::net::packet::Time;

    #[test]
    fn long_series_keep_evenly_chosen_changes_and_the_last() {
        let at = |second: i64| (Time::from_nanos(second, 9), second as f64);
        let (node, property) = (String::new(), String::new());
        let points = vec![at(0)];
        let mut kept = ChangingNumber {
            server: None,
            node,
            property,
            changes: 1,
            every: 1,
            points,
            last: at(0),
        };
        for second in 1..100_001 {
            kept.change(at(second));
            assert!(kept.points.len() <= CHANGES);
        }
        assert_eq!((kept.changes, kept.every, kept.last.1), (100_001, 64, 100_000.0));
        let numbers: Vec<_> = kept.points.iter().map(|point| point.1).collect();
        let expected: Vec<_> = (0..100_001).step_by(64).map(f64::from).collect();
        assert_eq!(numbers, expected);
    }

    #[test]
    fn numbers_are_short_and_whole_ones_are_exact() {
        let single = f64::from(0.1_f32);
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (single, "0.1"),
            (0.1, "0.1"),
            (123_456_792.0, "123456792"),
            (1e300, "1e300"),
            (5e-324, "5e-324"),
            (9_007_199_254_740_993.0, "9.007199254740992e15"),
        ] {
            assert_eq!(spelled(number).as_deref(), Some(text), "{number}");
        }
        for number in [f64::NAN, f64::INFINITY, -1e308] {
            assert_eq!(spelled(number), None, "{number}");
        }
    }
}
