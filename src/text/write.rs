//! Writes a value as the literal of its engine.

use super::base64::Base64;
use super::decimal::Decimal;
use super::escape::{Escapes, Escaping};
use super::spelling::{Brackets, ByteSpelling, NonFinite, Spelling, is_any_type, kind_of_name};
use super::{BY_ID, CLASS, Layout, SCRIPT};
use crate::dialect::Dialect;
use crate::kind::Kind;
use crate::view::{Cells, ElementTypeRef, ObjectRef, StringsRef, VariantRef, View};
use crate::walk::{Container, Event, Place, WalkStack};
use core::fmt::{self, Display, Write};

/// Writes a value to `out`.
pub(super) fn literal(value: VariantRef<'_>, layout: Layout, out: &mut impl Write) -> fmt::Result {
    let spelling = Spelling::of(value.dialect());
    let mut writer = Writer { out, spelling, layout, is_first: true };
    let mut stack = WalkStack::new();
    value.walk(&mut stack).try_for_each(|event| writer.event(event))
}

/// Writes the literal of a byte array.
pub(crate) fn byte_array(bytes: &[u8], dialect: Dialect, out: &mut impl Write) -> fmt::Result {
    let spelling = Spelling::of(dialect);
    let mut writer = Writer { out, spelling, layout: Layout::Line, is_first: true };
    writer.cells(Kind::PackedByteArray, Cells::Bytes(bytes))
}

struct Writer<'o, W> {
    out: &'o mut W,
    spelling: &'static Spelling,
    layout: Layout,
    /// Whether nothing has been written yet in the innermost container.
    is_first: bool,
}

impl<W: Write> Writer<'_, W> {
    fn event(&mut self, event: Event<'_>) -> fmt::Result {
        match event {
            Event::Value(place, value) => {
                self.separate(place)?;
                self.is_first = false;
                self.leaf(value)
            }
            Event::Begin(place, container) => {
                self.separate(place)?;
                self.is_first = true;
                self.begin(container)
            }
            Event::Property(name) => {
                // The class stands before the first.
                self.out.write_char(',')?;
                self.quoted(name, self.name_escapes())?;
                self.out.write_char(':')
            }
            Event::End(ended) => {
                let (kind, is_typed) = (ended.kind(), ended.is_typed());
                let is_empty = core::mem::take(&mut self.is_first);
                match self.brackets(kind) {
                    None => self.out.write_char(')')?,
                    Some(_) if is_empty => {}
                    Some(brackets) => self.out.write_str(brackets.close)?,
                }
                if is_typed && !is_typed_kind(kind) { self.out.write_char(')') } else { Ok(()) }
            }
        }
    }

    /// Writes what stands between a value and what was before it.
    fn separate(&mut self, place: Place) -> fmt::Result {
        self.out.write_str(match (place, self.layout) {
            (Place::Value, _) => ": ",
            (Place::Root | Place::Property, _) => "",
            (Place::Element | Place::Key, _) if self.is_first => "",
            (Place::Key, Layout::Multiline) => ",\n",
            (Place::Element | Place::Key, _) => ", ",
        })
    }

    /// The brackets of a container that has some.
    fn brackets(&self, kind: Kind) -> Option<&'static Brackets> {
        match (kind, self.layout) {
            (Kind::Object, _) => None,
            (Kind::Dictionary, Layout::Multiline) => Some(&self.spelling.lines),
            (Kind::Dictionary, Layout::Line) => Some(&self.spelling.line),
            (Kind::TypedArray | Kind::PackedTypedArray, _) => Some(&self.spelling.elements),
            _ => Some(&self.spelling.array),
        }
    }

    fn begin(&mut self, container: Container<'_>) -> fmt::Result {
        let kind = container.kind();
        let Some(brackets) = self.brackets(kind) else {
            self.out.write_str("Object(")?;
            // The engines have no class that is no identifier.
            return match container.class() {
                class if is_identifier(class) => self.out.write_str(class),
                class => self.quoted(class, self.name_escapes()),
            };
        };
        let [elements, values] = container.element_types();
        if is_typed_kind(kind) {
            self.out.write_str(self.spelling.name(kind))?;
            self.out.write_str("( ")?;
            self.element_type(elements)?;
        } else if container.is_typed() {
            self.out.write_str(self.spelling.name(kind))?;
            self.out.write_char('[')?;
            self.element_type(elements)?;
            if kind == Kind::Dictionary {
                self.out.write_str(", ")?;
                self.element_type(values)?;
            }
            self.out.write_str("](")?;
        }
        self.out.write_str(if container.is_empty() { brackets.empty } else { brackets.open })
    }

    fn element_type(&mut self, element: ElementTypeRef<'_>) -> fmt::Result {
        let (constructor, name) = match element {
            ElementTypeRef::Any => return self.out.write_str(self.spelling.any_type),
            ElementTypeRef::Kind(kind) => return self.out.write_str(self.spelling.name(kind)),
            ElementTypeRef::Class(name) if is_class_name(name) => return self.out.write_str(name),
            ElementTypeRef::Class(name) => (CLASS, name),
            ElementTypeRef::Script(path) => (SCRIPT, path),
        };
        self.out.write_str(constructor)?;
        self.out.write_char('(')?;
        self.quoted(name, self.name_escapes())?;
        self.out.write_char(')')
    }

    fn leaf(&mut self, value: VariantRef<'_>) -> fmt::Result {
        let kind = value.kind();
        if let Some(cells) = value.cells() {
            return self.cells(kind, cells);
        }
        match value.view() {
            View::Nil | View::Object(ObjectRef::Null) => self.out.write_str("null"),
            View::Bool(is_true) => write!(self.out, "{is_true}"),
            View::Int(number) => write!(self.out, "{number}"),
            View::Float(number) => match self.spelling.float.word(number) {
                Some(word) => self.out.write_str(word),
                None => write!(self.out, "{}", Decimal { number, is_pointed: true }),
            },
            View::String(text) => self.quoted(
                text,
                match self.layout {
                    Layout::Multiline => Escapes::Quotes,
                    Layout::Line => Escapes::Line,
                },
            ),
            View::StringName(name) => {
                self.out.write_char(self.spelling.string_name)?;
                self.quoted(name, self.name_escapes())
            }
            View::NodePath(path) => {
                self.out.write_str(self.spelling.name(kind))?;
                self.out.write_char('(')?;
                self.quoted(path, self.name_escapes())?;
                self.out.write_char(')')
            }
            View::Object(ObjectRef::Id(id)) => {
                self.constructor(BY_ID, self.spelling.arguments(kind), [id].iter())
            }
            View::Rid(id @ 1..) => self.arguments(kind, [id].iter()),
            View::Signal(signal) if signal.object_id() != 0 || !signal.name().is_empty() => {
                let brackets = self.spelling.arguments(kind);
                write!(self.out, "{}{}", self.spelling.name(kind), brackets.open)?;
                write!(self.out, "{}, ", signal.object_id())?;
                self.quoted(signal.name(), self.name_escapes())?;
                self.out.write_str(brackets.close)
            }
            View::PackedStringArray(strings) => self.strings(kind, strings),
            // What is left has nothing to show.
            _ => self.arguments::<u8>(kind, [].iter().copied()),
        }
    }

    fn cells(&mut self, kind: Kind, cells: Cells<'_>) -> fmt::Result {
        let words = &self.spelling.component;
        match cells {
            Cells::Bytes(bytes @ [_, ..]) if self.spelling.bytes == ByteSpelling::Base64 => {
                self.arguments(kind, [format_args!("\"{}\"", Base64(bytes))].into_iter())
            }
            Cells::Bytes(bytes) => self.arguments(kind, bytes.iter()),
            Cells::I32(numbers) => self.arguments(kind, numbers.iter().map(|it| it.get())),
            Cells::I64(numbers) => self.arguments(kind, numbers.iter().map(|it| it.get())),
            Cells::F32(reals) => {
                self.arguments(kind, reals.iter().map(|real| Component(real.get(), words)))
            }
            Cells::F64(reals) => {
                self.arguments(kind, reals.iter().map(|real| Component(real.get(), words)))
            }
        }
    }

    /// Writes the constructor of a kind.
    fn arguments<T: Display>(
        &mut self,
        kind: Kind,
        arguments: impl ExactSizeIterator<Item = T>,
    ) -> fmt::Result {
        self.constructor(self.spelling.name(kind), self.spelling.arguments(kind), arguments)
    }

    fn constructor<T: Display>(
        &mut self,
        name: &str,
        brackets: &Brackets,
        arguments: impl ExactSizeIterator<Item = T>,
    ) -> fmt::Result {
        self.out.write_str(name)?;
        if arguments.len() == 0 {
            return self.out.write_str(brackets.empty);
        }
        let mut separator = brackets.open;
        for argument in arguments {
            write!(self.out, "{separator}{argument}")?;
            separator = ", ";
        }
        self.out.write_str(brackets.close)
    }

    fn strings(&mut self, kind: Kind, strings: StringsRef<'_>) -> fmt::Result {
        let brackets = self.spelling.arguments(kind);
        self.out.write_str(self.spelling.name(kind))?;
        if strings.is_empty() {
            return self.out.write_str(brackets.empty);
        }
        let mut separator = brackets.open;
        for text in strings {
            self.out.write_str(separator)?;
            self.quoted(text, self.name_escapes())?;
            separator = ", ";
        }
        self.out.write_str(brackets.close)
    }

    fn quoted(&mut self, text: impl Display, escapes: Escapes) -> fmt::Result {
        self.out.write_char('"')?;
        write!(Escaping { out: self.out, escapes }, "{text}")?;
        self.out.write_char('"')
    }

    /// How the text of everything but a string is escaped.
    fn name_escapes(&self) -> Escapes {
        match self.layout {
            Layout::Multiline => Escapes::Names(self.spelling.escaped_in_names),
            Layout::Line => Escapes::Line,
        }
    }
}

/// Whether arrays of the kind are typed by it, and not by their header.
const fn is_typed_kind(kind: Kind) -> bool {
    matches!(kind, Kind::TypedArray | Kind::PackedTypedArray)
}

/// Whether the name of a class can only be that.
fn is_class_name(text: &str) -> bool {
    is_identifier(text) && kind_of_name(text).is_none() && !is_any_type(text)
}

/// Whether the engines read it as a name.
fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}

impl NonFinite {
    /// What a number without digits is called.
    fn word(&self, number: f64) -> Option<&'static str> {
        if number.is_finite() {
            None
        } else if number.is_nan() {
            Some(self.nan)
        } else if number < 0.0 {
            Some(self.negative_infinity)
        } else {
            Some(self.infinity)
        }
    }
}

/// A component of a vector or a packed array.
struct Component<T>(T, &'static NonFinite);

impl<T: Copy + Into<f64>> Display for Component<T>
where
    Decimal<T>: Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1.word(self.0.into()) {
            Some(word) => f.write_str(word),
            None => Decimal { number: self.0, is_pointed: false }.fmt(f),
        }
    }
}
