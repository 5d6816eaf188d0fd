//! Text over several lines: lists that do not fit on a line have a line for each item, and packed
//! arrays fill lines.
//!
//! A list is kept until it has ended or no longer fits. So what is kept is bounded by the width, and
//! each piece is looked at once. This is the algorithm of Oppen's "Prettyprinting".

use super::cells::cells;
use crate::format::text::pieces::{Palette, Role};
use alloc::collections::VecDeque;
use alloc::string::String;
use core::fmt::{self, Write};

/// How many cells each level of lists is indented by, and how many levels are indented at most.
const STEP: usize = 2;
const LEVELS: usize = 32;

/// Writes text over several lines.
pub(super) struct Lines<'f, 'b, 'p> {
    out: &'f mut fmt::Formatter<'b>,
    palette: Palette<'p>,
    width: usize,
    indent: usize,
    /// How many cells of the line are used, and how many spaces at its end are still to be written.
    column: usize,
    spaces: usize,
    /// How many lists are open that have a line for each item.
    depth: usize,
    /// The pieces of a list that may still fit on the line, and how many cells they take.
    kept: VecDeque<LineToken>,
    pending: usize,
    /// How many lists have begun and not ended in what is kept.
    open: usize,
    /// Whether the list at the end has no items yet.
    pub(super) is_first: bool,
}

pub(super) enum LineToken {
    Text(Role, String),
    /// Elements of a packed array, which may begin on a line of their own.
    Elements(Role, String),
    Begin(String),
    /// The separator before an item; empty before the first.
    Item(&'static str),
    End(String),
}

impl LineToken {
    fn text(&self) -> &str {
        match self {
            LineToken::Text(_, text)
            | LineToken::Elements(_, text)
            | LineToken::Begin(text)
            | LineToken::End(text) => text,
            LineToken::Item(separator) => separator,
        }
    }
}

impl<'f, 'b, 'p> Lines<'f, 'b, 'p> {
    pub(super) const fn new(
        out: &'f mut fmt::Formatter<'b>,
        palette: Palette<'p>,
        width: usize,
        column: usize,
        indent: usize,
    ) -> Lines<'f, 'b, 'p> {
        Lines {
            out,
            palette,
            width,
            indent,
            column,
            spaces: 0,
            depth: 0,
            kept: VecDeque::new(),
            pending: 0,
            open: 0,
            is_first: true,
        }
    }

    fn put(&mut self, role: Role, text: &str) -> fmt::Result {
        let rest = text.trim_end_matches(' ');
        if !rest.is_empty() {
            write!(self.out, "{:1$}", "", self.spaces)?;
            self.spaces = 0;
            self.palette.paint(role, self.out, |out| out.write_str(rest))?;
        }
        let spaces = text.len().saturating_sub(rest.len());
        self.spaces = self.spaces.saturating_add(spaces);
        self.column = self.column.saturating_add(cells(text));
        Ok(())
    }

    /// Begins a line. Nothing is written at the end of the line before.
    fn new_line(&mut self) -> fmt::Result {
        let indent = self.depth.min(LEVELS).saturating_mul(STEP).saturating_add(self.indent);
        (self.column, self.spaces) = (indent, 0);
        write!(self.out, "\n{:indent$}", "")
    }

    pub(super) fn take(&mut self, token: LineToken) -> fmt::Result {
        self.open = match token {
            LineToken::Begin(_) => self.open.saturating_add(1),
            LineToken::End(_) => self.open.saturating_sub(1),
            _ => self.open,
        };
        self.pending += cells(token.text());
        self.kept.push_back(token);
        if self.open > 0 && self.has_room(self.pending) { Ok(()) } else { self.write_kept() }
    }

    /// Whether the line has room for this many more cells and a comma.
    const fn has_room(&self, more: usize) -> bool {
        self.column.saturating_add(more) < self.width
    }

    /// Writes the kept text, except for a list at the end that may fit on the line.
    fn write_kept(&mut self) -> fmt::Result {
        while let Some(first) = self.kept.front() {
            if let LineToken::Begin(_) = first {
                let (tokens, width, is_whole) = self.first_list();
                if is_whole && self.has_room(width) {
                    for _ in 0..tokens {
                        self.write_first(false)?;
                    }
                    continue;
                }
                if !is_whole {
                    if self.has_room(self.pending) {
                        return Ok(());
                    }
                    self.open = self.open.saturating_sub(1);
                }
            }
            self.write_first(true)?;
        }
        Ok(())
    }

    /// The number of tokens and the width of the list that is kept first, and whether it has ended.
    fn first_list(&self) -> (usize, usize, bool) {
        let (mut open, mut width) = (0_usize, 0_usize);
        for (place, token) in self.kept.iter().enumerate() {
            width += cells(token.text());
            match token {
                LineToken::Begin(_) => open += 1,
                LineToken::End(_) => open = open.saturating_sub(1),
                LineToken::Text(..) | LineToken::Elements(..) | LineToken::Item(_) => {}
            }
            if open == 0 {
                return (place.saturating_add(1), width, true);
            }
        }
        (self.kept.len(), width, false)
    }

    /// Writes the first token that is kept.
    fn write_first(&mut self, is_broken: bool) -> fmt::Result {
        let Some(token) = self.kept.pop_front() else { return Ok(()) };
        self.pending = self.pending.saturating_sub(cells(token.text()));
        self.write(&token, is_broken)
    }

    fn write(&mut self, token: &LineToken, is_broken: bool) -> fmt::Result {
        match token {
            LineToken::Text(role, text) => self.put(*role, text),
            LineToken::Elements(role, text) => {
                if !is_broken || self.has_room(cells(text)) {
                    return self.put(*role, text);
                }
                self.depth += 1;
                self.new_line()?;
                self.depth = self.depth.saturating_sub(1);
                self.put(*role, text.trim_start_matches(' '))
            }
            LineToken::Begin(open) if is_broken => {
                self.put(Role::Plain, open)?;
                self.depth += 1;
                Ok(())
            }
            LineToken::Item(separator) if is_broken => {
                self.put(Role::Plain, separator)?;
                self.new_line()
            }
            LineToken::End(close) if is_broken => {
                self.depth = self.depth.saturating_sub(1);
                if !close.is_empty() {
                    self.new_line()?;
                }
                self.put(Role::Plain, close.trim_start())
            }
            token => self.put(Role::Plain, token.text()),
        }
    }

    /// Takes a text of which a part may begin on a line of its own.
    fn part(&mut self, role: Role, may_break: bool, text: &str) -> fmt::Result {
        if text.is_empty() {
            return Ok(());
        }
        if self.kept.is_empty() && !may_break {
            return self.put(role, text);
        }
        let text = text.into();
        self.take(if may_break {
            LineToken::Elements(role, text)
        } else {
            LineToken::Text(role, text)
        })
    }

    /// Takes text as it is written, so that nothing long is kept.
    pub(super) fn text(
        &mut self,
        role: Role,
        write: impl FnOnce(&mut RoleText<'_, 'f, 'b, 'p>) -> fmt::Result,
    ) -> fmt::Result {
        write(&mut RoleText { role, lines: self })
    }
}

/// Takes text of a role.
pub(super) struct RoleText<'l, 'f, 'b, 'p> {
    role: Role,
    lines: &'l mut Lines<'f, 'b, 'p>,
}

impl Write for RoleText<'_, '_, '_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.lines.part(self.role, false, text)
    }
}

/// Takes a literal as it is written. Text up to the end of an element is kept, if it fits on a line.
pub(super) struct Fill<'l, 'f, 'b, 'p> {
    lines: &'l mut Lines<'f, 'b, 'p>,
    role: Role,
    /// How many numbers an element has, and how many of the current one have ended.
    numbers: usize,
    ended: usize,
    kept: String,
    /// Whether the next text may begin a line. It may not inside an element.
    may_break: bool,
    is_quoted: bool,
    is_escaped: bool,
}

impl<'l, 'f, 'b, 'p> Fill<'l, 'f, 'b, 'p> {
    /// Passes on the text that `write` writes, split into elements of this many numbers.
    pub(super) fn write(
        lines: &'l mut Lines<'f, 'b, 'p>,
        role: Role,
        numbers: usize,
        write: impl FnOnce(&mut Self) -> fmt::Result,
    ) -> fmt::Result {
        let mut fill = Fill {
            lines,
            role,
            numbers: numbers.max(1),
            ended: 0,
            kept: String::new(),
            may_break: false,
            is_quoted: false,
            is_escaped: false,
        };
        write(&mut fill)?;
        fill.flush()
    }

    fn flush(&mut self) -> fmt::Result {
        let may_break = core::mem::take(&mut self.may_break);
        self.lines.part(self.role, may_break, &self.kept)?;
        self.kept.clear();
        Ok(())
    }

    /// Whether an element ends with this character.
    fn ends_with(&mut self, character: char) -> bool {
        if core::mem::take(&mut self.is_escaped) {
            return false;
        }
        match character {
            '\\' => self.is_escaped = true,
            '"' => self.is_quoted = !self.is_quoted,
            ',' if !self.is_quoted => self.ended += 1,
            _ => return false,
        }
        let has_ended = self.ended == self.numbers;
        if has_ended {
            self.ended = 0;
        }
        has_ended
    }
}

impl Write for Fill<'_, '_, '_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            self.kept.push(character);
            if self.ends_with(character) {
                self.flush()?;
                self.may_break = true;
            }
        }
        // A long string is passed on at once, so that the kept text stays short.
        if self.kept.len() > self.lines.width && cells(&self.kept) > self.lines.width {
            self.flush()?;
        }
        Ok(())
    }
}
