//! Every value that a real engine wrote is read, and written again as the engine wrote it. This
//! crate accepts the inputs that the engine accepts, except for the differences that are counted
//! here.

use crate::common::{
    Difference, RECORDED, Value, Verdict, difference, hex, lines, unhex, without_path_padding,
};
use gdwire::convert::{OnLoss, convert};
use gdwire::{Dialect, Variant, encode, parse};
use std::collections::BTreeMap;

#[test]
fn values_are_written_back_byte_for_byte() {
    for (folder, dialect) in RECORDED {
        let values: Vec<Value> = lines(&format!("{folder}/values.ndjson"));
        assert!(values.len() > 100);
        for Value { name, hex: line, .. } in values {
            let bytes = unhex(&line);
            let view =
                parse(dialect, &bytes).unwrap_or_else(|error| panic!("{folder} {name}: {error}"));
            let canonical = hex(&without_path_padding(view));
            let from_view = encode(dialect, &view).unwrap();
            assert_eq!(hex(&from_view), canonical, "{folder} {name} from the view");
            let from_owned = encode(dialect, &Variant::from(view)).unwrap();
            assert_eq!(hex(&from_owned), canonical, "{folder} {name} owned");
            if !name.ends_with("nan") {
                assert_eq!(parse(dialect, &from_view), Ok(view), "{folder} {name} read again");
            }
        }
    }
}

#[test]
fn reals_of_eight_bytes_keep_them() {
    let values: Vec<Value> = lines("godot4-double/values.ndjson");
    let mut wide = 0;
    for Value { name, hex: line, .. } in values {
        let bytes = unhex(&line);
        let view = parse(Dialect::GODOT_4, &bytes).unwrap();
        wide += usize::from(view.is_wide() && view.as_i64().is_none() && view.as_f64().is_none());
        let canonical = hex(&without_path_padding(view));
        for bytes in [
            encode(view.dialect(), &view),
            encode(view.dialect(), &Variant::from(view)),
            Ok(convert(view, view.dialect(), OnLoss::Refuse).unwrap().bytes),
        ] {
            assert_eq!(hex(&bytes.unwrap()), canonical, "{name}");
        }
    }
    assert!(wide > 20, "only {wide}");
}

/// The differences on the inputs of a folder, and how many there are of each.
fn differences(folder: &str, dialect: Dialect) -> Vec<(Difference, usize)> {
    let mut differences = BTreeMap::new();
    let verdicts: Vec<Verdict> = lines(&format!("{folder}/verdicts.ndjson"));
    assert!(verdicts.len() >= 2000);
    for line in verdicts {
        let verdict = (line.verdict != "reject").then(|| unhex(&line.verdict));
        if let Some(difference) = difference(dialect, &unhex(&line.hex), verdict.as_deref()) {
            assert_ne!(
                difference,
                Difference::Unknown,
                "{folder}: {} is {}",
                line.hex,
                line.verdict
            );
            *differences.entry(difference).or_insert(0) += 1;
        }
    }
    differences.into_iter().collect()
}

#[test]
fn verdicts_are_those_of_the_engines() {
    use Difference::{
        ElementClass, ElementOfOtherType, ObjectId, OldNodePath, Projection, StrictUtf8,
        UnknownElementType, Vector4Array, WholeObject,
    };
    let expected: [&[(Difference, usize)]; 5] = [
        &[(WholeObject, 25), (ObjectId, 35), (OldNodePath, 15), (StrictUtf8, 1)],
        &[
            (WholeObject, 31),
            (ObjectId, 24),
            (ElementClass, 16),
            (OldNodePath, 7),
            (ElementOfOtherType, 6),
        ],
        &[
            (WholeObject, 14),
            (ObjectId, 14),
            (ElementClass, 10),
            (OldNodePath, 2),
            (ElementOfOtherType, 1),
        ],
        &[
            (WholeObject, 26),
            (ObjectId, 30),
            (OldNodePath, 15),
            (Projection, 2),
            (Vector4Array, 35),
        ],
        &[
            (WholeObject, 25),
            (ObjectId, 19),
            (OldNodePath, 16),
            (ElementOfOtherType, 28),
            (UnknownElementType, 1),
            (Projection, 20),
            (Vector4Array, 38),
        ],
    ];
    for ((folder, dialect), expected) in RECORDED.into_iter().zip(expected) {
        assert_eq!(differences(folder, dialect), expected, "{folder}");
    }
}
