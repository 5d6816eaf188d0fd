//! `gdwire encode`: turns values written as text or JSON into bytes.
//!
//! Reads text files, which other commands do not read, and writes the bytes of the values.

use crate::args::values::{dialect, of_width};
use crate::args::{KeyArgs, OutputArgs, VerbosityArgs};
use crate::diagnostics::{Diagnostics, RunError};
use crate::input::{self, OpenedInput};
use crate::output::{Encoder, Replaced};
use crate::sink::SinkRefusal;
use crate::{interrupt, opened, saves};
use clap::{Args, ValueEnum};
use gdwire::capture::Capture;
use gdwire::{Dialect, ElementType, Kind, Object, Variant, json, text};
use std::fmt::Display;
use std::path::PathBuf;

/// The help of the options for keys where they encrypt.
const ENCRYPTING: [&str; 3] = [
    "Encrypt with this password, which other users may see (needs --encrypt)",
    "Encrypt with the password in the first line of this file; - is standard input (needs --encrypt)",
    "Encrypt with this key of 32 bytes, as 64 hex digits (needs --encrypt)",
];

#[derive(Args)]
#[command(mut_arg("quiet", |arg| arg.help("Print errors, but no warnings")))]
#[command(mut_arg("verbose", |arg| arg.help("Also print how many values each file has")))]
#[command(mut_arg("password", |arg| arg.help(ENCRYPTING[0]).long_help(ENCRYPTING[0]).requires("encrypt")))]
#[command(mut_arg("password_file", |arg| arg.help(ENCRYPTING[1]).long_help(ENCRYPTING[1]).requires("encrypt")))]
#[command(mut_arg("key", |arg| arg.help(ENCRYPTING[2]).long_help(ENCRYPTING[2]).requires("encrypt")))]
pub struct EncodeArgs {
    /// Files with values as text or JSON; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The format of the files
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub input: EncodeInput,
    /// The engine that will read the bytes [default: godot3]
    #[arg(long, value_parser = dialect())]
    pub dialect: Option<Dialect>,
    /// Write math types with 8-byte numbers, for engines built with precision=double
    #[arg(long)]
    pub double: bool,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum EncodeInput {
    /// Values as var_to_str and var2str write them
    #[default]
    Text,
    /// One JSON document per line, as Godot 4's JSON.from_native writes it
    Native,
}

/// The longest content of a compressed or encrypted save, in bytes. The header of a compressed one
/// has 32 bits for it.
const LIMIT: usize = u32::MAX as usize;

pub fn run(args: &EncodeArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let named = args.dialect.map(|dialect| of_width(dialect, args.double));
    let dialect = named.unwrap_or(of_width(Dialect::GODOT_3, args.double));
    opened::inputs(&args.files);
    let key = match args.output.encrypt {
        true => Some(args.keys.read()?.map_or_else(saves::key_to_encrypt, Ok)?),
        false => None,
    };
    let encoder = Encoder::open(&args.output, Replaced::Other, LIMIT)?;
    let mut encoding = Encoding {
        name: String::new(),
        dialect,
        is_named: named.is_some(),
        encoder,
        diagnostics,
        values: 0,
        may_be_native: true,
        was_requested: false,
    };
    for path in &args.files {
        encoding.name = opened::name(path);
        encoding.may_be_native = true;
        if interrupt::is_requested() {
            encoding.diagnostics.interrupted(&encoding.name);
            break;
        }
        let bytes = OpenedInput::open(path).and_then(OpenedInput::whole);
        encoding.was_requested = interrupt::is_requested();
        let values = encoding.values;
        match bytes.as_deref().map(|bytes| without_mark(encoding.arrived(bytes))) {
            Ok(bytes) if encoding.is_binary(bytes) => {}
            Ok(bytes) if args.input == EncodeInput::Text => encoding.literals(bytes)?,
            Ok(bytes) => encoding.documents(bytes)?,
            Err(error) => {
                let reason = opened::reason(error);
                encoding.diagnostics.unreadable(&encoding.name, &reason);
            }
        }
        if interrupt::is_requested() {
            encoding.diagnostics.interrupted(&encoding.name);
        }
        if let Ok(bytes) = &bytes {
            input::report_change(bytes, &encoding.name, encoding.diagnostics);
        }
        encoding.diagnostics.end_input(&encoding.name);
        let text = format!("values: {}", encoding.values.saturating_sub(values));
        encoding.diagnostics.detail(&encoding.name, &text);
    }
    Ok(encoding.encoder.finish(key.as_ref(), dialect, encoding.diagnostics)?)
}

/// The option for another dialect that can express a value.
fn advice(value: &Variant) -> String {
    let other = Dialect::ALL.iter().find(|dialect| gdwire::encode(**dialect, value).is_ok());
    other.map_or_else(String::new, |dialect| format!("; add --dialect {}", dialect.name()))
}

/// Says which value in a typed container has another type, if there is one.
fn foreign_element(value: &Variant) -> Option<String> {
    let look = |declared: &ElementType, element: &Variant| {
        let declared = match declared {
            ElementType::Any => return foreign_element(element),
            ElementType::Kind(kind) => *kind,
            _ => Kind::Object,
        };
        let kind = element.kind();
        if kind == declared || (declared, kind) == (Kind::Object, Kind::Nil) {
            return foreign_element(element);
        }
        Some(format!(
            "a container that is declared for values of type {declared} has one of type {kind}: engines \
             convert such a value, or leave it out"
        ))
    };
    match value {
        Variant::Array(array) | Variant::TypedArray(array) | Variant::PackedTypedArray(array) => {
            array.iter().find_map(|element| look(array.element_type(), element))
        }
        Variant::Dictionary(entries) => entries.iter().find_map(|(key, value)| {
            look(entries.key_type(), key).or_else(|| look(entries.value_type(), value))
        }),
        Variant::Object(Object::Instance(instance)) => {
            instance.properties.iter().find_map(|(_, value)| foreign_element(value))
        }
        _ => None,
    }
}

/// A text without the byte order mark that some editors put before it.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

struct Encoding<'d> {
    name: String,
    dialect: Dialect,
    /// Whether the user named the dialect.
    is_named: bool,
    encoder: Encoder,
    diagnostics: &'d mut Diagnostics,
    values: u64,
    /// Whether all literals of the file so far are native JSON as well, with the same values.
    may_be_native: bool,
    /// Whether Ctrl-C was pressed while the file was read. The values that were read before are
    /// still encoded.
    was_requested: bool,
}

impl Encoding<'_> {
    /// Whether the user has ended the run, so that the rest of the file is not encoded.
    fn is_interrupted(&self) -> bool {
        !self.was_requested && interrupt::is_requested()
    }

    /// The bytes of the file. If reading was interrupted, they may end within a line, which is left
    /// out: the first digits of a number are another number.
    fn arrived<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        let line = bytes.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let cut = if self.was_requested { line.len() } else { 0 };
        bytes.get(..bytes.len().saturating_sub(cut)).unwrap_or_default()
    }

    /// Whether a file is not text. If so, this is reported.
    fn is_binary(&mut self, bytes: &[u8]) -> bool {
        let look = if Capture::recognizes(bytes) {
            "a capture; 'gdwire decode' reads it".to_owned()
        } else if let Some(look) = input::known_format(bytes) {
            look.to_string()
        } else if bytes.iter().take(4).any(|byte| *byte == 0) {
            // The length of a frame, or the header of a raw value.
            "encoded values; 'gdwire decode' reads them".to_owned()
        } else {
            return false;
        };
        let problem = format!("cannot be encoded: this looks like {look}");
        self.diagnostics.failure(&self.name, &problem);
        true
    }

    /// Encodes literals one after the other. After a mistake, reading continues with the next line.
    fn literals(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        let mut cursor = LineCursor { bytes, offset: 0, line: 1, line_start: 0 };
        let mut rest = bytes;
        loop {
            let start = bytes.len().saturating_sub(rest.len());
            let error = match str::from_utf8(rest) {
                Ok(text) => return self.piece(&mut cursor, start, text, true),
                Err(error) => error,
            };
            let (text, wrong) = rest.split_at(error.valid_up_to());
            let text = str::from_utf8(text).unwrap_or_default();
            self.piece(&mut cursor, start, text, false)?;
            cursor.advance(start.saturating_add(text.len()));
            self.mistake(&cursor, &"not UTF-8");
            let Some(end) = wrong.iter().position(|byte| *byte == b'\n') else { return Ok(()) };
            rest = wrong.get(end..).unwrap_or_default();
        }
    }

    /// Encodes the literals in a piece of the file that starts at `start`. A piece other than the
    /// last one ends before a byte that is not UTF-8, which the caller reports.
    fn piece(
        &mut self,
        cursor: &mut LineCursor<'_>,
        start: usize,
        text: &str,
        is_end: bool,
    ) -> Result<(), RunError> {
        let mut rest = text.trim_ascii_start();
        while !rest.is_empty() && !self.is_interrupted() {
            let offset = start.saturating_add(text.len().saturating_sub(rest.len()));
            match text::parse_prefix_for(self.dialect, rest) {
                Ok((after, value)) => {
                    cursor.advance(offset);
                    let literal = rest.len().checked_sub(after.len()).and_then(|at| rest.get(..at));
                    self.compare_with_native(literal.unwrap_or(""), &value, cursor.line);
                    self.value(&value, cursor.line)?;
                    rest = after;
                }
                Err(error) => {
                    let wrong = rest.get(error.offset..).unwrap_or("");
                    let next = wrong.split_once('\n').map(|(_, next)| next);
                    if next.is_some() || is_end {
                        cursor.advance(offset.saturating_add(error.offset));
                        self.mistake(cursor, &error.problem);
                    }
                    rest = next.unwrap_or("");
                }
            }
            rest = rest.trim_ascii_start();
        }
        Ok(())
    }

    /// Warns once for each file of native JSON, most of which also is a literal of another value.
    fn compare_with_native(&mut self, literal: &str, value: &Variant, line: usize) {
        if !self.may_be_native {
            return;
        }
        let native = json::parse_for(self.dialect, literal.trim_ascii());
        self.may_be_native = native.as_ref().is_ok_and(|native| native == value);
        if native.is_ok() && !self.may_be_native {
            let text = "this looks like native JSON, but is read as text; add --input native \
                        if it is native JSON";
            self.diagnostics.warning(&self.name, &format_args!("line {line}: {text}"));
        }
    }

    /// Encodes JSON, one document per line.
    fn documents(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        for (line, document) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            let indent = document.len().saturating_sub(document.trim_ascii_start().len());
            let document = match str::from_utf8(document) {
                Ok(document) => document.trim_ascii(),
                Err(error) => {
                    let offset = error.valid_up_to();
                    let cursor = LineCursor { bytes: document, offset, line, line_start: 0 };
                    self.mistake(&cursor, &"not UTF-8");
                    continue;
                }
            };
            if document.is_empty() {
                continue;
            }
            if self.is_interrupted() {
                break;
            }
            match json::parse_for(self.dialect, document) {
                Ok(value) => self.value(&value, line)?,
                Err(error) => {
                    let column = error.column.saturating_add(indent);
                    let problem = format!("line {line}, column {column}: {}", error.problem);
                    self.diagnostics.failure(&self.name, &problem);
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, value: &Variant, line: usize) -> Result<(), RunError> {
        match self.encoder.write(self.dialect, value) {
            Ok(()) => {
                self.values = self.values.saturating_add(1);
                if let Some(problem) = foreign_element(value) {
                    self.diagnostics.warning(&self.name, &format_args!("line {line}: {problem}"));
                }
            }
            Err(SinkRefusal::Value(error)) => {
                let advice = if self.is_named { String::new() } else { advice(value) };
                self.failure(line, &format_args!("{error}{advice}"));
            }
            Err(SinkRefusal::Conversion(error)) => self.failure(line, &error),
            Err(SinkRefusal::Output(error)) => return Err(RunError::Output(error)),
        }
        Ok(())
    }

    fn failure(&mut self, line: usize, problem: &dyn Display) {
        self.diagnostics.failure(&self.name, &format_args!("line {line}: {problem}"));
    }

    fn mistake(&mut self, place: &LineCursor<'_>, problem: &dyn Display) {
        let (line, column) = (place.line, place.column());
        let problem = format!("line {line}, column {column}: {problem}");
        self.diagnostics.failure(&self.name, &problem);
    }
}

/// A place in a text that only moves forwards, with its line and column.
struct LineCursor<'t> {
    bytes: &'t [u8],
    offset: usize,
    line: usize,
    line_start: usize,
}

impl LineCursor<'_> {
    fn advance(&mut self, offset: usize) {
        let passed = self.bytes.get(self.offset..offset).unwrap_or_default();
        self.line = self.line.saturating_add(passed.iter().filter(|byte| **byte == b'\n').count());
        if let Some(end) = passed.iter().rposition(|byte| *byte == b'\n') {
            self.line_start = self.offset.saturating_add(end).saturating_add(1);
        }
        self.offset = offset;
    }

    /// The column in characters, from 1.
    fn column(&self) -> usize {
        let before = self.bytes.get(self.line_start..self.offset).unwrap_or_default();
        String::from_utf8_lossy(before).chars().count().saturating_add(1)
    }
}
