//! Writes compressed and encrypted saves.

use crate::args::{Framing, OutputArgs};
use crate::stop::Stop;
use gdwire::Dialect;
use gdwire::save::{Compression, Encryption, Key, PackOptions};
use std::io::{self, ErrorKind, Write};

/// The output. Results are written at once, or collected for a compressed or encrypted save, whose
/// header depends on the whole content.
pub(crate) enum Out {
    Plain(Box<dyn Write>),
    Packed { out: Box<dyn Write>, content: Vec<u8>, limit: usize, compression: Option<Compression> },
}

impl Out {
    /// An output for these options. At most `limit` bytes are collected.
    pub(crate) fn new(out: Box<dyn Write>, args: &OutputArgs, limit: usize) -> Result<Out, Stop> {
        if args.compress.is_none() && !args.encrypt {
            return Ok(Out::Plain(out));
        }
        if !matches!(args.output, Framing::Framed | Framing::Raw) {
            let problem = "--compress and --encrypt need --output framed or raw";
            return Err(Stop::Usage(problem.to_owned()));
        }
        Ok(Out::Packed { out, content: Vec::new(), limit, compression: args.compress })
    }

    /// Whether the output is a compressed or encrypted save, of which nothing is written yet.
    pub(crate) const fn is_packed(&self) -> bool {
        matches!(self, Out::Packed { .. })
    }

    /// Writes the collected bytes, encrypted if there is a key, for the engine of a dialect.
    pub(crate) fn finish(self, key: Option<&Key>, dialect: Dialect) -> io::Result<()> {
        match self {
            Out::Plain(mut out) => out.flush(),
            Out::Packed { mut out, content, compression, .. } => {
                let mut options = PackOptions::new();
                if let Some(compression) = compression {
                    options = options.with_compression(compression);
                }
                if let Some(key) = key {
                    let mut vector = [0; 16];
                    getrandom::fill(&mut vector)?;
                    options = options.with_encryption(key, Encryption::of(dialect, vector));
                }
                gdwire::save::write(&mut out, &content, options)?;
                out.flush()
            }
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Plain(out) => out.write(bytes),
            Out::Packed { content, limit, .. } => {
                if content.len().saturating_add(bytes.len()) > *limit {
                    let problem = format!("the content of the save has more than {limit} bytes");
                    return Err(io::Error::new(ErrorKind::FileTooLarge, problem));
                }
                content.write(bytes)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Plain(out) => out.flush(),
            Out::Packed { .. } => Ok(()),
        }
    }
}
