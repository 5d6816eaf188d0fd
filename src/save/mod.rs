//! Compressed and encrypted save files.
//!
//! Games write them with `FileAccess.open_compressed`, `open_encrypted_with_pass` and
//! `open_encrypted` (in Godot 3, with `File`). [`unpack`] gives the bytes that the game wrote into
//! the file; for values that it wrote with `store_var`, these are framed values.
//!
//! ```
//! use gdwire::Dialect;
//! use gdwire::save::{Compression, Encryption, Key, UnpackOptions, compress, encrypt, unpack};
//!
//! let frames = gdwire::encode(Dialect::GODOT_4, &gdwire::variant!({"hp": 87}))?;
//! let key = Key::from_password("correct horse");
//! let file = encrypt(&compress(&frames, Compression::Zstandard)?, &key, Encryption::Godot3);
//!
//! let options = UnpackOptions::new().key(&key).max_len(1 << 20);
//! assert_eq!(unpack(&file, options)?, frames);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing in a file decides how much memory is used: a file whose content is longer than
//! [`UnpackOptions::max_len`] is an error before anything is decompressed.

mod bytes;
mod compressed;
mod compression;
mod encrypted;
mod error;
mod key;

pub use compression::Compression;
pub use error::{Error, Problem};
pub use key::Key;

use alloc::vec::Vec;
use std::io;

/// How many containers may be inside each other.
const DEPTH: usize = 8;

/// How a file is packed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Container {
    /// It is compressed: it begins with `GCPF`.
    Compressed,
    /// It is encrypted: it begins with `GDEC`.
    Encrypted,
}

impl Container {
    /// How a file is packed, by its first four bytes; none if it is not.
    #[must_use]
    pub fn of(file: &[u8]) -> Option<Container> {
        match file.get(..4)? {
            magic if magic == compressed::MAGIC => Some(Container::Compressed),
            magic if magic == encrypted::MAGIC => Some(Container::Encrypted),
            _ => None,
        }
    }
}

/// The layout of an encrypted file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Encryption {
    /// The layout of Godot 3 and Pandemonium: AES-256 in the mode ECB.
    Godot3,
    /// The layout of Godot 4: AES-256 in the mode CFB.
    Godot4 {
        /// The initialization vector: 16 random bytes, other ones for each file.
        vector: [u8; 16],
    },
}

/// How to unpack a file.
#[derive(Clone, Copy, Debug)]
pub struct UnpackOptions<'k> {
    key: Option<&'k Key>,
    max_len: usize,
}

impl<'k> UnpackOptions<'k> {
    /// Without a key, and with content of at most 256 MiB.
    #[must_use]
    pub const fn new() -> UnpackOptions<'k> {
        UnpackOptions { key: None, max_len: 256 << 20 }
    }

    /// Decrypts with this key.
    #[must_use]
    pub const fn key(self, key: &'k Key) -> UnpackOptions<'k> {
        UnpackOptions { key: Some(key), ..self }
    }

    /// Limits the length of the content, in bytes.
    #[must_use]
    pub const fn max_len(self, max_len: usize) -> UnpackOptions<'k> {
        UnpackOptions { max_len, ..self }
    }
}

impl Default for UnpackOptions<'_> {
    fn default() -> Self {
        UnpackOptions::new()
    }
}

/// Decompresses and decrypts a file, until its content is neither.
///
/// # Errors
///
/// If the file is not packed, is damaged or cut off, is encrypted with another key, or has more
/// content than [`UnpackOptions::max_len`].
pub fn unpack(file: &[u8], options: UnpackOptions<'_>) -> Result<Vec<u8>, Error> {
    let mut content = unpack_once(file, options)?;
    for _ in 1..DEPTH {
        if Container::of(&content).is_none() {
            return Ok(content);
        }
        content = unpack_once(&content, options)?;
    }
    match Container::of(&content) {
        None => Ok(content),
        Some(_) => Err(Error::at(0, Problem::TooDeep { limit: DEPTH })),
    }
}

fn unpack_once(file: &[u8], options: UnpackOptions<'_>) -> Result<Vec<u8>, Error> {
    match Container::of(file) {
        None => Err(Error::at(0, Problem::NotPacked)),
        Some(Container::Compressed) => compressed::read(file, options.max_len),
        Some(Container::Encrypted) => {
            let key = options.key.ok_or_else(|| Error::at(0, Problem::NoKey))?;
            encrypted::read(file, key, options.max_len)
        }
    }
}

/// Compresses content as `FileAccess.open_compressed` does, in blocks of 4096 bytes.
///
/// # Errors
///
/// If the content has 4 GiB or more, or for Brotli, which the engines do not write either.
pub fn compress(content: &[u8], compression: Compression) -> io::Result<Vec<u8>> {
    compressed::write(content, compression)
}

/// Encrypts content as `FileAccess.open_encrypted` does.
#[must_use]
pub fn encrypt(content: &[u8], key: &Key, encryption: Encryption) -> Vec<u8> {
    encrypted::write(content, key, encryption)
}
