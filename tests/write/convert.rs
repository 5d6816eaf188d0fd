//! Values of one dialect in another.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

use crate::common::{RECORDED, Value, lines, unhex};
use gdwire::convert::{Converted, Error, OnLoss, Problem, convert};
use gdwire::encode::{Builder, Encode, EncodeProblem};
use gdwire::math::{Color, Projection, Rect2, Vector2, Vector3, Vector4};
use gdwire::owned::{Instance, RealValue};
use gdwire::walk::{Event, WalkStack};
use gdwire::{
    Array, Dialect, Dictionary, ElementType, Kind, MAX_DEPTH, NodePath, Object, Packed, Signal,
    Variant, VariantRef, encode, parse, text, variant,
};
use proptest::collection::vec;
use proptest::prelude::*;

const DOUBLE: Dialect = Dialect::GODOT_4.with_double_reals();

fn to(value: &Variant, from: Dialect, to: Dialect, loss: OnLoss) -> Result<Converted, Error> {
    let bytes = encode(from, value).unwrap();
    convert(parse(from, &bytes).unwrap(), to, loss)
}

/// Converts a value of Godot 4 with `OnLoss::Allow`. Returns the result, read again, and the number
/// of changes.
fn lossy(value: impl Into<Variant>, dialect: Dialect) -> (Variant, usize) {
    let Converted { bytes, changed, .. } =
        to(&value.into(), DOUBLE, dialect, OnLoss::Allow).unwrap();
    (Variant::from(parse(dialect, &bytes).unwrap()), changed)
}

fn array_of(element_type: ElementType, elements: Vec<Variant>) -> Array {
    Array::from(elements).typed(element_type)
}

#[test]
fn errors_name_what_cannot_be_converted() {
    let cell = Variant::from(Vector2::new(1, 2));
    let ints = Variant::from(array_of(ElementType::Kind(Kind::Int), vec![variant!(1)]));
    let entry =
        |key: Variant| Variant::from([(key, variant!(1))].into_iter().collect::<Dictionary>());
    let in_key = entry(Variant::from([cell.clone()]));
    let object =
        Instance { class: "Node".to_owned(), properties: vec![("size".to_owned(), cell.clone())] };
    for (value, from, dialect, message) in [
        (cell.clone(), Dialect::GODOT_4, Dialect::GODOT_3, "godot3 has no Vector2i"),
        (
            variant!({"inventory": [1, 2, 3, (cell.clone())]}),
            Dialect::GODOT_4,
            Dialect::GODOT_3,
            "/inventory/3: godot3 has no Vector2i",
        ),
        (
            variant!({"a b": {7: (Variant::Callable)}}),
            Dialect::GODOT_4,
            Dialect::PANDEMONIUM_5,
            "/a b/7: pandemonium5 has no Callable",
        ),
        (
            entry(cell),
            Dialect::GODOT_4,
            Dialect::GODOT_3,
            "/Vector2i(1, 2): godot3 has no Vector2i",
        ),
        (in_key, Dialect::GODOT_4, Dialect::GODOT_3, "/<key 0>/0: godot3 has no Vector2i"),
        (object.into(), Dialect::GODOT_4, Dialect::GODOT_3, "/size: godot3 has no Vector2i"),
        (
            ints,
            Dialect::GODOT_4,
            Dialect::GODOT_3,
            "godot3 has no typed Array, or none of that type",
        ),
        (
            Variant::Rid(7),
            Dialect::GODOT_4,
            Dialect::GODOT_3,
            "godot3 does not write the id of an RID, which is 7",
        ),
        (
            Variant::from(Vector2::new(0.1, 1.0)),
            DOUBLE,
            Dialect::GODOT_4,
            "component x of a Vector2 is 0.1, which godot4 cannot write with four bytes: round it to \
             f32, or write double reals",
        ),
    ] {
        let error = to(&value, from, dialect, OnLoss::Refuse).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn long_keys_are_shortened() {
    let value = variant!({("k".repeat(1_000)): (Vector2::new(1, 2))});
    let error = to(&value, Dialect::GODOT_4, Dialect::GODOT_3, OnLoss::Refuse).unwrap_err();
    assert_eq!(error.path, format!("/{}…", "k".repeat(40)));
    assert_eq!(error.kind, Kind::Vector2i);
}

#[test]
fn the_nearest_value_replaces_what_cannot_be_converted() {
    let godot3 = Dialect::GODOT_3;
    for (value, near) in [
        (Vector2::new(1, -2).into(), Vector2::new(1.0, -2.0).into()),
        (Vector3::new(1, -2, 3).into(), Vector3::new(1.0, -2.0, 3.0).into()),
        (Variant::Callable, Variant::Nil),
        (Variant::from(Signal { name: "hit".to_owned(), object_id: 7 }), Variant::Nil),
        (
            Variant::from(Packed([i64::MAX, i64::MIN, 5])),
            Variant::from(Packed([i32::MAX, i32::MIN, 5])),
        ),
        (Variant::from(Packed([0.5_f64, -2.0])), Variant::from(Packed([0.5_f32, -2.0]))),
        (
            Variant::from(Packed([Vector4::new(1.0, 2.0, 3.0, 4.0)])),
            Variant::from(Packed([Color::new(1.0, 2.0, 3.0, 4.0)])),
        ),
        (Variant::Rid(9), Variant::Rid(0)),
        (
            array_of(ElementType::Class("Node".to_owned()), vec![variant!(1)]).into(),
            Variant::from([1]),
        ),
    ] {
        let value: Variant = value;
        assert_eq!(lossy(value.clone(), godot3), (near, 1));
        assert!(to(&value, DOUBLE, godot3, OnLoss::Refuse).is_err());
    }
    // Only Pandemonium has packed arrays of integer vectors.
    let pandemonium = Dialect::PANDEMONIUM_5;
    let integers = Variant::from(Packed([Vector4::new(1, 2, 3, 4)]));
    for (dialect, near) in [
        (Dialect::GODOT_4, Variant::from(Packed([Vector4::new(1.0, 2.0, 3.0, 4.0)]))),
        (godot3, Variant::from(Packed([Color::new(1.0, 2.0, 3.0, 4.0)]))),
    ] {
        let converted = to(&integers, pandemonium, dialect, OnLoss::Allow).unwrap();
        assert_eq!(Variant::from(parse(dialect, &converted.bytes).unwrap()), near);
        assert_eq!(converted.changed, 1);
    }
    let (quaternion, changed) = lossy(Vector4::new(1, 2, 3, 4), godot3);
    let (bytes, kind) = (encode(godot3, &quaternion).unwrap(), Kind::Quaternion);
    assert_eq!((parse(godot3, &bytes).unwrap().kind(), changed), (kind, 1));
    let (rect, _) = lossy(Rect2::new(Vector2::new(1, 2), Vector2::new(3, 4)), godot3);
    assert_eq!(rect, Rect2::new(Vector2::new(1.0, 2.0), Vector2::new(3.0, 4.0)).into());
    let columns = [1.0, 2.0, 3.0, 4.0].map(|it| Vector4::new(it, it, it, it));
    let [x, y, z, w] = columns;
    let (numbers, _) = lossy(Projection::new(x, y, z, w), godot3);
    let expected: Vec<f32> = [1.0, 2.0, 3.0, 4.0].into_iter().flat_map(|it| [it; 4]).collect();
    assert_eq!(numbers, Variant::from(Packed(expected)));
}

#[test]
fn typed_arrays_have_the_form_of_each_engine() {
    let elements = || array_of(ElementType::Kind(Kind::Vector2i), vec![Vector2::new(1, 2).into()]);
    let there = to(&elements().into(), Dialect::GODOT_4, Dialect::PANDEMONIUM_5, OnLoss::Refuse);
    let there = there.unwrap();
    let view = parse(Dialect::PANDEMONIUM_5, &there.bytes).unwrap();
    assert_eq!(Variant::from(view), Variant::TypedArray(elements()));
    let back = convert(view, Dialect::GODOT_4, OnLoss::Refuse).unwrap();
    assert_eq!(back.bytes, encode(Dialect::GODOT_4, &Variant::from(elements())).unwrap());
    let untyped = Variant::TypedArray(array_of(ElementType::Any, vec![]));
    assert!(to(&untyped, Dialect::PANDEMONIUM_5, Dialect::GODOT_4, OnLoss::Refuse).is_err());
}

/// The bytes of a value with a dictionary at `/a/1` that may have a key twice.
fn twice(dialect: Dialect, keys: &[Variant]) -> Vec<u8> {
    let mut builder = Builder::new(dialect, Vec::new());
    builder.begin_dictionary(1).unwrap();
    builder.string("a").unwrap();
    builder.begin_array(2).unwrap();
    builder.begin_dictionary(1).unwrap();
    builder.begin_array(0).unwrap();
    builder.end().unwrap();
    builder.int(0).unwrap();
    builder.end().unwrap();
    builder.begin_dictionary(keys.len()).unwrap();
    for (number, key) in keys.iter().enumerate() {
        key.encode(&mut builder).unwrap();
        builder.int(number as i64).unwrap();
    }
    (0..3).for_each(|_| builder.end().unwrap());
    builder.finish().unwrap()
}

#[test]
fn keys_that_become_equal_are_merged_or_refused() {
    let name = || Variant::StringName("hp".to_owned());
    let none = || Variant::from(Dictionary::new());
    let nan = || Variant::from(Packed([f32::NAN]));
    let (godot3, godot4) = (Dialect::GODOT_3, Dialect::GODOT_4);
    for (keys, from, dialect, left) in [
        // The keys are equal by the rule of the other engine.
        (vec![name(), "hp".into()], Dialect::PANDEMONIUM_5, godot4, name()),
        (vec!["hp".into(), name()], Dialect::PANDEMONIUM_4, godot4, "hp".into()),
        (vec![none(), none()], godot3, godot4, none()),
        (vec![nan(), nan()], godot3, godot4, nan()),
        (vec![variant!([{}]), variant!([{}])], godot3, godot4, variant!([{}])),
        // The keys become equal because the other engine lacks a kind.
        (vec![name(), "hp".into()], Dialect::PANDEMONIUM_5, godot3, "hp".into()),
    ] {
        let bytes = twice(from, &keys);
        let value = parse(from, &bytes).unwrap();
        let own = convert(value, from, OnLoss::Refuse).unwrap();
        assert_eq!((own.bytes, own.changed), (bytes.clone(), 0), "{keys:?} are two keys");
        let literal = value.to_string();
        let read = text::parse_for(from, &literal).unwrap();
        assert_eq!(encode(from, &read).unwrap(), bytes, "{literal}");
        #[cfg(feature = "json")]
        {
            let native = gdwire::json::to_string(value);
            let read = gdwire::json::parse_for(from, &native).unwrap();
            assert_eq!(encode(from, &read).unwrap(), bytes, "{native}");
        }
        let error = convert(value, dialect, OnLoss::Refuse).unwrap_err();
        assert_eq!(error.problem, Problem::MergedKeys { dialect }, "{keys:?}");
        assert_eq!((error.path.as_str(), error.kind), ("/a/1", Kind::Dictionary));
        let name = dialect.name();
        assert_eq!(error.to_string(), format!("/a/1: keys that differ are the same in {name}"));
        let merged = convert(value, dialect, OnLoss::Allow).unwrap();
        assert_eq!(merged.changed, 1);
        let view = parse(dialect, &merged.bytes).unwrap();
        let entries = view.at("/a/1").unwrap().value().as_dictionary().unwrap();
        let (key, value) = entries.iter().next().unwrap();
        assert_eq!((entries.len(), value.as_i64()), (1, Some(1)));
        assert_eq!(key.as_bytes(), encode(dialect, &left).unwrap());
    }
    // Engines with the same rule keep them apart.
    let bytes = twice(godot3, &[none(), none()]);
    let value = parse(godot3, &bytes).unwrap();
    let there = convert(value, Dialect::PANDEMONIUM_5, OnLoss::Refuse).unwrap();
    let there = parse(Dialect::PANDEMONIUM_5, &there.bytes).unwrap();
    assert_eq!(there.at("/a/1").unwrap().value().as_dictionary().unwrap().len(), 2);
    // The same key in both engines is no loss.
    let bytes = twice(godot3, &[variant!(1), variant!(2), variant!(1)]);
    let there = convert(parse(godot3, &bytes).unwrap(), godot4, OnLoss::Refuse).unwrap();
    let there = Variant::from(parse(godot4, &there.bytes).unwrap());
    assert_eq!(there, variant!({ "a": [{ []: 0 }, { 1: 2, 2: 1 }] }));
}

#[test]
fn a_value_at_the_depth_limit_converts() {
    let value = (0..MAX_DEPTH).fold(variant!(1), |inner, _| Variant::from([inner]));
    for dialect in Dialect::ALL {
        let converted = to(&value, Dialect::GODOT_4, *dialect, OnLoss::Refuse).unwrap();
        assert_eq!(Variant::from(parse(*dialect, &converted.bytes).unwrap()), value);
    }
}

#[test]
fn recorded_values_convert_or_the_error_says_why_not() {
    for (folder, from) in RECORDED {
        let values: Vec<Value> = lines(&format!("{folder}/values.ndjson"));
        for dialect in Dialect::ALL.iter().flat_map(|it| [*it, it.with_double_reals()]) {
            for value in &values {
                let bytes = unhex(&value.hex);
                let view = parse(from, &bytes).unwrap();
                let allowed = convert(view, dialect, OnLoss::Allow).unwrap();
                assert!(parse(dialect, &allowed.bytes).is_ok(), "{}", value.name);
                match convert(view, dialect, OnLoss::Refuse) {
                    Ok(converted) => {
                        assert_eq!((allowed.changed, &converted), (0, &allowed), "{}", value.name);
                        comes_back(view, &converted.bytes, dialect);
                    }
                    Err(error) => {
                        assert!(allowed.changed > 0 && dialect != from, "{}: {error}", value.name);
                    }
                }
            }
            // Every engine has the kinds of the specification.
            if folder == "godot3" {
                assert!(values.iter().all(|value| {
                    let bytes = unhex(&value.hex);
                    convert(parse(from, &bytes).unwrap(), dialect, OnLoss::Refuse).is_ok()
                }));
            }
        }
    }
}

/// Asserts that a converted value converts back to its canonical bytes.
fn comes_back(value: VariantRef<'_>, converted: &[u8], dialect: Dialect) {
    let has_names = |value: VariantRef<'_>| {
        let mut stack = WalkStack::new();
        value.walk(&mut stack).any(|event| match event {
            Event::Value(_, leaf) => leaf.kind() == Kind::StringName,
            Event::Begin(_, container) => {
                container.element_types().iter().any(|it| format!("{it:?}").contains("StringName"))
            }
            _ => false,
        })
    };
    if dialect.type_number(Kind::StringName).is_none() && has_names(value) {
        return;
    }
    // A dialect with reals of four bytes refuses those of a dialect with eight that it would have to
    // round, even if the value had eight bytes before.
    let is_rounded = dialect.has_double_reals() && !value.dialect().has_double_reals();
    let home = if is_rounded { value.dialect().with_double_reals() } else { value.dialect() };
    let own = convert(value, home, OnLoss::Refuse).unwrap();
    assert_eq!(own.changed, 0);
    let converted = parse(dialect, converted).unwrap();
    let back = convert(converted, home, OnLoss::Refuse).unwrap();
    assert_eq!(back, own);
}

fn real() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => (-1000i32..1000).prop_map(f64::from),
        1 => any::<f64>().prop_filter("NaN has many spellings", |real| !real.is_nan()),
    ]
}

fn vector4() -> impl Strategy<Value = Vector4<f64>> {
    (real(), real(), real(), real()).prop_map(|(x, y, z, w)| Vector4::new(x, y, z, w))
}

fn integers() -> impl Strategy<Value = Vector4<i32>> {
    any::<(i32, i32, i32, i32)>().prop_map(|(x, y, z, w)| Vector4::new(x, y, z, w))
}

fn element_type() -> impl Strategy<Value = ElementType> {
    prop_oneof![
        Just(ElementType::Any),
        proptest::sample::select(Kind::ALL)
            .prop_filter("no type is the type of anything", |kind| *kind != Kind::Nil)
            .prop_map(ElementType::Kind),
        "[A-Z][a-z]{1,4}".prop_map(ElementType::Class),
        "res://[a-z]{1,4}".prop_map(ElementType::Script),
    ]
}

fn leaf() -> impl Strategy<Value = Variant> {
    prop_oneof![
        Just(Variant::Nil),
        any::<bool>().prop_map(Variant::from),
        any::<i64>().prop_map(Variant::from),
        any::<f64>().prop_map(Variant::from),
        "[a-z]{0,6}".prop_map(Variant::from),
        "[a-z]{0,6}".prop_map(Variant::StringName),
        vector4().prop_map(|it| Vector2::new(it.x, it.y).into()),
        vector4().prop_map(|it| Vector3::new(it.x, it.y, it.z).into()),
        vector4().prop_map(Variant::from),
        vector4().prop_map(|it| Color::new(it.x, it.y, it.z, it.w).into()),
        (vector4(), vector4()).prop_map(|(a, b)| Projection::new(a, b, a, b).into()),
        integers().prop_map(|it| Vector2::new(it.x, it.y).into()),
        integers().prop_map(|it| Vector3::new(it.x, it.y, it.z).into()),
        integers().prop_map(Variant::from),
        Just(Variant::from(NodePath {
            is_absolute: true,
            names: vec!["a".to_owned()],
            subnames: vec![]
        })),
        prop_oneof![Just(0), any::<u64>()].prop_map(Variant::Rid),
        any::<u64>().prop_map(|id| if id == 0 { Object::Null } else { Object::Id(id) }.into()),
        Just(Variant::Callable),
        ("[a-z]{1,4}", any::<u64>())
            .prop_map(|(name, object_id)| Variant::from(Signal { name, object_id })),
        vec(any::<u8>(), 0..6).prop_map(|it| Packed(it).into()),
        vec(any::<i32>(), 0..4).prop_map(|it| Packed(it).into()),
        vec(any::<i64>(), 0..4).prop_map(|it| Packed(it).into()),
        vec(real(), 0..4).prop_map(|it| Packed(it).into()),
        vec(vector4(), 0..4).prop_map(|it| Packed(it).into()),
        vec(integers(), 0..4).prop_map(|it| Packed(it).into()),
    ]
}

fn value() -> impl Strategy<Value = Variant> {
    leaf().prop_recursive(4, 30, 5, |inner| {
        let array = || (element_type(), vec(inner.clone(), 0..5));
        let typed = |(element_type, elements)| array_of(element_type, elements);
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Variant::from),
            array().prop_map(move |it| Variant::Array(typed(it))),
            array().prop_map(move |it| Variant::TypedArray(typed(it))),
            array().prop_map(move |it| Variant::PackedTypedArray(typed(it))),
            (vec((inner.clone(), inner.clone()), 0..5), element_type(), element_type()).prop_map(
                |(entries, keys, values)| {
                    let entries: Dictionary = entries.into_iter().collect();
                    entries.typed(keys, values).into()
                }
            ),
            vec((inner.clone(), inner), 0..5)
                .prop_map(|entries| entries.into_iter().collect::<Dictionary>().into()),
        ]
    })
}

fn dialect() -> impl Strategy<Value = Dialect> {
    let all: Vec<Dialect> =
        Dialect::ALL.iter().flat_map(|dialect| [*dialect, dialect.with_double_reals()]).collect();
    proptest::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn conversions_without_loss_are_reversible(value in value(), from in dialect(), dialect in dialect()) {
        if let Ok(bytes) = encode(from, &value) {
            let view = parse(from, &bytes).unwrap();
            let own = convert(view, from, OnLoss::Refuse).unwrap();
            prop_assert_eq!((&own.bytes, own.changed), (&bytes, 0));
            let allowed = convert(view, dialect, OnLoss::Allow).unwrap();
            prop_assert!(parse(dialect, &allowed.bytes).is_ok());
            match convert(view, dialect, OnLoss::Refuse) {
                Ok(converted) => {
                    prop_assert_eq!(allowed.changed, 0);
                    prop_assert_eq!(&converted, &allowed);
                    comes_back(view, &converted.bytes, dialect);
                }
                Err(_) => prop_assert!(allowed.changed > 0),
            }
        }
    }
}

#[test]
fn wide_reals_are_rounded_as_the_engine_does_and_counted() {
    let near = |y: f64| Variant::from(Vector2::new(1.0, y));
    // Two keys that are the same once they are rounded.
    let entries = [(near(0.1), Variant::from(1)), (near(f64::from(0.1f32)), Variant::from(2))];
    let bytes = encode(DOUBLE, &Variant::from(Dictionary::from_iter(entries))).unwrap();
    let value = parse(DOUBLE, &bytes).unwrap();
    for narrow in [Dialect::GODOT_4, Dialect::GODOT_3, Dialect::PANDEMONIUM_5] {
        let error = convert(value, narrow, OnLoss::Refuse).unwrap_err();
        assert_eq!(error.path, "/Vector2(1, 0.1)");
        let converted = convert(value, narrow, OnLoss::Allow).unwrap();
        assert_eq!(converted.changed, 2, "one is rounded, two are merged");
        let merged = parse(narrow, &converted.bytes).unwrap();
        assert_eq!(merged.as_dictionary().unwrap().len(), 1);
    }
    for wide in [DOUBLE, Dialect::GODOT_3.with_double_reals()] {
        assert_eq!(convert(value, wide, OnLoss::Refuse).unwrap().changed, 0);
    }
}

#[test]
fn reals_keep_their_width_in_their_own_dialect() {
    for reals in [[1.0, 0.5, 2.0], [16_777_217.0, 0.1, 1e300]] {
        let [x, y, z] = reals;
        let wide = RealValue::double(Vector3::new(x, y, z));
        let bytes = encode(Dialect::GODOT_4, &variant!({"at": (Variant::Vector3(wide))})).unwrap();
        let value = parse(Dialect::GODOT_4, &bytes).unwrap();
        assert!(value.get("at").unwrap().is_wide());
        for loss in [OnLoss::Refuse, OnLoss::Allow] {
            let converted = convert(value, Dialect::GODOT_4, loss).unwrap();
            assert_eq!((converted.bytes, converted.changed), (bytes.clone(), 0));
        }
    }
    // A real that fits in four bytes is not a loss in a dialect with only four.
    let narrow = |x: f64| Variant::Vector2(RealValue::double(Vector2::new(x, 0.5)));
    let bytes = encode(Dialect::GODOT_4, &narrow(1.0)).unwrap();
    let value = parse(Dialect::GODOT_4, &bytes).unwrap();
    let there = convert(value, Dialect::GODOT_3, OnLoss::Refuse).unwrap();
    assert_eq!((there.bytes.len(), there.changed), (12, 0));
    let bytes = encode(Dialect::GODOT_4, &variant!([(narrow(1e300))])).unwrap();
    let value = parse(Dialect::GODOT_4, &bytes).unwrap();
    let error = convert(value, Dialect::GODOT_3, OnLoss::Refuse).unwrap_err();
    assert_eq!(
        (error.path.as_str(), error.problem),
        (
            "/0",
            Problem::Encode(EncodeProblem::Real {
                kind: Kind::Vector2,
                dialect: Dialect::GODOT_3,
                component: 0,
                value: 1e300,
            })
        )
    );
}

/// Converts through an owned tree. The result must be the same as without a tree.
fn converted_tree(value: VariantRef<'_>, to: Dialect, loss: OnLoss) -> Option<Converted> {
    let merged = encode(value.dialect(), &Variant::from(value)).unwrap();
    convert(parse(value.dialect(), &merged).unwrap(), to, loss).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn keys_that_come_twice_are_merged_as_in_a_tree(
        keys in vec(prop_oneof![leaf(), (-2i64..2).prop_map(Variant::from), Just(variant!("a")), Just(Variant::StringName("a".into())), Just(variant!([1])), Just(variant!(0.0)), Just(variant!(-0.0)), Just(variant!(f64::NAN)), Just(variant!({})), Just(variant!([{}])), Just(Variant::from(Packed([f32::NAN])))], 0..40),
        from in dialect(),
        dialect in dialect(),
    ) {
        let mut bytes = Vec::new();
        let mut builder = Builder::new(from, &mut bytes);
        let keys: Vec<Variant> = keys.into_iter().filter(|key| encode(from, key).is_ok()).collect();
        builder.begin_array(1).unwrap();
        builder.begin_dictionary(keys.len()).unwrap();
        for (number, key) in keys.iter().enumerate() {
            key.encode(&mut builder).unwrap();
            builder.int(number as i64).unwrap();
        }
        builder.end().unwrap();
        builder.end().unwrap();
        builder.finish().unwrap();
        let value = parse(from, &bytes).unwrap();
        for loss in [OnLoss::Refuse, OnLoss::Allow] {
            let converted = convert(value, dialect, loss).ok();
            prop_assert_eq!(&converted, &converted_tree(value, dialect, loss));
            // No key is left twice by the rule of the dialect, and none disappears silently.
            if let Some(Converted { bytes, changed, .. }) = converted {
                let there = Variant::from(parse(dialect, &bytes).unwrap());
                prop_assert_eq!(&encode(dialect, &there).unwrap(), &bytes);
                let len = |value: &Variant| value[0].as_dictionary().map(Dictionary::len);
                prop_assert!(changed > 0 || len(&there) == len(&Variant::from(value)));
            }
        }
    }
}
