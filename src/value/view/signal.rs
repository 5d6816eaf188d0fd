//! Signals of objects.

#![expect(unsafe_code, reason = "it reads text of checked bytes, which is not checked again")]

use super::{VariantRef, str_at};

/// A signal: its name and the id of its object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SignalRef<'a> {
    name: &'a str,
    object_id: u64,
}

impl<'a> SignalRef<'a> {
    /// Reads the content of a signal.
    ///
    /// # Safety
    ///
    /// The view must be of a signal.
    pub(super) unsafe fn new(signal: &VariantRef<'a>) -> SignalRef<'a> {
        // SAFETY: the bytes of a view are checked, and a signal has its name after the header.
        let (name, end) = unsafe { str_at(signal.as_bytes(), 4, signal.text()) };
        let id = signal.from(end).first_chunk().map_or(0, |id| u64::from_le_bytes(*id));
        SignalRef { name, object_id: id }
    }

    /// The signal's name.
    #[must_use]
    pub const fn name(self) -> &'a str {
        self.name
    }

    /// The id of the object in the process that wrote it, or 0 for no object.
    #[must_use]
    pub const fn object_id(self) -> u64 {
        self.object_id
    }
}
