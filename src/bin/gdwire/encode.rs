//! `gdwire encode`: bytes of values that people or programs wrote.

use crate::Stop;
use crate::args::{EncodeArgs, Source};
use crate::diagnostics::Diagnostics;
use crate::output::{Encoder, Refusal};
use crate::source::{self, Content};
use gdwire::{Dialect, Variant, json, text};
use std::fmt::Display;

pub(crate) fn run(args: &EncodeArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    // The option's parser refuses anything but a name.
    let dialect = args.dialect.named(args.double).unwrap_or(Dialect::GODOT_3);
    let encoder = Encoder::open(&args.output, &args.files)?;
    let mut encoding = Encoding { name: String::new(), dialect, encoder, diagnostics };
    for path in &args.files {
        encoding.name = source::name(path);
        let bytes = Content::open(path).and_then(Content::whole);
        match bytes.as_deref().map(str::from_utf8) {
            Ok(Ok(text)) if args.input == Source::Text => encoding.literals(text)?,
            Ok(Ok(text)) => encoding.documents(text)?,
            Ok(Err(error)) => {
                let problem = format!("byte {}: not UTF-8", error.valid_up_to());
                encoding.diagnostics.unreadable(&encoding.name, &problem);
            }
            Err(error) => encoding.diagnostics.unreadable(&encoding.name, &error),
        }
    }
    Ok(encoding.encoder.finish(encoding.diagnostics)?)
}

struct Encoding<'d> {
    name: String,
    dialect: Dialect,
    encoder: Encoder,
    diagnostics: &'d mut Diagnostics,
}

impl Encoding<'_> {
    /// Encodes literals that follow each other. Behind a mistake the next line is read.
    fn literals(&mut self, text: &str) -> Result<(), Stop> {
        let mut cursor = LineCursor { text, offset: 0, line: 1, line_start: 0 };
        let mut rest = text.trim_ascii_start();
        while !rest.is_empty() {
            cursor.advance(text.len().saturating_sub(rest.len()));
            match text::read_prefix(rest) {
                Ok((after, value)) => {
                    let line = cursor.line;
                    self.value(&value, line)?;
                    rest = after;
                }
                Err(error) => {
                    cursor.advance(cursor.offset.saturating_add(error.offset));
                    let (line, column) = (cursor.line, cursor.column());
                    let place = format_args!("line {line}, column {column}: {}", error.problem);
                    self.diagnostics.failure(&self.name, &place);
                    let wrong = rest.get(error.offset..).unwrap_or("");
                    rest = wrong.split_once('\n').map_or("", |(_, next)| next);
                }
            }
            rest = rest.trim_ascii_start();
        }
        Ok(())
    }

    /// Encodes JSON, one document a line.
    fn documents(&mut self, text: &str) -> Result<(), Stop> {
        for (line, document) in (1..).zip(text.lines()) {
            if document.trim_ascii().is_empty() {
                continue;
            }
            match json::read(document) {
                Ok(value) => self.value(&value, line)?,
                Err(error) => self.failure(line, &error.problem),
            }
        }
        Ok(())
    }

    fn value(&mut self, value: &Variant, line: usize) -> Result<(), Stop> {
        match self.encoder.write(self.dialect, value) {
            Ok(()) => {}
            Err(Refusal::Value(error)) => self.failure(line, &error),
            Err(Refusal::Conversion(error)) => self.failure(line, &error),
            Err(Refusal::Output(error)) => return Err(Stop::Output(error)),
        }
        Ok(())
    }

    fn failure(&mut self, line: usize, problem: &dyn Display) {
        self.diagnostics.failure(&self.name, &format_args!("line {line}: {problem}"));
    }
}

/// A place in a text, moving forwards.
struct LineCursor<'t> {
    text: &'t str,
    offset: usize,
    line: usize,
    line_start: usize,
}

impl LineCursor<'_> {
    fn advance(&mut self, offset: usize) {
        let passed = self.text.get(self.offset..offset).unwrap_or("");
        self.line = self.line.saturating_add(passed.matches('\n').count());
        if let Some(end) = passed.rfind('\n') {
            self.line_start = self.offset.saturating_add(end).saturating_add(1);
        }
        self.offset = offset;
    }

    fn column(&self) -> usize {
        let before = self.text.get(self.line_start..self.offset).unwrap_or("");
        before.chars().count().saturating_add(1)
    }
}
