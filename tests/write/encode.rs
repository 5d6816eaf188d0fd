//! Writing values: widths of reals, errors with their paths, the builder, and changes in place.

use gdwire::encode::{Builder, Encode, EncodeProblem, PatchError, SliceSink, patch, patch_into};
use gdwire::math::{Color, Quaternion, Rect2, Transform3D, Vector2, Vector3};
use gdwire::owned::{Instance, RealArray, RealValue};
use gdwire::view::{ObjectRef, View};
use gdwire::{
    Array, Dialect, Dictionary, EncodeError, Kind, MAX_DEPTH, NodePath, Packed, Signal, Variant,
    VariantRef, encode, encode_to_slice, encoded_len, parse, parse_prefix, variant,
};
use std::collections::BTreeMap;

const GODOT_3: Dialect = Dialect::GODOT_3;
const GODOT_4: Dialect = Dialect::GODOT_4;

fn all_dialects() -> impl Iterator<Item = Dialect> {
    Dialect::ALL.iter().flat_map(|dialect| [*dialect, dialect.with_double_reals()])
}

#[track_caller]
fn problem<T: std::fmt::Debug>(result: Result<T, EncodeError>) -> EncodeProblem {
    result.unwrap_err().problem()
}

/// `Vector3(16777217, 0.1, 1e300)` as Godot 4 with double precision writes it.
fn wide_vector() -> Vec<u8> {
    let mut bytes = vec![9, 0, 1, 0];
    for real in [16_777_217.0_f64, 0.1, 1e300] {
        bytes.extend(real.to_le_bytes());
    }
    bytes
}

#[test]
fn reals_read_with_eight_bytes_are_written_with_eight() {
    let bytes = wide_vector();
    let value = parse(GODOT_4, &bytes).unwrap();
    assert_eq!(encode(value.dialect(), &value).unwrap(), bytes);
    assert_eq!(encode(value.dialect(), &Variant::from(value)).unwrap(), bytes);
    let owned = variant!({"players": [{"at": (Variant::from(value))}]});
    for dialect in [GODOT_3, Dialect::PANDEMONIUM_5] {
        let error = encode(dialect, &owned).unwrap_err();
        let component = 0;
        let (kind, value) = (Kind::Vector3, 16_777_217.0);
        assert_eq!(error.problem(), EncodeProblem::Real { kind, dialect, component, value });
        assert_eq!(error.path(), "/players/0/at");
        assert_eq!(
            error.to_string(),
            format!(
                "/players/0/at: component x of a Vector3 is 16777217.0, which {dialect} cannot write \
                 with four bytes: round it to f32, or write double reals"
            )
        );
    }
    let double = GODOT_3.with_double_reals();
    let there = encode(double, &owned).unwrap();
    let at = parse(double, &there).unwrap().pointer("/players/0/at").unwrap();
    assert_eq!(at.as_vector3::<f64>(), value.as_vector3());
}

#[test]
fn exact_reals_keep_eight_bytes_only_where_they_had_them() {
    let exact = Vector2::new(1.5, -2.0);
    let wide = Variant::Vector2(RealValue::double(exact));
    let typed = Variant::from(exact);
    assert_eq!(wide, typed);
    for dialect in all_dialects() {
        let is_flagged = dialect.name() == "godot4";
        let double = dialect.has_double_reals();
        let long = |is_long: bool| if is_long { 20 } else { 12 };
        assert_eq!(encode(dialect, &wide).unwrap().len(), long(double || is_flagged), "{dialect}");
        assert_eq!(encode(dialect, &typed).unwrap().len(), long(double), "{dialect}");
        assert_eq!(encode(dialect, &exact).unwrap().len(), long(double), "{dialect}");
        // Not exact with four bytes.
        let typed = Vector2::new(0.1, 1.0);
        let written = [encode(dialect, &typed), encode(dialect, &Variant::from(typed))];
        for written in written {
            match written {
                Ok(bytes) => {
                    assert!(double || is_flagged);
                    let back = parse(dialect, &bytes).unwrap();
                    assert_eq!((bytes.len(), back.as_vector2()), (20, Some(typed)));
                }
                Err(error) => {
                    assert!(!double && !is_flagged);
                    assert!(
                        error.to_string().contains("component x of a Vector2 is 0.1"),
                        "{error}"
                    );
                }
            }
        }
        // An f32, or an explicitly rounded real, can be written everywhere.
        assert_eq!(encode(dialect, &typed.to::<f32>()).unwrap().len(), long(double));
        // Literals have no width.
        let read: Variant = "Vector2(0.1, 1)".parse().unwrap();
        assert_eq!(encode(dialect, &read).unwrap().len(), long(double));
        let huge: Variant = "[Vector2(0.1, 1e300)]".parse().unwrap();
        match encode(dialect, &huge) {
            Ok(_) => assert!(double),
            Err(error) => {
                assert!(!double);
                assert_eq!(error.path(), "/0");
                let is_second = matches!(
                    error.problem(),
                    EncodeProblem::Real { component: 1, value: 1e300, .. }
                );
                assert!(is_second, "{error}");
            }
        }
        let infinite: Variant = "Vector2(inf, nan)".parse().unwrap();
        assert_eq!(encode(dialect, &infinite).unwrap().len(), long(double));
    }
}

#[test]
fn packed_arrays_and_boxed_values_have_widths_too() {
    let points = vec![Vector2::new(1.0, 2.0), Vector2::new(0.1, 4.0)];
    let wide = Variant::PackedVector2Array(RealArray::double(points.clone()));
    assert_eq!(encode(GODOT_4, &wide).unwrap().len(), 8 + 32);
    assert_eq!(encode(GODOT_4, &points[..1]).unwrap().len(), 8 + 12);
    let mut narrow = Vec::new();
    let mut builder = Builder::new(GODOT_3, &mut narrow);
    let (kind, dialect, component, value) = (Kind::PackedVector2Array, GODOT_3, 2, 0.1);
    assert_eq!(
        problem(builder.vector2_array(&points)),
        EncodeProblem::Real { kind, dialect, component, value }
    );
    assert_eq!(
        encode(GODOT_3, &wide).unwrap_err().to_string(),
        "number 2 of a PackedVector2Array is 0.1, which godot3 cannot write with four bytes: \
         round it to f32, or write double reals"
    );
    let rounded = RealArray::from(wide.as_vector2_array().unwrap().to_vec::<f32>());
    assert_eq!(encode(GODOT_3, &Variant::PackedVector2Array(rounded)).unwrap().len(), 8 + 16);
    assert_eq!(wide.as_vector2_array().unwrap().get(1), Some(points[1]));

    // Colours have four bytes in every build of Godot 4, and no flag.
    let color = Color::new(0.1, 0.2, 0.3, 1.0);
    for dialect in [GODOT_4, GODOT_4.with_double_reals()] {
        let error = encode(dialect, &color).unwrap_err();
        assert!(error.to_string().starts_with("component r of a Color is 0.1"), "{error}");
        assert_eq!(encode(dialect, &color.to::<f32>()).unwrap().len(), 20);
    }
    let transform: Transform3D<f64> = Transform3D::default();
    let wide = Variant::Transform3D(Box::new(RealValue::double(transform)));
    assert_eq!(encode(GODOT_4, &wide).unwrap().len(), 4 + 96);
    assert_eq!(encode(GODOT_3, &wide).unwrap().len(), 4 + 48);
    let rotation = Variant::from(Quaternion::new(0.0_f32, 0.1, 0.0, 1.0));
    assert_eq!(rotation.as_quaternion::<f32>().map(|it| it.y), Some(0.1));
    assert_eq!(encode(GODOT_4, &rotation).unwrap().len(), 20);
}

#[test]
fn every_nan_is_written_with_four_bytes() {
    let nan = f64::from_bits(0x7ff8_0000_0000_0001);
    let wide = Variant::Vector2(RealValue::double(Vector2::new(nan, 1.0)));
    assert_eq!(encode(GODOT_3, &wide).unwrap().len(), 12);
    assert_eq!(encode(GODOT_3, &Vector2::new(nan, 1.0)).unwrap().len(), 12);
}

#[test]
fn errors_have_the_path_to_their_value() {
    let bad = Variant::from(Vector2::new(1, 2));
    let instance = |value: Variant| {
        Variant::from(Instance {
            class: "Node".into(),
            properties: vec![("a".into(), variant!(1)), ("b/c".into(), value)],
        })
    };
    struct Player(Variant);
    impl Encode for Player {
        fn encode<S: gdwire::encode::Sink>(
            &self,
            builder: &mut Builder<S>,
        ) -> Result<(), EncodeError> {
            builder.begin_dictionary(2)?;
            builder.string("hp")?;
            builder.int(87)?;
            builder.string("at")?;
            self.0.encode(builder)?;
            builder.end()
        }
    }
    macro_rules! assert_paths {
        ($($value:expr => $path:literal,)*) => {$(
            let error = encode(GODOT_3, &$value).unwrap_err();
            assert_eq!(error.path(), $path, "{error}");
            assert_eq!(encoded_len(GODOT_3, &$value).unwrap_err(), error);
            assert_eq!(encode_to_slice(GODOT_3, &$value, &mut [0; 4]).unwrap_err(), error);
        )*};
    }
    assert_paths! {
        bad => "",
        variant!([1, [2, (bad.clone())]]) => "/1/1",
        variant!({"inventory": [{7: (bad.clone())}]}) => "/inventory/0/7",
        variant!({"a": 1, (bad.clone()): 2}) => "",
        variant!({"x": {"a": 1, (bad.clone()): 2}}) => "/x",
        variant!({["a"]: (bad.clone())}) => "/<key 0>",
        variant!([(instance(bad.clone()))]) => "/0/b~1c",
        variant!(["fine", "a\0b"]) => "/1",
        variant!({"a": {"k\0": 1}}) => "/a",
        (1, "a", bad.clone()) => "/2",
        vec![Some(Player(bad.clone()))] => "/0/at",
        BTreeMap::from([("k", [u64::MAX])]) => "/k/0",
    }
    // The same holds for a view.
    let bytes = encode(GODOT_4, &variant!([{"a": (bad)}])).unwrap();
    let view = parse(GODOT_4, &bytes).unwrap();
    assert_eq!(encode(GODOT_3, &view).unwrap_err().path(), "/0/a");
    let deep = (0..=MAX_DEPTH).fold(variant!(1), |inner, _| variant!([inner]));
    let error = encode(GODOT_4, &deep).unwrap_err();
    assert_eq!(error.problem(), EncodeProblem::TooDeep { limit: MAX_DEPTH });
    assert_eq!(error.path(), "/0".repeat(MAX_DEPTH.into()));
}

#[test]
fn a_builder_says_what_is_wrong_with_the_number_of_values() {
    let builder = || Builder::new(GODOT_4, Vec::new());
    let wrong = |kind, announced, missing| EncodeProblem::WrongCount {
        kind,
        announced: Some(announced),
        missing,
    };
    let mut array = builder();
    array.begin_array(1).unwrap();
    array.int(1).unwrap();
    let error = array.int(2).unwrap_err();
    assert_eq!(error.problem(), wrong(Kind::Array, 1, 0));
    assert_eq!(error.to_string(), "an Array was opened for 1 value, but got more");
    // A refused value is not written, and the builder can be used further.
    array.end().unwrap();
    assert_eq!(problem(array.int(3)), EncodeProblem::SecondValue);
    assert_eq!(problem(array.end()), EncodeProblem::NothingOpen);
    assert_eq!(array.finish().unwrap(), encode(GODOT_4, &[1]).unwrap());

    let mut nested = builder();
    nested.begin_array(3).unwrap();
    nested.begin_dictionary(2).unwrap();
    nested.int(1).unwrap();
    let error = nested.end().unwrap_err();
    assert_eq!(error.problem(), wrong(Kind::Dictionary, 2, 3));
    assert_eq!(
        error.to_string(),
        "a Dictionary was opened for 2 entries, but 3 keys and values are missing"
    );
    (0..3).for_each(|number| nested.int(number).unwrap());
    nested.end().unwrap();
    let error = nested.end().unwrap_err();
    assert_eq!(error.problem(), wrong(Kind::Array, 3, 2), "the outer array is known again");
    assert_eq!(error.to_string(), "an Array was opened for 3 values, but 2 are missing");
    assert_eq!(problem(nested.finish()), EncodeProblem::NotClosed { open: 1 });

    let mut object = builder();
    object.begin_object("Node", 1).unwrap();
    assert_eq!(problem(object.int(1)), EncodeProblem::PropertyName { is_due: true });
    object.property("a").unwrap();
    assert_eq!(problem(object.property("b")), EncodeProblem::PropertyName { is_due: false });
    assert_eq!(
        object.end().unwrap_err().to_string(),
        "an Object was opened for 1 property, but 1 name or value is missing"
    );
    object.int(1).unwrap();
    assert_eq!(problem(object.int(2)), wrong(Kind::Object, 1, 0));
    object.end().unwrap();
    object.finish().unwrap();
    let mut root = builder();
    assert_eq!(problem(root.property("a")), EncodeProblem::PropertyName { is_due: false });
    assert_eq!(problem(root.end()), EncodeProblem::NothingOpen);
    assert_eq!(problem(root.finish()), EncodeProblem::NoValue);

    // Engines drop a byte order mark at the start of a name, and an object without a class is null.
    let mut object = builder();
    object.begin_object("\u{feff}", 0).unwrap();
    object.end().unwrap();
    let bytes = object.finish().unwrap();
    let View::Object(ObjectRef::Instance(object)) = parse(GODOT_4, &bytes).unwrap().view() else {
        panic!("{bytes:x?}")
    };
    assert_eq!((object.class(), object.len(), object.is_empty()), ("\u{feff}", 0, true));

    // A container is full but was not closed.
    let mut open = builder();
    open.begin_array(1).unwrap();
    open.begin_array(0).unwrap();
    assert_eq!(problem(open.finish()), EncodeProblem::NotClosed { open: 2 });

    // The count of containers that are nested deeper is not kept.
    let mut deep = builder();
    (0..17).for_each(|_| deep.begin_array(1).unwrap());
    let error = deep.end().unwrap_err();
    let (kind, missing) = (Kind::Array, 1);
    assert_eq!(error.problem(), EncodeProblem::WrongCount { kind, announced: None, missing });
    deep.begin_array(0).unwrap();
    (0..2).for_each(|_| deep.end().unwrap());
    assert_eq!(problem(deep.nil()), wrong(Kind::Array, 1, 0));
}

#[test]
fn a_slice_fits_exactly_or_not_at_all() {
    let value = variant!({"name": "player", "tags": [1, 2]});
    let bytes = encode(GODOT_3, &value).unwrap();
    for available in 0..=bytes.len() {
        let mut slice = vec![0xaa; available];
        let written = encode_to_slice(GODOT_3, &value, &mut slice);
        let mut finished = Builder::new(GODOT_3, SliceSink::new(&mut slice));
        value.encode(&mut finished).unwrap();
        let finished = finished.finish().map(|sink| (sink.needed(), sink.is_complete()));
        if available == bytes.len() {
            assert_eq!((written, finished), (Ok(available), Ok((available, true))));
            assert_eq!(slice, bytes);
        } else {
            let needed = bytes.len();
            let too_small = EncodeProblem::BufferTooSmall { needed, available };
            assert_eq!((problem(written), problem(finished)), (too_small, too_small));
        }
    }
}

#[test]
fn lengths_have_31_bits() {
    /// An iterator that reports this many elements.
    struct Many(usize);
    impl Iterator for Many {
        type Item = &'static str;
        fn next(&mut self) -> Option<&'static str> {
            None
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (self.0, Some(self.0))
        }
    }
    impl ExactSizeIterator for Many {}
    let most = (1 << 31) - 1;
    let builder = || Builder::new(GODOT_4, Vec::new());
    for (length, is_too_long) in [(most, false), (most + 1, true), (usize::MAX, true)] {
        let results = [
            builder().begin_array(length),
            builder().begin_dictionary(length),
            builder().begin_object("Node", length),
            builder().string_array(Many(length)),
        ];
        let kinds = [Kind::Array, Kind::Dictionary, Kind::Object, Kind::PackedStringArray];
        for (result, kind) in results.into_iter().zip(kinds) {
            let problem = result.err().map(|error| error.problem());
            if is_too_long {
                assert_eq!(problem, Some(EncodeProblem::TooLong { kind, len: length }));
            } else if kind == Kind::PackedStringArray {
                let missing = u32::try_from(length).unwrap();
                let announced = Some(missing);
                assert_eq!(problem, Some(EncodeProblem::WrongCount { kind, announced, missing }));
            } else {
                assert_eq!(problem, None);
            }
        }
    }
}

#[test]
fn rust_types_are_written_as_their_kinds() {
    macro_rules! assert_written {
        ($($value:expr => $expected:expr,)*) => {$(
            let bytes = encode(GODOT_4, &$value).unwrap();
            assert_eq!(bytes, encode(GODOT_4, &Variant::from($expected)).unwrap());
        )*};
    }
    #[cfg(feature = "std")]
    assert_written! { std::collections::HashMap::from([("k", Some(1))]) => variant!({"k": 1}), }
    let mut two = 2;
    assert_written! {
        7_u64 => 7,
        i64::MAX as u64 => i64::MAX,
        7_usize => 7,
        -7_isize => -7,
        (1, "two", 3.5) => variant!([1, "two", 3.5]),
        ((1,), [(); 2]) => variant!([[1], [null, null]]),
        (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) => variant!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        BTreeMap::from([(2, "b"), (1, "a")]) => variant!({1: "a", 2: "b"}),
        Box::new(1) => 1,
        Box::<str>::from("boxed") => "boxed",
        std::rc::Rc::new(1) => 1,
        std::sync::Arc::<str>::from("shared") => "shared",
        std::borrow::Cow::Borrowed("cow") => "cow",
        &mut two => 2,
        Vector2::new(1, 2) => Vector2::new(1, 2),
        vec![Vector3::new(1, 2, 3)] => variant!([(Vector3::new(1, 2, 3))]),
        Rect2::new(Vector2::new(1, 2), Vector2::new(3, 4)) => Rect2::new(Vector2::new(1, 2), Vector2::new(3, 4)),
    }
    for error in [
        encode(GODOT_4, &u64::MAX),
        #[cfg(target_pointer_width = "64")]
        encode(GODOT_4, &usize::MAX),
    ] {
        assert_eq!(problem(error), EncodeProblem::IntTooLarge { value: u64::MAX });
    }
}

/// A value of Godot 4 with many kinds in it.
fn state() -> Vec<u8> {
    let path = NodePath::from("/root/A:b");
    let signal = Signal { name: "hit".into(), object_id: 7 };
    let value = variant!({
        "player": { "hp": 87, "name": "Zoë", "a/b": [1, [2, 3]] },
        7: { 8: "eight" },
        "rest": [(path), (signal), (Vector2::new(0.5, 1.0)), (Packed([1u8, 2, 3]))],
    });
    encode(GODOT_4, &value).unwrap()
}

#[test]
fn a_patch_changes_one_value_and_copies_the_rest() {
    let packet = state();
    let value = parse(GODOT_4, &packet).unwrap();
    let new = variant!({"x": [1, 2, 3]});
    for path in ["/player/hp", "/player/a~1b/1/0", "/7/8", "/rest", "/player", "/rest/3", "/7"] {
        let old = value.at(path).unwrap();
        let range = old.value().range_in(&packet).unwrap();
        assert_eq!(range.start, old.offset());
        let mut expected = packet[..range.start].to_vec();
        expected.extend(encode(GODOT_4, &new).unwrap());
        expected.extend(&packet[range.end..]);
        assert_eq!(patch_into(value, path, &new, Vec::new()).unwrap(), expected, "{path}");

        let mut buffer = vec![0xaa; expected.len() + 3];
        let length = patch(value, path, &new, &mut buffer).unwrap();
        assert_eq!((&buffer[..length], &buffer[length..]), (&expected[..], &[0xaa; 3][..]));
        let mut owned = Variant::from(value);
        *owned.pointer_mut(path).unwrap() = new.clone();
        assert_eq!(Variant::from(parse(GODOT_4, &expected).unwrap()), owned, "{path}");
        for available in [0, range.start, range.end, expected.len() - 1] {
            let needed = expected.len();
            let error = patch(value, path, &new, &mut buffer[..available.min(needed - 1)]);
            let available = available.min(needed - 1);
            let too_small = EncodeProblem::BufferTooSmall { needed, available };
            assert_eq!(error, Err(PatchError::Encode(EncodeError::from(too_small))));
        }
    }
    assert_eq!(patch_into(value, "", &1, Vec::new()).unwrap(), encode(GODOT_4, &1).unwrap());
    let error = patch(value, "/player/mana", &1, &mut [0; 512]).unwrap_err();
    assert!(error.to_string().contains("/player/mana"), "{error}");
    let error = patch(value, "/player/hp", "a\0", &mut [0; 512]).unwrap_err();
    let PatchError::Encode(error) = error else { panic!("{error}") };
    assert_eq!(error.problem(), EncodeProblem::Nul { kind: Kind::String, at: 1 });
    assert_eq!(error.path(), "/player/hp");
}

#[test]
fn the_error_of_a_patch_has_the_path_through_both_values() {
    let packet = encode(GODOT_3, &variant!({ "a": [0, { "b/c": 1 }] })).unwrap();
    let value = parse(GODOT_3, &packet).unwrap();
    let cell = || Variant::from(Vector2::new(1, 2));
    for (path, new, message) in [
        ("", variant!([(cell())]), "/0: godot3 has no Vector2i"),
        ("/a/0", cell(), "/a/0: godot3 has no Vector2i"),
        ("/a/0", variant!({ "k": (cell()) }), "/a/0/k: godot3 has no Vector2i"),
        ("/a/1/b~1c", variant!({ "k": [1, (cell())] }), "/a/1/b~1c/k/1: godot3 has no Vector2i"),
    ] {
        let error = patch_into(value, path, &new, Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(patch(value, path, &new, &mut [0; 512]).unwrap_err(), error);
    }
}

#[test]
fn an_error_says_what_to_do() {
    let large = |x| RealValue::double(Vector3::new(x, 0.0, 0.0));
    let color = Variant::Color(RealValue::double(Color::new(0.1, 0.0, 0.0, 1.0)));
    let double_3 = GODOT_3.with_double_reals();
    for (value, dialect, message) in [
        (
            color.clone(),
            GODOT_4,
            "component r of a Color is 0.1, which godot4 cannot write with four bytes: round it to f32",
        ),
        (
            color.clone(),
            GODOT_4.with_double_reals(),
            "component r of a Color is 0.1, which godot4 with double reals cannot write with four bytes: round it to f32",
        ),
        (
            color.clone(),
            GODOT_3,
            "component r of a Color is 0.1, which godot3 cannot write with four bytes: round it to f32, or write double reals",
        ),
        (
            Variant::Vector3(large(1e300)),
            GODOT_3,
            "component x of a Vector3 is 1e300, which godot3 cannot write with four bytes: round it to f32, or write double reals",
        ),
        (
            Variant::Vector3(large(-1e-300)),
            GODOT_3,
            "component x of a Vector3 is -1e-300, which godot3 cannot write with four bytes: round it to f32, or write double reals",
        ),
    ] {
        assert_eq!(encode(dialect, &value).unwrap_err().to_string(), message);
    }
    assert!(encode(double_3, &color).is_ok());
}

#[test]
fn a_patch_is_no_deeper_than_a_value_can_be() {
    let tower = |depth: u16| (0..depth).fold(variant!(1), |inner, _| variant!([inner]));
    let packet = encode(GODOT_4, &tower(MAX_DEPTH)).unwrap();
    let value = parse(GODOT_4, &packet).unwrap();
    for around in [0, 1, 500, MAX_DEPTH] {
        let path = "/0".repeat(around.into());
        let fits = patch_into(value, &path, &tower(MAX_DEPTH - around), Vec::new()).unwrap();
        assert!(parse(GODOT_4, &fits).is_ok());
        let error = patch_into(value, &path, &tower(MAX_DEPTH - around + 1), Vec::new());
        let Err(PatchError::Encode(error)) = error else { panic!("{error:?}") };
        assert_eq!(error.problem(), EncodeProblem::TooDeep { limit: MAX_DEPTH });
        assert_eq!(error.path(), "/0".repeat(MAX_DEPTH.into()));
        assert!(error.to_string().ends_with(": more than 1024 nested containers"));
    }
}

#[test]
fn a_range_is_only_in_its_own_input() {
    let packet = state();
    let copy = packet.clone();
    let value = parse(GODOT_4, &packet).unwrap();
    assert_eq!(value.range_in(&packet), Some(0..packet.len()));
    assert_eq!(value.range_in(&copy), None);
    assert_eq!(value.range_in(&packet[..packet.len() - 1]), None);
    assert_eq!(value.range_in(&packet[1..]), None);
    let stream = [packet.as_slice(), &[1, 2, 3]].concat();
    let (_, first) = parse_prefix(GODOT_4, &stream).unwrap();
    let hp = first.pointer("/player/hp").unwrap();
    assert_eq!(&stream[hp.range_in(&stream).unwrap()], hp.as_bytes());
}

fn verbatim(dialect: Dialect, around: u16, value: VariantRef<'_>) -> Result<Vec<u8>, EncodeError> {
    let mut builder = Builder::new(dialect, Vec::new());
    for _ in 0..around {
        builder.begin_array(1)?;
    }
    builder.verbatim(value)?;
    for _ in 0..around {
        builder.end()?;
    }
    builder.finish()
}

#[test]
fn bytes_are_copied_verbatim() {
    // A 1 in eight bytes, and padding that is not zero: an encoder would not write that.
    let odd = [
        28, 0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, b'a',
        7, 7, 7,
    ];
    let value = parse(GODOT_4, &odd).unwrap();
    assert_ne!(encode(GODOT_4, &value).unwrap(), odd);
    let written = verbatim(GODOT_4, 1, value).unwrap();
    assert_eq!(written[8..], odd);
    assert_eq!(verbatim(GODOT_4, 0, value).unwrap(), odd);
    assert_eq!(
        problem(verbatim(GODOT_3, 0, value)),
        EncodeProblem::OtherDialect { found: GODOT_4, dialect: GODOT_3 }
    );
    // A byte array may lack its padding at the end of a packet; then the padding is added.
    let cut = [29, 0, 0, 0, 1, 0, 0, 0, 7];
    let cut = parse(GODOT_4, &cut).unwrap();
    let mut pair = Builder::new(GODOT_4, Vec::new());
    pair.begin_array(2).unwrap();
    pair.verbatim(cut).unwrap();
    pair.verbatim(cut).unwrap();
    pair.end().unwrap();
    let pair = pair.finish().unwrap();
    assert_eq!(
        parse(GODOT_4, &pair).map(Variant::from),
        Ok(variant!([(Packed([7u8])), (Packed([7u8]))]))
    );

    let mut object = Builder::new(GODOT_4, Vec::new());
    object.begin_object("Node", 1).unwrap();
    assert_eq!(problem(object.verbatim(value)), EncodeProblem::PropertyName { is_due: true });
    let mut full = Builder::new(GODOT_4, Vec::new());
    full.verbatim(value).unwrap();
    assert_eq!(problem(full.verbatim(value)), EncodeProblem::SecondValue);
}

#[test]
fn a_copied_value_is_no_deeper_than_a_value_can_be() {
    for (inner, depth) in [(variant!(1), 500_u16), (variant!([]), 500), (variant!({"a": 1}), 501)] {
        let tower = (0..500).fold(inner, |inner, _| variant!([inner]));
        let bytes = encode(GODOT_4, &tower).unwrap();
        let value = parse(GODOT_4, &bytes).unwrap();
        let most = MAX_DEPTH - depth;
        let fits = verbatim(GODOT_4, most, value).unwrap();
        assert!(parse(GODOT_4, &fits).is_ok());
        let limit = MAX_DEPTH;
        let error = verbatim(GODOT_4, most + 1, value);
        assert_eq!(problem(error), EncodeProblem::TooDeep { limit });
    }
    // Many values side by side are not deep.
    let wide: Array = (0..10_000).collect();
    let bytes = encode(GODOT_4, &variant!({"wide": wide})).unwrap();
    assert!(verbatim(GODOT_4, 1000, parse(GODOT_4, &bytes).unwrap()).is_ok());
    let none = Dictionary::new();
    assert_eq!(encode(GODOT_4, &none).unwrap().len(), 8);
}

#[test]
fn typed_arrays_have_the_type_that_the_dialect_can_write() {
    use gdwire::ElementType::{Any, Class, Script};
    let pandemonium = Dialect::PANDEMONIUM_5;
    let of = |element_type| Array::from(vec![variant!(null)]).typed(element_type);
    for element_type in [
        Any,
        gdwire::ElementType::Kind(Kind::Int),
        gdwire::ElementType::Kind(Kind::Object),
        Class("Node".into()),
    ] {
        let value = Variant::TypedArray(of(element_type.clone()));
        let bytes = encode(pandemonium, &value).unwrap();
        assert_eq!(parse(pandemonium, &bytes).map(Variant::from), Ok(value));
        let value = Variant::Array(of(element_type));
        let bytes = encode(GODOT_4, &value).unwrap();
        assert_eq!(parse(GODOT_4, &bytes).map(Variant::from), Ok(value));
    }
    let script = Script("res://a.gd".into());
    let scripted = Variant::Array(of(script.clone()));
    let bytes = encode(GODOT_4, &scripted).unwrap();
    assert_eq!(parse(GODOT_4, &bytes).map(Variant::from), Ok(scripted.clone()));
    let (kind, dialect) = (Kind::TypedArray, pandemonium);
    assert_eq!(
        problem(encode(pandemonium, &Variant::TypedArray(of(script)))),
        EncodeProblem::ElementType { kind, dialect }
    );
    let (kind, dialect) = (Kind::Array, GODOT_3);
    assert_eq!(problem(encode(GODOT_3, &scripted)), EncodeProblem::ElementType { kind, dialect });
    let unknown = Variant::Array(of(gdwire::ElementType::Kind(Kind::PackedVector2iArray)));
    let (kind, dialect) = (Kind::PackedVector2iArray, GODOT_4);
    assert_eq!(problem(encode(GODOT_4, &unknown)), EncodeProblem::Unsupported { kind, dialect });
}
