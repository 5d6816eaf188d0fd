//! Reads the password or key from the options. No error shows a part of it.

use crate::args::{KeyArgs, NewKeyArgs};
use crate::opened;
use crate::plain::{is_stdin, name, reason};
use crate::stop::Stop;
use data_encoding::HEXLOWER_PERMISSIVE;
use gdwire::save::Key;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

/// A first line of a password file that reaches this length, in bytes, is refused.
const LONGEST: u64 = 64 << 10;

impl KeyArgs {
    pub(crate) fn read(&self) -> Result<Option<Key>, Stop> {
        key(self.password.as_deref(), self.password_file.as_deref(), self.key.as_deref())
    }
}

impl NewKeyArgs {
    pub(crate) fn read(&self) -> Result<Option<Key>, Stop> {
        let file = self.new_password_file.as_deref();
        key(self.new_password.as_deref(), file, self.new_key.as_deref())
    }
}

/// The key from the one of three options that is given.
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
        opened::stdin();
        io::stdin().lock().take(LONGEST).read_line(&mut line)?
    } else {
        BufReader::new(opened::open(path)?).take(LONGEST).read_line(&mut line)?
    };
    if read as u64 == LONGEST {
        return Err(io::Error::new(
            ErrorKind::FileTooLarge,
            "the first line is too long for a password",
        ));
    }
    let end = line.trim_end_matches(['\r', '\n']).len();
    line.truncate(end);
    Ok(line)
}
