//! Reads and changes the content of owned values: by type, by key or index, and by path.

use super::reals::RealArray;
use super::{Array, Dictionary, NodePath, Object, Signal, Variant};
use crate::value::math::*;
use crate::value::view::Path;
use crate::value::{Real, numeric_kinds};
use alloc::string::String;
use core::ops;

impl Variant {
    /// Whether the value is null, or an object that is null.
    #[must_use]
    pub const fn is_nil(&self) -> bool {
        matches!(self, Variant::Nil | Variant::Object(Object::Null))
    }

    /// Takes the value out and leaves null in its place.
    #[must_use]
    pub fn take(&mut self) -> Variant {
        core::mem::take(self)
    }

    /// The content of a float, or of an int as the nearest float.
    #[must_use]
    pub const fn as_f64(&self) -> Option<f64> {
        match self {
            Variant::Float(content) => Some(*content),
            Variant::Int(content) => Some(*content as f64),
            _ => None,
        }
    }

    /// The content of a string or string name.
    #[must_use]
    pub const fn as_str(&self) -> Option<&str> {
        match self {
            Variant::String(content) | Variant::StringName(content) => Some(content.as_str()),
            _ => None,
        }
    }

    /// The elements of an array, typed or not.
    #[must_use]
    pub const fn as_array(&self) -> Option<&Array> {
        match self {
            Variant::Array(array)
            | Variant::TypedArray(array)
            | Variant::PackedTypedArray(array) => Some(array),
            _ => None,
        }
    }

    /// The entries of a dictionary.
    #[must_use]
    pub const fn as_dictionary(&self) -> Option<&Dictionary> {
        match self {
            Variant::Dictionary(entries) => Some(entries),
            _ => None,
        }
    }

    /// A mutable reference to the elements of an array, typed or not.
    pub const fn as_array_mut(&mut self) -> Option<&mut Array> {
        match self {
            Variant::Array(array)
            | Variant::TypedArray(array)
            | Variant::PackedTypedArray(array) => Some(array),
            _ => None,
        }
    }

    /// A mutable reference to the entries of a dictionary.
    pub const fn as_dictionary_mut(&mut self) -> Option<&mut Dictionary> {
        match self {
            Variant::Dictionary(entries) => Some(entries),
            _ => None,
        }
    }
}

macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident $kind:ident => $type:ty;)*) => {
        impl Variant {$(
            $(#[$doc])*
            #[must_use]
            pub fn $name(&self) -> Option<$type> {
                match self {
                    Variant::$kind(content) => Some(content),
                    _ => None,
                }
            }
        )*}
    };
}

accessors! {
    /// A path in the scene tree.
    as_node_path NodePath => &NodePath;
    /// An object.
    as_object Object => &Object;
    /// A signal.
    as_signal Signal => &Signal;
    /// The content of a byte array.
    as_byte_array PackedByteArray => &[u8];
    /// The strings of a packed array.
    as_string_array PackedStringArray => &[String];
}

macro_rules! copied {
    ($($(#[$doc:meta])* $name:ident $kind:ident => $type:ty;)*) => {
        impl Variant {$(
            $(#[$doc])*
            #[must_use]
            pub const fn $name(&self) -> Option<$type> {
                match self {
                    Variant::$kind(content) => Some(*content),
                    _ => None,
                }
            }
        )*}
    };
}

copied! {
    /// The content of a bool.
    as_bool Bool => bool;
    /// The content of an int.
    as_i64 Int => i64;
    /// The id of a RID.
    as_rid Rid => u64;
}

macro_rules! numeric_accessors {
    (
        reals { $($real:ident ($one:ident $as_real:ident)
            ($($reals:ident $many:ident $as_reals:ident)?))* }
        integers { $($integer:ident $type:ident ($int:ident $as_integer:ident)
            ($($integers:ident $ints:ident $as_integers:ident)?))* }
        arrays { $($array:ident $native:ident $wire:ident $as_array:ident)* }
    ) => {
        impl Variant {$(
            #[doc = concat!("The content of a ", stringify!($real), ", of `f32` (rounded to the nearest) or `f64` (exact).")]
            #[must_use]
            pub fn $as_real<R: Real>(&self) -> Option<$real<R>> {
                match self {
                    Variant::$real(content) => Some(content.to()),
                    _ => None,
                }
            }
        )*}

        copied! {$(
            #[doc = concat!("The content of a ", stringify!($integer), ".")]
            $as_integer $integer => $type<i32>;
        )*}

        accessors! {
            $($(
                /// The elements of a packed array, with components of `f32` or `f64`.
                $as_reals $reals => &RealArray<$real<f32>>;
            )?)*
            $($(
                /// The elements of a packed array.
                $as_integers $integers => &[$type<i32>];
            )?)*
            $(
                #[doc = concat!("The elements of a ", stringify!($array), ".")]
                $as_array $array => &[$native];
            )*
        }
    };
}

numeric_kinds! { numeric_accessors }

impl Variant {
    /// The element of an array, the value of a text key of a dictionary, or the property of an
    /// object.
    ///
    /// Strings and string names of the same text are the same key, as in Godot 4.
    ///
    /// ```
    /// use gdwire::{Variant, variant};
    ///
    /// let state = variant!({ "at": [1, 2] });
    /// let y = state.get("at").and_then(|at| at.get(1));
    /// assert_eq!(y, Some(&variant!(2)));
    /// ```
    #[must_use]
    pub fn get(&self, index: impl VariantIndex) -> Option<&Variant> {
        index.of(self)
    }

    /// A mutable reference to the value that [`Variant::get`] finds.
    pub fn get_mut(&mut self, index: impl VariantIndex) -> Option<&mut Variant> {
        index.of_mut(self)
    }

    /// The value at the end of a path of keys, names and indexes, such as `/inventory/3/name`: see
    /// [`VariantRef::at`](crate::VariantRef::at), which reads paths in the same way.
    ///
    /// ```
    /// use gdwire::variant;
    ///
    /// let state = variant!({ "players": { 7: { "tags": ["boss"] } } });
    /// assert_eq!(state.pointer("/players/7/tags/0"), Some(&variant!("boss")));
    /// assert_eq!(state.pointer("/players/8"), None);
    /// ```
    #[must_use]
    pub fn pointer(&self, path: &str) -> Option<&Variant> {
        Path::new(path)?.segments().try_fold(self, |value, segment| match value {
            Variant::Dictionary(entries) => entries.at(entries.place_of_segment(segment)?),
            Variant::Object(Object::Instance(instance)) => {
                instance.properties.get(instance.place(|name| segment.is(name))?).map(|it| &it.1)
            }
            _ => value.get(segment.index()?),
        })
    }

    /// A mutable reference to the value that [`Variant::pointer`] finds.
    ///
    /// ```
    /// use gdwire::variant;
    ///
    /// let mut state = variant!({ "players": [{ "hp": 87 }] });
    /// if let Some(hp) = state.pointer_mut("/players/0/hp") {
    ///     *hp = variant!(100);
    /// }
    /// assert_eq!(state, variant!({ "players": [{ "hp": 100 }] }));
    /// ```
    pub fn pointer_mut(&mut self, path: &str) -> Option<&mut Variant> {
        Path::new(path)?.segments().try_fold(self, |value, segment| match value {
            Variant::Dictionary(entries) => entries.at_mut(entries.place_of_segment(segment)?),
            Variant::Object(Object::Instance(instance)) => {
                let place = instance.place(|name| segment.is(name))?;
                instance.properties.get_mut(place).map(|it| &mut it.1)
            }
            _ => value.get_mut(segment.index()?),
        })
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for &str {}
    impl Sealed for &alloc::string::String {}
    impl Sealed for usize {}
}

/// The argument of [`Variant::get`]: a text for a dictionary or an object, a number for an array.
pub trait VariantIndex: sealed::Sealed + Copy {
    /// The value at this index.
    fn of(self, value: &Variant) -> Option<&Variant>;

    /// A mutable reference to the value at this index.
    fn of_mut(self, value: &mut Variant) -> Option<&mut Variant>;

    /// A mutable reference to the value at this index. If a dictionary lacks the key, null is
    /// inserted for it. With a text as the index, null first becomes an empty dictionary.
    fn of_or_insert(self, value: &mut Variant) -> Option<&mut Variant>;
}

impl VariantIndex for &str {
    fn of(self, value: &Variant) -> Option<&Variant> {
        match value {
            Variant::Dictionary(entries) => entries.get(self),
            Variant::Object(Object::Instance(instance)) => instance.get(self),
            _ => None,
        }
    }

    fn of_mut(self, value: &mut Variant) -> Option<&mut Variant> {
        match value {
            Variant::Dictionary(entries) => entries.get_mut(self),
            Variant::Object(Object::Instance(instance)) => instance.get_mut(self),
            _ => None,
        }
    }

    fn of_or_insert(self, value: &mut Variant) -> Option<&mut Variant> {
        if value.is_nil() {
            *value = Variant::Dictionary(Dictionary::new());
        }
        match value {
            Variant::Dictionary(entries) => Some(entries.entry(self).or_insert(Variant::Nil)),
            other => self.of_mut(other),
        }
    }
}

impl VariantIndex for &String {
    fn of(self, value: &Variant) -> Option<&Variant> {
        self.as_str().of(value)
    }

    fn of_mut(self, value: &mut Variant) -> Option<&mut Variant> {
        self.as_str().of_mut(value)
    }

    fn of_or_insert(self, value: &mut Variant) -> Option<&mut Variant> {
        self.as_str().of_or_insert(value)
    }
}

impl VariantIndex for usize {
    fn of(self, value: &Variant) -> Option<&Variant> {
        value.as_array()?.get(self)
    }

    fn of_mut(self, value: &mut Variant) -> Option<&mut Variant> {
        value.as_array_mut()?.get_mut(self)
    }

    fn of_or_insert(self, value: &mut Variant) -> Option<&mut Variant> {
        self.of_mut(value)
    }
}

/// The value that [`Variant::get`] finds, or null if there is none.
///
/// ```
/// use gdwire::{Variant, variant};
///
/// let state = variant!({ "inventory": [{ "count": 3 }] });
/// assert_eq!(state["inventory"][0]["count"], variant!(3));
/// assert_eq!(state["inventory"][7]["count"], Variant::Nil);
/// ```
impl<I: VariantIndex> ops::Index<I> for Variant {
    type Output = Variant;

    fn index(&self, index: I) -> &Variant {
        static NIL: Variant = Variant::Nil;
        index.of(self).unwrap_or(&NIL)
    }
}

/// The value that [`Variant::get_mut`] finds. If a dictionary lacks the key, null is inserted for
/// it. With a text as the index, null first becomes an empty dictionary.
///
/// ```
/// use gdwire::variant;
///
/// let mut state = variant!({ "list": [1, 2] });
/// state["list"][1] = variant!(3);
/// state["player"]["hp"] = variant!(87);
/// assert_eq!(state, variant!({ "list": [1, 3], "player": { "hp": 87 } }));
/// ```
///
/// # Panics
///
/// If the index is beyond the end of an array, the object has no such property, or the value is
/// of another kind.
impl<I: VariantIndex> ops::IndexMut<I> for Variant {
    #[expect(clippy::panic, reason = "as documented, like the index of a slice")]
    fn index_mut(&mut self, index: I) -> &mut Variant {
        let kind = self.kind();
        match index.of_or_insert(self) {
            Some(value) => value,
            None => panic!("the {kind} has nothing at this index"),
        }
    }
}
