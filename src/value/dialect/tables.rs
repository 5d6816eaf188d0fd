//! The dialects: one table for each.

use super::family::{Family, Reals};
use super::handle::Dialect;
use super::layout::{Layouts, compile};
use crate::value::engine::Engine;
use crate::value::kind::Kind;

impl Dialect {
    /// Godot 3 and its specification: 27 types, reals of four bytes.
    pub const GODOT_3: Dialect = Dialect::of(&GODOT_3.single);

    /// Godot 4.0 and newer: 39 types, typed containers, and reals whose width is in the header.
    pub const GODOT_4: Dialect = Dialect::of(&GODOT_4.single);

    /// Pandemonium 3.8 to 4.9: 38 types. The engine's documentation prints Godot 3's table.
    pub const PANDEMONIUM_4: Dialect = Dialect::of(&PANDEMONIUM_4.single);

    /// Pandemonium 5: 40 types, including separate types for typed arrays.
    pub const PANDEMONIUM_5: Dialect = Dialect::of(&PANDEMONIUM_5.single);

    /// Every dialect, each with reals of four bytes.
    pub const ALL: &'static [Dialect] =
        &[Dialect::GODOT_3, Dialect::GODOT_4, Dialect::PANDEMONIUM_4, Dialect::PANDEMONIUM_5];

    /// What detection tries, in the order of preference. Godot 4 reads both widths of reals.
    pub(crate) const CANDIDATES: [Dialect; 7] = [
        Dialect::GODOT_4,
        Dialect::GODOT_3,
        Dialect::PANDEMONIUM_5,
        Dialect::PANDEMONIUM_4,
        Dialect::GODOT_3.with_double_reals(),
        Dialect::PANDEMONIUM_5.with_double_reals(),
        Dialect::PANDEMONIUM_4.with_double_reals(),
    ];

    /// A dialect with every kind of every engine, for values that never leave the process.
    #[cfg(feature = "serde")]
    pub(crate) const IN_MEMORY: Dialect = Dialect::of(&IN_MEMORY.single);

    /// The dialect with this [`name`](Dialect::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.iter().copied().find(|dialect| dialect.name() == name)
    }
}

/// The kinds of a dialect in the order of their type numbers, four in a row.
macro_rules! kinds {
    ($($kind:ident)*) => { &[$(Kind::$kind),*] };
}

/// Godot 3. Source: "Binary serialization API".
static GODOT_3: Layouts = compile(
    &Family {
        name: "godot3",
        description: "Godot 3",
        engine: Engine::Godot3,
        types: kinds! {
            Nil Bool Int Float
            String Vector2 Rect2 Vector3
            Transform2D Plane Quaternion Aabb
            Basis Transform3D Color NodePath
            Rid Object Dictionary Array
            PackedByteArray PackedInt32Array PackedFloat32Array PackedStringArray
            PackedVector2Array PackedVector3Array PackedColorArray
        },
        reals: Reals::Built,
        has_rid_ids: false,
        has_typed_containers: false,
        keys_by_identity: true,
    },
    &GODOT_3,
);

/// Godot 4.0 and newer. Source: what version 4.6 writes.
static GODOT_4: Layouts = compile(
    &Family {
        name: "godot4",
        description: "Godot 4",
        engine: Engine::Godot4,
        types: kinds! {
            Nil Bool Int Float
            String Vector2 Vector2i Rect2
            Rect2i Vector3 Vector3i Transform2D
            Vector4 Vector4i Plane Quaternion
            Aabb Basis Transform3D Projection
            Color StringName NodePath Rid
            Object Callable Signal Dictionary
            Array PackedByteArray PackedInt32Array PackedInt64Array
            PackedFloat32Array PackedFloat64Array PackedStringArray PackedVector2Array
            PackedVector3Array PackedColorArray PackedVector4Array
        },
        reals: Reals::Flagged,
        has_rid_ids: true,
        has_typed_containers: true,
        keys_by_identity: false,
    },
    &GODOT_4,
);

/// Pandemonium 3.8 to 4.9. Source: the code of the engine. Its documentation shows the table of
/// Godot 3.
static PANDEMONIUM_4: Layouts = compile(
    &Family {
        name: "pandemonium4",
        description: "Pandemonium 3.8 to 4.9",
        engine: Engine::Pandemonium,
        types: kinds! {
            Nil Bool Int Float
            String Rect2 Rect2i Vector2
            Vector2i Vector3 Vector3i Vector4
            Vector4i Plane Quaternion Aabb
            Basis Transform3D Transform2D Projection
            Color NodePath Rid Object
            StringName Dictionary Array PackedByteArray
            PackedInt32Array PackedFloat32Array PackedStringArray PackedVector2Array
            PackedVector2iArray PackedVector3Array PackedVector3iArray PackedVector4Array
            PackedVector4iArray PackedColorArray
        },
        reals: Reals::Built,
        has_rid_ids: false,
        has_typed_containers: false,
        keys_by_identity: true,
    },
    &PANDEMONIUM_4,
);

/// Pandemonium 5. Source: what version 5.3 writes.
static PANDEMONIUM_5: Layouts = compile(
    &Family {
        name: "pandemonium5",
        description: "Pandemonium 5",
        engine: Engine::Pandemonium,
        types: kinds! {
            Nil Bool Int Float
            String Rect2 Rect2i Vector2
            Vector2i Vector3 Vector3i Vector4
            Vector4i Plane Quaternion Aabb
            Basis Transform3D Transform2D Projection
            Color NodePath Rid Object
            StringName Dictionary Array TypedArray
            PackedTypedArray PackedByteArray PackedInt32Array PackedFloat32Array
            PackedStringArray PackedVector2Array PackedVector2iArray PackedVector3Array
            PackedVector3iArray PackedVector4Array PackedVector4iArray PackedColorArray
        },
        reals: Reals::Built,
        has_rid_ids: false,
        has_typed_containers: false,
        keys_by_identity: true,
    },
    &PANDEMONIUM_5,
);

/// Every kind of every engine, for values that never leave the process.
#[cfg(feature = "serde")]
static IN_MEMORY: Layouts = compile(
    &Family {
        name: "in-memory",
        description: "every engine",
        engine: Engine::Godot4,
        types: Kind::ALL,
        reals: Reals::AllFlagged,
        has_rid_ids: true,
        has_typed_containers: true,
        keys_by_identity: true,
    },
    &IN_MEMORY,
);
