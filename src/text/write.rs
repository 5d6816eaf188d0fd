//! Writes values as literals.

use super::base64::Base64;
use super::decimal::Decimal;
use super::escape::{Escapes, Escaping};
use super::spelling::{Brackets, ByteSpelling, NonFinite, Spelling, is_any_type, kind_of_name};
use super::{BY_ID, CLASS, Layout, SCRIPT};
use crate::dialect::Dialect;
use crate::kind::Kind;
use crate::number::{Component, Real};
#[cfg(feature = "alloc")]
use crate::owned::{Flat, Node, Object, Step, Variant, visit};
use crate::view::{Cells, ElementTypeRef, ObjectRef, VariantRef, View};
use crate::walk::{Event, Place, WalkStack};
use core::fmt::{self, Display, Write};

/// Writes a value to `out`.
pub(super) fn literal(value: VariantRef<'_>, layout: Layout, out: &mut impl Write) -> fmt::Result {
    let spelling = Spelling::of(value.dialect());
    let mut writer = Writer { out, spelling, layout, is_first: true };
    let mut stack = WalkStack::new();
    value.walk(&mut stack).try_for_each(|event| writer.event(event))
}

/// Writes an owned value to `out`, in the spelling of Godot 4.
#[cfg(feature = "alloc")]
pub(super) fn owned(root: Node<'_>, layout: Layout, out: &mut impl Write) -> fmt::Result {
    let spelling = Spelling::of(Dialect::GODOT_4);
    let mut writer = Writer { out, spelling, layout, is_first: true };
    visit(root, |step| writer.step(step))
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
                let is_typed = container.is_typed();
                let types = is_typed.then(|| container.element_types());
                self.begin(container.kind(), container.is_empty(), types, container.class())
            }
            Event::Property(name) => self.property(name),
            Event::End(ended) => self.end(ended.kind(), ended.is_typed()),
        }
    }

    fn end(&mut self, kind: Kind, is_typed: bool) -> fmt::Result {
        let is_empty = core::mem::take(&mut self.is_first);
        match self.brackets(kind) {
            None => self.out.write_char(')')?,
            Some(_) if is_empty => {}
            Some(brackets) => self.out.write_str(brackets.close)?,
        }
        if is_typed && !is_typed_kind(kind) { self.out.write_char(')') } else { Ok(()) }
    }

    /// Writes the separator before a value.
    fn separate(&mut self, place: Place) -> fmt::Result {
        self.out.write_str(match (place, self.layout) {
            (Place::Value, _) => ": ",
            (Place::Root | Place::Property, _) => "",
            (Place::Element | Place::Key, _) if self.is_first => "",
            (Place::Key, Layout::Multiline) => ",\n",
            (Place::Element | Place::Key, _) => ", ",
        })
    }

    /// The brackets of a container, if it has brackets.
    fn brackets(&self, kind: Kind) -> Option<&'static Brackets> {
        match (kind, self.layout) {
            (Kind::Object, _) => None,
            (Kind::Dictionary, Layout::Multiline) => Some(&self.spelling.lines),
            (Kind::Dictionary, Layout::Line) => Some(&self.spelling.line),
            (Kind::TypedArray | Kind::PackedTypedArray, _) => Some(&self.spelling.elements),
            _ => Some(&self.spelling.array),
        }
    }

    fn property(&mut self, name: &str) -> fmt::Result {
        // A comma precedes the first property, too, because the class comes before it.
        self.out.write_char(',')?;
        self.quoted(name, self.name_escapes())?;
        self.out.write_char(':')
    }

    /// Writes the beginning of a container, with the types of its elements or of its keys and
    /// values if it is typed.
    fn begin(
        &mut self,
        kind: Kind,
        is_empty: bool,
        types: Option<[ElementTypeRef<'_>; 2]>,
        class: &str,
    ) -> fmt::Result {
        let Some(brackets) = self.brackets(kind) else {
            self.out.write_str("Object(")?;
            // All classes of the engines have identifiers as names. Other names are quoted.
            return match class {
                class if is_identifier(class) => self.out.write_str(class),
                class => self.quoted(class, self.name_escapes()),
            };
        };
        if is_typed_kind(kind) {
            let [elements, _] = types.unwrap_or_default();
            self.out.write_str(self.spelling.name(kind))?;
            self.out.write_str("( ")?;
            self.element_type(elements)?;
        } else if let Some([elements, values]) = types {
            self.out.write_str(self.spelling.name(kind))?;
            self.out.write_char('[')?;
            self.element_type(elements)?;
            if kind == Kind::Dictionary {
                self.out.write_str(", ")?;
                self.element_type(values)?;
            }
            self.out.write_str("](")?;
        }
        self.out.write_str(if is_empty { brackets.empty } else { brackets.open })
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
            View::Float(number) => self.float(number),
            View::String(text) => self.string(text),
            View::StringName(name) => self.string_name(name),
            View::NodePath(path) => self.node_path(path),
            View::Object(ObjectRef::Id(id)) => {
                self.constructor(BY_ID, self.spelling.arguments(kind), [id].iter())
            }
            View::Rid(id @ 1..) => self.arguments(kind, [id].iter()),
            View::Signal(signal) if signal.object_id() != 0 || !signal.name().is_empty() => {
                self.signal(signal.name(), signal.object_id())
            }
            View::PackedStringArray(strings) => self.strings(strings.iter()),
            // The remaining kinds have no content to show.
            _ => self.arguments::<u8>(kind, [].iter().copied()),
        }
    }

    fn float(&mut self, number: f64) -> fmt::Result {
        match self.spelling.float.word(number) {
            Some(word) => self.out.write_str(word),
            None => write!(self.out, "{}", Decimal { number, is_pointed: true }),
        }
    }

    fn string(&mut self, text: &str) -> fmt::Result {
        let escapes = match self.layout {
            Layout::Multiline => Escapes::Quotes,
            Layout::Line => Escapes::Line,
        };
        self.quoted(text, escapes)
    }

    fn string_name(&mut self, name: &str) -> fmt::Result {
        self.out.write_char(self.spelling.string_name)?;
        self.quoted(name, self.name_escapes())
    }

    fn node_path(&mut self, path: impl Display) -> fmt::Result {
        self.out.write_str(self.spelling.name(Kind::NodePath))?;
        self.out.write_char('(')?;
        self.quoted(path, self.name_escapes())?;
        self.out.write_char(')')
    }

    fn signal(&mut self, name: &str, object_id: u64) -> fmt::Result {
        let brackets = self.spelling.arguments(Kind::Signal);
        write!(self.out, "{}{}", self.spelling.name(Kind::Signal), brackets.open)?;
        write!(self.out, "{object_id}, ")?;
        self.quoted(name, self.name_escapes())?;
        self.out.write_str(brackets.close)
    }

    fn cells(&mut self, kind: Kind, cells: Cells<'_>) -> fmt::Result {
        match cells {
            Cells::Bytes(bytes) => self.bytes(kind, bytes),
            Cells::I32(numbers) => self.arguments(kind, numbers.iter().map(|it| it.get())),
            Cells::I64(numbers) => self.arguments(kind, numbers.iter().map(|it| it.get())),
            Cells::F32(reals) => self.reals(kind, reals),
            Cells::F64(reals) => self.reals(kind, reals),
        }
    }

    fn bytes(&mut self, kind: Kind, bytes: &[u8]) -> fmt::Result {
        if !bytes.is_empty() && self.spelling.bytes == ByteSpelling::Base64 {
            return self.arguments(kind, [format_args!("\"{}\"", Base64(bytes))].into_iter());
        }
        self.arguments(kind, bytes.iter())
    }

    fn reals<T: Component<Native: Real>>(&mut self, kind: Kind, reals: &[T]) -> fmt::Result
    where
        Decimal<T::Native>: Display,
    {
        let words = &self.spelling.component;
        self.arguments(kind, reals.iter().map(|real| Shown(real.get(), words)))
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

    fn strings<'s>(&mut self, strings: impl ExactSizeIterator<Item = &'s str>) -> fmt::Result {
        let kind = Kind::PackedStringArray;
        let brackets = self.spelling.arguments(kind);
        self.out.write_str(self.spelling.name(kind))?;
        if strings.len() == 0 {
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

    /// How text other than strings is escaped.
    fn name_escapes(&self) -> Escapes {
        match self.layout {
            Layout::Multiline => Escapes::Names(self.spelling.escaped_in_names),
            Layout::Line => Escapes::Line,
        }
    }
}

#[cfg(feature = "alloc")]
impl<W: Write> Writer<'_, W> {
    fn step(&mut self, step: Step<'_>) -> fmt::Result {
        match step {
            Step::Node(place, Node::Leaf(value)) => {
                self.separate(place)?;
                self.is_first = false;
                self.owned_leaf(value)
            }
            Step::Node(place, container) => {
                self.separate(place)?;
                self.is_first = true;
                let (kind, types, class) = parts(container);
                let is_empty = match container {
                    Node::Array(_, array) => array.is_empty(),
                    Node::Dictionary(entries) => entries.is_empty(),
                    Node::Leaf(_) | Node::Instance(_) => false,
                };
                self.begin(kind, is_empty, types, class)
            }
            Step::Property(name) => self.property(name),
            Step::End(container) => {
                let (kind, types, _) = parts(container);
                self.end(kind, types.is_some())
            }
        }
    }

    fn owned_leaf(&mut self, value: &Variant) -> fmt::Result {
        let kind = value.kind();
        match value.flat() {
            Some(Flat::Bytes(bytes)) => return self.bytes(kind, bytes),
            Some(Flat::I32(numbers)) => return self.arguments(kind, numbers.iter()),
            Some(Flat::I64(numbers)) => return self.arguments(kind, numbers.iter()),
            Some(Flat::F32(reals)) => return self.reals(kind, reals),
            Some(Flat::F64(reals)) => return self.reals(kind, reals),
            None => {}
        }
        match value {
            Variant::Bool(is_true) => write!(self.out, "{is_true}"),
            Variant::Int(number) => write!(self.out, "{number}"),
            Variant::Float(number) => self.float(*number),
            Variant::String(text) => self.string(text),
            Variant::StringName(name) => self.string_name(name),
            Variant::NodePath(path) => self.node_path(path),
            Variant::Object(Object::Id(id)) => {
                self.constructor(BY_ID, self.spelling.arguments(kind), [id].iter())
            }
            Variant::Rid(id @ 1..) => self.arguments(kind, [id].iter()),
            Variant::Signal(signal) if signal.object_id != 0 || !signal.name.is_empty() => {
                self.signal(&signal.name, signal.object_id)
            }
            Variant::PackedStringArray(strings) => {
                self.strings(strings.iter().map(alloc::string::String::as_str))
            }
            Variant::Rid(_) | Variant::Callable | Variant::Signal(_) => {
                self.arguments::<u8>(kind, [].iter().copied())
            }
            // The value is null, or an object that is null.
            _ => self.out.write_str("null"),
        }
    }
}

/// The kind of a container, its element types if it is typed, and its class if it is an object.
#[cfg(feature = "alloc")]
fn parts(container: Node<'_>) -> (Kind, Option<[ElementTypeRef<'_>; 2]>, &str) {
    let any = ElementTypeRef::Any;
    match container {
        Node::Array(kind, array) => {
            let elements = array.element_type().as_ref();
            let is_typed = is_typed_kind(kind) || elements != any;
            (kind, is_typed.then_some([elements, any]), "")
        }
        Node::Dictionary(entries) => {
            let types = [entries.key_type().as_ref(), entries.value_type().as_ref()];
            (Kind::Dictionary, (types != [any; 2]).then_some(types), "")
        }
        Node::Instance(instance) => (Kind::Object, None, &instance.class),
        Node::Leaf(value) => (value.kind(), None, ""),
    }
}

/// Whether arrays of this kind are typed by their kind, not by their header.
const fn is_typed_kind(kind: Kind) -> bool {
    matches!(kind, Kind::TypedArray | Kind::PackedTypedArray)
}

/// Whether a text can only be the name of a class, not of a type.
fn is_class_name(text: &str) -> bool {
    is_identifier(text) && kind_of_name(text).is_none() && !is_any_type(text)
}

/// Whether the engines read a text as a name.
fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}

impl NonFinite {
    /// The name of a number without digits.
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

/// Shows a component of a vector or a packed array.
struct Shown<T>(T, &'static NonFinite);

impl<T: Real> Display for Shown<T>
where
    Decimal<T>: Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1.word(self.0.to_f64()) {
            Some(word) => f.write_str(word),
            None => Decimal { number: self.0, is_pointed: false }.fmt(f),
        }
    }
}
