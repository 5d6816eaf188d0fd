//! The trait of Rust types that values can be read as.

use super::{
    AccessError, AccessProblem, ArrayRef, Cells, DictionaryRef, NodePathRef, ObjectRef, SignalRef,
    StringsRef, VariantRef, View,
};
use crate::kind::{Kind, numeric_kinds};
use crate::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, RealRef, RealSlice, Rect2, Transform2D,
    Transform3D, Vector2, Vector3, Vector4,
};
use crate::number::{F32Le, F64Le, I32Le, I64Le, Real};
#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

type Result<T> = core::result::Result<T, AccessError>;

/// A Rust type that values can be read as, by [`VariantRef::to`], [`VariantRef::get_as`] and
/// [`At::to`](super::At::to).
///
/// Reading never changes a value: a number that the type cannot hold exactly is an error.
///
/// | Rust | value |
/// |---|---|
/// | `bool` | bool |
/// | `i8` to `i64`, `u8` to `u64`, `isize`, `usize` | int, if it is in range |
/// | `f64`, `f32` | float or int, if the type can hold it exactly |
/// | `&str`, `String` | String, StringName |
/// | `Vector3<f32>` and the like | the math value, if `f32` can hold its reals exactly |
/// | `Vector3<f64>` and the like | the math value |
/// | `&Vector3<F32Le>`, `&Vector3<F64Le>` and the like | the math value in place, if its reals have that width |
/// | `Vector3<i32>` and the like | Vector3i |
/// | `&[u8]`, `&[I32Le]`, `&[F32Le]`, `&[Vector3<F32Le>]`, … | the packed array in place, if its reals have that width |
/// | [`StringsRef`], [`RealRef`], [`RealSlice`] | packed strings, a math value, packed vectors |
/// | `Vec<T>` | an array whose elements are each a `T`, or a packed array of `T` |
/// | `Option<T>` | null as `None`, otherwise `T` |
/// | [`VariantRef`] | anything |
/// | [`ArrayRef`], [`DictionaryRef`], [`ObjectRef`], [`NodePathRef`], [`SignalRef`] | such a value |
///
/// No float is rounded to `f32` silently. GDScript's floats have eight bytes, and `f32` cannot hold
/// most of them exactly, for example 0.1. Read them as `f64`, and round them explicitly.
///
/// You can implement the trait for your own types. Errors then contain the whole path:
///
/// ```
/// use gdwire::view::{AccessError, FromVariant};
/// use gdwire::{Dialect, VariantRef, encode, parse, variant};
///
/// #[derive(Debug)]
/// struct Player<'a> {
///     name: &'a str,
///     hp: u16,
/// }
///
/// impl<'a> FromVariant<'a> for Player<'a> {
///     fn from_variant(value: VariantRef<'a>) -> Result<Player<'a>, AccessError> {
///         Ok(Player { name: value.get_as("name")?, hp: value.get_as("hp")? })
///     }
/// }
///
/// let state = variant!({ "players": [{ "name": "Zoë", "hp": 87 }, { "name": "Bo", "hp": -1 }] });
/// let packet = encode(Dialect::GODOT_4, &state)?;
/// let value = parse(Dialect::GODOT_4, &packet)?;
/// assert_eq!(value.at("/players/0")?.to::<Player<'_>>()?.name, "Zoë");
///
/// let error = value.get_as::<Vec<Player<'_>>>("players").unwrap_err();
/// assert_eq!(error.to_string(), "/players/1/hp: the int -1 at byte 128 does not fit in u16");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FromVariant<'a>: Sized {
    /// Reads a value.
    ///
    /// # Errors
    ///
    /// The value has another type, or the type cannot hold it.
    fn from_variant(value: VariantRef<'a>) -> Result<Self>;

    /// The result of [`VariantRef::get_as`] if there is no such value, or `None` if that is an
    /// error.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }

    /// Reads an array of such values.
    ///
    /// Only types that have a packed array override this function.
    ///
    /// # Errors
    ///
    /// The value is not an array, or an element is not of this type.
    #[cfg(feature = "alloc")]
    fn vec_from_variant(value: VariantRef<'a>) -> Result<Vec<Self>> {
        elements(value)
    }
}

/// The elements of an array of values.
#[cfg(feature = "alloc")]
fn elements<'a, T: FromVariant<'a>>(value: VariantRef<'a>) -> Result<Vec<T>> {
    let array = value.as_array().ok_or_else(|| AccessError::wrong_kind(value, Kind::Array))?;
    let read = |(index, element): (usize, VariantRef<'a>)| {
        T::from_variant(element).map_err(|error| in_element(error, index, value.offset_of(element)))
    };
    array.iter().enumerate().map(read).collect()
}

/// The error of an element, which starts at `offset` in its array.
#[cfg(feature = "alloc")]
#[cold]
fn in_element(error: AccessError, index: usize, offset: usize) -> AccessError {
    error.within(offset, format_args!("/{index}"))
}

/// Implements `FromVariant` and `TryFrom` for types.
macro_rules! typed {
    ($($type:ty = $expected:ident, $read:expr $(, vec $read_vec:expr)?;)*) => {$(
        impl<'a> FromVariant<'a> for $type {
            #[inline]
            fn from_variant(value: VariantRef<'a>) -> Result<$type> {
                let read: fn(VariantRef<'a>) -> Option<Result<$type>> = $read;
                read(value).unwrap_or_else(|| Err(AccessError::wrong_kind(value, Kind::$expected)))
            }

            $(
                #[cfg(feature = "alloc")]
                fn vec_from_variant(value: VariantRef<'a>) -> Result<Vec<$type>> {
                    let read: fn(VariantRef<'a>) -> Option<Result<Vec<$type>>> = $read_vec;
                    read(value).unwrap_or_else(|| elements(value))
                }
            )?
        }

        /// Does the same as [`VariantRef::to`].
        impl<'a> TryFrom<VariantRef<'a>> for $type {
            type Error = AccessError;

            #[inline]
            fn try_from(value: VariantRef<'a>) -> Result<$type> {
                <$type>::from_variant(value)
            }
        }
    )*};
}

typed! {
    bool = Bool, |value| value.as_bool().map(Ok);
    f64 = Float, |value| float(value, Some, "f64"), vec |value| floats(value, Some, "f64");
    f32 = Float, |value| float(value, single, "f32"), vec |value| floats(value, single, "f32");
    &'a str = String, |value| value.as_str().map(Ok),
        vec |value| Some(Ok(value.as_string_array()?.iter().collect()));
    NodePathRef<'a> = NodePath, |value| value.as_node_path().map(Ok);
    ObjectRef<'a> = Object, |value| value.as_object().map(Ok);
    SignalRef<'a> = Signal, |value| value.as_signal().map(Ok);
    DictionaryRef<'a> = Dictionary, |value| value.as_dictionary().map(Ok);
    ArrayRef<'a> = Array, |value| value.as_array().map(Ok);
    StringsRef<'a> = PackedStringArray, |value| value.as_string_array().map(Ok);
    &'a [u8] = PackedByteArray, |value| value.as_byte_array().map(Ok);
}

#[cfg(feature = "alloc")]
typed! {
    String = String, |value| value.as_str().map(|text| Ok(text.into())),
        vec |value| Some(Ok(value.as_string_array()?.iter().map(String::from).collect()));
}

macro_rules! ints {
    ($($int:ident)*) => {
        typed! {$(
            $int = Int,
            |value| value.as_i64().map(|number| int(value, number)),
            vec |value| ints(value);
        )*}

        $(
            impl Int for $int {
                const NAME: &'static str = stringify!($int);
            }
        )*
    };
}

ints! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

trait Int: TryFrom<i64> {
    const NAME: &'static str;
}

fn int<T: Int>(value: VariantRef<'_>, number: i64) -> Result<T> {
    let problem = AccessProblem::OutOfRange { number, target: T::NAME };
    T::try_from(number).map_err(|_| AccessError::new(value, problem))
}

/// The elements of a packed array of integers of any width.
#[cfg(feature = "alloc")]
fn ints<T: Int>(value: VariantRef<'_>) -> Option<Result<Vec<T>>> {
    fn all<T: Int>(
        value: VariantRef<'_>,
        size: usize,
        numbers: impl Iterator<Item = i64>,
    ) -> Option<Result<Vec<T>>> {
        let read = |(index, number): (usize, i64)| {
            int(value, number).map_err(|error| in_cell(error, index, size))
        };
        Some(numbers.enumerate().map(read).collect())
    }
    match value.view() {
        View::PackedByteArray(numbers) => all(value, 1, numbers.iter().map(|byte| (*byte).into())),
        View::PackedInt32Array(numbers) => {
            all(value, 4, numbers.iter().map(|number| number.get().into()))
        }
        View::PackedInt64Array(numbers) => all(value, 8, numbers.iter().map(|number| number.get())),
        _ => None,
    }
}

/// The error of a number in a packed array.
#[cfg(feature = "alloc")]
#[cold]
fn in_cell(error: AccessError, index: usize, size: usize) -> AccessError {
    in_element(error, index, index.saturating_mul(size).saturating_add(8))
}

/// The number as an `f32`, if `f32` can hold it exactly.
fn single(number: f64) -> Option<f32> {
    let single = f32::from_f64(number);
    (number.is_nan() || single.to_f64() == number).then_some(single)
}

/// The int as a float, if a float can hold it exactly.
fn whole(number: i64) -> Option<f64> {
    // A float made from an i64 is a whole number, and an i128 can hold it.
    let float = number as f64;
    (float as i128 == i128::from(number)).then_some(float)
}

fn float<T>(
    value: VariantRef<'_>,
    convert: fn(f64) -> Option<T>,
    target: &'static str,
) -> Option<Result<T>> {
    let number = match value.view() {
        View::Float(number) => Some(number),
        View::Int(number) => whole(number),
        _ => return None,
    };
    let inexact = || AccessError::new(value, AccessProblem::Inexact { target });
    Some(number.and_then(convert).ok_or_else(inexact))
}

/// The elements of a packed array of floats of any width.
#[cfg(feature = "alloc")]
fn floats<T>(
    value: VariantRef<'_>,
    convert: fn(f64) -> Option<T>,
    target: &'static str,
) -> Option<Result<Vec<T>>> {
    let all = |size: usize, numbers: &mut dyn Iterator<Item = f64>| {
        let inexact = |index| {
            in_cell(AccessError::new(value, AccessProblem::Inexact { target }), index, size)
        };
        let read = |(index, number): (usize, f64)| convert(number).ok_or_else(|| inexact(index));
        Some(numbers.enumerate().map(read).collect())
    };
    match value.view() {
        View::PackedFloat32Array(numbers) => {
            all(4, &mut numbers.iter().map(|number| number.get().to_f64()))
        }
        View::PackedFloat64Array(numbers) => all(8, &mut numbers.iter().map(|number| number.get())),
        _ => None,
    }
}

/// Calls `then` if `f32` can hold the reals of a math value or a packed array exactly.
fn are_single<T>(
    value: VariantRef<'_>,
    then: impl FnOnce() -> T,
    target: &'static str,
) -> Result<T> {
    let is_exact = match value.cells() {
        Some(Cells::F64(numbers)) => numbers.iter().all(|number| single(number.get()).is_some()),
        _ => true,
    };
    if is_exact {
        Ok(then())
    } else {
        Err(AccessError::new(value, AccessProblem::Inexact { target }))
    }
}

/// The reals in place, or an error if they have another width.
fn of_width<T>(value: VariantRef<'_>, reals: Option<T>, expected: u8) -> Result<T> {
    reals.ok_or_else(|| AccessError::new(value, AccessProblem::WrongWidth { expected }))
}

/// Reads the values of one kind from what the view of this kind holds.
macro_rules! of_kind {
    ($kind:ident, |$value:ident, $reals:ident| $read:expr) => {
        |$value| match $value.view() {
            View::$kind($reals) => Some($read),
            _ => None,
        }
    };
}

macro_rules! numeric {
    (
        reals { $($kind:ident $one:tt ($($packed:ident $many:ident $as_many:ident)?))* }
        integers { $($integer:ident $type:ident ($int:ident $as_int:ident)
            ($($integers:ident $ints:ident $as_ints:ident)?))* }
        arrays { $($array:ident $native:ident $wire:ident $as_array:ident)* }
    ) => {
        typed! {$(
            $kind<f32> = $kind, of_kind!($kind, |value, reals| {
                are_single(value, || reals.to(), concat!(stringify!($kind), "<f32>"))
            }) $(, vec of_kind!($packed, |value, reals| {
                are_single(value, || reals.iter().collect(), concat!(stringify!($kind), "<f32>"))
            }))?;
            $kind<f64> = $kind, of_kind!($kind, |value, reals| Ok(reals.to()))
                $(, vec of_kind!($packed, |value, reals| Ok(reals.iter().collect())))?;
            &'a $kind<F32Le> = $kind,
                of_kind!($kind, |value, reals| of_width(value, reals.as_single(), 4));
            &'a $kind<F64Le> = $kind,
                of_kind!($kind, |value, reals| of_width(value, reals.as_double(), 8));
            RealRef<'a, $kind<f32>> = $kind, of_kind!($kind, |value, reals| Ok(reals));
            $(
                &'a [$kind<F32Le>] = $packed,
                    of_kind!($packed, |value, reals| of_width(value, reals.as_single(), 4));
                &'a [$kind<F64Le>] = $packed,
                    of_kind!($packed, |value, reals| of_width(value, reals.as_double(), 8));
                RealSlice<'a, $kind<f32>> = $packed, of_kind!($packed, |value, reals| Ok(reals));
            )?
        )*}

        typed! {$(
            $type<i32> = $integer, |value| value.$as_int().map(Ok) $(, vec |value| {
                Some(Ok(value.$as_ints()?.iter().map(|one| one.map(I32Le::get)).collect()))
            })?;
            $(&'a [$type<I32Le>] = $integers, |value| value.$as_ints().map(Ok);)?
        )*}

        typed! {$(&'a [$wire] = $array, |value| value.$as_array().map(Ok);)*}
    };
}

numeric_kinds! { numeric }

impl<'a> FromVariant<'a> for VariantRef<'a> {
    #[inline]
    fn from_variant(value: VariantRef<'a>) -> Result<VariantRef<'a>> {
        Ok(value)
    }
}

impl<'a, T: FromVariant<'a>> FromVariant<'a> for Option<T> {
    fn from_variant(value: VariantRef<'a>) -> Result<Option<T>> {
        if value.is_nil() { Ok(None) } else { T::from_variant(value).map(Some) }
    }

    fn absent() -> Option<Option<T>> {
        Some(None)
    }
}

#[cfg(feature = "alloc")]
impl<'a, T: FromVariant<'a>> FromVariant<'a> for Vec<T> {
    fn from_variant(value: VariantRef<'a>) -> Result<Vec<T>> {
        T::vec_from_variant(value)
    }
}

/// Does the same as [`VariantRef::to`].
#[cfg(feature = "alloc")]
impl<'a, T: FromVariant<'a>> TryFrom<VariantRef<'a>> for Vec<T> {
    type Error = AccessError;

    fn try_from(value: VariantRef<'a>) -> Result<Vec<T>> {
        T::vec_from_variant(value)
    }
}
