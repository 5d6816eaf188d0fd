//! The options that give a password or a key. Nothing shows what they give: not even errors about it.

use crate::Stop;
use crate::plain::{is_stdin, name, reason};
use clap::Args;
use data_encoding::HEXLOWER_PERMISSIVE;
use gdwire::save::Key;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// How many bytes the first line of a file with a password has at most.
const LONGEST: u64 = 64 << 10;

/// The key of encrypted inputs.
#[derive(Args)]
pub(crate) struct KeyArgs {
    /// Decrypt saves with this password
    ///
    /// Other users of this computer may see the options of a command; --password-file hides the
    /// password from them. Without a password or key, gdwire asks for one on a terminal.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["password_file", "key"])]
    password: Option<String>,
    /// Decrypt saves with the password in the first line of this file; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    password_file: Option<PathBuf>,
    /// Decrypt saves with this key of 32 bytes, as 64 hex digits: what the game passes to open_encrypted
    #[arg(long, value_name = "HEX")]
    key: Option<String>,
}

impl KeyArgs {
    pub(crate) fn read(&self) -> Result<Option<Key>, Stop> {
        key(self.password.as_deref(), self.password_file.as_deref(), self.key.as_deref())
    }
}

/// The key of an encrypted output, if it is not that of the inputs.
#[derive(Args)]
pub(crate) struct NewKeyArgs {
    /// Encrypt with this password instead of the one of the input (needs --encrypt)
    ///
    /// Other users of this computer may see it; --new-password-file hides it from them.
    #[arg(long, value_name = "TEXT", requires = "encrypt", conflicts_with_all = ["new_password_file", "new_key"])]
    new_password: Option<String>,
    /// Encrypt with the password in the first line of this file (needs --encrypt)
    #[arg(long, value_name = "FILE", requires = "encrypt", conflicts_with = "new_key")]
    new_password_file: Option<PathBuf>,
    /// Encrypt with this key of 32 bytes, as 64 hex digits (needs --encrypt)
    #[arg(long, value_name = "HEX", requires = "encrypt")]
    new_key: Option<String>,
}

impl NewKeyArgs {
    pub(crate) fn read(&self) -> Result<Option<Key>, Stop> {
        let file = self.new_password_file.as_deref();
        key(self.new_password.as_deref(), file, self.new_key.as_deref())
    }
}

/// The key that one of three options gives.
fn key(
    password: Option<&str>,
    file: Option<&Path>,
    digits: Option<&str>,
) -> Result<Option<Key>, Stop> {
    if let Some(file) = file {
        let unreadable = |error| Stop::Usage(format!("{}: {}", name(file), reason(&error)));
        return Ok(Some(Key::from_password(&first_line(file).map_err(unreadable)?)));
    }
    let Some(digits) = digits else { return Ok(password.map(Key::from_password)) };
    let bytes = HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok();
    match bytes.and_then(|bytes| bytes.try_into().ok()) {
        Some(key) => Ok(Some(Key::new(key))),
        None => Err(Stop::Usage("--key and --new-key need 64 hex digits".to_owned())),
    }
}

/// The first line of a file, without its end.
fn first_line(path: &Path) -> io::Result<String> {
    let mut line = String::new();
    let read = if is_stdin(path) {
        io::stdin().lock().take(LONGEST).read_line(&mut line)?
    } else {
        BufReader::new(File::open(path)?).take(LONGEST).read_line(&mut line)?
    };
    if read as u64 == LONGEST {
        return Err(io::Error::new(
            ErrorKind::FileTooLarge,
            "the first line is longer than a password may be",
        ));
    }
    let end = line.trim_end_matches(['\r', '\n']).len();
    line.truncate(end);
    Ok(line)
}
