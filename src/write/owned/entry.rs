//! The entry of a key in an owned dictionary, to read its value or to insert one.

use super::variant::Variant;
use alloc::vec::Vec;

/// The entry of a key in a dictionary, occupied or vacant: see [`Dictionary::entry`](crate::Dictionary::entry).
#[derive(Debug)]
#[non_exhaustive]
pub enum Entry<'a> {
    /// The dictionary has the key.
    Occupied(OccupiedEntry<'a>),
    /// The dictionary does not have the key.
    Vacant(VacantEntry<'a>),
}

impl<'a> Entry<'a> {
    /// The key.
    #[must_use]
    pub fn key(&self) -> &Variant {
        match self {
            Entry::Occupied(entry) => entry.key(),
            Entry::Vacant(entry) => &entry.key,
        }
    }

    /// Returns the value. If there is none, inserts this one first.
    pub fn or_insert(self, value: impl Into<Variant>) -> &'a mut Variant {
        self.or_insert_with(|| value)
    }

    /// Returns the value. If there is none, inserts the result of the function first.
    pub fn or_insert_with<V: Into<Variant>>(self, value: impl FnOnce() -> V) -> &'a mut Variant {
        match self {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(value()),
        }
    }

    /// Changes the value if there is one.
    #[must_use]
    pub fn and_modify(mut self, change: impl FnOnce(&mut Variant)) -> Entry<'a> {
        if let Entry::Occupied(entry) = &mut self {
            change(entry.get_mut());
        }
        self
    }
}

/// The entry of a key that the dictionary has.
#[derive(Debug)]
pub struct OccupiedEntry<'a> {
    pub(super) entry: &'a mut (Variant, Variant),
}

impl<'a> OccupiedEntry<'a> {
    /// The key as it is in the dictionary.
    #[must_use]
    pub const fn key(&self) -> &Variant {
        &self.entry.0
    }

    /// The value.
    #[must_use]
    pub const fn get(&self) -> &Variant {
        &self.entry.1
    }

    /// A mutable reference to the value.
    pub const fn get_mut(&mut self) -> &mut Variant {
        &mut self.entry.1
    }

    /// A mutable reference to the value, for as long as the dictionary is borrowed.
    #[must_use]
    pub const fn into_mut(self) -> &'a mut Variant {
        &mut self.entry.1
    }

    /// Sets the value, and returns the previous one.
    pub fn insert(&mut self, value: impl Into<Variant>) -> Variant {
        core::mem::replace(&mut self.entry.1, value.into())
    }
}

/// The entry of a key that the dictionary does not have.
#[derive(Debug)]
pub struct VacantEntry<'a> {
    pub(super) entries: &'a mut Vec<(Variant, Variant)>,
    pub(super) key: Variant,
}

impl<'a> VacantEntry<'a> {
    /// The key.
    #[must_use]
    pub const fn key(&self) -> &Variant {
        &self.key
    }

    /// Adds the key with a value at the end.
    #[expect(clippy::indexing_slicing, reason = "the entry has just been put there")]
    pub fn insert(self, value: impl Into<Variant>) -> &'a mut Variant {
        let place = self.entries.len();
        self.entries.push((self.key, value.into()));
        &mut self.entries[place].1
    }
}
