//! The keys by which entries of a dictionary are found.

use super::VariantRef;

pub(super) mod sealed {
    pub trait Sealed {}
    impl Sealed for &str {}
    impl Sealed for usize {}
    impl Sealed for i64 {}
    impl Sealed for i32 {}
    impl Sealed for bool {}
    impl Sealed for super::VariantRef<'_> {}
}

/// The argument of [`DictionaryRef::get`](super::DictionaryRef::get). A text means the key with that text, either a String or
/// a StringName; Godot 4 treats both as the same key.
pub trait Key: sealed::Sealed {
    /// Whether a key of a dictionary is equal to this one.
    fn is(&self, key: VariantRef<'_>) -> bool;
}

impl Key for &str {
    #[inline]
    fn is(&self, key: VariantRef<'_>) -> bool {
        key.as_str() == Some(*self)
    }
}

impl Key for i64 {
    fn is(&self, key: VariantRef<'_>) -> bool {
        key.as_i64() == Some(*self)
    }
}

impl Key for i32 {
    fn is(&self, key: VariantRef<'_>) -> bool {
        i64::from(*self).is(key)
    }
}

impl Key for bool {
    fn is(&self, key: VariantRef<'_>) -> bool {
        key.as_bool() == Some(*self)
    }
}

impl Key for VariantRef<'_> {
    fn is(&self, key: VariantRef<'_>) -> bool {
        match (self.as_str(), key.as_str()) {
            (Some(one), Some(other)) => one == other,
            _ => *self == key,
        }
    }
}
