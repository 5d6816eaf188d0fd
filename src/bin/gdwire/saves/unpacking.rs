//! Unpacks compressed and encrypted saves, with a key that the user gave or is asked for.

use super::prompt;
use crate::args::SaveArgs;
use crate::diagnostics::Diagnostics;
use crate::stop::Stop;
use gdwire::save::{Error, Key, Problem, UnpackOptions, unpack};

impl SaveArgs {
    pub(crate) fn read(&self) -> Result<Saves, Stop> {
        let key = self.keys.read()?;
        let is_given = key.is_some();
        Ok(Saves { key, is_given, is_used: false, max_len: self.max_unpacked })
    }
}

/// Unpacks saves, with a key that the user gave or is asked for.
pub(crate) struct Saves {
    key: Option<Key>,
    /// Whether an option gave the key.
    is_given: bool,
    /// Whether an input was encrypted.
    is_used: bool,
    max_len: usize,
}

impl Saves {
    /// The content of a compressed or encrypted file, or why it cannot be unpacked.
    pub(crate) fn unpack(&mut self, file: &[u8], name: &str) -> Result<Vec<u8>, String> {
        match self.attempt(file) {
            Err(error) if error.problem == Problem::NoKey && prompt::can_ask() => {
                self.key =
                    Some(Key::from_password(&prompt::ask(&format!("Password of {name}: "))?));
                self.attempt(file)
            }
            attempt => attempt,
        }
        .map_err(|error| self.describe(&error))
    }

    fn attempt(&mut self, file: &[u8]) -> Result<Vec<u8>, Error> {
        let options = UnpackOptions::new().with_max_len(self.max_len);
        match unpack(file, options) {
            Err(error) if error.problem == Problem::NoKey => {
                let Some(key) = &self.key else { return Err(error) };
                self.is_used = true;
                unpack(file, options.with_key(key))
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
    pub(crate) fn max_len(&self) -> usize {
        self.max_len
    }

    /// Makes sure that there will be a key to encrypt the output with. This uses the given key even
    /// if no input is encrypted.
    pub(crate) fn will_encrypt(&mut self) -> Result<(), Stop> {
        self.is_used = true;
        if self.key.is_some() || prompt::can_ask() { Ok(()) } else { Err(no_key_to_encrypt()) }
    }

    /// The key to encrypt the output with: the one that decrypted the inputs, or a new one.
    pub(crate) fn key_to_encrypt(self) -> Result<Key, Stop> {
        self.key.map_or_else(key_to_encrypt, Ok)
    }

    /// Reports a key that no input needed.
    pub(crate) fn conclude(&self, diagnostics: &Diagnostics) {
        if self.is_given && !self.is_used {
            diagnostics.note(&"the password or key was not used, as no input is encrypted");
        }
    }
}

/// Asks for the key of an output.
pub(crate) fn key_to_encrypt() -> Result<Key, Stop> {
    if !prompt::can_ask() {
        return Err(no_key_to_encrypt());
    }
    let password = prompt::ask_new().map_err(Stop::Usage)?;
    Ok(Key::from_password(&password))
}

fn no_key_to_encrypt() -> Stop {
    let problem = "--encrypt needs --password, --password-file or --key";
    Stop::Usage(problem.to_owned())
}
