//! Everything that a real engine wrote is read, and written again as the engine wrote it; what
//! it accepts is accepted, but for the differences that are counted here.

mod common;

use common::{Value, Verdict, hex, lines, unhex, without_path_padding};
use gdwire::walk::{Event, WalkStack};
use gdwire::{Dialect, Kind, Problem, Variant, VariantRef, View, encode, parse, parse_prefix};
use std::collections::BTreeMap;

#[test]
fn values_come_back_byte_for_byte() {
    let values: Vec<Value> = lines("godot3/values.ndjson");
    assert!(values.len() > 100);
    for Value { name, hex: line, .. } in values {
        let bytes = unhex(&line);
        let view =
            parse(Dialect::GODOT_3, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let canonical = hex(&without_path_padding(view));
        let from_view = encode(Dialect::GODOT_3, &view).unwrap();
        assert_eq!(hex(&from_view), canonical, "{name} from the view");
        let from_owned = encode(Dialect::GODOT_3, &Variant::from(view)).unwrap();
        assert_eq!(hex(&from_owned), canonical, "{name} owned");
        if !name.ends_with("nan") {
            assert_eq!(parse(Dialect::GODOT_3, &from_view), Ok(view), "{name} read again");
        }
    }
}

/// Where this crate differs from the engine on purpose.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Difference {
    /// The engine was told not to make objects; here they are read as data.
    WholeObject,
    /// The engine reads an id into a stand-in, of which it then writes the id.
    ObjectId,
    /// The specification has the old form of a node path, the engine refuses it.
    OldNodePath,
    /// The engine reads ill-formed text, beyond U+10FFFF say.
    StrictUtf8,
    /// None of these: a bug.
    Unknown,
}

fn contains(value: VariantRef<'_>, wanted: impl Fn(&Event<'_>) -> bool) -> bool {
    value.walk(&mut WalkStack::new()).any(|event| wanted(&event))
}

fn has_object(value: VariantRef<'_>) -> bool {
    contains(value, |event| match event {
        Event::Begin(_, container) => container.kind() == Kind::Object,
        // A whole object that is null.
        Event::Value(_, value) => value.kind() == Kind::Object && value.as_bytes()[2] & 1 == 0,
        _ => false,
    })
}

fn has_old_node_path(value: VariantRef<'_>) -> bool {
    contains(
        value,
        |event| matches!(event, Event::Value(_, path) if path.kind() == Kind::NodePath && path.as_bytes()[7] & 0x80 == 0),
    )
}

fn has_object_id(value: VariantRef<'_>) -> bool {
    contains(
        value,
        |event| matches!(event, Event::Value(_, value) if matches!(value.view(), View::Object(gdwire::view::ObjectRef::Id(_)))),
    )
}

/// How the verdict of the engine on some bytes differs from ours.
fn difference(line: &Verdict) -> Option<Difference> {
    let bytes = unhex(&line.hex);
    let accepted = (line.verdict != "reject").then(|| unhex(&line.verdict));
    match (parse_prefix(Dialect::GODOT_3, &bytes), accepted) {
        (Err(_), None) => None,
        (Ok((_, value)), Some(wanted)) => {
            let ours = encode(Dialect::GODOT_3, &Variant::from(value)).unwrap();
            let wanted = without_path_padding(parse(Dialect::GODOT_3, &wanted).unwrap());
            match ours == wanted {
                true => None,
                false if has_object_id(value) && ours.len() == wanted.len() => {
                    Some(Difference::ObjectId)
                }
                false => Some(Difference::Unknown),
            }
        }
        (Ok((_, value)), None) if has_object(value) => Some(Difference::WholeObject),
        (Ok((_, value)), None) if has_old_node_path(value) => Some(Difference::OldNodePath),
        (Err(error), Some(_)) if error.problem == Problem::InvalidUtf8 => {
            Some(Difference::StrictUtf8)
        }
        _ => Some(Difference::Unknown),
    }
}

#[test]
fn verdicts_are_the_engine_s() {
    let mut differences = BTreeMap::new();
    let verdicts: Vec<Verdict> = lines("godot3/verdicts.ndjson");
    assert_eq!(verdicts.len(), 4000);
    for line in verdicts {
        if let Some(difference) = difference(&line) {
            assert_ne!(difference, Difference::Unknown, "{} is {}", line.hex, line.verdict);
            *differences.entry(difference).or_insert(0) += 1;
        }
    }
    let expected = [
        (Difference::WholeObject, 25),
        (Difference::ObjectId, 35),
        (Difference::OldNodePath, 15),
        (Difference::StrictUtf8, 1),
    ];
    assert_eq!(differences, BTreeMap::from(expected));
}
