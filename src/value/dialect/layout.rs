//! The table of a dialect. Readers and writers use it.

use super::entry::{Class, Entry};
use super::family::{Family, Reals};
use super::header::FLAG_64;
use crate::value::engine::Engine;
use crate::value::kind::{Body, Cell, Kind};

/// A dialect compiled for one width of reals.
#[derive(Debug)]
pub(crate) struct Layout {
    family: &'static Family,
    is_double: bool,
    double: &'static Layout,
    entries: [Entry; 256],
    /// The type number of each kind, or a number above 255 if the dialect lacks the kind.
    numbers: [u16; Kind::ALL.len()],
    /// The same, but also a number above 255 if the kind's numbers have eight bytes without flag
    /// 64.
    #[cfg(feature = "serde")]
    plain: [u16; Kind::ALL.len()],
}

impl Layout {
    /// The name of the family.
    pub(super) const fn name(&self) -> &'static str {
        self.family.name
    }

    /// The engine and its versions, for people.
    pub(super) const fn description(&self) -> &'static str {
        self.family.description
    }

    /// The engine of the family.
    pub(super) const fn engine(&self) -> Engine {
        self.family.engine
    }

    /// Whether headers give the width of reals.
    pub(super) const fn flags_width(&self) -> bool {
        matches!(self.family.reals, Reals::Flagged)
    }

    pub(super) const fn is_double(&self) -> bool {
        self.is_double
    }

    /// The table of the same dialect with reals of eight bytes.
    pub(super) const fn double(&self) -> &'static Layout {
        self.double
    }

    /// The entry for a header. The specification uses 16 bits of the header for the type. The
    /// engines use 8 and ignore the 8 bits above.
    #[expect(clippy::indexing_slicing, reason = "there is an entry for every byte")]
    #[inline(always)]
    pub(crate) fn entry(&self, header: u32) -> &Entry {
        &self.entries[header as u8 as usize]
    }

    /// The kind of a type number.
    pub(crate) fn kind(&self, number: u8) -> Option<Kind> {
        let entry = self.entry(u32::from(number));
        (entry.class != Class::Unknown).then_some(entry.kind)
    }

    /// The type number of a kind.
    #[inline]
    pub(super) fn number(&self, kind: Kind) -> Option<u8> {
        u8::try_from(*self.numbers.get(kind as usize)?).ok()
    }

    /// The header of a value of this kind that has numbers of four bytes and no flags. A number
    /// above 255 if there is no such header.
    #[cfg(feature = "serde")]
    #[inline(always)]
    pub(crate) fn plain(&self, kind: Kind) -> u32 {
        self.plain.get(kind as usize).copied().unwrap_or(u16::MAX).into()
    }

    /// Whether the engine writes the numbers of this kind with eight bytes, whatever their values.
    #[inline]
    pub(crate) fn writes_wide(&self, kind: Kind) -> bool {
        let (Body::Cells(cell, _) | Body::Packed(cell, _)) = kind.body() else { return false };
        let reals = self.family.reals;
        cell == Cell::F64 || self.is_double && (reals.is_built(cell) || reals.has_flag(cell))
    }

    /// The header flag of a math value or packed array of this kind for reals of eight bytes, if
    /// the dialect has such a flag for the kind.
    #[inline]
    pub(crate) fn wide_flag(&self, kind: Kind) -> Option<u32> {
        let (Body::Cells(cell, _) | Body::Packed(cell, _)) = kind.body() else { return None };
        self.family.reals.has_flag(cell).then_some(FLAG_64)
    }

    /// The flags that a writer sets in the header of a math value or packed array of this kind.
    #[inline]
    pub(crate) fn flags(&self, kind: Kind) -> u32 {
        if self.is_double { self.wide_flag(kind).unwrap_or(0) } else { 0 }
    }

    /// Whether the dialect writes the id of an RID.
    pub(crate) fn has_rid_ids(&self) -> bool {
        self.family.has_rid_ids
    }

    /// Whether the dialect has typed arrays and dictionaries.
    pub(crate) fn has_typed_containers(&self) -> bool {
        self.family.has_typed_containers
    }

    /// Whether dictionaries and objects with the same content are different keys of a dictionary.
    #[cfg(feature = "alloc")]
    pub(crate) fn keys_by_identity(&self) -> bool {
        self.family.keys_by_identity
    }
}

/// Each dialect has exactly one table.
impl PartialEq for Layout {
    #[inline]
    fn eq(&self, other: &Layout) -> bool {
        core::ptr::eq(self, other)
    }
}

/// The tables for both widths.
pub(super) struct Layouts {
    pub(super) single: Layout,
    double: Layout,
}

pub(super) const fn compile(family: &'static Family, layouts: &'static Layouts) -> Layouts {
    Layouts {
        single: layout(family, false, &layouts.double),
        double: layout(family, true, &layouts.double),
    }
}

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn layout(family: &'static Family, is_double: bool, double: &'static Layout) -> Layout {
    let mut entries = [Entry::UNKNOWN; 256];
    let mut numbers = [u16::MAX; Kind::ALL.len()];
    #[cfg(feature = "serde")]
    let mut plain = numbers;
    let mut number = 0;
    while number < family.types.len() {
        let kind = family.types[number];
        entries[number] = Entry::new(kind, family, is_double);
        numbers[kind as usize] = number as u16;
        #[cfg(feature = "serde")]
        if !entries[number].is_wide(0) {
            plain[kind as usize] = number as u16;
        }
        // The first types are the same in all dialects: `quick` reads them without a table.
        assert!(number > Kind::String as usize || kind as usize == number);
        number += 1;
    }
    Layout {
        family,
        is_double,
        double,
        entries,
        numbers,
        #[cfg(feature = "serde")]
        plain,
    }
}
