//! `Variant`, the owned value.

use super::{Array, Dictionary, RealArray, RealValue};
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

/// A value that owns its content.
///
/// Math values remember the width that their reals had on the wire: see [`RealValue`]. Floats are
/// compared as in Rust: NaN equals nothing.
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
/// A `Variant` has 32 bytes on a 64-bit machine; larger content is boxed. A value that was read
/// from a packet, with everything in it, takes at most 10 bytes of memory for each of its bytes in
/// the packet. The overhead of the allocator is not included.
///
/// `Debug` and `Display` give the literal of Godot 4. Its length grows with that of the value,
/// however deep it is nested.
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
    /// The id of a RID. It is 0 in dialects that do not write it.
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

impl Variant {
    /// The kind of the value.
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

/// A signal: its name and its object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal {
    /// The signal's name.
    pub name: String,
    /// The id of the object in the process that wrote it, or 0 for no object.
    pub object_id: u64,
}

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
    pub(super) fn place(&self, is_name: impl Fn(&str) -> bool) -> Option<usize> {
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
    /// The names of the nodes on the way.
    pub names: Vec<String>,
    /// The names of the property and its parts.
    pub subnames: Vec<String>,
}

impl NodePath {
    /// Whether the path has neither names nor subnames.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.subnames.is_empty()
    }
}

impl From<NodePathRef<'_>> for NodePath {
    fn from(path: NodePathRef<'_>) -> NodePath {
        NodePath {
            // For an empty path, the engines do not store whether it was absolute.
            is_absolute: path.is_absolute() && !path.is_empty(),
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

/// The path that a text spells: slashes separate names, colons precede subnames.
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
