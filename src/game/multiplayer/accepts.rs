//! Which arguments the engine accepts for a parameter of a remote method.

use crate::value::Kind;

/// Whether the engine accepts an argument for a parameter with a declared kind: one of the same kind,
/// or of one that it converts. The sender of a call does not convert it. C# converts some more, and
/// has null for collections.
pub(super) fn accepts(declared: Kind, sent: Kind) -> bool {
    declared == sent
        || group(declared).is_some_and(|group_of| group(sent) == Some(group_of))
        || match sent {
            Kind::Nil => is_nullable(declared),
            Kind::Int | Kind::String => declared == Kind::Color,
            Kind::Object => declared == Kind::Rid,
            _ => false,
        }
}

/// Kinds that are converted to each other.
#[derive(PartialEq, Eq)]
enum Group {
    Numbers,
    Texts,
    Arrays,
    Transforms,
    Vector2,
    Vector3,
    Vector4,
    Rect2,
}

const fn group(kind: Kind) -> Option<Group> {
    Some(match kind {
        Kind::Bool | Kind::Int | Kind::Float => Group::Numbers,
        Kind::String | Kind::StringName | Kind::NodePath => Group::Texts,
        Kind::Vector2 | Kind::Vector2i => Group::Vector2,
        Kind::Vector3 | Kind::Vector3i => Group::Vector3,
        Kind::Vector4 | Kind::Vector4i => Group::Vector4,
        Kind::Rect2 | Kind::Rect2i => Group::Rect2,
        Kind::Transform2D
        | Kind::Transform3D
        | Kind::Basis
        | Kind::Quaternion
        | Kind::Projection => Group::Transforms,
        _ if is_array(kind) => Group::Arrays,
        _ => return None,
    })
}

const fn is_array(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Array
            | Kind::PackedByteArray
            | Kind::PackedInt32Array
            | Kind::PackedInt64Array
            | Kind::PackedFloat32Array
            | Kind::PackedFloat64Array
            | Kind::PackedStringArray
            | Kind::PackedVector2Array
            | Kind::PackedVector3Array
            | Kind::PackedVector4Array
            | Kind::PackedColorArray
    )
}

const fn is_nullable(kind: Kind) -> bool {
    is_array(kind)
        || matches!(
            kind,
            Kind::Object | Kind::Dictionary | Kind::Rid | Kind::Callable | Kind::Signal
        )
}

#[cfg(test)]
mod tests {
    use super::accepts;
    use crate::value::Kind;

    /// What Godot 4.6.3 accepts for a parameter, except kinds that are the same, and arrays.
    const ACCEPTED: &str = "
        bool: int float
        int: bool float
        float: bool int
        String: StringName NodePath
        Vector2: Vector2i
        Vector2i: Vector2
        Rect2: Rect2i
        Rect2i: Rect2
        Vector3: Vector3i
        Vector3i: Vector3
        Transform2D: Transform3D
        Vector4: Vector4i
        Vector4i: Vector4
        Quaternion: Basis
        Basis: Quaternion
        Transform3D: Transform2D Quaternion Basis Projection
        Projection: Transform3D
        Color: int String
        StringName: String
        NodePath: String
        RID: Object
        Object: Nil
        Array: PackedByteArray PackedStringArray PackedVector4Array
        PackedByteArray: Array
        PackedColorArray: Array";

    fn kind(name: &str) -> Kind {
        Kind::from_name(name).unwrap()
    }

    #[test]
    fn what_the_engine_accepts_is_accepted() {
        for line in ACCEPTED.lines().filter(|line| !line.is_empty()) {
            let (declared, sent) = line.trim().split_once(": ").unwrap();
            for sent in sent.split(' ') {
                assert!(accepts(kind(declared), kind(sent)), "{declared} {sent}");
            }
        }
    }

    #[test]
    fn other_kinds_are_not_accepted() {
        for (declared, sent) in [
            ("int", "Nil"),
            ("int", "String"),
            ("String", "int"),
            ("Vector2", "Vector3"),
            ("Dictionary", "Array"),
            ("Array", "Dictionary"),
            ("Plane", "Quaternion"),
            ("Color", "float"),
            ("Object", "RID"),
        ] {
            assert!(!accepts(kind(declared), kind(sent)), "{declared} {sent}");
        }
    }
}
