//! Whether this crate and an engine read the same from some bytes.

use super::without_path_padding;
use gdwire::convert::{OnLoss, convert};
use gdwire::view::{ElementTypeRef, ObjectRef};
use gdwire::walk::{Event, WalkStack};
use gdwire::{
    Dialect, Engine, Kind, Problem, Reading, Variant, VariantRef, View, encode, parse, parse_prefix,
};

/// A way in which this crate differs from an engine on purpose.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug, Clone, Copy)]
pub enum Difference {
    /// The game did not allow the engine to make objects; this crate reads them as data.
    WholeObject,
    /// The engine reads an id into a placeholder object, and then writes the id of the placeholder.
    ObjectId,
    /// The class of elements becomes that of the placeholder, too.
    ElementClass,
    /// The specification has an old form of node paths, which the engine refuses.
    OldNodePath,
    /// The engine reads the path of the root, `/`, as an empty path.
    RootPath,
    /// A NaN of eight bytes gets other bits when it gets four.
    NanBits,
    /// Godot 3.2 does not find a key with NaN again, and writes another key.
    LostKey,
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

pub fn contains(value: VariantRef<'_>, wanted: impl Fn(&Event<'_>) -> bool) -> bool {
    value.walk(&mut WalkStack::new()).any(|event| wanted(&event))
}

pub fn has_object(value: VariantRef<'_>) -> bool {
    contains(value, |event| match event {
        Event::Begin(_, container) => container.kind() == Kind::Object,
        // A whole object that is null.
        Event::Value(_, value) => value.kind() == Kind::Object && value.as_bytes()[2] & 1 == 0,
        _ => false,
    })
}

pub fn has_old_node_path(value: VariantRef<'_>) -> bool {
    contains(
        value,
        |event| matches!(event, Event::Value(_, path) if path.kind() == Kind::NodePath && path.as_bytes()[7] & 0x80 == 0),
    )
}

/// Whether the value, or anything inside it, has one of the kinds.
pub fn has_kind(value: VariantRef<'_>, kinds: &[Kind]) -> bool {
    contains(value, |event| match event {
        Event::Begin(_, container) => kinds.contains(&container.kind()),
        Event::Value(_, value) => kinds.contains(&value.kind()),
        _ => false,
    })
}

pub fn has_element_class(value: VariantRef<'_>) -> bool {
    contains(value, |event| {
        matches!(event, Event::Begin(_, container)
            if container.element_types().iter().any(|of| matches!(of, ElementTypeRef::Class(_) | ElementTypeRef::Script(_))))
    })
}

pub fn is_typed(value: VariantRef<'_>) -> bool {
    let any = [ElementTypeRef::Any; 2];
    contains(
        value,
        |event| matches!(event, Event::Begin(_, container) if container.element_types() != any),
    )
}

pub fn has_object_id(value: VariantRef<'_>) -> bool {
    contains(
        value,
        |event| matches!(event, Event::Value(_, value) if matches!(value.view(), View::Object(ObjectRef::Id(_)))),
    )
}

/// The bytes that this crate writes for a value.
fn written(dialect: Dialect, value: VariantRef<'_>) -> Vec<u8> {
    match dialect == Dialect::GODOT_4 {
        true => convert(value, dialect, OnLoss::Allow).unwrap().bytes,
        false => encode(dialect, &Variant::from(value)).unwrap(),
    }
}

/// Whether two values are spelled alike, and have a NaN, whose bits a literal does not show.
fn is_same_but_nan(dialect: Dialect, one: &[u8], other: &[u8]) -> bool {
    let [one, other] = [one, other].map(|bytes| parse(dialect, bytes).unwrap().to_text());
    one == other && one.contains("nan")
}

/// The bytes of a value in which paths without names are not absolute.
fn without_root_paths(value: VariantRef<'_>) -> Vec<u8> {
    let bytes = value.as_bytes();
    let mut changed = bytes.to_vec();
    for event in value.walk(&mut WalkStack::new()) {
        if let Event::Value(_, path) = event
            && matches!(path.view(), View::NodePath(path) if path.is_empty())
        {
            let offset = path.as_bytes().as_ptr().addr() - bytes.as_ptr().addr();
            // The old form has no flags.
            changed[offset..offset + path.as_bytes().len()]
                .iter_mut()
                .skip(12)
                .for_each(|it| *it = 0);
        }
    }
    changed
}

/// Why this crate writes an accepted value differently from the engine.
pub fn difference_of_bytes(value: VariantRef<'_>, is_pandemonium: bool) -> Difference {
    const VECTOR_4: [Kind; 2] = [Kind::PackedVector4Array, Kind::PackedVector4iArray];
    match () {
        () if has_element_class(value) => Difference::ElementClass,
        () if has_object_id(value) => Difference::ObjectId,
        () if is_pandemonium && has_kind(value, &VECTOR_4) => Difference::Vector4Array,
        () if is_typed(value) => Difference::ElementOfOtherType,
        () => Difference::Unknown,
    }
}

/// How the verdict of an engine on some bytes differs from ours. The verdict is the bytes that the
/// engine writes for the value that it read, or nothing if it refused the bytes.
pub fn difference(dialect: Dialect, bytes: &[u8], verdict: Option<&[u8]>) -> Option<Difference> {
    let is_pandemonium = dialect.engine() == Engine::Pandemonium;
    match (parse_prefix(dialect, bytes), verdict) {
        (Err(_), None) => None,
        (Ok((_, value)), Some(wanted)) => {
            // An engine of single precision rounds reals when it reads them.
            let (_, wide) =
                parse_prefix(dialect.with_double_reals(), bytes).unwrap_or((&[], value));
            let ours = written(dialect, if dialect == Dialect::GODOT_4 { wide } else { value });
            let without_root_paths = || {
                let bytes = without_root_paths(value);
                written(dialect, parse(dialect, &bytes).unwrap())
            };
            let wanted = without_path_padding(parse(dialect, wanted).unwrap());
            let is_key_lost = || {
                let text = b"[Deleted Object]";
                wanted.windows(text.len()).any(|bytes| bytes == text)
            };
            match ours != wanted {
                false => None,
                true if is_key_lost() => Some(Difference::LostKey),
                true if is_same_but_nan(dialect, &ours, &wanted) => Some(Difference::NanBits),
                true if without_root_paths() == wanted => Some(Difference::RootPath),
                true => Some(difference_of_bytes(value, is_pandemonium)),
            }
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
