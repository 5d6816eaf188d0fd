//! Decompresses and decrypts save files.

use super::container::Container;
use super::error::{Error, Problem};
use super::options::UnpackOptions;
use super::{compressed, encrypted};
use alloc::vec::Vec;
use std::io::{self, Read};

/// How many containers may be inside each other.
const DEPTH: usize = 8;

/// Decompresses and decrypts a file, until its content is neither.
///
/// # Errors
///
/// If the file is not packed, is damaged or cut off, is encrypted with another key, or has more
/// content than [`UnpackOptions::with_max_len`].
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
