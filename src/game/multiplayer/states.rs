//! The states of synchronized nodes, and their grammar (Godot 4).

use super::arguments::{Arguments, Count, arguments};
use super::error::Reading;
use super::form::Packing;
use super::parts::{Parsed, TOP_BIT, bytes, le_u32, take};
use crate::value::ReadOptions;
use core::fmt;
use core::iter::FusedIterator;
use nom::Parser;
use nom::combinator::map;

/// A list of states.
#[derive(Clone, Copy)]
pub struct States<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) options: ReadOptions,
    pub(super) is_delta: bool,
}

/// The properties that one synchronizer sent.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct State<'a> {
    /// The synchronizer.
    pub synchronizer: Synchronizer,
    /// In a delta, which of the watched properties changed: one bit each, from the lowest.
    pub changed: Option<u64>,
    /// The values of the properties.
    pub values: Arguments<'a>,
}

impl State<'_> {
    /// The number of its bytes in the packet.
    #[cfg(feature = "capture")]
    pub(crate) const fn len(&self) -> usize {
        // The synchronizer and the size take 4 bytes each, the changed properties 8.
        let header = if self.changed.is_some() { 16 } else { 8 };
        self.values.bytes.len().saturating_add(header)
    }
}

/// How a state refers to its synchronizer. On the wire, the top bit of 32 says which way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Synchronizer {
    /// The id of its path.
    PathId(u32),
    /// The number that a spawn gave it.
    NetId(u32),
}

impl<'a> States<'a> {
    /// The states in order.
    #[must_use]
    pub const fn iter(&self) -> StatesIter<'a> {
        StatesIter(*self)
    }
}

impl<'a> IntoIterator for States<'a> {
    type Item = State<'a>;
    type IntoIter = StatesIter<'a>;

    fn into_iter(self) -> StatesIter<'a> {
        self.iter()
    }
}

impl fmt::Debug for States<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().take(8)).finish()
    }
}

/// The states of a packet: see [`States::iter`].
#[derive(Clone, Copy, Debug)]
pub struct StatesIter<'a>(States<'a>);

impl<'a> Iterator for StatesIter<'a> {
    type Item = State<'a>;

    fn next(&mut self) -> Option<State<'a>> {
        if self.0.bytes.is_empty() {
            return None;
        }
        let (rest, state) = match state(self.0.options, self.0.is_delta, self.0.bytes) {
            Ok((rest, state)) => (rest, Some(state)),
            // The states were checked before.
            Err(_) => (&[][..], None),
        };
        self.0.bytes = rest;
        state
    }
}

impl FusedIterator for StatesIter<'_> {}

/// At least one state, up to the end of the input.
pub(super) fn states<'a>(
    options: ReadOptions,
    is_delta: bool,
    input: &'a [u8],
) -> Parsed<'a, States<'a>> {
    let (mut rest, _) = state(options, is_delta, input)?;
    while !rest.is_empty() {
        (rest, _) = state(options, is_delta, rest)?;
    }
    Ok((rest, States { bytes: input, options, is_delta }))
}

fn state<'a>(options: ReadOptions, is_delta: bool, input: &'a [u8]) -> Parsed<'a, State<'a>> {
    let (input, id) = le_u32(Reading::State).parse(input)?;
    let synchronizer = match id & TOP_BIT {
        0 => Synchronizer::NetId(id),
        _ => Synchronizer::PathId(id & !TOP_BIT),
    };
    let (input, changed) = if is_delta {
        map(bytes(Reading::State), |bits| Some(u64::from_le_bytes(bits))).parse(input)?
    } else {
        (input, None)
    };
    let (input, size) = le_u32(Reading::State).parse(input)?;
    let (rest, values) = take(size as usize, Reading::State).parse(input)?;
    let (_, values) = arguments(Packing::Compressed, options, Count::ToEnd, values)?;
    Ok((rest, State { synchronizer, changed, values }))
}
