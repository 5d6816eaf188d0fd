//! Tests of the views of recorded values: kinds, types and content.

use crate::common::{recorded_values, unhex};
use gdwire::math::Vector2;
use gdwire::owned::{RealArray, RealValue};
use gdwire::view::{NodePathRef, ObjectRef};
use gdwire::walk::{Event, WalkStack};
use gdwire::{Array, Dialect, ElementType, Kind, Packed, Variant, View, encode, parse, variant};
use std::collections::HashSet;

#[test]
fn reals_are_borrowed_as_wide_as_they_are() {
    let mut seen = [0; 2];
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        let value = parse(dialect, &bytes).unwrap();
        let of_doubles = dialect.has_double_reals();
        macro_rules! check {
            ($($name:ident $component:ident,)*) => {
                match value.view() {
                    $(View::$name(real) => {
                        // A color has singles in every engine.
                        let is_wide = of_doubles && stringify!($name) != "Color";
                        let (single, double) = (real.as_single(), real.as_double());
                        assert_eq!((single.is_some(), double.is_some()), (!is_wide, is_wide));
                        let same = |one: f64, other: f64| one.to_bits() == other.to_bits();
                        let exact = f64::from(real.to::<f32>().$component);
                        let wide = real.to::<f64>().$component;
                        assert!(single.is_none_or(|it| same(it.$component.get().into(), exact)));
                        assert!(double.is_none_or(|it| same(it.$component.get(), wide)));
                        seen[usize::from(is_wide)] += 1;
                    })*
                    _ => {}
                }
            };
        }
        check! {
            Vector2 y, Vector3 z, Vector4 w, Plane d, Quaternion w, Color a,
        }
    }
    assert!(seen[0] > 30 && seen[1] > 5, "{seen:?}");
}

#[test]
fn reals_are_equal_if_their_numbers_are_whatever_their_width() {
    let wide = Dialect::GODOT_4.with_double_reals();
    let all = [(Dialect::GODOT_4, 2.0), (wide, 2.0), (wide, -2.0)].map(|(dialect, y)| {
        let point = Vector2::new(1.5, y);
        let one = Variant::Vector2(RealValue::double(point));
        let list = Variant::PackedVector2Array(RealArray::double(vec![point]));
        (dialect, [one, list].map(|value| encode(dialect, &value).unwrap()))
    });
    let views = all.each_ref().map(|(dialect, [one, list])| {
        match [one, list].map(|bytes| parse(*dialect, bytes).unwrap().view()) {
            [View::Vector2(one), View::PackedVector2Array(list)] => (one, list),
            _ => panic!("{dialect}"),
        }
    });
    let [single, double, other] = views.map(|(one, _)| one);
    assert!(single == double && double == double && single != other && double != other);
    let [single, double, other] = views.map(|(_, list)| list);
    assert!(single == double && double == double && single != other && double != other);
}

#[test]
fn lists_are_empty_if_they_have_no_items() {
    let mut seen = HashSet::new();
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        let value = parse(dialect, &bytes).unwrap();
        let (len, is_empty, count) = match value.view() {
            View::PackedStringArray(it) => {
                let by_index: Vec<_> = (0..=it.len()).map_while(|index| it.get(index)).collect();
                assert!(by_index.into_iter().eq(it.iter()), "{}", line.name);
                (it.len(), it.is_empty(), it.iter().count())
            }
            View::PackedVector2Array(it) => (it.len(), it.is_empty(), it.iter::<f32>().count()),
            View::PackedVector3Array(it) => (it.len(), it.is_empty(), it.iter::<f64>().count()),
            View::PackedColorArray(it) => (it.len(), it.is_empty(), it.iter::<f32>().count()),
            View::Array(it) => (it.len(), it.is_empty(), it.iter().count()),
            View::Dictionary(it) => (it.len(), it.is_empty(), it.iter().count()),
            View::Object(ObjectRef::Instance(it)) => {
                (it.len(), it.is_empty(), it.properties().count())
            }
            View::NodePath(it) => {
                let count = it.names().count() + it.subnames().count();
                (count, it.is_empty(), count)
            }
            _ => continue,
        };
        assert_eq!((len, is_empty), (count, count == 0), "{}", line.name);
        seen.insert((value.kind(), is_empty));
    }
    assert!(seen.len() > 10, "{seen:?}");
}

/// Each key of a dictionary finds the last value with such a key.
#[test]
fn keys_of_any_type_find_their_values() {
    let mut seen = HashSet::new();
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        let Some(entries) = parse(dialect, &bytes).unwrap().as_dictionary() else { continue };
        for (key, _) in entries.iter() {
            let is_same = |other: gdwire::VariantRef<'_>| match (key.as_str(), other.as_str()) {
                (Some(one), Some(other)) => one == other,
                _ => other == key,
            };
            let last = entries.iter().filter(|(other, _)| is_same(*other)).last();
            let found = entries.get(key).map(|value| value.as_bytes().as_ptr());
            assert_eq!(found, last.map(|(_, value)| value.as_bytes().as_ptr()), "{}", line.name);
            // Keys of Rust find the same.
            let short = key.as_i64().and_then(|key| i32::try_from(key).ok());
            let by_key = [
                key.as_str().map(|key| entries.get(key)),
                key.as_bool().map(|key| entries.get(key)),
                key.as_i64().map(|key| entries.get(key)),
                short.map(|key| entries.get(key)),
            ];
            for value in by_key.into_iter().flatten() {
                assert_eq!(value.map(|value| value.as_bytes().as_ptr()), found, "{}", line.name);
            }
            seen.insert(key.kind());
        }
    }
    assert!(seen.len() > 3, "{seen:?}");
    let both = encode(Dialect::GODOT_4, &variant!({ false: 1, true: 2 })).unwrap();
    let entries = parse(Dialect::GODOT_4, &both).unwrap().as_dictionary().unwrap();
    assert_eq!([false, true].map(|key| entries.get(key).unwrap().as_i64().unwrap()), [1, 2]);
}

#[test]
fn dialects_are_told_apart_in_sets() {
    let all = Dialect::ALL.iter().copied();
    let set: HashSet<Dialect> = all.clone().chain(all.clone()).collect();
    assert_eq!(set.len(), all.len());
}

#[test]
fn a_number_that_does_not_fit_has_its_place() {
    let sentence = |array: Variant| {
        let bytes = encode(Dialect::GODOT_4, &array).unwrap();
        let result = parse(Dialect::GODOT_4, &bytes).unwrap().to::<Vec<u8>>();
        result.unwrap_err().to_string()
    };
    // Behind the header and the count, each number has 1, 4 or 8 bytes.
    assert_eq!(
        sentence(Packed(vec![1_i32, 2, 300]).into()),
        "/2: the int 300 at byte 16 does not fit in u8"
    );
    assert_eq!(
        sentence(Packed(vec![1_i64, 2, 300]).into()),
        "/2: the int 300 at byte 24 does not fit in u8"
    );
    let doubles = encode(Dialect::GODOT_4, &Variant::from(Packed(vec![0.5, 1.0, 1e300]))).unwrap();
    let error = parse(Dialect::GODOT_4, &doubles).unwrap().to::<Vec<f32>>().unwrap_err();
    assert!(error.to_string().starts_with("/2: "), "{error}");
    assert!(error.to_string().contains("at byte 24"), "{error}");
}

#[test]
fn paths_are_equal_if_all_their_parts_are() {
    let texts = ["", "/", "a", "/a", "a/b", "/a/b", "a:b", "/a:b", "a:b:c", "b", ":b"];
    for (one, other) in texts.iter().flat_map(|one| texts.map(|other| (*one, other))) {
        let [left, right] = [one, other].map(NodePathRef::from);
        assert_eq!(left == right, one == other, "{one} {other}");
    }
}

/// Views of two values are equal if the values read from them are.
#[test]
fn recorded_values_are_equal_if_their_owned_forms_are() {
    let mut equal = 0;
    for (folder, lines) in
        recorded_values().chunk_by(|(one, _), (other, _)| one == other).enumerate()
    {
        let (dialect, _) = lines[0];
        let bytes: Vec<_> = lines.iter().map(|(_, line)| unhex(&line.hex)).collect();
        let views: Vec<_> = bytes.iter().map(|bytes| parse(dialect, bytes).unwrap()).collect();
        let owned: Vec<_> = views.iter().map(|view| Variant::from(*view)).collect();
        for (at, one) in views.iter().enumerate() {
            for (place, other) in views.iter().enumerate() {
                let is_equal = one == other;
                assert_eq!(is_equal, owned[at] == owned[place], "{folder}: {at} {place}");
                equal += usize::from(is_equal);
            }
        }
    }
    assert!(equal > 500, "{equal}");
}

#[test]
fn floats_and_ints_are_read_as_floats() {
    for (value, float) in [
        (variant!(2.5), Some(2.5)),
        (variant!(-7), Some(-7.0)),
        (variant!(i64::MAX), Some(9_223_372_036_854_775_807.0)),
        (variant!("2.5"), None),
        (variant!(true), None),
    ] {
        let bytes = encode(Dialect::GODOT_4, &value).unwrap();
        assert_eq!(parse(Dialect::GODOT_4, &bytes).unwrap().as_f64(), float, "{value:?}");
    }
}

#[test]
fn ends_of_containers_are_equal_if_their_kinds_are_and_both_are_typed_or_not() {
    let typed = Array::from(vec![]).typed(ElementType::Kind(Kind::Int));
    let value = Variant::Array(Array::from(vec![
        variant!([]),
        variant!([1]),
        variant!({}),
        Variant::Array(typed),
    ]));
    let bytes = encode(Dialect::GODOT_4, &value).unwrap();
    let mut stack = WalkStack::new();
    let ends: Vec<_> = parse(Dialect::GODOT_4, &bytes)
        .unwrap()
        .walk(&mut stack)
        .filter_map(|event| if let Event::End(end) = event { Some(end) } else { None })
        .collect();
    let [array, other, dictionary, typed, whole] = ends[..] else { panic!("{ends:?}") };
    assert!(array == other && array == whole);
    assert!(array != dictionary && array != typed);
}
