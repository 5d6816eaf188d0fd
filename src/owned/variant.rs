//! The owned value.

use super::Dictionary;
use crate::kind::Kind;
use crate::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use crate::view::{ElementTypeRef, NodePathRef};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};

/// A value that owns what it holds.
///
/// Reals are `f64`, whatever their width on the wire, and are written in the width of the
/// dialect. Floats are compared as in Rust: NaN equals nothing.
///
/// ```
/// use gdwire::{Variant, math::Vector2, variant};
///
/// let state = variant!({ "hp": 87, "at": Vector2::new(1.0, 2.0) });
/// assert_eq!(state.get("hp").and_then(Variant::as_i64), Some(87));
/// assert!(matches!(state.get("at"), Some(Variant::Vector2(at)) if at.y == 2.0));
/// ```
#[derive(Debug, Default, PartialEq)]
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
    Vector2(Vector2<f64>),
    /// Two integers.
    Vector2i(Vector2<i32>),
    /// A rectangle: position and size.
    Rect2(Rect2<f64>),
    /// A rectangle of integers: position and size.
    Rect2i(Rect2<i32>),
    /// Three reals.
    Vector3(Vector3<f64>),
    /// Three integers.
    Vector3i(Vector3<i32>),
    /// A 2D transform: x axis, y axis, origin.
    Transform2D(Box<Transform2D<f64>>),
    /// Four reals.
    Vector4(Vector4<f64>),
    /// Four integers.
    Vector4i(Vector4<i32>),
    /// A plane: normal and distance.
    Plane(Plane<f64>),
    /// A quaternion; `Quat` in Godot 3.
    Quaternion(Quaternion<f64>),
    /// An axis-aligned box: position and size.
    Aabb(Box<Aabb<f64>>),
    /// A 3 × 3 matrix, on the wire row by row.
    Basis(Box<Basis<f64>>),
    /// A 3D transform: basis and origin; `Transform` in Godot 3.
    Transform3D(Box<Transform3D<f64>>),
    /// A 4 × 4 matrix: four columns.
    Projection(Box<Projection<f64>>),
    /// A colour: red, green, blue, alpha.
    Color(Color<f64>),
    /// A string that an engine keeps only once.
    StringName(String),
    /// A path in the scene tree.
    NodePath(NodePath),
    /// Its id; 0 in dialects that do not write it.
    Rid(u64),
    /// An object: null, its instance id, or its class and properties.
    Object(Object),
    /// A function to call; nothing of it is on the wire.
    Callable,
    /// A signal of an object: its name and the object's id.
    Signal(Signal),
    /// Keys and values.
    Dictionary(Dictionary),
    /// Values.
    Array(Array),
    /// Values of one type, of a kind of its own in Pandemonium 5.
    TypedArray(Array),
    /// The same, packed in the engine's memory.
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
    PackedVector2Array(Vec<Vector2<f64>>),
    /// Pairs of integers; `PoolVector2iArray` in Pandemonium.
    PackedVector2iArray(Vec<Vector2<i32>>),
    /// Triples of reals; `PoolVector3Array` in Godot 3.
    PackedVector3Array(Vec<Vector3<f64>>),
    /// Triples of integers; `PoolVector3iArray` in Pandemonium.
    PackedVector3iArray(Vec<Vector3<i32>>),
    /// Quadruples of reals; `PoolVector4Array` in Pandemonium.
    PackedVector4Array(Vec<Vector4<f64>>),
    /// Quadruples of integers; `PoolVector4iArray` in Pandemonium.
    PackedVector4iArray(Vec<Vector4<i32>>),
    /// Colours; `PoolColorArray` in Godot 3.
    PackedColorArray(Vec<Color<f64>>),
}

impl Variant {
    /// What the value is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Variant::Nil => Kind::Nil,
            Variant::Bool(_) => Kind::Bool,
            Variant::Int(_) => Kind::Int,
            Variant::Float(_) => Kind::Float,
            Variant::String(_) => Kind::String,
            Variant::Vector2(_) => Kind::Vector2,
            Variant::Vector2i(_) => Kind::Vector2i,
            Variant::Rect2(_) => Kind::Rect2,
            Variant::Rect2i(_) => Kind::Rect2i,
            Variant::Vector3(_) => Kind::Vector3,
            Variant::Vector3i(_) => Kind::Vector3i,
            Variant::Transform2D(_) => Kind::Transform2D,
            Variant::Vector4(_) => Kind::Vector4,
            Variant::Vector4i(_) => Kind::Vector4i,
            Variant::Plane(_) => Kind::Plane,
            Variant::Quaternion(_) => Kind::Quaternion,
            Variant::Aabb(_) => Kind::Aabb,
            Variant::Basis(_) => Kind::Basis,
            Variant::Transform3D(_) => Kind::Transform3D,
            Variant::Projection(_) => Kind::Projection,
            Variant::Color(_) => Kind::Color,
            Variant::StringName(_) => Kind::StringName,
            Variant::NodePath(_) => Kind::NodePath,
            Variant::Rid(_) => Kind::Rid,
            Variant::Object(_) => Kind::Object,
            Variant::Callable => Kind::Callable,
            Variant::Signal(_) => Kind::Signal,
            Variant::Dictionary(_) => Kind::Dictionary,
            Variant::Array(_) => Kind::Array,
            Variant::TypedArray(_) => Kind::TypedArray,
            Variant::PackedTypedArray(_) => Kind::PackedTypedArray,
            Variant::PackedByteArray(_) => Kind::PackedByteArray,
            Variant::PackedInt32Array(_) => Kind::PackedInt32Array,
            Variant::PackedInt64Array(_) => Kind::PackedInt64Array,
            Variant::PackedFloat32Array(_) => Kind::PackedFloat32Array,
            Variant::PackedFloat64Array(_) => Kind::PackedFloat64Array,
            Variant::PackedStringArray(_) => Kind::PackedStringArray,
            Variant::PackedVector2Array(_) => Kind::PackedVector2Array,
            Variant::PackedVector2iArray(_) => Kind::PackedVector2iArray,
            Variant::PackedVector3Array(_) => Kind::PackedVector3Array,
            Variant::PackedVector3iArray(_) => Kind::PackedVector3iArray,
            Variant::PackedVector4Array(_) => Kind::PackedVector4Array,
            Variant::PackedVector4iArray(_) => Kind::PackedVector4iArray,
            Variant::PackedColorArray(_) => Kind::PackedColorArray,
        }
    }

    /// The content of a bool.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Variant::Bool(content) => Some(*content),
            _ => None,
        }
    }

    /// The content of an int.
    #[must_use]
    pub const fn as_i64(&self) -> Option<i64> {
        match self {
            Variant::Int(content) => Some(*content),
            _ => None,
        }
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

    /// The value of a string key of a dictionary.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Variant> {
        self.as_dictionary()?.get(key)
    }
}

/// The elements of an array, and what they have to be.
///
/// It can be used as the vector of its elements. Whether they are of the type is not checked.
#[derive(Debug, Default, PartialEq)]
pub struct Array {
    /// What the elements have to be.
    pub element_type: ElementType,
    /// The elements.
    pub elements: Vec<Variant>,
}

impl From<Vec<Variant>> for Array {
    fn from(elements: Vec<Variant>) -> Array {
        Array { element_type: ElementType::Any, elements }
    }
}

impl<T: Into<Variant>> FromIterator<T> for Array {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Array {
        elements.into_iter().map(Into::into).collect::<Vec<_>>().into()
    }
}

impl Deref for Array {
    type Target = Vec<Variant>;

    fn deref(&self) -> &Vec<Variant> {
        &self.elements
    }
}

impl DerefMut for Array {
    fn deref_mut(&mut self) -> &mut Vec<Variant> {
        &mut self.elements
    }
}

/// What the elements of an array, or the keys or values of a dictionary, have to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementType {
    /// Anything.
    #[default]
    Any,
    /// Values of that kind.
    Kind(Kind),
    /// Objects of that class.
    Class(String),
    /// Objects with that script, by its path.
    Script(String),
}

impl ElementType {
    /// The same, borrowed.
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

/// A signal: its name, and the object that it is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signal {
    /// The signal's name.
    pub name: String,
    /// The id that the object has in the process that wrote it; 0 is none.
    pub object_id: u64,
}

/// An object, in one of the ways in which engines write them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Object {
    /// No object.
    #[default]
    Null,
    /// The id that the object has in the process that wrote it.
    Id(u64),
    /// Its class and properties, which an engine writes with `full_objects`.
    Instance {
        /// The name of its class.
        class: String,
        /// The names and values of its properties in the order of the wire.
        properties: Vec<(String, Variant)>,
    },
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
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodePath {
    /// Whether it starts at the root of the tree.
    pub is_absolute: bool,
    /// The names of the nodes on the way.
    pub names: Vec<String>,
    /// The names of the property and its parts.
    pub subnames: Vec<String>,
}

impl NodePath {
    /// Whether it leads nowhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.subnames.is_empty()
    }
}

impl From<NodePathRef<'_>> for NodePath {
    fn from(path: NodePathRef<'_>) -> NodePath {
        NodePath {
            // The engines forget of an empty path whether it was absolute.
            is_absolute: path.is_absolute() && !path.is_empty(),
            names: path.names().map(ToString::to_string).collect(),
            subnames: path.subnames().map(ToString::to_string).collect(),
        }
    }
}

/// The path that a text spells: names between slashes, subnames behind colons.
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
