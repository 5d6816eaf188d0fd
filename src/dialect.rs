//! Which engine's numbers and widths are on the wire.
//!
//! The format has one grammar and several dialects. A dialect is a table: which kind each type
//! number means, and where the width of a real comes from.

use crate::kind::{Body, Cell, Kind};
use core::fmt;
use core::hash::{Hash, Hasher};

/// The deepest nesting that the crate reads, writes and walks: 1024, as in the newer engines.
pub const MAX_DEPTH: u16 = 1024;

/// A header's flag 64: the number, or every real, has eight bytes.
pub(crate) const FLAG_64: u32 = 1 << 16;

/// One engine's variety of the format.
///
/// A small value to be copied around. Start from one of the constants:
///
/// ```
/// use gdwire::{Dialect, Kind};
///
/// assert_eq!(Dialect::GODOT_3.kind(18), Some(Kind::Dictionary));
/// assert_eq!(Dialect::GODOT_3.type_number(Kind::Color), Some(14));
/// assert_eq!(Dialect::GODOT_3.kind(27), None);
/// ```
#[derive(Clone, Copy)]
pub struct Dialect {
    layout: &'static Layout,
    max_depth: u16,
}

impl Dialect {
    /// Godot 3 and its specification: 27 types, reals of four bytes.
    pub const GODOT_3: Dialect = Dialect::of(&GODOT_3.single);

    /// Godot 4.0 and newer: 39 types, typed containers, reals whose width the header tells.
    pub const GODOT_4: Dialect = Dialect::of(&GODOT_4.single);

    /// Pandemonium 3.8 to 4.9: 38 types. The engine's documentation prints Godot 3's table.
    pub const PANDEMONIUM_4: Dialect = Dialect::of(&PANDEMONIUM_4.single);

    /// Pandemonium 5: 40 types, with typed arrays of their own kinds.
    pub const PANDEMONIUM_5: Dialect = Dialect::of(&PANDEMONIUM_5.single);

    /// Every dialect, reals of four bytes.
    pub const ALL: &'static [Dialect] =
        &[Dialect::GODOT_3, Dialect::GODOT_4, Dialect::PANDEMONIUM_4, Dialect::PANDEMONIUM_5];

    const fn of(layout: &'static Layout) -> Dialect {
        Dialect { layout, max_depth: MAX_DEPTH }
    }

    /// The same dialect of an engine that was built with double-precision reals.
    ///
    /// In Godot 4 the header of a value tells, and a reader of either dialect reads both; a writer
    /// writes eight bytes, of all but colours. Of other engines the specification says that every
    /// real of a math type, colours too, has eight bytes, and nothing tells.
    #[must_use]
    pub const fn with_double_reals(self) -> Dialect {
        Dialect { layout: self.layout.double, max_depth: self.max_depth }
    }

    /// The same dialect, but values nested deeper than `depth` containers are refused.
    ///
    /// Godot 3.4 and newer, Godot 4 and Pandemonium refuse what is nested deeper than
    /// [`MAX_DEPTH`], and so does this crate, which keeps the open containers in a stack of fixed
    /// size: a larger `depth` means `MAX_DEPTH`.
    #[must_use]
    pub const fn with_max_depth(self, depth: u16) -> Dialect {
        let max_depth = if depth > MAX_DEPTH { MAX_DEPTH } else { depth };
        Dialect { layout: self.layout, max_depth }
    }

    /// How many containers may be around a value.
    #[must_use]
    pub const fn max_depth(self) -> u16 {
        self.max_depth
    }

    /// Whether reals are written with eight bytes.
    #[must_use]
    pub const fn has_double_reals(self) -> bool {
        self.layout.is_double
    }

    /// The dialect's name on the command line, `godot3`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.layout.family.name
    }

    /// The dialect of that [`name`](Dialect::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.iter().copied().find(|dialect| dialect.name() == name)
    }

    /// The kind that the type number of a header means here.
    #[must_use]
    pub fn kind(self, type_number: u8) -> Option<Kind> {
        self.layout.kind(type_number)
    }

    /// The type number of a kind, if the dialect has the kind.
    #[must_use]
    #[inline]
    pub fn type_number(self, kind: Kind) -> Option<u8> {
        self.layout.number(kind)
    }

    #[inline]
    pub(crate) fn layout(self) -> &'static Layout {
        self.layout
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Dialect) -> bool {
        self.layout == other.layout && self.max_depth == other.max_depth
    }
}

impl Eq for Dialect {}

impl Hash for Dialect {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name(), self.has_double_reals(), self.max_depth).hash(state);
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dialect")
            .field("name", &self.name())
            .field("double_reals", &self.has_double_reals())
            .field("max_depth", &self.max_depth)
            .finish()
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if self.has_double_reals() { f.write_str(" with double reals") } else { Ok(()) }
    }
}

/// What a type number means: four bytes, so that a place in the table is a plain shift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    pub(crate) class: Class,
    /// Without the header's flag 64, and with it.
    numbers: [Numbers; 2],
}

/// How the common bodies are read; the others are told apart by their kind.
///
/// The commonest sizes are classes of their own. The processor guesses where the jump by class
/// goes, and so reads on at once, where it would have to wait for a size from the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Class {
    /// One word, if flag 64 is not set.
    Words1,
    Words2,
    Words3,
    Words4,
    /// So many words as the entry says.
    Fixed,
    Text,
    Array,
    Dictionary,
    Other,
    Unknown,
}

/// What the numbers of a value take: the words of a body of fixed size in the lower bits, in the
/// top bit whether they are wide.
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
    const UNKNOWN: Entry =
        Entry { kind: Kind::Nil, class: Class::Unknown, numbers: [Numbers(0); 2] };

    const fn new(kind: Kind, family: &Family, is_double: bool) -> Entry {
        let body = match kind.body() {
            // An id of one cell, or nothing.
            Body::Rid if family.has_rid_ids => Body::Cells(Cell::I64, 1),
            Body::Rid => Body::Empty,
            body => body,
        };
        // Whether the numbers are wide without flag 64, and with it.
        let [plain, flagged] = match (body, family.reals) {
            (Body::Number, _) => [false, true],
            (Body::Cells(Cell::Real, _) | Body::Packed(Cell::Real, _), Reals::Flagged) => {
                [false, true]
            }
            (
                Body::Cells(Cell::Real | Cell::Channel, _)
                | Body::Packed(Cell::Real | Cell::Channel, _),
                Reals::Built,
            ) => [is_double, is_double],
            _ => [false, false],
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
            Body::Array | Body::Dictionary if family.has_typed_containers => Class::Other,
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

    /// Whether the numbers of a value of that header have eight bytes.
    #[inline(always)]
    pub(crate) const fn is_wide(&self, header: u32) -> bool {
        self.numbers(header) & Numbers::WIDE != 0
    }

    /// How many bytes the body of a value of that header has, if the class is `Fixed`.
    #[inline(always)]
    pub(crate) const fn size(&self, header: u32) -> usize {
        (self.numbers(header) & !Numbers::WIDE) as usize * 4
    }
}

/// What tells the width of reals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reals {
    /// How the engine was built: nothing in a value tells.
    Built,
    /// Flag 64 of the header. Colours always have four bytes.
    Flagged,
}

/// What sets a family of engines apart.
#[derive(Debug)]
struct Family {
    name: &'static str,
    /// The places in this list are the type numbers.
    types: &'static [Kind],
    reals: Reals,
    /// Whether a RID's id is written.
    has_rid_ids: bool,
    /// Whether the headers of arrays and dictionaries tell the types of what is in them.
    has_typed_containers: bool,
    /// Whether dictionaries and objects that read the same are two keys of a dictionary.
    #[cfg_attr(not(feature = "alloc"), expect(dead_code, reason = "only owned values merge keys"))]
    keys_by_identity: bool,
}

/// A dialect compiled for one width of reals.
#[derive(Debug)]
pub(crate) struct Layout {
    family: &'static Family,
    is_double: bool,
    double: &'static Layout,
    entries: [Entry; 256],
    /// The type numbers of the kinds; of those that the dialect lacks, more than a byte holds.
    numbers: [u16; Kind::ALL.len()],
    /// The same, but also more than a byte holds if the numbers have eight bytes without flag 64.
    #[cfg(feature = "serde")]
    plain: [u16; Kind::ALL.len()],
}

impl Layout {
    /// The entry of a header. The specification takes 16 bits of it for the type, the engines
    /// take 8 and ignore the 8 above.
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
    fn number(&self, kind: Kind) -> Option<u8> {
        u8::try_from(*self.numbers.get(kind as usize)?).ok()
    }

    /// The header of a value of that kind without flags, whose numbers have four bytes; more than
    /// type and flags can be if there is none.
    #[cfg(feature = "serde")]
    #[inline(always)]
    pub(crate) fn plain(&self, kind: Kind) -> u32 {
        self.plain.get(kind as usize).copied().unwrap_or(u16::MAX).into()
    }

    /// Whether the engine writes the numbers of that kind with eight bytes, whatever their values.
    #[inline]
    pub(crate) fn writes_wide(&self, kind: Kind) -> bool {
        let (Body::Cells(cell, _) | Body::Packed(cell, _)) = kind.body() else { return false };
        match cell {
            Cell::F64 => true,
            Cell::Real => self.is_double,
            Cell::Channel => self.is_double && self.family.reals == Reals::Built,
            Cell::Byte | Cell::I32 | Cell::I64 | Cell::F32 => false,
        }
    }

    /// The flags in the header of a math value or packed array of that kind.
    #[inline]
    pub(crate) fn flags(&self, kind: Kind) -> u32 {
        let (Body::Cells(cell, _) | Body::Packed(cell, _)) = kind.body() else { return 0 };
        let is_flagged = self.family.reals == Reals::Flagged && cell == Cell::Real;
        if is_flagged && self.is_double { FLAG_64 } else { 0 }
    }

    /// Whether the dialect writes the id of a RID.
    pub(crate) fn has_rid_ids(&self) -> bool {
        self.family.has_rid_ids
    }

    /// Whether the dialect has typed arrays and dictionaries.
    pub(crate) fn has_typed_containers(&self) -> bool {
        self.family.has_typed_containers
    }

    /// Whether dictionaries and objects that read the same are two keys of a dictionary.
    #[cfg(feature = "alloc")]
    pub(crate) fn keys_by_identity(&self) -> bool {
        self.family.keys_by_identity
    }

    /// The dialect that this is a table of.
    pub(crate) fn dialect(&'static self) -> Dialect {
        Dialect::of(self)
    }
}

impl PartialEq for Layout {
    fn eq(&self, other: &Layout) -> bool {
        self.family.name == other.family.name && self.is_double == other.is_double
    }
}

struct Layouts {
    single: Layout,
    double: Layout,
}

const fn compile(family: &'static Family, layouts: &'static Layouts) -> Layouts {
    Layouts {
        single: layout(family, false, &layouts.double),
        double: layout(family, true, &layouts.double),
    }
}

#[expect(clippy::indexing_slicing, reason = "done by the compiler")]
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
        // The first types are the same everywhere: `quick` reads them without a table.
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

/// Godot 3. Source: "Binary serialization API".
static GODOT_3: Layouts = compile(
    &Family {
        name: "godot3",
        types: &[
            Kind::Nil,
            Kind::Bool,
            Kind::Int,
            Kind::Float,
            Kind::String,
            Kind::Vector2,
            Kind::Rect2,
            Kind::Vector3,
            Kind::Transform2D,
            Kind::Plane,
            Kind::Quaternion,
            Kind::Aabb,
            Kind::Basis,
            Kind::Transform3D,
            Kind::Color,
            Kind::NodePath,
            Kind::Rid,
            Kind::Object,
            Kind::Dictionary,
            Kind::Array,
            Kind::PackedByteArray,
            Kind::PackedInt32Array,
            Kind::PackedFloat32Array,
            Kind::PackedStringArray,
            Kind::PackedVector2Array,
            Kind::PackedVector3Array,
            Kind::PackedColorArray,
        ],
        reals: Reals::Built,
        has_rid_ids: false,
        has_typed_containers: false,
        keys_by_identity: true,
    },
    &GODOT_3,
);

/// Godot 4.0 and newer. Source: what version 4.6 writes.
static GODOT_4: Layouts = compile(
    &Family {
        name: "godot4",
        types: &[
            Kind::Nil,
            Kind::Bool,
            Kind::Int,
            Kind::Float,
            Kind::String,
            Kind::Vector2,
            Kind::Vector2i,
            Kind::Rect2,
            Kind::Rect2i,
            Kind::Vector3,
            Kind::Vector3i,
            Kind::Transform2D,
            Kind::Vector4,
            Kind::Vector4i,
            Kind::Plane,
            Kind::Quaternion,
            Kind::Aabb,
            Kind::Basis,
            Kind::Transform3D,
            Kind::Projection,
            Kind::Color,
            Kind::StringName,
            Kind::NodePath,
            Kind::Rid,
            Kind::Object,
            Kind::Callable,
            Kind::Signal,
            Kind::Dictionary,
            Kind::Array,
            Kind::PackedByteArray,
            Kind::PackedInt32Array,
            Kind::PackedInt64Array,
            Kind::PackedFloat32Array,
            Kind::PackedFloat64Array,
            Kind::PackedStringArray,
            Kind::PackedVector2Array,
            Kind::PackedVector3Array,
            Kind::PackedColorArray,
            Kind::PackedVector4Array,
        ],
        reals: Reals::Flagged,
        has_rid_ids: true,
        has_typed_containers: true,
        keys_by_identity: false,
    },
    &GODOT_4,
);

/// Pandemonium 3.8 to 4.9. Source: the engine's; its documentation has the table of Godot 3.
static PANDEMONIUM_4: Layouts = compile(
    &Family {
        name: "pandemonium4",
        types: &[
            Kind::Nil,
            Kind::Bool,
            Kind::Int,
            Kind::Float,
            Kind::String,
            Kind::Rect2,
            Kind::Rect2i,
            Kind::Vector2,
            Kind::Vector2i,
            Kind::Vector3,
            Kind::Vector3i,
            Kind::Vector4,
            Kind::Vector4i,
            Kind::Plane,
            Kind::Quaternion,
            Kind::Aabb,
            Kind::Basis,
            Kind::Transform3D,
            Kind::Transform2D,
            Kind::Projection,
            Kind::Color,
            Kind::NodePath,
            Kind::Rid,
            Kind::Object,
            Kind::StringName,
            Kind::Dictionary,
            Kind::Array,
            Kind::PackedByteArray,
            Kind::PackedInt32Array,
            Kind::PackedFloat32Array,
            Kind::PackedStringArray,
            Kind::PackedVector2Array,
            Kind::PackedVector2iArray,
            Kind::PackedVector3Array,
            Kind::PackedVector3iArray,
            Kind::PackedVector4Array,
            Kind::PackedVector4iArray,
            Kind::PackedColorArray,
        ],
        reals: Reals::Built,
        has_rid_ids: false,
        has_typed_containers: false,
        keys_by_identity: true,
    },
    &PANDEMONIUM_4,
);

/// Pandemonium 5. Source: what version 5.3 writes.
static PANDEMONIUM_5: Layouts = compile(
    &Family {
        name: "pandemonium5",
        types: &[
            Kind::Nil,
            Kind::Bool,
            Kind::Int,
            Kind::Float,
            Kind::String,
            Kind::Rect2,
            Kind::Rect2i,
            Kind::Vector2,
            Kind::Vector2i,
            Kind::Vector3,
            Kind::Vector3i,
            Kind::Vector4,
            Kind::Vector4i,
            Kind::Plane,
            Kind::Quaternion,
            Kind::Aabb,
            Kind::Basis,
            Kind::Transform3D,
            Kind::Transform2D,
            Kind::Projection,
            Kind::Color,
            Kind::NodePath,
            Kind::Rid,
            Kind::Object,
            Kind::StringName,
            Kind::Dictionary,
            Kind::Array,
            Kind::TypedArray,
            Kind::PackedTypedArray,
            Kind::PackedByteArray,
            Kind::PackedInt32Array,
            Kind::PackedFloat32Array,
            Kind::PackedStringArray,
            Kind::PackedVector2Array,
            Kind::PackedVector2iArray,
            Kind::PackedVector3Array,
            Kind::PackedVector3iArray,
            Kind::PackedVector4Array,
            Kind::PackedVector4iArray,
            Kind::PackedColorArray,
        ],
        reals: Reals::Built,
        has_rid_ids: false,
        has_typed_containers: false,
        keys_by_identity: true,
    },
    &PANDEMONIUM_5,
);
