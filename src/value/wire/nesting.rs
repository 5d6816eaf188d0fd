//! The stack of open containers that the loops over values keep, in place of recursion. It never
//! allocates.

use crate::value::trusted::{Pile, Room};
use crate::value::{Kind, MAX_DEPTH};
use core::borrow::BorrowMut;
use core::mem::MaybeUninit;

/// The kind of items in a level: values, or parts of a value. In shapes with the top bit set, some
/// or all items are not values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum LevelShape {
    /// No items.
    Leaf,
    /// Values: the elements of an array, or the input itself.
    Array,
    /// Keys and values, alternating.
    Dictionary,
    /// Names and values, alternating.
    Object = 0x80,
    /// Strings without headers: elements of a string array, names of a node path.
    Strings,
    /// The class of an object. The count of its properties follows.
    Class,
    PropertyCount,
    /// The element types of a container. Its count follows.
    Types,
    /// The class of a typed array's elements, written as a value of its own.
    ElementClass,
    ElementCount,
    /// The name of a signal. The id of its object follows.
    SignalName,
    SignalId,
}

/// The items of an open container that are still to be read: how many there are, what they are, and
/// in which kind of value.
///
/// A level is one register wide, because it is passed along for every value. The shape is in the
/// highest byte, the kind in the byte below, the number of items in the lower half, and flags and
/// element types between them. A structure of small fields would have padding, and copying that
/// through memory would take most of the time of a parse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Level(u64);

const SHAPE: u32 = 56;
const KIND: u32 = 48;
const TYPED: u64 = 1 << 40;
const MARKED: u64 = 1 << 41;
const TYPES: u32 = 32;

impl Level {
    /// The level of the whole input: one value.
    pub(crate) const ROOT: Level = Level::new(Kind::Array, LevelShape::Array, 1);

    /// The empty level of a value without items.
    #[inline(always)]
    pub(crate) const fn leaf(kind: Kind) -> Level {
        Level::new(kind, LevelShape::Leaf, 0)
    }

    #[inline(always)]
    pub(crate) const fn new(kind: Kind, shape: LevelShape, items: u32) -> Level {
        Level((shape as u64) << SHAPE | (kind as u64) << KIND | items as u64)
    }

    /// A level with two items for each pair: a key and a value, or a name and a value. A count has
    /// 31 bits, so the number of items fits.
    #[inline(always)]
    pub(crate) const fn pairs(kind: Kind, shape: LevelShape, pairs: u32) -> Level {
        Level::new(kind, shape, pairs.wrapping_mul(2))
    }

    /// A level with one part of a container that has element types. `types` are the element types
    /// that are still to be read, two bits each, as in the header.
    pub(crate) const fn part(kind: Kind, shape: LevelShape, types: u8) -> Level {
        Level(Level::new(kind, shape, 1).0 | TYPED | (types as u64) << TYPES)
    }

    /// The element types that are still to be read.
    pub(crate) const fn types(self) -> u8 {
        (self.0 >> TYPES) as u8
    }

    /// The same level, flagged as belonging to a container with element types.
    pub(crate) const fn typed(self) -> Level {
        Level(self.0 | TYPED)
    }

    /// Whether the container has element types.
    #[inline(always)]
    pub(crate) const fn is_typed(self) -> bool {
        self.0 & TYPED != 0
    }

    /// The same level with a mark, whose meaning is up to the caller.
    pub(crate) const fn marked(self) -> Level {
        Level(self.0 | MARKED)
    }

    /// Whether the level has the mark.
    pub(crate) const fn is_marked(self) -> bool {
        self.0 & MARKED != 0
    }

    #[inline(always)]
    pub(crate) const fn shape(self) -> LevelShape {
        match (self.0 >> SHAPE) as u8 {
            0 => LevelShape::Leaf,
            1 => LevelShape::Array,
            2 => LevelShape::Dictionary,
            0x80 => LevelShape::Object,
            0x81 => LevelShape::Strings,
            0x82 => LevelShape::Class,
            0x83 => LevelShape::PropertyCount,
            0x84 => LevelShape::Types,
            0x85 => LevelShape::ElementClass,
            0x86 => LevelShape::ElementCount,
            0x87 => LevelShape::SignalName,
            _ => LevelShape::SignalId,
        }
    }

    /// The kind of the value that the level is in.
    #[inline(always)]
    pub(crate) fn kind(self) -> Kind {
        let index = (self.0 >> KIND) as u8;
        Kind::ALL.get(usize::from(index)).copied().unwrap_or(Kind::Nil)
    }

    /// Whether the shape is `Leaf`.
    #[inline(always)]
    pub(crate) const fn is_leaf(self) -> bool {
        self.0 < (LevelShape::Leaf as u64 + 1) << SHAPE
    }

    #[inline(always)]
    pub(crate) const fn is_empty(self) -> bool {
        self.remaining() == 0
    }

    /// Counts one item as read. There must be an item left.
    #[inline(always)]
    pub(crate) fn take_one(&mut self) {
        self.0 = self.0.wrapping_sub(1);
    }

    /// How many items are still to be read.
    #[inline(always)]
    pub(crate) const fn remaining(self) -> u32 {
        self.0 as u32
    }

    /// The same level after this many of its items were read.
    #[inline(always)]
    pub(crate) const fn after(self, items: u32) -> Level {
        Level(self.0.wrapping_sub(items as u64))
    }

    /// Whether all items are values.
    #[inline(always)]
    pub(crate) const fn is_of_values(self) -> bool {
        self.0 < (LevelShape::Object as u64) << SHAPE
    }

    /// Whether the next item is a value and not a part of one.
    #[inline(always)]
    pub(crate) fn is_at_value(self) -> bool {
        self.is_of_values() || self.shape() == LevelShape::Object && !self.is_at_first()
    }

    /// For alternating items: whether the next one is the first of its pair, a key or a property's
    /// name.
    #[inline(always)]
    pub(crate) const fn is_at_first(self) -> bool {
        self.remaining().is_multiple_of(2)
    }

    /// The minimum number of bytes that the remaining items take.
    pub(crate) fn least(self) -> usize {
        if self.is_empty() {
            // If a part is being read, the step that reads it adds what follows the part.
            return 0;
        }
        let more = match self.shape() {
            // The count follows, and perhaps a second type. Neither is shorter than a word.
            LevelShape::Types => 1 + usize::from(self.types() & 0b1100 != 0),
            // After the header of a class name, its length and a count follow; after a signal's
            // name, an id of two words.
            LevelShape::ElementClass | LevelShape::SignalName => 2,
            LevelShape::SignalId => 1,
            _ => 0,
        };
        (self.remaining() as usize).saturating_add(more).saturating_mul(4)
    }

    /// Whether the level is a part of a value, and the part has been read.
    #[inline(always)]
    fn is_read_part(self) -> bool {
        self.is_empty() && self.0 >= (LevelShape::Class as u64) << SHAPE
    }

    /// Whether the items are nested one level deeper than the level around them. Parts of a value
    /// that are not values themselves do not count.
    #[inline(always)]
    fn counts_as_depth(self) -> bool {
        matches!(self.shape(), LevelShape::Array | LevelShape::Dictionary | LevelShape::Object)
    }
}

/// How many levels there is room for. That is more than the deepest value needs, so that the strings
/// of a node path in it fit, too.
const ROOM: usize = MAX_DEPTH as usize + 16;
pub(crate) type LevelRoom = Room<Level, ROOM>;
/// Room in a variable of its own costs nothing, even without optimizations. As a part of a
/// [`Stack`], it is copied with the stack then.
pub(crate) const LEVEL_ROOM: LevelRoom = [MaybeUninit::uninit(); ROOM];

/// The levels around the current one.
pub(crate) type Levels<R> = Pile<Level, ROOM, R>;

/// The levels in room of their own.
pub(crate) type Stack = Levels<LevelRoom>;

impl<R: BorrowMut<LevelRoom>> Levels<R> {
    /// Pushes `level` in order to enter `inner`. Returns false if `inner` is nested deeper than
    /// `limit`.
    #[inline(always)]
    pub(crate) fn enter(&mut self, level: Level, inner: Level, limit: u16) -> bool {
        if level.is_read_part() {
            // It is the next part of the same value. The levels around the value have been pushed.
            return !inner.counts_as_depth() || !self.is_at(limit.saturating_add(1));
        }
        !(inner.counts_as_depth() && self.is_at(limit)) && self.push(level)
    }

    /// Whether at least `limit` levels have been pushed.
    #[inline(always)]
    pub(crate) const fn is_at(&self, limit: u16) -> bool {
        self.len() >= limit as usize
    }

    /// The minimum number of bytes that the pushed levels still take.
    pub(crate) fn outstanding(self) -> usize {
        // Every item takes at least a header or a length: four bytes.
        self.into_items().fold(0, |sum: usize, level| sum.saturating_add(level.least()))
    }
}
