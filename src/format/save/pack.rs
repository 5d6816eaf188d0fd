//! Compresses and encrypts save files.

use super::compression::Compression;
use super::encrypted::Encryption;
use super::key::Key;
use super::options::PackOptions;
use super::{compressed, encrypted};
use alloc::vec::Vec;
use std::io::{self, Write};

/// [Packs](pack) content and writes the file.
///
/// # Errors
///
/// Those of [`pack`], and those of `out`.
pub fn write(mut out: impl Write, content: &[u8], options: PackOptions<'_>) -> io::Result<()> {
    out.write_all(&pack(content, options)?)
}

/// Compresses and encrypts content, as `options` say. With both, the content is compressed first.
///
/// # Errors
///
/// Those of [`compress`].
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
