//! Random values of every kind.

use gdwire::encode::Element;
use gdwire::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use gdwire::owned::Instance;
use gdwire::{
    Array, Dialect, Dictionary, ElementType, Kind, NodePath, Object, Packed, Signal, Variant,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Reals that survive in four bytes.
pub fn real() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f32>().prop_map(f64::from), (-1000i32..1000).prop_map(f64::from), special()]
}

/// Floats without digits, which proptest does not generate itself.
pub fn special() -> impl Strategy<Value = f64> {
    proptest::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0])
}

pub fn text() -> impl Strategy<Value = String> {
    // Neither a NUL nor a byte order mark at the start survives in an engine.
    "[^\0\u{feff}]{0,12}"
}

fn vector2() -> impl Strategy<Value = Vector2<f64>> {
    (real(), real()).prop_map(|(x, y)| Vector2::new(x, y))
}

fn vector3() -> impl Strategy<Value = Vector3<f64>> {
    (real(), real(), real()).prop_map(|(x, y, z)| Vector3::new(x, y, z))
}

fn color() -> impl Strategy<Value = Color<f64>> {
    (real(), real(), real(), real()).prop_map(|(r, g, b, a)| Color::new(r, g, b, a))
}

fn basis() -> impl Strategy<Value = Basis<f64>> {
    (vector3(), vector3(), vector3()).prop_map(|(x, y, z)| Basis::from_axes(x, y, z))
}

pub fn node_path() -> impl Strategy<Value = NodePath> {
    let names = || vec("[^\0\u{feff}/:]{1,8}", 0..4);
    (any::<bool>(), names(), names()).prop_map(|(is_absolute, names, subnames)| NodePath {
        is_absolute,
        names,
        subnames,
    })
}

fn packed<T: Element>(elements: Vec<T>) -> Variant {
    Packed(elements).into()
}

fn leaf() -> impl Strategy<Value = Variant> {
    prop_oneof![
        Just(Variant::Nil),
        any::<bool>().prop_map(Variant::from),
        any::<i64>().prop_map(Variant::from),
        any::<i32>().prop_map(Variant::from),
        any::<f64>().prop_map(Variant::from),
        special().prop_map(Variant::from),
        text().prop_map(Variant::from),
        vector2().prop_map(Variant::from),
        (vector2(), vector2()).prop_map(|(at, size)| Rect2::new(at, size).into()),
        vector3().prop_map(Variant::from),
        (vector2(), vector2(), vector2()).prop_map(|(x, y, o)| Transform2D::new(x, y, o).into()),
        (vector3(), real()).prop_map(|(normal, d)| Plane::new(normal, d).into()),
        color().prop_map(|c| Quaternion::new(c.r, c.g, c.b, c.a).into()),
        (vector3(), vector3()).prop_map(|(at, size)| Aabb::new(at, size).into()),
        basis().prop_map(Variant::from),
        (basis(), vector3()).prop_map(|(basis, origin)| Transform3D::new(basis, origin).into()),
        color().prop_map(Variant::from),
        node_path().prop_map(Variant::from),
        any::<u64>().prop_map(|id| if id == 0 { Object::Null } else { Object::Id(id) }.into()),
        vec(any::<u8>(), 0..9).prop_map(packed),
        vec(any::<i32>(), 0..5).prop_map(packed),
        vec(prop_oneof![any::<f32>(), special().prop_map(|special| special as f32)], 0..5)
            .prop_map(packed),
        vec(text(), 0..4).prop_map(Variant::PackedStringArray),
        vec(vector2(), 0..4).prop_map(packed),
        vec(vector3(), 0..4).prop_map(packed),
        vec(color(), 0..4).prop_map(packed),
    ]
}

/// The kinds of the dialect that Godot 3 lacks.
fn newer_leaves(dialect: Dialect) -> Vec<BoxedStrategy<Variant>> {
    let pair = || (any::<i32>(), any::<i32>()).prop_map(|(x, y)| Vector2::new(x, y));
    let triple = || pair().prop_map(|it| Vector3::new(it.x, it.y, it.x.wrapping_add(it.y)));
    let four = || (pair(), pair()).prop_map(|(a, b)| Vector4::new(a.x, a.y, b.x, b.y));
    let reals = || color().prop_map(|c| Vector4::new(c.r, c.g, c.b, c.a));
    let columns = (reals(), reals(), reals(), reals());
    let rid = if dialect.name() == "godot4" { 0..u64::MAX } else { 0..1 };
    let all = [
        (Kind::Rid, rid.prop_map(Variant::Rid).boxed()),
        (Kind::Vector2i, pair().prop_map(Variant::from).boxed()),
        (Kind::Rect2i, (pair(), pair()).prop_map(|(at, size)| Rect2::new(at, size).into()).boxed()),
        (Kind::Vector3i, triple().prop_map(Variant::from).boxed()),
        (Kind::Vector4i, four().prop_map(Variant::from).boxed()),
        (Kind::Vector4, reals().prop_map(Variant::from).boxed()),
        (
            Kind::Projection,
            columns.prop_map(|(x, y, z, w)| Projection::new(x, y, z, w).into()).boxed(),
        ),
        (Kind::StringName, text().prop_map(Variant::StringName).boxed()),
        (Kind::Callable, Just(Variant::Callable).boxed()),
        (
            Kind::Signal,
            (text(), any::<u64>())
                .prop_map(|(name, object_id)| Signal { name, object_id }.into())
                .boxed(),
        ),
        (Kind::PackedInt64Array, vec(any::<i64>(), 0..4).prop_map(packed).boxed()),
        (
            Kind::PackedFloat64Array,
            vec(prop_oneof![any::<f64>(), special()], 0..4).prop_map(packed).boxed(),
        ),
        (Kind::PackedVector2iArray, vec(pair(), 0..4).prop_map(packed).boxed()),
        (Kind::PackedVector3iArray, vec(triple(), 0..4).prop_map(packed).boxed()),
        (Kind::PackedVector4Array, vec(reals(), 0..4).prop_map(packed).boxed()),
        (Kind::PackedVector4iArray, vec(four(), 0..4).prop_map(packed).boxed()),
    ];
    all.into_iter()
        .filter(|(kind, _)| dialect.type_number(*kind).is_some())
        .map(|(_, leaf)| leaf)
        .collect()
}

/// The types that a container may require of its elements.
fn element_type() -> impl Strategy<Value = ElementType> {
    prop_oneof![
        Just(ElementType::Any),
        Just(ElementType::Kind(Kind::Int)),
        Just(ElementType::Kind(Kind::Vector2)),
        "[A-Z][a-z]{1,8}".prop_map(ElementType::Class),
    ]
}

/// Values of a dialect.
pub fn value(dialect: Dialect) -> impl Strategy<Value = Variant> {
    let newer = proptest::strategy::Union::new(newer_leaves(dialect));
    prop_oneof![2 => leaf(), 1 => newer].prop_recursive(5, 40, 6, move |inner| {
        let elements = || vec(inner.clone(), 0..6);
        let entries = || vec((inner.clone(), inner.clone()), 0..6);
        let typed =
            move |(element_type, elements): (ElementType, Vec<Variant>)| match dialect.name() {
                "godot4" => Variant::Array(Array::from(elements).typed(element_type)),
                "pandemonium5" => Variant::TypedArray(Array::from(elements).typed(element_type)),
                _ => Variant::from(elements),
            };
        let dictionary = move |(keys, values, entries): (_, _, Vec<(Variant, Variant)>)| {
            let entries: Dictionary = entries.into_iter().collect();
            Variant::from(if dialect.name() == "godot4" {
                entries.typed(keys, values)
            } else {
                entries
            })
        };
        prop_oneof![
            elements().prop_map(Variant::from),
            (element_type(), elements()).prop_map(typed),
            (element_type(), element_type(), entries()).prop_map(dictionary),
            ("[A-Z][a-z]{1,8}", vec((text(), inner.clone()), 0..4))
                .prop_map(|(class, properties)| Instance { class, properties }.into()),
        ]
    })
}
