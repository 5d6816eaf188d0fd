//! Splits the text of values and packets into pieces with a role, and writes the pieces in colours.

use super::{OneLine, write};
use crate::value::{Dialect, Event, Kind, Slot, VariantRef, WalkStack};
use core::fmt::{self, Display, Write};

/// The role of a piece of text, which decides its colour. A [`Palette`] gives each role its colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Role {
    /// Brackets, separators, and values that have no role of their own.
    Plain,
    /// A key of a dictionary, or the name of a property.
    Key,
    /// A string.
    String,
    /// A number, or a value that consists of numbers: a vector, a colour, an array of numbers.
    Number,
    /// `null`, `true` or `false`.
    Constant,
    /// The path of a node.
    Path,
    /// The method that a packet calls.
    Method,
    /// The command of a packet, such as `spawn`.
    Command,
    /// The mark that says how much was left out, such as `…+3`.
    Omitted,
}

/// The number of roles.
const ROLES: usize = Role::Omitted as usize + 1;

/// Ends a style.
const RESET: &str = "\x1b[0m";

/// The colours of text: for each [`Role`] the escape sequence that starts its style.
///
/// ```
/// use gdwire::{Dialect, parse, text::{Palette, Role, Show}};
///
/// let value = parse(Dialect::GODOT_3, &[2, 0, 0, 0, 7, 0, 0, 0])?;
/// let palette = Palette::new().with(Role::Number, "\x1b[35m");
/// let shown = value.show(Show::new().with_palette(palette)).to_string();
/// assert_eq!(shown, "\x1b[35m7\x1b[0m");
/// # Ok::<(), gdwire::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Palette<'p> {
    starts: [&'p str; ROLES],
    has_any: bool,
}

impl<'p> Palette<'p> {
    /// No colours.
    #[must_use]
    pub const fn new() -> Palette<'p> {
        Palette { starts: [""; ROLES], has_any: false }
    }

    /// Starts text of a role with an escape sequence such as `"\x1b[32m"`. The text ends with
    /// `"\x1b[0m"`.
    #[must_use]
    pub fn with(mut self, role: Role, start: &'p str) -> Palette<'p> {
        if let Some(of_role) = self.starts.get_mut(role as usize) {
            *of_role = start;
        }
        self.has_any = self.starts.iter().any(|start| !start.is_empty());
        self
    }

    /// The escape sequence that starts text of a role; empty if there is none.
    #[must_use]
    pub fn start(&self, role: Role) -> &'p str {
        self.starts.get(role as usize).copied().unwrap_or("")
    }

    /// Writes text in the style of its role.
    pub(super) fn paint<W: Write>(
        &self,
        role: Role,
        out: &mut W,
        text: impl FnOnce(&mut W) -> fmt::Result,
    ) -> fmt::Result {
        let start = self.start(role);
        if start.is_empty() {
            return text(out);
        }
        out.write_str(start)?;
        text(out)?;
        out.write_str(RESET)
    }
}

/// Takes the pieces of a text in order.
///
/// A list has an opening text, items and a closing text. [`TextPieces::item`] comes before each item.
pub(crate) trait TextPieces: Sized {
    /// A text that is never shortened.
    fn word(&mut self, role: Role, text: impl Display) -> fmt::Result;

    /// A name, which is escaped for one line.
    fn name(&mut self, role: Role, name: &str) -> fmt::Result;

    /// The path of a node, and a path below the node, which may be empty.
    fn path(&mut self, node: &str, below: &str) -> fmt::Result {
        self.name(Role::Path, node)?;
        if below.is_empty() {
            return Ok(());
        }
        self.word(Role::Path, '/')?;
        self.name(Role::Path, below)
    }

    /// A value that is not a container.
    fn leaf(&mut self, role: Role, value: VariantRef<'_>) -> fmt::Result;

    /// The content of a byte array.
    fn bytes(&mut self, bytes: &[u8], dialect: Dialect) -> fmt::Result;

    /// Begins a list of this many items, at least one.
    fn begin(&mut self, open: impl Display, close: impl Display, count: usize) -> fmt::Result;

    /// Begins the next item of the innermost list. The separator is written before every item except
    /// the first.
    fn item(&mut self, separator: &'static str) -> fmt::Result;

    /// Ends the innermost list.
    fn end(&mut self, close: impl Display) -> fmt::Result;

    /// Any value.
    fn value(&mut self, value: VariantRef<'_>) -> fmt::Result {
        pieces_of(value, self)
    }

    /// Begins a list like [`TextPieces::begin`], or writes only its brackets if it is empty.
    fn list(
        &mut self,
        [open, close]: [&str; 2],
        count: usize,
        items: impl FnOnce(&mut Self) -> fmt::Result,
    ) -> fmt::Result {
        if count == 0 {
            return self.word(Role::Plain, format_args!("{open}{close}"));
        }
        self.begin(open, close, count)?;
        items(self)?;
        self.end(close)
    }
}

/// Passes on the pieces of a value's literal in one line.
fn pieces_of(value: VariantRef<'_>, to: &mut impl TextPieces) -> fmt::Result {
    let dialect = value.dialect();
    let mut stack = WalkStack::new();
    let mut is_empty = false;
    value.walk(&mut stack).try_for_each(|event| match event {
        Event::Value(place, value) => {
            place_before(place, to)?;
            to.leaf(role(place, value.kind()), value)
        }
        Event::Begin(place, container) => {
            place_before(place, to)?;
            is_empty = container.is_empty();
            let (kind, is_typed) = (container.kind(), container.is_typed());
            let open = write::LiteralOpening { container, dialect };
            let close = write::Closing { kind, is_typed, is_empty, dialect };
            if is_empty {
                return to.word(Role::Plain, format_args!("{open}{close}"));
            }
            to.begin(open, close, container.len())
        }
        Event::Property(name) => {
            to.item(",")?;
            to.word(Role::Plain, '"')?;
            to.name(Role::Key, name)?;
            to.word(Role::Plain, "\":")
        }
        Event::End(_) if is_empty => {
            is_empty = false;
            Ok(())
        }
        Event::End(ended) => {
            let (kind, is_typed) = (ended.kind(), ended.is_typed());
            to.end(write::Closing { kind, is_typed, is_empty: false, dialect })
        }
    })
}

/// Passes on the text before a value: a separator, or the key.
fn place_before(place: Slot, to: &mut impl TextPieces) -> fmt::Result {
    match place {
        Slot::Element | Slot::Key => to.item(", "),
        Slot::Value => to.word(Role::Plain, ": "),
        Slot::Root | Slot::Property => Ok(()),
    }
}

fn role(place: Slot, kind: Kind) -> Role {
    match kind {
        _ if place == Slot::Key => Role::Key,
        Kind::Nil | Kind::Bool => Role::Constant,
        Kind::String | Kind::StringName | Kind::PackedStringArray => Role::String,
        Kind::NodePath => Role::Path,
        Kind::Object | Kind::Rid | Kind::Callable | Kind::Signal => Role::Plain,
        _ => Role::Number,
    }
}

/// Writes every piece in full.
pub(crate) struct WholeText<'o, 'p, W> {
    out: &'o mut W,
    palette: Palette<'p>,
    /// Whether the innermost list has no items yet.
    is_first: bool,
}

impl<'o, 'p, W: Write> WholeText<'o, 'p, W> {
    pub(crate) const fn new(out: &'o mut W, palette: Palette<'p>) -> WholeText<'o, 'p, W> {
        WholeText { out, palette, is_first: true }
    }
}

impl<W: Write> TextPieces for WholeText<'_, '_, W> {
    fn word(&mut self, role: Role, text: impl Display) -> fmt::Result {
        self.palette.paint(role, self.out, |out| write!(out, "{text}"))
    }

    fn name(&mut self, role: Role, name: &str) -> fmt::Result {
        self.word(role, OneLine(name))
    }

    fn leaf(&mut self, role: Role, value: VariantRef<'_>) -> fmt::Result {
        self.palette.paint(role, self.out, |out| write::leaf(value, out))
    }

    fn bytes(&mut self, bytes: &[u8], dialect: Dialect) -> fmt::Result {
        self.palette.paint(Role::Number, self.out, |out| write::byte_array(bytes, dialect, out))
    }

    fn begin(&mut self, open: impl Display, _: impl Display, _: usize) -> fmt::Result {
        self.is_first = true;
        write!(self.out, "{open}")
    }

    fn item(&mut self, separator: &'static str) -> fmt::Result {
        if core::mem::take(&mut self.is_first) { Ok(()) } else { self.out.write_str(separator) }
    }

    fn end(&mut self, close: impl Display) -> fmt::Result {
        // A list that has ended is in an item of the list around it.
        self.is_first = false;
        write!(self.out, "{close}")
    }

    fn value(&mut self, value: VariantRef<'_>) -> fmt::Result {
        if self.palette.has_any {
            return pieces_of(value, self);
        }
        write::literal(value, super::Layout::Line, self.out)
    }
}

/// A value or packet whose text consists of pieces.
pub(crate) trait InPieces {
    /// Passes the pieces to `to`, in order.
    fn pieces(&self, to: &mut impl TextPieces) -> fmt::Result;
}

impl InPieces for VariantRef<'_> {
    fn pieces(&self, to: &mut impl TextPieces) -> fmt::Result {
        to.value(*self)
    }
}
