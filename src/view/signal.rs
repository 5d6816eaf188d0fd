//! Signals of objects.

use super::{VariantRef, str_at};

/// A signal: its name, and the object that it is of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SignalRef<'a> {
    name: &'a str,
    object_id: u64,
}

impl<'a> SignalRef<'a> {
    pub(super) fn new(signal: &VariantRef<'a>) -> SignalRef<'a> {
        let (name, end) = str_at(signal.as_bytes(), 4, signal.text());
        let id = signal.from(end).first_chunk().map_or(0, |id| u64::from_le_bytes(*id));
        SignalRef { name, object_id: id }
    }

    /// The signal's name.
    #[must_use]
    pub const fn name(self) -> &'a str {
        self.name
    }

    /// The id that the object has in the process that wrote it; 0 is none.
    #[must_use]
    pub const fn object_id(self) -> u64 {
        self.object_id
    }
}
