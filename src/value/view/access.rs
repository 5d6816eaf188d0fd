//! The `as_` functions, and the types of keys and indexes for `get`.

use super::{ArrayRef, DictionaryRef, NodePathRef, ObjectRef, SignalRef, StringsRef};
use crate::value::math::*;
use crate::value::number::native;
use crate::value::{F32Le, F64Le, I32Le, I64Le, Kind, Real, VariantRef, View, numeric_kinds};

impl<'a> VariantRef<'a> {
    /// The element of an array, the value of a string key of a dictionary, or the property of an
    /// object.
    ///
    /// If a key occurs twice, this is the last value, as in the engines.
    ///
    /// ```
    /// # use gdwire::{Dialect, encode, parse, variant};
    /// # let packet = encode(Dialect::GODOT_3, &variant!({ "at": [1, 2] }))?;
    /// let value = parse(Dialect::GODOT_3, &packet)?; // { "at": [1, 2] }
    /// let at = value.get("at").ok_or("no place")?;
    /// assert_eq!(at.get(1).and_then(|y| y.as_i64()), Some(2));
    /// assert!(at.get(2).is_none() && at.get("x").is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn get(self, index: impl Index) -> Option<VariantRef<'a>> {
        index.index(self)
    }
}

macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident $($kind:ident)|+ => $type:ty;)*) => {
        impl<'a> VariantRef<'a> {$(
            $(#[$doc])*
            #[inline]
            #[must_use]
            pub fn $name(self) -> Option<$type> {
                match self.view() {
                    $(View::$kind(content))|+ => Some(content),
                    _ => None,
                }
            }
        )*}
    };
}

accessors! {
    /// The content of a bool.
    as_bool Bool => bool;
    /// The content of an int.
    as_i64 Int => i64;
    /// A path in the scene tree.
    as_node_path NodePath => NodePathRef<'a>;
    /// The id of a RID.
    as_rid Rid => u64;
    /// An object.
    as_object Object => ObjectRef<'a>;
    /// A signal.
    as_signal Signal => SignalRef<'a>;
    /// The entries of a dictionary.
    as_dictionary Dictionary => DictionaryRef<'a>;
    /// The elements of an array, typed or not.
    as_array Array | TypedArray | PackedTypedArray => ArrayRef<'a>;
    /// The content of a byte array.
    as_byte_array PackedByteArray => &'a [u8];
    /// The strings of a packed array.
    as_string_array PackedStringArray => StringsRef<'a>;
}

macro_rules! numeric_accessors {
    (
        reals { $($real:ident ($one:ident $as_real:ident)
            ($($reals:ident $many:ident $as_reals:ident)?))* }
        integers { $($integer:ident $type:ident ($int:ident $as_integer:ident)
            ($($integers:ident $ints:ident $as_integers:ident)?))* }
        arrays { $($array:ident $native:ident $wire:ident $as_array:ident)* }
    ) => {
        impl VariantRef<'_> {$(
            #[doc = concat!("The content of a ", stringify!($real), ", of `f32` (rounded to the nearest) or `f64` (exact).")]
            #[inline]
            #[must_use]
            pub fn $as_real<R: Real>(self) -> Option<$real<R>> {
                match self.view() {
                    View::$real(content) => Some(content.to()),
                    _ => None,
                }
            }
        )*}

        accessors! {
            $($(
                /// The elements of a packed array, with components of `f32` or `f64`.
                $as_reals $reals => RealSlice<'a, $real<f32>>;
            )?)*
            $(
                #[doc = concat!("The content of a ", stringify!($integer), ".")]
                $as_integer $integer => $type<i32>;
            )*
            $($(
                /// The elements of a packed array, in place.
                $as_integers $integers => &'a [$type<I32Le>];
            )?)*
            $(
                #[doc = concat!("The elements of a ", stringify!($array), ", in place.")]
                $as_array $array => &'a [$wire];
            )*
        }
    };
}

numeric_kinds! { numeric_accessors }

impl<'a> VariantRef<'a> {
    /// The content of a string or string name, up to its first NUL as in the engines.
    // This checks only the kind. Looking up a key then takes a third less time than through the
    // view.
    #[inline]
    #[must_use]
    pub fn as_str(self) -> Option<&'a str> {
        if let Some(text) = self.string() {
            return Some(text);
        }
        match self.kind() {
            Kind::String | Kind::StringName => Some(self.text_after_header()),
            _ => None,
        }
    }

    /// Whether the value is null, or an object that is null.
    #[must_use]
    pub fn is_nil(self) -> bool {
        matches!(self.view(), View::Nil | View::Object(ObjectRef::Null))
    }

    /// The content of a float, or of an int as the nearest float.
    #[inline]
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        match self.view() {
            View::Float(float) => Some(float),
            View::Int(int) => Some(int as f64),
            _ => None,
        }
    }

    /// The elements of an array of 32-bit integers as a native slice, without a copy. None if the
    /// slice is not aligned to four bytes, or if the processor is big-endian.
    #[must_use]
    pub fn as_native_int32_array(self) -> Option<&'a [i32]> {
        native(self.as_int32_array()?)
    }

    /// The elements of an array of single-precision floats as a native slice, without a copy. None
    /// if the slice is not aligned to four bytes, or if the processor is big-endian.
    #[must_use]
    pub fn as_native_float32_array(self) -> Option<&'a [f32]> {
        native(self.as_float32_array()?)
    }
}

/// The argument of [`VariantRef::get`]: a string for a dictionary or an object, a number for an
/// array.
pub trait Index: sealed::Sealed + Copy + core::fmt::Display {
    /// The value at this index.
    fn index<'a>(&self, value: VariantRef<'a>) -> Option<VariantRef<'a>>;
}

impl Index for &str {
    #[inline]
    fn index<'a>(&self, value: VariantRef<'a>) -> Option<VariantRef<'a>> {
        match value.kind() {
            Kind::Dictionary => DictionaryRef::new(value).get(*self),
            _ => match value.as_object()? {
                ObjectRef::Instance(instance) => instance.get(self),
                _ => None,
            },
        }
    }
}

impl Index for usize {
    fn index<'a>(&self, value: VariantRef<'a>) -> Option<VariantRef<'a>> {
        value.as_array()?.get(*self)
    }
}

pub(super) mod sealed {
    pub trait Sealed {}
    impl Sealed for &str {}
    impl Sealed for usize {}
    impl Sealed for i64 {}
    impl Sealed for i32 {}
    impl Sealed for bool {}
    impl Sealed for crate::value::VariantRef<'_> {}
}

/// The argument of [`DictionaryRef::get`](super::DictionaryRef::get). A text means the key with that text, either a String or
/// a StringName; Godot 4 treats both as the same key.
pub trait Key: sealed::Sealed {
    /// Whether a key of a dictionary is equal to this one.
    fn is(&self, key: VariantRef<'_>) -> bool;

    /// The text of this key, if it is one.
    #[doc(hidden)]
    #[inline]
    fn as_text(&self) -> Option<&str> {
        None
    }
}

impl Key for &str {
    #[inline]
    fn is(&self, key: VariantRef<'_>) -> bool {
        key.as_str() == Some(*self)
    }

    #[inline]
    fn as_text(&self) -> Option<&str> {
        Some(self)
    }
}

impl Key for i64 {
    fn is(&self, key: VariantRef<'_>) -> bool {
        key.as_i64() == Some(*self)
    }
}

impl Key for i32 {
    fn is(&self, key: VariantRef<'_>) -> bool {
        i64::from(*self).is(key)
    }
}

impl Key for bool {
    fn is(&self, key: VariantRef<'_>) -> bool {
        key.as_bool() == Some(*self)
    }
}

impl Key for VariantRef<'_> {
    fn is(&self, key: VariantRef<'_>) -> bool {
        match (self.as_str(), key.as_str()) {
            (Some(one), Some(other)) => one == other,
            _ => *self == key,
        }
    }
}
