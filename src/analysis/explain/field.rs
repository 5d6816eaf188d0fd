//! The fields of an explanation, and limits on their number.

use crate::format::text::Role;
use core::fmt;

/// Some bytes, and what they are.
///
/// A field without bytes is a heading for the fields after it, or says what is missing at its place.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Field<'f> {
    /// The offset of its first byte, in bytes from the start of its section.
    pub offset: usize,
    /// Its bytes.
    pub bytes: &'f [u8],
    /// How many other parts contain it.
    pub depth: usize,
    /// The name of the field, such as `length`.
    pub name: fmt::Arguments<'f>,
    /// The meaning of the bytes, such as `2 bytes`. Control characters are escaped, and long text
    /// is cut. Empty for padding.
    pub value: fmt::Arguments<'f>,
    /// The role of the value, which decides its colour: see [`Palette`](crate::text::Palette).
    pub role: Role,
    /// Whether the bytes can be read. If not, the value says what is wrong.
    pub is_valid: bool,
}

/// How much of a message is explained.
///
/// ```
/// use gdwire::explain::Detail;
///
/// let all = Detail::new().with_items(usize::MAX).with_fields(usize::MAX);
/// assert_eq!((Detail::default().items, all.items), (8, usize::MAX));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Detail {
    /// How many elements of an array, entries of a dictionary, arguments and the like are explained
    /// one by one. The remaining ones are in one field.
    pub items: usize,
    /// After about this many fields, the rest of the bytes is one field.
    pub fields: usize,
}

impl Detail {
    /// 8 items and 2,000 fields.
    #[must_use]
    pub const fn new() -> Detail {
        Detail { items: 8, fields: 2_000 }
    }

    /// Sets [`items`](Detail::items).
    #[must_use]
    pub const fn with_items(self, items: usize) -> Detail {
        Detail { items, ..self }
    }

    /// Sets [`fields`](Detail::fields).
    #[must_use]
    pub const fn with_fields(self, fields: usize) -> Detail {
        Detail { fields, ..self }
    }
}

impl Default for Detail {
    /// Like [`Detail::new`].
    fn default() -> Detail {
        Detail::new()
    }
}
