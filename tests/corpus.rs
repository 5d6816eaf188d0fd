//! Every value that a real engine wrote is read, and written again as the engine wrote it. This
//! crate accepts the inputs that the engine accepts, except for the differences that are counted
//! here.

mod common;

use common::{Value, Verdict, hex, lines, unhex, without_path_padding};
use gdwire::convert::{OnLoss, convert};
use gdwire::view::{ElementTypeRef, ObjectRef};
use gdwire::walk::{Event, WalkStack};
use gdwire::{
    Dialect, Engine, Kind, Problem, Reading, Variant, VariantRef, View, encode, parse, parse_prefix,
};
use std::collections::BTreeMap;

/// The recorded folders, and the dialect that their engine writes.
const RECORDED: [(&str, Dialect); 5] = [
    ("godot3", Dialect::GODOT_3),
    ("godot4", Dialect::GODOT_4),
    ("godot4-double", Dialect::GODOT_4.with_double_reals()),
    ("pandemonium4", Dialect::PANDEMONIUM_4),
    ("pandemonium5", Dialect::PANDEMONIUM_5),
];

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

/// Where this crate differs from an engine on purpose.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug, Clone, Copy)]
enum Difference {
    /// The game did not allow the engine to make objects; this crate reads them as data.
    WholeObject,
    /// The engine reads an id into a placeholder object, and then writes the id of the placeholder.
    ObjectId,
    /// The class of elements becomes that of the placeholder, too.
    ElementClass,
    /// The specification has an old form of node paths, which the engine refuses.
    OldNodePath,
    /// The engine reads invalid text, such as code points beyond U+10FFFF.
    StrictUtf8,
    /// The engine drops elements of another type, or all elements; this crate keeps them.
    ElementOfOtherType,
    /// Pandemonium reads arrays of any type number, known or not.
    UnknownElementType,
    /// Pandemonium's reader requires more bytes after a Projection than its writer writes.
    Projection,
    /// Pandemonium's reader uses the third of four components as the fourth, too.
    Vector4Array,
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

/// Whether the value, or anything inside it, has one of the kinds.
fn has_kind(value: VariantRef<'_>, kinds: &[Kind]) -> bool {
    contains(value, |event| match event {
        Event::Begin(_, container) => kinds.contains(&container.kind()),
        Event::Value(_, value) => kinds.contains(&value.kind()),
        _ => false,
    })
}

fn has_element_class(value: VariantRef<'_>) -> bool {
    contains(value, |event| {
        matches!(event, Event::Begin(_, container)
            if container.element_types().iter().any(|of| matches!(of, ElementTypeRef::Class(_) | ElementTypeRef::Script(_))))
    })
}

fn is_typed(value: VariantRef<'_>) -> bool {
    let any = [ElementTypeRef::Any; 2];
    contains(
        value,
        |event| matches!(event, Event::Begin(_, container) if container.element_types() != any),
    )
}

fn has_object_id(value: VariantRef<'_>) -> bool {
    contains(
        value,
        |event| matches!(event, Event::Value(_, value) if matches!(value.view(), View::Object(ObjectRef::Id(_)))),
    )
}

/// Why this crate writes an accepted value differently from the engine.
fn difference_of_bytes(value: VariantRef<'_>, is_pandemonium: bool) -> Difference {
    const VECTOR_4: [Kind; 2] = [Kind::PackedVector4Array, Kind::PackedVector4iArray];
    match () {
        () if has_element_class(value) => Difference::ElementClass,
        () if has_object_id(value) => Difference::ObjectId,
        () if is_pandemonium && has_kind(value, &VECTOR_4) => Difference::Vector4Array,
        () if is_typed(value) => Difference::ElementOfOtherType,
        () => Difference::Unknown,
    }
}

/// How the verdict of the engine on some bytes differs from ours.
fn difference(dialect: Dialect, line: &Verdict) -> Option<Difference> {
    let bytes = unhex(&line.hex);
    let is_pandemonium = dialect.engine() == Engine::Pandemonium;
    let accepted = (line.verdict != "reject").then(|| unhex(&line.verdict));
    match (parse_prefix(dialect, &bytes), accepted) {
        (Err(_), None) => None,
        (Ok((_, value)), Some(wanted)) => {
            // An engine of single precision rounds reals when it reads them.
            let (_, wide) =
                parse_prefix(dialect.with_double_reals(), &bytes).unwrap_or((&[], value));
            let ours = match dialect == Dialect::GODOT_4 {
                true => convert(wide, dialect, OnLoss::Allow).unwrap().bytes,
                false => encode(dialect, &Variant::from(value)).unwrap(),
            };
            let wanted = without_path_padding(parse(dialect, &wanted).unwrap());
            (ours != wanted).then(|| difference_of_bytes(value, is_pandemonium))
        }
        (Ok((_, value)), None) if has_object(value) => Some(Difference::WholeObject),
        (Ok((_, value)), None) if has_old_node_path(value) => Some(Difference::OldNodePath),
        (Ok((_, value)), None) if is_pandemonium && has_kind(value, &[Kind::Projection]) => {
            Some(Difference::Projection)
        }
        (Err(error), Some(_)) => match (error.reading, error.problem) {
            (_, Problem::InvalidUtf8) => Some(Difference::StrictUtf8),
            (Reading::ElementType(Kind::TypedArray | Kind::PackedTypedArray), _) => {
                Some(Difference::UnknownElementType)
            }
            _ => Some(Difference::Unknown),
        },
        _ => Some(Difference::Unknown),
    }
}

/// The differences on the inputs of a folder, and how many there are of each.
fn differences(folder: &str, dialect: Dialect) -> Vec<(Difference, usize)> {
    let mut differences = BTreeMap::new();
    let verdicts: Vec<Verdict> = lines(&format!("{folder}/verdicts.ndjson"));
    assert!(verdicts.len() >= 2000);
    for line in verdicts {
        if let Some(difference) = difference(dialect, &line) {
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
