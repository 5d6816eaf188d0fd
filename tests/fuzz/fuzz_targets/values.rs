//! Values in every other form: owned, through serde, as a literal, as JSON, and in another dialect.
//! Each form must give back the bytes from which it was made.

#![no_main]

use gdwire::convert::{Converted, OnLoss, convert};
use gdwire::text::Layout;
use gdwire::walk::{Event, WalkStack};
use gdwire::{
    Dialect, Kind, Variant, VariantRef, View, encode, from_slice, from_variant, from_view, json,
    parse, text, to_vec,
};
use libfuzzer_sys::fuzz_target;

fn dialect(choice: u8) -> Dialect {
    let dialect = Dialect::ALL[usize::from(choice >> 1) % Dialect::ALL.len()];
    if choice & 1 == 1 { dialect.with_double_reals() } else { dialect }
}

// The input: a byte for the dialect, a byte for another dialect and for the form, and the bytes of a
// value.
fuzz_target!(|input: &[u8]| {
    let Some((&[from, form], bytes)) = input.split_first_chunk() else { return };
    let (from, to) = (dialect(from), dialect(form));
    let original = match parse(from, bytes) {
        Ok(value) => value,
        Err(error) => {
            let typed = from_slice::<Variant>(from, bytes).unwrap_err();
            assert_eq!(typed.as_wire(), Some(&error));
            assert!(from_slice::<serde_json::Value>(from, bytes).is_err());
            return;
        }
    };
    let Some(canonical) = canonical(from, original) else { return };
    let value = parse(from, &canonical).unwrap();
    match form >> 3 & 3 {
        0 => {
            let typed: Variant = from_slice(from, bytes).unwrap();
            assert_eq!(encode(from, &typed), encode(from, &Variant::from(original)));
            through_serde(value);
        }
        1 if has_plain_paths(value) && has_usual_widths(value) => through_text(value),
        _ => there_and_back(value, to),
    }
});

/// Reads and writes the value until its bytes no longer change, and returns them, or `None` if they
/// change each time. They may change at first: an object without a class becomes null, equal keys
/// are merged, and a string loses a byte order mark each time it is read.
fn canonical(dialect: Dialect, value: VariantRef<'_>) -> Option<Vec<u8>> {
    let owned = |value: VariantRef<'_>| encode(dialect, &Variant::from(value)).unwrap();
    let mut bytes = owned(value);
    for _ in 0..5 {
        let again = owned(parse(dialect, &bytes).unwrap());
        if again == bytes {
            return Some(bytes);
        }
        bytes = again;
    }
    let has_mark = bytes.windows(3).any(|part| part == "\u{feff}".as_bytes());
    assert!(has_mark, "reading and writing changes the value each time");
    None
}

fn through_serde(value: VariantRef<'_>) {
    let (dialect, bytes) = (value.dialect(), value.as_bytes());
    assert_eq!(encode(dialect, &value).unwrap(), bytes);
    assert_eq!(to_vec(dialect, &value).unwrap(), bytes);
    let owned: Variant = from_slice(dialect, bytes).unwrap();
    assert_eq!(to_vec(dialect, &owned).unwrap(), bytes);
    // Not every value can be read into the type: its keys are strings.
    let read: Option<serde_json::Value> = from_slice(dialect, bytes).ok();
    assert_eq!(read, from_view(value).ok());
    assert_eq!(read, from_variant(&owned).ok());
    assert_eq!(serde_json::to_value(value).ok(), serde_json::to_value(&owned).ok());
}

/// Whether a text can give back the names in the value's node paths: a slash or a colon ends a name,
/// and empty names are left out.
fn has_plain_paths(value: VariantRef<'_>) -> bool {
    let is_plain = |name: &str| !name.is_empty() && !name.contains(['/', ':']);
    all_leaves(value, |leaf| match leaf.view() {
        View::NodePath(path) => path.names().chain(path.subnames()).all(is_plain),
        _ => true,
    })
}

/// Whether all reals have the width that the dialect gives to reals of unknown width, such as those
/// from a text or from another dialect.
fn has_usual_widths(value: VariantRef<'_>) -> bool {
    all_leaves(value, |leaf| match leaf.view() {
        View::Vector2(_)
        | View::Rect2(_)
        | View::Vector3(_)
        | View::Transform2D(_)
        | View::Vector4(_)
        | View::Plane(_)
        | View::Quaternion(_)
        | View::Aabb(_)
        | View::Basis(_)
        | View::Transform3D(_)
        | View::Projection(_)
        | View::PackedVector2Array(_)
        | View::PackedVector3Array(_)
        | View::PackedVector4Array(_) => leaf.is_wide() == leaf.dialect().has_double_reals(),
        _ => true,
    })
}

fn all_leaves(value: VariantRef<'_>, holds: impl Fn(VariantRef<'_>) -> bool) -> bool {
    value.walk(&mut WalkStack::new()).all(|event| match event {
        Event::Value(_, leaf) => holds(leaf),
        _ => true,
    })
}

fn through_text(value: VariantRef<'_>) {
    let dialect = value.dialect();
    for layout in [Layout::Multiline, Layout::Line] {
        let literal = value.display(layout).to_string();
        let read =
            text::parse_for(dialect, &literal).unwrap_or_else(|error| panic!("{error}: {literal}"));
        same(value, &encode(dialect, &read).unwrap(), &literal);
    }
    let native = json::to_string(value);
    let read =
        json::parse_for(dialect, &native).unwrap_or_else(|error| panic!("{error}: {native}"));
    same(value, &encode(dialect, &read).unwrap(), &native);
    serde_json::from_str::<serde_json::Value>(&json::to_plain_string(value)).unwrap();
}

/// Asserts that the value read from a text, or converted back, is the original one. Neither
/// preserves the bits of a NaN.
fn same(value: VariantRef<'_>, read: &[u8], text: &str) {
    if text.contains("nan") {
        assert_eq!(json::to_string(parse(value.dialect(), read).unwrap()), json::to_string(value));
    } else {
        assert_eq!(read, value.as_bytes(), "{text}");
    }
}

/// A value that is converted to another dialect without loss is the same when it is converted back,
/// except for string names and typed arrays, which some dialects write as strings and as arrays of
/// another kind.
fn there_and_back(value: VariantRef<'_>, to: Dialect) {
    let from = value.dialect();
    let own = convert(value, from, OnLoss::Refuse).unwrap();
    assert_eq!((&own.bytes[..], own.changed), (value.as_bytes(), 0));
    let allowed = convert(value, to, OnLoss::Allow);
    let Ok(Converted { bytes: there, changed: 0, .. }) = convert(value, to, OnLoss::Refuse) else {
        assert!(allowed.is_err() || allowed.is_ok_and(|allowed| allowed.changed > 0));
        return;
    };
    let allowed = allowed.unwrap();
    assert_eq!((&allowed.bytes, allowed.changed), (&there, 0));
    let other = parse(to, &there).unwrap();
    assert_eq!(convert(other, to, OnLoss::Refuse).unwrap().bytes, there);
    if !has_usual_widths(value) {
        return;
    }
    let Ok(back) = convert(other, from, OnLoss::Refuse) else { panic!("refused on its way back") };
    let again = convert(parse(from, &back.bytes).unwrap(), to, OnLoss::Refuse).unwrap();
    assert_eq!(again.bytes, there);
    let lacks = |kind: Kind| to.type_number(kind).is_none();
    if [Kind::StringName, Kind::TypedArray].into_iter().all(|kind| !lacks(kind)) {
        same(value, &back.bytes, &json::to_string(value));
    }
}
