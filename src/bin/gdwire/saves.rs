//! Reads and writes compressed and encrypted saves.
//!
//! [`Saves`] turns the bytes of inputs into their content; [`SaveOutput`] turns encoded values into a
//! save. Keys are read from options or from the terminal.

use crate::args::{KeyArgs, NewKeyArgs, OutputArgs, OutputFormat, SaveArgs};
use crate::diagnostics::{Diagnostics, RunError};
use crate::interrupt;
use crate::opened::{self, is_stdin, name, reason};
use crate::terminal::plain;
use data_encoding::HEXLOWER_PERMISSIVE;
use gdwire::Dialect;
use gdwire::save::{
    Compression, Encryption, EncryptionKey, Error, Layer, PackOptions, Problem, UnpackOptions,
    unpack_layers,
};
use std::io::{self, BufRead, BufReader, ErrorKind, IsTerminal, Read, Write};
use std::path::Path;

/// A first line of a password file that reaches this length, in bytes, is refused.
const LONGEST: u64 = 64 << 10;

impl KeyArgs {
    pub fn read(&self) -> Result<Option<EncryptionKey>, RunError> {
        key(self.password.as_deref(), self.password_file.as_deref(), self.key.as_deref())
    }
}

impl NewKeyArgs {
    pub fn read(&self) -> Result<Option<EncryptionKey>, RunError> {
        let file = self.new_password_file.as_deref();
        key(self.new_password.as_deref(), file, self.new_key.as_deref())
    }
}

/// The key from the one of three options that is given.
fn key(
    password: Option<&str>,
    file: Option<&Path>,
    digits: Option<&str>,
) -> Result<Option<EncryptionKey>, RunError> {
    if let Some(file) = file {
        let unreadable = |error| RunError::Usage(format!("{}: {}", name(file), reason(&error)));
        return Ok(Some(EncryptionKey::from_password(&first_line(file).map_err(unreadable)?)));
    }
    let Some(digits) = digits else { return Ok(password.map(EncryptionKey::from_password)) };
    let bytes = HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok();
    match bytes.and_then(|bytes| bytes.try_into().ok()) {
        Some(key) => Ok(Some(EncryptionKey::new(key))),
        None => Err("--key and --new-key need 64 hex digits".into()),
    }
}

/// The first line of a file, without its end and the mark of UTF-8 that some editors write before it.
fn first_line(path: &Path) -> io::Result<String> {
    let mut line = String::new();
    let read = interrupt::end_at_once_during(|| {
        if is_stdin(path) {
            opened::stdin();
            io::stdin().lock().take(LONGEST).read_line(&mut line)
        } else {
            BufReader::new(opened::open(path)?).take(LONGEST).read_line(&mut line)
        }
    })?;
    if read as u64 == LONGEST {
        return Err(io::Error::new(
            ErrorKind::FileTooLarge,
            "the first line is too long for a password",
        ));
    }
    let line = line.trim_end_matches(['\r', '\n']);
    match line.strip_prefix('\u{feff}').unwrap_or(line) {
        "" => Err(io::Error::new(ErrorKind::InvalidData, "the first line, the password, is empty")),
        line => Ok(line.to_owned()),
    }
}

/// Whether a user can be asked: standard input and standard error are a terminal.
pub fn can_ask() -> bool {
    cfg!(unix) && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks twice for the password of a file that will be written.
pub fn ask_new() -> Result<String, String> {
    let password = ask("New password: ")?;
    if ask("The same again: ")? == password {
        Ok(password)
    } else {
        Err("the two passwords differ".to_owned())
    }
}

/// Asks for a password.
pub fn ask(question: &str) -> Result<String, String> {
    match hidden(&plain(question)) {
        Ok(Some(password)) => Ok(password),
        Ok(None) => Err("no password was entered".to_owned()),
        Err(error) => Err(format!("cannot ask for a password: {error}")),
    }
}

/// Reads a line without showing it. `None` if the user ends the input or presses Ctrl-C.
///
/// The crates for this are not used: after a first Ctrl-C, which does not end this program at once,
/// they still wait for the whole line, and a second Ctrl-C leaves the terminal without echo.
#[cfg(unix)]
fn hidden(question: &str) -> io::Result<Option<String>> {
    use crate::diagnostics;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
    use std::io::{Stdin, Write, stderr};

    struct HiddenInput(Stdin, Termios);

    impl Drop for HiddenInput {
        fn drop(&mut self) {
            // If the terminal is gone, there is nothing to restore.
            tcsetattr(&self.0, OptionalActions::Now, &self.1).ok();
            drop(writeln!(stderr()));
        }
    }

    diagnostics::flush();
    let stdin = io::stdin();
    let shown = tcgetattr(&stdin)?;
    let mut silent = shown.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Flush, &silent)?;
    let silent = HiddenInput(stdin, shown);
    write!(stderr(), "{question}")?;
    // A signal that arrives just before `poll` does not interrupt it, so the wait is short.
    let step = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    loop {
        match poll(&mut [PollFd::new(&silent.0, PollFlags::IN)], Some(&step)) {
            _ if interrupt::is_requested() => return Ok(None),
            Err(Errno::INTR) | Ok(0) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => break,
        }
    }
    let mut line = String::new();
    if silent.0.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(Some(line))
}

#[cfg(not(unix))]
fn hidden(_: &str) -> io::Result<Option<String>> {
    Err(io::ErrorKind::Unsupported.into())
}

impl SaveArgs {
    pub fn read(&self) -> Result<Saves, RunError> {
        let key = self.keys.read()?;
        let is_given = key.is_some();
        Ok(Saves { key, is_given, is_used: false, max_len: self.max_unpacked })
    }
}

/// Unpacks saves, with a key that the user gave or is asked for.
pub struct Saves {
    key: Option<EncryptionKey>,
    /// Whether an option gave the key.
    is_given: bool,
    /// Whether an input was encrypted.
    is_used: bool,
    max_len: usize,
}

impl Saves {
    /// The content of a compressed or encrypted file, or why it cannot be unpacked.
    pub fn unpack(&mut self, file: &[u8], name: &str) -> Result<Vec<u8>, String> {
        self.unpack_layers(file, name).map(|(content, _)| content)
    }

    /// The same, and how the file was compressed and encrypted.
    pub fn unpack_layers(
        &mut self,
        file: &[u8],
        name: &str,
    ) -> Result<(Vec<u8>, Vec<Layer>), String> {
        match self.attempt(file) {
            Err(error) if error.problem == Problem::NoKey && can_ask() => {
                self.key =
                    Some(EncryptionKey::from_password(&ask(&format!("Password of {name}: "))?));
                self.attempt(file)
            }
            attempt => attempt,
        }
        .map_err(|error| self.describe(&error))
    }

    fn attempt(&mut self, file: &[u8]) -> Result<(Vec<u8>, Vec<Layer>), Error> {
        let options = UnpackOptions::new().with_max_len(self.max_len);
        match unpack_layers(file, options) {
            Err(error) if error.problem == Problem::NoKey => {
                let Some(key) = &self.key else { return Err(error) };
                self.is_used = true;
                unpack_layers(file, options.with_key(key))
            }
            result => result,
        }
    }

    fn describe(&self, error: &Error) -> String {
        match &error.problem {
            Problem::TooLong { .. } => format!("{error}; --max-unpacked sets another"),
            // The offset of this error would not help the user.
            Problem::NoKey => "the file is encrypted; give its password with --password or \
                               --password-file, or its key with --key"
                .to_owned(),
            problem @ Problem::WrongKey => problem.to_string(),
            _ => format!("the save cannot be unpacked: {error}"),
        }
    }

    /// How many bytes the content of a save may have.
    pub fn max_len(&self) -> usize {
        self.max_len
    }

    /// Makes sure that there will be a key to encrypt the output with. This uses the given key even
    /// if no input is encrypted.
    pub fn will_encrypt(&mut self) -> Result<(), RunError> {
        self.is_used = true;
        if self.key.is_some() || can_ask() { Ok(()) } else { Err(no_key_to_encrypt()) }
    }

    /// The key to encrypt the output with: the one that decrypted the inputs, or a new one.
    pub fn key_to_encrypt(self) -> Result<EncryptionKey, RunError> {
        self.key.map_or_else(key_to_encrypt, Ok)
    }

    /// The key that was given or asked for.
    pub const fn used_key(&self) -> Option<&EncryptionKey> {
        self.key.as_ref()
    }

    /// Reports a key that no input needed.
    pub fn conclude(&self, diagnostics: &Diagnostics) {
        if self.is_given && !self.is_used {
            diagnostics.note(&"the password or key was not used, as no input is encrypted");
        }
    }
}

/// Asks for the key of an output.
pub fn key_to_encrypt() -> Result<EncryptionKey, RunError> {
    if !can_ask() {
        return Err(no_key_to_encrypt());
    }
    let password = ask_new().map_err(RunError::Usage)?;
    Ok(EncryptionKey::from_password(&password))
}

fn no_key_to_encrypt() -> RunError {
    "--encrypt needs --password, --password-file or --key".into()
}

/// The output. Results are written at once, or collected for a compressed or encrypted save, whose
/// header depends on the whole content.
pub enum SaveOutput {
    Plain(Box<dyn Write>),
    Packed { out: Box<dyn Write>, content: Vec<u8>, limit: usize, compression: Option<Compression> },
}

impl SaveOutput {
    /// An output for these options. At most `limit` bytes are collected.
    pub fn new(
        out: Box<dyn Write>,
        args: &OutputArgs,
        limit: usize,
    ) -> Result<SaveOutput, RunError> {
        if args.compress.is_none() && !args.encrypt {
            return Ok(SaveOutput::Plain(out));
        }
        if !matches!(args.output, OutputFormat::Framed | OutputFormat::Raw) {
            let problem = "--compress and --encrypt need --output framed or raw";
            return Err(RunError::Usage(problem.to_owned()));
        }
        Ok(SaveOutput::Packed { out, content: Vec::new(), limit, compression: args.compress })
    }

    /// Whether the output is a compressed or encrypted save, of which nothing is written yet.
    pub const fn is_packed(&self) -> bool {
        matches!(self, SaveOutput::Packed { .. })
    }

    /// Writes the collected bytes, encrypted if there is a key, for the engine of a dialect.
    pub fn finish(self, key: Option<&EncryptionKey>, dialect: Dialect) -> io::Result<()> {
        match self {
            SaveOutput::Plain(mut out) => out.flush(),
            SaveOutput::Packed { mut out, content, compression, .. } => {
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

impl Write for SaveOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            SaveOutput::Plain(out) => out.write(bytes),
            SaveOutput::Packed { content, limit, .. } => {
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
            SaveOutput::Plain(out) => out.flush(),
            SaveOutput::Packed { .. } => Ok(()),
        }
    }
}
