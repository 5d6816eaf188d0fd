//! Helpers for kinds that are a text or a number in Rust: names, paths and RIDs.

use super::direct::{self, Direct};
use crate::value::Kind;
use core::fmt;
use core::marker::PhantomData;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serializer};

/// Reads a type that [`direct::serialize`] wrote. It is in a newtype, unless the format is
/// human-readable.
pub(super) fn inner<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    if deserializer.is_human_readable() {
        return T::deserialize(deserializer);
    }
    deserializer.deserialize_newtype_struct("", Inner(PhantomData))
}

/// Defines the module `option` of a helper, from the path of the helper, the type in the `Option`,
/// and the bounds for writing and reading it.
macro_rules! option {
    ($helper:literal, $type:ty, [$($ser:tt)*], [$($de:tt)*]) => {
        #[doc = concat!("For `#[serde(with = \"gdwire::typed::", $helper, "::option\")]`: the same")]
        /// for an `Option`, where `None` is null.
        pub mod option {
            use super::*;
            use ::serde::Serialize;

            struct As<T>(T);

            impl<T: $($ser)*> Serialize for As<&$type> {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    super::serialize(self.0, serializer)
                }
            }

            impl<'de, T: $($de)*> Deserialize<'de> for As<$type> {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    super::deserialize(deserializer).map(As)
                }
            }

            /// Writes the value, or null.
            ///
            /// # Errors
            ///
            /// The format fails, or the dialect cannot express the value.
            pub fn serialize<T: $($ser)*, S: Serializer>(
                value: &Option<$type>,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                value.as_ref().map(As).serialize(serializer)
            }

            /// Reads the value, or null.
            ///
            /// # Errors
            ///
            /// The format fails.
            pub fn deserialize<'de, T: $($de)*, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<$type>, D::Error> {
                Ok(Option::<As<$type>>::deserialize(deserializer)?.map(|As(value)| value))
            }
        }
    };
}

pub(super) use option;

struct Inner<T>(PhantomData<fn() -> T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Inner<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a newtype")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }
}

/// Defines a helper for texts: its name, the kind of its values, and the errors of writing one.
macro_rules! text {
    ($(#[$doc:meta])* $module:ident $name:literal $kind:ident: $errors:literal) => {
        $(#[$doc])*
        pub mod $module {
            use super::{Deserialize, Deserializer, Direct, Kind, Serializer, direct, inner};

            struct HandleText<'a>(&'a str);

            impl Direct for HandleText<'_> {
                fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    direct::part(Kind::$kind, self.0, serializer)
                }

                fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(self.0)
                }
            }

            #[doc = concat!("Writes a text as a ", stringify!($kind), ".")]
            ///
            /// # Errors
            ///
            #[doc = $errors]
            pub fn serialize<T: AsRef<str> + ?Sized, S: Serializer>(
                text: &T,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                direct::serialize(&HandleText(text.as_ref()), serializer)
            }

            /// Reads a text.
            ///
            /// # Errors
            ///
            /// The format fails.
            pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<T, D::Error> {
                inner(deserializer)
            }

            super::option! { $name, T, [AsRef<str>], [Deserialize<'de>] }
        }
    };
}

text! {
    /// For `#[serde(with = "gdwire::typed::string_name")]`: writes text as a StringName. Any text
    /// is read. In other formats the field is ordinary text.
    string_name "string_name" StringName:
        "The format fails, or the dialect has no StringName. Godot 3 has none."
}

#[cfg(feature = "alloc")]
text! {
    /// For `#[serde(with = "gdwire::typed::node_path")]`: writes the text of a path as a NodePath.
    /// Any text is read. In other formats the field is ordinary text.
    ///
    /// A path with names that are empty or contain slashes or colons has no text. The type
    /// [`NodePath`](crate::NodePath) can hold such paths.
    node_path "node_path" NodePath: "The format fails."
}

/// For `#[serde(with = "gdwire::typed::rid")]`: writes a `u64`, or a type that
/// converts to it, as the id of an RID. In other formats the field is a number.
pub mod rid {
    use super::{Deserialize, Deserializer, Direct, Kind, Serializer, direct, inner};

    struct Id(u64);

    impl Direct for Id {
        fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            direct::part(Kind::Rid, &self.0, serializer)
        }

        fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_u64(self.0)
        }
    }

    /// Writes an RID.
    ///
    /// # Errors
    ///
    /// The format fails, or the id is not 0 and the dialect does not write the ids of RIDs. Only
    /// Godot 4 writes them.
    pub fn serialize<T: Copy + Into<u64>, S: Serializer>(
        id: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        direct::serialize(&Id((*id).into()), serializer)
    }

    /// Reads the id of an RID, or an unsigned number.
    ///
    /// # Errors
    ///
    /// The format fails.
    pub fn deserialize<'de, T: From<u64>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        inner::<D, u64>(deserializer).map(T::from)
    }

    super::option! { "rid", T, [Copy + Into<u64>], [From<u64>] }
}
