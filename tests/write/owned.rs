//! Owned values: building, converting, editing and writing them.

use gdwire::encode::{Builder, EncodeProblem};
use gdwire::math::{Vector2, Vector3};
use gdwire::owned::Instance;
use gdwire::owned::{Entry, RealArray, RealValue, WrongKind};
use gdwire::{
    Array, Dialect, Dictionary, ElementType, Kind, MAX_DEPTH, NodePath, Object, Packed, Signal,
    Variant, encode, encoded_len, parse, variant,
};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

const GODOT_4: Dialect = Dialect::GODOT_4;

#[test]
fn the_parts_of_a_value_are_written_as_the_value() {
    let entries = variant!({"a": [1, {2: null}], 3: {}});
    let dictionary = Dictionary::try_from(entries).unwrap();
    let typed = dictionary.clone().typed(ElementType::Any, ElementType::Kind(Kind::Array));
    let list = Array::from(vec![variant!(1)]).typed(ElementType::Kind(Kind::Int));
    let object = Instance {
        class: "Node".into(),
        properties: vec![("name".into(), variant!("x")), ("list".into(), variant!([1]))],
    };
    let signal = Signal { name: "hit".into(), object_id: 7 };
    macro_rules! assert_same {
        ($($part:expr,)*) => {$(
            let bytes = encode(GODOT_4, &$part).unwrap();
            assert_eq!(bytes, encode(GODOT_4, &Variant::from($part.clone())).unwrap());
            assert_eq!(Variant::from(parse(GODOT_4, &bytes).unwrap()), Variant::from($part));
        )*};
    }
    assert_same!(
        dictionary,
        typed,
        list,
        Array::default(),
        Dictionary::new(),
        object,
        Object::Id(7),
        signal,
    );
    assert_eq!(encode(GODOT_4, &Object::Null).unwrap(), [0; 4]);
    let error = encode(Dialect::GODOT_3, &Signal::default()).unwrap_err();
    assert_eq!(
        error.problem(),
        EncodeProblem::Unsupported { kind: Kind::Signal, dialect: Dialect::GODOT_3 }
    );
    let deep = (0..MAX_DEPTH).fold(variant!([]), |inner, _| variant!([inner]));
    assert!(encoded_len(GODOT_4, &deep).is_ok());
    let deeper: Array = [variant!([[(deep)]])].into_iter().collect();
    let error = encoded_len(GODOT_4, &deeper).unwrap_err();
    assert_eq!(error.problem(), EncodeProblem::TooDeep { limit: MAX_DEPTH });
}

#[test]
fn values_convert_into_their_content() {
    assert_eq!(bool::try_from(variant!(true)), Ok(true));
    assert_eq!(i64::try_from(&variant!(7)), Ok(7));
    assert_eq!(f64::try_from(variant!(7)), Ok(7.0));
    assert_eq!(String::try_from(Variant::StringName("a".into())), Ok("a".into()));
    assert_eq!(<&str>::try_from(&variant!("a")), Ok("a"));
    assert_eq!(NodePath::try_from(Variant::from(NodePath::from("a:b"))), Ok("a:b".into()));
    let typed = Variant::TypedArray(vec![variant!(1)].into());
    assert_eq!(Array::try_from(typed), Ok(vec![variant!(1)].into()));
    let error: WrongKind = i64::try_from(variant!(7.0)).unwrap_err();
    assert_eq!((error.expected, error.found), (Kind::Int, Kind::Float));
    assert_eq!(error.to_string(), "expected int, found float");
    let error = Dictionary::try_from(variant!([])).unwrap_err();
    assert_eq!((error.expected, error.found), (Kind::Dictionary, Kind::Array));
    assert!(bool::try_from(&variant!(1)).is_err());
}

#[test]
fn integers_that_may_not_fit_need_try_from() {
    assert_eq!(Variant::try_from(7_usize), Ok(variant!(7)));
    assert_eq!(Variant::try_from(-7_isize), Ok(variant!(-7)));
    assert_eq!(Variant::try_from(i64::MAX as u64), Ok(variant!(i64::MAX)));
    assert!(Variant::try_from(1_u64 << 63).is_err());
}

#[test]
fn arrays_are_collected_from_everything_that_converts_to_a_value() {
    let numbers: Array = (1..4).collect();
    assert_eq!(Variant::from(numbers), variant!([1, 2, 3]));
    let values: Array = [variant!(null), variant!("x")].into_iter().collect();
    assert_eq!(Variant::from(values), variant!([null, "x"]));
}

#[test]
fn integer_vectors_and_dialects_can_be_keys() {
    let cells: HashSet<Vector2<i32>> =
        [(1, 2), (1, 2), (2, 1)].map(|(x, y)| Vector2 { x, y }).into();
    assert_eq!(cells.len(), 2);
    let cubes = HashMap::from([(Vector3::new(1, 2, 3), "stone")]);
    assert_eq!(cubes.get(&Vector3::new(1, 2, 3)), Some(&"stone"));
    let dialects: HashSet<Dialect> = Dialect::ALL
        .iter()
        .flat_map(|dialect| [*dialect, dialect.with_double_reals()])
        .chain(Dialect::ALL.iter().copied())
        .collect();
    assert_eq!(dialects.len(), 2 * Dialect::ALL.len());
}

/// In a build without optimization, too.
#[test]
fn values_at_the_depth_limit_take_little_stack() {
    let list = |inner: Variant| variant!([inner]);
    let value = |inner: Variant| variant!({"a": inner});
    let key = |inner: Variant| variant!({(inner): 1});
    let object = |inner: Variant| {
        let properties = vec![("a".into(), inner)];
        Variant::from(Instance { class: "Node".into(), properties })
    };
    let nests: [fn(Variant) -> Variant; 4] = [list, value, key, object];
    let work = move || {
        for nest in nests {
            let deep = (0..MAX_DEPTH).fold(Variant::Nil, |inner, _| nest(inner));
            let bytes = encode(GODOT_4, &deep).unwrap();
            let read = Variant::from(parse(GODOT_4, &bytes).unwrap());
            let copy = read.clone();
            assert!(copy == read && read == deep);
            assert!(format!("{copy:?}").len() > usize::from(MAX_DEPTH));
            drop((copy, read, deep));
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn a_text_key_is_found_in_strings_and_string_names() {
    let mut entries = Dictionary::new();
    entries.insert(Variant::StringName("hp".into()), 87);
    entries.insert("name", "Zoë");
    for dialect in [GODOT_4, Dialect::PANDEMONIUM_5] {
        let bytes = encode(dialect, &entries).unwrap();
        let view = parse(dialect, &bytes).unwrap();
        assert_eq!(view.get("hp").and_then(|hp| hp.as_i64()), Some(87));
        assert_eq!(view.pointer("/hp").and_then(|hp| hp.as_i64()), Some(87));
        let text = encode(dialect, "hp").unwrap();
        let key = parse(dialect, &text).unwrap();
        assert!(view.as_dictionary().unwrap().get(key).is_some());
        let owned = Variant::from(view);
        assert_eq!(owned.get("hp"), Some(&variant!(87)));
        assert_eq!(owned.pointer("/hp"), Some(&variant!(87)));
        assert_eq!(owned["hp"], variant!(87));
    }
    assert_eq!(entries.get_key(&variant!("hp")), Some(&variant!(87)));
    assert_eq!(entries.get_key(&Variant::StringName("name".into())), Some(&variant!("Zoë")));
    assert_eq!(entries.insert("hp", 88), Some(variant!(87)));
    assert_eq!(entries.remove("hp"), Some(variant!(88)));
}

#[test]
fn the_last_entry_with_a_text_counts() {
    let dialect = Dialect::PANDEMONIUM_5;
    let mut builder = Builder::new(dialect, Vec::new());
    builder.begin_dictionary(3).unwrap();
    builder.string_name("hp").unwrap();
    builder.int(1).unwrap();
    builder.string("hp").unwrap();
    builder.int(2).unwrap();
    builder.string("name").unwrap();
    builder.int(3).unwrap();
    builder.end().unwrap();
    let bytes = builder.finish().unwrap();
    let view = parse(dialect, &bytes).unwrap();
    let read = || Variant::from(view).as_dictionary().unwrap().clone();
    // Pandemonium keeps the two apart.
    assert_eq!((read().len(), encode(dialect, &read()).unwrap()), (3, bytes.clone()));
    assert_eq!(read().get("hp"), Some(&variant!(2)));
    assert_eq!(read().get_key(&Variant::StringName("hp".into())), Some(&variant!(2)));
    let mut inserted = read();
    assert_eq!(inserted.insert("hp", 7), Some(variant!(2)));
    let values: Vec<_> = inserted.values().cloned().collect();
    assert_eq!(values, [variant!(1), variant!(7), variant!(3)]);
    let mut entry = read();
    *entry.entry("hp").or_insert(0) = variant!(7);
    assert_eq!(entry, inserted);
    for remove in [
        |entries: &mut Dictionary| entries.remove("hp"),
        |entries: &mut Dictionary| entries.remove_key(&variant!("hp")),
    ] {
        let mut removed = read();
        assert_eq!(remove(&mut removed), Some(variant!(2)));
        assert_eq!(Variant::from(removed), variant!({ "name": 3 }));
    }
}

#[test]
fn a_key_is_renamed_in_its_place() {
    let of = |key: Variant, new: Variant| {
        let mut all = variant!({"a": 1, 2: 3, "b": 4});
        let Variant::Dictionary(entries) = &mut all else { panic!() };
        let is_there = entries.rename_key(&key, new);
        (is_there, format!("{:?}", entries.iter().collect::<Vec<_>>()))
    };
    assert_eq!(of("a".into(), "z".into()), (true, "[(\"z\", 1), (2, 3), (\"b\", 4)]".into()));
    assert_eq!(of(2.into(), "b".into()), (true, "[(\"a\", 1), (\"b\", 3)]".into()));
    assert_eq!(of("b".into(), "a".into()), (true, "[(2, 3), (\"a\", 4)]".into()));
    assert_eq!(of("a".into(), "a".into()), (true, "[(\"a\", 1), (2, 3), (\"b\", 4)]".into()));
    assert_eq!(of("c".into(), "a".into()), (false, "[(\"a\", 1), (2, 3), (\"b\", 4)]".into()));
}

#[test]
fn dictionaries_are_edited_like_maps() {
    let mut entries: Dictionary = [("a", 1), ("b", 2), ("c", 3)].into_iter().collect();
    assert!(entries.contains_key("a") && !entries.contains_key("d"));
    *entries.get_mut("a").unwrap() = variant!(10);
    assert_eq!(entries.get_mut("d"), None);
    assert_eq!(entries.remove("b"), Some(variant!(2)));
    assert_eq!(entries.remove("b"), None);
    assert_eq!(entries.keys().collect::<Vec<_>>(), [&variant!("a"), &variant!("c")]);
    assert_eq!(entries.values().rev().collect::<Vec<_>>(), [&variant!(3), &variant!(10)]);
    for value in entries.values_mut() {
        *value = variant!([(value.take())]);
    }
    for (key, value) in &mut entries {
        assert_eq!(key.kind(), Kind::String);
        value.as_array_mut().unwrap().push(variant!(null));
    }
    assert_eq!(Variant::from(entries.clone()), variant!({"a": [10, null], "c": [3, null]}));
    entries.extend([(Variant::from("c"), variant!(4)), (variant!(7), variant!(8))]);
    entries.retain(|key, value| {
        *value = variant!([(value.take())]);
        key != &variant!("a")
    });
    assert_eq!(Variant::from(entries.clone()), variant!({"c": [4], 7: [8]}));
    *entries.get_key_mut(&variant!(7)).unwrap() = variant!(9);
    assert_eq!(entries.remove_key(&variant!(7)), Some(variant!(9)));
    assert_eq!(entries.remove_key(&variant!(7)), None);
    assert_eq!(entries.len(), 1);
    let last: Vec<_> = entries.clone().into_iter().collect();
    assert_eq!(last, [(variant!("c"), variant!([4]))]);
    assert_eq!(entries["c"], variant!([4]));
    assert_eq!(entries["d"], Variant::Nil);
    entries["d"] = variant!(5);
    assert_eq!(entries.get("d"), Some(&variant!(5)));
    entries.clear();
    assert!(entries.is_empty());
}

#[test]
fn entries_are_read_and_filled() {
    let mut entries: Dictionary = [("a", 1)].into_iter().collect();
    assert_eq!(entries.entry("a").or_insert(7), &variant!(1));
    assert_eq!(entries.entry("b").or_insert_with(|| 2), &variant!(2));
    entries.entry("b").and_modify(|value| *value = variant!(3)).or_insert(4);
    entries.entry("c").and_modify(|value| *value = variant!(3)).or_insert(4);
    assert_eq!(Variant::from(entries.clone()), variant!({"a": 1, "b": 3, "c": 4}));
    assert_eq!(entries.entry("x").key(), &variant!("x"));
    assert_eq!(entries.entry(Variant::StringName("a".into())).key(), &variant!("a"));
    match entries.entry("a") {
        Entry::Occupied(mut entry) => {
            assert_eq!((entry.key(), entry.get()), (&variant!("a"), &variant!(1)));
            assert_eq!(entry.insert("one"), variant!(1));
            assert_eq!(entry.get_mut(), &mut variant!("one"));
            *entry.into_mut() = variant!(null);
        }
        other => panic!("{other:?}"),
    }
    match entries.entry("y") {
        Entry::Vacant(entry) => {
            assert_eq!(entry.key(), &variant!("y"));
            *entry.insert(5) = variant!(6);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(Variant::from(entries), variant!({"a": null, "b": 3, "c": 4, "y": 6}));
}

#[test]
fn values_are_edited_by_path_and_index() {
    let node = Instance {
        class: "Node".into(),
        properties: vec![
            ("a".into(), variant!(1)),
            ("b".into(), variant!([7])),
            ("a".into(), variant!(2)),
        ],
    };
    let mut state = variant!({
        "players": [{ "hp": 87 }, null],
        7: "int",
        "7/8": "slash",
        "node": (node),
        "typed": (Array::from(vec![variant!(1)]).typed(ElementType::Kind(Kind::Int))),
    });
    let mut paths = 0;
    for (path, found) in [
        ("", Some(state.clone())),
        ("/players/0/hp", Some(variant!(87))),
        ("/players/1", Some(variant!(null))),
        ("/players/2", None),
        ("/players/-1", None),
        ("/players/01", None),
        ("/7", Some(variant!("int"))),
        ("/7~18", Some(variant!("slash"))),
        ("/7/8", None),
        ("/node/a", Some(variant!(2))),
        ("/node/b/0", Some(variant!(7))),
        ("/node/c", None),
        ("/typed/0", Some(variant!(1))),
        ("players", None),
        ("/players/0/hp/x", None),
        ("/a~2", None),
    ] {
        assert_eq!(state.pointer(path), found.as_ref(), "{path}");
        assert_eq!(state.pointer_mut(path).map(|value| value.clone()), found, "{path}");
        let bytes = encode(GODOT_4, &state).unwrap();
        let view = parse(GODOT_4, &bytes).unwrap();
        assert_eq!(view.pointer(path).map(Variant::from), found, "{path}: as a view has it");
        paths += 1;
    }
    assert_eq!(paths, 16);
    *state.pointer_mut("/node/a").unwrap() = variant!("last");
    assert_eq!(state["node"]["a"], variant!("last"));
    let name = String::from("players");
    assert_eq!(state.get(&name), state.get("players"));
    assert_eq!(
        state.get_mut(&name).and_then(|list| list.get_mut(1)).map(Variant::take),
        Some(variant!(null))
    );
    assert_eq!((&state[&name][0]["hp"], &state["x"]["y"][3]), (&variant!(87), &Variant::Nil));
    state["players"][1]["hp"] = variant!(5);
    state[&name][0]["name"] = variant!("Zoë");
    state["node"]["b"] = variant!(0);
    assert_eq!(state["players"], variant!([{ "hp": 87, "name": "Zoë" }, { "hp": 5 }]));
    assert_eq!(state["node"]["b"], variant!(0));
    assert_eq!(state.as_dictionary_mut().map(|it| it.len()), Some(5));
    assert!(state.as_array_mut().is_none() && variant!([]).as_dictionary_mut().is_none());
    for index in [
        |value: &mut Variant| value["players"][2] = variant!(1),
        |value: &mut Variant| value["players"]["a"] = variant!(1),
        |value: &mut Variant| value["node"]["none"] = variant!(1),
        |value: &mut Variant| value["players"][0]["hp"]["x"] = variant!(1),
        |value: &mut Variant| value["players"][0][0] = variant!(1),
    ] {
        let mut copy = state.clone();
        assert!(
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| index(&mut copy))).is_err()
        );
        assert_eq!(copy, state);
    }
}

#[test]
fn arrays_are_edited_like_vectors() {
    let int = ElementType::Kind(Kind::Int);
    let mut list = Array::new().typed(int.clone());
    list.extend([1, 2, 3]);
    list.remove(0);
    for value in &mut list {
        *value = variant!([(value.take())]);
    }
    assert_eq!((&list).into_iter().collect::<Vec<_>>(), [&variant!([2]), &variant!([3])]);
    assert_eq!(list.element_type(), &int);
    assert_eq!(list.clone(), list);
    assert_eq!(list.clone().typed(ElementType::Any).element_type(), &ElementType::Any);
    assert_ne!(list.clone().typed(ElementType::Any), list);
    assert_eq!(list.clone().into_iter().len(), 2);
    assert_eq!(Vec::from(list), [variant!([2]), variant!([3])]);
}

#[test]
fn equal_values_have_equal_hashes() {
    let real = |x: f64| Variant::Vector2(RealValue::double(Vector2::new(x, 1.0)));
    let typed = Variant::Array(Array::new().typed(ElementType::Kind(Kind::Int)));
    let same = [
        (variant!("a"), Variant::StringName("a".into())),
        (variant!(0.0), variant!(-0.0)),
        (variant!(f64::NAN), variant!(-f64::NAN)),
        (real(0.5), Variant::from(Vector2::new(0.5_f32, 1.0))),
        (real(0.0), real(-0.0)),
        (Variant::from(Packed([0.5_f64])), Variant::from(Packed([0.5_f64]))),
        (variant!([1, { "a": null }]), variant!([1, { (Variant::StringName("a".into())): null }])),
        (variant!([]), typed),
        (Variant::from(Object::Id(7)), Variant::from(Object::Id(7))),
    ];
    for (one, other) in &same {
        assert_eq!(hash_of(one), hash_of(other), "{one} and {other}");
    }
    let different = [
        variant!(null),
        variant!(false),
        variant!(true),
        variant!(0),
        variant!(1),
        variant!(0.0),
        variant!(1.0),
        variant!(""),
        variant!("a"),
        variant!([]),
        variant!([0]),
        variant!([[0]]),
        variant!({}),
        variant!({ 0: 1 }),
        variant!({ 1: 0 }),
        Variant::from(NodePath::from("a")),
        Variant::from(NodePath::from("b")),
        Variant::from(Signal::default()),
        Variant::from(Object::Null),
        Variant::from(Object::Id(1)),
        Variant::from(Instance { class: "A".into(), properties: vec![] }),
        Variant::from(Instance { class: "B".into(), properties: vec![] }),
        Variant::from(Packed([1_u8])),
        Variant::from(Packed([1_i32])),
        Variant::from(Packed([1_i64])),
        Variant::from(Packed([1_f32])),
        Variant::from(Packed([2_f64])),
        Variant::from(Packed([String::from("a")])),
        Variant::Rid(1),
        Variant::Rid(2),
        Variant::Callable,
        real(1.0),
        real(2.0),
        Variant::from(Vector2::new(1, 2)),
        Variant::from(Vector2::new(2, 1)),
    ];
    let hashes: HashSet<u64> = different.iter().map(hash_of).collect();
    assert_eq!(hashes.len(), different.len());
}

#[test]
fn literals_are_shown_and_read() {
    let node = Instance { class: "Node".into(), properties: vec![("a b".into(), variant!([1]))] };
    let value = variant!({
        "list": [null, true, 1, 2.0, "a\n\"b\"", (f64::INFINITY)],
        (Variant::StringName("name".into())): (NodePath::from("/root/A:b")),
        "at": (Vector2::new(0.1_f32, -0.0)),
        "wide": (Vector2::new(0.1, 1e300)),
        "cell": (Vector3::new(1, 2, 3)),
        "node": (node),
        "ids": [(Variant::Rid(7)), (Variant::Rid(0)), (Object::Id(8)), (Object::Null)],
        "signal": [(Signal { name: "hit".into(), object_id: 9 }), (Signal::default()), (Variant::Callable)],
        "bytes": Packed([1_u8, 2]),
        "texts": Packed(["x"]),
        "none": Packed([""; 0]),
        "typed": (Array::from(vec![variant!(1)]).typed(ElementType::Kind(Kind::Int))),
        "map": (Dictionary::new().typed(ElementType::Any, ElementType::Class("Node".into()))),
        "old": (Variant::TypedArray(Array::from(vec![variant!(1)]).typed(ElementType::Script("res://a.gd".into())))),
    });
    let text = value.to_string();
    assert_eq!(text.lines().count(), 1);
    assert_eq!(format!("{value:?}"), text);
    for text in [text, format!("{value:#}")] {
        let read: Variant = text.parse().unwrap();
        assert_eq!(read.to_string(), value.to_string());
    }
    for dialect in [GODOT_4, GODOT_4.with_double_reals(), Dialect::PANDEMONIUM_5] {
        for (_, value) in value.as_dictionary().unwrap() {
            let Ok(bytes) = encode(dialect, value) else { continue };
            let view = parse(dialect, &bytes).unwrap();
            if dialect.name() == "godot4" {
                let same = Variant::from(view);
                assert_eq!(view.to_string(), same.to_string());
                assert_eq!(view.to_text(), format!("{same:#}"));
            }
            assert!(view.to_string().parse::<Variant>().is_ok(), "{view}");
        }
    }
    let error = "[1, ".parse::<Variant>().unwrap_err();
    assert!(error.to_string().contains("column 5"), "{error}");
}

#[test]
fn contents_are_accessed_by_kind() {
    let path = NodePath::from("a:b");
    assert_eq!(Variant::from(path.clone()).as_node_path(), Some(&path));
    assert_eq!(Variant::from(Signal::default()).as_signal(), Some(&Signal::default()));
    assert_eq!(Variant::from(Object::Id(3)).as_object(), Some(&Object::Id(3)));
    assert_eq!(Variant::Rid(3).as_rid(), Some(3));
    assert_eq!(Variant::from(Vector3::new(1, 2, 3)).as_vector3i(), Some(Vector3::new(1, 2, 3)));
    assert_eq!(Variant::from(Packed([1_u8])).as_byte_array(), Some(&[1_u8][..]));
    let points = Variant::from(Packed([Vector2::new(0.5_f32, 1.0)]));
    let points = points.as_vector2_array().unwrap();
    assert_eq!((points.len(), points.is_empty(), points.is_double()), (1, false, false));
    assert_eq!(points.iter::<f64>().collect::<Vec<_>>(), [Vector2::new(0.5, 1.0)]);
    assert_eq!((points.get::<f32>(0), points.get::<f32>(1)), (Some(Vector2::new(0.5, 1.0)), None));
    assert_eq!(points, &RealArray::double(vec![Vector2::new(0.5, 1.0)]));
    assert_ne!(points, &RealArray::double(vec![Vector2::new(0.5, 2.0)]));
    assert_eq!(RealArray::<Vector2<f32>>::default().len(), 0);
    assert!(Variant::from(Object::Null).is_nil() && Variant::Nil.is_nil() && !variant!(0).is_nil());
    assert_eq!(variant!(1).as_vector2::<f32>(), None);
    let decimal = RealValue::<Vector2<f32>>::decimal(Vector2::new(0.1, 0.5));
    assert!(
        !decimal.is_double()
            && RealValue::<Vector2<f32>>::double(Vector2::new(1.0, 0.5)).is_double()
    );
    assert_eq!(decimal.clone(), decimal);
    assert_eq!(format!("{decimal:?}"), "Vector2 { x: 0.1, y: 0.5 }");
}
