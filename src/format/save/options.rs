//! How to read and write save files.

use super::compression::Compression;
use super::encrypted::Encryption;
use super::key::Key;

/// How to unpack a file.
#[derive(Clone, Copy, Debug)]
pub struct UnpackOptions<'k> {
    pub(super) key: Option<&'k Key>,
    pub(super) max_len: usize,
}

impl<'k> UnpackOptions<'k> {
    /// Options without a key, for content of at most 256 MiB.
    #[must_use]
    pub const fn new() -> UnpackOptions<'k> {
        UnpackOptions { key: None, max_len: 256 << 20 }
    }

    /// Decrypts with this key.
    #[must_use]
    pub const fn with_key(self, key: &'k Key) -> UnpackOptions<'k> {
        UnpackOptions { key: Some(key), ..self }
    }

    /// Limits the length of the content, in bytes.
    #[must_use]
    pub const fn with_max_len(self, max_len: usize) -> UnpackOptions<'k> {
        UnpackOptions { max_len, ..self }
    }
}

impl Default for UnpackOptions<'_> {
    fn default() -> Self {
        UnpackOptions::new()
    }
}

/// How to pack a file.
#[derive(Clone, Copy, Default, Debug)]
pub struct PackOptions<'k> {
    pub(super) compression: Option<Compression>,
    pub(super) encryption: Option<(&'k Key, Encryption)>,
}

impl<'k> PackOptions<'k> {
    /// Options that neither compress nor encrypt.
    #[must_use]
    pub const fn new() -> PackOptions<'k> {
        PackOptions { compression: None, encryption: None }
    }

    /// Compresses the content.
    #[must_use]
    pub const fn with_compression(self, compression: Compression) -> PackOptions<'k> {
        PackOptions { compression: Some(compression), ..self }
    }

    /// Encrypts the content with this key.
    #[must_use]
    pub const fn with_encryption(self, key: &'k Key, encryption: Encryption) -> PackOptions<'k> {
        PackOptions { encryption: Some((key, encryption)), ..self }
    }
}
