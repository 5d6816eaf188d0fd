//! Compressed and encrypted saves: their options, their keys, and how inputs are unpacked.

mod keys;
mod prompt;

pub(crate) use keys::KeyArgs;

use crate::Stop;
use crate::args::size;
use crate::diagnostics::Diagnostics;
use clap::Args;
use gdwire::save::{Error, Key, Problem, UnpackOptions, unpack};

/// How to read compressed and encrypted saves.
#[derive(Args)]
pub(crate) struct SaveArgs {
    #[command(flatten)]
    keys: KeyArgs,
    /// Unpack at most this much from a compressed or encrypted save, which is held in memory
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    max_unpacked: usize,
}

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
    /// The content of a compressed or encrypted file, or why it cannot be had.
    pub(crate) fn unpack(&mut self, file: &[u8], name: &str) -> Result<Vec<u8>, String> {
        match self.attempt(file) {
            Err(error) if error.problem == Problem::NoKey => {
                self.key =
                    Some(Key::from_password(&prompt::ask(&format!("Password of {name}: "))?));
                self.attempt(file)
            }
            attempt => attempt,
        }
        .map_err(|error| self.describe(&error))
    }

    fn attempt(&mut self, file: &[u8]) -> Result<Vec<u8>, Error> {
        let options = UnpackOptions::new().max_len(self.max_len);
        match unpack(file, options) {
            Err(error) if error.problem == Problem::NoKey => {
                let Some(key) = &self.key else { return Err(error) };
                self.is_used = true;
                unpack(file, options.key(key))
            }
            result => result,
        }
    }

    fn describe(&self, error: &Error) -> String {
        match &error.problem {
            Problem::TooLong { .. } => format!("{error}; --max-unpacked raises it"),
            // The place would not help.
            problem @ Problem::WrongKey => problem.to_string(),
            _ => format!("the save cannot be unpacked: {error}"),
        }
    }

    /// Reports a key that no input needed.
    pub(crate) fn conclude(&self, diagnostics: &Diagnostics) {
        if self.is_given && !self.is_used {
            diagnostics.note(&"the password or key was not used, as no input is encrypted");
        }
    }
}
