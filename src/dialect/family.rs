//! The families of engines and their type numbers.

use super::Engine;
use super::layout::{Layouts, compile};
use crate::kind::Kind;

/// Where an engine writes the width of reals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reals {
    /// Nowhere in a value. The width depends on how the engine was built.
    Built,
    /// In flag 64 of the header. The reals of colours always have four bytes.
    Flagged,
    /// In flag 64 of the header, for colours, too.
    #[cfg(feature = "serde")]
    AllFlagged,
}

/// The differences between the families of engines.
#[derive(Debug)]
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) engine: Engine,
    /// The index of a kind in this list is its type number.
    pub(super) types: &'static [Kind],
    pub(super) reals: Reals,
    /// Whether a RID's id is written.
    pub(super) has_rid_ids: bool,
    /// Whether the headers of arrays and dictionaries declare the types of their values.
    pub(super) has_typed_containers: bool,
    /// Whether dictionaries and objects with the same content are different keys of a dictionary.
    #[cfg_attr(not(feature = "alloc"), expect(dead_code, reason = "only owned values merge keys"))]
    pub(super) keys_by_identity: bool,
}

/// Godot 3. Source: "Binary serialization API".
pub(super) static GODOT_3: Layouts = compile(
    &Family {
        name: "godot3",
        engine: Engine::Godot3,
        types: &[
            Kind::Nil,
            Kind::Bool,
            Kind::Int,
            Kind::Float,
            Kind::String,
            Kind::Vector2,
            Kind::Rect2,
            Kind::Vector3,
            Kind::Transform2D,
            Kind::Plane,
            Kind::Quaternion,
            Kind::Aabb,
            Kind::Basis,
            Kind::Transform3D,
            Kind::Color,
            Kind::NodePath,
            Kind::Rid,
            Kind::Object,
            Kind::Dictionary,
            Kind::Array,
            Kind::PackedByteArray,
            Kind::PackedInt32Array,
            Kind::PackedFloat32Array,
            Kind::PackedStringArray,
            Kind::PackedVector2Array,
            Kind::PackedVector3Array,
            Kind::PackedColorArray,
        ],
        reals: Reals::Built,
        has_rid_ids: false,
        has_typed_containers: false,
        keys_by_identity: true,
    },
    &GODOT_3,
);

/// Godot 4.0 and newer. Source: what version 4.6 writes.
pub(super) static GODOT_4: Layouts = compile(
    &Family {
        name: "godot4",
        engine: Engine::Godot4,
        types: &[
            Kind::Nil,
            Kind::Bool,
            Kind::Int,
            Kind::Float,
            Kind::String,
            Kind::Vector2,
            Kind::Vector2i,
            Kind::Rect2,
            Kind::Rect2i,
            Kind::Vector3,
            Kind::Vector3i,
            Kind::Transform2D,
            Kind::Vector4,
            Kind::Vector4i,
            Kind::Plane,
            Kind::Quaternion,
            Kind::Aabb,
            Kind::Basis,
            Kind::Transform3D,
            Kind::Projection,
            Kind::Color,
            Kind::StringName,
            Kind::NodePath,
            Kind::Rid,
            Kind::Object,
            Kind::Callable,
            Kind::Signal,
            Kind::Dictionary,
            Kind::Array,
            Kind::PackedByteArray,
            Kind::PackedInt32Array,
            Kind::PackedInt64Array,
            Kind::PackedFloat32Array,
            Kind::PackedFloat64Array,
            Kind::PackedStringArray,
            Kind::PackedVector2Array,
            Kind::PackedVector3Array,
            Kind::PackedColorArray,
            Kind::PackedVector4Array,
        ],
        reals: Reals::Flagged,
        has_rid_ids: true,
        has_typed_containers: true,
        keys_by_identity: false,
    },
    &GODOT_4,
);

/// Pandemonium 3.8 to 4.9. Source: the code of the engine. Its documentation shows the table of
/// Godot 3.
pub(super) static PANDEMONIUM_4: Layouts = compile(
    &Family {
        name: "pandemonium4",
        engine: Engine::Pandemonium,
        types: &[
            Kind::Nil,
            Kind::Bool,
            Kind::Int,
            Kind::Float,
            Kind::String,
            Kind::Rect2,
            Kind::Rect2i,
            Kind::Vector2,
            Kind::Vector2i,
            Kind::Vector3,
            Kind::Vector3i,
            Kind::Vector4,
            Kind::Vector4i,
            Kind::Plane,
            Kind::Quaternion,
            Kind::Aabb,
            Kind::Basis,
            Kind::Transform3D,
            Kind::Transform2D,
            Kind::Projection,
            Kind::Color,
            Kind::NodePath,
            Kind::Rid,
            Kind::Object,
            Kind::StringName,
            Kind::Dictionary,
            Kind::Array,
            Kind::PackedByteArray,
            Kind::PackedInt32Array,
            Kind::PackedFloat32Array,
            Kind::PackedStringArray,
            Kind::PackedVector2Array,
            Kind::PackedVector2iArray,
            Kind::PackedVector3Array,
            Kind::PackedVector3iArray,
            Kind::PackedVector4Array,
            Kind::PackedVector4iArray,
            Kind::PackedColorArray,
        ],
        reals: Reals::Built,
        has_rid_ids: false,
        has_typed_containers: false,
        keys_by_identity: true,
    },
    &PANDEMONIUM_4,
);

/// Pandemonium 5. Source: what version 5.3 writes.
pub(super) static PANDEMONIUM_5: Layouts = compile(
    &Family {
        name: "pandemonium5",
        engine: Engine::Pandemonium,
        types: &[
            Kind::Nil,
            Kind::Bool,
            Kind::Int,
            Kind::Float,
            Kind::String,
            Kind::Rect2,
            Kind::Rect2i,
            Kind::Vector2,
            Kind::Vector2i,
            Kind::Vector3,
            Kind::Vector3i,
            Kind::Vector4,
            Kind::Vector4i,
            Kind::Plane,
            Kind::Quaternion,
            Kind::Aabb,
            Kind::Basis,
            Kind::Transform3D,
            Kind::Transform2D,
            Kind::Projection,
            Kind::Color,
            Kind::NodePath,
            Kind::Rid,
            Kind::Object,
            Kind::StringName,
            Kind::Dictionary,
            Kind::Array,
            Kind::TypedArray,
            Kind::PackedTypedArray,
            Kind::PackedByteArray,
            Kind::PackedInt32Array,
            Kind::PackedFloat32Array,
            Kind::PackedStringArray,
            Kind::PackedVector2Array,
            Kind::PackedVector2iArray,
            Kind::PackedVector3Array,
            Kind::PackedVector3iArray,
            Kind::PackedVector4Array,
            Kind::PackedVector4iArray,
            Kind::PackedColorArray,
        ],
        reals: Reals::Built,
        has_rid_ids: false,
        has_typed_containers: false,
        keys_by_identity: true,
    },
    &PANDEMONIUM_5,
);

/// Every kind of every engine, for values that never leave the process.
#[cfg(feature = "serde")]
pub(super) static IN_MEMORY: Layouts = compile(
    &Family {
        name: "in-memory",
        engine: Engine::Godot4,
        types: Kind::ALL,
        reals: Reals::AllFlagged,
        has_rid_ids: true,
        has_typed_containers: true,
        keys_by_identity: true,
    },
    &IN_MEMORY,
);
