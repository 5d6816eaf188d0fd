//! What a call shows without names: its method's number, its arguments, and how its packet was sent.

use super::arguments::Arguments;
use crate::value::Kind;

/// How a packet was sent: what its transport shows of the mode and the channel that the engine chose.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Sending {
    pub(crate) mode: Option<Mode>,
    /// The transfer channel.
    pub(crate) channel: Option<u8>,
}

/// The transfer modes in which a packet may have been sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "capture"), expect(dead_code, reason = "only captures have packets"))]
pub(crate) enum Mode {
    Reliable,
    Ordered,
    Unordered,
    /// In order or not: a message in fragments does not show it.
    Unreliable,
    /// ENet sends one of 65,536 ordered packets reliably.
    ReliableOrOrdered,
}

/// What one call shows: the number of its method, the number of arguments, and how it was sent.
pub(super) struct CallShape {
    pub(super) index: u16,
    pub(super) count: usize,
    /// The kinds of the first arguments.
    kinds: [Kind; CallShape::KINDS],
    pub(super) sending: Sending,
}

impl CallShape {
    /// The kinds of further arguments are not compared.
    const KINDS: usize = 16;

    pub(super) fn new(index: u16, arguments: Arguments<'_>, sending: Sending) -> CallShape {
        let mut kinds = [Kind::Nil; CallShape::KINDS];
        for (kind, argument) in kinds.iter_mut().zip(arguments) {
            *kind = argument.kind();
        }
        CallShape { index, count: arguments.len(), kinds, sending }
    }

    /// The kinds of the first arguments.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.kinds.iter().take(self.count).copied()
    }

    pub(super) const fn key(&self) -> Key {
        (self.index, self.count)
    }
}

/// The number of a method, and how many arguments were passed to it.
pub(super) type Key = (u16, usize);
