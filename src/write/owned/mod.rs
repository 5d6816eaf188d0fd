//! Owned values: trees that can be built, edited and compared.
//!
//! Input: Rust types, views and literals, as conversions into [`Variant`]. Output: Rust types,
//! and the encoded bytes. The types stand here; the other files have what they can do.
//!
//! ```
//! use gdwire::{Dialect, Variant, encode, variant};
//!
//! let state = variant!({
//!     "id": 7,
//!     "name": "player_one",
//!     "inventory": ["sword", null, 2.5],
//! });
//! let packet = encode(Dialect::GODOT_3, &state)?;
//!
//! let view = gdwire::parse(Dialect::GODOT_3, &packet)?;
//! assert_eq!(Variant::from(view), state);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod array;
mod dictionary;
mod from;
mod key;
mod reals;
mod to_bytes;

pub use access::VariantIndex;
pub use dictionary::{Entry, IntoIter, Iter, IterMut, OccupiedEntry, VacantEntry};
pub use from::WrongKind;
pub(crate) use key::KeyRule;
pub(crate) use reals::Number;
pub use reals::{RealArray, RealValue};
pub(crate) use to_bytes::{OwnedNode, OwnedStep, visit};

use crate::value::math::*;
use crate::value::{ElementTypeRef, Kind, NodePathRef};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use array::TypedVec;
use core::fmt;

/// Creates a [`Variant`](crate::Variant) from a literal: `null`, arrays in brackets, dictionaries
/// in braces, and any expression that is `Into<Variant>`.
///
/// ```
/// use gdwire::{math::Vector3, variant};
///
/// let health = 87;
/// let state = variant!({
///     "position": Vector3::new(1.0, 2.0, 3.0),
///     "health": health + 1,
///     "tags": ["boss", null, [1, 2.5]],
///     7: {},
/// });
/// assert_eq!(state.get("health"), Some(&variant!(88)));
/// ```
///
/// A key is a literal, an identifier or an expression in parentheses.
///
/// A vector or a slice becomes an Array. For a packed array, use [`Packed`](crate::Packed):
/// `variant!({ "tiles": Packed(tiles) })`.
#[macro_export]
macro_rules! variant {
    (null) => { $crate::Variant::Nil };
    ([ $($elements:tt)* ]) => {
        $crate::Variant::Array($crate::variant!(@array [] $($elements)*).into())
    };
    ({ $($entries:tt)* }) => {
        $crate::Variant::Dictionary($crate::variant!(@dictionary [] $($entries)*))
    };

    (@array [$($done:expr,)*]) => { $crate::__private::vec![$($done),*] };
    (@array [$($done:expr,)*] null $(, $($rest:tt)*)?) => {
        $crate::variant!(@array [$($done,)* $crate::variant!(null),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::variant!(@array [$($done,)* $crate::variant!([$($inner)*]),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::variant!(@array [$($done,)* $crate::variant!({$($inner)*}),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] $next:expr $(, $($rest:tt)*)?) => {
        $crate::variant!(@array [$($done,)* $crate::variant!($next),] $($($rest)*)?)
    };

    (@dictionary [$($done:expr,)*]) => {
        <$crate::Dictionary as ::core::iter::FromIterator<($crate::Variant, $crate::Variant)>>::from_iter([$($done),*])
    };
    (@dictionary [$($done:expr,)*] $key:tt : null $(, $($rest:tt)*)?) => {
        $crate::variant!(@dictionary [$($done,)* ($crate::variant!($key), $crate::variant!(null)),] $($($rest)*)?)
    };
    (@dictionary [$($done:expr,)*] $key:tt : [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::variant!(@dictionary [$($done,)* ($crate::variant!($key), $crate::variant!([$($inner)*])),] $($($rest)*)?)
    };
    (@dictionary [$($done:expr,)*] $key:tt : {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::variant!(@dictionary [$($done,)* ($crate::variant!($key), $crate::variant!({$($inner)*})),] $($($rest)*)?)
    };
    (@dictionary [$($done:expr,)*] $key:tt : $value:expr $(, $($rest:tt)*)?) => {
        $crate::variant!(@dictionary [$($done,)* ($crate::variant!($key), $crate::variant!($value)),] $($($rest)*)?)
    };

    ($value:expr) => { $crate::Variant::from($value) };
}

/// Defines the enum, and the code that needs a list of all its kinds.
macro_rules! variants {
    (
        $(#[$doc:meta])*
        pub enum Variant { $($(#[$of_kind:meta])* $kind:ident $(($content:ty))?,)* }
    ) => {
        $(#[$doc])*
        pub enum Variant { $($(#[$of_kind])* $kind $(($content))?,)* }

        impl Variant {
            /// The kind of the value.
            #[must_use]
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Variant::$kind { .. } => Kind::$kind,)*
                }
            }

            #[inline(never)]
            fn cloned(&self) -> Variant {
                match self {
                    $($(Variant::$kind(content) => Variant::$kind(<$content>::clone(content)),)?)*
                    Variant::Nil => Variant::Nil,
                    Variant::Callable => Variant::Callable,
                }
            }
        }
    };
}

variants! {
    /// A value that owns its content.
    ///
    /// Math values remember the width that their reals had on the wire: see [`RealValue`]. Floats are
    /// compared as in Rust: NaN is not equal to itself.
    ///
    /// ```
    /// use gdwire::{Variant, math::Vector2, variant};
    ///
    /// let state = variant!({ "hp": 87, "at": Vector2::new(1.0, 2.0) });
    /// assert_eq!(state["hp"].as_i64(), Some(87));
    /// assert!(matches!(&state["at"], Variant::Vector2(at) if at.to::<f32>().y == 2.0));
    /// assert_eq!(state["at"].as_vector2::<f32>(), Some(Vector2::new(1.0, 2.0)));
    /// ```
    ///
    /// # Memory
    ///
    /// A `Variant` takes 32 bytes on a 64-bit machine; larger content is boxed. A value that was
    /// read from a packet, with everything in it, takes at most 10 bytes of memory for each of its
    /// bytes in the packet. The overhead of the allocator is not included.
    ///
    /// `Debug` and `Display` give the literal of Godot 4. Nested values are not indented, so the length
    /// of the text grows only with the length of the value.
    #[derive(Default, PartialEq)]
    #[non_exhaustive]
    pub enum Variant {
        /// `null`.
        #[default]
        Nil,
        /// A boolean.
        Bool(bool),
        /// A 64-bit signed integer.
        Int(i64),
        /// A double-precision float; `real` in Godot 3.
        Float(f64),
        /// A string.
        String(String),
        /// Two reals.
        Vector2(RealValue<Vector2<f32>>),
        /// Two integers.
        Vector2i(Vector2<i32>),
        /// A rectangle: position and size.
        Rect2(RealValue<Rect2<f32>>),
        /// A rectangle of integers: position and size.
        Rect2i(Rect2<i32>),
        /// Three reals.
        Vector3(RealValue<Vector3<f32>>),
        /// Three integers.
        Vector3i(Vector3<i32>),
        /// A 2D transform: x axis, y axis, origin.
        Transform2D(Box<RealValue<Transform2D<f32>>>),
        /// Four reals.
        Vector4(RealValue<Vector4<f32>>),
        /// Four integers.
        Vector4i(Vector4<i32>),
        /// A plane: normal and distance.
        Plane(RealValue<Plane<f32>>),
        /// A quaternion; `Quat` in Godot 3.
        Quaternion(RealValue<Quaternion<f32>>),
        /// An axis-aligned box: position and size.
        Aabb(Box<RealValue<Aabb<f32>>>),
        /// A 3 × 3 matrix, written row by row.
        Basis(Box<RealValue<Basis<f32>>>),
        /// A 3D transform: basis and origin; `Transform` in Godot 3.
        Transform3D(Box<RealValue<Transform3D<f32>>>),
        /// A 4 × 4 matrix: four columns.
        Projection(Box<RealValue<Projection<f32>>>),
        /// A colour: red, green, blue, alpha.
        Color(RealValue<Color<f32>>),
        /// A string that the engine keeps in memory only once.
        StringName(String),
        /// A path in the scene tree.
        NodePath(Box<NodePath>),
        /// The id of an RID. It is 0 in dialects that do not write it.
        Rid(u64),
        /// An object: null, its instance id, or its class and properties.
        Object(Object),
        /// A function to call. The engines write only its type.
        Callable,
        /// A signal of an object: its name and the object's id.
        Signal(Box<Signal>),
        /// Keys and values.
        Dictionary(Dictionary),
        /// Values.
        Array(Array),
        /// Values of one type, in Pandemonium 5.
        TypedArray(Array),
        /// Values of one type, in Pandemonium 5, which keeps them packed in memory.
        PackedTypedArray(Array),
        /// Bytes; `PoolByteArray` in Godot 3.
        PackedByteArray(Vec<u8>),
        /// 32-bit integers; `PoolIntArray` in Godot 3.
        PackedInt32Array(Vec<i32>),
        /// 64-bit integers.
        PackedInt64Array(Vec<i64>),
        /// Single-precision floats; `PoolRealArray` in Godot 3.
        PackedFloat32Array(Vec<f32>),
        /// Double-precision floats.
        PackedFloat64Array(Vec<f64>),
        /// Strings; `PoolStringArray` in Godot 3.
        PackedStringArray(Vec<String>),
        /// Pairs of reals; `PoolVector2Array` in Godot 3.
        PackedVector2Array(RealArray<Vector2<f32>>),
        /// Pairs of integers; `PoolVector2iArray` in Pandemonium.
        PackedVector2iArray(Vec<Vector2<i32>>),
        /// Triples of reals; `PoolVector3Array` in Godot 3.
        PackedVector3Array(RealArray<Vector3<f32>>),
        /// Triples of integers; `PoolVector3iArray` in Pandemonium.
        PackedVector3iArray(Vec<Vector3<i32>>),
        /// Quadruples of reals; `PoolVector4Array` in Pandemonium.
        PackedVector4Array(RealArray<Vector4<f32>>),
        /// Quadruples of integers; `PoolVector4iArray` in Pandemonium.
        PackedVector4iArray(Vec<Vector4<i32>>),
        /// Colours; `PoolColorArray` in Godot 3.
        PackedColorArray(RealArray<Color<f32>>),
    }
}

/// Recurses once for each level of nesting.
///
/// This is not derived, because without optimization a derived function's stack frame has room for
/// the content of every kind. The frame of this function, which is on the stack many times, has
/// room for containers only.
impl Clone for Variant {
    fn clone(&self) -> Variant {
        match self {
            Variant::Object(object) => Variant::Object(object.clone()),
            Variant::Dictionary(entries) => Variant::Dictionary(entries.clone()),
            Variant::Array(array) => Variant::Array(array.clone()),
            Variant::TypedArray(array) => Variant::TypedArray(array.clone()),
            Variant::PackedTypedArray(array) => Variant::PackedTypedArray(array.clone()),
            other => other.cloned(),
        }
    }
}

/// The elements of an array, and their declared type.
///
/// It can be used as the vector of its elements. It does not check that they have the declared
/// type.
///
/// ```
/// use gdwire::{Array, ElementType, Kind, variant};
///
/// let mut ints: Array = (1..4).collect();
/// ints.push(variant!(4));
/// let ints = ints.typed(ElementType::Kind(Kind::Int));
/// assert_eq!((ints.len(), ints.element_type()), (4, &ElementType::Kind(Kind::Int)));
/// ```
#[derive(Default, PartialEq)]
pub struct Array(TypedVec<Variant, ElementType>);

/// Keys and values, in the order in which they were inserted.
///
/// Any value can be a key. Inserting a key again replaces its value and keeps its place, as in the
/// engines. Keys are compared as in Godot 4:
///
/// - A string and a string name of the same text are the same key. Views follow the same rule.
/// - Floats are the same key if they are equal or both NaN.
/// - Dictionaries are the same key if they have the same entries in the same order.
/// - Objects are never the same key.
///
/// A dictionary that was read from the wire is merged by the rule of its own engine. In Godot 3 and
/// Pandemonium, a string and a string name are different keys, and so are two dictionaries, because
/// they are compared by identity. So such a dictionary can have several entries for what counts as
/// one key here. Lookups, [`Dictionary::insert`] and [`Dictionary::entry`] then use the last of
/// these entries, as lookups in a view do. [`Dictionary::remove`] removes all of them.
///
/// A view is not merged, so a lookup in it can find another entry. This only happens in a packet of
/// Pandemonium that has one text both as a string and as a string name, and one of these twice. No
/// engine writes such a packet.
///
/// [`Dictionary::insert`] and the lookups compare all keys. To build a large dictionary, collect
/// its entries, which takes the time of a sort.
///
/// ```
/// use gdwire::{Dictionary, Variant, variant};
///
/// let mut players: Dictionary = [(7, "player_one"), (8, "player_two")].into_iter().collect();
/// assert_eq!(players.insert(7, "boss"), Some(variant!("player_one")));
/// assert_eq!(players.get_key(&variant!(8)), Some(&variant!("player_two")));
/// for (id, name) in &players {
///     println!("{id:?} is {name:?}");
/// }
/// let value = Variant::from(players);
/// assert_eq!(value, variant!({ 7: "boss", 8: "player_two" }));
/// ```
#[derive(Default, PartialEq)]
pub struct Dictionary(TypedVec<(Variant, Variant), [ElementType; 2]>);

/// An object, in one of the forms in which engines write it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Object {
    /// No object.
    #[default]
    Null,
    /// The id of the object in the process that wrote it.
    Id(u64),
    /// Its class and properties, which an engine writes with `full_objects`.
    Instance(Box<Instance>),
}

/// The class and the properties of an object.
#[derive(Clone, Debug, Default, PartialEq, Hash)]
pub struct Instance {
    /// The name of its class.
    pub class: String,
    /// The names and values of its properties in the order of the wire.
    pub properties: Vec<(String, Variant)>,
}

impl Instance {
    /// The place of the last property with such a name. If a name occurs twice, the engines keep
    /// the last value.
    fn place(&self, is_name: impl Fn(&str) -> bool) -> Option<usize> {
        self.properties.iter().rposition(|(name, _)| is_name(name))
    }

    /// The value of a property. If the name occurs twice, this is the last value, which the engines
    /// keep.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Variant> {
        let place = self.place(|candidate| candidate == name)?;
        self.properties.get(place).map(|(_, value)| value)
    }

    /// A mutable reference to the value that [`Instance::get`] finds.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Variant> {
        let place = self.place(|candidate| candidate == name)?;
        self.properties.get_mut(place).map(|(_, value)| value)
    }
}

impl From<Instance> for Object {
    fn from(instance: Instance) -> Object {
        Object::Instance(Box::new(instance))
    }
}

/// A path in the scene tree: names, then subnames that lead into a node's properties.
///
/// ```
/// use gdwire::NodePath;
///
/// let path = NodePath::from("/root/Enemies/boss:position:x");
/// assert_eq!(path.names, ["root", "Enemies", "boss"]);
/// assert_eq!(path.subnames, ["position", "x"]);
/// assert!(path.is_absolute);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodePath {
    /// Whether it starts at the root of the tree.
    pub is_absolute: bool,
    /// The names of the nodes along the path.
    pub names: Vec<String>,
    /// The names of the property and its parts.
    pub subnames: Vec<String>,
}

impl NodePath {
    /// Whether the path has neither names nor subnames, such as the path `/` of the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.subnames.is_empty()
    }
}

impl From<NodePathRef<'_>> for NodePath {
    fn from(path: NodePathRef<'_>) -> NodePath {
        NodePath {
            is_absolute: path.is_absolute(),
            names: owned_names(path.names()),
            subnames: owned_names(path.subnames()),
        }
    }
}

fn owned_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut owned: Vec<String> = names.map(ToString::to_string).collect();
    // Most paths are short, but a vector reserves room for four names at once.
    owned.shrink_to_fit();
    owned
}

/// The path that a text spells, as the engines read it: slashes separate names, colons precede
/// subnames. Empty names are left out. A text with an empty subname that is not the last one is
/// invalid, and spells the empty path.
impl From<&str> for NodePath {
    fn from(text: &str) -> NodePath {
        NodePathRef::from(text).into()
    }
}

impl fmt::Display for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_absolute {
            f.write_str("/")?;
        }
        for (place, name) in self.names.iter().enumerate() {
            if place > 0 {
                f.write_str("/")?;
            }
            f.write_str(name)?;
        }
        self.subnames.iter().try_for_each(|name| write!(f, ":{name}"))
    }
}

/// A signal: its name and its object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal {
    /// The signal's name.
    pub name: String,
    /// The id of the object in the process that wrote it, or 0 for no object.
    pub object_id: u64,
}

/// The declared type of an array's elements, or of a dictionary's keys or values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ElementType {
    /// Values of any type.
    #[default]
    Any,
    /// Values of this kind.
    Kind(Kind),
    /// Objects of this class.
    Class(String),
    /// Objects with the script at this path.
    Script(String),
}

impl ElementType {
    /// The same type, borrowed.
    #[must_use]
    pub const fn as_ref(&self) -> ElementTypeRef<'_> {
        match self {
            ElementType::Any => ElementTypeRef::Any,
            ElementType::Kind(kind) => ElementTypeRef::Kind(*kind),
            ElementType::Class(name) => ElementTypeRef::Class(name.as_str()),
            ElementType::Script(path) => ElementTypeRef::Script(path.as_str()),
        }
    }
}

impl From<ElementTypeRef<'_>> for ElementType {
    fn from(element: ElementTypeRef<'_>) -> ElementType {
        match element {
            ElementTypeRef::Any => ElementType::Any,
            ElementTypeRef::Kind(kind) => ElementType::Kind(kind),
            ElementTypeRef::Class(name) => ElementType::Class(name.to_string()),
            ElementTypeRef::Script(path) => ElementType::Script(path.to_string()),
        }
    }
}
