//! Splits a file into its sections and properties.

use crate::game::project::limits;
use alloc::vec::Vec;

/// A part of a file.
#[derive(Debug)]
pub(super) enum Item<'a> {
    /// `[tag name="x" …]`
    Section { tag: &'a str, attributes: Attributes<'a> },
    /// `name = value`
    Property { name: &'a str, value: &'a str },
}

/// The attributes of a section. Their values are not decoded.
#[derive(Debug, Default)]
pub(super) struct Attributes<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Attributes<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(found, _)| *found == name).map(|(_, value)| *value)
    }
}

/// The parts of a file. After a syntax error there are no more.
#[derive(Debug)]
pub(super) struct Items<'a> {
    text: &'a str,
    at: usize,
    /// The offset up to which lines were counted.
    counted: usize,
    counted_line: u32,
    /// The line of the part that was returned last, or of the syntax error.
    pub(super) line: u32,
    /// What was expected where the file ends too early or is damaged.
    pub(super) problem: Option<&'static str>,
}

/// Where a value ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// At the end of the line.
    Line,
    /// At a space or a bracket.
    Attribute,
}

impl<'a> Items<'a> {
    pub(super) const fn new(text: &'a str) -> Items<'a> {
        Items { text, at: 0, counted: 0, counted_line: 1, line: 1, problem: None }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn mark_line(&mut self) {
        let passed = self.text.as_bytes().get(self.counted..self.at).unwrap_or(&[]);
        let lines = passed.iter().filter(|byte| **byte == b'\n').count();
        self.counted_line =
            self.counted_line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.counted = self.at;
        self.line = self.counted_line;
    }

    fn broken<T>(&mut self, what: &'static str) -> Option<T> {
        self.problem = Some(what);
        self.at = self.text.len();
        None
    }

    /// Reads bytes for as long as `belongs` returns true.
    fn run(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let length = rest.bytes().position(|byte| !belongs(byte)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or("")
    }

    fn skip_white(&mut self) {
        loop {
            self.run(|byte| byte.is_ascii_whitespace());
            if self.byte() != Some(b';') {
                return;
            }
            self.run(|byte| byte != b'\n');
        }
    }

    /// Skips a string, starting at its first quote. Returns whether it has an end.
    fn skip_string(&mut self) -> bool {
        self.at += 1;
        loop {
            self.run(|byte| !matches!(byte, b'"' | b'\\'));
            match self.byte() {
                None => return false,
                Some(b'"') => {
                    self.at += 1;
                    return true;
                }
                // An escaped character may have more bytes, which are never quotes.
                Some(_) => self.at += 1 + usize::from(self.is_ascii_at(self.at + 1)),
            }
        }
    }

    fn is_ascii_at(&self, at: usize) -> bool {
        self.text.as_bytes().get(at).is_some_and(u8::is_ascii)
    }

    /// Reads a value and returns its source text.
    fn value(&mut self, end: End) -> Option<&'a str> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.byte() {
                None if depth > 0 => return self.broken("the closing bracket of this value"),
                None => break,
                Some(b'"') => {
                    if !self.skip_string() {
                        return self.broken("the end of a string");
                    }
                    continue;
                }
                Some(b'(' | b'[' | b'{') => depth += 1,
                Some(b']') if depth == 0 && end == End::Attribute => break,
                Some(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                Some(b'\n') if depth == 0 => break,
                Some(b' ' | b'\t' | b'\r') if depth == 0 && end == End::Attribute => break,
                Some(b';') if depth == 0 && end == End::Line => break,
                Some(b';') => {
                    self.run(|byte| byte != b'\n');
                    continue;
                }
                Some(_) => {}
            }
            self.at += 1;
        }
        self.text.get(start..self.at).map(str::trim)
    }

    fn section(&mut self) -> Option<Item<'a>> {
        self.at += 1;
        self.skip_white();
        let tag = self.run(|byte| !byte.is_ascii_whitespace() && byte != b']');
        let mut attributes = Attributes::default();
        loop {
            self.skip_white();
            match self.byte() {
                None => return self.broken("the `]` of this section"),
                Some(b']') => {
                    self.at += 1;
                    return Some(Item::Section { tag, attributes });
                }
                Some(_) => {}
            }
            let name = self.run(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'=' | b']'));
            self.skip_white();
            if self.byte() != Some(b'=') {
                return self.broken("`=` and the value of the attribute");
            }
            self.at += 1;
            self.skip_white();
            let value = self.value(End::Attribute)?;
            if attributes.0.len() >= limits::ATTRIBUTES {
                return self.broken("no more than 64 attributes");
            }
            attributes.0.push((name, value));
        }
    }

    fn property(&mut self) -> Option<Item<'a>> {
        let name = if self.byte() == Some(b'"') {
            let start = self.at + 1;
            if !self.skip_string() {
                return self.broken("the end of a string");
            }
            let name = self.text.get(start..self.at - 1).unwrap_or("");
            self.skip_white();
            name
        } else {
            self.run(|byte| !matches!(byte, b'=' | b'\n')).trim()
        };
        if self.byte() != Some(b'=') {
            return self.broken("`=` and the value of the property");
        }
        self.at += 1;
        self.run(|byte| matches!(byte, b' ' | b'\t'));
        let value = self.value(End::Line)?;
        Some(Item::Property { name, value })
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        self.skip_white();
        self.mark_line();
        match self.byte()? {
            b'[' => self.section(),
            _ => self.property(),
        }
    }
}
