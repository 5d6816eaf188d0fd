//! Reads the native JSON of a value into an owned value.

use super::{BY_ID, ParseError, read_element_type, transposed};
use crate::format::text::{
    ParseProblem, collect_numbers, is_numeric, lone_surrogate, non_finite, parse_component,
    parse_real,
};
use crate::value::Kind;
use crate::write::owned::{
    Array, Dictionary, ElementType, Instance, KeyRule, NodePath, Object, Signal, Variant,
};
use crate::{Dialect, MAX_DEPTH};
use alloc::format;
use alloc::vec::Vec;
use json_event_parser::{JsonEvent, LowLevelJsonParser};
use std::borrow::Cow;

/// How deep JSON can be nested. A dictionary is an object that contains an array, so it counts
/// twice. So does the vector in the innermost dictionary.
const LIMIT: usize = 2 * (MAX_DEPTH as usize + 1);

/// Reads a value from JSON: see [`crate::json`].
///
/// The fields of an object may come in any order. A component may be spelled as an integer or as a
/// real, whatever its type. Strings may have control characters that are not escaped, and the escape
/// `\v`, because the engine writes them. If two entries have the same key, the last one counts, as in
/// Godot 4: [`parse_for`] compares keys as another engine does.
///
/// ```
/// use gdwire::{json, variant};
///
/// let value = json::parse(r#"{"args": ["s:hp", "i:87"], "type": "Dictionary"}"#)?;
/// assert_eq!(value, variant!({ "hp": 87 }));
///
/// let error = json::parse(r#"{"type": "PackedByteArray", "args": [256]}"#).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 1, column 38: the number is out of the range of PackedByteArray"
/// );
/// # Ok::<(), json::ParseError>(())
/// ```
///
/// # Errors
///
/// If the text is not JSON, is not a value, or is nested deeper than [`MAX_DEPTH`].
pub fn parse(text: impl AsRef<[u8]>) -> Result<Variant, ParseError> {
    parse_for(Dialect::GODOT_4, text)
}

/// Does the same as [`parse`] for a value that an engine of this dialect gets. It only matters for which
/// keys of a dictionary are the same: see [`Dictionary`](crate::Dictionary).
///
/// # Errors
///
/// Those of [`parse`].
pub fn parse_for(dialect: Dialect, text: impl AsRef<[u8]>) -> Result<Variant, ParseError> {
    let given = text.as_ref();
    let standard = has_own_escapes(given).then(|| {
        let mut standard = Vec::with_capacity(given.len());
        each_piece(given, |_, piece| standard.extend(piece));
        standard
    });
    let text = standard.as_deref().unwrap_or(given);
    let mut reader = JsonReader {
        stack: Vec::new(),
        lists: 0,
        rule: KeyRule::of(dialect.layout()),
        whole: None,
    };
    let mut parser = LowLevelJsonParser::new();
    let mut rest = text;
    loop {
        let offset = token_start(text, rest);
        let result = parser.parse_next(rest, true);
        rest = rest.get(result.consumed_bytes..).unwrap_or(&[]);
        let fault = match result.event {
            None => continue,
            Some(Ok(JsonEvent::Eof)) => {
                let nothing = ParseProblem::Expected("a value");
                return reader
                    .whole
                    .take()
                    .ok_or_else(|| ParseError::new(given, given.len(), nothing));
            }
            Some(Ok(event)) => reader.event(offset, event).err(),
            Some(Err(error)) => Some(match lone_surrogate(text.get(offset..).unwrap_or(&[])) {
                // For the parser, this is the end of the file if less than an escape follows.
                Some(at) => (offset.saturating_add(at), ParseProblem::LoneSurrogate),
                None => {
                    let offset = usize::try_from(error.location().start.offset).unwrap_or(offset);
                    (offset, ParseProblem::Json(error.message().into()))
                }
            }),
        };
        if let Some((offset, problem)) = fault {
            let offset = if standard.is_some() { offset_in(given, offset) } else { offset };
            return Err(ParseError::new(given, offset, problem));
        }
    }
}

/// Whether a text has what `JSON.stringify` writes into strings and standard JSON does not allow:
/// control characters as they are, and the escape `\v`.
fn has_own_escapes(text: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace();
    text.iter().any(is_control) || text.windows(2).any(|pair| pair == b"\\v")
}

/// Divides a text into pieces, each given with its spelling in standard JSON.
fn each_piece(text: &[u8], mut give: impl FnMut(&[u8], &[u8])) {
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let is_escape = *first == b'\\' && !after.is_empty();
        let (piece, after) =
            rest.split_at_checked(if is_escape { 2 } else { 1 }).unwrap_or((rest, &[]));
        match piece {
            b"\\v" => give(piece, b"\\u000b"),
            [control @ ..b' '] if !control.is_ascii_whitespace() => {
                give(piece, format!("\\u{control:04x}").as_bytes());
            }
            _ => give(piece, piece),
        }
        rest = after;
    }
}

/// The offset in a text of an offset in its standard spelling.
fn offset_in(text: &[u8], offset: usize) -> usize {
    let (mut own, mut standard) = (0_usize, 0_usize);
    each_piece(text, |piece, spelled| {
        standard += spelled.len();
        if standard <= offset {
            own += piece.len();
        }
    });
    own
}

/// The offset of the next token.
fn token_start(text: &[u8], rest: &[u8]) -> usize {
    let between = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':');
    text.len() - rest.len() + rest.iter().take_while(|byte| between(byte)).count()
}

/// An array or object that has not been read to the end.
enum JsonFrame<'a> {
    Array(usize, Vec<JsonItem<'a>>),
    Object(JsonFields<'a>, Option<JsonField>),
}

struct JsonReader<'a> {
    stack: Vec<JsonFrame<'a>>,
    /// The number of open arrays.
    lists: usize,
    rule: KeyRule,
    whole: Option<Variant>,
}

impl<'a> JsonReader<'a> {
    fn event(&mut self, offset: usize, event: JsonEvent<'a>) -> Result<(), Fault> {
        let content = match event {
            JsonEvent::StartArray | JsonEvent::StartObject if self.stack.len() >= LIMIT => {
                return Err((offset, ParseProblem::TooDeep { limit: MAX_DEPTH }));
            }
            JsonEvent::StartArray => {
                self.lists += 1;
                self.stack.push(JsonFrame::Array(offset, Vec::new()));
                return Ok(());
            }
            JsonEvent::StartObject => {
                self.stack.push(JsonFrame::Object(JsonFields::new(offset), None));
                return Ok(());
            }
            JsonEvent::ObjectKey(name) => return self.key(offset, &name),
            JsonEvent::EndArray | JsonEvent::EndObject => return self.end(),
            JsonEvent::String(text) => JsonContent::Text(text),
            JsonEvent::Number(digits) => JsonContent::Number(digits),
            JsonEvent::Boolean(is_true) => JsonContent::Value(Variant::Bool(is_true)),
            JsonEvent::Null => JsonContent::Value(Variant::Nil),
            JsonEvent::Eof => return Ok(()),
        };
        self.give(JsonItem { offset, content })
    }

    fn key(&mut self, offset: usize, name: &str) -> Result<(), Fault> {
        let Some(found) = JsonField::of_name(name) else {
            return Err((offset, ParseProblem::Expected(JsonField::WHAT)));
        };
        if let Some(JsonFrame::Object(_, key)) = self.stack.last_mut() {
            *key = Some(found);
        }
        Ok(())
    }

    /// Ends the innermost array or object.
    fn end(&mut self) -> Result<(), Fault> {
        let (offset, value) = match self.stack.pop() {
            Some(JsonFrame::Array(offset, items)) => {
                self.lists -= 1;
                if let Some(JsonFrame::Object(fields, key)) = self.stack.last_mut() {
                    return match *key {
                        Some(field) if field.is_list() => {
                            fields.list = Some((field, items));
                            Ok(())
                        }
                        _ => Err((offset, ParseProblem::Expected("a string"))),
                    };
                }
                (offset, array(items, self.lists)?)
            }
            Some(JsonFrame::Object(fields, _)) => {
                (fields.offset, fields.into_value(self.lists, self.rule)?)
            }
            None => return Ok(()),
        };
        self.give(JsonItem { offset, content: JsonContent::Value(value) })
    }

    /// Adds an item to the innermost array or object.
    fn give(&mut self, item: JsonItem<'a>) -> Result<(), Fault> {
        match self.stack.last_mut() {
            Some(JsonFrame::Array(_, items)) => items.push(item),
            Some(JsonFrame::Object(fields, key)) => match *key {
                Some(field) if !field.is_list() => fields.set(field, item)?,
                _ => return Err((item.offset, ParseProblem::Expected("an array"))),
            },
            None => self.whole = Some(item.into_value()?),
        }
        Ok(())
    }
}

/// A problem and its offset in the text.
type Fault = (usize, ParseProblem);

/// An item of a list. Its type may not be known yet.
struct JsonItem<'a> {
    offset: usize,
    content: JsonContent<'a>,
}

enum JsonContent<'a> {
    /// The digits of a bare number.
    Number(Cow<'a, str>),
    Text(Cow<'a, str>),
    Value(Variant),
}

/// The name of an object's field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JsonField {
    Type,
    Args,
    Props,
    Id,
    Name,
    ElementType,
    KeyType,
    ValueType,
}

impl JsonField {
    /// The names of all fields, for an error.
    const WHAT: &str = "the field `type`, `args`, `props`, `id`, `name`, `elem_type`, \
                                   `key_type` or `value_type`";

    fn of_name(name: &str) -> Option<JsonField> {
        Some(match name {
            "type" => JsonField::Type,
            "args" => JsonField::Args,
            "props" => JsonField::Props,
            "id" => JsonField::Id,
            "name" => JsonField::Name,
            "elem_type" => JsonField::ElementType,
            "key_type" => JsonField::KeyType,
            "value_type" => JsonField::ValueType,
            _ => return None,
        })
    }

    /// Whether the value of this field is a list.
    const fn is_list(self) -> bool {
        matches!(self, JsonField::Args | JsonField::Props)
    }
}

/// The fields of an object. They may come in any order.
struct JsonFields<'a> {
    offset: usize,
    type_name: Option<(usize, Cow<'a, str>)>,
    /// `args` or `props`.
    list: Option<(JsonField, Vec<JsonItem<'a>>)>,
    id: Option<u64>,
    name: Option<Cow<'a, str>>,
    /// The type of an array's elements or a dictionary's keys.
    element_type: ElementType,
    value_type: ElementType,
}

fn expected<T>(offset: usize, what: &'static str) -> Result<T, Fault> {
    Err((offset, ParseProblem::Expected(what)))
}

impl<'a> JsonItem<'a> {
    /// Converts the item to a value by itself. A bare number is an error, because its type is
    /// unknown.
    fn into_value(self) -> Result<Variant, Fault> {
        match self.content {
            JsonContent::Value(value) => Ok(value),
            JsonContent::Text(text) => prefixed(&text).map_err(|problem| (self.offset, problem)),
            JsonContent::Number(_) => {
                expected(self.offset, "a value: numbers are spelled \"i:1\" or \"f:1.5\"")
            }
        }
    }

    /// The text of the item, or an error if it is not a string.
    fn into_text(self) -> Result<Cow<'a, str>, Fault> {
        match self.content {
            JsonContent::Text(text) => Ok(text),
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
            let number = non_finite(content).or_else(|| parse_real(content));
            (Kind::Float, number.map(Variant::Float))
        }
        _ => {
            let what = "a string that begins with its type: `s:`, `sn:`, `np:`, `i:` or `f:`";
            return Err(ParseProblem::Expected(what));
        }
    };
    number.ok_or_else(|| {
        let digits = content.strip_prefix(['-', '+']).unwrap_or(content);
        let is_digit = |byte: u8| byte.is_ascii_digit();
        match kind {
            Kind::Int if digits.is_empty() || !digits.bytes().all(is_digit) => {
                ParseProblem::Expected("a whole number after `i:`")
            }
            Kind::Float if !digits.bytes().any(is_digit) => {
                ParseProblem::Expected("a number, `inf`, `-inf` or `nan` after `f:`")
            }
            _ => ParseProblem::OutOfRange { kind },
        }
    })
}

/// Makes an array of these elements. `depth` is the number of containers around it.
fn array(items: Vec<JsonItem<'_>>, depth: usize) -> Result<Variant, Fault> {
    elements(items, depth).map(|elements| Variant::Array(elements.into()))
}

fn elements(items: Vec<JsonItem<'_>>, depth: usize) -> Result<Vec<Variant>, Fault> {
    check_depth(&items, depth)?;
    let mut elements: Vec<Variant> =
        items.into_iter().map(JsonItem::into_value).collect::<Result<_, _>>()?;
    // The vector may reuse the memory of the items, which are larger.
    elements.shrink_to_fit();
    Ok(elements)
}

/// Checks that the items of a container are not nested too deep. They are one level deeper than the
/// container.
fn check_depth(items: &[JsonItem<'_>], depth: usize) -> Result<(), Fault> {
    match items.first() {
        Some(first) if depth >= usize::from(MAX_DEPTH) => {
            Err((first.offset, ParseProblem::TooDeep { limit: MAX_DEPTH }))
        }
        _ => Ok(()),
    }
}

impl<'a> JsonFields<'a> {
    /// Creates the fields of an object that begins at this offset.
    const fn new(offset: usize) -> JsonFields<'a> {
        JsonFields {
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
    fn set(&mut self, field: JsonField, item: JsonItem<'a>) -> Result<(), Fault> {
        let offset = item.offset;
        let text = item.into_text()?;
        match field {
            JsonField::Type => self.type_name = Some((offset, text)),
            JsonField::Id => {
                let out_of_range = (offset, ParseProblem::OutOfRange { kind: Kind::Object });
                self.id = Some(id(&text).ok_or(out_of_range)?);
            }
            JsonField::Name => self.name = Some(text),
            JsonField::ElementType | JsonField::KeyType => {
                self.element_type = read_element_type(&text)
            }
            JsonField::ValueType => self.value_type = read_element_type(&text),
            JsonField::Args | JsonField::Props => return expected(offset, "an array"),
        }
        Ok(())
    }

    /// The value that the object describes. `depth` is the number of containers around it.
    fn into_value(self, depth: usize, rule: KeyRule) -> Result<Variant, Fault> {
        let Some((offset, name)) = self.type_name else {
            return expected(self.offset, "an object with the field `type`");
        };
        // A class may have any name, including the name of a type.
        let items = match self.list {
            Some((JsonField::Props, items)) => return instance(offset, &name, items, depth),
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
                let entries = Dictionary::by_rule(entries, rule);
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
            (Some(kind), Some(items), _) if is_numeric(kind) => numbers(self.offset, kind, &items),
            (Some(kind), None, _) if is_numeric(kind) || is_list(kind) => {
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

fn dictionary(
    offset: usize,
    items: Vec<JsonItem<'_>>,
    depth: usize,
) -> Result<Vec<(Variant, Variant)>, Fault> {
    check_depth(&items, depth)?;
    let mut entries = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter();
    while let Some(key) = items.next() {
        let Some(value) = items.next() else {
            return expected(offset, "a value for every key of the dictionary");
        };
        entries.push((key.into_value()?, value.into_value()?));
    }
    Ok(entries)
}

fn instance(
    offset: usize,
    class: &str,
    items: Vec<JsonItem<'_>>,
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

fn numbers(offset: usize, kind: Kind, items: &[JsonItem<'_>]) -> Result<Variant, Fault> {
    let number = |place: usize| {
        // If there are too few items to transpose, `collect` reports the wrong count.
        let item = items.get(transposed(kind, place)).or(items.get(place))?;
        // Godot 4.6 writes null for NaN.
        if matches!(item.content, JsonContent::Value(Variant::Nil)) {
            let nan = parse_component(kind, "nan");
            return Some(nan.map_err(|_| (item.offset, ParseProblem::Expected("a number"))));
        }
        let (JsonContent::Number(text) | JsonContent::Text(text)) = &item.content else {
            return Some(expected(item.offset, "a number"));
        };
        if matches!(item.content, JsonContent::Text(_)) && non_finite(text).is_none() {
            return Some(expected(item.offset, "a number, \"inf\", \"-inf\" or \"nan\""));
        }
        Some(parse_component(kind, text).map_err(|problem| (item.offset, problem)))
    };
    let numbers: Vec<_> = (0..items.len()).filter_map(number).collect::<Result<_, _>>()?;
    collect_numbers(kind, &numbers).map_err(|problem| (offset, problem))
}
