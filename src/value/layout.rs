//! The tables of dialects, compiled so that readers and writers look a header up in one step.
//!
//! A [`Family`] says what the engines write differently. From it, [`compile`] makes two [`DialectLayout`]s,
//! one for each width of reals. Their [`KindEntry`]s give the kind of a type number, and how to read its
//! content.

use super::{Cell, Engine, Kind, ValueBody};

/// A dialect compiled for one width of reals.
#[derive(Debug)]
pub(crate) struct DialectLayout {
    family: &'static Family,
    is_double: bool,
    double: &'static DialectLayout,
    entries: [KindEntry; 256],
    /// The type number of each kind, or a number above 255 if the dialect lacks the kind.
    numbers: [u16; Kind::ALL.len()],
    /// The same, but also a number above 255 if the kind's numbers have eight bytes without flag
    /// 64.
    #[cfg(feature = "serde")]
    plain: [u16; Kind::ALL.len()],
}

impl DialectLayout {
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
    pub(super) const fn double(&self) -> &'static DialectLayout {
        self.double
    }

    /// The entry for a header. The specification uses 16 bits of the header for the type. The
    /// engines use 8 and ignore the 8 bits above.
    #[expect(clippy::indexing_slicing, reason = "there is an entry for every byte")]
    #[inline(always)]
    pub(crate) fn entry(&self, header: u32) -> &KindEntry {
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
        let (ValueBody::Cells(cell, _) | ValueBody::Packed(cell, _)) = kind.body() else {
            return false;
        };
        let reals = self.family.reals;
        cell == Cell::F64 || self.is_double && (reals.is_built(cell) || reals.has_flag(cell))
    }

    /// The header flag of a math value or packed array of this kind for reals of eight bytes, if
    /// the dialect has such a flag for the kind.
    #[inline]
    pub(crate) fn wide_flag(&self, kind: Kind) -> Option<u32> {
        let (ValueBody::Cells(cell, _) | ValueBody::Packed(cell, _)) = kind.body() else {
            return None;
        };
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
impl PartialEq for DialectLayout {
    #[inline]
    fn eq(&self, other: &DialectLayout) -> bool {
        core::ptr::eq(self, other)
    }
}

/// The tables for both widths.
pub(super) struct Layouts {
    pub(super) single: DialectLayout,
    double: DialectLayout,
}

pub(super) const fn compile(family: &'static Family, layouts: &'static Layouts) -> Layouts {
    Layouts {
        single: layout(family, false, &layouts.double),
        double: layout(family, true, &layouts.double),
    }
}

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn layout(
    family: &'static Family,
    is_double: bool,
    double: &'static DialectLayout,
) -> DialectLayout {
    let mut entries = [KindEntry::UNKNOWN; 256];
    let mut numbers = [u16::MAX; Kind::ALL.len()];
    #[cfg(feature = "serde")]
    let mut plain = numbers;
    let mut number = 0;
    while number < family.types.len() {
        let kind = family.types[number];
        entries[number] = KindEntry::new(kind, family, is_double);
        numbers[kind as usize] = number as u16;
        #[cfg(feature = "serde")]
        if !entries[number].is_wide(0) {
            plain[kind as usize] = number as u16;
        }
        // The first types are the same in all dialects: `quick` reads them without a table.
        assert!(number > Kind::String as usize || kind as usize == number);
        number += 1;
    }
    DialectLayout {
        family,
        is_double,
        double,
        entries,
        numbers,
        #[cfg(feature = "serde")]
        plain,
    }
}

/// The place in a value where an engine writes the width of reals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reals {
    /// Nowhere in a value. The width depends on how the engine was built.
    Built,
    /// In flag 64 of the header. The reals of colours always have four bytes.
    Flagged,
    /// In flag 64 of the header, for colours, too.
    #[cfg(feature = "serde")]
    AllFlagged,
}

/// The differences between the families of engines.
#[derive(Debug)]
pub(super) struct Family {
    pub(super) name: &'static str,
    /// The engine and its versions, for people.
    pub(super) description: &'static str,
    pub(super) engine: Engine,
    /// The index of a kind in this list is its type number.
    pub(super) types: &'static [Kind],
    pub(super) reals: Reals,
    /// Whether an RID's id is written.
    pub(super) has_rid_ids: bool,
    /// Whether the headers of arrays and dictionaries declare the types of their values.
    pub(super) has_typed_containers: bool,
    /// Whether dictionaries and objects with the same content are different keys of a dictionary.
    #[cfg_attr(not(feature = "alloc"), expect(dead_code, reason = "only owned values merge keys"))]
    pub(super) keys_by_identity: bool,
}

impl Reals {
    /// Whether flag 64 of the header gives the width of these cells.
    const fn has_flag(self, cell: Cell) -> bool {
        match self {
            Reals::Built => false,
            Reals::Flagged => matches!(cell, Cell::Real),
            #[cfg(feature = "serde")]
            Reals::AllFlagged => matches!(cell, Cell::Real | Cell::Channel),
        }
    }

    /// Whether these cells are reals that have the width with which the engine was built.
    const fn is_built(self, cell: Cell) -> bool {
        matches!(self, Reals::Built) && matches!(cell, Cell::Real | Cell::Channel)
    }
}

/// The meaning of a type number. An entry takes four bytes, so that indexing the table is a shift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KindEntry {
    pub(crate) kind: Kind,
    pub(crate) class: Class,
    /// The sizes of the numbers: without the header's flag 64, and with it.
    numbers: [NumberSizes; 2],
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
    /// The number of words that the entry's `numbers` give.
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
struct NumberSizes(u8);

impl NumberSizes {
    const WIDE: u8 = 0x80;

    const fn of(body: ValueBody, is_wide: bool) -> NumberSizes {
        let words = match body.size(is_wide) {
            Some(size) => size / 4,
            None => 0,
        };
        NumberSizes(if is_wide { words | NumberSizes::WIDE } else { words })
    }
}

impl KindEntry {
    const UNKNOWN: KindEntry =
        KindEntry { kind: Kind::Nil, class: Class::Unknown, numbers: [NumberSizes(0); 2] };

    const fn new(kind: Kind, family: &Family, is_double: bool) -> KindEntry {
        let body = match kind.body() {
            // The body is an id of eight bytes, or empty.
            ValueBody::Rid if family.has_rid_ids => ValueBody::Cells(Cell::I64, 1),
            ValueBody::Rid => ValueBody::Empty,
            body => body,
        };
        // Whether the numbers are wide: without flag 64, and with it.
        let [plain, flagged] = match body {
            ValueBody::Number => [false, true],
            ValueBody::Cells(cell, _) | ValueBody::Packed(cell, _)
                if family.reals.has_flag(cell) =>
            {
                [false, true]
            }
            ValueBody::Cells(cell, _) | ValueBody::Packed(cell, _)
                if family.reals.is_built(cell) =>
            {
                [is_double; 2]
            }
            _ => [false; 2],
        };
        let class = match body {
            ValueBody::Empty | ValueBody::Bool | ValueBody::Number | ValueBody::Cells(..) => {
                match body.size(plain) {
                    Some(4) => Class::Words1,
                    Some(8) => Class::Words2,
                    Some(12) => Class::Words3,
                    Some(16) => Class::Words4,
                    _ => Class::Fixed,
                }
            }
            ValueBody::String => Class::Text,
            ValueBody::Array => Class::Array,
            ValueBody::Dictionary => Class::Dictionary,
            _ => Class::Other,
        };
        KindEntry {
            kind,
            class,
            numbers: [NumberSizes::of(body, plain), NumberSizes::of(body, flagged)],
        }
    }

    #[inline(always)]
    const fn numbers(&self, header: u32) -> u8 {
        let [plain, flagged] = &self.numbers;
        if header & FLAG_64 == 0 { plain.0 } else { flagged.0 }
    }

    /// Whether the numbers of a value with this header have eight bytes.
    #[inline(always)]
    pub(crate) const fn is_wide(&self, header: u32) -> bool {
        self.numbers(header) & NumberSizes::WIDE != 0
    }

    /// How many bytes the body of a value with this header has, if its size is fixed.
    #[inline(always)]
    pub(crate) const fn size(&self, header: u32) -> usize {
        (self.numbers(header) & !NumberSizes::WIDE) as usize * 4
    }
}

/// The header's flag 64. If it is set, the number, or every real, has eight bytes.
pub(crate) const FLAG_64: u32 = 1 << 16;
/// The header flag of an object that is written as its instance id.
pub(crate) const FLAG_BY_ID: u32 = 1 << 16;
/// The position of the lowest bit of the element types in the header of a container.
pub(crate) const ELEMENT_TYPES: u32 = 16;
/// The top bit of a count. In a container it means "shared"; in a node path it means the form with
/// separate names.
pub(crate) const TOP_BIT: u32 = 1 << 31;
