//! Values from what stands in JSON.

use super::{BY_ID, ReadProblem, transposed};
use crate::MAX_DEPTH;
use crate::kind::Kind;
use crate::owned::{Object, Variant};
use crate::text::number::{self, non_finite};
use crate::text::spelling::kind_of_name;
use std::borrow::Cow;

/// A problem and where in the text it is.
pub(super) type Fault = (usize, ReadProblem);

/// Something in a list, of which the type is perhaps not known yet.
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
}

impl Field {
    pub(super) fn of_name(name: &str) -> Option<Field> {
        Some(match name {
            "type" => Field::Type,
            "args" => Field::Args,
            "props" => Field::Props,
            "id" => Field::Id,
            _ => return None,
        })
    }
}

/// The fields of an object, in whatever order they came.
pub(super) struct Fields<'a> {
    pub(super) offset: usize,
    pub(super) type_name: Option<(usize, Cow<'a, str>)>,
    /// `args` or `props`.
    pub(super) list: Option<(Field, Vec<Item<'a>>)>,
    pub(super) id: Option<u64>,
}

fn expected<T>(offset: usize, what: &'static str) -> Result<T, Fault> {
    Err((offset, ReadProblem::Expected(what)))
}

impl<'a> Item<'a> {
    /// The value that it is on its own.
    pub(super) fn into_value(self) -> Result<Variant, Fault> {
        match self.content {
            Content::Value(value) => Ok(value),
            Content::Text(text) => prefixed(&text).map_err(|problem| (self.offset, problem)),
            Content::Number(_) => {
                expected(self.offset, "a value: numbers are spelled \"i:1\" or \"f:1.5\"")
            }
        }
    }

    /// The text that it is as a bare string.
    pub(super) fn into_text(self) -> Result<Cow<'a, str>, Fault> {
        match self.content {
            Content::Text(text) => Ok(text),
            _ => expected(self.offset, "a string"),
        }
    }
}

/// The id that the string is.
pub(super) fn id(text: &str) -> Option<u64> {
    text.strip_prefix("i:")?.parse().ok()
}

/// The value of a string that begins with its type.
fn prefixed(text: &str) -> Result<Variant, ReadProblem> {
    let (prefix, content) = text.split_once(':').unwrap_or_default();
    let (kind, number) = match prefix {
        "s" => return Ok(Variant::String(content.to_string())),
        "np" => return Ok(Variant::NodePath(content.into())),
        "i" => (Kind::Int, content.parse().ok().map(Variant::Int)),
        "f" => {
            let number = non_finite(content).or_else(|| number::real(content));
            (Kind::Float, number.map(Variant::Float))
        }
        _ => {
            let what = "a string that begins with its type: `s:`, `i:`, `f:` or `np:`";
            return Err(ReadProblem::Expected(what));
        }
    };
    number.ok_or(ReadProblem::OutOfRange { kind })
}

/// The array of these elements, which is in so many containers.
pub(super) fn array(items: Vec<Item<'_>>, depth: usize) -> Result<Variant, Fault> {
    check_depth(&items, depth)?;
    items.into_iter().map(Item::into_value).collect::<Result<_, _>>().map(Variant::Array)
}

/// What is in a container is one deeper than the container.
fn check_depth(items: &[Item<'_>], depth: usize) -> Result<(), Fault> {
    match items.first() {
        Some(first) if depth >= usize::from(MAX_DEPTH) => {
            Err((first.offset, ReadProblem::TooDeep { limit: MAX_DEPTH }))
        }
        _ => Ok(()),
    }
}

impl Fields<'_> {
    /// The value that the object stands for, which is in so many containers.
    pub(super) fn into_value(self, depth: usize) -> Result<Variant, Fault> {
        let Some((offset, name)) = self.type_name else {
            return expected(self.offset, "an object with the field `type`");
        };
        // A class may have any name, even that of a type.
        let items = match self.list {
            Some((Field::Props, items)) => return instance(offset, &name, items, depth),
            Some((_, items)) => Some(items),
            None => None,
        };
        match (kind_of_name(&name), items, self.id) {
            (Some(Kind::Rid), _, _) => Ok(Variant::Rid),
            (_, None, Some(id)) if name == BY_ID => {
                Ok(Variant::Object(if id == 0 { Object::Null } else { Object::Id(id) }))
            }
            (Some(Kind::Dictionary), Some(items), _) => dictionary(self.offset, items, depth),
            (Some(Kind::Array), Some(items), _) => array(items, depth),
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
            _ => Err((offset, ReadProblem::UnknownType)),
        }
    }
}

const fn is_list(kind: Kind) -> bool {
    matches!(kind, Kind::Dictionary | Kind::Array | Kind::PackedStringArray)
}

fn dictionary(offset: usize, items: Vec<Item<'_>>, depth: usize) -> Result<Variant, Fault> {
    check_depth(&items, depth)?;
    let mut entries = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter();
    while let Some(key) = items.next() {
        let Some(value) = items.next() else {
            return expected(offset, "a value for every key of the dictionary");
        };
        entries.push((key.into_value()?, value.into_value()?));
    }
    Ok(Variant::Dictionary(entries.into_iter().collect()))
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
    Ok(Variant::Object(Object::Instance { class: class.to_string(), properties }))
}

fn numbers(offset: usize, kind: Kind, items: &[Item<'_>]) -> Result<Variant, Fault> {
    let number = |place: usize| {
        // With too few of them to be transposed the count will be found wrong.
        let item = items.get(transposed(kind, place)).or(items.get(place))?;
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
