//! Finds out whether a key may occur twice in a dictionary, without building a tree of the value.

use crate::value::view::{Cells, ObjectRef};
use crate::value::walk::{Event, Place, WalkStack};
use crate::value::{Component, Real, VariantRef, View};
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// Up to this number of keys, every key is compared with every other.
const FEW: usize = 16;

/// Whether an engine may treat two keys of a dictionary in the value as the same key. If the result
/// is false, no two keys are the same.
///
/// Keys that are the same have the same hash. Other keys can have the same hash by chance, so the
/// result can be true without such keys. This is harmless: the caller then only does more work.
pub(super) fn may_be_in(value: VariantRef<'_>) -> bool {
    let mut stack = WalkStack::new();
    // The hashes of the keys of all open dictionaries.
    let mut keys: Vec<u64> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    // How many keys are open containers. Only keys and the values in them need a hash.
    let mut open_keys = 0_usize;
    for event in value.walk(&mut stack) {
        let (place, hash) = match event {
            Event::Value(place, leaf) if place == Place::Key || open_keys > 0 => {
                (place, hash_of(leaf))
            }
            Event::Begin(place, container) => {
                let mut hash = Fnv::new();
                // A container never equals one of another kind or length.
                (container.kind(), container.len()).hash(&mut hash);
                open.push(Open { place, hash, first_key: keys.len() });
                open_keys = open_keys.saturating_add((place == Place::Key).into());
                continue;
            }
            Event::End(_) => {
                let Some(Open { place, hash, first_key }) = open.pop() else { continue };
                if has_twice(keys.get_mut(first_key..).unwrap_or(&mut [])) {
                    return true;
                }
                keys.truncate(first_key);
                open_keys = open_keys.saturating_sub((place == Place::Key).into());
                (place, Some(hash.finish()))
            }
            _ => continue,
        };
        if open_keys > 0
            && let (Some(around), Some(hash)) = (open.last_mut(), hash)
        {
            hash.hash(&mut around.hash);
        }
        if place == Place::Key {
            keys.extend(hash);
        }
    }
    false
}

/// A container whose end was not seen yet.
struct Open {
    place: Place,
    /// The hash of what it contains so far, if it is a key or in one.
    hash: Fnv,
    /// The place of the first key among those of all open dictionaries.
    first_key: usize,
}

fn has_twice(hashes: &mut [u64]) -> bool {
    if hashes.len() > FEW {
        hashes.sort_unstable();
        return hashes.windows(2).any(|pair| pair.first() == pair.last());
    }
    let mut rest = &*hashes;
    while let Some((first, others)) = rest.split_first() {
        if others.contains(first) {
            return true;
        }
        rest = others;
    }
    false
}

/// The hash of a key that contains no other values. `None` for a key that equals no other key.
fn hash_of(key: VariantRef<'_>) -> Option<u64> {
    let mut hash = Fnv::new();
    if let Some(text) = key.as_str() {
        // In Godot 4, strings and string names with the same text are the same key.
        text.hash(&mut hash);
        return Some(hash.finish());
    }
    key.kind().hash(&mut hash);
    if let Some(cells) = key.cells() {
        match cells {
            Cells::Bytes(numbers) => numbers.hash(&mut hash),
            Cells::I32(numbers) => numbers.iter().for_each(|it| it.get().hash(&mut hash)),
            Cells::I64(numbers) => numbers.iter().for_each(|it| it.get().hash(&mut hash)),
            Cells::F32(numbers) => reals(numbers, &mut hash),
            Cells::F64(numbers) => reals(numbers, &mut hash),
        }
        return Some(hash.finish());
    }
    match key.view() {
        View::Bool(content) => content.hash(&mut hash),
        View::Int(content) => content.hash(&mut hash),
        View::Float(content) => real(content, &mut hash),
        View::Rid(id) => id.hash(&mut hash),
        View::Signal(signal) => (signal.name(), signal.object_id()).hash(&mut hash),
        View::NodePath(path) => {
            path.names().for_each(|name| name.hash(&mut hash));
            path.subnames().for_each(|name| name.hash(&mut hash));
        }
        View::PackedStringArray(strings) => strings.iter().for_each(|text| text.hash(&mut hash)),
        View::Object(ObjectRef::Id(_)) => return None,
        _ => {}
    }
    Some(hash.finish())
}

fn reals<T: Component<Native: Real>>(numbers: &[T], hash: &mut Fnv) {
    numbers.iter().for_each(|number| real(number.get().to_f64(), hash));
}

/// Equal numbers have the same hash, and so do all NaNs.
fn real(number: f64, hash: &mut Fnv) {
    // Adding zero turns negative zero into zero.
    let number = if number.is_nan() { f64::NAN } else { number + 0.0 };
    number.to_bits().hash(hash);
}

/// The hash function of Fowler, Noll and Vo.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
