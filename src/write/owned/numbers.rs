//! The numbers of owned math values and packed arrays.

use super::reals::{Numbers, RealArray, RealValue};
use super::variant::Variant;
use crate::value::math::{Math, Shape, components, from_components};
use crate::value::{Body, Kind, Real, numeric_kinds};
use crate::write::encode::Width;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::hash::{Hash, Hasher};

/// The numbers of a math value or packed array, in the order of the wire.
#[derive(Clone, Copy)]
pub(crate) enum Flat<'a> {
    Bytes(&'a [u8]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
}

/// A number as a reader of text found it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    fn to_f64(self) -> f64 {
        match self {
            Number::Int(number) => number as f64,
            Number::Float(number) => number,
        }
    }

    /// The number as a `T`, if it is a whole number that fits.
    fn to_int<T: TryFrom<i64>>(self) -> Option<T> {
        match self {
            Number::Int(number) => T::try_from(number).ok(),
            Number::Float(_) => None,
        }
    }
}

macro_rules! numbers {
    (
        reals { $($real:ident $one:tt ($($reals:ident $many:ident $as_many:ident)?))* }
        integers { $($integer:ident $type:ident $int:tt
            ($($integers:ident $ints:ident $as_ints:ident)?))* }
        $($arrays:tt)*
    ) => {
        impl Variant {
            /// The numbers of a math value or packed array. `None` for other kinds.
            pub(crate) fn flat(&self) -> Option<Flat<'_>> {
                Some(match self {
                    $(Variant::$real(value) => value.numbers().into(),)*
                    $($(Variant::$reals(values) => values.numbers().into(),)?)*
                    $(Variant::$integer(value) => Flat::I32(components(value)),)*
                    $($(Variant::$integers(values) => {
                        Flat::I32(bytemuck::cast_slice(values))
                    })?)*
                    Variant::PackedByteArray(bytes) => Flat::Bytes(bytes),
                    Variant::PackedInt32Array(numbers) => Flat::I32(numbers),
                    Variant::PackedInt64Array(numbers) => Flat::I64(numbers),
                    Variant::PackedFloat64Array(numbers) => Flat::F64(numbers),
                    Variant::PackedFloat32Array(numbers) => Flat::F32(numbers),
                    _ => return None,
                })
            }

            /// How its reals of eight bytes are written where the dialect's reals have four.
            pub(crate) fn width(&self) -> Width {
                match self {
                    $(Variant::$real(value) => value.width(),)*
                    $($(Variant::$reals(values) => values.width(),)?)*
                    _ => Width::Keep,
                }
            }

            /// Creates a math value or packed array from these numbers. `None` for other kinds, and
            /// if a value of this kind cannot have this many numbers or cannot hold one of them.
            pub(crate) fn from_numbers(kind: Kind, numbers: &[Number]) -> Option<Variant> {
                let fits = match kind.body() {
                    Body::Cells(_, cells) => numbers.len() == usize::from(cells),
                    Body::Packed(_, cells) => numbers.len().is_multiple_of(usize::from(cells)),
                    _ => false,
                };
                if !fits {
                    return None;
                }
                Some(match kind {
                    $(Kind::$real => Variant::$real(math(numbers).into()),)*
                    $($(Kind::$reals => Variant::$reals(math_array(numbers)),)?)*
                    $(Kind::$integer => {
                        let integers = integers(numbers)?;
                        let mut next = integers.iter();
                        Variant::$integer(from_components(|| next.next().copied().unwrap_or(0)))
                    })*
                    $($(Kind::$integers => {
                        Variant::$integers(bytemuck::cast_slice(&integers::<i32>(numbers)?).to_vec())
                    })?)*
                    Kind::PackedByteArray => Variant::PackedByteArray(integers(numbers)?),
                    Kind::PackedInt32Array => Variant::PackedInt32Array(integers(numbers)?),
                    Kind::PackedInt64Array => Variant::PackedInt64Array(integers(numbers)?),
                    Kind::PackedFloat64Array => {
                        let numbers = numbers.iter().map(|number| number.to_f64());
                        Variant::PackedFloat64Array(numbers.collect())
                    }
                    Kind::PackedFloat32Array => {
                        let numbers = numbers.iter().map(|number| f32::from_f64(number.to_f64()));
                        Variant::PackedFloat32Array(numbers.collect())
                    }
                    _ => return None,
                })
            }
        }
    };
}

numeric_kinds! { numbers }

impl<'a> From<Numbers<'a>> for Flat<'a> {
    fn from(numbers: Numbers<'a>) -> Flat<'a> {
        match numbers {
            Numbers::Single(numbers) => Flat::F32(numbers),
            Numbers::Double(numbers) => Flat::F64(numbers),
        }
    }
}

fn doubles<M: Math<Component = f64>>(numbers: &[Number]) -> M {
    let mut numbers = numbers.iter();
    from_components(|| numbers.next().map_or(0.0, |number| number.to_f64()))
}

fn math<S: Shape>(numbers: &[Number]) -> RealValue<S> {
    RealValue::decimal(doubles(numbers))
}

fn math_array<S: Shape>(numbers: &[Number]) -> RealArray<S> {
    let each = (size_of::<S::Of<f64>>() / size_of::<f64>()).max(1);
    RealArray::decimal(numbers.chunks_exact(each).map(doubles).collect())
}

fn integers<T: TryFrom<i64>>(numbers: &[Number]) -> Option<Vec<T>> {
    numbers.iter().map(|number| number.to_int()).collect()
}

impl Flat<'_> {
    pub(super) fn compare(self, other: Flat<'_>) -> Ordering {
        match (self, other) {
            (Flat::Bytes(one), Flat::Bytes(other)) => one.cmp(other),
            (Flat::I32(one), Flat::I32(other)) => one.cmp(other),
            (Flat::I64(one), Flat::I64(other)) => one.cmp(other),
            (Flat::F32(one), Flat::F32(other)) => compare_all(one, other),
            (Flat::F64(one), Flat::F64(other)) => compare_all(one, other),
            (Flat::F32(one), Flat::F64(other)) => compare_all(one, other),
            (Flat::F64(one), Flat::F32(other)) => compare_all(one, other),
            _ => Ordering::Equal,
        }
    }

    pub(super) fn has_nan(self) -> bool {
        match self {
            Flat::F32(numbers) => numbers.iter().any(|number| number.is_nan()),
            Flat::F64(numbers) => numbers.iter().any(|number| number.is_nan()),
            Flat::Bytes(_) | Flat::I32(_) | Flat::I64(_) => false,
        }
    }

    /// Hashes the numbers. Reals are hashed as `f64`.
    pub(super) fn hash<H: Hasher>(self, state: &mut H) {
        match self {
            Flat::Bytes(numbers) => numbers.hash(state),
            Flat::I32(numbers) => numbers.hash(state),
            Flat::I64(numbers) => numbers.hash(state),
            Flat::F32(numbers) => hash_all(numbers, state),
            Flat::F64(numbers) => hash_all(numbers, state),
        }
    }
}

fn hash_all<T: Real, H: Hasher>(numbers: &[T], state: &mut H) {
    numbers.len().hash(state);
    numbers.iter().for_each(|number| hash_float(number.to_f64(), state));
}

fn compare_all<T: Real, U: Real>(one: &[T], other: &[U]) -> Ordering {
    let orders =
        one.iter().zip(other).map(|(one, other)| compare_floats(one.to_f64(), other.to_f64()));
    orders.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| one.len().cmp(&other.len()))
}

/// Compares floats so that equal numbers are equal, and so are all NaNs.
pub(super) fn compare_floats(one: f64, other: f64) -> Ordering {
    one.partial_cmp(&other).unwrap_or_else(|| one.is_nan().cmp(&other.is_nan()))
}

/// Hashes a float so that equal numbers have the same hash, and so do all NaNs.
pub(super) fn hash_float<H: Hasher>(number: f64, state: &mut H) {
    // Adding zero turns negative zero into zero.
    let number = if number.is_nan() { f64::NAN } else { number + 0.0 };
    number.to_bits().hash(state);
}
