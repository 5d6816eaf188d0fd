//! The trait of Rust types that values can be read as.

#[cfg(feature = "alloc")]
use super::path::Escaped;
use super::{
    AccessError, AccessProblem, ArrayRef, Cells, DictionaryRef, NodePathRef, ObjectRef, SignalRef,
    StringsRef,
};
use crate::value::math::*;
use crate::value::number::{narrowed, whole};
use crate::value::{F32Le, F64Le, I32Le, I64Le, Kind, VariantRef, View, numeric_kinds};
#[cfg(feature = "alloc")]
use crate::value::{Real, ValueBody};
#[cfg(feature = "alloc")]
use alloc::collections::BTreeMap;
#[cfg(feature = "alloc")]
use alloc::string::String;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

type Result<T> = core::result::Result<T, AccessError>;

/// A Rust type that values can be read as, by [`VariantRef::to`], [`VariantRef::get_as`] and
/// [`At::to`](super::At::to).
///
/// | Rust | value |
/// |---|---|
/// | `bool` | bool |
/// | `i8` to `i64`, `u8` to `u64`, `isize`, `usize` | int, if it is in range |
/// | `f64`, `f32` | float, int |
/// | `&str`, `String` | String, StringName; as `String` also NodePath |
/// | `Vector3<f32>`, `Vector3<f64>` and the like | the math value, or an Array of its numbers |
/// | `&Vector3<F32Le>`, `&Vector3<F64Le>` and the like | the math value in place, if its reals have that width |
/// | `Vector3<i32>` and the like | Vector3i |
/// | `&[u8]`, `&[I32Le]`, `&[F32Le]`, `&[Vector3<F32Le>]`, … | the packed array in place, if its reals have that width |
/// | [`StringsRef`], [`RealRef`], [`RealSlice`] | packed strings, a math value, packed vectors |
/// | `Vec<T>`, `[T; N]`, [`Packed`](crate::Packed) of these | an array whose elements are each a `T`, or a packed array of `T`; arrays of two to four numbers stand for vectors |
/// | tuples | an array with this many elements |
/// | `BTreeMap<K, V>`, `HashMap<K, V>` | Dictionary |
/// | `()` | null |
/// | `Option<T>` | null as `None`, otherwise `T` |
/// | [`VariantRef`] | anything |
/// | [`ArrayRef`], [`DictionaryRef`], [`ObjectRef`], [`NodePathRef`], [`SignalRef`] | such a value |
///
/// For types that can be derived, use serde: see the module `typed`, with the feature `serde`.
///
/// # Conversions
///
/// Types decide how exact a number is, but never change its meaning:
///
/// - Reals are rounded to `f32`, as `as f32` does: whoever writes `f32` wants this. A finite number that
///   would become infinite is an error.
/// - An int is read as a float if `f64` can hold it exactly, which is so up to 2⁵³. Larger ints are often
///   ids, so they are an error instead of another number.
/// - An int that is out of the range of an integer type is an error. A float is never read as an integer,
///   not even a whole one, and a bool is not a number.
///
/// `to`, `get_as` and serde follow the same rules. *yes* means that every value is read; *fits*, that a
/// number out of range is an error; –, that the kind is an error.
///
#[doc = include_str!("conversions.md")]
///
/// Other integer types are read like `u8`, other math types like `Vector3`. serde also reads a RID or the
/// id of an object as an integer; so do `i64` and the other integers here.
///
/// # Your own types
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
    #[doc(hidden)]
    #[cfg(feature = "alloc")]
    fn vec_from_variant(value: VariantRef<'a>) -> Result<Vec<Self>> {
        elements(value)
    }

    /// Reads an array of arrays of such values.
    ///
    /// Only numbers override this function: a packed array of vectors has such arrays.
    ///
    /// # Errors
    ///
    /// The value is not an array of arrays of this length, or an element is not of this type.
    #[doc(hidden)]
    #[cfg(feature = "alloc")]
    fn arrays_from_variant<const N: usize>(value: VariantRef<'a>) -> Result<Vec<[Self; N]>> {
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
#[cold]
fn in_element(error: AccessError, index: usize, offset: usize) -> AccessError {
    error.within(offset, format_args!("/{index}"))
}

/// Implements `FromVariant` and `TryFrom` for types.
macro_rules! typed {
    (
        $($type:ty = $expected:ident, $read:expr
            $(, vec $read_vec:expr)? $(, flat $read_flat:expr)?;)*
    ) => {$(
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

            $(
                #[cfg(feature = "alloc")]
                fn vec_from_variant(value: VariantRef<'a>) -> Result<Vec<$type>> {
                    let read: fn(VariantRef<'a>, usize) -> Option<Result<Vec<$type>>> = $read_flat;
                    read(value, 1).unwrap_or_else(|| elements(value))
                }

                #[cfg(feature = "alloc")]
                fn arrays_from_variant<const N: usize>(
                    value: VariantRef<'a>,
                ) -> Result<Vec<[$type; N]>> {
                    let read: fn(VariantRef<'a>, usize) -> Option<Result<Vec<$type>>> = $read_flat;
                    match read(value, N) {
                        Some(numbers) if N > 1 => Ok(numbers?.as_chunks().0.to_vec()),
                        _ => elements(value),
                    }
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
    f64 = Float, |value| float(value, Some, "f64"),
        flat |value, each| floats(value, each, Some, "f64");
    f32 = Float, |value| float(value, narrowed, "f32"),
        flat |value, each| floats(value, each, narrowed, "f32");
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
    String = String, |value| match value.view() {
            View::NodePath(path) => Some(Ok(alloc::format!("{path}"))),
            _ => value.as_str().map(|text| Ok(text.into())),
        },
        vec |value| Some(Ok(value.as_string_array()?.iter().map(String::from).collect()));
}

macro_rules! ints {
    ($($int:ident)*) => {
        typed! {$(
            $int = Int,
            |value| int_of(value).map(|number| int(value, number)),
            flat |value, each| ints(value, each);
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

/// The numbers of a packed array, or of a math value.
///
/// `each` is the count of numbers in an element, which is 1 unless the elements are vectors. Other
/// arrays, and vectors of another length, are `None`.
#[cfg(feature = "alloc")]
fn flat(value: VariantRef<'_>, each: usize) -> Option<Cells<'_>> {
    let found = match value.kind().body() {
        ValueBody::Packed(_, found) => usize::from(found),
        ValueBody::Cells(..) => 1,
        _ => return None,
    };
    if found == each { value.cells() } else { None }
}

/// The numbers of a packed array of integers of any width, or of vectors of integers.
#[cfg(feature = "alloc")]
fn ints<T: Int>(value: VariantRef<'_>, each: usize) -> Option<Result<Vec<T>>> {
    fn all<T: Int>(
        value: VariantRef<'_>,
        each: usize,
        size: usize,
        numbers: impl Iterator<Item = i64>,
    ) -> Option<Result<Vec<T>>> {
        let read = |(index, number): (usize, i64)| {
            int(value, number).map_err(|error| in_cell(value, error, index, size, each))
        };
        Some(numbers.enumerate().map(read).collect())
    }
    match flat(value, each)? {
        Cells::Bytes(numbers) => all(value, each, 1, numbers.iter().map(|byte| (*byte).into())),
        Cells::I32(numbers) => all(value, each, 4, numbers.iter().map(|it| it.get().into())),
        Cells::I64(numbers) => all(value, each, 8, numbers.iter().map(|it| it.get())),
        Cells::F32(_) | Cells::F64(_) => None,
    }
}

/// The error of a number in a math value, or in a packed array whose elements have `each` numbers.
#[cfg(feature = "alloc")]
#[cold]
fn in_cell(
    value: VariantRef<'_>,
    error: AccessError,
    index: usize,
    size: usize,
    each: usize,
) -> AccessError {
    let header = if matches!(value.kind().body(), ValueBody::Cells(..)) { 4 } else { 8 };
    let offset = index.saturating_mul(size).saturating_add(header);
    if each <= 1 {
        return in_element(error, index, offset);
    }
    error.within(offset, format_args!("/{}/{}", index / each, index % each))
}

fn float<T>(
    value: VariantRef<'_>,
    convert: fn(f64) -> Option<T>,
    target: &'static str,
) -> Option<Result<T>> {
    let number = match value.view() {
        View::Float(number) => Ok(number),
        _ => real(value, int_of(value)?, target),
    };
    Some(number.and_then(|number| convert(number).ok_or_else(|| too_large(value, target))))
}

/// The int as a float, or an error if that changes it.
fn real(value: VariantRef<'_>, number: i64, target: &'static str) -> Result<f64> {
    let inexact = || AccessError::new(value, AccessProblem::Inexact { target });
    whole(number).ok_or_else(inexact)
}

#[cold]
fn too_large(value: VariantRef<'_>, target: &'static str) -> AccessError {
    AccessError::new(value, AccessProblem::TooLarge { target })
}

/// The numbers of a packed array of any width, or of vectors, as floats.
#[cfg(feature = "alloc")]
fn floats<T>(
    value: VariantRef<'_>,
    each: usize,
    convert: fn(f64) -> Option<T>,
    target: &'static str,
) -> Option<Result<Vec<T>>> {
    let all = |size: usize, numbers: &mut dyn Iterator<Item = Result<f64>>| {
        let read = |(index, number): (usize, Result<f64>)| {
            let read = number.and_then(|it| convert(it).ok_or_else(|| too_large(value, target)));
            read.map_err(|error| in_cell(value, error, index, size, each))
        };
        Some(numbers.enumerate().map(read).collect())
    };
    match flat(value, each)? {
        Cells::Bytes(numbers) => all(1, &mut numbers.iter().map(|number| Ok((*number).into()))),
        Cells::I32(numbers) => all(4, &mut numbers.iter().map(|number| Ok(number.get().into()))),
        Cells::I64(numbers) => {
            all(8, &mut numbers.iter().map(|number| real(value, number.get(), target)))
        }
        Cells::F32(numbers) => all(4, &mut numbers.iter().map(|number| Ok(number.get().to_f64()))),
        Cells::F64(numbers) => all(8, &mut numbers.iter().map(|number| Ok(number.get()))),
    }
}

/// An int, or the id of a RID or an object.
#[inline]
fn int_of(value: VariantRef<'_>) -> Option<i64> {
    match value.view() {
        View::Int(number) => Some(number),
        View::Rid(id) | View::Object(ObjectRef::Id(id)) => i64::try_from(id).ok(),
        _ => None,
    }
}

/// A math value from an Array of its numbers.
fn from_numbers<'a, M: Math<Component: FromVariant<'a>>>(
    value: VariantRef<'a>,
) -> Option<Result<M>> {
    let array = value.as_array()?;
    let mut read = M::zeroed();
    let components: &mut [M::Component] =
        bytemuck::cast_slice_mut(core::slice::from_mut(&mut read));
    if let Err(error) = has_length(value, array, components.len()) {
        return Some(Err(error));
    }
    for (index, (component, element)) in components.iter_mut().zip(array).enumerate() {
        match M::Component::from_variant(element) {
            Ok(number) => *component = number,
            Err(error) => return Some(Err(in_element(error, index, value.offset_of(element)))),
        }
    }
    Some(Ok(read))
}

/// Checks how many elements an array has.
fn has_length(value: VariantRef<'_>, array: ArrayRef<'_>, expected: usize) -> Result<()> {
    if array.len() == expected {
        return Ok(());
    }
    Err(AccessError::new(value, AccessProblem::WrongLength { expected, len: array.len() }))
}

/// Calls `then` if no real of a math value or a packed array becomes infinite as an `f32`.
fn are_single<T>(
    value: VariantRef<'_>,
    then: impl FnOnce() -> T,
    target: &'static str,
) -> Result<T> {
    let fits = match value.cells() {
        Some(Cells::F64(numbers)) => numbers.iter().all(|number| narrowed(number.get()).is_some()),
        _ => true,
    };
    if fits { Ok(then()) } else { Err(too_large(value, target)) }
}

/// The reals in place, or an error if they have another width.
fn of_width<T>(value: VariantRef<'_>, reals: Option<T>, expected: u8) -> Result<T> {
    reals.ok_or_else(|| AccessError::new(value, AccessProblem::WrongWidth { expected }))
}

/// Reads the values of one kind from what the view of this kind holds, or an array of numbers.
macro_rules! of_math {
    ($kind:ident, |$value:ident, $content:ident| $read:expr) => {
        |$value| match $value.view() {
            View::$kind($content) => Some($read),
            _ => from_numbers($value),
        }
    };
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
            $kind<f32> = $kind, of_math!($kind, |value, reals| {
                are_single(value, || reals.to(), concat!(stringify!($kind), "<f32>"))
            }) $(, vec of_kind!($packed, |value, reals| {
                are_single(value, || reals.iter().collect(), concat!(stringify!($kind), "<f32>"))
            }))?;
            $kind<f64> = $kind, of_math!($kind, |value, reals| Ok(reals.to()))
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
            $type<i32> = $integer, |value| match value.$as_int() {
                Some(read) => Some(Ok(read)),
                None => from_numbers(value),
            } $(, vec |value| {
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

impl<'a> FromVariant<'a> for () {
    fn from_variant(value: VariantRef<'a>) -> Result<()> {
        if value.is_nil() { Ok(()) } else { Err(AccessError::wrong_kind(value, Kind::Nil)) }
    }
}

/// Reads an array with this many elements.
#[cfg(feature = "alloc")]
impl<'a, T: FromVariant<'a>, const N: usize> FromVariant<'a> for [T; N] {
    fn from_variant(value: VariantRef<'a>) -> Result<[T; N]> {
        if let Some(array) = value.as_array() {
            has_length(value, array, N)?;
        }
        let all = T::vec_from_variant(value)?;
        let len = all.len();
        let wrong = |_| AccessError::new(value, AccessProblem::WrongLength { expected: N, len });
        all.try_into().map_err(wrong)
    }

    fn vec_from_variant(value: VariantRef<'a>) -> Result<Vec<[T; N]>> {
        T::arrays_from_variant(value)
    }
}

macro_rules! tuples {
    ($($count:literal $($type:ident)*;)*) => {$(
        /// Reads an array with this many elements.
        impl<'a, $($type: FromVariant<'a>),*> FromVariant<'a> for ($($type,)*) {
            fn from_variant(value: VariantRef<'a>) -> Result<Self> {
                let expected = || AccessError::wrong_kind(value, Kind::Array);
                let array = value.as_array().ok_or_else(expected)?;
                has_length(value, array, $count)?;
                let mut elements = array.iter().enumerate();
                Ok(($({
                    let wrong = AccessProblem::WrongLength { expected: $count, len: array.len() };
                    let next = elements.next().ok_or_else(|| AccessError::new(value, wrong));
                    let (index, element) = next?;
                    $type::from_variant(element)
                        .map_err(|error| in_element(error, index, value.offset_of(element)))?
                },)*))
            }
        }
    )*};
}

tuples! {
    1 A;
    2 A B;
    3 A B C;
    4 A B C D;
    5 A B C D E;
    6 A B C D E F;
    7 A B C D E F G;
    8 A B C D E F G H;
    9 A B C D E F G H I;
    10 A B C D E F G H I J;
    11 A B C D E F G H I J K;
    12 A B C D E F G H I J K L;
}

/// The keys and values of a dictionary. If a key occurs twice, the last value counts.
#[cfg(feature = "alloc")]
fn entries<'a, K: FromVariant<'a>, V: FromVariant<'a>, M: FromIterator<(K, V)>>(
    value: VariantRef<'a>,
) -> Result<M> {
    let expected = || AccessError::wrong_kind(value, Kind::Dictionary);
    let all = value.as_dictionary().ok_or_else(expected)?.iter();
    all.map(|(key, content)| {
        let within = |error: AccessError, part: VariantRef<'a>| {
            let offset = value.offset_of(part);
            match key.as_str() {
                Some(name) => error.within(offset, format_args!("/{}", Escaped(name))),
                None => error.within(offset, format_args!("/{}", Escaped(key))),
            }
        };
        let read_key = K::from_variant(key).map_err(|error| within(error, key))?;
        Ok((read_key, V::from_variant(content).map_err(|error| within(error, content))?))
    })
    .collect()
}

#[cfg(feature = "alloc")]
impl<'a, K: FromVariant<'a> + Ord, V: FromVariant<'a>> FromVariant<'a> for BTreeMap<K, V> {
    fn from_variant(value: VariantRef<'a>) -> Result<BTreeMap<K, V>> {
        entries(value)
    }
}

#[cfg(feature = "std")]
impl<'a, K, V, H> FromVariant<'a> for std::collections::HashMap<K, V, H>
where
    K: FromVariant<'a> + Eq + core::hash::Hash,
    V: FromVariant<'a>,
    H: core::hash::BuildHasher + Default,
{
    fn from_variant(value: VariantRef<'a>) -> Result<Self> {
        entries(value)
    }
}
