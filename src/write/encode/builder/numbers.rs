//! Writes math values and packed arrays of numbers.

use super::{Builder, Result};
use crate::value::math::*;
use crate::value::number::cast;
use crate::value::{
    Cells, Component, Dialect, F32Le, F64Le, I32Le, I64Le, Kind, Real, ValueBody, numeric_kinds,
};
use crate::write::encode::{EncodeError, EncodeProblem, Sink};
use bytemuck::Pod;

/// The width at which to write reals of eight bytes where the dialect's reals have four.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    /// They keep eight bytes if the header can express it. Otherwise, they take four if that
    /// changes none of them.
    Keep,
    /// They take four bytes if that changes none of them. Otherwise, they take eight if the header
    /// can express it.
    Shortest,
    /// They are rounded to four bytes. It is an error if a finite one would become infinite.
    #[cfg(feature = "alloc")]
    Round,
}

impl<S: Sink> Builder<S> {
    /// Writes an array of 32-bit integers, of `i32` or [`crate::I32Le`].
    ///
    /// # Errors
    ///
    /// Those of [`Builder::byte_array`].
    pub fn int32_array<T: Component<Native = i32>>(&mut self, numbers: &[T]) -> Result {
        self.integers(Kind::PackedInt32Array, numbers)
    }

    /// Writes an array of 64-bit integers, of `i64` or [`crate::I64Le`].
    ///
    /// # Errors
    ///
    /// Those of [`Builder::byte_array`].
    pub fn int64_array<T: Component<Native = i64>>(&mut self, numbers: &[T]) -> Result {
        let kind = Kind::PackedInt64Array;
        if is_wire::<T>() {
            return self.cells(kind, Cells::I64(cast(bytemuck::cast_slice(numbers))));
        }
        self.begin_cells(kind, numbers.len(), None)?;
        self.converted(numbers, |number| I64Le::new(number.get()));
        Ok(())
    }

    /// Writes the 32-bit integers of a math value or of a packed array.
    pub(crate) fn integers<T: Component<Native = i32>>(
        &mut self,
        kind: Kind,
        numbers: &[T],
    ) -> Result {
        if is_wire::<T>() {
            return self.cells(kind, Cells::I32(cast(bytemuck::cast_slice(numbers))));
        }
        self.begin_cells(kind, numbers.len(), None)?;
        self.converted(numbers, |number| I32Le::new(number.get()));
        Ok(())
    }

    /// Writes an array of single-precision floats, of `f32` or [`crate::F32Le`].
    ///
    /// # Errors
    ///
    /// Those of [`Builder::byte_array`].
    pub fn float32_array<T: Component<Native = f32>>(&mut self, numbers: &[T]) -> Result {
        self.reals(Kind::PackedFloat32Array, numbers)
    }

    /// Writes an array of double-precision floats, of `f64` or [`crate::F64Le`].
    ///
    /// # Errors
    ///
    /// Those of [`Builder::byte_array`].
    pub fn float64_array<T: Component<Native = f64>>(&mut self, numbers: &[T]) -> Result {
        self.reals(Kind::PackedFloat64Array, numbers)
    }

    /// Writes the reals of a math value or of a packed array. Reals of four bytes get the width of
    /// the dialect, reals of eight bytes follow [`Width::Shortest`].
    #[inline]
    pub(crate) fn reals<T: Component<Native: Real>>(
        &mut self,
        kind: Kind,
        numbers: &[T],
    ) -> Result {
        if size_of::<T>() == size_of::<f64>() {
            return self.doubles(kind, numbers, Width::Shortest);
        }
        let is_wide = self.begin_cells(kind, numbers.len(), None)?;
        self.put_reals(is_wide, numbers);
        Ok(())
    }

    /// Writes reals of eight bytes.
    pub(crate) fn doubles<T: Component<Native: Real>>(
        &mut self,
        kind: Kind,
        numbers: &[T],
        width: Width,
    ) -> Result {
        let layout = self.dialect.layout();
        let flag = match (width, layout.wide_flag(kind)) {
            _ if layout.writes_wide(kind) => None,
            (Width::Keep, Some(flag)) => Some(flag),
            #[cfg(feature = "alloc")]
            (Width::Round, _) => match infinite_by_rounding(numbers) {
                None => None,
                Some(lost) => return Err(unwritable(kind, self.dialect, lost)),
            },
            (_, flag) => match (changed_by_rounding(numbers), flag) {
                (None, _) => None,
                (Some(_), Some(flag)) => Some(flag),
                (Some(lost), None) => return Err(unwritable(kind, self.dialect, lost)),
            },
        };
        let is_wide = self.begin_cells(kind, numbers.len(), flag)?;
        self.put_reals(is_wide, numbers);
        Ok(())
    }

    /// Writes reals of eight bytes, rounded to the width of the dialect.
    #[cfg(feature = "alloc")]
    pub(crate) fn rounded<T: Component<Native: Real>>(
        &mut self,
        kind: Kind,
        numbers: &[T],
    ) -> Result {
        let is_wide = self.begin_cells(kind, numbers.len(), None)?;
        self.put_reals(is_wide, numbers);
        Ok(())
    }

    /// Writes a math value or a packed array from its numbers on the wire.
    pub(crate) fn cells(&mut self, kind: Kind, cells: Cells<'_>) -> Result {
        let numbers = match cells {
            Cells::F32(cells) => return self.reals(kind, cells),
            Cells::F64(cells) => return self.doubles(kind, cells, Width::Keep),
            Cells::Bytes(bytes) => {
                self.begin_cells(kind, bytes.len(), None)?;
                self.padded(bytes);
                return Ok(());
            }
            Cells::I32(cells) => bytemuck::cast_slice(cells),
            Cells::I64(cells) => bytemuck::cast_slice(cells),
        };
        self.begin_cells(kind, cells.len(), None)?;
        self.sink.put(numbers);
        Ok(())
    }

    /// Begins a math value or packed array of this many numbers. Returns whether its reals are
    /// wide, which they always are with `wide_flag`.
    #[inline]
    fn begin_cells(
        &mut self,
        kind: Kind,
        numbers: usize,
        wide_flag: Option<u32>,
    ) -> core::result::Result<bool, EncodeError> {
        let count = match kind.body() {
            ValueBody::Packed(_, each) => {
                Some(self.length(kind, numbers / usize::from(each).max(1))?)
            }
            _ => None,
        };
        let layout = self.dialect.layout();
        self.header(kind, wide_flag.unwrap_or_else(|| layout.flags(kind)))?;
        if let Some(count) = count {
            self.word(count);
        }
        Ok(wide_flag.is_some() || layout.writes_wide(kind))
    }

    /// Writes reals with eight or four bytes.
    fn put_reals<T: Component<Native: Real>>(&mut self, is_wide: bool, numbers: &[T]) {
        let is_as_wide = is_wide == (size_of::<T>() == size_of::<f64>());
        if is_as_wide && is_wire::<T>() {
            return self.sink.put(bytemuck::cast_slice(numbers));
        }
        if is_wide {
            self.converted(numbers, |number| F64Le::new(number.get().to_f64()));
        } else {
            self.converted(numbers, |number| F32Le::new(f32::from_f64(number.get().to_f64())));
        }
    }

    /// Writes numbers as another type, a block at a time.
    fn converted<T: Copy, W: Pod>(&mut self, numbers: &[T], convert: impl Fn(T) -> W) {
        const BLOCK: usize = 64;
        for block in numbers.chunks(BLOCK) {
            let mut wire = [W::zeroed(); BLOCK];
            for (to, from) in wire.iter_mut().zip(block) {
                *to = convert(*from);
            }
            self.sink.put(bytemuck::cast_slice(wire.get(..block.len()).unwrap_or(&[])));
        }
    }
}

/// The first number that four bytes would change, and its index. A NaN stays a NaN, so it does not
/// count.
pub(crate) fn changed_by_rounding<T: Component<Native: Real>>(
    numbers: &[T],
) -> Option<(usize, f64)> {
    first_of(numbers, |number| f64::from(number as f32) != number && !number.is_nan())
}

/// The first finite number that four bytes would make infinite, and its index.
#[cfg(feature = "alloc")]
fn infinite_by_rounding<T: Component<Native: Real>>(numbers: &[T]) -> Option<(usize, f64)> {
    first_of(numbers, |number| number.is_finite() && (number as f32).is_infinite())
}

fn first_of<T: Component<Native: Real>>(
    numbers: &[T],
    is_wanted: impl Fn(f64) -> bool,
) -> Option<(usize, f64)> {
    let numbers = numbers.iter().map(|number| number.get().to_f64());
    numbers.enumerate().find(|(_, number)| is_wanted(*number))
}

#[cold]
fn unwritable(kind: Kind, dialect: Dialect, lost: (usize, f64)) -> EncodeError {
    let (component, value) = lost;
    if dialect.type_number(kind).is_none() {
        return EncodeProblem::Unsupported { kind, dialect }.into();
    }
    EncodeProblem::Real { kind, dialect, component, value }.into()
}

/// Whether numbers of this type have the same bytes in memory as on the wire.
const fn is_wire<T>() -> bool {
    align_of::<T>() == 1 || cfg!(target_endian = "little")
}

macro_rules! methods {
    (
        reals { $($real:ident ($one:ident $as_one:ident)
            ($($reals:ident $many:ident $as_many:ident)?))* }
        integers { $($integer:ident $type:ident ($int:ident $as_int:ident)
            ($($integers:ident $ints:ident $as_ints:ident)?))* }
        $($arrays:tt)*
    ) => {
        impl<S: Sink> Builder<S> {
            $(
                #[doc = concat!("Writes a ", stringify!($real), ".")]
                ///
                /// Reals of `f32` are written in the width of the dialect. Components of type `f64`
                /// take four bytes if none of them would be rounded, and eight otherwise.
                ///
                /// # Errors
                ///
                /// [`EncodeProblem::Real`] if `f64` needs eight bytes and the dialect cannot write
                /// them, or an error of [`Builder::nil`].
                pub fn $one<T: Component<Native: Real>>(&mut self, value: $real<T>) -> Result {
                    self.reals(Kind::$real, components(&value))
                }

                $(
                    #[doc = concat!("Writes an array of ", stringify!($real), ".")]
                    ///
                    /// Reals of `f32` are written in the width of the dialect. Components of type
                    /// `f64` take four bytes if none of them would be rounded, and eight otherwise.
                    ///
                    /// # Errors
                    ///
                    /// [`EncodeProblem::Real`] if `f64` needs eight bytes and the dialect cannot
                    /// write them, or an error of [`Builder::byte_array`].
                    pub fn $many<T: Component<Native: Real>>(
                        &mut self,
                        values: &[$real<T>],
                    ) -> Result {
                        self.reals(Kind::$reals, bytemuck::cast_slice::<_, T>(values))
                    }
                )?
            )*
            $(
                #[doc = concat!("Writes a ", stringify!($integer), ".")]
                ///
                /// # Errors
                ///
                /// Those of [`Builder::nil`].
                pub fn $int<T: Component<Native = i32>>(&mut self, value: $type<T>) -> Result {
                    self.integers(Kind::$integer, components(&value))
                }

                $(
                    #[doc = concat!("Writes an array of ", stringify!($integer), ".")]
                    ///
                    /// # Errors
                    ///
                    /// Those of [`Builder::byte_array`].
                    pub fn $ints<T: Component<Native = i32>>(
                        &mut self,
                        values: &[$type<T>],
                    ) -> Result {
                        self.integers(Kind::$integers, bytemuck::cast_slice::<_, T>(values))
                    }
                )?
            )*
        }
    };
}

numeric_kinds! { methods }
