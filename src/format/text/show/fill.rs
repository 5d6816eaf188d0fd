//! Splits the literal of a packed array into elements, so that they fill lines.

use super::cells::cells;
use super::lines::Lines;
use crate::format::text::pieces::Role;
use alloc::string::String;
use core::fmt::{self, Write};

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
    /// Passes on what `write` writes, split into elements of this many numbers.
    pub(super) fn write(
        lines: &'l mut Lines<'f, 'b, 'p>,
        (role, numbers): (Role, usize),
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
            ',' if !self.is_quoted => self.ended = self.ended.saturating_add(1),
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
