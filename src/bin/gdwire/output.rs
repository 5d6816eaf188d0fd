//! Writes results to standard output or a file.
//!
//! Text and JSON are written as they are, and values as bytes ([`Encoder`]). A file is replaced
//! after everything is written.

use crate::args::{OutputArgs, OutputFormat};
use crate::diagnostics::{Diagnostics, RunError};
use crate::interrupt::TemporaryFile;
use crate::opened::{self, is_stdin, name, reason};
use crate::saves::SaveOutput;
use crate::sink::SinkRefusal;
use crate::terminal::Styles;
use anstream::{AutoStream, ColorChoice};
use data_encoding::{BASE64, HEXLOWER};
use gdwire::capture::PacketWriter;
use gdwire::encode::Encode;
use gdwire::save::EncryptionKey;
use gdwire::{Dialect, encode_into};
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, LineWriter, Write, stdout};
use std::path::{Path, PathBuf};

/// Standard output for text, and its colours.
pub fn text() -> (Box<dyn Write>, Styles) {
    let stdout = stdout();
    if AutoStream::choice(&stdout) == ColorChoice::Never {
        return (buffered(stdout.lock()), Styles::default());
    }
    (buffered(AutoStream::auto(stdout)), Styles::colored())
}

/// Standard output for JSON.
pub fn json() -> Box<dyn Write> {
    buffered(stdout().lock())
}

/// Writes line by line to a terminal, so that errors appear after the lines before them; otherwise
/// in blocks.
fn buffered(out: impl Write + 'static) -> Box<dyn Write> {
    if stdout().is_terminal() {
        Box::new(LineWriter::new(out))
    } else {
        Box::new(BufWriter::with_capacity(1 << 16, out))
    }
}

/// Standard output for bytes, unless it is a terminal. The error then also shows `other`, another
/// thing that the user can do.
pub fn bytes(other: &str) -> Result<Box<dyn Write>, RunError> {
    if stdout().is_terminal() {
        let message = format!("not writing bytes to a terminal; use -o FILE, a pipe{other}");
        return Err(message.into());
    }
    Ok(buffered(stdout().lock()))
}

const NOT_READ: &str = "the output file was not written, as an input was not read to its end";

/// The inputs of the run that an output file may replace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// No input.
    Other,
    /// The only input: the output is a file of the same sort.
    OnlyInput,
}

/// Opens an output file. The run must have noted the files that it reads.
fn open_file(
    path: &Path,
    replaced: Replaced,
) -> Result<(BufWriter<File>, Option<Replacement>), RunError> {
    if opened::is_read(path, replaced == Replaced::OnlyInput) {
        let problem = "gdwire also reads this file; name another file with -o";
        return Err(format!("{}: {problem}", name(path)).into());
    }
    open_replacement(path).map_err(|error| RunError::Usage(cannot_write(path, &error)))
}

/// Opens an output file, or standard output for bytes if there is none. If that is a terminal, the
/// error also shows `other`, another thing that the user can do.
pub fn open_or_stdout(
    path: Option<&Path>,
    replaced: Replaced,
    other: &str,
) -> Result<(Box<dyn Write>, Option<Replacement>), RunError> {
    match path.filter(|path| !is_stdin(path)) {
        Some(path) => {
            let (file, replacement) = open_file(path, replaced)?;
            Ok((Box::new(file), replacement))
        }
        None => Ok((bytes(other)?, None)),
    }
}

/// Writes a whole file.
pub fn write(path: &Path, content: &[u8]) -> Result<(), RunError> {
    let write = || {
        let (mut out, replacement) = open_replacement(path)?;
        out.write_all(content)?;
        out.flush()?;
        replacement.map_or(Ok(()), Replacement::commit)
    };
    write().map_err(|error| RunError::Usage(cannot_write(path, &error)))
}

/// Replaces the output file, if all inputs were read.
pub fn commit(replacement: Option<Replacement>, diagnostics: &Diagnostics) -> io::Result<()> {
    let Some(replacement) = replacement else { return Ok(()) };
    if diagnostics.has_unread() {
        diagnostics.note(&NOT_READ);
        return Ok(());
    }
    replacement.commit()
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("{}: cannot write: {}", name(path), reason(error))
}

/// The most links that lead to a file, one to the next.
const LINKS: usize = 40;

/// A temporary file that replaces the output file when everything is written. Until then the old
/// file can be read, under any of its names. If the run fails, the old file stays.
pub struct Replacement {
    written: TemporaryFile,
    target: PathBuf,
}

/// Opens a file to write. A pipe or a device is written to directly.
pub fn open_replacement(path: &Path) -> io::Result<(BufWriter<File>, Option<Replacement>)> {
    let (target, replaced) = match File::options().write(true).open(path) {
        Ok(file) => {
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Ok((BufWriter::new(file), None));
            }
            // The file that a link points to is replaced, not the link.
            (fs::canonicalize(path)?, Some(metadata))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => (end_of_links(path)?, None),
        Err(error) => return Err(error),
    };
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // Its name does not contain that of the target, which may be as long as names can be.
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gdwire-").suffix(".tmp");
    let file = builder.make_in(folder, |path| create(path, replaced.is_some()))?;
    let (file, written) = file.keep().map_err(|error| error.error)?;
    let replacement = Replacement { written: TemporaryFile::new(written), target };
    if let Some(replaced) = replaced {
        take_access(&file, &replaced)?;
    }
    Ok((BufWriter::new(file), Some(replacement)))
}

/// The file that does not exist yet and that links lead to, as other programs create it.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::other("too many links lead to the file"))
}

/// Creates a capture file for packets that are recorded. A file that exists is not overwritten.
pub fn recording(path: &Path) -> Result<PacketWriter<BufWriter<File>>, String> {
    let file = File::create_new(path).map(BufWriter::new).and_then(PacketWriter::new);
    file.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            format!("{}: the file exists, and recordings overwrite none; name another", name(path))
        }
        _ => format!("{}: cannot be created: {}", name(path), reason(&error)),
    })
}

/// Creates a file: an ordinary new one, or one that only this user can read at first, because the
/// file that it replaces may have few readers.
fn create(path: &Path, is_private: bool) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if is_private { 0o600 } else { 0o666 });
    #[cfg(not(unix))]
    let _ = is_private;
    options.open(path)
}

/// Gives the temporary file the permissions of the file that it replaces and, as far as this user
/// may do that, its owner and group.
fn take_access(file: &File, replaced: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let group = Some(replaced.gid());
        fchown(file, Some(replaced.uid()), group).or_else(|_| fchown(file, None, group)).ok();
    }
    file.set_permissions(replaced.permissions())
}

impl Replacement {
    /// Replaces the old file.
    pub fn commit(self) -> io::Result<()> {
        fs::rename(self.written.path(), &self.target)
    }
}

/// Writes values as bytes: to a file, to standard output or, for the part of a thread, to memory.
pub struct Encoder<W = SaveOutput> {
    out: W,
    /// How many values were written.
    written: u64,
    replacement: Option<Replacement>,
    /// Whether the output is written although values are missing.
    skips_errors: bool,
    framing: OutputFormat,
    bytes: Vec<u8>,
}

impl Encoder {
    /// Opens the output. The content of a compressed or encrypted save has at most `limit` bytes.
    pub fn open(args: &OutputArgs, replaced: Replaced, limit: usize) -> Result<Encoder, RunError> {
        let has_lines = matches!(args.output, OutputFormat::Hex | OutputFormat::Base64);
        let path = args.file.as_deref().filter(|path| !is_stdin(path));
        let (out, replacement) = match path {
            None if has_lines => (buffered(stdout().lock()), None),
            path => open_or_stdout(path, replaced, " or --output hex")?,
        };
        let out = SaveOutput::new(out, args, limit)?;
        let (framing, skips_errors) = (args.output, args.skip_errors);
        Ok(Encoder { out, written: 0, replacement, skips_errors, framing, bytes: Vec::new() })
    }

    /// Adds the output of a part of the work.
    pub fn append(&mut self, part: &Encoder<Vec<u8>>) -> io::Result<()> {
        self.written = self.written.saturating_add(part.written);
        self.out.write_all(&part.out)
    }

    /// Leaves the output file as it was, and reports that.
    pub fn discard(mut self, diagnostics: &Diagnostics) -> io::Result<()> {
        if self.replacement.is_some() {
            diagnostics.note(&"the output file was not written, as there are no values");
        }
        self.out.flush()
    }

    /// Writes the remaining bytes: as a save for the engine of a dialect, if the options ask for a
    /// compressed or encrypted one. A file or such a save is written only if it has all values.
    pub fn finish(
        self,
        key: Option<&EncryptionKey>,
        dialect: Dialect,
        diagnostics: &Diagnostics,
    ) -> io::Result<()> {
        let is_complete =
            !diagnostics.has_unread() && (self.skips_errors || !diagnostics.has_errors());
        if is_complete && self.is_empty() && self.replacement.is_some() {
            return self.discard(diagnostics);
        }
        let Encoder { mut out, replacement, .. } = self;
        if is_complete {
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
    pub const fn in_memory(framing: OutputFormat) -> Encoder<Vec<u8>> {
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
    pub const fn len(&self) -> usize {
        self.out.len()
    }
}

impl<W: Write> Encoder<W> {
    pub fn write(&mut self, dialect: Dialect, value: &impl Encode) -> Result<(), SinkRefusal> {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        encode_into(dialect, value, &mut bytes).map_err(SinkRefusal::Value)?;
        self.write_bytes(&bytes)?;
        self.bytes = bytes;
        Ok(())
    }

    /// Writes the bytes of a value.
    pub fn write_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += 1;
        let out = &mut self.out;
        match self.framing {
            OutputFormat::Framed => {
                let length = u32::try_from(bytes.len());
                let length = length.map_err(|error| io::Error::new(ErrorKind::FileTooLarge, error));
                out.write_all(&length?.to_le_bytes())?;
                out.write_all(bytes)?;
            }
            OutputFormat::Raw => out.write_all(bytes)?,
            OutputFormat::Hex => writeln!(out, "{}", HEXLOWER.encode_display(bytes))?,
            OutputFormat::Base64 => writeln!(out, "{}", BASE64.encode_display(bytes))?,
        }
        Ok(())
    }

    /// Writes the line for a line of input that is not a value. Returns false if the output has no
    /// lines.
    pub fn error_line(&mut self, reason: &dyn std::fmt::Display) -> io::Result<bool> {
        match self.framing {
            OutputFormat::Framed | OutputFormat::Raw => Ok(false),
            OutputFormat::Hex | OutputFormat::Base64 => {
                writeln!(self.out, "error: {reason}")?;
                Ok(true)
            }
        }
    }

    /// Whether no value was written.
    pub const fn is_empty(&self) -> bool {
        self.written == 0
    }

    /// Writes the buffered bytes.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
