//! Explains the parts of a value one by one.

use super::{PartEnd, Partly, ValueWalker};
use crate::analysis::explain::labels::{CountLabel, HeaderLabel, PartName};
use crate::analysis::explain::numbers::{ElementLabel, NumberLabel, components};
use crate::analysis::explain::text::{ByteCount, TextContent};
use crate::format::text::Role;
use crate::value::wire::content::{self, padded};
use crate::value::wire::nesting::{Level, LevelShape};
use crate::value::wire::step::ItemStep;
use crate::value::{Body, Cell, ELEMENT_TYPES, Kind, TOP_BIT};

impl<'a> ValueWalker<'a, '_, '_, '_> {
    /// Explains a value up to the first value in it.
    pub(super) fn value(&mut self, level: Level, step: ItemStep, depth: usize) -> Partly {
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
            8 if kind.body() == Body::TypedArray => self.element_type(depth, "element type")?,
            8 => self.count(depth, kind)?,
            _ => {}
        }
        let types = header >> ELEMENT_TYPES;
        self.is_at_value_type = types & 0b11 == 0;
        self.content(step, kind, self.layout.entry(header).is_wide(header), depth)
    }

    /// Explains a part of a value that is not a value itself.
    pub(super) fn part(&mut self, level: Level, step: ItemStep, depth: usize) -> Partly {
        let (kind, place) = (level.kind(), self.place());
        let (word, below) = (self.word(), depth.saturating_add(1));
        let len = ByteCount(word as usize);
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
        self.field(4, depth, name, HeaderLabel { header, layout })?;
        Ok(layout.entry(header).kind)
    }

    fn length(&mut self, depth: usize) -> Partly {
        let len = ByteCount(self.word() as usize);
        self.field(4, depth, "length", len)
    }

    fn count(&mut self, depth: usize, kind: Kind) -> Partly {
        let count = CountLabel { word: self.word(), kind };
        self.field(4, depth, "count", count)
    }

    /// Explains the type number of elements.
    fn element_type(&mut self, depth: usize, name: &str) -> Partly {
        let header = self.word();
        let shown = HeaderLabel { header: header & 0xff, layout: self.layout };
        self.field(4, depth, name, shown)
    }

    /// Explains the content after the head of a value or a part.
    fn content(&mut self, step: ItemStep, kind: Kind, is_wide: bool, depth: usize) -> Partly {
        let rest = self.rest();
        let (len, whole) = match step.content {
            content::ItemContent::Text(len) => {
                let text = rest.get(..len).unwrap_or(rest);
                let role = if kind == Kind::NodePath { Role::Path } else { Role::String };
                self.out.role(role);
                self.field(len, depth, "text", TextContent(text))?;
                (len, padded(len))
            }
            content::ItemContent::Bytes(len) => {
                self.field(len, depth, "bytes", ByteCount(len))?;
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
            Body::Cells(cell, _) => {
                let size = usize::from(cell.size(is_wide)).max(1);
                for (bytes, name) in bytes.chunks(size).zip(components(kind)) {
                    let dialect = self.layout.dialect();
                    let number = NumberLabel { cell, bytes, dialect, is_component: true };
                    self.out.role(Role::Number);
                    self.field(size, depth, name, number)?;
                }
                return Ok(());
            }
            Body::Packed(cell, cells) => {
                return self.elements((cell, cells), bytes, is_wide, depth);
            }
            Body::Bool => {
                let content = bytes.iter().any(|byte| *byte != 0);
                self.out.role(Role::Constant);
                return self.field(4, depth, "bool", content);
            }
            Body::Number if kind == Kind::Int => (Cell::I64, "number"),
            Body::Number => (Cell::F64, "number"),
            Body::Object => (Cell::I64, "instance id"),
            Body::Signal => (Cell::I64, "object id"),
            _ => (Cell::I64, "id"),
        };
        let number =
            NumberLabel { cell, bytes, dialect: self.layout.dialect(), is_component: false };
        self.out.role(Role::Number);
        self.field(bytes.len(), depth, name, number)
    }

    /// Explains the first elements of a packed array one by one.
    fn elements(
        &mut self,
        (cell, cells): (Cell, u8),
        bytes: &[u8],
        is_wide: bool,
        depth: usize,
    ) -> Partly {
        let size = usize::from(cell.size(is_wide));
        let len = size.saturating_mul(cells.into()).max(1);
        let (shown, count) = (self.out.items, bytes.len() / len);
        for (place, bytes) in bytes.chunks(len).take(shown).enumerate() {
            let element = ElementLabel { cell, size, bytes, dialect: self.layout.dialect() };
            self.out.role(Role::Number);
            self.field(len, depth, format_args!("[{place}]"), element)?;
        }
        let (more, len) =
            (count.saturating_sub(shown), count.saturating_sub(shown).saturating_mul(len));
        let name = format_args!("elements from {shown} on");
        self.field(len, depth, name, format_args!("{more} more, {}", ByteCount(len)))
    }
}
