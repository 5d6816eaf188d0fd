//! Finds parts of values in plain form, for expressions.

use super::super::keys::Collisions;
use super::width;
use crate::format::json::transposed;
use crate::format::text::Layout;
use crate::value::view::{ArrayRef, DictionaryRef, InstanceRef, StringsRef};
use crate::value::{Cells, Kind, Leaf, NodePathRef, ObjectRef, ValueBody, VariantRef, View};
use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// A value in plain form. Nothing is copied: the content of lists and maps is read on demand.
#[derive(Clone, Copy)]
pub(crate) enum Plain<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Id(u64),
    Single(f32),
    Double(f64),
    Text(&'a str),
    Path(NodePathRef<'a>),
    /// A string of hexadecimal digits.
    Bytes(&'a [u8]),
    List(PlainList<'a>),
    Map(Map<'a>),
}

/// An array in plain form.
#[derive(Clone, Copy)]
pub(crate) enum PlainList<'a> {
    Values(ArrayRef<'a>),
    Strings(StringsRef<'a>),
    Numbers(NumberList<'a>),
    /// Math values, each of this many numbers.
    Groups(NumberList<'a>, u8),
}

/// The numbers of a math value or a packed array, or a part of them.
#[derive(Clone, Copy)]
pub(crate) struct NumberList<'a> {
    cells: Cells<'a>,
    /// The kind of the whole value, which decides the order of the numbers.
    whole: Kind,
    /// The kind of this part, which decides the names of its components.
    part: Kind,
    start: usize,
    len: usize,
}

/// An object in plain form.
#[derive(Clone, Copy)]
pub(crate) enum Map<'a> {
    Dictionary(DictionaryRef<'a>),
    Instance(InstanceRef<'a>),
    Properties(InstanceRef<'a>),
    Handle { name: Option<&'a str>, id: u64 },
}

impl<'a> Plain<'a> {
    pub(crate) fn of(value: VariantRef<'a>) -> Plain<'a> {
        match value.view() {
            View::Object(ObjectRef::Instance(instance)) => Plain::Map(Map::Instance(instance)),
            View::Dictionary(entries) => Plain::Map(Map::Dictionary(entries)),
            View::Array(array) | View::TypedArray(array) | View::PackedTypedArray(array) => {
                Plain::List(PlainList::Values(array))
            }
            _ => Plain::of_leaf(value.kind(), Leaf::of(value)),
        }
    }

    fn of_leaf(kind: Kind, leaf: Leaf<'a>) -> Plain<'a> {
        match leaf {
            Leaf::Null | Leaf::Callable => Plain::Null,
            Leaf::Bool(content) => Plain::Bool(content),
            Leaf::Int(number) => Plain::Int(number),
            Leaf::Rid(id) => Plain::Id(id),
            Leaf::Float(number) => Plain::Double(number),
            Leaf::String(text) | Leaf::StringName(text) => Plain::Text(text),
            Leaf::NodePath(path) => Plain::Path(path),
            Leaf::Cells(Cells::Bytes(bytes)) => Plain::Bytes(bytes),
            Leaf::Strings(strings) => Plain::List(PlainList::Strings(strings)),
            Leaf::Cells(cells) => {
                let numbers =
                    NumberList { cells, whole: kind, part: kind, start: 0, len: cells.len() };
                Plain::List(match width(kind) {
                    1 => PlainList::Numbers(numbers),
                    width => PlainList::Groups(numbers, width),
                })
            }
            Leaf::ObjectId(id) => Plain::Map(Map::Handle { name: None, id }),
            Leaf::Signal { name, object_id } => {
                Plain::Map(Map::Handle { name: Some(name), id: object_id })
            }
        }
    }
}

impl<'a> PlainList<'a> {
    pub(crate) fn len(self) -> usize {
        match self {
            PlainList::Values(array) => array.len(),
            PlainList::Strings(strings) => strings.len(),
            PlainList::Numbers(numbers) => numbers.len,
            PlainList::Groups(numbers, width) => {
                numbers.len.checked_div(usize::from(width)).unwrap_or(0)
            }
        }
    }

    /// The element at an index. In an array of values, all elements before it are skipped.
    pub(crate) fn get(self, index: usize) -> Option<Plain<'a>> {
        match self {
            PlainList::Values(array) => array.get(index).map(Plain::of),
            PlainList::Strings(strings) => strings.get(index).map(Plain::Text),
            PlainList::Numbers(numbers) => numbers.get(index),
            PlainList::Groups(numbers, width) => {
                let len = usize::from(width);
                let start = index.checked_mul(len).filter(|start| *start < numbers.len)?;
                let part = numbers.whole.element()?;
                Some(Plain::List(PlainList::Numbers(NumberList { part, start, len, ..numbers })))
            }
        }
    }

    /// All elements in order.
    pub(crate) fn iter(self) -> Box<dyn Iterator<Item = Plain<'a>> + 'a> {
        match self {
            PlainList::Values(array) => Box::new(array.iter().map(Plain::of)),
            PlainList::Strings(strings) => Box::new(strings.iter().map(Plain::Text)),
            list => Box::new((0..list.len()).map_while(move |index| list.get(index))),
        }
    }

    /// A component of a math value by its name in the engine, such as `x` or `origin`.
    pub(crate) fn component(self, name: &str) -> Option<Plain<'a>> {
        let PlainList::Numbers(numbers) = self else { return None };
        let (start, part) = component(numbers.part, name)?;
        let len = match part.body() {
            ValueBody::Cells(_, len) => usize::from(len),
            _ => return numbers.get(start),
        };
        let start = numbers.start.saturating_add(start);
        Some(Plain::List(PlainList::Numbers(NumberList { part, start, len, ..numbers })))
    }

    /// How many bytes may be read to find an element.
    pub(crate) fn reach(self) -> usize {
        match self {
            PlainList::Values(array) => array.reach(),
            _ => 0,
        }
    }
}

impl<'a> NumberList<'a> {
    fn get(self, index: usize) -> Option<Plain<'a>> {
        if index >= self.len {
            return None;
        }
        let place = transposed(self.whole, self.start.checked_add(index)?);
        Some(match self.cells {
            Cells::Bytes(bytes) => Plain::Int(i64::from(*bytes.get(place)?)),
            Cells::I32(numbers) => Plain::Int(i64::from(numbers.get(place)?.get())),
            Cells::I64(numbers) => Plain::Int(numbers.get(place)?.get()),
            Cells::F32(numbers) => Plain::Single(numbers.get(place)?.get()),
            Cells::F64(numbers) => Plain::Double(numbers.get(place)?.get()),
        })
    }
}

/// The index of the first number of a component of a math value, and the component's kind. `Float`
/// stands for a single number.
fn component(kind: Kind, name: &str) -> Option<(usize, Kind)> {
    use Kind::{Basis, Float, Vector2, Vector3, Vector4};
    let place = |names: [&str; 4]| names.into_iter().position(|other| other == name);
    let axis = place(["x", "y", "z", "w"]);
    Some(match (kind, name, axis) {
        (Kind::Vector2 | Kind::Vector2i, _, Some(place @ ..2))
        | (Kind::Vector3 | Kind::Vector3i | Kind::Plane, _, Some(place @ ..3))
        | (Kind::Vector4 | Kind::Vector4i | Kind::Quaternion, _, Some(place)) => (place, Float),
        (Kind::Color, ..) => (place(["r", "g", "b", "a"])?, Float),
        (Kind::Plane, "normal", _) => (0, Vector3),
        (Kind::Plane, "d", _) => (3, Float),
        (Kind::Rect2 | Kind::Rect2i, "position", _) => (0, Vector2),
        (Kind::Rect2 | Kind::Rect2i, "size", _) => (2, Vector2),
        (Kind::Aabb, "position", _) => (0, Vector3),
        (Kind::Aabb, "size", _) => (3, Vector3),
        (Kind::Transform2D, "origin", _) => (4, Vector2),
        (Kind::Transform2D, _, Some(place @ ..2)) => (place.saturating_mul(2), Vector2),
        (Kind::Basis, _, Some(place @ ..3)) => (place.saturating_mul(3), Vector3),
        (Kind::Transform3D, "basis", _) => (0, Basis),
        (Kind::Transform3D, "origin", _) => (9, Vector3),
        (Kind::Projection, _, Some(place)) => (place.saturating_mul(4), Vector4),
        _ => return None,
    })
}

impl<'a> Map<'a> {
    pub(crate) fn len(self) -> usize {
        match self {
            Map::Dictionary(entries) => entries.len(),
            Map::Instance(_) | Map::Handle { name: Some(_), .. } => 2,
            Map::Properties(instance) => instance.len(),
            Map::Handle { name: None, .. } => 1,
        }
    }

    /// How many bytes may be read to find a key.
    pub(crate) fn reach(self) -> usize {
        match self {
            Map::Dictionary(entries) => entries.reach(),
            Map::Instance(_) | Map::Properties(_) | Map::Handle { .. } => 0,
        }
    }

    /// The value of a key. If a key occurs twice, the last one counts.
    pub(crate) fn get(self, key: &str) -> Option<Plain<'a>> {
        match (self, key) {
            (Map::Dictionary(entries), _) => {
                entries.get(key).or_else(|| other(entries, key)).map(Plain::of)
            }
            (Map::Instance(instance), "class") => Some(Plain::Text(instance.class())),
            (Map::Instance(instance), "properties") => Some(Plain::Map(Map::Properties(instance))),
            (Map::Properties(instance), _) => instance.get(key).map(Plain::of),
            (Map::Handle { name, .. }, "name") => name.map(Plain::Text),
            (Map::Handle { id, .. }, "id") => Some(Plain::Id(id)),
            (Map::Instance(_) | Map::Handle { .. }, _) => None,
        }
    }

    /// All keys and values in order.
    pub(crate) fn iter(self) -> Box<dyn Iterator<Item = (Cow<'a, str>, Plain<'a>)> + 'a> {
        let owned = |key: &'a str| Cow::Borrowed(key);
        match self {
            Map::Dictionary(entries) => {
                let collisions = Collisions::among(entries.keys());
                Box::new(entries.iter().map(move |(key, value)| {
                    let name = match key.as_str() {
                        Some(text) => Cow::Borrowed(text),
                        None => Cow::Owned(collisions.name_or_literal(key)),
                    };
                    (name, Plain::of(value))
                }))
            }
            Map::Properties(instance) => Box::new(
                instance.properties().map(move |(name, value)| (owned(name), Plain::of(value))),
            ),
            _ => Box::new(
                ["class", "properties", "name", "id"]
                    .into_iter()
                    .filter_map(move |key| Some((Cow::Borrowed(key), self.get(key)?))),
            ),
        }
    }
}

/// The value of a key that is not a string.
fn other<'a>(entries: DictionaryRef<'a>, name: &str) -> Option<VariantRef<'a>> {
    let others = || entries.iter().filter(|(key, _)| key.as_str().is_none());
    let by_literal = others().filter(|(key, _)| is_spelled(*key, name)).last();
    let found = by_literal.or_else(|| {
        // A literal with its kind around it has this form.
        let (kind, _) = name.split_once('(')?;
        let is_of_kind = |key: VariantRef<'_>| key.kind().name() == kind;
        others().find(|(key, _)| is_of_kind(*key))?;
        let collisions = Collisions::among(entries.keys());
        others().filter(|(key, _)| collisions.name(*key) == Some(name)).last()
    });
    found.map(|(_, value)| value)
}

/// Whether the literal of a key is this text.
fn is_spelled(key: VariantRef<'_>, text: &str) -> bool {
    let mut rest = UnmatchedText(text);
    write!(rest, "{}", key.display(Layout::Line)).is_ok() && rest.0.is_empty()
}

/// The part of a text that is still to be written; writing anything else fails.
struct UnmatchedText<'t>(&'t str);

impl fmt::Write for UnmatchedText<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(text).ok_or(fmt::Error)?;
        Ok(())
    }
}
