//! The numbers of math values and packed arrays of any kind.

use super::VariantRef;
use crate::value::kind::{Body, Cell};
use crate::value::number::{F32Le, F64Le, I32Le, I64Le, cast};

/// The numbers that a math value or a packed array consists of, in the order of the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cells<'a> {
    Bytes(&'a [u8]),
    I32(&'a [I32Le]),
    I64(&'a [I64Le]),
    F32(&'a [F32Le]),
    F64(&'a [F64Le]),
}

impl Cells<'_> {
    /// How many numbers there are.
    pub(crate) const fn len(&self) -> usize {
        match self {
            Cells::Bytes(numbers) => numbers.len(),
            Cells::I32(numbers) => numbers.len(),
            Cells::I64(numbers) => numbers.len(),
            Cells::F32(numbers) => numbers.len(),
            Cells::F64(numbers) => numbers.len(),
        }
    }
}

impl<'a> VariantRef<'a> {
    /// The numbers of a math value or a packed array. `None` for other kinds.
    pub(crate) fn cells(&self) -> Option<Cells<'a>> {
        let (cell, bytes) = match self.kind().body() {
            Body::Cells(cell, _) => (cell, self.from(4)),
            Body::Packed(cell, _) => (cell, self.from(8)),
            _ => return None,
        };
        Some(match cell {
            Cell::Byte => Cells::Bytes(bytes.get(..self.count()).unwrap_or(bytes)),
            Cell::I32 => Cells::I32(cast(bytes)),
            Cell::I64 => Cells::I64(cast(bytes)),
            Cell::F64 => Cells::F64(cast(bytes)),
            Cell::Real | Cell::Channel if self.is_wide() => Cells::F64(cast(bytes)),
            Cell::F32 | Cell::Real | Cell::Channel => Cells::F32(cast(bytes)),
        })
    }
}

/// Two are equal if their numbers are equal. Floats of different widths can be equal, integers of
/// different widths cannot.
impl PartialEq for Cells<'_> {
    fn eq(&self, other: &Cells<'_>) -> bool {
        match (*self, *other) {
            (Cells::Bytes(one), Cells::Bytes(other)) => one == other,
            (Cells::I32(one), Cells::I32(other)) => one == other,
            (Cells::I64(one), Cells::I64(other)) => one == other,
            (Cells::F32(one), Cells::F32(other)) => one == other,
            (Cells::F64(one), Cells::F64(other)) => one == other,
            (Cells::F32(single), Cells::F64(double)) | (Cells::F64(double), Cells::F32(single)) => {
                let single = single.iter().map(|number| f64::from(number.get()));
                single.eq(double.iter().map(|number| number.get()))
            }
            _ => false,
        }
    }
}
