//! Takes numbers and bytes from the front of a file.

use super::error::{Error, Problem};

/// A file, and how far it has been read.
pub(super) struct Bytes<'f> {
    file: &'f [u8],
    pub(super) at: usize,
}

impl<'f> Bytes<'f> {
    pub(super) const fn new(file: &'f [u8]) -> Bytes<'f> {
        Bytes { file, at: 0 }
    }

    pub(super) fn left(&self) -> usize {
        self.file.len().saturating_sub(self.at)
    }

    pub(super) fn take(&mut self, len: usize) -> Result<&'f [u8], Error> {
        let end = self.at.checked_add(len);
        let taken = end.and_then(|end| self.file.get(self.at..end)).ok_or_else(|| {
            let (needed, available) = (len as u64, self.left() as u64);
            Error::at(self.at, Problem::UnexpectedEnd { needed, available })
        })?;
        self.at = self.at.saturating_add(len);
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let taken = self.take(N)?;
        Ok(taken.first_chunk().copied().unwrap_or([0; N]))
    }

    pub(super) fn u32(&mut self) -> Result<u32, Error> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Error> {
        self.array().map(u64::from_le_bytes)
    }
}
