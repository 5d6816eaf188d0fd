//! Owned values: what they are made from, turned into and written as.

use gdwire::encode::EncodeProblem;
use gdwire::math::{Vector2, Vector3};
use gdwire::owned::Instance;
use gdwire::owned::WrongKind;
use gdwire::{
    Array, Dialect, Dictionary, ElementType, Kind, MAX_DEPTH, NodePath, Object, Signal, Variant,
    encode, encoded_len, parse, variant,
};
use std::collections::{HashMap, HashSet};

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
fn values_are_turned_into_what_they_hold() {
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
fn integers_that_may_not_fit_are_tried() {
    assert_eq!(Variant::try_from(7_usize), Ok(variant!(7)));
    assert_eq!(Variant::try_from(-7_isize), Ok(variant!(-7)));
    assert_eq!(Variant::try_from(i64::MAX as u64), Ok(variant!(i64::MAX)));
    assert!(Variant::try_from(1_u64 << 63).is_err());
}

#[test]
fn arrays_are_collected_from_what_values_are_made_from() {
    let numbers: Array = (1..4).collect();
    assert_eq!(Variant::from(numbers), variant!([1, 2, 3]));
    let values: Array = [variant!(null), variant!("x")].into_iter().collect();
    assert_eq!(Variant::from(values), variant!([null, "x"]));
}

#[test]
fn integer_vectors_and_dialects_are_keys() {
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
fn values_as_deep_as_dialects_allow_take_little_stack() {
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
