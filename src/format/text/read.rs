//! Reads literals of any of the engines into owned values.

use super::scan::{
    A_WHOLE_NUMBER, LiteralScanner, collect_numbers, is_numeric, non_finite, parse_component,
    parse_real,
};
use super::spelling::{BY_ID, CLASS, SCRIPT, is_any_type};
use super::{ParseError, ParseProblem, base64};
use crate::value::Kind;
use crate::write::owned::{
    Array, Dictionary, ElementType, Instance, KeyRule, NodePath, Number, Object, Signal, Variant,
};
use crate::{Dialect, MAX_DEPTH};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Reads a literal, in the spelling of any of the engines.
///
/// White space may stand between any two parts, and a comma may follow the last element or entry.
/// An int that does not fit into 64 bits is an error, as is a number that does not fit into its
/// packed array. A real with too many digits is rounded. The literal of an object becomes an
/// [`Object`](crate::Object) with its properties; nothing is instantiated. If two entries have the same key,
/// the last one counts, as in Godot 4: [`parse_for`] compares keys as another engine does.
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
    parse_for(Dialect::GODOT_4, text)
}

/// Does the same as [`parse`] for a value that an engine of this dialect gets. It only matters for which
/// keys of a dictionary are the same: see [`Dictionary`](crate::Dictionary). The spelling may be that of any
/// engine.
///
/// ```
/// use gdwire::{Dialect, text};
///
/// let keys = "{ \"hp\": 1, @\"hp\": 2 }";
/// let [pandemonium, godot] = [Dialect::PANDEMONIUM_4, Dialect::GODOT_4]
///     .map(|dialect| text::parse_for(dialect, keys).unwrap());
/// assert_eq!(pandemonium.as_dictionary().unwrap().len(), 2);
/// assert_eq!(godot.as_dictionary().unwrap().len(), 1);
/// ```
///
/// # Errors
///
/// Those of [`parse`].
pub fn parse_for(dialect: Dialect, text: &str) -> Result<Variant, ParseError> {
    let (rest, value) = parse_prefix_for(dialect, text)?;
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
    parse_prefix_for(Dialect::GODOT_4, text)
}

/// Does the same as [`parse_prefix`], with the keys of an engine as [`parse_for`] compares them.
///
/// # Errors
///
/// Those of [`parse_prefix`].
pub fn parse_prefix_for(dialect: Dialect, text: &str) -> Result<(&str, Variant), ParseError> {
    let rule = KeyRule::of(dialect.layout());
    let mut reader = LiteralReader { scanner: LiteralScanner::new(text), rule };
    let value = reader.value()?;
    reader.scanner.peek();
    Ok((reader.scanner.rest(), value))
}

struct LiteralReader<'a> {
    scanner: LiteralScanner<'a>,
    rule: KeyRule,
}

impl LiteralReader<'_> {
    fn value(&mut self) -> Result<Variant, ParseError> {
        let mut stack: Vec<OpenLiteral> = Vec::new();
        loop {
            let begun = self.begin()?;
            let mut value = match begun {
                BegunLiteral::Whole(value) => value,
                BegunLiteral::Open(mut open) => match self.first(&mut open)? {
                    Next::End => open.finish(self.rule),
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
                    Next::End => value = open.finish(self.rule),
                }
            }
        }
    }

    /// Reads up to the first value of a container.
    fn first(&mut self, open: &mut OpenLiteral) -> Result<Next, ParseError> {
        match open {
            OpenLiteral::Object { name, .. } => self.property(name),
            _ if self.scanner.take(open.end().0) => self.close(open),
            _ => Ok(Next::Value),
        }
    }

    /// Reads what follows the end of a container.
    fn close(&mut self, open: &OpenLiteral) -> Result<Next, ParseError> {
        if open.is_wrapped() {
            self.scanner.require(b')', "`)`")?;
        }
        Ok(Next::End)
    }

    /// Puts a value into a container and reads up to the next.
    fn add(&mut self, open: &mut OpenLiteral, value: Variant) -> Result<Next, ParseError> {
        match open {
            OpenLiteral::Array { elements, .. } => elements.push(value),
            OpenLiteral::Dictionary { entries, key, .. } => match key.take() {
                Some(key) => entries.push((key, value)),
                None => {
                    *key = Some(value);
                    self.scanner.require(b':', "`:` and the value of the key")?;
                    return Ok(Next::Value);
                }
            },
            OpenLiteral::Object { properties, name, .. } => {
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
    fn begin(&mut self) -> Result<BegunLiteral, ParseError> {
        let scanner = &mut self.scanner;
        Ok(BegunLiteral::Whole(match scanner.peek() {
            Some(b'[') => {
                scanner.take(b'[');
                return Ok(BegunLiteral::Open(OpenLiteral::array(
                    Kind::Array,
                    ElementType::Any,
                    false,
                )));
            }
            Some(b'{') => {
                scanner.take(b'{');
                return Ok(BegunLiteral::Open(OpenLiteral::dictionary(None)));
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
            (Kind::Float, parse_real(digits).map(Variant::Float))
        } else {
            (Kind::Int, digits.parse().ok().map(Variant::Int))
        };
        let problem = ParseProblem::OutOfRange { kind };
        number.ok_or_else(|| self.scanner.error_at(start, problem))
    }
}

/// A container that has not been read to the end.
pub(super) enum OpenLiteral {
    Array {
        kind: Kind,
        elements: Vec<Variant>,
        element_type: ElementType,
        /// Whether it is inside a typed constructor, `Array[int](…)`.
        is_wrapped: bool,
    },
    Dictionary {
        entries: Vec<(Variant, Variant)>,
        key: Option<Variant>,
        /// The types of keys and values, if it is inside a typed constructor.
        types: Option<[ElementType; 2]>,
    },
    Object {
        class: String,
        properties: Vec<(String, Variant)>,
        name: String,
    },
}

/// A whole value, or a container that has begun.
enum BegunLiteral {
    Whole(Variant),
    Open(OpenLiteral),
}

/// The next thing in a container: a value or its end.
enum Next {
    Value,
    End,
}

impl OpenLiteral {
    const fn array(kind: Kind, element_type: ElementType, is_wrapped: bool) -> OpenLiteral {
        OpenLiteral::Array { kind, elements: Vec::new(), element_type, is_wrapped }
    }

    const fn dictionary(types: Option<[ElementType; 2]>) -> OpenLiteral {
        OpenLiteral::Dictionary { entries: Vec::new(), key: None, types }
    }

    /// The byte that ends the container, and what may follow a value in it, for an error.
    const fn end(&self) -> (u8, &'static str) {
        match self {
            OpenLiteral::Array { kind: Kind::Array, .. } => (b']', "`,` or `]`"),
            OpenLiteral::Dictionary { .. } => (b'}', "`,` or `}`"),
            OpenLiteral::Array { .. } | OpenLiteral::Object { .. } => (b')', "`,` or `)`"),
        }
    }

    /// Whether the closing parenthesis of a typed constructor follows its end.
    const fn is_wrapped(&self) -> bool {
        match self {
            OpenLiteral::Array { is_wrapped, .. } => *is_wrapped,
            OpenLiteral::Dictionary { types, .. } => types.is_some(),
            OpenLiteral::Object { .. } => false,
        }
    }

    fn finish(self, rule: KeyRule) -> Variant {
        match self {
            OpenLiteral::Array { kind, mut elements, element_type, .. } => {
                // Most arrays are short, but a vector reserves room for four elements at once.
                elements.shrink_to_fit();
                let array = Array::from(elements).typed(element_type);
                match kind {
                    Kind::TypedArray => Variant::TypedArray(array),
                    Kind::PackedTypedArray => Variant::PackedTypedArray(array),
                    _ => Variant::Array(array),
                }
            }
            OpenLiteral::Dictionary { mut entries, types, .. } => {
                entries.shrink_to_fit();
                let [keys, values] = types.unwrap_or_default();
                Variant::Dictionary(Dictionary::by_rule(entries, rule).typed(keys, values))
            }
            OpenLiteral::Object { class, mut properties, .. } => {
                properties.shrink_to_fit();
                Instance { class, properties }.into()
            }
        }
    }
}

const A_PATH: &str = "a path in quotes";

impl LiteralReader<'_> {
    /// Reads a literal that begins with a name.
    fn named(&mut self) -> Result<BegunLiteral, ParseError> {
        let start = self.scanner.offset();
        let name = self.scanner.name();
        if let Some(number) = non_finite(name) {
            return Ok(BegunLiteral::Whole(Variant::Float(number)));
        }
        Ok(BegunLiteral::Whole(match name {
            "null" | "nil" => Variant::Nil,
            "true" => Variant::Bool(true),
            "false" => Variant::Bool(false),
            CLASS => return self.object().map(BegunLiteral::Open),
            BY_ID => {
                self.open()?;
                let id = self.last_id(Kind::Object)?;
                Variant::Object(if id == 0 { Object::Null } else { Object::Id(id) })
            }
            name => match Kind::from_name(name) {
                Some(kind @ (Kind::Array | Kind::Dictionary)) => {
                    return self.typed(kind).map(BegunLiteral::Open);
                }
                Some(kind @ (Kind::TypedArray | Kind::PackedTypedArray)) => {
                    self.open()?;
                    let element_type = self.element_type()?;
                    self.scanner.require(b',', "`,`")?;
                    return Ok(BegunLiteral::Open(OpenLiteral::array(kind, element_type, false)));
                }
                Some(kind) => self.constructor(kind, start)?,
                None => return Err(self.scanner.error_at(start, ParseProblem::UnknownType)),
            },
        }))
    }

    /// Reads the arguments of this kind's constructor. Its name is at `start`.
    fn constructor(&mut self, kind: Kind, start: usize) -> Result<Variant, ParseError> {
        Ok(match kind {
            Kind::PackedStringArray => {
                let mut strings = Vec::new();
                self.open()?;
                self.arguments(|scanner| {
                    strings.push(scanner.string("a string in quotes")?);
                    Ok(())
                })?;
                strings.shrink_to_fit();
                Variant::PackedStringArray(strings)
            }
            Kind::StringName => Variant::StringName(self.quoted("a name in quotes")?),
            Kind::NodePath => NodePath::from(self.quoted(A_PATH)?.as_str()).into(),
            Kind::Rid => {
                self.open()?;
                let is_empty = self.scanner.take(b')');
                Variant::Rid(if is_empty { 0 } else { self.last_id(kind)? })
            }
            Kind::Callable => {
                self.open()?;
                self.scanner.require(b')', "`)`")?;
                Variant::Callable
            }
            Kind::Signal => self.signal()?.into(),
            kind if is_numeric(kind) => {
                self.open()?;
                if kind == Kind::PackedByteArray && self.scanner.peek() == Some(b'"') {
                    return self.bytes();
                }
                self.numbers(kind, start)?
            }
            _ => return Err(self.scanner.error_at(start, ParseProblem::UnknownType)),
        })
    }

    /// Reads the element types of an array or a dictionary up to its first bracket.
    fn typed(&mut self, kind: Kind) -> Result<OpenLiteral, ParseError> {
        self.scanner.require(b'[', "`[` and the type of the elements")?;
        let elements = self.element_type()?;
        let (open, bracket, what) = if kind == Kind::Dictionary {
            self.scanner.require(b',', "`,` and the type of the values")?;
            (OpenLiteral::dictionary(Some([elements, self.element_type()?])), b'{', "`{`")
        } else {
            (OpenLiteral::array(kind, elements, true), b'[', "`[`")
        };
        self.scanner.require(b']', "`]`")?;
        self.open()?;
        self.scanner.require(bracket, what)?;
        Ok(open)
    }

    fn element_type(&mut self) -> Result<ElementType, ParseError> {
        self.scanner.peek();
        let name = self.scanner.name();
        let has_arguments = self.scanner.peek() == Some(b'(');
        Ok(match name {
            "" => return self.scanner.expected("the name of a type"),
            CLASS if has_arguments => {
                ElementType::Class(self.quoted("the name of a class in quotes")?)
            }
            SCRIPT if has_arguments => ElementType::Script(self.quoted(A_PATH)?),
            name if is_any_type(name) => ElementType::Any,
            name => match Kind::from_name(name) {
                Some(kind) => ElementType::Kind(kind),
                None => ElementType::Class(name.to_string()),
            },
        })
    }

    fn signal(&mut self) -> Result<Signal, ParseError> {
        self.open()?;
        if self.scanner.take(b')') {
            return Ok(Signal::default());
        }
        let object_id = self.id(Kind::Signal)?;
        self.scanner.require(b',', "`,` and the name of the signal")?;
        let name = self.scanner.string("the name of the signal in quotes")?;
        self.scanner.require(b')', "`)`")?;
        Ok(Signal { name, object_id })
    }

    /// Reads a byte array that is spelled in base64.
    fn bytes(&mut self) -> Result<Variant, ParseError> {
        const WHAT: &str = "bytes in base64";
        let start = self.scanner.offset();
        let Some(bytes) = base64::decode(&self.scanner.string(WHAT)?) else {
            return Err(self.scanner.error_at(start, ParseProblem::Expected(WHAT)));
        };
        self.scanner.require(b')', "`)`")?;
        Ok(Variant::PackedByteArray(bytes))
    }

    /// Reads the components of a math value or a packed array.
    fn numbers(&mut self, kind: Kind, start: usize) -> Result<Variant, ParseError> {
        let mut numbers = Vec::new();
        self.arguments(|scanner| {
            scanner.peek();
            let start = scanner.offset();
            let number = parse_component(kind, scanner.number()?);
            numbers.push(number.map_err(|problem| scanner.error_at(start, problem))?);
            Ok(())
        })?;
        if kind == Kind::Color && numbers.len() == 3 {
            numbers.push(Number::Float(1.0));
        }
        collect_numbers(kind, &numbers).map_err(|problem| self.scanner.error_at(start, problem))
    }

    fn open(&mut self) -> Result<(), ParseError> {
        self.scanner.require(b'(', "`(`")
    }

    /// Reads all arguments, each with `argument`, and the closing parenthesis.
    fn arguments(
        &mut self,
        mut argument: impl FnMut(&mut LiteralScanner<'_>) -> Result<(), ParseError>,
    ) -> Result<(), ParseError> {
        if self.scanner.take(b')') {
            return Ok(());
        }
        loop {
            argument(&mut self.scanner)?;
            if !self.scanner.take(b',') {
                return self.scanner.require(b')', "`,` or `)`");
            }
        }
    }

    /// Reads one argument in quotes.
    fn quoted(&mut self, what: &'static str) -> Result<String, ParseError> {
        self.open()?;
        let text = self.scanner.string(what)?;
        self.scanner.require(b')', "`)`")?;
        Ok(text)
    }

    /// Reads the class of an object.
    fn object(&mut self) -> Result<OpenLiteral, ParseError> {
        const A_CLASS: &str = "the name of a class";
        self.open()?;
        let class = match self.scanner.peek() {
            Some(b'"') => self.scanner.string(A_CLASS)?,
            _ => self.scanner.name().to_string(),
        };
        if class.is_empty() {
            return self.scanner.expected(A_CLASS);
        }
        Ok(OpenLiteral::Object { class, properties: Vec::new(), name: String::new() })
    }

    /// Reads the last argument of this kind's constructor, an id, and the closing parenthesis.
    fn last_id(&mut self, kind: Kind) -> Result<u64, ParseError> {
        let id = self.id(kind)?;
        self.scanner.require(b')', "`)`")?;
        Ok(id)
    }

    fn id(&mut self, kind: Kind) -> Result<u64, ParseError> {
        self.scanner.peek();
        let start = self.scanner.offset();
        let digits = self.scanner.number()?;
        let problem = match digits.contains(['.', 'e', 'E']) {
            true => ParseProblem::Expected(A_WHOLE_NUMBER),
            false => ParseProblem::OutOfRange { kind },
        };
        digits.parse().map_err(|_| self.scanner.error_at(start, problem))
    }
}
