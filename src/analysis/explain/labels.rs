//! Shows the names of the parts of a value, and what their headers and counts mean.

use crate::value::{Body, ELEMENT_TYPES, FLAG_64, FLAG_BY_ID, Kind, Layout, TOP_BIT};
use core::fmt::{self, Display, Formatter};

/// The name of a value or of a part of it.
pub(super) enum PartName<'n> {
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
pub(super) struct HeaderLabel {
    pub(super) header: u32,
    pub(super) layout: &'static Layout,
}

impl Display for HeaderLabel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let HeaderLabel { header, layout } = *self;
        let (kind, number) = (layout.entry(header).kind, header & 0xff);
        write!(f, "{}, type {number}", kind.name_in(layout.dialect().engine()))?;
        let flags = header >> ELEMENT_TYPES;
        if flags == 0 {
            return Ok(());
        }
        write!(f, ", flags {flags:#x}")?;
        match kind.body() {
            Body::Object | Body::TypedArray if header & FLAG_BY_ID != 0 => f.write_str(" (by id)"),
            Body::Array | Body::Dictionary if layout.has_typed_containers() => {
                f.write_str(" (element types)")
            }
            Body::Number | Body::Cells(..) | Body::Packed(..)
                if header & FLAG_64 != 0 && layout.entry(header).is_wide(header) =>
            {
                f.write_str(" (8 bytes a number)")
            }
            _ => Ok(()),
        }
    }
}

/// The count of a container or a packed array.
pub(super) struct CountLabel {
    pub(super) word: u32,
    pub(super) kind: Kind,
}

impl Display for CountLabel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let count = self.word & !TOP_BIT;
        let (one, several) = match self.kind {
            Kind::Dictionary => ("entry", "entries"),
            Kind::Object => ("property", "properties"),
            _ => ("element", "elements"),
        };
        let is_marked = self.word & TOP_BIT != 0;
        match self.kind {
            Kind::Object | Kind::PackedStringArray if is_marked => {
                f.write_str("negative: nothing follows")
            }
            _ => write!(f, "{count} {}", if count == 1 { one } else { several }),
        }?;
        let is_container =
            matches!(self.kind.body(), Body::Array | Body::Dictionary | Body::TypedArray);
        f.write_str(if is_container && is_marked { ", shared" } else { "" })
    }
}
