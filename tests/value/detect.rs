//! Detecting the dialect of recorded data.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by a panic")]

use crate::common::{RECORDED, Value, lines, unhex};
use gdwire::detect::{Detector, detect};
use gdwire::math::{Color, Vector2};
use gdwire::{Dialect, Kind, Packed, Variant, encode, parse, variant};

/// The order in which dialects that fit equally well are listed.
const PREFERENCE: [Dialect; 4] =
    [Dialect::GODOT_4, Dialect::GODOT_3, Dialect::PANDEMONIUM_5, Dialect::PANDEMONIUM_4];

fn recorded(folder: &str) -> Vec<Vec<u8>> {
    let values: Vec<Value> = lines(&format!("{folder}/values.ndjson"));
    values.iter().map(|value| unhex(&value.hex)).collect()
}

fn of(values: &[Vec<u8>]) -> Option<Dialect> {
    detect(values.iter().map(Vec::as_slice)).dialect()
}

fn written(dialect: Dialect, values: &[Variant]) -> Vec<Vec<u8>> {
    values.iter().map(|value| encode(dialect, value).unwrap()).collect()
}

#[test]
fn the_engine_of_recorded_values_is_detected() {
    for (folder, dialect) in RECORDED {
        let values = recorded(folder);
        let detection = detect(values.iter().map(Vec::as_slice));
        assert_eq!(detection.dialect(), Some(dialect), "{folder}: {detection}");
        let best = detection.candidates().find(|it| it.dialect == dialect).unwrap();
        assert_eq!(best.payloads as usize, values.len());
        assert!(detection.is_best(dialect));
    }
}

#[test]
fn any_64_recorded_values_in_a_row_show_their_engine() {
    let (mut windows, mut undecided) = (0, 0);
    for (folder, dialect) in RECORDED {
        for window in recorded(folder).windows(64) {
            let detection = detect(window.iter().map(Vec::as_slice));
            assert!(detection.is_best(dialect), "{folder}: {detection}");
            // Both dialects of Pandemonium may fit values without packed arrays.
            match detection.dialect() {
                Some(found) => assert_eq!(found.name(), dialect.name(), "{folder}: {detection}"),
                None => {
                    assert!(
                        detection.best().all(|it| it.engine() == dialect.engine()),
                        "{detection}"
                    );
                    undecided += 1;
                }
            }
            windows += 1;
        }
    }
    assert!(undecided * 8 < windows, "{undecided} of {windows}");
}

#[test]
fn concatenated_values_show_their_engine() {
    for (folder, dialect) in RECORDED {
        let mut detector = Detector::new();
        detector.sequence(&recorded(folder).concat(), usize::MAX);
        assert_eq!(detector.detection().dialect(), Some(dialect), "{folder}");
    }
}

#[test]
fn other_traffic_does_not_outweigh_values() {
    let mut payloads =
        written(Dialect::PANDEMONIUM_4, &[variant!({"hp": 1}), variant!([(Packed([1_u8]))])]);
    payloads.extend((0..200).map(|seed: u8| vec![seed.wrapping_mul(37); usize::from(seed % 23)]));
    assert_eq!(of(&payloads), Some(Dialect::PANDEMONIUM_4));
}

#[test]
fn values_that_all_dialects_share_decide_nothing() {
    let common = [variant!(null), variant!(true), variant!(7), variant!(0.1), variant!("x")];
    for dialect in Dialect::ALL {
        let detection = detect(written(*dialect, &common).iter().map(Vec::as_slice));
        assert_eq!(detection.dialect(), None);
        assert!(detection.best().eq(PREFERENCE));
        assert!(Dialect::ALL.iter().all(|other| detection.is_best(*other)));
        assert_eq!(
            detection.to_string(),
            "godot4 or godot3 or pandemonium5 or pandemonium4, which all read 5 of 5 payloads"
        );
    }
}

#[test]
fn unreadable_bytes_have_no_dialect() {
    let noise: &[u8] = &[0xff; 12];
    for (payloads, text) in [
        (vec![], "unknown dialect: none reads any of 0 payloads"),
        (vec![noise], "unknown dialect: none reads any of 1 payload"),
        (vec![noise, &[], &[4, 0]], "unknown dialect: none reads any of 3 payloads"),
    ] {
        let count = payloads.len();
        let detection = detect(payloads);
        assert_eq!((detection.dialect(), detection.best().next()), (None, None));
        assert_eq!((detection.payloads() as usize, detection.to_string()), (count, text.into()));
        let mut detector = Detector::new();
        detector.payload(noise);
        assert_eq!(detector.detection_with_double_reals().dialect(), None);
    }
}

#[test]
fn several_dialects_may_fit_equally_well() {
    // Both Godots use this number for a Vector2, and Pandemonium for a Rect2, which is larger.
    let vector = written(Dialect::GODOT_3, &[variant!(Vector2::new(1.0, 2.0))]);
    let detection = detect(vector.iter().map(Vec::as_slice));
    assert_eq!(detection.dialect(), None);
    assert!(detection.best().eq([Dialect::GODOT_4, Dialect::GODOT_3]));
    assert_eq!(
        detection.to_string(),
        "godot4 or godot3, which all read 1 of 1 payload (pandemonium5 0, pandemonium4 0)"
    );
    // One value that they write differently decides.
    let both = [written(Dialect::GODOT_3, &[variant!([1])]), vector].concat();
    let detection = detect(both.iter().map(Vec::as_slice));
    assert_eq!(
        detection.to_string(),
        "godot3, which reads 2 of 2 payloads (godot4 1, pandemonium5 0, pandemonium4 0)"
    );
    // After a value that cannot be read, the values before it decide.
    let mut detector = Detector::new();
    detector.sequence(&[&both.concat()[..], &[0xff; 3]].concat(), usize::MAX);
    assert_eq!(detector.detection().dialect(), Some(Dialect::GODOT_3));
}

/// Bytes may go on after as many values as the limit, unless that is one.
#[test]
fn a_sequence_is_read_up_to_its_limit() {
    let values = written(Dialect::GODOT_4, &[variant!([1]), variant!([2]), variant!([3])]).concat();
    for (limit, expected) in [(1, 0), (2, 1), (3, 1), (4, 1)] {
        let mut detector = Detector::new();
        detector.sequence(&values, limit);
        let read = detector.detection().candidates().map(|it| it.payloads).max();
        assert_eq!(read, Some(expected), "{limit}");
    }
}

#[test]
fn a_dictionary_is_not_read_as_a_matrix_of_its_size() {
    // Godot 4 reads it as a Transform3D.
    let values = written(Dialect::GODOT_3, &[variant!({"pos": [1, 2, 3]})]);
    assert_eq!(of(&values), Some(Dialect::GODOT_3));
}

/// An integer array of Pandemonium 4 has the type number of a typed array of Pandemonium 5. Its
/// count is then the type of the elements, and its first integer their count.
#[test]
fn engines_write_no_typed_array_with_an_element_of_another_type() {
    let written = written(Dialect::PANDEMONIUM_4, &[Variant::from(Packed([1_i32, 2, 21]))]);
    let typed = parse(Dialect::PANDEMONIUM_5, &written[0]).unwrap();
    assert_eq!(typed.kind(), Kind::PackedTypedArray, "an int in an array of floats");
    assert_eq!(of(&written), Some(Dialect::PANDEMONIUM_4));
    // Nor one of ints with a null. In an array of objects, a null is an object that is gone.
    let written = self::written(Dialect::PANDEMONIUM_4, &[Variant::from(Packed([1_i32, 0]))]);
    let typed = parse(Dialect::PANDEMONIUM_5, &written[0]).unwrap();
    assert_eq!(typed.to_string(), "PackedTypedArray( int , null )");
    assert_eq!(of(&written), Some(Dialect::PANDEMONIUM_4));
    // Nor one of floats with an array.
    let array = Dialect::PANDEMONIUM_5.type_number(Kind::Array).unwrap();
    let ints = Variant::from(Packed([1_i32, array.into(), 0]));
    let written = self::written(Dialect::PANDEMONIUM_4, &[ints]);
    let typed = parse(Dialect::PANDEMONIUM_5, &written[0]).unwrap();
    assert_eq!(typed.to_string(), "PackedTypedArray( float , [  ] )");
    assert_eq!(of(&written), Some(Dialect::PANDEMONIUM_4));
}

#[test]
fn the_width_of_reals_is_found() {
    let single = Vector2::new(1.0, 2.0);
    let values = [variant!({"at": single, "bytes": Packed([1_u8])})];
    for dialect in Dialect::ALL {
        for dialect in [*dialect, dialect.with_double_reals()] {
            let detection = detect(written(dialect, &values).iter().map(Vec::as_slice));
            // Another engine may read the same with reals of another width.
            assert!(detection.best().any(|it| it == dialect), "{detection}");
        }
    }
    // If the width is known, there is nothing that Pandemonium could read with four bytes.
    let vector = encode(Dialect::GODOT_3.with_double_reals(), &single).unwrap();
    let mut detector = Detector::new();
    detector.payload(&vector);
    assert!(detector.detection().best().eq([Dialect::PANDEMONIUM_5, Dialect::PANDEMONIUM_4]));
    let known = detector.detection_with_double_reals();
    assert_eq!(known.dialect(), Some(Dialect::GODOT_3.with_double_reals()));
    let double = Dialect::GODOT_4.with_double_reals();
    // An engine of either width reads both, but writes one.
    let mixed = [written(double, &values), written(Dialect::GODOT_4, &values)].concat();
    assert_eq!(of(&mixed), Some(Dialect::GODOT_4));
    // Colours are the same in both.
    let colour = [variant!({"c": (Color::new(0.0, 1.0, 0.5, 1.0))})];
    assert_eq!(of(&written(double, &colour)), Some(Dialect::GODOT_4));
}

#[test]
fn merged_detectors_know_what_both_saw() {
    let values = recorded("godot4");
    let (one, other) = values.split_at(values.len() / 2);
    let mut parts = [Detector::new(), Detector::new()];
    one.iter().for_each(|value| parts[0].payload(value));
    other.iter().for_each(|value| parts[1].payload(value));
    let [mut merged, other] = parts;
    merged.merge(&other);
    let whole = detect(values.iter().map(Vec::as_slice));
    assert_eq!(merged.detection().to_string(), whole.to_string());
    // Only one of them knows the width of reals.
    let double = Dialect::GODOT_4.with_double_reals();
    let seen = |value: Variant| {
        let mut detector = Detector::new();
        detector.payload(&encode(double, &value).unwrap());
        detector
    };
    let parts = [seen(variant!({"n": 1})), seen(variant!({"at": (Vector2::new(1.0, 2.0))}))];
    for (one, other) in [(0, 1), (1, 0)] {
        let mut merged = parts[one].clone();
        merged.merge(&parts[other]);
        assert_eq!(merged.detection().dialect(), Some(double));
    }
}
