//! How a file is packed, by its first bytes.

use super::{compressed, encrypted};

/// How a file is packed.
///
/// ```
/// use gdwire::save::Container;
///
/// assert_eq!(Container::of(b"GDEC\x2a"), Some(Container::Encrypted));
/// assert_eq!(Container::of(b"plain"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Container {
    /// Compressed: the file begins with `GCPF`.
    Compressed,
    /// Encrypted: the file begins with `GDEC`.
    Encrypted,
}

impl Container {
    /// How a file is packed, by its first four bytes. None if it is not packed.
    #[must_use]
    pub fn of(file: &[u8]) -> Option<Container> {
        match file.get(..4)? {
            magic if magic == compressed::MAGIC => Some(Container::Compressed),
            magic if magic == encrypted::MAGIC => Some(Container::Encrypted),
            _ => None,
        }
    }
}
