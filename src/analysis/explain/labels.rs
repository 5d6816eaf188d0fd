//! Shows the names of the parts of a value, and what their headers, counts and numbers mean.

use super::out::from_fn;
use crate::format::text;
use crate::value::{
    Cell, Dialect, DialectLayout, ELEMENT_TYPES, FLAG_64, FLAG_BY_ID, Kind, TOP_BIT, ValueBody,
};
use core::fmt::{self, Display, Formatter};

/// The name of a value or of a part of it.
pub enum PartName<'n> {
    Given(&'n dyn Display),
    Part(&'static str),
    Element(u32),
    Key(u32),
    Value(u32),
    Property(u32),
    InPath(u32),
}

impl Display for PartName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            PartName::Given(name) => name.fmt(f),
            PartName::Part(name) => f.write_str(name),
            PartName::Element(place) => write!(f, "[{place}]"),
            PartName::Key(place) => write!(f, "key {place}"),
            PartName::Value(place) => write!(f, "value {place}"),
            PartName::Property(place) => write!(f, "property {place}"),
            PartName::InPath(place) => write!(f, "name {place}"),
        }
    }
}

/// The type in a header, and its flags.
pub fn header_label(header: u32, layout: &'static DialectLayout) -> impl Display {
    from_fn(move |f| {
        let (kind, number) = (layout.entry(header).kind, header & 0xff);
        write!(f, "{}, type {number}", kind.name_in(layout.dialect().engine()))?;
        let flags = header >> ELEMENT_TYPES;
        if flags == 0 {
            return Ok(());
        }
        write!(f, ", flags {flags:#x}")?;
        match kind.body() {
            ValueBody::Object | ValueBody::TypedArray if header & FLAG_BY_ID != 0 => {
                f.write_str(" (by id)")
            }
            ValueBody::Array | ValueBody::Dictionary if layout.has_typed_containers() => {
                f.write_str(" (element types)")
            }
            ValueBody::Number | ValueBody::Cells(..) | ValueBody::Packed(..)
                if header & FLAG_64 != 0 && layout.entry(header).is_wide(header) =>
            {
                f.write_str(" (8 bytes a number)")
            }
            _ => Ok(()),
        }
    })
}

/// The count of a container or a packed array.
pub fn count_label(word: u32, kind: Kind) -> impl Display {
    from_fn(move |f| {
        let count = word & !TOP_BIT;
        let is_marked = word & TOP_BIT != 0;
        match kind {
            Kind::Object | Kind::PackedStringArray if is_marked => {
                f.write_str("negative: nothing follows")?;
            }
            Kind::Dictionary if count == 1 => f.write_str("1 entry")?,
            Kind::Dictionary => write!(f, "{count} entries")?,
            Kind::Object if count == 1 => f.write_str("1 property")?,
            Kind::Object => write!(f, "{count} properties")?,
            _ if count == 1 => f.write_str("1 element")?,
            _ => write!(f, "{count} elements")?,
        }
        let is_container =
            matches!(kind.body(), ValueBody::Array | ValueBody::Dictionary | ValueBody::TypedArray);
        f.write_str(if is_container && is_marked { ", shared" } else { "" })
    })
}

/// A number as it is on the wire. `is_component` says whether it is part of a math value or an array.
pub fn number_label(
    cell: Cell,
    bytes: &[u8],
    dialect: Dialect,
    is_component: bool,
) -> impl Display {
    from_fn(move |f| match (cell, bytes) {
        (Cell::Byte, [byte]) => byte.fmt(f),
        (Cell::I32 | Cell::I64, bytes) => match (bytes.first_chunk(), bytes.first_chunk()) {
            (Some(long), _) => i64::from_le_bytes(*long).fmt(f),
            (_, Some(short)) => i32::from_le_bytes(*short).fmt(f),
            _ => Ok(()),
        },
        // The digits are those of literals.
        (_, bytes) => match (bytes.first_chunk(), bytes.first_chunk()) {
            (Some(double), _) => text::real(f64::from_le_bytes(*double), is_component, dialect, f),
            (_, Some(single)) => text::real(f32::from_le_bytes(*single), is_component, dialect, f),
            _ => Ok(()),
        },
    })
}

/// The numbers of one element of a packed array, each of `size` bytes: one number, or several in
/// parentheses.
pub fn element_label(cell: Cell, size: usize, bytes: &[u8], dialect: Dialect) -> impl Display {
    from_fn(move |f| {
        if bytes.len() <= size {
            return number_label(cell, bytes, dialect, true).fmt(f);
        }
        for (place, bytes) in bytes.chunks(size.max(1)).enumerate() {
            let number = number_label(cell, bytes, dialect, true);
            write!(f, "{}{number}", if place == 0 { "(" } else { ", " })?;
        }
        f.write_str(")")
    })
}

/// The names of the numbers of a math value, in the order of the wire.
pub const fn components(kind: Kind) -> &'static [&'static str] {
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

#[cfg(test)]
mod tests {
    use super::components;
    use crate::value::{Kind, ValueBody};

    #[test]
    fn each_number_of_a_math_value_has_a_name() {
        for kind in Kind::ALL {
            let ValueBody::Cells(_, numbers) = kind.body() else { continue };
            assert!(components(*kind).len() >= numbers.into(), "{kind}");
        }
    }
}
