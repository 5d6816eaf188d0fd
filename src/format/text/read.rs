//! Reads literals of any of the engines into owned values.

use super::number::{self, non_finite};
use super::open::{Begun, Next, Open};
use super::scan::Scanner;
use super::{ParseError, ParseProblem};
use crate::MAX_DEPTH;
use crate::value::Kind;
use crate::write::owned::{ElementType, NodePath, Variant};
use alloc::string::String;
use alloc::vec::Vec;

/// Reads a literal, in the spelling of any of the engines.
///
/// White space may stand between any two parts, and a comma may follow the last element or entry.
/// An int that does not fit into 64 bits is an error, as is a number that does not fit into its
/// packed array. A real with too many digits is rounded. The literal of an object becomes an
/// [`Object`](crate::Object) with its properties; nothing is instantiated.
///
/// ```
/// use gdwire::{Packed, text, variant};
///
/// let value = text::parse("{ \"hp\": 87, \"inv\": PoolIntArray( 1, 2 ) }")?;
/// assert_eq!(value, variant!({ "hp": 87, "inv": Packed([1, 2]) }));
/// assert_eq!(text::parse("[1, ]")?, text::parse("[ 1 ]")?);
///
/// let error = text::parse("{ \"hp\": }").unwrap_err();
/// assert_eq!(error.to_string(), "line 1, column 9: expected a value");
/// # Ok::<(), text::ParseError>(())
/// ```
///
/// # Errors
///
/// If the text is not a literal, contains more than one, or is nested deeper than [`MAX_DEPTH`].
pub fn parse(text: &str) -> Result<Variant, ParseError> {
    let (rest, value) = parse_prefix(text)?;
    if rest.is_empty() {
        return Ok(value);
    }
    let problem = ParseProblem::Expected("the end of the text");
    Err(ParseError::new(text.as_bytes(), text.len() - rest.len(), problem))
}

/// Reads the first value of a text. Returns the rest of the text, without white space at its start,
/// and the value.
///
/// Nothing has to stand between literals, so that several can be read one after the other:
///
/// ```
/// use gdwire::{text, variant};
///
/// let mut rest = "{\n\"a\": 1\n}\n2.5";
/// let mut values = Vec::new();
/// while !rest.is_empty() {
///     let (after, value) = text::parse_prefix(rest)?;
///     values.push(value);
///     rest = after;
/// }
/// assert_eq!(values, [variant!({ "a": 1 }), variant!(2.5)]);
/// # Ok::<(), text::ParseError>(())
/// ```
///
/// # Errors
///
/// Those of [`parse`], except that anything may follow the value.
pub fn parse_prefix(text: &str) -> Result<(&str, Variant), ParseError> {
    let mut reader = Reader { scanner: Scanner::new(text) };
    let value = reader.value()?;
    reader.scanner.peek();
    Ok((reader.scanner.rest(), value))
}

pub(super) struct Reader<'a> {
    pub(super) scanner: Scanner<'a>,
}

impl Reader<'_> {
    fn value(&mut self) -> Result<Variant, ParseError> {
        let mut stack: Vec<Open> = Vec::new();
        loop {
            let begun = self.begin()?;
            let mut value = match begun {
                Begun::Whole(value) => value,
                Begun::Open(mut open) => match self.first(&mut open)? {
                    Next::End => open.finish(),
                    Next::Value if stack.len() >= usize::from(MAX_DEPTH) => {
                        let problem = ParseProblem::TooDeep { limit: MAX_DEPTH };
                        return Err(self.scanner.error_at(self.scanner.offset(), problem));
                    }
                    Next::Value => {
                        stack.push(open);
                        continue;
                    }
                },
            };
            // A container that ends is itself a value of the container around it.
            loop {
                let Some(mut open) = stack.pop() else { return Ok(value) };
                match self.add(&mut open, value)? {
                    Next::Value => {
                        stack.push(open);
                        break;
                    }
                    Next::End => value = open.finish(),
                }
            }
        }
    }

    /// Reads up to the first value of a container.
    fn first(&mut self, open: &mut Open) -> Result<Next, ParseError> {
        match open {
            Open::Object { name, .. } => self.property(name),
            _ if self.scanner.take(open.end().0) => self.close(open),
            _ => Ok(Next::Value),
        }
    }

    /// Reads what follows the end of a container.
    fn close(&mut self, open: &Open) -> Result<Next, ParseError> {
        if open.is_wrapped() {
            self.scanner.require(b')', "`)`")?;
        }
        Ok(Next::End)
    }

    /// Puts a value into a container and reads up to the next.
    fn add(&mut self, open: &mut Open, value: Variant) -> Result<Next, ParseError> {
        match open {
            Open::Array { elements, .. } => elements.push(value),
            Open::Dictionary { entries, key, .. } => match key.take() {
                Some(key) => entries.push((key, value)),
                None => {
                    *key = Some(value);
                    self.scanner.require(b':', "`:` and the value of the key")?;
                    return Ok(Next::Value);
                }
            },
            Open::Object { properties, name, .. } => {
                properties.push((core::mem::take(name), value));
                return self.property(name);
            }
        }
        let (end, what) = open.end();
        match self.separator(end, what)? {
            Next::End => self.close(open),
            Next::Value => Ok(Next::Value),
        }
    }

    /// Reads a comma, an end, or both.
    fn separator(&mut self, end: u8, what: &'static str) -> Result<Next, ParseError> {
        let is_more = self.scanner.take(b',');
        if self.scanner.take(end) {
            return Ok(Next::End);
        }
        if is_more { Ok(Next::Value) } else { self.scanner.expected(what) }
    }

    /// Reads the name of an object's next property.
    fn property(&mut self, name: &mut String) -> Result<Next, ParseError> {
        if self.scanner.take(b')') {
            return Ok(Next::End);
        }
        self.scanner.require(b',', "`,` or `)`")?;
        *name = self.scanner.string("the name of a property in quotes")?;
        self.scanner.require(b':', "`:` and the value of the property")?;
        Ok(Next::Value)
    }

    /// Reads a value, or the beginning of a container.
    fn begin(&mut self) -> Result<Begun, ParseError> {
        let scanner = &mut self.scanner;
        Ok(Begun::Whole(match scanner.peek() {
            Some(b'[') => {
                scanner.take(b'[');
                return Ok(Begun::Open(Open::array(Kind::Array, ElementType::Any, false)));
            }
            Some(b'{') => {
                scanner.take(b'{');
                return Ok(Begun::Open(Open::dictionary(None)));
            }
            Some(b'"') => Variant::String(scanner.string("a string")?),
            Some(b'^') => {
                scanner.take(b'^');
                NodePath::from(scanner.string("a path in quotes")?.as_str()).into()
            }
            Some(sign @ (b'&' | b'@')) => {
                scanner.take(sign);
                Variant::StringName(scanner.string("a name in quotes")?)
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'A'..=b'Z' | b'a'..=b'z' | b'_') => return self.named(),
            _ => return scanner.expected("a value"),
        }))
    }

    /// Reads an int or a float.
    fn number(&mut self) -> Result<Variant, ParseError> {
        self.scanner.peek();
        let start = self.scanner.offset();
        let digits = self.scanner.number()?;
        let (kind, number) = if let Some(number) = non_finite(digits) {
            (Kind::Float, Some(Variant::Float(number)))
        } else if digits.contains(['.', 'e', 'E']) {
            (Kind::Float, number::real(digits).map(Variant::Float))
        } else {
            (Kind::Int, digits.parse().ok().map(Variant::Int))
        };
        let problem = ParseProblem::OutOfRange { kind };
        number.ok_or_else(|| self.scanner.error_at(start, problem))
    }
}
