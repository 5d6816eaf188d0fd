//! How compressed and encrypted saves are read, and the keys of those that are written.

use super::units::size;
use clap::Args;
use std::path::PathBuf;

/// How to read compressed and encrypted saves.
#[derive(Args)]
pub(crate) struct SaveArgs {
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    /// Unpack at most this much from a compressed or encrypted save, which is held in memory
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    pub(crate) max_unpacked: usize,
}

/// The key of encrypted inputs.
#[derive(Args)]
pub(crate) struct KeyArgs {
    /// Decrypt saves with this password
    ///
    /// Other users of this computer may see the options of a command; --password-file hides the
    /// password from them. Without a password or key, gdwire asks for one on a terminal.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["password_file", "key"])]
    pub(crate) password: Option<String>,
    /// Decrypt saves with the password in the first line of this file; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    pub(crate) password_file: Option<PathBuf>,
    /// Decrypt saves with this key of 32 bytes, as 64 hex digits: what the game passes to open_encrypted
    #[arg(long, value_name = "HEX")]
    pub(crate) key: Option<String>,
}

/// The key of an encrypted output, if it is not that of the inputs.
#[derive(Args)]
pub(crate) struct NewKeyArgs {
    /// Encrypt with this password instead of the one of the input (needs --encrypt)
    ///
    /// Other users of this computer may see it; --new-password-file hides it from them.
    #[arg(long, value_name = "TEXT", requires = "encrypt", conflicts_with_all = ["new_password_file", "new_key"])]
    pub(crate) new_password: Option<String>,
    /// Encrypt with the password in the first line of this file (needs --encrypt)
    #[arg(long, value_name = "FILE", requires = "encrypt", conflicts_with = "new_key")]
    pub(crate) new_password_file: Option<PathBuf>,
    /// Encrypt with this key of 32 bytes, as 64 hex digits (needs --encrypt)
    #[arg(long, value_name = "HEX", requires = "encrypt")]
    pub(crate) new_key: Option<String>,
}
