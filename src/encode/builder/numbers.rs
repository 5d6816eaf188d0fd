//! Math values and packed arrays of numbers.

use super::{Builder, Result};
use crate::encode::{EncodeError, Sink};
use crate::kind::{Body, Kind};
use crate::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4, components,
};
use crate::number::{Component, F32Le, F64Le, I32Le, I64Le, Real, cast};
use crate::view::Cells;
use bytemuck::Pod;

impl<S: Sink> Builder<S> {
    /// Writes an array of 32-bit integers, of `i32` or [`crate::I32Le`].
    ///
    /// # Errors
    ///
    /// As [`Builder::byte_array`].
    pub fn int32_array<T: Component<Native = i32>>(&mut self, numbers: &[T]) -> Result {
        self.integers(Kind::PackedInt32Array, numbers)
    }

    /// Writes an array of 64-bit integers, of `i64` or [`crate::I64Le`].
    ///
    /// # Errors
    ///
    /// As [`Builder::byte_array`].
    pub fn int64_array<T: Component<Native = i64>>(&mut self, numbers: &[T]) -> Result {
        let kind = Kind::PackedInt64Array;
        if is_wire::<T>() {
            return self.cells(kind, Cells::I64(cast(bytemuck::cast_slice(numbers))));
        }
        self.begin_cells(kind, numbers.len())?;
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
        self.begin_cells(kind, numbers.len())?;
        self.converted(numbers, |number| I32Le::new(number.get()));
        Ok(())
    }

    /// Writes an array of single-precision floats, of `f32` or [`crate::F32Le`].
    ///
    /// # Errors
    ///
    /// As [`Builder::byte_array`].
    pub fn float32_array<T: Component<Native = f32>>(&mut self, numbers: &[T]) -> Result {
        self.reals(Kind::PackedFloat32Array, numbers)
    }

    /// Writes an array of double-precision floats, of `f64` or [`crate::F64Le`].
    ///
    /// # Errors
    ///
    /// As [`Builder::byte_array`].
    pub fn float64_array<T: Component<Native = f64>>(&mut self, numbers: &[T]) -> Result {
        self.reals(Kind::PackedFloat64Array, numbers)
    }

    /// Writes the reals of a math value or of a packed array.
    pub(crate) fn reals<T: Component<Native: Real>>(
        &mut self,
        kind: Kind,
        numbers: &[T],
    ) -> Result {
        let bytes = bytemuck::cast_slice(numbers);
        match (is_wire::<T>(), size_of::<T>()) {
            (true, 4) => self.cells(kind, Cells::F32(cast(bytes))),
            (true, _) => self.cells(kind, Cells::F64(cast(bytes))),
            (false, _) => {
                let is_wide = self.begin_cells(kind, numbers.len())?;
                self.real_cells(is_wide, numbers);
                Ok(())
            }
        }
    }

    /// Writes a math value or a packed array of numbers as the wire has them.
    pub(crate) fn cells(&mut self, kind: Kind, cells: Cells<'_>) -> Result {
        let is_wide = self.begin_cells(kind, cells.len())?;
        match (cells, is_wide) {
            (Cells::Bytes(bytes), _) => self.padded(bytes),
            (Cells::I32(cells), _) => self.sink.put(bytemuck::cast_slice(cells)),
            (Cells::I64(cells), _) => self.sink.put(bytemuck::cast_slice(cells)),
            (Cells::F32(cells), false) => self.sink.put(bytemuck::cast_slice(cells)),
            (Cells::F64(cells), true) => self.sink.put(bytemuck::cast_slice(cells)),
            (Cells::F32(cells), true) => self.real_cells(is_wide, cells),
            (Cells::F64(cells), false) => self.real_cells(is_wide, cells),
        }
        Ok(())
    }

    /// Starts a math value or packed array of so many numbers: whether its reals are wide.
    fn begin_cells(
        &mut self,
        kind: Kind,
        numbers: usize,
    ) -> core::result::Result<bool, EncodeError> {
        let count = match kind.body() {
            Body::Packed(_, each) => Some(self.length(kind, numbers / usize::from(each).max(1))?),
            _ => None,
        };
        let layout = self.dialect.layout();
        self.header(kind, layout.flags(kind))?;
        if let Some(count) = count {
            self.word(count);
        }
        Ok(layout.writes_wide(kind))
    }

    fn real_cells<T: Component<Native: Real>>(&mut self, is_wide: bool, numbers: &[T]) {
        if is_wide {
            self.converted(numbers, |number| F64Le::new(number.get().to_f64()));
        } else {
            self.converted(numbers, |number| F32Le::new(f32::from_f64(number.get().to_f64())));
        }
    }

    /// Writes numbers of another type than they have, a block at a time.
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

/// Whether numbers of this type lie in memory as they do on the wire.
const fn is_wire<T>() -> bool {
    align_of::<T>() == 1 || cfg!(target_endian = "little")
}

macro_rules! reals {
    ($($one:ident $many:ident $kind:ident $array:ident;)*) => {$(
        reals!(@one $one $kind);
        reals!(@many $many $kind $array);
    )*};
    (@one $one:ident $kind:ident) => {
        impl<S: Sink> Builder<S> {
            #[doc = concat!("Writes a ", stringify!($kind), ", in the width of the dialect.")]
            ///
            /// # Errors
            ///
            /// As [`Builder::nil`].
            pub fn $one<T: Component<Native: Real>>(&mut self, value: $kind<T>) -> Result {
                self.reals(Kind::$kind, components(&value))
            }
        }
    };
    (@many none $kind:ident $array:ident) => {};
    (@many $many:ident $kind:ident $array:ident) => {
        impl<S: Sink> Builder<S> {
            #[doc = concat!("Writes an array of ", stringify!($kind), ", in the width of the dialect.")]
            ///
            /// # Errors
            ///
            /// As [`Builder::byte_array`].
            pub fn $many<T: Component<Native: Real>>(&mut self, values: &[$kind<T>]) -> Result {
                self.reals(Kind::$array, bytemuck::cast_slice::<_, T>(values))
            }
        }
    };
}

reals! {
    vector2 vector2_array Vector2 PackedVector2Array;
    rect2 none Rect2 none;
    vector3 vector3_array Vector3 PackedVector3Array;
    transform2d none Transform2D none;
    vector4 vector4_array Vector4 PackedVector4Array;
    plane none Plane none;
    quaternion none Quaternion none;
    aabb none Aabb none;
    basis none Basis none;
    transform3d none Transform3D none;
    projection none Projection none;
    color color_array Color PackedColorArray;
}

macro_rules! integers {
    ($($one:ident $kind:ident $type:ident $(, $many:ident $array:ident)?;)*) => {
        impl<S: Sink> Builder<S> {$(
            #[doc = concat!("Writes a ", stringify!($kind), ".")]
            ///
            /// # Errors
            ///
            /// As [`Builder::nil`].
            pub fn $one<T: Component<Native = i32>>(&mut self, value: $type<T>) -> Result {
                self.integers(Kind::$kind, components(&value))
            }

            $(
                #[doc = concat!("Writes an array of ", stringify!($kind), ".")]
                ///
                /// # Errors
                ///
                /// As [`Builder::byte_array`].
                pub fn $many<T: Component<Native = i32>>(&mut self, values: &[$type<T>]) -> Result {
                    self.integers(Kind::$array, bytemuck::cast_slice::<_, T>(values))
                }
            )?
        )*}
    };
}

integers! {
    vector2i Vector2i Vector2, vector2i_array PackedVector2iArray;
    rect2i Rect2i Rect2;
    vector3i Vector3i Vector3, vector3i_array PackedVector3iArray;
    vector4i Vector4i Vector4, vector4i_array PackedVector4iArray;
}
