//! The order of the numbers of a math value in JSON.

use crate::value::Kind;

/// Converts the place of a component in JSON to its place on the wire, and back. JSON lists the
/// axes of a basis, which are columns on the wire.
pub(super) const fn transposed(kind: Kind, place: usize) -> usize {
    match kind {
        Kind::Basis | Kind::Transform3D if place < 9 => place % 3 * 3 + place / 3,
        _ => place,
    }
}

/// The numbers of a math value in the order of JSON.
pub(super) fn ordered<T: Copy>(kind: Kind, numbers: &[T]) -> impl Iterator<Item = T> {
    (0..numbers.len()).filter_map(move |place| numbers.get(transposed(kind, place)).copied())
}
