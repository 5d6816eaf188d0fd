//! Values explained byte by byte.

use crate::common::{RECORDED, Verdict, lines, recorded_values, unhex};
use crate::explain::{ALL, Line, assert_tiled, collect, shown};
use gdwire::explain::{Detail, value};
use gdwire::math::{Basis, Vector3};
use gdwire::{Dialect, Variant, encode, parse, parse_prefix, variant};

fn explained(dialect: Dialect, bytes: &[u8], detail: Detail) -> Vec<Line> {
    collect(|visit| value(dialect, bytes, detail, visit))
}

#[test]
fn every_recorded_value_is_explained_to_its_last_byte() {
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        for detail in [ALL, Detail::default(), Detail::new().with_items(0).with_fields(3)] {
            let fields = explained(dialect, &bytes, detail);
            assert_tiled(&fields, &bytes, &line.name);
            assert!(fields.iter().all(|field| field.name != "not readable"), "{}", line.name);
        }
        let name = parse(dialect, &bytes).unwrap().kind();
        let first = &explained(dialect, &bytes, ALL)[0];
        assert_eq!((first.name.as_str(), first.bytes.len()), ("value", 4));
        if dialect.name() == "godot4" {
            assert!(first.value.starts_with(&format!("{name}, type ")), "{first:?}");
        }
    }
}

#[test]
fn values_cut_anywhere_are_explained_up_to_the_cut() {
    for (dialect, line) in recorded_values() {
        let bytes = unhex(&line.hex);
        // Long values are cut only at some lengths.
        for len in (0..bytes.len()).step_by(bytes.len() / 200 + 1) {
            let cut = &bytes[..len];
            for detail in [ALL, Detail::new().with_items(1).with_fields(9)] {
                let fields = explained(dialect, cut, detail);
                assert_tiled(&fields, cut, &line.name);
                let last = fields.last().map(|field| field.name.as_str());
                let is_cut = parse_prefix(dialect, cut).is_err();
                assert_eq!(last == Some("not readable"), is_cut, "{} at {len}", line.name);
            }
        }
    }
}

#[test]
fn inputs_that_engines_refuse_are_explained() {
    for (folder, dialect) in RECORDED {
        let mut refused = 0;
        for Verdict { hex, .. } in lines::<Verdict>(&format!("{folder}/verdicts.ndjson")) {
            let bytes = unhex(&hex);
            for detail in [ALL, Detail::default(), Detail::new().with_items(2).with_fields(5)] {
                assert_tiled(&explained(dialect, &bytes, detail), &bytes, &hex);
            }
            refused += usize::from(parse_prefix(dialect, &bytes).is_err());
        }
        assert!(refused > 50, "{folder}: {refused}");
    }
}

#[test]
fn fields_describe_their_bytes() {
    let state = variant!({ "name": "b\u{1b}é", "path": gdwire::NodePath::from("/root/A:x") });
    let bytes = encode(Dialect::GODOT_4, &state).unwrap();
    assert_eq!(
        shown(&explained(Dialect::GODOT_4, &bytes, ALL)),
        [
            "0000 1b000000 value: Dictionary, type 27",
            "0004 02000000   count: 2 entries",
            "0008 04000000   key 0: String, type 4",
            "000c 04000000     length: 4 bytes",
            "0010 6e616d65     text: \"name\"",
            "0014 04000000   value 0: String, type 4",
            "0018 04000000     length: 4 bytes",
            "001c 621bc3a9     text: \"b\\u001bé\"",
            "0020 04000000   key 1: String, type 4",
            "0024 04000000     length: 4 bytes",
            "0028 70617468     text: \"path\"",
            "002c 16000000   value 1: NodePath, type 22",
            "0030 02000080     names: 2",
            "0034 01000000     subnames: 1",
            "0038 01000000     flags: absolute",
            "003c 04000000     name 0: 4 bytes",
            "0040 726f6f74       text: \"root\"",
            "0044 01000000     name 1: 1 byte",
            "0048 41       text: \"A\"",
            "0049 000000       padding: ",
            "004c 01000000     name 2: 1 byte",
            "0050 78       text: \"x\"",
            "0051 000000       padding: ",
        ]
    );
}

#[test]
fn numbers_have_names_and_widths() {
    let wide = unhex("05000100000000000000f03f000000000000004002000000");
    assert_eq!(
        shown(&explained(Dialect::GODOT_4, &wide, ALL)),
        [
            "0000 05000100 value: Vector2, type 5, flags 0x1 (8 bytes a number)",
            "0004 000000000000f03f   x: 1",
            "000c 0000000000000040   y: 2",
            "0014 02000000 bytes after the value: 4 bytes",
        ]
    );
    // The digits are those of the literal: engines calculate with floats of 8 bytes.
    let real = unhex("030000000074534303000000");
    let fields = explained(Dialect::GODOT_3, &real[..8], ALL);
    let literal = parse(Dialect::GODOT_3, &real[..8]).unwrap().to_string();
    assert_eq!([&fields[1].value, &literal], ["211.453125"; 2]);
    // Axes (1, 2, 3), (4, 5, 6), (7, 8, 9), which the engines write row by row.
    let axis = |first: f32| Vector3::new(first, first + 1.0, first + 2.0);
    let basis = Basis::from_axes(axis(1.0), axis(4.0), axis(7.0));
    let bytes = encode(Dialect::GODOT_3, &Variant::from(basis)).unwrap();
    let numbers = explained(Dialect::GODOT_3, &bytes, ALL);
    let numbers = numbers[1..].iter().map(|line| format!("{} {}", line.name, line.value));
    assert_eq!(
        numbers.collect::<Vec<_>>().join(", "),
        "x.x 1, y.x 4, z.x 7, x.y 2, y.y 5, z.y 8, x.z 3, y.z 6, z.z 9"
    );
}

#[test]
fn long_arrays_are_cut_after_some_elements() {
    let numbers: Vec<i32> = (0..743).collect();
    let state = variant!([Variant::PackedInt32Array(numbers), 1, 2, 3]);
    let bytes = encode(Dialect::GODOT_3, &state).unwrap();
    let fields = explained(Dialect::GODOT_3, &bytes, Detail::new().with_items(2).with_fields(100));
    assert_eq!(
        fields.iter().map(|line| format!("{}: {}", line.name, line.value)).collect::<Vec<_>>(),
        [
            "value: Array, type 19",
            "count: 4 elements",
            "[0]: PoolIntArray, type 21",
            "count: 743 elements",
            "[0]: 0",
            "[1]: 1",
            "elements from 2 on: 741 more, 2964 bytes",
            "[1]: int, type 2",
            "number: 1",
            "elements from 2 on: 2 more, 16 bytes",
        ]
    );
}

#[test]
fn errors_are_shown_at_their_place() {
    let cut = unhex("13000000020000000200000001000000040000000300000068ff6900");
    assert_eq!(
        shown(&explained(Dialect::GODOT_3, &cut, ALL))[4..],
        [
            "0010 04000000   [1]: String, type 4",
            "0014 03000000     length: 3 bytes",
            "0018 68ff6900 not readable: byte 0x19: the text of a String is not UTF-8",
        ]
    );
}

#[test]
fn the_number_of_fields_is_bounded() {
    // Nested as deep and as wide as possible.
    let mut value = variant!(1);
    for _ in 0..500 {
        value = variant!([value, 1, 2]);
    }
    let bytes = encode(Dialect::GODOT_3, &value).unwrap();
    let fields = explained(Dialect::GODOT_3, &bytes, Detail::default());
    assert_tiled(&fields, &bytes, "nested");
    let few = explained(Dialect::GODOT_3, &bytes, ALL.with_fields(50));
    assert_tiled(&few, &bytes, "nested");
    assert!(few.len() <= 60, "{}", few.len());
}
