//! A Rust value is the same engine value in every way to write it: `encode`, `variant!`, `From` and
//! serde. Slices, arrays and vectors are Arrays, and packed arrays if they are in `Packed`.

use crate::serde::GODOT_4;
use gdwire::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use gdwire::view::FromVariant;
use gdwire::{
    Dialect, Encode, Kind, NodePath, Packed, Variant, encode, from_slice, from_variant, parse,
    to_variant, to_vec, variant,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

const DIALECTS: [Dialect; 4] = [
    Dialect::GODOT_3,
    GODOT_4,
    GODOT_4.with_double_reals(),
    // It has all packed arrays.
    Dialect::PANDEMONIUM_5,
];

/// The bytes of the value in every dialect, and in none that cannot express it, which all ways to
/// write it agree on.
#[track_caller]
fn written<T>(value: &T, kind: Kind) -> Vec<(Dialect, Vec<u8>)>
where
    T: Encode + Serialize + Clone + Debug,
    Variant: From<T>,
{
    let made: Variant = variant!(value.clone());
    let converted = to_variant(value).unwrap();
    assert_eq!((made.kind(), &converted), (kind, &made), "{value:?}");
    let mut all = Vec::new();
    for dialect in DIALECTS {
        let bytes = encode(dialect, value).ok();
        assert_eq!(encode(dialect, &made).ok(), bytes, "{value:?} in {dialect}");
        assert_eq!(
            encode(dialect, &Variant::from(value.clone())).ok(),
            bytes,
            "{value:?} in {dialect}"
        );
        assert_eq!(to_vec(dialect, value).ok(), bytes, "{value:?} in {dialect}");
        if let Some(bytes) = bytes {
            assert_eq!(parse(dialect, &bytes).unwrap().kind(), kind);
            assert_eq!(from_slice::<Variant>(dialect, &bytes).unwrap(), made);
            all.push((dialect, bytes));
        }
    }
    assert!(!all.is_empty(), "no dialect has {value:?}");
    all
}

/// Writes a value in every way, and reads it as the same type in every way.
#[track_caller]
fn same<T>(value: T, kind: Kind)
where
    T: Encode + Serialize + Clone + Debug + PartialEq,
    Variant: From<T>,
    T: for<'a> FromVariant<'a> + for<'de> Deserialize<'de>,
{
    for (dialect, bytes) in written(&value, kind) {
        let read = parse(dialect, &bytes).unwrap();
        assert_eq!(read.to::<T>().as_ref(), Ok(&value), "{dialect}");
        assert_eq!(from_slice::<T>(dialect, &bytes).unwrap(), value, "{dialect}");
    }
    assert_eq!(from_variant::<T>(&value.clone().into()).unwrap(), value);
}

/// Collections of each element: Arrays, and in `Packed` arrays of the given kind.
macro_rules! collections {
    ($($element:expr => $kind:ident;)*) => {$({
        let element = $element;
        let both = [element.clone(), element.clone()];
        same(both.to_vec(), Kind::Array);
        same(both.clone(), Kind::Array);
        same(Packed(both.to_vec()), Kind::$kind);
        same(Packed(both), Kind::$kind);
    })*};
}

/// Collections in other collections, and references to them.
macro_rules! nested {
    ($($element:expr => $kind:ident;)*) => {$({
        let element = $element;
        let all = vec![element.clone(), element.clone()];
        same(vec![all.clone(), vec![]], Kind::Array);
        same((element.clone(), all.clone()), Kind::Array);
        same(BTreeMap::from([("key".to_owned(), all.clone())]), Kind::Dictionary);
        same(Some(all.clone()), Kind::Array);
        written(&&all[..], Kind::Array);
        written(&&all, Kind::Array);
        written(&&[element.clone(), element.clone()], Kind::Array);

        same(vec![Packed(all.clone()), Packed(vec![])], Kind::Array);
        same((Packed(all.clone()), all.clone()), Kind::Array);
        same(HashMap::from([(7, Packed(all.clone()))]), Kind::Dictionary);
        same(Some(Packed(all.clone())), Kind::$kind);
        written(&Packed(&all), Kind::$kind);
        written(&Packed(&all[..]), Kind::$kind);
        written(&Packed(&[element.clone(), element.clone()]), Kind::$kind);
        written(&Packed(all.clone().into_boxed_slice()), Kind::$kind);
        assert_eq!(
            variant!({ "packed": Packed(all.clone()), "plain": all.clone(), "both": [all, Packed([element])] }),
            to_variant(&Fields { packed: &$element, plain: &$element }).unwrap()
        );
    })*};
}

/// The same as a struct whose fields serde converts.
struct Fields<'a, T> {
    packed: &'a T,
    plain: &'a T,
}

impl<T: gdwire::encode::Element + Serialize> Serialize for Fields<'_, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(bound = "T: gdwire::encode::Element + Serialize")]
        struct All<'a, T: Clone> {
            #[serde(with = "gdwire::typed::packed")]
            packed: Vec<T>,
            plain: Vec<T>,
            both: (Vec<T>, Packed<&'a [T]>),
        }
        let plain = vec![self.plain.clone(), self.plain.clone()];
        let one = std::slice::from_ref(self.packed);
        let both = (plain.clone(), Packed(one));
        All { packed: plain.clone(), plain, both }.serialize(serializer)
    }
}

#[test]
fn collections_of_every_element_are_the_same_in_every_way() {
    collections! {
        255_u8 => PackedByteArray;
        -7_i32 => PackedInt32Array;
        1_i64 << 40 => PackedInt64Array;
        0.1_f32 => PackedFloat32Array;
        0.1_f64 => PackedFloat64Array;
        String::from("Zoë") => PackedStringArray;
        Vector2::new(0.1_f32, 2.0) => PackedVector2Array;
        Vector2::new(0.1_f64, 2.0) => PackedVector2Array;
        Vector2::new(1, -2) => PackedVector2iArray;
        [0.1_f32, 2.0] => PackedVector2Array;
        [0.1_f64, 2.0] => PackedVector2Array;
        [1, -2] => PackedVector2iArray;
        Vector3::new(0.1_f32, 2.0, 3.0) => PackedVector3Array;
        Vector3::new(0.1_f64, 2.0, 3.0) => PackedVector3Array;
        Vector3::new(1, -2, 3) => PackedVector3iArray;
        [0.1_f32, 2.0, 3.0] => PackedVector3Array;
        [0.1_f64, 2.0, 3.0] => PackedVector3Array;
        [1, -2, 3] => PackedVector3iArray;
        Vector4::new(0.1_f32, 2.0, 3.0, 4.0) => PackedVector4Array;
        Vector4::new(0.1_f64, 2.0, 3.0, 4.0) => PackedVector4Array;
        Vector4::new(1, -2, 3, 4) => PackedVector4iArray;
        [0.1_f32, 2.0, 3.0, 4.0] => PackedVector4Array;
        [0.1_f64, 2.0, 3.0, 4.0] => PackedVector4Array;
        [1, -2, 3, 4] => PackedVector4iArray;
        Color::new(0.1_f32, 2.0, 3.0, 4.0) => PackedColorArray;
        Color::new(0.5_f64, 2.0, 3.0, 4.0) => PackedColorArray;
    }
}

/// The code around a collection does not depend on the elements, so one type of each sort stands
/// for all: a number, a text, a math type and an array of numbers.
#[test]
fn collections_in_others_are_the_same_in_every_way() {
    nested! {
        255_u8 => PackedByteArray;
        String::from("Zoë") => PackedStringArray;
        Vector3::new(0.1_f32, 2.0, 3.0) => PackedVector3Array;
        [0.1_f64, 2.0, 3.0, 4.0] => PackedVector4Array;
    }
}

/// Borrowed texts can be written. They are read as long as the packet lives.
#[test]
fn borrowed_texts_are_the_same_in_every_way() {
    for texts in [vec!["a", "Zoë", ""], vec![]] {
        let either: Vec<Cow<'_, str>> = texts.iter().map(|text| (*text).into()).collect();
        let owned: Vec<String> = texts.iter().map(|text| (*text).into()).collect();
        let plain = written(&texts, Kind::Array);
        assert_eq!(written(&either, Kind::Array), plain);
        assert_eq!(written(&owned, Kind::Array), plain);
        let packed = written(&Packed(texts.clone()), Kind::PackedStringArray);
        assert_eq!(written(&Packed(either), Kind::PackedStringArray), packed);
        assert_eq!(written(&Packed(owned), Kind::PackedStringArray), packed);
        for (dialect, bytes) in plain.into_iter().chain(packed) {
            let read = parse(dialect, &bytes).unwrap();
            assert_eq!(read.to::<Packed<Vec<&str>>>(), Ok(Packed(texts.clone())));
            assert_eq!(from_slice::<Vec<&str>>(dialect, &bytes).unwrap(), texts);
        }
    }
}

/// Collections without a packed array of their type become an Array, and other values stay as they
/// are.
#[test]
fn other_values_are_the_same_in_every_way() {
    macro_rules! values {
        ($($value:expr => $kind:ident;)*) => {$(
            same($value, Kind::$kind);
            same(vec![$value], Kind::Array);
        )*};
    }
    same([[true]], Kind::Array);
    same((true, [true; 0]), Kind::Array);
    same(BTreeMap::from([(1, true)]), Kind::Dictionary);
    let axis = Vector3::new(0.1_f32, 2.0, 3.0);
    let basis = Basis::from_axes(axis, axis, axis);
    let four = Vector4::new(0.1_f32, 2.0, 3.0, 4.0);
    values! {
        true => Bool;
        -7_i8 => Int;
        7_u16 => Int;
        -7_i16 => Int;
        7_u32 => Int;
        Rect2::new(Vector2::new(0.1_f32, 2.0), Vector2::new(3.0, 4.0)) => Rect2;
        Rect2::new(Vector2::new(1, 2), Vector2::new(3, 4)) => Rect2i;
        Transform2D::new(Vector2::new(0.1_f32, 2.0), Vector2::new(3.0, 4.0), Vector2::new(5.0, 6.0)) => Transform2D;
        Plane::new(axis, 4.0) => Plane;
        Quaternion::new(0.1_f32, 2.0, 3.0, 4.0) => Quaternion;
        Aabb::new(axis, axis) => Aabb;
        basis => Basis;
        Transform3D::new(basis, axis) => Transform3D;
        Projection::new(four, four, four, four) => Projection;
    }
    written(&vec![NodePath::from("/root/A:b")], Kind::Array);
    written(&vec![variant!({ "hp": 87 }), variant!(Packed([1_u8]))], Kind::Array);
    written(&vec![None, Some(1)], Kind::Array);
    written(&[(), ()], Kind::Array);
    written(&(1, "a", [2.5], Packed([0.5_f32]), (), Some([true]), ("b",)), Kind::Array);
    written(&BTreeMap::from([("b", vec![1_u8]), ("a", vec![])]), Kind::Dictionary);
    written(&HashMap::from([(vec![1_u8], "key")]), Kind::Dictionary);
    // Only some of these numbers fit into an int, so there is no `From`.
    for number in [7_u64, u64::MAX] {
        let all = vec![number];
        assert_eq!(to_vec(GODOT_4, &all).ok(), encode(GODOT_4, &all).ok());
        assert_eq!(encode(GODOT_4, &all).is_ok(), number == 7);
    }
}

/// A collection reads both the Array and the packed array of its elements.
#[test]
fn both_kinds_of_arrays_are_read() {
    let elements = [[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let plain = encode(GODOT_4, &elements).unwrap();
    let packed = encode(GODOT_4, &Packed(elements)).unwrap();
    for bytes in [plain, packed] {
        let read = parse(GODOT_4, &bytes).unwrap();
        assert_eq!(read.to::<Vec<[f32; 3]>>().unwrap(), elements);
        assert_eq!(read.to::<[[f32; 3]; 2]>().unwrap(), elements);
        assert_eq!(read.to::<Packed<Vec<[f64; 3]>>>().unwrap().0[1], [4.0, 5.0, 6.0]);
        assert_eq!(read.to::<Vec<Vector3<f32>>>().unwrap(), elements.map(Vector3::from));
        assert!(read.to::<Vec<[f32; 2]>>().is_err());
        assert!(read.to::<Vec<[i32; 3]>>().is_err());
        assert!(read.to::<Vec<f32>>().is_err());
    }
    let cells = encode(Dialect::PANDEMONIUM_5, &Packed([[1, 2], [300, 4]])).unwrap();
    let cells = parse(Dialect::PANDEMONIUM_5, &cells).unwrap();
    assert_eq!(cells.to::<Vec<[u16; 2]>>(), Ok(vec![[1, 2], [300, 4]]));
    assert_eq!(cells.to::<Vec<[f32; 2]>>(), Ok(vec![[1.0, 2.0], [300.0, 4.0]]));
    let error = cells.to::<Vec<[u8; 2]>>().unwrap_err();
    assert_eq!(error.to_string(), "/1/0: the int 300 at byte 16 does not fit in u8");
    let vector = encode(GODOT_4, &Vector3::new(1, 2, 300)).unwrap();
    let error = parse(GODOT_4, &vector).unwrap().to::<[u8; 3]>().unwrap_err();
    assert_eq!(error.to_string(), "/2: the int 300 at byte 12 does not fit in u8");
}
