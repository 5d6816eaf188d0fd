//! Fits text into a line.

use super::cells::{CellRoom, cells};
use super::shorten::{Cut, hard};
use super::tree::{TextList, TextNode, TextTree, TreeShape, omitted};
use crate::format::text::pieces::{InPieces, Palette, Role, WholeText};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// In a list without keys, each item gets up to this many cells before further items are shown.
const READABLE: usize = 18;

/// Lists get up to this many cells before the path beside them gets more than it needs.
const VALUES: usize = 60;

/// Writes a text in at most this many cells.
pub(super) fn write(
    content: &impl InPieces,
    width: usize,
    palette: Palette<'_>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let mut line = CellRoom::default();
    line.make(width);
    if content.pieces(&mut WholeText::new(&mut line, Palette::new())).is_ok() {
        return content.pieces(&mut WholeText::new(f, palette));
    }
    let mut tree = TextTree::new(width);
    // This fails once the tree holds enough, so the rest is not needed.
    let _ = content.pieces(&mut tree);
    tree.finish();
    let mut fitter = Fitter { tree: &tree, palette, out: f };
    fitter.node(0, width).map(drop)
}

struct Fitter<'t, 'p, 'f, 'b> {
    tree: &'t TextTree,
    palette: Palette<'p>,
    out: &'f mut fmt::Formatter<'b>,
}

impl Fitter<'_, '_, '_, '_> {
    fn put(&mut self, role: Role, text: &str) -> Result<usize, fmt::Error> {
        if !text.is_empty() {
            self.palette.paint(role, self.out, |out| out.write_str(text))?;
        }
        Ok(cells(text))
    }

    /// Writes a node in at most this many cells, and returns how many it took.
    fn node(&mut self, at: usize, most: usize) -> Result<usize, fmt::Error> {
        let tree = self.tree;
        let Some(node) = tree.node(at) else { return Ok(0) };
        match &node.shape {
            TreeShape::Piece { role, text, .. } if node.full <= most => {
                self.put(*role, tree.text(text))
            }
            TreeShape::Piece { role, text, cut } => {
                self.put(*role, &cut.shorten(tree.text(text), most))
            }
            TreeShape::Row => {
                let children = match at {
                    0 => tree.children(at).collect(),
                    _ => self.of_item(at, most),
                };
                self.row(&children, "", at > 0, most)
            }
            TreeShape::List(list) => self.list(at, list, most),
        }
    }

    /// Writes nodes with a separator between them. They may be the item of a list.
    fn row(
        &mut self,
        nodes: &[usize],
        separator: &str,
        is_item: bool,
        most: usize,
    ) -> Result<usize, fmt::Error> {
        let between = cells(separator).saturating_mul(nodes.len().saturating_sub(1));
        let least = nodes.iter().filter_map(|at| self.tree.node(*at)).map(|node| node.least);
        let least = least.fold(between, usize::saturating_add);
        let Some(spare) = most.checked_sub(least) else { return self.squeeze(nodes, most) };
        let (mut used, mut allowed) = (0_usize, 0_usize);
        for (number, (at, share)) in
            nodes.iter().zip(self.shares(nodes, is_item, spare)).enumerate()
        {
            if number > 0 {
                let written = self.put(Role::Plain, separator)?;
                (used, allowed) = (used.saturating_add(written), allowed.saturating_add(written));
            }
            // Cells that a node does not use are available to the nodes after it.
            allowed = allowed.saturating_add(share);
            used = used.saturating_add(self.node(*at, allowed.saturating_sub(used))?);
        }
        Ok(used)
    }

    /// Divides cells among nodes: each gets the least that it needs, and an equal part of the rest
    /// unless it needs less.
    fn shares(&self, nodes: &[usize], is_item: bool, spare: usize) -> Vec<usize> {
        let tree = self.tree;
        let node = |at: &usize| tree.node(*at).map_or((0, 0), |node| (node.full, node.least));
        let mut shares: Vec<usize> = nodes.iter().map(|at| node(at).1).collect();
        let mut wants: Vec<usize> =
            nodes.iter().map(node).map(|(full, least)| full.saturating_sub(least)).collect();
        let mut spare = spare;
        let path = nodes.iter().position(|at| self.is_path(*at));
        if is_item
            && let Some(share) = path.and_then(|path| shares.get_mut(path))
            && let Some(list) = nodes.iter().find(|at| self.is_list(**at))
        {
            // The first value is seen before the path, of which one cell remains.
            let needed = self.with_first(*list).saturating_sub(node(list).1);
            let more = needed.saturating_sub(spare);
            if more < *share {
                (*share, spare) = (share.saturating_sub(more), spare.saturating_add(more));
            }
        }
        for ((at, share), want) in nodes.iter().zip(&mut shares).zip(&mut wants) {
            if let Some(needed) = self.with_value(*at, usize::MAX) {
                let more = needed.saturating_sub(*share).min(*want).min(spare);
                *share = share.saturating_add(more);
                (*want, spare) = (want.saturating_sub(more), spare.saturating_sub(more));
            }
        }
        if path.is_some() {
            for ((at, share), want) in nodes.iter().zip(&mut shares).zip(&mut wants) {
                if self.is_list(*at) {
                    let more = VALUES.saturating_sub(*share).min(*want).min(spare);
                    *share = share.saturating_add(more);
                    (*want, spare) = (want.saturating_sub(more), spare.saturating_sub(more));
                }
            }
        }
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by_key(|place| wants.get(*place));
        for (done, place) in order.into_iter().enumerate() {
            let equal = spare.div_ceil(nodes.len().saturating_sub(done).max(1));
            if let (Some(share), Some(want)) = (shares.get_mut(place), wants.get(place)) {
                let more = equal.min(*want);
                (*share, spare) = (share.saturating_add(more), spare.saturating_sub(more));
            }
        }
        shares
    }

    /// Writes as many nodes as fit, if there is not enough room for all.
    fn squeeze(&mut self, nodes: &[usize], most: usize) -> Result<usize, fmt::Error> {
        let mut left = most;
        for at in nodes {
            let least = self.tree.node(*at).map_or(0, |node| node.least);
            // One cell is for the ellipsis.
            if least >= left {
                let rest = self.put(Role::Plain, &hard(&self.start(*at), left))?;
                return Ok(most.saturating_sub(left).saturating_add(rest));
            }
            left = left.saturating_sub(self.node(*at, least)?);
        }
        Ok(most.saturating_sub(left))
    }

    /// The text that a node starts with.
    fn start(&self, at: usize) -> String {
        let text = match self.tree.node(at).map(|node| &node.shape) {
            Some(TreeShape::Piece { text, .. }) => self.tree.text(text),
            Some(TreeShape::List(list)) => self.tree.text(&list.open),
            Some(TreeShape::Row) | None => "",
        };
        format!("{text}…")
    }

    fn list(&mut self, at: usize, list: &TextList, most: usize) -> Result<usize, fmt::Error> {
        let tree = self.tree;
        let [open, close] = [&list.open, &list.close].map(|range| tree.text(range));
        let items: Vec<usize> = tree.children(at).collect();
        let around = cells(open).saturating_add(cells(close));
        let inside = most.saturating_sub(around);
        // Fewer items with their values are better than more items without, and a value is better
        // than the path of its node.
        let fitting =
            |readable: &dyn Fn(usize) -> usize| self.shown(&items, list, inside, readable);
        let with_value =
            |of_path| fitting(&|item| self.with_value(item, of_path).unwrap_or(0).max(READABLE));
        let shown = [usize::MAX, 1, 0].into_iter().find_map(with_value);
        let shown = shown.or_else(|| fitting(&|_| READABLE)).or_else(|| fitting(&|_| 0));
        let shown = shown.unwrap_or(0);
        let left_out = list.count.saturating_sub(shown);
        if shown == 0 && left_out > 0 {
            let short = format!("{}…+{left_out}{}", open.trim_end(), close.trim_start());
            return self.put(Role::Plain, &hard(&short, most));
        }
        let mark = match left_out {
            0 => String::new(),
            count => format!("…+{count}"),
        };
        let separator = if mark.is_empty() { "" } else { list.separator_before_mark() };
        let of_mark = cells(separator).saturating_add(cells(&mark));
        let mut used = self.put(Role::Plain, open)?;
        let shown = items.get(..shown).unwrap_or(&items);
        let inside = inside.saturating_sub(of_mark);
        used = used.saturating_add(self.row(shown, list.separator, false, inside)?);
        used = used.saturating_add(self.put(Role::Plain, separator)?);
        used = used.saturating_add(self.put(Role::Omitted, &mark)?);
        Ok(used.saturating_add(self.put(Role::Plain, close)?))
    }

    /// How many items fit, if each gets at least as many cells as `readable` says, or all that it
    /// needs if these are fewer. None if none fits.
    fn shown(
        &self,
        items: &[usize],
        list: &TextList,
        inside: usize,
        readable: &dyn Fn(usize) -> usize,
    ) -> Option<usize> {
        let mut used = 0_usize;
        let mut shown = None;
        for (number, item) in items.iter().enumerate() {
            let Some(node) = self.tree.node(*item) else { break };
            let least =
                if self.is_keyed(*item) { node.least } else { node.least.max(readable(*item)) };
            let separator = if number > 0 { cells(list.separator) } else { 0 };
            used = used.saturating_add(separator).saturating_add(least.min(node.full));
            let left_out = list.count.saturating_sub(number.saturating_add(1));
            let mark = match left_out {
                0 => 0,
                count => omitted(count).saturating_add(cells(list.separator_before_mark())),
            };
            if used.saturating_add(mark) <= inside {
                shown = Some(number.saturating_add(1));
            } else if used > inside {
                break;
            }
        }
        shown
    }

    /// How many cells a list takes if at least its first item is seen.
    fn with_first(&self, at: usize) -> usize {
        let Some(TextNode { shape: TreeShape::List(list), full, .. }) = self.tree.node(at) else {
            return 0;
        };
        let first = self.tree.children(at).next();
        let parts = first.into_iter().flat_map(|first| self.tree.children(first));
        let first = parts.filter_map(|part| match self.tree.node(part)? {
            TextNode { shape: TreeShape::Piece { text, cut, .. }, least, full, .. } => {
                Some(cut.telling(self.tree.text(text)).unwrap_or(0).max(*least).min(*full))
            }
            node => Some(node.least),
        });
        let mark = match list.count.saturating_sub(1) {
            0 => 0,
            count => omitted(count).saturating_add(cells(list.separator_before_mark())),
        };
        let around = [&list.open, &list.close].map(|range| cells(self.tree.text(range)));
        first.chain(around).fold(mark, usize::saturating_add).min(*full)
    }

    /// How many cells an item takes that is a path and a list, if at least the first item of the
    /// list is seen. The path has at most `of_path` cells; with 0 it is left out.
    fn with_value(&self, at: usize, of_path: usize) -> Option<usize> {
        let Some(TextNode { shape: TreeShape::Row, full, .. }) = self.tree.node(at) else {
            return None;
        };
        let list = self.tree.children(at).find(|child| self.is_list(*child))?;
        let mut has_path = false;
        let mut sum = self.with_first(list);
        for child in self.tree.children(at).take_while(|child| *child != list) {
            let least = self.tree.node(child).map_or(0, |node| node.least);
            let is_path = self.is_path(child);
            has_path |= is_path;
            let taken = if is_path { least.min(of_path) } else { least };
            sum = sum.saturating_add(if of_path > 0 { taken } else { 0 });
        }
        has_path.then_some(sum.min(*full))
    }

    /// The nodes of an item. The path is left out if without it a value is seen.
    fn of_item(&self, at: usize, most: usize) -> Vec<usize> {
        let fits = |of_path| self.with_value(at, of_path).is_none_or(|cells| cells <= most);
        let is_bare = !fits(1) && fits(0);
        let children = self.tree.children(at);
        children.skip_while(|child| is_bare && !self.is_list(*child)).collect()
    }

    fn is_path(&self, at: usize) -> bool {
        let shape = self.tree.node(at).map(|node| &node.shape);
        matches!(shape, Some(TreeShape::Piece { cut: Cut::Path { .. }, .. }))
    }

    fn is_list(&self, at: usize) -> bool {
        matches!(self.tree.node(at), Some(TextNode { shape: TreeShape::List(_), .. }))
    }

    /// Whether an item begins with a key.
    fn is_keyed(&self, item: usize) -> bool {
        let first = self.tree.children(item).next().and_then(|first| self.tree.node(first));
        first.is_some_and(|first| matches!(first.shape, TreeShape::Piece { role: Role::Key, .. }))
    }
}

impl TextList {
    /// The separator before the mark of items that are left out.
    fn separator_before_mark(&self) -> &'static str {
        if self.separator.is_empty() { ", " } else { self.separator }
    }
}
