//! Explains a value. The grammar finds its parts; this only names them.

use super::labels::{PartName, components, count_label, element_label, header_label, number_label};
use super::out::{Explained, FieldWriter, Stopped, byte_count, run, text_content};
use super::{Detail, Field};
use crate::format::text::Role;
use crate::value::view::header_of;
use crate::value::wire::content;
use crate::value::wire::content::padded;
use crate::value::wire::nesting::{Level, LevelShape, Stack};
use crate::value::wire::step::{ItemStep, WireItem};
use crate::value::{Cell, DialectLayout, ELEMENT_TYPES, Kind, ReadOptions, TOP_BIT, ValueBody};
use alloc::vec::Vec;
use core::fmt::Display;
use core::ops::ControlFlow;
use nom::{Check, Complete, Emit, OutputM, Parser};

/// Explains bytes that are one value. `visit` is called with each field, and may stop early.
pub fn value<B>(
    options: impl Into<ReadOptions>,
    bytes: &[u8],
    detail: Detail,
    visit: impl FnMut(&Field<'_>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let options = options.into();
    run(visit, |visit| {
        let mut out = FieldWriter::new(bytes, detail, visit);
        of_bytes(&mut out, options, bytes.len(), 0, "value")?;
        out.rest(0, "bytes after the value")
    })
}

/// Explains the value that starts at the next byte and ends before `end`. If it is not valid, the
/// last field has the bytes from the part with the problem up to `end`.
pub fn of_bytes(
    out: &mut FieldWriter<'_, '_>,
    options: ReadOptions,
    end: usize,
    depth: usize,
    name: impl Display,
) -> Explained {
    let base = out.at();
    let bytes = out.unexplained();
    let bytes = bytes.get(..end.saturating_sub(base)).unwrap_or(bytes);
    let (valid, error) = match crate::parse_prefix(options, bytes) {
        Ok((rest, _)) => (bytes.len().saturating_sub(rest.len()), None),
        Err(error) => (error.offset, Some(error)),
    };
    let mut parts = ValueWalker {
        bytes: bytes.get(..valid).unwrap_or(bytes),
        base,
        at: 0,
        layout: options.dialect().layout(),
        name: &name,
        lists: Vec::new(),
        hidden: None,
        is_at_value_type: false,
        out,
    };
    match parts.walk(depth) {
        Err(PartEnd::Stopped) => return Err(Stopped),
        Err(PartEnd::Spent) => {
            let (rest, depth) = (valid.saturating_sub(parts.at), parts.depth());
            out.field(rest, depth, "rest", byte_count(rest))?;
        }
        Ok(()) | Err(PartEnd::Unreadable) => {}
    }
    let Some(error) = error else { return Ok(()) };
    let rest = end.saturating_sub(out.at());
    let (sentence, offset) = (error.sentence(), base.saturating_add(error.offset));
    if offset == out.at() {
        return out.problem(rest, depth, sentence);
    }
    out.problem(rest, depth, format_args!("byte {offset:#x}: {sentence}"))
}

/// Why the parts of a value end early.
enum PartEnd {
    /// The bytes from here on are not valid.
    Unreadable,
    /// The limit of fields is reached: one field has the rest.
    Spent,
    Stopped,
}

impl From<Stopped> for PartEnd {
    fn from(_: Stopped) -> PartEnd {
        PartEnd::Stopped
    }
}

type Partly = Result<(), PartEnd>;

/// The items of an open level.
#[derive(Clone, Copy)]
struct LevelItems {
    /// How many items the level has, and how many were read.
    items: u32,
    read: u32,
    depth: usize,
}

/// The items of a level that are not explained one by one.
#[derive(Clone, Copy)]
struct Hidden {
    /// How many levels are open, including the one with the hidden items.
    levels: usize,
    first: u32,
    shape: LevelShape,
}

struct ValueWalker<'a, 'o, 'b, 'v> {
    /// The valid bytes of the value, and their offset.
    bytes: &'a [u8],
    base: usize,
    /// The offset of the next part in `bytes`.
    at: usize,
    layout: &'static DialectLayout,
    /// The name of the value.
    name: &'a dyn Display,
    /// The open levels, from the outermost to the current one.
    lists: Vec<LevelItems>,
    hidden: Option<Hidden>,
    /// Whether the next element type is that of a dictionary's values.
    is_at_value_type: bool,
    out: &'o mut FieldWriter<'b, 'v>,
}

impl<'a> ValueWalker<'a, '_, '_, '_> {
    /// Explains everything up to the end of the value.
    fn walk(&mut self, depth: usize) -> Partly {
        let mut stack = Stack::new();
        let mut level = Level::ROOT;
        self.lists.push(LevelItems { items: 1, read: 0, depth });
        loop {
            let Ok(step) = self.step(level) else {
                self.show_hidden()?;
                return Err(PartEnd::Unreadable);
            };
            if self.out.is_spent() && self.hidden.is_none() {
                return Err(PartEnd::Spent);
            }
            self.hide_from(level);
            let (depth, is_value) = (self.depth(), level.is_at_value());
            let read = if is_value {
                self.value(level, step, depth)
            } else {
                self.part(level, step, depth)
            };
            if matches!(read, Err(PartEnd::Unreadable)) {
                self.show_hidden()?;
            }
            read?;
            level.take_one();
            if let Some(list) = self.lists.last_mut() {
                list.read += 1;
            }
            let inner = step.inner;
            if !inner.is_empty() {
                let levels = stack.len();
                // Nothing valid is nested deeper than the stack can hold.
                stack.enter(level, inner, crate::MAX_DEPTH);
                if stack.len() == levels {
                    // The new level replaces the current one, which was the last part of its value.
                    self.lists.pop();
                }
                let depth = depth.saturating_add(usize::from(is_value));
                self.lists.push(LevelItems { items: inner.remaining(), read: 0, depth });
                level = inner;
                continue;
            }
            while level.is_empty() {
                if self.hidden.is_some_and(|hidden| hidden.levels == self.lists.len()) {
                    self.show_hidden()?;
                }
                self.lists.pop();
                match stack.pop() {
                    Some(outer) => level = outer,
                    None => return Ok(()),
                }
            }
        }
    }

    /// Reads the fixed-size start of the next part.
    fn step(&self, level: Level) -> Result<ItemStep, ()> {
        let mut item = WireItem { layout: self.layout, level };
        match item.process::<OutputM<Emit, Check, Complete>>(self.rest()) {
            Ok((_, step)) => Ok(step),
            Err(_) => Err(()),
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    fn word(&self) -> u32 {
        header_of(self.rest())
    }

    fn depth(&self) -> usize {
        self.lists.last().map_or(0, |list| list.depth)
    }

    /// How many items of the current level were read.
    fn place(&self) -> u32 {
        self.lists.last().map_or(0, |list| list.read)
    }

    /// Begins to hide the items of a level if enough of them were explained.
    fn hide_from(&mut self, level: Level) {
        let Some(LevelItems { items, read, .. }) = self.lists.last().copied() else { return };
        let shape = level.shape();
        let shown = u32::try_from(self.out.items).unwrap_or(u32::MAX);
        if self.hidden.is_none() && read == shown.saturating_mul(width(shape)) && items > read {
            self.hidden = Some(Hidden { levels: self.lists.len(), first: shown, shape });
        }
    }

    /// Explains the hidden items as one field.
    fn show_hidden(&mut self) -> Partly {
        let Some(Hidden { levels, first, shape }) = self.hidden.take() else { return Ok(()) };
        let Some(LevelItems { read, depth, .. }) =
            levels.checked_sub(1).and_then(|at| self.lists.get(at))
        else {
            return Ok(());
        };
        let more = (read / width(shape)).saturating_sub(first);
        let len = self.base.saturating_add(self.at).saturating_sub(self.out.at());
        let items = match shape {
            LevelShape::Dictionary => "entries",
            LevelShape::Object => "properties",
            _ => "elements",
        };
        let name = format_args!("{items} from {first} on");
        self.out.field(len, *depth, name, format_args!("{more} more, {}", byte_count(len)))?;
        Ok(())
    }

    /// Explains the next bytes.
    fn field(
        &mut self,
        len: usize,
        depth: usize,
        name: impl Display,
        value: impl Display,
    ) -> Partly {
        if len > self.rest().len() {
            return Err(PartEnd::Unreadable);
        }
        self.at = self.at.saturating_add(len);
        if self.hidden.is_none() {
            self.out.field(len, depth, name, value)?;
        } else {
            self.out.role(Role::Plain);
        }
        Ok(())
    }
}

/// How many items of a level form a pair: a key and a value, or a name and a value.
const fn width(shape: LevelShape) -> u32 {
    match shape {
        LevelShape::Dictionary | LevelShape::Object => 2,
        _ => 1,
    }
}

impl<'a> ValueWalker<'a, '_, '_, '_> {
    /// Explains a value up to the first value in it.
    fn value(&mut self, level: Level, step: ItemStep, depth: usize) -> Partly {
        let header = self.word();
        let kind = self.header(depth, &self.name_in(level))?;
        let depth = depth.saturating_add(1);
        match step.head {
            16 => {
                let names = self.word() & !TOP_BIT;
                self.field(4, depth, "names", names)?;
                let subnames = self.word();
                self.field(4, depth, "subnames", subnames)?;
                let is_absolute = self.word() & 1 != 0;
                let shown = if is_absolute { "absolute" } else { "relative" };
                self.field(4, depth, "flags", shown)?;
            }
            8 if matches!(step.content, content::ItemContent::Text(_)) => self.length(depth)?,
            8 if kind.body() == ValueBody::TypedArray => {
                self.element_type(depth, "element type")?
            }
            8 => self.count(depth, kind)?,
            _ => {}
        }
        let types = header >> ELEMENT_TYPES;
        self.is_at_value_type = types & 0b11 == 0;
        self.content(step, kind, self.layout.entry(header).is_wide(header), depth)
    }

    /// Explains a part of a value that is not a value itself.
    fn part(&mut self, level: Level, step: ItemStep, depth: usize) -> Partly {
        let (kind, place) = (level.kind(), self.place());
        let (word, below) = (self.word(), depth.saturating_add(1));
        let len = byte_count(word as usize);
        match level.shape() {
            LevelShape::PropertyCount | LevelShape::ElementCount => self.count(depth, kind)?,
            LevelShape::Types => {
                let name = match (kind, self.is_at_value_type) {
                    (Kind::Dictionary, true) => "value type",
                    (Kind::Dictionary, false) => "key type",
                    _ => "element type",
                };
                self.is_at_value_type = true;
                match level.types() & 0b11 {
                    2 => self.field(4, depth, name, format_args!("class, {len}"))?,
                    3 => self.field(4, depth, name, format_args!("script, {len}"))?,
                    _ => self.element_type(depth, name)?,
                }
            }
            LevelShape::ElementClass => {
                self.header(depth, &PartName::Part("element class"))?;
                self.length(below)?;
            }
            LevelShape::SignalId => {}
            shape => {
                let name = match shape {
                    LevelShape::Class => PartName::Part("class"),
                    LevelShape::SignalName => PartName::Part("name"),
                    LevelShape::Object => PartName::Property(place / 2),
                    _ if kind == Kind::NodePath => PartName::InPath(place),
                    _ => PartName::Element(place),
                };
                self.field(4, depth, name, len)?;
            }
        }
        let depth = if level.shape() == LevelShape::SignalId { depth } else { below };
        self.content(step, kind, false, depth)
    }

    /// The name of the next value of a level.
    fn name_in(&self, level: Level) -> PartName<'a> {
        let place = self.place();
        match level.shape() {
            _ if self.lists.len() == 1 => PartName::Given(self.name),
            LevelShape::Dictionary if place.is_multiple_of(2) => PartName::Key(place / 2),
            LevelShape::Dictionary | LevelShape::Object => PartName::Value(place / 2),
            _ => PartName::Element(place),
        }
    }

    /// Explains the header of a value, and returns its kind.
    fn header(&mut self, depth: usize, name: &PartName<'_>) -> Result<Kind, PartEnd> {
        let (header, layout) = (self.word(), self.layout);
        self.field(4, depth, name, header_label(header, layout))?;
        Ok(layout.entry(header).kind)
    }

    fn length(&mut self, depth: usize) -> Partly {
        let len = byte_count(self.word() as usize);
        self.field(4, depth, "length", len)
    }

    fn count(&mut self, depth: usize, kind: Kind) -> Partly {
        let count = count_label(self.word(), kind);
        self.field(4, depth, "count", count)
    }

    /// Explains the type number of elements.
    fn element_type(&mut self, depth: usize, name: &str) -> Partly {
        let header = self.word();
        self.field(4, depth, name, header_label(header & 0xff, self.layout))
    }

    /// Explains the content after the head of a value or a part.
    fn content(&mut self, step: ItemStep, kind: Kind, is_wide: bool, depth: usize) -> Partly {
        let rest = self.rest();
        let (len, whole) = match step.content {
            content::ItemContent::Text(len) => {
                let text = rest.get(..len).unwrap_or(rest);
                let role = if kind == Kind::NodePath { Role::Path } else { Role::String };
                self.out.role(role);
                self.field(len, depth, "text", text_content(text))?;
                (len, padded(len))
            }
            content::ItemContent::Bytes(len) => {
                self.field(len, depth, "bytes", byte_count(len))?;
                // Padding may be missing at the end of the input.
                (len, padded(len).min(rest.len()))
            }
            content::ItemContent::Skip(len) => {
                self.numbers(kind, rest.get(..len).ok_or(PartEnd::Unreadable)?, is_wide, depth)?;
                (len, len)
            }
        };
        self.field(whole.saturating_sub(len), depth, "padding", "")
    }

    /// Explains the numbers of a value.
    fn numbers(&mut self, kind: Kind, bytes: &[u8], is_wide: bool, depth: usize) -> Partly {
        let (cell, name) = match kind.body() {
            ValueBody::Cells(cell, _) => {
                let size = usize::from(cell.size(is_wide)).max(1);
                for (bytes, name) in bytes.chunks(size).zip(components(kind)) {
                    let dialect = self.layout.dialect();
                    let number = number_label(cell, bytes, dialect, true);
                    self.out.role(Role::Number);
                    self.field(size, depth, name, number)?;
                }
                return Ok(());
            }
            ValueBody::Packed(cell, cells) => {
                return self.elements(cell, cells, bytes, is_wide, depth);
            }
            ValueBody::Bool => {
                let content = bytes.iter().any(|byte| *byte != 0);
                self.out.role(Role::Constant);
                return self.field(4, depth, "bool", content);
            }
            ValueBody::Number if kind == Kind::Int => (Cell::I64, "number"),
            ValueBody::Number => (Cell::F64, "number"),
            ValueBody::Object => (Cell::I64, "instance id"),
            ValueBody::Signal => (Cell::I64, "object id"),
            _ => (Cell::I64, "id"),
        };
        let number = number_label(cell, bytes, self.layout.dialect(), false);
        self.out.role(Role::Number);
        self.field(bytes.len(), depth, name, number)
    }

    /// Explains the first elements of a packed array one by one.
    fn elements(
        &mut self,
        cell: Cell,
        cells: u8,
        bytes: &[u8],
        is_wide: bool,
        depth: usize,
    ) -> Partly {
        let size = usize::from(cell.size(is_wide));
        let len = size.saturating_mul(cells.into()).max(1);
        let (shown, count) = (self.out.items, bytes.len() / len);
        for (place, bytes) in bytes.chunks(len).take(shown).enumerate() {
            let element = element_label(cell, size, bytes, self.layout.dialect());
            self.out.role(Role::Number);
            self.field(len, depth, format_args!("[{place}]"), element)?;
        }
        let (more, len) =
            (count.saturating_sub(shown), count.saturating_sub(shown).saturating_mul(len));
        let name = format_args!("elements from {shown} on");
        self.field(len, depth, name, format_args!("{more} more, {}", byte_count(len)))
    }
}
