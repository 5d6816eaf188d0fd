//! Writes the types of `alloc` and `std`.

use super::value::{Encode, dereferenced};
use super::{Builder, EncodeError, Sink};
use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

dereferenced! {
    [] String;
    /// Becomes an array, like a slice.
    [T: Encode] Vec<T>;
    [T: Encode + ?Sized] Box<T>;
    [T: Encode + ?Sized] Rc<T>;
    #[cfg(target_has_atomic = "ptr")]
    [T: Encode + ?Sized] alloc::sync::Arc<T>;
    [T: Encode + ToOwned + ?Sized] Cow<'_, T>;
}

/// Writes the entries of a map.
fn map<K: Encode, V: Encode, S: Sink>(
    entries: impl ExactSizeIterator<Item = (K, V)>,
    builder: &mut Builder<S>,
) -> Result<(), EncodeError> {
    builder.begin_dictionary(entries.len())?;
    for (key, value) in entries {
        key.encode(builder)?;
        value.encode(builder)?;
    }
    builder.end()
}

/// Becomes a dictionary in the order of the keys.
impl<K: Encode, V: Encode> Encode for BTreeMap<K, V> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        map(self.iter(), builder)
    }
}

/// Becomes a dictionary in the order of the map, which differs from one run of a program to the
/// next.
#[cfg(feature = "std")]
impl<K: Encode, V: Encode, H> Encode for std::collections::HashMap<K, V, H> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        map(self.iter(), builder)
    }
}
