//! Compressed and encrypted save files.
//!
//! Games write them with `FileAccess.open_compressed`, `open_encrypted_with_pass` and
//! `open_encrypted` (in Godot 3, with `File`). [`unpack`] gives the bytes that the game wrote into
//! the file; for values that it wrote with `store_var`, these are framed values.
//!
//! ```
//! use gdwire::Dialect;
//! use gdwire::save::{Encryption, Key, PackOptions, UnpackOptions, pack, unpack};
//!
//! let frames = gdwire::encode(Dialect::GODOT_4, &gdwire::variant!({"hp": 87}))?;
//! let key = Key::from_password("correct horse");
//! // Of a crate for random bytes, such as getrandom.
//! # let random = || [7; 16];
//! let encryption = Encryption::of(Dialect::GODOT_4, random());
//! let file = pack(&frames, PackOptions::new().encrypt(&key, encryption))?;
//!
//! let options = UnpackOptions::new().key(&key).max_len(1 << 20);
//! assert_eq!(unpack(&file, options)?, frames);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`read`] and [`write()`] do the same with files and other streams.
//!
//! # Memory
//!
//! Nothing in a file decides how much memory is used. If the header says that the content is longer
//! than [`UnpackOptions::max_len`], that is an error before anything is decompressed; and a block
//! that decompresses to more than the header says is an error at that point. So at most the content,
//! that of one container inside the other, and the file itself are in memory.
//!
//! # One container inside the other
//!
//! No function of the engines writes a file that is both compressed and encrypted, but games make
//! them: they read one file as bytes and write these into another. [`unpack`] reads both orders.
//! [`pack`] compresses first, as encrypted bytes do not compress. The game then decrypts the file,
//! writes what it gets to another file, and opens that with `open_compressed`.

mod bytes;
mod compressed;
mod compression;
mod encrypted;
mod error;
mod key;
mod options;

pub use compression::Compression;
pub use error::{Error, Problem};
pub use key::Key;
pub use options::{PackOptions, UnpackOptions};

use crate::Dialect;
use alloc::vec::Vec;
use std::io::{self, Read, Write};

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
#[non_exhaustive]
pub enum Encryption {
    /// The layout of Godot 3 and Pandemonium: AES-256 in the mode ECB.
    Godot3,
    /// The layout of Godot 4: AES-256 in the mode CFB.
    Godot4 {
        /// The initialization vector: 16 random bytes, other ones for each file.
        vector: [u8; 16],
    },
}

impl Encryption {
    /// The layout that the engine of a dialect reads, with this initialization vector if it has one.
    /// Pandemonium reads the layout of Godot 3.
    #[must_use]
    pub fn of(dialect: Dialect, vector: [u8; 16]) -> Encryption {
        if dialect.name() == Dialect::GODOT_4.name() {
            Encryption::Godot4 { vector }
        } else {
            Encryption::Godot3
        }
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

/// Reads a whole file and [unpacks](unpack) it.
///
/// # Errors
///
/// If reading fails, or the file cannot be unpacked: then the error has the kind
/// [`InvalidData`](io::ErrorKind::InvalidData) and an [`Error`] as its source. A file that is longer than
/// the longest content, by more than an eighth and 64 KiB, is not read to its end.
pub fn read(input: impl Read, options: UnpackOptions<'_>) -> io::Result<Vec<u8>> {
    let limit = options.max_len.saturating_add(options.max_len / 8).saturating_add(64 << 10) as u64;
    let mut file = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut file)?;
    if file.len() as u64 > limit {
        return Err(Error::at(0, Problem::FileTooLong { limit }).into());
    }
    Ok(unpack(&file, options)?)
}

/// [Packs](pack) content and writes the file.
///
/// # Errors
///
/// As of [`pack`], or if writing fails.
pub fn write(mut out: impl Write, content: &[u8], options: PackOptions<'_>) -> io::Result<()> {
    out.write_all(&pack(content, options)?)
}

/// Compresses and encrypts content, as far as the options say. With both, what is encrypted is a
/// compressed file.
///
/// # Errors
///
/// As of [`compress`].
pub fn pack(content: &[u8], options: PackOptions<'_>) -> io::Result<Vec<u8>> {
    let file = match options.compression {
        Some(compression) => compress(content, compression)?,
        None => content.to_vec(),
    };
    Ok(match options.encryption {
        Some((key, encryption)) => encrypt(&file, key, encryption),
        None => file,
    })
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
