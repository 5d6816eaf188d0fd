//! The type [`Dialect`]: a reference to a table.

use super::layout::Layout;
use crate::value::engine::Engine;
use crate::value::kind::Kind;
use core::fmt;
use core::hash::{Hash, Hasher};

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
    layout: &'static Layout,
}

impl Dialect {
    pub(super) const fn of(layout: &'static Layout) -> Dialect {
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
    pub(crate) fn layout(self) -> &'static Layout {
        self.layout
    }
}

impl Layout {
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
