//! Replaces ranges of a value's bytes, and copies all others.

use super::Problem;
use super::place::{ContainerItem, Parent};
use crate::value::{TOP_BIT, VariantRef};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

/// Collects the bytes that replace ranges of an encoded value, and writes the edited value.
pub(super) struct Splices<'v> {
    root: VariantRef<'v>,
    splices: Vec<Splice>,
    /// How the counts of containers change, by the place of the count.
    counts: BTreeMap<usize, Count>,
    /// The number of the edit that the next splices belong to.
    edit: usize,
}

struct Splice {
    range: Range<usize>,
    bytes: Vec<u8>,
    edit: usize,
    /// The number of containers around it. If several are inserted at one place, the inner ones come first.
    depth: usize,
}

struct Count {
    range: Range<usize>,
    change: i64,
    edit: usize,
    keeps_top_bit: bool,
}

impl<'v> Splices<'v> {
    pub(super) const fn new(root: VariantRef<'v>) -> Splices<'v> {
        Splices { root, splices: Vec::new(), counts: BTreeMap::new(), edit: 0 }
    }

    /// The next splices belong to the next edit.
    pub(super) const fn end_edit(&mut self) {
        self.edit = self.edit.saturating_add(1);
    }

    pub(super) fn replace_value(&mut self, old: VariantRef<'_>, bytes: Vec<u8>) {
        self.replace(old.range_in(self.root.as_bytes()).unwrap_or_default(), bytes);
    }

    pub(super) fn replace(&mut self, range: Range<usize>, bytes: Vec<u8>) {
        self.splices.push(Splice { range, bytes, edit: self.edit, depth: 0 });
    }

    pub(super) fn remove(&mut self, entry: &ContainerItem<'_>) {
        self.replace(entry.range.clone(), Vec::new());
    }

    /// Adds an item at the end of a container.
    pub(super) fn insert(&mut self, parent: &Parent<'_>, bytes: Vec<u8>) {
        let end = parent.end();
        self.splices.push(Splice { range: end..end, bytes, edit: self.edit, depth: parent.depth });
    }

    /// Notes that a container gets more or fewer items.
    pub(super) fn count(&mut self, parent: &Parent<'_>, change: i64) {
        let (range, edit) = (parent.count(), self.edit);
        // The engines read no properties of an object whose count is negative.
        let keeps_top_bit = !parent.is_object();
        let count = Count { range, change: 0, edit, keeps_top_bit };
        let count = self.counts.entry(count.range.start).or_insert(count);
        count.change = count.change.saturating_add(change);
    }

    /// The bytes of the value with all splices, or the number of an edit that cannot be done.
    pub(super) fn apply(mut self) -> Result<Vec<u8>, (usize, Problem)> {
        let old = self.root.as_bytes();
        for Count { range, change, edit, keeps_top_bit } in self.counts.into_values() {
            let bytes = old.get(range.clone()).and_then(|bytes| bytes.first_chunk());
            let count = bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes));
            let new = i64::from(count & !TOP_BIT).saturating_add(change);
            let new = i32::try_from(new).ok().and_then(|new| u32::try_from(new).ok());
            let new = new.ok_or((edit, Problem::TooLong))?;
            let top = if keeps_top_bit { count & TOP_BIT } else { 0 };
            let bytes = (new | top).to_le_bytes().to_vec();
            self.splices.push(Splice { range, bytes, edit, depth: 0 });
        }
        let place = |splice: &Splice| {
            (splice.range.start, splice.range.end, Reverse(splice.depth), splice.edit)
        };
        self.splices.sort_by_key(place);
        let mut new = Vec::new();
        let mut copied = 0;
        for Splice { range, bytes, edit, .. } in self.splices {
            let between = old.get(copied..range.start).ok_or((edit, Problem::Twice))?;
            new.extend_from_slice(between);
            new.extend(bytes);
            copied = range.end;
        }
        new.extend_from_slice(old.get(copied..).unwrap_or_default());
        Ok(new)
    }
}
