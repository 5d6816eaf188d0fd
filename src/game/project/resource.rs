//! The text format of scenes, resources and `project.godot`: sections with attributes, and properties
//! with values. Also what `project.godot` says: the main scene and the autoloads.

use super::ids::{Interner, NameId};
use super::limits;
use super::problems::{ProblemKind, Problems};
use crate::format::text;
use crate::write::owned::Variant;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

/// A part of a file.
#[derive(Debug)]
pub(super) enum FilePart<'a> {
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

/// The parts of a file, up to its end or a syntax error.
#[derive(Debug)]
pub(super) struct FileParts<'a> {
    text: &'a str,
    at: usize,
    /// The offset up to which lines were counted.
    counted: usize,
    counted_line: u32,
    /// The line of the part that was returned last, or of the syntax error.
    pub(super) line: u32,
    /// A description of the expected token where the file ends too early or is damaged.
    pub(super) problem: Option<&'static str>,
}

impl<'a> FileParts<'a> {
    pub(super) const fn new(text: &'a str) -> FileParts<'a> {
        FileParts { text, at: 0, counted: 0, counted_line: 1, line: 1, problem: None }
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

    /// Reads a value and returns its source text. That of an attribute ends at a space or a bracket,
    /// any other at the end of the line.
    fn value(&mut self, is_attribute: bool) -> Option<&'a str> {
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
                Some(b']') if depth == 0 && is_attribute => break,
                Some(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                Some(b'\n') if depth == 0 => break,
                Some(b' ' | b'\t' | b'\r') if depth == 0 && is_attribute => break,
                Some(b';') if depth == 0 && !is_attribute => break,
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

    fn section(&mut self) -> Option<FilePart<'a>> {
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
                    return Some(FilePart::Section { tag, attributes });
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
            let value = self.value(true)?;
            if attributes.0.len() >= limits::ATTRIBUTES {
                return self.broken("no more than 64 attributes");
            }
            attributes.0.push((name, value));
        }
    }

    fn property(&mut self) -> Option<FilePart<'a>> {
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
        let value = self.value(false)?;
        Some(FilePart::Property { name, value })
    }
}

impl<'a> Iterator for FileParts<'a> {
    type Item = FilePart<'a>;

    fn next(&mut self) -> Option<FilePart<'a>> {
        self.skip_white();
        self.mark_line();
        match self.byte()? {
            b'[' => self.section(),
            _ => self.property(),
        }
    }
}

/// A reference to another resource. It is not a `Variant`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reference {
    /// `null`.
    Null,
    /// `ExtResource("id")`: a resource of another file.
    External(String),
    /// `SubResource("id")`: a resource of the same file.
    Internal(String),
}

/// Reads a reference.
pub(super) fn reference_of(value: &str) -> Option<Reference> {
    if value == "null" {
        return Some(Reference::Null);
    }
    let inside = |name| inside(value, name).map(|id| string_of(id).unwrap_or_else(|| id.into()));
    inside("ExtResource")
        .map(Reference::External)
        .or_else(|| inside("SubResource").map(Reference::Internal))
}

/// The text between the parentheses of `name(…)`.
fn inside<'a>(value: &'a str, name: &str) -> Option<&'a str> {
    let inside = value.strip_prefix(name)?.trim_start();
    Some(inside.strip_prefix('(')?.strip_suffix(')')?.trim())
}

/// Reads a literal, unless it is longer than the limit.
fn literal(value: &str) -> Option<Variant> {
    if value.len() > limits::VALUE_BYTES {
        return None;
    }
    text::parse(value).ok()
}

/// Reads a string.
pub(super) fn string_of(value: &str) -> Option<String> {
    match literal(value)? {
        Variant::String(text) | Variant::StringName(text) => Some(text),
        _ => None,
    }
}

/// Reads a number. In attributes of older files, it may be in quotes.
pub(super) fn integer_of(value: &str) -> Option<i64> {
    match literal(value)? {
        Variant::Int(number) => Some(number),
        Variant::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Reads a number of seconds.
pub(super) fn interval_of(value: &str) -> Option<Duration> {
    let seconds = match literal(value)? {
        Variant::Float(seconds) => seconds,
        Variant::Int(seconds) => i32::try_from(seconds).ok()?.into(),
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

/// Reads a boolean.
pub(super) fn boolean_of(value: &str) -> Option<bool> {
    match literal(value)? {
        Variant::Bool(value) => Some(value),
        _ => None,
    }
}

/// Reads a path in the scene tree. It is not normalized.
pub(super) fn node_path_of(value: &str) -> Option<String> {
    string_of(inside(value, "NodePath").or_else(|| value.strip_prefix('^')).unwrap_or(value))
}

/// Reads an array of strings.
pub(super) fn strings_of(value: &str) -> Option<Vec<String>> {
    let elements = match literal(value)? {
        Variant::PackedStringArray(strings) => return Some(strings),
        Variant::Array(elements) | Variant::TypedArray(elements) => elements,
        _ => return None,
    };
    let text = |element: &Variant| match element {
        Variant::String(text) | Variant::StringName(text) => Some(text.clone()),
        _ => None,
    };
    elements.iter().map(text).collect()
}

/// The settings in `project.godot` that gdwire uses.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// Whether the project is for Godot 3 or older.
    pub(crate) is_old: bool,
    /// The path or uid of the main scene, and its line.
    pub(crate) main: Option<(NameId, u32)>,
    pub(crate) autoloads: Vec<Autoload>,
}

/// A script or scene that is always in the scene tree.
#[derive(Debug)]
pub(crate) struct Autoload {
    pub(crate) name: NameId,
    /// The path or uid.
    pub(crate) target: NameId,
    pub(crate) line: u32,
}

/// Reads the file.
pub(crate) fn read_settings(
    text: &str,
    file: &str,
    names: &mut Interner,
    problems: &mut Problems,
) -> Settings {
    let mut settings = Settings::default();
    let mut section = "";
    let mut items = FileParts::new(text);
    while let Some(item) = items.next() {
        match item {
            FilePart::Section { tag, .. } => section = tag,
            FilePart::Property { name, value } => match section {
                "" if name == "config_version" => {
                    settings.is_old = value.parse().is_ok_and(|version: u32| version <= 4);
                }
                "application" if name == "run/main_scene" => {
                    let path = string_of(value).filter(|path| !path.is_empty());
                    settings.main = path.map(|path| (names.add(&path), items.line));
                }
                "autoload" | "autoload_prepend" if !names.is_full() => {
                    // A star before the path means that the autoload is a global variable, too.
                    if let Some(target) = string_of(value) {
                        settings.autoloads.push(Autoload {
                            name: names.add(name),
                            target: names.add(target.strip_prefix('*').unwrap_or(&target)),
                            line: items.line,
                        });
                    }
                }
                _ => {}
            },
        }
    }
    if let Some(what) = items.problem {
        problems.add(file, items.line, ProblemKind::Syntax(what));
    }
    settings
}
