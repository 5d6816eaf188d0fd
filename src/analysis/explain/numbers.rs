//! Shows the numbers of math values and packed arrays.

use crate::format::text;
use crate::value::{Cell, Dialect, Kind};
use core::fmt::{self, Display, Formatter};

/// A number as it is on the wire.
pub(super) struct NumberLabel<'b> {
    pub(super) cell: Cell,
    pub(super) bytes: &'b [u8],
    pub(super) dialect: Dialect,
    /// Whether it is part of a math value or an array.
    pub(super) is_component: bool,
}

impl Display for NumberLabel<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.cell, self.bytes) {
            (Cell::Byte, [byte]) => byte.fmt(f),
            (Cell::I32 | Cell::I64, bytes) => match (bytes.first_chunk(), bytes.first_chunk()) {
                (Some(long), _) => i64::from_le_bytes(*long).fmt(f),
                (_, Some(short)) => i32::from_le_bytes(*short).fmt(f),
                _ => Ok(()),
            },
            (_, bytes) => match (bytes.first_chunk(), bytes.first_chunk()) {
                // The digits are those of literals.
                (Some(double), _) => {
                    text::real(f64::from_le_bytes(*double), self.is_component, self.dialect, f)
                }
                (_, Some(single)) => {
                    text::real(f32::from_le_bytes(*single), self.is_component, self.dialect, f)
                }
                _ => Ok(()),
            },
        }
    }
}

/// The numbers of one element of a packed array: one number, or several in parentheses.
pub(super) struct ElementLabel<'b> {
    pub(super) cell: Cell,
    /// The length of a number, in bytes.
    pub(super) size: usize,
    pub(super) bytes: &'b [u8],
    pub(super) dialect: Dialect,
}

impl Display for ElementLabel<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ElementLabel { cell, size, bytes, dialect } = *self;
        let number = |bytes| NumberLabel { cell, bytes, dialect, is_component: true };
        if bytes.len() <= size {
            return number(bytes).fmt(f);
        }
        for (place, bytes) in bytes.chunks(size.max(1)).enumerate() {
            write!(f, "{}{}", if place == 0 { "(" } else { ", " }, number(bytes))?;
        }
        f.write_str(")")
    }
}

/// The names of the numbers of a math value, in the order of the wire.
pub(super) const fn components(kind: Kind) -> &'static [&'static str] {
    const BASIS: [&str; 12] = [
        "x.x", "y.x", "z.x", "x.y", "y.y", "z.y", "x.z", "y.z", "z.z", "origin.x", "origin.y",
        "origin.z",
    ];
    match kind {
        Kind::Rect2 | Kind::Rect2i => &["position.x", "position.y", "size.x", "size.y"],
        Kind::Aabb => &["position.x", "position.y", "position.z", "size.x", "size.y", "size.z"],
        Kind::Plane => &["normal.x", "normal.y", "normal.z", "d"],
        Kind::Color => &["r", "g", "b", "a"],
        Kind::Transform2D => &["x.x", "x.y", "y.x", "y.y", "origin.x", "origin.y"],
        // Row by row.
        Kind::Basis | Kind::Transform3D => &BASIS,
        Kind::Projection => &[
            "x.x", "x.y", "x.z", "x.w", "y.x", "y.y", "y.z", "y.w", "z.x", "z.y", "z.z", "z.w",
            "w.x", "w.y", "w.z", "w.w",
        ],
        _ => &["x", "y", "z", "w"],
    }
}
