//! Math values and packed arrays of them, whose reals have four or eight bytes.

use crate::value::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Shape, Transform2D, Transform3D,
    Vector2, Vector3, Vector4, change, components,
};
use crate::value::{Component, Real, numeric_kinds};
use crate::write::encode::Width;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// Reals of either width.
#[derive(Clone, Copy)]
pub(super) enum Numbers<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

impl Numbers<'_> {
    fn iter(&self) -> impl Iterator<Item = f64> {
        let (singles, doubles): (&[f32], &[f64]) = match self {
            Numbers::Single(numbers) => (numbers, &[]),
            Numbers::Double(numbers) => (&[], numbers),
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
enum Reals<F, D> {
    Single(F),
    Double(D),
    /// From decimal text, if four bytes would change some of them.
    Decimal(D),
}

impl<F: fmt::Debug, D: fmt::Debug> fmt::Debug for Reals<F, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reals::Single(content) => content.fmt(f),
            Reals::Double(content) | Reals::Decimal(content) => content.fmt(f),
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
            pub const fn is_wide(&self) -> bool {
                matches!(self.0, Reals::Double(_))
            }

            /// How reals of eight bytes are written if the reals of the dialect have four.
            pub(super) const fn width(&self) -> Width {
                match self.0 {
                    Reals::Decimal(_) => Width::Round,
                    Reals::Single(_) | Reals::Double(_) => Width::Keep,
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
/// - Reals that had eight bytes on the wire ([`RealValue::wide`]) keep eight where the dialect can
///   write them, and take four only if that changes none of them.
/// - Reals made from `f32`, or from `f64` that `f32` can hold exactly, have the width of the
///   dialect. Reals made from other `f64` are wide.
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
pub struct RealValue<S: Shape>(Reals<S::Of<f32>, Box<S::Of<f64>>>);

impl<S: Shape> RealValue<S> {
    /// A value with the width of the dialect.
    #[must_use]
    pub const fn single(value: S::Of<f32>) -> RealValue<S> {
        RealValue(Reals::Single(value))
    }

    /// A value that had eight bytes on the wire. It keeps them if the dialect can write them.
    #[must_use]
    pub fn wide(value: S::Of<f64>) -> RealValue<S> {
        RealValue(Reals::Double(Box::new(value)))
    }

    /// A value from decimal text, which is rounded to the width of the dialect.
    #[must_use]
    pub fn decimal(value: S::Of<f64>) -> RealValue<S> {
        match are_single(components(&value)) {
            true => RealValue::single(change(&value)),
            false => RealValue(Reals::Decimal(Box::new(value))),
        }
    }

    /// The value with components of `f32` (rounded to the nearest) or `f64` (exact).
    #[must_use]
    pub fn to<R: Real>(&self) -> S::Of<R> {
        match &self.0 {
            Reals::Single(value) => change(value),
            Reals::Double(value) | Reals::Decimal(value) => change(&**value),
        }
    }

    pub(super) fn numbers(&self) -> Numbers<'_> {
        match &self.0 {
            Reals::Single(value) => Numbers::Single(components(value)),
            Reals::Double(value) | Reals::Decimal(value) => Numbers::Double(components(&**value)),
        }
    }

    /// A value made from numbers in memory.
    fn of<T: Component<Native: Real>>(value: S::Of<T>) -> RealValue<S> {
        match are_single(components(&value)) {
            true => RealValue::single(change(&value)),
            false => RealValue::wide(change(&value)),
        }
    }
}

impl<S: Shape> Default for RealValue<S> {
    fn default() -> RealValue<S> {
        RealValue(Reals::Single(bytemuck::Zeroable::zeroed()))
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

type Many<S> = Reals<Box<[<S as Shape>::Of<f32>]>, Box<[<S as Shape>::Of<f64>]>>;

impl<S: Shape> RealArray<S> {
    /// An array with the width of the dialect.
    #[must_use]
    pub fn single(values: Vec<S::Of<f32>>) -> RealArray<S> {
        RealArray(Reals::Single(values.into()))
    }

    /// An array that had eight bytes for each real on the wire. It keeps them if the dialect can
    /// write them.
    #[must_use]
    pub fn wide(values: Vec<S::Of<f64>>) -> RealArray<S> {
        RealArray(Reals::Double(values.into()))
    }

    /// An array from decimal text, which is rounded to the width of the dialect.
    #[must_use]
    pub fn decimal(values: Vec<S::Of<f64>>) -> RealArray<S> {
        match are_single::<f64>(bytemuck::cast_slice(&values)) {
            true => RealArray::single(values.iter().map(change).collect()),
            false => RealArray(Reals::Decimal(values.into())),
        }
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Reals::Single(values) => values.len(),
            Reals::Double(values) | Reals::Decimal(values) => values.len(),
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
            Reals::Single(values) => values.get(index).map(change),
            Reals::Double(values) | Reals::Decimal(values) => values.get(index).map(change),
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

    pub(super) fn numbers(&self) -> Numbers<'_> {
        match &self.0 {
            Reals::Single(values) => Numbers::Single(bytemuck::cast_slice(values)),
            Reals::Double(values) | Reals::Decimal(values) => {
                Numbers::Double(bytemuck::cast_slice(values))
            }
        }
    }

    /// An array made from numbers in memory.
    fn of<T: Component<Native: Real>>(values: &[S::Of<T>]) -> RealArray<S> {
        match are_single::<T>(bytemuck::cast_slice(values)) {
            true => RealArray::single(values.iter().map(change).collect()),
            false => RealArray::wide(values.iter().map(change).collect()),
        }
    }
}

impl<S: Shape> Default for RealArray<S> {
    fn default() -> RealArray<S> {
        RealArray(Reals::Single(Box::default()))
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
