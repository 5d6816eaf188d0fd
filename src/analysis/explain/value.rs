//! Explains a value. The grammar finds its parts; this only names them.

mod parts;

use super::field::{Detail, Field};
use super::out::{Explained, FieldWriter, Stopped, run};
use super::text::ByteCount;
use crate::format::text::Role;
use crate::value::view::header_of;
use crate::value::wire::nesting::{Level, LevelShape, Stack};
use crate::value::wire::step::{ItemStep, WireItem};
use crate::value::{Layout, ReadOptions};
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
pub(super) fn of_bytes(
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
            out.field(rest, depth, "rest", ByteCount(rest))?;
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
    /// What follows is not valid.
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
    layout: &'static Layout,
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
                list.read = list.read.saturating_add(1);
            }
            let inner = step.inner;
            if !inner.is_empty() {
                let levels = stack.depth();
                // Nothing valid is nested deeper than the stack can hold.
                stack.enter(level, inner, crate::MAX_DEPTH);
                if stack.depth() == levels {
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
                match stack.leave() {
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
        self.out.field(len, *depth, name, format_args!("{more} more, {}", ByteCount(len)))?;
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
