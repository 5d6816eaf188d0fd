//! What the content of a value consists of.

/// The type of the numbers in a [`Body`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    /// A byte.
    Byte,
    /// A 32-bit integer.
    I32,
    /// A 64-bit integer.
    I64,
    /// A single-precision float, in every dialect.
    F32,
    /// A double-precision float, in every dialect.
    F64,
    /// The engine's `real_t`. The dialect or the header determines its width.
    Real,
    /// A colour's channel: a real in some dialects, an `f32` in others.
    Channel,
}

/// The content after a value's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Body {
    /// Nothing.
    Empty,
    /// A `u32` that is zero or not.
    Bool,
    /// Four bytes, or eight with flag 64.
    Number,
    /// This many cells.
    Cells(Cell, u8),
    /// Length, bytes, padding.
    String,
    /// A string, then the id of an object.
    Signal,
    /// Nothing in some dialects, eight bytes in others.
    Rid,
    NodePath,
    Object,
    Dictionary,
    Array,
    /// An element type, then the content of an array.
    TypedArray,
    /// A count, then that many elements of a fixed number of cells.
    Packed(Cell, u8),
    /// A count, then strings with a trailing NUL.
    Strings,
}

impl Cell {
    /// Its size in bytes. `is_wide` is whether reals have eight bytes.
    #[inline(always)]
    pub(crate) const fn size(self, is_wide: bool) -> u8 {
        match self {
            Cell::Byte => 1,
            Cell::I32 | Cell::F32 => 4,
            Cell::I64 | Cell::F64 => 8,
            Cell::Real | Cell::Channel => {
                if is_wide {
                    8
                } else {
                    4
                }
            }
        }
    }
}

impl Body {
    /// Its size in bytes, if all bodies with numbers of this width have the same size.
    pub(crate) const fn size(self, is_wide: bool) -> Option<u8> {
        match self {
            Body::Empty => Some(0),
            Body::Bool => Some(4),
            Body::Number => Some(if is_wide { 8 } else { 4 }),
            Body::Cells(cell, cells) => Some(cell.size(is_wide) * cells),
            _ => None,
        }
    }
}
