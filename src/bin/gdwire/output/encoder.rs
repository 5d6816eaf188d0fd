//! Writes values as bytes, hex or base64.

use super::file::{NOT_READ, Replaced, open};
use super::replacement::Replacement;
use super::stdout::{buffered, bytes};
use crate::args::{Framing, OutputArgs};
use crate::diagnostics::Diagnostics;
use crate::plain::is_stdin;
use crate::saves::Out;
use crate::sink::Refusal;
use crate::stop::Stop;
use data_encoding::{BASE64, HEXLOWER};
use gdwire::save::Key;
use gdwire::{Dialect, encode::Encode, encode_into};
use std::io::{self, ErrorKind, Write, stdout};

/// Writes values as bytes: to a file, to standard output or, for the part of a thread, to memory.
pub(crate) struct Encoder<W = Out> {
    out: W,
    /// How many values were written.
    written: u64,
    replacement: Option<Replacement>,
    /// Whether the output is written although values are missing.
    skips_errors: bool,
    framing: Framing,
    bytes: Vec<u8>,
}

impl Encoder {
    /// Opens the output. The content of a compressed or encrypted save has at most `limit` bytes.
    pub(crate) fn open(
        args: &OutputArgs,
        replaced: Replaced,
        limit: usize,
    ) -> Result<Encoder, Stop> {
        let is_binary = matches!(args.output, Framing::Framed | Framing::Raw);
        let mut replacement = None;
        let out: Box<dyn Write> = match args.file.as_deref().filter(|path| !is_stdin(path)) {
            Some(path) => {
                let (file, opened) = open(path, replaced)?;
                replacement = opened;
                Box::new(file)
            }
            None if is_binary => bytes(" or --output hex")?,
            None => buffered(stdout().lock()),
        };
        let out = Out::new(out, args, limit)?;
        let (framing, skips_errors) = (args.output, args.skip_errors);
        Ok(Encoder { out, written: 0, replacement, skips_errors, framing, bytes: Vec::new() })
    }

    /// Adds the output of a part of the work.
    pub(crate) fn append(&mut self, part: &Encoder<Vec<u8>>) -> io::Result<()> {
        self.written = self.written.saturating_add(part.written);
        self.out.write_all(&part.out)
    }

    /// Leaves the output file as it was, and reports that.
    pub(crate) fn discard(mut self, diagnostics: &Diagnostics) -> io::Result<()> {
        if self.replacement.is_some() {
            diagnostics.note(&"the output file was not written, as there are no values");
        }
        self.out.flush()
    }

    /// Writes the remaining bytes: as a save for the engine of a dialect, if the options ask for a
    /// compressed or encrypted one. A file or such a save is written only if it has all values.
    pub(crate) fn finish(
        self,
        key: Option<&Key>,
        dialect: Dialect,
        diagnostics: &Diagnostics,
    ) -> io::Result<()> {
        let Encoder { mut out, replacement, skips_errors, .. } = self;
        if !diagnostics.has_unread() && (skips_errors || !diagnostics.has_errors()) {
            out.finish(key, dialect)?;
            return replacement.map_or(Ok(()), Replacement::commit);
        }
        if replacement.is_none() && !out.is_packed() {
            return out.flush();
        }
        diagnostics.note(if diagnostics.has_unread() {
            &NOT_READ
        } else {
            &"the output file was not written, as values are missing; --skip-errors writes the \
              others"
        });
        Ok(())
    }
}

impl Encoder<Vec<u8>> {
    pub(crate) const fn in_memory(framing: Framing) -> Encoder<Vec<u8>> {
        Encoder {
            out: Vec::new(),
            written: 0,
            replacement: None,
            skips_errors: false,
            framing,
            bytes: Vec::new(),
        }
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
