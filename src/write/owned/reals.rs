//! Math values and packed arrays of them, whose reals have four or eight bytes; and the numbers of
//! owned values, in one form for all kinds.

use super::{NodePath, Object, Variant};
use crate::value::math::*;
use crate::value::{Cells, Component, Kind, Leaf, Real, Storage, ValueBody, numeric_kinds};
use crate::write::encode::Width;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

/// Reals of either width.
#[derive(Clone, Copy)]
enum RealNumbers<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

impl RealNumbers<'_> {
    fn iter(&self) -> impl Iterator<Item = f64> {
        let (singles, doubles): (&[f32], &[f64]) = match self {
            RealNumbers::Single(numbers) => (numbers, &[]),
            RealNumbers::Double(numbers) => (&[], numbers),
        };
        singles.iter().map(|number| number.to_f64()).chain(doubles.iter().copied())
    }
}

/// Whether all numbers stay the same, bit for bit, as `f32`.
fn are_single<T: Component<Native: Real>>(numbers: &[T]) -> bool {
    numbers.iter().all(|number| {
        let number = number.get().to_f64();
        f32::from_f64(number).to_f64().to_bits() == number.to_bits()
    })
}

/// Reals of either width, and how they are written.
#[derive(Clone)]
enum OwnedReals<F, D> {
    Single(F),
    Double(D),
    /// From decimal text, if four bytes would change some of them.
    Decimal(D),
}

impl<F: fmt::Debug, D: fmt::Debug> fmt::Debug for OwnedReals<F, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OwnedReals::Single(content) => content.fmt(f),
            OwnedReals::Double(content) | OwnedReals::Decimal(content) => content.fmt(f),
        }
    }
}

macro_rules! common {
    ($name:ident) => {
        impl<S: Shape> $name<S> {
            /// Whether the reals are written with eight bytes if the dialect can do that. This is
            /// the case if they had eight bytes on the wire, or were made from `f64` that `f32`
            /// cannot hold exactly.
            #[must_use]
            pub const fn is_double(&self) -> bool {
                matches!(self.0, OwnedReals::Double(_))
            }

            /// How reals of eight bytes are written if the reals of the dialect have four.
            pub(super) const fn width(&self) -> Width {
                match self.0 {
                    OwnedReals::Decimal(_) => Width::Round,
                    OwnedReals::Single(_) | OwnedReals::Double(_) => Width::Keep,
                }
            }
        }

        /// Two are equal if their numbers are equal, even if the widths differ.
        impl<S: Shape> PartialEq for $name<S> {
            fn eq(&self, other: &$name<S>) -> bool {
                self.numbers().iter().eq(other.numbers().iter())
            }
        }

        impl<S: Shape> Clone for $name<S> {
            fn clone(&self) -> $name<S> {
                $name(self.0.clone())
            }
        }

        impl<S: Shape> fmt::Debug for $name<S> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

common! { RealValue }
common! { RealArray }

/// A math value that owns its reals, `f32` or `f64`. It is the owned counterpart of
/// [`RealRef`](crate::math::RealRef).
///
/// It remembers how to write its reals:
///
/// - Reals that had eight bytes on the wire ([`RealValue::double`]) keep eight where the dialect can
///   write them, and take four only if that changes none of them.
/// - Reals made from `f32`, or from `f64` that `f32` can hold exactly, have the width of the
///   dialect. Reals made from other `f64` are double.
/// - Reals read from decimal text ([`RealValue::decimal`]) have the width of the dialect. They are
///   rounded to it, as by an engine that reads the text.
///
/// ```
/// use gdwire::{Dialect, Variant, encode, math::Vector2, owned::RealValue};
///
/// let single = Variant::from(Vector2::new(0.1_f32, 2.0));
/// assert_eq!(single.as_vector2::<f32>(), Some(Vector2::new(0.1, 2.0)));
/// assert_eq!(encode(Dialect::GODOT_4, &single)?.len(), 12);
/// let double = Variant::from(Vector2::new(0.1_f64, 2.0));
/// assert_eq!(encode(Dialect::GODOT_4, &double)?.len(), 20);
/// assert!(encode(Dialect::GODOT_3, &double).is_err(), "Godot 3 cannot write it");
/// let rounded = Variant::Vector2(RealValue::decimal(Vector2::new(0.1, 2.0)));
/// assert_eq!(encode(Dialect::GODOT_3, &rounded)?, encode(Dialect::GODOT_3, &single)?);
/// # Ok::<(), gdwire::EncodeError>(())
/// ```
pub struct RealValue<S: Shape>(OwnedReals<S::Of<f32>, Box<S::Of<f64>>>);

impl<S: Shape> RealValue<S> {
    /// A value with the width of the dialect.
    #[must_use]
    pub const fn single(value: S::Of<f32>) -> RealValue<S> {
        RealValue(OwnedReals::Single(value))
    }

    /// A value that had eight bytes on the wire. It keeps them if the dialect can write them.
    #[must_use]
    pub fn double(value: S::Of<f64>) -> RealValue<S> {
        RealValue(OwnedReals::Double(Box::new(value)))
    }

    /// A value from decimal text, which is rounded to the width of the dialect.
    #[must_use]
    pub fn decimal(value: S::Of<f64>) -> RealValue<S> {
        match are_single(components(&value)) {
            true => RealValue::single(change(&value)),
            false => RealValue(OwnedReals::Decimal(Box::new(value))),
        }
    }

    /// The value with components of `f32` (rounded to the nearest) or `f64` (exact).
    #[must_use]
    pub fn to<R: Real>(&self) -> S::Of<R> {
        match &self.0 {
            OwnedReals::Single(value) => change(value),
            OwnedReals::Double(value) | OwnedReals::Decimal(value) => change(&**value),
        }
    }

    fn numbers(&self) -> RealNumbers<'_> {
        match &self.0 {
            OwnedReals::Single(value) => RealNumbers::Single(components(value)),
            OwnedReals::Double(value) | OwnedReals::Decimal(value) => {
                RealNumbers::Double(components(&**value))
            }
        }
    }

    /// A value made from numbers in memory.
    fn of<T: Component<Native: Real>>(value: S::Of<T>) -> RealValue<S> {
        match are_single(components(&value)) {
            true => RealValue::single(change(&value)),
            false => RealValue::double(change(&value)),
        }
    }
}

impl<S: Shape> Default for RealValue<S> {
    fn default() -> RealValue<S> {
        RealValue(OwnedReals::Single(bytemuck::Zeroable::zeroed()))
    }
}

/// A packed array that owns its math values, with reals of `f32` or `f64`. It is the owned
/// counterpart of [`RealSlice`](crate::math::RealSlice).
///
/// It remembers how to write its reals, as [`RealValue`] does.
///
/// ```
/// use gdwire::{Packed, Variant, math::Vector2};
///
/// let path = Variant::from(Packed([Vector2::new(1.0_f32, 2.0), Vector2::new(3.0, 4.0)]));
/// let path = path.as_vector2_array().ok_or("no path")?;
/// assert_eq!(path.get::<f64>(1), Some(Vector2::new(3.0, 4.0)));
/// assert_eq!(path.to_vec::<f32>().len(), 2);
/// # Ok::<(), &str>(())
/// ```
pub struct RealArray<S: Shape>(Many<S>);

type Many<S> = OwnedReals<Box<[<S as Shape>::Of<f32>]>, Box<[<S as Shape>::Of<f64>]>>;

impl<S: Shape> RealArray<S> {
    /// An array with the width of the dialect.
    #[must_use]
    pub fn single(values: Vec<S::Of<f32>>) -> RealArray<S> {
        RealArray(OwnedReals::Single(values.into()))
    }

    /// An array that had eight bytes for each real on the wire. It keeps them if the dialect can
    /// write them.
    #[must_use]
    pub fn double(values: Vec<S::Of<f64>>) -> RealArray<S> {
        RealArray(OwnedReals::Double(values.into()))
    }

    /// An array from decimal text, which is rounded to the width of the dialect.
    #[must_use]
    pub fn decimal(values: Vec<S::Of<f64>>) -> RealArray<S> {
        match are_single::<f64>(bytemuck::cast_slice(&values)) {
            true => RealArray::single(values.iter().map(change).collect()),
            false => RealArray(OwnedReals::Decimal(values.into())),
        }
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            OwnedReals::Single(values) => values.len(),
            OwnedReals::Double(values) | OwnedReals::Decimal(values) => values.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One value, with components of `f32` (rounded to the nearest) or `f64` (exact).
    #[must_use]
    pub fn get<R: Real>(&self, index: usize) -> Option<S::Of<R>> {
        match &self.0 {
            OwnedReals::Single(values) => values.get(index).map(change),
            OwnedReals::Double(values) | OwnedReals::Decimal(values) => {
                values.get(index).map(change)
            }
        }
    }

    /// The values, with components of `f32` (rounded to the nearest) or `f64` (exact).
    pub fn iter<R: Real>(&self) -> impl ExactSizeIterator<Item = S::Of<R>> + use<'_, S, R> {
        (0..self.len()).map(|index| match self.get(index) {
            Some(value) => value,
            None => bytemuck::Zeroable::zeroed(),
        })
    }

    /// The values, with components of `f32` (rounded to the nearest) or `f64` (exact).
    ///
    /// To change an array, change this vector and make a value from it: `Packed(values).into()`.
    #[must_use]
    pub fn to_vec<R: Real>(&self) -> Vec<S::Of<R>> {
        self.iter().collect()
    }

    fn numbers(&self) -> RealNumbers<'_> {
        match &self.0 {
            OwnedReals::Single(values) => RealNumbers::Single(bytemuck::cast_slice(values)),
            OwnedReals::Double(values) | OwnedReals::Decimal(values) => {
                RealNumbers::Double(bytemuck::cast_slice(values))
            }
        }
    }

    /// An array made from numbers in memory.
    fn of<T: Component<Native: Real>>(values: &[S::Of<T>]) -> RealArray<S> {
        match are_single::<T>(bytemuck::cast_slice(values)) {
            true => RealArray::single(values.iter().map(change).collect()),
            false => RealArray::double(values.iter().map(change).collect()),
        }
    }
}

impl<S: Shape> Default for RealArray<S> {
    fn default() -> RealArray<S> {
        RealArray(OwnedReals::Single(Box::default()))
    }
}

macro_rules! from {
    (reals { $($type:ident $one:tt $many:tt)* } $($others:tt)*) => {$(
        impl<T: Component<Native: Real>> From<$type<T>> for RealValue<$type<f32>> {
            fn from(value: $type<T>) -> RealValue<$type<f32>> {
                RealValue::of(value)
            }
        }

        impl<T: Component<Native: Real>> From<Vec<$type<T>>> for RealArray<$type<f32>> {
            fn from(values: Vec<$type<T>>) -> RealArray<$type<f32>> {
                RealArray::of(&values)
            }
        }
    )*};
}

numeric_kinds! { from }

/// Content in memory.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct InMemory;

impl Storage for InMemory {
    type I32 = i32;
    type I64 = i64;
    type F32 = f32;
    type F64 = f64;
    type Path<'a> = &'a NodePath;
    type Strings<'a> = &'a [String];

    fn texts<'a>(strings: Self::Strings<'a>) -> impl ExactSizeIterator<Item = &'a str> {
        strings.iter().map(String::as_str)
    }
}

impl Variant {
    /// The content of a value that contains no other values.
    pub(crate) fn leaf(&self) -> Leaf<'_, InMemory> {
        match self {
            Variant::Bool(content) => Leaf::Bool(*content),
            Variant::Int(number) => Leaf::Int(*number),
            Variant::Float(number) => Leaf::Float(*number),
            Variant::String(text) => Leaf::String(text),
            Variant::StringName(name) => Leaf::StringName(name),
            Variant::NodePath(path) => Leaf::NodePath(&**path),
            Variant::Rid(id) => Leaf::Rid(*id),
            Variant::Object(Object::Id(id)) => Leaf::ObjectId(*id),
            Variant::Callable => Leaf::Callable,
            Variant::Signal(signal) => {
                Leaf::Signal { name: &signal.name, object_id: signal.object_id }
            }
            Variant::PackedStringArray(strings) => Leaf::Strings(strings.as_slice()),
            _ => self.cells().map_or(Leaf::Null, Leaf::Cells),
        }
    }
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
            pub(crate) fn cells(&self) -> Option<Cells<'_, InMemory>> {
                Some(match self {
                    $(Variant::$real(value) => value.numbers().into(),)*
                    $($(Variant::$reals(values) => values.numbers().into(),)?)*
                    $(Variant::$integer(value) => Cells::I32(components(value)),)*
                    $($(Variant::$integers(values) => {
                        Cells::I32(bytemuck::cast_slice(values))
                    })?)*
                    Variant::PackedByteArray(bytes) => Cells::Bytes(bytes),
                    Variant::PackedInt32Array(numbers) => Cells::I32(numbers),
                    Variant::PackedInt64Array(numbers) => Cells::I64(numbers),
                    Variant::PackedFloat64Array(numbers) => Cells::F64(numbers),
                    Variant::PackedFloat32Array(numbers) => Cells::F32(numbers),
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
                    ValueBody::Cells(_, cells) => numbers.len() == usize::from(cells),
                    ValueBody::Packed(_, cells) => numbers.len().is_multiple_of(usize::from(cells)),
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

impl<'a> From<RealNumbers<'a>> for Cells<'a, InMemory> {
    fn from(numbers: RealNumbers<'a>) -> Cells<'a, InMemory> {
        match numbers {
            RealNumbers::Single(numbers) => Cells::F32(numbers),
            RealNumbers::Double(numbers) => Cells::F64(numbers),
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

impl Cells<'_, InMemory> {
    pub(super) fn compare(self, other: Cells<'_, InMemory>) -> Ordering {
        match (self, other) {
            (Cells::Bytes(one), Cells::Bytes(other)) => one.cmp(other),
            (Cells::I32(one), Cells::I32(other)) => one.cmp(other),
            (Cells::I64(one), Cells::I64(other)) => one.cmp(other),
            (Cells::F32(one), Cells::F32(other)) => compare_all(one, other),
            (Cells::F64(one), Cells::F64(other)) => compare_all(one, other),
            (Cells::F32(one), Cells::F64(other)) => compare_all(one, other),
            (Cells::F64(one), Cells::F32(other)) => compare_all(one, other),
            _ => Ordering::Equal,
        }
    }

    pub(super) fn has_nan(self) -> bool {
        match self {
            Cells::F32(numbers) => numbers.iter().any(|number| number.is_nan()),
            Cells::F64(numbers) => numbers.iter().any(|number| number.is_nan()),
            Cells::Bytes(_) | Cells::I32(_) | Cells::I64(_) => false,
        }
    }

    /// Hashes the numbers. Reals are hashed as `f64`.
    pub(super) fn hash<H: Hasher>(self, state: &mut H) {
        match self {
            Cells::Bytes(numbers) => numbers.hash(state),
            Cells::I32(numbers) => numbers.hash(state),
            Cells::I64(numbers) => numbers.hash(state),
            Cells::F32(numbers) => hash_all(numbers, state),
            Cells::F64(numbers) => hash_all(numbers, state),
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
