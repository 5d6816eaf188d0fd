//! The bits of headers and counts. They mean the same in every dialect.

/// The header's flag 64. If it is set, the number, or every real, has eight bytes.
pub(crate) const FLAG_64: u32 = 1 << 16;
/// The header flag of an object that is written as its instance id.
pub(crate) const FLAG_BY_ID: u32 = 1 << 16;
/// The position of the lowest bit of the element types in the header of a container.
pub(crate) const ELEMENT_TYPES: u32 = 16;
/// The top bit of a count. In a container it means "shared"; in a node path it means the form with
/// separate names.
pub(crate) const TOP_BIT: u32 = 1 << 31;
