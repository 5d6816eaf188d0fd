//! Properties that hold for every value and for every input.

use crate::common::{Value, lines, real, unhex, value};
use gdwire::convert::{OnLoss, convert};
use gdwire::encode::{Builder, EncodeProblem, patch_into};
use gdwire::math::{Basis, Color, Transform3D, Vector2, Vector3};
use gdwire::owned::{RealArray, RealValue};
use gdwire::stream::{Progress, Scanner};
use gdwire::text::Layout;
use gdwire::view::segment;
use gdwire::walk::{Event, WalkStack, events};
use gdwire::{
    Dialect, Kind, Packed, Streamed, Variant, VariantRef, View, encode, encode_to_slice,
    encoded_len, parse, parse_prefix, parse_streaming, variant,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::LazyLock;

/// Math values and packed arrays whose reals have any value and either width.
fn reals_of_any_width() -> impl Strategy<Value = Variant> {
    let real = || prop_oneof![real(), any::<f64>(), Just(0.1), Just(16_777_217.0), Just(1e300)];
    let four = (real(), real(), real(), real());
    macro_rules! made {
        ($how:expr, $kind:ident $array:ident, $value:expr) => {{
            let value = $value;
            [
                Variant::$kind(RealValue::double(value)),
                Variant::$kind(RealValue::decimal(value)),
                Variant::from(value),
                Variant::from(value.to::<f32>()),
                Variant::$array(RealArray::double(vec![value; 3])),
                Variant::$array(RealArray::decimal(vec![value; 3])),
                Variant::from(Packed([value; 3])),
                Variant::from(Packed([value.to::<f32>(); 3])),
            ][$how % 8]
                .clone()
        }};
    }
    (four, 0..32_usize).prop_map(|((x, y, z, w), how)| match how / 8 {
        0 => made!(how, Vector2 PackedVector2Array, Vector2::new(x, y)),
        1 => made!(how, Vector3 PackedVector3Array, Vector3::new(x, y, z)),
        2 => made!(how, Color PackedColorArray, Color::new(x, y, z, w)),
        _ => {
            let axis = Vector3::new(x, y, z);
            let transform = Transform3D::new(Basis::from_axes(axis, axis, axis), axis);
            match how % 3 {
                0 => Variant::Transform3D(Box::new(RealValue::double(transform))),
                1 => Variant::Transform3D(Box::new(RealValue::decimal(transform))),
                _ => Variant::from(transform),
            }
        }
    })
}

/// The reals of the only value in a list.
fn double(value: VariantRef<'_>) -> Vec<f64> {
    let mut stack = WalkStack::new();
    let leaf = value.walk(&mut stack).find_map(|event| match event {
        Event::Value(_, leaf) => Some(leaf),
        _ => None,
    });
    let leaf = leaf.unwrap();
    let flat = |vectors: Vec<Vector3<f64>>| vectors.iter().flat_map(|v| [v.x, v.y, v.z]).collect();
    let color = |c: Color<f64>| [c.r, c.g, c.b, c.a];
    match leaf.view() {
        View::Vector2(it) => vec![it.to::<f64>().x, it.to::<f64>().y],
        View::Vector3(it) => flat(vec![it.to()]),
        View::Color(it) => color(it.to()).into(),
        View::Transform3D(it) => {
            let it = it.to::<f64>();
            flat(it.basis.rows.into_iter().chain([it.origin]).collect())
        }
        View::PackedVector2Array(it) => it.iter::<f64>().flat_map(|v| [v.x, v.y]).collect(),
        View::PackedVector3Array(it) => flat(it.iter().collect()),
        View::PackedColorArray(it) => it.iter().flat_map(color).collect(),
        other => panic!("{other:?}"),
    }
}

/// A dialect and a value of it.
fn sample() -> impl Strategy<Value = (Dialect, Variant)> {
    dialect().prop_flat_map(|dialect| (Just(dialect), value(dialect)))
}

/// Every dialect, with both widths of reals.
fn dialect() -> impl Strategy<Value = Dialect> {
    let all: Vec<Dialect> =
        Dialect::ALL.iter().flat_map(|dialect| [*dialect, dialect.with_double_reals()]).collect();
    proptest::sample::select(all)
}

fn recorded() -> &'static [Vec<u8>] {
    static RECORDED: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
        let folders = ["godot3", "godot4", "godot4-double", "pandemonium4", "pandemonium5"];
        let lines =
            folders.into_iter().flat_map(|name| lines::<Value>(&format!("{name}/values.ndjson")));
        lines.map(|line| unhex(&line.hex)).collect()
    });
    &RECORDED
}

/// Reads bytes in every way. None panics, and all agree.
fn read(dialect: Dialect, bytes: &[u8]) {
    let parsed = parse_prefix(dialect, bytes);
    let mut stack = WalkStack::new();
    let mut walked = events(dialect, bytes, &mut stack);
    let last = walked.by_ref().last().expect("an event or an error");
    assert!(walked.next().is_none());
    match &parsed {
        Ok((rest, value)) => {
            assert!(last.is_ok());
            assert_eq!(walked.rest(), *rest);
            let mut own_stack = WalkStack::new();
            assert_eq!(
                value.walk(&mut own_stack).count(),
                events(dialect, bytes, &mut stack).count()
            );
            let canonical = encode(dialect, value).unwrap();
            let owned = |bytes: &[u8]| {
                encode(dialect, &Variant::from(parse(dialect, bytes).unwrap())).unwrap()
            };
            // An object that is null is written as null, which may also be a key. As in the
            // engines, the two keys are merged when they are read again.
            let merged = owned(&owned(&canonical));
            assert!(merged.len() <= canonical.len());
            assert_eq!(owned(&merged), merged);
            for (key, value) in value.as_dictionary().into_iter().flatten() {
                assert!(key.as_bytes().len() >= 4 && value.as_bytes().len() >= 4);
            }
        }
        Err(error) => {
            assert_eq!(last.unwrap_err(), *error);
            let path = error.path(dialect, bytes).to_string();
            assert!(path.is_empty() || path.starts_with('/'), "{path}");
        }
    }
    let streamed = parse_streaming(dialect, bytes);
    let scanned = Scanner::new(dialect).push(bytes);
    match (streamed, scanned) {
        (Ok(Streamed::Value { value, .. }), Ok(Progress::Done { len: length, .. })) => {
            assert_eq!(value.as_bytes().len(), length)
        }
        (Ok(Streamed::Needed(needed)), Ok(Progress::Needed(scanned))) => {
            assert_eq!(needed, scanned);
        }
        (Err(error), Err(scanned)) => assert_eq!(error, scanned),
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_survives((dialect, value) in sample()) {
        let bytes = encode(dialect, &value).unwrap();
        prop_assert_eq!(encoded_len(dialect, &value), Ok(bytes.len()));
        prop_assert_eq!(bytes.len() % 4, 0);
        let view = parse(dialect, &bytes).unwrap();
        let back = Variant::from(view);
        // NaN equals nothing: bytes are compared.
        prop_assert_eq!(&encode(dialect, &back).unwrap(), &bytes);
        prop_assert_eq!(&encode(dialect, &view).unwrap(), &bytes);
        read(dialect, &bytes);
        let mut walk = WalkStack::new();
        let depth = view.walk(&mut walk).fold((0i32, 0), |(depth, deepest), event| match event {
            Event::Begin(..) => (depth + 1, deepest.max(depth + 1)),
            Event::End(_) => (depth - 1, deepest),
            _ => (depth, deepest),
        });
        prop_assert_eq!(depth.0, 0);
    }

    #[test]
    fn reals_are_written_as_they_are_read(value in reals_of_any_width(), dialect in dialect(), other in dialect()) {
        let value = variant!([value]);
        let bytes = match encode(dialect, &value) {
            Ok(bytes) => bytes,
            Err(error) => {
                prop_assert_eq!(error.path(), "/0");
                let is_real = matches!(error.problem(), EncodeProblem::Real { .. });
                let has_colors = matches!(value[0].kind(), Kind::Color | Kind::PackedColorArray);
                prop_assert!(is_real && (has_colors || !dialect.has_double_reals()));
                // Rounded, it is written everywhere.
                let wide = encode(Dialect::GODOT_3.with_double_reals(), &value).unwrap();
                let view = parse(Dialect::GODOT_3.with_double_reals(), &wide).unwrap();
                let rounded = convert(view, dialect, OnLoss::Allow).unwrap();
                prop_assert_eq!(rounded.changed, 1);
                return Ok(());
            }
        };
        // A reader of Godot 4 reads both widths.
        let readers = [dialect, if dialect.name() == "godot4" { Dialect::GODOT_4 } else { dialect }];
        for reader in readers {
            let view = parse(reader, &bytes).unwrap();
            prop_assert_eq!(&encode(reader, &view).unwrap(), &bytes);
            prop_assert_eq!(&encode(reader, &Variant::from(view)).unwrap(), &bytes);
            let converted = convert(view, reader, OnLoss::Refuse).unwrap();
            prop_assert_eq!((&converted.bytes, converted.changed), (&bytes, 0));
            prop_assert_eq!(encoded_len(reader, &view), Ok(bytes.len()));
            #[cfg(feature = "serde")]
            {
                let owned: Variant = gdwire::from_slice(reader, &bytes).unwrap();
                prop_assert_eq!(&gdwire::to_vec(reader, &owned).unwrap(), &bytes);
                prop_assert_eq!(&gdwire::to_vec(reader, &view).unwrap(), &bytes);
            }
            // If another dialect can express the number, it is the same there.
            if let Ok(there) = convert(view, other, OnLoss::Refuse) {
                let there = parse(other, &there.bytes).unwrap();
                prop_assert_eq!(format!("{:?}", double(there)), format!("{:?}", double(view)));
            }
        }
    }

    /// Keys may come twice, and in some dialects as a string and as a string name.
    #[test]
    fn views_and_owned_values_find_the_same_entry(
        keys in vec((0usize..4, any::<bool>()), 0..8),
        dialect in dialect(),
    ) {
        let has_names = dialect.type_number(Kind::StringName).is_some();
        let texts = ["a", "b", "a/b", "2"];
        let mut keys = keys;
        if dialect.name().starts_with("pandemonium") {
            // Merging two equal keys would move the last value to the place of the first key,
            // before a key with the same text but the other kind. No engine writes a key twice.
            let mut seen = std::collections::HashSet::new();
            keys.retain(|key| seen.insert(*key));
        }
        let mut builder = Builder::new(dialect, Vec::new());
        builder.begin_array(1).unwrap();
        builder.begin_dictionary(keys.len()).unwrap();
        for (number, (key, is_name)) in keys.iter().enumerate() {
            match (*key, *is_name) {
                (3, true) => builder.int(2).unwrap(),
                (key, true) if has_names => builder.string_name(texts[key]).unwrap(),
                (key, _) => builder.string(texts[key]).unwrap(),
            }
            builder.int(number as i64).unwrap();
        }
        builder.end().unwrap();
        builder.end().unwrap();
        let bytes = builder.finish().unwrap();
        let view = parse(dialect, &bytes).unwrap();
        let owned = Variant::from(view);
        let entries = view.get(0).and_then(|it| it.as_dictionary()).unwrap();
        for text in texts {
            let path = format!("/0/{}", segment(text));
            let found = entries.get(text).and_then(|it| it.as_i64());
            prop_assert_eq!(owned[0].get(text).and_then(Variant::as_i64), found);
            let by_path = view.pointer(&path).and_then(|it| it.as_i64());
            prop_assert!(found.is_none() || by_path == found);
            prop_assert_eq!(owned.pointer(&path).and_then(Variant::as_i64), by_path);
            // A patch and the owned ways change the same entry, and in the same way.
            let mut changed = owned.clone();
            let Some(place) = changed.pointer_mut(&path) else { continue };
            *place = variant!(-1);
            let patched = patch_into(view, &path, &-1, Vec::new()).unwrap();
            prop_assert_eq!(&Variant::from(parse(dialect, &patched).unwrap()), &changed);
            if found.is_some() {
                let mut inserted = owned.clone();
                let entries = inserted[0].as_dictionary_mut().unwrap();
                prop_assert_eq!(entries.insert(text, -1).and_then(|it| it.as_i64()), found);
                prop_assert_eq!(&inserted, &changed);
                let entries = inserted[0].as_dictionary_mut().unwrap();
                prop_assert_eq!(entries.remove(text), Some(variant!(-1)));
                prop_assert_eq!(entries.get(text), None);
            }
        }
    }

    #[test]
    fn a_literal_is_the_value((dialect, value) in sample()) {
        let bytes = encode(dialect, &value).unwrap();
        for layout in [Layout::Multiline, Layout::Line] {
            let literal = parse(dialect, &bytes).unwrap().display(layout).to_string();
            let back = gdwire::text::parse_for(dialect, &literal).unwrap();
            prop_assert_eq!(&encode(dialect, &back).unwrap(), &bytes, "{}", literal);
        }
    }

    #[cfg(feature = "json")]
    #[test]
    fn json_is_the_value((dialect, value) in sample()) {
        let bytes = encode(dialect, &value).unwrap();
        let json = gdwire::json::to_string(parse(dialect, &bytes).unwrap());
        let back = gdwire::json::parse_for(dialect, &json).unwrap();
        prop_assert_eq!(&encode(dialect, &back).unwrap(), &bytes, "{}", json);
    }

    #[test]
    fn a_slice_that_is_too_small_says_how_much_is_needed(value in value(Dialect::GODOT_3), room in 0usize..200) {
        let bytes = encode(Dialect::GODOT_3, &value).unwrap();
        let mut slice = vec![0xaa; room];
        match encode_to_slice(Dialect::GODOT_3, &value, &mut slice) {
            Ok(length) => prop_assert_eq!(&slice[..length], &bytes[..]),
            Err(error) => prop_assert_eq!(error.problem(), EncodeProblem::BufferTooSmall { needed: bytes.len(), available: room }),
        }
    }

    #[test]
    fn a_cut_value_is_incomplete((dialect, value) in sample(), at in any::<prop::sample::Index>()) {
        let bytes = encode(dialect, &value).unwrap();
        let at = at.index(bytes.len());
        match parse_streaming(dialect, &bytes[..at]) {
            Ok(Streamed::Needed(needed)) => prop_assert!(needed <= bytes.len() - at),
            other => prop_assert!(false, "{:?}", other),
        }
        match parse(dialect, &bytes[..at]) {
            // The engines read a byte array that lacks its padding at the very end.
            Ok(_) => prop_assert!(bytes.len() - at < 4),
            Err(error) => prop_assert!(error.is_unexpected_end() && error.offset <= at),
        }
        read(dialect, &bytes[..at]);
    }

    #[test]
    fn random_bytes_never_panic(bytes in vec(any::<u8>(), 0..200), dialect in dialect()) {
        read(dialect, &bytes);
    }

    #[test]
    fn random_small_numbers_never_panic(bytes in vec(prop_oneof![4 => Just(0u8), 1 => 0u8..32, 1 => any::<u8>()], 0..200), dialect in dialect()) {
        read(dialect, &bytes);
    }

    #[test]
    fn a_changed_value_never_panics(
        which in any::<prop::sample::Index>(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        dialect in dialect(),
    ) {
        let recorded = recorded();
        let mut bytes = recorded[which.index(recorded.len())].clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        read(dialect, &bytes);
    }
}
