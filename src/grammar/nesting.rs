//! The open containers of a value, without recursion and without allocation.

use crate::dialect::MAX_DEPTH;
use crate::kind::Kind;

/// What the items of a level are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Shape {
    /// Nothing.
    Leaf,
    /// Values, of an array or of the input itself.
    Array,
    /// Keys and values in turn.
    Dictionary,
    /// Names and values in turn.
    Object,
    /// Strings without headers: elements of a string array, names of a node path.
    Strings,
    /// The class of an object, then the count of its properties.
    Class,
    PropertyCount,
}

/// What is left of one open container: how many items, of which shape, of which kind of value.
///
/// One register, because it is handed around for every value: the count in the upper half, the
/// kind and the shape in the lowest bytes. A structure of small fields has padding, and copying
/// that through memory took most of the time of a parse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Level(u64);

const COUNT: u32 = 32;
const KIND: u32 = 8;
const ONE_ITEM: u64 = 1 << COUNT;

impl Level {
    /// The input itself: one value.
    pub(crate) const ROOT: Level = Level::new(Kind::Array, Shape::Array, 1);

    /// What is in a value without items.
    #[inline(always)]
    pub(crate) const fn leaf(kind: Kind) -> Level {
        Level::new(kind, Shape::Leaf, 0)
    }

    #[inline(always)]
    pub(crate) const fn new(kind: Kind, shape: Shape, items: u32) -> Level {
        Level((items as u64) << COUNT | (kind as u64) << KIND | shape as u64)
    }

    /// Of twice as many items: keys and values, names and values. A count has 31 bits.
    #[inline(always)]
    pub(crate) const fn pairs(kind: Kind, shape: Shape, pairs: u32) -> Level {
        Level::new(kind, shape, pairs.wrapping_mul(2))
    }

    #[inline(always)]
    pub(crate) const fn shape(self) -> Shape {
        match self.0 as u8 {
            0 => Shape::Leaf,
            1 => Shape::Array,
            2 => Shape::Dictionary,
            3 => Shape::Object,
            4 => Shape::Strings,
            5 => Shape::Class,
            _ => Shape::PropertyCount,
        }
    }

    /// The kind of the value that it is in.
    #[inline(always)]
    pub(crate) fn kind(self) -> Kind {
        let index = (self.0 >> KIND) as u8;
        Kind::ALL.get(usize::from(index)).copied().unwrap_or(Kind::Nil)
    }

    #[inline(always)]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 < ONE_ITEM
    }

    /// Counts one item as read; there must be one.
    #[inline(always)]
    pub(crate) fn take_one(&mut self) {
        self.0 = self.0.wrapping_sub(ONE_ITEM);
    }

    /// How many items are to come.
    #[inline(always)]
    pub(crate) const fn remaining(self) -> u32 {
        (self.0 >> COUNT) as u32
    }

    /// Whether the next item is a value, rather than a part of one.
    #[inline(always)]
    pub(crate) const fn is_at_value(self) -> bool {
        match self.shape() {
            Shape::Array | Shape::Dictionary => true,
            Shape::Object => !self.is_at_first(),
            _ => false,
        }
    }

    /// Whether the next of two items in turn is the first: a key, a property's name.
    #[inline(always)]
    pub(crate) const fn is_at_first(self) -> bool {
        self.remaining() % 2 == 0
    }

    /// The least number of bytes that its items still take.
    pub(crate) fn least(self) -> usize {
        (self.remaining() as usize).saturating_mul(4)
    }

    /// Whether what is inside is one deeper than what is around. The parts of a value that are
    /// no values themselves are not.
    #[inline(always)]
    fn counts_as_depth(self) -> bool {
        matches!(self.shape(), Shape::Array | Shape::Dictionary | Shape::Object)
    }
}

/// Levels deeper than this are kept in a block that is only made when it is needed: most values
/// are flat, and clearing eight kilobytes costs more than reading a small value.
const SHALLOW: usize = 16;
/// One more than the deepest value, for the strings of a node path there.
const DEEP: usize = MAX_DEPTH as usize + 1 - SHALLOW;

/// The levels around the current one.
#[derive(Debug, Clone)]
pub(crate) struct Stack {
    len: usize,
    shallow: [Level; SHALLOW],
    deep: Option<[Level; DEEP]>,
}

impl Stack {
    #[inline(always)]
    pub(crate) const fn new() -> Stack {
        Stack { len: 0, shallow: [Level::ROOT; SHALLOW], deep: None }
    }

    /// Puts `level` aside to go into `inner`; false if that is nested deeper than `limit`.
    #[inline(always)]
    pub(crate) fn enter(&mut self, level: Level, inner: Level, limit: u16) -> bool {
        if inner.counts_as_depth() && self.len >= usize::from(limit) {
            return false;
        }
        match self.shallow.get_mut(self.len) {
            Some(slot) => *slot = level,
            None => match self.deep_slot() {
                Some(slot) => *slot = level,
                None => return false,
            },
        }
        self.len += 1;
        true
    }

    #[cold]
    #[inline(never)]
    fn deep_slot(&mut self) -> Option<&mut Level> {
        let at = self.len.checked_sub(SHALLOW)?;
        self.deep.get_or_insert([Level::ROOT; DEEP]).get_mut(at)
    }

    /// Goes back to the level around.
    #[inline(always)]
    pub(crate) fn leave(&mut self) -> Option<Level> {
        self.len = self.len.checked_sub(1)?;
        match self.shallow.get(self.len) {
            Some(level) => Some(*level),
            None => self.deep_level(),
        }
    }

    #[cold]
    #[inline(never)]
    fn deep_level(&self) -> Option<Level> {
        let at = self.len.checked_sub(SHALLOW)?;
        self.deep.as_ref()?.get(at).copied()
    }

    #[inline(always)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// The least number of bytes that the levels put aside still take.
    pub(crate) fn outstanding(&self) -> usize {
        let deep = self.deep.iter().flatten();
        let levels = self.shallow.iter().chain(deep).take(self.len);
        // Whatever an item is, it takes a header or a length: four bytes.
        levels.fold(0, |sum: usize, level| sum.saturating_add(level.least()))
    }
}
