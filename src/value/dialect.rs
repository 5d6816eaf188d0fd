//! The dialects of the format: what each engine writes differently.
//!
//! The format has one grammar and several dialects. A dialect is a table: it says which kind each
//! type number means, and where the width of a real is found. The tables at the end of this file
//! are all that a new dialect needs. Readers and writers look headers and kinds up in the compiled
//! [`DialectLayout`] of a table.

use super::layout::{Family, Layouts, Reals, compile};
use super::{DialectLayout, Kind};
use core::fmt;
use core::hash::{Hash, Hasher};

/// An engine, regardless of its version.
///
/// The engine determines the layout of the packets of the high-level multiplayer API. A
/// [`Dialect`](crate::Dialect) also determines which values a version of the engine writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Engine {
    /// Godot 3.
    Godot3,
    /// Godot 4.
    Godot4,
    /// Pandemonium 3.8 and newer.
    Pandemonium,
}

impl Engine {
    /// Whether the engine's multiplayer peers write the ids of sender and receiver before each
    /// packet.
    #[cfg(feature = "capture")]
    pub(crate) const fn has_peer_headers(self) -> bool {
        match self {
            Engine::Godot3 | Engine::Pandemonium => true,
            Engine::Godot4 => false,
        }
    }

    /// Whether the engine writes each message of the remote debugger as one array: the name, perhaps
    /// a thread, and an array of arguments. A game of the other engines sends it in several frames.
    pub(crate) const fn has_debugger_arrays(self) -> bool {
        match self {
            Engine::Godot3 | Engine::Pandemonium => false,
            Engine::Godot4 => true,
        }
    }
}

/// The format as one engine, or some versions of it, writes it.
///
/// A dialect is small and `Copy`. Start from one of the constants:
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
    layout: &'static DialectLayout,
}

impl Dialect {
    const fn of(layout: &'static DialectLayout) -> Dialect {
        Dialect { layout }
    }

    /// The same dialect, as written by an engine that was built with double precision.
    ///
    /// In Godot 4 the header of a value says how wide its reals are. So a reader of either dialect
    /// reads both widths. A writer of this dialect writes every real with eight bytes, except those
    /// of colours. In the other engines nothing in a value says how wide its reals are. By the
    /// specification, every real has eight bytes there, including those of colours.
    #[must_use]
    pub const fn with_double_reals(self) -> Dialect {
        Dialect { layout: self.layout.double() }
    }

    /// Whether a writer of this dialect writes reals with eight bytes.
    #[must_use]
    pub const fn has_double_reals(self) -> bool {
        self.layout.is_double()
    }

    /// The engine that writes the dialect.
    ///
    /// ```
    /// use gdwire::{Dialect, Engine};
    ///
    /// assert_eq!(Dialect::PANDEMONIUM_4.engine(), Engine::Pandemonium);
    /// assert_eq!(Dialect::PANDEMONIUM_5.engine(), Engine::Pandemonium);
    /// ```
    #[must_use]
    pub const fn engine(self) -> Engine {
        self.layout.engine()
    }

    /// The dialect's name on the command line, such as `godot3`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.layout.name()
    }

    /// The engine and its versions, such as `Pandemonium 3.8 to 4.9`.
    #[must_use]
    pub const fn description(self) -> &'static str {
        self.layout.description()
    }

    /// The kind that a type number in a header means in this dialect.
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

    /// Whether the two dialects are the same, apart from the width of reals.
    pub(crate) fn differs_only_in_width(self, other: Dialect) -> bool {
        self.layout.double() == other.layout.double()
    }

    /// Whether both dialects read the same values from the same bytes.
    pub(crate) fn reads_like(self, other: Dialect) -> bool {
        self.layout == other.layout || self.flags_width() && self.differs_only_in_width(other)
    }

    /// Whether the header of a value gives the width of its reals, so that a reader of either width
    /// reads both.
    pub(crate) const fn flags_width(self) -> bool {
        self.layout.flags_width()
    }

    #[inline]
    pub(crate) fn layout(self) -> &'static DialectLayout {
        self.layout
    }
}

impl DialectLayout {
    /// The dialect of this table.
    pub(crate) const fn dialect(&'static self) -> Dialect {
        Dialect::of(self)
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Dialect) -> bool {
        self.layout == other.layout
    }
}

impl Eq for Dialect {}

impl Hash for Dialect {
    fn hash<H: Hasher>(&self, state: &mut H) {
        core::ptr::hash(self.layout, state);
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dialect")
            .field("name", &self.name())
            .field("double_reals", &self.has_double_reals())
            .finish()
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if self.has_double_reals() { f.write_str(" with double reals") } else { Ok(()) }
    }
}

/// The depth limit: a value may be nested in at most 1,024 containers, as in the newer engines. The
/// crate neither reads nor writes deeper values.
pub const MAX_DEPTH: u16 = 1024;

/// The dialect to read, and how deep its values may be nested.
///
/// Every reading function accepts `ReadOptions`, or a [`Dialect`] alone. With a dialect alone, the
/// depth limit is [`MAX_DEPTH`].
///
/// ```
/// use gdwire::{Dialect, ReadOptions, parse};
///
/// // [[null]]
/// let nested = [19, 0, 0, 0, 1, 0, 0, 0, 19, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
/// assert!(parse(Dialect::GODOT_3, &nested).is_ok());
///
/// let flat = ReadOptions::new(Dialect::GODOT_3).with_max_depth(1);
/// let error = parse(flat, &nested).unwrap_err();
/// assert_eq!(error.problem, gdwire::Problem::TooDeep { limit: 1 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReadOptions {
    dialect: Dialect,
    max_depth: u16,
}

impl ReadOptions {
    /// Options for values of `dialect`, nested in up to [`MAX_DEPTH`] containers.
    #[inline]
    #[must_use]
    pub const fn new(dialect: Dialect) -> ReadOptions {
        ReadOptions { dialect, max_depth: MAX_DEPTH }
    }

    /// Refuses values that are nested in more than `depth` containers.
    ///
    /// A `depth` above [`MAX_DEPTH`] means [`MAX_DEPTH`], because readers keep the open containers
    /// in a stack of that size. Godot 3.4 and newer, Godot 4 and Pandemonium have the same limit.
    #[inline]
    #[must_use]
    pub const fn with_max_depth(self, depth: u16) -> ReadOptions {
        let max_depth = if depth > MAX_DEPTH { MAX_DEPTH } else { depth };
        ReadOptions { max_depth, ..self }
    }

    /// The dialect that is read.
    #[inline]
    #[must_use]
    pub const fn dialect(self) -> Dialect {
        self.dialect
    }

    /// The greatest number of containers in which a value may be nested.
    #[inline]
    pub(crate) const fn depth_limit(self) -> u16 {
        self.max_depth
    }
}

impl From<Dialect> for ReadOptions {
    #[inline]
    fn from(dialect: Dialect) -> ReadOptions {
        ReadOptions::new(dialect)
    }
}

impl Dialect {
    /// Godot 3 and its specification: 27 types, reals of four bytes.
    pub const GODOT_3: Dialect = Dialect::of(&GODOT_3.single);

    /// Godot 4.0 and newer: 39 types, typed containers, and reals whose width is in the header.
    pub const GODOT_4: Dialect = Dialect::of(&GODOT_4.single);

    /// Pandemonium 3.8 to 4.9: 38 types. The engine's documentation prints Godot 3's table.
    pub const PANDEMONIUM_4: Dialect = Dialect::of(&PANDEMONIUM_4.single);

    /// Pandemonium 5: 40 types, including separate types for typed arrays.
    pub const PANDEMONIUM_5: Dialect = Dialect::of(&PANDEMONIUM_5.single);

    /// Every dialect, each with reals of four bytes.
    pub const ALL: &'static [Dialect] =
        &[Dialect::GODOT_3, Dialect::GODOT_4, Dialect::PANDEMONIUM_4, Dialect::PANDEMONIUM_5];

    /// The dialects that detection tries, in the order of preference. Godot 4 reads both widths of
    /// reals.
    pub(crate) const CANDIDATES: [Dialect; 7] = [
        Dialect::GODOT_4,
        Dialect::GODOT_3,
        Dialect::PANDEMONIUM_5,
        Dialect::PANDEMONIUM_4,
        Dialect::GODOT_3.with_double_reals(),
        Dialect::PANDEMONIUM_5.with_double_reals(),
        Dialect::PANDEMONIUM_4.with_double_reals(),
    ];

    /// A dialect with every kind of every engine, for values that never leave the process.
    #[cfg(feature = "serde")]
    pub(crate) const IN_MEMORY: Dialect = Dialect::of(&IN_MEMORY.single);

    /// The dialect with this [`name`](Dialect::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.iter().copied().find(|dialect| dialect.name() == name)
    }
}

/// The kinds of a dialect in the order of their type numbers, four in a row.
macro_rules! kinds {
    ($($kind:ident)*) => { &[$(Kind::$kind),*] };
}

/// Godot 3. Source: "Binary serialization API".
static GODOT_3: Layouts = compile(
    &Family {
        name: "godot3",
        description: "Godot 3",
        engine: Engine::Godot3,
        types: kinds! {
            Nil Bool Int Float
            String Vector2 Rect2 Vector3
            Transform2D Plane Quaternion Aabb
            Basis Transform3D Color NodePath
            Rid Object Dictionary Array
            PackedByteArray PackedInt32Array PackedFloat32Array PackedStringArray
            PackedVector2Array PackedVector3Array PackedColorArray
        },
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
        description: "Godot 4",
        engine: Engine::Godot4,
        types: kinds! {
            Nil Bool Int Float
            String Vector2 Vector2i Rect2
            Rect2i Vector3 Vector3i Transform2D
            Vector4 Vector4i Plane Quaternion
            Aabb Basis Transform3D Projection
            Color StringName NodePath Rid
            Object Callable Signal Dictionary
            Array PackedByteArray PackedInt32Array PackedInt64Array
            PackedFloat32Array PackedFloat64Array PackedStringArray PackedVector2Array
            PackedVector3Array PackedColorArray PackedVector4Array
        },
        reals: Reals::Flagged,
        has_rid_ids: true,
        has_typed_containers: true,
        keys_by_identity: false,
    },
    &GODOT_4,
);

/// Pandemonium 3.8 to 4.9. Source: the code of the engine. Its documentation shows the table of
/// Godot 3.
static PANDEMONIUM_4: Layouts = compile(
    &Family {
        name: "pandemonium4",
        description: "Pandemonium 3.8 to 4.9",
        engine: Engine::Pandemonium,
        types: kinds! {
            Nil Bool Int Float
            String Rect2 Rect2i Vector2
            Vector2i Vector3 Vector3i Vector4
            Vector4i Plane Quaternion Aabb
            Basis Transform3D Transform2D Projection
            Color NodePath Rid Object
            StringName Dictionary Array PackedByteArray
            PackedInt32Array PackedFloat32Array PackedStringArray PackedVector2Array
            PackedVector2iArray PackedVector3Array PackedVector3iArray PackedVector4Array
            PackedVector4iArray PackedColorArray
        },
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
        description: "Pandemonium 5",
        engine: Engine::Pandemonium,
        types: kinds! {
            Nil Bool Int Float
            String Rect2 Rect2i Vector2
            Vector2i Vector3 Vector3i Vector4
            Vector4i Plane Quaternion Aabb
            Basis Transform3D Transform2D Projection
            Color NodePath Rid Object
            StringName Dictionary Array TypedArray
            PackedTypedArray PackedByteArray PackedInt32Array PackedFloat32Array
            PackedStringArray PackedVector2Array PackedVector2iArray PackedVector3Array
            PackedVector3iArray PackedVector4Array PackedVector4iArray PackedColorArray
        },
        reals: Reals::Built,
        has_rid_ids: false,
        has_typed_containers: false,
        keys_by_identity: true,
    },
    &PANDEMONIUM_5,
);

/// Every kind of every engine, for values that never leave the process.
#[cfg(feature = "serde")]
static IN_MEMORY: Layouts = compile(
    &Family {
        name: "in-memory",
        description: "every engine",
        engine: Engine::Godot4,
        types: Kind::ALL,
        reals: Reals::AllFlagged,
        has_rid_ids: true,
        has_typed_containers: true,
        keys_by_identity: true,
    },
    &IN_MEMORY,
);
