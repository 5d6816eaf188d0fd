//! The methods of the owned dictionary, its entries and its iterators.

use super::array::TypedVec;
use super::key::{KeyRule, compare, is_same};
use super::{Dictionary, ElementType, Variant};
use crate::value::view::PathSegment;
use alloc::vec;
use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::{ops, slice};

/// Clones in one loop, as for [`Variant`]. This takes less stack than the clones of vectors and
/// pairs.
impl Clone for Dictionary {
    fn clone(&self) -> Dictionary {
        let mut entries = Vec::with_capacity(self.len());
        for (key, value) in self.0.items() {
            entries.push((key.clone(), value.clone()));
        }
        Dictionary(TypedVec::new(entries, self.0.types().cloned()))
    }
}

/// The declared type of keys or values that may be anything.
static ANY: ElementType = ElementType::Any;

impl Dictionary {
    /// A dictionary without entries.
    #[must_use]
    pub const fn new() -> Dictionary {
        Dictionary(TypedVec::Plain(Vec::new()))
    }

    /// The same dictionary with these declared types. It does not check its keys and values.
    #[must_use]
    pub fn typed(self, key_type: ElementType, value_type: ElementType) -> Dictionary {
        let types = [key_type, value_type];
        let is_typed = types != [ElementType::Any, ElementType::Any];
        Dictionary(TypedVec::new(self.0.into_items(), is_typed.then_some(types)))
    }

    /// The declared type of the keys.
    #[must_use]
    pub fn key_type(&self) -> &ElementType {
        self.0.types().map_or(&ANY, |[keys, _]| keys)
    }

    /// The declared type of the values.
    #[must_use]
    pub fn value_type(&self) -> &ElementType {
        self.0.types().map_or(&ANY, |[_, values]| values)
    }

    /// The number of entries.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.items().len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of the last entry whose key fulfils `is_key`.
    fn last(&self, is_key: impl Fn(&Variant) -> bool) -> Option<usize> {
        self.0.items().iter().rposition(|(candidate, _)| is_key(candidate))
    }

    /// The place of the last entry with this text key.
    fn place(&self, key: &str) -> Option<usize> {
        self.last(|candidate| candidate.as_str() == Some(key))
    }

    /// The place of the last entry with this key.
    fn place_of(&self, key: &Variant) -> Option<usize> {
        self.last(|candidate| is_same(candidate, key, KeyRule::Content))
    }

    /// The place of the entry that a segment of a path leads to.
    pub(super) fn place_of_segment(&self, segment: PathSegment<'_>) -> Option<usize> {
        let place = self.last(|key| key.as_str().is_some_and(|key| segment.is(key)));
        place.or_else(|| self.place_of(&Variant::Int(segment.number()?)))
    }

    pub(super) fn at(&self, place: usize) -> Option<&Variant> {
        self.0.items().get(place).map(|(_, value)| value)
    }

    pub(super) fn at_mut(&mut self, place: usize) -> Option<&mut Variant> {
        self.0.items_mut().get_mut(place).map(|(_, value)| value)
    }

    /// The value of a text key, which may be a string or a string name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Variant> {
        self.at(self.place(key)?)
    }

    /// A mutable reference to the value of a text key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Variant> {
        self.at_mut(self.place(key)?)
    }

    /// The value of any key.
    #[must_use]
    pub fn get_key(&self, key: &Variant) -> Option<&Variant> {
        self.at(self.place_of(key)?)
    }

    /// A mutable reference to the value of any key.
    pub fn get_key_mut(&mut self, key: &Variant) -> Option<&mut Variant> {
        self.at_mut(self.place_of(key)?)
    }

    /// Whether it has a text key.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    /// Sets the value of a key, and returns the value that it had. A key that is missing is added
    /// at the end.
    pub fn insert(
        &mut self,
        key: impl Into<Variant>,
        value: impl Into<Variant>,
    ) -> Option<Variant> {
        let (key, value) = (key.into(), value.into());
        if let Some(old) = self.get_key_mut(&key) {
            return Some(core::mem::replace(old, value));
        }
        self.0.items_mut().push((key, value));
        None
    }

    /// Removes all entries of a text key, and returns the value of the last. The others keep their
    /// order.
    pub fn remove(&mut self, key: &str) -> Option<Variant> {
        self.remove_all(|candidate| candidate.as_str() == Some(key))
    }

    /// Removes all entries of any key, and returns the value of the last. The others keep their
    /// order.
    pub fn remove_key(&mut self, key: &Variant) -> Option<Variant> {
        self.remove_all(|candidate| is_same(candidate, key, KeyRule::Content))
    }

    fn remove_all(&mut self, is_key: impl Fn(&Variant) -> bool) -> Option<Variant> {
        let mut last = None;
        self.0.items_mut().retain_mut(|(key, value)| {
            let is_kept = !is_key(key);
            if !is_kept {
                last = Some(value.take());
            }
            is_kept
        });
        last
    }

    /// Gives an entry another key. It keeps its value and its place. If the new key occurs elsewhere,
    /// those entries are removed, so that no key occurs twice.
    ///
    /// Returns whether the old key was there. If not, nothing changes.
    ///
    /// ```
    /// use gdwire::{Variant, variant};
    ///
    /// let mut player = variant!({ "health": 87, "name": "Zoë" });
    /// if let Variant::Dictionary(player) = &mut player {
    ///     assert!(player.rename_key(&"health".into(), "hp"));
    /// }
    /// assert_eq!(player, variant!({ "hp": 87, "name": "Zoë" }));
    /// ```
    pub fn rename_key(&mut self, key: &Variant, new: impl Into<Variant>) -> bool {
        let Some(kept) = self.place_of(key) else { return false };
        let new = new.into();
        let mut places = 0..;
        self.0.items_mut().retain_mut(|(candidate, _)| {
            if places.next() == Some(kept) {
                *candidate = new.clone();
                return true;
            }
            let goes = |other: &Variant| is_same(candidate, other, KeyRule::Content);
            !goes(key) && !goes(&new)
        });
        true
    }

    /// Gets the entry of a key, to read its value or to insert one.
    ///
    /// ```
    /// use gdwire::{Dictionary, Variant, variant};
    ///
    /// let mut kills = Dictionary::new();
    /// for name in ["Zoë", "Bo", "Zoë"] {
    ///     let count = kills.entry(name).or_insert(0);
    ///     *count = Variant::from(count.as_i64().unwrap_or(0) + 1);
    /// }
    /// assert_eq!(Variant::from(kills), variant!({ "Zoë": 2, "Bo": 1 }));
    /// ```
    #[expect(clippy::indexing_slicing, reason = "the place has just been found")]
    pub fn entry(&mut self, key: impl Into<Variant>) -> Entry<'_> {
        let key = key.into();
        let place = self.place_of(&key);
        let entries = self.0.items_mut();
        match place {
            Some(place) => Entry::Occupied(OccupiedEntry { entry: &mut entries[place] }),
            None => Entry::Vacant(VacantEntry { entries, key }),
        }
    }

    /// Keeps only the entries for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&Variant, &mut Variant) -> bool) {
        self.0.items_mut().retain_mut(|(key, value)| keep(key, value));
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.0.items_mut().clear();
    }

    /// The keys and values in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.0.items().iter())
    }

    /// The keys and values in order; the values can be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_> {
        IterMut(self.0.items_mut().iter_mut())
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Variant> + ExactSizeIterator {
        self.iter().map(|(key, _)| key)
    }

    /// The values in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Variant> + ExactSizeIterator {
        self.iter().map(|(_, value)| value)
    }

    /// Mutable references to the values, in order.
    pub fn values_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = &mut Variant> + ExactSizeIterator {
        self.iter_mut().map(|(_, value)| value)
    }

    /// The dictionary that an engine makes of these entries. The engine's rule determines which
    /// keys are the same.
    pub(crate) fn by_rule(entries: Vec<(Variant, Variant)>, rule: KeyRule) -> Dictionary {
        Dictionary(TypedVec::Plain(merged(entries, rule)))
    }
}

/// Merges all entries that have the same key. The place of the first one and the value of the last
/// one remain.
fn merged(mut entries: Vec<(Variant, Variant)>, rule: KeyRule) -> Vec<(Variant, Variant)> {
    let key = |place: &u32| entries.get(*place as usize).map_or(&Variant::Nil, |(key, _)| key);
    // An entry takes 64 bytes, so 2³² entries would take 256 GiB.
    let mut places: Vec<u32> = (0..entries.len() as u32).collect();
    // The sort is stable: entries with the same key stay in their order.
    places.sort_by(|one, other| compare(key(one), key(other), rule));
    let same = |one: &u32, other: &u32| is_same(key(one), key(other), rule);
    let groups = places.chunk_by(same).filter(|places| places.len() > 1);
    let groups: Vec<Vec<u32>> = groups.map(<[u32]>::to_vec).collect();
    if groups.is_empty() {
        return entries;
    }
    let mut gone: Vec<u32> = Vec::new();
    for places in groups {
        let [first, again @ ..] = places.as_slice() else { continue };
        gone.extend(again);
        let last = again.last().and_then(|last| entries.get_mut(*last as usize));
        let value = last.map(|(_, value)| core::mem::take(value));
        if let (Some(value), Some((_, old))) = (value, entries.get_mut(*first as usize)) {
            *old = value;
        }
    }
    gone.sort_unstable();
    let mut places = 0..;
    entries.retain(|_| places.next().is_none_or(|place| gone.binary_search(&place).is_err()));
    entries.shrink_to_fit();
    entries
}

/// The value of a text key, or null if there is none.
impl ops::Index<&str> for Dictionary {
    type Output = Variant;

    fn index(&self, key: &str) -> &Variant {
        static NIL: Variant = Variant::Nil;
        self.get(key).unwrap_or(&NIL)
    }
}

/// The value of a text key. If the key is missing, null is inserted for it.
impl ops::IndexMut<&str> for Dictionary {
    fn index_mut(&mut self, key: &str) -> &mut Variant {
        self.entry(key).or_insert(Variant::Nil)
    }
}

impl<K: Into<Variant>, V: Into<Variant>> FromIterator<(K, V)> for Dictionary {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Dictionary {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), value.into()));
        Dictionary::by_rule(entries.collect(), KeyRule::Content)
    }
}

impl<K: Into<Variant>, V: Into<Variant>> Extend<(K, V)> for Dictionary {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        let all = self.0.items_mut();
        all.extend(entries.into_iter().map(|(key, value)| (key.into(), value.into())));
        *all = merged(core::mem::take(all), KeyRule::Content);
    }
}

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
    entry: &'a mut (Variant, Variant),
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
    entries: &'a mut Vec<(Variant, Variant)>,
    key: Variant,
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

macro_rules! iterator {
    ($($(#[$doc:meta])* $name:ident<$($a:lifetime)?> = $inner:ty: $item:ty, $get:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<$($a)?>(pub(super) $inner);

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
    #[derive(Clone)]
    Iter<'a> = slice::Iter<'a, (Variant, Variant)>:
        (&'a Variant, &'a Variant), |(key, value)| (key, value);
    /// The keys and values of a dictionary in order; the values can be changed.
    IterMut<'a> = slice::IterMut<'a, (Variant, Variant)>:
        (&'a Variant, &'a mut Variant), |(key, value)| (&*key, value);
    /// The keys and values of a dictionary in order, owned.
    #[derive(Clone)]
    IntoIter<> = vec::IntoIter<(Variant, Variant)>: (Variant, Variant), |entry| entry;
}

impl<'a> IntoIterator for &'a Dictionary {
    type Item = (&'a Variant, &'a Variant);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Dictionary {
    type Item = (&'a Variant, &'a mut Variant);
    type IntoIter = IterMut<'a>;

    fn into_iter(self) -> IterMut<'a> {
        self.iter_mut()
    }
}

impl IntoIterator for Dictionary {
    type Item = (Variant, Variant);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter(self.0.into_items().into_iter())
    }
}
