//! The entries of a dialect's table. An entry gives the kind of a type number, and how to read its
//! content.

use super::family::Family;
use super::header::FLAG_64;
use crate::value::kind::{Body, Cell, Kind};

/// The meaning of a type number. An entry takes four bytes, so that indexing the table is a shift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    pub(crate) class: Class,
    /// The sizes of the numbers: without the header's flag 64, and with it.
    numbers: [Numbers; 2],
}

/// How to read the common bodies. The others are distinguished by their kind.
///
/// The most common sizes are classes of their own. The processor predicts the jump to a class and
/// reads on at once. For a size from the table, it would have to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Class {
    /// One word of four bytes, if flag 64 is not set.
    Words1,
    Words2,
    Words3,
    Words4,
    /// As many words as the entry's `numbers` give.
    Fixed,
    Text,
    Array,
    Dictionary,
    Other,
    Unknown,
}

/// The size of a value's numbers. The lower bits are the size of the body in words, if that is
/// fixed. The top bit is set if the numbers are wide.
#[derive(Clone, Copy, Debug)]
struct Numbers(u8);

impl Numbers {
    const WIDE: u8 = 0x80;

    const fn of(body: Body, is_wide: bool) -> Numbers {
        let words = match body.size(is_wide) {
            Some(size) => size / 4,
            None => 0,
        };
        Numbers(if is_wide { words | Numbers::WIDE } else { words })
    }
}

impl Entry {
    pub(super) const UNKNOWN: Entry =
        Entry { kind: Kind::Nil, class: Class::Unknown, numbers: [Numbers(0); 2] };

    pub(super) const fn new(kind: Kind, family: &Family, is_double: bool) -> Entry {
        let body = match kind.body() {
            // The body is an id of eight bytes, or empty.
            Body::Rid if family.has_rid_ids => Body::Cells(Cell::I64, 1),
            Body::Rid => Body::Empty,
            body => body,
        };
        // Whether the numbers are wide: without flag 64, and with it.
        let [plain, flagged] = match body {
            Body::Number => [false, true],
            Body::Cells(cell, _) | Body::Packed(cell, _) if family.reals.has_flag(cell) => {
                [false, true]
            }
            Body::Cells(cell, _) | Body::Packed(cell, _) if family.reals.is_built(cell) => {
                [is_double; 2]
            }
            _ => [false; 2],
        };
        let class = match body {
            Body::Empty | Body::Bool | Body::Number | Body::Cells(..) => match body.size(plain) {
                Some(4) => Class::Words1,
                Some(8) => Class::Words2,
                Some(12) => Class::Words3,
                Some(16) => Class::Words4,
                _ => Class::Fixed,
            },
            Body::String => Class::Text,
            Body::Array => Class::Array,
            Body::Dictionary => Class::Dictionary,
            _ => Class::Other,
        };
        Entry { kind, class, numbers: [Numbers::of(body, plain), Numbers::of(body, flagged)] }
    }

    #[inline(always)]
    const fn numbers(&self, header: u32) -> u8 {
        let [plain, flagged] = &self.numbers;
        if header & FLAG_64 == 0 { plain.0 } else { flagged.0 }
    }

    /// Whether the numbers of a value with this header have eight bytes.
    #[inline(always)]
    pub(crate) const fn is_wide(&self, header: u32) -> bool {
        self.numbers(header) & Numbers::WIDE != 0
    }

    /// How many bytes the body of a value with this header has, if its size is fixed.
    #[inline(always)]
    pub(crate) const fn size(&self, header: u32) -> usize {
        (self.numbers(header) & !Numbers::WIDE) as usize * 4
    }
}
