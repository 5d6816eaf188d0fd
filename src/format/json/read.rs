//! Reads the native JSON of a value into an owned value.

use super::build::{Content, Fault, Field, Fields, Item, array};
use super::{ParseError, ParseProblem};
use crate::MAX_DEPTH;
use crate::write::owned::Variant;
use alloc::format;
use alloc::vec::Vec;
use json_event_parser::{JsonEvent, LowLevelJsonParser};

/// How deep JSON can be nested. A dictionary is an object that contains an array, so it counts
/// twice. So does the vector in the innermost dictionary.
const LIMIT: usize = 2 * (MAX_DEPTH as usize + 1);

/// Reads a value from JSON: see [`crate::json`].
///
/// The fields of an object may come in any order. A component may be spelled as an integer or as a
/// real, whatever its type. Strings may have control characters that are not escaped, and the escape
/// `\v`, because the engine writes them.
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
    let given = text.as_ref();
    let standard = has_own_escapes(given).then(|| {
        let mut standard = Vec::with_capacity(given.len());
        each_piece(given, |_, piece| standard.extend(piece));
        standard
    });
    let text = standard.as_deref().unwrap_or(given);
    let mut reader = Reader { stack: Vec::new(), lists: 0, whole: None };
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
            Some(Err(error)) => {
                let offset = usize::try_from(error.location().start.offset).unwrap_or(offset);
                Some((offset, ParseProblem::Json(error.message().into())))
            }
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
        standard = standard.saturating_add(spelled.len());
        if standard <= offset {
            own = own.saturating_add(piece.len());
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
enum Frame<'a> {
    Array(usize, Vec<Item<'a>>),
    Object(Fields<'a>, Option<Field>),
}

struct Reader<'a> {
    stack: Vec<Frame<'a>>,
    /// The number of open arrays.
    lists: usize,
    whole: Option<Variant>,
}

impl<'a> Reader<'a> {
    fn event(&mut self, offset: usize, event: JsonEvent<'a>) -> Result<(), Fault> {
        let content = match event {
            JsonEvent::StartArray | JsonEvent::StartObject if self.stack.len() >= LIMIT => {
                return Err((offset, ParseProblem::TooDeep { limit: MAX_DEPTH }));
            }
            JsonEvent::StartArray => {
                self.lists += 1;
                self.stack.push(Frame::Array(offset, Vec::new()));
                return Ok(());
            }
            JsonEvent::StartObject => {
                self.stack.push(Frame::Object(Fields::new(offset), None));
                return Ok(());
            }
            JsonEvent::ObjectKey(name) => return self.key(offset, &name),
            JsonEvent::EndArray | JsonEvent::EndObject => return self.end(),
            JsonEvent::String(text) => Content::Text(text),
            JsonEvent::Number(digits) => Content::Number(digits),
            JsonEvent::Boolean(is_true) => Content::Value(Variant::Bool(is_true)),
            JsonEvent::Null => Content::Value(Variant::Nil),
            JsonEvent::Eof => return Ok(()),
        };
        self.give(Item { offset, content })
    }

    fn key(&mut self, offset: usize, name: &str) -> Result<(), Fault> {
        let Some(found) = Field::of_name(name) else {
            return Err((offset, ParseProblem::Expected(Field::WHAT)));
        };
        if let Some(Frame::Object(_, key)) = self.stack.last_mut() {
            *key = Some(found);
        }
        Ok(())
    }

    /// Ends the innermost array or object.
    fn end(&mut self) -> Result<(), Fault> {
        let (offset, value) = match self.stack.pop() {
            Some(Frame::Array(offset, items)) => {
                self.lists -= 1;
                if let Some(Frame::Object(fields, key)) = self.stack.last_mut() {
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
            Some(Frame::Object(fields, _)) => (fields.offset, fields.into_value(self.lists)?),
            None => return Ok(()),
        };
        self.give(Item { offset, content: Content::Value(value) })
    }

    /// Adds an item to the innermost array or object.
    fn give(&mut self, item: Item<'a>) -> Result<(), Fault> {
        match self.stack.last_mut() {
            Some(Frame::Array(_, items)) => items.push(item),
            Some(Frame::Object(fields, key)) => match *key {
                Some(field) if !field.is_list() => fields.set(field, item)?,
                _ => return Err((item.offset, ParseProblem::Expected("an array"))),
            },
            None => self.whole = Some(item.into_value()?),
        }
        Ok(())
    }
}
