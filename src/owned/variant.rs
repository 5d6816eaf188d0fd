//! The owned value.

use super::Dictionary;
use crate::kind::Kind;
use crate::math::{
    Aabb, Basis, Color, Plane, Quaternion, Rect2, Transform2D, Transform3D, Vector2, Vector3,
};
use crate::view::NodePathRef;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// A value that owns what it holds.
///
/// Reals are `f64`, whatever their width on the wire, and are written in the width of the
/// dialect. Floats are compared as in Rust: NaN equals nothing.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is the kind of its name")]
pub enum Variant {
    #[default]
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    String(String),
    Vector2(Vector2<f64>),
    Rect2(Rect2<f64>),
    Vector3(Vector3<f64>),
    Transform2D(Box<Transform2D<f64>>),
    Plane(Plane<f64>),
    Quaternion(Quaternion<f64>),
    Aabb(Box<Aabb<f64>>),
    Basis(Box<Basis<f64>>),
    Transform3D(Box<Transform3D<f64>>),
    Color(Color<f64>),
    NodePath(NodePath),
    Rid,
    Object(Object),
    Dictionary(Dictionary),
    Array(Vec<Variant>),
    PackedByteArray(Vec<u8>),
    PackedInt32Array(Vec<i32>),
    PackedFloat32Array(Vec<f32>),
    PackedStringArray(Vec<String>),
    PackedVector2Array(Vec<Vector2<f64>>),
    PackedVector3Array(Vec<Vector3<f64>>),
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
            Variant::Rect2(_) => Kind::Rect2,
            Variant::Vector3(_) => Kind::Vector3,
            Variant::Transform2D(_) => Kind::Transform2D,
            Variant::Plane(_) => Kind::Plane,
            Variant::Quaternion(_) => Kind::Quaternion,
            Variant::Aabb(_) => Kind::Aabb,
            Variant::Basis(_) => Kind::Basis,
            Variant::Transform3D(_) => Kind::Transform3D,
            Variant::Color(_) => Kind::Color,
            Variant::NodePath(_) => Kind::NodePath,
            Variant::Rid => Kind::Rid,
            Variant::Object(_) => Kind::Object,
            Variant::Dictionary(_) => Kind::Dictionary,
            Variant::Array(_) => Kind::Array,
            Variant::PackedByteArray(_) => Kind::PackedByteArray,
            Variant::PackedInt32Array(_) => Kind::PackedInt32Array,
            Variant::PackedFloat32Array(_) => Kind::PackedFloat32Array,
            Variant::PackedStringArray(_) => Kind::PackedStringArray,
            Variant::PackedVector2Array(_) => Kind::PackedVector2Array,
            Variant::PackedVector3Array(_) => Kind::PackedVector3Array,
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

    /// The content of a string.
    #[must_use]
    pub const fn as_str(&self) -> Option<&str> {
        match self {
            Variant::String(content) => Some(content.as_str()),
            _ => None,
        }
    }

    /// The elements of an array.
    #[must_use]
    pub const fn as_array(&self) -> Option<&[Variant]> {
        match self {
            Variant::Array(elements) => Some(elements.as_slice()),
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
