//! Builds values from the parts of a JSON document, for the reader of JSON.

use super::element_type;
use super::order::transposed;
use super::spelling::BY_ID;
use crate::MAX_DEPTH;
use crate::format::text::ParseProblem;
use crate::format::text::number::{self, non_finite};
use crate::value::Kind;
use crate::write::owned::{
    Array, Dictionary, ElementType, Instance, NodePath, Object, Signal, Variant,
};
use std::borrow::Cow;

/// A problem and its offset in the text.
pub(super) type Fault = (usize, ParseProblem);

/// An item of a list. Its type may not be known yet.
pub(super) struct Item<'a> {
    pub(super) offset: usize,
    pub(super) content: Content<'a>,
}

pub(super) enum Content<'a> {
    /// The digits of a bare number.
    Number(Cow<'a, str>),
    Text(Cow<'a, str>),
    Value(Variant),
}

/// The name of an object's field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Type,
    Args,
    Props,
    Id,
    Name,
    ElementType,
    KeyType,
    ValueType,
}

impl Field {
    /// The names of all fields, for an error.
    pub(super) const WHAT: &str = "the field `type`, `args`, `props`, `id`, `name`, `elem_type`, \
                                   `key_type` or `value_type`";

    pub(super) fn of_name(name: &str) -> Option<Field> {
        Some(match name {
            "type" => Field::Type,
            "args" => Field::Args,
            "props" => Field::Props,
            "id" => Field::Id,
            "name" => Field::Name,
            "elem_type" => Field::ElementType,
            "key_type" => Field::KeyType,
            "value_type" => Field::ValueType,
            _ => return None,
        })
    }

    /// Whether the value of this field is a list.
    pub(super) const fn is_list(self) -> bool {
        matches!(self, Field::Args | Field::Props)
    }
}

/// The fields of an object. They may come in any order.
pub(super) struct Fields<'a> {
    pub(super) offset: usize,
    pub(super) type_name: Option<(usize, Cow<'a, str>)>,
    /// `args` or `props`.
    pub(super) list: Option<(Field, Vec<Item<'a>>)>,
    id: Option<u64>,
    name: Option<Cow<'a, str>>,
    /// The type of an array's elements or a dictionary's keys.
    element_type: ElementType,
    value_type: ElementType,
}

fn expected<T>(offset: usize, what: &'static str) -> Result<T, Fault> {
    Err((offset, ParseProblem::Expected(what)))
}

impl<'a> Item<'a> {
    /// Converts the item to a value by itself. A bare number is an error, because its type is
    /// unknown.
    pub(super) fn into_value(self) -> Result<Variant, Fault> {
        match self.content {
            Content::Value(value) => Ok(value),
            Content::Text(text) => prefixed(&text).map_err(|problem| (self.offset, problem)),
            Content::Number(_) => {
                expected(self.offset, "a value: numbers are spelled \"i:1\" or \"f:1.5\"")
            }
        }
    }

    /// The text of the item, or an error if it is not a string.
    pub(super) fn into_text(self) -> Result<Cow<'a, str>, Fault> {
        match self.content {
            Content::Text(text) => Ok(text),
            _ => expected(self.offset, "a string"),
        }
    }
}

/// Reads an id.
fn id(text: &str) -> Option<u64> {
    text.strip_prefix("i:")?.parse().ok()
}

/// Reads a string that begins with the type of the value.
fn prefixed(text: &str) -> Result<Variant, ParseProblem> {
    let (prefix, content) = text.split_once(':').unwrap_or_default();
    let (kind, number) = match prefix {
        "s" => return Ok(Variant::String(content.to_string())),
        "sn" => return Ok(Variant::StringName(content.to_string())),
        "np" => return Ok(NodePath::from(content).into()),
        "i" => (Kind::Int, content.parse().ok().map(Variant::Int)),
        "f" => {
            let number = non_finite(content).or_else(|| number::real(content));
            (Kind::Float, number.map(Variant::Float))
        }
        _ => {
            let what = "a string that begins with its type: `s:`, `sn:`, `np:`, `i:` or `f:`";
            return Err(ParseProblem::Expected(what));
        }
    };
    number.ok_or(ParseProblem::OutOfRange { kind })
}

/// Makes an array of these elements. `depth` is the number of containers around it.
pub(super) fn array(items: Vec<Item<'_>>, depth: usize) -> Result<Variant, Fault> {
    elements(items, depth).map(|elements| Variant::Array(elements.into()))
}

fn elements(items: Vec<Item<'_>>, depth: usize) -> Result<Vec<Variant>, Fault> {
    check_depth(&items, depth)?;
    let mut elements: Vec<Variant> =
        items.into_iter().map(Item::into_value).collect::<Result<_, _>>()?;
    // The vector may reuse the memory of the items, which are larger.
    elements.shrink_to_fit();
    Ok(elements)
}

/// Checks that the items of a container are not nested too deep. They are one level deeper than the
/// container.
fn check_depth(items: &[Item<'_>], depth: usize) -> Result<(), Fault> {
    match items.first() {
        Some(first) if depth >= usize::from(MAX_DEPTH) => {
            Err((first.offset, ParseProblem::TooDeep { limit: MAX_DEPTH }))
        }
        _ => Ok(()),
    }
}

impl<'a> Fields<'a> {
    /// Creates the fields of an object that begins at this offset.
    pub(super) const fn new(offset: usize) -> Fields<'a> {
        Fields {
            offset,
            type_name: None,
            list: None,
            id: None,
            name: None,
            element_type: ElementType::Any,
            value_type: ElementType::Any,
        }
    }

    /// Sets a field that is not a list.
    pub(super) fn set(&mut self, field: Field, item: Item<'a>) -> Result<(), Fault> {
        let offset = item.offset;
        let text = item.into_text()?;
        match field {
            Field::Type => self.type_name = Some((offset, text)),
            Field::Id => {
                let out_of_range = (offset, ParseProblem::OutOfRange { kind: Kind::Object });
                self.id = Some(id(&text).ok_or(out_of_range)?);
            }
            Field::Name => self.name = Some(text),
            Field::ElementType | Field::KeyType => self.element_type = element_type::read(&text),
            Field::ValueType => self.value_type = element_type::read(&text),
            Field::Args | Field::Props => return expected(offset, "an array"),
        }
        Ok(())
    }

    /// The value that the object describes. `depth` is the number of containers around it.
    pub(super) fn into_value(self, depth: usize) -> Result<Variant, Fault> {
        let Some((offset, name)) = self.type_name else {
            return expected(self.offset, "an object with the field `type`");
        };
        // A class may have any name, including the name of a type.
        let items = match self.list {
            Some((Field::Props, items)) => return instance(offset, &name, items, depth),
            Some((_, items)) => Some(items),
            None => None,
        };
        let element_type = self.element_type;
        let typed_array = |items| -> Result<Array, Fault> {
            Ok(Array::from(elements(items, depth)?).typed(element_type.clone()))
        };
        match (Kind::from_name(&name), items, self.id) {
            (Some(Kind::Rid), _, id) => Ok(Variant::Rid(id.unwrap_or(0))),
            (Some(Kind::Callable), _, _) => Ok(Variant::Callable),
            (Some(Kind::Signal), _, id) => {
                let name = self.name.map(Cow::into_owned).unwrap_or_default();
                Ok(Signal { name, object_id: id.unwrap_or(0) }.into())
            }
            (_, None, Some(id)) if name == BY_ID => {
                Ok(Variant::Object(if id == 0 { Object::Null } else { Object::Id(id) }))
            }
            (Some(Kind::Dictionary), Some(items), _) => {
                let entries = dictionary(self.offset, items, depth)?;
                Ok(Variant::Dictionary(entries.typed(element_type, self.value_type)))
            }
            (Some(Kind::Array), Some(items), _) => typed_array(items).map(Variant::Array),
            (Some(Kind::TypedArray), Some(items), _) => typed_array(items).map(Variant::TypedArray),
            (Some(Kind::PackedTypedArray), Some(items), _) => {
                typed_array(items).map(Variant::PackedTypedArray)
            }
            (Some(Kind::PackedStringArray), Some(items), _) => {
                let strings = items.into_iter().map(|item| item.into_text().map(Cow::into_owned));
                strings.collect::<Result<_, _>>().map(Variant::PackedStringArray)
            }
            (Some(kind), Some(items), _) if number::is_numeric(kind) => {
                numbers(self.offset, kind, &items)
            }
            (Some(kind), None, _) if number::is_numeric(kind) || is_list(kind) => {
                expected(self.offset, "an object with the field `args`")
            }
            _ => Err((offset, ParseProblem::UnknownType)),
        }
    }
}

const fn is_list(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Dictionary
            | Kind::Array
            | Kind::TypedArray
            | Kind::PackedTypedArray
            | Kind::PackedStringArray
    )
}

fn dictionary(offset: usize, items: Vec<Item<'_>>, depth: usize) -> Result<Dictionary, Fault> {
    check_depth(&items, depth)?;
    let mut entries = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter();
    while let Some(key) = items.next() {
        let Some(value) = items.next() else {
            return expected(offset, "a value for every key of the dictionary");
        };
        entries.push((key.into_value()?, value.into_value()?));
    }
    Ok(entries.into_iter().collect())
}

fn instance(
    offset: usize,
    class: &str,
    items: Vec<Item<'_>>,
    depth: usize,
) -> Result<Variant, Fault> {
    check_depth(&items, depth)?;
    if class.is_empty() {
        return expected(offset, "the name of a class");
    }
    let mut properties = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter();
    while let Some(name) = items.next() {
        let Some(value) = items.next() else {
            return expected(name.offset, "a value for every property");
        };
        properties.push((name.into_text()?.into_owned(), value.into_value()?));
    }
    Ok(Instance { class: class.to_string(), properties }.into())
}

fn numbers(offset: usize, kind: Kind, items: &[Item<'_>]) -> Result<Variant, Fault> {
    let number = |place: usize| {
        // If there are too few items to transpose, `collect` reports the wrong count.
        let item = items.get(transposed(kind, place)).or(items.get(place))?;
        // Godot 4.6 writes null for NaN.
        if matches!(item.content, Content::Value(Variant::Nil)) {
            let nan = number::component(kind, "nan");
            return Some(nan.map_err(|_| (item.offset, ParseProblem::Expected("a number"))));
        }
        let (Content::Number(text) | Content::Text(text)) = &item.content else {
            return Some(expected(item.offset, "a number"));
        };
        if matches!(item.content, Content::Text(_)) && non_finite(text).is_none() {
            return Some(expected(item.offset, "a number, \"inf\", \"-inf\" or \"nan\""));
        }
        Some(number::component(kind, text).map_err(|problem| (item.offset, problem)))
    };
    let numbers: Vec<_> = (0..items.len()).filter_map(number).collect::<Result<_, _>>()?;
    number::collect(kind, &numbers).map_err(|problem| (offset, problem))
}
