//! The writers of results: text, JSON and encoded values, on standard output or in a file.

use crate::Stop;
use crate::args::{Framing, OutputArgs};
use crate::diagnostics::Diagnostics;
use crate::plain::{name, reason};
use crate::saves::Out;
use crate::sink::Refusal;
use crate::target::{self, Replacement};
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use data_encoding::{BASE64, HEXLOWER};
use gdwire::diagnose::Severity;
use gdwire::save::Key;
use gdwire::text::{Palette, Role};
use gdwire::{Dialect, encode::Encode, encode_into};
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, LineWriter, Write, stdout};
use std::path::{Path, PathBuf};

/// Colours, or none.
#[derive(Clone, Copy, Default)]
pub(crate) struct Styles {
    pub(crate) dim: Style,
    pub(crate) address: Style,
    pub(crate) error: Style,
    pub(crate) warning: Style,
    /// The name of a file above its content, and the headers of tables.
    pub(crate) heading: Style,
    /// The colours of values and packets.
    pub(crate) palette: Palette<'static>,
}

impl Styles {
    /// Colours that can be read on dark and on light terminals. Nothing is said by colour alone.
    fn colored() -> Styles {
        let colors = [
            // Bold, as dark blue is hard to read on black.
            (Role::Key, "\x1b[1;34m"),
            (Role::String, "\x1b[32m"),
            (Role::Number, "\x1b[35m"),
            (Role::Constant, "\x1b[35m"),
            (Role::Path, "\x1b[36m"),
            (Role::Method, "\x1b[1m"),
            (Role::Omitted, "\x1b[2m"),
        ];
        let palette = Palette::new();
        Styles {
            dim: Style::new().dimmed(),
            address: Style::new(),
            error: AnsiColor::Red.on_default().bold(),
            warning: AnsiColor::Yellow.on_default().bold(),
            heading: Style::new().bold(),
            palette: colors.into_iter().fold(palette, |all, (role, start)| all.with(role, start)),
        }
    }

    pub(crate) const fn of(&self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            _ => self.address,
        }
    }
}

/// Standard output for text, and its colours.
pub(crate) fn text() -> (Box<dyn Write>, Styles) {
    let stdout = stdout();
    if AutoStream::choice(&stdout) == ColorChoice::Never {
        return (buffered(stdout.lock()), Styles::default());
    }
    (buffered(AutoStream::auto(stdout)), Styles::colored())
}

/// Standard output for JSON.
pub(crate) fn json() -> Box<dyn Write> {
    buffered(stdout().lock())
}

/// Writes line by line to a terminal, where errors stand between the lines; else in blocks.
fn buffered(out: impl Write + 'static) -> Box<dyn Write> {
    if stdout().is_terminal() {
        Box::new(LineWriter::new(out))
    } else {
        Box::new(BufWriter::with_capacity(1 << 16, out))
    }
}

/// Standard output for bytes, unless it is a terminal. `other` is what else the user can do.
pub(crate) fn bytes(other: &str) -> Result<Box<dyn Write>, Stop> {
    if stdout().is_terminal() {
        let message = format!("not writing bytes to a terminal; use -o FILE, a pipe{other}");
        return Err(Stop::Usage(message));
    }
    Ok(buffered(stdout().lock()))
}

/// Opens an output file. `files` are the inputs, which must not be overwritten.
pub(crate) fn open(
    path: &Path,
    files: &[PathBuf],
) -> Result<(BufWriter<File>, Option<Replacement>), Stop> {
    let own = fs::canonicalize(path).ok();
    if own.is_some() && files.iter().any(|file| fs::canonicalize(file).ok() == own) {
        let problem = "this file is an input too; name another file with -o";
        return Err(Stop::Usage(format!("{}: {problem}", name(path))));
    }
    target::open(path).map_err(|error| Stop::Usage(cannot_write(path, &error)))
}

/// Replaces the output file, if all inputs were read.
pub(crate) fn commit(
    replacement: Option<Replacement>,
    diagnostics: &Diagnostics,
) -> io::Result<()> {
    let Some(replacement) = replacement else { return Ok(()) };
    if diagnostics.has_unread() {
        diagnostics.note(&"the output file was not written, as an input was not read to its end");
        return Ok(());
    }
    replacement.commit()
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("{}: cannot write: {}", name(path), reason(error))
}

/// Writes values as bytes, to a file or standard output or, for a part of a capture, to memory.
pub(crate) struct Encoder<W = Out> {
    out: W,
    /// How many values were written.
    written: u64,
    replacement: Option<Replacement>,
    framing: Framing,
    bytes: Vec<u8>,
}

impl Encoder {
    /// Opens the output. `files` are the inputs, which must not be overwritten. The content of a save
    /// has at most `limit` bytes.
    pub(crate) fn open(
        args: &OutputArgs,
        files: &[PathBuf],
        limit: usize,
    ) -> Result<Encoder, Stop> {
        let is_binary = matches!(args.output, Framing::Framed | Framing::Raw);
        let mut replacement = None;
        let out: Box<dyn Write> = match &args.file {
            Some(path) => {
                let (file, replaced) = open(path, files)?;
                replacement = replaced;
                Box::new(file)
            }
            None if is_binary => bytes(" or --output hex")?,
            None => buffered(stdout().lock()),
        };
        let out = Out::new(out, args, limit)?;
        Ok(Encoder { out, written: 0, replacement, framing: args.output, bytes: Vec::new() })
    }

    /// Writes what a part of the work wrote.
    pub(crate) fn append(&mut self, part: &Encoder<Vec<u8>>) -> io::Result<()> {
        self.written = self.written.saturating_add(part.written);
        self.out.write_all(&part.out)
    }

    /// Leaves the output file as it was, and says so.
    pub(crate) fn discard(mut self, diagnostics: &Diagnostics) -> io::Result<()> {
        if self.replacement.is_some() {
            diagnostics.note(&"the output file was not written, as there are no values");
        }
        self.out.flush()
    }

    /// Writes what is still buffered, as a save for the engine of a dialect if that is what the
    /// options say. The output file is replaced only if all inputs were read.
    pub(crate) fn finish(
        self,
        key: Option<&Key>,
        dialect: Dialect,
        diagnostics: &Diagnostics,
    ) -> io::Result<()> {
        self.out.finish(key, dialect)?;
        commit(self.replacement, diagnostics)
    }
}

impl Encoder<Vec<u8>> {
    pub(crate) const fn in_memory(framing: Framing) -> Encoder<Vec<u8>> {
        Encoder { out: Vec::new(), written: 0, replacement: None, framing, bytes: Vec::new() }
    }

    /// How many bytes were written.
    pub(crate) const fn len(&self) -> usize {
        self.out.len()
    }
}

impl<W: Write> Encoder<W> {
    pub(crate) fn write(&mut self, dialect: Dialect, value: &impl Encode) -> Result<(), Refusal> {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        encode_into(dialect, value, &mut bytes).map_err(Refusal::Value)?;
        self.write_bytes(&bytes)?;
        self.bytes = bytes;
        Ok(())
    }

    /// Writes the bytes of a value.
    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written = self.written.saturating_add(1);
        let out = &mut self.out;
        match self.framing {
            Framing::Framed => {
                let length = u32::try_from(bytes.len());
                let length = length.map_err(|error| io::Error::new(ErrorKind::FileTooLarge, error));
                out.write_all(&length?.to_le_bytes())?;
                out.write_all(bytes)?;
            }
            Framing::Raw => out.write_all(bytes)?,
            Framing::Hex => writeln!(out, "{}", HEXLOWER.encode_display(bytes))?,
            Framing::Base64 => writeln!(out, "{}", BASE64.encode_display(bytes))?,
        }
        Ok(())
    }

    /// Writes the line for a line of input that is not a value. Returns false if the output has no
    /// lines.
    pub(crate) fn error_line(&mut self, reason: &dyn std::fmt::Display) -> io::Result<bool> {
        match self.framing {
            Framing::Framed | Framing::Raw => Ok(false),
            Framing::Hex | Framing::Base64 => {
                writeln!(self.out, "error: {reason}")?;
                Ok(true)
            }
        }
    }

    /// Whether no value was written.
    pub(crate) const fn is_empty(&self) -> bool {
        self.written == 0
    }

    /// Writes what is buffered.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
