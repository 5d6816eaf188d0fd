//! The owned dictionary.

use super::key::{Rule, compare, is_same};
use super::{ElementType, Variant};
use alloc::vec::{self, Vec};
use core::iter::FusedIterator;
use core::slice;

/// Keys and values in the order in which they were put in.
///
/// Any value can be a key. As in the engines a key that comes again replaces the value of the
/// first and keeps its place; floats are the same key if they are equal or both NaN. What else
/// is the same is as in Godot 4: strings and string names of one text, dictionaries with the same
/// entries in one order, never objects. A dictionary from the wire is as its own engine reads it:
/// in Godot 3 and Pandemonium dictionaries are never the same key, for they are compared by
/// identity.
///
/// To make a large dictionary collect its entries, in the time of a sort; [`Dictionary::insert`]
/// looks at all keys.
///
/// ```
/// use gdwire::{Dictionary, Variant, variant};
///
/// let mut players: Dictionary = [(7, "player_one"), (8, "player_two")].into_iter().collect();
/// assert_eq!(players.insert(7, "boss"), Some(variant!("player_one")));
/// assert_eq!(players.get_key(&variant!(8)), Some(&variant!("player_two")));
/// for (id, name) in &players {
///     println!("{id:?} is {name:?}");
/// }
/// let value = Variant::from(players);
/// assert_eq!(value, variant!({ 7: "boss", 8: "player_two" }));
/// ```
#[derive(Debug, Default, PartialEq)]
pub struct Dictionary {
    entries: Vec<(Variant, Variant)>,
    key_type: ElementType,
    value_type: ElementType,
}

/// As that of [`Variant`]: one loop takes less stack than the clones of vectors and pairs.
impl Clone for Dictionary {
    fn clone(&self) -> Dictionary {
        let mut entries = Vec::with_capacity(self.entries.len());
        for (key, value) in &self.entries {
            entries.push((key.clone(), value.clone()));
        }
        let (key_type, value_type) = (self.key_type.clone(), self.value_type.clone());
        Dictionary { entries, key_type, value_type }
    }
}

impl Dictionary {
    /// A dictionary without entries.
    #[must_use]
    pub const fn new() -> Dictionary {
        Dictionary { entries: Vec::new(), key_type: ElementType::Any, value_type: ElementType::Any }
    }

    /// The same, of keys and values that have to be of these types. Whether they are is not
    /// checked.
    #[must_use]
    pub fn typed(self, key_type: ElementType, value_type: ElementType) -> Dictionary {
        Dictionary { key_type, value_type, ..self }
    }

    /// What the keys have to be.
    #[must_use]
    pub const fn key_type(&self) -> &ElementType {
        &self.key_type
    }

    /// What the values have to be.
    #[must_use]
    pub const fn value_type(&self) -> &ElementType {
        &self.value_type
    }

    /// How many entries.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a string key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Variant> {
        let found = self.entries.iter().find(|(candidate, _)| candidate.as_str() == Some(key));
        found.map(|(_, value)| value)
    }

    /// The value of any key.
    #[must_use]
    pub fn get_key(&self, key: &Variant) -> Option<&Variant> {
        let found =
            self.entries.iter().find(|(candidate, _)| is_same(candidate, key, Rule::Content));
        found.map(|(_, value)| value)
    }

    /// Sets the value of a key: the value that it had.
    pub fn insert(
        &mut self,
        key: impl Into<Variant>,
        value: impl Into<Variant>,
    ) -> Option<Variant> {
        let (key, value) = (key.into(), value.into());
        let found =
            self.entries.iter_mut().find(|(candidate, _)| is_same(candidate, &key, Rule::Content));
        if let Some((_, old)) = found {
            return Some(core::mem::replace(old, value));
        }
        self.entries.push((key, value));
        None
    }

    /// The keys and values in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.entries.iter())
    }

    /// The dictionary of these entries that an engine would make, which may take dictionaries
    /// that read the same for two keys.
    pub(super) fn by_rule(entries: Vec<(Variant, Variant)>, rule: Rule) -> Dictionary {
        let mut dictionary = Dictionary { entries, ..Dictionary::new() };
        dictionary.merge(rule);
        dictionary
    }

    /// Merges the entries whose keys are the same, wherever they stand.
    fn merge(&mut self, rule: Rule) {
        let mut keys: Vec<(usize, &Variant)> =
            self.entries.iter().enumerate().map(|(place, (key, _))| (place, key)).collect();
        // The sort is stable: of keys that are the same the first is first and the last last.
        keys.sort_by(|(_, one), (_, other)| compare(one, other, rule));
        let mut merged: Vec<(usize, usize)> = Vec::new();
        let mut gone: Vec<usize> = Vec::new();
        for same in keys.chunk_by(|(_, one), (_, other)| is_same(one, other, rule)) {
            if let [(first, _), again @ .., (last, _)] = same {
                merged.push((*first, *last));
                gone.extend(again.iter().map(|(place, _)| place));
                gone.push(*last);
            }
        }
        for (first, last) in merged {
            let value = self.entries.get_mut(last).map(|(_, value)| core::mem::take(value));
            if let (Some(value), Some((_, old))) = (value, self.entries.get_mut(first)) {
                *old = value;
            }
        }
        gone.sort_unstable();
        let mut places = 0..;
        self.entries
            .retain(|_| places.next().is_none_or(|place| gone.binary_search(&place).is_err()));
    }
}

macro_rules! iterator {
    ($($(#[$doc:meta])* $name:ident<$($a:lifetime)?> = $inner:ty: $item:ty, $get:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name<$($a)?>($inner);

        impl<$($a)?> Iterator for $name<$($a)?> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.0.next().map($get)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<$($a)?> DoubleEndedIterator for $name<$($a)?> {
            #[inline]
            fn next_back(&mut self) -> Option<$item> {
                self.0.next_back().map($get)
            }
        }

        impl<$($a)?> ExactSizeIterator for $name<$($a)?> {}
        impl<$($a)?> FusedIterator for $name<$($a)?> {}
    )*};
}

iterator! {
    /// The keys and values of a dictionary in order.
    Iter<'a> = slice::Iter<'a, (Variant, Variant)>:
        (&'a Variant, &'a Variant), |(key, value)| (key, value);
    /// The keys and values of a dictionary in order, owned.
    IntoIter<> = vec::IntoIter<(Variant, Variant)>: (Variant, Variant), |entry| entry;
}

impl<'a> IntoIterator for &'a Dictionary {
    type Item = (&'a Variant, &'a Variant);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl IntoIterator for Dictionary {
    type Item = (Variant, Variant);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter(self.entries.into_iter())
    }
}

impl<K: Into<Variant>, V: Into<Variant>> FromIterator<(K, V)> for Dictionary {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Dictionary {
        let mut dictionary = Dictionary::new();
        dictionary.extend(entries);
        dictionary
    }
}

impl<K: Into<Variant>, V: Into<Variant>> Extend<(K, V)> for Dictionary {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        self.entries.extend(entries.into_iter().map(|(key, value)| (key.into(), value.into())));
        self.merge(Rule::Content);
    }
}
