//! Writes values as literals.

use super::Layout;
use super::base64::Base64;
use super::decimal::Decimal;
use super::escape::{Escapes, Escaping, escape, suspect};
use super::gather::Gather;
use super::spelling::{
    BY_ID, Brackets, ByteSpelling, CLASS, LiteralSpelling, NonFinite, SCRIPT, is_any_type,
};
use crate::value::{
    Cells, Component, Container, Dialect, ElementTypeRef, Event, Kind, Leaf, Slot, Storage,
    VariantRef, View, WalkStack,
};
#[cfg(feature = "alloc")]
use crate::{
    value::Engine,
    write::owned::{OwnedNode, OwnedStep, visit},
};
use core::fmt::{self, Display, Write};
use core::ops::ControlFlow;

/// Writes a value to `out`.
pub(super) fn literal(value: VariantRef<'_>, layout: Layout, out: &mut impl Write) -> fmt::Result {
    Gather::to_fmt(out, |out| {
        let spelling = LiteralSpelling::of(value.dialect().engine());
        let mut writer = LiteralWriter { out, spelling, layout, is_first: true };
        let result = value.visit(&mut WalkStack::new(), |event| match writer.event(event) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        });
        result.break_value().map_or(Ok(()), Err)
    })
}

/// Writes an owned value to `out`, in the spelling of Godot 4.
#[cfg(feature = "alloc")]
pub(super) fn owned(root: OwnedNode<'_>, layout: Layout, out: &mut impl Write) -> fmt::Result {
    Gather::to_fmt(out, |out| {
        let spelling = LiteralSpelling::of(Engine::Godot4);
        let mut writer = LiteralWriter { out, spelling, layout, is_first: true };
        visit(root, |step| writer.step(step))
    })
}

/// Writes the literal of a byte array.
pub(crate) fn byte_array(bytes: &[u8], dialect: Dialect, out: &mut impl Write) -> fmt::Result {
    in_line(dialect, out, |writer| writer.bytes(Kind::PackedByteArray, bytes))
}

/// Writes a real: on its own as the value of a float, or as a component of a vector or an array.
#[cfg(feature = "alloc")]
pub(crate) fn real<T: Decimal>(
    number: T,
    is_component: bool,
    dialect: Dialect,
    out: &mut impl Write,
) -> fmt::Result {
    in_line(dialect, out, |writer| match is_component {
        true => writer.component(number),
        false => writer.float(number.into()),
    })
}

/// Writes a value that is not a container, in one line.
pub(super) fn leaf(value: VariantRef<'_>, out: &mut impl Write) -> fmt::Result {
    in_line(value.dialect(), out, |writer| writer.leaf(value))
}

/// The text before the items of a container.
pub(super) struct LiteralOpening<'a> {
    pub(super) container: Container<'a>,
    pub(super) dialect: Dialect,
}

/// The text after the items of a container.
pub(super) struct Closing {
    pub(super) kind: Kind,
    pub(super) is_typed: bool,
    pub(super) is_empty: bool,
    pub(super) dialect: Dialect,
}

impl Display for LiteralOpening<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (container, is_empty) = (self.container, self.container.is_empty());
        let types = container.is_typed().then(|| container.element_types());
        let kind = container.kind();
        in_line(self.dialect, f, |writer| writer.begin(kind, is_empty, types, container.class()))?;
        f.write_str(if kind == Kind::Object && !is_empty { "," } else { "" })
    }
}

impl Display for Closing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_line(self.dialect, f, |writer| {
            writer.is_first = self.is_empty;
            writer.end(self.kind, self.is_typed)
        })
    }
}

/// Writes pieces of a literal in one line.
fn in_line(
    dialect: Dialect,
    out: &mut impl Write,
    write: impl FnOnce(&mut LiteralWriter<'_, '_>) -> fmt::Result,
) -> fmt::Result {
    Gather::to_fmt(out, |out| {
        let spelling = LiteralSpelling::of(dialect.engine());
        write(&mut LiteralWriter { out, spelling, layout: Layout::Line, is_first: true })
    })
}

struct LiteralWriter<'w, 'o> {
    out: &'w mut Gather<'o>,
    spelling: &'static LiteralSpelling,
    layout: Layout,
    /// Whether nothing has been written yet in the innermost container.
    is_first: bool,
}

impl LiteralWriter<'_, '_> {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> fmt::Result {
        match event {
            Event::Value(place, value) => {
                self.separate(place)?;
                self.is_first = false;
                // Most values are strings.
                match value.string() {
                    Some(text) => self.string(text),
                    None => self.leaf(value),
                }
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
            None => self.out.text(")")?,
            Some(_) if is_empty => {}
            Some(brackets) => self.out.short(brackets.close)?,
        }
        if is_typed && !is_typed_kind(kind) { self.out.text(")") } else { Ok(()) }
    }

    /// Writes the separator before a value.
    #[inline]
    fn separate(&mut self, place: Slot) -> fmt::Result {
        match (place, self.layout) {
            (Slot::Value, _) => self.out.text(": "),
            (Slot::Root | Slot::Property, _) => Ok(()),
            (Slot::Element | Slot::Key, _) if self.is_first => Ok(()),
            (Slot::Key, Layout::Multiline) => self.out.text(",\n"),
            (Slot::Element | Slot::Key, _) => self.out.text(", "),
        }
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
        self.out.text(",")?;
        self.quoted(name, self.name_escapes())?;
        self.out.text(":")
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
            self.out.text("Object(")?;
            // All classes of the engines have identifiers as names. Other names are quoted.
            return match class {
                class if is_identifier(class) => self.out.text(class),
                class => self.quoted(class, self.name_escapes()),
            };
        };
        if is_typed_kind(kind) {
            let [elements, _] = types.unwrap_or_default();
            self.out.text(self.spelling.name(kind))?;
            self.out.text("( ")?;
            self.element_type(elements)?;
        } else if let Some([elements, values]) = types {
            self.out.text(self.spelling.name(kind))?;
            self.out.text("[")?;
            self.element_type(elements)?;
            if kind == Kind::Dictionary {
                self.out.text(", ")?;
                self.element_type(values)?;
            }
            self.out.text("](")?;
        }
        self.out.short(if is_empty { brackets.empty } else { brackets.open })
    }

    fn element_type(&mut self, element: ElementTypeRef<'_>) -> fmt::Result {
        let (constructor, name) = match element {
            ElementTypeRef::Any => return self.out.text(self.spelling.any_type),
            ElementTypeRef::Kind(kind) => return self.out.text(self.spelling.name(kind)),
            ElementTypeRef::Class(name) if is_class_name(name) => return self.out.text(name),
            ElementTypeRef::Class(name) => (CLASS, name),
            ElementTypeRef::Script(path) => (SCRIPT, path),
        };
        self.out.text(constructor)?;
        self.out.text("(")?;
        self.quoted(name, self.name_escapes())?;
        self.out.text(")")
    }

    #[inline(always)]
    fn leaf(&mut self, value: VariantRef<'_>) -> fmt::Result {
        let kind = value.kind();
        // The most frequent kinds come first.
        if let Some(number) = value.as_i64() {
            return self.out.int(number);
        }
        if let Some(cells) = value.cells() {
            return self.cells(kind, cells);
        }
        match value.view() {
            View::Bool(is_true) => self.out.text(if is_true { "true" } else { "false" }),
            View::Float(number) => self.float(number),
            View::String(text) => self.string(text),
            View::StringName(name) => self.string_name(name),
            _ => self.content(kind, Leaf::of(value)),
        }
    }

    #[inline(never)]
    fn content<S: Storage>(&mut self, kind: Kind, leaf: Leaf<'_, S>) -> fmt::Result {
        match leaf {
            Leaf::Cells(cells) => self.cells(kind, cells),
            Leaf::Null => self.out.text("null"),
            Leaf::Bool(is_true) => self.out.text(if is_true { "true" } else { "false" }),
            Leaf::Int(number) => self.out.int(number),
            Leaf::Float(number) => self.float(number),
            Leaf::String(text) => self.string(text),
            Leaf::StringName(name) => self.string_name(name),
            Leaf::NodePath(path) => self.node_path(path),
            Leaf::ObjectId(id) => {
                self.constructor(BY_ID, self.spelling.arguments(kind), [id], Self::int)
            }
            Leaf::Rid(id @ 1..) => self.arguments(kind, [id], Self::int),
            Leaf::Signal { name, object_id } if object_id != 0 || !name.is_empty() => {
                self.signal(name, object_id)
            }
            Leaf::Strings(strings) => self.strings(S::texts(strings)),
            Leaf::Rid(_) | Leaf::Callable | Leaf::Signal { .. } => {
                self.arguments(kind, [], Self::int::<u8>)
            }
        }
    }

    fn float(&mut self, number: f64) -> fmt::Result {
        match self.spelling.float.word(number) {
            Some(word) => self.out.text(word),
            None => number.write(self.out),
        }
    }

    #[inline]
    fn string(&mut self, text: &str) -> fmt::Result {
        match suspect(text.as_bytes()) {
            None => self.out.quoted(text),
            Some(_) => self.escaped_string(text),
        }
    }

    #[cold]
    #[inline(never)]
    fn escaped_string(&mut self, text: &str) -> fmt::Result {
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
        self.out.text(self.spelling.name(Kind::NodePath))?;
        self.out.text("(")?;
        self.out.text("\"")?;
        let escapes = self.name_escapes();
        write!(Escaping { out: self.out, escapes }, "{path}")?;
        self.out.text("\")")
    }

    fn signal(&mut self, name: &str, object_id: u64) -> fmt::Result {
        let brackets = self.spelling.arguments(Kind::Signal);
        self.out.text(self.spelling.name(Kind::Signal))?;
        self.out.short(brackets.open)?;
        self.out.int(object_id)?;
        self.out.text(", ")?;
        self.quoted(name, self.name_escapes())?;
        self.out.short(brackets.close)
    }

    fn cells<S: Storage>(&mut self, kind: Kind, cells: Cells<'_, S>) -> fmt::Result {
        match cells {
            Cells::Bytes(bytes) => self.bytes(kind, bytes),
            Cells::I32(numbers) => {
                self.arguments(kind, numbers, |writer, number| writer.int(number.get()))
            }
            Cells::I64(numbers) => {
                self.arguments(kind, numbers, |writer, number| writer.int(number.get()))
            }
            Cells::F32(reals) => self.reals(kind, reals),
            Cells::F64(reals) => self.reals(kind, reals),
        }
    }

    fn bytes(&mut self, kind: Kind, bytes: &[u8]) -> fmt::Result {
        if !bytes.is_empty() && self.spelling.bytes == ByteSpelling::Base64 {
            return self
                .arguments(kind, [Base64(bytes)], |writer, text| write!(writer.out, "\"{text}\""));
        }
        self.arguments(kind, bytes, |writer, byte| writer.int(*byte))
    }

    fn reals<T: Component<Native: Decimal>>(&mut self, kind: Kind, reals: &[T]) -> fmt::Result {
        self.arguments(kind, reals, |writer, real| writer.component(real.get()))
    }

    fn component(&mut self, number: impl Decimal) -> fmt::Result {
        match self.spelling.component.word(number.into()) {
            Some(word) => self.out.text(word),
            None => number.write_short(self.out),
        }
    }

    fn int<T: itoa::Integer>(&mut self, number: T) -> fmt::Result {
        self.out.int(number)
    }

    /// Writes the constructor of a kind.
    fn arguments<T>(
        &mut self,
        kind: Kind,
        arguments: impl IntoIterator<Item = T>,
        write: impl Fn(&mut Self, T) -> fmt::Result,
    ) -> fmt::Result {
        self.constructor(self.spelling.name(kind), self.spelling.arguments(kind), arguments, write)
    }

    fn constructor<T>(
        &mut self,
        name: &str,
        brackets: &Brackets,
        arguments: impl IntoIterator<Item = T>,
        write: impl Fn(&mut Self, T) -> fmt::Result,
    ) -> fmt::Result {
        self.out.text(name)?;
        let mut arguments = arguments.into_iter();
        let Some(first) = arguments.next() else { return self.out.short(brackets.empty) };
        self.out.short(brackets.open)?;
        write(self, first)?;
        for argument in arguments {
            self.out.text(", ")?;
            write(self, argument)?;
        }
        self.out.short(brackets.close)
    }

    fn strings<'s>(&mut self, strings: impl Iterator<Item = &'s str>) -> fmt::Result {
        self.arguments(Kind::PackedStringArray, strings, |writer, text| {
            writer.quoted(text, writer.name_escapes())
        })
    }

    fn quoted(&mut self, text: &str, escapes: Escapes) -> fmt::Result {
        self.out.text("\"")?;
        escape(text, escapes, self.out)?;
        self.out.text("\"")
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
impl LiteralWriter<'_, '_> {
    fn step(&mut self, step: OwnedStep<'_>) -> fmt::Result {
        match step {
            OwnedStep::Node(place, OwnedNode::Leaf(value)) => {
                self.separate(place)?;
                self.is_first = false;
                self.content(value.kind(), value.leaf())
            }
            OwnedStep::Node(place, container) => {
                self.separate(place)?;
                self.is_first = true;
                let (kind, types, class) = parts(container);
                let is_empty = match container {
                    OwnedNode::Array(_, array) => array.is_empty(),
                    OwnedNode::Dictionary(entries) => entries.is_empty(),
                    OwnedNode::Leaf(_) | OwnedNode::Instance(_) => false,
                };
                self.begin(kind, is_empty, types, class)
            }
            OwnedStep::Property(name) => self.property(name),
            OwnedStep::End(container) => {
                let (kind, types, _) = parts(container);
                self.end(kind, types.is_some())
            }
        }
    }
}

/// The kind of a container, its element types if it is typed, and its class if it is an object.
#[cfg(feature = "alloc")]
fn parts(container: OwnedNode<'_>) -> (Kind, Option<[ElementTypeRef<'_>; 2]>, &str) {
    let any = ElementTypeRef::Any;
    match container {
        OwnedNode::Array(kind, array) => {
            let elements = array.element_type().as_ref();
            let is_typed = is_typed_kind(kind) || elements != any;
            (kind, is_typed.then_some([elements, any]), "")
        }
        OwnedNode::Dictionary(entries) => {
            let types = [entries.key_type().as_ref(), entries.value_type().as_ref()];
            (Kind::Dictionary, (types != [any; 2]).then_some(types), "")
        }
        OwnedNode::Instance(instance) => (Kind::Object, None, &instance.class),
        OwnedNode::Leaf(value) => (value.kind(), None, ""),
    }
}

/// Whether arrays of this kind always have an element type. Other arrays have one if their header
/// says so.
const fn is_typed_kind(kind: Kind) -> bool {
    matches!(kind, Kind::TypedArray | Kind::PackedTypedArray)
}

/// Whether a text can only be the name of a class, not of a type.
fn is_class_name(text: &str) -> bool {
    is_identifier(text) && Kind::from_name(text).is_none() && !is_any_type(text)
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
