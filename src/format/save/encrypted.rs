//! Encrypted files, as `FileAccess.open_encrypted` writes them.
//!
//! | bytes | Godot 3 | bytes | Godot 4 |
//! |---|---|---|---|
//! | 4 | `GDEC` | 4 | `GDEC` |
//! | 4 | the mode: 1 | | |
//! | 16 | the MD5 of the content | 16 | the MD5 of the content |
//! | 8 | the length of the content | 8 | the length of the content |
//! | | | 16 | the initialization vector |
//! | | the content: AES-256, ECB | | the content: AES-256, CFB |
//!
//! All numbers are little-endian. The content is padded with zeros to a multiple of 16 bytes, so
//! the length of the file tells the two layouts apart.

use super::{Error, FileBytes, Problem};
use crate::{Dialect, Engine};
use aes::Aes256;
use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit, KeyIvInit};
use alloc::vec::Vec;
use cfb_mode::{Decryptor, Encryptor};
use core::fmt;
use md5::{Digest, Md5};

/// The first bytes.
pub(super) const MAGIC: &[u8] = b"GDEC";

/// The size of a block of AES.
const BLOCK: usize = 16;

/// The mode in files of Godot 3.
const MODE: u32 = 1;

/// The layout of an encrypted file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Encryption {
    /// The layout of Godot 3 and Pandemonium: AES-256 in the mode ECB.
    Godot3,
    /// The layout of Godot 4: AES-256 in the mode CFB.
    Godot4 {
        /// The initialization vector: 16 random bytes, different for each file.
        vector: [u8; 16],
    },
}

impl Encryption {
    /// The layout that the engine of a dialect reads, with this initialization vector if it has one.
    /// Pandemonium reads the layout of Godot 3.
    #[must_use]
    pub fn of(dialect: Dialect, vector: [u8; 16]) -> Encryption {
        match dialect.engine() {
            Engine::Godot3 | Engine::Pandemonium => Encryption::Godot3,
            Engine::Godot4 => Encryption::Godot4 { vector },
        }
    }
}

/// Decrypts a file whose content has at most `limit` bytes.
pub(super) fn read(
    file: &[u8],
    key: &EncryptionKey,
    limit: usize,
) -> Result<(Vec<u8>, Encryption), Error> {
    let is_godot3 = match file.len() % BLOCK {
        0 => true,
        12 => false,
        _ => return Err(Error::at(0, Problem::UnknownLayout)),
    };
    let mut bytes = FileBytes::new(file);
    bytes.take(MAGIC.len())?;
    if is_godot3 && bytes.u32()? != MODE {
        return Err(Error::at(MAGIC.len(), Problem::UnknownLayout));
    }
    let digest: [u8; 16] = bytes.array()?;
    let at = bytes.at;
    let len = bytes.u64()?;
    if len > limit as u64 {
        return Err(Error::at(at, Problem::TooLong { len, limit: limit as u64 }));
    }
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let vector = if is_godot3 { None } else { Some(bytes.array::<BLOCK>()?) };
    let mut content =
        bytes.take(len.checked_next_multiple_of(BLOCK).unwrap_or(usize::MAX))?.to_vec();
    match vector {
        None => {
            let (blocks, _) = Array::slice_as_chunks_mut(&mut content);
            Aes256::new(key.as_bytes().into()).decrypt_blocks(blocks);
        }
        Some(vector) => {
            Decryptor::<Aes256>::new(key.as_bytes().into(), &vector.into()).decrypt(&mut content);
        }
    }
    content.truncate(len);
    if Md5::digest(&content)[..] != digest {
        return Err(Error::at(0, Problem::WrongKey));
    }
    let encryption = vector.map_or(Encryption::Godot3, |vector| Encryption::Godot4 { vector });
    Ok((content, encryption))
}

/// Encrypts content.
pub(super) fn write(content: &[u8], key: &EncryptionKey, encryption: Encryption) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    if encryption == Encryption::Godot3 {
        file.extend_from_slice(&MODE.to_le_bytes());
    }
    file.extend_from_slice(&Md5::digest(content));
    file.extend_from_slice(&(content.len() as u64).to_le_bytes());
    let mut padded = content.to_vec();
    padded.resize(content.len().next_multiple_of(BLOCK), 0);
    match encryption {
        Encryption::Godot3 => {
            let (blocks, _) = Array::slice_as_chunks_mut(&mut padded);
            Aes256::new(key.as_bytes().into()).encrypt_blocks(blocks);
        }
        Encryption::Godot4 { vector } => {
            file.extend_from_slice(&vector);
            Encryptor::<Aes256>::new(key.as_bytes().into(), &vector.into()).encrypt(&mut padded);
        }
    }
    file.extend(padded);
    file
}

/// The key of an encrypted file: 32 bytes. `Debug` does not show it.
///
/// ```
/// use gdwire::save::EncryptionKey;
///
/// let key = EncryptionKey::from_password("correct horse");
/// assert_ne!(key, EncryptionKey::new([0; 32]));
/// assert_eq!(format!("{key:?}"), "Key(..)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct EncryptionKey([u8; 32]);

impl EncryptionKey {
    /// The key that a game passes to `open_encrypted`.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> EncryptionKey {
        EncryptionKey(bytes)
    }

    /// The key that the engines make of a password in `open_encrypted_with_pass`: the MD5 of the
    /// password, in 32 hex digits.
    #[must_use]
    pub fn from_password(password: &str) -> EncryptionKey {
        let mut key = [0; 32];
        let digest = Md5::digest(password.as_bytes());
        let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        for (place, digit) in key.iter_mut().zip(digits) {
            *place = if digit < 10 { b'0' } else { b'a' - 10 }.wrapping_add(digit);
        }
        EncryptionKey(key)
    }

    const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}
