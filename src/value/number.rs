//! Little-endian numbers of alignment 1, so that the arrays of a packet can be cast in place.

use bytemuck::{AnyBitPattern, NoUninit, Pod, Zeroable};
use core::fmt;

mod sealed {
    pub trait Sealed {}
}

/// A number that can be a component of a math type.
///
/// These are `f32`, `f64`, `i32` and `i64` for computing, and [`F32Le`], [`F64Le`], [`I32Le`] and
/// [`I64Le`] for numbers as they are in a packet.
pub trait Component: Pod + PartialEq + fmt::Debug + sealed::Sealed {
    /// The type of number that the processor computes with.
    type Native: Copy + PartialEq + PartialOrd + fmt::Debug;

    /// The number in the processor's byte order and alignment.
    fn get(self) -> Self::Native;
}

macro_rules! little_endian {
    ($($(#[$doc:meta])* $name:ident $native:ident $size:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// Its alignment is 1, so that a slice of it can start at any byte of a packet.
        #[derive(Clone, Copy, Default, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name([u8; $size]);

        impl $name {
            /// The number in the processor's own byte order.
            #[inline]
            #[must_use]
            pub const fn get(self) -> $native {
                $native::from_le_bytes(self.0)
            }

            /// The number as it is on the wire.
            #[inline]
            #[must_use]
            pub const fn new(number: $native) -> $name {
                $name(number.to_le_bytes())
            }
        }

        impl From<$native> for $name {
            #[inline]
            fn from(number: $native) -> $name {
                $name::new(number)
            }
        }

        impl From<$name> for $native {
            #[inline]
            fn from(number: $name) -> $native {
                number.get()
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &$name) -> bool {
                self.get() == other.get()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.get(), f)
            }
        }

        impl sealed::Sealed for $name {}
        impl sealed::Sealed for $native {}

        impl Component for $name {
            type Native = $native;
            #[inline]
            fn get(self) -> $native {
                $name::get(self)
            }
        }

        impl Component for $native {
            type Native = $native;
            #[inline]
            fn get(self) -> $native {
                self
            }
        }
    )*};
}

little_endian! {
    /// A 32-bit integer on the wire.
    ///
    /// ```
    /// let number = gdwire::I32Le::new(-2);
    /// assert_eq!((number.get(), i32::from(number)), (-2, -2));
    /// ```
    I32Le i32 4;
    /// A 64-bit integer on the wire.
    ///
    /// ```
    /// let number = gdwire::I64Le::new(-2);
    /// assert_eq!((number.get(), i64::from(number)), (-2, -2));
    /// ```
    I64Le i64 8;
    /// A single-precision float on the wire.
    ///
    /// ```
    /// let number = gdwire::F32Le::new(1.5);
    /// assert_eq!((number.get(), f32::from(number)), (1.5, 1.5));
    /// ```
    F32Le f32 4;
    /// A double-precision float on the wire.
    ///
    /// ```
    /// let number = gdwire::F64Le::new(1.5);
    /// assert_eq!((number.get(), f64::from(number)), (1.5, 1.5));
    /// ```
    F64Le f64 8;
}

/// `f32` or `f64`: the types in which a real can be read.
pub trait Real: Component + From<f32> {
    /// The number itself, or the nearest number of this type.
    fn from_f64(number: f64) -> Self;
    /// The number as `f64`, exactly.
    fn to_f64(self) -> f64;
}

/// The engines copy the reals of math types unchanged. So these conversions preserve the bits of a
/// NaN, as far as an `f32` can hold them; the processor would change them.
impl Real for f32 {
    #[inline]
    fn from_f64(number: f64) -> f32 {
        if number.is_nan() {
            let bits = number.to_bits();
            let payload = (bits >> 29) as u32 & 0x007f_ffff;
            let payload = if payload == 0 { 0x0040_0000 } else { payload };
            return f32::from_bits((bits >> 32) as u32 & 0x8000_0000 | 0x7f80_0000 | payload);
        }
        number as f32
    }

    #[inline]
    fn to_f64(self) -> f64 {
        if self.is_nan() {
            let bits = u64::from(self.to_bits());
            return f64::from_bits(
                (bits & 0x8000_0000) << 32 | 0x7ff << 52 | (bits & 0x007f_ffff) << 29,
            );
        }
        f64::from(self)
    }
}

impl Real for f64 {
    #[inline]
    fn from_f64(number: f64) -> f64 {
        number
    }
    #[inline]
    fn to_f64(self) -> f64 {
        self
    }
}

/// Widens a single-precision float as most processors do: a signalling NaN becomes quiet.
#[inline]
pub(crate) fn widened(number: f32) -> f64 {
    // Other processors, such as PowerPC, keep a signalling NaN when they widen it.
    let is_usual = cfg!(any(target_arch = "aarch64", target_arch = "x86", target_arch = "x86_64"));
    if !is_usual && number.is_nan() {
        return f64::from_bits(number.to_f64().to_bits() | 1 << 51);
    }
    f64::from(number)
}

/// Casts `bytes` to elements, in place. An incomplete element at the end is left out.
#[inline]
pub(crate) fn cast<T: AnyBitPattern>(bytes: &[u8]) -> &[T] {
    let size = size_of::<T>().max(1);
    let whole = bytes.len() / size * size;
    let bytes = bytes.get(..whole).unwrap_or(&[]);
    bytemuck::try_cast_slice(bytes).unwrap_or(&[])
}

/// Casts the slice to native numbers, if the processor's byte order and the slice's alignment allow
/// it.
#[inline]
pub(crate) fn native<W: NoUninit, T: AnyBitPattern>(wire: &[W]) -> Option<&[T]> {
    if cfg!(target_endian = "big") {
        return None;
    }
    bytemuck::try_cast_slice(wire).ok()
}

/// The number as an `f32`, rounded to the nearest. None if a finite number becomes infinite.
pub(crate) fn narrowed(number: f64) -> Option<f32> {
    let single = f32::from_f64(number);
    (single.is_finite() || !number.is_finite()).then_some(single)
}

/// The int as a float, if a float can hold it exactly.
pub(crate) fn whole(number: i64) -> Option<f64> {
    // A float made from an i64 is a whole number, and an i128 can hold it.
    let float = number as f64;
    (float as i128 == i128::from(number)).then_some(float)
}
