//! The key of an encrypted file.

use core::fmt;
use md5::{Digest, Md5};

/// The key of an encrypted file: 32 bytes. `Debug` does not show it.
///
/// ```
/// use gdwire::save::Key;
///
/// let key = Key::from_password("correct horse");
/// assert_ne!(key, Key::new([0; 32]));
/// assert_eq!(format!("{key:?}"), "Key(..)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// The key that a game passes to `open_encrypted`.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Key {
        Key(bytes)
    }

    /// The key that the engines make of a password in `open_encrypted_with_pass`: the MD5 of the
    /// password, in 32 hex digits.
    #[must_use]
    pub fn from_password(password: &str) -> Key {
        let mut key = [0; 32];
        let digest = Md5::digest(password.as_bytes());
        let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        for (place, digit) in key.iter_mut().zip(digits) {
            *place = if digit < 10 { b'0' } else { b'a' - 10 }.wrapping_add(digit);
        }
        Key(key)
    }

    pub(super) const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}
