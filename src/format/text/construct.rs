//! Reads literals that begin with the name of a type: constructors and their arguments.

use super::open::{Begun, Open};
use super::read::Reader;
use super::scan::Scanner;
use super::spelling::{BY_ID, CLASS, SCRIPT, is_any_type};
use super::{ParseError, ParseProblem, base64, number};
use crate::value::Kind;
use crate::write::owned::{ElementType, NodePath, Number, Object, Signal, Variant};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const A_PATH: &str = "a path in quotes";

impl Reader<'_> {
    /// Reads a literal that begins with a name.
    pub(super) fn named(&mut self) -> Result<Begun, ParseError> {
        let start = self.scanner.offset();
        let name = self.scanner.name();
        if let Some(number) = number::non_finite(name) {
            return Ok(Begun::Whole(Variant::Float(number)));
        }
        Ok(Begun::Whole(match name {
            "null" | "nil" => Variant::Nil,
            "true" => Variant::Bool(true),
            "false" => Variant::Bool(false),
            CLASS => return self.object().map(Begun::Open),
            BY_ID => {
                self.open()?;
                let id = self.last_id(Kind::Object)?;
                Variant::Object(if id == 0 { Object::Null } else { Object::Id(id) })
            }
            name => match Kind::from_name(name) {
                Some(kind @ (Kind::Array | Kind::Dictionary)) => {
                    return self.typed(kind).map(Begun::Open);
                }
                Some(kind @ (Kind::TypedArray | Kind::PackedTypedArray)) => {
                    self.open()?;
                    let element_type = self.element_type()?;
                    self.scanner.require(b',', "`,`")?;
                    return Ok(Begun::Open(Open::array(kind, element_type, false)));
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
            kind if number::is_numeric(kind) => {
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
    fn typed(&mut self, kind: Kind) -> Result<Open, ParseError> {
        self.scanner.require(b'[', "`[` and the type of the elements")?;
        let elements = self.element_type()?;
        let (open, bracket, what) = if kind == Kind::Dictionary {
            self.scanner.require(b',', "`,` and the type of the values")?;
            (Open::dictionary(Some([elements, self.element_type()?])), b'{', "`{`")
        } else {
            (Open::array(kind, elements, true), b'[', "`[`")
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
            let number = number::component(kind, scanner.number()?);
            numbers.push(number.map_err(|problem| scanner.error_at(start, problem))?);
            Ok(())
        })?;
        if kind == Kind::Color && numbers.len() == 3 {
            numbers.push(Number::Float(1.0));
        }
        number::collect(kind, &numbers).map_err(|problem| self.scanner.error_at(start, problem))
    }

    fn open(&mut self) -> Result<(), ParseError> {
        self.scanner.require(b'(', "`(`")
    }

    /// Reads all arguments, each with `argument`, and the closing parenthesis.
    fn arguments(
        &mut self,
        mut argument: impl FnMut(&mut Scanner<'_>) -> Result<(), ParseError>,
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
    fn object(&mut self) -> Result<Open, ParseError> {
        const A_CLASS: &str = "the name of a class";
        self.open()?;
        let class = match self.scanner.peek() {
            Some(b'"') => self.scanner.string(A_CLASS)?,
            _ => self.scanner.name().to_string(),
        };
        if class.is_empty() {
            return self.scanner.expected(A_CLASS);
        }
        Ok(Open::Object { class, properties: Vec::new(), name: String::new() })
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
        let id = self.scanner.number()?.parse();
        id.map_err(|_| self.scanner.error_at(start, ParseProblem::OutOfRange { kind }))
    }
}
