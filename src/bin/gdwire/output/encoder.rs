//! Writes values as bytes, hex or base64.

use super::file::{commit, open};
use super::replacement::Replacement;
use super::stdout::{buffered, bytes};
use crate::args::{Framing, OutputArgs};
use crate::diagnostics::Diagnostics;
use crate::saves::Out;
use crate::sink::Refusal;
use crate::stop::Stop;
use data_encoding::{BASE64, HEXLOWER};
use gdwire::save::Key;
use gdwire::{Dialect, encode::Encode, encode_into};
use std::io::{self, ErrorKind, Write, stdout};
use std::path::PathBuf;

/// Writes values as bytes: to a file, to standard output or, for the part of a thread, to memory.
pub(crate) struct Encoder<W = Out> {
    out: W,
    /// How many values were written.
    written: u64,
    replacement: Option<Replacement>,
    framing: Framing,
    bytes: Vec<u8>,
}

impl Encoder {
    /// Opens the output. `files` are the inputs, which must not be overwritten. The content of a
    /// compressed or encrypted save has at most `limit` bytes.
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
    /// compressed or encrypted one. The output file is replaced only if all inputs were read.
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
