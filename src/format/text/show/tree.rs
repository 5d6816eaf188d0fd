//! A tree of the pieces of a text. It holds only the beginning of a long text: what can fit on one
//! line.

use super::cells::{CellRoom, cells};
use super::lines::{Fill, LineToken, Lines};
use super::shorten::Cut;
use crate::format::text::pieces::{Role, TextPieces};
use crate::format::text::{OneLine, write};
use crate::value::{Dialect, Kind, ValueBody, VariantRef, View};
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt::{self, Display, Write};
use core::ops::Range;

/// The tree holds at most this many pieces. Pieces after them are only counted.
const PIECES: usize = 4_096;

/// Lists nested deeper than this are left out.
const DEPTH: usize = 24;

/// A width that does not fit on any line.
const HUGE: usize = usize::MAX / 4;

/// A node of a tree. The nodes stand in the order of their text: the children of a node follow it.
#[derive(Debug)]
pub(super) struct TextNode {
    /// The place after its last descendant.
    end: usize,
    /// How many cells it takes in full, and when it is shortened as much as possible.
    pub(super) full: usize,
    pub(super) least: usize,
    pub(super) shape: TreeShape,
}

#[derive(Debug)]
pub(super) enum TreeShape {
    /// Nodes that follow each other.
    Row,
    /// Items, each a row, between brackets.
    List(TextList),
    Piece {
        role: Role,
        text: Range<usize>,
        cut: Cut,
    },
}

#[derive(Clone, Debug)]
pub(super) struct TextList {
    pub(super) open: Range<usize>,
    pub(super) close: Range<usize>,
    pub(super) separator: &'static str,
    /// How many items there are, and how many of them are in the tree.
    pub(super) count: usize,
    kept: usize,
}

/// Builds a tree from its pieces.
pub(super) struct TextTree {
    nodes: Vec<TextNode>,
    texts: CellRoom,
    width: usize,
    /// The lists that are open, and the item of each.
    open: Vec<(usize, Option<usize>)>,
    /// Whether the innermost open list takes no more items; and how many lists have begun in the
    /// items that are left out.
    is_full: bool,
    ignored: usize,
    pieces: usize,
}

impl TextTree {
    pub(super) fn new(width: usize) -> TextTree {
        let row = TextNode { end: 0, full: 0, least: 0, shape: TreeShape::Row };
        TextTree {
            nodes: Vec::from([row]),
            texts: CellRoom::default(),
            width,
            open: Vec::new(),
            is_full: false,
            ignored: 0,
            pieces: 0,
        }
    }

    pub(super) fn text(&self, range: &Range<usize>) -> &str {
        self.texts.text.get(range.clone()).unwrap_or("")
    }

    pub(super) fn node(&self, at: usize) -> Option<&TextNode> {
        self.nodes.get(at)
    }

    /// The places of the children of a node.
    pub(super) fn children(&self, at: usize) -> impl Iterator<Item = usize> {
        let end = self.node(at).map_or(0, |node| node.end);
        let mut next = at.saturating_add(1);
        core::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.node(child)?.end.max(child.saturating_add(1));
            Some(child)
        })
    }

    /// Ends the open lists, and measures all nodes.
    pub(super) fn finish(&mut self) {
        while !self.open.is_empty() {
            self.close();
        }
        let end = self.nodes.len();
        if let Some(root) = self.nodes.first_mut() {
            root.end = end;
        }
        for at in (0..end).rev() {
            let widths = self.widths(at);
            if let (Some((full, least)), Some(node)) = (widths, self.nodes.get_mut(at)) {
                (node.full, node.least) = (full.min(HUGE), least.min(full).min(HUGE));
            }
        }
    }

    /// How many cells a node takes in full, and when it is shortened as much as possible. `None` if
    /// that is known already.
    fn widths(&self, at: usize) -> Option<(usize, usize)> {
        let children = || self.children(at).filter_map(|child| self.node(child));
        let full = || children().map(|child| child.full).fold(0, usize::saturating_add);
        match &self.node(at)?.shape {
            TreeShape::Piece { .. } => None,
            TreeShape::Row => {
                let least = children().map(|child| child.least).fold(0, usize::saturating_add);
                Some((full(), least))
            }
            TreeShape::List(list) => {
                let TextList { open, close, separator, count, kept } = list;
                let [open, close] = [open, close].map(|range| self.text(range));
                let separators = cells(separator).saturating_mul(kept.saturating_sub(1));
                let around = cells(open).saturating_add(cells(close));
                let full = full().saturating_add(separators).saturating_add(around);
                let closed = [open.trim_end(), close.trim_start()].map(cells).iter().sum::<usize>();
                let least = closed.saturating_add(omitted(*count));
                Some((if kept < count { HUGE } else { full }, least))
            }
        }
    }

    /// The largest number of items that the tree holds of the innermost list. It is smaller for deeper
    /// lists, because they share one line.
    fn most_items(&self) -> usize {
        let depth = self.open.len();
        let of_depth = (self.width / 3).checked_shr(depth.saturating_sub(1) as u32).unwrap_or(0);
        let is_large = self.nodes.len() > self.width.saturating_mul(8);
        if depth > DEPTH || depth > 2 && is_large { 0 } else { of_depth.max(2) }
    }

    /// Whether the next piece belongs to an item that is left out. Fails after too many pieces.
    fn is_ignored(&mut self) -> Result<bool, fmt::Error> {
        self.pieces += 1;
        let is_ignored = self.is_full || self.ignored > 0;
        if self.pieces > PIECES { Err(fmt::Error) } else { Ok(is_ignored) }
    }

    /// Keeps the beginning of a text, and returns whether that is the whole text.
    fn keep(&mut self, write: impl FnOnce(&mut CellRoom) -> fmt::Result) -> (Range<usize>, bool) {
        let start = self.texts.text.len();
        self.texts.make(self.width.saturating_add(1));
        let is_whole = write(&mut self.texts).is_ok();
        (start..self.texts.text.len(), is_whole)
    }

    fn piece(
        &mut self,
        role: Role,
        cut: Cut,
        write: impl FnOnce(&mut CellRoom) -> fmt::Result,
    ) -> fmt::Result {
        if self.is_ignored()? {
            return Ok(());
        }
        let (text, is_whole) = self.keep(write);
        let full = if is_whole { cells(self.text(&text)) } else { HUGE };
        let least = cut.least(self.text(&text)).min(full);
        let end = self.nodes.len().saturating_add(1);
        self.nodes.push(TextNode { end, full, least, shape: TreeShape::Piece { role, text, cut } });
        Ok(())
    }

    /// Ends the item of the innermost list.
    fn end_item(&mut self) {
        let end = self.nodes.len();
        let item = self.open.last_mut().and_then(|(_, item)| item.take());
        if let Some(node) = item.and_then(|item| self.nodes.get_mut(item)) {
            node.end = end;
        }
    }

    /// Ends the innermost list.
    fn close(&mut self) {
        self.end_item();
        let end = self.nodes.len();
        let list = self.open.pop();
        if let Some(node) = list.and_then(|(list, _)| self.nodes.get_mut(list)) {
            node.end = end;
        }
        self.is_full = false;
    }
}

/// How many cells the mark for this many left-out items takes.
pub(super) fn omitted(count: usize) -> usize {
    let digits = count.checked_ilog10().unwrap_or(0) as usize;
    digits.saturating_add("+1".len()).saturating_add(1)
}

impl TextPieces for TextTree {
    fn word(&mut self, role: Role, text: impl Display) -> fmt::Result {
        self.piece(role, Cut::Never, |out| write!(out, "{text}"))
    }

    fn name(&mut self, role: Role, name: &str) -> fmt::Result {
        self.piece(role, Cut::Name, |out| write!(out, "{}", OneLine(name)))
    }

    fn path(&mut self, node: &str, below: &str) -> fmt::Result {
        let slash = if below.is_empty() { "" } else { "/" };
        let (node, below) = (OneLine(node), OneLine(below));
        let mut len = CellRoom::default();
        len.make(self.width.saturating_add(1));
        // A node that does not fit in the room is the beginning of a text that does not fit either.
        let _ = write!(len, "{node}");
        let cut = Cut::Path { node: len.text.len() };
        self.piece(Role::Path, cut, |out| write!(out, "{node}{slash}{below}"))
    }

    fn leaf(&mut self, role: Role, value: VariantRef<'_>) -> fmt::Result {
        let cut = match value.view() {
            View::String(text) | View::StringName(text) => Cut::Quoted(Some(text.len())),
            // Its length would have to be counted.
            View::NodePath(_) => Cut::Quoted(None),
            View::PackedStringArray(strings) => {
                Cut::Elements { count: Some(strings.len()), numbers: 1 }
            }
            _ => of_numbers(value.kind(), value.cells().map_or(0, |cells| cells.len())),
        };
        self.piece(role, cut, |out| write::leaf(value, out))
    }

    fn bytes(&mut self, bytes: &[u8], dialect: Dialect) -> fmt::Result {
        let cut = Cut::Elements { count: Some(bytes.len()), numbers: 1 };
        self.piece(Role::Number, cut, |out| write::byte_array(bytes, dialect, out))
    }

    fn begin(&mut self, open: impl Display, close: impl Display, count: usize) -> fmt::Result {
        if self.is_ignored()? {
            self.ignored += 1;
            return Ok(());
        }
        let (open, _) = self.keep(|out| write!(out, "{open}"));
        let (close, _) = self.keep(|out| write!(out, "{close}"));
        let at = self.nodes.len();
        let shape = TreeShape::List(TextList { open, close, separator: "", count, kept: 0 });
        self.nodes.push(TextNode { end: at, full: 0, least: 0, shape });
        self.open.push((at, None));
        Ok(())
    }

    fn item(&mut self, separator: &'static str) -> fmt::Result {
        if self.is_ignored()? {
            return Ok(());
        }
        self.end_item();
        let (most, at) = (self.most_items(), self.nodes.len());
        let Some((place, item)) = self.open.last_mut() else { return Ok(()) };
        let Some(TextNode { shape: TreeShape::List(list), .. }) = self.nodes.get_mut(*place) else {
            return Ok(());
        };
        if list.kept >= most {
            self.is_full = true;
            return Ok(());
        }
        (list.separator, list.kept) = (separator, list.kept.saturating_add(1));
        *item = Some(at);
        self.nodes.push(TextNode { end: at, full: 0, least: 0, shape: TreeShape::Row });
        Ok(())
    }

    fn end(&mut self, _: impl Display) -> fmt::Result {
        match self.ignored.checked_sub(1) {
            Some(ignored) => self.ignored = ignored,
            None => self.close(),
        }
        Ok(())
    }
}

/// How a value of numbers is shortened.
fn of_numbers(kind: Kind, len: usize) -> Cut {
    match kind.body() {
        ValueBody::Packed(_, numbers) => {
            let numbers = usize::from(numbers).max(1);
            Cut::Elements { count: Some(len / numbers), numbers }
        }
        ValueBody::Cells(..) => Cut::Elements { count: None, numbers: 1 },
        _ if kind == Kind::Float => Cut::Decimals,
        _ => Cut::Never,
    }
}

impl TextPieces for Lines<'_, '_, '_> {
    fn word(&mut self, role: Role, text: impl Display) -> fmt::Result {
        self.text(role, |out| write!(out, "{text}"))
    }

    fn name(&mut self, role: Role, name: &str) -> fmt::Result {
        self.text(role, |out| write!(out, "{}", OneLine(name)))
    }

    fn leaf(&mut self, role: Role, value: VariantRef<'_>) -> fmt::Result {
        let numbers = match value.kind().body() {
            ValueBody::Packed(_, numbers) => usize::from(numbers),
            // Transforms and the like.
            ValueBody::Cells(_, numbers) if numbers > 4 => 1,
            _ if value.kind() == Kind::PackedStringArray => 1,
            _ => return self.text(role, |out| write::leaf(value, out)),
        };
        Fill::write(self, role, numbers, |out| write::leaf(value, out))
    }

    fn bytes(&mut self, bytes: &[u8], dialect: Dialect) -> fmt::Result {
        Fill::write(self, Role::Number, 1, |out| write::byte_array(bytes, dialect, out))
    }

    fn begin(&mut self, open: impl Display, _: impl Display, _: usize) -> fmt::Result {
        self.is_first = true;
        self.take(LineToken::Begin(open.to_string()))
    }

    fn item(&mut self, separator: &'static str) -> fmt::Result {
        let is_first = core::mem::take(&mut self.is_first);
        self.take(LineToken::Item(if is_first { "" } else { separator }))
    }

    fn end(&mut self, close: impl Display) -> fmt::Result {
        self.is_first = false;
        self.take(LineToken::End(close.to_string()))
    }
}
